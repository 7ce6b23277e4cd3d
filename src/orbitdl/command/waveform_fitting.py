"""``orbitdl fit --length``: waveforms of a whole recording."""

from __future__ import annotations

import warnings
from typing import Any

from orbitdl import WaveformLearning
from orbitdl.command.display import at_most, counted, duration
from orbitdl.command.fitting import Job, alpha_sentence, facts_of_run, history_sentence
from orbitdl.command.material import Material
from orbitdl.command.team import cluster_notes
from orbitdl.domains.time.acquisition import acquired
from orbitdl.io import Recording

DONE = ("channel", "sfreq", "highpass")
"""Preprocessing of a whole recording; the time column is stored if there is one."""


def fit_waveforms(job: Job, material: Material, samples: int, flags: dict[str, Any]) -> None:
    """Learn waveforms from a whole recording, write the model, and print a summary."""
    prepared, preprocessing = material.signal(), material.preprocessing
    model = WaveformLearning(length=samples, **flags, **job.settings)
    for sentence in cluster_notes(job.team) if job.team else []:
        job.screen.say(sentence)
    job.learn(model, prepared.signal if job.team is None else job.team.delayed(prepared.signal))
    own = (*DONE, "time_column", "time_unit") if preprocessing.time_column else DONE
    done = {name: getattr(preprocessing, name) for name in own}
    job.write_model(model, done | acquired(prepared.recording))
    facts = summary(model, prepared.recording)
    job.print_result(facts, sentences(facts))
    warn_of_nothing(facts["atoms"], facts["alpha"])


def summary(model: WaveformLearning, recording: Recording) -> dict[str, Any]:
    """Return the JSON fields of a run."""
    sfreq, samples = recording.sfreq, len(recording.signal)
    return {
        "length": model.length,
        "length_seconds": model.length / sfreq if sfreq else None,
        **facts_of_run(model),
        "samples": samples,
        "duration_seconds": samples / sfreq if sfreq else None,
        "sfreq": sfreq,
        "atoms": int(model.history_[-1].atoms) if model.history_ else 0,
        "reason": model.provenance_.get("components"),
    }


def iterations_sentence(facts: dict[str, Any]) -> str:
    """Describe the number of iterations, if any."""
    return "" if facts["reason"] else f"{counted(facts['iterations'], 'iteration')}, "


def sentences(facts: dict[str, Any]) -> list[str]:
    """Print the summary in sentences."""
    sfreq, shape = facts["sfreq"], facts["shape"]
    channels = f" in {shape[1]} channels" if len(shape) > 1 else ""
    learned = (
        f"Learned {counted(facts['components'], 'waveform')} of {length_text(shape[0], sfreq)}"
        f"{channels} from {duration(facts['samples'], sfreq)} of signal in "
        f"{iterations_sentence(facts)}{facts['seconds']:.1f} s."
    )
    if facts["reason"]:
        learned = f"{learned} {facts['reason'][:1].upper()}{facts['reason'][1:]}."
    proof = (
        f"The recording takes {counted(facts['atoms'], 'moved waveform')}. For these waveforms, "
        "which are a local optimum, no other code of the whole recording would lower its objective "
        f"by more than {at_most(facts['gap'])}."
    )
    return [learned, *alpha_sentence(facts), *history_sentence(facts), proof]


def length_text(samples: int, sfreq: float | None) -> str:
    """Return a length in samples, and in seconds if `sfreq` is known."""
    return counted(samples, "sample") + (f" ({duration(samples, sfreq)})" if sfreq else "")


def warn_of_nothing(atoms: int, alpha: float) -> None:
    """Warn if the code of a recording is empty."""
    if not atoms:
        warnings.warn(
            f"no events: alpha {alpha:.3g} exceeds every correlation of the recording with the "
            "waveforms; take a smaller --alpha.",
            stacklevel=2,
        )

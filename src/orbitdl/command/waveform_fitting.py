"""``orbitdl fit --length``: waveforms at any time of a recording, which is not cut."""

from __future__ import annotations

import warnings
from typing import Any

from orbitdl import WaveformLearning
from orbitdl.command.display import at_most, counted, duration
from orbitdl.command.fitting import Job, facts_of_run, said_of_alpha, said_of_course
from orbitdl.command.material import Material
from orbitdl.command.team import told_of_recordings
from orbitdl.domains.time.acquisition import acquired
from orbitdl.recordings import Recording

DONE = ("channel", "sfreq", "highpass")
"""What is done to a recording that is not cut; the column of its time is kept if there is one."""


def fit_waveforms(job: Job, material: Material, samples: int, flags: dict[str, Any]) -> None:
    """Learn waveforms from a whole recording, write them, and say what came of it."""
    prepared, preprocessing = material.signal(), material.preprocessing
    model = WaveformLearning(length=samples, **flags, **job.settings)
    for sentence in told_of_recordings(job.team) if job.team else []:
        job.screen.say(sentence)
    job.learn(model, prepared.signal if job.team is None else job.team.delayed(prepared.signal))
    own = (*DONE, "time_column", "time_unit") if preprocessing.time_column else DONE
    done = {name: getattr(preprocessing, name) for name in own}
    job.keep(model, done | acquired(prepared.recording))
    facts = summary(model, prepared.recording)
    job.tell(facts, sentences(facts))
    warn_of_nothing(facts["atoms"], facts["alpha"])


def summary(model: WaveformLearning, recording: Recording) -> dict[str, Any]:
    """Return the facts of a run, for machines."""
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


def said_of_iterations(facts: dict[str, Any]) -> str:
    """Return how many iterations there were, unless waveforms were found without any."""
    return "" if facts["reason"] else f"{counted(facts['iterations'], 'iteration')}, "


def sentences(facts: dict[str, Any]) -> list[str]:
    """Say the same in a few sentences."""
    sfreq, shape = facts["sfreq"], facts["shape"]
    channels = f" in {shape[1]} channels" if len(shape) > 1 else ""
    learned = (
        f"Learned {counted(facts['components'], 'waveform')} of {said_of_length(shape[0], sfreq)}"
        f"{channels} from {duration(facts['samples'], sfreq)} of signal in "
        f"{said_of_iterations(facts)}{facts['seconds']:.1f} s."
    )
    if facts["reason"]:
        learned = f"{learned} {facts['reason'][:1].upper()}{facts['reason'][1:]}."
    proof = (
        f"The recording takes {counted(facts['atoms'], 'moved waveform')}. For these waveforms, "
        "which are a local optimum, no other code of the whole recording would lower its objective "
        f"by more than {at_most(facts['gap'])}."
    )
    return [learned, *said_of_alpha(facts), *said_of_course(facts), proof]


def said_of_length(samples: int, sfreq: float | None) -> str:
    """Return a length in samples, and in seconds if the rate is known."""
    return counted(samples, "sample") + (f" ({duration(samples, sfreq)})" if sfreq else "")


def warn_of_nothing(atoms: int, alpha: float) -> None:
    """Warn if nothing in a recording is worth its cost."""
    if not atoms:
        warnings.warn(
            f"the code is empty: nothing in the recording is worth alpha {alpha:.3g}; take a "
            "smaller --alpha.",
            stacklevel=2,
        )

"""``orbitdl fit --length``: waveforms of a whole recording."""

from __future__ import annotations

import warnings
from pathlib import Path
from typing import Any

import numpy as np

from orbitdl import WaveformLearning
from orbitdl.command.display import at_most, counted, duration
from orbitdl.command.material import Material
from orbitdl.command.summaries import alpha_sentence, facts_of_run, history_sentence
from orbitdl.command.team import WorkerTeam, cluster_notes

__all__ = ["cluster_notes", "data_of", "sentences", "summary", "warn"]


def data_of(material: Material, team: WorkerTeam | None, path: Path) -> Any:
    """Return the recording to learn from, here or on a worker."""
    return material.result if team is None else team.delayed(np.asarray(material.result))


def warn(model: WaveformLearning, material: Material, facts: dict[str, Any]) -> None:
    """Warn if the code of the recording is empty."""
    warn_of_nothing(facts["atoms"], facts["alpha"])


def summary(model: WaveformLearning, material: Material) -> dict[str, Any]:
    """Return the JSON fields of a run."""
    recording = material.result
    sfreq, samples = recording.sfreq, len(recording)
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
        f"The sparse code has {counted(facts['atoms'], 'atom')}, of which one event may take "
        "several. For these waveforms, which are a local optimum, no other code of the whole "
        f"recording would lower its objective by more than {at_most(facts['gap'])}."
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

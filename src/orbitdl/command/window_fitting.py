"""``orbitdl fit`` on given windows, or windows of a recording."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from orbitdl import OrbitDictionaryLearning
from orbitdl.command.advice import warn_of_constants, warn_of_empty_codes
from orbitdl.command.choices import describe_group
from orbitdl.command.display import at_most, counted
from orbitdl.command.material import Material
from orbitdl.command.summaries import alpha_sentence, facts_of_run, history_sentence
from orbitdl.command.team import WorkerTeam
from orbitdl.windows import Windows


def cluster_notes(team: WorkerTeam) -> list[str]:
    """Return remarks on workers: there is none on windows."""
    return []


def data_of(material: Material, team: WorkerTeam | None, path: Path) -> Any:
    """Return the windows to learn from, here or on workers, which read files of windows."""
    if team is None:
        return material.result
    windows, plain = windows_of(material), material.recording is None
    as_read = plain and not material.steps[-1].normalize and "channel" not in material.stored
    return team.chunks(windows.values, path.resolve() if as_read else None)


def windows_of(material: Material) -> Windows:
    """Return the windows that are learned from."""
    assert isinstance(material.result, Windows)
    return material.result


def warn(model: OrbitDictionaryLearning, material: Material, facts: dict[str, Any]) -> None:
    """Warn of codes that are empty, and of data that are not centred."""
    values = windows_of(material).values
    warn_of_empty_codes(model, values, facts["atoms_a_window"])
    warn_of_constants(model, values)


def summary(model: OrbitDictionaryLearning, material: Material) -> dict[str, Any]:
    """Return the JSON fields of a run."""
    windows = windows_of(material)
    return {
        "group": describe_group(model.group),
        **facts_of_run(model),
        "windows": len(windows),
        "samples_left_out": windows.left_out,
        "sfreq": windows.sfreq,
        "atoms_a_window": model.history_[-1].atoms,
    }


def sentences(facts: dict[str, Any]) -> list[str]:
    """Print the summary in sentences."""
    shape = " x ".join(map(str, facts["shape"]))
    learned = (
        f"Learned {counted(facts['components'], 'component')} from "
        f"{counted(facts['windows'], 'window')} of {shape} samples in "
        f"{counted(facts['iterations'], 'iteration')} ({facts['seconds']:.1f} s)."
    )
    left_out = counted(facts["samples_left_out"], "sample")
    rest = [f"{left_out} at the end did not fill a window."] if facts["samples_left_out"] else []
    proof = (
        f"A window takes {facts['atoms_a_window']:.1f} atoms (transformed components) on average. "
        "For these components, which are a local optimum, no other code would lower the objective "
        f"of any window by more than {at_most(facts['gap'])}."
    )
    return [learned, *alpha_sentence(facts), *rest, *history_sentence(facts), proof]

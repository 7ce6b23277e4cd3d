"""``orbitdl fit`` on given windows, or windows of a recording."""

from __future__ import annotations

from typing import Any

from orbitdl import OrbitDictionaryLearning
from orbitdl.command.advice import warn_of_constants, warn_of_empty_codes
from orbitdl.command.choices import describe_group
from orbitdl.command.display import at_most, counted
from orbitdl.command.fitting import Job, alpha_sentence, facts_of_run, history_sentence
from orbitdl.command.material import Material
from orbitdl.groups import Group
from orbitdl.io import Windows


def fit_windows(job: Job, material: Material, group: Group) -> None:
    """Learn components from windows, write the model, and print a summary."""
    windows, preprocessing = material.windows(), material.preprocessing
    as_given = windows.start is None and not (preprocessing.normalize or preprocessing.channel)
    given = job.data.resolve() if as_given else None
    model = OrbitDictionaryLearning(group=group, **job.settings)
    job.learn(model, windows.values if job.team is None else job.team.chunks(windows.values, given))
    known = windows.acquisition(normalize=preprocessing.normalize)
    job.write_model(model, preprocessing.to_dict() | known)
    facts = summary(model, windows)
    job.print_result(facts, sentences(facts))
    warn_of_empty_codes(model, windows.values, facts["atoms_a_window"])
    warn_of_constants(model, windows.values)


def summary(model: OrbitDictionaryLearning, windows: Windows) -> dict[str, Any]:
    """Return the JSON fields of a run."""
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

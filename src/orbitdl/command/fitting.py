"""What ``orbitdl fit`` does once the data are windows: learn, tell."""

from __future__ import annotations

import warnings
from pathlib import Path
from typing import Any

from orbitdl import OrbitDictionaryLearning
from orbitdl.command.choices import describe_group
from orbitdl.command.display import Screen, at_most, counted
from orbitdl.command.failures import Interrupted
from orbitdl.learning.iteration import Iteration
from orbitdl.learning.restarts import most_iterations
from orbitdl.recordings import Windows


def learn(model: OrbitDictionaryLearning, windows: Windows, screen: Screen, state: Path) -> None:
    """Fit the model under a progress bar; say on Ctrl-C where the work is."""
    has_begun, total = state.exists(), most_iterations(model.n_restarts, model.max_iter)

    def watch(iteration: Iteration) -> None:
        nonlocal has_begun
        has_begun = True
        show(iteration)

    try:
        with screen.learning(total) as show, warnings.catch_warnings():
            warnings.filterwarnings("ignore", "max_iter=")  # `tell` says so of the option
            model.set_params(callback=watch).fit(windows.values)
    except KeyboardInterrupt:
        raise Interrupted(
            f"Interrupted; the state is in {state}: run the same command again to go on."
            if state.exists()
            else "Interrupted before the first iteration; nothing was written."
        ) from None
    except Exception:
        if not has_begun:  # a run that cannot be done leaves nothing in the way of another
            state.unlink(missing_ok=True)
        raise
    finally:
        model.set_params(callback=None, n_jobs=None)


def summary(model: OrbitDictionaryLearning, windows: Windows) -> dict[str, Any]:
    """Return the facts of a run, for machines."""
    last = model.history_[-1]
    return {
        "group": describe_group(model.group),
        "components": len(model.components_),
        "shape": list(model.components_.shape[1:]),
        "alpha": model.alpha_,
        "alpha_chosen": model.provenance_.get("alpha"),
        "windows": len(windows),
        "samples_left_out": windows.left_out,
        "rate": windows.rate,
        "iterations": model.n_iter_,
        "converged": bool(model.converged_),
        "starts": model.starts_.tolist(),
        "objective": last.objective,
        "gap": last.gap,
        "atoms_a_window": last.atoms,
        "seconds": sum(record.seconds for record in model.history_),
    }


def spread(starts: list[float]) -> str:
    """Say how far apart several starts were when the best of them was chosen."""
    return (
        f"{len(starts)} starts came to objectives between {min(starts):.6g} and {max(starts):.6g} "
        "in a few iterations; the best was continued."
    )


def tell(facts: dict[str, Any], output: Path, screen: Screen) -> None:
    """Say the same in a few sentences."""
    shape = " x ".join(map(str, facts["shape"]))
    screen.say(
        f"Learned {counted(facts['components'], 'component')} from "
        f"{counted(facts['windows'], 'window')} of {shape} samples in "
        f"{counted(facts['iterations'], 'iteration')} ({facts['seconds']:.1f} s)."
    )
    if facts["alpha_chosen"]:
        screen.say(
            f"Chose alpha {facts['alpha_chosen']}. Halve it for weaker events, double it for fewer."
        )
    if facts["samples_left_out"]:
        left_out = counted(facts["samples_left_out"], "sample")
        screen.say(f"{left_out} at the end did not fill a window.")
    if not facts["converged"]:
        screen.say("It was still improving when it stopped: a larger --max-iter will go further.")
    if len(facts["starts"]) > 1:
        screen.say(spread(facts["starts"]))
    screen.say(
        f"A window takes {facts['atoms_a_window']:.1f} moved components on average. For these "
        "components, which are a local optimum, no other code would lower the objective of any "
        f"window by more than {at_most(facts['gap'])}."
    )
    screen.say(f"Model: {output}")

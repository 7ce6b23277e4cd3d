"""What all runs report: facts for JSON, and sentences."""

from __future__ import annotations

from typing import Any

from orbitdl.command.material import Model


def facts_of_run(model: Model) -> dict[str, Any]:
    """Return the JSON fields common to all runs."""
    last = model.history_[-1] if model.history_ else None  # without any waveform
    return {
        "components": len(model.components_),
        "shape": list(model.components_.shape[1:]),
        "alpha": model.alpha_,
        "alpha_chosen": model.provenance_.get("alpha"),
        "iterations": model.n_iter_,
        "converged": bool(model.converged_),
        "starts": model.starts_.tolist(),
        "objective": None if last is None else last.objective,
        "gap": 0.0 if last is None else last.gap,
        "seconds": model.seconds_,
    }


def alpha_sentence(facts: dict[str, Any]) -> list[str]:
    """Describe the automatic choice of alpha."""
    chosen = facts["alpha_chosen"]
    advice = "Halve it for weaker events, double it for fewer."
    return [f"Chose alpha {chosen}. {advice}"] if chosen else []


def history_sentence(facts: dict[str, Any]) -> list[str]:
    """Describe convergence, and the spread of objectives over several starts."""
    sentences = []
    if not facts["converged"]:
        sentences.append(
            "It was still improving when it stopped: a larger --max-iter will go further."
        )
    starts = facts["starts"]
    if len(starts) > 1:
        sentences.append(
            f"{len(starts)} starts came to objectives between {min(starts):.6g} and "
            f"{max(starts):.6g} in a few iterations; the best was continued."
        )
    return sentences

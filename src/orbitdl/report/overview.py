"""The summary at the top: a few sentences and a few figures."""

from __future__ import annotations

from orbitdl.learning.history import History
from orbitdl.report.coded import CodedWindows
from orbitdl.report.facts import Facts
from orbitdl.report.phrasing import bound, count, number, percent, sizes


def paragraphs(facts: Facts) -> list[str]:
    """Describe what was learned and how well it explains the data."""
    learned = f"{_what_was_learned(facts)} They {facts.presentation.description}."
    ended = how_learning_ended(facts.history, facts.converged)
    if facts.coded is None:
        only = (
            "This report was written from the model alone: with data it also shows how the "
            "components are used, data points decomposed, and events over time."
        )
        return [f"{learned} {ended}", only]
    used, certified = _how_data_are_coded(facts, facts.coded)
    return [f"{learned} {used}", f"{certified} {ended}"]


def figures(facts: Facts) -> list[tuple[str, str]]:
    """Return the key figures with their captions."""
    shown = [(number(len(facts.components)), "components")]
    if facts.coded is not None:
        coded = facts.coded
        shown += [
            (number(len(coded.X)), f"{facts.noun}s"),
            (percent(max(0.0, coded.total_explained)), "of the energy explained"),
            (f"{coded.atoms_per_window.mean():.1f}", f"atoms per {facts.noun}"),
            (bound(float(coded.codes.gap.max())), "certified gap, at most"),
        ]
    ended = {True: "yes", False: "no", None: "not recorded"}[facts.converged]
    return [*shown, (ended, "converged")]


def _what_was_learned(facts: Facts) -> str:
    size = sizes(facts.representation.shape, facts.view.along, facts.labels.sfreq)
    if facts.coded is None:
        return f"The model has {count(len(facts.components), 'component')} {size}."
    many = count(len(facts.coded.X), facts.noun)
    q = len(facts.components)
    return f"{count(q, 'component')} describe{'s' if q == 1 else ''} {many} {size}."


def _how_data_are_coded(facts: Facts, coded: CodedWindows) -> tuple[str, str]:
    share = percent(max(0.0, coded.total_explained))
    mean, gap = coded.atoms_per_window.mean(), bound(float(coded.codes.gap.max()))
    copies = "Multiples of them" if facts.presentation.fixed else "Their transformed copies"
    return (
        f"{copies}, called atoms, add up to {share} of the energy of the data, with {mean:.1f} "
        f"atoms per {facts.noun} on average.",
        f"This is certified: with these components, a local optimum, and this sparsity (alpha = "
        f"{facts.model.alpha_:g}), no other choice of atoms lowers the objective of any "
        f"{facts.noun} by more than {gap}.",
    )


def how_learning_ended(history: History, converged: bool | None) -> str:
    """Describe the decrease of the objective and whether it converged."""
    if not history:
        return "How the learning went is not recorded in this model."
    first, last = history[0].objective, history[-1].objective
    iterations = count(history[-1].number, "iteration")
    way = f"the objective went from {first:.4g} to {last:.4g} in {iterations}"
    if converged:
        return f"Learning has converged: {way}, and then stood still."
    return f"Learning has not converged: {way}, and was still falling."

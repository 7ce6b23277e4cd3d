"""Summary: a few sentences and key figures."""

from __future__ import annotations

import numpy as np

from orbitdl.report.facts import Facts
from orbitdl.report.listed import unusual_intervals
from orbitdl.report.phrasing import bound, comma_list, count, number, percent, sizes
from orbitdl.report.section import Content, rendered

TEMPLATE = """
<div class="lead">
{% for paragraph in paragraphs %}
<p>{{ paragraph }}</p>
{% endfor %}
</div>
<dl class="figures">
{% for value, words in figures %}
<div><dt>{{ words }}</dt><dd>{{ value }}</dd></div>
{% endfor %}
</dl>
"""


def content(facts: Facts) -> Content:
    """Return the summary."""
    return Content(rendered(TEMPLATE, paragraphs=paragraphs(facts), figures=figures(facts)))


def paragraphs(facts: Facts) -> list[str]:
    """Describe what was learned, how well it explains the data, and how learning ended."""
    ended = how_learning_ended(facts)
    if facts.recording is not None:
        found = f"{_what_was_found(facts)}{_what_is_missing(facts)}"
        return [found, _how_good_it_is(facts), f"{_alpha(facts)} {ended}"]
    learned = f"{_what_was_learned(facts)} They {_transformations(facts)}."
    if facts.windows is None:
        only = (
            "This report describes the model alone; with data it also shows the events and the "
            "data decomposed."
        )
        return [f"{learned} {ended}", only]
    used, certified = _of_windows(facts)
    return [f"{learned} {used}", f"{certified} {ended}"]


def figures(facts: Facts) -> list[tuple[str, str]]:
    """Return the key figures with their captions."""
    q = len(facts.components)
    shown = [(number(q), "component" if q == 1 else "components")]
    if facts.windows is not None:
        shown += [
            (number(len(facts.windows.X)), f"{facts.noun}s"),
            (percent(facts.windows.total_explained), "of the energy explained"),
            (f"{facts.windows.atoms_per_window.mean():.1f}", f"atoms per {facts.noun}"),
        ]
    if facts.recording is not None:
        unusual = len(unusual_intervals(facts.table))
        shown += [
            (number(len(facts.table)), "event" if len(facts.table) == 1 else "events"),
            (facts.clock.duration(len(facts.recording.signal)), "of recording"),
            (percent(facts.recording.trace.explained), "of the energy explained"),
            (number(unusual), "unusual interval" if unusual == 1 else "unusual intervals"),
        ]
    if facts.codes is not None:
        shown.append((bound(float(facts.codes.gap.max())), "certified gap, at most"))
    ended = {True: "yes", False: "no", None: "not recorded"}[facts.converged]
    return [*shown, (ended, "learning converged")]


def how_learning_ended(facts: Facts) -> str:
    """Describe how the number of components was found, and how the objective decreased."""
    history, found = facts.history, facts.provenance.get("components")
    why = f"The number of components was found: {found}. " if found else ""
    if found and len(history) < 2:  # they grew, without iterations
        return why.rstrip()
    if not history:
        return f"{why}The convergence of learning is not recorded in this model."
    first, last = history[0].objective, history[-1].objective
    iterations = count(history[-1].number, "iteration")
    way = f"the objective decreased from {first:.4g} to {last:.4g} in {iterations}"
    if facts.converged:
        return f"{why}Learning has converged: {way}."
    return f"{why}Learning has not converged: {way}, and was still decreasing."


def frequency_of(facts: Facts, column: str, component: int | None = None) -> str:
    """Describe the median interval of a column, also as a rate; empty if unknown."""
    values, clock = facts.values_of(column), facts.clock
    own = slice(None) if component is None else facts.component == component
    if values is None or not np.isfinite(values[own]).any():
        return ""
    median = float(np.nanmedian(values[own]))
    interval = f"median interval {clock.span(median)}"
    return interval if clock.sfreq is None else f"{interval}, as at {clock.frequency(median)}"


def _transformations(facts: Facts) -> str:
    if facts.action is not None:
        return facts.action.presentation.description
    return f"may begin at any {'integer sample' if facts.model.integer_shifts else 'time'}"


def _what_was_learned(facts: Facts) -> str:
    q = len(facts.components)
    size = sizes(facts.shape, facts.view.along, facts.clock.sfreq)
    if facts.windows is None:
        return f"The model has {count(q, 'component')} {size}."
    many = count(len(facts.windows.X), facts.noun)
    return f"{count(q, 'component')} describe{'s' if q == 1 else ''} {many} {size}."


def _of_windows(facts: Facts) -> tuple[str, str]:
    assert facts.windows is not None
    assert facts.action is not None
    coded, fixed = facts.windows, facts.action.presentation.fixed
    return (
        f"{'Multiples of them' if fixed else 'Their transformed copies'}, called atoms, explain "
        f"{percent(coded.total_explained)} of the energy of the data, with "
        f"{coded.atoms_per_window.mean():.1f} atoms per {facts.noun} on average.",
        "This is certified: with these components, a local optimum, and this sparsity (alpha = "
        f"{facts.model.alpha_:g}), no other choice of atoms lowers the objective of any "
        f"{facts.noun} by more than {bound(float(coded.codes.gap.max()))}.",
    )


def _what_was_found(facts: Facts) -> str:
    assert facts.recording is not None
    duration = facts.clock.duration(len(facts.recording.signal))
    if not len(facts.table):
        return f"In {duration} of recording there are no events."
    said = f"In {duration} of recording there are {count(len(facts.table), 'event')}"
    often = [frequency_of(facts, "own_interval", j) for j in range(len(facts.counts))]
    often = [f" ({words})" if words else "" for words in often]
    if len(facts.counts) == 1:
        return f"{said} of one component{often[0]}."
    each = [f"{number(n)} of component {j}{often[j]}" for j, n in enumerate(facts.counts)]
    overall = frequency_of(facts, "interval")
    between = f" From one event to the next, of any component: {overall}." if overall else ""
    return f"{said}: {comma_list(each)}.{between}"


def _what_is_missing(facts: Facts) -> str:
    assert facts.recording is not None
    many = len(facts.recording.missing)
    if many == 0:
        return ""
    share = percent(facts.recording.missing_share)
    return f" {share} of the samples are missing, in {count(many, 'segment')}."


def _how_good_it_is(facts: Facts) -> str:
    assert facts.codes is not None
    assert facts.recording is not None
    trend = " without its slow drift" if facts.model.detrend else ""
    code = "The code they are taken from" if facts.model.event_model_ is None else "A sparse code"
    return (
        f"The events explain {percent(facts.recording.trace.explained)} of the energy of the "
        f"recording{trend}. {code} is certified: with these components and this alpha, no other "
        "code of the whole recording lowers the objective by more than "
        f"{bound(float(facts.codes.gap.max()))}."
    )


def _alpha(facts: Facts) -> str:
    why = facts.provenance.get("alpha")
    how = f"was chosen as {why}" if why else f"= {facts.model.alpha_:g} was given"
    return f"The regularisation weight alpha {how}."

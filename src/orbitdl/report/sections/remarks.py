"""Remarks: what is questionable about data and fit, and what to do."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial
from typing import Literal

import numpy as np

from orbitdl.encoding.metrics import orbit_distances
from orbitdl.learning.alpha import alpha_max
from orbitdl.report.coded_windows import CodedWindows
from orbitdl.report.facts import Facts
from orbitdl.report.phrasing import bound, comma_list, count, number, percent
from orbitdl.report.section import Content, rendered
from orbitdl.windows.centring import MUCH, constant_components, share_of_means

RARE = 0.1
"""A component is nearly unused below this fraction of an even share of all atoms' sizes."""
ALIKE = 0.1
"""Components are duplicates below this squared orbit distance: similarity above 95 %."""
POOR = 0.5
"""A window is not explained if its code carries less than this share of its energy."""
WHITE = 0.2
"""Autocorrelation below which a residual is considered noise. Waveforms are smooth: their
autocorrelation is high, so below this they make up about this fraction of the energy at most."""
BORDER = 0.05
"""An atom is at the border if its peak lies within this fraction of the length from an end."""
CROWDED = 2.0
"""A border is crowded if it has this many times its even share."""
FEW = 20
"""Fewer atoms than this say nothing about borders."""
LOST = 1e-3
"""Minimum energy fraction of the Nyquist component for a remark."""
SEVERITIES = {"check": "Check", "know": "Good to know"}
TEMPLATE = """
{% for note in notes %}
{% if loop.first %}<ul class="notes">{% endif %}
<li class="{{ note.severity }}"><strong>{{ names[note.severity] }}:</strong> {{ note.text }}</li>
{% if loop.last %}</ul>{% endif %}
{% else %}
<p class="fine">Nothing to remark.</p>
{% endfor %}
"""


def content(facts: Facts) -> Content:
    """Return the remarks, those to act on first."""
    return Content(rendered(TEMPLATE, notes=remarks(facts), names=SEVERITIES))


@dataclass(frozen=True)
class Note:
    """A remark: its severity ("check": act on it; "know": for information), name and text."""

    severity: Literal["check", "know"]
    about: str
    text: str


check, know = partial(Note, "check"), partial(Note, "know")


def remarks(facts: Facts) -> list[Note]:
    """Return all remarks on a fit, those to act on first."""
    notes = [*_on_learning(facts), *_on_constants(facts), *_on_duplicates(facts)]
    if facts.events is not None:
        notes += _on_usage(facts)
    if facts.windows is not None:
        notes += _on_coding(facts, facts.windows)
        notes += _on_borders(facts, facts.windows)
        notes += _on_data(facts, facts.windows)
    return sorted(notes, key=lambda note: note.severity != "check")


def _on_learning(facts: Facts) -> Iterator[Note]:
    if facts.converged is False:
        yield check(
            "not converged",
            f"Learning stopped after {count(facts.model.n_iter_, 'iteration')} while the objective "
            f"was still falling: the components may still change. Raise max_iter (now "
            f"{facts.model.max_iter}) and fit again.",
        )


def _on_constants(facts: Facts) -> Iterator[Note]:
    """Yield a remark if windows were not centred, so that components stand for their means."""
    flat, share = _constant_components(facts), 0.0
    if facts.in_time and facts.windows is not None:
        share = share_of_means(facts.windows.X)
    if not flat and share <= MUCH:
        return
    shapes = (
        f"Constant components, which stand for a mean and not for a shape: {comma_list(flat)}. "
    )
    means = f"The means of the windows carry {percent(share)} of the energy of the data. "
    yield check(
        "not centred",
        f"{means if share > MUCH else ''}{shapes if flat else ''}Subtract the mean of every window "
        "and fit again: with --normalize on the command line; in Python split recordings with "
        "orbitdl.datasets.segment, or fit X - X.mean(axis=1, keepdims=True).",
    )


def _constant_components(facts: Facts) -> list[int]:
    if facts.action is None or not facts.in_time:
        return []
    return list(constant_components(facts.components).tolist())


def _on_duplicates(facts: Facts) -> Iterator[Note]:
    if facts.action is None:
        return
    distance = orbit_distances(facts.components, facts.components, facts.action.group)
    flat = _constant_components(facts)
    distance[np.ix_(flat, flat)] = np.inf  # there is more wrong with these than their number
    pairs = np.argwhere(np.triu(distance < ALIKE, k=1))
    if len(pairs):
        alike = [f"{i} with {j} (similarity {percent(1 - distance[i, j] / 2)})" for i, j in pairs]
        yield check(
            "duplicate components",
            "Components of nearly the same shape, after alignment: "
            f"{comma_list(alike)}. Fewer components may be enough.",
        )


def _on_coding(facts: Facts, coded: CodedWindows) -> Iterator[Note]:
    n, silent = len(coded.X), (coded.atoms_per_window == 0) & (coded.energy > 0)
    if silent.mean() > 0.5:
        empty = alpha_max(coded.X, facts.components, group=facts.model.group)
        yield check(
            "alpha too large",
            f"{count(int(silent.sum()), facts.noun)} of {number(n)} ({percent(silent.mean())}) "
            f"have no atoms: alpha = {facts.model.alpha_:g} is too large for these data. "
            f"From {number(float(empty.max()))} on all codes are empty; a tenth of that "
            "is a good start. Lower it and fit again.",
        )
    else:
        yield from _on_what_is_left(facts, coded)
    early = np.array([not status.is_settled for status in coded.codes.status])
    if early.any():
        yield check(
            "gap",
            f"The codes of {count(int(early.sum()), facts.noun)} stopped above the tolerance; the "
            f"largest certified gap is {bound(float(coded.codes.gap.max()))}.",
        )


def _on_what_is_left(facts: Facts, coded: CodedWindows) -> Iterator[Note]:
    """Yield a remark on windows with large residuals: noise, or unexplained waveforms."""
    n, poor = len(coded.X), np.flatnonzero(coded.explained < POOR)
    if 2 * len(poor) > n and facts.in_time and coded.autocorrelation < WHITE:
        yield know(
            "noise",
            f"{count(len(poor), facts.noun)} of {number(n)} are explained by less than half, yet "
            "what is left is mostly noise: its samples are nearly uncorrelated (at most "
            f"{coded.autocorrelation:.2f}). Codes do not explain noise; where it is as strong as "
            "the events, half of the energy is left.",
        )
    elif len(poor):
        worst = poor[np.argmax(coded.unexplained[poor])]
        yield check(
            "not explained",
            f"{count(len(poor), facts.noun)} of {number(n)} ({percent(len(poor) / n)}) "
            f"{'is' if len(poor) == 1 else 'are'} explained by less than half; the worst is "
            f"{facts.noun} {worst} ({percent(max(0.0, coded.explained[worst]))}). Look at "
            f"{'it' if len(poor) == 1 else 'them'} below, worst first: an artefact, noise, or a "
            "shape that needs one more component.",
        )


def _on_usage(facts: Facts) -> Iterator[Note]:
    unused, q = np.flatnonzero(facts.counts == 0), len(facts.counts)
    if len(unused) and len(unused) < q:
        many = len(unused) > 1
        yield check(
            "unused components",
            f"{'Components' if many else 'Component'} {comma_list(unused.tolist())} "
            f"{'are' if many else 'is'} not used at all by these data.",
        )
    total = np.array([np.abs(own).sum() for own in facts.own(facts.size)])
    rare = np.flatnonzero((facts.counts > 0) & (total < RARE * total.sum() / max(q, 1)))
    if len(rare):
        uses = comma_list([f"{j} ({count(int(facts.counts[j]), 'event')})" for j in rare])
        yield know(
            "nearly unused components",
            f"Hardly used: component{'s' if len(rare) > 1 else ''} {uses}. A rare but real event, "
            "or a component too many.",
        )


def _on_borders(facts: Facts, coded: CodedWindows) -> Iterator[Note]:
    """Yield a remark for components whose atoms, weighted by size, crowd the window's ends."""
    if not facts.in_time:
        return
    length, start, component = facts.shape[0], coded.windows.start, facts.component
    begin = 0 if start is None else facts.first_sample + start[facts.table["window"]]
    position = np.asarray(facts.table["sample"]) - begin
    margin, q = max(1.0, BORDER * length), len(facts.counts)
    near = np.minimum(position, length - position) < margin
    size, even = np.abs(facts.size), 2 * margin / length
    total = np.bincount(component, size, q)
    inside = np.bincount(component[near], size[near], q)
    many = facts.counts >= FEW
    crowded = np.flatnonzero(many & (inside > CROWDED * even * total))
    if len(crowded):
        shares = [f"component {j} ({percent(inside[j] / total[j])})" for j in crowded]
        yield check(
            "crowded border",
            f"Atoms crowd the ends of their windows: {comma_list(shares)}, by size, within "
            f"{count(round(margin), 'sample')} of an end, where {percent(even)} would be even. "
            "Shifts are circular, what leaves at one end enters at the other: such atoms often "
            "stand for an event that a window truncates. Use longer or overlapping windows.",
        )


def _on_data(facts: Facts, coded: CodedWindows) -> Iterator[Note]:
    if coded.gaps.any():
        gaps = coded.gaps.reshape(len(coded.X), -1)
        whole = int(gaps.all(axis=1).sum())
        none = f" {count(whole, facts.noun)} of them have no value at all." if whole else ""
        yield know(
            "missing",
            f"{percent(coded.missing)} of the values are missing, in "
            f"{count(int(gaps.any(axis=1).sum()), facts.noun)}. They are left out of every figure "
            f"here and drawn as gaps.{none}",
        )
    if coded.beyond_end.any():
        reaching = coded.beyond_end.any(axis=1)
        longest = int(coded.beyond_end.sum(axis=1).max())
        last = f"last {facts.noun} reaches" if reaching.sum() == 1 else f"last {facts.noun}s reach"
        yield know(
            "end",
            f"The {last} {count(longest, 'sample')} beyond the end of "
            "the recording. There is nothing there to explain, and nothing is missing.",
        )
    lost = _alternating(facts, coded)
    if lost > LOST:
        yield know(
            "alternating part",
            f"{percent(lost)} of the energy alternates from sample to sample. With an even length "
            f"({facts.shape[0]} samples) fractional shifts cannot explain it: "
            "take windows of an odd length if it matters.",
        )
    if coded.windows.overlap and facts.in_time:
        yield know(
            "overlap",
            f"Windows overlap (a new one every {coded.windows.step} samples): an event in several "
            "of them is counted once here, and in the table that orbitdl encode writes.",
        )
    empty = int(np.sum((coded.energy == 0) & ~np.isnan(coded.X).reshape(len(coded.X), -1).all(1)))
    if empty:
        yield know("empty", f"{count(empty, facts.noun)} hold nothing but zeros.")


def _alternating(facts: Facts, coded: CodedWindows) -> float:
    """Return the energy fraction that the group cannot shift, over complete windows."""
    whole = coded.X[~np.isnan(coded.X).reshape(len(coded.X), -1).any(axis=1)]
    energy = float(np.sum(whole**2))
    if facts.action is None or facts.action.is_invertible or energy == 0:
        return 0.0
    blocks = facts.action.analyze(whole)
    return max(0.0, 1 - float(np.sum(np.abs(blocks) ** 2)) / energy)

"""The simplest candidate within one standard error of the best, and why, in words."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import pandas as pd

from orbitdl.selection.scores import Scores

SMALL = 1e-3
"""Part of the error that is no difference worth a number."""
NAMED = ("the held-out error", "it")
"""What is compared, said for the first time and again."""


@dataclass(frozen=True, eq=False)
class Selection:
    """Which symmetry, how many components, which alpha; and why.

    Attributes
    ----------
    table : DataFrame
        One row per candidate: `group`, `n_components`, `alpha`; `error`, the squared error over
        hidden entries as a part of their energy; `standard_error`, that of its difference from the
        least error; `atoms` per data point. Of recordings `n_components`; `error`, the part of the
        held-out energy above the noise that reproducible events leave unexplained;
        `standard_error`; `atoms`, events per waveform length; `agreement`, the F1 score of the
        events with those of components learned from the whole recording.
    choice : dict
        `group`, `n_components` and `alpha` of the row that was chosen; of recordings
        `n_components`.
    reason : str
        Why, in words.
    estimator : estimator
        As it was given, with what was chosen; not fitted.
    """

    table: pd.DataFrame
    choice: dict[str, Any]
    reason: str
    estimator: Any

    def __repr__(self) -> str:
        return f"Selection({self.reason})"


def choose(scores: Scores) -> tuple[int, int]:
    """Return the candidate and the alpha to take, by their places.

    The one-standard-error rule: of those whose error is within one standard error of the least,
    the one with fewest components; then of the first group; then with the largest alpha.
    """
    every = [(c, k) for c in range(len(scores.candidates)) for k in range(len(scores.alphas))]
    near = [one for one in every if scores.near_best(one)]
    return min(
        near, key=lambda one: (scores.candidates[one[0]][1], scores.candidates[one[0]][0], one[1])
    )


def reason_for(scores: Scores, chosen: tuple[int, int]) -> str:
    """Say why a candidate was chosen: against more and fewer components, groups and alphas."""
    predicted = 1 - scores.mean[chosen]
    if predicted <= 0:
        return _of_nothing(scores, chosen)
    parts = [_of_components(scores, chosen), _of_group(scores, chosen), _of_alpha(scores, chosen)]
    share = f"{100 * predicted:.3g} % of the energy of hidden entries is predicted."
    return " ".join([part for part in parts if part] + [share])


def reason_of_events(scores: Scores, chosen: tuple[int, int], numbers: list[int], why: str) -> str:
    """Say why a number of components was chosen, and what "auto" finds: the largest candidate."""
    (_, q), predicted = scores.candidates[chosen[0]], 1.0 - float(scores.mean[chosen])
    auto = scores.candidates[-1][1]
    most = f'n_components="auto" finds {auto}' if auto else "no waveform recurs"
    if max(numbers) > auto:
        most += f", and no more can be judged: {why}"
    if auto == 0:
        return f"0 components: {most}."
    if predicted <= 0.0:
        return f"{_components(q)}: no events are found again. {_sentence(most)}."
    if auto > q:
        most += f"; what {auto} explain more is within the standard error, or is not found again"
    return (
        f"{_of_components(scores, chosen, is_last=False)} Events explain {100 * predicted:.3g} % "
        "of the held-out energy above the noise; their agreement with those of a model of the "
        f"whole recording is F1 = {scores.agreement[chosen]:.3g}. {_sentence(most)}."
    )


def _sentence(words: str) -> str:
    return words[0].upper() + words[1:] if words.startswith("no ") else words


def _of_components(scores: Scores, chosen: tuple[int, int], *, is_last: bool = True) -> str:
    _, q = scores.candidates[chosen[0]]
    numbers = sorted({number for _, number in scores.candidates})
    if len(numbers) == 1:
        return f"{_components(q)}{', the only number tried' if is_last else ''}."
    place, (_, best) = numbers.index(q), scores.candidates[scores.best[0]]
    neighbours = {*numbers[max(place - 1, 0) : place + 2], best} - {q}
    compared = [
        f"{number} {_against(scores, chosen, number, NAMED[min(k, 1)])}"
        for k, number in enumerate(sorted(neighbours, reverse=True))
    ]
    more = " More were not tried, and may be better." if is_last and q == numbers[-1] else ""
    return f"{_components(q)}: {'; '.join(compared)}.{more}"


def _of_group(scores: Scores, chosen: tuple[int, int]) -> str:
    if len(scores.groups) == 1:
        return ""
    group, q = scores.candidates[chosen[0]]
    own = [c for c, (_, number) in enumerate(scores.candidates) if number == q and c != chosen[0]]
    compared = [
        f"{scores.groups[scores.candidates[c][0]]} "
        f"{_change(scores, chosen, _least(scores, [c]), NAMED[min(place, 1)])}"
        for place, c in enumerate(own)
    ]
    return f"{scores.groups[group]}: {'; '.join(compared)}."


def _of_alpha(scores: Scores, chosen: tuple[int, int]) -> str:
    c, k = chosen
    alpha, least = scores.alphas[k], _least(scores, [c])[1]
    if len(scores.alphas) == 1:
        return f"Alpha {alpha:.3g}, the only one tried."
    if least == k:
        words = f"Alpha {alpha:.3g}: the held-out error is least there."
    else:
        words = (
            f"Alpha {alpha:.3g}: the largest within one standard error of the least held-out "
            f"error, which is at {scores.alphas[least]:.3g}."
        )
    if least == len(scores.alphas) - 1:
        words += f" {scores.alphas[least]:.3g} is the smallest tried: smaller ones may be better."
    elif k == 0:
        words += f" {alpha:.3g} is the largest tried: larger ones may do as well."
    return words


def _of_nothing(scores: Scores, chosen: tuple[int, int]) -> str:
    _, q = scores.candidates[chosen[0]]
    return (
        "Hidden entries are not predicted, whatever is tried: the data may be noise. The simplest "
        f"was taken: {_components(q)}, alpha {scores.alphas[chosen[1]]:.3g}."
    )


def _against(scores: Scores, chosen: tuple[int, int], number: int, what: str) -> str:
    """Say what another number of components does to the error."""
    others = [c for c, (_, q) in enumerate(scores.candidates) if q == number]
    return _change(scores, chosen, _least(scores, others), what)


def _change(scores: Scores, chosen: tuple[int, int], other: tuple[int, int], what: str) -> str:
    """Say how the error changes from the best of the chosen candidate to another one."""
    base = _least(scores, [chosen[0]])
    change, spread = scores.difference(other, base)
    size = scores.mean[base] or 1.0
    if change > size:
        return f"would make {what} {1 + change / size:.2g} times as large"
    if abs(change) < SMALL * size:
        return f"would change {what} by less than {_percent(SMALL)}"
    verb = "lower" if change < 0 else "raise"
    words = f"would {verb} {what} by {_percent(abs(change) / size)}"
    if change < 0:
        relation = "less" if -change <= spread else "more"
        words += f", {relation} than the standard error of that, {_percent(spread / size)}"
    return words


def _least(scores: Scores, candidates: list[int]) -> tuple[int, int]:
    """Return the candidate, of some, and the alpha of the least error."""
    every = [(c, k) for c in candidates for k in range(len(scores.alphas))]
    return min(every, key=lambda one: float(scores.mean[one]))


def _components(q: int) -> str:
    return "1 component" if q == 1 else f"{q} components"


def _percent(part: float) -> str:
    return f"{100 * part:.2g} %"

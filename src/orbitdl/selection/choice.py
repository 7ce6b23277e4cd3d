"""The one-standard-error rule, and a description of its result."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import pandas as pd

from orbitdl.selection.scores import Scores

SMALL = 1e-3
"""Relative difference of errors below which no number is reported."""
NAMED = ("the held-out error", "it")
"""The compared quantity, at its first mention and later."""


@dataclass(frozen=True, eq=False)
class Selection:
    """The result of `select`: group, number of components and alpha.

    Attributes
    ----------
    table : DataFrame
        One row per candidate: `group`, `n_components`, `alpha`; `error`, the squared error over
        held-out entries relative to their energy; `standard_error`, that of its difference from the
        minimum; `atoms` per data point. For recordings: `n_components`; `error`, the fraction of
        the held-out energy above the noise that reproducible events do not explain;
        `standard_error`; `atoms`, events per waveform length; `agreement`, the F1 score of the
        events with those of components learned from the complete recording.
    choice : dict
        `group`, `n_components` and `alpha` of the selected row; for recordings `n_components`.
    reason : str
        The reason for the choice.
    estimator : estimator
        A clone of the estimator with the selected parameters, not fitted.
    """

    table: pd.DataFrame
    choice: dict[str, Any]
    reason: str
    estimator: Any

    def __repr__(self) -> str:
        return f"Selection({self.reason})"


def choose(scores: Scores) -> tuple[int, int]:
    """Return the indices of the selected candidate and alpha.

    The one-standard-error rule: of those within one standard error of the minimum, the one with
    fewest components, then of the first group, then with the largest alpha.
    """
    every = [(c, k) for c in range(len(scores.candidates)) for k in range(len(scores.alphas))]
    near = [one for one in every if scores.near_best(one)]
    return min(
        near, key=lambda one: (scores.candidates[one[0]][1], scores.candidates[one[0]][0], one[1])
    )


def reason_for(scores: Scores, chosen: tuple[int, int]) -> str:
    """Return the reason for the choice, compared with other numbers, groups and alphas."""
    predicted = 1 - scores.mean[chosen]
    if predicted <= 0:
        return _of_nothing(scores, chosen)
    parts = [_of_components(scores, chosen), _of_group(scores, chosen), _of_alpha(scores, chosen)]
    share = f"{100 * predicted:.3g} % of the energy of held-out entries is predicted."
    return " ".join([part for part in parts if part] + [share])


def reason_of_events(scores: Scores, chosen: tuple[int, int], numbers: list[int], why: str) -> str:
    """Return the reason for a number of components, and the number that "auto" finds."""
    (_, q), predicted = scores.candidates[chosen[0]], 1.0 - float(scores.mean[chosen])
    auto = scores.candidates[-1][1]
    most = f'n_components="auto" finds {auto}' if auto else "no waveform recurs"
    if max(numbers) > auto:
        most += f", and larger numbers cannot be scored: {why}"
    if auto == 0:
        return f"0 components: {most}."
    if predicted <= 0.0:
        return f"{_components(q)}: no events are reproducible. {_sentence(most)}."
    if auto > q:
        found = _least(scores, [len(scores.candidates) - 1])
        change, spread = scores.difference(found, chosen)
        if change > max(spread, SMALL * float(scores.mean[chosen])):  # worse, not by chance
            most += f"; {auto} {_change(scores, chosen, found, 'what is left unexplained')}"
        else:
            most += f"; the gain of {auto} is within the standard error or not reproducible"
    return (
        f"{_of_components(scores, chosen, is_last=False)} Events explain {100 * predicted:.3g} % "
        "of the held-out energy above the noise; their agreement with those of a model of the "
        f"complete recording is F1 = {scores.agreement[chosen]:.3g}. {_sentence(most)}."
    )


def _sentence(words: str) -> str:
    return words[0].upper() + words[1:] if words.startswith("no ") else words


def _of_components(scores: Scores, chosen: tuple[int, int], *, is_last: bool = True) -> str:
    _, q = scores.candidates[chosen[0]]
    numbers = sorted({number for _, number in scores.candidates})
    if len(numbers) == 1:
        return f"{_components(q)}{', the only number tried' if is_last else ''}."
    index, (_, best) = numbers.index(q), scores.candidates[scores.best[0]]
    neighbours = {*numbers[max(index - 1, 0) : index + 2], best} - {q}
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
        f"{_change(scores, chosen, _least(scores, [c]), NAMED[min(k, 1)])}"
        for k, c in enumerate(own)
    ]
    return f"{scores.groups[group]}: {'; '.join(compared)}."


def _of_alpha(scores: Scores, chosen: tuple[int, int]) -> str:
    c, k = chosen
    alpha, least = scores.alphas[k], _least(scores, [c])[1]
    if len(scores.alphas) == 1:
        return f"Alpha {alpha:.3g}, the only one tried."
    if least == k:
        words = f"Alpha {alpha:.3g}: the minimum of the held-out error."
    else:
        words = (
            f"Alpha {alpha:.3g}: the largest within one standard error of the minimum of the "
            f"held-out error, at {scores.alphas[least]:.3g}."
        )
    if least == len(scores.alphas) - 1:
        words += f" {scores.alphas[least]:.3g} is the smallest tried: smaller ones may be better."
    elif k == 0:
        words += f" {alpha:.3g} is the largest tried: larger ones may do as well."
    return words


def _of_nothing(scores: Scores, chosen: tuple[int, int]) -> str:
    _, q = scores.candidates[chosen[0]]
    return (
        "No candidate predicts held-out entries: the data may be noise. The simplest was selected: "
        f"{_components(q)}, alpha {scores.alphas[chosen[1]]:.3g}."
    )


def _against(scores: Scores, chosen: tuple[int, int], number: int, what: str) -> str:
    """Describe the change of the error for another number of components."""
    others = [c for c, (_, q) in enumerate(scores.candidates) if q == number]
    return _change(scores, chosen, _least(scores, others), what)


def _change(scores: Scores, chosen: tuple[int, int], other: tuple[int, int], what: str) -> str:
    """Describe the change of the error from the best of the selected candidate to another one."""
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
    """Return the candidate and the alpha of the minimum error."""
    every = [(c, k) for c in candidates for k in range(len(scores.alphas))]
    return min(every, key=lambda one: float(scores.mean[one]))


def _components(q: int) -> str:
    return "1 component" if q == 1 else f"{q} components"


def _percent(part: float) -> str:
    return f"{100 * part:.2g} %"

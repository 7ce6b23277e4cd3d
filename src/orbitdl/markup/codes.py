"""HTML representation of codes."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from typing import TYPE_CHECKING

import numpy as np

from orbitdl.arrays.blocks import Floats, Integers
from orbitdl.markup.html import box, counted, facts_table, rows_table

if TYPE_CHECKING:
    import pandas as pd

FIRST = 5
"""Number of atoms listed."""
MOST_KINDS = 6
"""Maximum number of distinct counts listed separately."""


def codes_in_html(
    title: str,
    *,
    per_component: Integers,
    per_sample: Integers | None,
    objective: float,
    gap: Floats,
    status: Iterable[object],
    first: pd.DataFrame,
) -> str:
    """Return codes for a notebook.

    Parameters
    ----------
    title : str
    per_component : ndarray of shape (q,)
        Atoms of each component.
    per_sample : ndarray of shape (n,) or None
        Atoms of each data point; None: there is only one.
    objective : float
        Sum over data points.
    gap : ndarray of shape (n,)
    status : iterable of Status
    first : DataFrame
        The first atoms.
    """
    ended = Counter(map(str, status))
    facts = {
        "atoms of each component": ", ".join(map(str, per_component)),
        "atoms per data point": "" if per_sample is None else _spread(per_sample),
        "objective": f"{objective:.6g}",
        "largest gap": f"{float(gap.max(initial=0.0)):.1e} (certified, relative)",
        "coding": "; ".join(
            words if len(ended) == 1 and many == 1 else f"{many} {words}"
            for words, many in ended.most_common()
        ),
    }
    listed = rows_table(first, "the first atoms") if len(first) else ""
    return box(title, facts_table(facts), listed)


def _spread(counts: Integers) -> str:
    """Describe the distribution of the number of atoms per data point."""
    if len(counts) == 0:
        return ""
    kinds, many = np.unique(counts, return_counts=True)
    if len(kinds) > MOST_KINDS:
        return f"{counts.mean():.1f} on average, from {counts.min()} to {counts.max()}"
    said = (f"{k} in {counted(int(n), 'data point')}" for k, n in zip(kinds, many, strict=True))
    return ", ".join(said)

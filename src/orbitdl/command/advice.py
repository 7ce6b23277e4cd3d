"""Warnings about settings that do not suit the data, each with a remedy."""

from __future__ import annotations

import warnings

from orbitdl import OrbitDictionaryLearning, alpha_max
from orbitdl.command.display import counted
from orbitdl.groups.base import Floats, Group
from orbitdl.groups.default import group_or_default
from orbitdl.windows.centring import MUCH, constant_components, share_of_means


def warn_of_constants(model: OrbitDictionaryLearning, X: Floats) -> None:
    """Warn if windows were not centred, so that components stand for their means."""
    if not group_or_default(model.group).on(X.shape[1:]).presentation.in_time:
        return
    flat, share = len(constant_components(model.components_)), share_of_means(X)
    if flat or share > MUCH:
        warnings.warn(
            f"the means of the windows carry {share:.0%} of the energy of the data, and "
            f"{counted(flat, 'component')} of {len(model.components_)} stand for a mean, not for "
            "a shape; fit again with --normalize, which gives every window zero mean.",
            stacklevel=2,
        )


def warn_of_means(group: Group, X: Floats) -> None:
    """Warn before learning if the means of windows carry most of the energy."""
    share = share_of_means(X)
    if share > MUCH and group.on(X.shape[1:]).presentation.in_time:
        warnings.warn(
            f"the means of the windows carry {share:.0%} of the energy of the data, so that to "
            "predict them is most of it; select with --normalize, which gives every window zero "
            "mean.",
            stacklevel=2,
        )


def warn_of_empty_codes(model: OrbitDictionaryLearning, X: Floats, atoms: float) -> None:
    """Warn if all codes are empty because alpha is too large for the data."""
    if atoms:
        return
    limit = float(alpha_max(X, model.components_, group=group_or_default(model.group)).max())
    if limit > 0:
        warnings.warn(
            f"all codes are empty: alpha is at least {limit:.3g}, the largest correlation of these "
            f"data with a component; take a smaller --alpha, for instance {0.1 * limit:.2g}.",
            stacklevel=2,
        )

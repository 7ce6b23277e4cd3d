"""What is used of scikit-learn, imported without what is not.

Importing any part of scikit-learn imports `scipy.stats` and pandas, which takes longer than all the
rest. The first is not used here, the second for tables only. Both are imported where they are used
first, so something may stand in for them while scikit-learn is imported.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from importlib import import_module
from types import ModuleType
from typing import Any


class StandIn(ModuleType):
    """A module that is imported when something of it is asked for."""

    def __getattr__(self, name: str) -> Any:
        step_aside(self)
        return getattr(import_module(self.__name__), name)


def step_aside(stand_in: StandIn) -> None:
    """Let the next import find the module itself."""
    if sys.modules.get(stand_in.__name__) is stand_in:
        del sys.modules[stand_in.__name__]


@contextmanager
def without(name: str) -> Iterator[None]:
    """Import nothing of a module in between unless it is used there."""
    stand_in = StandIn(name)
    sys.modules.setdefault(name, stand_in)
    try:
        yield
    finally:
        step_aside(stand_in)


with without("scipy.stats"), without("pandas"):
    from sklearn.base import BaseEstimator as BaseEstimator
    from sklearn.base import ClassNamePrefixFeaturesOutMixin as ClassNamePrefixFeaturesOutMixin
    from sklearn.base import TransformerMixin as TransformerMixin
    from sklearn.base import clone as clone
    from sklearn.exceptions import ConvergenceWarning as ConvergenceWarning
    from sklearn.exceptions import NotFittedError as NotFittedError
    from sklearn.utils import check_random_state as check_random_state
    from sklearn.utils import check_scalar as check_scalar
    from sklearn.utils import estimator_html_repr as estimator_html_repr
    from sklearn.utils.validation import check_is_fitted as check_is_fitted
    from sklearn.utils.validation import validate_data as validate_data

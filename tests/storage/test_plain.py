"""Types of stored records."""

from types import NoneType
from typing import TypeVar

import numpy as np
import pytest
from numpy.typing import NDArray

from orbitdl.storage.codec import _only_array
from orbitdl.storage.plain import alternatives

typing_extensions = pytest.importorskip("typing_extensions")
One = TypeVar("One", bound=np.generic)
Array = np.ndarray[tuple[int, ...], np.dtype[One]]
ALIAS = typing_extensions.TypeAliasType("ALIAS", Array[One], type_params=(One,))
"""What NDArray is from NumPy 2.5 on."""


@pytest.mark.parametrize("array", [NDArray, ALIAS])
def test_an_alias_of_arrays_is_an_array(array):
    assert _only_array(array[np.float64])
    assert _only_array(array[np.float64] | None)
    assert not _only_array(float | None)


def test_an_alias_is_resolved_with_its_arguments():
    hint = ALIAS[np.float64] | None
    assert alternatives(hint) == {Array[np.float64], NoneType}


def test_an_alias_without_arguments_is_resolved():
    number = typing_extensions.TypeAliasType("number", float)
    assert alternatives(number) == {float}

"""The functions take all kinds of data, by the path of fitted models."""

import numpy as np
import pytest
from kinds_of_data import ARRAYS, STREAMS, TABLES
from numpy.testing import assert_allclose, assert_array_equal

from orbitdl import complete, denoise, encode, encode_path
from orbitdl.groups import IntegerShift
from orbitdl.io import Recording
from orbitdl.windows import split_recording

RNG = np.random.default_rng(0)
X = RNG.standard_normal((23, 5))
HOLED = np.where(RNG.random(X.shape) < 0.1, np.nan, X)
A = RNG.standard_normal((2, 5))
SETTINGS = {"group": IntegerShift()}


@pytest.mark.parametrize("make", [*ARRAYS, *TABLES, *STREAMS], ids=lambda make: make.__name__)
def test_data_of_every_kind_are_coded_as_arrays_are(make, tmp_path):
    own = encode(HOLED, A, alpha=0.3, **SETTINGS)
    found = encode(make(tmp_path, HOLED), A, alpha=0.3, **SETTINGS)
    if hasattr(found, "compute"):
        table = found.compute()
        assert_allclose(table["coefficient"], own.to_frame()["coefficient"], atol=1e-6)
        return
    assert_allclose(found.objective, own.objective, rtol=1e-4)


@pytest.mark.parametrize("make", ARRAYS, ids=lambda make: make.__name__)
def test_what_is_made_of_codes_is_the_same_for_every_kind(make, tmp_path):
    data = make(tmp_path, HOLED)
    cleaned = np.asarray(denoise(data, A, alpha=0.3, **SETTINGS))
    assert_allclose(cleaned, denoise(HOLED, A, alpha=0.3, **SETTINGS), atol=1e-3)
    if hasattr(data, "compute"):
        return
    own, found = (complete(one, A, alpha=0.3, **SETTINGS) for one in (HOLED, data))
    assert_allclose(found.X, own.X, atol=1e-2)
    assert_allclose(found.value, own.value, rtol=1e-4)
    assert len(found.atoms) == len(own.atoms) == 23
    exact = complete(data, A, **SETTINGS)
    assert_array_equal(exact.X[~np.isnan(HOLED)], HOLED[~np.isnan(HOLED)])
    assert (exact.value >= exact.bound).all()
    for codes, alone in zip(
        encode_path(data, A, [0.6, 0.3], **SETTINGS),
        (encode(HOLED, A, alpha=alpha, **SETTINGS) for alpha in (0.6, 0.3)),
        strict=True,
    ):
        assert_allclose(codes.objective, alone.objective, rtol=1e-4)


def test_windows_are_data_points_and_a_recording_is_none():
    recording = Recording(RNG.standard_normal(60), 100.0)
    windows = split_recording(recording, 5)
    assert len(encode(windows, A, alpha=0.3, **SETTINGS)) == 12
    for function in (encode, denoise):
        with pytest.raises(ValueError, match=r"split_recording\(recording, length\)"):
            function(recording, A, alpha=0.3, **SETTINGS)

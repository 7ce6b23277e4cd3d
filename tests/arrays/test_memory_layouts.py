"""However an array lies in memory, and whatever its type, every public entry takes it alike."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

import orbitdl
from orbitdl import OrbitDictionaryLearning, WaveformLearning
from orbitdl.groups import ContinuousShift, IntegerShift
from orbitdl.io import Recording
from orbitdl.preprocessing import HighPass, suggest_mask
from orbitdl.report import Report
from orbitdl.windows import split_recording


def read_only(x):
    copy = x.copy()
    copy.flags.writeable = False
    return copy


def sliced(x):
    """Return every second entry of something larger, along all axes."""
    large = np.zeros(tuple(2 * n for n in x.shape), dtype=x.dtype)
    view = large[(slice(None, None, 2),) * x.ndim]
    view[...] = x
    return view


def unaligned(x):
    memory = np.zeros(x.nbytes + 1, dtype=np.uint8)
    view = memory[1:].view(x.dtype).reshape(x.shape)
    view[...] = x
    return view


LAYOUTS = {
    "Fortran": np.asfortranarray,
    "negative strides": lambda x: np.flip(np.ascontiguousarray(np.flip(x))),
    "sliced": sliced,
    "read-only": read_only,
    "unaligned": unaligned,
    "float32": lambda x: x.astype(np.float32),
    "int16": lambda x: x.astype(np.int16),
    "big-endian": lambda x: x.astype(">f8"),
    "big-endian int16": lambda x: x.astype(">i2"),
}  # fmt: skip


def whole_numbers(shape, seed=0):
    """Return numbers that every type here holds exactly."""
    return np.rint(20 * np.random.default_rng(seed).standard_normal(shape))


def recording(channels):
    rng = np.random.default_rng(1)
    wave = np.outer(np.hanning(16), np.linspace(1.0, 0.5, channels))
    x = whole_numbers((300, channels)) / 10
    for begin in rng.integers(0, 280, 8):
        x[begin : begin + 16] += 100 * wave
    return np.rint(x)


X = whole_numbers((12, 9, 2))
LONG = {1: recording(1)[:, 0], 2: recording(2)}
ALPHA = 40.0


@pytest.fixture(scope="module", params=[1, 2])
def channels(request):
    return request.param


@pytest.fixture(scope="module")
def waveforms(channels):
    return learner().fit(LONG[channels])


@pytest.fixture(scope="module", params=[IntegerShift(), ContinuousShift()], ids=str)
def group(request):
    return request.param


@pytest.fixture(scope="module")
def components(group):
    return points(group).fit(X)


def learner(detrend=False, **settings):
    settings = {"length": 16, "alpha": ALPHA, "max_iter": 9, "tol": 0.1, "n_restarts": 1} | settings
    settings = {"n_components": 1, "noise": "white"} | settings
    return WaveformLearning(detrend=detrend, random_state=0, **settings)


def points(group, **settings):
    settings = {
        "group": group,
        "alpha": 20.0,
        "max_iter": 2,
        "tol": 0.1,
        "n_restarts": 1,
    } | settings
    return OrbitDictionaryLearning(random_state=0, **settings)


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("detrend", [False, True])
def test_waveforms_are_learned_from_any_layout(layout, detrend, channels):
    x, y = LONG[channels], LAYOUTS[layout](LONG[channels])
    expected = learner(detrend).fit(x).components_
    for data in (y, [y], Recording(y)):
        assert_allclose(learner(detrend).fit(data).components_, expected, atol=1e-9)
    streamed = learner(detrend).partial_fit(x).components_
    for data in (y, [y], Recording(y)):
        assert_allclose(learner(detrend).partial_fit(data).components_, streamed, atol=1e-9)


@pytest.mark.parametrize("layout", LAYOUTS)
def test_waveforms_are_found_in_any_layout(layout, waveforms, channels, tmp_path):
    model, x, y = waveforms, LONG[channels], LAYOUTS[layout](LONG[channels])
    codes = model.encode(x)
    for data in (y, Recording(y)):
        assert_allclose(model.encode(data).objective, codes.objective)
        assert_allclose(model.encode_path(data, [ALPHA])[0].objective, codes.objective)
        assert_allclose(model.events(data)["sample"], model.events(x)["sample"], atol=1e-6)
        assert_allclose(model.reconstruct(data), model.reconstruct(x), atol=1e-6)
        assert_allclose(model.denoise(data, debias=True), model.denoise(x, debias=True), atol=1e-6)
        assert_allclose(model.complete(data), model.complete(x), atol=1e-6)
        assert_allclose(model.score(data), model.score(x))
    assert_allclose(model.encode([y])[0].objective, codes.objective)
    assert Report(model, Recording(y)).write(tmp_path / "r.html").exists()


@pytest.mark.parametrize("layout", LAYOUTS)
def test_waveforms_start_from_any_layout(layout, channels):
    start = whole_numbers((1, 16, channels))
    start = start[:, :, 0] if channels == 1 else start
    expected = learner(init=start).fit(LONG[channels]).components_
    got = learner(init=LAYOUTS[layout](start)).fit(LONG[channels]).components_
    assert_allclose(got, expected, atol=1e-9)


@pytest.mark.parametrize("layout", LAYOUTS)
def test_components_are_learned_from_any_layout(layout, group):
    Y, start = LAYOUTS[layout](X), whole_numbers((1, 9, 2), 3)
    assert_allclose(points(group).fit(Y).components_, points(group).fit(X).components_, atol=1e-9)
    streamed = points(group).partial_fit(X).components_
    assert_allclose(points(group).partial_fit(Y).components_, streamed, atol=1e-9)
    begun = points(group, init=start).fit(X).components_
    got = points(group, init=LAYOUTS[layout](start)).fit(X).components_
    assert_allclose(got, begun, atol=1e-9)


@pytest.mark.parametrize("layout", LAYOUTS)
def test_components_are_found_in_any_layout(layout, components, tmp_path):
    model, Y = components, LAYOUTS[layout](X)
    mask = np.random.default_rng(0).random(X.shape) < 0.9
    masks = [mask, np.asfortranarray(mask), sliced(mask), read_only(mask)]
    for data in (X, Y):
        assert_allclose(model.encode(data).objective, model.encode(X).objective)
        assert_allclose(model.encode_path(data, [20.0])[0].objective, model.encode(X).objective)
        assert_allclose(model.transform(data), model.transform(X), atol=1e-6)
        assert_allclose(model.reconstruct(data), model.reconstruct(X), atol=1e-6)
        assert_allclose(model.denoise(data), model.denoise(X), atol=1e-6)
        assert_allclose(model.score(data), model.score(X))
        for observed in masks:
            got = model.complete(data, mask=observed)
            expected = model.complete(X, mask=mask)
            assert_allclose(np.asarray(got), np.asarray(expected), atol=1e-6)
    assert Report(model, Y).write(tmp_path / "r.html").exists()


@pytest.mark.parametrize("layout", LAYOUTS)
def test_functions_take_any_layout(layout, group):
    A = whole_numbers((2, 9, 2), 5)
    Y, B = LAYOUTS[layout](X), LAYOUTS[layout](A)
    settings = {"group": group, "alpha": 300.0}
    codes, own = (orbitdl.encode(*data, **settings) for data in ((X, A), (Y, B)))
    assert_allclose(own.objective, codes.objective)
    assert_allclose(orbitdl.decode(own, B), orbitdl.decode(codes, A), atol=1e-6)
    assert_allclose(orbitdl.positions(own, B), orbitdl.positions(codes, A), atol=1e-6)
    path = orbitdl.encode_path(Y, B, group=group, alphas=[300.0])
    assert_allclose(path[0].objective, codes.objective)
    assert_allclose(orbitdl.denoise(Y, B, **settings), orbitdl.denoise(X, A, **settings), atol=1e-6)
    unit = A / np.linalg.norm(A, axis=(1, 2), keepdims=True)
    for name in ("noise_level", "alpha_max"):
        of = getattr(orbitdl, name)
        assert_allclose(of(Y, unit, group=group), of(X, unit, group=group), rtol=1e-6)
    assert_allclose(orbitdl.align(B, A, group), orbitdl.align(A, A, group), atol=1e-6)
    assert_allclose(orbitdl.dictionary_distance(B, A, group), 0.0, atol=1e-5)


@pytest.mark.parametrize("layout", LAYOUTS)
def test_recordings_are_prepared_from_any_layout(layout, channels):
    x, y = LONG[channels], LAYOUTS[layout](LONG[channels])
    windows, own = split_recording(Recording(x), 30), split_recording(Recording(y), 30)
    assert_allclose(own.values, windows.values, atol=1e-6)
    quick, same = (HighPass(0.01).fit_transform(Recording(one)) for one in (x, y))
    assert_allclose(same[:], quick[:], atol=1e-6)
    assert_array_equal(suggest_mask(Recording(y)).mask, suggest_mask(Recording(x)).mask)

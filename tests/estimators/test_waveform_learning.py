"""The estimator for recordings, as users call it."""

import warnings
from pathlib import Path

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy.interpolate import BSpline
from sklearn.base import clone

from orbitdl import ModelFileError, Status, WaveformLearning, load
from orbitdl.datasets import make_ecg_recording, make_spike_recording
from orbitdl.domains.time.alpha import alpha_of_recordings
from orbitdl.domains.time.coordinates import from_blocks
from orbitdl.domains.time.signal import Signal
from orbitdl.domains.time.waveforms import Waveforms
from orbitdl.io import Recording, read

pytestmark = pytest.mark.filterwarnings(
    "ignore::sklearn.exceptions.ConvergenceWarning", "ignore:components 0 and 1 occur together"
)

LENGTH, N = 31, 3000
CUBIC = BSpline.basis_element(np.arange(-2.0, 3.0), extrapolate=False)


def shapes() -> np.ndarray:
    t = np.arange(LENGTH) - LENGTH // 2
    return np.stack([np.exp(-0.5 * (t / 3) ** 2), np.exp(-0.5 * (t / 5) ** 2) * np.sin(t / 2)])


def planted(n: int = N, events: int = 60, seed: int = 0, noise: float = 0.02, first: float = 20.0):
    """Return a recording of two shapes, and times, components and sizes of its events."""
    rng = np.random.default_rng(seed)
    waveforms = Waveforms.through(shapes()[:, :, None])
    time = np.linspace(first, n - 60, events) + rng.uniform(0, 3, events)
    component, c = rng.integers(2, size=events), rng.uniform(1, 2, events)
    x = waveforms.add_up(n, component, time, c)[:, 0]
    return x + noise * rng.standard_normal(n), time, component, c


def model(**settings) -> WaveformLearning:
    defaults = {"n_components": 2, "length": LENGTH, "alpha": 0.3, "n_restarts": 2}
    return WaveformLearning(
        **{**defaults, "random_state": 0, "max_iter": 30, **settings}, noise="white"
    )


X, TIME, COMPONENT, SIZE = planted()


@pytest.fixture(scope="module")
def fitted() -> WaveformLearning:
    return model().fit(X)


# Learning


def test_planted_waveforms_are_recovered(fitted):
    truth = Waveforms.through(shapes()[:, :, None]).samples()[:, :, 0]
    for a in truth:
        alike = [
            np.abs(np.correlate(a, b, "full")).max() / np.linalg.norm(a) / np.linalg.norm(b)
            for b in fitted.components_
        ]
        assert max(alike) > 0.99
    objective = [record.objective for record in fitted.history_]
    assert np.all(np.diff(objective) <= 1e-9 * objective[0])
    assert fitted.converged_
    assert fitted.codes_[0].gap <= fitted.tol


def test_components_are_splines_of_their_coefficients(fitted):
    t = np.arange(LENGTH)
    values = np.nan_to_num(CUBIC(t[:, None] - t)) @ fitted.coefficients_.T
    assert fitted.components_.shape == fitted.coefficients_.shape == (2, LENGTH)
    assert_allclose(fitted.components_, values.T, atol=1e-12)


def test_every_planted_event_is_listed(fitted):
    events = fitted.events(X, 100.0)
    assert len(events) == len(TIME)
    kinds = [COMPONENT[(events["component"] == j).to_numpy()] for j in range(2)]
    assert all(len(set(kind)) == 1 for kind in kinds)  # a waveform each
    for j in range(2):
        own = (events["component"] == j).to_numpy()
        late = events["sample"][own] - TIME[own]
        assert late.std() < 0.1
    assert_allclose(events["onset"], events["sample"] / 100.0)


@pytest.mark.parametrize("n_jobs", [None, 2])
def test_the_result_does_not_depend_on_threads(fitted, n_jobs):
    again = model(n_jobs=n_jobs).fit(X)
    assert_array_equal(again.coefficients_, fitted.coefficients_)


def test_recordings_of_any_lengths_are_learned_from_together():
    parts = [planted(n, events, seed)[0] for n, events, seed in ((800, 15, 1), (1500, 30, 2))]
    learned = model(max_iter=3).fit(parts)
    codes = learned.encode(parts)
    assert len(codes) == 2
    assert_allclose(codes[1].objective, learned.encode(parts[1]).objective, rtol=1e-9)
    assert learned.score(parts) > 0.5
    assert [len(table) for table in learned.events(parts)] == [15, 30]


@pytest.mark.parametrize("alpha", [0.3, "auto"])
def test_channels_are_learned_jointly(alpha):
    x = np.stack([X, -0.5 * X], axis=1)
    learned = model(n_components=1, alpha=alpha, max_iter=3).fit(x)
    assert learned.components_.shape == (1, LENGTH, 2)
    assert_allclose(learned.components_[0, :, 1], -0.5 * learned.components_[0, :, 0], atol=0.02)
    assert learned.denoise(x).shape == x.shape


class Sliced:
    """Stands for an array on disk: it can be sliced, a part at a time, and nothing else."""

    def __init__(self, values: np.ndarray, largest: int) -> None:
        self.values, self.largest = values, largest
        self.shape, self.dtype = values.shape, values.dtype

    def __getitem__(self, part: slice) -> np.ndarray:
        assert part.stop - part.start <= self.largest
        return self.values[part]


@pytest.mark.parametrize("kind", ["memmap", "sliced", "float32", "list", "Recording"])
def test_any_array_that_can_be_sliced_will_do(kind, fitted, tmp_path):
    file = tmp_path / "x.npy"
    np.save(file, X)
    given = {
        "memmap": np.load(file, mmap_mode="r"),
        "sliced": Sliced(X, 2**18),
        "float32": X.astype(np.float32),
        "list": X.tolist(),
        "Recording": Recording(X, 100.0),
    }[kind]
    again = model().fit(given)
    exact = 1e-4 if kind == "float32" else 1e-7  # trends are taken off as a whole, or in parts
    assert_allclose(again.history_[-1].objective, fitted.history_[-1].objective, rtol=exact)
    assert len(again.events(given)) == len(TIME)


def test_long_recordings_are_read_in_chunks():
    x, time, *_ = planted(200_000, 3000)
    lazy = Sliced(x, 2**18)
    learned = model(n_restarts=1, max_iter=2).fit(lazy)
    assert_allclose(learned.encode(lazy).objective, learned.encode(x).objective, rtol=1e-7)
    assert abs(len(learned.events(lazy)) - len(time)) <= 2


# Missing samples, and ends


def test_missing_samples_are_filled(fitted):
    x = X.copy()
    for t in TIME[5:25:4]:
        x[int(t) + 13 : int(t) + 18] = np.nan
    filled = fitted.complete(x, alpha=0.1)
    gone = np.isnan(x)
    assert_array_equal(filled[~gone], X[~gone])
    straight = np.interp(np.flatnonzero(gone), np.flatnonzero(~gone), X[~gone])
    assert np.mean((filled - X)[gone] ** 2) < 0.3 * np.mean((straight - X[gone]) ** 2)


def test_a_gap_that_may_hide_an_event_is_left_missing_and_the_trend_crosses_it(fitted):
    drift = np.linspace(-3.0, 3.0, len(X))
    x = X + drift
    length, begin = fitted.length, len(X) // 2
    x[begin : begin + 4 * length] = np.nan
    x[100 : 100 + length - 1] = np.nan
    filled = fitted.complete(x)
    left = np.isnan(filled)
    assert_array_equal(np.flatnonzero(left), np.arange(begin, begin + 4 * length))
    middle = slice(begin + 2 * length - 5, begin + 2 * length + 5)
    assert_allclose(fitted.denoise(x)[middle], drift[middle], atol=0.2)


def test_the_trend_is_that_of_medians_joined_by_splines():
    rng = np.random.default_rng(0)
    x = rng.standard_normal((95, 2)).cumsum(axis=0)
    x[30:52] = np.nan
    x[7, 1] = np.nan
    there = ~np.isnan(x).any(axis=1)
    blocks = [np.arange(b, min(b + 10, 95)) for b in range(0, 95, 10)]
    counts = np.array([there[own].sum() for own in blocks])
    medians = [np.median(x[own][there[own]], axis=0) if there[own].any() else 0 for own in blocks]
    for t in (0, 4, 41, 60, 94):
        weights = counts * np.nan_to_num(CUBIC((t + 0.5) / 10 - 0.5 - np.arange(10)))
        expected = sum(w * m for w, m in zip(weights, medians, strict=True)) / weights.sum()
        assert_allclose(Signal(x, span=10).trend(t, t + 1)[0], expected)
    assert_allclose(Signal(x, 10).trend(33, 72), Signal(x, 10).trend(0, 95)[33:72])
    x[20:80] = np.nan
    bridge = Signal(x, 10).trend(0, 95)
    assert_allclose(np.diff(bridge[45:55], 2, axis=0), 0, atol=1e-12)  # a straight line
    for t in range(0, 95, 5):
        assert_allclose(Signal(x, 10).trend(t, t + 5), bridge[t : t + 5])


def test_learning_with_gaps_is_learning_from_what_is_there(fitted):
    x = X.copy()
    x[1000:1200] = np.nan
    learned = model().fit(x)
    there = np.abs(TIME[:, None] - np.arange(960, 1200)).min(axis=1) > 1
    assert len(learned.events(x)) >= there.sum()


def test_an_event_that_the_recording_begins_or_ends_within_is_listed():
    x, time, *_ = planted(600, 10, first=20.0)
    learned = model(alpha=0.2).fit(X)
    begin, end = int(time[1]) + 13, int(time[8]) + 18  # in the middle of both shapes
    events = learned.events(x[begin:end])
    assert len(events) == 8
    assert events["truncated"].tolist() == [True, *[False] * 6, True]
    assert_allclose(events["sample"].iloc[0], learned.events(x)["sample"].iloc[1] - begin, atol=0.5)


def test_denoising_brings_a_recording_closer_to_what_it_was(fitted):
    clean = planted(noise=0.0)[0]
    x = clean + 0.1 * np.random.default_rng(1).standard_normal(N)
    for debias in (False, True):
        left = np.mean((fitted.denoise(x, debias=debias) - clean) ** 2)
        assert left < 0.5 * np.mean((x - clean) ** 2)
    assert_array_equal(fitted.reconstruct(x), fitted.denoise(x))


def test_what_is_slow_is_taken_off_and_put_back():
    slow = 5.0 + 2.0 * np.sin(np.arange(N) / 400.0)
    plain, drifting = model(max_iter=5).fit(X), model(max_iter=5).fit(X + slow)
    assert len(drifting.events(X + slow)) == len(plain.events(X))
    assert_allclose(drifting.denoise(X + slow), plain.denoise(X) + slow, atol=0.1)
    untouched = model(max_iter=0, init=plain.components_, detrend=False).fit(X)
    codes = untouched.encode(X)
    left = X - untouched.decode(codes, N)
    expected = 0.5 * np.sum(left**2) + 0.3 * np.abs(codes.atoms.coefficient).sum()
    assert_allclose(codes.objective, expected, rtol=1e-10)
    assert_allclose(untouched.score(X), 1 - codes.objective / (0.5 * np.sum(X**2)), rtol=1e-10)


# Restrictions, gaps, codes


def test_codes_say_how_good_they_are(fitted):
    codes = fitted.encode(X, tol=1e-8)
    assert codes.gap <= 1e-8
    assert codes.status[0] is Status.CONVERGED
    assert list(codes.to_frame()) == ["recording", "component", "coefficient", "time"]
    assert len(fitted.encode(X, alpha=10.0).atoms.time) == 0
    done = []
    fitted.encode(X, progress=done.append)
    assert sum(done) == N


def test_signs_and_times_can_be_restricted():
    positive = model(positive=True, max_iter=3).fit(X)
    assert np.all(positive.encode(-X).atoms.coefficient > 0)
    whole = model(integer_shifts=True, max_iter=3).fit(X)
    assert np.all(whole.encode(X).atoms.time % 1 == 0)


# Alpha


def test_an_automatic_alpha_finds_every_beat_and_says_why(capsys):
    heart = make_ecg_recording(duration=60, premature=0.0, random_state=0)
    learned = WaveformLearning(1, 250, random_state=0, verbose=1, noise="white").fit(heart.signal)
    assert learned.provenance_["alpha"] in capsys.readouterr().out
    assert "sigma * sqrt(2 log T) with noise level sigma" in learned.provenance_["alpha"]
    events = learned.events(heart.signal, heart.sfreq)
    beats = heart.beats[heart.beats["inside"]]
    assert len(events) == len(beats)
    late = events["sample"].to_numpy() - beats["position"].to_numpy()
    assert np.std(late) < 0.5


def test_an_automatic_alpha_finds_spikes():
    data = make_spike_recording(duration=4, n_neurons=1, overlaps=0.0, random_state=0)
    learned = WaveformLearning(1, 61, random_state=0, noise="white").fit(data.signal)
    spikes = data.spikes[data.spikes["inside"]]
    assert abs(len(learned.events(data.signal)) - len(spikes)) <= 1


@pytest.mark.parametrize("width", [1, 3, 8])
def test_an_automatic_alpha_finds_sharp_spikes_and_nothing_else(width):
    rng = np.random.default_rng(0)
    x, shape = rng.standard_normal(40_000), np.hanning(width + 2)[1:-1]
    position = 100 + 190 * np.arange(200) + rng.integers(0, 10, 200)
    for start in position:
        x[start : start + width] += 8 * shape / np.linalg.norm(shape)
    learned = WaveformLearning(1, 16, n_restarts=2, random_state=0, noise="white").fit(x)
    found = learned.events(x)["sample"].to_numpy()
    late = found - position[np.argmin(np.abs(found[:, None] - position), axis=1)]
    assert 185 <= len(found) <= 200
    assert np.all(np.abs(late - np.median(late)) < 3)


def test_an_automatic_alpha_is_learned_from_the_waveforms_to_start_from(monkeypatch):
    starts = []

    def watched(recordings, start, typical):
        starts.append(from_blocks(start.components)[:, :, 0])
        return alpha_of_recordings(recordings, start, typical)

    monkeypatch.setattr("orbitdl.estimators.waveform.alpha_of_recordings", watched)
    shape = np.hanning(20)[None]
    WaveformLearning(1, 20, init=shape, max_iter=0, noise="white").fit(X)
    assert_allclose(starts[0], Waveforms.through(shape[:, :, None]).u[:, :, 0])


def test_alpha_grows_with_the_noise_and_the_unit():
    alphas = [model(alpha="auto").fit(planted(noise=level)[0]).alpha_ for level in (0.02, 0.08)]
    assert 2 < alphas[1] / alphas[0] < 8
    scaled = model(alpha="auto").fit(1000 * X).alpha_
    assert_allclose(scaled, 1000 * alphas[0], rtol=0.02)


def test_an_alpha_within_the_noise_is_said_to_be_slow():
    x = planted(500, 8, noise=0.5)[0]
    with pytest.warns(RuntimeWarning, match="below the noise level"):
        model(alpha=0.1, max_iter=0, n_restarts=1).fit(x)


# Keeping


def test_a_model_comes_back_from_its_file(fitted, tmp_path):
    path = tmp_path / "waves.safetensors"
    fitted.save(path)
    again = load(path)
    assert isinstance(again, WaveformLearning)
    assert again.get_params() == fitted.get_params()
    assert_array_equal(again.components_, fitted.components_)
    assert again.encode(X).objective == fitted.encode(X).objective
    assert (again.alpha_, again.history_) == (fitted.alpha_, fitted.history_)
    assert (again.preprocessing_, again.acquisition_) == ([], fitted.acquisition_)
    assert again.provenance_ == fitted.provenance_


@pytest.mark.parametrize("channels", [None, 1, 2])
def test_shapes_come_back_from_a_file(channels, tmp_path):
    x = X if channels is None else np.repeat(X[:, None], channels, axis=1)
    start = np.random.default_rng(0).standard_normal((2, LENGTH, channels or 1))
    start = start[:, :, 0] if channels is None else start
    learned = model(init=start, max_iter=1, tol=0.5).fit(x)
    learned.save(tmp_path / "m.safetensors")
    again = load(tmp_path / "m.safetensors")
    assert_array_equal(again.components_, learned.components_)
    assert_array_equal(again.init, start)
    assert again.denoise(x).shape == x.shape


def interrupted(path: Path, number: int, **settings) -> None:
    """Fit until an iteration, and stop as Ctrl-C does."""

    def stop(iteration):
        if iteration.number == number:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        model(checkpoint=path, callback=stop, **settings).fit(X)


@pytest.mark.parametrize(
    "settings", [{}, {"alpha": "auto"}, {"random_state": None, "n_restarts": 1}]
)
@pytest.mark.parametrize("number", [1, 3])
def test_an_interrupted_fit_goes_on_to_the_same_end(settings, number, tmp_path):
    path, settings = tmp_path / "run.checkpoint", {"max_iter": 5, "tol": 1e-9, **settings}
    interrupted(path, number, **settings)
    kept = path.read_bytes()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        once = model(checkpoint=path, **settings).fit(X)
        path.write_bytes(kept)
        again = model(checkpoint=path, **settings).fit(X)
        assert_array_equal(again.coefficients_, once.coefficients_)
        if settings.get("random_state", 0) is not None:
            whole = model(**settings).fit(X)
            assert_array_equal(once.coefficients_, whole.coefficients_)


@pytest.mark.parametrize(
    ("settings", "words"),
    [
        ({"length": 30}, r"differs in length \(31 there, 30 here\)"),
        ({"positive": True}, r"differs in positive \(False there, True here\)"),
        ({"alpha": 0.4}, r"differs in alpha"),
    ],
)
def test_the_checkpoint_of_another_fit_is_refused(settings, words, tmp_path):
    path = tmp_path / "run.checkpoint"
    model(checkpoint=path, max_iter=1, tol=0.5).fit(X)
    with pytest.raises(ModelFileError, match=words):
        model(checkpoint=path, max_iter=1, tol=0.5, **settings).fit(X)


def test_it_is_an_estimator(fitted):
    twin = clone(fitted)
    assert twin.get_params() == fitted.get_params()
    assert not hasattr(twin, "components_")
    stopped = model(callback=lambda iteration: iteration.number == 1).fit(X)
    assert stopped.n_iter_ == 1
    with pytest.warns(UserWarning, match="max_iter=1 ended the fit"):
        model(max_iter=1, tol=1e-9).fit(X)


# Bad input


@pytest.mark.parametrize(
    ("recording", "words"),
    [
        (X[:20], "20 samples, fewer than one waveform of length=31"),
        (np.full(100, np.nan), "missing throughout"),
        (np.stack([X, np.full(N, np.nan)], axis=1), "channel 1 of the recording is missing"),
        (np.full(100, 3.0), "constant"),
        (np.tile([3.0, 4.0], (100, 1)), "constant"),
        (np.where(np.arange(N) == 7, np.inf, X), "infinite"),
        (X.astype(complex), "complex"),
        (np.array(["a", "b"]), "must be numbers"),
        (np.zeros((0,)), r"shape \(0,\)"),
        (np.zeros((5, 5, 5)), r"shape \(5, 5, 5\)"),
        (np.zeros((2, 500)), "transpose"),
        (1e200 * X, "change its unit"),
        (1e-200 * X, "change its unit"),
        ([X, np.stack([X, X], axis=1)], "differ in their channels"),
        ([[1.0, 2.0], [3.0]], "differ in length"),
    ],
)
def test_a_recording_that_cannot_be_worked_with_is_refused_in_a_sentence(recording, words):
    with pytest.raises(ValueError, match=words):
        model().fit(recording)


@pytest.mark.parametrize(
    ("settings", "words"),
    [
        ({"length": 3}, "length must be an integer of at least 4, not 3"),
        ({"length": 30.5}, "length must be an integer"),
        ({"n_components": 0}, "n_components"),
        ({"alpha": 0.0}, "alpha must be"),
        ({"alpha": "often"}, "alpha must be"),
        ({"init": "often"}, "init must be"),
        ({"init": np.ones((2, 30))}, r"init must be an array of shape \(2, 31\)"),
        ({"init": np.zeros((2, 31))}, "zero"),
        ({"n_components": 500, "length": 1000}, "tables of"),
        ({"n_jobs": 0}, "n_jobs"),
    ],
)
def test_parameters_that_make_no_sense_are_refused_in_a_sentence(settings, words):
    with pytest.raises(ValueError, match=words):
        model(**settings).fit(X)


def test_odd_arguments_of_a_fitted_model_are_refused(fitted):
    for sfreq in (0, -1.0, np.nan):
        with pytest.raises(ValueError, match="sfreq must be a positive number"):
            fitted.events(X, sfreq)
    with pytest.raises(ValueError, match="threshold"):
        fitted.events(X, threshold=-1.0)
    with pytest.raises(ValueError, match="has 2 channels, but this model was fitted on 1"):
        fitted.encode(np.stack([X, X], axis=1))
    with pytest.raises(ValueError, match="alpha"):
        fitted.encode(X, alpha=-1.0)


def test_an_alpha_that_wants_more_atoms_than_samples_is_refused():
    noise = np.random.default_rng(0).standard_normal(300)
    learned = model(max_iter=0, n_restarts=1).fit(X)
    for work in (learned.encode, learned.events, learned.denoise):
        with pytest.raises(ValueError, match="too small: codes would need as many atoms"):
            work(noise, alpha=1e-9)
    with pytest.raises(ValueError, match="too small: codes would need as many atoms"):
        model(alpha=1e-9).fit(X)


@pytest.mark.parametrize(
    "x", [X[:1], X[:10], np.zeros(50), np.where(np.arange(50) < 40, np.nan, 1)]
)
def test_odd_recordings_are_coded_by_fitted_waveforms(x, fitted):
    codes = fitted.encode(x)
    assert codes.gap <= fitted.tol
    assert fitted.denoise(x).shape == x.shape
    assert len(fitted.events(x)) == len(fitted.events(x, 10.0))


def test_recordings_may_lie_in_memory_in_any_order():
    x = np.random.default_rng(0).standard_normal((400, 2))
    model = WaveformLearning(
        length=20,
        alpha=2.0,
        max_iter=1,
        n_restarts=1,
        random_state=0,
        n_components=1,
        noise="white",
    )
    rows, columns = (clone(model).fit(y) for y in (x, np.asfortranarray(x)))
    assert columns.provenance_["fingerprint"] == rows.provenance_["fingerprint"]
    assert_array_equal(columns.components_, rows.components_)


# Files


def test_files_are_learned_from_and_coded_as_arrays_are(tmp_path, fitted):
    np.save(tmp_path / "x.npy", X)
    np.savetxt(tmp_path / "x.csv", X, delimiter=",")
    again = model(max_iter=3).fit(tmp_path / "x.npy")
    once = model(max_iter=3).fit(X)
    assert_array_equal(again.components_, once.components_)
    expected = fitted.encode(X)
    for path in (tmp_path / "x.npy", str(tmp_path / "x.csv")):
        assert_allclose(fitted.encode(path).objective, expected.objective, rtol=1e-6)
        assert len(fitted.events(path)) == len(fitted.events(X))
        assert_allclose(fitted.score(path), fitted.score(X), rtol=1e-6)
    both = fitted.denoise([tmp_path / "x.npy", tmp_path / "x.csv"])
    assert_allclose(both[1], both[0], atol=1e-9)
    with pytest.raises(FileNotFoundError, match="none.npy"):
        fitted.encode(tmp_path / "none.npy")


def test_a_table_with_a_column_of_times_is_refused_by_path(tmp_path, fitted):
    table = np.column_stack([10.0 * np.arange(len(X)), X])
    path = tmp_path / "x.csv"
    np.savetxt(path, table, delimiter=",", header="time_ms,lead", comments="")
    with pytest.raises(ValueError, match=r"column time_ms of x.csv looks like time; pass .*read"):
        fitted.encode(path)
    recording = read(path, time_column="time_ms")
    assert recording.sfreq == 100.0
    assert_allclose(fitted.encode(recording).objective, fitted.encode(X).objective, rtol=1e-6)


def test_the_sampling_rate_of_a_recording_is_not_overruled():
    recording = Recording(X, sfreq=200.0)
    learned = model(max_iter=2).fit(recording)
    with pytest.raises(ValueError, match=r"sampling rate of 200 Hz, and sfreq=100 was passed"):
        learned.events(recording, sfreq=100.0)
    events, plain = learned.events(recording), learned.events(X)
    assert_allclose(events["onset"], events["sample"] / 200.0)
    assert_allclose(plain["onset"], events["onset"])  # the rate that the model was fitted with

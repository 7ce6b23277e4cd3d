"""Long runs: whatever interrupts them, going on gives the result of an unbroken run, to the bit."""

import errno
import json
import os
import subprocess
import sys
from contextlib import suppress
from dataclasses import fields, replace
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest
from numpy.testing import assert_array_equal
from registry import KINDS, PERMUTATIONS, action
from sklearn.base import clone
from test_files import MyCoder, MyShift, fail_in_the_middle

from orbitdl import ModelFileError, OrbitDictionaryLearning, WaveformLearning
from orbitdl.coding import ActiveSet, Matching
from orbitdl.coding.atoms import Atoms
from orbitdl.datasets import make_shift_data
from orbitdl.dictionaries.unit_ball import UnitBall
from orbitdl.encoding.samples import Samples
from orbitdl.groups import ContinuousShift, IntegerShift, Trivial
from orbitdl.learning import alternation as learning
from orbitdl.learning.history import History
from orbitdl.learning.restarts import Run
from orbitdl.learning.sample_shard import SampleShards
from orbitdl.learning.state import Iteration, Record, State
from orbitdl.storage import checkpoint, checkpoint_files, container, writing
from orbitdl.storage.checkpoint_files import StoredRun
from orbitdl.storage.codec import pack, unpack

# fits end early here, on purpose
pytestmark = pytest.mark.filterwarnings(
    "ignore:max_iter=:sklearn.exceptions.ConvergenceWarning",
    "ignore:components 0 and 1 occur together",
)

X = make_shift_data(40, 10, 2, 2, noise=0.1, random_state=0).X
MARKS = container.marks("checkpoint")
SETTINGS = {
    "n_components": 2, "alpha": 0.1, "max_iter": 8, "tol": 1e-9, "n_restarts": 1, "random_state": 0
}  # fmt: skip


@pytest.fixture
def path(tmp_path) -> Path:
    return tmp_path / "run.checkpoint"


@pytest.fixture
def eager(monkeypatch) -> None:
    """Write after every iteration."""
    monkeypatch.setattr(checkpoint, "SECONDS", 0.0)
    monkeypatch.setattr(checkpoint, "SHARE", 1e9)


def estimator(**settings) -> OrbitDictionaryLearning:
    return OrbitDictionaryLearning(**{**SETTINGS, **settings})


def interrupt_at(number: int, run: int = 0):
    """Return a callback that raises Ctrl-C at an iteration of a run."""
    starts: list[int] = []

    def callback(iteration: Iteration) -> None:
        starts.extend([0] * (iteration.number == 0))
        if len(starts) == run + 1 and iteration.number == number:
            raise KeyboardInterrupt

    return callback


def interrupted(data, number: int, run: int = 0, **settings) -> None:
    with pytest.raises(KeyboardInterrupt):
        estimator(**settings, callback=interrupt_at(number, run)).fit(data)


def seen_by(model: OrbitDictionaryLearning, data) -> list[int]:
    """Fit, and return the numbers of the iterations that it did."""
    numbers: list[int] = []
    model.set_params(callback=lambda iteration: numbers.append(iteration.number)).fit(data)
    return numbers


def assert_same(model: OrbitDictionaryLearning, other: OrbitDictionaryLearning) -> None:
    assert_array_equal(model.components_, other.components_)
    assert [replace(r, seconds=0) for r in model.history_] == [
        replace(r, seconds=0) for r in other.history_
    ]
    assert model.n_iter_ == other.n_iter_
    assert model.converged_ == other.converged_


# Going on


@pytest.mark.parametrize(("kind", "kills"), [("windows", 10), ("line", 5)])
def test_a_fit_killed_at_random_moments_gives_the_same_components(tmp_path, kind, kills):
    command = [
        sys.executable,
        Path(__file__).parents[1] / "kill_fit.py",
        tmp_path,
        kind,
        str(kills),
    ]
    done = subprocess.run(command, capture_output=True, text=True, check=True, timeout=600)
    told = json.loads(done.stdout)
    assert told["kills"] == kills
    assert told["same"]
    assert all(told["same"])
    assert told["left"] == ["result.npz", "whole"]
    assert len({json.dumps(place) for place in told["reached"]}) > 1  # at various places


@pytest.mark.parametrize("name", KINDS)
def test_every_group_goes_on_to_the_same_components(name, path):
    rep = action(name, 6)
    data = np.random.default_rng(0).standard_normal((9, *rep.shape))
    settings = {"group": rep.group, "alpha": 0.2, "max_iter": 5}
    expected = estimator(**settings).fit(data)
    interrupted(data, 2, checkpoint=path, **settings)
    assert_same(estimator(**settings, checkpoint=path).fit(data), expected)


@pytest.mark.parametrize("missing", [False, True])
@pytest.mark.parametrize("name", ["integer shift", "continuous shift", "orthogonal", "hexagon"])
@pytest.mark.parametrize("number", [1, 3])
def test_a_fit_in_mini_batches_goes_on_to_the_same_components(name, missing, number, path):
    rep, rng = action(name, 6), np.random.default_rng(0)
    data = rng.standard_normal((24, *rep.shape))
    data[rng.random(data.shape) < 0.1 * missing] = np.nan
    settings = {"group": rep.group, "alpha": 0.2, "max_iter": 7, "batch_size": 8, "tol": 1e-4}
    expected = estimator(**settings).fit(data)
    assert expected.n_iter_ > number
    interrupted(data, number, checkpoint=path, **settings)
    assert_same(estimator(**settings, checkpoint=path).fit(data), expected)


@pytest.mark.parametrize("number", [1, 2])
def test_a_fit_of_recordings_in_mini_batches_goes_on_to_the_same_waveforms(number, path):
    rng = np.random.default_rng(0)
    signals = [np.convolve(rng.random(300) < 0.02, np.hanning(12)) for _ in range(6)]
    data = [signal + 0.3 * rng.standard_normal(len(signal)) for signal in signals]
    settings = {"length": 16, "alpha": 0.5, "max_iter": 6, "batch_size": 2, "random_state": 0}
    settings |= {"n_components": 2, "n_restarts": 2}
    expected = WaveformLearning(**settings, noise="white").fit(data)
    assert expected.n_iter_ > number
    again = WaveformLearning(**settings, checkpoint=path, noise="white")
    with pytest.raises(KeyboardInterrupt):
        clone(again).set_params(callback=interrupt_at(number)).fit(data)
    assert_same(again.fit(data), expected)


def test_a_finished_fit_in_mini_batches_is_returned_without_coding(path, monkeypatch):
    settings = {"batch_size": 10, "n_restarts": 3, "tol": 1e-4, "checkpoint": path}
    expected = estimator(**settings).fit(X)

    def refuse(*arguments):
        raise AssertionError("coded again")

    monkeypatch.setattr(SampleShards, "code", refuse)
    again = estimator(**settings).fit(X)
    assert_same(again, expected)
    assert_array_equal(again.starts_, expected.starts_)


def test_more_passes_over_mini_batches_continue_to_what_they_would_have_been(path):
    for max_iter in (1, 3, 8):
        settings = {"max_iter": max_iter, "batch_size": 10, "tol": 1e-6}
        model = estimator(**settings, checkpoint=path).fit(X)
        assert_same(model, estimator(**settings).fit(X))


@pytest.mark.parametrize("name", ["integer shift of channels", "orthogonal", "hexagon"])
def test_every_part_of_a_state_comes_back(name):
    rep, rng = action(name, 6), np.random.default_rng(0)
    components = rep.analyze(rng.standard_normal((2, *rep.shape)))
    offsets, component = np.array([0, 2, 2, 3]), np.array([1, 0, 1])
    atoms = Atoms(2, offsets, component, rng.standard_normal(3), rep.sample(rng, 3))
    stepped = rep.analyze(rng.standard_normal((2, *rep.shape)))
    samples = Samples.of(rng.standard_normal((3, *rep.shape)), rep.group)
    shards = SampleShards.cut(samples, Matching(), 0.1, largest=2)
    history = History(Record(k, 1 / 7, 0.1, 0.2, 0, 0.3) for k in range(5))
    state = State(
        shards.starting_from(atoms), UnitBall(components), history[3], unused=1, loosest=0.1,
        stalled=2, stepped=UnitBall(stepped), momentum_count=3,
    )  # fmt: skip
    run = Run(state, history, ended=True, settled=True, restarted=True)
    stored = unpack(StoredRun, *pack(StoredRun.of(run)), "a run")
    again = stored.restore(shards, UnitBall(np.zeros_like(components)))
    for name in ("number", "objective", "last", "unused", "loosest", "stalled", "momentum_count"):
        assert getattr(again.state, name) == getattr(state, name)
    assert_array_equal(again.state.dictionary.expand(), components)
    assert_array_equal(again.dictionary.expand(), stepped)
    found = again.state.dictionary.parameters, again.dictionary.parameters
    assert all(one.dtype == components.dtype for one in found)
    for field in fields(Atoms):
        kept = getattr(again.state.shards.atoms, field.name)
        assert_array_equal(kept, getattr(atoms, field.name))
    assert again.history == history
    assert (again.ended, again.settled, again.restarted) == (True, True, True)


def test_the_order_in_memory_is_that_of_the_file():
    shards = SampleShards.cut(Samples.of(np.ones((1, 3)), Trivial()), ActiveSet(), 0.1)
    element = np.ones((3, 4)).T
    atoms = Atoms(2, np.array([0, 4]), np.zeros(4, dtype=int), np.ones(4), element)
    state = State(shards.starting_from(atoms), UnitBall(np.ones((1, 3, 5, 2)).T))
    assert state.dictionary.expand().flags.c_contiguous
    assert state.shards.parts[0].atoms.element.flags.c_contiguous


@pytest.mark.parametrize("max_iter", [2, 3, 4])
def test_a_fit_whose_momentum_restarted_is_stored_as_it_ended(max_iter, path, monkeypatch):
    def astray(new, old, momentum_count):
        return new if momentum_count <= 1 else new.at(np.roll(new.parameters, 1, axis=1))

    monkeypatch.setattr(learning, "extrapolate", astray)
    expected = estimator(max_iter=max_iter).fit(X)
    estimator(max_iter=max_iter, checkpoint=path).fit(X)
    again = estimator(max_iter=max_iter, checkpoint=path)
    assert seen_by(again, X) == []
    assert_same(again, expected)
    assert_same(estimator(checkpoint=path).fit(X), estimator().fit(X))


@pytest.mark.parametrize("number", range(9))
def test_a_fit_goes_on_from_any_iteration(number, path):
    expected = estimator().fit(X)
    interrupted(X, number, checkpoint=path)
    model = estimator(checkpoint=path)
    assert seen_by(model, X) == list(range(number, 9))
    assert_same(model, expected)


@pytest.mark.parametrize(
    "settings",
    [
        {"init": "random"},
        {"init": np.random.default_rng(5).standard_normal((2, 10))},
        {"normalize_after": True},
        {"coder": Matching()},
        {"n_components": 60, "alpha": 0.5},  # more than the samples: some are unused
        {"tol": 1e-2, "max_iter": 50},  # stands still long before
        {"random_state": np.random.RandomState(3)},
    ],
)
def test_every_way_to_learn_goes_on(settings, path):
    expected = clone(estimator(**settings)).fit(X)
    again = clone(estimator(**settings, checkpoint=path))
    with pytest.raises(KeyboardInterrupt):
        clone(again).set_params(callback=interrupt_at(1)).fit(X)
    assert_same(again.fit(X), expected)


@pytest.mark.parametrize("name", ["integer shift", "continuous shift", "orthogonal"])
def test_data_with_missing_entries_go_on_and_their_mask_counts(name, path):
    rep, rng = action(name, 6), np.random.default_rng(0)
    data = rng.standard_normal((9, *rep.shape))
    holed = np.where(rng.random(data.shape) < 0.2, np.nan, data)
    settings = {"group": rep.group, "alpha": 0.2, "max_iter": 4, "tol": 1e-4}
    expected = estimator(**settings).fit(holed)
    interrupted(holed, 2, checkpoint=path, **settings)
    assert_same(estimator(**settings, checkpoint=path).fit(holed), expected)
    with pytest.raises(ModelFileError, match="differs in the data"):
        estimator(**settings, checkpoint=path).fit(np.nan_to_num(holed))


@pytest.mark.parametrize("run", [0, 1, 2])
def test_restarts_go_on_where_they_stood(run, path):
    settings = {"n_restarts": 3, "init": "random"}
    expected = estimator(**settings).fit(X)
    interrupted(X, 2, run, checkpoint=path, **settings)
    model = estimator(**settings, checkpoint=path)
    assert seen_by(model, X) == [2, 3] + [0, 1, 2, 3] * (2 - run) + [4, 5, 6, 7, 8]
    assert_same(model, expected)
    assert_array_equal(model.starts_, expected.starts_)


def test_the_start_that_was_chosen_goes_on_where_it_stood(path):
    settings = {"n_restarts": 3, "init": "random"}
    expected = estimator(**settings).fit(X)

    def interrupt(iteration: Iteration) -> None:
        if iteration.number == 6:  # only the best comes so far
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        estimator(**settings, checkpoint=path, callback=interrupt).fit(X)
    model = estimator(**settings, checkpoint=path)
    assert seen_by(model, X) == [6, 7, 8]
    assert_same(model, expected)
    assert seen_by(estimator(**settings, checkpoint=path), X) == []


def test_a_run_without_a_seed_goes_on_with_the_seed_it_had(path):
    settings = {"random_state": None, "n_restarts": 2, "init": "random"}
    starts: list[np.ndarray] = []

    def note(iteration: Iteration) -> None:
        if iteration.number == 0:
            starts.append(iteration.components)

    whole = estimator(**settings, checkpoint=path, callback=note).fit(X)
    path.unlink()
    interrupted(X, 3, checkpoint=path, **settings)
    stored = container.read(path, "checkpoint")[0]["seed"]
    model = estimator(**settings, checkpoint=path, callback=note).fit(X)
    assert container.read(path, "checkpoint")[0]["seed"] == stored
    assert not np.array_equal(starts[-1], starts[1])  # another seed than the first
    assert not np.array_equal(model.components_, whole.components_)


def test_a_finished_fit_returns_at_once(path):
    expected = estimator(checkpoint=path).fit(X)
    content = path.read_bytes()
    model = estimator(checkpoint=path)
    assert seen_by(model, X) == []
    assert model.history_ == expected.history_
    assert_same(model, expected)
    assert path.read_bytes() == content


def test_more_iterations_continue_to_what_they_would_have_been(path):
    for max_iter in (0, 3, 4, 12):
        settings = {"max_iter": max_iter, "tol": 1e-6}
        model = estimator(**settings, checkpoint=path)
        numbers = seen_by(model, X)
        assert_same(model, estimator(**settings).fit(X))
    assert numbers[0] == 4


def test_a_run_that_stood_still_is_not_continued(path):
    settings = {"tol": 1e-2, "checkpoint": path}
    assert estimator(**settings, max_iter=50).fit(X).n_iter_ < 50
    assert seen_by(estimator(**settings, max_iter=90), X) == []


def test_more_restarts_continue_a_fit(path):
    settings = {"init": "random", "max_iter": 3}
    estimator(**settings, checkpoint=path).fit(X)
    model = estimator(**settings, n_restarts=3, checkpoint=path)
    assert len(seen_by(model, X)) == 8
    assert_same(model, estimator(**settings, n_restarts=3).fit(X))


def test_threads_and_verbosity_may_change(path, capsys):
    interrupted(X, 2, checkpoint=path)
    model = estimator(checkpoint=path, n_jobs=2, verbose=1).fit(X)
    assert_same(model, estimator().fit(X))
    assert capsys.readouterr().out.startswith("resuming at iteration 2\niteration   2 ")


def test_the_seconds_of_earlier_iterations_are_kept(path):
    interrupted(X, 4, checkpoint=path)
    stored = container.read(path, "checkpoint")[1]["runs.0.history.seconds"]
    model = estimator(checkpoint=path).fit(X)
    assert [record.seconds for record in model.history_[:4]] == stored.tolist()


def test_a_callback_still_stops_a_run_which_then_goes_on(path):
    model = estimator(checkpoint=path, callback=lambda iteration: iteration.number == 2).fit(X)
    stopped = estimator(callback=lambda iteration: iteration.number == 2).fit(X)
    assert_same(model, stopped)
    assert_same(model.fit(X), stopped)
    assert_same(estimator(checkpoint=path).fit(X), estimator().fit(X))


def test_an_error_in_a_callback_leaves_a_usable_checkpoint(path):
    def fail(iteration: Iteration) -> None:
        if iteration.number == 5:
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        estimator(checkpoint=path, callback=fail).fit(X)
    assert seen_by(estimator(checkpoint=path), X) == [5, 6, 7, 8]


def test_nothing_of_the_data_is_in_the_file(path):
    estimator(checkpoint=path, max_iter=2).fit(X)
    _, tensors = container.read(path, "checkpoint")
    assert not any(np.isin(X, array).any() for array in tensors.values())


@pytest.mark.parametrize(("cost", "every"), [(0.0, 3), (1.0, 10)])
def test_checkpoints_are_written_every_few_seconds_and_less_often_if_slow(
    cost, every, path, monkeypatch
):
    now, written = [0.0], [0]
    numbers: list[int] = []

    def pass_two_seconds(iteration: Iteration) -> None:
        numbers.append(iteration.number)
        now[0] += 2.0

    def write(*arguments) -> None:
        written.append(len(numbers))
        now[0] += cost

    monkeypatch.setattr(checkpoint_files, "write", write)
    monkeypatch.setattr(checkpoint, "time", SimpleNamespace(monotonic=lambda: now[0]))
    settings = {"max_iter": 40, "tol": 1e-15, "coder": ActiveSet(tol=1e-9)}
    estimator(**settings, checkpoint=path, callback=pass_two_seconds).fit(X)
    assert len(numbers) == 41
    assert set(np.diff(written[2:-1])) == {every}
    assert written[-1] == 41  # and at the end


# Files that belong to something else


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"alpha": 0.2}, r"differs in alpha \(0.1 there, 0.2 here\); delete the file or pass"),
        ({"n_components": 3}, r"differs in n_components \(2 there, 3 here\)"),
        ({"tol": 1e-3}, r"differs in tol \(1e-09 there, 0.001 here\), coder"),
        ({"group": ContinuousShift()}, "differs in group, coder"),
        ({"coder": ActiveSet(tol=1e-9, max_iter=7)}, "differs in coder; delete"),
        ({"init": "random"}, "differs in init; delete"),
        ({"init": np.ones((2, 10))}, "differs in init"),
        ({"random_state": 1}, r"differs in random_state \(0 there, 1 here\)"),
        ({"random_state": None}, r"differs in random_state \(0 there, None here\)"),
        ({"normalize_after": True}, r"differs in normalize_after \(False there, True here\)"),
        ({"max_iter": 3}, "has reached iteration 8, beyond max_iter=3; raise max_iter, or delete"),
    ],
)
def test_the_checkpoint_of_another_fit_is_refused(settings, message, path):
    estimator(checkpoint=path).fit(X)
    content = path.read_bytes()
    with pytest.raises(ModelFileError, match=message) as caught:
        estimator(checkpoint=path, **settings).fit(X)
    assert len(str(caught.value).replace(str(path), "")) < 250
    assert str(caught.value).endswith(".")
    assert path.read_bytes() == content


def test_the_checkpoint_of_other_data_is_refused(path):
    estimator(checkpoint=path).fit(X)
    with pytest.raises(ModelFileError, match="belongs to another fit, .* in the data; delete"):
        estimator(checkpoint=path).fit(X + 1e-12)


def test_generators_tell_finite_groups_apart(path):
    data = np.random.default_rng(0).standard_normal((6, 3))
    estimator(checkpoint=path, group=PERMUTATIONS).fit(data)
    other = type(PERMUTATIONS)([[1, 0, 2], [1, 2, 0]])  # the same group by other generators
    with pytest.raises(ModelFileError, match="differs in group"):
        estimator(checkpoint=path, group=other).fit(data)


def test_other_files_are_refused_and_left_alone(path):
    model = estimator().fit(X)
    model.save(path)
    for content in (path.read_bytes(), b"", b"notes", path.read_bytes()[:500]):
        path.write_bytes(content)
        with pytest.raises(ModelFileError, match="is not an orbitdl checkpoint, or it is damaged"):
            estimator(checkpoint=path).fit(X)
        assert path.read_bytes() == content


def test_a_truncated_or_damaged_checkpoint_is_refused_or_works(path):
    interrupted(X, 3, checkpoint=path, group=Trivial())
    content, rng = path.read_bytes(), np.random.default_rng(0)
    model = estimator(checkpoint=path, group=Trivial(), max_iter=3)
    for length in range(0, len(content), 64):
        path.write_bytes(content[:length])
        with pytest.raises(ModelFileError, match="damaged"):
            model.fit(X)
    for _ in range(100):
        damaged = bytearray(content)
        damaged[rng.integers(2000)] ^= 1 << rng.integers(8)
        path.write_bytes(damaged)
        with suppress(ModelFileError):
            model.fit(X)


HOSTILE = {
    "offsets": ("runs.0.offsets", lambda a: a[::-1].copy(), "offsets do not count the atoms"),
    "component": ("runs.0.component", lambda a: a + 7, "of a component that is not there"),
    "negative component": ("runs.0.component", lambda a: a - 7, "of a component that is not there"),
    "element": ("runs.0.element", lambda a: a + 7, "an element that is not in the group"),
    "coefficient": ("runs.0.coefficient", lambda a: a * np.nan, "coefficient contains NaN"),
    "infinite": ("runs.0.components", lambda a: a + np.inf, "components has values out of range"),
    "shape": ("runs.0.components", lambda a: a[:1], "components is not an array of shape"),
    "history": ("runs.0.history.gap", lambda a: a[:1], "gap is not an array of shape"),
    "unknown": ("runs.0.extra", lambda a: np.ones(2), "it has an unknown array 'extra'"),
    "of no run": ("runs.7.extra", lambda a: np.ones(2), "it has an unknown array 'runs.7.extra'"),
    "of no name": ("extra", lambda a: np.ones(2), "it has an unknown array 'extra'"),
}


@pytest.mark.parametrize("case", HOSTILE)
def test_hostile_arrays_are_refused(case, path):
    name, change, message = HOSTILE[case]
    data = np.random.default_rng(0).standard_normal((6, 3))
    settings = {"group": PERMUTATIONS, "checkpoint": path}
    interrupted(data, 2, **settings)
    header, tensors = container.read(path, "checkpoint")
    tensors[name] = change(tensors.get(name))
    container.write(path, MARKS | header, tensors)
    with pytest.raises(ModelFileError, match=f"is not a sound checkpoint: .*{message}"):
        estimator(**settings).fit(data)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"version": container.VERSION + 1}, "has version 2 of the file format"),
        ({"extra": 2}, "the header has an unknown entry 'extra'"),
        ({"seed": -1}, "its seed is negative"),
        ({"runs": [3]}, "an entry of runs is not a table"),
        ({"runs": []}, "it has an unknown array"),
        ({"identity": {}}, "the identity lacks the entry"),
    ],
)
def test_hostile_headers_are_refused(change, message, path):
    interrupted(X, 2, checkpoint=path)
    header, tensors = container.read(path, "checkpoint")
    container.write(path, {**MARKS, **header, **change}, tensors)
    with pytest.raises(ModelFileError, match=message):
        estimator(checkpoint=path).fit(X)


@pytest.mark.parametrize(
    ("entry", "value"),
    [
        ("loosest", -1),
        ("unused", 9),
        ("momentum_count", None),
        ("stalled", -1),
        ("ended", 1),
    ],
)
def test_hostile_numbers_are_refused(entry, value, path):
    interrupted(X, 2, checkpoint=path)
    header, tensors = container.read(path, "checkpoint")
    header["runs"][0][entry] = value
    container.write(path, MARKS | header, tensors)
    with pytest.raises(ModelFileError, match="is not a sound checkpoint"):
        estimator(checkpoint=path).fit(X)


# Places that cannot be written


def test_a_place_that_cannot_be_written_is_refused_before_the_first_iteration(tmp_path):
    numbers: list[Iteration] = []
    for place in (tmp_path, tmp_path / "missing" / "file"):
        with pytest.raises(ModelFileError, match="could not be (read|written)"):
            estimator(checkpoint=place, callback=numbers.append).fit(X)
    assert numbers == []


@pytest.mark.usefixtures("eager")
def test_a_disk_that_fills_up_costs_the_checkpoint_and_not_the_fit(path, monkeypatch):
    full = fail_in_the_middle(OSError(errno.ENOSPC, "No space left on device"))

    def fill(iteration: Iteration) -> None:
        if iteration.number == 3:
            monkeypatch.setattr(writing, "_write_through", full)

    with pytest.warns(RuntimeWarning, match="no space left on device; .* The fit goes on"):
        model = estimator(checkpoint=path, callback=fill).fit(X)
    assert_same(model, estimator().fit(X))
    assert os.listdir(path.parent) == [path.name]
    monkeypatch.undo()
    assert seen_by(estimator(checkpoint=path), X) == [3, 4, 5, 6, 7, 8]


def test_what_a_killed_write_left_behind_is_removed(path):
    left = path.with_name(f".{path.name}.0123456789abcdef.part")
    other = path.with_name(f".{path.name}x.0123456789abcdef.part")
    for place in (left, other):
        place.write_bytes(b"half")
    estimator(checkpoint=path, max_iter=0).fit(X)
    assert sorted(os.listdir(path.parent)) == sorted([other.name, path.name])


@pytest.mark.parametrize("settings", [{"group": MyShift()}, {"coder": MyCoder()}])
def test_a_class_of_one_s_own_goes_on(settings, path):
    expected = estimator(**settings).fit(X)
    interrupted(X, 3, checkpoint=path, **settings)
    assert_same(estimator(**settings, checkpoint=path).fit(X), expected)


def test_a_class_whose_settings_are_not_known_works_without_a_checkpoint_only(path):
    class Nameless(IntegerShift):
        pass

    estimator(group=Nameless()).fit(X)
    with pytest.raises(ModelFileError, match="cannot be used here: Nameless is not a dataclass"):
        estimator(group=Nameless(), checkpoint=path).fit(X)
    assert not path.exists()


def test_a_checkpoint_is_not_part_of_a_model_file(path):
    model = estimator(checkpoint=path, group=IntegerShift()).fit(X)
    model.save(path.with_name("model"))
    assert str(path).encode() not in path.with_name("model").read_bytes()

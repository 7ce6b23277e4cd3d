"""How far a coding of data that are somewhere else has come, as users hear of it."""

import re

import numpy as np
import pytest

from orbitdl import OrbitDictionaryLearning
from orbitdl.command import following
from orbitdl.command.display import Screen
from orbitdl.groups import IntegerShift
from orbitdl.learning import progress
from orbitdl.learning.progress import Follower, OverBatches, Printed, Progress, Standing
from orbitdl.learning.shards import Summary

pytestmark = pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")


class Clock:
    """A clock that is moved by hand."""

    def __init__(self):
        self.now = 0.0

    def __call__(self):
        return self.now


def told(parts: int, seconds: float, show) -> None:
    """Tell of parts, which take so many seconds each."""
    clock = Clock()
    one = Progress(parts, show, clock)
    printed = show if isinstance(show, Printed) else None
    for k in range(parts):
        clock.now += seconds
        if printed:
            printed.clock = clock
        one(k, Summary(2.0, 1e-3 * k, 5, 7))


def test_parts_add_up_and_the_time_left_follows_from_the_time_gone():
    seen = []
    told(4, 3.0, seen.append)
    assert [one.done for one in seen] == [1, 2, 3, 4]
    assert [one.objective for one in seen] == [2.0, 4.0, 6.0, 8.0]
    assert seen[2].gap == 2e-3
    assert [one.left for one in seen] == [9.0, 6.0, 3.0, 0.0]


def test_it_is_said_in_one_line():
    standing = Standing(120, 500, 1234.0, 8e-5, 10.737)
    assert str(standing) == "120 of 500 parts, objective 1.2e+03 so far, gap 8e-05, 34 s left"


@pytest.mark.parametrize(("seconds", "lines"), [(1.0, 0), (4.0, 2), (11.0, 7)])
def test_a_line_is_printed_every_ten_seconds_at_most(seconds, lines, capsys):
    told(8, seconds, Printed(Clock()))
    assert len(capsys.readouterr().out.splitlines()) == lines


def mapped(tmp_path):
    """Return data in three parts on disk."""
    X = np.random.default_rng(0).standard_normal((600, 6))
    np.save(tmp_path / "X.npy", X)
    return tmp_path / "X.npy"


def model(**settings):
    defaults = {"group": IntegerShift(), "alpha": 0.5, "max_iter": 2, "n_restarts": 1}
    return OrbitDictionaryLearning(n_components=2, random_state=0, **defaults, **settings)


def test_an_estimator_prints_parts_between_iterations(tmp_path, capsys, monkeypatch):
    monkeypatch.setattr(progress, "PAUSE", 0.0)
    monkeypatch.setattr("orbitdl.data.arrays.MOST", 256)
    monkeypatch.setattr("orbitdl.data.arrays.FEWEST", 256)
    model(verbose=1).fit(mapped(tmp_path))
    lines = capsys.readouterr().out.splitlines()
    pattern = r"  [12] of 3 parts, objective \S+ so far, gap \S+, \d+ s left"
    parts = [line for line in lines if re.fullmatch(pattern, line)]
    assert len(parts) >= 2 * sum(line.startswith("iteration") for line in lines)


def test_batches_and_steps_are_printed(capsys):
    X = np.random.default_rng(0).standard_normal((40, 6))
    own = model(verbose=1, batch_size=10).fit(X)
    assert "a pass takes 4 mini-batches of about 10 data points" in capsys.readouterr().out
    own.partial_fit(X)
    assert capsys.readouterr().out.splitlines()[-1] == str(own.history_[-1])


class Heard(Follower):
    def __init__(self):
        self.iterations, self.parts, self.phases, self.seconds = [], [], [], 0.0

    def __call__(self, iteration):
        self.iterations.append(iteration.objective)
        self.phases.append(iteration.number)
        self.seconds += iteration.seconds

    def part(self, standing):
        self.parts.append(standing)

    def phase(self, words):
        self.phases.append(words)


def test_phases_are_named_and_no_iteration_begins_at_0_unexplained():
    heard, X = Heard(), np.random.default_rng(0).standard_normal((40, 6))
    fitted = OrbitDictionaryLearning(
        2, group=IntegerShift(), max_iter=6, tol=1e-9, n_restarts=3, random_state=0, callback=heard
    ).fit(X)
    assert heard.phases[0] == "choosing alpha"
    begins = [k for k, one in enumerate(heard.phases) if one == 0]
    assert [heard.phases[k - 1] for k in begins] == [f"start {k} of 3" for k in (1, 2, 3)]
    chosen = 1 + int(np.argmin(fitted.starts_))
    assert heard.phases[heard.phases.index(4) - 1] == f"start {chosen} goes on"
    assert fitted.seconds_ >= heard.seconds > sum(one.seconds for one in fitted.history_)


def test_resuming_is_announced(tmp_path):
    X, place = np.random.default_rng(0).standard_normal((40, 6)), tmp_path / "run"
    heard, settings = Heard(), {"checkpoint": place, "tol": 1e-9}
    model(**settings).fit(X)
    model(callback=heard, **settings).set_params(max_iter=4).fit(X)
    assert heard.phases[:2] == ["resuming at iteration 2", 2]


def test_iterations_are_shown_with_the_start_that_they_belong_to(monkeypatch, capsys):
    monkeypatch.setattr(following, "PAUSE", -1.0)
    X = np.random.default_rng(0).standard_normal((40, 6))
    with Screen().learning(10) as shown:
        model(callback=shown).set_params(n_restarts=2).fit(X)
    lines = capsys.readouterr().err.splitlines()
    assert [line.split("  ")[:2] for line in lines[1:3]] == [
        ["start 1 of 2", "iteration 0"], ["start 1 of 2", "iteration 1"]
    ]  # fmt: skip
    assert any(line.startswith("start 2 of 2  iteration 0") for line in lines)


def test_a_follower_hears_of_parts_and_of_iterations(tmp_path, capsys):
    heard = Heard()
    model(callback=heard).fit(mapped(tmp_path))
    whole = [one.objective for one in heard.parts if one.done == one.parts]
    assert set(heard.iterations) <= set(whole)
    assert capsys.readouterr().out == ""


def test_batches_of_a_pass_are_counted_together():
    seen = []
    watch = OverBatches(lambda parts: Progress(parts, seen.append), 5)
    for parts in (2, 2, 1, 2):
        tell = watch(parts)
        for k in range(parts):
            tell(k, Summary(1.0, 0.0, 1, 1))
    assert [(one.done, one.parts) for one in seen[:5]] == [(k, 5) for k in range(1, 6)]
    assert [one.done for one in seen[5:]] == [1, 2]

"""How far a coding of data that are somewhere else has come, as users hear of it."""

import re

import numpy as np
import pytest

from orbitdl import OrbitDictionaryLearning
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
    monkeypatch.setattr("orbitdl.sources.arrays.MOST", 256)
    monkeypatch.setattr("orbitdl.sources.arrays.FEWEST", 256)
    model(verbose=1).fit(mapped(tmp_path))
    lines = capsys.readouterr().out.splitlines()
    pattern = r"  [12] of 3 parts, objective \S+ so far, gap \S+, \d+ s left"
    parts = [line for line in lines if re.fullmatch(pattern, line)]
    assert len(parts) >= 2 * sum(line.startswith("iteration") for line in lines)


def test_a_follower_hears_of_parts_and_of_iterations(tmp_path, capsys):
    class Heard(Follower):
        def __init__(self):
            self.iterations, self.parts = [], []

        def __call__(self, iteration):
            self.iterations.append(iteration.objective)

        def part(self, standing):
            self.parts.append(standing)

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

"""Recordings in parts: what each part reads and knows is what the whole would tell it."""

from dataclasses import replace

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy.interpolate import BSpline

from orbitdl.coding.atoms import Atoms
from orbitdl.coding.sliding.oracle import look
from orbitdl.coding.sliding.state import make_state
from orbitdl.domains.time import alpha
from orbitdl.domains.time.atoms import at_times, between, no_atoms, range_of
from orbitdl.domains.time.chunks import code_recording, linked, split_recording
from orbitdl.domains.time.coder import RecordingCoder, residual_for
from orbitdl.domains.time.residuals import truncated_window
from orbitdl.domains.time.shards import RecordingShards
from orbitdl.domains.time.signal import Signal, bridged, complete_samples
from orbitdl.domains.time.splines import TAPS
from orbitdl.domains.time.sweeps import make_blocks, make_workspace
from orbitdl.domains.time.waveforms import Waveforms, reached
from orbitdl.kernels import fast

WIDTH = 20


def atoms(count: int = 200, end: float = 1000.0) -> Atoms:
    rng = np.random.default_rng(0)
    time = np.sort(np.append(rng.uniform(-WIDTH, end, count - 2), [300.0, 600.0]))
    return at_times(rng.integers(2, size=count), time, rng.standard_normal(count), 2)


def test_a_stretch_of_atoms_in_order_is_those_between():
    every = atoms()
    for first, last in [(300.0, 600.0), (-np.inf, 300.0), (600.0, np.inf), (-5.0, -5.0)]:
        expected, found = between(every, first, last), every.select(range_of(every, first, last))
        assert_array_equal(found.time, expected.time)
        assert_array_equal(found.component, expected.component)


def test_chunks_have_the_atoms_that_begin_there_and_know_those_that_reach_in():
    every, recording = atoms(), split_recording(Signal(np.zeros(1000)), WIDTH, 300)
    shuffled = every.select(np.random.default_rng(1).permutation(len(every.time)))
    recording[1] = replace(recording[1], atoms=shuffled)  # wherever they were before
    for chunk in linked(recording):
        assert_array_equal(chunk.own.time, between(every, *chunk.domain).time)
        reach = between(every, chunk.first - WIDTH - TAPS, chunk.last + TAPS)
        assert np.isin(reach.time, chunk.known.time).all()
        assert len(np.unique(chunk.known.time)) == len(chunk.known.time)


def test_places_that_flags_reach_are_those_of_a_convolution():
    flags = np.random.default_rng(0).random(300) < 0.02
    for width in (1, 2, 17):
        assert_array_equal(reached(flags, width), np.convolve(flags, np.ones(width)) > 0.5)


def test_samples_are_complete_where_no_channel_is_missing():
    values = np.random.default_rng(0).standard_normal((50, 3))
    values[[3, 7, 7, 49], [0, 1, 2, 2]] = np.nan
    assert_array_equal(np.flatnonzero(~complete_samples(values)), [3, 7, 49])


def test_parts_are_freed_from_the_trend_of_the_whole():
    values = np.cumsum(np.random.default_rng(0).standard_normal((900, 2)), axis=0)
    values[400:420] = np.nan
    signal = Signal(values, span=21)
    whole, observed = signal.read(0, 900)
    for first, last in [(0, 100), (380, 430), (850, 900)]:
        part, seen = signal.read(first, last)
        assert_allclose(part, whole[first:last], atol=1e-10)
        assert_array_equal(seen, observed[first:last])
        back = part + signal.trend(first, last)
        assert_allclose(back[seen], values[first:last][seen], atol=1e-10)


def test_the_rough_learning_sees_no_more_of_wide_recordings(monkeypatch):
    def values(channels: int) -> int:
        signal = Signal(np.random.default_rng(0).standard_normal((5000, channels)))
        shards = alpha.excerpts(RecordingShards.cut([signal], WIDTH, 1.0, size=100))
        return sum(chunk.signal.values.size for chunk in shards.parts)

    monkeypatch.setattr(alpha, "AT_MOST", 10_000)
    assert values(1) == 3200
    assert 5000 < values(10) <= 10_000


def test_the_summary_of_the_only_chunk_is_that_of_its_recording():
    rng = np.random.default_rng(0)
    coder = RecordingCoder(Waveforms(rng.standard_normal((2, WIDTH, 1))).unit(), 0.5)
    (chunk,) = split_recording(Signal(rng.standard_normal(300)), WIDTH)
    coded, summary = chunk.code(coder)
    expected = code_recording([chunk], coder).codes(coder)
    assert_allclose(summary.objective, expected.objective, rtol=1e-6)
    assert summary.gap <= 1e-3
    assert (summary.samples, summary.atoms) == (1, len(coded.own.time))


@fast
def look_at_window(st, count, line, room):
    look(st, count, truncated_window(line, room, 2, line.e.shape[1] - 3))


def signal_of(u, tau, derivative, n):
    """Return ``d^p/dtau^p a(t - tau)`` at t = 0 .. n - 1, by SciPy's splines."""
    B = BSpline.basis_element(np.arange(-2.0, 3.0), extrapolate=False)
    B = B.derivative(derivative) if derivative else B
    values = B(np.arange(n)[:, None] - tau - np.arange(len(u)))
    return (-1.0) ** derivative * np.nan_to_num(values) @ u


@pytest.mark.parametrize("missing", [(), (40, 41, 42, 66, 100)])
def test_what_is_looked_up_of_atoms_is_what_their_signals_say(missing):
    rng, n = np.random.default_rng(0), 150
    x, observed = rng.standard_normal((n, 2)), np.ones(n, dtype=bool)
    x[list(missing)], observed[list(missing)] = 0.0, False
    coder = RecordingCoder(Waveforms.through(rng.standard_normal((2, WIDTH, 2))), 1.0)
    line = residual_for(x, observed, coder, no_atoms(2))
    time = np.array([-WIDTH / 2, -3.3, 30.4, 41.7, 52.1, 66.6, 100.2, n - 5.5])
    most = len(time)
    state, room = make_state(most, 0), make_workspace(line, make_blocks(line.e.shape[1], n, most))
    state.shift[:], state.component[:] = time + line.offset, np.arange(most) % 2
    state.c[:] = np.linspace(-1.0, 2.0, most)
    look_at_window(state, most, line, room)
    signals = np.array(
        [
            [signal_of(coder.waveforms.u[k % 2], tau, p, n) for k, tau in enumerate(time)]
            for p in range(3)
        ]
    )
    signals *= observed[:, None]
    product = np.einsum("pknc,qrnc->pqkr", signals, signals)
    assert_allclose(state.gram[0], product[0, 0], atol=1e-12)
    assert_allclose(state.gram[1], -product[1, 0], atol=1e-12)
    assert_allclose(state.gram[2], -product[1, 1], atol=1e-12)
    left = x - np.einsum("k,knc->nc", state.c, signals[0])
    assert_allclose(state.b, np.einsum("pknc,nc->pk", signals, x), atol=1e-12)
    assert_allclose(state.eta, np.einsum("pknc,nc->pk", signals, left), atol=1e-12)


def test_gaps_are_bridged_by_straight_lines_where_a_channel_was_observed_at_all():
    values = np.array([[0.0, np.nan], [np.nan, np.nan], [4.0, np.nan], [np.nan, np.nan]])
    known = ~np.isnan(values)
    assert_allclose(bridged(values, known)[:, 0], [0.0, 2.0, 4.0, 4.0])
    assert_array_equal(bridged(values, known)[:, 1], values[:, 1])

"""The scores and the page of `make trust`; the comparisons themselves need data and peers."""

import math
from unittest import mock

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from benchmarks.trust import __main__ as trust
from benchmarks.trust.bearings import rayleigh, repetition
from benchmarks.trust.beats import jf_row
from benchmarks.trust.calibration import aligned, standardised
from benchmarks.trust.co2 import GAP, hide, relative_error, straight
from benchmarks.trust.ecg import Record, best_lag, intervals
from benchmarks.trust.leads import differences
from benchmarks.trust.muscle import with_noise
from benchmarks.trust.oracle import heights, recall_at
from benchmarks.trust.page import markdown
from benchmarks.trust.rows import Row, Section, Settings, Table, line, number
from benchmarks.trust.scores import (
    Counts,
    by_component,
    count,
    jf,
    jitter,
    offset,
    own_kind,
    pairs,
    pooled,
    unit_scores,
)
from benchmarks.trust.simulated import filtered_sd, noise, simulate, spectrum, wavelet
from benchmarks.trust.sources import MissingDataError, folder
from benchmarks.trust.ssa import fill
from benchmarks.trust.tetrode import similarity

HELD = Row("ECG", "F1", 0.9961, {"XQRS": 0.97}, low=0.995, seconds=3.21, note="all leads.")
MISSED = Row("ECG", "false events", 5, high=4)
UNJUDGED = Row("ECG", "components", 3)

# Matching


def test_an_event_is_matched_once_and_with_the_closest_beat():
    assert_array_equal(pairs([0.9, 1.0], [1.01], 0.15), [[1, 0]])
    assert_array_equal(pairs([1.0], [0.9, 1.02], 0.15), [[0, 1]])
    assert pairs([1.0], [1.2], 0.15).shape == (0, 2)
    assert pairs([], [1.2], 0.15).shape == (0, 2)


def test_unsorted_times_are_matched_by_their_own_indices():
    assert_array_equal(pairs([5.0, 1.0], [1.01, 9.0, 5.02], 0.1), [[0, 2], [1, 0]])


def test_events_of_higher_rank_choose_first():
    assert_array_equal(pairs([1.0, 1.1], [1.0], 0.2, rank=[1, 0]), [[1, 0]])


def test_gross_f1_pools_counts_and_not_scores():
    large, small = count(np.arange(90), np.arange(90), 0.1), Counts(0, 10, 0)
    assert large.f1 == 1.0
    assert pooled([large, small]).f1 == pytest.approx(180 / 190)
    assert pooled([large, small]).false == 10
    assert Counts().f1 == 1.0


def test_jitter_is_the_mean_deviation_from_the_median_lag():
    true = np.arange(5.0)
    found = true + 0.02 + np.array([-0.01, 0.0, 0.0, 0.0, 0.005])
    assert jitter(found, true, 0.1) == pytest.approx(0.003)
    assert jf(found, true, 0.1) == pytest.approx(1 / 1.3)
    assert jf([], true, 0.1) == 0.0


def test_the_lag_of_every_component_is_removed():
    true = np.arange(0.0, 1000.0, 50.0)
    times, component = np.concatenate([true + 7.0, true - 4.0]), np.repeat([0, 1], 20)
    aligned = by_component(times, component, true, 20.0)
    assert_allclose(aligned, np.concatenate([true, true]))
    assert offset([], true, 20.0) == 0.0


def test_a_unit_without_a_component_scores_zero():
    units = [np.arange(0.0, 10.0), np.arange(0.5, 10.5)]
    assert_array_equal(unit_scores([units[1] + 0.01], units, 0.05), [0.0, 1.0])
    assert_array_equal(unit_scores([], units, 0.05), [0.0, 0.0])


def test_a_beat_in_a_component_of_the_other_kind_is_wrong():
    component, kind = np.array([0, 0, 0, 1]), np.array(["N", "N", "V", "V"])
    assert_array_equal(own_kind(component, kind), [True, True, False, True])


def test_jf_is_not_held_without_a_peer_or_a_good_record():
    beats = np.arange(1.0, 50.0)
    record, noisy = Record("0", np.zeros(9), 1.0, beats, beats), beats + 0.02 * np.sin(beats)
    assert jf_row([record], {"ours": [beats]}).holds is False
    assert jf_row([record], {"ours": [beats[:9]], "peer": [noisy]}).holds is False
    assert jf_row([record], {"ours": [beats], "peer": [noisy]}).holds is True
    assert jf_row([record], {"ours": [noisy], "peer": [beats]}).ours == 1


def test_a_peer_on_the_grid_of_annotations_is_beyond_what_rounding_allows():
    beats = np.arange(1.0, 5000.0) / 100
    record = Record("0", np.zeros(9), 100.0, beats, beats)
    fine = beats + np.random.default_rng(0).uniform(-0.005, 0.005, len(beats))
    limit = 1 / (1 + 0.0025 / 0.01)
    assert jf(fine, beats, 0.05) == pytest.approx(limit, abs=0.01)
    assert "limits JF to 0.800. On 1 of" in jf_row([record], {"ours": [fine], "peer": [beats]}).note


# Data


def test_flutter_is_left_out_of_beats_and_events_alike():
    symbols = np.array(["N", "[", "!", "]", "N", "["])
    flutter = intervals(np.arange(6.0), symbols, end=8.0)
    assert flutter == ((1.0, 3.0), (5.0, 8.0))
    record = Record("0", np.zeros(9), 1.0, np.array([0.0, 4.0]), symbols[:2], flutter)
    assert record.count(np.array([0.0, 2.0, 4.0, 6.0]), 0.1) == Counts(2, 2, 2)


def test_the_lag_of_a_peer_is_the_one_with_the_most_matches():
    beats = np.arange(1.0, 50.0)
    record = Record("0", np.zeros(9), 1.0, beats, beats)
    spread = np.where(np.arange(49) % 2, 0.0, 0.09)  # half of them are late by 90 ms
    assert best_lag([record], [beats + spread]) == pytest.approx(0.045, abs=0.006)


@pytest.mark.parametrize("decibel", [6, 0])
def test_muscle_noise_has_the_requested_power(decibel):
    t = np.arange(36_000) / 360
    record = Record("101", np.sin(2 * np.pi * 8 * t) + t, 360.0, t[:0], t[:0])
    added = with_noise(record, decibel).signal - record.signal
    assert 10 * np.log10(0.5 / np.mean(added**2)) == pytest.approx(decibel, abs=0.3)


def test_missing_data_are_named(monkeypatch, tmp_path):
    monkeypatch.delenv("ORBITDL_DATA", raising=False)
    with pytest.raises(MissingDataError, match="set ORBITDL_DATA"):
        folder("cwru")
    monkeypatch.setenv("ORBITDL_DATA", str(tmp_path))
    with pytest.raises(MissingDataError, match="has no folder cwru"):
        folder("cwru")


@pytest.mark.parametrize("colour", ["white", "pink", "blue"])
def test_noise_has_unit_deviation_after_the_matched_filter(colour):
    x = noise(np.random.default_rng(0), colour, 200_000) / filtered_sd(colour)
    filtered = np.convolve(x, wavelet(np.arange(-64, 65)), mode="valid")
    assert np.std(filtered) == pytest.approx(1.0, abs=0.05)
    assert spectrum(colour, 1000).mean() == pytest.approx(1.0)


def test_half_of_the_events_overlap_where_half_should():
    assert simulate(0, "white", 0.0).alone.all()
    planted = simulate(0, "white", 0.5)
    assert np.mean(planted.alone) == 0.5
    near = np.minimum(np.diff(planted.times, prepend=-1e9), np.diff(planted.times, append=1e9))
    assert_array_equal(near >= 64, planted.alone)


# Peers and measures


@pytest.mark.parametrize("colour", ["white", "pink"])
def test_the_oracle_finds_all_large_events_at_their_times(colour):
    planted = simulate(0, colour, 0.0)
    large = planted.times[planted.amplitudes > 6]
    times, height = heights(planted, colour)
    assert len(pairs(times[height > 3], large, 2.0)) == len(large)


def test_intervals_of_a_matched_filter_that_knows_the_truth_cover_as_they_should():
    slope, errors = np.linalg.norm(np.gradient(wavelet(np.arange(-64, 65)))), []
    for seed in range(5):
        planted = simulate(seed, "white", 0.0)
        times, height = (values[:90] for values in heights(planted, "white"))
        sds = {"sample_sd": 1 / (height * slope), "amplitude_sd": 1.0}
        events = pd.DataFrame({"sample": times + 11.0, "component": 0, "amplitude": height} | sds)
        at = aligned(events, planted)
        chosen = pairs(at, planted.times, 8.0)
        errors.append(standardised(events, at, chosen, planted))
    share = (pd.concat(errors)[["time", "amplitude"]].abs() <= 1.96).mean()
    assert share.between(0.92, 0.98).all(), share


def test_recall_of_the_oracle_is_that_of_the_longest_allowed_list():
    true = np.array([True, True, False, True, False])
    assert recall_at(0.0, true, 4) == 0.5
    assert recall_at(0.25, true, 4) == 0.75
    assert recall_at(0.0, ~true[:1], 4) == 0.0


def test_the_repetition_is_the_fundamental_even_if_impacts_are_missed():
    rng, frequencies = np.random.default_rng(0), np.arange(60.0, 600.0, 0.05)
    times = np.arange(1600) / 162.2 + 1e-4 * rng.standard_normal(1600)
    kept = times[rng.uniform(size=1600) < 0.6]
    assert repetition(rayleigh(kept, frequencies), frequencies) == pytest.approx(162.2, rel=2e-3)


def test_a_shifted_waveform_is_similar_and_another_is_not():
    a = np.zeros((30, 2))
    a[8:16, 0], a[8:16, 1] = np.hanning(8), -np.hanning(8)
    assert similarity(a, np.roll(2 * a, 5, axis=0)) == pytest.approx(1.0)
    assert similarity(a, np.abs(a)) < 0.1


def test_ssa_fills_a_gap_of_a_seasonal_series_better_than_a_line():
    t = np.arange(1000.0)
    series = 0.01 * t + np.sin(2 * np.pi * t / 52)
    hidden = hide(series, 0, gaps=5)
    assert hidden.sum() == 5 * GAP
    x = np.where(hidden, np.nan, series)
    assert relative_error(fill(x), series, hidden) < 0.001
    assert relative_error(straight(x), series, hidden) > 0.005


# Page


def test_a_target_is_held_missed_or_absent():
    assert (HELD.holds, MISSED.holds, UNJUDGED.holds) == (True, False, None)
    assert Row("", "", math.nan, low=0.0).holds is False
    between = Row("", "", 0.97, low=0.94, high=0.96)
    assert (between.holds, between.target) == (False, "0.94 to 0.96")


def test_a_line_has_verdict_figure_target_and_peers():
    assert " ".join(line(HELD).split()) == "held ECG, F1: 0.9961 (target >= 0.995), XQRS 0.97"
    assert line(UNJUDGED).startswith("no target ")
    assert [number(v) for v in (3, 0.00075, 12.34, 0.995, math.nan)] == [
        "3", "0.00075", "12.3", "0.995", "none",
    ]  # fmt: skip


def test_the_page_has_every_row_and_names_what_was_not_run():
    table = Table("Records", ("record", "F1"), [("101", "0.998")])
    ran = Section("Beats", [HELD, MISSED, UNJUDGED], [table], "Lead 0.")
    page = markdown([ran, Section("tetrode", not_run="no folder locust")], Settings())
    assert "**1 of 2 targets held, 1 missed.**" in page
    assert "| held | ECG | F1 | 0.9961 | XQRS 0.97 | >= 0.995 | 3.2 |" in page
    assert "| **missed** | ECG | false events | 5 |  | &lt;= 4 |  |" in page
    assert "|  | tetrode | not run: no folder locust |  |  |  |  |" in page
    assert "- ECG, F1: all leads." in page
    assert "| 101 | 0.998 |" in page
    assert "Quick version" not in page
    assert "Quick version" in markdown([ran], Settings(quick=True))


def run_with(effect, monkeypatch):
    module = mock.Mock()
    module.run.side_effect = effect
    monkeypatch.setattr(trust.importlib, "import_module", lambda name: module)
    return trust.run("beats", Settings())


def test_missing_data_and_failures_become_reasons(monkeypatch, capsys):
    missing = run_with(MissingDataError("no folder mitdb"), monkeypatch)
    assert missing.not_run == "no folder mitdb"
    failed = run_with(ZeroDivisionError("division by zero"), monkeypatch)
    assert failed.not_run == "failed: ZeroDivisionError: division by zero"
    assert "beats: not run: failed" in capsys.readouterr().out


def test_a_page_is_written_and_sections_that_were_not_requested_are_named(monkeypatch, tmp_path):
    path = tmp_path / "page" / "real_data.md"
    monkeypatch.setattr(trust, "run", lambda name, settings: Section(name, [HELD]))
    monkeypatch.setattr("sys.argv", ["trust", "--only", "beats", "--output", str(path)])
    with mock.patch.object(trust.warnings, "simplefilter"):
        assert trust.main() == 0
    page = path.read_text()
    assert "1 of 1 targets held" in page
    assert "| co2 | not run: not requested |" in page


def test_differences_of_two_leads_are_in_standard_errors_whatever_the_origins_of_components():
    rng = np.random.default_rng(0)
    beats, kind = np.arange(200) * 0.8, np.arange(200) % 2
    late = 1e-3 * rng.standard_normal((2, 200))
    leads = [
        pd.DataFrame(
            {"onset": beats + 0.03 * kind * k + late[k], "onset_sd": 1e-3, "component": kind}
        )
        for k in range(2)
    ]
    z, ms = differences(leads[0], leads[1].drop(index=[5, 6]))
    assert len(z) == 198
    assert np.std(z) == pytest.approx(1.0, abs=0.15)
    assert ms == pytest.approx(np.sqrt(2.0), abs=0.3)

"""What `make bench` says, and what it keeps; the comparisons themselves need the peers."""

import os
from dataclasses import replace
from unittest import mock

import pytest

with mock.patch.dict(os.environ):  # the comparisons ask for one thread each
    from benchmarks import __main__ as comparisons
    from benchmarks import history
    from benchmarks.harness import LIMIT, Row, Section
    from benchmarks.report import markdown, processor
    from benchmarks.verdict import line, summary

FASTER = Row("coding, q=1", 0.02, "the paper's code", 224.0, 10_000.0, note="quoted")
COSTLIER = Row("coding 1000 windows", 0.3, "IntegerShift", 0.2, 1.3, at_least=False)
LIMITED = Row("import orbitdl", 0.25, LIMIT, 1.0, 1.0, at_least=False)
TOLD = Row("coding, q=4", 0.5, "lasso_cd", 1.0)
SECTION = Section("Coding", [FASTER, COSTLIER, TOLD])
HERE, THERE = {"processor": processor()}, {"processor": "Abacus 3000"}


def run_with(ratio, machine=HERE, quick=False, date="2026-01-01"):
    row = replace(FASTER, ours=1.0, theirs=ratio)
    return replace(history.Run.of([Section("Coding", [row])], quick, machine), date=date)


def one_spaced(text):
    return " ".join(text.split())


def shown(*runs, quick=False):
    return history.Past(list(runs), quick, processor()).shown(SECTION, FASTER)


def test_a_target_that_is_reached_is_held():
    said = "held coding, q=1: 11200 times as fast as the paper's code (target >= 10000)"
    assert one_spaced(line(FASTER)) == said


def test_a_cost_above_its_target_is_missed():
    said = "missed coding 1000 windows: 1.5 times IntegerShift (target <= 1.3)"
    assert one_spaced(line(COSTLIER)) == said


def test_a_limit_is_told_in_seconds():
    assert one_spaced(line(LIMITED)) == "held import orbitdl: 0.25 s (limit 1 s)"


def test_a_row_without_a_target_is_told_and_not_judged():
    assert line(TOLD).startswith("no target")


def test_the_last_line_counts_and_says_that_a_miss_fails_nothing():
    assert summary([SECTION], quick=False) == (
        "1 of 2 targets held, 1 missed, without a target: 1. "
        "A missed target is told and fails nothing."
    )


def test_the_last_line_names_what_failed_and_what_was_left_out():
    sections = [Section("circular", left_out=True), Section("online", failed=True)]
    said = summary(sections, quick=True)
    assert "circular left out; online FAILED." in said
    assert "Quick version" in said


def test_runs_come_back_as_they_were_written_oldest_first(tmp_path):
    path, runs = tmp_path / "history.jsonl", [run_with(2.0, date="2026-02-01"), run_with(1.0)]
    for run in runs:
        history.append(path, run)
    assert history.read([path]) == (runs[::-1], [])


def test_a_run_that_two_files_hold_is_read_once(tmp_path):
    paths = [tmp_path / "kept.jsonl", tmp_path / "history.jsonl"]
    for path in paths:
        history.append(path, run_with(1.0))
    assert len(history.read([*paths, paths[0]])[0]) == 1


@pytest.mark.parametrize(
    "damage",
    ['{"date": "2026', "[]", "{}", "\x00\xff", '{"date":1,"quick":0,"machine":[],"figures":[]}'],
)
def test_a_damaged_line_is_passed_over_and_told(tmp_path, damage):
    path = tmp_path / "history.jsonl"
    path.write_bytes(damage.encode("latin-1"))
    history.append(path, run_with(1.0))
    runs, complaints = history.read([path])
    assert runs == [run_with(1.0)]
    assert complaints == ["damaged lines of history.jsonl that were passed over: 1"]


def test_no_history_yet_is_no_runs(tmp_path):
    assert history.read([tmp_path / "history.jsonl"]) == ([], [])


def test_the_last_three_runs_here_are_shown_latest_first():
    runs = [run_with(ratio) for ratio in (1.0, 2.0, 3.0, 4.0)]
    assert shown(*runs, run_with(9.0, THERE)) == "4, 3, 2"


def test_runs_on_another_processor_are_marked_with_its_name():
    assert shown(run_with(9.0, THERE)) == "9 (Abacus 3000)"


def test_quick_runs_are_not_shown_beside_whole_ones():
    assert shown(run_with(1.0, quick=True), run_with(2.0)) == "2"
    assert shown(run_with(1.0, quick=True), run_with(2.0), quick=True) == "1"


def test_the_page_has_the_verdict_first_and_the_figures_before_last():
    page = markdown([SECTION], False, [run_with(9876.0)])
    assert "| held | coding, q=1, beside the paper's code | 11200 | >= 10000 | 9876 |" in page
    assert "| **missed** | coding 1000 windows, beside IntegerShift | 1.5 | &lt;= 1.3 |  |" in page
    assert page.index("**1 of 2 targets held") < page.index("## Coding")


def test_the_page_lists_past_runs_latest_first():
    page = markdown([SECTION], False, [run_with(9.0, THERE), run_with(2e4, date="2026-02-03")])
    last = f"| 2026-02-03 | {processor()} | whole | 1 | 0 |"
    assert f"{last}\n| 2026-01-01 | Abacus 3000 | whole | 0 | 1 |" in page


@pytest.mark.parametrize("missing", ["spams", "sporco.admm"])
def test_a_peer_that_is_not_there_is_a_sentence(monkeypatch, capsys, missing):
    absent = mock.Mock(
        side_effect=ModuleNotFoundError(f"No module named {missing!r}", name=missing)
    )
    monkeypatch.setattr(comparisons.importlib, "import_module", absent)
    section = comparisons.run("circular", quick=True)
    assert section.left_out
    assert not section.failed
    assert f"circular: Left out: {missing} cannot be imported here" in capsys.readouterr().out


def test_a_fault_of_ours_is_a_failure_and_the_others_still_run(monkeypatch, capsys):
    broken = mock.Mock(side_effect=ImportError("no such name", name="orbitdl.coding"))
    monkeypatch.setattr(comparisons.importlib, "import_module", broken)
    assert comparisons.run("circular", quick=True).failed
    assert "circular: FAILED: ImportError" in capsys.readouterr().out

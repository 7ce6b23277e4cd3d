"""The paper's experiments at reduced size: the claims that survive it, figures, page.

Expected values come from `reproduction.expected`, which names their source.
"""

import dataclasses
import json
from importlib import import_module

import numpy as np
import pytest
from test_command import Result
from typer.testing import CliRunner

from orbitdl.groups import InterpolatedShift, Orthogonal
from reproduction import NAMES, ecg_data, reproduce, running
from reproduction.__main__ import app
from reproduction.claims import Claim, Row, Verdict
from reproduction.expected import BOUNDS, CLAIMS, SECONDS, SUCCESS
from reproduction.figures import save, styled
from reproduction.page import Outcome
from reproduction.printed import FewSpectralSteps, FewSteps
from reproduction.running import PARTS, WRITTEN, Reproduction

pytest.importorskip("matplotlib")

SMALL = {
    "recovery": {"many": 2000, "iterations": 25, "regular_iterations": 15, "starts": 2},
    "subgroups": {"multiples": (1, 30), "sizes": (300,), "iterations": 20, "starts": 1},
    "ecg": {"n_windows": 100, "iterations": 6, "regular_atoms": 30, "regular_iterations": 3,
            "starts": 1},
    "peaks": {"n_windows": 50, "crude_windows": 20, "semidefinite_windows": 2, "iterations": 5,
              "starts": 1},
    "subdivisions": {"n_windows": 50, "subdivisions": (1, 2, 4), "cutoffs": (180.0, 10.0),
                     "rates": (1, 6), "iterations": 8},
    "timing": {"n_windows": 100, "printed_windows": 20, "semidefinite_windows": 2, "repeats": 2,
               "finest": (1, 16), "regular_atoms": 60, "iterations": 1},
    "unseen": {"n_test": 12, "iterations": 20},
    "synchronization": {"iterations": 40, "starts": 1},
}  # fmt: skip
ON_RECORDING = ("ecg", "peaks", "subdivisions", "timing", "unseen")


def run_command(*arguments):
    """Run ``python -m reproduction`` with these arguments."""
    return Result(CliRunner().invoke(app, [str(argument) for argument in arguments]))


def module(part):
    return import_module(f"reproduction.{part}")


@pytest.fixture(scope="module")
def results():
    """Run each part once, when first asked for."""
    found = {}

    def run(part):
        if part in ON_RECORDING:
            require_recording()
        if part not in found:
            settings = dataclasses.replace(module(part).FULL, **SMALL[part])
            found[part] = module(part).run(settings)
        return found[part]

    return run


def require_recording():
    try:
        ecg_data.signal("lead 0")
    except (FileNotFoundError, ImportError) as error:
        pytest.skip(f"needs record 100: {error}")


def verdict(part, results, key):
    """Return our verdict on one claim."""
    (claim,) = [claim for claim in CLAIMS if claim.key == key]
    return Row.of(claim, module(part).judge(results(part))[key], "").verdict


def test_integer_shifts_are_recovered_within_our_bound(results):
    ends = module("recovery").final(results("recovery"), "integer")
    assert ends.max() <= BOUNDS["recovery.integer squared"]


def test_regular_learning_stays_behind_integer_shifts(results):
    assert verdict("recovery", results, "recovery.tenth") is Verdict.SAME


def test_crude_coding_recovers_too_but_less_well(results):
    final = module("recovery").final
    crude = final(results("recovery"), "integer, as printed")
    assert crude.max() <= SUCCESS["recovery"]
    assert crude.min() > final(results("recovery"), "integer").max()


def test_leaving_symmetries_out_costs_accuracy(results):
    errors = results("subgroups")["errors"][0, :, 0]
    assert errors[1] > 5 * errors[0]


def test_every_window_of_the_electrocardiogram_is_coded_within_the_gap(results):
    for models in results("ecg")["models"].values():
        assert max(model["gap"] for model in models.values()) <= BOUNDS["ecg.gap"]


@pytest.mark.parametrize("key", ["ecg.spikes", "ecg.consistent", "ecg.others", "ecg.regular"])
def test_shapes_are_as_the_paper_says(results, key):
    assert verdict("ecg", results, key) is Verdict.SAME


def test_peaks_agree_across_grids_when_coded_to_convergence(results):
    pick = module("peaks").pick
    peaks = [
        pick(results("peaks"), "mean of leads", name, "converged")[0]
        for name in module("peaks").GROUPS
    ]
    assert np.ptp(peaks) < 0.03


@pytest.mark.parametrize("key", ["ecg.inner", "ecg.smooth"])
def test_grids_of_shifts_behave_as_the_paper_says(results, key):
    assert verdict("subdivisions", results, key) is Verdict.SAME


@pytest.mark.parametrize(
    ("seconds", "expected"),
    [((2.0, 4.0, 8.0, 300.0), Verdict.SAME), ((2.0, 4.0, 3.0, 300.0), Verdict.DIFFERENT)],
)
def test_the_order_of_costs_is_judged_by_the_seconds_of_the_printed_algorithms(seconds, expected):
    """Made-up seconds: a clock has no place in a test."""
    order = ("integer", "interpolated 2x", "interpolated 4x", "continuous")
    row = {"ours": 0.1, "gap": 1e-4, "printed_windows": 20, "printed_excess": 0.5}
    taken = dict(zip(order, seconds, strict=True), regular=1.0)
    timed = {
        "methods": {name: row | {"printed": taken[name]} for name in SECONDS},
        "by K": {1: 0.1, 16: 0.4},
        "continuous": 0.2,
    }
    assert verdict("timing", lambda part: timed, "timing.order") is expected


@pytest.mark.parametrize("method", SECONDS)
def test_our_coding_step_is_certified_and_no_worse_than_printed(results, method):
    row = results("timing")["methods"][method]
    assert row["gap"] <= BOUNDS["ecg.gap"]
    assert row["printed_excess"] >= -BOUNDS["ecg.gap"]


def test_unseen_orientations_are_completed_within_our_bound(results):
    errors = results("unseen")["lead 0"]["errors"]
    assert np.mean(errors["continuous"]) <= BOUNDS["unseen.continuous"]


@pytest.mark.parametrize("key", ["unseen.atoms", "unseen.generator", "unseen.fails"])
def test_unseen_orientations_defeat_regular_learning_only(results, key):
    assert verdict("unseen", results, key) is Verdict.SAME


@pytest.mark.parametrize(
    ("name", "bound"),
    [
        ("one, convex", "synchronization.one squared"),
        ("two, matching", "synchronization.two squared"),
    ],
)
def test_generators_are_synchronised_within_our_bounds(results, name, bound):
    ends = module("synchronization").final(results("synchronization"), name)
    assert ends.max() <= BOUNDS[bound]


@pytest.mark.parametrize("part", SMALL)
def test_figures_are_written_and_show_something(results, part, tmp_path):
    with styled():
        pictures = module(part).draw(results(part))
    assert pictures
    for picture in pictures:
        save(picture, tmp_path)
        assert picture.figure.axes
        assert all(axis.has_data() for axis in picture.figure.axes if axis.get_label() != "")
        assert (tmp_path / f"{picture.name}.png").stat().st_size > 10_000
        assert (tmp_path / f"{picture.name}.svg").stat().st_size > 10_000


@pytest.mark.parametrize("name", NAMES)
def test_every_claim_of_an_experiment_is_judged(results, name):
    judged = {key for part in PARTS[name] for key in module(part).judge(results(part))}
    assert judged == {claim.key for claim in CLAIMS if claim.experiment == name}


def test_the_page_has_a_verdict_for_every_claim(tmp_path, monkeypatch):
    synchronization = module("synchronization")
    tiny = synchronization.Settings(n_samples=60, iterations=3, starts=1)
    monkeypatch.setattr(synchronization, "QUICK", tiny)
    steps = []
    outcome = reproduce(
        ["synchronization"], quick=True, output=tmp_path, report=lambda *step: steps.append(step)
    )
    assert [row.claim.experiment for row in outcome.rows] == ["synchronization"] * 3
    assert all(row.verdict in Verdict and row.why for row in outcome.rows)
    assert steps[-2:] == [("synchronization", "done", 6, 6), ("synchronization", WRITTEN, 1, 1)]
    content = json.loads((tmp_path / "results.json").read_text())
    assert len(content["experiments"]["synchronization"]["claims"]) == 3
    assert "data:image/png;base64," in outcome.page.read_text()
    assert "](figures/synchronization.png)" in (tmp_path / "reproduction.md").read_text()


def test_an_experiment_that_ended_is_written_before_the_next_one(tmp_path, monkeypatch):
    def run_or_stop(name, quick, report):
        if name == "timing":
            raise KeyboardInterrupt
        report("step", 1, 1)
        return Outcome(name)

    monkeypatch.setattr(running, "run", run_or_stop)
    with pytest.raises(KeyboardInterrupt):
        reproduce(["recovery", "timing"], quick=True, output=tmp_path)
    assert (tmp_path / "reproduction.html").exists()
    assert list(json.loads((tmp_path / "results.json").read_text())["experiments"]) == ["recovery"]
    stopped = run_command("recovery", "timing", "-o", tmp_path)
    assert stopped.code == 130
    assert stopped.err == f"Interrupted; {tmp_path} has the page of recovery.\n"
    stopped = run_command("timing", "-o", tmp_path / "other")
    assert stopped.err == "Interrupted before an experiment ended; nothing was written.\n"


def test_without_the_recording_its_rows_say_so(tmp_path, monkeypatch):
    def missing(*arguments, **options):
        raise FileNotFoundError("set ORBITDL_DATA, or connect to the internet")

    monkeypatch.setattr(ecg_data, "load_ecg", missing)
    ecg_data.signal.cache_clear()
    rows = reproduce(["unseen", "timing"], quick=True, output=tmp_path).rows
    assert {row.verdict for row in rows} == {Verdict.NOT_RUN}
    assert all("ORBITDL_DATA" in row.why for row in rows)


def test_an_unknown_experiment_is_refused_before_anything_is_written(tmp_path):
    with pytest.raises(ValueError, match="choose from recovery, ecg"):
        reproduce(["recovery", "images"], output=tmp_path / "out")
    assert not (tmp_path / "out").exists()


def test_the_command_runs_the_experiments_and_prints_their_verdicts(tmp_path, monkeypatch):
    claim = Claim("recovery.error", "Fig. 1", "the error is small", "0.05")
    settings = {}

    def pretend(names, *, quick, output, report):
        settings.update(names=names, quick=quick, output=output)
        report("recovery", "a start", 1, 2)
        return Reproduction([Row(claim, "0.001", Verdict.BETTER, "why")], output)

    monkeypatch.setattr("reproduction.reproduce", pretend)
    printed = run_command("recovery", "--quick", "-o", tmp_path).fine().out
    assert settings == {"names": ("recovery",), "quick": True, "output": tmp_path}
    for words in ("the error is small", "0.05", "0.001", "better", "reproduction.html"):
        assert words in printed.replace("\n", "")
    facts = json.loads(run_command("-o", tmp_path, "--json").fine().out)
    assert facts["rows"][0]["verdict"] == "better"
    assert settings["names"] == NAMES


def test_an_experiment_that_is_not_there_is_refused(tmp_path):
    run_command("magic", "-o", tmp_path).refused("choose from recovery")


def test_few_steps_lower_the_objective_from_zero():
    rng = np.random.default_rng(0)
    shifts = InterpolatedShift(2).on((15,))
    Y, A = (
        shifts.analyze(rng.standard_normal((5, 15))),
        shifts.analyze(rng.standard_normal((2, 15))),
    )
    values = [
        FewSteps(n_steps=n).code(shifts, Y, A, 0.1, warn=False).objective.sum() for n in (1, 5, 200)
    ]
    best = FewSteps(n_steps=2000).code(shifts, Y, A, 0.1, warn=False)
    assert 0.5 * np.sum(np.abs(Y) ** 2) > values[0] > values[1] > values[2]
    assert best.gap.max() < 0.05


def test_the_printed_spectral_steps_differ_from_the_true_proximal_map():
    """The example of the errata: an orthogonal matrix and 0.3 give 0.70, the truth is 0.90."""
    turns = Orthogonal().on((3, 3))
    Y = np.eye(3)[None, None]
    codes = FewSpectralSteps(n_steps=1).code(turns, Y, Y, 0.3, warn=False)
    assert np.allclose(codes.embed()[0, 0, 0], 0.7 * np.eye(3))
    assert np.allclose(turns.prox(Y[None], 0.3)[0, 0, 0], 0.9 * np.eye(3))

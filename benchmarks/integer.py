"""Continuous shifts against integer shifts, and interpolated shifts in between."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

from benchmarks.data import Floats, learned, some_windows, white_noise, windows
from benchmarks.harness import Row, Section, Table, Timing, interleave
from orbitdl import Codes, encode
from orbitdl.coding import ActiveSet, Sliding
from orbitdl.coding.atoms import Atoms
from orbitdl.coding.problem import Problem
from orbitdl.dictionaries.least_squares import constrained_least_squares, normalise
from orbitdl.groups import ContinuousShift, Group, IntegerShift, InterpolatedShift
from orbitdl.learning.statistics import statistics_of

CONTINUOUS = ContinuousShift(), Sliding(tol=1e-4)
INTEGER = IntegerShift(), ActiveSet(tol=1e-4)
HARD, USUAL = 5.0, 1.3
"""Largest ratios aimed at: white-noise components, and all others."""


@dataclass(frozen=True)
class Case:
    """Components, alpha, and the ratio aimed at."""

    label: str
    make: Callable[[], Floats]
    alpha: float
    target: float = USUAL

    @property
    def components(self) -> Floats:
        """The components, made when they are needed."""
        return self.make()


def run(quick: bool) -> Section:
    """Time both groups on the same windows to gap 1e-4, from nothing and from earlier codes."""
    X, repeats = windows(200 if quick else 1000), 3 if quick else 7
    cases = [
        Case("1 data window, alpha=0.2", partial(some_windows, 1), 0.2),
        Case("1 data window, alpha=0.1", partial(some_windows, 1), 0.1),
        Case("3 data windows, alpha=0.1", partial(some_windows, 3), 0.1),
        Case("4 data windows, alpha=0.1", partial(some_windows, 4), 0.1),
        Case("4 data windows, alpha=0.05", partial(some_windows, 4), 0.05),
        Case("1 learned, alpha=0.1", partial(learned, 1, 0.1), 0.1),
        Case("3 learned, alpha=0.1", partial(learned, 3, 0.1), 0.1),
        Case("4 learned, alpha=0.1", partial(learned, 4, 0.1), 0.1),
        Case("1 white noise, alpha=0.1", partial(white_noise, 1), 0.1, HARD),
        Case("4 white noise, alpha=0.1", partial(white_noise, 4), 0.1, HARD),
    ]
    rows = []
    for case in cases[::2] if quick else cases:
        often = min(repeats, 3) if case.target == HARD else repeats
        rows += [cold(case, X, often), warm(case, X, often)]
    note = "Both coders are ours; times are of whole calls, certificate included."
    return Section("Continuous against integer shifts", rows, [bridge(X, repeats)], note)


def cold(case: Case, X: Floats, repeats: int) -> Row:
    """Compare whole calls of `encode`; the note has the ratio of the solvers alone."""
    jobs = {
        "continuous": partial(whole, CONTINUOUS, case, X),
        "integer": partial(whole, INTEGER, case, X),
        "continuous solver": solver(CONTINUOUS, case, X),
        "integer solver": solver(INTEGER, case, X),
    }
    times = interleave(jobs, repeats)
    alone = times["continuous solver"].median / times["integer solver"].median
    return compare(case, times, f"coding {len(X)} windows", f"solvers alone: {alone:.2f}")


def warm(case: Case, X: Floats, repeats: int) -> Row:
    """Compare coding after one dictionary step, from the codes before it."""
    jobs = {"continuous": restart(CONTINUOUS, case, X), "integer": restart(INTEGER, case, X)}
    times = interleave(jobs, repeats)
    note = "after a dictionary step, from the codes before"
    return compare(case, times, f"coding {len(X)} windows, warm", note)


def compare(case: Case, times: dict[str, Timing], work: str, note: str) -> Row:
    """Make the row of two timings."""
    ours, theirs = times["continuous"], times["integer"]
    return Row(
        f"{work}: {case.label}", ours.median, "IntegerShift", theirs.median,
        case.target, at_least=False,
        accuracy=f"{describe(ours.result)} / {describe(theirs.result)}", note=note,
    )  # fmt: skip


def whole(pair: tuple[Group, Sliding | ActiveSet], case: Case, X: Floats) -> Codes:
    """Call `encode`."""
    group, coder = pair
    return encode(X, case.components, group=group, alpha=case.alpha, coder=coder)


def solver(pair: tuple[Group, Sliding | ActiveSet], case: Case, X: Floats) -> partial[Atoms]:
    """Return the call of a solver without its certificate."""
    group, coder = pair
    representation = group.on(X.shape[1:])
    Y, A = representation.analyze(X), representation.analyze(case.components)
    return partial(coder.solve, Problem(representation, Y, A, case.alpha), None)


def restart(pair: tuple[Group, Sliding | ActiveSet], case: Case, X: Floats) -> partial[Codes]:
    """Return the call that codes with the next dictionary, from the codes of this one."""
    group, coder = pair
    representation = group.on(X.shape[1:])
    Y, A = representation.analyze(X), representation.analyze(case.components)
    atoms = coder.code(representation, Y, A, case.alpha, warn=False).atoms
    statistics = statistics_of(representation, Y, atoms)
    A, norms = normalise(constrained_least_squares(statistics, A))
    return partial(coder.code, representation, Y, A, case.alpha, atoms.scale(norms), warn=False)


def bridge(X: Floats, repeats: int) -> Table:
    """Tabulate K shifts per sample, K = 1 .. 16, against continuous ones."""
    case = Case("3 data windows, alpha=0.1", partial(some_windows, 3), 0.1)
    pairs = {f"K={K}": (InterpolatedShift(K), ActiveSet(tol=1e-6)) for K in (1, 2, 4, 8, 16)}
    pairs["continuous"] = ContinuousShift(), Sliding(tol=1e-6)
    jobs = {name: partial(whole, pair, case, X) for name, pair in pairs.items()}
    times = interleave(jobs, min(repeats, 3))
    end = times["continuous"]
    limit = end.result.objective.sum()
    cells = [
        (
            name,
            f"{timing.result.objective.sum():.6f}",
            f"{timing.result.objective.sum() / limit - 1:.1e}",
            f"{len(timing.result.atoms.component) / len(X):.2f}",
            f"{timing.median:.3f}",
            f"{timing.median / end.median:.2f}",
        )
        for name, timing in times.items()
    ]
    columns = "shifts per sample", "objective", "above continuous", "atoms", "seconds", "time ratio"
    title = f"Interpolated shifts towards continuous ones: {case.label}, {len(X)} windows, gap 1e-6"
    return Table(title, columns, cells)


def describe(codes: Codes) -> str:
    """Say how accurate and how long codes are."""
    atoms = len(codes.atoms.component) / len(codes)
    return f"gap {codes.gap.max():.0e}, {atoms:.1f} atoms"

"""Coding with symmetries that have no peer: against what is wanted, and whether all are done."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial

import numpy as np
from scipy.ndimage import gaussian_filter

from benchmarks.data import Floats
from benchmarks.harness import LIMIT, Row, Section, Table, interleave, timed
from orbitdl.coding import Coder, Growing, Proximal
from orbitdl.coding.choice import default_coder
from orbitdl.coding.codes import Codes
from orbitdl.dictionaries.least_squares import unit_norm
from orbitdl.groups import (
    Azimuth,
    ContinuousShift,
    Group,
    ImageRotation,
    IntegerShift,
    Orthogonal,
    Product,
    ShiftAndPhase,
    Translation,
)
from orbitdl.groups.base import Blocks, Representation

LEVELS = (0.2, 0.1)
"""alpha, relative to the least one that codes all samples to nothing."""
ATOMS, NOISE, TOL = 3, 0.1, 1e-4
"""Atoms planted in a sample, energy of noise relative to theirs (10 dB), and the gap asked for."""

WIDTH = 5.0
"""Of components, in samples or pixels."""


@dataclass(frozen=True)
class Case:
    """A group on data of one shape, and the seconds wanted for 1000 samples.

    Components are smooth, and small, along the first `axes`.
    """

    name: str
    group: Group
    shape: tuple[int, ...]
    axes: int = 1
    q: int = 1
    wanted: float | None = None


CASES = (
    Case(
        "shift x O(3), 101 samples", Product(ContinuousShift(), Orthogonal()), (101, 3), 1, 1, 1.2
    ),
    Case(
        "shift x azimuth, 101 samples", Product(ContinuousShift(), Azimuth()), (101, 3), 1, 1, 0.8
    ),
    Case("translations of 33 x 33 pixels", Translation(), (33, 33), 2, 1, 10.0),
    Case("rotations of 32 x 32 pixels, q = 3", ImageRotation(), (32, 32), 2, 3, 0.1),
    Case("whole shift x O(3), 101 samples", Product(IntegerShift(), Orthogonal()), (101, 3)),
    Case("shift and phase, 101 samples", ShiftAndPhase(), (101,)),
)
TURNS = Case("O(3), 20 columns", Orthogonal(), (3, 20), 0)


def run(quick: bool) -> Section:
    """Time every case, and count the samples above the tolerance in a larger number of them."""
    n, repeats, many = (200, 1, 500) if quick else (1000, 5, 10_000)
    rows = [row for case in CASES if case.wanted for row in timed_rows(case, n, repeats)]
    rows += [against_proximal(level, n, repeats) for level in LEVELS]
    cells = [counted(case, level, many) for case in CASES for level in LEVELS]
    columns = ("work", "samples", "atoms a sample", "seconds", "largest gap", "above what is asked")
    return Section("Symmetries", rows, [Table("Every sample certified", columns, cells)])


def timed_rows(case: Case, n: int, repeats: int) -> list[Row]:
    """Return a row per level of alpha."""
    rep, Y, A = planted(case, n, 0)
    jobs = {str(level): partial(code, rep, Y, A, level, default_coder(rep)) for level in LEVELS}
    times, share = interleave(jobs, repeats), n / 1000
    return [
        Row(
            f"{case.name}, alpha {level:g} of the largest, {n} samples",
            times[str(level)].median, LIMIT, share * (case.wanted or 0.0),
            1.0 if level == LEVELS[0] else None, at_least=False,
            accuracy=f"gap {times[str(level)].result.gap.max():.0e}",
        )
        for level in LEVELS
    ]  # fmt: skip


def against_proximal(level: float, n: int, repeats: int) -> Row:
    """Return how `Growing` and the default coder of orthogonal matrices compare."""
    rep, Y, A = planted(TURNS, n, 0)
    coders = {"ours": Proximal(tol=TOL), "growing": Growing(tol=TOL)}
    jobs = {name: partial(code, rep, Y, A, level, coder) for name, coder in coders.items()}
    times = interleave(jobs, repeats)
    return Row(
        f"{TURNS.name}, alpha {level:g} of the largest, {n} samples, Proximal",
        times["ours"].median, "our Growing", times["growing"].median,
    )  # fmt: skip


def counted(case: Case, level: float, n: int) -> tuple[str, ...]:
    """Return how many of many samples end above the tolerance."""
    rep, Y, A = planted(case, n, 1)
    seconds, codes = timed(partial(code, rep, Y, A, level, default_coder(rep)))
    each, late = len(codes.atoms.coefficient) / n, int(np.sum(codes.gap > TOL))
    work = f"{case.name}, alpha {level:g}"
    return work, str(n), f"{each:.1f}", f"{seconds:.2f}", f"{codes.gap.max():.1e}", str(late)


def code(rep: Representation, Y: Blocks, A: Blocks, level: float, coder: Coder) -> Codes:
    """Code, certificate included, with alpha relative to the least one that leaves nothing."""
    alpha = level * float(rep.largest_product(Y[:200], A).max())
    return coder.code(rep, Y, A, alpha, n_jobs=1, warn=False)


def planted(case: Case, n: int, seed: int) -> tuple[Representation, Blocks, Blocks]:
    """Return smooth components, and n samples of a few transformed copies of them in noise."""
    rep, rng = case.group.on(case.shape), np.random.default_rng(seed)
    A = unit_norm(rep.analyze(np.stack([bump(case.shape, case.axes, rng) for _ in range(case.q)])))
    g, j = rep.sample(rng, n * ATOMS), rng.integers(case.q, size=n * ATOMS)
    c = rng.uniform(0.5, 1.5, n * ATOMS) * rng.choice([-1, 1], n * ATOMS)
    parts = rep.synthesize(c[:, None, None, None] * rep.act_on_blocks(g, A[j]))
    clean = parts.reshape(n, ATOMS, *case.shape).sum(axis=1)
    noise = rng.standard_normal(clean.shape)
    noise *= np.sqrt(NOISE * np.sum(clean**2) / np.sum(noise**2))
    return rep, rep.analyze(clean + noise), A


def bump(shape: tuple[int, ...], axes: int, rng: np.random.Generator) -> Floats:
    """Return smoothed noise within a few samples, or pixels, of the middle."""
    away = [np.arange(size) - size // 2 for size in shape[:axes]]
    square = sum(part**2 for part in np.meshgrid(*away, indexing="ij"))
    window = np.exp(-0.5 * np.asarray(square, np.float64) / WIDTH**2)
    noise = rng.standard_normal(shape) * window.reshape(*window.shape, *(1,) * (len(shape) - axes))
    smooth = [1.0] * axes + [0.0] * (len(shape) - axes)
    return np.asarray(gaussian_filter(noise, smooth, mode="wrap"))

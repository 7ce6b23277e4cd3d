"""How coding time grows: in samples, length, components and atoms; and memory of a stream."""

from __future__ import annotations

import tracemalloc
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import partial

import numpy as np

from benchmarks.data import LENGTH, Floats, resampled, some_windows, windows
from benchmarks.harness import Row, Section, Table, interleave
from orbitdl import Codes, encode
from orbitdl.coding import ActiveSet, Sliding
from orbitdl.groups import ContinuousShift, IntegerShift

GROUPS = {
    "Sliding": (ContinuousShift(), Sliding()),
    "ActiveSet": (IntegerShift(), ActiveSet()),
}
MEGABYTE = 1e6


@dataclass(frozen=True)
class Load:
    """Work to be timed: data, components and alpha."""

    X: Floats
    components: Floats
    alpha: float

    def code(self, name: str) -> Codes:
        """Encode with one of the coders, certificate included."""
        group, coder = GROUPS[name]
        return encode(self.X, self.components, group=group, alpha=self.alpha, coder=coder)


@dataclass(frozen=True)
class Curve:
    """Seconds and atoms per sample at several sizes."""

    sizes: list[float]
    seconds: list[float]
    atoms: list[float]

    def slope(self, against: list[float] | None = None) -> float:
        """Return the log-log slope of the seconds."""
        x = np.log(self.sizes if against is None else against)
        return float(np.polyfit(x, np.log(self.seconds), 1)[0])


def run(quick: bool) -> Section:
    """Measure all curves for both coders."""
    n, repeats = (200, 1) if quick else (1000, 3)
    lengths = [101, 201, 401, 801, 1601][: 3 if quick else 5]
    components = [1, 2, 4, 8, 16][: 3 if quick else 5]
    alphas = [0.4, 0.2, 0.1, 0.05, 0.025][: 3 if quick else 5]
    numbers = [1000, 10_000] if quick else [1000, 10_000, 100_000]
    rows, cells = [], []
    for name in GROUPS:
        in_n = measure(name, in_samples, numbers, 3)
        in_d = measure(name, partial(in_length, n), lengths, repeats)
        in_q = measure(name, partial(in_components, n), components, repeats)
        in_k = measure(name, partial(in_sparsity, n), alphas, repeats)
        rows += [linear_row(name, in_n), length_row(name, in_d)]
        cells += [cell(name, "samples n", in_n, in_n.sizes)]
        cells += [cell(name, "length d, same signals resampled", in_d, in_d.sizes)]
        cells += [cell(name, "components q, alpha=0.1", in_q, in_q.sizes)]
        cells += [cell(name, "atoms per sample, q=3, alpha from 0.4", in_k, in_k.atoms)]
    columns = "coder", "in", "sizes", "seconds", "atoms per sample", "log-log slope"
    table = Table("Growth of coding time, certificate included", columns, cells)
    return Section("Growth", [*rows, stream_row(quick)], [table])


def in_samples(n: float) -> Load:
    """Repeat 1000 windows until there are n."""
    return Load(np.tile(windows(), (int(n) // 1000, 1)), some_windows(1), 0.2)


def in_length(n: int, length: float) -> Load:
    """Sample the same signals at another rate: their atoms stay the same."""
    X, components = windows(n), some_windows(1)
    if length != LENGTH:
        X, components = resampled(X, int(length)), resampled(components, int(length))
    return Load(X, components, 0.1)


def in_components(n: int, q: float) -> Load:
    """Code with q data windows."""
    return Load(windows(n), some_windows(int(q)), 0.1)


def in_sparsity(n: int, alpha: float) -> Load:
    """Code with three data windows and any alpha."""
    return Load(windows(n), some_windows(3), alpha)


def measure(
    name: str, make: Callable[[float], Load], sizes: Iterable[float], repeats: int
) -> Curve:
    """Time one coder at all sizes, interleaved."""
    loads = {size: make(size) for size in sizes}
    loads[min(loads)].code(name)
    jobs = {str(size): partial(load.code, name) for size, load in loads.items()}
    times = list(interleave(jobs, repeats, warm_up=[]).values())
    atoms = [len(t.result.atoms.component) / len(t.result) for t in times]
    return Curve(list(loads), [t.median for t in times], atoms)


def linear_row(name: str, curve: Curve) -> Row:
    """Compare the largest number of samples with the smallest, scaled."""
    first, last = curve.sizes[0], curve.sizes[-1]
    return Row(
        f"{name}: {last:.0f} samples", curve.seconds[-1], f"{first:.0f} samples, scaled",
        curve.seconds[0] * last / first, 1.3, at_least=False,
        note=f"log-log slope {curve.slope():.2f}",
    )  # fmt: skip


def length_row(name: str, curve: Curve) -> Row:
    """Compare the greatest length with the least, scaled by d log d."""
    d = np.array(curve.sizes)
    work = d * np.log(d)
    return Row(
        f"{name}: length {d[-1]:.0f}", curve.seconds[-1], f"length {d[0]:.0f}, times d log d",
        float(curve.seconds[0] * work[-1] / work[0]), 1.3, at_least=False,
        note=f"log-log slope {curve.slope():.2f}; of d log d itself {slope_of(d, work):.2f}",
    )  # fmt: skip


def slope_of(x: Floats, y: Floats) -> float:
    """Return the log-log slope of y in x."""
    return float(np.polyfit(np.log(x), np.log(y), 1)[0])


def cell(name: str, what: str, curve: Curve, against: list[float]) -> tuple[str, ...]:
    """Write a curve as a row of a table."""
    sizes = ", ".join(f"{size:.3g}" if size < 100 else f"{size:.0f}" for size in against)
    seconds = ", ".join(f"{second:.3g}" for second in curve.seconds)
    atoms = ", ".join(f"{count:.1f}" for count in curve.atoms)
    return name, what, sizes, seconds, atoms, f"{curve.slope(against):.2f}"


def stream_row(quick: bool) -> Row:
    """Compare the memory of coding a long and a short stream, 1000 samples at a time."""
    short, long = 2, 6 if quick else 20
    name = f"a stream of {short} chunks"
    note = "peak allocations in MB, not seconds; chunks of 1000 samples, ContinuousShift"
    return Row(
        f"memory of coding a stream of {long} chunks", peak_memory(long), name, peak_memory(short),
        1.1, at_least=False, note=note,
    )  # fmt: skip


def peak_memory(chunks: int) -> float:
    """Return the peak of allocations while a stream is coded, in megabytes."""
    load = in_samples(1000)
    load.code("Sliding")
    tracemalloc.start()
    for _ in range(chunks):
        load.code("Sliding")
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    return peak / MEGABYTE

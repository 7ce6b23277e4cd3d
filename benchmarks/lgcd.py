"""Convolutional coding at whole samples with positive coefficients: alphacsc's LGCD."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from importlib.util import find_spec

import numpy as np
from scipy.signal import fftconvolve

from benchmarks.data import Floats
from benchmarks.harness import Row, interleave
from benchmarks.referee import both
from orbitdl import WaveformLearning
from orbitdl.domains.time.chunks import code_recording, split_recording
from orbitdl.domains.time.coder import RecordingCoder
from orbitdl.domains.time.inputs import ready
from orbitdl.domains.time.signal import Signal
from orbitdl.domains.time.waveforms import Waveforms

SAME, FASTER = 1e-6, 20.0
"""Relative difference up to which objectives are the same, and how much faster ours must be."""
GAPS = 1e-4, 1e-5, 1e-6, 1e-7, 1e-8
STEPS = 1e-1, 3e-2, 1e-2, 3e-3, 1e-3, 3e-4, 1e-4
"""Tolerances of ours and of theirs to choose from."""


def absence() -> str:
    """Say so if the peer is not there."""
    return "" if find_spec("alphacsc") else "alphacsc is not installed: its row is left out."


def rows(x: Floats, model: WaveformLearning, alpha: float, repeats: int) -> list[Row]:
    """Let both reach the same objective of the same problem, each at its loosest tolerance."""
    if absence():
        return []
    waveforms = Waveforms(model.coefficients_[:, :, None])
    signal = between_zeros(x, waveforms.length)
    atoms = on_samples(waveforms)
    judge = partial(objective, signal, atoms, alpha)
    ours, theirs = (
        partial(our_code, signal, waveforms, alpha),
        partial(their_code, signal, atoms, alpha),
    )
    best = judge(ours(1e-10))
    gap, step = (loosest(job, judge, best, at) for job, at in ((ours, GAPS), (theirs, STEPS)))
    jobs = {"ours": partial(ours, gap), "theirs": partial(theirs, step)}
    times = interleave(jobs, repeats)
    ends = {name: judge(timing.result) for name, timing in times.items()}
    return [
        Row(
            f"coding at whole samples, c >= 0, {len(waveforms)} waveforms, alpha={alpha:g}",
            times["ours"].median, f"alphacsc LGCD, tol={step:g}", times["theirs"].median, FASTER,
            accuracy=both(ends["ours"], ends["theirs"]),
            note=f"above the best known by {ends['ours'] / best - 1:.0e} / "
            f"{ends['theirs'] / best - 1:.0e}; ours at gap {gap:g}, certificate included",
        )
    ]  # fmt: skip


def between_zeros(x: Floats, length: int) -> Floats:
    """Return a recording free of its trend with zeros at both ends, where atoms cannot overhang."""
    without = ready(Signal(x), length, detrend=True).read(0, len(x))[0][:, 0]
    return np.pad(without, 2 * length)


def on_samples(waveforms: Waveforms) -> Floats:
    """Return waveforms at all whole samples where they are not zero, (q, W + 2): from -1 on."""
    padded = np.pad(waveforms.u, [(0, 0), (1, 1), (0, 0)])
    return np.ascontiguousarray(Waveforms(padded).samples()[:, :, 0])


def our_code(x: Floats, waveforms: Waveforms, alpha: float, gap: float) -> Floats:
    """Return our coefficients as signals (q, T - W - 1), as theirs are."""
    coder = RecordingCoder(waveforms, alpha, gap, positive=True, integer_shifts=True)
    codes = code_recording(split_recording(Signal(x), waveforms.length), coder).codes(coder)
    z = np.zeros((len(waveforms), len(x) - waveforms.length - 1))
    np.add.at(
        z,
        (codes.atoms.component, np.rint(codes.atoms.time).astype(int) - 1),
        codes.atoms.coefficient,
    )
    return z


def their_code(x: Floats, atoms: Floats, alpha: float, step: float) -> Floats:
    """Run LGCD from zero and return its coefficients (q, T - W - 1)."""
    from alphacsc.update_z_multi import update_z_multi

    z, *_ = update_z_multi(
        x[None, None], atoms[:, None], alpha, solver="lgcd", solver_kwargs={"tol": step}
    )
    return np.asarray(z[0])


def objective(x: Floats, atoms: Floats, alpha: float, z: Floats) -> float:
    """Return ``1/2 ||x - sum_j z_j * a_j||^2 + alpha sum z`` of coefficients that are positive."""
    if z.min() < 0:
        raise ValueError("a coefficient is negative")
    left = x - sum(fftconvolve(one, atom) for one, atom in zip(z, atoms, strict=True))
    return float(0.5 * left @ left + alpha * z.sum())


def loosest(
    job: Callable[[float], Floats], judge: Callable[[Floats], float], best: float,
    tolerances: tuple[float, ...],
) -> float:  # fmt: skip
    """Return the first tolerance at which a program reaches the objective, or the last."""
    reached = (tol for tol in tolerances if judge(job(tol)) <= (1 + SAME) * best)
    return next(reached, tolerances[-1])

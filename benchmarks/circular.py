"""Circular sparse coding with three full-length components: spams, scikit-learn, sporco."""

from __future__ import annotations

from functools import partial
from typing import Any, NamedTuple

import numpy as np
import spams
import sporco.fft
from sklearn.decomposition import sparse_encode
from sporco.admm import cbpdn

from benchmarks.data import Floats, some_windows, windows
from benchmarks.harness import Row, Section, Timing, interleave, timed
from benchmarks.referee import both, every_shift, judge
from orbitdl import encode
from orbitdl.coding import ActiveSet
from orbitdl.coding.atoms import Atoms
from orbitdl.coding.problem import Problem
from orbitdl.groups import IntegerShift

ALPHA, CODER, GROUP = 0.1, ActiveSet(tol=1e-6), IntegerShift()
ADMM_ACCURACY = 1e-3
SPAMS = 2.0
"""How much faster than spams: without our certificate, and with it."""

sporco.fft.pyfftw_threads = 1


class Penalty(NamedTuple):
    """The penalty of ADMM, and whether sporco adapts it."""

    rho: float
    adapt: bool


PENALTIES = [Penalty(rho, adapt) for rho in (1.0, 0.7, 1.5, 3.0) for adapt in (False, True)]
"""The one that is fastest on a hundred windows is timed; single precision is enough for 1e-3."""


def run(quick: bool) -> Section:
    """Compare at gap 1e-6, sporco at 1e-3."""
    X, components = windows(200 if quick else 1000), some_windows(3)
    solved, certified = partial(solve, X, components), partial(certify, X, components)
    peers, optimum = prepare(X, components), certified().objective.sum()
    penalties = PENALTIES[:2] if quick else PENALTIES
    peers["sporco ConvBPDN (ADMM), single precision, to 1e-3"] = tuned_admm(
        X, components, optimum, penalties
    )
    quickly = ["ours", "certified", "spams.lasso"]
    jobs = {"ours": solved, "certified": certified, **peers}
    fast = interleave({name: jobs[name] for name in quickly}, 3 if quick else 9)
    slow = interleave(
        {name: job for name, job in jobs.items() if name in peers or name == "ours"},
        1 if quick else 3,
        warm_up=["ours"],
    )
    rows = [against(name, fast if name in fast else slow, X, components) for name in peers]
    rows.insert(1, with_certificate(fast, work(X)))
    return Section("Circular sparse coding", rows)


def solve(X: Floats, components: Floats) -> Atoms:
    """Transform the data and solve: what the peers do, without a certificate."""
    representation = GROUP.on(X.shape[1:])
    Y, A = representation.analyze(X), representation.analyze(components)
    return CODER.solve(Problem(representation, Y, A, ALPHA), None)


def certify(X: Floats, components: Floats) -> Any:
    """Solve and certify: what a user calls."""
    return encode(X, components, group=GROUP, alpha=ALPHA, coder=CODER)


def prepare(X: Floats, components: Floats) -> dict[str, Any]:
    """Return the calls of the peers that want the explicit dictionary; each returns (n, q d)."""
    rows = every_shift(components)
    signals, D = np.asfortranarray(X.T), np.asfortranarray(rows.T)
    return {
        "spams.lasso": lambda: spams.lasso(signals, D=D, lambda1=ALPHA, mode=2, numThreads=1).T,
        "scikit-learn sparse_encode(lasso_lars)": lambda: sparse_encode(
            X, rows, algorithm="lasso_lars", alpha=ALPHA
        ),
        "scikit-learn sparse_encode(lasso_cd)": lambda: sparse_encode(
            X, rows, algorithm="lasso_cd", alpha=ALPHA
        ),
    }


def tuned_admm(X: Floats, components: Floats, optimum: float, penalties: list[Penalty]) -> Any:
    """Return the call of sporco with the penalty and the iterations that serve it best."""
    few = X[:: max(1, len(X) // 100)]
    share = certify(few, components).objective.sum()

    def seconds(penalty: Penalty) -> float:
        iterations = admm_iterations(few, components, share, penalty)
        return timed(lambda: admm(few, components, penalty, iterations))[0]

    best = min(penalties, key=seconds)
    iterations = admm_iterations(X, components, optimum, best)
    return lambda: admm_codes(admm(X, components, best, iterations))


def admm(
    X: Floats, components: Floats, penalty: Penalty, iterations: int, watch: Any = None
) -> cbpdn.ConvBPDN:
    """Run sporco; `watch` may stop it."""
    options = cbpdn.ConvBPDN.Options(
        {
            "MaxMainIter": iterations,
            "RelStopTol": 0.0,
            "rho": penalty.rho,
            "AutoRho": {"Enabled": penalty.adapt},
            "RelaxParam": 1.8,
            "HighMemSolve": True,
            "FastSolve": True,
            "DataType": np.float32,
            "Callback": watch,
        }
    )
    solver = cbpdn.ConvBPDN(components.T.copy(), X.T.copy(), ALPHA, options, dimK=1, dimN=1)
    solver.solve()
    return solver


def admm_codes(solver: cbpdn.ConvBPDN) -> Floats:
    """Return the sparse variable, (d, 1, n, q) there, as (n, q d)."""
    codes: Floats = solver.Y[:, 0].transpose(1, 2, 0)
    return codes.reshape(len(codes), -1)


def admm_iterations(
    X: Floats, components: Floats, optimum: float, penalty: Penalty, most: int = 300
) -> int:
    """Count the iterations, in fives, until the objective is within 1e-3 of the optimum."""
    reached = []

    def watch(solver: cbpdn.ConvBPDN) -> bool:
        if solver.k % 5 == 4:
            value = judge(X, components, GROUP, ALPHA, admm_codes(solver))[0]
            if value <= (1 + ADMM_ACCURACY) * optimum:
                reached.append(solver.k + 1)
        return bool(reached)

    admm(X, components, penalty, most, watch)
    return reached[0] if reached else most


def against(name: str, times: dict[str, Timing], X: Floats, components: Floats) -> Row:
    """Make the row of one peer."""
    targets = {"spams.lasso": SPAMS, "lars": 20.0, "cd": None, "sporco": 30.0}
    target = next(value for key, value in targets.items() if key in name)
    ours, theirs = times["ours"], times[name]
    value = certify(X, components)
    objective, gap = judge(X, components, GROUP, ALPHA, theirs.result)
    return Row(
        work(X), ours.median, name, theirs.median, target,
        accuracy=f"{both(value.objective.sum(), objective)}, gap {value.gap.max():.0e} / {gap:.0e}",
        note="ours without the certificate, which the peers do not have",
    )  # fmt: skip


def with_certificate(times: dict[str, Timing], work: str) -> Row:
    """Add the row of what a user calls."""
    ours, theirs = times["certified"].median, times["spams.lasso"].median
    return Row(f"{work}, with our certificate", ours, "spams.lasso", theirs, SPAMS)


def work(X: Floats) -> str:
    """Say what is done."""
    return f"circular sparse coding, q=3, alpha={ALPHA}, {len(X)} windows, gap 1e-6"

"""Symmetries of square patches beside the same dictionary without a group: every copy listed."""

from __future__ import annotations

from functools import partial

import numpy as np
from sklearn.datasets import load_sample_image
from sklearn.feature_extraction.image import extract_patches_2d

from benchmarks.data import Floats
from benchmarks.harness import Row, Section, interleave
from benchmarks.referee import both
from orbitdl import Codes, OrbitDictionaryLearning, encode
from orbitdl.coding import ActiveSet
from orbitdl.groups import Group, SquareSymmetry, Trivial

SIDE, TOL = 12, 1e-4
CASES = ((16, 0.1), (8, 0.1))
"""Components, and alpha."""
STEPS = 10
"""Iterations of the row that compares as many of both."""


def run(quick: bool) -> Section:
    """Code and learn with the group, and with its expansion: 8 components for each."""
    n, repeats = (500, 1) if quick else (5000, 3)
    X = patches(n)
    rows = [coding(X, q, alpha, repeats) for q, alpha in CASES]
    q, alpha = CASES[0]
    rows += [learning(X, q, alpha, repeats), as_many_steps(X, q, alpha, repeats)]
    return Section("Finite groups", rows, note=NOTE)


NOTE = (
    "The expansion of a finite group is its orbits written out as components that do not move. "
    "To code with it is the same problem, and both are asked for the same gap. To learn it is a "
    "larger one: copies need not stay copies, so that it ends lower on the data it has seen, "
    "with eight times the numbers and codes of fewer atoms."
)


def patches(n: int) -> Floats:
    """Return patches of a photograph without their mean, the strongest of 4 n: unit norm."""
    image = load_sample_image("china.jpg").mean(axis=2)
    found = extract_patches_2d(image, (SIDE, SIDE), max_patches=4 * n, random_state=0)
    found = found - found.mean(axis=(1, 2), keepdims=True)
    norms = np.linalg.norm(found, axis=(1, 2), keepdims=True)
    strong = np.sort(np.argsort(-norms.ravel(), kind="stable")[:n])
    return np.asarray(found[strong] / norms[strong])


def dictionaries(X: Floats, q: int) -> dict[str, tuple[Group, Floats]]:
    """Return q of the patches as components of the group, and all transformed copies of them."""
    components = X[np.random.default_rng(1).choice(len(X), q, replace=False)]
    turned = np.concatenate([np.rot90(components, k, axes=(1, 2)) for k in range(4)])
    every = np.concatenate([turned, turned[:, :, ::-1]])
    return {"ours": (SquareSymmetry(), components), "expansion": (Trivial(), every)}


def coding(X: Floats, q: int, alpha: float, repeats: int) -> Row:
    """Code with both dictionaries to one gap, certificates included."""
    coder = ActiveSet(tol=TOL)
    jobs = {
        name: partial(encode, X, components, group=group, alpha=alpha, coder=coder)
        for name, (group, components) in dictionaries(X, q).items()
    }
    times = interleave(jobs, repeats)
    found: list[Codes] = [times[name].result for name in jobs]
    return Row(
        f"coding, {work(X, q, alpha)}", times["ours"].median, expansion(q),
        times["expansion"].median, 1.2, at_least=False,
        accuracy=both(*(codes.objective.sum() for codes in found)),
        note="gaps " + " / ".join(f"{codes.gap.max():.0e}" for codes in found),
    )  # fmt: skip


def learning(X: Floats, q: int, alpha: float, repeats: int) -> Row:
    """Learn with both from one dictionary, each until it gains no more."""
    return fits(X, q, alpha, repeats, f"a whole fit, {work(X, q, alpha)}", 1.0, max_iter=500)


def as_many_steps(X: Floats, q: int, alpha: float, repeats: int) -> Row:
    """Learn with both from one dictionary, as many iterations."""
    name = f"{STEPS} iterations of learning, {work(X, q, alpha)}"
    return fits(X, q, alpha, repeats, name, None, max_iter=STEPS, tol=1e-12)


def fits(
    X: Floats,
    q: int,
    alpha: float,
    repeats: int,
    name: str,
    target: float | None,
    **settings: float,
) -> Row:
    """Compare fits of both with the same settings."""
    learners = {
        job: OrbitDictionaryLearning(
            len(start), group, alpha=alpha, init=start, batch_size=None, **settings
        )
        for job, (group, start) in dictionaries(X, q).items()
    }
    times = interleave({job: partial(one.fit, X) for job, one in learners.items()}, repeats)
    ours, theirs = (times[job].result.history_[-1] for job in learners)
    return Row(
        name, times["ours"].median, f"{expansion(q)}, learned", times["expansion"].median, target,
        accuracy=both(ours.objective, theirs.objective),
        note=f"{ours.number} iterations beside {theirs.number}, "
        f"{ours.atoms:.1f} atoms a patch beside {theirs.atoms:.1f}",
    )  # fmt: skip


def work(X: Floats, q: int, alpha: float) -> str:
    """Say what is coded."""
    return f"{len(X)} patches of {SIDE} x {SIDE}, {q} components, 8 moves, alpha={alpha}"


def expansion(q: int) -> str:
    """Name the competitor."""
    return f"Trivial, {8 * q} components"

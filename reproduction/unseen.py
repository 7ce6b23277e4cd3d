"""Section 5.3: learn from some orientations, complete others that were never seen.

At 36 Hz a window of 31 samples holds one heartbeat. Only windows whose maximum lies in the first
10 coordinates are learned from; windows whose maximum lies further right are then completed after
their first 10 coordinates were hidden.
"""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from typing import Any

import numpy as np
from sklearn.exceptions import ConvergenceWarning

from orbitdl import OrbitDictionaryLearning, complete
from orbitdl.datasets import segment
from orbitdl.groups import ContinuousShift, Trivial
from orbitdl.groups.base import Floats
from reproduction.claims import Finding
from reproduction.curves import stop_after
from reproduction.ecg_data import LEADS, Lead, signal
from reproduction.expected import BOUNDS, COMPLETION
from reproduction.figures import Table
from reproduction.narration import Tell, silent
from reproduction.shapes import similarity
from reproduction.unseen_figures import draw

__all__ = ["FULL", "QUICK", "Settings", "draw", "judge", "run", "tabulate"]


@dataclass(frozen=True)
class Settings:
    """The paper's numbers; how windows are drawn and hidden is our choice, it does not say."""

    averaged: int = 10
    length: int = 31
    trained_until: int = 30000
    n_train: int = 1000
    n_test: int = 100
    seen: tuple[int, int] = (0, 10)
    unseen: tuple[int, int] = (17, 29)
    hidden: int = 10
    alpha: float = 0.2
    regular_atoms: int = 31
    regular_alpha: float = 0.02
    iterations: int = 50
    seed: int = 0


FULL = Settings()
QUICK = Settings(n_test=20, iterations=20)


def run(settings: Settings = FULL, tell: Tell = silent) -> dict[str, Any]:
    """Return atoms, completions and mean errors of both methods, for each lead."""
    results: dict[str, Any] = {}
    for done, lead in enumerate(LEADS):
        tell(lead, done, len(LEADS))
        results[lead] = run_lead(settings, lead)
    tell("done", len(LEADS), len(LEADS))
    return results


def run_lead(settings: Settings, lead: Lead) -> dict[str, Any]:
    """Learn from seen orientations and complete unseen ones."""
    s = settings
    train, test, anywhere = orientations(s, lead)
    ours, regular, full = models_of(s, train, anywhere)
    holed = test.copy()
    holed[:, : s.hidden] = np.nan
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)  # the gap is reported below
        found = {
            name: complete(holed, model.components_, group=model.group)
            for name, model in (("continuous", ours), ("regular", regular))
        }
    completed = {name: one.X for name, one in found.items()}
    errors = {name: relative_errors(X, test) for name, X in completed.items()}
    usage = regular.encode(train).invariants().sum(axis=0)
    peaks = np.abs(regular.components_).argmax(axis=1)
    inside = (peaks >= s.seen[0]) & (peaks < s.seen[1])
    return {
        "train": train[:: len(train) // 20][:20],
        "generator": ours.components_,
        "atoms": regular.components_,
        "outside": float(usage[~inside].sum() / usage.sum()),
        "alike": float(similarity(ours.components_, full.components_)[0, 0]),
        "explained": {
            "continuous": [ours.score(train), ours.score(test)],
            "regular": [regular.score(train), regular.score(test)],
        },
        "test": test,
        "completed": completed,
        "errors": errors,
        "gap": max(float(np.max(1 - one.bound / one.value)) for one in found.values()),
        "hidden": s.hidden,
    }


def orientations(settings: Settings, lead: Lead) -> tuple[Floats, Floats, Floats]:
    """Return windows to learn from, windows to complete, and windows of any orientation."""
    s = settings
    whole = signal(lead)
    slow = whole[: len(whole) // s.averaged * s.averaged].reshape(-1, s.averaged).mean(axis=1)
    early = segment(slow[: s.trained_until], s.length, 1)
    late = segment(slow[s.trained_until :], s.length, 1)
    train = early[between(early, s.seen)][: s.n_train]
    candidates = late[between(late, s.unseen)]
    chosen = np.random.default_rng(s.seed).choice(len(candidates), s.n_test, replace=False)
    return train, candidates[chosen], early[:: len(early) // s.n_train][: s.n_train]


def between(X: Floats, places: tuple[int, int]) -> Any:
    """Tell which windows have their maximum at one of the places."""
    top = X.argmax(axis=1)
    return (top >= places[0]) & (top < places[1])


def models_of(settings: Settings, train: Floats, anywhere: Floats) -> Any:
    """Return our model, regular dictionary learning, and ours with every orientation seen."""
    s = settings

    def fit(X: Floats, q: int, group: Any, alpha: float) -> OrbitDictionaryLearning:
        return OrbitDictionaryLearning(
            q, group, alpha=alpha, max_iter=s.iterations, n_restarts=1, random_state=s.seed,
            callback=stop_after(s.iterations),
        ).fit(X)  # fmt: skip

    ours = fit(train, 1, ContinuousShift(), s.alpha)
    regular = fit(train, s.regular_atoms, Trivial(), s.regular_alpha)
    return ours, regular, fit(anywhere, 1, ContinuousShift(), s.alpha)


def relative_errors(X: Floats, truth: Floats) -> Floats:
    """Return ``||x - y||^2 / ||y||^2`` of every window."""
    errors: Floats = np.sum((X - truth) ** 2, axis=1) / np.sum(truth**2, axis=1)
    return errors


def judge(results: dict[str, Any]) -> dict[str, Finding]:
    """Compare with what Section 5.3 says; the paper does not name the lead, so both are shown."""
    mean = {lead: {name: float(np.mean(e)) for name, e in one["errors"].items()}
            for lead, one in results.items()}  # fmt: skip
    ours, regular = (
        "; ".join(f"{lead}: {values[name]:.{digits}g}" for lead, values in mean.items())
        for name, digits in (("continuous", 2), ("regular", 3))
    )
    gap = max(one["gap"] for one in results.values())
    fall = "; ".join(
        f"{lead}: {one['explained']['regular'][0]:.2f} to {one['explained']['regular'][1]:.2f}, "
        f"ours {one['explained']['continuous'][0]:.2f} to {one['explained']['continuous'][1]:.2f}"
        for lead, one in results.items()
    )
    worst = {key: [one[key] for one in results.values()] for key in ("outside", "alike")}
    return {
        "unseen.atoms": Finding(
            max(worst["outside"]),
            "; ".join(f"{lead}: {one['outside']:.0%}" for lead, one in results.items()),
            f"The score of regular DL falls from seen to unseen orientations ({fall}).",
        ),
        "unseen.generator": Finding(
            min(worst["alike"]),
            "; ".join(f"{lead}: {one['alike']:.3f}" for lead, one in results.items()),
            "One component, alpha = 0.2.",
        ),
        "unseen.continuous": Finding(
            mean[LEADS[0]]["continuous"], ours,
            "The paper does not say which lead, which windows and which entries; the verdict is "
            f"for the mean of the leads. On lead 0 we ask for {BOUNDS['unseen.continuous']:g}. "
            f"Norms are within {gap:.0e} of the least possible.",
        ),
        "unseen.regular": Finding(
            mean[LEADS[0]]["regular"], regular,
            "The atoms hardly reach into the observed entries, so agreeing with them takes huge "
            "coefficients. How huge depends on the smallest values of the atoms, which the paper's "
            "text does not determine.",
        ),
        "unseen.fails": Finding(
            min(values["regular"] / values["continuous"] for values in mean.values()),
            "; ".join(f"{lead}: {values['regular'] / values['continuous']:.3g} times"
                      for lead, values in mean.items()),
            "Where atoms may move, what was learned from seen orientations serves unseen ones.",
        ),
    }  # fmt: skip


def tabulate(results: dict[str, Any]) -> list[Table]:
    """Return mean and median errors."""
    rows = [
        (lead, name, f"{np.mean(e):.3g}", f"{np.median(e):.3g}", f"{np.max(e):.3g}",
         f"{COMPLETION[name]:g}")
        for lead, one in results.items() for name, e in one["errors"].items()
    ]  # fmt: skip
    columns = ("signal", "method", "mean", "median", "worst", "the paper (mean)")
    return [Table("Relative squared error of completed windows", columns, rows)]

"""Numbers that a change of structure must leave as they are: objectives and gaps, stored in a file.

Every coder on some groups, learning in all its ways, with and without missing entries. Where a
number is meant to change, store all of them anew, and say in the changelog why:

    python tests/estimators/test_frozen_behaviour.py
"""

import json
import warnings
from pathlib import Path

import numpy as np
import pytest
from numpy.testing import assert_allclose
from registry import CODERS, DOUBLED, HEXAGON, PERMUTATIONS, served

from orbitdl import OrbitDictionaryLearning, WaveformLearning, encode
from orbitdl.datasets import make_ecg_recording, make_shift_data
from orbitdl.groups import (
    ContinuousShift,
    ImageRotation,
    IntegerShift,
    InterpolatedShift,
    Orthogonal,
    Product,
    Reversal,
    SemidirectProduct,
    Translation,
    Trivial,
)

STORED = Path(__file__).with_suffix(".json")
SAME = 1e-6
"""Relative difference of objectives of codes: rounding differs between machines."""
NEAR = 1e-3
"""Of those of learning: rounding decides where inexact codes stop within their tolerance."""
BOTH_WAYS = SemidirectProduct(ContinuousShift(), Reversal())

# Coding: name in the registry, and whether its codes are a matter of rounding
CODED = [
    "trivial on matrices", "integer shift of channels", "interpolated shift 3",
    "continuous shift of channels", "orthogonal", "permutations", "square on images",
    "shifts and turns", "rotations of images", "hexagon",
]  # fmt: skip
EXTENDED = {
    "continuous shift with reversal": (BOTH_WAYS, (7, 2)),
    "integer shift with doubling": (SemidirectProduct(IntegerShift(), DOUBLED), (7, 2)),
    "rotations and reflections": (ImageRotation(reflections=True), (7, 7)),
}
"""Groups with finitely many other transformations, coded by whatever serves them."""


def draw(shape: tuple[int, ...], n: int, masked: bool, seed: int = 0) -> np.ndarray:
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((n, *shape))
    return np.where(rng.random(X.shape) < 0.15, np.nan, X) if masked else X


def components(group, shape: tuple[int, ...], q: int = 2) -> np.ndarray:
    A = group.on(shape).project(np.random.default_rng(7).standard_normal((q, *shape)))
    return A / np.linalg.norm(A.reshape(q, -1), axis=1).reshape(q, *[1] * len(shape))


def coded(group, shape: tuple[int, ...], coder, masked: bool) -> dict:
    X, A = draw(shape, 5, masked), components(group, shape)
    codes = encode(X, A, group=group, alpha=0.3, coder=coder)
    return {"objective": codes.objective.tolist(), "gap": float(codes.gap.max())}


def coding_cases() -> dict:
    """Return what codes data, by name: a function without arguments."""
    from registry import action

    cases = {}
    for name in CODED:
        rep = action(name)
        for coder in CODERS:
            for masked in (False, True):
                if not served(coder, name) or (masked and not CODERS[coder]().codes_masked):
                    continue
                made = CODERS[coder](tol=1e-6) if coder != "matching" else CODERS[coder]()
                label = f"encode, {name}, {coder}{', masked' if masked else ''}"
                cases[label] = (coded, rep.group, rep.shape, made, masked)
    for name, (group, shape) in EXTENDED.items():
        for masked in (False, True):
            label = f"encode, {name}{', masked' if masked else ''}"
            cases[label] = (coded, group, shape, None, masked)
    return cases


# Learning


def learned(group, shape, masked, q=2, n=40, **settings) -> dict:
    X = draw(shape, n, masked, seed=3)
    start = {"n_restarts": 2, "random_state": 0, "max_iter": 6, "alpha": 0.4, "tol": 1e-3}
    model = OrbitDictionaryLearning(q, group=group, **{**start, **settings}).fit(X)
    return _of_history(model)


def streamed(group, shape, masked, **settings) -> dict:
    X = draw(shape, 60, masked, seed=4)
    model = OrbitDictionaryLearning(
        2, group=group, alpha=0.4, random_state=0, n_restarts=2, **settings
    )
    for batch in np.array_split(X, 3):
        model.partial_fit(batch)
    return _of_history(model)


def structured(normalize_after: bool) -> dict:
    """Learn from data that have components, with one more than they need."""
    data = make_shift_data(n_samples=120, length=20, n_components=2, n_atoms=2, random_state=0)
    model = OrbitDictionaryLearning(
        4, alpha=0.3, random_state=1, n_restarts=1, normalize_after=normalize_after, max_iter=8
    ).fit(data.X)
    return _of_history(model)


def alternated(**settings) -> dict:
    heart = make_ecg_recording(duration=12, random_state=0).signal
    if settings.pop("gaps", False):
        heart = heart.copy()
        heart[500:540] = np.nan
    model = WaveformLearning(
        2, 60, noise="white", random_state=0, n_restarts=1, max_iter=5, **settings
    ).fit([heart[:1500], heart[1500:]])
    return _of_history(model)


def given_recordings_in_turn() -> dict:
    heart = make_ecg_recording(duration=12, random_state=0).signal
    model = WaveformLearning(1, 60, noise="white", random_state=0, n_restarts=1)
    for part in np.array_split(heart, 2):
        model.partial_fit(part)
    return _of_history(model)


def _of_history(model) -> dict:
    records = model.history_
    return {
        "objective": [record.objective for record in records],
        "gap": records[-1].gap,
        "unused": [record.unused for record in records],
    }


LEARNED = {
    "trivial, many components": (Trivial(), (6,), {"q": 36, "n": 90, "max_iter": 3}),
    "integer shift": (IntegerShift(), (10, 2), {}),
    "interpolated shift": (InterpolatedShift(2), (9,), {}),
    "continuous shift": (ContinuousShift(), (9, 2), {}),
    "orthogonal": (Orthogonal(), (3, 4), {}),
    "permutations": (PERMUTATIONS, (3, 2), {}),
    "hexagon": (HEXAGON, (2, 2), {}),
    "shifts and turns": (Product(ContinuousShift(), Orthogonal()), (7, 2), {"n": 12}),
    "translations": (Translation(), (3, 4), {"n": 12}),
    "both ways": (BOTH_WAYS, (9,), {"n": 24}),
    "doubling": (SemidirectProduct(IntegerShift(), DOUBLED), (7, 2), {"n": 24}),
    "rotations and reflections": (ImageRotation(reflections=True), (7, 7), {"n": 12}),
}


def learning_cases() -> dict:
    """Return what learns, by name."""
    cases = {}
    for name, (group, shape, settings) in LEARNED.items():
        for masked in (False, True):
            tail = ", masked" if masked else ""
            cases[f"fit, {name}{tail}"] = (learned, group, shape, masked, settings)
            batches = {**settings, "n": 40, "batch_size": 10, "max_iter": 3}
            if name in ("integer shift", "continuous shift", "both ways"):
                cases[f"batches, {name}{tail}"] = (learned, group, shape, masked, batches)
                cases[f"partial fit, {name}{tail}"] = (streamed, group, shape, masked)
    many = {"q": 36, "n": 90, "batch_size": 30, "max_iter": 2}
    cases["batches, trivial, many components"] = (learned, Trivial(), (6,), False, many)
    wide = {"q": 34, "n": 50, "batch_size": 25, "max_iter": 2}
    cases["batches, integer shift, many components"] = (learned, IntegerShift(), (5,), False, wide)
    cases["fit, more components than there are"] = (structured, False)
    cases["fit, normalise after"] = (structured, True)
    for word, settings in {
        "any time": {},
        "whole samples": {"integer_shifts": True},
        "positive": {"positive": True},
        "gaps": {"gaps": True},
        "random start": {"init": "random"},
        "recordings as batches": {"batch_size": 1},
    }.items():
        cases[f"waveforms, {word}"] = (alternated, settings)
    cases["waveforms, in turn"] = (given_recordings_in_turn,)
    return cases


CASES = coding_cases() | learning_cases()


def numbers_of(name: str) -> dict:
    """Run a case."""
    function, *arguments = CASES[name]
    settings = arguments.pop() if arguments and isinstance(arguments[-1], dict) else {}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return function(*arguments, **settings)


def is_extended(name: str) -> bool:
    """Tell whether codes are those of copies, whose coder may stop elsewhere in its tolerance."""
    return any(word in name for word in (*EXTENDED, "both ways", "doubling"))


@pytest.mark.parametrize("name", CASES)
def test_numbers_are_those_that_were_stored(name):
    stored, now = json.loads(STORED.read_text())[name], numbers_of(name)
    rtol = SAME if name.startswith("encode") and not is_extended(name) else NEAR
    assert_allclose(now["objective"], stored["objective"], rtol=rtol, err_msg=name)
    assert now["gap"] <= max(1.5 * stored["gap"], 1e-4 if is_extended(name) else 1e-6)
    assert now.get("unused") == stored.get("unused")


def test_every_stored_number_is_compared():
    assert json.loads(STORED.read_text()).keys() == CASES.keys()


if __name__ == "__main__":
    STORED.write_text(json.dumps({name: numbers_of(name) for name in CASES}, indent=1) + "\n")

"""Compile what the tests use, a half in each of two processes, so that none compiles it twice."""

import warnings
from concurrent.futures import ProcessPoolExecutor

import numpy as np

from orbitdl import OrbitDictionaryLearning, WaveformLearning
from orbitdl.datasets import make_ecg_recording
from orbitdl.groups import (
    ContinuousShift,
    IntegerShift,
    Orthogonal,
    Permutation,
    Product,
    Translation,
)


def data_points() -> None:
    """Learn from windows, whole and with gaps, under shifts of either kind."""
    X = np.random.default_rng(0).standard_normal((24, 12))
    gaps = np.where(np.random.default_rng(1).random(X.shape) < 0.1, np.nan, X)
    for group in (ContinuousShift(), IntegerShift()):
        for data in (X, gaps):
            model = OrbitDictionaryLearning(2, group, max_iter=2, n_restarts=1, random_state=0)
            model.fit(data).encode(data)


def vectors_and_images() -> None:
    """Learn from signals of vectors and from images, whole and with gaps."""
    for group, shape in (
        (Product(ContinuousShift(), Orthogonal()), (9, 3)),
        (Translation(), (5, 5)),
        (Permutation(), (3, 2)),
    ):
        X = np.random.default_rng(0).standard_normal((12, *shape))
        gaps = np.where(np.random.default_rng(1).random(X.shape) < 0.1, np.nan, X)
        for data in (X, gaps):
            model = OrbitDictionaryLearning(2, group, max_iter=2, n_restarts=1, random_state=0)
            model.fit(data).encode(data)


def recordings() -> None:
    """Learn from a recording, and list its events."""
    heart = make_ecg_recording(duration=20, random_state=0)
    for positive in (False, True):
        model = WaveformLearning(1, 100, max_iter=2, n_restarts=1, random_state=0, noise="white")
        model.set_params(positive=positive).fit(heart.signal).events(heart.signal)
    WaveformLearning(length=100).fit(heart.signal).events(heart.signal)


def main() -> None:
    """Do two at once; the third shares most kernels with the second, which is done by then."""
    warnings.simplefilter("ignore")
    parts = (recordings, data_points, vectors_and_images)
    with ProcessPoolExecutor(2) as pool:
        for done in [pool.submit(work) for work in parts]:
            done.result()


if __name__ == "__main__":
    main()

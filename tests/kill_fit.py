"""Kill a fit several times at random moments, let others go on, and print how it went as JSON.

A process of its own, without threads, so that it can fork with warm kernels.
"""

import json
import os
import signal
import sys
import time
from pathlib import Path

import numpy as np
from sklearn.base import clone

from orbitdl import OrbitDictionaryLearning, WaveformLearning
from orbitdl.datasets import make_ecg_recording, make_shift_data
from orbitdl.groups import ContinuousShift
from orbitdl.storage import checkpoint, checkpoint_files

LEARNING = {"max_iter": 15, "tol": 1e-9, "n_restarts": 3, "random_state": 0}
WINDOWS = make_shift_data(150, 20, 2, 2, subdivisions=None, random_state=0).X
HEART = make_ecg_recording(duration=20, sfreq=120, random_state=0).signal
KINDS = {
    "windows": (OrbitDictionaryLearning(3, ContinuousShift(), alpha=0.1, **LEARNING), WINDOWS),
    "line": (WaveformLearning(2, 60, alpha=0.5, **LEARNING, noise="white"), HEART),
}


def fit(kind: str, place: Path | None) -> OrbitDictionaryLearning | WaveformLearning:
    model, data = KINDS[kind]
    return clone(model).set_params(checkpoint=place).fit(data)


def fit_in_a_fork(kind: str, place: Path, result: Path) -> int:
    """Start a process that fits and stores the result; return its number."""
    pid = os.fork()
    if pid == 0:
        found = fit(kind, place)
        np.savez(result, components=found.components_, history=found.history_.to_frame())
        os._exit(0)
    return pid


def main(folder: Path, kind: str, wanted: int) -> None:
    checkpoint.SECONDS, checkpoint.SHARE = 0.0, 1e9  # write after every iteration
    expected = fit(kind, None)
    began = time.perf_counter()
    fit(kind, folder / "whole")
    usual = time.perf_counter() - began
    rng = np.random.default_rng(0)
    kills, same, reached, finished = 0, [], [], False
    place, result = folder / "checkpoint", folder / "result.npz"
    while kills < wanted or not finished:
        pid = fit_in_a_fork(kind, place, result)
        if kills < wanted:
            time.sleep(rng.uniform(0, 0.6 * usual))
            os.kill(pid, signal.SIGKILL)
        finished = os.waitpid(pid, 0)[1] != signal.SIGKILL
        if not finished:
            kills += 1
            if place.exists():
                runs = checkpoint_files.read_checkpoint(place).runs
                reached.append([len(run.history) for run in runs])
        else:
            found = np.load(result)
            numbers = expected.history_.to_frame().to_numpy()[:, :-1]  # but the seconds
            same.append(
                bool(
                    np.array_equal(found["components"], expected.components_)
                    and np.array_equal(found["history"][:, :-1], numbers)
                )
            )
            place.unlink()
    left = sorted(os.listdir(folder))
    print(json.dumps({"kills": kills, "same": same, "reached": reached, "left": left}))


if __name__ == "__main__":
    main(Path(sys.argv[1]), sys.argv[2], int(sys.argv[3]))

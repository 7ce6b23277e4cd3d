"""Recordings on disk that are larger than memory need be: learning from them takes little of it."""

import os
import re
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest

LONG = pytest.mark.skipif(
    "ORBITDL_LONG" not in os.environ, reason="takes ten minutes: make test-long"
)
GIGABYTE, MEGABYTE, CHANNELS, STRETCHES = 2**30, 2**20, 8, 16
FIT = """
import sys
import numpy as np
from orbitdl import WaveformLearning

recording = np.memmap(sys.argv[1], dtype=np.float32, mode="r").reshape(-1, int(sys.argv[2]))

def fit(values):
    model = WaveformLearning(
        1, 40, alpha=1.0, max_iter=1, n_restarts=1, detrend=False, random_state=0, noise="white",
        callback=lambda iteration: iteration.number == 1,
    )
    return model.fit(values)

fit(np.array(recording[:20000]))  # compiles
print("ready", flush=True)
print(len(fit(recording).codes_.atoms.time))
"""


def sparse_recording(path: Path, size: int) -> None:
    """Write a recording of so many bytes, most of which are zero and on no disk: 160 pulses."""
    with path.open("wb") as file:
        file.truncate(size)
    values = np.memmap(path, dtype=np.float32, mode="r+").reshape(-1, CHANNELS)
    pulse = 5.0 * np.sin(np.linspace(0.0, 2.0 * np.pi, 30))[:, None]
    for first in range(0, len(values), len(values) // STRETCHES):
        for k in range(10):
            values[first + 100 * k :][50:80] = pulse
    values.flush()


def own_memory(process: subprocess.Popen) -> int:
    """Return the bytes that a process has to itself; pages of the file it reads are not among them.

    Those are the system's to keep or to drop, so that peaks which count them say nothing.
    """
    status = Path(f"/proc/{process.pid}/status").read_text()
    found = re.search(r"RssAnon:\s+(\d+)", status)
    return 1024 * int(found[1]) if found else 0


@pytest.mark.skipif(sys.platform != "linux", reason="memory is read from /proc")
@pytest.mark.parametrize("gigabytes", [0.125, pytest.param(4.0, marks=LONG)])
def test_memory_does_not_grow_with_the_recording(tmp_path, gigabytes):
    path = tmp_path / "recording.bin"
    sparse_recording(path, int(gigabytes * GIGABYTE))
    command = [sys.executable, "-c", FIT, str(path), str(CHANNELS)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout.readline() == "ready\n"
        before = peak = own_memory(process)
        while process.poll() is None:
            peak = max(peak, own_memory(process))
            time.sleep(0.005)
        assert int(process.stdout.read()) >= 10 * STRETCHES
    assert peak - before < 100 * MEGABYTE
    assert peak < GIGABYTE

"""First use: imports bring what is used, kernels are compiled once, and kept where that can be."""

import json
import os
import subprocess
import sys

import pytest
from numba.core.compiler import Flags

from orbitdl.kernels.pipeline import CachedFlags

UNUSED = ("matplotlib", "dask", "jinja2", "rich", "typer")
HEAVY = ("numpy", "numba", "scipy", "sklearn", "pandas")

FIT = """
import json, sys
import numpy as np
from numba.core import event
from orbitdl import OrbitDictionaryLearning
from orbitdl.groups import Trivial

compiled = event.RecordingListener()
event.register("numba:compile", compiled)
X = np.random.default_rng(0).standard_normal((6, 4))
model = OrbitDictionaryLearning(2, Trivial(), 0.1, max_iter=1, random_state=0)
for _ in range(int(sys.argv[1])):
    model.fit(X)
print(json.dumps([len(compiled.buffer), model.components_.tolist()]))
"""


EXTRAS = ("cvxpy", "clarabel", "wfdb", "pooch", "matplotlib", "pyarrow", "dask", "distributed")
WITHOUT_EXTRAS = f"""
import sys
sys.modules.update(dict.fromkeys({EXTRAS}))  # None: importing them fails
import numpy as np
from orbitdl import OrbitDictionaryLearning, WaveformLearning, encode, select
from orbitdl.command.app import app
from orbitdl.datasets import make_ecg_recording
OrbitDictionaryLearning(1, max_iter=1).fit(np.random.default_rng(0).standard_normal((9, 8)))
model = WaveformLearning(length=200).fit(make_ecg_recording(duration=20, random_state=0).signal)
print(model.n_components_)
"""


def run(program: str, *arguments: str, **environment: str) -> subprocess.CompletedProcess[str]:
    """Run a program in a process of its own."""
    return subprocess.run(
        [sys.executable, "-W", "ignore", "-c", program, *arguments],
        env=os.environ | environment, capture_output=True, text=True, timeout=300,
    )  # fmt: skip


@pytest.mark.parametrize(
    ("statement", "unused"),
    [("import orbitdl", HEAVY), ("from orbitdl import OrbitDictionaryLearning", UNUSED)],
)
def test_imports_bring_what_is_used(statement, unused):
    found = run(f"import sys; {statement}; print(*set({unused}) & set(sys.modules))")
    assert found.returncode == 0, found.stderr
    assert found.stdout.split() == []


def test_settled_settings_are_found_where_the_same_settings_were_put():
    settings = Flags()
    settings.release_gil = True
    settled = CachedFlags(settings)
    assert {settings: "found"}.get(settled) == "found"
    assert {settled: "found"}.get(settings) == "found"


def test_a_copy_of_settled_settings_can_be_changed():
    settled = CachedFlags(Flags())
    other = settled.copy()
    other.release_gil = True
    assert hash(settled) == hash(CachedFlags(Flags()))
    assert other != settled
    assert settled == CachedFlags(Flags())


def test_a_later_process_compiles_nothing(tmp_path):
    first = run(FIT, "1", NUMBA_CACHE_DIR=str(tmp_path))
    later = run(FIT, "1", NUMBA_CACHE_DIR=str(tmp_path))
    assert first.stderr.count("orbitdl: compiling") == 1, first.stderr
    assert later.stderr == ""
    assert json.loads(first.stdout)[0] > 0
    assert json.loads(later.stdout) == [0, json.loads(first.stdout)[1]]


def test_where_compiled_code_cannot_be_kept_it_is_said_once_and_work_goes_on(tmp_path):
    (tmp_path / "file").touch()
    nowhere = {
        "NUMBA_CACHE_DIR": str(tmp_path / "file" / "folder"),
        "NUMBA_CACHE_LOCATOR_CLASSES": "UserProvidedCacheLocator",  # not beside the source either
    }
    found = run(FIT, "2", **nowhere)
    assert found.returncode == 0, found.stderr
    assert found.stderr.count("\n") == 1
    assert "set NUMBA_CACHE_DIR to" in found.stderr
    assert json.loads(found.stdout)[0] > 0


def test_everything_but_the_extras_works_without_them():
    done = run(WITHOUT_EXTRAS)
    assert done.returncode == 0, done.stderr

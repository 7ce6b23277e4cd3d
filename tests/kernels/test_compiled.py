"""Kernels are compiled once: learning, coding and reporting call them with the same types."""

import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import orbitdl
from orbitdl.kernels import OUTER, fast, hash_of, stamp

SCRIPT = """
import json, sys
import numpy as np
from numba.core.dispatcher import Dispatcher
import orbitdl
from orbitdl import OrbitDictionaryLearning, groups
from orbitdl.report import Report

name, folder = sys.argv[1:]
t = np.arange(32)
pulse = np.exp(-0.5 * ((t - 16) / 2.0) ** 2)
rng = np.random.default_rng(0)
X = np.array([np.roll(pulse, s) for s in rng.integers(-8, 8, 12)])
X += 1e-3 * rng.standard_normal(X.shape)
model = OrbitDictionaryLearning(2, getattr(groups, name)(), 0.1, max_iter=2, random_state=0)
model.fit(X).save(f"{folder}/model")

def compiled():
    modules = [module for key, module in sys.modules.items() if key.startswith("orbitdl")]
    kernels = {k for module in modules for k in vars(module).values() if isinstance(k, Dispatcher)}
    return {f"{k.py_func.__module__}.{k.__name__}": len(k.signatures) for k in kernels}

learned = compiled()
loaded = orbitdl.load(f"{folder}/model").set_params(n_jobs=2)
loaded.encode(X)
loaded.encode(np.asfortranarray(X[:3]))
loaded.encode(X[::2].astype(np.float32))
loaded.denoise(X)
Report(loaded, X).write(f"{folder}/report.html")
print(json.dumps([learned, compiled()]))
"""


@pytest.mark.parametrize("group", ["ContinuousShift", "IntegerShift"])
def test_nothing_is_compiled_that_learning_has_not_compiled(tmp_path, group):
    """Of whole data: those with missing entries have kernels of their own."""
    result = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", SCRIPT, group, str(tmp_path)],
        capture_output=True,
        text=True,
        timeout=600,
    )
    assert result.returncode == 0, result.stderr
    learned, later = json.loads(result.stdout)
    assert later == learned
    assert max(learned.values()) == 1


# The cache on disk

SPECTRAL_NORM = (
    "import numpy as np; from orbitdl.groups.vectors.orthogonal import spectral_norms; "
    "print(spectral_norms(3.0 * np.eye(3)[None])[0])"
)


ORBITS = (
    "import numpy as np; from orbitdl import encode; from orbitdl.groups import IntegerShift; "
    "print(encode(np.eye(4)[:1], np.eye(4)[1:2], group=IntegerShift(), alpha=0.5).objective[0])"
)
"""The records that this kernel reads are classes of the package: cached code names them."""


@pytest.fixture
def copied(tmp_path):
    """Return a copy of the package, and what runs a program with it and with a cache of its own."""
    package = tmp_path / "orbitdl"
    shutil.copytree(Path(orbitdl.__file__).parent, package, ignore=shutil.ignore_patterns("__py*"))

    def run(program: str) -> float:
        own = {"PYTHONPATH": str(tmp_path), "NUMBA_CACHE_DIR": str(tmp_path / "cache")}
        command = [sys.executable, "-c", program]
        done = subprocess.run(command, env=os.environ | own, capture_output=True, check=True)
        return float(done.stdout)

    return package, run


def test_a_kernel_is_compiled_anew_when_one_that_it_calls_has_changed(copied):
    package, run = copied
    assert run(SPECTRAL_NORM) == 3.0
    callee = package / "groups/vectors/jacobi.py"  # the kernel is in clipping.py
    text = callee.read_text()
    assert text.count("return np.sqrt(W[p, k] ** 2") == 1
    callee.write_text(
        text.replace("return np.sqrt(W[p, k] ** 2", "return 2 * np.sqrt(W[p, k] ** 2")
    )
    assert run(SPECTRAL_NORM) == 6.0


def test_cached_kernels_of_records_that_are_gone_are_not_read(copied):
    package, run = copied
    assert run(ORBITS) == 0.375
    for path in (package / "coding").glob("*.py"):
        path.write_text(re.sub(r"\bOrbits\b", "Renamed", path.read_text()))
    assert run(ORBITS) == 0.375


def test_outer_packages_hold_no_kernels():
    root = Path(orbitdl.__file__).parent
    assert all((root / name / "__init__.py").exists() for name in OUTER)
    sources = [path for name in OUTER for path in (root / name).rglob("*.py")]
    assert not [path for path in sources if "from orbitdl.kernels import" in path.read_text()]


def test_the_hash_depends_on_every_source_file_but_those_of_outer_packages(tmp_path):
    for name in ("a.py", "coding/b.py", "report/c.py"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text("x = 1\n")
    before = hash_of(tmp_path)
    (tmp_path / "report/c.py").write_text("x = 2\n")
    assert hash_of(tmp_path) == before
    (tmp_path / "coding/b.py").write_text("x = 2\n")
    assert hash_of(tmp_path) != before


def test_kernels_are_not_cached_where_numba_has_other_private_names(monkeypatch):
    monkeypatch.setattr("orbitdl.kernels.watching.cached", True)
    monkeypatch.setattr("orbitdl.kernels.stamp", lambda kernel: stamp(object()))
    kernel = fast(lambda x: x + 1)
    assert kernel(1) == 2
    assert kernel._cache.cache_path is None
    assert not orbitdl.kernels.watching.cached


# Compiling without the private parts of Numba

LASSO = """
import numpy as np
{breakage}
from orbitdl import kernels
from orbitdl.coding.working_set import solve_lassos
from orbitdl.groups.vectors.jacobi import nuclear_norms

rng = np.random.default_rng(0)
signals, targets, c = rng.standard_normal((3, 5)), rng.standard_normal((1, 5)), np.ones(3)
solve_lassos(np.array([0, 3]), signals, targets, 0.1, 3, c)
print(kernels.is_sound(), *c.tolist(), *nuclear_norms(signals[None, :, :3]).tolist())
"""
BREAKAGES = {
    "a name is gone": "import numba.core.codegen as c; del c.JITCodeLibrary",
    "an option is gone": "import numba.core.options as o; del o.DefaultOptions._nrt",
    "compiling fails": """
import orbitdl.kernels.pipeline as p
def fail(self): raise AttributeError("_finalized")
p.LinkedLibrary._finalize_final_module = fail
""",
    "compiled code is wrong": """
import orbitdl.kernels.pipeline as p
p._squaring = lambda: lambda x: 0.0
""",
}


def solved(folder: Path, breakage: str) -> tuple[bool, list[float]]:
    """Return whether a process of its own compiled by the trimmed pipeline, and its results."""
    done = subprocess.run(
        [sys.executable, "-c", LASSO.format(breakage=breakage)],
        env=os.environ | {"NUMBA_CACHE_DIR": str(folder)}, capture_output=True, text=True,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    sound, *numbers = done.stdout.split()
    return sound == "True", [float(number) for number in numbers]


@pytest.fixture(scope="module")
def trimmed(tmp_path_factory):
    sound, results = solved(tmp_path_factory.mktemp("cache"), "")
    assert sound
    return results


@pytest.mark.parametrize("breakage", BREAKAGES.values(), ids=BREAKAGES)
def test_numba_compiles_alone_where_the_trimmed_pipeline_fails(tmp_path, trimmed, breakage):
    sound, results = solved(tmp_path, breakage)
    assert not sound
    assert results == pytest.approx(trimmed, rel=1e-12)

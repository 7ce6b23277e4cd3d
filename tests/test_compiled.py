"""Kernels are compiled once: learning, coding and reporting call them with the same types."""

import json
import subprocess
import sys

import pytest

SCRIPT = """
import json, sys
import numpy as np
from numba.core.dispatcher import Dispatcher
import orbitdl
from orbitdl import OrbitDictionaryLearning, groups
from orbitdl.report import write_report

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
write_report(loaded, X, f"{folder}/report.html")
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

"""Speed of orbitdl beside its peers: ``python -m benchmarks --help``.

One file a comparison, each with a function ``run(quick)`` that returns a `harness.Section`.
"""

import os

# One thread each, for every program; this must be said before NumPy is imported.
for _variable in (
    "OMP_NUM_THREADS",
    "OPENBLAS_NUM_THREADS",
    "MKL_NUM_THREADS",
    "BLIS_NUM_THREADS",
    "NUMBA_NUM_THREADS",
    "VECLIB_MAXIMUM_THREADS",
):
    os.environ[_variable] = "1"

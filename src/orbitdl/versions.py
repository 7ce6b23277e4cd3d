"""Version of this package, and of what its results depend on."""

from __future__ import annotations

import os
import platform
from importlib import import_module, metadata

LIBRARIES = {
    "NumPy": "numpy",
    "SciPy": "scipy",
    "Numba": "numba",
    "scikit-learn": "sklearn",
    "pandas": "pandas",
}
"""Modules by the name of their project."""
UNKNOWN = "0+unknown"
"""The version of source code that is imported without being installed."""


def installed_version() -> str:
    """Return the version of the installed package: that of the tag it was built from.

    Between tags it counts the commits since the last one, such as 0.2.dev7+g1a2b3c4.
    """
    try:
        return metadata.version("orbitdl")
    except metadata.PackageNotFoundError:
        return UNKNOWN


def show_versions() -> dict[str, str]:
    """Print and return the versions of orbitdl, of what it computes with, and of the machine.

    Returns
    -------
    dict of str
        orbitdl, Python, platform, NumPy, SciPy, Numba, scikit-learn, pandas, BLAS libraries with
        their numbers of threads, and the number of CPUs, all as text.

    See Also
    --------
    orbitdl.WaveformLearning : Its ``provenance_`` holds the versions that a model was fitted with.

    Examples
    --------
    Reports of bugs begin with what this prints:

    >>> import orbitdl
    >>> versions = orbitdl.show_versions()
    orbitdl       ...
    Python        3...
    >>> list(versions)
    ['orbitdl', 'Python', 'platform', 'NumPy', 'SciPy', 'Numba', 'scikit-learn', 'pandas',
     'BLAS', 'CPUs']
    """
    versions = {
        "orbitdl": installed_version(),
        "Python": platform.python_version(),
        "platform": platform.platform(),
        **{name: _version_of(module) for name, module in LIBRARIES.items()},
        "BLAS": _blas(),
        "CPUs": str(os.cpu_count()),
    }
    print("\n".join(f"{name:13} {version}" for name, version in versions.items()))
    return versions


def _version_of(module: str) -> str:
    """Return the version of a library, or why it cannot be imported."""
    try:
        return str(import_module(module).__version__)
    except ImportError as error:
        return f"cannot be imported ({error})"


def _blas() -> str:
    """Return the BLAS libraries that NumPy and SciPy loaded."""
    try:
        import_module("scipy.linalg")
        from threadpoolctl import threadpool_info
    except ImportError as error:
        return f"unknown ({error})"
    found = (pool for pool in threadpool_info() if pool["user_api"] == "blas")
    return (
        ", ".join(
            f"{pool['internal_api']} {pool['version']} ({pool['num_threads']} threads)"
            for pool in found
        )
        or "none found"
    )

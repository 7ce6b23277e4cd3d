"""The version of the package, and what `show_versions` prints."""

import os
import subprocess
import sys
from importlib import metadata

import numba
import numpy
import pandas
import pytest
import scipy
import sklearn
from packaging.version import Version

import orbitdl
from orbitdl import versions


def test_the_version_is_that_of_the_installed_package():
    try:
        installed = metadata.version("orbitdl")
    except metadata.PackageNotFoundError:
        pytest.skip("the package is not installed, but imported as source code")
    assert orbitdl.__version__ == installed
    assert str(Version(orbitdl.__version__))


def test_source_code_that_is_not_installed_has_a_version_that_sorts_first(monkeypatch):
    def missing(name):
        raise metadata.PackageNotFoundError(name)

    monkeypatch.setattr(versions.metadata, "version", missing)
    assert Version("0.0.1") > Version(orbitdl.__version__)


def test_an_unknown_name_is_still_an_error():
    with pytest.raises(AttributeError, match="no_such_name"):
        _ = orbitdl.no_such_name


def test_importing_the_package_does_not_read_metadata():
    code = (
        "import sys; before = set(sys.modules); import orbitdl; "
        "sys.exit('importlib.metadata' in sys.modules.keys() - before)"
    )
    assert subprocess.run([sys.executable, "-c", code]).returncode == 0


def test_versions_are_printed_as_they_are_returned(capsys):
    found = orbitdl.show_versions()
    lines = capsys.readouterr().out.splitlines()
    assert lines == [f"{name:13} {version}" for name, version in found.items()]


def test_versions_are_those_of_the_libraries():
    found = orbitdl.show_versions()
    ours = [found[name] for name in ("NumPy", "SciPy", "Numba", "scikit-learn", "pandas")]
    assert ours == [one.__version__ for one in (numpy, scipy, numba, sklearn, pandas)]
    assert found["orbitdl"] == orbitdl.__version__
    assert found["CPUs"] == str(os.cpu_count())
    if sys.platform != "darwin":  # whose own BLAS is none that threadpoolctl knows
        assert "threads" in found["BLAS"]


def test_a_library_that_cannot_be_imported_is_named_and_the_rest_still_printed(monkeypatch):
    real = versions.import_module

    def broken(name):
        if name in ("numba", "scipy.linalg"):
            raise ImportError(f"no {name} here")
        return real(name)

    monkeypatch.setattr(versions, "import_module", broken)
    found = orbitdl.show_versions()
    assert found["Numba"] == "cannot be imported (no numba here)"
    assert found["BLAS"] == "unknown (no scipy.linalg here)"
    assert found["NumPy"] == numpy.__version__

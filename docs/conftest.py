"""The examples of every page run in a folder of their own, beside stand-ins for other packages."""

import pytest
import stand_ins


@pytest.fixture(autouse=True)
def elsewhere(tmp_path, monkeypatch):
    """Leave nothing behind where the tests were started."""
    monkeypatch.chdir(tmp_path)


@pytest.fixture(autouse=True)
def others(doctest_namespace):
    """Give pages about other packages what these would give."""
    doctest_namespace["raw"] = stand_ins.Raw()
    doctest_namespace["epochs"] = stand_ins.Epochs()
    doctest_namespace["recording"] = stand_ins.SpikeRecording()
    doctest_namespace["NumpySorting"] = stand_ins.NumpySorting

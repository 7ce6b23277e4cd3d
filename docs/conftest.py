"""The examples of every page run in a folder of their own."""

import pytest

THEIRS = ("DeprecationWarning", "PendingDeprecationWarning", "FutureWarning")
"""Warnings in which other packages speak of each other, on pages about them."""
PAGES = ("mne.md", "spikeinterface.md")


@pytest.fixture(autouse=True)
def elsewhere(tmp_path, monkeypatch):
    """Leave nothing behind where the tests were started."""
    monkeypatch.chdir(tmp_path)


def pytest_collection_modifyitems(items):
    """Ignore warnings of other packages on pages about these."""
    for item in items:
        if item.path.name in PAGES:
            for kind in THEIRS:
                item.add_marker(pytest.mark.filterwarnings(f"ignore::{kind}"))

"""What all tests share: pictures without windows, and what is said once all have run."""

import os

import pytest

os.environ.setdefault("MPLBACKEND", "Agg")


@pytest.hookimpl(wrapper=True, tryfirst=True)  # after all else that is summarised
def pytest_terminal_summary(terminalreporter):
    """Say how to run the tests that need a browser, if they were skipped for want of one."""
    yield
    skipped = terminalreporter.stats.get("skipped", [])
    many = sum("Chromium is not installed" in str(report.longrepr) for report in skipped)
    if many:
        terminalreporter.write_line(
            f"{many} tests of the report in a browser were skipped: install Chromium "
            "(apt install chromium) to run them.",
            yellow=True,
        )

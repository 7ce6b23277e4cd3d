"""What someone sees who has just cloned the project."""

import os
import subprocess
import sys
from pathlib import Path


def test_without_chromium_the_last_lines_say_how_to_run_the_tests_that_need_it(tmp_path):
    file = Path(__file__).with_name("test_report_in_browser.py")
    result = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", str(file)],
        env=os.environ | {"PATH": str(tmp_path)},
        capture_output=True,
        text=True,
    )
    assert result.returncode == 0, result.stdout
    said = "tests of the report in a browser were skipped: install Chromium (apt install chromium)"
    assert said in "".join(result.stdout.splitlines()[-2:])

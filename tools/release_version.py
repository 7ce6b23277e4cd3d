"""Compare the tag of a release with the repository: python tools/release_version.py v0.1.0."""

from __future__ import annotations

import re
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]


def faults(tag: str, root: Path = ROOT) -> list[str]:
    """Return what does not fit the tag of a release."""
    found = []
    if not re.fullmatch(r"v\d+\.\d+\.\d+((a|b|rc)\d+)?", tag):
        found.append(f"{tag} is not v and a version, such as v0.1.0")
    version = tag.removeprefix("v")
    changelog = (root / "CHANGELOG.md").read_text(encoding="utf-8")
    heading = next(iter(re.findall(r"^## (.*)$", changelog, re.MULTILINE)), "")
    if not re.fullmatch(rf"{re.escape(version)} \(\d{{4}}-\d\d-\d\d\)", heading):
        found.append(f'CHANGELOG.md begins with "{heading}", not "{version} (YYYY-MM-DD)"')
    citation = (root / "CITATION.cff").read_text(encoding="utf-8")
    cited = re.findall(r"^version: *(\S+)$", citation, re.MULTILINE)
    if cited != [version]:
        found.append(f"CITATION.cff cites version {', '.join(cited)}, not {version}")
    return found


if __name__ == "__main__":
    sys.exit("\n".join(faults(sys.argv[1])) or None)

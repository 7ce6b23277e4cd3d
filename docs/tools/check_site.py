"""Check a built site: every link to a page of it holds, and nothing asks the network.

python docs/tools/check_site.py out/site
"""

from __future__ import annotations

import re
import sys
from dataclasses import dataclass, field
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit

LOADING = {"script", "img", "link", "iframe", "source", "video", "audio", "object", "embed"}
"""What a browser fetches without being asked."""
FETCHED = re.compile(r"url\(\s*['\"]?(?:https?:)?//|@import\s+['\"](?:https?:)?//")
"""What a style sheet fetches from elsewhere."""


@dataclass
class Page(HTMLParser):
    """The links and the anchors of one page.

    Attributes
    ----------
    links : list of (tag, address)
    anchors : set of str
    """

    path: Path
    links: list[tuple[str, str]] = field(default_factory=list)
    anchors: set[str] = field(default_factory=set)

    def __post_init__(self) -> None:
        super().__init__()
        self.feed(self.path.read_text(encoding="utf-8"))

    def __hash__(self) -> int:
        return hash(self.path)

    def handle_starttag(self, tag: str, attributes: list[tuple[str, str | None]]) -> None:
        """Note what a tag is called and what it points to."""
        given = dict(attributes)
        self.anchors |= {value for key in ("id", "name") if (value := given.get(key))}
        self.links += [(tag, value) for key in ("href", "src") if (value := given.get(key))]


def faults(site: Path) -> list[str]:
    """Return what is wrong with a site, a line for each fault."""
    pages = {path.resolve(): Page(path) for path in sorted(site.rglob("*.html"))}
    if not pages:
        return [f"{site}: there is no page here"]
    found = [
        f"{page.path.relative_to(site)}: {fault}"
        for page in pages.values()
        for tag, address in page.links
        if (fault := fault_of(page, tag, address, pages))
    ]
    styles = [path for path in site.rglob("*.css") if FETCHED.search(path.read_text())]
    return found + [f"{path.relative_to(site)}: fetches from the network" for path in styles]


def fault_of(page: Page, tag: str, address: str, pages: dict[Path, Page]) -> str | None:
    """Return what is wrong with one link, if anything."""
    try:
        parts = urlsplit(address)
    except ValueError as error:
        return f"{address} is not an address: {error}"
    if parts.scheme in ("data", "mailto"):
        return None
    if parts.scheme or parts.netloc:
        return external_fault(tag, address)
    target = (page.path.parent / unquote(parts.path)).resolve() if parts.path else page.path
    target = target.resolve()
    if not target.exists():
        return f"{address} does not exist"
    anchor = unquote(parts.fragment)
    if anchor and target in pages and anchor not in pages[target].anchors:
        return f"{address}: there is no such place on that page"
    return None


def external_fault(tag: str, address: str) -> str | None:
    """Return what is wrong with an address elsewhere, which is read but not asked."""
    if tag in LOADING:
        return f"<{tag}> fetches {address} from the network"
    parts = urlsplit(address)
    fine = parts.scheme == "https" and "." in parts.netloc and not re.search(r"\s", address)
    return None if fine else f"{address} is not a whole address"


def main() -> int:
    """Say what is wrong, or that all is well."""
    site = Path(sys.argv[1])
    wrong = faults(site)
    print(*wrong, sep="\n", end="\n" if wrong else "")
    if wrong:
        return 1
    print(f"All links hold. The site: {site / 'index.html'}")
    return 0


if __name__ == "__main__":
    sys.exit(main())

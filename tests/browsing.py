"""Headless Chromium for tests of pages, and all that can go wrong on one."""

import shutil
from contextlib import contextmanager
from pathlib import Path

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser")
SCREENSHOTS = Path(__file__).parents[1] / "out" / "screenshots"
WIDE, NARROW = {"width": 1200, "height": 900}, {"width": 360, "height": 740}


@contextmanager
def chromium():
    """Start the browser, and end it."""
    from playwright.sync_api import sync_playwright

    SCREENSHOTS.mkdir(parents=True, exist_ok=True)
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        yield browser
        browser.close()


class Watched:
    """A page with everything that went wrong on it, and every address it asked for."""

    def __init__(self, page):
        self.page, self.faults, self.requests = page, [], []
        page.on("console", lambda message: self.faults.append(message.text))
        page.on("pageerror", lambda error: self.faults.append(str(error)))
        page.on("request", lambda request: self.requests.append(request.url))

    def open(self, file):
        self.faults.clear()
        self.requests.clear()
        self.page.goto(Path(file).as_uri())
        return self.page

    def overflows(self):
        return self.page.evaluate("document.documentElement.scrollWidth > window.innerWidth")

    def clipped(self):
        """Return what reaches beyond the screen, or is wider than the box that shows it."""
        return self.page.evaluate(
            """Array.from(document.querySelectorAll("header *, main *, footer *"))
                .filter((part) => part.clientWidth > 0 && part.getBoundingClientRect().left >= 0)
                .filter((part) => !part.closest(".plot, .skip, select, input"))
                .filter((part) => part.scrollWidth > part.clientWidth + 1 ||
                    part.getBoundingClientRect().right > window.innerWidth + 1)
                .map((part) => `${part.tagName} ${part.id}: ${part.textContent.slice(0, 40)}`)"""
        )

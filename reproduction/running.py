"""Run experiments and write one page about them."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from functools import partial
from importlib import import_module
from pathlib import Path
from typing import Any

from orbitdl.plot.canvas import require_matplotlib
from reproduction.claims import Finding, Row
from reproduction.expected import CLAIMS
from reproduction.figures import save, styled
from reproduction.narration import Tell, silent
from reproduction.page import Outcome, write_page

PARTS = {
    "recovery": ("recovery", "subgroups"),
    "ecg": ("ecg", "peaks", "subdivisions"),
    "timing": ("timing",),
    "unseen": ("unseen",),
    "synchronization": ("synchronization",),
}
"""The modules of each experiment."""

NAMES = tuple(PARTS)

WRITTEN = "on the page"
"""What is told of an experiment at its end."""

Report = Callable[[str, str, int, int], None]
"""Told of progress: the experiment, what it does, steps done, steps in all."""


@dataclass(frozen=True)
class Reproduction:
    """What `reproduce` leaves behind.

    Attributes
    ----------
    rows : list of Row
        One a claim of the paper: `claim`, `got`, `verdict` and `why`.
    folder : Path
        Holds ``reproduction.html``, ``reproduction.md``, ``results.json`` and ``figures/``.
    """

    rows: list[Row]
    folder: Path

    @property
    def page(self) -> Path:
        """The page to open first."""
        return self.folder / "reproduction.html"


def reproduce(
    names: Sequence[str] = NAMES,
    *,
    quick: bool = False,
    output: str | Path = Path("out/reproduction"),
    report: Report | None = None,
) -> Reproduction:
    """Run the paper's experiments and write a page that sets our results beside the paper's.

    Parameters
    ----------
    names : sequence of {"recovery", "ecg", "timing", "unseen", "synchronization", "all"}
        Which experiments; all if left out.
    quick : bool
        Run them at reduced size, in about a minute and a half.
    output : path
        Folder to write to; made if need be.
    report : callable, optional
        Called with the experiment, what it does, the steps done and the steps in all.

    Returns
    -------
    Reproduction
        The rows of the page and the folder it is in.

    Notes
    -----
    The page is written anew whenever an experiment ends: one that is interrupted costs no other.
    Experiments on the electrocardiogram load record 100 (see `orbitdl.datasets.load_ecg`). Where
    it cannot be had, their rows say so with the verdict "not run".
    """
    chosen = NAMES if "all" in names else [require_name(name) for name in dict.fromkeys(names)]
    require_matplotlib()
    folder = Path(output)
    folder.mkdir(parents=True, exist_ok=True)
    outcomes = list[Outcome]()
    for name in chosen:
        outcomes.append(run(name, quick, partial(report, name) if report else silent))
        for picture in outcomes[-1].pictures:
            save(picture, folder / "figures")
        write_page(outcomes, folder, quick)
        if report:
            report(name, WRITTEN, 1, 1)
    return Reproduction([row for outcome in outcomes for row in outcome.rows], folder)


def require_name(name: str) -> str:
    """Return the name of an experiment, or say which there are."""
    if name not in PARTS:
        raise ValueError(f"there is no experiment {name!r}: choose from {', '.join(NAMES)}, all.")
    return name


def run(name: str, quick: bool, tell: Tell) -> Outcome:
    """Run all parts of one experiment; what needs a missing recording says so."""
    outcome, reason = Outcome(name), ""
    findings: dict[str, Finding] = {}
    wall, cpu = time.perf_counter(), time.process_time()
    for part in PARTS[name]:
        module: Any = import_module(f"reproduction.{part}")
        settings = module.QUICK if quick else module.FULL
        try:
            results = module.run(settings, tell)
        except (FileNotFoundError, ImportError) as error:
            reason = f"Not run: {error}"
            continue
        findings |= module.judge(results)
        outcome.results[part] = {"settings": asdict(settings), **results}
        with styled():
            outcome.pictures += module.draw(results)
        outcome.tables += module.tabulate(results)
    claims = [claim for claim in CLAIMS if claim.experiment == name]
    outcome.rows += [Row.of(claim, findings.get(claim.key), reason) for claim in claims]
    outcome.seconds = time.perf_counter() - wall
    outcome.cpu_seconds = time.process_time() - cpu
    return outcome

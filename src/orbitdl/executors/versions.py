"""Whether the workers of a cluster run the same software as this process."""

from __future__ import annotations

import platform
import pydoc
from typing import Any

from orbitdl.executors.faults import ClusterError, in_words

OWN = "orbitdl.__version__"
LOST = OSError, TimeoutError
"""What is returned in place of an answer where the connection to a worker is lost."""


def require_alike(client: Any) -> None:
    """Refuse a cluster of another Python or orbitdl, before any work.

    Workers are asked by functions of Python itself: those without orbitdl know no other.
    """
    if client.asynchronous:
        raise ClusterError(
            "the client of the Dask cluster is asynchronous, but fit waits for results; make it "
            "with Client(...) alone."
        )
    with in_words(client):
        pythons = _asked(client, platform.python_version)
        versions = _asked(client, pydoc.locate, OWN)
    for who in pythons.keys() & versions.keys():
        _require(who, "Python", _minor(pythons[who]), _minor(platform.python_version()))
        _require(who, "orbitdl", versions[who], pydoc.locate(OWN))


def _asked(client: Any, ask: Any, *args: str) -> dict[str, Any]:
    """Return what the scheduler and all workers say; one that dies meanwhile says nothing.

    Dask gives its tasks to others, or to the worker that takes its place.
    """
    told = {"the scheduler": client.run_on_scheduler(ask, *args)}
    answers: dict[str, Any] = client.run(ask, *args, on_error="return")
    alive = ((name, one) for name, one in answers.items() if not isinstance(one, LOST))
    return told | {f"the worker {name}": answer for name, answer in alive}


def _require(who: str, what: str, there: Any, here: Any) -> None:
    if isinstance(there, Exception):
        raise ClusterError(f"{who} cannot import {what} ({there}); install {what} {here} there.")
    if there == here:
        return
    if there is None:
        raise ClusterError(f"{who} has no {what}; install {what} {here} there.")
    raise ClusterError(
        f"{who} has {what} {there}, but this process has {here}; install the same on both."
    )


def _minor(version: Any) -> Any:
    """Return "3.12" of "3.12.4", and anything else as it is."""
    return ".".join(version.split(".")[:2]) if isinstance(version, str) else version

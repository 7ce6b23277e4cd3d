"""The command line: ``orbitdl fit``, ``orbitdl events`` and the rest."""

from orbitdl.command.app import app, main

__all__ = ["app", "main"]

"""Kernels that only other kernels call are optimised with those, not before.

Numba makes machine code of every kernel that it compiles, and links a kernel that is called into
the one that calls it, to be optimised once more there. Of kernels that nothing else calls the
first is never used: it is left out here, which halves the time of a first use.
"""

from __future__ import annotations

from typing import Any

from numba.core.codegen import JITCodeLibrary
from numba.core.compiler import CompilerBase, DefaultPassBuilder


class Linked(CompilerBase):
    """Compiles as Numba does, to code that is ready to be linked and nothing more."""

    def define_pipelines(self) -> list[Any]:
        """Return Numba's steps; what they lower goes to a library of the kind below."""
        codegen = self.state.targetctx.codegen()
        self.state.library = self.library()(codegen, self.state.func_id.func_qualname)
        return [DefaultPassBuilder.define_nopython_pipeline(self.state)]

    def library(self) -> type[LinkedLibrary]:
        """Return what the code is kept in."""
        return LinkedLibrary


class LinkedOptimised(Linked):
    """The same, optimised before it is linked: where loops are found while they are alone."""

    def library(self) -> type[LinkedLibrary]:
        """Return what the code is kept in."""
        return OptimisedLibrary


class LinkedLibrary(JITCodeLibrary):
    """Code that is linked into other code. It never runs by itself, so it needs no address."""

    def _optimize_final_module(self) -> None:
        """Leave it to the kernel that this is linked into."""

    def _finalize_final_module(self) -> None:
        """Make no machine code."""
        self._finalized = True

    @property
    def codegen(self) -> Any:
        """The code generator as the last step of compiling sees it."""
        return Nowhere


class OptimisedLibrary(LinkedLibrary):
    """The same, for code that is optimised by itself first."""

    def _optimize_final_module(self) -> None:
        """Optimise as Numba does."""
        JITCodeLibrary._optimize_final_module(self)


class Nowhere:
    """Where code without an address keeps what Numba stores beside it: not at all.

    It would be needed to call back into Python only.
    """

    @staticmethod
    def set_env(name: str, environment: Any) -> None:
        """Ignore it."""

"""What is left out when kernels are compiled, for a quick first use.

Numba makes machine code of every kernel that it compiles, and links a kernel that is called into
the one that calls it, to be optimised once more there. Of kernels that nothing else calls the
first is never used: it is left out here, which halves the time of a first use.

Numba also looks in every kernel for what ours do not contain, and hashes its settings for every
call that it finds a type for. Both together are a tenth of the time.
"""

from __future__ import annotations

from typing import Any

from numba.core.codegen import JITCodeLibrary
from numba.core.compiler import CompilerBase, DefaultPassBuilder, Flags
from numba.core.typed_passes import InlineOverloads, NopythonRewrites
from numba.core.untyped_passes import InlineClosureLikes, WithLifting

SPARED = NopythonRewrites, InlineOverloads, InlineClosureLikes, WithLifting
"""Steps for sums of whole arrays, overloads that are inlined, functions within functions and
`with`: kernels that make no array have none of them."""


class Settled(Flags):
    """Settings of the compiler that are read and hashed once: they must not change after that."""

    __slots__ = "hashed", "known"

    def __init__(self, settings: Flags | None = None) -> None:
        super().__init__(settings)
        self.known: dict[str, Any] | None = None
        self.hashed: int | None = None

    def values(self) -> dict[str, Any]:
        """Return all values, by name."""
        if self.known is None:
            self.known = super().values()
        return self.known

    def __hash__(self) -> int:
        if self.hashed is None:
            self.hashed = super().__hash__()
        return self.hashed

    def __eq__(self, other: object) -> bool:
        return self is other or super().__eq__(other)


class Spared(CompilerBase):
    """Compiles as Numba does, without the steps that have nothing to do."""

    def __init__(self, *settings: Any) -> None:
        super().__init__(*settings)
        self.state.flags = Settled(self.state.flags)  # copies of it, which do not change, are asked

    def define_pipelines(self) -> list[Any]:
        """Return Numba's steps, or those that kernels need which make no array."""
        steps = DefaultPassBuilder.define_nopython_pipeline(self.state)
        if not self.state.flags.nrt:
            steps.passes = [step for step in steps.passes if step[0] not in SPARED]
            steps.finalize()
        return [steps]


class Linked(Spared):
    """Compiles to code that is ready to be linked and nothing more."""

    def define_pipelines(self) -> list[Any]:
        """Return the steps; what they lower goes to a library of the kind below."""
        codegen = self.state.targetctx.codegen()
        self.state.library = self.library()(codegen, self.state.func_id.func_qualname)
        return super().define_pipelines()

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

"""A trimmed compiler: steps that our kernels do not need are left out, for a quick first use.

Numba generates machine code of every kernel, and links a kernel that is called into its callers,
to be optimised once more there. Of kernels that only kernels call the first is never used: it is
left out here, which halves the time of a first use.

Numba also searches every kernel for what ours do not contain, and hashes its settings for every
call that it types. Both together are a tenth of the time.

All of this leans on private parts of Numba. Where a name is missing, importing this module fails,
and where compiling fails, `is_sound` notices: kernels are compiled by Numba's own pipeline then.
"""

from __future__ import annotations

import logging
from collections.abc import Callable
from functools import cache
from typing import Any

import numpy as np
from numba import njit
from numba.core.codegen import JITCodeLibrary
from numba.core.compiler import Compiler, CompilerBase, DefaultPassBuilder, Flags
from numba.core.options import DefaultOptions
from numba.core.typed_passes import InlineOverloads, NopythonRewrites
from numba.core.untyped_passes import InlineClosureLikes, WithLifting

UNNEEDED = NopythonRewrites, InlineOverloads, InlineClosureLikes, WithLifting
"""Steps for sums of whole arrays, overloads that are inlined, functions within functions and
`with`: kernels that make no array have none of them."""

BORROWED: dict[str, Any] = {"_nrt": False}
"""For kernels that work on the arrays they are given and make none. To count the references to
every array of a state, at every call, takes as long as the mathematics where atoms are few."""
OWNED: dict[str, Any] = {"_nrt": True}
"""For the others. It must be stated: what is left open follows the caller."""


class CachedFlags(Flags):
    """Settings of the compiler, read and hashed once: they must not change after that."""

    __slots__ = "cached_hash", "cached_values"

    def __init__(self, settings: Flags | None = None) -> None:
        super().__init__(settings)
        self.cached_values: dict[str, Any] | None = None
        self.cached_hash: int | None = None

    def values(self) -> dict[str, Any]:
        """Return all values, by name."""
        if self.cached_values is None:
            self.cached_values = super().values()
        return self.cached_values

    def __hash__(self) -> int:
        if self.cached_hash is None:
            self.cached_hash = super().__hash__()
        return self.cached_hash

    def __eq__(self, other: object) -> bool:
        return self is other or super().__eq__(other)


class TrimmedCompiler(CompilerBase):
    """Compiles as Numba does, without the steps that have nothing to do."""

    def __init__(self, *settings: Any) -> None:
        super().__init__(*settings)
        self.state.flags = CachedFlags(self.state.flags)  # they change no more

    def define_pipelines(self) -> list[Any]:
        """Return Numba's steps, or those that kernels need which make no array."""
        steps = DefaultPassBuilder.define_nopython_pipeline(self.state)
        if not self.state.flags.nrt:
            steps.passes = [step for step in steps.passes if step[0] not in UNNEEDED]
            steps.finalize()
        return [steps]


class LinkedCompiler(TrimmedCompiler):
    """Compiles to code that is ready to be linked and nothing more."""

    def define_pipelines(self) -> list[Any]:
        """Return the steps; what they lower goes to a library of the kind below."""
        codegen = self.state.targetctx.codegen()
        self.state.library = self.library()(codegen, self.state.func_id.func_qualname)
        return super().define_pipelines()

    def library(self) -> type[LinkedLibrary]:
        """Return the class that stores the code."""
        return LinkedLibrary


class OptimisedLinkedCompiler(LinkedCompiler):
    """The same, optimised before it is linked: where loops are found while they are alone."""

    def library(self) -> type[LinkedLibrary]:
        """Return the class that stores the code."""
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
        return NoEnvironment


class OptimisedLibrary(LinkedLibrary):
    """The same, for code that is optimised by itself first."""

    def _optimize_final_module(self) -> None:
        """Optimise as Numba does."""
        JITCodeLibrary._optimize_final_module(self)


class NoEnvironment:
    """Where code without an address stores its environment: nowhere.

    It would be needed to call back into Python only.
    """

    @staticmethod
    def set_env(name: str, environment: Any) -> None:
        """Ignore it."""


# The settings of kernels, and the fallback


def or_plain(compiler: type[CompilerBase]) -> Callable[..., CompilerBase]:
    """Return what makes this compiler, or Numba's own where the trimmed ones fail."""
    return lambda *settings: (compiler if is_sound() else Compiler)(*settings)


_WITHIN = {"no_cpython_wrapper": True, "no_cfunc_wrapper": True}
ALONE: dict[str, Any] = {"pipeline_class": or_plain(TrimmedCompiler)}
"""For kernels that Python calls."""
LINKED: dict[str, Any] = {**_WITHIN, "pipeline_class": or_plain(LinkedCompiler)}
"""For kernels that only kernels call: compiled into each of them."""
OPTIMISED: dict[str, Any] = {**_WITHIN, "pipeline_class": or_plain(OptimisedLinkedCompiler)}
"""The same, optimised before it is linked."""

for _option in (*BORROWED, *_WITHIN):
    getattr(DefaultOptions, _option)  # Numba would refuse others only when it compiles


@cache
def is_sound() -> bool:
    """Return whether the trimmed compilers work with this Numba: compile a square, and compare.

    It takes less than a tenth of a second, in processes that compile anything at all.
    """
    try:
        correct = bool(_squaring()(3.0) == 9.0)
    except Exception:  # whatever fails in the private parts of a Numba that we do not know
        correct = False
    if not correct:
        logging.getLogger("orbitdl").info("orbitdl: compiling by Numba's own pipeline, slowly.")
    return correct


def _squaring() -> Any:
    """Return a kernel of which all kinds of compilers have made a part; it allocates an array."""

    @njit(**BORROWED, **_WITHIN, pipeline_class=LinkedCompiler)
    def square(x):  # type: ignore[no-untyped-def]
        return x * x

    @njit(**BORROWED, **_WITHIN, pipeline_class=OptimisedLinkedCompiler)
    def write_square(x, out):  # type: ignore[no-untyped-def]
        out[0] = square(x)

    @njit(**OWNED, pipeline_class=TrimmedCompiler)
    def squared(x):  # type: ignore[no-untyped-def]
        out = np.zeros(1)
        write_square(x, out)
        return out[0]

    return squared

"""The cache of compiled kernels, keyed by the source of the package.

Numba compares a cached kernel with the file that it is written in. What the kernel calls, and the
constants that were compiled into it, may be in other files: machine code would outlive a change of
those. So a kernel is also cached under a hash of all source that it can depend on.
"""

from __future__ import annotations

import hashlib
from functools import cache
from pathlib import Path
from typing import Any

OUTER = frozenset({"command", "datasets", "plot", "recordings", "report", "selection", "storage"})
"""Packages above all kernels: no kernel depends on them, so editing them recompiles nothing."""


@cache
def source_hash() -> str:
    """Return a hash of the Python files of this package, without the outer packages."""
    return hash_of(Path(__file__).parents[1])


def hash_of(root: Path) -> str:
    """Return a hash of the names and contents of the Python files below a folder."""
    total = hashlib.sha256()
    for path in sorted(root.rglob("*.py")):
        name = path.relative_to(root)
        if name.parts[0] not in OUTER:
            content = path.read_bytes()
            total.update(f"{name.as_posix()} {len(content)}\n".encode() + content)
    return total.hexdigest()


def stamp(kernel: Any) -> bool:
    """Key the cache of a kernel by the source of the package; return whether that was possible.

    Numba has no public name for it. Without the private one, the kernel must not be cached.
    """
    try:
        file = kernel._cache._cache_file
        file._source_stamp = file._source_stamp, source_hash()
    except AttributeError:
        return False
    return True

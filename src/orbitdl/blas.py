"""One BLAS thread while this library works.

Its linear algebra is many products of small matrices, for which starting the threads of a BLAS
takes longer than the products do; what is large is divided among threads of its own (`n_jobs`).
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager
from functools import cache
from threading import Lock

import scipy.linalg  # noqa: F401  loads the BLAS of SciPy, which may not be that of NumPy
from threadpoolctl import ThreadpoolController

_limiting = Lock()
"""Held by the call that limits the process. Whoever comes while it is held is limited by it: so
calls may be nested and run side by side, and the number that is restored is always the user's."""


@cache
def libraries() -> ThreadpoolController:
    """Return the thread pools of the libraries that are loaded, found once."""
    return ThreadpoolController()


def limit_this_thread() -> AbstractContextManager[object]:
    """Limit BLAS to one thread for calls of this thread: where each thread has its own number."""
    limited: AbstractContextManager[object] = libraries().limit(limits=1, user_api="blas")
    return limited


@contextmanager
def single_threaded_blas() -> Iterator[None]:
    """Limit every BLAS of the process to one thread; a context, or a decorator.

    Examples
    --------
    >>> from threadpoolctl import threadpool_info
    >>> with single_threaded_blas():
    ...     {pool["num_threads"] for pool in threadpool_info() if pool["user_api"] == "blas"}
    {1}
    """
    if not _limiting.acquire(blocking=False):
        yield
        return
    try:
        with limit_this_thread():
            yield
    finally:
        _limiting.release()

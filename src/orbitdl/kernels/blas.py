"""One BLAS thread while this library works.

Its linear algebra is many products of small matrices, for which starting the threads of a BLAS
takes longer than the products do; what is large is divided among threads of its own (`n_jobs`).
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager
from functools import cache
from threading import Lock
from typing import Any

import scipy.linalg  # noqa: F401  loads the BLAS of SciPy, which may not be that of NumPy
from threadpoolctl import OpenBLASController, ThreadpoolController


@cache
def libraries() -> ThreadpoolController:
    """Return the thread pools of the libraries that are loaded, found once."""
    return ThreadpoolController()


def limit_this_thread() -> AbstractContextManager[object]:
    """Limit BLAS to one thread for calls of this thread: where each thread has its own number."""
    limited: AbstractContextManager[object] = libraries().limit(limits=1, user_api="blas")
    return limited


class ProcessLimit:
    """Limits BLAS to one thread as long as any call is inside: where the process has one number.

    The first to enter sets it and the last to leave restores it, so that calls may be nested and
    run side by side in threads, and what is restored is always the user's.
    """

    def __init__(self) -> None:
        self._lock, self._inside = Lock(), 0
        self._limit: Any = None

    def __enter__(self) -> None:
        with self._lock:
            if not self._inside:
                self._limit = libraries().limit(limits=1, user_api="blas")
            self._inside += 1

    def __exit__(self, *_: object) -> None:
        with self._lock:
            self._inside -= 1
            if not self._inside:
                let_any_thread_limit()
                self._limit.restore_original_limits()
                let_any_thread_limit()


def let_any_thread_limit() -> None:
    """End that threadpoolctl, since 3.8, listens to the thread only that limited OpenBLAS first."""
    getattr(OpenBLASController, "clear_controlling_thread", lambda **_: None)(force=True)


_process_limit = ProcessLimit()


@contextmanager
def single_threaded_blas() -> Iterator[None]:
    """Limit every BLAS to one thread; a context, or a decorator.

    Examples
    --------
    >>> from threadpoolctl import threadpool_info
    >>> with single_threaded_blas():
    ...     {pool["num_threads"] for pool in threadpool_info() if pool["user_api"] == "blas"}
    {1}
    """
    with _process_limit, limit_this_thread():
        yield

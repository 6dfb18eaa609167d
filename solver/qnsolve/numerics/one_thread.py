"""Linear algebra of small matrices on one thread: more would wait for each other, on a busy machine for seconds."""

from __future__ import annotations

from contextlib import AbstractContextManager
from functools import cache
from typing import Any

from .band_matrix import lapack


@cache
def _controller() -> Any:  # what it finds are the libraries that are loaded: scipy has one of its own
    from threadpoolctl import ThreadpoolController

    lapack()
    return ThreadpoolController()


def one_thread() -> AbstractContextManager[Any]:
    """While it is entered, linear algebra runs on one thread.

    Examples
    --------
    >>> with one_thread():
    ...     2 + 2
    4
    """
    found: AbstractContextManager[Any] = _controller().limit(limits=1, user_api="blas")
    return found

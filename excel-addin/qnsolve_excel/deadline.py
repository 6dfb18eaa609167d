"""A time limit for one calculation, in whichever thread it runs: a sheet must not stand still."""

from __future__ import annotations

import ctypes
import threading
from collections.abc import Iterator
from contextlib import contextmanager

LONGEST = 20.0  # seconds for one cell


class TookTooLongError(Exception):
    """The calculation was stopped."""


@contextmanager
def deadline(seconds: float = LONGEST) -> Iterator[None]:
    """Stop what runs inside after so many seconds with TookTooLongError, at the next step of the interpreter."""
    thread, lock = threading.get_ident(), threading.Lock()
    over = fired = False

    def stop() -> None:
        nonlocal fired
        with lock:
            if not over:
                fired = True
                _raise_in(thread, ctypes.py_object(TookTooLongError))

    timer = threading.Timer(seconds, stop)
    timer.daemon = True
    timer.start()
    try:
        yield
    finally:
        with lock:
            over = True
            if fired:
                _raise_in(thread, None)  # take back what was not raised yet
        timer.cancel()


def _raise_in(thread: int, error: object) -> None:
    ctypes.pythonapi.PyThreadState_SetAsyncExc(ctypes.c_ulong(thread), error)

"""A time limit for one calculation, in whichever thread it runs: a sheet must not stand still."""

from __future__ import annotations

import ctypes
import os
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager

SETTING = "QNSOLVE_SECONDS"  # environment variable


def longest() -> float:
    """Seconds that one cell may take: what the environment variable says, or 20."""
    given = os.environ.get(SETTING, "20")
    try:
        seconds = float(given)
    except ValueError:
        seconds = 0.0
    if not 0 < seconds <= threading.TIMEOUT_MAX:
        raise ValueError(f"{SETTING} = {given!r}: must be a positive number of seconds; write a number such as 60, or unset it")
    return seconds


LONGEST = longest()
UNHURRIED = 1800.0  # seconds for a file of cells


class TookTooLongError(BaseException):
    """The calculation was stopped; no `except Exception` on the way holds it up."""


_RUNNING = threading.local()  # end: of the timer that runs; until: of the call; most: seconds that a call may take


@contextmanager
def one_call(seconds: float = LONGEST) -> Iterator[None]:
    """A common end of all deadlines inside; costs no thread. A call inside another one shares its time."""
    if getattr(_RUNNING, "until", None) is not None:
        yield
        return
    _RUNNING.until = time.monotonic() + seconds
    try:
        yield
    finally:
        _RUNNING.until = None


@contextmanager
def unhurried(seconds: float = UNHURRIED) -> Iterator[None]:
    """More time for each call inside: where a file is written, no sheet stands still."""
    _RUNNING.until, _RUNNING.most = time.monotonic() + seconds, seconds
    try:
        yield
    finally:
        _RUNNING.until = _RUNNING.most = None


def running() -> bool:
    """Whether a deadline runs in this thread."""
    return getattr(_RUNNING, "end", None) is not None


def left() -> float:
    """Seconds that a deadline has which starts now."""
    until = getattr(_RUNNING, "until", None)
    return LONGEST if until is None else max(until - time.monotonic(), 0.0)


@contextmanager
def deadline(seconds: float | None = None) -> Iterator[None]:
    """Stop the code inside after a time, by default that of a call, with TookTooLongError, at the interpreter's next step.

    Inside another one the earlier end holds, and the error is raised where that one ends.
    """
    most = getattr(_RUNNING, "most", None) or LONGEST
    seconds = min(most if seconds is None else seconds, left())
    now, outer = time.monotonic(), getattr(_RUNNING, "end", None)
    if outer is not None and now < outer <= now + seconds:
        yield
        return
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
    _RUNNING.end = now + seconds
    try:
        yield
    finally:
        _RUNNING.end = outer  # if the error is raised before this line, the end that remains is in the past
        with lock:
            over = True
        timer.cancel()
        if fired:
            _let_out()


def _raise_in(thread: int, error: object) -> None:
    ctypes.pythonapi.PyThreadState_SetAsyncExc(ctypes.c_ulong(thread), error)


def _let_out() -> None:
    """Let an error out that was not raised yet.

    To clear it with None instead would leave the interpreter with a signal that nothing takes away: a profiler then hangs.
    """
    try:
        for _ in range(100):  # it is raised at the end of a loop's step
            pass
    except TookTooLongError:
        pass

"""Best time of several runs inside the process, and small runs in a process of their own."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from textwrap import shorten
from time import perf_counter
from typing import Any

ROOT = Path(__file__).resolve().parents[2]
SAMPLE = 2e-4  # shortest stretch that is timed at once [s]


def best(call: Callable[[], Any], budget: float = 0.3, least: int = 3) -> float:
    """Shortest time of one call [s], after a warm-up."""
    call()
    begin = perf_counter()
    call()
    repeats = max(1, int(SAMPLE / max(perf_counter() - begin, 1e-9)))
    shortest, spent, runs = float("inf"), 0.0, 0
    while runs < least or spent < budget:
        begin = perf_counter()
        for _ in range(repeats):
            call()
        taken = perf_counter() - begin
        shortest = min(shortest, taken / repeats)
        spent += taken
        runs += 1
    return shortest


def once(call: Callable[[], Any]) -> tuple[float, Any]:
    """Time of a single call [s], and what it returned."""
    begin = perf_counter()
    result = call()
    return perf_counter() - begin, result


class NoAnswerError(Exception):
    """A child process did not answer; the message gives the reason."""


def child(command: Sequence[str], limit: float, given: str = "", folder: Path = ROOT) -> str:
    """What a process prints, with a time limit; NoAnswerError where it does not end well.

    BLAS is not limited: peers run as their users run them.
    """
    try:
        done = subprocess.run(
            list(command), input=given, capture_output=True, text=True, timeout=limit, cwd=folder, check=False, env=os.environ
        )
    except subprocess.TimeoutExpired:
        raise NoAnswerError(f"no answer within {limit:g} s") from None
    except OSError as error:
        raise NoAnswerError(f"cannot be started: {error.strerror}") from None
    if done.returncode:
        lines = [line.strip() for line in (done.stderr or done.stdout).splitlines() if line.strip()]
        first = [line.removeprefix("error: ") for line in lines if line.startswith("error: ")]
        reason = (first or lines[-1:] or [f"exit code {done.returncode}"])[0]
        raise NoAnswerError(f"stopped: {shorten(reason, 75, placeholder=' ...')}")
    return done.stdout


IMPORT = """
import sys, time
begin = time.perf_counter()
import {module}
{then}
taken = time.perf_counter() - begin
heavy = [name for name in ("scipy", "sympy", "matplotlib", "openpyxl") if name in sys.modules]
print(taken, *heavy)
"""


def import_time(module: str, then: str = "", repeats: int = 5) -> tuple[float, list[str]]:
    """Median time to import a module and run a line in a new interpreter [s], and the heavy modules it loads."""
    times, heavy = [], []
    for _ in range(repeats):
        taken, *heavy = child([sys.executable, "-c", IMPORT.format(module=module, then=then)], 600).split()
        times.append(float(taken))
    return sorted(times)[len(times) // 2], heavy


PEAK = """
import sys
def peak():
    try:
        with open("/proc/self/status") as status:
            return next(int(line.split()[1]) * 1024 for line in status if line.startswith("VmHWM"))
    except (OSError, StopIteration):
        import resource
        unit = 1 if sys.platform == "darwin" else 1024
        return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * unit
import qnsolve
from benchmarks.peers.models import load
model = load()[1][sys.argv[1]].network
before = peak()
qnsolve.solve(model)
print(before, peak())
"""


def peak_memory(name: str) -> tuple[float, float]:
    """Peak memory of a whole process that solves one model, before the solve and after it [MB]."""
    before, after = child([sys.executable, "-c", PEAK, name], 600).split()
    return int(before) / 1e6, int(after) / 1e6

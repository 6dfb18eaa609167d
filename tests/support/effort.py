"""How much work a calculation is, by a measure that no clock, load or processor changes."""

from __future__ import annotations

from collections.abc import Callable
from cProfile import Profile
from typing import Any


def counted(run: Callable[[], Any]) -> tuple[Any, int]:
    """What `run` returns, and how many functions it calls, those of numpy included."""
    profile = Profile()
    result = profile.runcall(run)
    return result, sum(entry.callcount for entry in profile.getstats())

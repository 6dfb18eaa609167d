"""Loops over rows of numbers: compiled where numba is installed; elsewhere plain Python that does the same step by step."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar, cast

import numpy as np

Loop = TypeVar("Loop", bound=Callable[..., Any])
Cells = Any  # one row of numbers: an array of numpy, or a list

try:
    from numba import njit

    COMPILES = True
except ImportError:
    COMPILES = False


def compiled_loop(function: Loop) -> Loop:
    """Compile a function when it is first called; its machine code is kept on disk where there is a place for it."""
    if not COMPILES:
        return function
    made: Any = njit(error_model="numpy")(function)
    try:
        made.enable_caching()
        # numba looks at the file of the function only, but what it calls is compiled into it
        made._cache._cache_file._source_stamp = _stamp()
    except (RuntimeError, AttributeError):  # no folder that can be written, or another way to keep it
        made = njit(error_model="numpy")(function)
    return cast(Loop, made)


def _stamp() -> tuple[tuple[str, int, int], ...]:
    """What changes when any of the loops does."""
    files = [(path.name, path.stat()) for path in sorted(Path(__file__).parent.glob("*.py"))]
    return tuple((name, found.st_mtime_ns, found.st_size) for name, found in files)


def whole_cells(values: Any) -> Cells:
    """A row of whole numbers that the loops can change."""
    row = np.array(values, dtype=np.int64)
    return row if COMPILES else row.tolist()


def real_cells(values: Any) -> Cells:
    """A row of real numbers that the loops can change."""
    row = np.array(values, dtype=np.float64)
    return row if COMPILES else row.tolist()

"""y[n] = x[n] + rho·y[n−1], the innermost loop: numpy in blocks, scipy, and a plain loop."""

from __future__ import annotations

import importlib
import importlib.util
from collections.abc import Callable
from decimal import Decimal, localcontext
from functools import partial
from itertools import accumulate
from typing import Any

import numpy as np
from qnsolve.numerics.series import Array, Geometric

from benchmarks.timing.clock import best, import_time
from benchmarks.timing.table import duration, error, table

RHO = 0.98
SHAPES: tuple[tuple[int, ...], ...] = ((500,), (10_000,), (1_000_000,), (50, 51))


def report(quick: bool) -> tuple[str, list[dict[str, Any]]]:
    """The table and its figures."""
    has_scipy = importlib.util.find_spec("scipy") is not None
    records: list[dict[str, Any]] = []
    for shape in SHAPES:
        if quick and np.prod(shape) > 100_000:
            continue
        x = np.random.default_rng(1).random(shape)
        right = _exact(x)
        ways: dict[str, Callable[[], Array]] = {
            "numpy blocks, from scratch": partial(_blocks, x),
            "numpy blocks, matrix kept": partial(Geometric(RHO, shape[-1]), x),
        }
        if has_scipy:
            lfilter = importlib.import_module("scipy.signal").lfilter
            ways["scipy.signal.lfilter"] = partial(lfilter, [1.0], [1.0, -RHO], x)
        ways["plain loop"] = partial(_loop, x)
        for way, call in ways.items():
            off = float(np.max(np.abs(call() - right) / right))
            name = "x".join(map(str, shape))
            records.append({"size": name, "way": way, "seconds": best(call, 0.05 if quick else 0.3), "error": off})
    cells, shown = [], ""
    for record in records:
        name = record["size"]
        first = next(r["seconds"] for r in records if r["size"] == name)
        cells.append(
            (
                name if name != shown else "",
                record["way"],
                duration(record["seconds"]),
                f"{record['seconds'] / first:.2g}",
                error(record["error"]),
            )
        )
        shown = name
    text = table(("size", "way", "time", "ratio", "error"), cells, "llrrr")
    if has_scipy:
        text += f"\nimport of scipy.signal: {duration(import_time('scipy.signal', repeats=3)[0])}, once a process"
    else:
        text += "\nscipy: not installed"
    return text, records


def _blocks(x: Array) -> Array:
    return Geometric(RHO, x.shape[-1])(x)


def _loop(x: Array) -> Array:
    rows = [list(accumulate(row, lambda y, v: v + RHO * y)) for row in x.reshape(-1, x.shape[-1]).tolist()]
    return np.array(rows).reshape(x.shape)


def _exact(x: Array) -> Array:
    with localcontext() as context:
        context.prec = 40
        rho, rows = Decimal(RHO), []
        for row in x.reshape(-1, x.shape[-1]).tolist():
            y, out = Decimal(0), []
            for v in row:
                y = Decimal(v) + rho * y
                out.append(float(y))
            rows.append(out)
    return np.array(rows).reshape(x.shape)

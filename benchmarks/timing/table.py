"""Rows of the report, and aligned tables of them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

RATIO_FROM = "qnsolve solve()"


@dataclass(frozen=True)
class Row:
    """One solver on one model; None where there is no such figure.

    Attributes
    ----------
    model, solver : str
    seconds : float or None
        Best time [s].
    throughput : float or None
        X of the first class [jobs/s].
    error_x, error_q : float or None
        Largest relative error of a throughput and of a queue length.
    note : str
    """

    model: str
    solver: str
    seconds: float | None = None
    throughput: float | None = None
    error_x: float | None = None
    error_q: float | None = None
    note: str = ""


def solver_table(rows: Sequence[Row]) -> str:
    """The rows of a group, each time also as a multiple of qnsolve's on the same model."""
    base = {row.model: row.seconds for row in rows if row.solver == RATIO_FROM}
    cells = []
    shown = ""
    for row in rows:
        own = base.get(row.model)
        ratio = row.seconds / own if row.seconds is not None and own else None
        cells.append(
            (
                row.model if row.model != shown else "",
                row.solver,
                duration(row.seconds),
                "-" if ratio is None else f"{ratio:.2g}" if ratio < 99.5 else f"{ratio:,.0f}",
                "-" if row.throughput is None else f"{row.throughput:.16g}",
                error(row.error_x),
                error(row.error_q),
                row.note,
            )
        )
        shown = row.model
    return table(("model", "solver", "time", "ratio", "X, first class", "error X", "error Q", "note"), cells, "llrrlrrl")


def table(head: Sequence[str], cells: Iterable[Sequence[str]], sides: str) -> str:
    """Aligned columns; `sides` has l or r for each."""
    lines = [tuple(head), *(tuple(line) for line in cells)]
    widths = [max(len(line[i]) for line in lines) for i in range(len(head))]
    lines.insert(1, tuple("-" * width for width in widths))
    return "\n".join(
        "  ".join(
            cell.rjust(width) if side == "r" else cell.ljust(width)
            for cell, width, side in zip(line, widths, sides, strict=True)
        ).rstrip()
        for line in lines
    )


def duration(seconds: float | None) -> str:
    """A time with three figures and its unit."""
    if seconds is None:
        return "-"
    for unit, size in (("s", 1.0), ("ms", 1e-3), ("us", 1e-6)):
        if seconds >= 0.9995 * size or unit == "us":
            value = seconds / size
            digits = 2 if value < 9.995 else 1 if value < 99.95 else 0
            return f"{value:.{digits}f} {unit}"
    return "-"


def error(value: float | None) -> str:
    """A relative error: 0, or two figures."""
    return "-" if value is None else "0" if value == 0 else f"{value:.1e}"

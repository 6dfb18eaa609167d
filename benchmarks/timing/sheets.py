"""A running LibreOffice Calc with the worksheet functions: hard recalculation of many cells, against direct calls."""

from __future__ import annotations

import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from qnsolve_excel import call
from qnsolve_excel.calc import write

from benchmarks.timing.clock import best

SIZES = {1000: 0.1, 10_000: 0.5}  # cells, limit of their recalculation [s]
RUNS = 5
Values = list[list[float]]


@dataclass(frozen=True)
class Sheet:
    """What a sheet of so many cells with =QN.MMC_RESPONSE(A1,B1,C1) reached, each with values of its own."""

    cells: int
    limit: float
    seconds: float = 0.0  # shortest of several hard recalculations; 0 where Calc is missing
    direct: float = 0.0  # of the same calls in this process
    error: float = 0.0  # largest relative difference from those
    missing: str = ""


def measure() -> list[Sheet]:
    """Each size, in one Calc."""
    from tests.support import spreadsheet

    lack = spreadsheet.missing()
    if lack:
        return [Sheet(cells, limit, missing=lack) for cells, limit in SIZES.items()]
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        with spreadsheet.Spreadsheet(folder, [write(folder / "qnsolve.oxt")]) as calc, calc.book() as book:
            return [_measured(book, cells, limit) for cells, limit in SIZES.items()]


def _measured(book: Any, cells: int, limit: float) -> Sheet:
    values: Values = [[5.0 + i / cells, 0.1, float(1 + i % 7)] for i in range(cells)]
    book.write({f"A1:C{cells}": values, "D1": "=QN.MMC_RESPONSE(A1,B1,C1)"})
    book.fill_down(f"D1:D{cells}")
    seconds = min(book.recalculate() for _ in range(RUNS))
    expected = [call("MMC_RESPONSE", row) for row in values]
    found = [row[0] for row in book.read(f"D1:D{cells}")]
    wrong = max(_difference(*pair) for pair in zip(found, expected, strict=True))
    return Sheet(cells, limit, seconds, best(lambda: _direct(values)), wrong)


def _difference(found: object, expected: object) -> float:
    if isinstance(found, float) and isinstance(expected, float):
        return abs(found / expected - 1)
    return 0.0 if found == (getattr(expected, "code", None),) else 1.0  # both the same error value


def _direct(values: Values) -> None:
    for row in values:
        call("MMC_RESPONSE", row)

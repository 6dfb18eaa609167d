"""The accepted figures: verdict and error of each prediction; a change is reported."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Sequence
from pathlib import Path

from qnsolve.errors import QnsolveError
from qnsolve.files.writing import write_text

from .case import Point, Study

EXPECTED = Path(__file__).parent / "expected.csv"
HEAD = ("case", "table", "row", "figure", "column", "verdict", "error_percent")
MOVED = 0.001  # percentage points of error that count as a change; solvers converge far below that
Key = tuple[str, ...]


class MovedError(QnsolveError):
    """Predicted figures differ from the accepted ones."""

    exit_code = 4


def entry(study: Study, point: Point) -> Key:
    """The row of a predicted figure."""
    row = point.row
    place = (study.case.name, row.table.label, str(row.number), point.quantity, point.column)
    return (*place, point.verdict, f"{100 * point.error:+.4f}")


def text(studies: Iterable[Study]) -> str:
    """The file of all predicted figures."""
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(HEAD)
    writer.writerows(entry(study, point) for study in studies for point in study.predicted)
    return out.getvalue()


def accept(studies: Iterable[Study]) -> None:
    """Store the figures as the accepted ones."""
    write_text(EXPECTED, text(studies))


def stored() -> list[Key]:
    """The accepted figures."""
    with EXPECTED.open(encoding="utf-8", newline="") as file:
        return [tuple(row) for row in csv.reader(file)][1:]


def changes(studies: Sequence[Study], accepted: Iterable[Key] | None = None) -> list[str]:
    """A line for each figure that moved, is new or is gone, old and new; only of the cases that ran."""
    ran = {study.case.name for study in studies}
    old = {row[:5]: row[5:] for row in (stored() if accepted is None else accepted) if row[0] in ran}
    new: dict[Key, Key] = {}
    lines = []
    for study in studies:
        for point in study.predicted:
            key = entry(study, point)
            if key[:5] in new:
                raise ValueError(f"two predictions of one figure: {key}")
            new[key[:5]] = key[5:]
    for key in [*old, *(key for key in new if key not in old)]:
        was, now = old.get(key), new.get(key)
        if was is None or now is None or was[0] != now[0] or abs(float(was[1]) - float(now[1])) > MOVED:
            lines.append(f"{_place(key)}: was {_state(was)}, is {_state(now)}")
    return lines


def _place(key: Key) -> str:
    case, label, row, figure, column = key
    return f"{case}, {figure} ({label}, row {row}, {column})"


def _state(values: Key | None) -> str:
    return "not predicted" if values is None else f"{values[0]} {values[1]} %"

"""The figures of measured beside modelled: what its page and its workbook show."""

from __future__ import annotations

from dataclasses import dataclass
from math import nan
from typing import Any

import numpy as np
from numpy.typing import NDArray

from qnsolve.results.answer import Report
from qnsolve.results.rendering import Table, figure

from .modelled_columns import ComparedColumn, ComparedModel
from .usability import ColumnErrors, Usability


@dataclass(frozen=True)
class BesideFigures(Report):
    """What `MeasuredBesideModelled` holds."""

    columns: tuple[ComparedColumn, ...]
    load: NDArray[np.float64]
    left_out: NDArray[np.bool_]
    errors: tuple[ColumnErrors, ...]
    usability: Usability
    model: ComparedModel
    more: tuple[str, ...] = ()

    def rows(self) -> list[dict[str, Any]]:
        """A row an interval and series, in the order of time."""
        found = []
        loads = self.model.loads
        for i in range(len(self.load)):
            time = "" if np.isnat(loads.start[i]) else str(loads.start[i]).removesuffix(".000")
            for column in self.columns:
                pair = float(column.measured[i]), float(column.modelled[i])
                if np.isnan(pair).all():
                    continue
                about = {"interval": int(loads.order[i]) + 1, "time": time, "series": column.title, "unit": column.unit}
                values = {"measured": pair[0], "modelled": pair[1], "error": float(column.error[i])}
                low = nan if column.lowest is None else float(column.lowest[i])
                high = nan if column.highest is None else float(column.highest[i])
                more = {"lowest": low, "highest": high, "load": float(self.load[i]), "left_out": bool(self.left_out[i])}
                found.append({**about, **values, **more})
        return found

    def as_dict(self) -> dict[str, Any]:
        """The object that --json prints; undefined numbers are None."""
        errors = [{k: None if v != v else v for k, v in vars(each).items()} for each in self.errors]  # noqa: PLR0124
        factor = self.usability.factor if self.usability.usable else None
        verdict = {"usable": self.usability.usable, "factor": factor, "sentence": self.usability.sentence}
        return {**super().as_dict(), "errors": errors, "usability": verdict}

    def tables(self) -> list[Table]:
        """Errors of each series; `rows()` has every interval."""
        head = [
            ["series", "rows", "median error %", "95 of 100 %", "bias %", "with load %", "left out", "median %", "95 of 100 %"]
        ]
        body = [
            [
                *(each.title, str(each.rows)),
                *(figure(100 * value, 3) for value in (each.median, each.most, each.bias, each.trend)),
                *(str(each.left_out), *(figure(100 * value, 3) for value in (each.left_median, each.left_most))),
            ]
            for each in self.errors
        ]
        return [Table(head, body, 1)]

    def sentences(self) -> tuple[str, ...]:
        """Whether the model may be used and to which load, then hours at which it is off."""
        return (self.usability.sentence, *self.more)

"""The answer of a fit: the model, its figures and how far off they may be, what the rows left out say."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np
from numpy.typing import NDArray

from qnsolve.analysis.runs.points import LongRun
from qnsolve.errors import counted
from qnsolve.files.writing import write_text
from qnsolve.measure.checked_series import Array, Values
from qnsolve.measure.intervals.interval_table import Intervals
from qnsolve.model.network import Network
from qnsolve.results.answer import Answer, Report
from qnsolve.results.rendering import Table, defined, figure

from .fitted_file import FittedFigure, fitted_text, shortened
from .ranges.fitted_figures import FittedFigures

if TYPE_CHECKING:
    from qnsolve.zos.solve_system import System


@dataclass(frozen=True)
class HeldOutError:
    """Errors without sign of rows that entered nothing [relative].

    Attributes
    ----------
    quantity : {"rate", "response_time", "response_p95", "busy"}
    name : str
        Class or resource.
    rows : int
    median, mean, most : float
        `most` is the 95th percentile.
    within : float
        Share of the rows that lie in the range that is stated [0..1].
    """

    quantity: str
    name: str
    rows: int
    median: float
    mean: float
    most: float
    within: float


@dataclass(frozen=True)
class FitPrediction(Report):
    """What a fitted model says of intervals or loads.

    Attributes
    ----------
    heading, notes
        As for every report.
    columns : dict of str to ndarray
        "NAME.quantity" to values (n,), with ".lowest" and ".highest" where a range is stated; inf is a response without
        bound, where a server is full.
    """

    columns: dict[str, Array]

    def __getitem__(self, name: str) -> Array:
        """Values of "NAME.quantity", shape (n,)."""
        return self.columns[name]

    def rows(self) -> list[dict[str, Any]]:
        """A dict an interval."""
        count = len(next(iter(self.columns.values()))) if self.columns else 0
        return [{"row": i + 1, **{name: float(values[i]) for name, values in self.columns.items()}} for i in range(count)]

    def tables(self) -> list[Table]:
        """A row an interval."""
        head = [["row", *self.columns]]
        body = [[figure(value) for value in row.values()] for row in self.rows()]
        return [Table(head, body, 0)] if body else []


class Predictor(Protocol):
    """What solves a fitted model at the loads of intervals."""

    def __call__(self, rows: Intervals) -> dict[str, Array]:
        """Columns by NAME.quantity."""


@dataclass(frozen=True, eq=False)
class Fit(Answer):
    """A model fitted to measured intervals.

    Attributes
    ----------
    model : Network or System
        With the fitted figures; loads that are measured are the means of the rows.
    figures : tuple of FittedFigure
    correlations : ndarray (F, F)
        Of the errors of the figures.
    held_out : tuple of HeldOutError
        Errors on rows left out, of a fit to the others.
    source : tuple of str
        Files.
    rows_used : str
        How many intervals, from when to when.
    findings : tuple of str
        What the data say of themselves and cannot say: classes that cannot be told apart, rows that are odd.
    notes : tuple of str
        What was assumed.
    data : dict
        The tables of the fitted file.
    predictor : object
        Solves the model at the loads of intervals.
    loads : LadderFit or None
        Of a ladder without a sketch, its closed network for any number of users.
    judge : Fit or None
        The fit whose errors are `held_out`, to the rows that were not left out; None where it is this one, or none were.
    left_out : ndarray of bool (n,)
        Rows of the data that judge.
    """

    model: Network | System
    figures: tuple[FittedFigure, ...]
    correlations: Array
    held_out: tuple[HeldOutError, ...]
    source: tuple[str, ...]
    rows_used: str
    findings: tuple[str, ...]
    notes: tuple[str, ...]
    data: Mapping[str, Any] = field(repr=False)
    predictor: Any = field(repr=False)
    loads: Any = field(default=None, repr=False)
    judge: Fit | None = field(default=None, repr=False)
    left_out: NDArray[np.bool_] = field(default_factory=lambda: np.zeros(0, dtype=bool), repr=False)

    def __getitem__(self, name: str) -> FittedFigure:
        """The figure of that name."""
        found = {each.name: each for each in self.figures}
        if name not in found:
            from qnsolve.errors import suggestion

            raise KeyError(f"no figure {name!r}: {suggestion(name, found)}")
        return found[name]

    def predict(self, given: Intervals | Values) -> FitPrediction:
        """Rates, responses and utilizations, at the loads of other intervals or at numbers of users.

        Parameters
        ----------
        given : Intervals, or sequence of float, shape (n,)
            Intervals with the rates or users that the model needs; or users, of a fitted ladder [jobs].
        """
        columns = self.predictor(given) if isinstance(given, Intervals) else self.predictor.at_loads(given)
        count = len(next(iter(columns.values()))) if columns else 0
        return FitPrediction(f"{self.name}: {counted(count, 'row')}", (), columns)

    def on(self, run: LongRun) -> Fit:
        """The same, whose predictions are points of a run where the model is solved point by point."""
        return replace(self, predictor=self.predictor.on(run))

    @property
    def name(self) -> str:
        """Of the model."""
        return self.model.name or "fitted model"

    @property
    def errors(self) -> dict[str, float]:
        """Median error on the rows left out, by quantity [relative]; all classes or resources together."""
        found: dict[str, float] = {}
        for quantity in dict.fromkeys(each.quantity for each in self.held_out):
            same = [each for each in self.held_out if each.quantity == quantity]
            found[quantity] = float(np.average([each.median for each in same], weights=[each.rows for each in same]))
        return found

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the model file: fitted figures with source, rows and interval behind them, and the table [fitted].

        Raises
        ------
        OSError
            Where the file cannot be written.
        """
        write_text(path, self.to_toml())

    def to_toml(self) -> str:
        """The text that `save` writes."""
        given = (self.data, self.figures, self.source, self.rows_used, self.correlations, self.errors)
        return fitted_text(*given, apart=self.loads is None, findings=self.findings)

    @property
    def known(self) -> FittedFigures:
        """The figures as `qn.bands` takes them."""
        values, low, high = (np.array([getattr(e, key) for e in self.figures]) for key in ("value", "lowest", "highest"))
        names = tuple(each.name for each in self.figures)
        return FittedFigures(names, values, low, high, self.correlations, self.source, self.rows_used, self.errors)

    def title(self) -> str:
        """What was fitted to which rows."""
        return f"{self.name}: {counted(len(self.figures), 'figure')} from {self.rows_used}"

    def time_unit(self) -> str:
        """That of the model."""
        return getattr(self.model, "time_unit", "s")

    def rows(self) -> list[dict[str, Any]]:
        """A row a figure."""
        keys = ("name", "value", "lowest", "highest", "source", "rows")
        return [{key: getattr(each, key) for key in keys} for each in self.figures]

    def tables(self) -> list[Table]:
        """The figures with their intervals, and the errors on the rows left out."""
        head = [["figure", "from", "value", "lowest", "highest", "rows"]]
        body = [
            [
                each.name,
                shortened(each.source),
                *(figure(v, 4) for v in (each.value, each.lowest, each.highest)),
                str(each.rows),
            ]
            for each in self.figures
        ]
        found = [Table(head, body, 2)]
        if self.held_out:
            head = [["of", "quantity", "rows left out", "median error %", "mean %", "95 of 100 %", "in range %"]]
            body = [
                [h.name, h.quantity, str(h.rows), *(figure(100 * v, 3) for v in (h.median, h.mean, h.most, h.within))]
                for h in self.held_out
            ]
            found.append(Table(head, body, 2, "Errors on rows left out"))
        return found

    def sentences(self) -> tuple[str, ...]:
        """The findings."""
        return self.findings

    def as_dict(self) -> dict[str, Any]:
        """The object that --json prints."""
        return {
            "model": self.name,
            "source": list(self.source),
            "rows": self.rows_used,
            "figures": [defined(row) for row in self.rows()],
            "correlations": self.correlations.tolist(),
            "held_out": [defined(vars(each)) for each in self.held_out],
            "errors": self.errors,
            "findings": list(self.findings),
            "notes": list(self.notes),
        }

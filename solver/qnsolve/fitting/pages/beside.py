"""Measured beside modelled: the answer, its errors and its verdict."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from qnsolve.analysis.runs.points import Executor, LongRun, Progress, long_run
from qnsolve.errors import ModelError, counted
from qnsolve.files.writing import write_bytes
from qnsolve.measure.intervals.building import table
from qnsolve.measure.intervals.interval_table import Intervals
from qnsolve.measure.intervals.longer_rows import with_loads

from .beside_figures import BesideFigures
from .modelled_columns import compared
from .page_html import page_html
from .page_xlsx import page_xlsx
from .usability import by_hour, errors_of, judged

ENDINGS = (".html", ".xlsx")


@dataclass(frozen=True)
class MeasuredBesideModelled(BesideFigures):
    """Each measured series beside what a model says of it.

    Attributes
    ----------
    heading, notes
        As for every report.
    columns : tuple of ComparedColumn
        Series, measured and modelled (n,).
    load : ndarray (n,)
        Use of the fullest center, as modelled [ratio].
    left_out : ndarray of bool (n,)
        Rows that did not enter the model.
    errors : tuple of ColumnErrors
        Of each series.
    usability : Usability
        Whether the model may be used, and to which load.
    model : ComparedModel
        Loads and solutions.
    more : tuple of str
        Sentences after the verdict.
    """

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write a page (.html, one file without a network) or a workbook (.xlsx, native charts); whole or not at all.

        Parameters
        ----------
        path : str or path-like

        Raises
        ------
        ModelError
            For another ending.
        OSError
            Where it cannot be written.
        """
        write_bytes(path, page_bytes(self, os.fspath(path)))


def page_bytes(beside: BesideFigures, path: str, lead: Sequence[str] = ()) -> bytes:
    """The page or workbook of a name; `lead` are sentences that stand first."""
    kind = Path(path).suffix.casefold()
    if kind == ".html":
        return page_html(beside, lead).encode("utf-8")
    if kind == ".xlsx":
        return page_xlsx(beside, lead)
    raise ModelError("report", "must be named .html or .xlsx", "write page.html", path)


def measured_beside_modelled(
    model: Any,
    intervals: Intervals | Mapping[str, Any],
    rows: Sequence[bool] | NDArray[np.bool_] | None = None,
    *,
    executor: Executor | None = None,
    journal: str | os.PathLike[str] | None = None,
    progress: Progress | None = None,
) -> MeasuredBesideModelled:
    """Each interval measured and modelled, the errors, and to which load the model may be used.

    Parameters
    ----------
    model : Network, System, or what `fit` returns
        A fit adds the ranges in which measured values are expected.
    intervals : Intervals, or the columns of one
        With the loads of the classes and whatever was measured: responses, utilizations, rates of users.
    rows : sequence of bool, shape (n,), optional
        Intervals that the model was made from; the others judge it. Where left out that is not known, and all rows judge.
    executor, journal, progress
        As for `day`: of loads that are solved one by one.

    Returns
    -------
    MeasuredBesideModelled
        `save("page.html")` writes the page, `save("page.xlsx")` the workbook.

    Raises
    ------
    ModelError

    Notes
    -----
    May be used: median errors on the rows left out are at most 10 % (responses) and 5 % (rates, utilizations). To which load:
    until a center is full, until the error of its utilization is 20 % of a response, until the trend of an error over the load
    comes to 10 %, until a response is twice what any interval shows; whichever comes first.

    Examples
    --------
    >>> from qnsolve import Network, OpenClass, Queue
    >>> shop = Network([Queue("cpu")], [OpenClass("orders", arrival_rate=1.0, demands={"cpu": 0.01})])
    >>> rows = {"orders.rate": [20.0, 40.0, 60.0, 50.0], "cpu.busy": [0.21, 0.4, 0.59, 0.5]}
    >>> found = measured_beside_modelled(shop, table(rows, length=900))
    >>> found.usability.usable, round(found.usability.factor, 2)
    (True, 1.3)
    """
    given, said = with_loads(intervals if isinstance(intervals, Intervals) else table(intervals))
    used = np.ones(len(given), dtype=bool)
    if rows is not None:
        marks = np.asarray(rows)
        if marks.dtype != np.bool_ or marks.shape != used.shape:
            raise ModelError("rows", f"must be True or False for each of {len(given)} intervals", "mark those fitted", rows)
        used = marks
    run = (getattr(model, "model", model), tuple(each.title for each in given.series), given.values.tobytes(), used.tobytes())
    with long_run(run, executor, journal, progress) as points:
        return _beside(model, replace(given, notes=(*given.notes, *said)), used, points)


def _beside(model: Any, given: Intervals, used: NDArray[np.bool_], run: LongRun) -> MeasuredBesideModelled:
    found = compared(model, given, run)
    left_out = ~used[found.loads.order]
    load = found.solved.offered
    errors = tuple(errors_of(column, load, left_out) for column in found.columns)
    if not any(each.rows for each in errors):
        raise ModelError("intervals", "must have a row that is measured and modelled", "check names and saturated rows")
    heading = f"{found.name}: {counted(len(given), 'interval')} measured and modelled"
    notes = [*found.loads.notes, *found.solver.notes()]
    full = int((load >= 1).sum())
    if full:
        notes.append(f"{full} intervals ask a center for more than it can do in the model: their responses are not compared")
    return MeasuredBesideModelled(
        heading=heading,
        notes=tuple(notes),
        columns=found.columns,
        load=load,
        left_out=left_out,
        errors=errors,
        usability=judged(found, errors),
        model=found,
        more=tuple(by_hour(found, found.columns)),
    )

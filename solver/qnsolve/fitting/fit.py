"""A model fitted to measured intervals: the one call."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from qnsolve.analysis.runs.points import Executor, LongRun, Progress, long_run
from qnsolve.errors import ModelError
from qnsolve.measure.intervals.interval_table import Intervals
from qnsolve.measure.intervals.longer_rows import with_loads
from qnsolve.measure.intervals.server_counts import ServerCounts
from qnsolve.zos.parts.system import PARTS

from .default_sketch import closed_sketch, default_sketch, users_that_think
from .fitted_file import FittedFigure, with_values
from .fitted_model import Fit
from .judging import judged, left_out
from .known_servers import unknown_servers, with_servers
from .measured_rows import MeasuredRows, renamed
from .prediction import Prediction
from .sketch import Sketch, sketch_of
from .steps.estimates import FitState, correlations
from .steps.network_points import NO_DEMAND, NetworkPoints
from .steps.response_step import response_step
from .steps.utilization_step import utilization_step
from .steps.variation_step import variation_step

HELD_OUT = 0.25  # of the rows, the last ones or the highest loads
TOLD = ("rate", "response_time", "busy", "used", "users")  # quantities whose series are missed where they are not used
FEW = 8  # rows below which none is left out unless that is asked for


def fit(
    intervals: Intervals,
    model: str | os.PathLike[str] | Mapping[str, Any] | None = None,
    *,
    held_out: float | NDArray[np.bool_] | None = None,
    rename: Mapping[str, str] | None = None,
    servers: ServerCounts = None,
    executor: Executor | None = None,
    journal: str | os.PathLike[str] | None = None,
    progress: Progress | None = None,
) -> Fit:
    """A network or a system fitted to measured intervals.

    Parameters
    ----------
    intervals : Intervals
        From `qn.measure.table`, or a reader.
    model : path or mapping, optional
        A sketch: a model file or a system file in which figures are "fit", "fit 0.001" (a start) or "fit 0:0.010" (bounds),
        and rates, users or think times "measured". Without one: of a ladder of users the closed network of
        `qn.measure.fit_ladder`; of rates and utilizations open classes, with a delay for the rest of each response.
    held_out : float or ndarray of bool (n,), optional
        Share of the rows, the last in time or the highest loads, on which a fit to the others is judged; the figures are then
        those of a fit to all rows. 0 judges nothing. With marks, the marked rows judge and enter nothing. Default 0.25.
    rename : mapping of str to str, optional
        Names in the data to names in the model.
    servers : float, or mapping of str to float, optional
        Servers of resources, by their names in the data, or of all where the data do not have them. Not with a sketch, which
        gives them itself [servers].
    executor : object with a method map, optional
        Solves the points of models that are solved one by one, as systems are: a pool of `concurrent.futures`, or the like.
    journal : path, optional
        A file that keeps these as they are solved: a fit that was stopped goes on from there, and finds the same to the bit.
    progress : callable, optional
        Gets how many of these are solved, and how many the fit has asked for so far, after each.

    Returns
    -------
    Fit

    Raises
    ------
    ModelError
        Where the data do not have what a figure needs, or the journal is of another fit.

    Notes
    -----
    Demands are those of non-negative least squares of the utilization law, with the use that does not grow; think times
    those of Little's law; what is then open is fitted to responses and rates by solving the model itself. Intervals are
    drawn by a moving block bootstrap [Kunsch1989] in units of each draw's own deviation, and hold errors of up to 3 % in
    the rates themselves.

    Examples
    --------
    >>> import qnsolve as qn
    >>> columns = {"query.rate": [10, 20, 30, 40, 25, 15], "cpu.busy": [0.25, 0.35, 0.45, 0.55, 0.40, 0.30]}
    >>> found = qn.fit(qn.measure.table(columns))
    >>> round(found["query.demands.cpu"].value, 6), round(found["base.demands.cpu"].value, 6)
    (0.01, 0.15)
    """
    named, said = with_loads(with_servers(renamed(intervals, rename), _in_model(servers, rename)))
    sketch = None if model is None else sketch_of(model)
    if sketch is not None and servers is not None:
        raise ModelError(
            "servers", "must not be given with a sketch", "write servers = 4 at the station of the sketch", servers
        )
    if sketch is None:
        said += unknown_servers(MeasuredRows(named))
        from .ladder_model import is_ladder, ladder_fit  # imported here, because sketches do without

        thinking = is_ladder(named) and users_that_think(MeasuredRows(named))
        if is_ladder(named) and not thinking:
            return ladder_fit(named, held_out)
        sketch = sketch_of((closed_sketch if thinking else default_sketch)(MeasuredRows(named)))
    if not sketch.figures:
        raise ModelError("model", "must have a figure to fit", 'write "fit" in place of a number', sketch.file or "sketch")
    rows = MeasuredRows(named, "s" if sketch.is_system else str(sketch.data.get("time_unit", "s")))
    marks, refit = left_out(held_out, np.arange(len(rows)), HELD_OUT if len(rows) >= FEW else 0.0)
    errors: Any = ()
    part = None
    digest = hashlib.sha256(named.values.tobytes() + marks.tobytes()).hexdigest()
    titles = [each.title for each in named.series]
    with long_run((sketch.data, titles, digest, refit), executor, journal, progress) as run:
        if marks.any():
            part = _fitted(sketch, rows.where(~marks), run)
            errors = judged(part.predictor, rows.where(marks))
            if not refit:
                part = _with_errors(part, errors, rows.described(~marks))
                return replace(part, findings=(*said, *part.findings), left_out=marks)
        whole = _with_errors(_fitted(sketch, rows, run), errors, rows.described())
    findings = (*said, *whole.findings, *_unused(named, whole.model))
    return replace(whole, findings=findings, judge=part, left_out=marks)


def _in_model(servers: ServerCounts, rename: Mapping[str, str] | None) -> ServerCounts:
    if not isinstance(servers, Mapping):
        return servers
    return {(rename or {}).get(name, name): count for name, count in servers.items()}


def _with_errors(found: Fit, errors: Any, described: str) -> Fit:
    return replace(found, held_out=errors, rows_used=described)


def _unused(intervals: Intervals, model: Any) -> list[str]:
    """Series of loads, responses and utilizations that nothing in the model has the name of."""
    parts = ("stations", "classes", *PARTS)
    names = {item.name for part in parts for item in getattr(model, part, ())}
    found: dict[str, list[str]] = {}
    for each in intervals.series:
        owners = [each.work] if each.work else [each.resource, each.region, each.lpar, each.system]
        if each.quantity in TOLD and any(owners) and not names.intersection(owners):
            found.setdefault(each.name, []).append(each.quantity)
    return [
        f"{name} ({', '.join(keys)}) is used by nothing: the model has no {name}; --rename {name}=NAME gives it another name"
        for name, keys in found.items()
    ]


def _fitted(sketch: Sketch, rows: MeasuredRows, run: LongRun) -> Fit:
    found = FitState()
    points: Any
    if sketch.is_system:
        from .steps.system_points import SystemPoints  # imported here, because networks do not need the mainframe parts
        from .steps.system_step import system_step

        points = SystemPoints(sketch, run)
        points.loads(rows)  # a name that the data do not have is said before what follows from it
        system_step(points, rows, found)
        response_step(sketch.figures, points, rows, found, ("response_time", "rate", "busy"), True)
    else:
        points = NetworkPoints(sketch, run)
        utilization_step(sketch, rows, found)
        variation_step(sketch, rows, found)
        response_step(sketch.figures, points, rows, found, _quantities(points), False)
    return _answer(sketch, points, rows, found)


def _quantities(points: NetworkPoints) -> tuple[str, ...]:
    return ("response_time", "rate", "busy") if points.closed else ("response_time", "busy")


def _answer(sketch: Sketch, points: Any, rows: MeasuredRows, found: FitState) -> Fit:
    estimates = [found.estimates[each.name] for each in sketch.figures]
    places: dict[Any, float] = {}
    for each in estimates:
        least = NO_DEMAND if "demands" in each.figure.place else 0.0
        places[each.figure.place] = round(each.value) if each.figure.whole else max(each.value, least)
    for (name, key), values in points.loads(rows).items():
        place = next(place for owner, word, place in sketch.loads if (owner, word) == (name, key))
        mean = float(np.nanmean(values))
        places[place] = round(mean) if key in ("population", "users") else mean
    data = with_values(sketch.data, places)
    fitted = Sketch(data, (), (), sketch.file)
    figures = tuple(
        FittedFigure(e.figure.name, e.value, e.lowest, e.highest, e.source, e.rows, e.figure.place) for e in estimates
    )
    return Fit(
        model=fitted.model({}),
        figures=figures,
        correlations=correlations([each.draws for each in estimates]),
        held_out=(),
        source=rows.source,
        rows_used=rows.described(),
        findings=tuple(found.findings),
        notes=tuple(found.notes),
        data=data,
        predictor=Prediction(points, rows, found),
    )

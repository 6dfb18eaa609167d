"""What fitted figures make of an answer: the range of each figure over all that the measurements allow."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import product
from math import isnan
from typing import Any

import numpy as np
from numpy.typing import NDArray

from qnsolve.analysis.runs.points import Executor, Outcome, Progress, long_run
from qnsolve.analysis.sweep import Sweep, sweep
from qnsolve.analysis.varied_inputs import named_inputs
from qnsolve.errors import ModelError, SaturatedError
from qnsolve.model import checks
from qnsolve.model.network import Network
from qnsolve.results.answer import Report
from qnsolve.results.columns import column as column_of
from qnsolve.results.rendering import Table
from qnsolve.zos.solve_system import System
from qnsolve.zos.whatif.system_inputs import WHOLE, changed
from qnsolve.zos.whatif.system_inputs import figures as system_figures

from .fitted_figures import FittedFigures

Array = NDArray[np.float64]

DRAWS, SYSTEM_DRAWS = 200, 40  # of a point; a system takes longer
FEWEST, SOLUTIONS = 20, 2000  # of a point; of all points together, about
EDITED = 1e-5  # a file has six digits [relative]
STILL = 1e-4  # width of a range below which it is not printed [relative]
SIDES = (2.5, 97.5)  # percentiles: 19 of 20
FIRST = ("classes", "work")  # parts that are printed also where nothing moves
NETWORK_FIGURES = ("throughput", "response_time", "utilization")
SYSTEM_FIGURES = {  # what a planner reads of a system
    "work": ("etr", "response_time"),
    "lpars": ("cpu_percent", "ziip_percent"),
    "regions": ("tasks", "qr_percent"),
    "facilities": ("busy_percent",),
    "logs": ("busy_percent",),
    "devices": ("busy_percent",),
}


@dataclass(frozen=True)
class Bands(Report):
    """The range of figures over what measurements allow, 19 of 20.

    Attributes
    ----------
    heading, notes
        As for every report.
    bands : tuple of dict
        Point (the varied values), part, name, figure, value, lowest, highest.
    unanswered : ndarray, shape (P,)
        Share of the draws of each point that have no answer, as where a center is saturated [0..1].
    unit : str
        Of times.
    """

    bands: tuple[dict[str, Any], ...]
    unanswered: Array
    unit: str

    def rows(self) -> list[dict[str, Any]]:
        """A row a point and figure."""
        return [dict(row) for row in self.bands]

    def time_unit(self) -> str:
        """That of the model."""
        return self.unit

    def tables(self) -> list[Table]:
        """The figures, each with its range."""
        head = ["", "figure", "", "value", "lowest", "highest"]
        body = []
        system = any(row["part"] == "work" for row in self.bands)
        for row in self.bands:
            wide = row["highest"] - row["lowest"]
            if row["part"] not in FIRST and not wide > STILL * abs(row["value"]):
                continue
            some = column_of(row["figure"], [row[key] for key in ("value", "lowest", "highest")], self.unit, chosen=system)
            body.append([row["name"], some.heading, some.unit, *some.cells])
        return [Table([head], body, 3)] if body else []

    def range_of(self, name: str, key: str, point: int = 0) -> tuple[float, float]:
        """Lowest and highest of one figure: `range_of("orders", "response_time")`."""
        for row in self.bands:
            if (row["name"], row["figure"], row["point"]) == (name, key, point):
                return row["lowest"], row["highest"]
        raise KeyError(f"{name!r} has no figure {key!r} with a range")


def bands(
    model: Network | System,
    fitted: FittedFigures,
    vary: Mapping[str, Sequence[Any]] | None = None,
    *,
    together: bool = False,
    draws: int | None = None,
    seed: int = 1,
    executor: Executor | None = None,
    journal: str | os.PathLike[str] | None = None,
    progress: Progress | None = None,
) -> Bands:
    """How far each figure of an answer may be off by what is not known of the fitted figures.

    Parameters
    ----------
    model : Network or System
    fitted : FittedFigures
        `fitted_of(file)`, or of a fit.
    vary : mapping of str to sequence, optional
        Values by figure, as a sweep varies them; each combination is a point, P of them. A fitted figure that is varied
        is taken as given.
    together : bool, default False
        All varied figures move in step.
    draws : int, optional
        Of each point; by default 200, 40 for a system, and fewer for many points.
    seed : int, default 1
    executor, journal, progress
        As for a sweep.

    Returns
    -------
    Bands
        Throughput, response time and utilization of a network, and what a planner reads of a system; the error of the
        method itself is not in it.

    Raises
    ------
    ModelError

    Examples
    --------
    >>> from qnsolve import OpenClass, Network, Queue
    >>> shop = Network([Queue("cpu")], [OpenClass("orders", arrival_rate=5.0, demands={"cpu": 0.1})])
    >>> known = FittedFigures(("orders.demands.cpu",), np.array([0.1]), np.array([0.09]), np.array([0.11]), np.eye(1))
    >>> [round(side, 2) for side in bands(shop, known).range_of("orders", "response_time")]
    [0.16, 0.24]
    """
    fitted = getattr(fitted, "known", fitted)
    if not isinstance(fitted, FittedFigures):
        raise ModelError("fitted", "must be fitted figures", "take qn.fitted_of(file), or what qn.fit returns", fitted)
    if vary is not None and not (isinstance(vary, Mapping) and all(len(values) for values in vary.values())):
        raise ModelError("vary", "must give values by figure", 'write {"query.arrival_rate": [10, 20]}', vary)
    points = _points(vary or {}, together)
    count = checks.whole("draws", draws, least=2, most=100_000) if draws is not None else 0
    usual = DRAWS if isinstance(model, Network) else SYSTEM_DRAWS
    count = count or max(FEWEST, min(usual, SOLUTIONS // len(points)))
    drawn = fitted.draws(count, seed)
    edited = _edited(model, fitted)
    free = [i for i, name in enumerate(fitted.figures) if name not in (vary or {}) and name not in edited]
    columns = {name: [point[name] for point in points for _ in range(count + 1)] for name in vary or {}}
    for i in free:  # the fitted value itself comes first
        columns[fitted.figures[i]] = [fitted.values[i], *drawn[:, i]] * len(points)
    if not columns:
        columns = {name: [value] * (count + 1) for name, value in edited.items()}
    if not columns:
        raise ModelError("fitted", "must have figures", "fit again", list(fitted.figures))
    if isinstance(model, Network):
        swept = sweep(model, named_inputs(model, columns), together=True, executor=executor, journal=journal, progress=progress)
        names, values, right = _of_network(swept)
    else:
        drawings = [dict(zip(columns, each, strict=True)) for each in zip(*columns.values(), strict=True)]
        with long_run((model, drawings), executor, journal, progress) as run:
            names, values, right = _of_system(run.points(partial(_solved, model), drawings))
    shape = (len(points), count + 1)
    found, unanswered = [], np.empty(len(points))
    for p, (rows, ok) in enumerate(zip(values.reshape(*shape, -1), right.reshape(shape), strict=True)):
        unanswered[p] = 1 - ok[1:].mean()
        for (part, name, key), column in zip(names, rows.T, strict=True):
            low, high = _sides(column[1:], ok[1:], key)
            found.append(
                {**points[p], "point": p, "part": part, "name": name, "figure": key, "value": float(column[0]), "lowest": low}
                | {"highest": high}
            )
    notes = [
        f"{name} is {value:.6g} in the model, and no longer as it was fitted: taken as given" for name, value in edited.items()
    ]
    if unanswered.any():
        notes.append(
            f"up to {100 * unanswered.max():.0f} % of what the measurements allow has no answer: a center is saturated"
        )
    title = f"{count} draws of {len(free)} fitted figures, 19 of 20 answers lie within"
    unit = model.time_unit if isinstance(model, Network) else "s"
    return Bands(title, tuple(notes), tuple(found), unanswered, unit)


def _edited(model: Network | System, fitted: FittedFigures) -> dict[str, float]:
    """Fitted figures that have another value in the model now.

    Raises
    ------
    ModelError
        Where the model has no such figure.
    """
    found = {}
    for name, value in zip(fitted.figures, fitted.values, strict=True):
        here = _value(model, name, float(value))
        if here is None:
            rule = "names no figure of the model"
            raise ModelError(f"fitted: figures: {name}", rule, "name it as the model does, or remove the table [fitted]")
        if abs(here - value) > EDITED * max(abs(here), abs(value)):
            found[name] = here
    return found


def _value(model: Network | System, name: str, fitted: float) -> float | None:
    """A figure of a model by its name; None where it has none, 0 where it is left at none."""
    try:
        if isinstance(model, System):
            changed(model, name, fitted if name.rpartition(".")[2] not in WHOLE else 1)  # work may not be without a time
            return next((float(each.value) for each in system_figures(model) if each.name == name), 0.0)
        ((item, parameters),) = named_inputs(model, {name: [0.0]}).items()
        ((parameter, given),) = parameters.items()
        held = getattr(next(i for i in (*model.stations, *model.classes, *model.limits) if i.name == item), parameter)
        if isinstance(given, Mapping):
            held = (held or {}).get(next(iter(given)), 0.0)
        return None if held is None else float(held)
    except (ModelError, AttributeError, TypeError):
        return None


def _points(vary: Mapping[str, Sequence[Any]], together: bool) -> list[dict[str, Any]]:
    if together and len({len(values) for values in vary.values()}) > 1:
        raise ModelError("bands: together", "must have lists of equal length", "make them equal, or leave `together` out")
    each = zip(*vary.values(), strict=True) if together and vary else product(*vary.values())
    return [dict(zip(vary, values, strict=True)) for values in each]


def _sides(drawn: Array, right: NDArray[np.bool_], key: str) -> tuple[float, float]:
    """Percentiles; a response where there is no answer is longer than all others."""
    if key == "response_time":
        there = np.where(right, drawn, np.inf)
        low, high = np.quantile(there, np.array(SIDES) / 100, method="inverted_cdf")
        return float(low), float(high)
    if not right.any():
        return float("nan"), float("nan")
    low, high = np.percentile(drawn[right], SIDES)
    return float(low), float(high)


Named = list[tuple[str, str, str]]


def _of_network(found: Sweep) -> tuple[Named, Array, NDArray[np.bool_]]:
    names = [("classes", name, key) for key in NETWORK_FIGURES[:2] for name in found.classes]
    busy = np.flatnonzero(~np.isnan(found.utilization).all(axis=0))
    names += [("stations", found.stations[k], "utilization") for k in busy]
    right = np.array([not reason for reason in found.reasons])
    return names, np.column_stack([found.throughput, found.response_time, found.utilization[:, busy]]), right


def _of_system(found: Sequence[Outcome[None]]) -> tuple[Named, Array, NDArray[np.bool_]]:
    right = np.array([not each.figures["reason"] for each in found])
    first: list[list[Any]] = next((each.figures["figures"] for each in found if each.figures["figures"]), [])
    names: Named = [(part, name, key) for part, name, key, value in first if not isnan(value)]
    values = np.full((len(found), len(names)), np.nan)
    for i, each in enumerate(found):
        here = {(part, name, key): value for part, name, key, value in each.figures["figures"]}
        if here:
            values[i] = [here.get(name, np.nan) for name in names]
    return names, values, right


def _solved(system: System, point: Mapping[str, Any]) -> Outcome[None]:
    """What a planner reads of a system with other figures, or the reason why it has no answer."""
    for figure, value in point.items():
        system = changed(system, figure, value)
    try:
        result = system.solve()
    except SaturatedError as error:
        return Outcome({"reason": f"saturated: {error.station}", "figures": []})
    read = ((part, item.name, key, getattr(item, key)) for part, item, key in _read(result))
    figures = [[part, name, key, float(value)] for part, name, key, value in read if isinstance(value, (int, float))]
    return Outcome({"reason": "", "figures": figures})


def _read(result: Any) -> list[tuple[str, Any, str]]:
    return [
        (part, item, key)
        for part, keys in SYSTEM_FIGURES.items()
        for item in getattr(result, part)
        for key in keys
        if hasattr(item, key)
    ]

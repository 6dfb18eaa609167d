"""What a model says of measured intervals, column by column beside what was measured."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from qnsolve.analysis.runs.points import LongRun
from qnsolve.errors import ModelError
from qnsolve.fitting.days.day_loads import DayLoads, loads_of, owned
from qnsolve.fitting.days.day_solver import known_loads, load_solver
from qnsolve.fitting.days.solved_loads import LoadSolver, SolvedLoads
from qnsolve.fitting.measured_rows import MeasuredRows
from qnsolve.measure.intervals.interval_table import Intervals
from qnsolve.model.job_classes import ClosedClass
from qnsolve.model.network import Network
from qnsolve.numerics.series import Array

SECONDS = {"s": 1.0, "ms": 1e-3, "us": 1e-6}
PERCENTILES = ("response_p50", "response_p90", "response_p95", "response_p99")
JUDGED = ("rate", "response_time", *PERCENTILES, "busy")


@dataclass(frozen=True, eq=False)
class ComparedColumn:
    """One series, measured and modelled, n intervals in the order of time.

    Attributes
    ----------
    title : str
        NAME.quantity.
    quantity, unit : str
    measured, modelled : ndarray (n,)
        nan where there is none.
    lowest, highest : ndarray (n,) or None
        Range in which 19 of 20 measured values are expected, where the model states one.
    """

    title: str
    quantity: str
    unit: str
    measured: Array
    modelled: Array
    lowest: Array | None = None
    highest: Array | None = None

    @property
    def error(self) -> Array:
        """Modelled over measured, less 1; of a utilization below a tenth the difference over a tenth (n,)."""
        least = 0.1 if self.quantity == "busy" else 0.0
        with np.errstate(divide="ignore", invalid="ignore"):
            found = (self.modelled - self.measured) / np.maximum(self.measured, least)
        return np.where(np.isfinite(found), found, np.nan)


@dataclass(frozen=True, eq=False)
class ComparedModel:
    """A model at the loads of intervals.

    Attributes
    ----------
    loads : DayLoads
    solver : LoadSolver
    solved : SolvedLoads
    columns : tuple of ComparedColumn
    name : str
    """

    loads: DayLoads
    solver: LoadSolver
    solved: SolvedLoads
    columns: tuple[ComparedColumn, ...]
    name: str


def compared(model: Any, intervals: Intervals, run: LongRun) -> ComparedModel:
    """A network, a system or a fitted model beside the intervals; what is solved one by one are points of a run.

    Raises
    ------
    ModelError
        Where nothing that the model predicts was measured.
    """
    inner = getattr(model, "model", model)
    loads = loads_of(intervals, known_loads(inner), timed=False)
    solver = load_solver(inner, loads, run)
    solved = solver.solved(loads.values)
    if hasattr(model, "predict") and hasattr(model, "figures"):
        columns = _of_fit(model, intervals, loads, run)
    else:
        columns = _of_model(inner, owned(intervals, known_loads(inner)), loads, solver, solved)
    if not columns:
        rule = "must have a response, a utilization or the rate of users that the model says something of"
        raise ModelError("intervals", rule, "name series as classes and stations: orders.response_time, cpu.busy")
    return ComparedModel(loads, solver, solved, tuple(columns), inner.name or "model")


def _of_fit(model: Any, intervals: Intervals, loads: DayLoads, run: LongRun) -> list[ComparedColumn]:
    predicted = model.on(run).predict(intervals).columns
    rows = MeasuredRows(intervals)  # finds the CPs of an LPAR and the QR TCB of a region by the names of the model
    found = []
    for title, values in predicted.items():
        name, _, quantity = title.rpartition(".")
        if quantity not in JUDGED or not rows.has(name, quantity):
            continue
        measured = rows.in_seconds(name, quantity)
        if np.allclose(measured, values, rtol=1e-12, equal_nan=True):  # given, not predicted
            continue
        low, high = predicted.get(f"{title}.lowest"), predicted.get(f"{title}.highest")
        ends = [None if each is None else each[loads.order] for each in (low, high)]
        unit = _unit(quantity)
        found.append(ComparedColumn(title, quantity, unit, measured[loads.order], values[loads.order], ends[0], ends[1]))
    return found


def _of_model(
    model: Any, intervals: Intervals, loads: DayLoads, solver: LoadSolver, solved: SolvedLoads
) -> list[ComparedColumn]:
    found = []
    for r, name in enumerate(loads.names):
        if (measured := _column(intervals, "response_time", name)) is not None:
            values = np.where(solved.offered < 1, solved.response[:, r], np.nan)
            found.append(ComparedColumn(f"{name}.response_time", "response_time", "s", measured[loads.order], values))
        if loads.users[r] and (rate := _column(intervals, "rate", name)) is not None:
            think = _think(model, name)
            with np.errstate(divide="ignore", invalid="ignore"):
                values = loads.values[:, r] / (think + solved.response[:, r])
            found.append(ComparedColumn(f"{name}.rate", "rate", "1/s", rate[loads.order], values))
    for j, each in enumerate(intervals.series):
        center = _center(each.name, each.lpar, each.region, solver.centers) if each.quantity == "busy" else None
        if center is not None:
            title, values = f"{solver.centers[center]}.busy", solved.utilization[:, center]
            if all(title != other.title for other in found):
                found.append(ComparedColumn(title, "busy", "1", intervals.values[loads.order, j], values))
    return found


def _column(intervals: Intervals, quantity: str, name: str) -> Array | None:
    """The series of a class where there is one; of several the mean by rate is not taken."""
    at = [j for j, each in enumerate(intervals.series) if each.quantity == quantity and each.work == name]
    return intervals.values[:, at[0]] if len(at) == 1 else None


def _center(name: str, lpar: str, region: str, centers: tuple[str, ...]) -> int | None:
    """The center of a model that a measured utilization is of."""
    kind = "zIIPs" if "iip" in name.casefold() else "CPs"
    wanted = [name, f"{name} CPs", f"{name} QR TCB"]
    wanted += [f"{lpar} {kind}"] * bool(lpar) + [f"{region} QR TCB"] * bool(region)
    return next((centers.index(each) for each in wanted if each in centers), None)


def _think(model: Any, name: str) -> float:
    """Think time of a class [s]."""
    if isinstance(model, Network):
        own = next(each for each in model.classes if each.name == name)
        return own.think_time * SECONDS[model.time_unit] if isinstance(own, ClosedClass) else 0.0
    return float(next(each.think_time for each in model.work if each.name == name))


def _unit(quantity: str) -> str:
    return {"rate": "1/s", "busy": "1"}.get(quantity, "s")

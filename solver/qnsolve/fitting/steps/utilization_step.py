"""The first step of a fit: demands by the utilization law, think times by Little's law; linear, station by station."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from qnsolve.errors import ModelError
from qnsolve.fitting.measured_rows import MeasuredRows, complete
from qnsolve.fitting.sketch import OpenFigure, Sketch
from qnsolve.measure.checked_series import Array
from qnsolve.measure.demands.linear_law import LinearLaw, linear_law
from qnsolve.measure.demands.told_apart import entangled, odd_rows
from qnsolve.model.network import Network
from qnsolve.model.station_types import Delay, Queue

from .estimates import FigureEstimate, FitState, full

CLOSE = 0.02  # capture ratio nearer to 1 than this is not worth a finding


def utilization_step(sketch: Sketch, rows: MeasuredRows, found: FitState) -> None:
    """Figures of a network that laws give by themselves."""
    network = sketch.model({})
    assert isinstance(network, Network)
    open_figures = {each.name: each for each in sketch.figures}
    for job_class in network.classes:
        _think_time(job_class.name, open_figures, rows, found)
    for station in network.stations:
        name = station.name
        wanted = [figure for figure in sketch.figures if _at(figure, name)]
        if isinstance(station, Delay) or not wanted:
            continue
        _used(name, wanted, network, rows, found)
        if not rows.has(name, "busy"):
            continue
        servers = _servers(station, sketch, rows)
        if servers is None:
            continue
        _station(name, servers, wanted, network, sketch, rows, found)


def _at(figure: OpenFigure, station: str) -> bool:
    return len(figure.place) == 4 and figure.place[2] in ("demands", "service_times") and figure.place[3] == station


def _servers(station: object, sketch: Sketch, rows: MeasuredRows) -> Array | None:
    """Servers in each row; None where they are to be fitted and the data do not have them."""
    name = getattr(station, "name", "")
    if any(figure.name == f"{name}.servers" for figure in sketch.figures):
        return rows.column(name, "servers") if rows.has(name, "servers") else None
    if isinstance(station, Queue):
        return np.full(len(rows), float(station.servers))
    return None


def rate_of(name: str, network: Network, sketch: Sketch, rows: MeasuredRows) -> Array | None:
    """Rate of a class in each row: measured, or the constant of the sketch; None where neither is known."""
    if rows.has(name, "rate"):
        return rows.column(name, "rate")
    job_class = next(each for each in network.classes if each.name == name)
    known = getattr(job_class, "arrival_rate", None)
    if known is None or any(load[0] == name and load[1] == "arrival_rate" for load in sketch.loads):
        return None
    return np.full(len(rows), float(known))


def _visits(name: str, station: str, network: Network) -> float:
    job_class = next(each for each in network.classes if each.name == name)
    visits = getattr(job_class, "visits", None)
    return float(visits.get(station, 0.0)) if visits else 1.0


def _used(station: str, wanted: Sequence[OpenFigure], network: Network, rows: MeasuredRows, found: FitState) -> None:
    """Demands from the servers that each class keeps busy, where that is measured and there is one queue to do it."""
    queues = [each.name for each in network.stations if not isinstance(each, Delay)]
    for figure in wanted:
        job_class = next(each for each in network.classes if each.name == figure.owner)
        asked = [name for name in queues if name in (job_class.demands or {name: 1.0})]
        owner = figure.owner
        if asked != [station] or sum(each.owner == owner for each in wanted) != 1 or not rows.has(owner, "rate"):
            continue
        rate = rows.column(owner, "rate") * _visits(owner, station, network)
        for quantity in ("used", "cpu_time"):
            if rows.has(owner, quantity):
                each = rows.column(owner, quantity)
                used = each if quantity == "used" else each * rate
                law = _law([rate], used, [True])
                if law is not None:
                    _take([figure], law, f"{owner}.{quantity}", found)
                    break


def _station(
    name: str,
    servers: Array,
    wanted: Sequence[OpenFigure],
    network: Network,
    sketch: Sketch,
    rows: MeasuredRows,
    found: FitState,
) -> None:
    """Demands at one station from its utilization."""
    busy = rows.column(name, "busy") * servers
    columns, figures, known = [], [], np.zeros(len(rows))
    constant = False
    for job_class in network.classes:
        figure = next((each for each in wanted if each.owner == job_class.name), None)
        rate = rate_of(job_class.name, network, sketch, rows)
        demand = float(job_class.demands.get(name, 0.0)) if job_class.demands else 0.0
        if rate is None and (figure is not None or demand):
            return
        if rate is None:
            continue
        if figure is None:
            known += demand * rate
        elif figure.name in found.estimates:
            known += found.estimates[figure.name].value * _visits(job_class.name, name, network) * rate
        else:
            if not np.nanmax(rate) > 0:
                raise ModelError(f"{job_class.name}.rate", "must not be 0 in every interval", "leave the class out", 0.0)
            columns.append(rate * _visits(job_class.name, name, network))
            figures.append(figure)
            constant |= not rows.has(job_class.name, "rate")
    if not figures:
        _captured(name, busy, known, found)
        return
    measured = [rows.has(each.owner, "rate") for each in figures]
    if not constant:
        columns.append(np.ones(len(rows)))
        measured.append(False)
    law = _law(columns, busy - known, measured)
    if law is None:
        rule = f"must have {len(columns) + 2} intervals with rates and utilization"
        raise ModelError(f"{name}.busy", rule, "add intervals, or join classes", len(rows))
    _take(figures, law, f"{name}.busy", found)
    keep = complete([*columns, busy])
    found.findings += entangled([each.owner for each in figures], [c[keep] for c in columns[: len(figures)]], law, rows.unit)
    for i, size in odd_rows(law):
        at = int(np.flatnonzero(keep)[i])
        was, said = float(busy[at] / servers[at]), float((law.fitted[i] + known[at]) / servers[at])
        found.odd.append(at)
        found.findings.append(
            f"{rows.row_name(at)}: {name} is busy {was:.3g}, the fit says {said:.3g}, {size:.0f} times the usual error"
        )
    if not constant and law.lowest[-1] > 0:
        share = float(law.numbers[-1] / np.nanmean(servers))
        found.findings.append(f"{name} is busy {100 * share:.3g} % without this work, which the sketch has no place for")


def _law(columns: Sequence[Array], values: Array, measured: Sequence[bool]) -> LinearLaw | None:
    """The law of the rows that have all; None where these are too few."""
    keep = complete([*columns, values])
    if keep.sum() < len(columns) + 2:
        return None
    return linear_law(np.column_stack(columns)[keep], values[keep], np.array(measured))


def _take(figures: Sequence[OpenFigure], law: LinearLaw, source: str, found: FitState) -> None:
    draws = full(law.draws)
    for i, figure in enumerate(figures):
        ends = float(law.numbers[i]), float(law.lowest[i]), float(law.highest[i])
        found.add(FigureEstimate(figure, *ends, draws[:, i], source, len(law.left)))


def _captured(name: str, busy: Array, known: Array, found: FitState) -> None:
    """How much of the use is charged to the work."""
    keep = complete([busy, known])
    total = float(busy[keep].sum())
    if keep.any() and total > 0:
        share = float(known[keep].sum()) / total
        if abs(share - 1) > CLOSE:
            found.findings.append(
                f"{name} is busy {1 / share:.3g} times what is charged to the work (capture ratio {share:.3g})"
            )


def _think_time(name: str, open_figures: dict[str, OpenFigure], rows: MeasuredRows, found: FitState) -> None:
    """Z of N = X·(R + Z)."""
    figure = open_figures.get(f"{name}.think_time")
    if figure is None or not all(rows.has(name, key) for key in ("users", "rate", "response_time")):
        return
    users, rate, response = (rows.column(name, key) for key in ("users", "rate", "response_time"))
    keep = complete([users, rate, response])
    if keep.sum() < 3:
        return
    away = users[keep] - rate[keep] * response[keep]
    law = linear_law((rate / users)[keep, None], away / users[keep], np.array([False]))
    _take([figure], law, f"{name}: users, rate and response_time (Little's law)", found)

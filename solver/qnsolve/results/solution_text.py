"""The printed solution: its table, and a sentence for each class, blocked station and limit."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from typing import Any

from .rendering import Table, figure
from .rows import ClassResult, LimitResult, StationResult
from .terms import terms

LITTLE = 1e-6  # an admission wait below this share of the response time is not mentioned
NO_WAIT = 1e-9  # waiting below this share of the residence time is printed as 0
COLUMNS = ("throughput", "utilization", "queue_length", "demand", "waiting_time", "residence_time")


def solution_table(time_unit: str, classes: Sequence[ClassResult], rows: Sequence[dict[str, Any]]) -> Table:
    """A row for each class and station that it visits, then the total row of the class."""
    known = [terms()[column] for column in COLUMNS]
    head = [["class", "station"] + [t.heading for t in known], ["", ""] + [t.unit_in(time_unit) for t in known]]
    body = []
    for result in classes:
        pairs = [p for p in rows if p["class"] == result.name and p["demand"] > 0]
        for pair in pairs:
            figures = [figure(pair[column]) for column in COLUMNS]
            figures[COLUMNS.index("waiting_time")] = _wait(pair["waiting_time"], pair["residence_time"])
            body.append([result.name, pair["station"], *figures])
        waiting = math.fsum(pair["waiting_time"] for pair in pairs) + result.admission_wait
        totals = {
            "throughput": result.throughput,
            "queue_length": result.queue_length,
            "demand": math.fsum(pair["demand"] for pair in pairs),
            "waiting_time": _wait(waiting, result.response_time),
            "residence_time": result.response_time,
        }
        body.append([result.name, "total"] + [figure(totals.get(column, "")) for column in COLUMNS])
    return Table(head, body, words=2)


def _wait(waiting: float, residence: float) -> str:
    return "0" if abs(waiting) < NO_WAIT * residence else figure(waiting)


def solution_sentences(
    time_unit: str, classes: Sequence[ClassResult], stations: Sequence[StationResult], limits: Sequence[LimitResult]
) -> Iterator[str]:
    """A sentence for each class, each blocked station and each limit."""
    for result in classes:
        yield _class_sentence(time_unit, result, stations)
    for station in stations:
        if station.fraction_blocked > 0:
            yield _blocked_sentence(station)
    for limit in limits:
        yield _limit_sentence(limit)


def _class_sentence(unit: str, result: ClassResult, stations: Sequence[StationResult]) -> str:
    """The sentence of a class: its figures and its bottleneck."""
    said = f"{result.name}: throughput {figure(result.throughput)}/{unit}"
    said += f", response time {figure(result.response_time)} {unit}"
    if result.admission_wait > LITTLE * result.response_time:
        share = figure(100 * result.fraction_delayed, 3)
        said += f", {figure(result.admission_wait)} {unit} of it outside limits where {share} % have to wait"
    if result.bottleneck is None:
        return f"{said}; it queues nowhere"
    busy = next(s.utilization for s in stations if s.name == result.bottleneck)
    return (
        f"{said}; bottleneck {result.bottleneck}, {figure(100 * busy, 4)} % busy: "
        f"alone it cannot pass {figure(result.highest_throughput)}/{unit}"
    )


def _blocked_sentence(station: StationResult) -> str:
    """The sentence of a blocked station: the blocked share of its servers' time."""
    blocked, busy = figure(100 * station.fraction_blocked, 4), figure(100 * station.utilization, 4)
    return f"{station.name}: {busy} % busy, {blocked} % blocked by jobs that wait for a place at the next station"


def _limit_sentence(limit: LimitResult) -> str:
    """The sentence of a limit: how full it is, and how many jobs wait."""
    waits = f"{figure(limit.number_outside)} wait for it, at most {limit.number_outside_95} for 95 % of the time"
    full = f"full {figure(100 * limit.probability_full, 4)} % of the time"
    return f"{limit.name}: {figure(limit.number_inside)} of {limit.capacity} inside, {full}; {waits}"

"""The printed solution: its table, and a sentence for each class, blocked station and limit."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from typing import Any

from .columns import standing_out
from .digits import moved, percent, short
from .rendering import Table
from .rows import ClassResult, LimitResult, StationResult
from .terms import terms

LITTLE = 1e-6  # an admission wait below this share of the response time is not mentioned
NO_WAIT = 1e-6  # waiting below this share of the residence time is printed as 0
COLUMNS = ("throughput", "utilization", "queue_length", "demand", "waiting_time", "residence_time")


def solution_table(time_unit: str, classes: Sequence[ClassResult], rows: Sequence[dict[str, Any]]) -> Table:
    """A row for each class and station that it visits, then the total row of the class."""
    known = [terms()[column] for column in COLUMNS]
    head = [["class", "station"] + [t.heading for t in known], ["", ""] + [t.unit_in(time_unit) for t in known]]
    body: list[list[str]] = []
    marks: dict[tuple[int, int], str] = {}
    for result in classes:
        pairs = [p for p in rows if p["class"] == result.name and p["demand"] > 0]
        for pair in pairs:
            figures = [short(pair[column]) for column in COLUMNS]
            figures[COLUMNS.index("waiting_time")] = _wait(pair["waiting_time"], pair["residence_time"])
            if mark := standing_out("utilization", pair["utilization"]):
                marks[len(body), 2 + COLUMNS.index("utilization")] = mark
            body.append([result.name, pair["station"], *figures])
        waiting = math.fsum(pair["waiting_time"] for pair in pairs) + result.admission_wait
        totals: dict[str, float | str] = {
            "throughput": result.throughput,
            "queue_length": result.queue_length,
            "demand": math.fsum(pair["demand"] for pair in pairs),
            "waiting_time": _wait(waiting, result.response_time),
            "residence_time": result.response_time,
        }
        body.append([result.name, "total"] + [_printed(totals.get(column, "")) for column in COLUMNS])
    return Table(head, body, words=2, marks=marks)


def _wait(waiting: float, residence: float) -> str:
    return "0" if abs(waiting) < NO_WAIT * residence else short(waiting)


def _printed(value: float | str) -> str:
    return value if isinstance(value, str) else short(value)


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


def change_sentences(unit: str, before: Sequence[ClassResult], after: Sequence[ClassResult]) -> Iterator[str]:
    """What changed for each class: first the highest rate that its bottleneck allows, then response time and throughput."""
    old = {each.name: each for each in before}
    both = [(old[each.name], each) for each in after if each.name in old]
    for was, now in both:
        if was.bottleneck is not None and now.bottleneck is not None:
            rates = moved(was.highest_throughput, now.highest_throughput, lambda rate: f"{short(rate)}/{unit}")
            by = now.bottleneck if was.bottleneck == now.bottleneck else f"{was.bottleneck}, then {now.bottleneck}"
            yield f"{now.name}: highest rate {rates}, set by {by}"
    for was, now in both:
        response = moved(was.response_time, now.response_time, lambda time: f"{short(time)} {unit}")
        throughput = moved(was.throughput, now.throughput, lambda rate: f"{short(rate)}/{unit}")
        yield f"{now.name}: response time {response}, throughput {throughput}"


def _class_sentence(unit: str, result: ClassResult, stations: Sequence[StationResult]) -> str:
    """The sentence of a class: its figures and its bottleneck."""
    said = f"{result.name}: throughput {short(result.throughput)}/{unit}"
    said += f", response time {short(result.response_time)} {unit}"
    if result.admission_wait > LITTLE * result.response_time:
        share = percent(100 * result.fraction_delayed)
        said += f", {short(result.admission_wait)} {unit} of it outside limits where {share} % have to wait"
    if result.bottleneck is None:
        return f"{said}; it queues nowhere"
    busy = next(s.utilization for s in stations if s.name == result.bottleneck)
    return (
        f"{said}; bottleneck {result.bottleneck}, {percent(100 * busy)} % busy: "
        f"alone it cannot pass {short(result.highest_throughput)}/{unit}"
    )


def _blocked_sentence(station: StationResult) -> str:
    """The sentence of a blocked station: the blocked share of its servers' time."""
    blocked, busy = percent(100 * station.fraction_blocked), percent(100 * station.utilization)
    return f"{station.name}: {busy} % busy, {blocked} % blocked by jobs that wait for a place at the next station"


def _limit_sentence(limit: LimitResult) -> str:
    """The sentence of a limit: how full it is, and how many jobs wait."""
    waits = f"{short(limit.number_outside)} wait for it, at most {limit.number_outside_95} for 95 % of the time"
    full = f"full {percent(100 * limit.probability_full)} % of the time"
    return f"{limit.name}: {short(limit.number_inside)} of {limit.capacity} inside, {full}; {waits}"

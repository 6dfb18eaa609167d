"""Networks of one class by their demands alone: the short forms."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Annotated, Any

import qnsolve as qn

from ..catalogue import worksheet_function
from ..cells import CellError, Numbers, Table
from ..modelling import solved
from .words import Population, Rate, ThinkTime

GROUP = "Networks"
MOST_STATIONS = 1_000
Demands = Annotated[Numbers, "Service demand of a job at each station, visits times service time, a cell each."]
Number = Annotated[int, "Number of the station, the place of its demand in the range."]
Counts = Annotated[Numbers, "Servers of each station, a cell each; one server each where left out."]


@worksheet_function(GROUP)
def closed(demands: Demands, population: Population, think_time: ThinkTime = 0, servers: Counts | None = None) -> Table:
    """One closed class from its demands: a heading row, a row for each station, and the total.

    Examples
    --------
    =QN.CLOSED({0.22;0.1},60,12)
    =QN.CLOSED({0.22,0.1},60,12,{2,1})
    =QN.CLOSED({0.22,0.1},0.5)
    """
    jobs = partial(qn.ClosedClass, population=population, think_time=think_time)
    return _short(demands, servers, ("closed", population, think_time), jobs)


@worksheet_function(GROUP)
def closed_throughput(
    demands: Demands, population: Population, think_time: ThinkTime = 0, servers: Counts | None = None
) -> float:
    """Throughput of one closed class from its demands [jobs/time].

    Examples
    --------
    =QN.CLOSED_THROUGHPUT({0.22;0.1},60,12)
    =QN.CLOSED_THROUGHPUT({0.249,4},500,,{1,16})
    =QN.CLOSED_THROUGHPUT({0.22;"x"},60,12)
    """
    return float(closed(demands, population, think_time, servers)[-1][1])


@worksheet_function(GROUP)
def closed_response(
    demands: Demands, population: Population, think_time: ThinkTime = 0, servers: Counts | None = None
) -> float:
    """Mean response time of one closed class from its demands [time].

    Examples
    --------
    =QN.CLOSED_RESPONSE({0.22;0.1},60,12)
    =QN.CLOSED_RESPONSE(0.22,60,12,2)
    =QN.CLOSED_RESPONSE({0.22;0.1},60,12,{2;1;1})
    """
    if population == 0:
        raise CellError("#NUM!", "population is 0: no job has a response time; give 1 or more")
    return float(closed(demands, population, think_time, servers)[-1][4])


@worksheet_function(GROUP)
def closed_queue_length(
    demands: Demands, population: Population, think_time: ThinkTime = 0, station: Number = 1, servers: Counts | None = None
) -> float:
    """Mean number of jobs at one station of one closed class, from its demands [jobs].

    Examples
    --------
    =QN.CLOSED_QUEUE_LENGTH({0.22;0.1},60,12)
    =QN.CLOSED_QUEUE_LENGTH({0.22;0.1},60,12,2,{2;1})
    =QN.CLOSED_QUEUE_LENGTH({0.22;0.1},60,12,3)
    """
    return float(_row(closed(demands, population, think_time, servers), station)[3])


@worksheet_function(GROUP)
def closed_utilization(
    demands: Demands, population: Population, think_time: ThinkTime = 0, station: Number = 1, servers: Counts | None = None
) -> float:
    """Utilization of each server of one station of one closed class, from its demands [0..1].

    Examples
    --------
    =QN.CLOSED_UTILIZATION({0.22;0.1},60,12)
    =QN.CLOSED_UTILIZATION({0.22;0.1},60,12,2,{2;1})
    =QN.CLOSED_UTILIZATION({0.22;0.1},60,12,0)
    """
    return float(_row(closed(demands, population, think_time, servers), station)[2])


@worksheet_function(GROUP)
def open(demands: Demands, arrival_rate: Rate, servers: Counts | None = None) -> Table:
    """One open class from its demands: a heading row, a row for each station, and the total.

    Examples
    --------
    =QN.OPEN({0.04;0.06},8)
    =QN.OPEN({0.04,0.06},20,{1,2})
    =QN.OPEN({0.04,0.06},20)
    """
    return _short(demands, servers, ("open", arrival_rate), partial(qn.OpenClass, arrival_rate=arrival_rate))


@worksheet_function(GROUP)
def open_response(demands: Demands, arrival_rate: Rate, servers: Counts | None = None) -> float:
    """Mean response time of one open class from its demands [time].

    Examples
    --------
    =QN.OPEN_RESPONSE({0.04;0.06},8)
    =QN.OPEN_RESPONSE({0.04,0.06},20,{1,2})
    =QN.OPEN_RESPONSE({-0.04,0.06},20,{1,2})
    """
    return float(open(demands, arrival_rate, servers)[-1][4])


def _row(table: Table, station: int) -> list[Any]:
    if not 1 <= station <= len(table) - 2:
        raise CellError("#N/A", f"station is {station}; there are {len(table) - 2} stations")
    return table[station]


def _short(demands: Numbers, servers: Numbers | None, asked: tuple[Any, ...], jobs: Callable[..., Any]) -> Table:
    counts = servers or [1.0] * len(demands)
    if len(counts) != len(demands):
        raise CellError(
            "#VALUE!", f"servers has {len(counts)} cells and demands {len(demands)}; give one of each for a station"
        )
    if len(demands) > MOST_STATIONS:
        raise CellError("#VALUE!", f"demands has {len(demands)} cells; a cell solves {MOST_STATIONS} stations at most")

    def model() -> qn.Network:
        named = {f"station {i}": demand for i, demand in enumerate(demands, 1)}
        stations = [qn.Queue(name, servers=m) for name, m in zip(named, counts, strict=True)]
        return qn.Network(stations, [jobs("jobs", demands=named)])

    found = solved((asked, tuple(demands), tuple(counts)), model)
    total = found.classes[0]
    rows = [[p.station, total.throughput, p.utilization, p.queue_length, p.residence_time] for p in found.pairs]
    heads = ["station", "throughput", "utilization", "queue length", "residence time"]
    return [heads, *rows, ["total", total.throughput, None, total.queue_length, total.response_time]]

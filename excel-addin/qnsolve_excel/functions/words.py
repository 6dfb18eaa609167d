"""The arguments that several functions share, each with its kind and its help, and the checks of their values."""

from __future__ import annotations

from typing import Annotated

from ..cells import CellError, Numbers, Table

Rate = Annotated[float, "Arrival rate per unit of time, a second for example; all times of the call are in that unit."]
Time = Annotated[float, "Mean service time of one job on one server, in the unit of time."]
Servers = Annotated[int, "Servers that share one queue, a whole number."]
Share = Annotated[float, "Share of the jobs, 0 to 1: 0.95 for the 95th percentile."]
Capacity = Annotated[int, "Capacity of the queue: jobs in service and waiting, a whole number not below servers."]
Variation = Annotated[float, "Squared coefficient of variation of the service time: 0 constant, 1 exponential."]
Target = Annotated[float, "Target of the response time, in the unit of time."]
Population = Annotated[int, "Jobs or users in all, a whole number."]
ThinkTime = Annotated[float, "Mean time between the answer to a user and the next request, in the unit of time."]

Stations = Annotated[
    Table,
    "Table with a heading row: name, and as needed type (queue, delay, load_dependent), servers, discipline, on, capacity.",
]
Classes = Annotated[
    Table,
    "Table with a heading row: name, population (closed) or arrival_rate (open), think_time, and a column of demands "
    "headed by each station's name.",
]
Limits = Annotated[
    Table,
    "Table with a heading row: name, capacity, and as needed classes and stations, names with ; between.",
]
Method = Annotated[str, "Solution method, as QN.METHODS lists them; exact: the first exact one, auto: the first that accepts."]
ClassName = Annotated[str, "Name of the class, as in the table of classes."]
StationName = Annotated[str, "Name of the station, as in the table of stations."]

Etr = Annotated[float, "External throughput rate, transactions per second: RMF's ETR."]
Busy = Annotated[float, "Share of the processors that is busy, 0 to 1: 0.8 for 80 %."]
Engines = Annotated[float, "Processors of the LPAR; 2.4 where its weight leaves a part of one."]
CpuTime = Annotated[float, "CPU time of one transaction, in seconds."]
OtherTime = Annotated[float, "Rest of the response time, outside the modelled queue, in seconds."]
Measured = Annotated[Numbers, "Measured values, a cell for each interval."]


def share(name: str, value: float) -> float:
    """0 to 1."""
    if not 0 <= value <= 1:
        raise CellError("#NUM!", f"{name} is {value:g}; it must lie within 0 and 1: 0.8 for 80 %")
    return value


def some(name: str, value: float) -> float:
    """0 or more."""
    if value < 0:
        raise CellError("#NUM!", f"{name} is {value:g}; it must be 0 or more")
    return value


def positive(name: str, value: float) -> float:
    """Above 0."""
    if value <= 0:
        raise CellError("#NUM!", f"{name} is {value:g}; it must be above 0")
    return value


def paired(**given: list[float]) -> None:
    """Ranges of which each cell belongs to the cell of the same place in the others."""
    if len({len(cells) for cells in given.values()}) > 1:
        lengths = ", ".join(f"{name} {len(cells)}" for name, cells in given.items())
        raise CellError("#VALUE!", f"ranges of different lengths: {lengths} cells; give one cell of each for a row")

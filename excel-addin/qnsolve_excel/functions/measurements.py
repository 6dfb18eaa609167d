"""Measurements to the figures of a model: what a report prints, what a model takes."""

from __future__ import annotations

from typing import Annotated

import numpy as np
from qnsolve import stations as forms
from qnsolve import zos
from qnsolve.numerics.bisection import last_real

from ..arguments import whole
from ..catalogue import worksheet_function
from ..cells import CellError, Numbers, Table, remark
from .ranges import paired, positive, share
from .words import Servers

GROUP = "Measurements"
LARGEST_BATCH = 1e5
Rates = Annotated[Numbers, "Transactions in a second, a cell for each interval."]
Busies = Annotated[Numbers, "Share of the servers that was busy, 0 to 1, in the same intervals."]
Responses = Annotated[Numbers, "Mean response time in the same intervals, in the unit of time."]


@worksheet_function(GROUP)
def fit_demand(rates: Rates, busy: Busies, servers: Servers = 1) -> float:
    """Service demand of one transaction from measured rates and utilizations: the slope of the utilization law [time].

    Least squares; with what does not grow as QN.FIT_CONSTANT. One interval gives busy times servers over rate.

    Examples
    --------
    =QN.FIT_DEMAND({200;400;600},{0.12;0.22;0.32},8)
    =QN.FIT_DEMAND(1200,0.8,8)
    =QN.FIT_DEMAND({200;400;600},{0.12;0.22},8)
    """
    return _line(rates, busy, servers)[0]


@worksheet_function(GROUP)
def fit_constant(rates: Rates, busy: Busies, servers: Servers = 1) -> float:
    """What is used without any transaction, in servers: the intercept of the utilization law [servers].

    Least squares; negative where the figures bend upwards: then the demand grows with the load.

    Examples
    --------
    =QN.FIT_CONSTANT({200;400;600},{0.12;0.22;0.32},8)
    =QN.FIT_CONSTANT({200,400},{0.12,0.24})
    =QN.FIT_CONSTANT(1200,0.8,8)
    """
    if len(rates) < 2:
        raise CellError("#VALUE!", "rates has one interval; a constant needs two or more")
    return _line(rates, busy, servers)[1]


@worksheet_function(GROUP)
def fit_think_time(
    users: Annotated[Numbers, "Users at work, a cell for each interval."], rates: Rates, responses: Responses
) -> float:
    """Think time of users from measured users, rates and response times: N/X - R, its mean over the intervals [time].

    The response time law, exact for each interval.

    Examples
    --------
    =QN.FIT_THINK_TIME({1000;2000},{199;390},{0.02;0.11})
    =QN.FIT_THINK_TIME(1000,199,0.02)
    =QN.FIT_THINK_TIME(1000,199,20)
    """
    paired(users=users, rates=rates, responses=responses)
    found = [
        n / positive(f"cell {i} of rates", x) - r for i, (n, x, r) in enumerate(zip(users, rates, responses, strict=True), 1)
    ]
    for i, z in enumerate(found, 1):
        if z < 0:
            raise CellError("#NUM!", f"interval {i}: N/X - R is {z:.6g}; more users are at work there than are counted")
    return sum(found) / len(found)


@worksheet_function(GROUP)
def fit_stripes(
    stripes: Annotated[Numbers, "Numbers of stripes of two or more logs."],
    mib_per_second: Annotated[Numbers, "What each wrote when it was full, in MiB a second."],
) -> Table:
    """The law of a log's speed: a and b of a + b/stripes seconds for one MiB, side by side [s].

    Exact through two rows, least squares through more. 8 stripes from 1 and 2: 0.7 % off (IMS 12, table 8).

    Examples
    --------
    =QN.FIT_STRIPES({1;2},{154;228})
    =QN.FIT_STRIPES({1,2,8},{154,228,356})
    =QN.FIT_STRIPES({1;2},{154;120})
    """
    paired(stripes=stripes, mib_per_second=mib_per_second)
    if len(stripes) == 2:
        law = {whole("stripes", n): x for n, x in zip(stripes, mib_per_second, strict=True)}
        return [list(zos.Logger.fitted("log", mib_per_second=law).seconds_per_mib)]
    shared, fixed = _slope(
        "1/stripes", [1 / positive("stripes", n) for n in stripes], [1 / positive("mib_per_second", x) for x in mib_per_second]
    )
    if shared < 0 or fixed < 0:
        raise CellError("#NUM!", "no a + b/stripes with a and b of 0 or more comes near; take rows where the log alone is full")
    return [[fixed, shared]]


@worksheet_function(GROUP)
def fit_engines(
    engines: Annotated[Numbers, "Processors at work, busy times processors, a cell for each interval."],
    cpu_times: Annotated[Numbers, "CPU time of one transaction in the same intervals, in seconds."],
) -> Table:
    """How CPU time grows with the processors at work: CPU with one, and growth g of 1 + g.ln(engines), side by side.

    Least squares; g is what the growth column of a table of LPARs takes.

    Examples
    --------
    =QN.FIT_ENGINES({1;2;4;8},{0.004;0.0042;0.0045;0.0047})
    =QN.FIT_ENGINES({1,6},{0.004,0.005})
    =QN.FIT_ENGINES({1;2},{0.004;0})
    """
    paired(engines=engines, cpu_times=cpu_times)
    logs = [float(np.log(max(positive("engines", n), 1.0))) for n in engines]
    slope, alone = _slope("engines", logs, [positive("cpu_times", c) for c in cpu_times])
    return [[alone, max(slope, 0.0) / positive("CPU with one engine", alone)]]


@worksheet_function(GROUP)
def fit_batch(
    arrival_rate: Annotated[float, "Transactions that arrive in a unit of time."],
    service_time: Annotated[float, "Mean service time of one of them at the server, in the unit of time."],
    response_time: Annotated[float, "Measured mean response time at the servers, in the unit of time."],
    servers: Servers = 1,
) -> float:
    """Mean size of the batches that explain a response time longer than that of single arrivals [jobs]; 1 where none do.

    Batches of sizes as by coin tosses; exact for that model.

    Examples
    --------
    =QN.FIT_BATCH(1500,0.0004524,0.005)
    =QN.FIT_BATCH(90,0.1,0.3,12)
    =QN.FIT_BATCH(1500,0.0004524,0.0001)
    """
    if response_time < service_time:
        raise CellError("#NUM!", f"response_time is {response_time:g}, less than the service time, {service_time:g}")

    def longer(size: float) -> float:
        return forms.batch_servers(arrival_rate, service_time, servers, size, geometric=True).response_time

    if longer(1.0) >= response_time:
        remark("single arrivals alone take that long")
        return 1.0
    found = last_real(lambda size: longer(size) <= response_time, 1.0, 2.0, LARGEST_BATCH, 1e-14)
    if found is None:
        raise CellError("#NUM!", f"batches of {LARGEST_BATCH:g} do not take that long; something else holds the jobs up")
    return found


def _line(rates: Numbers, busy: Numbers, servers: int) -> tuple[float, float]:
    paired(rates=rates, busy=busy)
    if servers < 1:
        raise CellError("#NUM!", f"servers is {servers}; it must be 1 or more")
    if min(rates) <= 0:
        positive(f"cell {rates.index(min(rates)) + 1} of rates", min(rates))
    for u in (min(busy), max(busy)):
        share(f"cell {busy.index(u) + 1} of busy", u)
    used = [u * servers for u in busy]
    return (used[0] / rates[0], 0.0) if len(rates) == 1 else _slope("rates", rates, used)


def _slope(name: str, x: list[float], y: list[float]) -> tuple[float, float]:
    """Slope and intercept of the line of least squares."""
    with np.errstate(over="raise", invalid="raise"):
        return _least_squares(name, x, y)


def _least_squares(name: str, x: list[float], y: list[float]) -> tuple[float, float]:
    middle, height = float(np.mean(x)), float(np.mean(y))
    across = np.array(x) - middle
    spread = float(across @ across)
    if not spread > 1e-24 * max(1.0, middle * middle):
        raise CellError("#NUM!", f"all {name} are the same; a line needs two that differ")
    slope = float(across @ (np.array(y) - height)) / spread
    return slope, height - slope * middle

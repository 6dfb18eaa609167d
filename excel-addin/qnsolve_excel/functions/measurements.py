"""Measured intervals to the parameters of a model."""

from __future__ import annotations

from typing import Annotated

from qnsolve import measure

from ..catalogue import worksheet_function
from ..cells import CellError, Numbers, Table, remark
from .words import Servers

GROUP = "Measurements"
Rates = Annotated[Numbers, "Transactions in a second, a cell for each interval."]
Busies = Annotated[Numbers, "Share of the servers that was busy, 0 to 1, in the same intervals."]
Responses = Annotated[Numbers, "Mean response time in the same intervals, in the unit of time."]


@worksheet_function(GROUP)
def fit_demand(rates: Rates, busy: Busies, servers: Servers = 1) -> float:
    """Service demand of one transaction from measured rates and utilizations: the slope of the utilization law [time].

    Least squares; QN.FIT_CONSTANT is the intercept. One interval gives busy times servers over rate.

    Examples
    --------
    =QN.FIT_DEMAND({200;400;600},{0.12;0.22;0.32},8)
    =QN.FIT_DEMAND(1200,0.8,8)
    =QN.FIT_DEMAND({200;400;600},{0.12;0.22},8)
    """
    return measure.fit_utilization(rates, busy, servers).demand


@worksheet_function(GROUP)
def fit_constant(rates: Rates, busy: Busies, servers: Servers = 1) -> float:
    """Servers in use without any transaction: the intercept of the utilization law [servers].

    Least squares; negative where the demand grows with the load.

    Examples
    --------
    =QN.FIT_CONSTANT({200;400;600},{0.12;0.22;0.32},8)
    =QN.FIT_CONSTANT({200,400},{0.12,0.24})
    =QN.FIT_CONSTANT(1200,0.8,8)
    """
    if len(rates) < 2:
        raise CellError("#VALUE!", "rates has one interval; a constant needs two or more")
    return measure.fit_utilization(rates, busy, servers).constant


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
    return measure.fit_think_time(users, rates, responses)


@worksheet_function(GROUP)
def fit_stripes(
    stripes: Annotated[Numbers, "Stripes of two or more logs, a cell each."],
    mib_per_second: Annotated[Numbers, "What each log wrote when it was full, in MiB per second."],
) -> Table:
    """The law of a log's speed: a and b of a + b/stripes seconds for one MiB, side by side [s].

    Exact through two rows, least squares through more. 8 stripes from 1 and 2: 0.7 % off (IMS 12, table 8).

    Examples
    --------
    =QN.FIT_STRIPES({1;2},{154;228})
    =QN.FIT_STRIPES({1,2,8},{154,228,356})
    =QN.FIT_STRIPES({1;2},{154;120})
    """
    law = measure.fit_stripes(stripes, mib_per_second)
    return [[law.fixed, law.striped]]


@worksheet_function(GROUP)
def fit_engines(
    engines: Annotated[Numbers, "Processors at work, busy times processors, a cell for each interval."],
    cpu_times: Annotated[Numbers, "CPU time of one transaction in the same intervals, in seconds."],
) -> Table:
    """Growth of CPU time with the processors at work: CPU time with one, and g of 1 + g.ln(engines), side by side.

    Least squares; g is what the growth column of a table of LPARs takes.

    Examples
    --------
    =QN.FIT_ENGINES({1;2;4;8},{0.004;0.0042;0.0045;0.0047})
    =QN.FIT_ENGINES({1,6},{0.004,0.005})
    =QN.FIT_ENGINES({1;2},{0.004;0})
    """
    law = measure.fit_engines(engines, cpu_times)
    return [[law.cpu_time, law.growth]]


@worksheet_function(GROUP)
def fit_batch(
    arrival_rate: Annotated[float, "Transactions that arrive in a unit of time."],
    service_time: Annotated[float, "Mean service time of one of them at the server, in the unit of time."],
    response_time: Annotated[float, "Measured mean response time at the servers, in the unit of time."],
    servers: Servers = 1,
) -> float:
    """Mean size of the batches that explain a measured response time [jobs]; 1 where single arrivals explain it.

    Geometric batch sizes; exact for that model.

    Examples
    --------
    =QN.FIT_BATCH(1500,0.0004524,0.005)
    =QN.FIT_BATCH(90,0.1,0.3,12)
    =QN.FIT_BATCH(1500,0.0004524,0.0001)
    """
    found = measure.fit_batch(arrival_rate, service_time, response_time, servers)
    if found == 1:
        remark("single arrivals have that response time or a longer one")
    return found

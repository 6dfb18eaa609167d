"""The planning sheets: one planner's question each, with figures to be written over."""

from __future__ import annotations

from .logs import LOGGER
from .parts import SHARE, WHOLE, Input, Plan, Result, WhatIf, erlang_c, erlang_response
from .region import REGION
from .smt import SMT

RATE = Input("arrival_rate", "Arrival rate", 90, "jobs/s", "all servers together", least=0)
SERVICE = Input("service_time", "Service time of a job on one server", 0.1, "s", least=0)
SERVERS = Input("servers", "Servers", 12, "count", least=1, most=1_000_000, whole=True)
TARGET = Input("target", "Response time not to be exceeded", 0.12, "s", least=0)

LOAD = "({arrival_rate}*{service_time})"
WAITS = erlang_c("arrival_rate", "service_time", "servers")
MEAN_WAIT = f"{WAITS}*{{service_time}}/({{servers}}-{LOAD})"
STATION = ("arrival_rate", "service_time", "servers")


def _stable(text: str) -> str:
    """#NUM! where the servers cannot keep up."""
    return f"IF({LOAD}<{{servers}},{text},10^999)"


BUSY = Result("busy", "Utilization of each server", "MMC_UTILIZATION", STATION, "0..1", _stable(f"{LOAD}/{{servers}}"), SHARE)
RESPONSE = Result("response", "Mean response time", "MMC_RESPONSE", STATION, "s", erlang_response(*STATION))
NINETY_FIVE = Result("percentile", "Response time of 95 % of the jobs", "MMC_RESPONSE_PERCENTILE", (*STATION, 0.95), "s")

SIZING = Plan(
    name="mmc-sizing",
    title="How many servers?",
    question="Jobs arrive at a rate, each is served by one of several servers: how long do they wait, how many are enough?",
    inputs=(RATE, SERVICE, SERVERS, TARGET),
    results=(
        BUSY,
        Result("waits", "Share of the jobs that wait", "MMC_PROB_WAIT", STATION, "0..1", _stable(WAITS), SHARE),
        Result("wait", "Mean waiting time", "MMC_WAIT", STATION, "s", _stable(MEAN_WAIT)),
        RESPONSE,
        NINETY_FIVE,
        Result("jobs", "Jobs present, mean", "MMC_QUEUE_LENGTH", STATION, "jobs", "{arrival_rate}*{response}"),
        Result(
            "needed",
            "Fewest servers for the target",
            "MMC_FEWEST_SERVERS",
            ("arrival_rate", "service_time", "target"),
            "count",
            form=WHOLE,
        ),
        Result(
            "holds",
            "Highest rate that meets the target",
            "MMC_HIGHEST_RATE",
            ("service_time", "target", "servers"),
            "jobs/s",
        ),
    ),
    what_ifs=(
        WhatIf(
            "Response time by arrival rate",
            "arrival_rate",
            (10, 20, 30, 40, 50, 60, 70, 80, 90, 100, 105, 110, 115, 118),
            (RESPONSE, NINETY_FIVE, BUSY),
            (0, 1),
            ("arrival rate [jobs/s]", "response time [s]"),
        ),
        WhatIf(
            "Response time by servers",
            "servers",
            tuple(range(9, 21)),
            (RESPONSE, NINETY_FIVE, BUSY),
            (0, 1),
            ("servers", "response time [s]"),
        ),
    ),
    assumptions=(
        "Poisson arrivals, exponential service times, one queue before all servers, first come first served: exact for that.",
        "Real service times vary less or more: QN.MGC_RESPONSE and QN.GGC_RESPONSE take their variation.",
    ),
)

DEMANDS = (
    Input("demand_1", "Demand at the processors", 0.22, "s", "visits times service time of one request", least=0),
    Input("demand_2", "Demand at the first disk", 0.10, "s", least=0),
    Input("demand_3", "Demand at the second disk", 0.06, "s", least=0),
)
CLOSED = ("demands", "population", "think_time")
# exact mean value analysis, a row for each number of users from 1 on: columns users, X, R, Q1, Q2, Q3, U1
SEEN = [f"{{demand_{k}}}*(1+N({{up{k + 3}}}))" for k in (1, 2, 3)]
ROWS = (
    Result("", "throughput", "CLOSED_THROUGHPUT", CLOSED, "1/s", "{1}/({think_time}+{3})"),
    Result("", "response time", "CLOSED_RESPONSE", CLOSED, "s", "+".join(SEEN)),
    *(Result("", f"jobs at {k}", "CLOSED_QUEUE_LENGTH", (*CLOSED, float(k)), native=f"{{2}}*{SEEN[k - 1]}") for k in (1, 2, 3)),
    Result("", "busy at 1", "CLOSED_UTILIZATION", (*CLOSED, 1.0), native="{2}*{demand_1}", form=SHARE),
)
NETWORK = Plan(
    name="closed-network",
    title="How many users can this system serve?",
    question="Users think, send a request, and wait for its answer; it needs processors and two disks.",
    inputs=(
        *DEMANDS,
        Input("population", "Users", 60, "count", least=0, most=1_000_000, whole=True),
        Input("think_time", "Think time", 12, "s", least=0),
    ),
    ranges={"demands": ("demand_1", "demand_3")},
    results=(
        Result("rate", "Throughput", "CLOSED_THROUGHPUT", CLOSED, "1/s"),
        Result("answer", "Mean response time", "CLOSED_RESPONSE", CLOSED, "s", note="no plain formula: see the table below"),
        Result("cpu_busy", "Processors busy", "CLOSED_UTILIZATION", (*CLOSED, 1.0), "0..1", "{rate}*{demand_1}", SHARE),
        Result("waiting", "Requests at the processors", "CLOSED_QUEUE_LENGTH", (*CLOSED, 1.0), "jobs"),
    ),
    what_ifs=(
        WhatIf(
            "Response time by users",
            "population",
            tuple(range(1, 81)),
            ROWS,
            (1,),
            ("users", "response time [s]"),
        ),
    ),
    assumptions=(
        "Exact for processor sharing, or first come first served with exponential times that are the same for all.",
        "The table is mean value analysis, a row for each number of users: each row needs the one above it.",
    ),
)

PLANS = {plan.name: plan for plan in (SIZING, NETWORK, REGION, SMT, LOGGER)}

"""Small models of every kind that the solver takes: hand-made ones and seeded random ones."""

from __future__ import annotations

from functools import cache

import numpy as np
from qnsolve import AdmissionLimit, ClosedClass, Delay, LoadDependent, Network, OpenClass, Queue, Solution, methods, solve

Station = Queue | Delay | LoadDependent


def closed(name: str, population: int, think_time: float = 0.0, **demands: float) -> ClosedClass:
    """A closed class by its demands."""
    return ClosedClass(name, population=population, think_time=think_time, demands=demands)


def opened(name: str, arrival_rate: float, **demands: float) -> OpenClass:
    """An open class by its demands."""
    return OpenClass(name, arrival_rate=arrival_rate, demands=demands)


def ranked(name: str, population: int, think_time: float, priority: int, **demands: float) -> ClosedClass:
    """A closed class with a priority."""
    return ClosedClass(name, population=population, think_time=think_time, demands=demands, priority=priority)


CPU, DISK, NET = Queue("cpu"), Queue("disk"), Delay("net")
TRIO = (CPU, DISK, NET)
RISING = LoadDependent("pool", rates=[1.0, 1.8, 2.4, 2.8, 3.0])
SLOWING = LoadDependent("slow", rates=[3.0, 2.0, 1.0])
THRASHING = LoadDependent("pool", rates=[1.0, 2.0, 3.0, 2.0, 1.0, 0.5])

_CLOSED = {
    "one class": Network(TRIO, [closed("query", 5, 2.0, cpu=0.5, disk=0.3, net=0.1)]),
    "no think time": Network([CPU, DISK], [closed("batch", 4, cpu=0.5, disk=0.7)]),
    "one station": Network([CPU], [closed("batch", 3, cpu=0.25)]),
    "several classes": Network(TRIO, [closed("query", 3, 1.0, cpu=0.2, disk=0.5), closed("batch", 2, cpu=0.9, net=0.4)]),
    "three classes": Network(
        TRIO,
        [closed("a", 2, 1.0, cpu=0.2, disk=0.5), closed("b", 1, cpu=0.9, net=0.4), closed("c", 3, 4.0, disk=0.1)],
    ),
    "many servers": Network([Queue("cpu", servers=3), DISK], [closed("query", 9, 1.5, cpu=0.9, disk=0.2)]),
    "many servers, two classes": Network(
        [Queue("cpu", servers=4), Queue("disk", servers=2)],
        [closed("query", 5, 1.0, cpu=0.9, disk=0.2), closed("batch", 4, cpu=1.5, disk=0.6)],
    ),
    "more servers than jobs": Network([Queue("cpu", servers=99), DISK], [closed("query", 4, 1.0, cpu=0.9, disk=0.2)]),
    "as many servers as jobs": Network([Queue("cpu", servers=4), DISK], [closed("query", 4, 1.0, cpu=0.9, disk=0.2)]),
    "part of a server": Network([Queue("cpu", servers=0.4), DISK], [closed("query", 5, 4.0, cpu=0.5, disk=0.3)]),
    "servers and a part, two classes": Network(
        [Queue("cpu", servers=2.4), DISK], [closed("query", 4, 1.0, cpu=0.9, disk=0.2), closed("batch", 3, cpu=1.5, disk=0.6)]
    ),
    "servers and a part, fcfs": Network(
        [Queue("cpu", servers=1.5, discipline="fcfs"), NET],
        [
            ClosedClass("a", population=3, visits={"cpu": 2, "net": 1}, service_times={"cpu": 0.5, "net": 3}),
            ClosedClass("b", population=2, visits={"cpu": 5, "net": 1}, service_times={"cpu": 0.5, "net": 1}),
        ],
    ),
    "unlike servers": Network(
        [LoadDependent.of_servers("core", speeds=[1.0, 1.0, 0.25]), DISK], [closed("query", 6, 1.0, core=0.9, disk=0.2)]
    ),
    "scalability law": Network(
        [LoadDependent.usl("core", contention=0.1, coherency=0.05, jobs=8), DISK],
        [closed("query", 6, 1.0, core=0.9, disk=0.2), closed("batch", 4, core=0.4, disk=0.5)],
    ),
    "levelling": Network([RISING, DISK], [closed("query", 12, 1.0, pool=0.9, disk=0.2)]),
    "not levelling": Network([RISING, DISK], [closed("query", 4, 1.0, pool=0.9, disk=0.2)]),
    "levelling, two classes": Network(
        [RISING, DISK], [closed("query", 6, 1.0, pool=0.9, disk=0.2), closed("batch", 3, pool=0.3, disk=0.8)]
    ),
    "thrashing": Network([THRASHING, DISK], [closed("query", 10, 3.0, pool=0.9, disk=0.2)]),
    "thrashing, two classes": Network(
        [THRASHING, DISK], [closed("query", 5, 3.0, pool=0.9, disk=0.2), closed("batch", 4, pool=0.3, disk=0.8)]
    ),
    "slow alone": Network([LoadDependent("pool", rates=[0.5, 1.0]), DISK], [closed("query", 5, 1.0, pool=0.4, disk=0.2)]),
    "faster than its jobs": Network([LoadDependent("pool", rates=[2.5, 3.0]), CPU], [closed("query", 5, pool=0.9, cpu=0.2)]),
    "idle station": Network(TRIO, [closed("query", 5, 2.0, cpu=0.5, disk=0.0)]),
    "empty class": Network(TRIO, [closed("query", 3, 1.0, cpu=0.2, disk=0.5), closed("batch", 0, cpu=0.9, net=0.4)]),
    "one job": Network([CPU, RISING, NET], [closed("query", 1, 1.0, cpu=0.2, pool=0.5, net=0.1)]),
    "visits": Network(
        TRIO,
        [ClosedClass("query", population=6, visits={"cpu": 11, "disk": 10}, service_times={"cpu": 0.02, "disk": 0.03})],
    ),
    "fcfs, one class": Network([Queue("cpu", servers=2, discipline="fcfs"), DISK], [closed("query", 5, cpu=0.9, disk=0.3)]),
    "fcfs, two classes": Network(
        [Queue("cpu", discipline="fcfs"), NET],
        [
            ClosedClass("a", population=3, visits={"cpu": 2, "net": 1}, service_times={"cpu": 0.5, "net": 3}),
            ClosedClass("b", population=2, visits={"cpu": 5, "net": 1}, service_times={"cpu": 0.5, "net": 1}),
        ],
    ),
    "thinks only": Network([CPU], [closed("idle", 7, 2.0), closed("query", 2, 1.0, cpu=0.4)]),
    "unbalanced": Network(TRIO, [closed("query", 20, 0.001, cpu=1e4, disk=1e-6, net=1e-3)]),
    "delays only": Network([NET, Delay("lan")], [closed("query", 6, 2.0, net=0.5, lan=0.1)]),
}

_OPEN = {
    "open": Network(TRIO, [opened("browse", 1.6, cpu=0.5, disk=0.3, net=0.1)]),
    "open, several classes": Network(TRIO, [opened("browse", 0.6, cpu=0.5, net=3.0), opened("buy", 0.5, cpu=0.9, disk=1.2)]),
    "open, many servers": Network([Queue("cpu", servers=12), DISK], [opened("browse", 5.0, cpu=2.2, disk=0.1)]),
    "open, a part of a server": Network(
        [Queue("cpu", servers=3.7), Queue("disk", servers=0.5)], [opened("a", 4.0, cpu=0.9, disk=0.1)]
    ),
    "open, load-dependent": Network([RISING, SLOWING], [opened("a", 2.0, pool=1.4, slow=0.4)]),
    "open, nearly saturated": Network([CPU, Queue("disk", servers=3)], [opened("browse", 0.999, cpu=1.0, disk=2.9)]),
    "open, visits": Network(
        TRIO, [OpenClass("browse", arrival_rate=2, visits={"cpu": 3, "net": 2}, service_times={"cpu": 0.1, "net": 1})]
    ),
    "open, no arrivals": Network(TRIO, [opened("browse", 0.0, cpu=0.5), opened("buy", 0.5, cpu=0.9, disk=1.2)]),
    "open, as many servers as the load takes": Network([Queue("cpu", servers=400)], [opened("browse", 40, cpu=1.0)]),
}

_MIXED = {
    "mixed": Network(TRIO, [closed("query", 5, 2.0, cpu=0.5, disk=0.3), opened("browse", 0.9, cpu=0.4, disk=0.1, net=2.0)]),
    "mixed, many servers": Network(
        [Queue("cpu", servers=4), DISK, Queue("tape", servers=2)],
        [closed("query", 9, 1.0, cpu=0.9, disk=0.1), opened("browse", 2.5, cpu=0.8, disk=0.1), opened("copy", 0.7, tape=2.0)],
    ),
    "mixed, more servers than jobs": Network(
        [Queue("cpu", servers=6), DISK], [closed("query", 3, 1.0, cpu=0.9, disk=0.2), opened("browse", 5.0, cpu=1.0)]
    ),
    "mixed, a part of a server": Network(
        [Queue("cpu", servers=2.4), DISK],
        [closed("query", 4, 1.0, cpu=0.9, disk=0.2), opened("browse", 1.2, cpu=0.8, disk=0.1)],
    ),
    "mixed, load-dependent": Network(
        [RISING, SLOWING],
        [closed("query", 6, 1.0, pool=0.9, slow=0.3), closed("batch", 2, pool=0.5), opened("browse", 0.8, pool=1.2, slow=0.9)],
    ),
    "mixed, nobody inside": Network(
        [CPU, RISING], [closed("query", 0, 1.0, cpu=0.5), opened("browse", 0.8, cpu=0.9, pool=1.0)]
    ),
    "mixed, no arrivals": Network([CPU, RISING], [closed("query", 4, 1.0, cpu=0.5, pool=2.0), opened("browse", 0.0, cpu=0.9)]),
    "mixed, nearly saturated": Network(
        [Queue("cpu", servers=2)], [closed("query", 4, 1.0, cpu=0.5), opened("web", 1.98, cpu=1.0)]
    ),
}

MXT = AdmissionLimit(3, name="MXT")
_LIMITED = {
    "limit, one class": Network(TRIO, [closed("query", 7, 2.0, cpu=0.5, disk=0.3, net=0.1)], [MXT]),
    "limit, two classes": Network(
        [CPU, DISK], [closed("query", 4, 1.0, cpu=0.5, disk=0.3), closed("batch", 3, 0.5, cpu=0.9)], [MXT]
    ),
    "limit within a limit": Network(
        [Queue("cpu", servers=2), DISK],
        [closed("query", 4, 1.0, cpu=0.5, disk=0.3), closed("batch", 3, 0.5, cpu=0.9)],
        [MXT, AdmissionLimit(1, name="T", classes=["batch"])],
    ),
    "limit on a part": Network(
        [CPU, DISK, NET],
        [closed("query", 6, 1.0, cpu=0.3, disk=0.4, net=0.3)],
        [AdmissionLimit(4, name="MXT"), AdmissionLimit(2, name="threads", stations=["disk", "net"])],
    ),
    "limit, open class": Network([CPU, DISK], [opened("web", 0.9, cpu=0.5, disk=0.3)], [MXT]),
    "limit that never holds": Network([CPU, DISK], [closed("query", 4, cpu=0.5, disk=0.7)], [AdmissionLimit(9, name="MXT")]),
}
_SPECIAL = {
    "preemptive": Network(
        [Queue("cpu", servers=2, discipline="preemptive"), DISK],
        [ranked("high", 4, 1.0, 1, cpu=0.5, disk=0.2), ranked("low", 3, 0.5, 2, cpu=0.9, disk=0.3)],
    ),
    "nonpreemptive": Network(
        [Queue("cpu", discipline="nonpreemptive"), DISK],
        [ranked("high", 3, 1.0, 1, cpu=0.5, disk=0.2), ranked("low", 3, 0.5, 2, cpu=0.9, disk=0.3)],
    ),
    "fcfs, two service times": Network(
        [Queue("cpu", discipline="fcfs"), DISK], [closed("a", 3, 1.0, cpu=0.5, disk=0.2), closed("b", 3, 0.5, cpu=1.9)]
    ),
    "tcb on processors": Network(
        [Queue("cp", servers=2), Queue("qr", on="cp"), DISK],
        [closed("a", 4, 1.0, qr=0.5, disk=0.2), closed("b", 3, 0.5, cp=0.9, disk=0.3)],
    ),
}

HAND_MADE = {**_CLOSED, **_OPEN, **_MIXED}
ODD = {**_LIMITED, **_SPECIAL}  # without a product form: held to the laws, not to its transformations


def _station(rng: np.random.Generator, name: str) -> Station:
    kind = rng.choice(["queue", "queue", "servers", "delay", "load_dependent"])
    if kind == "queue":
        return Queue(name)
    if kind == "servers":
        return Queue(name, servers=int(rng.integers(1, 9)))
    if kind == "delay":
        return Delay(name)
    return LoadDependent(name, rates=rng.uniform(0.3, 4.0, rng.integers(1, 7)).round(3).tolist())


def _demands(rng: np.random.Generator, stations: list[Station]) -> dict[str, float]:
    sizes = 10 ** rng.uniform(-2, 1, len(stations))
    gone = rng.random(len(stations)) < 0.2
    demands = {s.name: float(size) for s, size, no in zip(stations, sizes, gone, strict=True) if not no}
    return demands or {stations[0].name: 1.0}


def random_closed(rng: np.random.Generator) -> Network:
    """A closed network: one to three classes, one to five stations of any kind."""
    stations = [_station(rng, f"s{k}") for k in range(1, rng.integers(1, 6) + 1)]
    count = int(rng.integers(1, 4))
    most = {1: 25, 2: 7, 3: 4}[count]
    classes = [
        ClosedClass(
            f"c{r}",
            population=int(rng.integers(1, most + 1)),
            think_time=float(rng.choice([0.0, 10 ** rng.uniform(-1, 1.5)])),
            demands=_demands(rng, stations),
        )
        for r in range(1, count + 1)
    ]
    return Network(stations, classes)


def random_open(rng: np.random.Generator) -> Network:
    """An open network whose most loaded station is up to 98 % busy."""
    stations = [_station(rng, f"s{k}") for k in range(1, rng.integers(1, 6) + 1)]
    demands = [_demands(rng, stations) for _ in range(rng.integers(1, 4))]
    rates = rng.uniform(0.1, 1.0, len(demands))
    last = {s.name: held_speed(s, 10**6) for s in stations if not isinstance(s, Delay)}
    busy = [sum(x * d.get(name, 0.0) for x, d in zip(rates, demands, strict=True)) / top for name, top in last.items()]
    scale = float(rng.choice([rng.uniform(0.05, 0.98), 0.98])) / max([*busy, 0.1])
    return Network(
        stations,
        [
            OpenClass(f"c{r}", arrival_rate=float(x * scale), demands=d)
            for r, (x, d) in enumerate(zip(rates, demands, strict=True), 1)
        ],
    )


def held_speed(station: Station, jobs: int) -> float:
    """Relative speed of a station that holds that many jobs, one or more."""
    if isinstance(station, Delay):
        return float(jobs)
    if isinstance(station, Queue):
        return float(min(jobs, station.servers))
    return float(station.rates[min(jobs, len(station.rates)) - 1])


@cache
def random_models(count: int = 200) -> dict[str, Network]:
    """Seeded random models, the same ones in every run."""
    rng = np.random.default_rng(20240229)
    makers = [random_closed, random_closed, random_open]
    return {f"random {i}": makers[i % 3](rng) for i in range(count)}


@cache
def every_model() -> dict[str, Network]:
    """All hand-made and random models by name."""
    return {**HAND_MADE, **random_models()}


@cache
def accepting(name: str) -> tuple[str, ...]:
    """The methods that accept a model of the zoo."""
    found = [report.name for report in methods({**every_model(), **ODD}[name]) if report.accepts]
    return tuple(
        method for method in found if method != "markov" or name in {**_CLOSED, **ODD}
    )  # of others the chain takes long


def every_case(*, odd: bool = False) -> list[tuple[str, str]]:
    """Each model of the zoo with each method that accepts it; with `odd`, those without a product form too."""
    return [(name, method) for name in [*every_model(), *(ODD if odd else ())] for method in accepting(name)]


@cache
def solved(name: str, method: str) -> Solution:
    """The solution of a model of the zoo."""
    return solve({**every_model(), **ODD}[name], method=method)


def tolerance(solution: Solution, exact: float = 1e-10, approximate: float = 1e-6) -> float:
    """Relative tolerance that a law is held to."""
    return exact if solution.exact else approximate


def jobs(model: Network) -> float:
    """All closed jobs of a model; infinite for an open one."""
    return sum(c.population if isinstance(c, ClosedClass) else float("inf") for c in model.classes)

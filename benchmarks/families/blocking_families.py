"""Small models with stations of limited room, whose Markov chains give the exact answer."""

from __future__ import annotations

import numpy as np
import qnsolve as qn

Random = np.random.Generator


def _stations(rng: Random, count: int, wide: int) -> list[qn.Queue]:
    """Queues of 1 to 3 servers; from number `wide` on most have a capacity of 0 to 4 waiting jobs, one at least."""
    narrow = rng.random(count) < 0.7
    narrow[:wide] = False
    narrow[int(rng.integers(wide, count))] = True
    servers = [int(rng.choice([1, 1, 1, 2, 3])) for _ in range(count)]
    rooms = [m + int(rng.integers(0, 5)) if limited else None for m, limited in zip(servers, narrow, strict=True)]
    return [qn.Queue(f"s{k}", servers=m, capacity=room) for k, (m, room) in enumerate(zip(servers, rooms, strict=True))]


def _demands(rng: Random, stations: list[qn.Queue]) -> dict[str, float]:
    return {s.name: float(s.servers * 10 ** rng.uniform(-0.4, 0.3)) for s in stations}


def _jobs(rng: Random, stations: list[qn.Queue]) -> tuple[int, float]:
    """More jobs than the capacity of the narrowest station; half of the classes have a think time."""
    least = min(s.capacity for s in stations if s.capacity is not None)
    return least + int(rng.integers(1, 10)), 0.0 if rng.random() < 0.5 else float(10 ** rng.uniform(-0.5, 1))


def closed_line(rng: Random) -> qn.Network:
    """Two to four stations one after the other, and back to the first, whose capacity is unlimited."""
    stations = _stations(rng, int(rng.integers(2, 5)), 1)
    population, think = _jobs(rng, stations)
    jobs = qn.ClosedClass("jobs", population=population, think_time=think, demands=_demands(rng, stations))
    return qn.Network(stations, [jobs])


def central_server(rng: Random) -> qn.Network:
    """A first station that sends jobs to one to three others, which send them back."""
    stations = _stations(rng, int(rng.integers(2, 5)), 1)
    population, think = _jobs(rng, stations)
    others = [s.name for s in stations[1:]]
    shares = rng.uniform(0.2, 1.0, len(others) + 1)
    *parts, leaves = (shares / shares.sum()).tolist()
    jobs = qn.ClosedClass(
        "jobs",
        population=population,
        think_time=think,
        routing={"s0": dict(zip(others, parts, strict=True)), **{name: {"s0": 1.0} for name in others}},
        entry={"s0": 1.0},
        exits={"s0": leaves},
        service_times=_demands(rng, stations),
    )
    return qn.Network(stations, [jobs])


def open_line(rng: Random) -> qn.Network:
    """Two or three stations one after the other, at most some 85 % of what the line carries; the first has no limit."""
    while True:
        stations = _stations(rng, int(rng.integers(2, 4)), 1)
        demands = _demands(rng, stations)
        rate = float(rng.uniform(0.2, 0.65) / max(demands[s.name] / s.servers for s in stations))
        model = qn.Network(stations, [qn.OpenClass("jobs", arrival_rate=rate, demands=demands)])
        try:
            qn.solve(model.replace("jobs", arrival_rate=1.2 * rate), method="blocking")
        except qn.SaturatedError:
            continue
        return model


FAMILIES = {"blocking, closed line": closed_line, "blocking, central server": central_server, "blocking, open line": open_line}

"""Small models with priorities, order of arrival and shared servers, whose Markov chains give the exact answer."""

from __future__ import annotations

import numpy as np
import qnsolve as qn

Random = np.random.Generator


def _classes(rng: Random, uses: list[list[str]], most: int) -> list[qn.ClosedClass]:
    return [
        qn.ClosedClass(
            f"c{r}",
            population=int(rng.integers(1, most + 1)),
            think_time=float(10 ** rng.uniform(-0.5, 1)),
            demands={name: float(10 ** rng.uniform(-1, 0.5)) for name in used},
            priority=r + 1,
        )
        for r, used in enumerate(uses)
    ]


def _at(discipline: str, rng: Random, most: int = 4) -> qn.Network:
    """Two or three classes at one such station and up to two queues besides."""
    stations = [qn.Queue("cpu", servers=int(rng.choice([1, 1, 2, 3])), discipline=discipline)]
    stations += [qn.Queue(f"s{k}", servers=int(rng.choice([1, 1, 2]))) for k in range(int(rng.integers(0, 3)))]
    count = int(rng.integers(2, 4)) if len(stations) < 3 else 2
    return qn.Network(stations, _classes(rng, [[s.name for s in stations]] * count, most if count == 2 else most - 1))


def preemptive(rng: Random) -> qn.Network:
    """Priorities with preemption."""
    return _at("preemptive", rng)


def nonpreemptive(rng: Random) -> qn.Network:
    """Priorities without preemption."""
    return _at("nonpreemptive", rng)


def arrival(rng: Random) -> qn.Network:
    """First come first served, each class with its own service time."""
    return _at("fcfs", rng, 3)


def two_stations(rng: Random) -> qn.Network:
    """Priorities at two stations, with and without preemption."""
    stations = [
        qn.Queue("cpu", servers=int(rng.integers(1, 3)), discipline="preemptive"),
        qn.Queue("zip", discipline="nonpreemptive"),
    ]
    stations += [qn.Queue("disk")][: int(rng.integers(0, 2))]
    return qn.Network(stations, _classes(rng, [[s.name for s in stations]] * 2, 3))


def layers(rng: Random) -> qn.Network:
    """Two TCBs of one to two servers on shared processors, other work on them, a disk."""
    stations = [qn.Queue("cp", servers=int(rng.integers(1, 4))), qn.Queue("QR1", on="cp")]
    stations += [qn.Queue("QR2", servers=int(rng.integers(1, 3)), on="cp"), qn.Queue("disk")]
    beside = ["cp"] if rng.random() < 0.3 else []
    return qn.Network(stations, _classes(rng, [["QR1", "disk", *beside], ["QR2", "disk"], ["cp"]], 2))


FAMILIES = {
    "priorities, preemptive": preemptive,
    "priorities, nonpreemptive": nonpreemptive,
    "priorities at two stations": two_stations,
    "first come first served": arrival,
    "queues on shared processors": layers,
}

"""Limits shared by classes with unlike times, over the whole range of use: too large for a chain of every job."""

from __future__ import annotations

import numpy as np
import qnsolve as qn

Random = np.random.Generator


def _shared(rng: Random, most: int, thinks: tuple[float, float] | None) -> qn.Network:
    """Two to four classes with times of 5 to 500 ms, half of it or less on one to eight processors, load 0.5 to 0.95."""
    places, count = int(np.exp(rng.uniform(np.log(3), np.log(most)))), int(rng.integers(2, 5))
    servers = int(rng.integers(1, 9))
    inside = np.exp(rng.uniform(np.log(0.005), np.log(0.5), count))
    work = inside * np.exp(rng.uniform(np.log(0.02), np.log(0.9), count))
    each = rng.dirichlet(np.ones(count) * 2) / inside  # rates that take one place
    total = rng.uniform(0.5, 0.95) * min(places, servers / float(each @ work))
    classes: list[qn.OpenClass | qn.ClosedClass] = []
    for k in range(count):
        needs = {"cpu": float(work[k]), "db": float(inside[k] - work[k])}
        if thinks is None:
            classes.append(qn.OpenClass(f"k{k}", arrival_rate=float(0.95 * total * each[k]), demands=needs))
        else:
            away = float(inside[k] * np.exp(rng.uniform(*np.log(thinks))))
            users = max(1, round(float(rng.uniform(0.7, 1.4) * total * each[k]) * (away + float(inside[k]))))
            classes.append(qn.ClosedClass(f"k{k}", population=users, think_time=away, demands=needs))
    return qn.Network([qn.Queue("cpu", servers=servers), qn.Delay("db")], classes, [qn.AdmissionLimit(places, name="MXT")])


def open_unlike(rng: Random) -> qn.Network:
    """Open classes with unlike times under one limit."""
    return _shared(rng, 60, None)


def few_users(rng: Random) -> qn.Network:
    """Users with unlike times under one limit, think times of 2 to 50 times the time inside."""
    return _shared(rng, 60, (2.0, 50.0))


def many_users(rng: Random) -> qn.Network:
    """The same with think times of 30 to 1000 times the time inside: up to some thousand users."""
    return _shared(rng, 60, (30.0, 1000.0))


def nested_many(rng: Random) -> qn.Network:
    """Two or three classes of 10 to 80 users under one limit, some under limits of their own too."""
    count = int(rng.integers(2, 4))
    stations: list[qn.Queue | qn.Delay] = [qn.Queue("cpu", servers=int(rng.integers(1, 5))), qn.Delay("db")]
    classes = []
    for k in range(count):
        inside, part = float(np.exp(rng.uniform(np.log(0.02), np.log(0.3)))), float(rng.uniform(0.05, 0.6))
        away = inside * float(np.exp(rng.uniform(np.log(2), np.log(15))))
        needs = {"cpu": inside * part, "db": inside * (1 - part)}
        classes.append(qn.ClosedClass(f"k{k}", population=int(rng.integers(10, 80)), think_time=away, demands=needs))
    places = int(rng.integers(4, 30))
    limits = [qn.AdmissionLimit(places, name="MXT")]
    for k in range(int(rng.integers(1, count + 1))):
        limits.append(qn.AdmissionLimit(int(rng.integers(1, max(2, places * 2 // 3))), name=f"T{k}", classes=[f"k{k}"]))
    return qn.Network(stations, classes, limits)


def open_layers(rng: Random) -> qn.Network:
    """Two thread pools with open work on one to three processors, 30 to 80 % busy: small enough for a chain."""
    processors = int(rng.integers(1, 4))
    pools = [qn.Queue(name, servers=int(rng.integers(1, processors + 5)), on="cp") for name in "ab"]
    demands = rng.uniform(0.01, 0.05, 2)
    busy, share = rng.uniform(0.3, 0.8) * processors, rng.uniform(0.2, 0.8)
    for pool, part in zip(pools, (share, 1 - share), strict=True):  # no pool may be the bottleneck
        busy = min(busy, 0.8 * float(pool.servers) / part)
    rates = busy * np.array([share, 1 - share]) / demands
    classes = [
        qn.OpenClass(name, arrival_rate=float(rate), demands={pool.name: float(demand)})
        for name, rate, pool, demand in zip("xy", rates, pools, demands, strict=True)
    ]
    return qn.Network([qn.Queue("cp", servers=processors), *pools], classes)


FAMILIES = {
    "shared limit, open": open_unlike,
    "shared limit, few users": few_users,
    "shared limit, many users": many_users,
    "nested limits, 10 to 80 users": nested_many,
}

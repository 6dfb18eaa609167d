"""The stations, routes and limits of a network as rows of numbers, and the streams of random numbers that they need."""

from __future__ import annotations

from math import inf
from typing import Any

import numpy as np

from qnsolve.methods.job_process import JobProcess
from qnsolve.methods.markov.job_moves import OUTSIDE
from qnsolve.numerics.random_times import branch, spread
from qnsolve.numerics.series import Array

from .compiling import real_cells, whole_cells
from .network_rows import DELAY, LINE, PREEMPTIVE, SHARED, Stations

KINDS = {"shared": SHARED, "delay": DELAY, "fcfs": LINE, "nonpreemptive": LINE, "preemptive": PREEMPTIVE}


class Streams:
    """Random numbers of mean 1 by their squared variation, and sizes of groups: each stream is drawn in blocks."""

    def __init__(self, rng: np.random.Generator) -> None:
        self.rng = rng
        self._times: dict[float, int] = {}
        self.draws: list[Any] = []

    def times(self, variation: float) -> int:
        """The stream of times with a squared variation; -1 where they are constant."""
        if variation == 0:
            return -1
        if variation not in self._times:
            self._times[variation] = len(self.draws)
            self.draws.append(lambda count: self._drawn(variation, count))
        return self._times[variation]

    def sizes(self, mean: float, variation: float) -> tuple[int, int]:
        """The stream of the sizes of groups, or -1 and the size that they all have."""
        values, shares = spread(mean, variation)
        if max(shares) >= 1:
            return -1, values[shares.index(max(shares))]
        self.draws.append(lambda count: self.rng.choice(np.array(values, dtype=float), count, p=shares))
        return len(self.draws) - 1, max(values)

    def _drawn(self, variation: float, count: int) -> Array:
        if variation == 1:
            return self.rng.standard_exponential(count)
        if variation < 1:
            return self.rng.standard_gamma(1 / variation, count) * variation
        share = branch(variation)
        fast = self.rng.random(count) < share
        return self.rng.standard_exponential(count) / 2 / np.where(fast, share, 1 - share)


def stations_of(plan: JobProcess, streams: Streams) -> tuple[Stations, int]:
    """The rows of a plan, and the most jobs that come together."""
    stations = len(plan.kinds)
    kinds = [KINDS[kind] for kind in plan.kinds]
    ranks = sorted(set(plan.rank))
    level = [ranks.index(rank) if "preemptive" in kind else 0 for kind in plan.kinds for rank in plan.rank]
    steps, starts = _steps(plan)
    releases, groups, sets = _limits(plan, steps)
    closed = [n is not None for n in plan.population]
    sizes = [
        (-1, 1) if n is not None else streams.sizes(b, v)
        for n, b, v in zip(plan.population, plan.batch_size, plan.batch_variation, strict=True)
    ]
    blocking = bool(plan.capacity) and min(plan.capacity) < inf
    bound = _bound(plan) if blocking else set()
    tables = [speeds if kind == SHARED else () for kind, speeds in zip(kinds, plan.speeds, strict=True)]
    made = Stations(
        kind=whole_cells(kinds),
        servers=whole_cells(
            [len(speeds) if kind in (LINE, PREEMPTIVE) else 0 for kind, speeds in zip(kinds, plan.speeds, strict=True)]
        ),
        speed_start=whole_cells(np.cumsum([0, *map(len, tables)])),
        speed=real_cells([speed for table in tables for speed in table] or [0.0]),
        capacity=real_cells(plan.capacity or [inf] * stations),
        blocking=int(blocking),
        bound=whole_cells([int(k in bound and kinds[k] in (LINE, SHARED)) for k in range(stations)]),
        level=whole_cells(level),
        levels=max(level, default=0) + 1,
        service=real_cells(plan.service.T.ravel()),
        stream=whole_cells(
            [
                streams.times(v) if plan.service[r, k] > 0 else -1
                for k in range(stations)
                for r, v in enumerate(plan.variation[:, k])
            ]
        ),
        route_start=whole_cells(starts),
        route_to=whole_cells([to for _, _, to, _ in steps]),
        route_sum=real_cells([sum_ for *_, sum_ in steps]),
        release_start=whole_cells(np.cumsum([0, *map(len, releases)])),
        release=whole_cells([i for row in releases for i in row] or [0]),
        group=whole_cells(groups),
        need_start=whole_cells(np.cumsum([0, *map(len, sets)])),
        need=whole_cells([i for row in sets for i in row] or [0]),
        places=whole_cells([limit.capacity for limit in plan.limits]),
        closed=whole_cells(closed),
        outside=real_cells(plan.outside),
        arrival_stream=whole_cells([streams.times(v) for v in plan.arrival_variation]),
        size_stream=whole_cells([stream for stream, _ in sizes]),
        constant_size=whole_cells([size for _, size in sizes]),
    )
    return made, max(size for _, size in sizes)


def _steps(plan: JobProcess) -> tuple[list[tuple[int, int, int, float]], list[int]]:
    """Steps of all routes (class, from, to, probabilities added up), and where those of each place start."""
    stations = len(plan.kinds)
    steps: list[tuple[int, int, int, float]] = []
    starts = [0]
    for r, route in enumerate(plan.routes):
        for origin in [*range(stations), OUTSIDE]:
            way = route.get(origin, [])
            sums = np.cumsum([share for _, share in way]).tolist()
            here = stations if origin == OUTSIDE else origin
            steps += [(r, here, stations if to == OUTSIDE else to, s) for (to, _), s in zip(way, sums, strict=True)]
            starts.append(len(steps))
    return steps, starts


def _limits(
    plan: JobProcess, steps: list[tuple[int, int, int, float]]
) -> tuple[list[list[int]], list[int], list[tuple[int, ...]]]:
    """Limits that each step leaves; the set of those that it needs, -1 for none; the sets."""
    needs = [
        [{i for i, x in enumerate(plan.limits) if r in x.classes and k in x.stations} for k in range(len(plan.kinds))] + [set()]
        for r in range(len(plan.rank))
    ]
    releases, groups = [], []
    sets: dict[tuple[int, ...], int] = {}
    for r, origin, to, _ in steps:
        releases.append(sorted(needs[r][origin] - needs[r][to]))
        missing = tuple(sorted(needs[r][to] - needs[r][origin]))
        groups.append(sets.setdefault(missing, len(sets)) if missing else -1)
    return releases, groups, list(sets)


def _bound(plan: JobProcess) -> set[int]:
    """The stations whose jobs can be blocked."""
    found = set()
    for r, route in enumerate(plan.routes):
        returns = plan.population[r] is not None and not plan.outside[r]
        first = {k for k, _ in route[OUTSIDE]} if returns else set()
        for k, steps in route.items():
            to = {following for following, _ in steps}
            to |= first if OUTSIDE in to else set()
            if any(following not in (k, OUTSIDE) and plan.capacity[following] < inf for following in to):
                found.add(k)
    return found - {OUTSIDE}

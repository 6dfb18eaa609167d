"""Passage times of a tagged job: exact by the Markov chain of a small closed network, and by simulation of open paths.

`python -m tests.oracles.passage_times` writes the table of errors that the package carries.
"""

from __future__ import annotations

import csv
import heapq
import io
from collections.abc import Iterator
from functools import cache, cached_property
from pathlib import Path

import numpy as np
import qnsolve as qn
from qnsolve import ClosedClass, Delay, Network, Queue
from scipy.linalg import expm

from tests.oracles.markov_chain import _route, compositions
from tests.support.zoo import held_speed

SHARES = (0.5, 0.95, 0.99)
TABLE = Path(qn.__file__).with_name("analysis") / "percentiles.csv"
HEAD = ("method", "family", "models", *(f"p{round(100 * s)}_{how}" for s in SHARES for how in ("mean", "max")))
MODELS = 40


class Tagged:
    """A job of the first class from its arrival at its first station to its end, among all others.

    Every class goes round: thinking, then its stations as the model lists them. Where a
    queue is first come first served there is one class only, and the state gives how many
    of the jobs at the tagged one's station are ahead of it.
    """

    def __init__(self, model: Network) -> None:
        self.model = model
        mine = model.classes[0]
        assert isinstance(mine, ClosedClass)
        fewer = model.replace(mine.name, population=mine.population - 1)
        self.routes = [_route(model, c) for c in model.classes]
        first = 1 if mine.think_time else 0
        index: dict[tuple, int] = {}
        start: dict[tuple, float] = {}
        for state, p in self._found(fewer):
            key = (first, self._present(state, self.routes[0][first][0]) if self._fcfs(first) else -1, state)
            start[key] = p
        fresh, arcs = list(start), []
        for key in fresh:
            index[key] = len(index)
        while fresh:
            key = fresh.pop()
            for rate, target in self._moves(key):
                if target is not None and target not in index:
                    index[target] = len(index)
                    fresh.append(target)
                arcs.append((index[key], None if target is None else index[target], rate))
        q = np.zeros((len(index), len(index)))
        for i, j, rate in arcs:
            q[i, i] -= rate
            if j is not None:
                q[i, j] += rate
        self.generator, self.start = q, np.zeros(len(index))
        for key, p in start.items():
            self.start[index[key]] = p

    def _found(self, fewer: Network) -> Iterator[tuple[tuple, float]]:
        """States that the tagged job finds: those of the network without it, from its product form."""
        states, weights = [], []
        ways = [compositions(c.population, len(route)) for c, route in zip(fewer.classes, self.routes, strict=True)]
        for state in _product(ways):
            weight = 1.0
            for k, station in enumerate(fewer.stations):
                total = 0
                for route, counts in zip(self.routes, state, strict=True):
                    for (place, time), n in zip(route, counts, strict=True):
                        if place == k:
                            for _ in range(n):
                                total += 1
                                weight *= time * total / held_speed(station, total)
                            for j in range(2, n + 1):
                                weight /= j
            for route, counts in zip(self.routes, state, strict=True):
                if route[0][0] is None:
                    for j in range(1, counts[0] + 1):
                        weight *= route[0][1] / j
            states.append(state)
            weights.append(weight)
        total_weight = sum(weights)
        yield from zip(states, (w / total_weight for w in weights), strict=True)

    def _fcfs(self, place: int) -> bool:
        k = self.routes[0][place][0]
        station = self.model.stations[k] if k is not None else None
        return isinstance(station, Queue) and station.discipline == "fcfs"

    def _present(self, state: tuple, k: int | None) -> int:
        return sum(
            n
            for route, counts in zip(self.routes, state, strict=True)
            for (p, _), n in zip(route, counts, strict=True)
            if p == k
        )

    def _moves(self, key: tuple) -> Iterator[tuple[float, tuple | None]]:
        place, ahead, state = key
        here = self.routes[0][place][0]
        for r, (route, counts) in enumerate(zip(self.routes, state, strict=True)):
            for j, ((k, time), n) in enumerate(zip(route, counts, strict=True)):
                if not n:
                    continue
                moved = list(counts)
                moved[j] -= 1
                moved[(j + 1) % len(route)] += 1
                after = (*state[:r], tuple(moved), *state[r + 1 :])
                if k is None or isinstance(self.model.stations[k], Delay):
                    yield n / time, (place, ahead, after)
                elif k != here or ahead < 0:
                    total = self._present(state, k) + (k == here)
                    yield held_speed(self.model.stations[k], total) * n / total / time, (place, ahead, after)
                else:  # those ahead are served first, the tagged job takes a server once one is left
                    servers = self.model.stations[k].servers
                    first = min(ahead, servers)
                    if first:
                        yield first / time, (place, ahead - 1, after)
                    rest = min(n - ahead, max(servers - ahead - 1, 0))
                    if rest:
                        yield rest / time, (place, ahead, after)
        yield from self._own_move(place, ahead, state)

    def _own_move(self, place: int, ahead: int, state: tuple) -> Iterator[tuple[float, tuple | None]]:
        here, mine = self.routes[0][place]
        station = self.model.stations[here]
        if isinstance(station, Delay):
            rate = 1 / mine
        elif ahead < 0:
            total = self._present(state, here) + 1
            rate = held_speed(station, total) / total / mine
        else:
            rate = 1 / mine if ahead < station.servers else 0.0
        if rate:
            if place + 1 == len(self.routes[0]):
                yield rate, None
            else:
                following = self.routes[0][place + 1][0]
                yield rate, (place + 1, self._present(state, following) if self._fcfs(place + 1) else -1, state)

    def mean(self) -> float:
        """Mean passage time."""
        return float(-self.start @ np.linalg.solve(self.generator, np.ones(len(self.start))))

    def survival(self, t: float) -> float:
        """P(the passage takes longer than t)."""
        return float(self.start @ expm(self.generator * t).sum(axis=1))

    def quantile(self, share: float) -> float:
        """The time that a share of the passages stays within, to 1e-7 of the mean: powers of a short step, by halving."""
        at, left = 0.0, self.start
        for step, power in reversed(self._powers):
            after = left @ power
            if after.sum() > 1 - share:
                at, left = at + step, after
        return at

    @cached_property
    def _powers(self) -> list[tuple[float, np.ndarray]]:
        step = self.mean() * 2.0**-24
        powers = [(step, expm(self.generator * step))]
        while powers[-1][0] < 32 * self.mean():
            powers.append((2 * powers[-1][0], powers[-1][1] @ powers[-1][1]))
        return powers


def _product(ways: list) -> Iterator[tuple]:
    lists = [list(way) for way in ways]
    if len(lists) == 1:
        yield from ((a,) for a in lists[0])
    else:
        yield from ((a, b) for a in lists[0] for b in lists[1])


def families() -> dict[str, list[Network]]:
    """Seeded random small closed networks."""
    found = {}
    for seed, (name, discipline, most, count) in enumerate(
        [
            ("shared, one server", "ps", 1, 1),
            ("shared, some servers", "ps", 4, 1),
            ("first come first served", "fcfs", 1, 1),
            ("first come first served, some servers", "fcfs", 4, 1),
            ("shared, two classes", "ps", 3, 2),
        ]
    ):
        rng = np.random.default_rng(seed)
        models = []
        for _ in range(MODELS):
            stations: list = [
                Queue(f"s{k}", servers=int(rng.integers(1, most + 1)), discipline=discipline)
                for k in range(int(rng.integers(1, 4 if count == 1 else 3)))
            ]
            if rng.random() < 0.2:
                stations.append(Delay("net"))
            classes = [
                ClosedClass(
                    f"c{r}",
                    population=int(rng.integers(2, 7 if count == 1 else 4)),
                    think_time=float(rng.choice([0.0, 10 ** rng.uniform(-0.5, 1)])) if r else float(10 ** rng.uniform(-0.5, 1)),
                    demands={s.name: float(10 ** rng.uniform(-1, 0.3)) for s in stations},
                )
                for r in range(count)
            ]
            models.append(Network(stations, classes))
        found[name] = models
    return found


def simulated(
    rates: list[float], servers: list[int], service: list[float], ways: list[list[int]], jobs: int, seed: int
) -> np.ndarray:
    """Passage times of the first class through first come first served queues with Poisson arrivals; each class its way."""
    rng = np.random.default_rng(seed)
    kind = rng.choice(len(rates), jobs, p=np.array(rates) / sum(rates))
    came = np.cumsum(rng.exponential(1 / sum(rates), jobs))
    now = came.copy()
    for k, (count, time) in enumerate(zip(servers, service, strict=True)):
        here = np.flatnonzero([k in ways[r] for r in kind])
        here = here[np.argsort(now[here], kind="stable")]
        needs = rng.exponential(time, len(here))
        free = [0.0] * count
        left = np.empty(len(here))
        for i, (arrival, need) in enumerate(zip(now[here].tolist(), needs.tolist(), strict=True)):
            left[i] = max(arrival, heapq.heappop(free)) + need
            heapq.heappush(free, left[i])
        now[here] = left
    return (now - came)[kind == 0][jobs // 50 :]


def open_paths() -> list[tuple[list[float], list[int], list[float], list[list[int]]]]:
    """Open paths where jobs overtake: many servers in the middle, a way round the middle."""
    found = []
    for load in (0.5, 0.8):
        found.append(([load], [1, 3, 1], [1.0, 3.0, 1.0], [[0, 1, 2]]))
        found.append(([load], [1, 6, 1], [0.9, 6.0, 0.7], [[0, 1, 2]]))
        found.append(([load / 2, load / 2], [1, 1, 1], [1.0, 1.9, 1.0], [[0, 1, 2], [0, 2]]))
    return found


def open_model(path: tuple[list[float], list[int], list[float], list[list[int]]]) -> Network:
    """The model of an open path."""
    rates, servers, service, ways = path
    stations = [Queue(f"s{k}", servers=m, discipline="fcfs") for k, m in enumerate(servers)]
    classes = [
        qn.OpenClass(
            f"c{r}", arrival_rate=rate, visits={f"s{k}": 1 for k in way}, service_times={f"s{k}": service[k] for k in way}
        )
        for r, (rate, way) in enumerate(zip(rates, ways, strict=True))
    ]
    return Network(stations, classes)


@cache
def table() -> tuple[dict[str, str], ...]:
    """Errors by method and family."""
    rows = []
    for family, models in families().items():
        errors = []
        for model in models:
            tagged = Tagged(model)
            found = [qn.response_percentile(model, "c0", s) for s in SHARES]
            errors.append([abs(f.value / tagged.quantile(s) - 1) for f, s in zip(found, SHARES, strict=True)])
        rows.append(_row("gamma", family, errors))
    errors = []
    for path in open_paths():
        times = simulated(*path, 100_000, 1)
        errors.append(
            [abs(qn.response_percentile(open_model(path), "c0", s).value / np.quantile(times, s) - 1) for s in SHARES]
        )
    rows.append(_row("independent", "open paths with overtaking, simulated", errors))
    return tuple(rows)


def _row(method: str, family: str, errors: list[list[float]]) -> dict[str, str]:
    e = np.array(errors)
    figures = [f"{v:.4f}" for i in range(len(SHARES)) for v in (e[:, i].mean(), e[:, i].max())]
    return dict(zip(HEAD, [method, family, str(len(e)), *figures], strict=True))


def as_csv() -> str:
    """The table as the package carries it."""
    out = io.StringIO()
    writer = csv.DictWriter(out, HEAD, lineterminator="\n")
    writer.writeheader()
    writer.writerows(table())
    return out.getvalue()


if __name__ == "__main__":
    TABLE.write_text(as_csv(), encoding="utf-8")

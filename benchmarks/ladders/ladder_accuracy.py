"""Errors of fitted ladders at loads above the fitted ones: `python -m benchmarks ladders --salt 0`.

Four kinds of systems, drawn over their range of use and simulated: a database on processors that take turns, with a lock and
a decline or without, to 1,024 threads; a middleware with a pool of threads, with a slower backend or without; one server, three
repetitions; a store of three nodes, with percentiles. Measured rates and responses have 1, 2 or 3 % of noise. `qn.fit` gets the
rows with 32 users and less, and no setting; it is judged on the other rows. The method was made with salts 0 to 3 of an
earlier program in view.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np
import qnsolve as qn

from .line_simulation import Array, Line, Round, Times, Turns, simulated

HIGHEST = 32  # users of the rows that are fitted
FIGURES = {"rate": 0.05, "response_time": 0.08, "response_p95": 0.2}  # and the median error that is the goal
COLUMNS = ("rate", "response_time", "response_p50", "response_p95", "response_p99")  # as they are simulated
NOISES = (0.01, 0.02, 0.03)
TITLE = "| figure | kind | systems | rows: median, mean | systems: median, worst | above the goal | in range | half width |"
RULE = "|---|---|---|---|---|---|---|---|"


@dataclass(frozen=True)
class Ladder:
    """One system, measured: which columns, at which loads, how often each, and what stands behind it."""

    plan: Round
    loads: tuple[int, ...]
    columns: tuple[str, ...]
    repeated: int = 1


def _one(rng: np.random.Generator, *of: float) -> float:
    return of[int(rng.integers(len(of)))]


def _times(rng: np.random.Generator, mean: float, *variations: float) -> Times:
    return Times(mean, _one(rng, *variations), "lognormal" if rng.random() < 0.3 else "gamma")


def _database(rng: np.random.Generator) -> Ladder:
    cores, mean = int(_one(rng, 4, 8, 16, 24, 32)), rng.uniform(0.0008, 0.004)
    decline = 0.0 if rng.random() < 0.4 else 10 ** rng.uniform(-4.3, -3.0)
    lock = mean / cores * _one(rng, 0.0, rng.uniform(0.5, 1.0), rng.uniform(1.0, 1.8))

    def speed(jobs: int) -> float:
        return min(jobs, cores) / (1 + decline * max(jobs - cores, 0))

    stations: tuple[Line | Turns, ...] = (Turns(_times(rng, mean, 0.3, 0.8, 1.0, 1.5), speed),)
    if lock:
        stations = (*stations, Line(1, Times(lock)))
    plan = Round(stations, Times(rng.uniform(0.0001, 0.0008)))
    return Ladder(plan, tuple(2**i for i in range(11)), ("rate", "response_time", "response_p95"))


def _middleware(rng: np.random.Generator) -> Ladder:
    threads, mean = int(_one(rng, 4, 8, 16, 32)), rng.uniform(0.001, 0.003)
    backend = _one(rng, 0.0, 0.0, rng.uniform(0.5, 0.95))  # share of the rate of all threads
    stations: tuple[Line | Turns, ...] = (Line(threads, _times(rng, mean, 0.25, 0.6, 1.0, 1.5)),)
    if backend:
        stations = (*stations, Line(1, Times(mean / threads / backend)))
    plan = Round(stations, Times(rng.uniform(0.0003, 0.003), _one(rng, 0.25, 1.0)), threads=threads)
    loads = (2, 4, 8, 16, 24, 32, 48, 64, 96, 128, 192, 256)
    return Ladder(plan, loads, ("rate", "response_time", "response_p95", "response_p99"))


def _server(rng: np.random.Generator) -> Ladder:
    mean, contention = rng.uniform(0.002, 0.01), _one(rng, 0.0, 0.0, rng.uniform(0.005, 0.03))
    times = _times(rng, mean, 0.0, 0.25, 1.0, 2.0)

    def speed(jobs: int) -> float:
        return 1 / (1 + contention * float(np.log(jobs)))

    station: Line | Turns = Turns(times, speed) if contention else Line(1, times)
    plan = Round((station,), Times(rng.uniform(0.0001, 0.05)), think=_one(rng, 0.0, 0.0, rng.uniform(0.05, 0.3)))
    return Ladder(plan, (1, 2, 4, 8, 16, 24, 32, 48, 64, 96, 128), ("rate", "response_time"), repeated=3)


def _store(rng: np.random.Generator) -> Ladder:
    servers = int(_one(rng, 1, 2, 4, 8))
    mean = rng.uniform(0.0004, 0.002) * servers
    plan = Round((Line(servers, _times(rng, mean, 0.25, 1.0, 1.25, 2.0, 4.0), 3),), Times(mean * rng.uniform(0.2, 1.5)))
    columns = ("response_p50", "response_p95", "response_p99") if rng.random() < 0.5 else ("response_time", "response_p95")
    return Ladder(plan, (1, 2, 4, 8, 12, 16, 24, 32, 48, 64, 96, 128, 192, 256), ("rate", *columns))


KINDS: dict[str, tuple[Callable[[np.random.Generator], Ladder], int]] = {
    "database": (_database, 14),
    "middleware": (_middleware, 12),
    "one server": (_server, 8),
    "store": (_store, 14),
}


@dataclass(frozen=True)
class Judged:
    """Errors of one figure of one system on its rows above the fitted ones [relative]."""

    kind: str
    figure: str
    off: Array
    within: float
    wide: float


def measured(salt: int, kind: int, number: int) -> tuple[Ladder, Array, Array, Array]:
    """A drawn ladder, its loads (n,), and what is simulated (n, 5) and measured (n, 5) there."""
    draw, _ = list(KINDS.values())[kind]
    rng = np.random.default_rng([salt, kind, number, 15])
    ladder = draw(rng)
    true = np.array([simulated(ladder.plan, load, [salt, kind, number, load]) for load in ladder.loads])
    true = np.repeat(true, ladder.repeated, axis=0)
    loads = np.repeat(np.array(ladder.loads, float), ladder.repeated)
    return ladder, loads, true, true * (1 + _one(rng, *NOISES) * rng.normal(size=true.shape))


def judged(salt: int) -> Iterator[Judged]:
    """Every system of a salt."""
    for place, (kind, (_, count)) in enumerate(KINDS.items()):
        for number in range(count):
            ladder, loads, true, seen = measured(salt, place, number)
            columns = {f"job.{name}": seen[:, COLUMNS.index(name)] for name in ladder.columns}
            above = loads > HIGHEST
            fit = qn.fit(qn.measure.table({"job.users": loads, **columns}), held_out=above)
            there = fit.predict(loads[above]).columns
            for figure in FIGURES:
                title = f"job.{figure}"
                if title not in there:
                    continue
                values = (seen if figure in ladder.columns else true)[above, COLUMNS.index(figure)]
                low, high = there[f"{title}.lowest"], there[f"{title}.highest"]
                within = float(np.mean((low <= values) & (values <= high)))
                with np.errstate(divide="ignore"):  # a lowest response of 0, where nearly all is thinking
                    wide = float(np.median(np.log(high / low))) / 2
                yield Judged(kind, figure, np.abs(there[title] / values - 1), within, wide)


def lines(found: Sequence[Judged]) -> list[str]:
    """The table."""
    text = [TITLE, RULE]
    for figure, goal in FIGURES.items():
        for kind in (*KINDS, "all"):
            own = [each for each in found if each.figure == figure and kind in (each.kind, "all")]
            if not own:
                continue
            rows, medians = np.concatenate([each.off for each in own]), np.array([np.median(each.off) for each in own])
            within = np.average([each.within for each in own], weights=[len(each.off) for each in own])
            sizes = 100 * np.array([np.median(rows), rows.mean(), np.median(medians), medians.max()])
            share, wide = 100 * within, 100 * np.median([each.wide for each in own])
            text.append(
                f"| {figure} | {kind} | {len(own)} | {sizes[0]:.1f}, {sizes[1]:.1f} % | {sizes[2]:.1f}, {sizes[3]:.1f} % "
                f"| {int((medians > goal).sum())} | {share:.1f} % | {wide:.0f} % |"
            )
    return text


def main(arguments: Sequence[str]) -> int:
    """Print the table of one salt or several; the exit code is 0."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks ladders", description=__doc__)
    parser.add_argument("--salt", type=int, nargs="+", default=[0], help="which systems are drawn (0)")
    options = parser.parse_args(arguments)
    found = [each for salt in options.salt for each in judged(salt)]
    print("\n".join(lines(found)))
    return 0

"""The error of the methods for general times, priorities and order of arrival, against simulation.

`python -m benchmarks.accuracy_general FAMILY` simulates the models of a family (some four
minutes) and stores what it found in accuracy_general.csv; without a family it prints the
errors of the methods against what is stored, and with `--write` puts them into the
table that the package carries, and those of the sample of the costly ones into accuracy_sample.csv.
"""

from __future__ import annotations

import csv
import sys
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path

import numpy as np
import qnsolve as qn
from qnsolve.methods.arrays import from_network
from qnsolve.methods.job_process import job_process
from qnsolve.simulation.network_simulation import simulate

from benchmarks import accuracy

STORE = Path(__file__).with_name("accuracy_general.csv")
JOBS, BATCHES = 50_000, 40
HEAD = ("family", "model", "throughput", "response", "half_width")  # of each class, "/" between; half width relative, 95 %

Random = np.random.Generator


def _queues(
    rng: Random, disciplines: tuple[str, ...], most: int = 4, servers: tuple[int, ...] = (1, 1, 1, 2, 4)
) -> list[qn.Queue]:
    count = int(rng.integers(1 if "preemptive" in disciplines else 2, most + 1))
    return [qn.Queue(f"s{k}", servers=int(rng.choice(servers)), discipline=str(rng.choice(disciplines))) for k in range(count)]


def _variation(rng: Random) -> float:
    """From constant to four times exponential."""
    return float(rng.choice([0.0, 0.25, 0.5, 1.0, 1.0, 2.0, 4.0]))


def _variations(rng: Random, stations: list[qn.Queue]) -> dict[str, float]:
    return {s.name: _variation(rng) for s in stations}


def _times(rng: Random, stations: list[qn.Queue]) -> dict[str, float]:
    return {s.name: float(s.servers * 10 ** rng.uniform(-0.5, 0.5)) for s in stations}


def _loaded(rng: Random, stations: list[qn.Queue], classes: list[qn.OpenClass]) -> qn.Network:
    """Arrival rates such that the busiest station is 30 to 85 % busy."""
    busy = max(sum(c.arrival_rate * c.demand(s.name) for c in classes) / s.servers for s in stations)
    factor = float(rng.uniform(0.3, 0.85)) / busy
    model = qn.Network(stations, classes)
    for c in classes:
        model = model.replace(c.name, arrival_rate=c.arrival_rate * factor)
    return model


def one_class(rng: Random) -> qn.Network:
    """One class through stations in line, times and arrivals of any variation."""
    stations = _queues(rng, ("fcfs",))
    job = qn.OpenClass(
        "c0",
        arrival_rate=1.0,
        arrival_variation=_variation(rng),
        demands=_times(rng, stations),
        service_variation=_variations(rng, stations),
    )
    return _loaded(rng, stations, [job])


def several(rng: Random) -> qn.Network:
    """Two or three classes with times of their own, some in batches, in line or sharing."""
    stations = _queues(rng, ("fcfs", "fcfs", "ps"))
    classes = [
        qn.OpenClass(
            f"c{r}",
            arrival_rate=10 ** rng.uniform(-0.5, 0.5),
            arrival_variation=_variation(rng),
            batch_size=float(rng.choice([1, 1, 2, 5])),
            demands=_times(rng, stations),
            service_variation=_variations(rng, stations),
        )
        for r in range(int(rng.integers(2, 4)))
    ]
    return _loaded(rng, stations, classes)


def by_chance(rng: Random) -> qn.Network:
    """One or two classes that go on by chance, one to three visits a station."""
    stations = _queues(rng, ("fcfs",), most=3)
    classes = [
        qn.OpenClass(
            f"c{r}",
            arrival_rate=10 ** rng.uniform(-0.5, 0.5),
            arrival_variation=_variation(rng),
            visits={s.name: float(rng.uniform(0.5, 3)) for s in stations},
            service_times=_times(rng, stations),
            service_variation=_variations(rng, stations),
        )
        for r in range(int(rng.integers(1, 3)))
    ]
    return _loaded(rng, stations, classes)


def priorities(rng: Random) -> qn.Network:
    """Two or three classes of different priorities, one or two stations of one to four servers."""
    stations = _queues(rng, ("preemptive", "nonpreemptive"), most=2, servers=(1, 2, 4))
    classes = [
        qn.OpenClass(
            f"c{r}",
            arrival_rate=10 ** rng.uniform(-0.5, 0.5),
            priority=r + 1,
            demands=_times(rng, stations),
            service_variation=_variations(rng, stations) if rng.random() < 0.5 else None,
        )
        for r in range(int(rng.integers(2, 4)))
    ]
    return _loaded(rng, stations, classes)


def _closed(rng: Random, uneven: bool) -> qn.Network:
    stations = _queues(rng, ("fcfs", "fcfs", "ps"))
    stations[0] = qn.Queue("s0", servers=stations[0].servers, discipline="fcfs")
    classes = [
        qn.ClosedClass(
            f"c{r}",
            population=int(rng.integers(1, 13)),
            think_time=0.0 if rng.random() < 0.5 else 10 ** rng.uniform(-1, 1.5),
            demands=_times(rng, stations),
            service_variation=_variations(rng, stations) if uneven else None,
        )
        for r in range(int(rng.integers(1 if uneven else 2, 4)))
    ]
    return qn.Network(stations, classes)


def order(rng: Random) -> qn.Network:
    """Closed classes, first come first served with a time of each class, exponential."""
    return _closed(rng, False)


def uneven(rng: Random) -> qn.Network:
    """The same with times of any variation."""
    return _closed(rng, True)


FAMILIES: dict[str, tuple[str, Callable[[Random], qn.Network]]] = {
    "open line": ("qna", one_class),
    "open classes": ("qna", several),
    "open by chance": ("qna", by_chance),
    "open priorities": ("qna", priorities),
    "closed fcfs": ("fcfs", order),
    "closed fcfs, uneven": ("fcfs", uneven),
}
COSTLY = ("closed fcfs", "closed fcfs, uneven")  # families that take more than 4 seconds

FEWER = {"open by chance": 150}  # models of families that take long to simulate


def models(family: str, count: int | None = None) -> Iterator[qn.Network]:
    """The seeded models of a family, the same in every run."""
    rng = np.random.default_rng([list(FAMILIES).index(family), 83])
    for _ in range(count or FEWER.get(family, accuracy.MODELS)):
        yield FAMILIES[family][1](rng)


def simulated(model: qn.Network, seed: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Throughput, response time and its relative half width of each class.

    What is known of each stretch is taken out by regression: how far the work that was done
    at a station was from its mean.
    """
    arrays = from_network(model)
    process = job_process(arrays)
    found = simulate(process, JOBS, BATCHES, seed)
    time = found.duration
    if arrays.is_open:
        known = found.work.sum(axis=1) / time[:, None] - arrays.arrival_rate @ arrays.demand
    else:
        known = (found.work - found.visits * np.where(arrays.demand > 0, process.service, 0.0)).sum(axis=1) / time[:, None]
    known = known[:, known.std(axis=0) > 1e-9]  # constant times carry no information
    throughput, _ = _controlled(found.finished, time, known)
    response, half = _controlled(found.area.sum(axis=2), found.finished, known)
    return throughput, response, half / response


def _controlled(above: np.ndarray, below: np.ndarray, known: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Ratio of sums over stretches, with control variates of mean 0, and the half width of its 95 % interval."""
    below = np.broadcast_to(below.reshape(len(below), -1), above.shape)
    ratio = above.sum(axis=0) / below.sum(axis=0)
    apart = (above - ratio * below) / below.mean(axis=0)
    centred = known - known.mean(axis=0)
    slope = np.linalg.lstsq(centred, apart, rcond=None)[0]
    left = apart - centred @ slope
    freedom = len(above) - 1 - known.shape[1]
    return ratio - known.mean(axis=0) @ slope, 2.02 * np.sqrt((left**2).sum(axis=0) / freedom / len(above))


def store(family: str, out: Path = STORE) -> None:
    """Simulate a family and put its rows in place of those stored."""
    kept = [row for row in _stored() if row["family"] != family]
    for i, model in enumerate(models(family)):
        figures = ("/".join(f"{v:.5g}" for v in values) for values in simulated(model, i))
        kept.append(dict(zip(HEAD, (family, str(i), *figures), strict=True)))
    kept.sort(key=lambda row: (list(FAMILIES).index(row["family"]), int(row["model"])))
    with out.open("w", encoding="utf-8", newline="\n") as file:
        writer = csv.DictWriter(file, HEAD, lineterminator="\n")
        writer.writeheader()
        writer.writerows(kept)
    _stored.cache_clear()


@cache
def _stored() -> list[dict[str, str]]:
    return list(csv.DictReader(STORE.read_text(encoding="utf-8").splitlines())) if STORE.exists() else []


def reference(family: str) -> list[tuple[np.ndarray, np.ndarray, np.ndarray]]:
    """What was stored of each model: throughput, response time, relative half width of each class."""
    rows = [row for row in _stored() if row["family"] == family]
    return [
        tuple(np.array([float(v) for v in row[name].split("/")]) for name in HEAD[2:])  # type: ignore[misc]
        for row in rows
    ]


def table() -> tuple[list[dict[str, str]], list[dict[str, str]]]:
    """The rows of every family, and those of the sample of the costly ones."""
    found = {family: family_errors(family) for family in FAMILIES}
    whole = [row_of(family, errors) for family, errors in found.items()]
    return whole, [row_of(family, found[family][:: accuracy.EVERY]) for family in COSTLY]


def family_errors(family: str, every: int = 1) -> np.ndarray:
    """Errors of throughput and response time of the family's method, the worst class of a model, shape (models, 2).

    Models that it does not accept are nan; with `every` only one of so many is solved.
    """
    method, pairs = FAMILIES[family][0], list(zip(models(family), reference(family), strict=True))[::every]
    errors = np.full((len(pairs), 2), np.nan)
    for i, (model, (throughput, response, _)) in enumerate(pairs):
        if not next(report.accepts for report in qn.methods(model) if report.name == method):
            continue  # of product form by chance
        found = qn.solve(model, method=method)
        x = np.array([c.throughput for c in found.classes])
        r = np.array([c.response_time for c in found.classes])
        off = np.abs(x / throughput - 1).max() if method == "fcfs" else 0.0  # what goes in comes out
        errors[i] = off, np.abs(r / response - 1).max()
    return errors


def row_of(family: str, errors: np.ndarray) -> dict[str, str]:
    """The row of a family."""
    return accuracy.row_of(FAMILIES[family][0], family, errors)


if __name__ == "__main__":
    chosen = [argument for argument in sys.argv[1:] if argument in FAMILIES]
    for name in chosen:
        store(name)
    if not chosen:
        found = table()
        print(accuracy.as_markdown(found[0]))
        if "--write" in sys.argv:
            accuracy.write(*found)

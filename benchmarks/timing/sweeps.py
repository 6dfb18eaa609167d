"""Many models of one shape in one pass: models a second, and the error against solving each by itself."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import qnsolve as qn

from benchmarks.timing.clock import best

SAMPLE = 50  # models that are solved again by themselves


@dataclass(frozen=True)
class Rate:
    """What a sweep reached: models a second, and the largest relative error of a throughput or queue length."""

    name: str
    models: int
    per_second: float
    error: float
    wanted: float  # models a second, 0 where none was set


def one_class(count: int, method: str = "auto") -> qn.Sweep:
    """One class of 1 to 100 jobs; two demands, the think time and the population random; four servers at one station."""
    rng = np.random.default_rng(20)
    stations: list[qn.Queue | qn.Delay] = [qn.Queue("cpu"), qn.Queue("disk", servers=4), qn.Queue("tape"), qn.Delay("net")]
    job = qn.ClosedClass("a", population=1, demands={"cpu": 0.1, "disk": 0.9, "tape": 0.05, "net": 0.2})
    values = {
        "population": rng.integers(1, 101, count),
        "think_time": rng.uniform(0.0, 9.0, count),
        "demands": {"cpu": rng.uniform(0.05, 0.3, count), "disk": rng.uniform(0.5, 2.0, count)},
    }
    return qn.sweep(qn.Network(stations, [job]), {"a": values}, together=True, method=method)


def three_classes(count: int, method: str = "auto") -> qn.Sweep:
    """Three classes of 1 to 10 jobs each, demands at three single servers and populations random."""
    rng = np.random.default_rng(21)
    stations: list[qn.Queue | qn.Delay] = [qn.Queue("cpu"), qn.Queue("disk"), qn.Queue("tape"), qn.Delay("net")]
    names = [s.name for s in stations]
    classes = [qn.ClosedClass(c, population=1, think_time=2.0, demands=dict.fromkeys(names, 0.1)) for c in "abc"]
    vary = {
        c: {"population": rng.integers(1, 11, count), "demands": {n: rng.uniform(0.05, 0.3, count) for n in names[:3]}}
        for c in "abc"
    }
    return qn.sweep(qn.Network(stations, classes), vary, together=True, method=method)


CASES: dict[str, tuple[Callable[[int, str], qn.Sweep], int, str, float]] = {
    "one class, up to 100 jobs": (one_class, 10_000, "auto", 20_000.0),
    "three classes, up to 10 jobs each": (three_classes, 1000, "auto", 1000.0),
    "the same, linearizer": (three_classes, 1000, "linearizer", 0.0),
    "the same, schweitzer": (three_classes, 1000, "schweitzer", 0.0),
}


def measure(quick: bool) -> list[Rate]:
    """Each case's rate, from inputs as a caller gives them to checked arrays."""
    rates = []
    for name, (case, count, method, wanted) in CASES.items():
        found = case(count, method)
        seconds = best(lambda case=case, count=count, method=method: case(count, method), 0.05 if quick else 1.0)  # type: ignore[misc]
        rates.append(Rate(name, count, count / seconds, _error(found), wanted))
    return rates


def _error(found: qn.Sweep) -> float:
    """Against `solve`, on a sample."""
    worst = 0.0
    for i in np.linspace(0, len(found) - 1, SAMPLE).astype(int).tolist():
        alone = qn.solve(found.model_at(i), method=found.method)
        right = np.array([p.queue_length for p in alone.pairs]).reshape(found.queue_length[i].shape)
        rate = np.array([c.throughput for c in alone.classes])
        worst = max(worst, float(np.abs(found.throughput[i] / rate - 1).max()))
        worst = max(worst, float(np.abs(found.queue_length[i] / right - 1).max()))
    return worst

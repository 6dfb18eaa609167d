"""Seeded tables of measured intervals: clean ones, and ones with a fault planted at random place and strength."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np
import qnsolve as qn
from numpy.typing import NDArray

Array = NDArray[np.float64]
NOISE = 0.02
LENGTHS = (60.0, 300.0, 900.0, 1800.0, 3600.0)
BEGIN = np.datetime64("2026-03-02T00:00", "ms")


@dataclass
class Columns:
    """A table that can still be changed: columns by NAME.quantity, begins, lengths, servers by resource."""

    values: dict[str, Array]
    start: NDArray[np.datetime64]
    length: Array
    servers: dict[str, float]
    classes: list[str] = field(default_factory=list)
    resources: list[str] = field(default_factory=list)

    def table(self) -> qn.measure.Intervals:
        """As the package has it."""
        return qn.measure.table(self.values, start=self.start, length=self.length)

    def __len__(self) -> int:
        return len(self.start)


def clean(rng: np.random.Generator, least: int = 10, most: int = 5000, steady: bool | None = None) -> Columns:
    """A table of 10 to 5000 intervals, several classes, 1 to 8 resources, a daily profile or a steady load, 2 % noise."""
    n = int(np.exp(rng.uniform(np.log(least), np.log(most))))
    classes = [f"C{r}" for r in range(int(rng.integers(1, max(2, min(7, n // 3 - 1)))))]
    resources = ["cpu", *(f"disk{k}" for k in range(int(rng.integers(0, 8))))]
    length = float(rng.choice(LENGTHS))
    seconds = length * np.arange(n)
    is_steady = bool(rng.random() < 0.3) if steady is None else steady
    rates = {}
    for name in classes:
        day = 1 + rng.uniform(0.2, 0.7) * np.sin(2 * np.pi * (seconds / 86400 + rng.random()))
        own = np.exp(rng.normal(0, rng.uniform(0.15, 0.3), n))
        level = float(np.exp(rng.uniform(np.log(2), np.log(500))))
        rates[name] = level * (1 + rng.normal(0, 0.05, n) if is_steady else day * own)
    values: dict[str, Array] = {f"{name}.rate": _noisy(rng, rate, 0.001) for name, rate in rates.items()}
    servers: dict[str, float] = {}
    busy: dict[str, Array] = {}
    work: dict[str, dict[str, float]] = {}
    for k, resource in enumerate(resources):
        m = float(rng.integers(1, 17)) if k == 0 else 1.0
        share = rng.dirichlet(np.full(len(classes), 3.0))
        raw = sum(s * rates[name] / rates[name].mean() for s, name in zip(share, classes, strict=True))
        peak = rng.uniform(0.3, 0.85)
        base = rng.uniform(0, 0.04) * peak
        factor = (peak - base) / float(np.max(raw)) * m
        work[resource] = {name: float(s * factor / rates[name].mean()) for s, name in zip(share, classes, strict=True)}
        used = base * m + sum(work[resource][name] * rates[name] for name in classes)
        busy[resource] = np.asarray(used) / m
        values[f"{resource}.busy"] = np.minimum(_noisy(rng, busy[resource]), 0.94)
        servers[resource] = m
    charge = rng.uniform(0.92, 1.0)  # with the base, the capture ratio is within 0.8 and 1.05
    quantities = set(rng.choice(("in_system", "used", "cpu_time", "count", "percentiles"), size=3, replace=False).tolist())
    for name in classes:
        service = {resource: work[resource][name] for resource in resources}
        response = sum(d / (1 - np.minimum(busy[resource], 0.94)) for resource, d in service.items())
        values[f"{name}.response_time"] = _noisy(rng, np.asarray(response))
        if "in_system" in quantities:
            values[f"{name}.in_system"] = _noisy(rng, rates[name] * response)
        if "used" in quantities:
            values[f"{name}.used"] = _noisy(rng, charge * rates[name] * service["cpu"])
        if "cpu_time" in quantities:
            values[f"{name}.cpu_time"] = _noisy(rng, np.full(n, charge * service["cpu"]))
        if "count" in quantities:
            values[f"{name}.count"] = np.round(values[f"{name}.rate"] * length)
        if "percentiles" in quantities:
            mean = values[f"{name}.response_time"]
            for level, times in (("p50", 0.7), ("p90", 2.2), ("p95", 2.9), ("p99", 4.4)):
                values[f"{name}.response_{level}"] = _noisy(rng, times * mean)
    start = BEGIN + (np.arange(n) * length * 1000).astype("timedelta64[ms]")
    return Columns(values, start, np.full(n, length), servers, classes, resources)


def _noisy(rng: np.random.Generator, values: Array, noise: float = NOISE) -> Array:
    return values * np.clip(1 + noise * rng.standard_normal(len(values)), 1 - 4 * noise, 1 + 4 * noise)


@dataclass(frozen=True)
class Planted:
    """What was planted: kinds that name it, first and last row from 1, 0 for the whole table."""

    kinds: frozenset[str]
    first: int = 0
    last: int = 0


def _rows(rng: np.random.Generator, n: int, least: int, most: float) -> tuple[int, int]:
    size = int(min(max(least, rng.integers(least, max(least + 1, int(most * n)))), n - 2))
    first = int(rng.integers(1, n - size))
    return first, first + size


def gap(c: Columns, rng: np.random.Generator) -> Planted:
    """Some intervals are lost."""
    n = len(c)
    first, last = _rows(rng, n, 1, 0.2)
    keep = np.ones(n, dtype=bool)
    keep[first:last] = False
    _keep(c, np.flatnonzero(keep))
    return Planted(frozenset({"gap"}), first, first + 1)


def _keep(c: Columns, rows: NDArray[np.intp]) -> None:
    c.values = {name: column[rows] for name, column in c.values.items()}
    c.start, c.length = c.start[rows], c.length[rows]


def duplicate(c: Columns, rng: np.random.Generator) -> Planted:
    """A row stands twice."""
    i = int(rng.integers(1, len(c) - 1))
    _keep(c, np.insert(np.arange(len(c)), i, i))
    return Planted(frozenset({"duplicate", "repeated"}), i + 1, i + 2)


def overlap(c: Columns, rng: np.random.Generator) -> Planted:
    """An interval begins early."""
    i = int(rng.integers(1, len(c)))
    c.start = c.start.copy()
    c.start[i] -= np.timedelta64(int(1000 * c.length[i] * rng.uniform(0.1, 0.9)), "ms")
    return Planted(frozenset({"overlap"}), i, i + 1)


def stuck(c: Columns, rng: np.random.Generator) -> Planted:
    """A series repeats one value."""
    first, last = _rows(rng, len(c), 4, 0.3)
    name = str(rng.choice([key for key in c.values if key.rpartition(".")[2] in ("rate", "busy", "response_time", "used")]))
    c.values[name][first:last] = c.values[name][first]
    return Planted(frozenset({"stuck"}), first + 1, last)


def repeated(c: Columns, rng: np.random.Generator) -> Planted:
    """All series repeat one row."""
    first, last = _rows(rng, len(c), 3, 0.2)
    for column in c.values.values():
        column[first:last] = column[first]
    return Planted(frozenset({"repeated"}), first + 1, last)


def milliseconds(c: Columns, rng: np.random.Generator) -> Planted:
    """A response in ms, where the mean number inside is given."""
    name = str(rng.choice(c.classes))
    c.values[f"{name}.in_system"] = c.values[f"{name}.rate"] * c.values[f"{name}.response_time"]
    c.values[f"{name}.response_time"] = c.values[f"{name}.response_time"] * 1000
    return Planted(frozenset({"units"}))


def percent(c: Columns, rng: np.random.Generator) -> Planted:
    """A utilization in percent."""
    name = str(rng.choice(c.resources))
    c.values[f"{name}.busy"] = c.values[f"{name}.busy"] * 100
    return Planted(frozenset({"units"}))


def a_minute(c: Columns, rng: np.random.Generator) -> Planted:
    """A rate a minute beside a count."""
    name = str(rng.choice(c.classes))
    c.values[f"{name}.count"] = np.round(c.values[f"{name}.rate"] * c.length)
    c.values[f"{name}.rate"] = c.values[f"{name}.rate"] * 60
    return Planted(frozenset({"units"}))


def lengths(c: Columns, rng: np.random.Generator) -> Planted:
    """The table says another length than counts and rates."""
    name = str(rng.choice(c.classes))
    factor = float(rng.choice([0.25, 0.5, 2.0, 4.0]))
    c.values[f"{name}.count"] = np.round(c.values[f"{name}.rate"] * c.length * factor)
    return Planted(frozenset({"length"}))


def little(c: Columns, rng: np.random.Generator) -> Planted:
    """The number inside is not rate times response, in some rows or all."""
    first, last = _rows(rng, len(c), 1, 0.9)
    name = str(rng.choice(c.classes))
    inside = c.values[f"{name}.rate"] * c.values[f"{name}.response_time"]
    inside[first:last] *= float(rng.choice([rng.uniform(0.2, 0.6), rng.uniform(1.6, 5)]))
    c.values[f"{name}.in_system"] = inside
    return Planted(frozenset({"little"}), first + 1, last)


def capture(c: Columns, rng: np.random.Generator) -> Planted:
    """Too little or too much is charged to the work."""
    _charge(c, float(rng.choice([rng.uniform(0.3, 0.7), rng.uniform(1.15, 2)])))
    return Planted(frozenset({"capture"}))


def _charge(c: Columns, factor: float | Array) -> None:
    rates = np.column_stack([c.values[f"{name}.rate"] for name in c.classes])
    share = rates / rates.sum(axis=1, keepdims=True)
    total = c.values["cpu.busy"] * c.servers["cpu"] * factor
    for r, name in enumerate(c.classes):
        c.values[f"{name}.used"] = share[:, r] * total
        c.values.pop(f"{name}.cpu_time", None)


def drifting(c: Columns, rng: np.random.Generator) -> Planted:
    """The capture ratio falls from the first rows to the last."""
    _charge(c, np.linspace(0.98, 0.98 - rng.uniform(0.16, 0.3), len(c)))
    return Planted(frozenset({"capture"}))


def utilization(c: Columns, rng: np.random.Generator) -> Planted:
    """CPU times do not add up to the CPU used."""
    _charge(c, 0.95)
    name = str(rng.choice(c.classes))
    factor = float(rng.choice([rng.uniform(0.3, 0.8), rng.uniform(1.25, 3)]))
    used, rate = c.values[f"{name}.used"], c.values[f"{name}.rate"]
    c.values[f"{name}.cpu_time"] = np.full(len(c), float(np.median(used / rate))) * factor
    for other in c.classes:
        c.values[f"{other}.used"] = c.values[f"{other}.rate"] * float(
            np.median(c.values[f"{other}.used"] / c.values[f"{other}.rate"])
        )
    return Planted(frozenset({"utilization", "capture"}))


def negative(c: Columns, rng: np.random.Generator) -> Planted:
    """A figure below 0."""
    i = int(rng.integers(0, len(c)))
    name = str(rng.choice(list(c.values)))
    c.values[name][i] *= -1
    return Planted(frozenset({"impossible"}), i + 1, i + 1)


def too_busy(c: Columns, rng: np.random.Generator) -> Planted:
    """A utilization above 1."""
    first, last = _rows(rng, len(c), 1, 0.2)
    name = str(rng.choice(c.resources))
    c.values[f"{name}.busy"][first:last] = rng.uniform(1.02, 1.5)
    return Planted(frozenset({"impossible"}), first + 1, last)


def disordered(c: Columns, rng: np.random.Generator) -> Planted:
    """Percentiles out of order."""
    first, last = _rows(rng, len(c), 1, 0.2)
    name = str(rng.choice(c.classes))
    mean = c.values[f"{name}.response_time"]
    c.values[f"{name}.response_p90"], c.values[f"{name}.response_p95"] = 2 * mean, 3 * mean
    c.values[f"{name}.response_p95"][first:last] *= rng.uniform(0.4, 0.64)
    return Planted(frozenset({"impossible"}), first + 1, last)


def no_response(c: Columns, rng: np.random.Generator) -> Planted:
    """A response of 0 though work ended."""
    i = int(rng.integers(0, len(c)))
    c.values[f"{rng.choice(c.classes)}.response_time"][i] = 0.0
    return Planted(frozenset({"impossible"}), i + 1, i + 1)


def saturated(c: Columns, rng: np.random.Generator) -> Planted:
    """A server is full for long."""
    first, last = _rows(rng, len(c), 3, 0.3)
    c.values[f"{rng.choice(c.resources)}.busy"][first:last] = rng.uniform(0.96, 1.0, last - first)
    return Planted(frozenset({"saturated"}), first + 1, last)


def startup(c: Columns, rng: np.random.Generator) -> Planted:
    """The rates drift to their level at the begin, or fall at the end."""
    k = int(rng.integers(2, max(3, len(c) // 5)))
    path = np.linspace(rng.uniform(0.05, 0.5), 0.95, k)
    early = bool(rng.random() < 0.5)
    for name in c.values:
        if name.rpartition(".")[2] not in ("response_time", "cpu_time") and "response" not in name:
            column = c.values[name]
            if early:
                column[:k] *= path
            else:
                column[-k:] *= path[::-1]
    return Planted(frozenset({"ramp"}), *((1, k) if early else (len(c) - k + 1, len(c))))


def outlier(c: Columns, rng: np.random.Generator) -> Planted:
    """A utilization that the rates do not explain."""
    i = int(rng.integers(0, len(c)))
    name = f"{rng.choice(c.resources)}.busy"
    c.values[name][i] *= float(rng.choice([rng.uniform(0.2, 0.6), rng.uniform(1.5, 2.5)]))
    c.values[name][i] = min(c.values[name][i], 0.99)
    return Planted(frozenset({"outlier", "ramp", "capture"}), i + 1, i + 1)


def release(c: Columns, rng: np.random.Generator) -> Planted:
    """From one row on all work needs more of a resource."""
    n = len(c)
    i = int(rng.integers(max(6, n // 5), n - max(6, n // 5)))
    name = f"{rng.choice(c.resources)}.busy"
    c.values[name][i:] *= 1 + float(rng.choice([-1, 1])) * rng.uniform(0.06, 0.3)
    return Planted(frozenset({"shift"}), i + 1, n)


def alike(c: Columns, rng: np.random.Generator) -> Planted:
    """Two classes that move together."""
    one = c.values[f"{c.classes[0]}.rate"]
    c.values["twin.rate"] = (
        one
        * rng.uniform(0.2, 5)
        * (1 + rng.uniform(0.02, 0.2) * float(np.std(one) / np.mean(one)) * rng.standard_normal(len(c)))
    )
    return Planted(frozenset({"collinear"}))


def few(c: Columns, rng: np.random.Generator) -> Planted:
    """Too few rows for the classes."""
    rows = int(rng.integers(len(c.classes) + 1, 3 * (len(c.classes) + 1)))
    _keep(c, np.arange(min(rows, len(c))))
    return Planted(frozenset({"few"}))


def two_clocks(c: Columns, rng: np.random.Generator) -> Planted:
    """Utilizations come from a clock that is some intervals off."""
    lag = int(rng.choice([-4, -2, -1, 1, 2, 4]))
    for name in c.resources:
        c.values[f"{name}.busy"] = np.roll(c.values[f"{name}.busy"], lag)
    return Planted(frozenset({"clock"}))


Fault = Callable[[Columns, np.random.Generator], Planted]
# each fault, the fewest rows that can show it, and whether the load is steady where that matters
FAULTS: dict[str, tuple[Fault, int, bool | None]] = {
    "gap": (gap, 10, None),
    "duplicate": (duplicate, 10, None),
    "overlap": (overlap, 10, None),
    "stuck": (stuck, 12, None),
    "repeated": (repeated, 12, None),
    "milliseconds": (milliseconds, 10, None),
    "percent": (percent, 10, None),
    "a_minute": (a_minute, 10, None),
    "lengths": (lengths, 10, None),
    "little": (little, 10, None),
    "capture": (capture, 10, None),
    "drifting": (drifting, 24, None),
    "utilization": (utilization, 10, None),
    "negative": (negative, 10, None),
    "too_busy": (too_busy, 10, None),
    "disordered": (disordered, 10, None),
    "no_response": (no_response, 10, None),
    "saturated": (saturated, 10, None),
    "startup": (startup, 16, True),
    "outlier": (outlier, 24, None),
    "release": (release, 40, None),
    "alike": (alike, 16, None),
    "few": (few, 10, None),
    "two_clocks": (two_clocks, 96, False),
}

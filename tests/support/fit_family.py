"""Intervals simulated from known models, with noise: what a fit is to find again, and how often its intervals hold it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
import qnsolve as qn
from numpy.typing import NDArray

Array = NDArray[np.float64]
NOISE = 0.02  # standard deviation of every measured value [relative]


@dataclass(frozen=True)
class Setting:
    """How intervals are made.

    Attributes
    ----------
    kind : {"open", "delay", "closed", "threads"}
        Open classes by utilization; those with responses and a delay; users with think time, CPU and delay; users of a pool
        of threads.
    n, classes : int
        Intervals; classes of work.
    noisy : {"busy", "all", "added"}
        Noise on the utilization alone, on all that is measured, or of one size on the utilization.
    serial : float
        Correlation of the noise of neighbours.
    day : bool
        The classes move together over the day.
    """

    kind: str
    n: int
    classes: int = 1
    noisy: str = "all"
    serial: float = 0.0
    day: bool = False

    @property
    def name(self) -> str:
        """For ids."""
        day = " day" if self.day else ""
        return f"{self.kind} {self.n} x {self.classes} {self.noisy}{day} {self.serial:g}"


def settings() -> Iterator[Setting]:
    """The family."""
    for n in (20, 60, 300):
        for noisy in ("busy", "all", "added"):
            for classes, day, serial in ((1, False, 0.0), (3, True, 0.0), (6, False, 0.0), (2, True, 0.5), (4, False, 0.5)):
                yield Setting("open", n, classes, noisy, serial, day)
        yield Setting("delay", n, 2)
        yield Setting("delay", n, 1, serial=0.5)
        yield Setting("closed", n)
        yield Setting("closed", n, serial=0.5)
        yield Setting("threads", n)


def simulated(setting: Setting, seed: int) -> tuple[qn.measure.Intervals, dict[str, Any] | None, dict[str, float]]:
    """Intervals, the sketch (None where none is needed), and the true figures by name."""
    rng = np.random.default_rng([seed, setting.n, setting.classes, len(setting.name)])
    make = {"open": _open, "delay": _open, "closed": _closed, "threads": _threads}[setting.kind]
    columns, sketch, truth = make(setting, rng)
    measured = {}
    for name, values in columns.items():
        exact = name.endswith((".users", ".servers")) or (setting.noisy != "all" and not name.endswith(".busy"))
        size = values if setting.noisy != "added" else np.full(setting.n, values.mean())
        measured[name] = values if exact else values + NOISE * size * _noise(rng, setting)
    return qn.measure.table(measured), sketch, truth


def _noise(rng: np.random.Generator, setting: Setting) -> Array:
    fresh = rng.normal(size=setting.n)
    for t in range(1, setting.n if setting.serial else 1):
        fresh[t] = setting.serial * fresh[t - 1] + np.sqrt(1 - setting.serial**2) * fresh[t]
    return fresh


def _open(setting: Setting, rng: np.random.Generator) -> tuple[dict[str, Array], None, dict[str, float]]:
    n, k = setting.n, setting.classes
    around = 1 + 0.6 * np.sin(2 * np.pi * np.arange(n) / 30) if setting.day else np.ones(n)
    spread = np.exp(rng.normal(0, 0.25, (n, k))) if setting.day else rng.uniform(0.3, 1.7, (n, k))
    rates = around[:, None] * spread * np.geomspace(5, 100, k)
    demands = rng.uniform(0.5, 1.5, k) / rates.mean(axis=0)
    base = 0.3
    used = base + rates @ demands
    servers = int(np.ceil(used.max() / 0.85))
    columns = {f"c{i}.rate": rates[:, i] for i in range(k)}
    columns |= {"cpu.busy": used / servers, "cpu.servers": np.full(n, float(servers))}
    truth = {f"c{i}.demands.cpu": float(demands[i]) for i in range(k)} | {"base.demands.cpu": base}
    if setting.kind == "delay":
        stretch = np.asarray(qn.stations.mmc_arrays(used, np.ones(n), np.full(n, float(servers))).response_time)
        for i in range(k):
            rest = float(2 * demands[i])
            columns[f"c{i}.response_time"] = rest + demands[i] * stretch
            truth[f"c{i}.demands.other time"] = rest
    return columns, None, truth


def _sketch(servers: Any, **class_keys: Any) -> dict[str, Any]:
    stations = [{"name": "cpu", "servers": servers}, {"name": "rest", "type": "delay"}]
    return {"stations": stations, "classes": [{"name": "jobs", "population": "measured", **class_keys}]}


def _solved(users: Any, think: float, cpu: float, rest: float, servers: int) -> dict[str, Array]:
    job_class = qn.ClosedClass("jobs", population=2, think_time=think, demands={"cpu": cpu, "rest": rest})
    model = qn.Network([qn.Queue("cpu", servers=servers), qn.Delay("rest")], [job_class])
    found = qn.sweep(model, "jobs", population=users.tolist())
    return {
        "jobs.users": users.astype(float),
        "jobs.rate": found.throughput[:, 0],
        "jobs.response_time": found.response_time[:, 0],
        "cpu.busy": found.utilization[:, 0],
    }


def _closed(setting: Setting, rng: np.random.Generator) -> tuple[dict[str, Array], dict[str, Any], dict[str, float]]:
    think, cpu, rest = rng.uniform(0.5, 2), rng.uniform(0.02, 0.1), rng.uniform(0.1, 0.3)
    columns = _solved(rng.integers(2, 40, setting.n), think, cpu, rest, 2)
    truth = {"jobs.think_time": think, "jobs.demands.cpu": cpu, "jobs.demands.rest": rest}
    return columns, _sketch(2, think_time="fit", demands={"cpu": "fit", "rest": "fit"}), truth


def _threads(setting: Setting, rng: np.random.Generator) -> tuple[dict[str, Array], dict[str, Any], dict[str, float]]:
    threads, cpu, rest = int(rng.integers(3, 17)), rng.uniform(0.05, 0.1), rng.uniform(0.05, 0.2)
    columns = _solved(rng.integers(2, 60, setting.n), 0.0, cpu, rest, threads)
    columns.pop("cpu.busy")
    truth = {"cpu.servers": float(threads), "jobs.demands.cpu": cpu, "jobs.demands.rest": rest}
    return columns, _sketch("fit", demands={"cpu": "fit", "rest": "fit"}), truth


def held(setting: Setting, seeds: range) -> dict[str, float]:
    """Share of the runs in which the interval of each kind of figure holds the true one, over all figures of that kind."""
    hits: dict[str, list[bool]] = {}
    for seed in seeds:
        intervals, sketch, truth = simulated(setting, seed)
        fit = qn.fit(intervals, sketch, held_out=0)
        for name, value in truth.items():
            kind = name if setting.kind in ("closed", "threads") else name.partition(".")[0].rstrip("0123456789") + name[-5:]
            hits.setdefault(kind, []).append(fit[name].lowest <= value <= fit[name].highest)
    return {name: float(np.mean(each)) for name, each in hits.items()}

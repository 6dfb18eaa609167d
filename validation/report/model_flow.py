"""The way of each class through a model: the stations that it visits and its demands there."""

from __future__ import annotations

from dataclasses import dataclass

import qnsolve as qn
from qnsolve import zos

SHOWN = 6  # stations of a class; of more, the first and the last are shown
UNITS = {"s": 1.0, "ms": 1e-3, "us": 1e-6}  # of a model, in seconds


@dataclass(frozen=True)
class Stop:
    """A station of a class, the demand there, and how many stations are left out before it."""

    station: str
    kind: str
    demand: str
    left_out: int


@dataclass(frozen=True)
class Flow:
    """The way of one class: its load, its stations, and where its jobs go after the last."""

    name: str
    load: str
    stops: tuple[Stop, ...]
    end: str


def flows(model: qn.Network | zos.System) -> list[Flow]:
    """The way of each class of a network, or work of a system."""
    if isinstance(model, zos.System):
        return [_work_flow(work) for work in model.work]
    return [_flow(model, job_class) for job_class in model.classes]


TIMES = {  # of a step, and the kind of server that they are asked of
    "qr_cpu": "QR TCB",
    "ro_cpu": "RO TCB",
    "open_cpu": "open TCBs",
    "jvm_cpu": "JVM threads",
    "cpu": "dependent regions",
    "system_cpu": "CPs",
    "delay": "delay",
}


def _work_flow(work: zos.Work) -> Flow:
    found: list[tuple[str, str, str]] = []
    for step in work.steps:
        region = step.regions[0] if len(step.regions) == 1 else f"{step.regions[0]} to {step.regions[-1]}"
        asked = [(kind, getattr(step, key)) for key, kind in TIMES.items() if getattr(step, key)]
        found += [(region, kind, _duration(step.visits * time, "s")) for kind, time in asked]
        found += [(name, "device", _duration(step.visits * time, "s")) for name, time in (step.devices or {}).items()]
        found += [(name, "log", f"{step.visits * size:.4g} bytes") for name, size in (step.log_bytes or {}).items()]
        found += [(name, "requests", f"{step.visits * count:.4g}") for name, count in (step.cf_requests or {}).items()]
    left_out = max(len(found) - SHOWN, 0)
    shown = [*found[: SHOWN - 1], found[-1]] if left_out else found
    stops = tuple(Stop(*stop, left_out if stop is shown[-1] else 0) for stop in shown)
    if work.users is not None:
        return Flow(work.name, f"{work.users} users, think {work.think_time:.4g} s", stops, "think again")
    return Flow(work.name, f"arrive {work.rate:.5g}/s", stops, "leave")


def _flow(model: qn.Network, job_class: qn.OpenClass | qn.ClosedClass) -> Flow:
    visited = [station for station in model.stations if job_class.demand(station.name) > 0]
    left_out = max(len(visited) - SHOWN, 0)
    shown = (*visited[: SHOWN - 1], visited[-1]) if left_out else visited
    stops = tuple(
        Stop(
            station.name,
            _kind(station),
            _duration(job_class.demand(station.name), model.time_unit),
            left_out if station is shown[-1] else 0,
        )
        for station in shown
    )
    if isinstance(job_class, qn.ClosedClass):
        load = f"{job_class.population} jobs, think {job_class.think_time:.4g} {model.time_unit}"
        return Flow(job_class.name, load, stops, "think again")
    return Flow(job_class.name, f"arrive {job_class.arrival_rate:.5g}/{model.time_unit}", stops, "leave")


def _kind(station: qn.Queue | qn.Delay | qn.LoadDependent) -> str:
    if isinstance(station, qn.Queue):
        return "1 server" if station.servers == 1 else f"{station.servers} servers"
    return "delay" if isinstance(station, qn.Delay) else "load dependent"


def _duration(value: float, unit: str) -> str:
    """A time in the largest unit in which it is at least 1, microseconds at the least."""
    seconds = value * UNITS[unit]
    factor, name = next(((f, n) for f, n in ((1.0, "s"), (1e-3, "ms")) if seconds >= f), (1e-6, "µs"))
    return f"{seconds / factor:.4g} {name}"

"""What if buffers were larger: reads that no longer happen, with their waits and their CPU."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from qnsolve.errors import ModelError, suggestion
from qnsolve.model import checks
from qnsolve.zos.parts.work import Step
from qnsolve.zos.solve_system import System, only_system

from .changes import with_steps

READERS = ("open_cpu", "cpu", "qr_cpu", "jvm_cpu")  # where a step's CPU of a read is, the first that it has


def avoid_reads(
    system: System,
    device: str,
    share: float,
    *,
    cpu: float = 0.0,
    instead: Mapping[str, float] | None = None,
    work: Sequence[str] | None = None,
) -> System:
    """Larger buffers: a share of the reads from a device no longer happens.

    Parameters
    ----------
    system : System
    device : str
        Where the steps ask time for their reads.
    share : float
        Of those reads that find their page in memory afterwards [0..1].
    cpu : float, default 0
        CPU of a read over its time at the device [ratio]; it goes with the read.
    instead : mapping of device to float, optional
        Devices that the reads go to in place of it, a group buffer pool say: time there over the time here [ratio].
    work : sequence of str, optional
        Whose reads; those of all where left out.

    Raises
    ------
    ModelError
        Where no step reads there, or has less CPU than its reads take.

    Notes
    -----
    Each read saves as much as another: waits that fall with the reads beyond those for them are not in it.
    """
    system = only_system(system)
    part = checks.number("avoid_reads: share", share)
    if part > 1:
        raise ModelError("avoid_reads: share", "must lie within 0 and 1", "write a share", share)
    of_cpu = checks.number("avoid_reads: cpu", cpu)
    checks.text("avoid_reads: device", device)
    if not isinstance(instead or {}, Mapping):
        raise ModelError("avoid_reads: instead", "must be ratios by device", "write {'GBP': 0.1}", instead)
    others = {name: checks.number(f"avoid_reads: instead: {name}", ratio) for name, ratio in (instead or {}).items()}
    readers = [item.name for item in system.work if any(device in (step.devices or {}) for step in item.steps)]
    whose = readers if work is None else _works(system, work)
    if not readers or not set(whose) <= set(readers):
        asked = sorted({name for item in system.work for step in item.steps for name in step.devices or {}})
        raise ModelError("avoid_reads: device", "is asked by no step of that work", _repair(device, asked, readers), device)

    def less(step: Step) -> Step:
        times = dict(step.devices or {})
        if device not in times:
            return step
        saved = part * times[device]
        times[device] -= saved
        for name, ratio in others.items():
            times[name] = times.get(name, 0.0) + ratio * saved
        found = replace(step, devices={name: time for name, time in times.items() if time > 0})
        if not of_cpu * saved:
            return found
        key = next((key for key in READERS if getattr(step, key) >= of_cpu * saved * (1 - 1e-9)), None)
        if key is None:
            raise ModelError("avoid_reads: cpu", "must be less than a step has", "take the CPU of one read over its time", cpu)
        changes: dict[str, Any] = {key: max(getattr(step, key) - of_cpu * saved, 0.0)}
        return replace(found, **changes)

    for name in whose:
        system = with_steps(system, name, less)
    return system


def _works(system: System, given: Sequence[str]) -> tuple[str, ...]:
    """Names of works, each once."""
    if isinstance(given, str) or not isinstance(given, Sequence) or not given:
        raise ModelError("avoid_reads: work", "must be a list of names", "write ['orders']", given)
    known = [item.name for item in system.work]
    for name in given:
        if name not in known:
            raise ModelError("avoid_reads: work", "names no work of the system", suggestion(str(name), known), name)
    return tuple(dict.fromkeys(given))


def _repair(device: str, asked: Sequence[str], readers: Sequence[str]) -> str:
    return f"name its readers: {', '.join(readers)}" if readers else suggestion(device, asked)

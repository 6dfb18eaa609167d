"""How far each round goes: the slower a center, the fewer tasks come, so that a full step would go too far."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from qnsolve.numerics.series import Array

from .working import Working

LEAST = 0.03  # of a step
FAR = 1.0  # change in logs beyond which the first step is halved
SHORT = 1e-3  # of the time of a task: what its waits are measured from


@dataclass(frozen=True, eq=False)
class RoundTimes:
    """What a round starts from: times on CPs, at logs and devices, waits at limits, and speeds read off the hosts."""

    on_cps: Array
    lines: Array
    waits: Array
    speeds: list[dict[int, Array]]

    @classmethod
    def of(cls, work: Working) -> RoundTimes:
        """Those of a working state."""
        speeds = [{region: found.copy() for region, found in host.speeds.items()} for host in work.hosts]
        return cls(work.on_cps.copy(), work.line_time.copy(), work.pool_wait.copy(), speeds)


class RelaxedSteps:
    """Relaxed steps in logs, their length by the secant through the last two (B. Irons, R. Tuck 1969)."""

    def __init__(self) -> None:
        self.length = 1.0
        self.last: Array | None = None

    def take(self, work: Working, before: RoundTimes) -> None:
        """Go from the times before toward those just found."""
        own = work.ask.on_cps + work.off_cps + work.need.lines.sum(axis=1)
        floor = SHORT * np.maximum(own, SHORT * float(own.mean()))
        parts = (
            (before.on_cps, work.on_cps, floor),
            (before.lines, work.line_time, floor[:, None]),
            (before.waits, work.pool_wait, floor),
        )
        changes = [np.log((new + least) / (old + least)) for old, new, least in parts]
        spent = np.maximum(work.flow * (own + work.wait), 0.0)
        weight = np.sqrt(spent / max(float(spent.sum()), 1e-300))
        now = np.concatenate([changes[0] * weight, (changes[1] * weight[:, None]).ravel(), (changes[2] * weight).ravel()])
        if self.last is None:
            self.length = 1.0 if float(np.abs(now).sum()) < FAR else 0.5
        else:
            turn = now - self.last
            size = float(turn @ turn)
            if size > 0:
                self.length = float(np.clip(-self.length * float(self.last @ turn) / size, LEAST, 1.0))
        self.last = now
        if self.length >= 1.0:
            return
        part = self.length
        found = [
            np.where(change == 0, old, np.maximum((old + least) * np.exp(part * change) - least, 0.0))
            for (old, _, least), change in zip(parts, changes, strict=True)
        ]
        work.on_cps, work.line_time, work.pool_wait = found
        work.in_lines = work.line_time.sum(axis=1)
        for host, old in zip(work.hosts, before.speeds, strict=False):
            for region, new in host.speeds.items():
                if region in old:
                    size_ = min(len(old[region]), len(new))
                    mixed = old[region][:size_] ** (1 - part) * new[:size_] ** part
                    new[:size_] = np.where(np.isnan(mixed), new[:size_], mixed)

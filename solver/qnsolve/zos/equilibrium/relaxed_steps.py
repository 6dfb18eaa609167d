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
    """What a round found: times on CPs, of them at groups of servers, at logs and devices, waits at limits, and speeds.

    Waits are those at limits that are part of chains of the CPs.
    """

    on_cps: Array
    at_group: dict[int, Array]
    service: dict[int, float]
    lines: Array
    waits: Array
    speeds: list[dict[int, Array]]

    @classmethod
    def of(cls, work: Working, pools: list[int]) -> RoundTimes:
        """Those of a working state."""
        speeds = [{region: found.copy() for region, found in host.speeds.items()} for host in work.hosts]
        at = {pool: found.copy() for pool, found in work.at_group.items()}
        waits = np.zeros_like(work.pool_wait)
        waits[pools] = work.pool_wait[pools]
        return cls(work.on_cps.copy(), at, dict(work.service), work.line_time.copy(), waits, speeds)


class RelaxedSteps:
    """Relaxed steps in logs, their length by the secant through the last two (B. Irons, R. Tuck 1969)."""

    def __init__(self) -> None:
        self.length = 1.0
        self.last: Array | None = None
        self.before: RoundTimes | None = None

    def take(self, work: Working, pools: list[int]) -> None:
        """Go from the times before toward those just found; `pools` are the limits that are part of chains of the CPs."""
        before, now = self.before, RoundTimes.of(work, pools)
        if before is not None:
            self._go(work, before, now, pools)
        self.before = RoundTimes.of(work, pools)

    def _go(self, work: Working, before: RoundTimes, now: RoundTimes, pools: list[int]) -> None:
        own = work.ask.on_cps + work.off_cps + work.need.lines.sum(axis=1)
        floor = SHORT * np.maximum(own, SHORT * float(own.mean()))
        pairs = ((before.on_cps, now.on_cps), (before.lines, now.lines), (before.waits, now.waits))
        parts = tuple((old, new, least) for (old, new), least in zip(pairs, (floor, floor[:, None], floor), strict=True))
        changes = [np.log((new + least) / (old + least)) for old, new, least in parts]
        spent = np.maximum(work.flow * (own + work.wait), 0.0)
        weight = np.sqrt(spent / max(float(spent.sum()), 1e-300))
        all_ = np.concatenate([changes[0] * weight, (changes[1] * weight[:, None]).ravel(), (changes[2] * weight).ravel()])
        if self.last is None:
            self.length = 1.0 if float(np.abs(all_).sum()) < FAR else 0.5
        else:
            turn = all_ - self.last
            size = float(turn @ turn)
            if size > 0:
                self.length = float(np.clip(-self.length * float(self.last @ turn) / size, LEAST, 1.0))
        self.last = all_
        if self.length >= 1.0:
            return
        part = self.length
        found = [
            np.where(change == 0, old, np.maximum((old + least) * np.exp(part * change) - least, 0.0))
            for (old, _, least), change in zip(parts, changes, strict=True)
        ]
        work.on_cps, work.line_time = found[:2]
        work.pool_wait[pools] = found[2][pools]
        work.in_lines = work.line_time.sum(axis=1)
        for pool, new in now.at_group.items():
            old = before.at_group.get(pool, new)
            work.at_group[pool] = np.where((old > 0) & (new > 0), old ** (1 - part) * new**part, new)
            work.service[pool] = before.service.get(pool, now.service[pool]) ** (1 - part) * now.service[pool] ** part
        for host, seen in zip(work.hosts, before.speeds, strict=False):
            for region, speed in host.speeds.items():
                if region in seen:
                    size_ = min(len(seen[region]), len(speed))
                    mixed = seen[region][:size_] ** (1 - part) * speed[:size_] ** part
                    speed[:size_] = np.where(np.isnan(mixed), speed[:size_], mixed)

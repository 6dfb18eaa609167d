"""How far each round goes: the slower a center, the fewer tasks come, so that a full step would go too far."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from qnsolve.numerics.series import Array

from .working import Working

LEAST = 0.03  # of a step
NEAR = 0.01  # change in logs up to which no step is too long
FAR = 1.0  # change in logs beyond which the first step is halved
WIDER, NARROWER = 2.0, 0.5  # longest step over the one before, where the times go on and where they turn round
KEPT, TOLD = 5, 1e-3  # points of which changes are kept, and the least part of the largest one that is told from none
WORSE = 3.0  # a change over the least one before, from which on it is another map
SHORT = 1e-3  # of the time of a task: what its waits are measured from


@dataclass(frozen=True, eq=False)
class RoundTimes:
    """What a round starts from: times on CPs, at groups, at logs and devices, waits at limits, speeds read off the hosts.

    `gated` are the rates at which tasks come to the CPs out of full regions.
    """

    on_cps: Array
    groups: dict[int, Array]
    lines: Array
    waits: Array
    speeds: list[dict[int, Array]]
    gated: dict[int, Array]

    @classmethod
    def of(cls, work: Working, gated: dict[int, Array]) -> RoundTimes:
        """Those of a working state."""
        speeds = [{region: found.copy() for region, found in host.speeds.items()} for host in work.hosts]
        groups = {pool: at.copy() for pool, at in work.at_group.items()}
        return cls(work.on_cps.copy(), groups, work.line_time.copy(), work.pool_wait.copy(), speeds, dict(gated))


class StepLength:
    """Part of a change to go, by the secant through the last two (B. Irons, R. Tuck 1969).

    A step is at most twice as long as the one before, and half as long where the changes turn round.
    """

    def __init__(self) -> None:
        self.part = 1.0
        self.step = 0.0  # in logs
        self.last: Array | None = None

    def next(self, now: Array) -> float:
        """The part of a change `now`, of logs with the roots of their weights."""
        far = _far(now)
        if self.last is None:
            self.part = 1.0 if float(np.abs(now).sum()) < FAR else 0.5
        else:
            turn = now - self.last
            size = float(turn @ turn)
            if size > 0:
                part = -self.part * float(self.last @ turn) / size
                self.part = float(np.clip(part, LEAST, 1.0)) if part > 0 else 1.0  # the change grows: it is further on
            most = self.step * (WIDER if float(self.last @ now) > 0 else NARROWER)
            if far > NEAR:
                self.part = min(self.part, most / far)
        self.step, self.last = self.part * far, now
        return self.part


class SecantSteps:
    """Next points of a map from what the last few led to: where their changes cancel best (D. Anderson 1965).

    A step is at most twice as long as the one before. What came before a change that is much larger is forgotten.

    Examples
    --------
    Two numbers that change each other, three times as far as they are off:

    >>> steps, at = SecantSteps(), np.array([1.0, -2.0])
    >>> for _ in range(8):
    ...     at = steps.next(at, np.array([[-3.0, 1.0], [1.0, -3.0]]) @ at, np.ones(2))
    >>> bool(np.abs(at).max() < 1e-9)
    True
    """

    def __init__(self) -> None:
        self.seen: list[tuple[Array, Array]] = []  # what points led to, and the change
        self.step = 0.0

    def next(self, at: Array, found: Array, weight: Array) -> Array:
        """The next point, from the last one and what it led to, both of logs; the changes count by their weights."""
        change = found - at
        if self.seen and _far(weight * change) > WORSE * min(_far(weight * before) for _, before in self.seen):
            self.seen = []
        self.seen = [*self.seen[-KEPT + 1 :], (found, change)]
        step = change
        if len(self.seen) > 1:
            ends, changes = (np.array([each[i] for each in self.seen[:-1]]) for i in (0, 1))
            parts = np.linalg.lstsq((weight * (changes - change)).T, -weight * change, rcond=TOLD)[0]
            step = change + parts @ (ends - found)
        far = _far(weight * step)
        part = min(1.0, WIDER * self.step / far) if self.step and far > NEAR else 1.0
        self.step = max(part * far, NEAR)
        return np.asarray(at + part * step)


def _far(change: Array) -> float:
    return float(np.sqrt(change @ change))


class RelaxedSteps:
    """Relaxed steps in logs."""

    def __init__(self) -> None:
        self.length = StepLength()

    def take(self, work: Working, before: RoundTimes, gated: dict[int, Array]) -> None:
        """Go from the times before toward those just found."""
        own = work.ask.on_cps + work.off_cps + work.need.lines.sum(axis=1)
        floor = SHORT * np.maximum(own, SHORT * float(own.mean()))
        parts = (
            (before.on_cps, work.on_cps, floor),
            (before.lines, work.line_time, floor[:, None]),
            (before.waits, work.pool_wait, np.maximum(own, floor)),
        )
        changes = [np.log((new + least) / (old + least)) for old, new, least in parts]
        spent = np.maximum(work.flow * (own + work.wait), 0.0)
        weight = np.sqrt(spent / max(float(spent.sum()), 1e-300))
        now = np.concatenate([changes[0] * weight, (changes[1] * weight[:, None]).ravel(), (changes[2] * weight).ravel()])
        part = self.length.next(now)
        if part >= 1.0:
            return
        found = [
            np.where(change == 0, old, np.maximum((old + least) * np.exp(part * change) - least, 0.0))
            for (old, _, least), change in zip(parts, changes, strict=True)
        ]
        work.on_cps, work.line_time, work.pool_wait = found
        work.in_lines = work.line_time.sum(axis=1)
        for pool, at in work.at_group.items():
            if pool in before.groups:
                work.at_group[pool] = before.groups[pool] ** (1 - part) * at**part
        for region in gated.keys() & before.gated.keys():
            if len(gated[region]) == len(before.gated[region]):  # of as many places
                gated[region] = (1 - part) * before.gated[region] + part * gated[region]
        for host, old in zip(work.hosts, before.speeds, strict=False):
            for region, new in host.speeds.items():
                if region in old:
                    size_ = min(len(old[region]), len(new))
                    mixed = old[region][:size_] ** (1 - part) * new[:size_] ** part
                    new[:size_] = np.where(np.isnan(mixed), new[:size_], mixed)

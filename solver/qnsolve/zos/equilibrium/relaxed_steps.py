"""How far each round goes: the slower the CPs, the fewer tasks come, so that a full step would go too far."""

from __future__ import annotations

import numpy as np

from qnsolve.numerics.series import Array

from .working import Working

LEAST = 0.03  # of a step
FAR = 1.0  # change in logs beyond which the first step is halved


class RelaxedSteps:
    """Relaxed steps in logs, their length by the secant through the last two (B. Irons, R. Tuck 1969)."""

    def __init__(self) -> None:
        self.length = 1.0
        self.last: Array | None = None

    def take(self, work: Working, times: Array, speeds: list[dict[int, Array]], waits: Array) -> None:
        """Go from the old times, speeds and waits at limits toward those just found."""
        some = (times > 0) & (work.on_cps > 0)
        change = np.zeros(len(times))
        change[some] = np.log(work.on_cps[some] / times[some])
        weight = np.sqrt(work.flow * times / max(float(work.flow @ times), 1e-300))
        now = change * weight
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
        work.on_cps = np.where(some, times * np.exp(part * change), work.on_cps)
        work.pool_wait = waits + part * (work.pool_wait - waits)
        for host, old in zip(work.hosts, speeds, strict=False):
            for region, new in host.speeds.items():
                if region in old:
                    size_ = min(len(old[region]), len(new))
                    mixed = old[region][:size_] ** (1 - part) * new[:size_] ** part
                    new[:size_] = np.where(np.isnan(mixed), new[:size_], mixed)

"""The work left to do at the CPs of a host, whatever the order: open work that comes at rates leaves a known amount."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from qnsolve.numerics.series import Array, Places
from qnsolve.zos.compile.compiled import Pool
from qnsolve.zos.hosts.load import HostPoint, Load

from .host_load import PIECE
from .limits.product_form import line
from .working import Working

CLOSE = 1e-9  # of the work left to do


@dataclass(frozen=True, eq=False)
class _Center:
    """Pieces of one kind: their tasks, time alone and time, and CPU that each still has to do while there [s].

    `more` is the number of pieces of the CPU that does not grow with the work, all alike: alone, there, and the CPU of one.
    """

    pool: int | None
    tasks: Places
    flow: Array
    alone: Array
    time: Array
    left: Array
    more: tuple[float, float, float] = (0.0, 0.0, 0.0)

    @property
    def stretch(self) -> float:
        """Time over that alone, in the mean."""
        alone = float(self.flow @ self.alone) + self.more[0]
        return max((float(self.flow @ self.time) + self.more[1]) / alone, 1.0) if alone > 0 else 1.0

    @property
    def waiting(self) -> float:
        """Work left of the tasks there beyond that of tasks that nobody holds up [s]."""
        alone, there, each = self.more
        return float(self.flow @ ((self.time - self.alone) * self.left)) + (there - alone) * each


def conserve(work: Working, load: Load, point: HostPoint, times: Array) -> None:
    """Waits such that the work left to do at the CPs is what open work of any order leaves there.

    One engine that is never idle while work is there: with `C` the CPU of all rounds of a task, of the rate λ, the work
    left to do is λ·E C²/2/(1 - ρ) and what tasks between their rounds still have to do while it idles, which is taken as
    what they have at any time (so in a product form, for short pauses, and for long ones). It has to come to the CPs as it
    likes: what comes out of a full limit leaves less. Several engines: at least what
    they leave where no TCB holds work back, and what one as fast as all of them leaves of bursts. Each center is as a line
    whose load is off by one factor, the same for all: what waits long is known least.
    """
    need, ask, engines = work.need, work.ask, load.engines
    some = load.flow > 0
    flow = work.flow * some
    used = float(flow @ ask.on_cps) + load.fixed
    spins = float(flow @ (ask.qr_spin + ask.open_spin))  # a unit that spins takes CPs, and does no work
    apart = engines > 1 and bool(((need.rounds > 1) & some & (load.between > 0)).any())
    if used >= engines or spins > 0 or apart or engines < 1:
        return
    left = _left(work)
    centers = _centers(work, load, point, times, flow, left)
    bare = sum(float(c.flow @ (c.alone * c.left)) + c.more[0] * c.more[2] for c in centers)
    off = float(flow @ (ask.thread_off * left[Pool.THREADS]))  # on a thread, without a CP
    own, whole = bare - off, engines - used
    goal = max(own * line(used, engines) / used, (own + _of_bursts(work, load)) / whole - own)
    waiting = sum(c.waiting for c in centers)
    if waiting <= CLOSE * bare or (engines > 1 and goal <= waiting):
        return
    error = _error(centers, goal)
    for center in centers:
        scaled = center.alone + _factor(center, error) * (center.time - center.alone)
        times[center.tasks] += scaled - center.time
        if center.pool is not None:
            work.at_group[center.pool][center.tasks] = scaled


def _left(work: Working) -> dict[Pool | None, Array]:
    """CPU that a task still has to do while it is at a piece, this one included, in the mean of its rounds (T,) [s]."""
    ask, rounds = work.ask, work.need.rounds
    found: dict[Pool | None, Array] = {}
    left = (rounds - 1) / 2 * ask.on_cps / rounds
    for kind, cpu in ((Pool.THREADS, ask.threads), (None, ask.cpu), (Pool.QR, ask.qr), (Pool.RO, ask.ro)):
        left = left + cpu / rounds
        found[kind] = left
    return found


def _centers(
    work: Working, load: Load, point: HostPoint, times: Array, flow: Array, left: dict[Pool | None, Array]
) -> list[_Center]:
    """TCBs, threads, and free pieces."""
    free, found = times.copy(), []
    for group in load.groups:
        tasks, at = group.tasks, work.at_group[group.pool]
        free -= at
        alone = group.alone * work.need.rounds[tasks]
        found.append(_Center(group.pool, tasks, flow[tasks], alone, at[tasks], left[group.kind][tasks]))
    more = load.fixed, load.fixed * point.free, PIECE
    alone = load.free * work.need.rounds * (load.flow > 0)
    return [*found, _Center(None, np.arange(len(flow)), flow, alone, np.maximum(free, alone), left[None], more)]


def _of_bursts(work: Working, load: Load) -> float:
    """Work that bursts leave on top of their own: each of their tasks finds half the others before it [s]."""
    found = 0.0
    for burst in load.bursts:
        rate, share = float(load.coming.rate[0, burst.work]), float(burst.first.sum())
        each = float(burst.first @ work.ask.on_cps) / share
        found += rate * share * burst.mates(share) * each**2 / 2
    return found


def _factor(center: _Center, error: float) -> float:
    """Wait over what it was, as that of a line whose load is more by that part: with 1/(1 - u) = stretch, u·(1 + error)."""
    return (1 + error) / max(1 - error * (center.stretch - 1), CLOSE)


def _error(centers: list[_Center], goal: float) -> float:
    """The part by which all loads are off: with it as much work is left to do as is to be."""
    low, high = -1.0, 1 / max(max(c.stretch for c in centers) - 1, CLOSE)
    for _ in range(60):
        middle = (low + high) / 2
        waiting = sum(_factor(c, middle) * c.waiting for c in centers)
        low, high = (middle, high) if waiting < goal else (low, middle)
    return low

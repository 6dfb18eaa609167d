"""The work left to do at the CPs of a host, whatever the order: work that comes at rates leaves a known amount."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from qnsolve.numerics.series import Array, Places
from qnsolve.zos.compile.compiled import PIECE, Pool
from qnsolve.zos.hosts.host_view import HostView
from qnsolve.zos.hosts.limited.product_form import line
from qnsolve.zos.hosts.load import HostPoint, Load

from .working import Working

CLOSE = 1e-9  # of the work left to do
LEFT = 0.2  # of the work left of centers that chains of three numbers do not have, that is left of it at least
FEWER = 0.03  # of what is left of a center, that tasks there keep users from asking for, from which on users are no rate


@dataclass(frozen=True)
class WorkLeft:
    """Work left to do at the CPs.

    Attributes
    ----------
    waiting : float
        Beyond that of tasks that nobody holds up [s].
    known : float
        How much it is known [0..1]: 1 where it follows from what comes.
    """

    waiting: float = 0.0
    known: float = 0.0

    def less(self, higher: WorkLeft) -> WorkLeft:
        """That of one importance, from that of all down to it and that of `higher` ones: a small part is known less."""
        left, known = self.waiting - higher.waiting, min(self.known, higher.known)
        return WorkLeft(left, max(1 - (1 - known) * self.waiting / left, 0.0)) if left > 0 and known > 0 else WorkLeft()


@dataclass(frozen=True, eq=False)
class Center:
    """Pieces of one kind: their tasks, time alone and time, and CPU that each still has to do while there [s].

    `more` is the number of pieces of the CPU that does not grow with the work, all alike: alone, there, and the CPU of one;
    `mates` are others of its burst that a task comes with, in the mean. `before` is what each waits for the `limit` of the
    region, where that holds tasks at a TCB back.
    """

    pool: int | None
    tasks: Places
    flow: Array
    alone: Array
    time: Array
    left: Array
    more: tuple[float, float, float] = (0.0, 0.0, 0.0)
    mates: float = 0.0
    limit: int = -1
    before: Array | float = 0.0

    @property
    def spent(self) -> Array:
        """Time with that before the limit [s]."""
        return np.asarray(self.time + self.before)

    @property
    def stretch(self) -> float:
        """Time over that alone, in the mean."""
        alone = float(self.flow @ self.alone) + self.more[0]
        return max((float(self.flow @ self.spent) + self.more[1]) / alone, 1.0) if alone > 0 else 1.0

    @property
    def of_load(self) -> float:
        """Of the stretch, what comes of the load, not of others of a burst: M[X]/M/1 is (1 + mates/2)/(1 - u)."""
        return max(self.stretch / (1 + self.mates / 2), 1.0)

    @property
    def least(self) -> float:
        """Tasks that would be there were there no waits, and all of the CPU that does not grow with the work [count]."""
        return float(self.flow @ self.alone) + self.more[1]

    @property
    def waits(self) -> float:
        """How many more of them are there [count]."""
        return float(self.flow @ (self.spent - self.alone))

    @property
    def waiting(self) -> float:
        """Work left of the tasks there beyond that of tasks that nobody holds up [s]."""
        alone, there, each = self.more
        return float(self.flow @ ((self.spent - self.alone) * self.left)) + (there - alone) * each


def conserve(work: Working, load: Load, point: HostPoint, times: Array) -> WorkLeft:
    """Waits such that the work left to do at the CPs is what open work of any order leaves there; and what is left.

    One engine that is never idle while work is there: with `C` the CPU of all rounds of a task, of the rate λ, the work
    left to do is λ·E C²/2/(1 - ρ) and what tasks between their rounds still have to do while it idles, which is taken as
    what they have at any time (so in a product form, for short pauses, and for long ones). It has to come to the CPs as it
    likes: what comes out of a full limit leaves less. Users do so as far as `as_open` says. Several engines: at least what
    they leave where no TCB holds work back, and what one as fast as all of them leaves of bursts. Each center
    is as a line whose load is off by one factor, the same for all: what waits long is known least. Those that are sure stay.
    """
    need, ask, engines = work.need, work.ask, load.engines
    some = load.flow > 0
    flow = work.flow * some
    used = float(flow @ ask.on_cps) + load.fixed
    apart = engines > 1 and bool(((need.rounds > 1) & some & (load.between > 0)).any())
    if used >= engines or apart or engines < 1 or (engines > 1 and not load.coming.steady):
        return WorkLeft()
    left = left_to_do(work, load)
    centers = centers_of(work, load, point, times, flow, left)
    bare = sum(float(c.flow @ (c.alone * c.left)) + c.more[0] * c.more[2] for c in centers) + _left_of_spins(load, flow)
    off = float(flow @ (ask.thread_off * left[Pool.THREADS]))  # on a thread, without a CP
    own, alone = bare - off, max(used - _called(load), CLOSE)
    goal = max(own * line(alone, engines) / alone, (own + _of_bursts(work, load)) / (engines - alone) - own)
    waiting = sum(c.waiting for c in centers)
    known = of_rates = as_open(work, load, times)
    if known < 1 and (fewer := _fewer(work, load, point, centers)) is not None:
        spare = max(1 - alone, CLOSE)
        goal, known = own / (spare + fewer[0]) - own, max(known, (spare / (spare + fewer[1])) ** 2)
    goal = waiting + known * (goal - waiting)
    left_over = WorkLeft(goal, of_rates) if engines == 1 else WorkLeft()
    if waiting <= CLOSE * bare or (engines > 1 and goal <= waiting):
        return left_over
    unsure = [c for c, its in zip(centers, [*point.groups, None], strict=True) if its is None or not its.sure]
    theirs = sum(c.waiting for c in unsure)
    if goal - (waiting - theirs) > LEFT * theirs:  # what is left to those says more of them
        goal, centers = goal - (waiting - theirs), unsure
    error = _error(centers, goal)
    scale(work, centers, [_factor(center, error) for center in centers], times)
    return left_over


def _fewer(work: Working, load: Load, point: HostPoint, centers: list[Center]) -> tuple[float, float] | None:
    """Share of one CP that users who are there do not ask for: while work is left, and at any time; None where not known.

    With `S` the CPU of a transaction, and `A` the time of its user elsewhere, the work left to do V has 1 - ρ of itself and
    Σ S/A·Cov(V, tasks of users there) to make up for what comes: the balance of V². How much both swing together is
    that of the chains.
    """
    form, some, need = work.form, load.flow > 0, work.need
    again = ((need.rounds > 1) & some & (load.between > 0)).any()
    if load.engines != 1 or load.bursts or load.called is not None or again or (form.tick > 0).any() or not load.groups:
        return None
    here, cpu = (np.bincount(form.work, form.visits * its * some, len(form.rate)) for its in (work.on_cps, work.ask.on_cps))
    away = np.maximum(work.cycle - here, CLOSE)
    asked = np.where(form.users > 0, cpu / away, 0.0)[form.work]
    number = [c.flow * c.time for c in centers]
    left = [float(n @ c.left) for n, c in zip(number, centers, strict=True)]
    whole, everyone = sum(left), sum(float(n.sum()) for n in number)
    found, others, always = 0.0, np.zeros(2), 0.0
    for its, center, n, own in zip(point.groups, centers, number, left, strict=False):
        if its.swings is None or whole <= 0:
            return None
        mine, theirs = np.array([own, whole - own]) @ its.swings / whole  # over both means
        missed = float(n @ asked[center.tasks])
        found, always = found + mine * missed, always + missed
        others += np.array([theirs, 1.0]) / max(everyone - float(n.sum()), 1e-300)  # the more the free pieces are of them
    missed = float(number[-1] @ asked)
    found += others[0] / max(others[1], 1e-300) * missed
    return max(found, 0.0), always + missed


def _left_of_spins(load: Load, flow: Array) -> float:
    """What is left of requests that spin, beside all the CPU of their tasks that is still to come [s]."""
    return float(flow @ load.spin_squares.sum(axis=0)) / 2 if load.spin_squares.size else 0.0


def _called(load: Load) -> float:
    """Of the work at the CPs, what comes only while there are CPs for lower importance: on one that none is before it."""
    return 0.0 if load.called is None else float((HostView(load).cpu() * load.flow) @ load.called.share)


def scale(work: Working, centers: list[Center], factors: list[float], times: Array) -> None:
    """Waits at some centers so many times as long."""
    for center, factor in zip(centers, factors, strict=True):
        scaled = center.alone + factor * (center.time - center.alone)
        times[center.tasks] += scaled - center.time
        if center.pool is not None:
            work.at_group[center.pool][center.tasks] = scaled
        if center.limit >= 0:
            work.pool_wait[center.limit, center.tasks] *= factor


def as_open(work: Working, load: Load, times: Array) -> float:
    """How much users come as if at rates [0..1]: all of it where they are many and think long.

    A share of them is at the host and does not come meanwhile. That counts the more the less is left of a center.
    """
    if load.coming.steady:
        return 1.0
    form, flow = work.form, work.flow * (load.flow > 0)
    uses = [float(load.flow[group.tasks] @ group.alone) / group.servers for group in load.groups]
    fullest = max((float(flow @ work.ask.on_cps) + load.fixed) / load.engines, *uses, 0.0)
    here = np.bincount(form.work, flow * times, len(form.users))
    asked = np.bincount(form.work, flow * work.ask.on_cps, len(form.users))
    share = np.divide(here, form.users, out=np.zeros(len(here)), where=form.users > 0)
    fewer = float(asked @ share) / max(float(asked.sum()), 1e-300)
    return max(1 - fewer / max(1 - fullest, CLOSE) / FEWER, 0.0)


def left_to_do(work: Working, load: Load, again: Array | float = 1.0) -> dict[Pool | None, Array]:
    """CPU that a task still has to do while it is at a piece, this one included, in the mean of its rounds (T,) [s].

    With that of the tasks that it calls on the host, and of those called after it: they do not come of themselves. Of its later
    rounds so much counts as follows at once, `again` (T,).
    """
    ask, rounds = work.ask, work.need.rounds
    found: dict[Pool | None, Array] = {}
    left = ((rounds - 1) / 2 * again + rounds * (load.in_a_row - 1) / 2) * ask.on_cps / rounds
    if load.calls.size:
        calls, whole = load.calls * load.rounds[:, None], ask.on_cps
        for _ in range(work.depth):
            whole = ask.on_cps + calls @ whole
        left = left + whole - ask.on_cps
    found[Pool.LIMIT] = left + ask.on_cps / rounds
    for kind, cpu in ((Pool.THREADS, ask.threads), (None, ask.cpu), (Pool.QR, ask.qr), (Pool.RO, ask.ro)):
        left = left + cpu / rounds
        found[kind] = left
    return found


def centers_of(
    work: Working, load: Load, point: HostPoint, times: Array, flow: Array, left: dict[Pool | None, Array],
    limits: dict[int, int] | None = None,
) -> list[Center]:  # fmt: skip
    """TCBs, threads, and free pieces; with waits for the `limits` of some regions, pools by region, at their QR TCBs."""
    free, found = times.copy(), []
    mates = np.zeros(len(flow))
    for burst in load.bursts:
        mates[burst.first > 0] = burst.mates(float(burst.first.sum()))
    for group in load.groups:
        tasks, at = group.tasks, work.at_group[group.pool]
        free -= at
        alone = (group.alone - group.off * (group.kind is Pool.LIMIT)) * load.rounds[tasks]  # inside a limit: on CPs
        kind = None if group.of_users else group.kind
        limit = (limits or {}).get(group.region, -1) if group.kind is Pool.QR else -1
        before = work.pool_wait[limit, tasks] if limit >= 0 else 0.0
        found.append(Center(group.pool, tasks, flow[tasks], alone, at[tasks], left[kind][tasks], limit=limit, before=before))
    more = load.fixed, load.fixed * point.free, PIECE
    alone = (load.free + load.spin) * load.rounds * (load.flow > 0)
    return [
        *found,
        Center(None, np.arange(len(flow)), flow, alone, np.maximum(free, alone), left[None], more, _mean(mates, flow * alone)),
    ]


def _mean(values: Array, weight: Array) -> float:
    """Mean of some values by weights; 0 where there are none."""
    return float(values @ weight) / max(float(weight.sum()), 1e-300)


def _of_bursts(work: Working, load: Load) -> float:
    """Work that bursts leave on top of their own: each of their tasks finds half the others before it [s]."""
    found = 0.0
    for burst in load.bursts:
        rate, share = float(load.coming.rate[0, burst.work]), float(burst.first.sum())
        each = float(burst.first @ work.ask.on_cps) / share
        found += rate * share * burst.mates(share) * each**2 / 2
    return found


def _factor(center: Center, error: float) -> float:
    """Wait over what it was, as that of a line whose load is more by that part: with 1/(1 - u) = stretch, u·(1 + error)."""
    return (1 + error) / max(1 - error * (center.of_load - 1), CLOSE)


def _error(centers: list[Center], goal: float) -> float:
    """The part by which all loads are off: with it as much work is left to do as is to be."""
    low, high = -1.0, 1 / max(max(c.of_load for c in centers) - 1, CLOSE)
    for _ in range(60):
        middle = (low + high) / 2
        waiting = sum(_factor(c, middle) * c.waiting for c in centers)
        low, high = (middle, high) if waiting < goal else (low, middle)
    return low

"""One limit shared by classes with unlike times inside: the region as holding times, and the composition chain."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial

import numpy as np
from numpy.typing import NDArray

from qnsolve.errors import SaturatedError
from qnsolve.methods.arrays import Arrays
from qnsolve.methods.job_process import entry_requests
from qnsolve.methods.measures import Admission, Measures
from qnsolve.methods.product_form.subnetwork import Part, part
from qnsolve.numerics.series import Array

from .departure_variation import regularity
from .outside_subnetwork import LimitLayout, Outside
from .unlike.unlike_works import LimitWaits, unlike_waits

Index = NDArray[np.intp]
ROUNDS = 12  # of the mix of classes inside, where there are users
SETTLED = 1e-6  # change of a share of the throughput
ALIKE = 1.05  # ratio of the times inside of open classes up to which the wait is that of equal ones
FREE = 0.8  # speed of a job in the full region from which the jobs inside hardly wait for each other
BESIDE = 1.5  # the same beside few users, whose own line is then more important


@dataclass(frozen=True)
class _Inside:
    """The region at one mix of classes.

    Attributes
    ----------
    part : Part
        At every number of jobs of the mean class.
    demand : ndarray (K,)
        Of the mean job [time].
    hold, second, third : ndarray (R,)
        Time inside a full region, over its mean stretch, and its moments as `unlike_waits` takes them.
    speed : ndarray (capacity + 1,)
        Of each job, over that of one alone.
    """

    part: Part
    demand: Array
    hold: Array
    second: Array
    third: Array
    speed: Array


def applies(arrays: Arrays, plan: LimitLayout, many: bool) -> bool:
    """Whether one limit holds all classes, no user queues outside, and the times of open ones differ or jobs are `many`."""
    some = np.concatenate(plan.axes) if plan.axes else np.zeros(0, dtype=np.intp)
    if len(some) < 2 or not all(len(cap.classes) == len(plan.axes) for cap in plan.caps):
        return False
    closed = np.flatnonzero(arrays.closed & (np.nan_to_num(arrays.population) > 0))
    queues = np.array([s is not None for s in arrays.speeds]) & ~plan.inside
    if (arrays.demand[np.ix_(closed, np.flatnonzero(queues))] > 0).any():
        return False
    if arrays.population[some[arrays.closed[some]]].sum() <= min(cap.capacity for cap in plan.caps) and arrays.is_closed:
        return False
    streams = some[~arrays.closed[some]]
    times = (arrays.demand[streams] * plan.inside).sum(axis=1)
    return many or (len(streams) > 1 and bool(times.max() > (ALIKE if len(streams) == len(some) else BESIDE) * times.min()))


def shared_limit(arrays: Arrays, plan: LimitLayout, crowded: bool) -> Measures | None:
    """Measures of a network whose classes share one limit; None for users that wait much for each other inside.

    The region is solved for a mean class at every number of jobs inside; each class has its own
    holding time in it, by its demands and the stretch at each station of the full region.

    Parameters
    ----------
    crowded : bool
        Whether users that wait for each other inside are taken too; there classes merged into one are as good.

    Raises
    ------
    SaturatedError
        Where the open classes need more than the full region passes.
    """
    some = np.sort(np.concatenate(plan.axes))
    capacity = min(cap.capacity for cap in plan.caps)
    demand = arrays.demand[some] * plan.inside
    closed = arrays.closed[some]
    users = np.where(closed, np.nan_to_num(arrays.population[some]), 0.0)
    rate = np.where(closed, 0.0, np.nan_to_num(arrays.arrival_rate[some]))
    away = np.where(closed, np.nan_to_num(arrays.think_time[some]) + (arrays.demand[some] - demand).sum(axis=1), 0.0)
    x = np.where(closed, users / (away + demand.sum(axis=1)), rate)
    for _ in range(ROUNDS if closed.any() else 1):
        inside = _inside(arrays, plan, capacity, demand, arrays.random_visits[some], x / x.sum())
        if closed.any() and not crowded and inside.speed[-1] < FREE:
            return None
        found = unlike_waits(capacity, users, rate, away, inside.hold, inside.second, inside.third, inside.speed)
        if np.isinf(found.wait).any():
            raise _saturated(arrays, plan, some, rate, inside, capacity)
        moved = float(np.abs(found.throughput / found.throughput.sum() - x / x.sum()).max())
        x = found.throughput
        if moved < SETTLED:
            break
    return _measures(arrays, plan, some, demand, away, inside, found, capacity)


def _inside(arrays: Arrays, plan: LimitLayout, capacity: int, demand: Array, visits: Array, mix: Array) -> _Inside:
    mean = mix @ demand
    whole = part([capacity], mean[None, :], arrays.speeds)
    n = np.arange(1, capacity + 1)
    speed = np.append(1.0, whole.throughput[0, 1:] * mean.sum() / n)
    full = whole.queue_length[0, :, capacity]
    stretch = np.divide(full, whole.throughput[0, capacity] * mean, out=np.ones(len(mean)), where=mean > 0)
    stretch /= float(mean @ stretch) / mean.sum()
    stays = demand * stretch
    hold = stays.sum(axis=1)
    spread = 1 - (stays**2).sum(axis=1) / hold**2
    way = np.array([regularity(d[plan.inside], v[plan.inside]) for d, v in zip(demand, visits, strict=True)])
    variation = np.maximum(1 - way * spread * min(1.0, float(speed[-1])), 0.0)
    second = hold**2 * (1 + variation) / 2
    third = hold**3 * (1 + variation) * (1 + 2 * variation) / 6
    return _Inside(whole, mean, hold, second, third, speed)


def _saturated(arrays: Arrays, plan: LimitLayout, some: Index, rate: Array, inside: _Inside, capacity: int) -> SaturatedError:
    passed = float(inside.part.throughput[0, capacity])
    r = int(rate.argmax())
    highest = max(0.0, passed - float(rate.sum() - rate[r]))
    place = min(range(len(plan.caps)), key=lambda i: plan.caps[i].capacity)
    repair = f"its highest stable rate is about {highest:.6g}/{arrays.model.time_unit}"
    name = arrays.model.classes[int(some[r])].name
    return SaturatedError(arrays.model.limits[place].name, float(rate.sum()) / passed, highest, repair, name)


def _measures(
    arrays: Arrays,
    plan: LimitLayout,
    some: Index,
    demand: Array,
    away: Array,
    inside: _Inside,
    found: LimitWaits,
    capacity: int,
) -> Measures:
    present = found.present()
    lengths = inside.part.queue_length[0] @ present
    total = float(inside.part.throughput[0] @ present)
    stretch = np.divide(lengths, total * inside.demand, out=np.ones(len(lengths)), where=inside.demand > 0)
    solo = np.where(plan.inside, arrays.solo, 1.0)
    stay = demand * np.maximum(stretch, 1 / solo)
    wait = found.wait + _more(arrays, some, demand, away, stay.sum(axis=1), found.wait, capacity)
    outside = Outside(arrays, plan)
    x, q = np.zeros(len(arrays.demand)), outside.open.queue_length.copy()
    x[~arrays.closed] = arrays.arrival_rate[~arrays.closed]
    others = arrays.closed & (np.nan_to_num(arrays.population) > 0)
    cycle = np.nan_to_num(arrays.think_time) + arrays.demand.sum(axis=1)
    x[others] = arrays.population[others] / np.where(cycle > 0, cycle, 1.0)[others]
    closed = some[arrays.closed[some]]
    x[closed] = (arrays.population[some] / (away + stay.sum(axis=1) + wait))[arrays.closed[some]]
    q[arrays.closed] = x[arrays.closed, None] * arrays.demand[arrays.closed]
    q[np.ix_(some, np.flatnonzero(plan.inside))] = (x[some, None] * stay)[:, plan.inside]
    waiting, delayed = np.zeros(len(x)), np.zeros(len(x))
    waiting[some], delayed[some] = x[some] * wait, found.delayed
    residence = np.divide(q, x[:, None], out=np.full(q.shape, np.nan), where=x[:, None] > 0)
    least = [cap.capacity == capacity for cap in plan.caps]
    first = least.index(True)
    lines = tuple(found.lengths() if i == first else np.ones(1) for i in range(len(least)))
    admission = Admission(
        outside=waiting,
        delayed=delayed,
        inside=np.full(len(least), float((x[some, None] * stay).sum())),
        waiting=np.where(np.arange(len(least)) == first, float(waiting.sum()), 0.0),
        full=np.where(least, found.full, 0.0),
        lines=lines,
        requests=entry_requests(arrays),
    )
    return Measures(x, q, residence, partial(_distribution, plan, inside, present, outside), admission=admission)


def _more(arrays: Arrays, some: Index, demand: Array, away: Array, stay: Array, wait: Array, capacity: int) -> Array:
    """Wait of users beyond that of the chain, so that neither servers nor places are taken by more than there are."""
    closed = arrays.closed[some]
    rate = np.where(closed, 0.0, np.nan_to_num(arrays.arrival_rate[some]))
    users = np.where(closed, np.nan_to_num(arrays.population[some]), 0.0)
    top = np.where(np.isnan(arrays.top), np.inf, arrays.top)

    def over(more: float) -> bool:
        x = np.where(closed, users / np.where(closed, away + stay + wait + more, 1.0), rate)
        return bool((x @ demand > top).any() or x @ stay > capacity)

    if not closed.any() or not over(0.0):
        return np.zeros(len(some))
    low, high = 0.0, float((wait + stay).max())
    while over(high) and high < 1e6 * float((away + stay + wait).max()):
        low, high = high, 2 * high
    for _ in range(200):
        middle = (low + high) / 2
        if not low < middle < high:
            break
        low, high = (middle, high) if over(middle) else (low, middle)
    return np.where(closed, high, 0.0)


def _distribution(plan: LimitLayout, inside: _Inside, present: Array, outside: Outside, k: int) -> Array:
    if plan.inside[k]:
        return inside.part.distribution(present, k)
    return outside.open.distribution(k)

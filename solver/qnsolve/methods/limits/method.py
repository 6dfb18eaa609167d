"""Admission limits by flow equivalence: the region solved at every population, then the chain of jobs inside and waiting."""

from __future__ import annotations

import math
from dataclasses import replace
from functools import partial

import numpy as np
from numpy.typing import NDArray

from qnsolve.errors import NoMethodError, SaturatedError
from qnsolve.methods.arrays import Arrays
from qnsolve.methods.entry import Method, check_stable, in_words, not_product_form, occupied, uneven
from qnsolve.methods.job_process import entry_requests
from qnsolve.methods.measures import Admission, Measures
from qnsolve.methods.product_form import method as exact
from qnsolve.methods.product_form.subnetwork import Part, part
from qnsolve.numerics.series import Array

from .departure_variation import regularity, steadiness
from .entry_order import Cap, Region
from .grouped_chain import grouped
from .limited_region import Limited, limited
from .merged_classes import merge_classes
from .nested_limits import Inner, Mask, active, innermost, reduced, with_inner
from .outside_subnetwork import LimitLayout, Outside
from .shared_limit import applies, shared_limit

POINTS = 2_000_000  # states of the jobs inside and waiting
APART = 500_000  # states of closed jobs up to which classes under the same limits are kept separate
STATES = 100_000  # of them in the chain
WORK = 1e10  # products of the chain: some 10 seconds
ROUNDING = 1e-10  # relative difference of a throughput from that of its cycle time
EDGE = 1e-13  # probability of the last state of an open class


def _covers(arrays: Arrays) -> list[Mask]:
    """The stations at which each limit applies to each class, shape (R, K)."""
    model, covers = arrays.model, []
    for limit in model.limits:
        classes = np.array([limit.classes is None or c.name in limit.classes for c in model.classes])
        stations = np.array([limit.stations is None or s.name in limit.stations for s in model.stations])
        members = classes & active(arrays)
        covers.append((arrays.demand > 0) & members[:, None] & stations)
    return covers


def _plan(arrays: Arrays, covers: list[Mask]) -> LimitLayout | Inner | str:
    """The layout for a model with limits, or why it is refused: one region, or an innermost part first."""
    model, visits = arrays.model, arrays.demand > 0
    inside: Mask = np.asarray(np.any([cover.any(axis=0) for cover in covers], axis=0))
    members: list[Mask] = [np.asarray(cover.any(axis=1)) for cover in covers]
    if any((cover != (visits & inside & held[:, None])).any() for cover, held in zip(covers, members, strict=True)):
        return innermost(arrays, covers)
    groups: dict[tuple[object, ...], list[int]] = {}
    for r in np.flatnonzero(active(arrays) & (visits & inside).any(axis=1)):
        under = tuple(bool(cover[r].any()) for cover in covers)
        groups.setdefault(("open", *under) if not arrays.closed[r] else ("closed", int(r)), []).append(int(r))
    axes = [np.array(group) for group in groups.values()]
    caps = [
        Cap(limit.capacity, tuple(a for a, axis in enumerate(axes) if cover[axis[0]].any()))
        for limit, cover in zip(model.limits, covers, strict=True)
    ]
    sets = [set(cap.classes) for cap in caps]
    for i, (own, limit) in enumerate(zip(sets, model.limits, strict=True)):
        if any(own & other and not (own <= other or other <= own) for other in sets[:i]):
            return f"limit {limit.name!r}: shares some classes with another limit, but neither is within the other"
    return LimitLayout(axes, inside, caps)


def _refuses(arrays: Arrays) -> str:
    if not arrays.model.limits:
        return "for models with admission limits only"
    reason = not_product_form(arrays, limits=True) or uneven(arrays)
    if reason:
        return reason
    plan = _plan(arrays, _covers(arrays))
    if isinstance(plan, str):
        return plan
    if isinstance(plan, Inner):
        small, _ = reduced(arrays, plan, active(arrays).astype(float))
        return _refuses(small) if small.model.limits else _exact(small)[1]
    outside = (arrays.demand > 0) & ~plan.inside
    both = outside[arrays.closed].any(axis=0) & outside[~arrays.closed].any(axis=0)
    if both.any():
        name = arrays.model.stations[int(both.argmax())].name
        return f"station {name!r}: has open and closed classes outside the limits"
    together = _together(arrays, plan)
    if together is None or applies(arrays, plan, many=True):
        return ""
    if len(together) == len(arrays.model.classes) and _points(arrays, plan) > POINTS:
        return f"{in_words(_points(arrays, plan))} states of the jobs inside and waiting are too many; lower the populations"
    return ""


def _points(arrays: Arrays, plan: LimitLayout) -> int:
    """States of the closed jobs inside and waiting."""
    return math.prod(int(arrays.population[axis[0]]) + 1 for axis in plan.axes if arrays.closed[axis[0]])


def _together(arrays: Arrays, plan: LimitLayout) -> list[list[int]] | None:
    """The classes to merge, where the states of all of them are too many; None where they are not."""
    if _points(arrays, plan) <= APART:
        return None
    groups: dict[tuple[object, ...], list[int]] = {}
    for r, job_class in enumerate(arrays.model.classes):
        under = tuple(x.classes is None or job_class.name in x.classes for x in arrays.model.limits)
        alike = arrays.closed[r] and arrays.population[r] > 0
        groups.setdefault(under if alike else ("alone", r), []).append(r)
    return list(groups.values())


def _exact(arrays: Arrays) -> tuple[Method | None, str]:
    """The exact method for a network without limits, or why there is none."""
    reasons = [method.refuses(arrays) for method in exact.METHODS]
    accepting = [method for method, reason in zip(exact.METHODS, reasons, strict=True) if not reason]
    return (accepting[0], "") if accepting else (None, reasons[-1])


def _solve(arrays: Arrays) -> Measures:
    if not arrays.model.limits:
        method, reason = _exact(arrays)
        if method is None:
            raise NoMethodError({"limits": reason})
        return method.run(arrays)
    if not arrays.is_closed:
        check_stable(arrays)
    plan = _plan(arrays, _covers(arrays))
    if isinstance(plan, Inner):
        return with_inner(arrays, plan, _solve)
    assert isinstance(plan, LimitLayout)
    if not plan.axes:  # no job ever waits
        free = _solve(replace(arrays, model=replace(arrays.model, limits=())))
        none, never = np.zeros(len(free.throughput)), np.zeros(len(plan.caps))
        lines = tuple(np.ones(1) for _ in plan.caps)
        return replace(free, admission=Admission(none, none, never, never, never, lines, none))
    together = _together(arrays, plan)
    merges = together is not None and len(together) < len(arrays.model.classes)
    if applies(arrays, plan, many=together is not None) and (shared := shared_limit(arrays, plan, not merges)) is not None:
        return shared
    if together is not None and len(together) < len(arrays.model.classes):
        return merge_classes(arrays, together, _solve)
    outside = Outside(arrays, plan)
    most = [
        int(arrays.population[axis[0]]) if arrays.closed[axis[0]] else 2 * _room(plan, a) for a, axis in enumerate(plan.axes)
    ]
    demand = np.array([_share(arrays, axis) @ arrays.demand[axis] * plan.inside for axis in plan.axes])
    while True:
        region = Region(most, plan.caps)
        if region.n.shape[1] > POINTS:
            raise NoMethodError({"limits": f"{region.n.shape[1]:,} states of the jobs inside and waiting are too many"})
        within = part(region.room, demand, arrays.speeds)
        found = limited(region, within, outside.arrivals(region), outside.low, STATES, WORK)
        longer = _longer(arrays, plan, found, most)
        if longer == most:
            return _measures(arrays, plan, found, within, outside)
        most = longer


def _room(plan: LimitLayout, a: int) -> int:
    return max(10, min((cap.capacity for cap in plan.caps if a in cap.classes), default=10))


def _share(arrays: Arrays, axis: NDArray[np.intp]) -> Array:
    """Share of each class in the jobs of its axis."""
    if arrays.closed[axis[0]]:
        return np.ones(1)
    rates = arrays.arrival_rate[axis]
    return rates / rates.sum()


def _longer(arrays: Arrays, plan: LimitLayout, found: Limited, most: list[int]) -> list[int]:
    """The lengths of the axes, longer where the probabilities of an open one are cut."""
    longer = list(most)
    for a, axis in enumerate(plan.axes):
        if arrays.closed[axis[0]]:
            continue
        p = found.p.sum(axis=tuple(b for b in range(found.p.ndim) if b != a))
        if p[-1] <= EDGE:
            continue
        ratio = (p[-1] / p[-4]) ** (1 / 3)
        rate, passed = float(arrays.arrival_rate[axis].sum()), float(found.edge[a])
        if ratio > 0.9999 or passed <= rate:
            r = int(axis[arrays.arrival_rate[axis].argmax()])
            name = next((x.name for x, cap in zip(arrays.model.limits, plan.caps, strict=True) if a in cap.classes), "")
            highest = max(0.0, passed - rate + float(arrays.arrival_rate[r]))
            repair = f"its highest stable rate is about {highest:.6g}/{arrays.model.time_unit}"
            raise SaturatedError(name, rate / passed, highest, repair, arrays.model.classes[r].name)
        longer[a] = most[a] + max(4, math.ceil(1.05 * math.log(EDGE / p[-1]) / math.log(ratio)))
    return longer


def _measures(arrays: Arrays, plan: LimitLayout, found: Limited, within: Part, outside: Outside) -> Measures:
    x, q = np.zeros(len(arrays.demand)), outside.open.queue_length.copy()
    waiting, delayed = np.zeros(len(x)), np.zeros(len(x))
    x[~arrays.closed] = arrays.arrival_rate[~arrays.closed]
    for a, axis in enumerate(plan.axes):
        share = _share(arrays, axis)
        demand = share[:, None] * arrays.demand[axis]
        total = demand.sum(axis=0)
        q[axis] += np.where(plan.inside, found.queue_length[a] * demand / np.where(total > 0, total, 1.0), 0.0)
        steadier = 1.0 if arrays.closed[axis[0]] else _steadier(arrays, plan, found, within, a)
        waiting[axis] = share * steadier * max(0.0, found.wanting[a] - found.inside[a])
        delayed[axis] = found.delayed[a]
        if arrays.closed[axis[0]]:
            x[axis] = found.throughput[a]
    states = outside.states(found.p)
    if outside.part is not None:
        lengths = outside.part.queue_length[:, :-1]
        q[outside.closed] += lengths.reshape(*lengths.shape[:2], -1) @ states.ravel()
        flows = outside.part.throughput.reshape(len(outside.closed), -1) @ states.ravel()
    else:
        flows = np.zeros(len(outside.closed))
    for r in set(outside.closed.tolist()) - {int(axis[0]) for axis in plan.axes}:
        z = arrays.think_time[r]
        x[r] = flows[outside.place[r]] if outside.part is not None else arrays.population[r] / z
    residence = np.divide(q, x[:, None], out=np.full(q.shape, np.nan), where=x[:, None] > 0)
    x, waiting = _in_balance(arrays, x, residence, waiting)
    q = np.where(x[:, None] > 0, x[:, None] * np.nan_to_num(residence), q)
    random = np.maximum(found.wanting - found.inside, 0.0)
    shorter = [
        sum(waiting[plan.axes[a]].sum() for a in cap.classes) / (random[list(cap.classes)].sum() or 1.0) for cap in plan.caps
    ]
    line = [part * float(np.arange(len(p)) @ p) for part, p in zip(shorter, found.lines, strict=True)]
    admission = Admission(waiting, delayed, found.held, np.array(line), found.full, found.lines, entry_requests(arrays))
    distribution = partial(_distribution, arrays, plan, found, within, outside, states)
    return Measures(x, q, residence, distribution, admission=admission)


def _in_balance(arrays: Arrays, x: Array, residence: Array, waiting: Array) -> tuple[Array, Array]:
    """Throughputs and jobs that wait, by the times of each class: X = N/(Z + R + wait), and no server more than busy.

    What a chain with long steps leaves of these laws is less than its error.
    """
    some = arrays.closed & (x > 0)
    wait = np.divide(waiting, x, out=np.zeros(len(x)), where=some)
    cycle = np.nan_to_num(arrays.think_time) + np.nan_to_num(residence).sum(axis=1) + wait
    new = np.where(some, arrays.population / np.where(some, cycle, 1.0), x)
    if (np.abs(new - x) <= ROUNDING * x).all():
        return x, waiting
    over = float((new @ arrays.demand / np.where(np.isnan(arrays.top), np.inf, arrays.top)).max())
    if over > 1:
        fewer = np.where(some, new / over, new)
        with np.errstate(divide="ignore", invalid="ignore"):
            wait = wait + np.where(some, arrays.population * (1 / fewer - 1 / new), 0.0)
        new = fewer
    return new, np.where(some, new * wait, waiting)


def _steadier(arrays: Arrays, plan: LimitLayout, found: Limited, within: Part, a: int) -> float:
    """Wait of open jobs over that with Poisson departures from a full region."""
    box = np.indices(found.within.shape)
    full = np.any([box[list(c.classes)].sum(axis=0) >= c.capacity for c in plan.caps if a in c.classes], axis=0)
    p = found.within * full
    if not p.sum() > 0:
        return 1.0
    demand = np.array([_share(arrays, axis) @ arrays.demand[axis] * plan.inside for axis in plan.axes])
    way = [regularity(arrays.demand[r][plan.inside], arrays.random_visits[r][plan.inside]) for r in plan.axes[a]]
    lengths, rates = (np.tensordot(values, p, p.ndim) for values in (within.queue_length, within.throughput))
    return steadiness(lengths, rates, demand, float(_share(arrays, plan.axes[a]) @ np.array(way)))


def _distribution(
    arrays: Arrays, plan: LimitLayout, found: Limited, within: Part, outside: Outside, states: Array, k: int
) -> Array:
    if plan.inside[k]:
        return within.distribution(found.within, k)
    if outside.part is not None and arrays.demand[outside.closed, k].any():
        return outside.part.distribution(states, k)
    return outside.open.distribution(k)


def _run(arrays: Arrays) -> Measures:
    """The measures: by the chain with ordered queues where that matters and is small."""
    several = len(occupied(arrays)) > 1 or isinstance(_plan(arrays, _covers(arrays)), Inner)
    return (grouped(arrays) if several else None) or _solve(arrays)


METHODS = (Method("limits", _run, False, _refuses, "admission limits, flow equivalence", "Lazowska1984"),)

"""Limits on different stations: the innermost limited part becomes one flow-equivalent station."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial

import numpy as np
from numpy.typing import NDArray

from qnsolve.errors import ConvergenceError
from qnsolve.methods.arrays import Arrays, from_network
from qnsolve.methods.job_process import entry_requests
from qnsolve.methods.measures import Admission, Measures
from qnsolve.methods.product_form.subnetwork import Part, part
from qnsolve.model.admission_limit import AdmissionLimit
from qnsolve.model.network import Network
from qnsolve.model.station_types import LoadDependent
from qnsolve.numerics.series import Array

Mask = NDArray[np.bool_]
ROUNDS = 50
SETTLED = 1e-9  # change of the classes' shares of the throughput


@dataclass(frozen=True)
class Inner:
    """An innermost limited part: the same limit for all jobs that come there.

    Attributes
    ----------
    limits : list of int
        Its limits in the model.
    stations : ndarray (K,) of bool
    capacity : int
    """

    limits: list[int]
    stations: Mask
    capacity: int


def innermost(arrays: Arrays, covers: list[Mask]) -> Inner | str:
    """An innermost part, or why there is none.

    Parameters
    ----------
    covers : list of ndarray (R, K) of bool
        The stations at which each limit applies to each class.
    """
    places: list[Mask] = [np.asarray(cover.any(axis=0)) for cover in covers]
    for i in sorted(range(len(covers)), key=lambda i: int(places[i].sum())):
        name, here = arrays.model.limits[i].name, places[i]
        if not here.any():
            continue
        for other in places:
            if (here & other).any() and (here & ~other).any():
                return f"limit {name!r}: shares stations with another limit, but neither is within the other"
        if not (covers[i] == ((arrays.demand > 0) & here & active(arrays)[:, None])).all():
            return f"limit {name!r}: lies within another limit, but not for all classes at its stations"
        same = [j for j, other in enumerate(covers) if (other == covers[i]).all()]
        if any((places[j] == here).all() and j not in same for j in range(len(covers))):
            return f"limit {name!r}: lies within another limit, but not for all classes at its stations"
        return Inner(same, here, min(arrays.model.limits[j].capacity for j in same))
    raise ValueError("a model without limits")


def active(arrays: Arrays) -> Mask:
    """Classes with jobs, shape (R,)."""
    found: Mask = np.where(arrays.closed, arrays.population, arrays.arrival_rate) > 0
    return found


def reduced(arrays: Arrays, inner: Inner, mix: Array, stay: Array | None = None) -> tuple[Arrays, Part]:
    """The network with the part as one load-dependent station; and the part.

    Parameters
    ----------
    mix : ndarray (R,)
        Throughputs of the jobs that come there, in proportion.
    stay : ndarray (R,), optional
        Time of a job of each class there, admission wait included, in proportion;
        its demand by default.
    """
    model = arrays.model
    demand = arrays.demand * inner.stations
    mean = mix @ demand / mix.sum()
    inside = part([inner.capacity], mean[None, :], arrays.speeds)
    name = " + ".join(s.name for s, here in zip(model.stations, inner.stations, strict=True) if here)
    stay = demand.sum(axis=1) if stay is None else stay
    stay = stay * (mean.sum() * mix.sum() / (mix @ stay))
    kept = [s for s, here in zip(model.stations, inner.stations, strict=True) if not here]
    classes = []
    for r, c in enumerate(model.classes):
        needs = {s.name: c.demand(s.name) for s in kept if c.demand(s.name) > 0}
        classes.append(replace(c, demands={**needs, name: float(stay[r])}, visits=None, service_times=None))
    limits = [_moved(x, name, inner, model) for i, x in enumerate(model.limits) if i not in inner.limits]
    rates = (inside.throughput[0, 1:] * mean.sum()).tolist()
    return from_network(Network([*kept, LoadDependent(name, rates=rates)], classes, limits, time_unit=model.time_unit)), inside


def _moved(limit: AdmissionLimit, name: str, inner: Inner, model: Network) -> AdmissionLimit:
    if limit.stations is None:
        return limit
    gone = {s.name for s, here in zip(model.stations, inner.stations, strict=True) if here}
    kept = [station for station in limit.stations if station not in gone]
    return replace(limit, stations=[*kept, name] if len(kept) < len(limit.stations) else kept)


def with_inner(arrays: Arrays, inner: Inner, solve: Callable[[Arrays], Measures]) -> Measures:
    """Solve the reduced network repeatedly, until its throughputs and waits are those used for the reduction.

    Parameters
    ----------
    solve : callable
        Arrays of the reduced network to Measures.

    Raises
    ------
    ConvergenceError
    """
    demand = arrays.demand * inner.stations
    busy = active(arrays) & demand.any(axis=1)
    times = entry_requests(arrays, inner.limits)
    guess = np.where(arrays.closed, arrays.population / (np.nan_to_num(arrays.think_time) + arrays.demand.sum(axis=1)), 0.0)
    mix = np.where(arrays.closed, guess, np.nan_to_num(arrays.arrival_rate)) * busy
    stay = demand.sum(axis=1)
    for round_ in range(1, ROUNDS + 1):
        small, inside = reduced(arrays, inner, mix, stay)
        found = solve(small)
        line, lengths, p = _inside(inner, inside, found, len(small.model.stations) - 1)
        new = found.throughput * busy
        served = new @ demand
        stretch = np.maximum(np.where(served > 0, lengths / np.where(served > 0, served, 1.0), 1.0), 1.0)
        now = (demand @ stretch + times * (line @ np.arange(len(line)) / (new @ times))) * busy
        moved = max(_apart(new, mix), _apart(now * new, stay * new))
        mix, stay = new, now
        if moved < SETTLED:
            return _expanded(arrays, inner, inside, found, mix[:, None] * demand * stretch, line, p, round_)
    raise ConvergenceError(f"method limits: the waits at {small.model.stations[-1].name!r} did not converge", moved)


def _apart(new: Array, old: Array) -> float:
    return float(np.abs(new / new.sum() - old / old.sum()).max())


def _inside(inner: Inner, inside: Part, found: Measures, k: int) -> tuple[Array, Array, Array]:
    """P(j wait for admission), the jobs at each station of the part, P(j inside or waiting)."""
    p = found.distribution(k)
    states = np.minimum(np.arange(len(p)), inner.capacity)
    line = np.asarray(np.bincount(np.arange(len(p)) - states, weights=p), dtype=float)
    return line, inside.queue_length[0][:, states] @ p, p


def _expanded(
    arrays: Arrays, inner: Inner, inside: Part, found: Measures, at: Array, line: Array, p: Array, rounds: int
) -> Measures:
    """Measures of the whole network: jobs at the part's station are `at` its stations (R, K), or wait for admission."""
    there = found.queue_length[:, -1]
    own = found.throughput[:, None] * arrays.demand * inner.stations
    extra = (at - own).sum(axis=1)
    share = np.clip(np.divide(there - own.sum(axis=1), extra, out=np.ones(len(there)), where=extra > 0), 0.0, 1.0)
    at = own + (at - own) * share[:, None]  # share is 1 but for rounding
    q = np.zeros(arrays.demand.shape)
    q[:, ~inner.stations] = found.queue_length[:, :-1]
    q += at
    waiting = np.maximum(there - at.sum(axis=1), 0.0)
    waiting[waiting < 1e-14 * there] = 0.0
    x = found.throughput
    residence = np.divide(q, x[:, None], out=np.full(q.shape, np.nan), where=x[:, None] > 0)
    left = p * inside.throughput[0, np.minimum(np.arange(len(p)), inner.capacity)]  # arrivals by state
    late = float(left[inner.capacity + 1 :].sum() / left.sum())
    full = float(p[inner.capacity :].sum())
    held = float(np.minimum(np.arange(len(p)), inner.capacity) @ p)
    outer = found.admission
    number = len(arrays.model.limits)
    old = [i for i in range(number) if i not in inner.limits]
    place = {i: j for j, i in enumerate(old)}

    def every(own: float, others: Array | None) -> Array:
        return np.array([own if others is None or i not in place else others[place[i]] for i in range(number)])

    admission = Admission(
        outside=waiting + (0.0 if outer is None else outer.outside),
        delayed=_share_delayed(arrays, inner, late, outer),
        inside=every(held, None if outer is None else outer.inside),
        waiting=every(float(waiting.sum()), None if outer is None else outer.waiting),
        full=every(full, None if outer is None else outer.full),
        lines=tuple(line if outer is None or i not in place else outer.lines[place[i]] for i in range(number)),
        requests=entry_requests(arrays),
    )
    distribution = partial(_distribution, arrays, inner, inside, p, found)
    return Measures(x, q, residence, distribution, rounds + found.iterations, found.notes, admission)


def _share_delayed(arrays: Arrays, inner: Inner, late: float, outer: Admission | None) -> Array:
    """Share of each class's requests that wait: at the part, at the limits around it, and at both."""
    others = [i for i in range(len(arrays.model.limits)) if i not in inner.limits]
    asked, to_part, to_rest = entry_requests(arrays), entry_requests(arrays, inner.limits), entry_requests(arrays, others)
    both = to_part + to_rest - asked
    other = np.zeros(len(asked)) if outer is None else outer.delayed
    delayed = to_part * late + to_rest * other - both * late * other
    return np.divide(delayed, asked, out=np.zeros(len(asked)), where=asked > 0)


def _distribution(arrays: Arrays, inner: Inner, inside: Part, p: Array, found: Measures, k: int) -> Array:
    if not inner.stations[k]:
        return found.distribution(int((~inner.stations[:k]).sum()))
    states = np.bincount(np.minimum(np.arange(len(p)), inner.capacity), weights=p, minlength=inner.capacity + 1)
    return inside.distribution(np.asarray(states, dtype=float), k)

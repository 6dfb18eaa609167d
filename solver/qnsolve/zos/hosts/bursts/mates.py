"""Tasks of one burst: what they wait for each other, at servers that they come to together and at processors."""

from __future__ import annotations

from math import erfc, exp, pi, sqrt

import numpy as np

from qnsolve.numerics.series import Array, Places
from qnsolve.zos.hosts.host_view import HostView
from qnsolve.zos.hosts.load import GroupPoint, HostPoint, Load

FAR = 20.0  # standard deviations from which on a server that is full has no part in how many are there
LITTLE = 1e-6  # of a spin, the CPU before it at least
STEPS = 21  # of the place of a task among those of its burst
FULL = 0.98  # load of a server up to which its tasks are taken as open ones


def shared_times(load: Load, k: int, point: HostPoint, spin_squares: Array, users: Array, last: float = 0.0) -> Array:
    """Time of each task of a group that shares its server, one visit [s].

    Parameters
    ----------
    load : Load
    k : int
        The group.
    point : HostPoint
    spin_squares : ndarray (n,)
        Squares of the times that a task spins, added up [s²].
    users : ndarray (W,)
        Of each work, 0 where it has a rate.
    last : float, optional
        How slow a task is that is there for long, over alone; 0 where that is not known.

    Notes
    -----
    Pieces `p` are as long as the processors make them in the mean; the rest of what the chain of the group has is shared in
    proportion. Those whose burst is on the processors too have longer ones.
    """
    group, its, flow = load.groups[k], point.groups[k], load.flow[load.groups[k].tasks]
    times: Array = group.alone * its.stretch * its.uneven
    some = (flow > 0) & (group.cpu + group.spin > 0)
    if not (load.bursts or group.spin.any()) or not some.any():
        return times
    rate, spin = flow[some], group.spin[some]
    cpus = np.maximum(group.cpu[some], LITTLE * spin)  # where all is spin none is next to none
    cpu, whole = float(rate @ cpus), float(rate @ group.alone[some])
    piece = cpus * max((its.service * whole - float(rate @ spin)) / cpu, 1.0)
    mates = mates_of(load, k)[np.ix_(some, some)]
    limited = group.region in load.held and mates.any()
    if limited:  # as many of its mates are inside as of all
        mates = mates * its.number / max(its.number + its.outside, 1e-300)
    mean = float(rate @ (piece + spin)) / float(rate.sum())
    alike = mean * (1 + float(rate @ mates.sum(axis=1)) / float(rate.sum()) / 2) / (1 - min(float(rate @ (piece + spin)), FULL))
    none = np.zeros(len(rate))
    unlike = among(piece + spin, none, none, rate, mates)
    if limited or its.unit is not None:  # its chain has as many as there are of unlike ones
        alike = float(rate @ unlike) / float(rate.sum())
    uneven = among((piece + spin) * _beside(load, k, point)[some], none, none, rate, mates) if load.bursts else unlike
    if its.first is not None and last > 0:
        number = its.number * float(rate @ unlike) / float(rate.sum()) / alike
        uneven = _by_first(number, rate, cpus + spin, mates, (its.first[some], last), unlike)
    stretched = its.stretch * whole / float(rate.sum())
    alone = among(piece, spin, spin_squares[some], rate, mates) - unlike  # what it is worth that a spin is not shared
    shared = (uneven * float(rate @ unlike) / float(rate @ uneven) + alone) * stretched / alike
    if spin.any() and users.any():  # of users it changes how many are there in all by less, and as much whose they are
        squares, use = float(rate @ (piece + spin) ** 2), min(float(rate @ (piece + spin)), 1.0)
        more = 1 + use * float(rate @ spin_squares[some]) / 2 / squares
        less = 1 - _of_users(rate, times[some], load.work[group.tasks][some], users, mean, more)
        shared *= 1 - less * float(rate @ alone) / float(rate @ (unlike + alone))
    times[some] = shared * np.broadcast_to(its.uneven, len(flow))[some]
    times[some] = np.maximum(times[some], group.alone[some])
    return times


def _by_first(number: float, rate: Array, piece: Array, mates: Array, slow: tuple[Array, float], known: Array) -> Array:
    """Times of tasks that share a server, given how many are there, and how `slow` each is at first, and at last.

    As `among` has it without spins, where others on the CPs slow all of them, and most while many are there: one who comes
    finds that at first, and is as slow as beside no bursts if it is there for long. What tasks of a burst wait for each other
    makes the number right. `known` are times that say whose they are.
    """
    first, last = slow
    there = rate * known * number / float(rate @ known)
    near = piece / (piece[:, None] + piece)  # of those of a kind, while a task is there
    more = (first - 1) / max(number, 1e-300)
    kept = (1 - 1 / last) / float(rate @ piece)
    slower = 1 / (1 - kept * ((1 - near) @ (rate * piece)))
    times = piece * np.maximum((1 + more * (near @ there)) * slower, 1.0)
    extra = piece * slower * (near * mates).sum(axis=1)
    left = number - float(rate @ times)
    if left < 0 or not extra.any():
        return known
    return times + extra * left / float(rate @ extra)


def _of_users(rate: Array, times: Array, work: Places, users: Array, piece: float, more: float) -> float:
    """Effect of pieces that vary more, by a factor of their variance and that of what comes, over that where all come at rates.

    The more of the users are at a server the fewer come: its number is as a diffusion that is drawn to where as many
    come as it serves, and does not fall below 0.
    """
    number, pull = rate * times, 0.0
    for w in np.unique(work).tolist():
        mine = work == w
        if users[w]:
            away = max(float(users[w] - number[mine].sum()), 0.01 * float(users[w]))
            pull += float(number[mine].sum() / number.sum() * rate[mine].sum()) / away
    if pull <= 0 or more <= 1:
        return 1.0
    coming = float(rate.sum())
    center = float(number.sum()) - (1 / piece - coming) / pull

    def mean(factor: float) -> float:
        wide = sqrt(coming * factor / pull)
        at = center / wide
        if at < -FAR:
            return wide / -at
        return center + wide * exp(-(at**2) / 2) / sqrt(2 * pi) / (erfc(-at / sqrt(2)) / 2)

    return (1 - mean(more) / mean(1.0)) / (1 - more)


def among(piece: Array, spin: Array, squares: Array, rate: Array, mates: Array, meets: Array | float = 1.0) -> Array:
    """Times of tasks that share one server and come at rates, each with mates by kind (n, n).

    Along its piece it spins for `v` in all, and has the server alone each time. With exponential pieces `p`, it takes in the
    mean a time a_i + Σ_j b_ij·n_j beside n_j others of each kind, whatever their numbers, as follows from what one
    step does [Fayolle1980]: b_ij = d_i·(1 + v_j/p_j)·p_i·p_j/(p_i + p_j), a_i = d_i·(p_i + v_i) and
    1/d_i = 1 - Σ_j λ_j·b_ij/d_i. The others are those who are there in the mean, and those of its burst; where one
    of them spins when it comes, it waits for the rest of that. `squares` are those of all its spins, added up; `meets` is
    the share of others of each kind that are there when it is (n, n).
    """
    rate = rate * min(1.0, FULL / float(rate @ (piece + spin)))
    both = piece[:, None] + piece
    pairs = piece[:, None] * np.divide(piece + spin, both, out=np.zeros_like(both), where=both > 0) * meets
    slower = 1 / (1 - pairs @ rate)
    weight = slower[:, None] * pairs
    own = slower * (piece + spin + float(rate @ squares) / 2) + (weight * mates).sum(axis=1)
    return np.asarray(np.linalg.solve(np.eye(len(own)) - weight * rate, own))


def mates_of(load: Load, k: int) -> Array:
    """Others of its burst that come to a group with each task, by task (n, n)."""
    tasks = load.groups[k].tasks
    found = np.zeros((len(tasks), len(tasks)))
    if not load.bursts:
        return found
    view = HostView(load)
    for burst in load.bursts:
        first = view.begins(k, burst)
        found += (first > 0)[:, None] * np.array([burst.mates(float(share)) for share in first])
    return found


def stretches(load: Load, k: int, its: GroupPoint) -> Array:
    """Time of each task of a group of servers on the processors, over alone (n,), as bursts find each other there.

    The chain has one stretch for all of them. What shared processors add to a piece is told apart as on one that is as fast
    as all: pieces of a burst are slowed by those that come with them, a long one by what of them is there in the mean.
    """
    group, flow = load.groups[k], load.flow[load.groups[k].tasks]
    piece, found = group.cpu + group.spin, np.full(len(flow), its.service)
    some, mates = (flow > 0) & (piece > 0), mates_of(load, k)
    if not mates.any() or its.service <= 1:
        return found
    view, count = HostView(load), int(some.sum())
    rate = np.append(flow[some], view.others_flow(k))
    each, inside = np.append(piece[some], view.piece(k)) / load.engines, np.zeros((count + 1, count + 1))
    inside[:-1, :-1] = mates[np.ix_(some, some)] * min(its.busy / max(its.number, 1e-300), 1.0)
    more = among(each, np.zeros(count + 1), np.zeros(count + 1), rate, inside)[:-1] / each[:-1] - 1
    rate, each = rate[:-1], each[:-1]
    mean = float(rate * each @ more) / float(rate @ each)
    if mean > 0:
        found[some] = 1 + (its.service - 1) * more / mean
    return found


def limit_waits(load: Load, k: int, its: GroupPoint, inside: Array) -> Array:
    """What bursts make each task wait for a server of a group, over what they do by its chain in the mean (n,).

    Those of a burst stand behind others of it, too. The chain has all tasks there for as long as in the mean: where those of
    bursts are `inside` (n,) for less [s], others find them there the less often.
    """
    group, flow = load.groups[k], load.flow[load.groups[k].tasks]
    mates = mates_of(load, k).max(axis=1, initial=0.0)
    steps = np.linspace(0.0, 1.0, STEPS)[:, None]
    before = its.levels + 1 - group.servers + (steps * mates)[:, :, None]  # none to all of them stand before one
    found = (np.maximum(before, 0.0) @ its.full).mean(axis=0)
    moved = flow * mates
    if not min(flow @ found, flow @ inside, moved.sum()) > 0:
        return np.ones(len(flow))
    mean, all_ = float(flow @ found) / float(flow.sum()), float(flow @ inside) / float(flow.sum())
    shorter = float(moved @ inside) / float(moved.sum()) / all_
    return np.asarray(found / mean * np.where(mates > 0, 1.0, min(shorter, 1.0)))


def _beside(load: Load, k: int, point: HostPoint) -> Array:
    """How much longer the processors make the pieces of each task of a group while others of its burst are on them."""
    chains, tasks = HostView(load), load.groups[k].tasks
    ready = units_ready(load, point) - point.groups[k].busy
    found = np.ones(len(tasks))
    for burst in load.bursts:
        more, free = 0.0, burst.first.copy()
        for i, (group, its) in enumerate(zip(load.groups, point.groups, strict=True)):
            there = chains.comes_first(i)
            free[there] = 0.0
            mates = burst.mates(float(burst.first[there].sum())) if i != k else 0.0
            idle = max(group.servers - its.busy, 0.0)
            more += idle * mates / (idle + mates) if mates else 0.0
        more += burst.mates(float(free.sum())) / 2
        slow = max(1.0, (ready + 1 + more) / load.engines) / max(1.0, (ready + 1) / load.engines)
        found *= np.where(chains.begins(k, burst) > 0, slow, 1.0)
    return found


def units_ready(load: Load, point: HostPoint) -> float:
    """Units of work on the processors in the mean."""
    found = (load.fixed + float(load.flow @ (load.free + load.spin))) * point.free
    for group, its in zip(load.groups, point.groups, strict=True):
        found += float(load.flow[group.tasks] @ (group.alone - group.off)) * its.service
    return found

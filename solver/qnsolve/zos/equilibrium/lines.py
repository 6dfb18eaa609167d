"""Waits at logs and devices with servers."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from qnsolve.numerics.level_chain import StiffChainError
from qnsolve.numerics.series import Array, Places
from qnsolve.zos.compile.compiled import UNLIMITED, Pool
from qnsolve.zos.hosts.chains.birth_death import UserSource, crowd_at_most

from .limits.limits import Limits
from .limits.unlike_answers import UnlikeAnswers
from .working import Working

MOST = 100_000  # servers that are counted
UNLIKE = 1.02  # (1 + C²)/2 of the pieces from which on kinds of them are told apart
LITTLE = 1e-6  # wait over a piece that is as good as none


class _Comers(NamedTuple):
    """Kinds of work that come to a line.

    Attributes
    ----------
    work : ndarray of int (K,)
    users : ndarray (K,)
        Who come to it, 0 of work that comes at a rate.
    rate : ndarray (K,)
        Visits [1/s].
    away : ndarray (K,)
        From the end of a visit of a user to the next [s].
    first, second, third : ndarray (K,)
        E[S], E[S²]/2 and E[S³]/6 of their pieces, each an exponential time [s, s², s³].
    """

    work: Places
    users: Array
    rate: Array
    away: Array
    first: Array
    second: Array
    third: Array


class Lines:
    """All logs and devices, each a birth-death chain of the tasks there; where pieces are unlike a chain of two phases."""

    def __init__(self, work: Working, limits: Limits) -> None:
        self._work, self._limits = work, limits
        self._unlike = UnlikeAnswers(work)

    def solve(self) -> None:
        """Times of tasks there, as they come now."""
        work, form, need = self._work, self._work.form, self._work.need
        for pool in np.flatnonzero(np.isin(form.pool_kind, [Pool.LOG, Pool.DEVICE])).tolist():
            tasks = np.flatnonzero(need.lines[:, pool] > 0)
            if len(tasks) and form.pool_size[pool] != UNLIMITED:
                work.line_time[tasks, pool] = need.lines[tasks, pool] + self._waits(pool, tasks)
        self._limits.own.apply(hosts=False)
        work.in_lines = work.line_time.sum(axis=1)

    def _waits(self, pool: int, tasks: Places) -> Array:
        """What a task waits at a line, in all its rounds (n,)."""
        work, need = self._work, self._work.need
        visits, service = work.flow[tasks] * need.rounds[tasks], need.lines[tasks, pool] / need.rounds[tasks]
        mean = float(visits @ service) / float(visits.sum())
        kinds = self._kinds(pool, tasks, visits, service)
        servers = min(int(work.form.pool_size[pool]), MOST)
        there = visits * work.line_time[tasks, pool] / need.rounds[tasks]
        sources = []
        for w, users, away, hold in zip(kinds.work, kinds.users, kinds.away, kinds.first / mean, strict=True):
            if users > 0:
                share = there[work.form.work[tasks] == w].sum() / there.sum()
                sources.append(UserSource(float(users), float(share), float(away), float(hold)))
        stream, streams = float(kinds.rate[kinds.users == 0].sum()), work.form.users[work.form.work[tasks]] == 0
        hold = float(visits @ (service * streams)) / max(float(visits @ streams), 1e-300) / mean
        speed = np.minimum(np.arange(servers + 1.0), servers) / mean
        alike, load = crowd_at_most(stream, sources, speed, servers, 1.0, hold, alike=True)
        work.overloaded(pool, load)
        mixed = float(visits @ service**2) / float(visits.sum()) / mean**2
        wait = np.full(len(tasks), mixed * alike.wait)
        known = servers == 1 and not kinds.users.any()  # F. Pollaczek (1930), A. Khinchin (1932)
        if mixed > UNLIKE and alike.wait > LITTLE * mean and load < 1 and not known:
            wait = self._of_unlike(pool, servers, kinds, wait, work.form.work[tasks])
        return wait * _visits(work, tasks, pool, np.maximum(1 - alike.wait / np.maximum(wait, 1e-300), 0.0))

    def _kinds(self, pool: int, tasks: Places, visits: Array, service: Array) -> _Comers:
        """Who comes to a line."""
        work, form, need, limits = self._work, self._work.form, self._work.need, self._limits
        held = work.line_time[tasks, pool] / need.rounds[tasks]
        works, of = np.unique(form.work[tasks], return_inverse=True)
        times = [np.bincount(of, visits * service**n) / np.bincount(of, visits) for n in (1, 2, 3)]
        found = []
        for w in works.tolist():
            mine = form.work[tasks] == w
            each = float((form.visits[tasks] * need.rounds[tasks])[mine].sum())
            room = limits.room(tasks[mine], w) if form.users[w] or not limits.own.shortens(pool) else np.inf
            users, rate = float(form.users[w] or np.inf), float(work.rate[w]) * each
            if users == np.inf == room:
                found.append((0.0, rate, 1.0))
                continue
            time = float(visits[mine] @ held[mine]) / float(visits[mine].sum())
            away = work.cycle[w] / each - time
            if room < users:  # comes out of regions at their limits: no more than they hold, while these are full
                users = min(room * limits.varying_there(tasks[mine]), users)
                away = max(users / max(rate, 1e-300) - time, 1e-3 * time)
            found.append((users, rate, max(float(away), 1e-9 * time)))
        return _Comers(works, *np.array(found).T, *times)

    def _of_unlike(self, pool: int, servers: int, kinds: _Comers, plain: Array, work: Places) -> Array:
        """The wait of each piece, of some `work`, where they are unlike (n,); `plain` by their variation alone."""
        try:
            found = self._unlike.of(pool, servers, kinds[1:]).wait
        except StiffChainError:
            return plain
        return found[np.searchsorted(kinds.work, work)] if np.isfinite(found).all() else plain


def _visits(work: Working, tasks: Places, pool: int, more: Array) -> Array:
    """How often a task waits at a line that it comes to in each of its rounds (n,); `more` of the wait is by unlike pieces.

    What unlike pieces make more wait is one long piece: a round that follows soon finds it still there, or gone.
    """
    need, rounds = work.need, work.need.rounds[tasks]
    mean = need.lines[tasks, pool] / rounds
    visits = work.flow[tasks] * rounds
    met = _met(visits, mean)
    gap = (work.on_cps[tasks] + work.off_cps[tasks] - work.line_time[tasks, pool]) / rounds
    others = 1 + (rounds - 1) * gap / (gap + met)
    return np.asarray(rounds * (1 - more) + others * more)


def _met(visits: Array, service: Array) -> float:
    """Service of a piece that one who comes finds at work [s]."""
    return float(visits @ service**2) / max(float(visits @ service), 1e-300)

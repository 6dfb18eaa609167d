"""A system at the loads of many intervals; of very many the ones between solved loads are interpolated, with the error."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from qnsolve.errors import SaturatedError
from qnsolve.numerics.series import Array
from qnsolve.zos.compile.compiled import compiled
from qnsolve.zos.compile.needs import needs
from qnsolve.zos.hosts.chains.birth_death import FullPoolError
from qnsolve.zos.hosts.demands import at_rest, demands
from qnsolve.zos.parts.work import Work
from qnsolve.zos.point.capacity import capacity
from qnsolve.zos.point.solved import SolvedPoint, solved_point
from qnsolve.zos.point.utilization import center_loads
from qnsolve.zos.solve_system import System

from .day_loads import DayLoads
from .solved_loads import CAPPED, SolvedLoads

SOLVED = 300  # distinct loads that are solved each; of more so many, and the rest by those near them
PROBES = 24  # interpolated loads that are solved as well, to measure the error
NEIGHBOURS = 4  # solved loads beyond one a class that an interpolation takes
CAPACITIES = 6  # overloaded loads whose capacity is sought
NEAR_FULL, EMPTY = 0.4, 0.02  # weight of how full a system is among what sets loads apart; the least that is free
LITTLE = 1e-4  # of the mean load: that of work that has none


class SystemLoads:
    """Solves a system at loads of its work."""

    def __init__(self, system: System, loads: DayLoads) -> None:
        self._reference = np.maximum(loads.values.mean(axis=0), 1e-12)
        work = []
        for item in system.work:
            if item.name in loads.names:
                r = loads.names.index(item.name)
                item = self._referred(item, float(self._reference[r]), loads.users[r])
                if loads.users[r]:
                    assert item.users is not None, "work of users has them"
                    self._reference[r] = float(item.users)
            work.append(item)
        self._system: System = replace(system, work=tuple(work))
        self._at = [[item.name for item in work].index(name) for name in loads.names]
        self._form = compiled(self._system)
        self._need = needs(self._form)
        self._ask = demands(self._form, self._need, at_rest(self._form))
        self._capacities = 0
        self._unsure = 0
        self._noted: tuple[int, int, float, float] | None = None
        self._unsettled = 0
        self._quick = False
        names = dict(center_loads(self._form, self._need, self._ask, np.ones(len(work))))
        self._centers = tuple(names)

    @staticmethod
    def _referred(item: Work, load: float, users: bool) -> Work:
        """Work at the mean load of the intervals."""
        if users:
            return replace_work(item, users=max(round(load), 1))
        return replace_work(item, rate=load)

    @property
    def centers(self) -> tuple[str, ...]:
        """What can fill up."""
        return self._centers

    @property
    def uses(self) -> NDArray[np.bool_]:
        """Whether work needs a center (R, C)."""
        still = self._vector(np.zeros(len(self._system.work)))
        found = []
        for at in self._at:
            one = np.zeros(len(self._system.work))
            one[at] = 1.0
            found.append(self._vector(one) > still)
        return np.array(found)

    def notes(self) -> tuple[str, ...]:
        """How many loads were solved, and the error of the rest."""
        found = []
        if self._noted is not None:
            solved, rest, median, worst = self._noted
            found.append(
                f"{solved} distinct loads were solved, {rest} between them interpolated; {PROBES} of these were solved as "
                f"well: responses and work offered differ by {100 * median:.2g} % in the median, {100 * worst:.2g} % at most"
            )
        if self._unsure:
            found.append(
                f"{self._unsure} overloaded loads: the work offered counts what centers need without waits, at least that"
            )
        if self._unsettled:
            found.append(f"{self._unsettled} loads did not settle: their figures are rough")
        return tuple(found)

    def _vector(self, rate: Array) -> Array:
        named = dict(center_loads(self._form, self._need, self._ask, rate))
        return np.array([named.get(name, 0.0) for name in self._centers])

    @property
    def tolerance(self) -> float:
        """How near a growth is sought."""
        return 5e-4

    def solved(self, values: Array, *, quick: bool = False) -> SolvedLoads:
        """Answers at loads of shape (P, R); equal loads are solved once."""
        unique, back = np.unique(values, axis=0, return_inverse=True)
        self._quick = quick
        found = self._each(unique) if len(unique) <= SOLVED + PROBES else self._between(unique)
        back = back.reshape(-1)
        return SolvedLoads(found.response[back], found.utilization[back], found.offered[back], found.fullest[back])

    def _factor(self, values: Array) -> Array:
        factor = np.ones(len(self._system.work))
        factor[self._at] = np.maximum(values / self._reference, LITTLE)
        return factor

    def _rates(self, values: Array) -> Array:
        """Rates of all work at a load, those of users as if nothing waited (W,)."""
        rate = self._form.rate * self._factor(values)
        users = self._form.users * self._factor(values)
        think = np.maximum(self._form.think, LITTLE)
        return np.asarray(np.where(self._form.users > 0, users / think, rate))

    def _each(self, values: Array) -> SolvedLoads:
        rows = [self._one(each) for each in values]
        response = np.array([row[0] for row in rows]).reshape(len(values), len(self._at))
        return SolvedLoads(
            np.where(values > 0, response, np.nan),
            np.array([row[1] for row in rows]).reshape(len(values), len(self._centers)),
            np.array([row[2] for row in rows]),
            np.array([row[3] for row in rows], dtype=np.intp),
        )

    def _one(self, values: Array) -> tuple[Array, Array, float, int]:
        factor = self._factor(values)
        try:
            point = solved_point(self._system, factor)
        except FullPoolError as error:
            return self._overloaded(factor, error)
        used = self._used(point)
        at = int(np.argmax(used))
        return point.work.response[self._at], used, float(min(used[at], 1 - 1e-12)), at

    def _used(self, point: SolvedPoint) -> Array:
        work = point.work
        self._unsettled += not (work.settled or point.exact)
        named = dict(center_loads(work.form, work.need, work.ask, work.rate))
        return np.array([named.get(name, 0.0) for name in self._centers])

    def _overloaded(self, factor: Array, error: FullPoolError) -> tuple[Array, Array, float, int]:
        load, name = max(float(error.load), 1.0), error.name
        if self._quick:
            at = self._centers.index(name) if name in self._centers else 0
            return np.full(len(self._at), np.nan), np.full(len(self._centers), np.nan), load, at
        if self._capacities < CAPACITIES:
            self._capacities += 1
            work = [_times(item, float(f)) for item, f in zip(self._system.work, factor, strict=True)]
            most = capacity(replace(self._system, work=tuple(work)))
            if 0 < most.factor < 1:
                load, name = max(load, 1 / most.factor), most.center
        else:
            self._unsure += 1
        share = CAPPED / load
        for _ in range(8):
            try:
                point = solved_point(self._system, factor * share)
                break
            except FullPoolError:
                share *= 0.9
        else:
            raise SaturatedError(name, load, 0.0, "lower the load of the intervals")
        used = self._used(point)
        at = self._centers.index(name) if name in self._centers else int(np.argmax(used))
        used[at] = 1.0
        return point.work.response[self._at], used, load, at

    def _between(self, values: Array) -> SolvedLoads:
        """The heaviest loads and some that lie apart solved; the rest by linear interpolation of the logs of responses."""
        scaled = values / self._reference
        full = np.array([self._vector(self._rates(each)).max(initial=0.0) for each in values])
        scaled = np.column_stack([scaled, NEAR_FULL * np.log(1 / np.maximum(1 - full, EMPTY))])  # where responses are steep
        support = _apart(scaled, SOLVED)
        rest = np.setdiff1d(np.arange(len(values)), support)
        probes = rest[np.linspace(0, len(rest) - 1, PROBES).astype(int)]
        known = self._each(values[support])
        checked = self._each(values[probes])
        guess = self._interpolated(scaled[support], known, scaled[rest])
        at = np.searchsorted(rest, probes)
        with np.errstate(invalid="ignore", divide="ignore"):
            errors = [np.abs(guess.response[at] / checked.response - 1), np.abs(guess.offered[at] / checked.offered - 1)]
        error = np.concatenate([each.ravel() for each in errors])
        error = error[np.isfinite(error)]
        self._noted = (
            len(support) + PROBES,
            len(rest) - PROBES,
            float(np.median(error)) if len(error) else 0.0,
            float(error.max(initial=0.0)),
        )
        whole = [np.empty((len(values), *part.shape[1:]), dtype=part.dtype) for part in _parts(known)]
        for rows, found in ((rest, guess), (support, known), (probes, checked)):
            for target, part in zip(whole, _parts(found), strict=True):
                target[rows] = part
        whole[0] = np.where(values > 0, whole[0], np.nan)
        return SolvedLoads(whole[0], whole[1], whole[2], whole[3].astype(np.intp))

    def _interpolated(self, support: Array, known: SolvedLoads, wanted: Array) -> SolvedLoads:
        classes = known.response.shape[1]
        count = min(classes + 2 + NEIGHBOURS, len(support))
        filled = np.where(np.isnan(known.response), 1.0, known.response)
        targets = np.column_stack([np.log(filled), known.utilization, np.log(np.maximum(known.offered, 1e-12))])
        out = np.empty((len(wanted), targets.shape[1]))
        for i, point in enumerate(wanted):
            far = np.sum((support - point) ** 2, axis=1)
            near = np.argpartition(far, count - 1)[:count]
            weight = 1 / np.sqrt(far[near] + 1e-12)
            columns = np.column_stack([np.ones(count), support[near] - point]) * weight[:, None]  # the last: how full it is
            gram = columns.T @ columns
            gram[np.diag_indices_from(gram)] += 1e-9 * np.trace(gram)
            out[i] = np.linalg.solve(gram, columns.T @ (targets[near] * weight[:, None]))[0]
        centers = len(self._centers)
        used = np.clip(out[:, classes : classes + centers], 0.0, 1.0)
        return SolvedLoads(np.exp(out[:, :classes]), used, np.exp(out[:, -1]), used.argmax(axis=1).astype(np.intp))


def _parts(found: SolvedLoads) -> tuple[Array, Array, Array, NDArray[np.intp]]:
    return found.response, found.utilization, found.offered, found.fullest


def _apart(points: Array, count: int) -> NDArray[np.intp]:
    """Points that are far from each other: the corners first, then always the one that is farthest from those taken."""
    first = {int(f(points[:, r])) for r in range(points.shape[1]) for f in (np.argmax, np.argmin)}
    first |= {int(np.argmax(points.sum(axis=1)))}
    taken = sorted(first)
    far = np.min([np.sum((points - points[i]) ** 2, axis=1) for i in taken], axis=0)
    while len(taken) < count:
        i = int(np.argmax(far))
        taken.append(i)
        far = np.minimum(far, np.sum((points - points[i]) ** 2, axis=1))
    return np.array(sorted(taken))


def replace_work(item: Work, *, rate: float | None = None, users: int | None = None) -> Work:
    """Work with another load; with a rate it is work that arrives."""
    think = 0.0 if users is None else item.think_time
    return Work(item.name, rate=rate, users=users, think_time=think, burst=item.burst, tick=item.tick, steps=item.steps)


def _times(item: Work, factor: float) -> Work:
    if item.users is not None:
        return replace_work(item, users=max(round(item.users * factor), 1))
    assert item.rate is not None, "work has a rate where it has no users"
    return replace_work(item, rate=item.rate * factor)

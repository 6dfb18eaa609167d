"""A system at the loads of many intervals; of very many the ones between solved loads are interpolated, with the error."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from qnsolve.analysis.runs.points import LongRun, Outcome
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

    def __init__(self, system: System, loads: DayLoads, run: LongRun) -> None:
        self._run = run
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
        """Each load, in two batches: all of them, then less of those that ask a center for more than it can do."""
        factors = [tuple(self._factor(each).tolist()) for each in values]
        asked = _AskedSystem(self._system, tuple(self._at), self._centers)
        rows = [each.figures for each in self._run.points(partial(_solved, asked), factors)]
        full = [i for i, row in enumerate(rows) if "response" not in row]
        if self._quick:
            for i in full:
                rows[i] |= {"response": [np.nan] * len(self._at), "used": [np.nan] * len(self._centers), "settled": True}
        else:
            sought = min(len(full), CAPACITIES - self._capacities)
            self._capacities += sought
            self._unsure += len(full) - sought
            heavy = [(factors[i], rows[i]["full"], rows[i]["load"], k < sought) for k, i in enumerate(full)]
            for i, found in zip(full, self._run.points(partial(_capped, asked), heavy), strict=True):
                rows[i] = found.figures
                if "response" not in rows[i]:
                    raise SaturatedError(rows[i]["full"], rows[i]["load"], 0.0, "lower the load of the intervals")
        self._unsettled += sum(not row["settled"] for row in rows)
        return self._as_loads(values, rows)

    def _as_loads(self, values: Array, rows: list[dict[str, Any]]) -> SolvedLoads:
        """Figures of points as arrays."""
        response = np.array([row["response"] for row in rows]).reshape(len(values), len(self._at))
        used = np.array([row["used"] for row in rows]).reshape(len(values), len(self._centers))
        offered, fullest = np.empty(len(values)), np.empty(len(values), dtype=np.intp)
        for i, row in enumerate(rows):
            if "full" in row:
                known = row["full"] in self._centers
                offered[i] = row["load"]
                fullest[i] = self._centers.index(row["full"]) if known else 0 if self._quick else int(np.argmax(used[i]))
                used[i, fullest[i]] = np.nan if self._quick else 1.0
            else:
                fullest[i] = int(np.argmax(used[i]))
                offered[i] = min(used[i, fullest[i]], 1 - 1e-12)
        return SolvedLoads(np.where(values > 0, response, np.nan), used, offered, fullest)

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


@dataclass(frozen=True)
class _AskedSystem:
    """A system, the places of the work whose responses are asked for, and the centers."""

    system: System
    at: tuple[int, ...]
    centers: tuple[str, ...]

    def figures(self, point: SolvedPoint) -> dict[str, Any]:
        """Responses, the use of each center, and whether the point settled."""
        work = point.work
        named = dict(center_loads(work.form, work.need, work.ask, work.rate))
        return {
            "response": work.response[list(self.at)].tolist(),
            "used": [float(named.get(name, 0.0)) for name in self.centers],
            "settled": bool(work.settled or point.exact),
        }


def _solved(asked: _AskedSystem, factor: tuple[float, ...]) -> Outcome[None]:
    """The system at a factor of each work; of a load that it does not hold the center that is full, and its load."""
    try:
        point = solved_point(asked.system, np.array(factor))
    except FullPoolError as error:
        return Outcome({"full": error.name, "load": max(float(error.load), 1.0)})
    return Outcome(asked.figures(point))


def _capped(asked: _AskedSystem, point: tuple[tuple[float, ...], str, float, bool]) -> Outcome[None]:
    """The system at `CAPPED` of what it can do of a load that it does not hold; sought by its capacity where that is asked."""
    factor, name, load, sought = point
    if sought:
        work = [_times(item, each) for item, each in zip(asked.system.work, factor, strict=True)]
        most = capacity(replace(asked.system, work=tuple(work)))
        if 0 < most.factor < 1:
            load, name = max(load, 1 / most.factor), most.center
    share = CAPPED / load
    for _ in range(8):
        try:
            found = solved_point(asked.system, np.array(factor) * share)
        except FullPoolError:
            share *= 0.9
            continue
        return Outcome({"full": name, "load": load, **asked.figures(found)})
    return Outcome({"full": name, "load": load, "settled": True})


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

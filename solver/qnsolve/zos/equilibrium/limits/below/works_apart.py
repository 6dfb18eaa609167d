"""Works that meet no others in the regions below a limit: their numbers inside it vary each on their own.

With users, the more tasks of a work are inside a limit the fewer of it come, whatever other works do. In the product form
of many kinds of work the numbers of those that share no station are independent, each with the pace of its own users; what
they have in common, the CPs of the region, is a station of all. Works that wait nowhere inside then add no more
than their own, small variation, however many come.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

import numpy as np

from qnsolve.numerics.series import Array, Places, each_once
from qnsolve.zos.equilibrium.working import Working
from qnsolve.zos.hosts.chains.birth_death import UserSource
from qnsolve.zos.hosts.limited.product_form import SMALL, all_folded, weights

from .series_limits import arrivals

LEAST = 1e-9  # rate at which tasks come over that in the mean, where no user is left


class CalledRegions(Protocol):
    """What is asked of all limits."""

    work: Working
    pool: dict[int, int]
    tasks: dict[int, Places]

    def tasks_at(self, station: int) -> Places:
        """Tasks of a region, or of a TRANCLASS as ~ its pool."""

    def sources(self, tasks: Places, held: Array, inside: Array) -> tuple[float, list[UserSource], float]:
        """How tasks come: a stream, and users elsewhere."""


@dataclass(frozen=True, eq=False)
class Apart:
    """Works inside a limit that meet no others there.

    Attributes
    ----------
    inner : list of int
        Places of the regions below that they visit, among all of these.
    fix : ndarray (size + 1,)
        Weights of their tasks that are in none of these, and not on the CPs of the region.
    alone, weight : ndarray (size + 1,)
        Weights of all their tasks that are not on these CPs: came they at a rate, and as their users come.
    """

    inner: list[int]
    fix: Array
    alone: Array
    weight: Array


@dataclass(frozen=True, eq=False)
class WorksApart:
    """All tasks inside a limit: weights of `others` than each part, of the `whole`; `speed` is that of their ends."""

    parts: list[Apart]
    others: list[Array]
    whole: Array
    speed: Array

    def inside(self, place: int, chance: Array) -> Array:
        """Chances of the tasks of one part that are not on the CPs, given those of all inside."""
        size = len(chance) - 1
        seen = np.append(chance / self.whole, np.zeros(size))
        found: Array = self.parts[place].weight * np.correlate(seen, self.others[place], "valid")[: size + 1]
        return found / max(float(found.sum()), 1e-300)


def _mean(weight: Array, values: Array, others: Array) -> Array:
    """Mean of the values of 0, 1, … tasks of these weights, by the number of them and others."""
    size = len(weight)
    both, sums = np.convolve(weight, others)[:size], np.convolve(weight * values, others)[:size]
    return np.divide(sums, both, out=np.full(size, float(values[0])), where=both > 1e-290)


def groups_apart(limits: CalledRegions, region: int, inner: list[int]) -> list[Places]:
    """Works of a region, those together that meet in regions below it."""
    form = limits.work.form
    some = limits.tasks[region][limits.work.flow[limits.tasks[region]] > 0]
    groups = [{int(w)} for w in each_once(form.work[some])]
    for r in inner:
        here = set(form.work[limits.tasks_at(r)[limits.work.flow[limits.tasks_at(r)] > 0]].tolist())
        met = [group for group in groups if group & here]
        groups = [group for group in groups if not group & here] + ([set().union(*met)] if met else [])
    return [np.array(sorted(group)) for group in groups]


def works_apart(
    limits: CalledRegions, region: int, inner: list[int], stations: list[Array], nu: Array, tilt: float, speed: Array,
) -> WorksApart | None:  # fmt: skip
    """The works of a region apart; None where all of them meet, none fills a region below, or all come at rates.

    Parameters
    ----------
    region : int
    inner, stations : list
        Regions below, and the weights of tasks in each.
    nu : ndarray (size,)
        Rate at which 1, 2, … tasks leave the CPs.
    tilt : float
        Tasks a second.
    speed : ndarray (size + 1,)
        Rate at which tasks end of 0, 1, … inside, of all works in their mean shares.

    Notes
    -----
    While no place is left it is the first in line that comes inside: a user who waited there for as long as all. To what is
    inside that line is elsewhere, too: of a work that has many inside few are left to come, also when all places are taken.
    """
    w, form, tasks, size = limits.work, limits.work.form, limits.tasks[region], len(nu)
    groups = groups_apart(limits, region, inner)
    if not inner or len(groups) < 2 or not (form.users[form.work[tasks]] > 0).any():
        return None
    flow, holds, spent = w.flow, w.holds(), w.holds() + w.wait
    total, count = float(flow[tasks].sum()), np.arange(size + 1.0)
    parts, rates = [], []
    for works in groups:
        mine = tasks[np.isin(form.work[tasks], works)]
        places = [i for i, r in enumerate(inner) if np.isin(form.work[limits.tasks_at(r)], works).any()]
        below = sum(float(flow[limits.tasks_at(inner[i])] @ spent[limits.tasks_at(inner[i])]) for i in places)
        rest = max(float(flow[mine] @ (holds - w.on_cps)[mine]) - below, 0.0) / total
        fix = weights(tilt * rest / np.arange(1.0, size + 1))
        alone = all_folded(fix, (stations[i] for i in places))
        its = tilt * float(flow[mine].sum()) / total
        come = _coming(limits, mine, holds, count + float(flow[mine] @ w.on_cps[mine]))
        parts.append(Apart(places, fix, alone, _with_users(alone, come / its)))
        rates.append(come)
    beside = float(flow[tasks] @ (holds - w.on_cps)[tasks])
    cps = _with_users(weights(tilt / nu), _coming(limits, tasks, holds, count + beside) / tilt)
    each = [part.weight for part in parts]
    whole = np.maximum(all_folded(cps, each), 1e-300)
    others = [all_folded(cps, each[:place] + each[place + 1 :]) for place in range(len(each))]
    coming = np.zeros(size + 1)
    for weight, come, beside_it in zip(each, rates, others, strict=True):
        coming += _mean(weight, come, beside_it)
    found = speed.copy()
    seen = np.flatnonzero((whole[1 : size + 1] > SMALL) & (whole[:size] > SMALL)) + 1
    found[seen] = coming[seen - 1] * whole[seen - 1] / whole[seen]
    return WorksApart(parts, others, whole, found)


def _coming(limits: CalledRegions, tasks: Places, inside: Array, count: Array) -> Array:
    """Rate at which tasks come, by their number inside."""
    stream, sources, _ = limits.sources(tasks, inside, inside)
    return arrivals(stream, sources)(count)


def _with_users(alone: Array, ratio: Array) -> Array:
    """Weights of numbers of tasks that come at `ratio` times the rate of `alone`."""
    more = np.log(np.maximum(ratio[:-1], LEAST))
    logs = np.log(np.maximum(alone, 1e-300)) + np.append(0.0, np.cumsum(more))
    return np.asarray(np.exp(np.maximum(logs - logs.max(), -700.0)))

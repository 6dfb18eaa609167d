"""Tasks of a TRANCLASS that is always full, in the line of their region: one of them comes back as soon as it has gone.

While no other waits for the region it takes the place again that it left; else the first in line takes it, and it waits until
as many others have gone as stand before it. So it waits only where the others alone have all places, for as long as these
hold them, however short its own times are.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Protocol

import numpy as np

from qnsolve.numerics.series import Array, Places, without
from qnsolve.zos.equilibrium.limits.full_limits import as_full
from qnsolve.zos.equilibrium.working import Working
from qnsolve.zos.hosts.alike_answers import AlikeAnswers
from qnsolve.zos.hosts.chains.birth_death import Crowd

ALONE = (0.3, 0.7)  # chance of a full class: from one to the other its tasks find what others leave, each one alone
FEW = (0.125, 0.25)  # places of a class over those of its region: from one to the other its tasks are less and less alone
SAME = 1e-3  # change of what is asked up to which the waits are the same [ratio]
MOSTLY, LONGEST, BEYOND = 0.999, 150, 40  # lines before a region in which tasks are told apart, with that chance


class SeenRegions(Protocol):
    """What is asked of all limits."""

    work: Working
    pool: dict[int, int]
    tasks: dict[int, Places]
    classes: dict[int, Places]
    gates: list[int]

    def classes_of(self, region: int) -> list[int]:
        """Pools of its TRANCLASSes."""

    def callers(self, tasks: Places) -> frozenset[int]:
        """Regions whose tasks call some tasks."""


@dataclass(frozen=True)
class PlaceLost:
    """Mean waits before a region [s]: of the one place of a class, and of all others."""

    own: float
    others: float


@dataclass
class PlacesOfClasses:
    """TRANCLASSes of full regions whose tasks come out of full ones: all others are solved with their region."""

    limits: SeenRegions
    known: AlikeAnswers[int, PlaceLost] = field(default_factory=lambda: AlikeAnswers(SAME))

    def see(self, region: int, found: Crowd) -> None:
        """Note what tasks of full classes wait for a region, and all others there; `found` is its chain of all tasks alike.

        Of several places of a class those that are in line themselves leave theirs to others.
        """
        parts = {its: part for its in self.limits.classes_of(region) if (part := self._part(its, found)) > 0}
        if not parts:
            return
        w, pool, tasks, holds = self.limits.work, self.limits.pool[region], self.limits.tasks[region], self.limits.work.holds()
        flow, inside = float(w.flow[tasks].sum()), float(w.flow[tasks] @ holds[tasks])
        for its, part in parts.items():
            mine = self.limits.classes[its]
            own, own_inside = float(w.flow[mine].sum()), float(w.flow[mine] @ holds[mine])
            if own <= 0 or inside <= own_inside:
                continue
            before = self.known.last(its)
            taken = own_inside / (own_inside + own * (0.0 if before is None else before.own))
            lost = self._lost(its, found, flow - own, own_inside / own, (inside - own_inside) / (flow - own), taken)
            for some, wait in ((mine, lost.own), (without(tasks, mine), lost.others)):
                w.pool_wait[pool, some] = w.pool_wait[pool, some] ** (1 - part) * wait**part

    def _part(self, its: int, found: Crowd) -> float:
        """How far the tasks of a class find what others leave: it is full, has few of the places, and there is a line.

        For a region that is always full all wait alike, as long as it lets them in.
        """
        w, mine = self.limits.work, self.limits.classes[its]
        if its not in w.crowds or self.limits.callers(mine).isdisjoint(self.limits.gates):
            return 0.0
        if found.wait <= 0 or found.outside_at(MOSTLY) > LONGEST:
            return 0.0
        part = min(max((w.crowds[its].full - ALONE[0]) / (ALONE[1] - ALONE[0]), 0.0), 1.0)
        share = float(w.form.pool_size[its]) / found.limit
        part *= min(max((FEW[1] - share) / (FEW[1] - FEW[0]), 0.0), 1.0)
        return part * (1 - as_full(found.full))

    def _lost(self, its: int, found: Crowd, others: float, hold: float, other_hold: float, taken: float) -> PlaceLost:
        """A place of a class among others of its region, its other places `taken` for a part of the time."""
        size = int(self.limits.work.form.pool_size[its])
        places, top = found.limit - (size - 1) * taken, found.limit + 2 * int(found.outside_at(MOSTLY)) + BEYOND
        rate = max(float(found.chance @ found.coming), 1e-300)
        coming = np.interp(np.arange(top) + size, found.number, found.coming) * others / rate
        asked = [coming, np.array([places, hold, other_hold])]
        return self.known.of(its, asked, lambda: place_lost(coming, places, hold, other_hold))


def place_lost(coming: Array, places: float, hold: float, other_hold: float) -> PlaceLost:
    """A place of a class among others in a region; between those of so many places where their number is no whole one."""
    size = int(places)
    part, found = places - size, _place_lost(coming, size, hold, other_hold)
    if part == 0:
        return found
    more = _place_lost(coming, size + 1, hold, other_hold)
    return PlaceLost((1 - part) * found.own + part * more.own, (1 - part) * found.others + part * more.others)


def _place_lost(coming: Array, size: int, hold: float, other_hold: float) -> PlaceLost:
    """A place of a class among others in a region.

    Parameters
    ----------
    coming : ndarray (N,)
        Rate at which others come when 0, 1, ... of them are in and before the region [1/s].
    size : int
        Places of the region.
    hold, other_hold : float
        Time inside of the one task and of each of the others [s].

    Notes
    -----
    While the one is inside the others are a chain with one place less. When it ends and k of them are in line, k + 1 of
    `size` end until it is inside again, each after a time that does not depend on the others; those that come meanwhile are
    then in line. Exact for exponential times, others that come by their own number, and one place.

    Examples
    --------
    Among others that come at a rate and hold places as long as it does it waits as one of a closed work:

    >>> found = place_lost(np.full(80, 3.0), 5, 1.0, 1.0)
    >>> round(found.own, 6)
    0.118076
    """
    top = len(coming) - 1
    count = np.arange(top + 1)
    flow = np.zeros((top + 1, top + 1))
    up, down = np.arange(top), np.arange(1, top + 1)
    flow[up, up + 1] = coming[:top]
    flow[down, down - 1] = np.minimum(down, size - 1) / other_hold
    leave = size / other_hold
    lines = count[size:] - size + 1  # that have to end until it is inside again
    flow[size:, size - 1 :] += _births(coming[size:] / leave, lines.astype(float), top - size + 2) / hold
    np.fill_diagonal(flow, 0.0)
    np.fill_diagonal(flow, -flow.sum(axis=1))
    flow[:, 0] = 1.0
    chance = np.linalg.solve(flow.T, np.eye(1, top + 1)[0])
    waits = np.append(np.zeros(size), lines / leave)
    own = float(chance @ waits)
    line = float(chance @ np.maximum(count - size + 1, 0)) * hold  # in line while it is inside, over one of its turns
    line += float(chance[size:] @ (lines * (lines - 1) / 2 / leave + coming[size:] * lines * (lines + 1) / 2 / leave**2))
    passed = float(chance @ coming) * hold + float(chance[size:] @ (coming[size:] * lines)) / leave
    return PlaceLost(own, line / max(passed, 1e-300))


def _births(ratio: Array, stages: Array, most: int) -> Array:
    """Chances of 0, 1, ... `most` - 1 that come in so many exponential times, at `ratio` in one; the last: as many or more."""
    part, steps = ratio / (1 + ratio), np.arange(1, most)
    each = part[:, None] * (stages[:, None] + steps - 1) / steps
    found = np.cumprod(np.column_stack(((1 - part) ** stages, each)), axis=1)
    found[:, -1] = np.maximum(1 - found[:, :-1].sum(axis=1), 0.0)
    return np.asarray(found)

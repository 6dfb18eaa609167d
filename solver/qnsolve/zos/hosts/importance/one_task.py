"""One task of a lower importance on the chain of the others of that and of higher importance: its time, round by round."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from qnsolve.numerics.series import Array
from qnsolve.zos.hosts.chains.banded import Moves, stays, times
from qnsolve.zos.hosts.chains.jumps import Spread, with_leaps
from qnsolve.zos.hosts.chains.plane import by_places, plane_moves

STARVED = 1e-4  # least rate of an end over that of all other moves
FASTEST = 100.0  # of these moves, over the fastest end: users who do not think come back at once
SHORT = 1e-3  # CPU of a visit that waits until it is begun, over that of a mean one; and the shortest time between two over it


@dataclass(frozen=True, eq=False)
class OneTask:
    """A task among others of its importance, the levels, and those of higher importance, the phases.

    Attributes
    ----------
    levels, phases : ndarray (N,), (Y,)
    arrive : ndarray (N,)
        Rate at which others come to the levels [1/s].
    each : ndarray (N, Y)
        Rate at which a mean visit ends that has so many others beside it [1/s]; a longer one ends the less often.
    alone : ndarray (N, Y)
        Rate at which one of the others ends while the task is away [1/s].
    up, down : ndarray (Y,)
        Rates at which those of higher importance come and end, as fast as their pieces make it [1/s].
    calls : float
        How many of these each of the others calls when it ends.
    groups : Spread or None, optional
        Those of higher importance that come several at once.
    starved : float, optional
        Least rate at which a visit ends [1/s]; by the fastest moves, if that is not known.
    """

    levels: Array
    phases: Array
    arrive: Array
    each: Array
    alone: Array
    up: Array
    down: Array
    calls: float = 0.0
    groups: Spread | None = None
    starved: float | None = None

    def within(self, n: slice, y: slice) -> OneTask:
        """The same on some of the levels and of the phases alone: others never are."""
        up, down, each = self.up[y], self.down[y], self.each[n, y]
        groups = None if self.groups is None else self.groups.within(n, y)
        return OneTask(
            self.levels[n], self.phases[y], self.arrive[n], each, self.alone[n, y], up, down, self.calls, groups,
            self._least(),
        )  # fmt: skip

    def time_left(self, size: float) -> Array:
        """Time of a visit whose CPU is so many times that of a mean one, from each state (N, Y) [s]."""
        return times(self._beside, self._ends(size))

    def made_longer(self, every: Array, some: Array) -> Array:
        """What a mean visit that finds `every` waits more, over what one that finds `some` (B, N, Y) takes once begun (B,)."""
        whole, short = (self.time_left(size) for size in (1.0, SHORT))
        more, without, begun = (
            np.einsum("ny,bny->b", time, met) for time, met in ((whole, every), (whole, some), (short, some))
        )
        return np.asarray(np.maximum(more - without, 0.0) / np.maximum(without - begun, 1e-300))

    def rounds(self, start: Array, size: float, count: float, pause: float) -> tuple[float, float]:
        """Times of the first and of all later visits of a task [s].

        Parameters
        ----------
        start : ndarray (N, Y)
            Chances of what it finds when it comes.
        size : float
            CPU of each visit, over that of a mean one.
        count : float
            Visits, more than 1; those after the first are geometrically many, so many in the mean.
        pause : float
            Mean time between two [s].
        """
        beside, ends = self._beside, self._ends(size)
        there = stays(beside, ends, start)
        apart = self._moves(self.alone * self.levels[:, None])
        both = {(0, *to): np.array([rate, apart[to]]) for to, rate in beside.items()}
        last, back = ends / (count - 1), np.full(ends.shape, 1 / pause)
        both |= {(1, 0, 0): np.array([ends - last, 0 * ends]), (-1, 0, 0): np.array([0 * ends, back])}
        left = times(both, np.array([last, 0 * ends]))[1]
        return float(there.sum()), max(float((there * ends * left).sum()) - (count - 1) * pause, 0.0)

    def _moves(self, serve: Array) -> Moves:
        """Moves of all others, which are served at some rates (N, Y)."""
        arrive, down = (np.broadcast_to(its, serve.shape) for its in (self.arrive[:, None], self.down))
        follow, up = with_called(self.calls, self.up, serve)
        found = by_places(*plane_moves(self.levels, self.phases, arrive, serve, follow, up, down, True, self.groups))
        return found if self.groups is None else with_leaps(found, self.groups)

    @cached_property
    def _beside(self) -> Moves:
        """Moves of the others while the visit is there."""
        return self._moves(self.each * self.levels[:, None])

    def _ends(self, size: float) -> Array:
        return np.maximum(self.each / size, self._least())

    def _least(self) -> float:
        if self.starved is not None:
            return self.starved
        fastest = float(np.sum(list(self._beside.values()), axis=0).max())
        return STARVED * min(fastest, FASTEST * float(self.each.max()))


def with_called(calls: float, up: Array, serve: Array) -> tuple[float, Array]:
    """Share of the tasks served that are followed by one of higher importance, and rates at which more of these come (N, Y).

    `calls` of them come for each that is served: one at once, what is more than one at that rate.
    """
    follow = min(calls, 1.0)
    return follow, up + (calls - follow) * serve

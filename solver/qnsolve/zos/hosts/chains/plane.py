"""A Markov chain on a plane: tasks at one server group, and all others on the same processors, both on grids that widen.

Unit steps near zero, growing ones beyond: the rates there keep drift and variance. Its cost does not grow with the load.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from math import isfinite

import numpy as np

from qnsolve.numerics.series import Array, Places

from .banded import Moves, anchored, likely_state, stationary, stationary_among
from .endless import eliminated_levels, endless, endless_band
from .jumps import Jump, JumpChain, Spread, spread
from .windows import KeptWindows, edge_share, likely_states, windowed

SPARE = 1e-3  # share of chances below zero that central moves may leave
SPARE_OF_MEAN = 0.02  # the same of the mean level
RARELY = 1e-9  # least rate to a neighbour, over that to the other one
STIFF = 1e6  # rates of what comes over those of what ends, beyond which it comes at once
LARGE, BELOW = 600, 0.1  # points of a chain, and part of its rates below zero, from which on central moves are not tried
MANY, EDGE = 2500, 1e-11  # points from which on it pays to look where on them chances are, and share at the edge of that
NARROW = 0.8  # levels over phases below which blocks of levels are eliminated
WAYS = (False, True), (False, False), (True, False)  # to move, until one does: careful or not, both numbers together or not
SHORT = 5  # levels up to which those that go on without end are eliminated one by one

_Six = tuple[Array, Array, Array, Array, Array, Array]


def grid(unit: float, top: float, growth: float = 1.15) -> Array:
    """Numbers of tasks: every one up to `unit`, then in steps that grow, up to `top`."""
    found, at, step = [], 0.0, 1.0
    while at < top:
        found.append(at)
        if at >= unit:
            step *= growth
        at = float(round(at + step))
    if len(found) > 1 and top - found[-1] < 0.5 * step:
        found[-1] = top
    else:
        found.append(float(top))
    return np.array(found)


def moves(points: Array, drift: Array, variance: Array, careful: bool) -> tuple[Array, Array]:
    """Rates to the neighbours of a grid, along the last axis, that keep drift and variance.

    Where the drift is strong one of them is below zero, as in central differences: more exact than moves that are all
    above, since a step too wide then adds no variance. With `careful` all are above.
    """
    wide = points[1:] - points[:-1]
    after, before = np.ones((2, len(points)))
    after[:-1], before[1:] = wide, wide
    both = after + before
    rise = (variance + drift * before) / (after * both)
    fall = (variance - drift * after) / (before * both)
    if careful:
        rise, fall = np.where(fall < 0, drift / after, rise), np.where(rise < 0, -drift / before, fall)
        rise, fall = np.maximum(rise, RARELY * np.abs(fall)), np.maximum(fall, RARELY * np.abs(rise))  # each level is left
    rise[..., -1] = 0.0
    fall[..., 0] = 0.0
    return rise, fall


@dataclass(frozen=True)
class Plane:
    """Chances of a plane chain.

    Attributes
    ----------
    levels, phases : ndarray (N,), (Y,)
        The grids.
    chance : ndarray (N, Y)
    """

    levels: Array
    phases: Array
    chance: Array

    @property
    def mean_level(self) -> float:
        """Tasks of the group [count]."""
        return float(self.levels @ self.chance.sum(axis=1))


def plane(
    levels: Array, phases: Array, arrive: Array, serve: Array, follow: Array | float, up: Array, down: Array,
    groups: Sequence[Jump] = (), windows: KeptWindows | None = None,
) -> Plane:  # fmt: skip
    """Stationary chances.

    Parameters
    ----------
    levels, phases : ndarray (N,), (Y,)
    arrive, serve : ndarray (N, Y)
        Rates at which the level grows and falls by one task.
    follow : float or ndarray (N, Y)
        Share of those served that go on as one more of the phase.
    up, down : ndarray (N, Y)
        Rates at which the phase grows and falls by one task.
    groups : sequence of Jump, optional
        What comes besides, several at once.
    windows : KeptWindows, optional
        As for `windowed`.
    """
    if len(phases) > 1 and nothing(follow) and not up.any() and not groups:  # the phase stays where it is least
        alone = plane(levels, phases[:1], arrive[:, :1], serve[:, :1], 0.0, up[:, :1], down[:, :1])
        rest = np.zeros((len(levels), len(phases) - 1))
        return Plane(levels, phases, np.hstack((alone.chance, rest)))
    most = STIFF * max(float(serve.max()), float(down.max()))
    arrive, up = np.minimum(arrive, most), np.minimum(up, most)
    seen: list[tuple[Places, Places, Array]] = []  # what a look at a few points showed
    wide: list[bool] = [False]  # whether central moves did not do on some of the points

    def solve(rows: Places, columns: Places, likely: tuple[int, ...] | None) -> Array:
        some, size = np.ix_(rows, columns), arrive.shape
        jumps = [replace(jump, rate=jump.rate[some]) for jump in groups]
        strip: Places | None = None
        if likely is not None and len(rows) * len(columns) > MANY and not groups:
            look = seen[0] if seen else windows.looked.get(size) if windows is not None else None
            strip = None if look is None else likely_states(rows, columns, *look)
        chain = _PlaneChain(
            levels[rows], phases[columns], arrive[some], serve[some], among(follow, some), up[some], down[some], jumps,
            strip,
        )  # fmt: skip
        if likely is None:
            looked = some[0].size * some[1].size < arrive.size  # to see where the chances are
            chance = chain.chance(look=looked)[0]
            seen[:] = [(rows, columns, chance)] * looked
            if windows is not None and looked and arrive.size > MANY and not groups:
                windows.looked[size] = rows, columns, chance
            return chance
        near = likely[0] - int(rows[0]), likely[1] - int(columns[0])
        known = wide[0] or (windows is not None and windows.careful.get(size, False))
        if seen and not known and len(rows) * len(columns) > LARGE:
            known = too_wide([chain.central[i] for i in (0, 1, 3, 4)], rows, columns, *seen[0])
        found, careful = chain.chance(near, known=known)
        wide[0] = careful
        if windows is not None:
            windows.careful[size] = careful
        return found

    chance = windowed(levels, phases, solve, windows=windows)
    assert chance is not None
    return Plane(levels, phases, chance)


@dataclass(frozen=True, eq=False)
class _PlaneChain:
    """What `plane` is given."""

    levels: Array
    phases: Array
    arrive: Array
    serve: Array
    follow: Array | float
    up: Array
    down: Array
    groups: Sequence[Jump]
    some: Places | None = None  # the states where all chances are, if that is known

    def chance(self, likely: tuple[int, int] | None = None, look: bool = False, known: bool = False) -> tuple[Array, bool]:
        """Stationary chances, of central moves where these are exact enough, and whether they are not, if that is not `known`.

        Faster given a likely state, or to `look` at.
        """
        for careful, both in WAYS[2 * (look or known) :]:
            found = self._together(likely) if both else self._solved(careful, likely, look)
            if found is None:
                continue
            chance = -found if found.sum() < 0 else found  # rounding of the lowest level may turn the signs of all
            whole, wrong = float(chance.sum()), -float(chance[chance < 0].sum())
            if wrong < SPARE * whole and self._mean_known(chance):  # False for nan
                break
        chance = np.maximum(chance, 0.0)
        chance = chance if isfinite(whole) else np.nan_to_num(chance)
        if not chance.any():  # nothing ends: all are there that can be
            chance[-1, -1] = 1.0
        return np.asarray(chance / chance.sum()), careful

    def _mean_known(self, chance: Array) -> bool:
        """Whether chances below zero say little of the mean level: where some come in groups they may lie far beyond it."""
        below, whole = (float(self.levels @ its.sum(axis=1)) for its in (np.minimum(chance, 0.0), np.abs(chance)))
        return not self.groups or -below <= SPARE_OF_MEAN * whole

    @cached_property
    def jumps(self) -> Spread | None:
        """What comes several at once."""
        return spread(self.levels, self.phases, self.groups) if self.groups else None

    @cached_property
    def central(self) -> _Six:
        """Central moves."""
        return self._moves(False, self.jumps)

    def _moves(self, careful: bool, jumps: Spread | None, both: bool = False) -> _Six:
        its = self.arrive, self.serve, self.follow, self.up, self.down
        return plane_moves(self.levels, self.phases, *its, careful, jumps, both)

    def _together(self, likely: tuple[int, int] | None) -> Array | None:
        """The chances where both numbers move together on wide steps; None where none are, or no likely state is known."""
        if likely is None or self.groups or nothing(self.follow):
            return None
        moves_of = by_places(*self._moves(False, None, True))
        return self._stationary(moves_of, likely) if (-1, -1) in moves_of else None

    def _stationary(self, moves_of: Moves, likely: tuple[int, int]) -> Array | None:
        """The chances, not normalized, given a likely state: found in `some` states alone if none are elsewhere."""
        if self.some is not None:
            found = stationary_among(moves_of, likely, self.some)
            if found is not None and edge_share(self.levels, self.phases, self.some, found) < EDGE:
                return found
        return stationary(moves_of, likely)

    def _solved(self, careful: bool, likely: tuple[int, int] | None, look: bool) -> Array:
        """The chances, not normalized; some below zero where the moves are central and a step is too wide."""
        jumps = self.jumps
        rise, fall, joint, ups, downs, less = self._moves(careful, jumps) if careful else self.central
        if jumps is not None:
            turned = jumps.turned()
            if turned.cost < jumps.cost:  # along the phases
                chance = JumpChain(neighbours(rise.T, fall.T), ups.T, downs.T, turned, ups_with=joint.T).chance().T
                if np.isfinite(chance).all():
                    return chance
            return JumpChain(neighbours(ups, downs), rise, fall, jumps, downs_with=joint).chance()
        if likely is not None or look:
            moves_of = by_places(rise, fall, joint, ups, downs, less)
            found = anchored(moves_of, likely_state(moves_of)) if likely is None else self._stationary(moves_of, likely)
            if found is not None:
                return found
        if len(rise) < NARROW * rise.shape[1]:  # along the phases: blocks as wide as there are levels
            found = eliminated_levels(neighbours(rise.T, fall.T), ups.T, downs.T, ups_with=joint.T).T
            if np.isfinite(found).all():
                return found
        return eliminated_levels(neighbours(ups, downs), rise, fall, downs_with=joint)


def too_wide(rates: Sequence[Array], rows: Places, columns: Places, few: Places, some: Places, chance: Array) -> bool:
    """Whether steps are so wide where the chances are that central moves are sure not to do.

    Parameters
    ----------
    rates : sequence of ndarray (N, …, Y)
        Central moves on the points `rows` and `columns` of the grids.
    chance : ndarray (n, …, y)
        Chances seen on a `few` points of the levels and `some` of the phases.
    """
    near, beside = ((seen >= of[0]) & (seen <= of[-1]) for seen, of in ((few, rows), (some, columns)))
    there = chance[near][..., beside]
    at = [rate[few[near] - rows[0]][..., some[beside] - columns[0]] for rate in rates]
    below, whole = np.abs(np.minimum(at, 0.0)).sum(axis=0), np.abs(at).sum(axis=0)
    share = np.divide(below, whole, out=np.zeros_like(there), where=whole > 0)
    return float((there * share).sum()) > BELOW * float(there.sum())


def endless_plane(
    phases: Array, arrive: Array, serve: Array, follow: Array | float, up: Array, down: Array,
    windows: KeptWindows | None = None,
) -> Plane | None:  # fmt: skip
    """Stationary chances where all levels from the last but two on are alike, without end; None where none settle.

    The last level of what is found stands for all above the one before it, at their mean.

    Parameters
    ----------
    phases, arrive, serve, follow, up, down, windows
        As for `plane`, with every level up to two above the one from which on they are alike.
    """
    levels, means = np.arange(float(len(arrive))), [0.0]

    def solve(rows: Places, columns: Places, likely: tuple[int, ...] | None) -> Array | None:
        some = np.ix_(rows, columns)
        its = arrive[some], serve[some], among(follow, some), up[some], down[some]
        look = likely is None and len(columns) < len(phases)
        for careful, both in WAYS[2 * look :]:
            rise, fall, joint, ups, downs, less = plane_moves(levels, phases[columns], *its, careful, None, both)
            solved = None
            if both and not less.any():
                continue
            if len(levels) > SHORT or both:
                moves_of, within = by_places(rise, fall, joint, ups, downs, less), neighbours(ups[-2:-1], downs[-2:-1])[0]
                solved = endless_band(within, moves_of, likely_state(moves_of))
            if solved is None and not both:
                solved = endless(neighbours(ups, downs), rise, fall, joint)
            if solved is not None and -float(solved[0][solved[0] < 0].sum()) < SPARE * float(solved[0].sum()):
                chance, means[0] = np.maximum(solved[0], 0.0), solved[1]
                return np.asarray(chance / chance.sum())
        return None

    chance = windowed(levels, phases, solve, alike=True, windows=windows)
    return None if chance is None else Plane(np.append(levels[:-2], means[0]), phases, chance)


def plane_moves(
    levels: Array, phases: Array, arrive: Array, serve: Array, follow: Array | float, up: Array, down: Array,
    careful: bool, jumps: Spread | None, both: bool = False,
) -> _Six:  # fmt: skip
    """Moves to the next level, back, back with one more of the phase, to the next phase, and back; and with one less, (N, Y).

    The last ones, below zero, are there where `both` numbers are to move together as far as tasks go from one to the other: a
    wide step of the phase with each of them would make it swing more.
    """
    if jumps is None and nothing(follow):
        rise, fall = moves(levels, (arrive - serve).T, (arrive + serve).T, careful)
        none = np.zeros(arrive.shape)
        return rise.T, fall.T, none, *moves(phases, up - down, up + down, careful), none
    wide_n = np.concatenate(([1.0], np.diff(levels)))[:, None]
    wide_y = np.append(np.diff(phases), np.inf)[None, :]
    going = np.minimum(follow, 1.0) * serve
    joint = joint_moves(going, follow, arrive, up + down, wide_n, wide_y)
    far = np.where(np.isfinite(wide_y), wide_y, 0.0)
    drift, variance = arrive - serve + joint * wide_n, arrive + serve - joint * wide_n**2
    if jumps is not None:
        drift, variance = drift + jumps.levels[0], variance + jumps.levels[1]
    rise, fall = moves(levels, drift.T, variance.T, careful)
    rise, fall = rise.T.copy(), fall.T.copy()
    extra = follow * serve
    drift, variance = up - down + extra - joint * far, up + down + extra - joint * far**2
    less = np.zeros(joint.shape)
    if both:
        near = np.append(0.0, far[0, :-1])[None, :]
        some = (near > 0) & (far > 0)
        lack = np.where(some, going / wide_n - joint * far, 0.0) / np.where(some, near + far, 1.0)
        more, less = lack * near / np.where(some, far, 1.0), -lack * far / np.where(some, near, 1.0)
        joint, drift = joint + more, drift - lack * (near + far)
        fall -= more + less
    if jumps is not None:
        drift, variance = drift + jumps.phases[0], variance + jumps.phases[1]
    ups, downs = moves(phases, drift, variance, careful)
    joint[0] = less[0] = fall[0] = 0.0
    return rise, fall, joint, ups, downs, less


def among(values: Array | float, some: tuple[Array, ...]) -> Array | float:
    """Values of some states, one for each or the same for all."""
    return np.asarray(values[some]) if isinstance(values, np.ndarray) else values


def nothing(values: Array | float) -> bool:
    """Whether they are 0 everywhere."""
    return not values.any() if isinstance(values, np.ndarray) else values == 0


def by_places(rise: Array, fall: Array, joint: Array, ups: Array, downs: Array, less: Array) -> dict[tuple[int, ...], Array]:
    """Moves by how many levels and phases further they lead."""
    found: dict[tuple[int, ...], Array] = {(1, 0): rise, (-1, 0): fall, (-1, 1): joint, (0, 1): ups, (0, -1): downs}
    if less.any():
        found[-1, -1] = less
    return found


def neighbours(ups: Array, downs: Array) -> Array:
    """Rates between neighbours within each block (blocks, width, width); the diagonals are 0."""
    count, width = ups.shape
    here, place = np.zeros((count, width, width)), np.arange(width)
    here[:, place[:-1], place[1:]] = ups[:, :-1]
    here[:, place[1:], place[:-1]] = downs[:, 1:]
    return here


def joint_moves(going: Array, follow: Array | float, arrive: Array, others: Array, wide: Array, wide_to: Array) -> Array:
    """Rate of moves of one task from a group on to another number, as far as the grids let it be one move.

    Parameters
    ----------
    going : ndarray
        Rate at which tasks go on; `follow` is how many of those that end do.
    arrive, others : ndarray
        Rates at which tasks come to the group, and of all other moves of the other number.
    wide, wide_to : ndarray
        Steps of the grids, back and on; without end where there is none.
    """
    if nothing(follow):
        return np.zeros(going.shape)
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        most = np.minimum(1.0 + 0.5 * np.where(going > 0, others / going, 0.0), 1e9) * wide / wide_to
        least = (1.0 / np.maximum(follow, 1e-9) + np.where(going > 0, 0.5 * arrive / going, 0.0)) * wide_to / wide
        share = np.where(np.isfinite(wide_to), np.minimum(np.minimum(most, least), 1.0), 0.0)
        return np.where(np.isfinite(wide_to), share * going / (wide * wide_to), 0.0)

"""Where the chances of a chain on two grids are: on a few points of them, which is all that must be solved."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np

from qnsolve.numerics.series import Array, Places
from qnsolve.zos.hosts.alike_answers import near

SMALL, FEW = 400, 30  # points of both grids, and of the phases alone, up to which all are solved at once
COARSE = 3  # points of a grid of which one is looked at first
NEVER = 1e-11  # share of the chances, and of the means, that is left out
LOST = 1e-8  # share of them at an end from which on it was cut too far
WIDER = 0.4  # of the points of a window, that it is then made wider by
UNSEEN, MOST = 1e-13, 0.5  # chance over the largest one of a state that is left out, and part of all that pays at most
SAME = 1e-3  # change of its loads up to which a chain is solved on the same points

Solve = Callable[[Places, Places, tuple[int, ...] | None], Array | None]


@dataclass(frozen=True, eq=False)
class KeptWindows:
    """On which points a chain was solved, for another one that is almost the same.

    Attributes
    ----------
    loads : ndarray
        What the chain was like.
    found : dict of (int, int, bool) to (ndarray, ndarray, (int, …))
        By the points of both grids, and whether the last levels are alike: where it was solved, and a likely state.
    careful : dict of (int, int) to bool
        By the points of both grids: whether central moves did not do there.
    looked : dict of (int, int) to (ndarray, ndarray, ndarray)
        By the points of both grids: the chances (n, y) on a few points of the levels and of the phases.
    """

    loads: Array
    found: dict[tuple[int, int, bool], tuple[Places, Places, tuple[int, ...]]] = field(default_factory=dict)
    careful: dict[tuple[int, int], bool] = field(default_factory=dict)
    looked: dict[tuple[int, int], tuple[Places, Places, Array]] = field(default_factory=dict)


def kept_windows(known: dict[tuple[int, int], KeptWindows], key: tuple[int, int], loads: Array) -> KeptWindows:
    """Those of a chain in the last round; new ones if its loads are no longer almost the same."""
    found = known.get(key)
    if found is None or not near(found.loads, loads, SAME):
        found = known[key] = KeptWindows(loads)
    return found


def windowed(
    levels: Array, phases: Array, solve: Solve, alike: bool = False, windows: KeptWindows | None = None
) -> Array | None:  # fmt: skip
    """Stationary chances (N, …, Y) on two grids, 0 where there is next to nothing; None where there are none.

    Parameters
    ----------
    levels, phases : ndarray (N,), (Y,)
    solve : callable
        Chances of the chain on some points of both grids, given a state that is likely (its indices in the whole grids),
        or None where none is known.
    alike : bool
        The last levels are alike without end: none is left out.
    windows : KeptWindows, optional
        Where the chances of a chain that is almost the same are, if known; where they are is noted.
    """
    rows, columns = np.arange(len(levels)), np.arange(len(phases))
    small = len(columns) <= FEW if alike else len(rows) * len(columns) <= SMALL
    seen = windows.found.get((len(rows), len(columns), alike)) if windows is not None else None
    if seen is None:
        few, some = rows if alike else _coarse(rows), _coarse(columns)
        chance = None if small else solve(few, some, None)
        if chance is None:
            return solve(rows, columns, None)
        n, *inner, y = np.unravel_index(int(chance.argmax()), chance.shape)
        likely = (int(few[n]), *(int(i) for i in inner), int(some[y]))
        rows = rows if alike else _between(levels, few, _of_levels(chance))
        columns = _between(phases, some, _of_phases(chance))
    else:
        rows, columns, likely = seen
    while True:
        chance = solve(rows, columns, likely)
        if chance is None:
            return None
        more = rows if alike else _wider(levels, rows, _of_levels(chance)), _wider(phases, columns, _of_phases(chance))
        if len(more[0]) == len(rows) and len(more[1]) == len(columns):
            break
        rows, columns = more
    if windows is not None:
        windows.found[len(levels), len(phases), alike] = rows, columns, likely
    found = np.zeros((len(chance) if alike else len(levels), *chance.shape[1:-1], len(phases)))
    found[rows[0] : rows[0] + len(chance), ..., columns[0] : columns[-1] + 1] = chance
    return found


def likely_states(rows: Places, columns: Places, few: Places, some: Places, chance: Array) -> Places | None:
    """Of the points of two grids those about which chances were seen (N, Y), bool; None where that is most of them.

    Parameters
    ----------
    rows, columns : ndarray of int
        The points.
    few, some : ndarray of int
        Those of either grid that were seen.
    chance : ndarray (n, y)
    """
    there = np.pad(chance > UNSEEN * chance.max(), 1, mode="constant")
    near = there[1:-1, 1:-1].copy()
    for n in range(3):
        for y in range(3):
            near |= there[n : n + len(few), y : y + len(some)]
    ends = [(np.searchsorted(of, at), np.searchsorted(of, at, "right") - 1) for of, at in ((few, rows), (some, columns))]
    found = np.zeros((len(rows), len(columns)), dtype=bool)
    for line in ends[0]:
        for other in ends[1]:
            found |= near[np.ix_(line, other)]
    return found if int(found.sum()) < MOST * found.size else None


def edge_share(levels: Array, phases: Array, some: Places, chance: Array) -> float:
    """Share of the chances, and of both means, on the edge of some states (N, Y), bool, of a grid."""
    around = np.pad(some, 1, mode="edge")
    inner = some.copy()
    for n in range(3):
        for y in range(3):
            inner &= around[n : n + len(some), y : y + some.shape[1]]
    edge, whole = np.where(some & ~inner, chance, 0.0), np.abs(chance)
    share, one, other = 0.0, np.ones(len(levels)), np.ones(len(phases))
    for row, column in ((one, other), (levels, other), (one, phases)):
        share = max(share, float(row @ np.abs(edge) @ column) / max(float(row @ whole @ column), 1e-300))
    return share


def _coarse(points: Places) -> Places:
    """Every third of the points, and the last one."""
    found = points[::COARSE]
    return found if found[-1] == points[-1] else np.append(found, points[-1])


def _of_levels(chance: Array) -> Array:
    return np.asarray(chance.reshape(len(chance), -1).sum(axis=1))


def _of_phases(chance: Array) -> Array:
    return np.asarray(chance.reshape(-1, chance.shape[-1]).sum(axis=0))


def _weights(points: Array, chance: Array) -> Array:
    """Shares of the chances, and of their mean."""
    return np.asarray(chance / chance.sum() + chance * points / max(float(chance @ points), 1e-300))


def _between(points: Array, seen: Places, chance: Array) -> Places:
    """Points of a grid without its ends where next to nothing is, one of those that were seen to spare."""
    weight = _weights(points[seen], chance)
    some = np.flatnonzero((np.cumsum(weight) > NEVER) & (np.cumsum(weight[::-1])[::-1] > NEVER))
    first, last = seen[max(some[0] - 1, 0)], seen[min(some[-1] + 1, len(seen) - 1)]
    return np.arange(first, last + 1)


def _wider(points: Array, kept: Places, chance: Array) -> Places:
    """More points of a grid at a side that was cut where chances are."""
    weight = _weights(points[kept], chance)
    first, last, more = int(kept[0]), int(kept[-1]), int(len(kept) * WIDER) + 1
    low = max(first - more, 0) if weight[0] > LOST else first
    high = min(last + more, len(points) - 1) if weight[-1] > LOST else last
    return np.arange(low, high + 1)

"""Servers that send work elsewhere when all are taken, fed by the very processors that it then goes to, as one Markov chain.

Work comes from processors while these work on it, and less while they work on what came back to them. A Poisson stream
of the same rate finds the first servers taken more often than that.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from qnsolve.numerics.band_matrix import times_inverse
from qnsolve.numerics.series import Array
from qnsolve.zos.hosts.others.company import Company, along, company

from .banded import Moves, anchored, likely_state
from .plane import grid, moves

GROWTHS = (1.2, 1.4, 1.6, 2.0, 3.0)  # of the steps of the grids: the least that makes no more states than so many
STATES = 100  # tasks on the processors times pieces at the first servers, about
CROWD = 40  # users at either servers beside three for each processor: more of them wait at full servers and change nothing
MOST_EACH = 60.0  # pieces that came back, each number of which is told apart
LEAST = 1e-12
NARROW = 4  # phases up to which an elimination is quicker than a band matrix
SELDOM = 1e-4  # share of the time that all first servers are taken up to which the last digits count
MANY = 12  # states from which on half are eliminated at once
ROUNDING = 1e-9  # of times, up to which some may be below 0


@dataclass(frozen=True)
class Feed:
    """What the processors do before and beside; the unit of time is the mean demand of a piece at a first server.

    Attributes
    ----------
    queues : sequence of (load, servers)
        Groups of servers whose tasks wait for a server before they are on the processors.
    pieces : float
        Load of all other work that does not come back.
    last : float
        Of the whole load, pieces whose tasks go to the first servers next.
    engines, back : float
        Processors, and time of a piece that comes back to them.
    flow, visits : float
        Tasks that come to the processors, and pieces that these send to the first servers.
    direct : float
        Tasks that come straight to the first servers.
    users, closed, here : float
        Users who make a part `closed` of what comes, and how many of them are at either servers in the mean.
    """

    queues: Sequence[tuple[float, int]]
    pieces: float
    last: float
    engines: float
    back: float
    flow: float
    visits: float
    direct: float = 0.0
    users: float = 0.0
    closed: float = 0.0
    here: float = 0.0

    @property
    def load(self) -> float:
        """Processors that work which does not come back takes."""
        return sum(load for load, _ in self.queues) + self.pieces

    @property
    def most(self) -> float:
        """Tasks that can be at either servers."""
        return self.users if self.closed > 1 - 1e-9 else np.inf

    def uncrowded(self) -> Feed:
        """The same with no more users at either servers than make a difference."""
        fewer = max(self.here - CROWD - 3 * self.engines, 0.0)
        return replace(self, users=self.users - fewer, here=self.here - fewer)

    def coming(self, tasks: Array) -> Array:
        """What comes when so many tasks are at either servers, over what comes in the mean."""
        if not self.closed:
            return np.ones(tasks.shape)
        away = np.maximum(self.users - self.closed * tasks, 0.0) / max(self.users - self.here, 1e-6 * self.users)
        return np.asarray(1 - self.closed + self.closed * away)


@dataclass(frozen=True)
class Overflow:
    """What the chain says.

    Attributes
    ----------
    chance : ndarray (m + 1,)
        P(n pieces at the first servers).
    share : float
        Share of the pieces that finds all of them taken [0..1].
    longer : float
        Time at the processors of a piece that comes back, over that alone.
    again : float
        Share of those that find all taken when they are done at the processors [0..1].
    """

    chance: Array
    share: float
    longer: float
    again: float


def overflow(feed: Feed, speeds: Array, over: float) -> Overflow:
    """First servers with speeds μ(1 … m); `over` is the load that comes back, as far as known.

    Notes
    -----
    A chain of the tasks on the processors, the pieces that came back, and those at the first servers. Tasks come from the
    processors as from one stage. That they go through a queue and then through a stage of its own makes them come more
    evenly: the ratio of two smaller chains, whose processors are never idle.
    """
    feed = feed.uncrowded()
    load = feed.load
    use = min((load + over) / feed.engines, 0.99)
    top = max(min(20 + 3 * feed.engines + 12 / (1 - use), feed.most), 2.0)
    others = company(list(feed.queues), feed.pieces, feed.engines, int(np.ceil(top)))
    unit, width = min(4 + feed.engines, STATES / (len(speeds) + 1)), STATES / (len(speeds) + 1)
    grids = (grid(unit, float(np.ceil(top)), growth) for growth in GROWTHS)
    tasks = min(grids, key=lambda points: max(len(points), width)) if feed.flow > 0 else np.zeros(1)
    most_back = float(np.ceil(min(12 + 6 * over + top * over / max(load + over, LEAST), feed.most)))
    each = min(6 + over + 2 * over / feed.engines / (1 - use), MOST_EACH)  # steps of several would make their number vary more
    back = grid(each, most_back, 1.6)
    chance, sent = _chain(feed, others, tasks, back, speeds)
    late = float((chance * sent)[:, :, -1].sum())
    share = late / max(float((chance * sent).sum()), LEAST)
    full = chance.sum(axis=2) * (tasks + back[:, None] >= feed.engines)  # no processor is idle
    busy = float(full.sum())
    ready = float(full.sum(axis=0) @ along(others.ready, tasks)) / max(busy, LEAST)
    longer = float(chance.sum(axis=(1, 2)) @ back) / (late * feed.back) if late > LEAST else 1.0
    share *= _evener(feed, max(ready, feed.engines), speeds, back) ** busy
    longer = max(longer, 1.0)
    again = share + (1 - share) / (1 + longer * feed.back * float(speeds[-1]) / max(1 - share, LEAST))
    return Overflow(chance.sum(axis=(0, 1)), share, longer, again)


def _chain(feed: Feed, others: Company, tasks: Array, back: Array, speeds: Array) -> tuple[Array, Array]:
    """Chances of (pieces that came back, other tasks, pieces at the first servers), and the rate to these."""
    leave, visits = feed.flow * along(others.leave, tasks), feed.visits / max(feed.flow, LEAST)
    ends = np.array([leave / along(others.slow(b), tasks) for b in back])
    served = np.array([b / (feed.back * along(others.slow(b), tasks)) for b in back])
    single = np.append(0.0, np.diff(tasks) == 1)  # steps of the grid
    joint = ends * single * min(visits, 1.0)
    coming = feed.coming(back[:, None, None] + np.arange(len(speeds) + 1.0)[:, None] + tasks)  # (B, Z, X)
    rest, rise = (ends - joint)[:, None, :], feed.flow * coming
    rise, fall = moves(tasks, rise - rest, rise + rest, True)
    sent = (ends * visits)[:, :, None] + feed.direct * np.swapaxes(coming, 1, 2)
    apart = sent - joint[:, :, None]
    return _solved(np.swapaxes(rise, 1, 2), np.swapaxes(fall, 1, 2), joint, apart, back, served, speeds), sent


def _evener(feed: Feed, ready: float, speeds: Array, back: Array) -> float:
    """Share that finds all taken where tasks go through two stages on `ready` units, over that where they go through one."""
    load = feed.load
    if min(feed.last, feed.visits, load - feed.last) <= LEAST:
        return 1.0
    first, last = (load - feed.last) / feed.visits, feed.last / feed.visits
    mean = ready * feed.last / load
    at_last = np.arange(np.ceil(min(5 + mean + 4 * np.sqrt(mean), max(STATES / (len(speeds) + 1), 4.0))))
    at_first = np.maximum(ready - mean, feed.engines - at_last)  # the processors are never idle

    def share(before: Array, after: Array, send: Array, apart: Array) -> float:
        part = 1 / np.maximum((before + after + back[:, None]) / feed.engines, 1.0)  # of a processor, for each
        rise = np.where(after < after[-1], before * part / first, 0.0)
        none = np.zeros((*rise.shape, len(speeds) + 1))
        other = (apart * part)[:, :, None] + feed.direct + none
        chance = _solved(rise[:, :, None] + none, none, send * part, other, back, back[:, None] * part / feed.back, speeds)
        sent = ((send * part)[:, :, None] + other) * chance
        return float(sent[:, :, -1].sum() / sent.sum())

    one, none = np.full(1, ready), np.zeros(1)
    single = share(one, none, none, one / (first + last))
    return share(at_first, at_last, at_last / last, 0.0 * at_last) / single if single > LEAST else 1.0


def _solved(ups: Array, downs: Array, joint: Array, apart: Array, back: Array, served: Array, speeds: Array) -> Array:
    """Stationary chances (B, X, Z): pieces that came back, a phase, and pieces at the first servers.

    Parameters
    ----------
    ups, downs : ndarray (B, X, Z)
        Rates to the next phases.
    joint : ndarray (B, X)
        Rate at which a piece goes to the first servers and the phase falls.
    apart : ndarray (B, X, Z)
        Rate at which one does, and the phase stays.
    back : ndarray (B,)
        Grid of the pieces that came back.
    served : ndarray (B, X)
        Rate at which one that came back ends.
    """
    found = _by_band(ups, downs, joint, apart, back, served, speeds) if ups.shape[1] > NARROW else None
    return _eliminated(ups, downs, joint, apart, back, served, speeds) if found is None else found


def _by_band(
    ups: Array, downs: Array, joint: Array, apart: Array, back: Array, served: Array, speeds: Array
) -> Array | None:  # fmt: skip
    """The same as one band matrix; None where all first servers are taken so seldom that it loses digits."""
    none, wide = np.zeros(ups.shape), np.diff(back)
    part = np.append(1 / wide, 0.0)[:, None]  # of those that come back, a step of the grid; beyond it none
    more, less, sent, done, both, over, over_both, ended = (none.copy() for _ in range(8))
    more[:, :-1], less[:, 1:] = ups[:, :-1], downs[:, 1:]
    less[:, 1:, -1] += joint[:, 1:] * (1 - part)
    sent[:, :, :-1], both[:, 1:, :-1] = apart[:, :, :-1], joint[:, 1:, None]
    over[:, :, -1], over_both[:, 1:, -1] = apart[:, :, -1] * part, joint[:, 1:] * part
    done[:, :, 1:] = speeds
    ended[1:] = (served[1:] / wide[:, None])[:, :, None]
    moves_of: Moves = {
        (0, 1, 0): more, (0, -1, 0): less, (0, 0, 1): sent, (0, 0, -1): done, (0, -1, 1): both,
        (1, 0, 0): over, (1, -1, 0): over_both, (-1, 0, 0): ended,
    }  # fmt: skip
    found = anchored(moves_of, likely_state(moves_of))
    if found is None:
        return None
    found = np.maximum(found, 0.0) / found.sum()
    return found if float(found[:, :, -1].sum()) > SELDOM else None


def _eliminated(
    ups: Array, downs: Array, joint: Array, apart: Array, back: Array, served: Array, speeds: Array
) -> Array:  # fmt: skip
    """The same, by elimination of the numbers of pieces that came back."""
    count, width, places = ups.shape
    size, wide = width * places, np.diff(back)
    at, each = np.arange(size).reshape(width, places), np.arange(size)
    full = at[:, -1]
    here, up = np.zeros((count, size, size)), np.zeros((count, width, size))  # within a level; up, where all are taken
    here[:, at[:-1], at[1:]] += ups[:, :-1]
    here[:, at[1:], at[:-1]] += downs[:, 1:]
    here[:, at[:, 1:], at[:, :-1]] += speeds
    here[:, at[:, :-1], at[:, 1:]] += apart[:, :, :-1]
    here[:, at[1:, :-1], at[:-1, 1:]] += joint[:, 1:, None]
    up[:, np.arange(width), full] = apart[:, :, -1]
    up[:, np.arange(1, width), full[:-1]] += joint[:, 1:]
    part = np.append(1 / wide, 0.0)[:, None, None]  # of those that come back, a step of the grid; beyond it none
    here[:, full] += up * (1 - part)
    up *= part
    ratios: list[Array] = []
    for b in range(count - 1, -1, -1):
        down = np.repeat(served[b], places) / (wide[b - 1] if b else 1.0)
        matrix = -here[b]
        matrix[each, each] = 0.0
        matrix[each, each] = down - matrix.sum(axis=1)  # all that leaves, without a difference [Grassmann1985]
        if b:
            ratios.append(times_inverse(up[b - 1], matrix))
            here[b - 1][full] += ratios[-1] * down
    found = np.zeros((count, size))
    found[0] = _stationary(np.maximum(-matrix, 0.0))
    for b, ratio in enumerate(reversed(ratios), start=1):
        found[b] = found[b - 1][full] @ ratio
        found /= max(float(found[b].max()), 1.0)
    total: Array = (found / found.sum()).reshape(ups.shape)
    return total


def _stationary(moves: Array) -> Array:
    """Stationary probabilities of a small chain from its rates, by elimination without a subtraction [Grassmann1985].

    Of many states half are eliminated at once.
    """
    rates, size = moves.copy(), len(moves)
    if size > MANY:
        half = size // 2
        inner, out = -rates[half:, half:], rates[half:, :half]
        np.fill_diagonal(inner, 0.0)
        np.fill_diagonal(inner, out.sum(axis=1) - inner.sum(axis=1))
        try:
            ratio = times_inverse(rates[:half, half:], inner)
        except np.linalg.LinAlgError:  # never left, in the digits that there are
            ratio = np.full((half, 1), np.nan)
        if np.isfinite(ratio).all() and float(ratio.min()) >= -ROUNDING * float(ratio.max()):  # or next to never left
            ratio = np.maximum(ratio, 0.0)
            first = _stationary(rates[:half, :half] + ratio @ out)
            whole = np.concatenate((first, first @ ratio))
            return np.asarray(whole / whole.sum())
    for n in range(size - 1, 0, -1):
        rates[:n, n] /= max(float(rates[n, :n].sum()), 1e-300)
        rates[:n, :n] += rates[:n, n, None] * rates[n, :n]
    found = np.ones(size)
    for n in range(1, size):
        found[n] = found[:n] @ rates[:n, n]
    total: Array = found / found.sum()
    return total

"""Open work before one limit as a chain of two counts inside: tasks on the CPs and elsewhere, or those of two kinds.

A chain of the tasks inside alone takes those on the CPs to be as many at each moment as they are in the long run with so many
inside. They are as many as came of late: a limit that is full for a short while finds the CPs as they were before. It also
takes the kinds of work to be there as in the mean. A limit is full when many long tasks are there, and what they do off the
CPs leaves these to the short ones.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from qnsolve.numerics.level_chain import EndlessLevels, StiffChainError, probabilities
from qnsolve.numerics.series import Array, Places
from qnsolve.zos.hosts.chains.birth_death import Crowd

SELDOM = 1e-8  # chance of more of the first count, or of fewer inside, that is left out
LARGEST = 4e7  # multiplications of a chain up to which it is solved
TAIL = 1e-12  # of the line that is left out
LONGEST = 20_000  # tasks of it

Ends = Callable[[Places, Places], tuple[Array, Array, Array]]


def limit_of_two_counts(stream: float, on_cps: Array, elsewhere: Array, rounds: float, alone: Array) -> Crowd | None:
    """The tasks in and before a limit, on the CPs and elsewhere; None where it would take long, or they cannot be held.

    Exact for tasks all alike where what leaves the CPs depends on the number there, and so does what leaves elsewhere.

    Parameters
    ----------
    stream : float
        Tasks that come [1/s].
    on_cps, elsewhere : ndarray (size,)
        Rates at which 1, 2, … tasks there end a task's whole time there [1/s].
    rounds : float
        How often a task goes to the CPs, and then elsewhere.
    alone : ndarray (size + 1,)
        Chances of so many inside by one count, in proportion.
    """
    if min(on_cps.min(), elsewhere.min()) <= 0:
        return None
    here, there = (np.append(0.0, np.cumsum(np.log(rates))) for rates in (on_cps, elsewhere))
    full = np.exp(-here - there[::-1] - (-here - there[::-1]).max())  # as in a product form
    most = max(int(np.searchsorted(np.cumsum(full), (1 - SELDOM) * full.sum())), 1)
    out, back = rounds * np.append(0.0, on_cps), rounds * np.append(0.0, elsewhere)

    def ends(first: Places, second: Places) -> tuple[Array, Array, Array]:
        return np.zeros(len(first)), back[second] / rounds, np.array([out[first], back[second] * (1 - 1 / rounds)])

    return _crowd(stream, 1.0, len(on_cps), most, alone, ends)


def limit_of_two_kinds(stream: float, share: float, first: Array, second: Array, alone: Array) -> Crowd | None:
    """The same of tasks of two kinds, in order of arrival.

    Exact for M/H2/c, and as a chain of the tasks inside is for one kind.

    Parameters
    ----------
    stream : float
    share : float
        Of the tasks that come, those of the first kind.
    first, second : ndarray (size + 1, size + 1)
        Rates at which tasks of each kind end, by the numbers of both inside [1/s].
    alone : ndarray (size + 1,)
    """
    size = len(first) - 1

    def ends(ones: Places, others: Places) -> tuple[Array, Array, Array]:
        return first[ones, others], second[ones, others], np.zeros((2, len(ones)))

    return _crowd(stream, share, size, size, alone, ends)


def _crowd(stream: float, share: float, size: int, most: int, alone: Array, ends: Ends) -> Crowd | None:
    """The chain of the tasks there, by how many of those inside are of the first count: one that comes is so with a chance.

    `ends` has, by both counts, the rates at which tasks of each leave, and those at which one becomes one of the other.
    """
    begin = int(np.searchsorted(np.cumsum(alone), SELDOM * alone.sum()))
    if (size - begin + 10) * float(min(most, size) + 1) ** 3 > LARGEST:
        return None
    up: list[Array] = []
    down: list[Array] = []
    local: list[Array] = []
    for n in range(begin, size + 2):
        inside = min(n, size)
        count = np.arange(min(inside, most) + 1)
        last = len(count) - 1
        ones, others, moves = ends(count, inside - count)
        within = np.zeros((len(count), len(count)))
        within[count[1:], count[:-1]] = moves[0, 1:]
        within[count[:-1], count[1:]] += moves[1, :-1]
        local.append(within)
        if n > begin:
            below = np.zeros((len(count), min(n - 1, size, most) + 1))
            end = below.shape[1] - 1
            if n <= size:
                below[count[1:], np.minimum(count[1:] - 1, end)] += ones[1:]
                below[count, np.minimum(count, end)] += others
            else:  # the next of the line takes the place
                below[count, count] += share * ones + (1 - share) * others
                below[count[1:], count[:-1]] += (1 - share) * ones[1:]
                below[count, np.minimum(count + 1, last)] += share * others
            down.append(below)
        if n <= size:
            above = np.zeros((len(count), min(n + 1, size, most) + 1))
            end = above.shape[1] - 1
            if n < size:
                above[count, np.minimum(count + 1, end)] += share * stream
                above[count, count] += (1 - share) * stream
            else:
                above[count, count] = stream
            up.append(above)
    try:
        chances, tail = probabilities(up, down, local, endless=True)
    except StiffChainError:
        return None
    if tail is None or not 0 <= tail.mean < np.inf or float(tail.phases.min()) < 0:  # more come than go
        return None
    return crowd_of_levels(chances, tail, begin, size, stream)


def crowd_of_levels(chances: list[Array], tail: EndlessLevels, begin: int, size: int, stream: float) -> Crowd | None:
    """The crowd of a chain whose levels are the numbers from `begin` on; None where rounding leaves nothing of its line."""
    by_number = np.array([float(chance.sum()) for chance in chances])
    if by_number[-1] > TAIL:
        above = tail.levels(chances[-1], TAIL, LONGEST - len(by_number))
        if not float(above.max()) <= 1:  # the same, by what rounding leaves of it
            return None
        by_number = np.concatenate((by_number, above))
    chance = np.concatenate((np.zeros(begin), by_number))
    return Crowd(np.arange(float(len(chance))), chance / chance.sum(), np.full(len(chance), stream), size, stream)


def ends_of_two_kinds(
    cpu: Array, off: Array, engines: float, others: float, most: int, size: int
) -> tuple[Array, Array]:  # fmt: skip
    """Rates at which tasks of two kinds end, by the numbers of both inside a limit, as in a product form.

    Parameters
    ----------
    cpu, off : ndarray (2,)
        Of a task of each kind: CPU, and time off the CPs [s].
    engines, others : float
        That they share, and the load of all others there [engines].
    most : int
        Others that are there at once, at most.
    size : int
        Places.
    """
    count = np.arange(size + 1.0)
    logs = np.append(0.0, np.cumsum(np.log(count[1:])))
    unit = float((cpu + off).max()) / size  # so that weights stay in range
    with np.errstate(divide="ignore", invalid="ignore"):
        each = [[np.where(count > 0, count * np.log(t[k] / unit), 0.0) - logs for k in (0, 1)] for t in (cpu, off)]
    together = (count[:, None] + count[None, :]).astype(int)
    here = each[0][0][:, None] + each[0][1][None, :] + _shared(2 * size, engines, others, most)[together]
    away, weight = np.exp(each[1][0][:, None] + each[1][1][None, :]), np.exp(here - here.max())
    whole, beside = np.zeros((size + 1, size + 1)), np.hstack((np.zeros((size + 1, size)), away))
    rows = np.lib.stride_tricks.sliding_window_view(beside, size + 1, axis=1)[:, ::-1]  # away[x, y - j] at [x, j, y]
    for x in np.flatnonzero(weight.any(axis=1)).tolist():
        whole[x:] += weight[x] @ rows[: size + 1 - x]
    first, second = np.zeros((2, size + 1, size + 1))
    whole = np.maximum(whole, 1e-300)
    first[1:] = whole[:-1] / whole[1:] / unit
    second[:, 1:] = whole[:, :-1] / whole[:, 1:] / unit
    return first, second


def speeds_beside(size: int, engines: float, others: float, most: int) -> Array:
    """As many as 1 … `size` units get of engines, each a whole one, beside so much load of others, so many of them at most."""
    return np.arange(1.0, size + 1) * np.exp(-np.diff(_shared(size, engines, others, most)))


def _shared(size: int, engines: float, others: float, most: int) -> Array:
    """Logs of the weights of 0 … `size` units on engines that they share with others, over those of a CPU for each."""
    units = np.arange(1.0, size + most + 1)
    running = np.append(0.0, np.cumsum(np.log(units / np.minimum(units, engines))))  # of so many in all
    count = np.arange(most + 1)
    with np.errstate(divide="ignore", invalid="ignore"):
        beside = np.where(count > 0, count * np.log(others), 0.0) - np.append(0.0, np.cumsum(np.log(np.arange(1.0, most + 1))))
    found = np.arange(size + 1)[:, None] + count[None, :]
    return np.asarray(np.logaddexp.reduce(running[found] + beside, axis=1))


def variation_through_a_tcb(size: int, engines: float, at_tcb: float, cpu: float, off: float) -> float:
    """c² of the ends of tasks of a full limit over a long time: each waits for a TCB, uses a CP, then is off it.

    Parameters
    ----------
    size : int
        Places, always taken: who ends is followed at once, by one who comes to the TCB.
    engines : float
        That all there share.
    at_tcb, cpu, off : float
        Of a task: CPU on the TCB and of its own, and time off the CPs, more than 0 [s].

    References
    ----------
    The variance of the steps of a Markov chain: [Latouche1999].
    """
    lines, pieces = (each.ravel() for each in np.meshgrid(np.arange(size + 1), np.arange(size + 1), indexing="ij"))
    some = lines + pieces <= size
    lines, pieces = lines[some], pieces[some]
    place = np.zeros((size + 2, size + 2), dtype=int)
    place[lines, pieces] = every = np.arange(len(lines))
    share = np.minimum(engines / np.maximum(np.minimum(lines, 1) + pieces, 1), 1.0)
    rates, ends = np.zeros((2, len(every), len(every)))
    at, on, away = lines > 0, pieces > 0, lines + pieces < size
    rates[every[at], place[lines[at] - 1, pieces[at] + 1]] = share[at] / at_tcb
    rates[every[on], place[lines[on], pieces[on] - 1]] = (share * pieces)[on] / cpu
    ends[every[away], place[lines[away] + 1, pieces[away]]] = (size - lines - pieces)[away] / off
    matrix = rates + ends
    matrix -= np.diag(matrix.sum(axis=1))
    chance = np.linalg.solve(np.vstack([matrix.T[:-1], np.ones(len(every))]), np.eye(len(every))[-1])
    each = ends.sum(axis=1)
    mean = float(chance @ each)
    later = np.linalg.solve(np.vstack([matrix[:-1], chance]), np.append(mean - each[:-1], 0.0))
    return 1 + 2 * float(chance @ ends @ later) / mean

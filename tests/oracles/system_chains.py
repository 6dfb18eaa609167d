"""Markov chains of small systems, written down state by state: zIIPs that overflow, requests that hold a CP, limits."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping

import numpy as np
from qnsolve.numerics.markov_chain import explore, stationary

State = tuple[int, ...]
Moves = Callable[[State], Iterator[tuple[float, State]]]
MOST = 40_000  # states


class Chain:
    """A chain from its moves: `mean` of any figure of a state."""

    def __init__(self, start: State, moves: Moves) -> None:
        self.states, origin, target, rate = explore(start, moves, MOST)
        self.chance = stationary(len(self.states), origin, target, rate)

    def mean(self, figure: Callable[[State], float]) -> float:
        """Its mean over time."""
        return float(self.chance @ np.array([figure(state) for state in self.states]))


def of_rates(rates: Mapping[State, Mapping[State, float]]) -> Chain:
    """The chain of rates between states, from the first of them on."""
    return Chain(next(iter(rates)), lambda state: ((rate, target) for target, rate in rates[state].items()))


def one_limit(rate: float, size: int, engines: int, cpu: float, away: float, top: int) -> float:
    """Tasks in and before one limit, each with CPU that all share, and then a time away [count]."""
    rates: dict[State, dict[State, float]] = {}
    for n in range(top + 1):
        for k in range(min(n, size) + 1):
            to = rates.setdefault((n, k), {})
            if n < top:
                to[n + 1, k + (n < size)] = rate
            if k:
                to[n, k - 1] = min(k, engines) / cpu
            if min(n, size) > k:
                to[n - 1, k + (n > size)] = (min(n, size) - k) / away
    return of_rates(rates).mean(lambda state: state[0])


def _moved(state: State, *changes: tuple[int, int]) -> State:
    new = list(state)
    for place, by in changes:
        new[place] += by
    return tuple(new)


def overflow(
    arrivals: Callable[[State], float],
    part: tuple[float, float],
    speeds: np.ndarray,
    engines: int,
    most: int,
    cost: float = 0.0,
) -> Chain:
    """Work of two parts, the first on CPs, the second eligible: on a thread, or on a CP where it finds all taken.

    A state holds the work in its first part, that on threads, and that which overflowed.
    Mean times of the parts at speed 1; `speeds` by threads at work; at most `most` units at once. Work that overflowed
    takes `cost` longer.
    """
    first, second = part
    threads = len(speeds)

    def go(state: State) -> State:
        return _moved(state, (1, 1)) if state[1] < threads else _moved(state, (2, 1))

    def moves(state: State) -> Iterator[tuple[float, State]]:
        on_cp, on_ziip, over = state
        pace = min(1.0, engines / (on_cp + over)) if on_cp + over else 0.0
        if sum(state) < most and arrivals(state) > 0:
            yield arrivals(state), (_moved(state, (0, 1)) if first else go(state))
        if on_cp:
            yield on_cp * pace / first, go(_moved(state, (0, -1)))
        if on_ziip:
            yield float(speeds[on_ziip - 1]) / second, _moved(state, (1, -1))
        if over:
            yield over * pace / (second + cost), _moved(state, (2, -1))

    return Chain((0, 0, 0), moves)


def facility(
    users: list[int], think: list[float], cpu: list[float], asked: list[float], time: float, engines: list[int], serving: int
) -> Chain:
    """Regions, users at each; the QR TCB spins on a CP while requests are at the coupling facility.

    A state holds for each region its users there and whether its TCB is idle (0), computes (1) or is at the facility,
    where it is the first (2), second (3), … in order of arrival. `cpu` is that of a task, along which it sends `asked`
    requests in the mean; `engines` the CPs by LPAR, region i on LPAR i modulo their number. Those that spin have a CP each,
    those that compute share the others.
    """
    size = len(users)

    def pace(state: State, region: int) -> float:
        lpar = region % len(engines)
        phases = [state[2 * j + 1] for j in range(lpar, size, len(engines))]
        left = engines[lpar] - sum(phase >= 2 for phase in phases)
        return min(1.0, max(left, 0) / phases.count(1))

    def moves(state: State) -> Iterator[tuple[float, State]]:
        there = sum(state[2 * i + 1] >= 2 for i in range(size))
        for i in range(size):
            here, phase = state[2 * i], state[2 * i + 1]
            if here < users[i]:
                yield (users[i] - here) / think[i], _moved(state, (2 * i, 1), (2 * i + 1, int(here == 0)))
            if phase == 1:
                yield pace(state, i) / cpu[i], _moved(state, (2 * i, -1), (2 * i + 1, int(here > 1) - 1))
                yield asked[i] * pace(state, i) / cpu[i], _moved(state, (2 * i + 1, 1 + there))
            if 2 <= phase < 2 + serving:
                behind = [(2 * j + 1, -1) for j in range(size) if state[2 * j + 1] > phase]
                yield 1 / time, _moved(state, (2 * i + 1, 1 - phase), *behind)

    return Chain((0, 0) * size, moves)


def tcb_beside_pieces(
    kinds: list[tuple[float, float, bool]], piece: float, rounds: int, rate: float, most: tuple[int, int]
) -> Chain:
    """One CP that a TCB, in order of arrival, and free pieces share equally.

    A state holds the tasks at the TCB, the kind of the piece in service (of the next one, where there is none), and the
    free pieces in their first round, the second, …

    Parameters
    ----------
    kinds : list of (rate, mean, whether a free piece follows)
        Of the pieces on the TCB.
    piece : float
        Mean of a free one.
    rounds : int
        Free pieces of a task, one right after another.
    rate : float
        Tasks that come to free pieces from elsewhere.
    most : tuple of int
        Tasks at the TCB, and free pieces, at once.
    """
    coming = sum(kind[0] for kind in kinds)

    def moves(state: State) -> Iterator[tuple[float, State]]:
        tasks, kind, others = state[0], state[1], sum(state[2:])
        pace = 1 / max((tasks > 0) + others, 1)
        room = others < most[1]
        if tasks < most[0]:
            yield coming, _moved(state, (0, 1))
        if rate and room:
            yield rate, _moved(state, (2, 1))
        if tasks:
            _, mean, follows = kinds[kind]
            for new, (share, _, _) in enumerate(kinds):
                yield share / coming * pace / mean, _moved(state, (0, -1), (1, new - kind), (2, int(follows and room)))
        for place in range(2, 2 + rounds):
            if state[place]:
                on = [(place + 1, 1)] if place + 1 < 2 + rounds else []
                yield state[place] * pace / piece, _moved(state, (place, -1), *on)

    return Chain((0, 0, *[0] * rounds), moves)

"""Markov chains of small systems of the mainframe layer, written down state by state: zIIPs that overflow, requests that hold a CP."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import product

import numpy as np
from qnsolve.kernels.chain import explore, stationary

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


def _moved(state: State, *changes: tuple[int, int]) -> State:
    new = list(state)
    for place, by in changes:
        new[place] += by
    return tuple(new)


def overflow(
    arrivals: Callable[[State], float], part: tuple[float, float], speeds: np.ndarray, engines: int, most: int
) -> Chain:
    """Work of two parts, the first on CPs, the second eligible: on a thread, or on a CP where it finds all taken.

    A state holds the work in its first part, that on threads, and that which overflowed.
    Mean times of the parts at speed 1; `speeds` by threads at work; at most `most` units at once.
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
            yield over * pace / second, _moved(state, (2, -1))

    return Chain((0, 0, 0), moves)


def facility(
    users: list[int], think: list[float], cpu: list[float], asked: list[float], time: float, engines: list[int], serving: int
) -> Chain:
    """Regions on LPARs of their own, users at each; the QR TCB holds its CP while a request is at the coupling facility.

    A state holds for each region its users there and whether its TCB waits for a CP (0), computes (1) or is at
    the facility (2); after each request the CPs are given out anew. `cpu` is that of a task, in 1 + requests pieces; `asked` requests in the mean; `engines` the CPs
    that the regions share, one entry an LPAR: region i is on LPAR i modulo their number.
    """
    size = len(users)

    def dispatched(state: State) -> Iterator[tuple[float, State]]:
        """The ways in which free CPs take TCBs that wait."""
        for lpar, cps in enumerate(engines):
            mine = range(lpar, size, len(engines))
            waiting = [i for i in mine if state[2 * i] and not state[2 * i + 1]]
            if waiting and sum(state[2 * i + 1] > 0 for i in mine) < cps:
                for i in waiting:
                    for chance, new in dispatched(_moved(state, (2 * i + 1, 1))):
                        yield chance / len(waiting), new
                return
        yield 1.0, state

    def moves(state: State) -> Iterator[tuple[float, State]]:
        there = sum(state[2 * i + 1] == 2 for i in range(size))
        for i in range(size):
            here, phase = state[2 * i], state[2 * i + 1]
            if here < users[i]:
                for chance, new in dispatched(_moved(state, (2 * i, 1))):
                    yield chance * (users[i] - here) / think[i], new
            piece = (1 + asked[i]) / cpu[i]
            if phase == 1:
                yield piece * asked[i] / (1 + asked[i]), _moved(state, (2 * i + 1, 1))
                for chance, new in dispatched(_moved(state, (2 * i, -1), (2 * i + 1, -1))):
                    yield chance * piece / (1 + asked[i]), new
            if phase == 2:
                for chance, new in dispatched(_moved(state, (2 * i + 1, -2))):
                    yield chance * min(1.0, serving / there) / time, new

    return Chain((0, 0) * size, moves)


def states_of(users: list[int]) -> int:
    """Bound on the states of `facility`."""
    return len(list(product(*(range(3 * n + 1) for n in users))))

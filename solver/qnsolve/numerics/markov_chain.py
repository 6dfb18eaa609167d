"""Markov chains: reachable states, and their stationary probabilities without subtractions."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable
from typing import TypeVar

import numpy as np
from numpy.lib.stride_tricks import as_strided
from numpy.typing import NDArray

from .series import Array

State = TypeVar("State", bound=Hashable)
Index = NDArray[np.intp]
BLOCK = 32  # states eliminated at once
FAINT = 1e-200  # shares below it are dropped, before they become subnormal and slow


class TooManyStatesError(ArithmeticError):
    """A chain has too many states, or too long arcs, to solve."""


def explore(
    start: State, moves: Callable[[State], Iterable[tuple[float, State]]], most: int
) -> tuple[list[State], Index, Index, Array]:
    """Every state that can be reached, and the arcs between them: from, to, rate.

    Raises
    ------
    TooManyStatesError
        Beyond `most` states.
    """
    index, states = {start: 0}, [start]
    origin, target, rates = [], [], []
    for i, state in enumerate(states):  # grows during the loop
        for rate, following in moves(state):
            j = index.setdefault(following, len(states))
            if j == len(states):
                states.append(following)
                if j >= most:
                    raise TooManyStatesError(f"more than {most:,} states")
            if i != j:
                origin.append(i)
                target.append(j)
                rates.append(rate)
    return states, np.array(origin, dtype=np.intp), np.array(target, dtype=np.intp), np.array(rates)


def stationary(
    count: int, origin: Index, target: Index, rate: Array, work: float = np.inf, place: Index | None = None
) -> Array:
    """Stationary probabilities of a chain, by Grassmann-Taksar-Heyman elimination in a band.

    Only positive terms are added: each probability has nearly full relative precision.
    The states are put in an order that keeps arcs short (Cuthill-McKee where none is given).

    Parameters
    ----------
    count : int
        States.
    origin, target, rate : ndarray (A,)
        Arcs; several from one state to another add up.
    work : float, optional
        Most products.
    place : ndarray (count,), optional
        An order of the states in which arcs are short; computed by default.

    Raises
    ------
    ArithmeticError
        Where some state cannot get back to the first one: a deadlock.
    TooManyStatesError
        Where it needs more products.

    References
    ----------
    [Grassmann1985].
    """
    if count == 1:
        return np.ones(1)
    place = _short_arcs(count, origin, target) if place is None else place
    i, j = place[origin], place[target]
    reach = int(np.abs(i - j).max())
    if count * float(reach) ** 2 > work:
        raise TooManyStatesError(f"{count:,} states with arcs {reach:,} long")
    width = reach + BLOCK  # of a window, and of the band on either side
    band = np.zeros((width + count, 2 * width + 1))  # entry (i, j) at [width + i, width + j − i]
    np.add.at(band, (width + i, width + j - i), rate)
    for end in range(count, 1, -BLOCK):
        _eliminate(_window(band, width, width, end), min(BLOCK, end - 1))
    p = np.zeros(width + count)  # padding before the first state, as in the band
    p[width] = 1.0
    for k in range(1, count):
        p[width + k] = p[width + k - reach : width + k] @ _window(band, width, reach + 1, k + 1)[:-1, -1]
        if p[width + k] > 1e200:
            p /= p[width + k]
    return (p[width:] / p.sum())[place]


def _window(band: Array, width: int, size: int, end: int) -> Array:
    """The matrix of the `size` states before `end`, as a view of its band."""
    step = band.itemsize
    return as_strided(band[width + end - size :, width:], (size, size), (2 * width * step, step))


def _eliminate(a: Array, some: int) -> None:
    """Eliminate the last `some` states of a window; their columns become shares of their outflow."""
    size = len(a)
    left = size - some
    for k in range(size - 1, left - 1, -1):
        row, column = a[k, :k], a[:k, k]
        out = row.sum()
        if not out > 0:
            raise ArithmeticError("some state cannot be left for good")
        column /= out
        column *= column >= FAINT
        row *= row >= FAINT * out
        a[left:k, :k] += np.multiply.outer(column[left:], row)
        a[:left, left:k] += np.multiply.outer(column[:left], row[left:])
    a[:left, :left] += a[:left, left:] @ a[left:, :left]


def _short_arcs(count: int, origin: Index, target: Index) -> Index:
    """A place for each state, the first state first: breadth first from it, few neighbours before many."""
    pairs = np.unique(np.concatenate((origin * count + target, target * count + origin)))
    first = np.searchsorted(pairs, np.arange(count + 1) * count)
    neighbours = pairs % count
    degree = np.diff(first)
    place = np.full(count, -1, dtype=np.intp)
    order = [0]
    place[0] = 0
    for i in order:  # grows during the loop
        fresh = neighbours[first[i] : first[i + 1]]
        fresh = fresh[place[fresh] < 0]
        for j in fresh[np.argsort(degree[fresh], kind="stable")].tolist():
            place[j] = len(order)
            order.append(j)
    return place

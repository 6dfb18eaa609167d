"""Linear equations whose matrices are bands or small, by LAPACK as scipy has it: it is loaded when the first are solved."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from importlib.machinery import PathFinder
from importlib.util import module_from_spec
from pathlib import Path
from threading import local
from typing import Any

import numpy as np

from .series import Array, Places

FIRST, AT_ONCE = 64, 512  # numbers of which chances are found at once, twice as many each time, and at most
SHORTER = 8  # part of them where the chances leave the floats
LARGE, HIGHEST = 1e100, 1e290  # from which on all are scaled, and that of numbers found at once
KEPT = 10_000_000  # numbers of a band matrix whose memory is kept, at most


@cache
def lapack() -> Any:
    """The routines: scipy's own module of them alone where it is found, since all of `scipy.linalg` loads for longer."""
    import scipy

    place = PathFinder.find_spec("_flapack", [str(Path(scipy.__file__).parent / "linalg")])
    if place is not None and place.loader is not None:
        routines = module_from_spec(place)
        place.loader.exec_module(routines)
        return routines
    from scipy.linalg import lapack as all_routines

    return all_routines


class _Room(local):
    """Memory in which one band matrix after another is written: new memory costs more than to solve a small one."""

    def __init__(self) -> None:
        self.numbers = np.empty(0)

    def of(self, count: int) -> Array:
        """Room for so many numbers, which may hold anything."""
        if count > KEPT:
            return np.empty(count)
        if len(self.numbers) < count:
            self.numbers = np.empty(min(2 * count, KEPT))
        return self.numbers[:count]


_room = _Room()


def empty_band(size: int, band: int) -> Array:
    """A matrix of zeros, as `solved` takes it; it is to be solved before the next one is written, in the same memory.

    The room for the exchanges may hold anything.
    """
    rows = 3 * band + 1
    found = _room.of(rows * size).reshape((rows, size), order="F")
    found[band:] = 0.0
    return found


def solved(matrix: Array, band: int, right: Array) -> Array | None:
    """Solution of a system of equations, by LU decomposition with row exchanges; None where there is none in floats.

    Parameters
    ----------
    matrix : ndarray (3·band + 1, S)
        Element (i, j) at [2·band + i - j, j]; what is above is room for the exchanges. It is overwritten.
    band : int
        Diagonals below and above the main one.
    right : ndarray (S,)

    Examples
    --------
    >>> matrix = empty_band(3, 1)
    >>> matrix[1, 1:], matrix[2], matrix[3, :-1] = -1, 2, -1
    >>> solved(matrix, 1, np.array([1.0, 0.0, 1.0])).round(12).tolist()
    [1.0, 1.0, 1.0]
    """
    *_, found, failed = lapack().dgbsv(band, band, matrix, right, overwrite_ab=True)
    return np.asarray(found) if failed == 0 and np.isfinite(found).all() else None


def inverse(matrix: Array) -> Array:
    """The inverse of a small matrix: numpy's, in half the time.

    Raises
    ------
    LinAlgError
        There is none in floats.

    Examples
    --------
    >>> inverse(np.array([[2.0, 1.0], [0.0, 4.0]])).tolist()
    [[0.5, -0.125], [-0.0, 0.25]]
    """
    factors, pivots, failed = lapack().dgetrf(matrix.T)
    if failed:
        raise np.linalg.LinAlgError("Singular matrix")
    return np.asarray(lapack().dgetri(factors, pivots, overwrite_lu=True)[0].T)


def times_inverse(left: Array, matrix: Array) -> Array:
    """A matrix (M, N) times the inverse of a square one (N, N).

    Raises
    ------
    LinAlgError
        There is none in floats.

    Examples
    --------
    >>> times_inverse(np.array([[4.0, 1.0]]), np.array([[2.0, 1.0], [0.0, 4.0]])).tolist()
    [[2.0, -0.25]]
    """
    *_, found, failed = lapack().dgesv(matrix.T, left.T)
    if failed:
        raise np.linalg.LinAlgError("Singular matrix")
    return np.asarray(found.T)


def running_sums(terms: Array, ratio: float) -> Array:
    """y(n) = terms(n) + ratio·y(n - 1), along the first of two axes.

    Examples
    --------
    >>> running_sums(np.ones((4, 1)), 0.5).ravel().tolist()
    [1.0, 1.5, 1.75, 1.875]
    """
    band = np.ones((2, len(terms)), order="F")
    band[1] = -ratio
    found: Array = lapack().dtbtrs(band, terms, uplo="L", diag="U")[0]
    return found


@dataclass(frozen=True, eq=False)
class NumberRates:
    """Rates at which some come to a number n of those there, several at once or alone, and at which one leaves.

    Attributes
    ----------
    tail : ndarray (K,)
        P(more than k of a group come), k = 0, 1, …
    groups, single : callable (B,) to ndarray (B,)
        Rates of groups, and of those that come alone, at each of some n.
    leave : callable (B,) to ndarray (B, J)
        Rates, each more than 0, for J sequences.
    """

    tail: Array
    groups: Callable[[Places], Array]
    single: Callable[[Places], Array]
    leave: Callable[[Places], Array]


def from_below(rates: NumberRates, enough: Callable[[Array], int], most: int) -> Array:
    """Chances of 0, 1, … but for a factor (N, J): each number is left downwards as often as it is passed upwards.

    All terms are 0 or more, so that small chances keep their digits.

    Parameters
    ----------
    rates : NumberRates
    enough : callable (n, J) to int
        How many numbers do, of those found so far; 0 where more are asked for.
    most : int
        Numbers, after which it ends.

    Examples
    --------
    Pairs come half as often as one leaves:

    >>> def all_of_five(found):
    ...     return 5 * (len(found) >= 5)
    >>> rate = lambda each: lambda numbers: np.full(len(numbers), each)
    >>> rates = NumberRates(np.ones(2), rate(1.0), rate(0.0), lambda numbers: np.full((len(numbers), 1), 2.0))
    >>> from_below(rates, all_of_five, 1000).ravel().tolist()
    [1.0, 0.5, 0.75, 0.625, 0.6875]
    """
    found, size = np.ones((1, rates.leave(np.ones(1, dtype=int)).shape[1])), FIRST
    while len(found) < most:
        begin, end = len(found), min(len(found) + size, most)
        new = _next_of(rates, np.arange(begin, end), found)
        if not float(new.max()) < HIGHEST and len(new) > 1:  # or nan
            size = max(size // SHORTER, 1)
            continue
        if not np.isfinite(new).all():
            break
        found, size = np.concatenate((found, new)), min(2 * size, AT_ONCE)
        if (many := enough(found)) > 0:
            return found[:many]
        highest = found[begin:].max(axis=0)
        if float(highest.max()) > LARGE:
            found /= np.maximum(highest, 1.0)
    return found


def _next_of(rates: NumberRates, number: Places, found: Array) -> Array:
    """The next numbers of each sequence: what comes from those found, and a triangular band matrix of themselves."""
    begin, size, leave = int(number[0]), len(number), rates.leave(number)
    reach, old = min(len(rates.tail), size - 1), np.arange(max(begin - len(rates.tail), 0), begin)
    band, right = np.zeros((reach + 1, size), order="F"), np.empty((size, 1))
    np.multiply(-rates.groups(number)[:, None], rates.tail[:reach], out=band.T[:, 1:])
    if reach:
        band[1] -= rates.single(number)
    groups, single = rates.groups(old), float(rates.single(old[-1:])[0])
    new, tail = np.empty(leave.shape), rates.tail[: len(old) + size]
    for column in range(leave.shape[1]):
        band[0] = leave[:, column]
        comes = np.convolve(tail, groups * found[old, column])[len(old) - 1 :][:size]
        right[: len(comes), 0], right[len(comes) :] = comes, 0.0
        right[0, 0] += single * found[begin - 1, column]
        new[:, column] = lapack().dtbtrs(band, right, uplo="L")[0][:, 0]
    return new

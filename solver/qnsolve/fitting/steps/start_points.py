"""Where the searches of a fit begin: places spread over all sizes of its figures, for a search may end where none is best."""

from __future__ import annotations

import numpy as np

from qnsolve.measure.checked_series import Array

PLACES = 64  # that are looked at
LEAST, MOST = 2.0**-7, 2.0  # of a figure, in its unit


def spread_places(figures: int) -> Array:
    """Places (64, figures) of 1/128 to 2, evenly spread in their logarithms: multiples of square roots of primes, less wholes.

    Notes
    -----
    Additive recurrence [Niederreiter1992]: the roots are irrational to each other, so that the places leave no holes.
    """
    roots = np.sqrt(_primes(figures))
    shares = np.modf(np.outer(np.arange(1.0, PLACES + 1), roots))[0]
    return np.asarray(LEAST * (MOST / LEAST) ** shares)


def _primes(count: int) -> Array:
    found: list[int] = []
    number = 2
    while len(found) < count:
        if all(number % prime for prime in found):
            found.append(number)
        number += 1
    return np.array(found, dtype=np.float64)

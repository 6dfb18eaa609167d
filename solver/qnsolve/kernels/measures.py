"""What every network kernel returns."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np

from .series import Array


@dataclass(frozen=True)
class Measures:
    """Mean values of one solved network.

    Attributes
    ----------
    throughput : ndarray (R,)
        X [jobs/time].
    queue_length, residence_time : ndarray (R, K)
        Q [jobs] and R_rk [time]; residence is nan for a class without jobs.
    iterations : int
        0 for a direct method.
    distribution : callable
        `distribution(k)` gives P(n jobs at station k), n = 0, 1, …
    """

    throughput: Array
    queue_length: Array
    residence_time: Array
    distribution: Callable[[int], Array]
    iterations: int = 0
    notes: tuple[str, ...] = field(default=())


def closed_measures(throughput: Array, queue_length: Array, distribution: Callable[[int], Array]) -> Measures:
    """Measures of a closed network: residence time by Little's law."""
    x = throughput[:, None]
    residence = np.divide(queue_length, x, out=np.full(queue_length.shape, np.nan), where=x > 0)
    return Measures(throughput, queue_length, residence, distribution)

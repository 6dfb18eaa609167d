"""What a simulation has counted: since it began, or batch by batch."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, Self

import numpy as np

from qnsolve.numerics.series import Array


@dataclass(frozen=True, eq=False)
class Counts:
    """Base of what a simulation counts: arrays, all of them with an axis for the batches at the front, or none."""

    def vector(self) -> Array:
        """All of it in one row."""
        return np.concatenate([np.ravel(value) for value in vars(self).values() if isinstance(value, np.ndarray)])

    def like(self, rows: Array) -> Self:
        """Several rows of `vector`, by their names."""
        parts: dict[str, Array] = {}
        at = 0
        for name, value in vars(self).items():
            if isinstance(value, np.ndarray):
                parts[name] = rows[:, at : at + value.size].reshape(-1, *value.shape)
                at += value.size
        changes: dict[str, Any] = parts
        return replace(self, **changes)


@dataclass(frozen=True, eq=False)
class Batches(Counts):
    """The counts and integrals of each of B batches after the warm-up.

    Attributes
    ----------
    duration : ndarray (B,)
        [time].
    finished : ndarray (B, R)
        Jobs that had all their visits.
    visits, area, work : ndarray (B, R, K)
        Visits completed; jobs integrated over time; service times completed [time].
    waiting : ndarray (B, R)
        Jobs outside limits, integrated over time.
    asked, delayed : ndarray (B, R)
        Admission requests, and those that waited.
    events : int
    """

    duration: Array
    finished: Array
    visits: Array
    area: Array
    work: Array
    waiting: Array
    asked: Array
    delayed: Array
    events: int

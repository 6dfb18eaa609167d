"""What a model answers at many loads: the form that networks and systems share."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from qnsolve.numerics.series import Array

CAPPED = 0.95  # share of what the fullest center can do, at which the response of an interval that asks for more is taken


@dataclass(frozen=True, eq=False)
class SolvedLoads:
    """Answers at P loads, R classes, C centers.

    Attributes
    ----------
    response : ndarray (P, R)
        [s]; where a center is asked for more than it can do, that at 95 % of what it can; nan for a class without load.
    utilization : ndarray (P, C)
        Share used [0..1].
    offered : ndarray (P,)
        Work asked for over what the fullest center can do; 1 or more where it is saturated.
    fullest : ndarray of int (P,)
    """

    response: Array
    utilization: Array
    offered: Array
    fullest: NDArray[np.intp]


class LoadSolver(Protocol):
    """A model that is solved at many loads."""

    @property
    def centers(self) -> tuple[str, ...]:
        """What can fill up."""

    @property
    def uses(self) -> NDArray[np.bool_]:
        """Whether a class needs a center (R, C)."""

    @property
    def tolerance(self) -> float:
        """How near a growth is sought [log of the load, years]."""

    def solved(self, values: Array, *, quick: bool = False) -> SolvedLoads:
        """Answers at loads of shape (P, R); with `quick`, of those that are saturated only that they are."""

    def notes(self) -> tuple[str, ...]:
        """What a reader must know of the answers."""

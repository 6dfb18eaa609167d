"""The tasks of a region at its limit, at its TCB and as free pieces: weights of how many are there, and are ready."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from qnsolve.numerics.band_matrix import running_sums
from qnsolve.numerics.series import Array

LEAST = -650.0  # log of a weight over the largest one, below which it stays


@dataclass(frozen=True, eq=False)
class RegionTasks:
    """Tasks of a region that come the less often the more of them are there: no more than its limit.

    Attributes
    ----------
    come : ndarray (S,)
        Rate at which they come with 0, 1, … of them there, over that in the mean.
    pieces : float
        Load of its free pieces.
    """

    come: Array
    pieces: float

    def terms(self, load: float, tilt: float, few: int, top: int) -> tuple[Array, Array, Array]:
        """Weights of so many tasks: j of them ready, j below `few`; all; and all times those ready: two (…, top + 1).

        A TCB of such a `load` serves one at a time, and each free piece is served: a product form in which the rates at which
        tasks come go by how many are there in all. `tilt` is the power of that number in all weights.
        """
        with np.errstate(divide="ignore"):
            logs = np.append(0.0, np.cumsum(np.log(self.come[:top])))
        there = np.zeros(top + 1)
        there[: len(logs)] = np.exp(np.maximum(logs - logs.max(), LEAST)) * (logs > -np.inf)
        step, number, pieces = load * tilt, np.arange(top + 1.0), poisson(self.pieces * tilt, top)
        in_line = np.append(0.0, running_sums(pieces[:-1, None] * step, step)[:, 0])  # those with some at the TCB
        ready: Array = np.zeros((min(few, top + 1), top + 1))
        for j in range(len(ready)):
            ready[j, j] = pieces[j]
            if j > 0:
                ready[j, j:] += pieces[j - 1] * step ** (number[j:] - (j - 1))
        whole = pieces + in_line
        at_work = in_line + self.pieces * tilt * np.append(0.0, whole[:-1])
        found: tuple[Array, Array, Array] = ready * there, whole * there, at_work * there
        return found


def poisson(mean: float, top: int) -> Array:
    """Weights of 0 … `top` of a number of Poisson, the largest one 1, none of them lost below what a float holds."""
    if mean <= 0:
        return np.eye(1, top + 1)[0]
    logs = np.concatenate(([0.0], np.cumsum(np.log(mean / np.arange(1, top + 1)))))
    found: Array = np.exp(np.maximum(logs - logs.max(), LEAST))
    return found

"""The range of likely numbers of jobs of each class, from each class by itself."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from .series import Array

ROUNDS = 40
FAINT = 1e-9  # numbers of jobs with a smaller probability are left out
WIDER = 1.5  # classes that wait for each other vary more than each by itself


def windows(arrive: Array, leave: Array, low: Sequence[int], wider: float = WIDER) -> list[tuple[int, int]]:
    """Fewest and most jobs of each class with a probability that counts.

    Each class is a birth-death chain at the mean rates over the others, as if they were
    independent; repeated until the means converge.

    Parameters
    ----------
    arrive, leave : ndarray (R, N_1 + 1, …)
        Rates at every state.
    low : sequence of int (R,)
        Fewest possible jobs.
    wider : float
        Width of the range over that of each class by itself.
    """
    shape = leave.shape[1:]
    alone = [np.where(np.arange(size) >= least, 1.0, 0.0) for size, least in zip(shape, low, strict=True)]
    alone = [p / p.sum() for p in alone]
    for _ in range(ROUNDS):
        for r, size in enumerate(shape):
            births, deaths = (_mean_over_others(rates[r], alone, r) for rates in (arrive, leave))
            logs = np.full(size, -np.inf)
            steps = np.log(np.maximum(births[low[r] : -1], 1e-300)) - np.log(np.maximum(deaths[low[r] + 1 :], 1e-300))
            logs[low[r] :] = np.concatenate(([0.0], np.cumsum(steps)))
            new = np.exp(logs - logs.max())
            alone[r] = 0.5 * alone[r] + 0.5 * new / new.sum()
    found = []
    for r, p in enumerate(alone):
        likely = np.flatnonzero(p > FAINT)
        middle = float(p @ np.arange(len(p)))
        first = middle - wider * (middle - likely[0]) - 3
        last = middle + wider * (likely[-1] - middle) + 3
        found.append((max(low[r], int(first)), min(shape[r] - 1, int(last) + 1)))
    return found


def _mean_over_others(rates: Array, alone: list[Array], r: int) -> Array:
    for s in range(len(alone) - 1, -1, -1):  # from the last axis, so that the others keep their places
        if s != r:
            rates = np.tensordot(rates, alone[s], (s, 0))
    return rates

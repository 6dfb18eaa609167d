"""What no station can pass: its capacity."""

from __future__ import annotations

from qnsolve.numerics.series import Array

LEAST = 2.0**-52  # relative, of a step


def within_capacity(population: Array, think_time: Array, pressure: Array, residence: Array) -> Array:
    """Residence times, raised at a station that would be more than fully busy until it is just that.

    The Linearizer passes full use by up to 0.2 % where a station saturates, a saddle point by 1/N². `pressure` (R, K) is
    the demand over the station's highest speed.
    """
    residence = residence.copy()
    for _ in range(20 * residence.shape[1]):
        cycle = think_time + residence.sum(axis=1)
        cycle[population == 0] = 1.0
        busy = (population / cycle) @ pressure
        k = int(busy.argmax())
        if busy[k] <= 1:
            break
        more, excess = 0.0, 1.0
        while excess > 0:  # Newton from below on a convex function: each step stays below the root, but for rounding
            share = population / (cycle + more * residence[:, k]) * pressure[:, k]
            excess = float(share.sum()) - 1
            slope = float(share / (cycle + more * residence[:, k]) @ residence[:, k])
            more += max(excess / slope, LEAST * (1 + more)) if excess > 0 else 0.0
        residence[:, k] *= 1 + more
    return residence

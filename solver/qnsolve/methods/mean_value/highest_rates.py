"""The capacity bound of stations on approximate answers."""

from __future__ import annotations

from qnsolve.numerics.series import Array


def within_capacity(population: Array, think_time: Array, pressure: Array, residence: Array) -> Array:
    """Residence times, raised at a station with a utilization above 1 until it is 1.

    The Linearizer exceeds utilization 1 by up to 0.2 % where a station saturates, a saddle point by 1/N². `pressure` (R, K) is
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
        low, high = 0.0, 1.0
        while (population / (cycle + high * residence[:, k])) @ pressure[:, k] > 1:
            low, high = high, 2 * high
        for _ in range(60):
            more = (low + high) / 2
            full = (population / (cycle + more * residence[:, k])) @ pressure[:, k] > 1
            low, high = (more, high) if full else (low, more)
        residence[:, k] *= 1 + high
    return residence

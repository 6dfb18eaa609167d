"""The stretch of layered servers, such as TCBs on CPs: time over demand at the host."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from qnsolve.numerics.series import Array

from .shared_servers import seen, shared

OWN = 0.7  # weight of a source's own backlog, fitted to Markov chains
FEW = 300  # users up to which a job is left out of the queue that it sees


def stretched(by_class: Array, jobs: Sequence[float], times: Sequence[float], speeds: Array, users: Array) -> Array:
    """The stretch, time over demand, of each source at shared servers, (J,).

    Parameters
    ----------
    by_class : ndarray (J, R)
        Load of each source [servers], by class; the sum of each above 0.
    jobs : sequence of float (J,)
        Jobs that a source can have there at once: 1 for a TCB; infinite for a stream.
    times : sequence of float (J,)
        Stretch at these loads [ratio].
    speeds : ndarray (m,)
        μ(n), the speed with n = 1 … m jobs; the last one holds beyond.
    users : ndarray (R,)
        Jobs of each class; infinite for one with a rate.

    Raises
    ------
    FullError
        Where the load of the streams exceeds the servers.
    """
    loads = by_class.sum(axis=1)
    found = shared(loads.tolist(), jobs, times, speeds).stretch
    if users[np.isfinite(users)].sum() <= FEW:
        for j in range(len(loads)):
            mix = by_class[j] / loads[j]
            left = by_class @ (1 - mix / users)
            left[j] = loads[j]
            gone = np.where(np.array(jobs) > 1, (by_class > 0) @ mix, 0.0)
            found[j] = seen(left.tolist(), jobs, times, speeds, j, gone)
    streams = by_class[:, np.isinf(users)].sum(axis=1) / loads
    return _backlogs(found, loads, np.where(np.array(jobs) == 1, streams, 0.0), np.array(times))


def _backlogs(stretch: Array, load: Array, part: Array, times: Array) -> Array:
    """The stretch, longer by the backlogs that TCBs build up for work with a rate while they share a CP.

    Two TCBs of equal load on one CP then have what the total, an M/M/1, must have: ρ/(1 − ρ) in place of the
    probability that the other is busy. Of unequal loads, `OWN` is fitted to Markov chains.
    """
    more = part * load * np.maximum(2 - times, 0.0) / np.maximum(1 - load, 0.05)
    others = np.maximum(load.sum() - load, 1e-300)
    tcbs = (load @ part - load * part) / others  # the share of such TCBs in the others
    backlog = OWN * tcbs * more + (1 - OWN) * (load @ more - load * more) / others
    found: Array = 1 + (stretch - 1) * (1 + np.where(part > 0, backlog, 0.0))
    return found

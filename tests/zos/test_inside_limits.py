"""Open work before limits whose tasks are on the CPs and elsewhere: against chains of all states."""

from __future__ import annotations

import numpy as np
import pytest
from qnsolve import zos
from scipy.sparse import csr_matrix
from scipy.sparse.linalg import spsolve

State = tuple[int, ...]
Rates = dict[State, dict[State, float]]


def mean_there(rates: Rates) -> float:
    """Tasks in the mean, the first number of each state [count]."""
    place = {state: i for i, state in enumerate(rates)}
    matrix = np.zeros((len(place), len(place)))
    for state, targets in rates.items():
        for target, rate in targets.items():
            matrix[place[target], place[state]] += rate
            matrix[place[state], place[state]] -= rate
    matrix[0] = 1.0
    chance = spsolve(csr_matrix(matrix), np.eye(len(place))[0])
    return float(sum(state[0] * chance[i] for state, i in place.items()))


def through_a_tcb(rate: float, cpu: float, away: float, size: int, top: int) -> float:
    """Tasks in and before a limit, each on one TCB and then away [count]."""
    rates: Rates = {}
    for n in range(top + 1):
        for k in range(min(n, size) + 1):
            to = rates.setdefault((n, k), {})
            if n < top:
                to[n + 1, k + (n < size)] = rate
            if k:
                to[n, k - 1] = 1 / cpu
            if min(n, size) > k:
                to[n - 1, k + (n > size)] = (min(n, size) - k) / away
    return mean_there(rates)


@pytest.mark.parametrize(("rate", "cpu", "away", "size"), [(1054.0, 1 / 1690, 0.00916, 12), (903.0, 1 / 1200, 0.0193, 23)])
def test_a_limit_that_delays_fill_while_its_tcb_is_as_it_was(rate: float, cpu: float, away: float, size: int) -> None:
    """Within 0.3 % of the chain of both counts; 3 and 2 % too much once, as if the TCB were as full as the limit at once."""
    work = zos.Work("W", rate=rate, regions="R", qr_cpu=cpu, delay=away)
    found = zos.System([zos.Lpar("L", processors=1)], [zos.CicsRegion("R", lpar="L", mxt=size)], [work]).solve()
    there = found["W"].response_time * rate
    assert there == pytest.approx(through_a_tcb(rate, cpu, away, size, 15 * size), rel=0.003)

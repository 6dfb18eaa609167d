"""Bursts whose tasks come to several importances at once: beside exact chains, and simulation of others beside them."""

from __future__ import annotations

from math import comb

import numpy as np
import pytest
from qnsolve import zos

from tests.support.balance import stationary

PIECE = 0.001
SELDOM = 1e-5  # of the load, those that come one by one to see what others wait


def _system(engines: int, burst: int, use: float, seldom: float, importances: int = 2) -> zos.System:
    names = [f"R{k}" for k in range(importances)]
    regions = [zos.CicsRegion(name, lpar="L", mxt=2000, importance=k + 1) for k, name in enumerate(names)]
    rate = use * engines / PIECE
    work = [zos.Work("all", rate=rate, burst=burst, steps=[zos.Step(tuple(names), open_cpu=PIECE)])]
    work += [zos.Work(f"one of {name}", rate=seldom * rate, steps=[zos.Step(name, open_cpu=PIECE)]) for name in names]
    return zos.System(lpars=[zos.Lpar("L", processors=engines)], regions=regions, work=work)


def _exact(engines: int, burst: int, use: float) -> float:
    """Response time by the chain of both numbers: half of each burst goes first, in the mean."""
    tops = 12 + 6 * burst, int(30 + 6 * burst / (1 - use))
    shape = tops[0] + 1, tops[1] + 1
    above, below = (its.ravel() for its in np.indices(shape))
    groups = use * engines / PIECE / burst
    moves = [
        (np.maximum(above - 1, 0), below, np.minimum(above, engines) / PIECE),
        (above, np.maximum(below - 1, 0), np.minimum(below, np.maximum(engines - above, 0)) / PIECE),
    ]
    for more in range(burst + 1):
        to = np.minimum(above + more, tops[0]), np.minimum(below + burst - more, tops[1])
        moves.append((*to, np.full(above.shape, groups * comb(burst, more) / 2**burst)))
    chance = stationary(shape, moves)
    return float(chance @ (above + below)) / (groups * burst)


@pytest.mark.parametrize(("engines", "burst", "use"), [(1, 6, 0.6), (2, 5, 0.5), (2, 8, 0.75), (4, 8, 0.6)])
def test_half_of_each_burst_goes_first(engines: int, burst: int, use: float) -> None:
    """On two engines and more 40 % too short while those of both importances came independently."""
    answer = zos.solve(_system(engines, burst, use, SELDOM))
    assert answer["all"].response_time == pytest.approx(_exact(engines, burst, use), rel=0.025)


@pytest.mark.parametrize(
    ("engines", "burst", "use", "importances", "truth"),
    [
        (1, 10, 0.5, 2, 7.138),
        (1, 10, 0.8, 2, 36.49),
        (2, 10, 0.5, 2, 3.976),  # 37 % too short, and 38 % too long where those above came with them but did not count apart
        (2, 10, 0.8, 2, 18.33),
        (4, 20, 0.7, 2, 8.839),
        (4, 20, 0.6, 3, 6.736),
    ],
)
def test_one_beside_them(engines: int, burst: int, use: float, importances: int, truth: float) -> None:
    """A task of the lowest importance that comes alone does not wait for those of a burst that its own come with [ms]."""
    answer = zos.solve(_system(engines, burst, use, 0.01, importances))
    assert 1e3 * answer[f"one of R{importances - 1}"].response_time == pytest.approx(truth, rel=0.05)

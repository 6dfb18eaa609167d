"""Work below other work that comes in bursts: beside exact chains, and simulation where a TCB or a limit holds the bursts."""

from __future__ import annotations

import numpy as np
import pytest
from qnsolve import zos

from tests.support.balance import stationary

Step = dict[str, float]
Pair = tuple[float, float]
Bursts = tuple[int, int]

OPEN, SHORT, SHORTEST, LONG = {"open_cpu": 4e-4}, {"open_cpu": 2e-4}, {"open_cpu": 8e-5}, {"open_cpu": 8e-4}
OVER_TCB, LIMITED = {"qr_cpu": 1e-4, "open_cpu": 3e-4}, {"qr_cpu": 1.2e-4, "open_cpu": 2.8e-4, "delay": 0.0021}
EXACT = 0.005  # of a response time


def _cpu(step: Step) -> float:
    return step.get("qr_cpu", 0.0) + step.get("open_cpu", 0.0)


def _system(engines: int, above: Step, below: Step, bursts: Bursts, use: Pair, mxt: int = 500) -> zos.System:
    regions = [zos.CicsRegion("A", lpar="L", mxt=mxt), zos.CicsRegion("B", lpar="L", importance=2)]
    steps = zos.Step("A", **above), zos.Step("B", **below)
    rates = [its * engines / _cpu(step) for its, step in zip(use, (above, below), strict=True)]
    works = [zos.Work(f"w{i}", rate=rate, burst=bursts[i], steps=[steps[i]]) for i, rate in enumerate(rates)]
    return zos.System(lpars=[zos.Lpar("L", processors=engines)], regions=regions, work=works)


def _exact(engines: int, pieces: Pair, bursts: Bursts, use: Pair, tops: Bursts) -> float:
    """Response time below by the chain of both numbers: those above take the engines first."""
    shape = tops[0] + 1, tops[1] + 1
    above, below = (its.ravel() for its in np.indices(shape))
    taken = np.minimum(above, engines)
    groups = [its * engines / piece / burst for its, piece, burst in zip(use, pieces, bursts, strict=True)]
    moves = [
        (np.minimum(above + bursts[0], tops[0]), below, np.full(above.shape, groups[0])),
        (above, np.minimum(below + bursts[1], tops[1]), np.full(above.shape, groups[1])),
        (np.maximum(above - 1, 0), below, taken / pieces[0]),
        (above, np.maximum(below - 1, 0), np.minimum(below, engines - taken) / pieces[1]),
    ]
    chance = stationary(shape, moves)
    return float(chance @ below) / (groups[1] * bursts[1])


@pytest.mark.parametrize(
    ("engines", "below", "bursts", "use"),
    [
        (2, SHORT, (4, 1), (0.5, 0.3)),  # 57 % too short
        (2, LONG, (4, 1), (0.5, 0.3)),
        (2, SHORT, (4, 4), (0.5, 0.3)),
        (3, OPEN, (10, 2), (0.3, 0.3)),
        (1, SHORT, (4, 1), (0.5, 0.3)),
    ],
)
def test_beside_the_exact_chain(engines: int, below: Step, bursts: Bursts, use: Pair) -> None:
    """Work above takes the engines several at once; on several engines that was not seen."""
    found = _system(engines, OPEN, below, bursts, use).solve()["w1"].response_time
    assert found == pytest.approx(_exact(engines, (4e-4, _cpu(below)), bursts, use, (90, 250)), rel=EXACT)


@pytest.mark.parametrize(
    ("engines", "above", "below", "bursts", "use", "simulated", "close"),
    [
        (2, OVER_TCB, SHORTEST, (4, 1), (0.5, 0.3), 2.458e-3, 0.1),  # 64 % too short
        (3, OVER_TCB, SHORTEST, (10, 1), (0.8 / 3, 0.5), 1.158e-3, 0.13),
        (4, OPEN, {"qr_cpu": 8e-5}, (4, 1), (0.5, 0.1), 1.117e-3, 0.03),
        (2, OPEN, {"qr_cpu": 2e-4, "open_cpu": 2e-4}, (4, 4), (0.4, 0.3), 3.713e-3, 0.04),
    ],
)
def test_over_tcbs(
    engines: int, above: Step, below: Step, bursts: Bursts, use: Pair, simulated: float, close: float
) -> None:  # fmt: skip
    """A burst in line at a TCB takes one engine, and goes on task by task."""
    assert _system(engines, above, below, bursts, use).solve()["w1"].response_time == pytest.approx(simulated, rel=close)


def test_out_of_a_limit() -> None:
    """An MXT that is seldom full keeps no burst from the CPs: the work below waited as if there were none, 58 % too short."""
    found = _system(1, LIMITED, {"qr_cpu": 8.3e-5}, (4, 1), (0.392, 0.243), mxt=10).solve()["w1"].response_time
    assert found == pytest.approx(1.842e-3, rel=0.11)

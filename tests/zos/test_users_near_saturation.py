"""Users who nearly fill processors, beside simulation: lines and open pieces, and the work left on one CP."""

from __future__ import annotations

import numpy as np
import pytest
from qnsolve import zos

from benchmarks.always_answered import outcome
from benchmarks.families.random_systems import random_system
from benchmarks.system_accuracy import checked
from benchmarks.system_references import load

CLOSE = 0.02  # of a response time


@pytest.mark.parametrize(
    ("salt", "name", "response", "rate"),
    [
        (8, "crowd 4", CLOSE, 0.005),  # 6 CPs 99 % busy, three QR TCBs beside open work: -24 %, X +8.5
        (8, "TOR of CPU 0", CLOSE, 0.002),  # 17 %
        (4, "unlike QR 0", CLOSE, 0.01),  # X -2.6 %: the chain delivered 2 % more than users asked for
        (4, "users 6", 0.1, 0.002),  # one CP 90 % busy, short work beside long: -20 %
        (4, "TOR full 1", CLOSE, 0.001),  # 7.6 %
        (15, "QR beside open 12", CLOSE, 0.003),  # as it was: users who are there are missed far more than the CP idles
        (22, "users 4", 0.03, 0.03),  # a TCB that is never idle beside two that nearly are: R +19 %, X -16
        (16, "crowd 7", CLOSE, 0.003),  # as it was: a full CP
    ],
)
def test_beside_simulation(salt: int, name: str, response: float, rate: float) -> None:
    """Figures in the comments are those before."""
    found = checked(load(salt)[name])
    assert found.works, found.reason
    assert found.response < response
    assert found.throughput < rate


def _one_cp(users: float, think: float) -> zos.System:
    work = [
        zos.Work("short", users=int(users), think_time=think, regions="A", qr_cpu=0.001),
        zos.Work("long", rate=20.0, regions="B", qr_cpu=0.001, open_cpu=0.02),
    ]
    regions = [zos.CicsRegion(name, lpar="L", mxt=2000) for name in "AB"]
    return zos.System(lpars=[zos.Lpar("L", processors=zos.Processors(1))], regions=regions, work=work)


def test_the_more_users_the_nearer_to_a_rate() -> None:
    """Users who ask for 400 a second: the fewer there are the less they wait, and many are as a rate."""
    times = [_one_cp(400 * think, think).solve()["short"].response_time for think in (0.1, 0.5, 2.0, 10.0, 50.0, 1000.0)]
    assert (np.diff(times) > 0).all()
    assert times[-1] == pytest.approx(times[-2], rel=CLOSE)


@pytest.mark.parametrize("seed", [66, 721, 961, 1067, 1068, 1862, 1938, 2431])
def test_random_systems_that_had_a_fault(seed: int) -> None:
    """A limit of work of other importance, time elsewhere below 0, calls that made more of themselves, waits that none has."""
    assert not outcome(seed, random_system(seed)).fault

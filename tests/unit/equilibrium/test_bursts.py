"""Bursts at TCBs and at several CPs, against what is exact."""

import numpy as np
import pytest
from qnsolve import zos
from qnsolve.zos.equilibrium.bursts.groups_at_limits import LONGEST, beyond, chances


def test_bursts_come_back_for_each_dispatch() -> None:
    """Bursts of 4 on an idle host: at two dispatches each, with nothing between, a QR TCB still has all their CPU to do.

    Work left V = (λ·E C²/2 + λ·3·(E C)²/2)/(1 - ρ) = 13.5 ms, 1.5 dispatches of 2 ms to each task: 4.5 tasks, 30 ms. By
    simulation 30.8 ± 0.5 ms. Once the second dispatches came one by one: 17.5 ms.
    """
    work = zos.Work("W", rate=150, burst=4, steps=[zos.Step("R", qr_cpu=0.004, qr_dispatches=2)])
    system = zos.System(lpars=[zos.Lpar("L", processors=16)], regions=[zos.CicsRegion("R", lpar="L", mxt=2000)], work=[work])
    assert system.solve()["W"].response_time == pytest.approx(0.030, rel=0.01)


def test_bursts_on_several_cps() -> None:
    """Open work on 4 CPs in bursts of 12: M[X]/M/4, its chances by the recursion of Little's levels."""
    speed = np.minimum(np.arange(1.0, 5.0), 4) / 0.005
    chance = chances(np.full(LONGEST, 480 / 12), np.zeros(LONGEST), beyond(12), speed)
    assert chance is not None
    exact = float(np.arange(len(chance)) @ chance) / 480
    work = zos.Work("W", rate=480, burst=12, regions="R", open_cpu=0.005)
    system = zos.System(lpars=[zos.Lpar("L", processors=4)], regions=[zos.CicsRegion("R", lpar="L", mxt=2000)], work=[work])
    assert system.solve()["W"].response_time == pytest.approx(exact, rel=0.02)

"""Bursts at TCBs and at several CPs, against what is exact."""

import numpy as np
import pytest
from qnsolve import zos
from qnsolve.zos.equilibrium.bursts.groups_at_limits import LONGEST, beyond, chances


def test_bursts_come_back_for_each_dispatch() -> None:
    """Bursts of 4 on an idle host: at two dispatches each, with nothing between, a QR TCB still has all their CPU to do.

    With 2 ms each and 0.15 tasks a ms the first takes T1 = 2·(1 + 1.5) + 0.3·(T1 + T2), behind half of its mates and all who
    are there, the second T2 = 2·(1 + 3) + 0.3·T1 + 0.3·T1, behind all mates, those who were there for their first, and those
    who came meanwhile: 400/13 ms. By simulation 30.8 ± 0.5 ms. Once the second dispatches came one by one: 17.5 ms.
    """
    work = zos.Work("W", rate=150, burst=4, steps=[zos.Step("R", qr_cpu=0.004, qr_dispatches=2)])
    system = zos.System(lpars=[zos.Lpar("L", processors=16)], regions=[zos.CicsRegion("R", lpar="L", mxt=2000)], work=[work])
    assert system.solve()["W"].response_time == pytest.approx(0.4 / 13, rel=1e-3)


def test_bursts_on_several_cps() -> None:
    """Open work on 4 CPs in bursts of 12: M[X]/M/4, its chances by the recursion of Little's levels."""
    speed = np.minimum(np.arange(1.0, 5.0), 4) / 0.005
    chance = chances(np.full(LONGEST, 480 / 12), np.zeros(LONGEST), beyond(12), speed)
    assert chance is not None
    exact = float(np.arange(len(chance)) @ chance) / 480
    work = zos.Work("W", rate=480, burst=12, regions="R", open_cpu=0.005)
    system = zos.System(lpars=[zos.Lpar("L", processors=4)], regions=[zos.CicsRegion("R", lpar="L", mxt=2000)], work=[work])
    assert system.solve()["W"].response_time == pytest.approx(exact, rel=0.02)

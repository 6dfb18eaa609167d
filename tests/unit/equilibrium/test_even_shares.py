"""TCBs of work with rates beside users on the same CPs: where the line has no end, and that one headroom says so."""

from __future__ import annotations

import numpy as np
import pytest
from qnsolve import zos
from qnsolve.zos.compile.compiled import compiled
from qnsolve.zos.compile.needs import needs
from qnsolve.zos.equilibrium.users.even_shares import beyond_even_share
from qnsolve.zos.equilibrium.working import Working
from qnsolve.zos.hosts.chains.birth_death import FullPoolError
from qnsolve.zos.hosts.demands import at_rest
from qnsolve.zos.point.capacity import capacity
from qnsolve.zos.point.solved import solved_point

from benchmarks.families.ordinary_systems import ordinary_system
from benchmarks.families.random_systems import random_system


def _unloaded(users: int, think: float, qr_cpu: float = 0.3, *, together: bool = False) -> Working:
    """One transaction a second at a QR TCB, users of 1 s of CPU in another region, or in the same one, on one CP."""
    other = "A" if together else "B"
    system = zos.System(
        lpars=[zos.Lpar("L", processors=1)],
        regions=[zos.CicsRegion(name, lpar="L") for name in "AB"],
        work=[
            zos.Work("line", rate=1.0, regions="A", qr_cpu=qr_cpu),
            zos.Work("users", users=users, think_time=think, regions=other, **{"qr_cpu" if together else "open_cpu": 1.0}),
        ],
    )
    form = compiled(system)
    work = Working.unloaded(form, needs(form), at_rest(form), form.rate)
    work.settle_rates()
    return work


def _load(work: Working) -> float:
    return sum(beyond_even_share(work, 1e-6).values())


@pytest.mark.parametrize("users", [1, 2, 9])
def test_users_who_are_always_there_take_even_shares(users: int) -> None:
    """Of a CP with n of them a TCB gets 1/(n + 1)."""
    assert _load(_unloaded(users, 0.0)) == pytest.approx(0.3 * (users + 1), rel=1e-4)


def test_users_who_think_are_there_as_long_as_they_wait() -> None:
    """At speed s there are n = 10 (1/s) / (27 + 1/s) of them, and s + s·n = 1: 27 s² - 16 s - 1 = 0."""
    share = 0.3 / _load(_unloaded(10, 27.0))
    assert share == pytest.approx((16 + (16**2 + 4 * 27) ** 0.5) / 54, rel=1e-4)


def test_users_in_the_same_line_stand_in_it() -> None:
    """Where it has no end they are all in there, and the TCB has the CP to itself."""
    assert _load(_unloaded(9, 0.0, together=True)) == pytest.approx(0.3, rel=1e-4)


def test_a_line_that_gets_what_it_asks_for_has_an_end() -> None:
    """0.3 of a CP beside one user, who leaves a half, and beside three, who leave a quarter."""
    assert not beyond_even_share(_unloaded(1, 0.0), 1.0)
    assert beyond_even_share(_unloaded(3, 0.0), 1.0)


@pytest.mark.parametrize(("seed", "held", "beyond"), [(579, 2.2, 2.6), (597, 1.15, 1.3)])
def test_headroom_is_what_simulation_says(seed: int, held: float, beyond: float) -> None:
    """Simulation settles at the first and not at the second; 2.7 and 2.9 times were said to hold, and not when asked."""
    system = ordinary_system(seed)
    most = zos.headroom(system)
    assert held < most.factor < beyond
    assert zos.growth(system, [most.factor, 1.02 * most.factor]).reasons == ("", f"saturated: {most.center}")


@pytest.mark.parametrize("factor", [1.3, 2.27, 2.9])
def test_far_beyond_the_end_nothing_is_answered(factor: float) -> None:
    """At 2.27 and 2.9 times its work this was answered, at 1.3 it was not; in simulation the line at its TCB grows."""
    with pytest.raises(FullPoolError, match="R00 QR TCB"):
        solved_point(ordinary_system(597), factor)


def test_a_line_of_days_is_no_answer() -> None:
    """Work with a rate was answered with a response time of 230,000 s, before a limit whose places its TCB held."""
    with pytest.raises(FullPoolError, match="R20 QR TCB"):
        solved_point(ordinary_system(542), 1.25)


def test_users_of_higher_importance_take_what_they_need() -> None:
    """Dependent regions below users of higher importance were said to hold 1.79 times the work; simulation grows at 1.78."""
    assert 1.5 < capacity(ordinary_system(588)).factor < 1.78


def test_a_headroom_far_away_is_a_number() -> None:
    """Chances of states that are next to never met left the floats: it ended with an error of Python."""
    assert np.isfinite(capacity(random_system(8211)).factor)

"""First waits of users at limits that are full: closed forms, and rounds that did not settle without them."""

from __future__ import annotations

import numpy as np
import pytest
from qnsolve import zos
from qnsolve.zos.compile.compiled import Pool, compiled
from qnsolve.zos.compile.needs import needs
from qnsolve.zos.equilibrium.limits.waits_at_full import WaitsAtFull
from qnsolve.zos.equilibrium.working import Working
from qnsolve.zos.hosts.demands import at_rest

USERS, THINK, ABOVE, BELOW = 500, 2.0, 0.01, 0.1  # times at the TOR and at the AOR [s]
EXACT = 1e-5


def _waits(tor: int, aor: int) -> dict[str, float]:
    """Waits for the limits of a TOR and an AOR below it whose tasks take times without CPU."""
    steps = [zos.Step("TOR", delay=ABOVE), zos.Step("AOR", delay=BELOW)]
    system = zos.System(
        lpars=[zos.Lpar("L", processors=4)],
        regions=[zos.CicsRegion("TOR", lpar="L", mxt=tor), zos.CicsRegion("AOR", lpar="L", mxt=aor)],
        work=[zos.Work("w", users=USERS, think_time=THINK, steps=steps)],
    )
    form = compiled(system)
    need = needs(form)
    work = Working.unloaded(form, need, at_rest(form), form.rate)
    work.settle_rates()
    before = work.rate.copy(), work.pool_wait.copy()
    limits = {
        int(pool): (np.flatnonzero(form.region == form.pool_region[pool]), float(form.pool_size[pool]))
        for pool in np.flatnonzero(form.pool_kind == Pool.LIMIT)
    }
    found = WaitsAtFull(work, limits, {}).solve()
    assert found is not None
    assert (work.rate == before[0]).all()
    assert (work.pool_wait == before[1]).all()
    return {form.pool_name[pool].split()[0]: wait for pool, wait in zip(limits, found.tolist(), strict=True)}


def test_places_are_left() -> None:
    """Fewer tasks than places: nobody waits."""
    assert _waits(200, 100) == pytest.approx({"TOR": 0.0, "AOR": 0.0}, abs=1e-6)


def test_the_lower_limit_alone() -> None:
    """The AOR lets places/time through; the TOR has room for all."""
    rate = 15 / BELOW
    assert _waits(400, 15) == pytest.approx({"TOR": 0.0, "AOR": USERS / rate - THINK - ABOVE - BELOW}, rel=EXACT, abs=1e-5)


def test_the_upper_limit_alone() -> None:
    """The TOR lets in fewer than the AOR has places for."""
    rate = 12 / (ABOVE + BELOW)
    assert _waits(12, 40) == pytest.approx({"TOR": USERS / rate - THINK - ABOVE - BELOW, "AOR": 0.0}, rel=EXACT, abs=1e-5)


def test_both_limits() -> None:
    """The AOR says what goes through, the TOR how many of those that wait do so below."""
    rate = 15 / BELOW
    below = 20 / rate - ABOVE - BELOW
    assert _waits(20, 15) == pytest.approx({"TOR": USERS / rate - THINK - ABOVE - BELOW - below, "AOR": below}, rel=EXACT)

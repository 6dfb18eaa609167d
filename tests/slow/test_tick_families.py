"""How far the solution of work that begins at ticks is from its simulation, over loads, numbers at a tick, CPs and TCBs."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
from qnsolve import zos
from qnsolve.zos.compile.compiled import compiled
from qnsolve.zos.simulate.simulated_system import simulate_system

pytestmark = pytest.mark.slow
CPU = 0.0005


def family() -> Iterator[tuple[float, dict[str, Any]]]:
    """CPs and work: a QR TCB, open TCBs on 2 and 8 CPs, one after the other, and users."""
    for busy in (0.2, 0.5, 0.8, 0.95):
        for mates in (1, 4, 16):
            yield 8, {"rate": busy / CPU, "tick": mates * CPU / busy, "qr_cpu": CPU}
        for cps in (2, 8):
            for mates in (2, 8, 32):
                rate = cps * busy / CPU
                yield cps, {"rate": rate, "tick": mates / rate, "open_cpu": CPU}
    for cps in (2, 8):
        for busy in (0.3, 0.7, 0.9):
            for on_qr in (0.3, 0.7):
                rate = min(cps, 0.9 / on_qr) * busy / CPU
                yield cps, {"rate": rate, "tick": 8 / rate, "qr_cpu": on_qr * CPU, "open_cpu": (1 - on_qr) * CPU}
    for busy in (0.3, 0.7, 0.9, 1.1):
        for mates in (2, 8):
            for users in (20, 200):
                think = max(users, mates) * CPU / busy
                yield 8, {"users": users, "think_time": think, "tick": mates * CPU / busy, "qr_cpu": CPU}


def test_errors_beside_simulation() -> None:
    """64 systems: response within 3 % in the mean and 8 % at most, throughput within 3 %, beyond the intervals."""
    found = []
    for cps, work in family():
        region = zos.CicsRegion("R", lpar="L", mxt=2000)
        system = zos.System(lpars=[zos.Lpar("L", processors=cps)], regions=[region], work=[zos.Work("W", regions="R", **work)])
        simulated = simulate_system(compiled(system), precision=0.01, most_transactions=1_000_000)
        solved, response, rate = system.solve()["W"], simulated.response(0), simulated.throughput(0)
        off = abs(solved.response_time / response.value - 1) - response.relative
        found.append((max(off, 0.0), max(abs(solved.etr / rate.value - 1) - rate.relative, 0.0)))
    responses, rates = np.array(found).T
    assert len(responses) == 64
    assert responses.mean() < 0.03
    assert responses.max() < 0.08
    assert rates.max() < 0.03

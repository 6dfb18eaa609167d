"""Pieces that are longer than the others, and requests that spin: beside exact chains, the work left to do, and simulation."""

from __future__ import annotations

import numpy as np
import pytest
from qnsolve import zos

CPU, SPIN, RATE = 0.0025, 0.0015, 400.0  # a task's CPU, then its requests [s]; tasks [1/s]
EXACT, SIMULATED = 0.01, 0.13  # of a response time


def _lpar(engines: float, **more: float) -> zos.Lpar:
    return zos.Lpar("L", processors=zos.Processors(engines), **more)


def _response(system: zos.System, work: str = "open") -> float:
    return float(system.solve()[work].response_time)


def test_long_piece_beside_short_ones_is_one_unit() -> None:
    """QR and open pieces beside fixed CPU: were the open piece as many units as it has mean ones, 24 % longer."""
    rate, cpu, fixed, engines = 30.0, 0.025, 0.125, 1.4
    step = zos.Step("AOR", qr_cpu=0.1 * cpu, open_cpu=0.9 * cpu)
    work = zos.Work("open", rate=rate, steps=[step])
    system = zos.System(lpars=[_lpar(engines, fixed_cpu=fixed)], regions=[zos.CicsRegion("AOR", lpar="L")], work=[work])
    load = rate * cpu + fixed
    chance = np.cumprod(np.append(1.0, [load / min(n, engines) for n in range(1, 400)]))
    number = float(chance @ np.arange(400) / chance.sum())
    assert _response(system) == pytest.approx(number / load * cpu, rel=EXACT)


def test_rounds_at_a_tcb_beside_long_open_pieces() -> None:
    """Short pieces in four rounds behind long ones, whose tasks keep a CP afterwards: it was 34 % too long."""
    works = [
        zos.Work("short", rate=22000, steps=[zos.Step("AOR", qr_cpu=8.617e-6, qr_dispatches=4)]),
        zos.Work("long", rate=693, steps=[zos.Step("AOR", qr_cpu=0.0002186, open_cpu=0.0005259, qr_dispatches=1)]),
    ]
    system = zos.System(lpars=[_lpar(2)], regions=[zos.CicsRegion("AOR", lpar="L")], work=works)
    assert _response(system, "short") == pytest.approx(100.6e-6, rel=SIMULATED)
    assert _response(system, "long") == pytest.approx(868e-6, rel=SIMULATED)


def _with_requests(engines: float) -> zos.System:
    step = zos.Step("AOR", open_cpu=CPU, cf_requests={"LOCK": 30})
    facility = zos.CouplingFacility("CF1", processors=100, structures=[zos.Structure("LOCK", service_time=SPIN / 30)])
    return zos.System(
        lpars=[_lpar(engines)], regions=[zos.CicsRegion("AOR", lpar="L")], coupling_facilities=[facility],
        work=[zos.Work("open", rate=RATE * engines / 2, steps=[step])],
    )  # fmt: skip


def test_who_spins_waits_for_no_processor() -> None:
    """Two CPs: a chain of the tasks that share what is left, and those that spin, 30 requests each along its CPU."""
    most, spinning = 150, 3
    states = np.arange(most * spinning).reshape(most, spinning)
    rates = np.zeros((states.size, states.size))
    for n in range(most):
        for s in range(spinning):
            left = min(n, max(2 - s, 0)) / CPU
            ask, end = ((n - 1, s + 1), 30 * left), ((n + 1, s - 1), 30 * s / SPIN)
            for there, rate in (((n + 1, s), RATE), ((n - 1, s), left), ask, end):
                if there[0] < most and 0 <= there[1] < spinning and rate > 0 and there[0] >= 0:
                    rates[states[n, s], states[there]] += rate
    rates[~rates.any(axis=1), 0] = 1.0  # at the end of the states, where both CPs spin
    moves = rates - np.diag(rates.sum(axis=1))
    moves[:, 0] = 1.0
    chance = np.linalg.solve(moves.T, np.eye(states.size)[0]).reshape(most, spinning)
    number = float((chance * (np.arange(most)[:, None] + np.arange(spinning))).sum())
    assert _response(_with_requests(2.0)) == pytest.approx(number / RATE, rel=2 * EXACT)


def test_one_processor_has_the_work_left_of_any_order() -> None:
    """M/G/1: the work left of tasks that send 30 requests along their CPU is known; who spins has the rest of one as well."""
    rate, whole, squares = RATE / 2, CPU + SPIN, 2 * SPIN**2 / 30
    left = rate * (whole**2 + squares / 2) / (1 - rate * whole)
    number = (left - rate * squares / 2) / whole
    assert _response(_with_requests(1.0)) == pytest.approx(number / rate, rel=EXACT)


@pytest.mark.parametrize(("dispatches", "simulated"), [(None, 0.1401), (4, 0.1632)])
def test_tasks_called_in_a_row_wait_once(dispatches: int | None, simulated: float) -> None:
    """Three calls of another LPAR's region, each after the one before, beside long pieces on one CP: +73, +117 %."""
    files = zos.Step("FILES", visits=3, qr_cpu=0.0017, qr_dispatches=dispatches)
    system = zos.System(
        lpars=[zos.Lpar("L0", processors=zos.Processors(4)), _lpar(1)],
        regions=[zos.CicsRegion("AOR", lpar="L0"), zos.CicsRegion("FILES", lpar="L"), zos.CicsRegion("BATCH", lpar="L")],
        work=[
            zos.Work("online", rate=19, steps=[zos.Step("AOR", qr_cpu=0.0005), files]),
            zos.Work("open", rate=112, steps=[zos.Step("BATCH", open_cpu=0.007)]),
        ],
    )
    assert _response(system, "online") == pytest.approx(simulated, rel=0.2)
    assert _response(system, "open") == pytest.approx(0.0497, rel=0.03)

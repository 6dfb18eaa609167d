"""Region of use of the works of a system: how full the busiest center and the fullest limit on their way are."""

from __future__ import annotations

import numpy as np
import pytest
from qnsolve import zos
from qnsolve.zos.compile.compiled import Compiled, compiled
from qnsolve.zos.report import region_of_use
from qnsolve.zos.report.region_of_use import Use, tcb_use, uses


def _form(dispatches: float | None = None) -> Compiled:
    steps = [zos.Step("A", ro_cpu=0.002, delay=0.1, qr_dispatches=dispatches), zos.Step("B", open_cpu=0.01)]
    work = [
        zos.Work("first", rate=100, regions="A", qr_cpu=0.004, open_cpu=0.001, qr_dispatches=dispatches),
        zos.Work("second", rate=50, steps=steps),
        zos.Work("third", rate=10, regions="B", jvm_cpu=0.01, devices={"D": 0.02}),
    ]
    lpars = [zos.Lpar("L", processors=zos.Processors(2, speed=0.5)), zos.Lpar("M", processors=4)]
    regions = [zos.CicsRegion("A", lpar="L", mxt=20), zos.CicsRegion("B", lpar="M", mxt=40, thread_limit=5)]
    return compiled(zos.System(lpars, regions, work, devices=[zos.Device("D", servers=1)]))


@pytest.mark.parametrize("dispatches", [None, 4])
def test_tcbs_are_in_use_by_what_their_tasks_have_to_do(dispatches: float | None) -> None:
    """100/s of 4 ms at half the speed are 80 % of a QR TCB, 50/s of 2 ms 20 % of an RO TCB, however the tasks are served."""
    form = _form(dispatches)
    found = dict(zip(form.pool_name, tcb_use(form, np.array([100.0, 50.0, 10.0])), strict=True))
    assert found["A QR TCB"] == pytest.approx(0.8)
    assert found["A RO TCB"] == pytest.approx(0.2)
    assert found["B QR TCB"] == 0.0


def test_each_work_has_the_use_of_what_it_meets() -> None:
    """The busiest of CPs, TCBs and devices, and the fullest of MXT and threads, along all steps of a work and of no other."""
    form = _form()
    held = np.zeros(len(form.pool_size))
    for name, use in {"A MXT": 0.3, "B MXT": 0.6, "B JVM threads": 0.9, "D": 0.97}.items():
        held[form.pool_name.index(name)] = use
    found = uses(form, np.array([100.0, 50.0, 10.0]), np.array([0.5, 0.85]), held)
    assert [(round(use.center, 9), use.limit) for use in found] == [(0.8, 0.3), (0.85, 0.6), (0.97, 0.9)]


def test_a_region_of_use_has_its_edges_below() -> None:
    """Nothing in use is in the first region, everything full in the last; an edge belongs to the region below it."""
    last = (1, len(region_of_use.CENTERS), len(region_of_use.LIMITS))
    assert (Use(0.0, 0.0).cell, Use(1.0, 1.0, uneven=True).cell) == ((0, 0, 0), last)
    assert Use(region_of_use.CENTERS[0], region_of_use.LIMITS[0]).cell == (0, 0, 0)


def test_bursts_and_lower_importance_are_uneven() -> None:
    """Work in bursts, what shares an LPAR with it, and work below other work; the highest importance in use is not lower."""
    work = [zos.Work(name, rate=10, regions=name.upper() + "X", open_cpu=0.001) for name in ("high", "low", "alone")]
    work.append(zos.Work("bursts", rate=10, burst=3, regions="HIGHX", open_cpu=0.001))
    ranks = {"HIGHX": ("L", 1), "LOWX": ("L", 2), "ALONEX": ("M", 4)}
    regions = [zos.CicsRegion(name, lpar=lpar, importance=rank) for name, (lpar, rank) in ranks.items()]
    form = compiled(zos.System([zos.Lpar("L", processors=2), zos.Lpar("M", processors=2)], regions, work))
    found = uses(form, np.full(4, 10.0), np.zeros(2), np.zeros(len(form.pool_size)))
    assert [use.uneven for use in found] == [True, True, False, True]

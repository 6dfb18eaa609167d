"""A full TOR over an AOR that other work comes to directly: one limit keeps the other full."""

from __future__ import annotations

import numpy as np
import pytest
from qnsolve import zos
from qnsolve.zos.equilibrium.limits.product_form import weights
from qnsolve.zos.equilibrium.limits.series_chain import Below, series


def test_long_direct_tasks_hold_the_places_that_a_full_tor_waits_for() -> None:
    """Against simulation: A 811.5/s and 61.8 ± 2.0 ms, B 42.31/s and 128.9 ± 0.6 ms; 11.6 ms where each limit is alone."""
    regions = [zos.CicsRegion("TOR", lpar="L", mxt=10), zos.CicsRegion("AOR", lpar="L", mxt=10)]
    steps = [zos.Step(regions="TOR", qr_cpu=0.0001), zos.Step(regions="AOR", qr_cpu=0.0004, delay=0.0045)]
    work = [
        zos.Work("A", users=700, think_time=0.8, steps=steps),
        zos.Work("B", users=300, think_time=7.0, regions="AOR", qr_cpu=0.0006, delay=0.12),
    ]
    found = zos.System([zos.Lpar("L", processors=4)], regions, work).solve()
    assert found["A"].response_time == pytest.approx(0.0618, rel=0.05)
    assert found["A"].etr == pytest.approx(811.5, rel=0.005)
    assert found["B"].response_time == pytest.approx(0.1289, rel=0.03)


def test_times_all_alike_are_one_line() -> None:
    """With room for all above, the places below are M/M/c with finite users, whoever comes."""
    size, places, hold, think = 200, 5, 0.5, 1.0
    below = Below(places, hold, hold, np.ones(places + 1), 1.0)
    none = weights(np.full(size, 1e-9))

    def users(most: float) -> object:
        return lambda number: np.maximum(most - number, 0.0) / think

    found = series(size, below, none, 1.0, users(8), users(6), 8.0, 6.0, 100.0, 100.0)  # type: ignore[arg-type]
    total = np.arange(15.0)
    chance = np.cumprod(np.append(1.0, (14 - total[:-1]) / think * hold / np.minimum(total[1:], places)))
    chance /= chance.sum()
    assert found.passed + found.others_rate == pytest.approx(float(chance @ np.minimum(total, places)) / hold, rel=1e-3)
    assert found.waiting + found.others_waiting == pytest.approx(float(chance @ np.maximum(total - places, 0)), rel=1e-2)

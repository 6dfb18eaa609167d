"""Bursts before an MXT whose places are filled by tasks at the QR TCB: who waits outside it, and how long."""

from __future__ import annotations

import numpy as np
import pytest
from qnsolve import zos

MXT = 10


def region(orders: dict[str, float], rate: float, burst: float, other: dict[str, float], others: float) -> zos.System:
    """Bursts of orders, and other work that comes one by one, in a region of ten places on two CPs."""
    work = [zos.Work("orders", rate=rate, burst=burst, steps=[zos.Step("AOR", **orders)])]
    if others:
        work.append(zos.Work("other", rate=others, steps=[zos.Step("AOR", **other)]))
    return zos.System(
        lpars=[zos.Lpar("SYSA", processors=zos.Processors(2))], regions=[zos.CicsRegion("AOR", lpar="SYSA", mxt=MXT)], work=work
    )


def chances(busy: float, burst: int) -> list[float]:
    """P(n tasks), n = 0, 1, …, of M[X]/M/1: as many cross a number upwards as downwards."""
    found = [1 - busy]
    while sum(found) < 1 - 1e-12:
        found.append(busy / burst * sum(found[-burst:]))
    return found


@pytest.mark.parametrize(("burst", "busy"), [(6, 0.5), (20, 0.35), (30, 0.7)])
def test_alike_tasks_as_the_formula_says(burst: int, busy: float) -> None:
    """M[X]/M/1: places of a TCB that serves one task at a time change nothing but where tasks wait; once nobody was delayed."""
    answer = region({"qr_cpu": 1e-3}, 1000 * busy, burst, {}, 0.0).solve()
    chance = np.array(chances(busy, burst))
    there = np.arange(len(chance))
    waits = [float(chance[there + mates >= MXT].sum()) for mates in range(burst)]
    assert answer.work[0].response_time == pytest.approx(1e-3 * (1 + (burst - 1) / 2) / (1 - busy), rel=0.02)
    assert answer.regions[0].waiting == pytest.approx(float(chance @ np.maximum(there - MXT, 0)), rel=0.02, abs=0.02)
    assert answer.regions[0].fraction_delayed == pytest.approx(np.mean(waits), abs=0.01)


QR = {"qr_cpu": 1e-3}
LONG, SHORT = {"qr_cpu": 1e-3, "open_cpu": 1e-3, "delay": 5e-3}, {"qr_cpu": 2e-4, "open_cpu": 3e-4, "delay": 2e-3}


@pytest.mark.parametrize(
    ("orders", "rate", "burst", "other", "others", "simulated"),
    [
        ({"qr_cpu": 5e-4}, 600, 20, {"qr_cpu": 5e-4}, 500, (9.24, 3.95)),
        (QR, 350, 6, {"qr_cpu": 2e-4}, 600, (6.38, 1.024)),
        (QR, 350, 20, {"qr_cpu": 2e-4}, 600, (18.23, 5.44)),
        ({"qr_cpu": 2e-4}, 600, 20, QR, 350, (2.742, 2.302)),
        (LONG, 350, 6, SHORT, 600, (14.70, 5.28)),
        (LONG, 350, 20, SHORT, 600, (32.2, 15.26)),
    ],
)
def test_unlike_work_beside_simulation(
    orders: dict[str, float],
    rate: float,
    burst: float,
    other: dict[str, float],
    others: float,
    simulated: tuple[float, float],
) -> None:
    """As simulated [ms] to 3 %; once -53 to +90 %: all counted as alike, and all waited as long as those of a burst."""
    answer = region(orders, rate, burst, other, others).solve()
    for row, truth in zip(answer.work, simulated, strict=True):
        assert 1e3 * row.response_time == pytest.approx(truth, rel=0.09), row.name

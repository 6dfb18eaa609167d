"""Measured intervals to figures of a model: figures worked out by hand, and one line for what is wrong."""

from __future__ import annotations

from collections.abc import Callable
from math import log

import numpy as np
import pytest
import qnsolve as qn
from qnsolve import measure


def test_a_line_goes_through_its_points() -> None:
    """Exact on a line; by least squares the residuals have no slope left."""
    assert measure.fit_line([1, 2, 4], [3, 5, 9]) == measure.Line(2.0, 1.0)
    x, y = np.array([1.0, 2.0, 3.0, 7.0]), np.array([2.0, 1.0, 5.0, 6.0])
    line = measure.fit_line(x, y)
    left = y - line.intercept - line.slope * x
    assert abs(left.sum()) < 1e-12
    assert abs(left @ x) < 1e-12


def test_a_line_of_least_relative_errors() -> None:
    """Values one percent off to either side: the line is the middle; of others, that of the normal equations.

    y = 1 at x = 1, twice, and y = 10 and 14 at x = 10: weights 1, 1, 1/100, 1/196.
    """
    assert measure.fit_line([1, 1, 10, 10], [0.99, 1.01, 9.9, 10.1], relative=True).slope == pytest.approx(1.0, abs=2e-4)
    x, y = np.array([1.0, 1.0, 10.0, 10.0]), np.array([1.0, 1.0, 10.0, 14.0])
    matrix = np.c_[np.ones(4), x] / y[:, None]
    intercept, slope = np.linalg.solve(matrix.T @ matrix, matrix.T @ np.ones(4))
    line = measure.fit_line(x, y, relative=True)
    assert (line.intercept, line.slope) == pytest.approx((intercept, slope), rel=1e-12)
    with pytest.raises(qn.ModelError, match="y, value 2"):
        measure.fit_line([1, 2], [1, 0], relative=True)


@pytest.mark.parametrize("relative", [False, True])
def test_a_line_in_any_unit(relative: bool) -> None:
    """Seconds or picoseconds: the same line; only values that are all the same are refused."""
    for unit in (1e-90, 1e-13, 1.0, 1e13):
        line = measure.fit_line([unit, 2 * unit, 3 * unit], [3, 5, 7], relative=relative)
        assert (line.intercept, line.slope * unit) == pytest.approx((1, 2), rel=1e-9)
    for x in ([0, 0], [1e-13, 1e-13], [0.1 + 0.2, 0.3]):
        with pytest.raises(qn.ModelError, match="must not all be the same"):
            measure.fit_line(x, [1, 2], relative=relative)
    assert measure.fit_line([1, 2, 3], [1e-99, 1e99, 1e-99], relative=True).slope == pytest.approx(0, abs=1e-99)


def test_laws_are_recovered_from_their_own_figures() -> None:
    """Each fit returns what its intervals were made with."""
    rates = np.array([100.0, 300.0, 700.0])
    law = measure.fit_utilization(rates, (0.2 + 0.004 * rates) / 8, servers=8)
    assert law.demand == pytest.approx(0.004, rel=1e-12)
    assert law.constant == pytest.approx(0.2, rel=1e-12)
    assert measure.fit_utilization([1200], [0.8], 8).demand == pytest.approx(0.8 * 8 / 1200, rel=1e-15)
    engines = np.array([0.5, 2.0, 6.0])
    grown = measure.fit_engines(engines, 0.003 * (1 + 0.1 * np.log(np.maximum(engines, 1.0))))
    assert (grown.cpu_time, grown.growth) == (pytest.approx(0.003), pytest.approx(0.1))
    stripes = np.array([1.0, 2.0, 8.0])
    log_law = measure.fit_stripes(stripes, 1 / (0.002 + 0.004 / stripes))
    assert (log_law.fixed, log_law.striped) == (pytest.approx(0.002), pytest.approx(0.004))
    size = measure.fit_batch(90, 0.1, qn.stations.batch_servers(90, 0.1, 12, 5, geometric=True).response_time, 12)
    assert size == pytest.approx(5, rel=1e-9)
    assert measure.fit_batch(8, 0.1, 0.5) == 1.0


def test_payload_laws_come_back() -> None:
    """Each form from costs that were made with it; a payload in several requests pays the fixed part of each."""
    sizes = np.array([10.0, 100.0, 400.0])
    line = measure.fit_payload(sizes, 3.0 + 0.02 * sizes)
    assert (line.fixed, line.per_unit, line.growth) == (pytest.approx(3.0), pytest.approx(0.02), 0.0)
    assert line.cost(400, requests=4) == pytest.approx(4 * 3.0 + 0.02 * 400)
    list_ = measure.fit_payload(sizes, 2.0 + 0.02 * sizes + 0.001 * sizes**2, "quadratic", fixed=2.0)
    assert (list_.fixed, list_.per_unit, list_.growth) == (2.0, pytest.approx(0.02), pytest.approx(0.001))
    assert list_.cost(30, requests=2) == pytest.approx(2 * (2.0 + 0.02 * 15 + 0.001 * 15**2))
    assert measure.fit_payload([1, 3], [2.0, 4.0], "proportional").per_unit == 1.5
    all_of_it = measure.fit_payload(sizes, 2.0 + 0.02 * sizes + 0.001 * sizes**2, "quadratic", fixed=None)
    assert (all_of_it.fixed, all_of_it.per_unit, all_of_it.growth) == (
        pytest.approx(2.0), pytest.approx(0.02), pytest.approx(0.001),
    )  # fmt: skip


def test_think_time_at_ticks() -> None:
    """The solution's own throughput and response time, a third of a tick, give back the think time that it was given."""
    work = qn.zos.Work("W", users=300, think_time=0.4, tick=0.005, regions="R", qr_cpu=0.0003)
    region = qn.zos.CicsRegion("R", lpar="L", mxt=500)
    found = qn.zos.System(lpars=[qn.zos.Lpar("L", processors=4)], regions=[region], work=[work]).solve()["W"]
    assert measure.fit_think_time([300], [found.etr], [found.response_time], tick=0.005) == pytest.approx(0.4, rel=1e-3)
    assert measure.fit_think_time([300], [600], [0.013], tick=0.005) == pytest.approx(0.5 - 0.0105)


def test_identities_of_an_lpar() -> None:
    """ITR, CPU and busy are one law, read from each side."""
    cpu = measure.cpu_per_transaction(1200, 0.6, 8)
    assert measure.lpar_busy(1200, cpu, 8) == pytest.approx(0.6)
    assert measure.etr_at_busy(measure.itr(1200, 0.6), 0.6) == pytest.approx(1200)
    assert measure.engines_needed(1200, cpu, 0.6) == 8
    assert measure.engines_needed(0, cpu, 0.6) == 1
    assert measure.scaled_cpu_time(0.004, 8, 2.0, 8) == pytest.approx(0.002)
    assert measure.saturation_rate(0.004, 8) == 2000
    assert measure.smt_capacity_factor(2, 1.25) == 1.25
    assert measure.smt_capacity_factor(1, 1.0, threads=1) == 1.0
    assert measure.fit_engines([1, 6], [0.004, 0.005]).growth == pytest.approx(0.25 / log(6))
    with pytest.raises(qn.SaturatedError, match=r"9\.6 engines are needed, 8") as caught:
        measure.lpar_busy(2400, 0.004, 8)
    assert caught.value.highest_rate == pytest.approx(2000)


@pytest.mark.parametrize(
    ("wrong", "text"),
    [
        (lambda: measure.fit_utilization([200, 400], [0.1]), "rates, busy: must have one value for each interval"),
        (lambda: measure.fit_utilization([200, -4], [0.1, 0.2]), r"rates, value 2 = -4.0: must be a number above 0"),
        (lambda: measure.fit_utilization([200, 400], [0.1, 80]), r"busy, value 2 = 80.0: must lie within 0 and 1; write 0.8"),
        (lambda: measure.fit_utilization([200, 200], [0.1, 0.2]), "rates = 200.0: must not all be the same"),
        (lambda: measure.fit_utilization(["x"], [0.1]), "rates = .*: must be a list of numbers"),  # type: ignore[list-item]
        (lambda: measure.fit_utilization([[1.0], [1.0, 2.0]], [0.1]), "rates = .*: must be a list"),  # type: ignore[list-item]
        (lambda: measure.fit_utilization([], [0.1]), r"rates = \[\]: must be a list"),
        (lambda: measure.fit_think_time([1000], [199], [20]), "users, value 1 = 1000.0: must be at least rate times"),
        (lambda: measure.fit_stripes([1, 2], [154, 120]), "the speed falls with more stripes"),
        (lambda: measure.fit_stripes([1, 2], [154, 400]), "grows faster than the stripes"),
        (lambda: measure.fit_stripes([1.5, 2], [154, 200]), "stripes = .*: must be whole numbers"),
        (lambda: measure.fit_engines([1, 2], [0.004, 0]), "cpu_times, value 2 = 0.0: must be a number above 0"),
        (lambda: measure.fit_batch(8, 0.1, 0.05), "response_time = 0.05: must not be less than the service time"),
        (lambda: measure.fit_batch(8, 0.1, 1e9), "longer than that of batches of 100000 jobs"),
        (lambda: measure.fit_payload([1, 2], [1, 2], "cubic"), "form"),  # type: ignore[arg-type]
        (lambda: measure.fit_payload([1, 2], [1, 2], fixed=1), "fixed = 1: is found where the form is a line"),
        (lambda: measure.fit_payload([1, 2], [1, 2], "quadratic", fixed=1.5), "fixed = 1.5: must not be more than any"),
        (lambda: measure.fit_payload([1, 2], [1, 2], "quadratic", fixed=None), "three or more that differ"),
        (lambda: measure.fit_payload([1, 2, 3], [1, 2, 3], fixed=None), "must be a number unless the form"),
        (lambda: measure.fit_payload([0, 2], [1, 2], "proportional"), "sizes, value 1 = 0.0: must be a number above 0"),
        (lambda: measure.itr(1200, 80), "busy = 80: must lie within 0 and 1; write 0.8 for 80 %"),
        (lambda: measure.itr(1200, 0), "busy = 0.0: must be a number above 0"),
        (lambda: measure.smt_capacity_factor(2.5, 1.25), "thread_density = 2.5: must lie within 1 and threads, 2"),
    ],
)
def test_bad_figures_are_one_line(wrong: Callable[[], object], text: str) -> None:
    """Item, value, rule and repair."""
    with pytest.raises(qn.ModelError, match=text) as caught:
        wrong()
    assert "\n" not in str(caught.value)
    assert len(str(caught.value)) < 300
    assert ";" in str(caught.value)

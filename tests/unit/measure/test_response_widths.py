"""Percentiles of a ladder at loads beyond the measured ones: how responses spread where jobs wait in line, or take turns."""

from __future__ import annotations

import numpy as np
import pytest
import qnsolve as qn
from numpy.typing import NDArray
from qnsolve.measure.ladders.closed_curve import Curves
from qnsolve.measure.ladders.response_widths import response_widths

Array = NDArray[np.float64]
LOW, HIGH = np.array([1.0, 2, 4, 8, 16, 24, 32]), np.array([64.0, 128, 256])
LEVELS = {"response_p50": 0.5, "response_p95": 0.95, "response_p99": 0.99}


def _curve(servers: int, service: float, delay: float, nodes: int = 1) -> Curves:
    capacity = nodes * servers / service
    response = service + delay
    knee = response * capacity
    shape = (nodes * servers - 1) / (knee - 1)
    return Curves(np.array([response]), np.array([knee]), np.array([shape]), np.zeros(1), 0.0, nodes)


def _sampled(servers: int, service: float, delay: float, load: int, nodes: int, rng: np.random.Generator) -> Array:
    """Responses of jobs that wait in one line at one of some nodes; those that they find by the arrival theorem."""
    stations = [qn.Queue(f"n{i}", servers=servers) for i in range(nodes)]
    demands = {each.name: service / nodes for each in stations} | {"delay": delay}
    count, each = 200_000, np.zeros(load)
    each[0] = 1.0
    if load > 1:
        users = qn.ClosedClass("jobs", population=load - 1, demands=demands)
        found = qn.solve(qn.Network([*stations, qn.Delay("delay")], [users])).distribution("n0")
        each[: len(found)] = np.asarray(found)[:load]
    ahead = rng.choice(load, count, p=each / each.sum())
    waited = np.maximum(ahead - servers + 1, 0)
    wait = np.where(waited > 0, rng.gamma(np.maximum(waited, 1), service / servers), 0.0)
    return np.asarray(rng.exponential(delay, count) + wait + rng.exponential(service, count))


@pytest.mark.parametrize(("servers", "nodes"), [(1, 1), (8, 1), (2, 3), (1, 3)])
def test_jobs_in_one_line_come_near_the_mean(servers: int, nodes: int) -> None:
    """Exponential times: from percentiles up to 32 jobs those at 256; what they are of the mean changes by half between."""
    rng = np.random.default_rng(7)
    service, delay = 0.002 * servers, 0.003
    curve = _curve(servers, service, delay, nodes)
    there = {n: _sampled(servers, service, delay, int(n), nodes, rng) for n in (*LOW, *HIGH)}

    def over(level: float, loads: Array) -> Array:
        return np.array([np.log(np.quantile(there[n], level) / there[n].mean()) for n in loads])

    noise = 0.02 * rng.normal(size=(len(LEVELS), len(LOW)))
    given = {name: (level, over(level, LOW) + each) for (name, level), each in zip(LEVELS.items(), noise, strict=True)}
    law = response_widths(curve, LOW, given)
    for name, level in LEVELS.items():
        middle, low, high = law.over_mean(name, level, HIGH)
        assert np.exp(middle) == pytest.approx(np.exp(over(level, HIGH)), rel=0.12)
        wide = 1.96 * law.noise + 0.04  # of a measured percentile, and of a time that is not quite log-normal
        assert np.all((low - wide < over(level, HIGH)) & (over(level, HIGH) < high + wide))
    if nodes == 1:
        assert over(0.95, np.array([256.0]))[0] < 0.5 * over(0.95, np.array([8.0]))[0]  # what a constant share would miss


@pytest.mark.parametrize("variation", [0.5, 1.0, 2.0])
def test_jobs_that_take_turns_stay_as_far_from_the_mean(variation: float) -> None:
    """The same share of the mean at all loads, also where most of it is waiting, stays the same beyond."""
    curve = _curve(4, 0.008, 0.002)
    square = np.log1p(variation)
    given = {
        name: (level, np.full(len(LOW), 1.645 * np.sqrt(square) - square / 2)) for name, level in (("response_p95", 0.95),)
    }
    middle, low, high = response_widths(curve, LOW, given).over_mean("response_p95", 0.95, HIGH)
    assert middle == pytest.approx(given["response_p95"][1][0], abs=0.12)
    assert np.all(low <= middle)
    assert np.all(middle <= high)


def test_rows_without_waiting_leave_it_open() -> None:
    """One or two jobs at eight servers do not show how they would wait: the range holds both."""
    curve = _curve(8, 0.016, 0.003)
    given = {"response_p95": (0.95, np.full(2, 1.0))}
    law = response_widths(curve, np.array([1.0, 2.0]), given)
    _, low, high = law.over_mean("response_p95", 0.95, HIGH)
    assert np.all(low < 0.35)
    assert np.all(high > 0.9)
    one = law.over_mean("response_p95", 0.95, np.array([1.0]))
    assert one[0][0] == pytest.approx(1.0, abs=0.1)


def test_many_jobs_at_several_nodes() -> None:
    """Beyond a thousand jobs they are divided as a thousand are: the share of the mean stays."""
    law = response_widths(_curve(2, 0.004, 0.003, 3), LOW, {"response_p95": (0.95, np.full(len(LOW), 0.9))})
    near, far = law.over_mean("response_p95", 0.95, np.array([1000.0, 100_000.0]))[0]
    assert far == pytest.approx(near, abs=0.01)
    one = response_widths(_curve(2, 0.004, 0.003), LOW, {"response_p95": (0.95, np.full(len(LOW), 0.9))})
    assert np.isfinite(one.over_mean("response_p95", 0.95, np.array([100_000.0]))[0]).all()


def test_a_missing_percentile_is_left_out() -> None:
    """A row without one counts for the others."""
    values = np.full(len(LOW), 0.9)
    some = np.where(np.arange(len(LOW)) < 5, values, np.nan)
    law = response_widths(
        _curve(4, 0.008, 0.002), LOW, {"response_p95": (0.95, some), "response_p50": (0.5, -0.2 + 0 * values)}
    )
    assert set(law.offsets) == {"response_p95", "response_p50"}
    assert all(np.isfinite(offset) for offset in law.offsets.values())


def test_a_fit_predicts_percentiles() -> None:
    """`qn.fit` of a ladder: the range holds what threads in one line do, and the page's columns are there."""
    rng = np.random.default_rng(3)
    responses = {n: _sampled(8, 0.016, 0.003, int(n), 1, rng) for n in (*LOW, *HIGH)}
    loads = np.array([*LOW, *HIGH])
    means = np.array([responses[n].mean() for n in loads])
    rates = loads / means
    upper = np.array([np.quantile(responses[n], 0.95) for n in loads])
    noisy = [each * (1 + 0.02 * rng.normal(size=len(loads))) for each in (rates, means, upper)]
    columns = dict(zip(("c.users", "c.rate", "c.response_time", "c.response_p95"), (loads, *noisy), strict=True))
    found = qn.fit(qn.measure.table(columns), held_out=loads > 32)
    assert found.errors["response_p95"] < 0.15
    there = found.predict(HIGH)
    assert np.all((there["c.response_p95.lowest"] < upper[-3:]) & (upper[-3:] < there["c.response_p95.highest"]))

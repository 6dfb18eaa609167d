"""Product form kernels where one scale is not enough, speeds fall, or a distribution would be too long."""

from __future__ import annotations

import numpy as np
import pytest
from qnsolve.methods.product_form import mixed, recal
from qnsolve.methods.product_form.batch_convolution import all_populations, scenarios
from qnsolve.methods.product_form.convolution import _convolved, one_class, populations
from qnsolve.methods.product_form.lattice import lattice
from qnsolve.methods.product_form.load_growth import stretch_slope
from qnsolve.methods.product_form.open_network import delay_distribution, distribution, stretch_of
from qnsolve.methods.product_form.subnetwork import part

FALLS = np.array([1.0] * 30 + [1e-12])  # with 31 jobs there it is 1e12 times slower


@pytest.mark.parametrize("jobs", [60, 400])
def test_a_station_that_all_but_stops_keeps_all_jobs(jobs: int) -> None:
    """The weights of few and of many jobs lie hundreds of powers apart: the rate is the last speed's, by either kernel."""
    demand, speeds = np.array([1.0, 0.5]), [FALLS, np.ones(1)]
    alone = one_class(jobs, 1.0, demand, speeds)
    together = lattice(np.array([jobs]), np.ones(1), demand[None], speeds)
    for found in (alone, together):
        assert found.throughput[0] == pytest.approx(1e-12, rel=1e-9)
        assert found.queue_length[0, 0] == pytest.approx(jobs, rel=1e-9)


def test_populations_on_both_sides_of_a_collapse() -> None:
    """Throughputs at 1 … 60 jobs from a few convolutions are those of each population alone."""
    demand, speeds, sizes = np.array([1.0, 0.5]), [FALLS, np.ones(1)], np.array([1, 20, 31, 60])
    rate, length = populations(sizes, 1.0, demand, speeds)
    for n, x, q in zip(sizes.tolist(), rate, length, strict=True):
        alone = one_class(n, 1.0, demand, speeds)
        assert x == pytest.approx(alone.throughput[0], rel=1e-11)
        np.testing.assert_allclose(q, alone.queue_length[0], rtol=1e-9, atol=1e-12)


def test_all_populations_of_balanced_networks() -> None:
    """K single servers of one demand: N/(N + K - 1)/D at each population; and None where 1e6 s of thinking hide few jobs."""
    demand, jobs = np.array([[0.1] * 3, [2.0] * 3]), np.arange(1, 301)
    found = all_populations(300, np.zeros(2), demand, [[np.ones(1)]] * 3)
    assert found is not None
    np.testing.assert_allclose(found, jobs / (jobs + 2) / demand[:, :1], rtol=1e-12)
    assert all_populations(2000, np.full(2, 1e6), demand, [[np.ones(1)]] * 3) is None


def test_speeds_that_rise_and_collapse_are_refused() -> None:
    """Two kinds of states of one population hundreds of powers apart are an error, not a wrong figure."""
    first = np.repeat([2.5e-17, 4.6e-11, 1.9e-11, 2e5], [11, 41, 56, 15])
    last = np.repeat([1e4, 7.5e6, 1.5e-5], [45, 56, 20])
    with pytest.raises(ArithmeticError, match="underflows"):
        one_class(243, 0.0024, np.array([0.13, 6.4, 42.0]), [first, np.full(59, 102.0), last])
    with pytest.raises(ArithmeticError, match="underflows"):
        lattice(np.array([243]), np.array([0.0024]), np.array([[0.13, 6.4, 42.0]]), [first, np.full(59, 102.0), last])


def test_a_part_with_too_many_jobs_for_one_scale_is_refused() -> None:
    """Where even the largest population alone is too faint there is no smaller part to take its weights from."""
    speeds = np.repeat([1e-10, 1e10], [30, 1])
    with pytest.raises(ArithmeticError, match="too many jobs for one scale"):
        part([40, 40], np.array([[1e-3], [1e3]]), [speeds])


def test_jobs_that_all_but_exclude_each_other_are_refused() -> None:
    """The second job at B is served at 1e-250: what class a sees is below every scale."""
    speeds = [np.ones(1), np.array([1.0, 1e-250])]
    with pytest.raises(ArithmeticError, match="underflows"):
        recal.recal(np.array([1, 2]), np.zeros(2), np.array([[1.0, 0.0], [1.0, 1.0]]), speeds)


def test_a_distribution_of_too_many_states_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    """P(n) at a delay takes one station more than the mean values; beyond the limit it is refused, the means are not."""
    found = recal.recal(np.array([2, 1]), np.ones(2), np.full((2, 2), 0.5), [np.ones(1), None])
    assert found.distribution(1).sum() == pytest.approx(1)
    monkeypatch.setattr(recal, "MOST", 9)
    assert found.distribution(0) @ np.arange(4) == pytest.approx(found.queue_length[:, 0].sum())
    monkeypatch.setattr(recal, "MOST", 3)
    with pytest.raises(ArithmeticError, match="states"):
        found.distribution(1)


def test_scenarios_with_speeds_that_hold_are_those_of_fewer_speeds() -> None:
    """Equal speeds at the end are one: 1, 2, 2, 2 is a station of two servers."""
    population, think, demand = np.array([[5.0]]), np.ones((1, 1)), np.array([[[0.7, 0.4]]])
    long, _, right = scenarios(population, think, demand, [[np.array([1.0, 2.0, 2.0, 2.0])], [np.ones(1)]])
    short = one_class(5, 1.0, demand[0, 0], [np.array([1.0, 2.0]), np.ones(1)])
    assert right[0]
    assert long[0, 0] == pytest.approx(short.throughput[0], rel=1e-13)


def test_a_product_of_series_that_start_late() -> None:
    """Terms beyond the last one sought are left out, and no other."""
    rng = np.random.default_rng(5)
    p, q = rng.random(24), rng.random(24)
    q[:20] = 0.0
    np.testing.assert_allclose(_convolved(p, q), np.convolve(p, q)[:24], rtol=1e-14)


@pytest.mark.parametrize("speeds", [[1.0], [1.0, 2.0], [0.5, 3.0, 3.5]])
def test_residence_grows_from_an_empty_station_as_from_a_nearly_empty_one(speeds: list[float]) -> None:
    """The slope at load 0 is the limit of the difference quotient."""
    own, load = np.array(speeds), 1e-6
    quotient = (stretch_of(load, own) - stretch_of(0.0, own)) / load
    assert stretch_slope(0.0, own) == pytest.approx(quotient, rel=1e-4, abs=1e-4)
    assert stretch_slope(0.0, own) == pytest.approx(stretch_slope(1e-7, own), rel=1e-5, abs=1e-5)


def test_distributions_that_would_be_too_long_are_refused() -> None:
    """Next to saturation a distribution has millions of terms; the mean values do not need it."""
    with pytest.raises(ArithmeticError, match="too long"):
        distribution(np.array([1 - 1e-9]), [np.ones(1)], 0)
    with pytest.raises(ArithmeticError, match="too long"):
        delay_distribution(1e12)
    closed = one_class(20_000, 0.0, np.ones(1), [np.array([1e-6])])
    load, speeds = np.array([1 - 1e-6]), (np.ones(1),)
    with pytest.raises(ArithmeticError, match="20000 closed jobs"):
        mixed.with_open(closed, load, np.ones((1, 1)), speeds, (np.array([1e-6]),)).distribution(0)

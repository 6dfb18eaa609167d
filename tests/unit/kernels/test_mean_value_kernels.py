"""Approximate mean values where a station saturates, a start fails or steps run out."""

from __future__ import annotations

import numpy as np
import pytest
from qnsolve.methods.mean_value import amva as kernel
from qnsolve.methods.mean_value import saddle_point as saddle_module
from qnsolve.methods.mean_value.highest_rates import within_capacity
from qnsolve.methods.mean_value.saddle_point import saddle_point
from qnsolve.methods.product_form.convolution import one_class
from qnsolve.methods.product_form.lattice import lattice
from qnsolve.numerics.fixed_point import NotConvergedError


def test_a_station_ten_times_too_busy_is_made_just_full() -> None:
    """Ten jobs at one server: the residence time is raised from one demand to ten."""
    found = within_capacity(np.array([10.0]), np.zeros(1), np.ones((1, 1)), np.ones((1, 1)))
    assert found[0, 0] == pytest.approx(10.0, rel=1e-12)


def test_classes_of_few_and_of_many_jobs_at_stations_of_their_own() -> None:
    """Two networks that share nothing, solved as one, are those solved apart: 5 and 2000 jobs at several servers."""
    population, think = np.array([5.0, 2000.0]), np.array([4.0, 400.0])
    demand, speeds = np.diag([1.0, 1.0]), [np.arange(1.0, 4.0), np.arange(1.0, 6.0)]
    both = kernel.amva(population, think, demand, speeds, "linearizer")
    for r in range(2):
        exact = one_class(int(population[r]), float(think[r]), demand[r, r : r + 1], speeds[r : r + 1])
        assert both.throughput[r] == pytest.approx(exact.throughput[0], rel=0.02)


def test_shapes_that_do_not_settle_are_reported(monkeypatch: pytest.MonkeyPatch) -> None:
    """Where the rounds run out before the stations' shapes are found, the answer is an error and no figure."""
    model = np.array([3.0, 4.0]), np.ones(2), np.array([[1.0, 0.5], [0.4, 2.0]]), [np.array([1.0, 2.0]), np.ones(1)]
    assert kernel.amva(*model, "linearizer").throughput.min() > 0
    monkeypatch.setattr(kernel, "SHAPED", 0.0)
    with pytest.raises(NotConvergedError):
        kernel.amva(*model, "linearizer")


def test_without_a_saddle_point_the_start_is_equal_shares(monkeypatch: pytest.MonkeyPatch) -> None:
    """Where no saddle point is found the fixed point is reached from elsewhere, and is the same."""
    model = np.array([150.0, 90.0]), np.array([9.0, 3.0]), np.array([[0.1, 0.02], [0.03, 0.08]]), [np.ones(1), np.ones(1)]
    usual = kernel.amva(*model, "linearizer")

    def fails(*_: object) -> None:
        raise ArithmeticError

    monkeypatch.setattr(kernel, "saddle_point", fails)
    again = kernel.amva(*model, "linearizer")
    np.testing.assert_allclose(again.throughput, usual.throughput, rtol=1e-8)


def test_an_expansion_in_too_few_jobs_is_refused() -> None:
    """One job in each of two classes at stations whose speeds differ a millionfold: the correction exceeds what it corrects."""
    speeds = [np.array([1.4e-5, 4.1, 24.7, 2.2e5, 5.4e7]), np.linspace(0.2, 9.9, 22)]
    with pytest.raises(ArithmeticError, match="too few jobs"):
        saddle_point(np.ones(2), np.array([5.25, 0.08]), np.array([[0.0019, 0.0416], [1.6, 0.0079]]), speeds)


def test_where_speeds_collapse_there_is_no_saddle_point() -> None:
    """Forty jobs where the 31st brings the station to a halt: no open network holds forty in the mean."""
    with pytest.raises(ArithmeticError, match="no saddle point"):
        saddle_point(np.array([40.0]), np.ones(1), np.ones((1, 1)), [np.repeat([1.0, 1e-12], [30, 1])])


def test_newton_steps_that_run_out_are_no_saddle_point(monkeypatch: pytest.MonkeyPatch) -> None:
    """Where the steps end before the point is met there is an error and no figure."""
    model = np.array([30.0]), np.ones(1), np.ones((1, 1)), [np.ones(1)]
    assert saddle_point(*model).throughput[0] == pytest.approx(1.0, rel=1e-2)
    monkeypatch.setattr(saddle_module, "STEPS", 1)
    with pytest.raises(ArithmeticError, match="no saddle point"):
        saddle_point(*model)


def test_newton_steps_that_lead_nowhere_start_from_fewer_jobs() -> None:
    """Two classes that crowd one queue each: the saddle point is found by way of smaller populations, near the exact answer."""
    model = np.array([85.0, 1100.0]), np.array([1.38, 0.0]), np.array([[0.73, 5.04], [68.27, 0.12]]), [np.ones(1), np.ones(1)]
    found, exact = saddle_point(*model), lattice(*model)
    np.testing.assert_allclose(found.throughput, exact.throughput, rtol=1e-3)

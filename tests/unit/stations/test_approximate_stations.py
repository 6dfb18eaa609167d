"""Approximate stations: the errors they state are found again, and what must be exact is."""

from __future__ import annotations

import pytest
from qnsolve import ModelError, SaturatedError
from qnsolve.stations import approximate, fork_join, general_service, gig1, gigc, mdc, mg1, mgc, mmc

from benchmarks import one_station
from tests.oracles.two_phase_stations import ERLANG, EXPONENTIAL, Exact, hyperexponential


def test_the_reference_is_exact() -> None:
    """The two-phase stations that errors are measured against agree with M/M/c, M/G/1 and the root of GI/M/2."""
    for servers, busy in ((1, 0.8), (3, 0.8), (16, 0.3)):
        exact, closed = Exact(EXPONENTIAL, EXPONENTIAL, servers, busy), mmc(servers * busy, 1.0, servers)
        assert exact.waiting_time == pytest.approx(closed.waiting_time, rel=1e-9)
        assert exact.probability_wait == pytest.approx(closed.probability_wait, rel=1e-10)
        assert exact.waiting_percentile(0.95) == pytest.approx(closed.waiting_percentile(0.95), rel=1e-5, abs=1e-9)
    for service in (ERLANG, hyperexponential(4.0)):
        exact = Exact(EXPONENTIAL, service, 1, 0.8)
        assert exact.waiting_time == pytest.approx(mg1(0.8, 1.0, service.variation).waiting_time, rel=1e-11)
    root, arrivals = 0.8, hyperexponential(2.0)
    first, (a, b) = arrivals.first, arrivals.rates
    for _ in range(500):  # the root of the transform of the time between arrivals
        root = first * 1.6 * a / (1.6 * a + 2 - 2 * root) + (1 - first) * 1.6 * b / (1.6 * b + 2 - 2 * root)
    exact = Exact(arrivals, EXPONENTIAL, 2, 0.8)
    assert exact.waiting_time / exact.probability_wait == pytest.approx(1 / (2 - 2 * root), rel=1e-10)


@pytest.mark.slow
def test_the_stated_errors_are_found_again() -> None:
    """Every measured error that a note states is what the script finds."""
    stated = {**approximate.MEASURED, "mg1 percentile": general_service.PERCENTILE, "fork-join": fork_join(0.5, 1.0, 3).note}
    assert one_station.sentences() == stated


@pytest.mark.parametrize("servers", [2, 16, 1000, 10**6])
@pytest.mark.parametrize("busy", [1e-9, 0.3, 0.9, 1 - 1e-9])
@pytest.mark.parametrize("variation", [0.0, 1e-9, 0.5, 1.0, 3.0, 100.0])
def test_mgc_rises_with_the_variation(servers: int, busy: float, variation: float) -> None:
    """M/G/c waits between M/D/c and beyond, exact at 0 and 1, never negative or not a number."""
    form = mgc(servers * busy, 1.0, servers, variation)
    constant, exponential = mdc(servers * busy, 1.0, servers), mmc(servers * busy, 1.0, servers)
    assert bool(form.note) == (variation not in {0, 1})
    assert form.waiting_time >= constant.waiting_time * (1 - 1e-12)
    if variation <= 1:
        assert form.waiting_time <= exponential.waiting_time * (1 + 1e-12)
    else:
        assert form.waiting_time >= exponential.waiting_time * (1 - 1e-12)
    assert form.waiting_time <= exponential.waiting_time * (1 + variation) * (1 + 1e-12)
    if servers * (1 - busy) ** 2 < 1e-6:
        assert form.waiting_time == pytest.approx(exponential.waiting_time * (1 + variation) / 2, rel=1e-3)


def test_one_server_with_poisson_arrivals_is_exact() -> None:
    """GI/G/1 with Poisson arrivals has the mean values of Pollaczek and Khinchine, whichever way it is asked."""
    for variation in (0.0, 0.3, 1.0, 5.0):
        exact = mg1(0.7, 1.0, variation)
        assert gig1(0.7, 1.0, 1.0, variation).waiting_time == pytest.approx(exact.waiting_time, rel=1e-12)
        other = gigc(0.7, 1.0, 1, 1.0, variation, approximation="allen-cunneen")
        assert other.waiting_time == pytest.approx(exact.waiting_time, rel=1e-12)
        assert not other.note
        assert not gig1(0.7, 1.0, 1.0, variation).note


def test_gigc_at_its_edges() -> None:
    """Clockwork never waits; no arrivals never wait; regular arrivals wait less; errors name what is wrong."""
    assert gigc(3.0, 1.0, 4, 0.0, 0.0).waiting_time == 0
    for arrivals in (0.0, 0.5, 1.0, 4.0):
        idle = gigc(0.0, 1.0, 4, arrivals, 2.0)
        assert (idle.waiting_time, idle.response_time) == (0, 1)
        assert gigc(1e-9, 1.0, 4, arrivals, 2.0).waiting_time < 1e-8
    waits = [gigc(3.6, 1.0, 4, arrivals, 2.0).waiting_time for arrivals in (0.0, 0.5, 1.0, 2.0, 4.0)]
    assert waits == sorted(waits)
    for arrivals in (0.0, 0.5, 4.0):
        for form in (gig1(0.8, 1.0, arrivals, 0.5), gigc(3.2, 1.0, 4, arrivals, 0.5)):
            assert 0 < form.probability_wait <= 1
            assert form.waiting_exceeds(form.waiting_percentile(0.95)) <= 0.05 * (1 + 1e-9)
    with pytest.raises(ModelError, match="approximation"):
        gigc(1.0, 1.0, 4, approximation="allen")
    with pytest.raises(ModelError, match="arrival_squared_variation"):
        gigc(1.0, 1.0, 4, -1.0)
    with pytest.raises(SaturatedError):
        gigc(4.0, 1.0, 4, 0.0, 0.0)


@pytest.mark.parametrize("busy", [1e-9, 0.3, 0.9, 1 - 1e-9])
def test_percentiles_of_mg1_pass_through_the_exact_ones(busy: float) -> None:
    """Near exponential service the gamma distributions of M/G/1 are those of M/M/1; heavy variation stays finite."""
    near, exact = mg1(busy, 1.0, 1 + 1e-9), mg1(busy, 1.0, 1.0)
    assert "approximate" in near.waiting.note
    assert not exact.waiting.note
    for share in (0.5, 0.95, 1 - 1e-9):
        assert near.response_percentile(share) == pytest.approx(exact.response_percentile(share), rel=1e-6)
        assert near.waiting_percentile(share) == pytest.approx(exact.waiting_percentile(share), rel=1e-6, abs=1e-6)
    for variation in (1e-12, 0.2, 50.0, 1e4):
        form = mg1(busy, 1.0, variation)
        assert (
            form.response_percentile(0.5) <= form.response_percentile(0.95) < form.response_percentile(1 - 1e-9) < float("inf")
        )

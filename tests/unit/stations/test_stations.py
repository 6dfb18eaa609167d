"""The closed forms of one station: against networks, against each other, and at the edges."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import FrozenInstanceError, fields
from math import inf, nan

import pytest
from qnsolve import ModelError, Network, Queue, SaturatedError, solve
from qnsolve.stations import StationForm, batch, erlang_b, finite_population, mg1, mm1, mmc, mmck

from tests.support import zoo


def _same(ours: StationForm, theirs: StationForm, rel: float = 1e-13) -> None:
    for field in fields(StationForm)[:7]:
        assert getattr(ours, field.name) == pytest.approx(getattr(theirs, field.name), rel=rel, abs=1e-300)


@pytest.mark.parametrize("servers", [1, 2, 16, 64, 65, 400])
@pytest.mark.parametrize("busy", [0.05, 0.6, 0.98])
def test_mmc_is_an_open_network(servers: int, busy: float) -> None:
    """M/M/c is an open network of one queue, blocked by nothing."""
    service, rate = 0.25, servers * busy / 0.25
    form = mmc(rate, service, servers)
    result = solve(Network([Queue("cpu", servers=servers)], [zoo.opened("a", rate, cpu=service)]))
    assert form.throughput == rate
    assert form.utilization == pytest.approx(result["cpu"].utilization, rel=1e-13)
    assert form.queue_length == pytest.approx(result["cpu"].queue_length, rel=1e-12)
    assert form.response_time == pytest.approx(result["a"].response_time, rel=1e-12)
    assert form.waiting_time == pytest.approx(result["a", "cpu"].waiting_time, rel=1e-9, abs=2e-12 * service)
    assert form.probability_wait == pytest.approx(result.distribution("cpu")[servers:].sum(), rel=1e-9, abs=1e-15)


@pytest.mark.parametrize("servers", [1, 3, 20, 30])
@pytest.mark.parametrize("think_time", [0.0, 2.0, 50.0])
def test_finite_population_is_a_closed_network(servers: int, think_time: float) -> None:
    """M/M/c//N is a closed network of one queue and a think time."""
    form = finite_population(20, think_time, 0.7, servers)
    result = solve(Network([Queue("cpu", servers=servers)], [zoo.closed("query", 20, think_time, cpu=0.7)]))
    assert form.throughput == pytest.approx(result["query"].throughput, rel=1e-12)
    assert form.utilization == pytest.approx(result["cpu"].utilization, rel=1e-12)
    assert form.queue_length == pytest.approx(result["cpu"].queue_length, rel=1e-12)
    assert form.response_time == pytest.approx(result["query"].response_time, rel=1e-12)


@pytest.mark.parametrize("population", [10**5, 10**6])
def test_finite_population_of_a_million(population: int) -> None:
    """A large population saturates its server, or is as good as Poisson arrivals."""
    crowded = finite_population(population, 1.0, 1.0)
    assert crowded.throughput == pytest.approx(1.0, rel=1e-12)
    assert crowded.queue_length == pytest.approx(population - 1, rel=1e-12)
    thin = finite_population(population, 2.0 * population, 1.0)
    assert thin.response_time == pytest.approx(mm1(0.5, 1.0).response_time, rel=20 / population)


@pytest.mark.parametrize("busy", [0.1, 0.5, 0.95])
def test_special_cases_are_mm1(busy: float) -> None:
    """M/G/1 with exponential service, batches of one, and one server are all M/M/1."""
    rate, service = busy / 0.2, 0.2
    expected = mm1(rate, service)
    assert expected.response_time == pytest.approx(service / (1 - busy), rel=1e-13)
    _same(mmc(rate, service, 1), expected)
    _same(mg1(rate, service, 1.0), expected, 1e-12)
    _same(mg1(rate, service), expected, 1e-12)
    _same(batch(rate, service, 1), expected, 1e-12)


@pytest.mark.parametrize("busy", [0.1, 0.5, 0.95])
def test_constant_service_halves_the_wait(busy: float) -> None:
    """M/G/1 with constant service waits half as long as M/M/1; waiting is linear in the squared variation."""
    rate, service = busy / 0.2, 0.2
    none, one, five = (mg1(rate, service, c).waiting_time for c in (0, 1, 5))
    assert none == pytest.approx(one / 2, rel=1e-13)
    assert five == pytest.approx(none + 5 * (one - none), rel=1e-13)


@pytest.mark.parametrize("busy", [0.1, 0.5, 0.95])
@pytest.mark.parametrize("size", [2.0, 2.6, 100.0])
def test_batches_of_fixed_size_lengthen_the_response(busy: float, size: float) -> None:
    """Batches of fixed size b respond (b + 1)/2 times as slowly as single jobs, at every load."""
    single = mm1(busy, 1.0).response_time
    assert batch(busy, 1.0, size).response_time == pytest.approx(single * (size + 1) / 2, rel=1e-13)


@pytest.mark.parametrize(("rate", "servers"), [(0.5, 1), (3.2, 4), (60.0, 70)])
def test_much_room_blocks_nobody(rate: float, servers: int) -> None:
    """M/M/c/K with a large capacity is M/M/c; with a capacity for the served only, it is Erlang's loss station."""
    _same(mmck(rate, 1.0, servers, 5000), mmc(rate, 1.0, servers), 1e-10)
    lost = mmck(rate, 1.0, servers, servers)
    assert lost.waiting_time == 0
    assert lost.probability_wait == 0
    assert lost.probability_blocked == pytest.approx(erlang_b(servers, rate), rel=1e-12)


@pytest.mark.parametrize("overload", [1.0, 1.5, 1e6])
def test_overload_fills_the_room(overload: float) -> None:
    """M/M/1/K serves at its own rate under overload and turns the rest away."""
    form = mmck(overload * 1e4, 1e-4, 1, 1000)
    assert form.throughput == pytest.approx(overload * 1e4 * (1 - form.probability_blocked), rel=1e-9)
    assert form.utilization <= 1
    assert form.throughput <= 1e4 * (1 + 1e-12)
    assert form.queue_length <= 1000


FORMS = [mm1(0.4, 2.0), mmc(3, 1, 4), mmck(9, 1, 3, 7), finite_population(9, 1, 1, 2), mg1(0.4, 1, 3), batch(0.4, 1, 4, 2)]


@pytest.mark.parametrize("form", FORMS)
def test_laws_of_a_station(form: StationForm) -> None:
    """Every form keeps Little's law, its probabilities, and response = waiting + service."""
    assert form.queue_length == pytest.approx(form.throughput * form.response_time, rel=1e-13)
    for share in (form.utilization, form.probability_wait, form.probability_blocked):
        assert 0 <= share <= 1
    assert 0 <= form.waiting_time < form.response_time
    with pytest.raises(FrozenInstanceError):
        form.throughput = 1.0


def test_no_arrivals() -> None:
    """Without arrivals nothing is queued, and the next job would take its service time."""
    forms = [mm1(0, 2.0), mmc(0, 2.0, 3), mmck(0, 2.0, 3, 5), mg1(0, 2.0, 3.0)]
    for form in forms:
        assert (form.throughput, form.utilization, form.queue_length, form.waiting_time) == (0, 0, 0, 0)
        assert form.response_time == 2.0
        assert form.probability_wait == 0


BAD: list[tuple[Callable[..., StationForm], tuple[object, ...], str]] = [
    (mm1, (-1, 1), "arrival_rate"),
    (mm1, (1, 0), "service_time"),
    (mm1, (nan, 1), "arrival_rate"),
    (mm1, (1, inf), "service_time"),
    (mm1, ("1", 1), "arrival_rate"),
    (mm1, (True, 1), "arrival_rate"),
    (mmc, (1, 1, 0), "servers"),
    (mmc, (1, 1, 1.5), "servers"),
    (mmc, (1, 1, 10**6 + 1), "servers"),
    (mmck, (1, 1, 3, 2), "capacity"),
    (mmck, (1, 1, 0, 2), "servers"),
    (mmck, (1, 1, 1, 10**7 + 1), "capacity"),
    (finite_population, (0, 1, 1), "population"),
    (finite_population, (2.5, 1, 1), "population"),
    (finite_population, (2, -1, 1), "think_time"),
    (finite_population, (2, 1, 0), "service_time"),
    (mg1, (0.5, 1, -0.1), "squared_variation"),
    (batch, (0.5, 1, 0.5), "batch_size"),
    (batch, (0.5, 1, 2, -1), "batch_squared_variation"),
]


@pytest.mark.parametrize(("form", "arguments", "item"), BAD)
def test_bad_arguments(form: Callable[..., StationForm], arguments: tuple[object, ...], item: str) -> None:
    """A wrong argument is refused with its name, on one line."""
    with pytest.raises(ModelError) as info:
        form(*arguments)
    assert item in str(info.value)
    assert "\n" not in str(info.value)
    assert info.value.repair


@pytest.mark.parametrize(
    ("form", "arguments", "highest"),
    [(mm1, (5, 0.2), 5.0), (mmc, (20, 0.2, 4), 20.0), (mg1, (6, 0.2, 0), 5.0), (batch, (9, 0.2, 3), 5.0)],
)
def test_saturated_stations(form: Callable[..., StationForm], arguments: tuple[float, ...], highest: float) -> None:
    """A station that cannot keep up states the highest rate, just below which it can."""
    with pytest.raises(SaturatedError) as info:
        form(*arguments)
    assert info.value.highest_rate == pytest.approx(highest, rel=1e-13)
    assert info.value.utilization == pytest.approx(arguments[0] / highest, rel=1e-13)
    assert form(highest * (1 - 1e-6), *arguments[1:]).queue_length > 1e4

"""Servers needed and highest rates: minimal, maximal, fast, and refused where impossible."""

from __future__ import annotations

from collections.abc import Callable
from math import log, nextafter

import pytest
from qnsolve import ModelError
from qnsolve.stations import StationForm, erlang_a, erlang_b, erlang_c, fewest_servers, highest_rate, loss, mdc, mgc, mmc, mmck

TARGETS: list[tuple[str, object, Callable[[StationForm], bool]]] = [
    ("response_time", 1.05, lambda f: f.response_time <= 1.05),
    ("waiting_time", 0.01, lambda f: f.waiting_time <= 0.01),
    ("response_percentile", (0.9, 2.5), lambda f: f.response_exceeds(2.5) <= 1 - 0.9),
    ("waiting_percentile", (0.99, 0.2), lambda f: f.waiting_exceeds(0.2) <= 1 - 0.99),
    ("probability_wait", 0.2, lambda f: f.probability_wait <= 0.2),
    ("utilization", 0.7, lambda f: f.utilization <= 0.7),
]


@pytest.mark.parametrize(("name", "value", "met"), TARGETS)
@pytest.mark.parametrize("load", [1e-6, 0.9, 7.3, 80.0])
def test_fewest_servers_are_the_first_that_do(
    name: str, value: object, met: Callable[[StationForm], bool], load: float
) -> None:
    """Trying every number of servers in turn finds the same."""
    first = next(m for m in range(int(load) + 1, 1000) if met(mmc(load, 1.0, m)))
    assert fewest_servers(load, 1.0, **{name: value}) == first


@pytest.mark.parametrize(("name", "value", "met"), TARGETS)
@pytest.mark.parametrize("servers", [1, 7, 300])
def test_highest_rate_is_on_the_edge(name: str, value: object, met: Callable[[StationForm], bool], servers: int) -> None:
    """At the rate the target is met, at the next number above it is not."""
    rate = highest_rate(1.0, servers, **{name: value})
    assert met(mmc(rate, 1.0, servers))
    above = nextafter(rate, 2 * rate)
    assert above >= servers or not met(mmc(above, 1.0, servers))
    assert 0 < rate < servers


@pytest.mark.parametrize("load", [1e-3, 20.0, 1e3, 9e5])
def test_trunks_for_a_blocking_target(load: float) -> None:
    """Erlang B at the number found is within the target, with one server less beyond it; also with places to wait."""
    lines = fewest_servers(load, 1.0, form=loss, probability_blocked=0.01)
    assert erlang_b(lines, load) <= 0.01 < erlang_b(lines - 1, load)
    if load < 1e5:
        roomy = fewest_servers(load, 1.0, form=lambda a, s, m: mmck(a, s, m, m + 10), probability_blocked=0.01)
        assert roomy <= lines
        assert mmck(load, 1.0, roomy, roomy + 10).probability_blocked <= 0.01


def test_erlangs_table() -> None:
    """20 erlangs at 1 % blocking need 30 lines; 10 lines carry 4.46 erlangs at 1 %, as in the printed tables."""
    assert fewest_servers(20.0, 1.0, form=loss, probability_blocked=0.01) == 30
    assert highest_rate(1.0, 10, form=loss, probability_blocked=0.01) == pytest.approx(4.46, abs=0.005)
    assert highest_rate(1.0, 1, form=loss, probability_blocked=0.01) == pytest.approx(0.01 / 0.99, rel=1e-12)


def test_a_million_servers() -> None:
    """Answers in the hundred thousands are exact to one server."""
    many = fewest_servers(9e5, 1.0, probability_wait=0.3)
    assert erlang_c(many, 9e5) <= 0.3 < erlang_c(many - 1, 9e5)
    rate = highest_rate(1.0, 10**6, waiting_percentile=(0.95, 1e-3))
    assert mmc(rate, 1.0, 10**6).waiting_exceeds(1e-3) <= 1 - 0.95 < mmc(rate * (1 + 1e-9), 1.0, 10**6).waiting_exceeds(1e-3)


def test_several_targets_and_other_forms() -> None:
    """All targets hold together; constant service needs fewer servers, variable service more, impatience fewer."""
    both = fewest_servers(50.0, 1.0, waiting_time=0.02, utilization=0.5)
    assert both == max(fewest_servers(50.0, 1.0, waiting_time=0.02), fewest_servers(50.0, 1.0, utilization=0.5))
    counts = [fewest_servers(50.0, 1.0, form=form, waiting_time=0.02) for form in (mdc, mmc, lambda a, s, m: mgc(a, s, m, 4.0))]
    assert counts == sorted(counts)
    assert len(set(counts)) == 3
    impatient = fewest_servers(50.0, 1.0, form=lambda a, s, m: erlang_a(a, s, m, 0.5), probability_abandoned=0.02)
    assert impatient < fewest_servers(50.0, 1.0, probability_wait=0.02)


def test_no_arrivals_need_one_server() -> None:
    """Without load one server does; a single server's rate has a closed form."""
    assert fewest_servers(0.0, 1.0, response_time=1.5) == 1
    assert highest_rate(2.0, 1, response_time=8.0) == pytest.approx(1 / 2 - 1 / 8, rel=1e-14)
    assert highest_rate(1.0, 1, response_percentile=(0.95, 10.0)) == pytest.approx(1 - log(20) / 10, rel=1e-12)
    assert highest_rate(1.0, 1, waiting_time=1e-13) == pytest.approx(1e-13, rel=1e-10)
    assert highest_rate(1.0, 1, response_time=1e12) == pytest.approx(1, rel=1e-11)


@pytest.mark.parametrize(
    ("ask", "message"),
    [
        (lambda: fewest_servers(5.0, 1.0, response_time=1.0), "above the service time 1"),
        (lambda: fewest_servers(5.0, 1.0, response_time=0.5), "above the service time 1"),
        (lambda: fewest_servers(5.0, 1.0, response_percentile=(0.95, 2.0)), "must be met by 1000000 servers"),
        (lambda: fewest_servers(2e6, 1.0, probability_wait=0.5), "must be met by 1000000 servers: utilization 2"),
        (lambda: fewest_servers(5.0, 1.0), "must have a target"),
        (lambda: fewest_servers(5.0, 1.0, waiting_percentile=0.95), "must be a list"),
        (lambda: fewest_servers(5.0, 1.0, waiting_percentile=(95, 1.0)), "between 0 and 1"),
        (lambda: fewest_servers(5.0, 1.0, waiting_percentile=(0.9, 1.0, 2.0)), "a share and a time"),
        (lambda: fewest_servers(5.0, 1.0, probability_wait=-0.1), "probability_wait"),
        (lambda: highest_rate(1.0, 3, response_time=0.9), "above the service time 1"),
        (lambda: highest_rate(1.0, 3, response_percentile=(0.99, 1.0)), "met by an idle station"),
        (lambda: highest_rate(1.0, 3), "must have a target"),
        (lambda: highest_rate(1.0, 3, form=loss, probability_blocked=1.0), "must have a limit"),
        (lambda: highest_rate(0.0, 3, response_time=0.9), "service_time"),
    ],
)
def test_what_cannot_be_met(ask: Callable[[], object], message: str) -> None:
    """A target beyond reach is refused with the reason, on one line."""
    with pytest.raises(ModelError) as info:
        ask()
    assert message in str(info.value)
    assert "\n" not in str(info.value)

"""Erlang's formulas against rational numbers, against scipy, and against their own recursion."""

from __future__ import annotations

from fractions import Fraction
from itertools import pairwise
from math import nan, sqrt

import numpy as np
import pytest
from qnsolve import ModelError, SaturatedError
from qnsolve.stations import erlang_b, erlang_c
from scipy.special import gammaln
from scipy.stats import poisson

LOADS = (1e-6, 0.1, 1.0, 3.7, 20.0, 63.0, 100.0, 1e4)


def _rational_b(servers: int, load: float) -> Fraction:
    """B by its definition, aᵐ/m! over the sum of all such terms."""
    term = total = Fraction(1)
    for j in range(1, servers + 1):
        term *= Fraction(load) / j
        total += term
    return term / total


@pytest.mark.parametrize("load", LOADS)
@pytest.mark.parametrize("servers", [0, 1, 2, 10, 63, 64, 65, 66, 100, 200])
def test_erlang_b_in_rational_numbers(servers: int, load: float) -> None:
    """B is the last Poisson term over their sum, to thirteen digits, on both sides of 64 servers."""
    expected = _rational_b(servers, load)
    if expected > Fraction(1, 10**300):
        assert erlang_b(servers, load) == pytest.approx(float(expected), rel=1e-13)
    else:
        assert 0 <= erlang_b(servers, load) <= 1e-299


@pytest.mark.parametrize("busy", [0.01, 0.5, 0.9, 0.999])
@pytest.mark.parametrize("servers", [1, 2, 10, 63, 64, 65, 66, 100, 150])
def test_erlang_c_in_rational_numbers(servers: int, busy: float) -> None:
    """C is m·B/(m − a·(1 − B)), to twelve digits."""
    load = servers * busy
    blocked = _rational_b(servers, load)
    expected = servers * blocked / (servers - Fraction(load) * (1 - blocked))
    if expected > Fraction(1, 10**300):
        assert erlang_c(servers, load) == pytest.approx(float(expected), rel=1e-12)


@pytest.mark.parametrize("servers", [500, 10**4, 10**5, 10**6])
@pytest.mark.parametrize("sigmas", [-20.0, -3.0, 0.0, 3.0, 30.0])
def test_erlang_b_of_many_servers(servers: int, sigmas: float) -> None:
    """B of many servers is scipy's Poisson probability over its cumulative one."""
    load = servers + sigmas * sqrt(servers)
    expected = poisson.pmf(servers, load) / poisson.cdf(servers, load)
    assert erlang_b(servers, load) == pytest.approx(expected, rel=1e-8)


@pytest.mark.parametrize("load", [1e-3, 50.0, 9e5, 999_999.0, 1e6, 1.001e6, 1e9])
def test_recursion_at_a_million_servers(load: float) -> None:
    """B of a million servers follows from B of one less by Erlang's recursion."""
    m = 10**6 - 1
    fewer = erlang_b(m, load)
    assert erlang_b(m + 1, load) == pytest.approx(load * fewer / (m + 1 + load * fewer), rel=1e-12)


@pytest.mark.parametrize("load", LOADS)
def test_recursion_around_64_servers(load: float) -> None:
    """The recursion holds from one server to the next, where the computation changes from a loop to an array as well."""
    for m in range(60, 70):
        fewer = erlang_b(m, load)
        assert erlang_b(m + 1, load) == pytest.approx(load * fewer / (m + 1 + load * fewer), rel=1e-13)


def test_stirling_at_a_million_servers() -> None:
    """B of a million servers at 99 % of their capacity, ten standard deviations out, is right by logarithms."""
    m, load = 10**6, 0.99e6
    logarithm = m * np.log(load) - load - float(gammaln(m + 1))  # the sum of all terms below is 1 there
    assert np.log(erlang_b(m, load)) == pytest.approx(logarithm, abs=1e-8)


@pytest.mark.parametrize("load", LOADS)
def test_more_servers_block_less(load: float) -> None:
    """B falls with each server, and the waiting probability with it."""
    blocked = [erlang_b(m, load) for m in range(150)]
    assert all(later < earlier or later == 0 for earlier, later in pairwise(blocked))
    waits = [erlang_c(m, load) for m in range(int(load) + 1, int(load) + 150)]
    assert all(later < earlier or later == 0 for earlier, later in pairwise(waits))


@pytest.mark.parametrize("servers", [1, 8, 64, 65, 1000])
def test_more_load_blocks_more(servers: int) -> None:
    """B and C rise with the load."""
    loads = np.linspace(0.5, 0.99, 30) * servers
    for form in (erlang_b, erlang_c):
        found = [form(servers, a) for a in loads]
        assert all(later > earlier for earlier, later in pairwise(found))


@pytest.mark.parametrize("servers", [1, 2, 64, 65, 10**4, 10**6])
@pytest.mark.parametrize("busy", [0.3, 0.9, 0.9999])
def test_waiting_bounds(servers: int, busy: float) -> None:
    """The waiting probability lies between the blocking probability and the utilization of one server, and within 0 and 1."""
    load = servers * busy
    waits = erlang_c(servers, load)
    assert erlang_b(servers, load) <= waits <= 1
    assert waits <= busy * (1 + 1e-12)  # pooled servers never keep more arrivals waiting than one does


def test_one_server_waits_as_often_as_it_is_busy() -> None:
    """C of one server is the load itself."""
    for load in (0.0, 0.25, 0.999999):
        assert erlang_c(1, load) == pytest.approx(load, rel=1e-14)


def test_no_load_and_no_servers() -> None:
    """Without load nobody is blocked, without servers everybody is."""
    assert erlang_b(0, 3.0) == 1
    assert erlang_b(0, 0.0) == 1
    assert erlang_b(5, 0.0) == 0
    assert erlang_c(5, 0.0) == 0


@pytest.mark.parametrize("form", [erlang_b, erlang_c])
@pytest.mark.parametrize(
    ("servers", "load"), [(-1, 1), (2.5, 1), (10**6 + 1, 1), ("2", 1), (2, -1), (2, nan), (2, None), (True, 1)]
)
def test_values_out_of_range(form: object, servers: object, load: object) -> None:
    """A wrong number of servers or a wrong load is refused with the item and the value."""
    with pytest.raises(ModelError) as info:
        form(servers, load)
    wrong = servers if servers != 2 else load
    assert repr(wrong) in str(info.value)
    assert form.__name__ in str(info.value)


@pytest.mark.parametrize(("servers", "load"), [(1, 1.0), (4, 4.0), (4, 40.0)])
def test_waiting_for_ever(servers: int, load: float) -> None:
    """No waiting probability is given for a load that the servers cannot serve; B has none such."""
    with pytest.raises(SaturatedError) as info:
        erlang_c(servers, load)
    assert info.value.utilization == load / servers
    assert info.value.highest_rate == servers
    assert 0 < erlang_b(servers, load) < 1

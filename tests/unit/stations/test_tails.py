"""Distributions of waiting and response times: against 50 digits, scipy, Markov chains and each other."""

from __future__ import annotations

from itertools import pairwise
from math import exp, inf, log, nan

import numpy as np
import pytest
from mpmath import mp, mpf
from qnsolve import ModelError, SaturatedError
from qnsolve.stations import StationForm, finite_population, loss, md1, mdc, mm1, mmc, mmck, mminf
from qnsolve.stations.distributions import Gamma, gamma_exceeds, poisson_window
from scipy.special import gammaincc
from scipy.stats import gamma, poisson

from tests.oracles.markov_chain import birth_death, stationary

SHARES = (0.1, 0.5, 0.9, 0.95, 0.999, 1 - 1e-9, 1 - 1e-12)
ROUNDING = 1e-14  # of times that are exactly 0, in service times
BUSY = (1e-12, 0.05, 0.5, 0.75, 0.9, 1 - 1e-6, 1 - 1e-12)


def _served_later(servers: int, load: float, time: float) -> mpf:
    """P(R > t) of M/M/c in 60 digits, service time 1."""
    with mp.workdps(60):
        m, a, t = mpf(servers), mpf(load), mpf(time)
        terms = sum(a**j / mp.factorial(j) for j in range(servers))
        last = a**m / mp.factorial(m) * m / (m - a)
        waits = last / (terms + last)
        rate = m - a
        if rate == 1:
            return (1 + waits * t) * mp.exp(-t)
        return mp.exp(-t) + waits * (mp.exp(-t) - mp.exp(-rate * t)) / (rate - 1)


@pytest.mark.parametrize("servers", [1, 2, 7, 40])
@pytest.mark.parametrize("busy", BUSY)
def test_response_of_mmc_in_sixty_digits(servers: int, busy: float) -> None:
    """P(R > t) of M/M/c keeps twelve digits, also where waiting and service have nearly one rate."""
    form = mmc(servers * busy, 1.0, servers)
    for time in (1e-9, 0.1, 1.0, 5.0, 27.0):
        assert form.response_exceeds(time) == pytest.approx(float(_served_later(servers, servers * busy, time)), rel=1e-12)
    near = mmc(servers - 1 + 1e-9, 1.0, servers)
    assert near.response_exceeds(3.0) == pytest.approx(float(_served_later(servers, servers - 1 + 1e-9, 3.0)), rel=1e-12)


FORMS = {
    "M/M/1": mm1(0.8, 1.0),
    "M/M/3": mmc(2.5, 1.0, 3),
    "M/M/1000": mmc(990.0, 1.0, 1000),
    "M/M/3/9": mmck(5.0, 1.0, 3, 9),
    "M/M/4/4000": mmck(3.9, 1.0, 4, 4000),
    "M/M/2//20": finite_population(20, 3.0, 1.0, 2),
    "M/M/1//9, no think time": finite_population(9, 0.0, 1.0),
    "M/D/1": md1(0.8, 1.0),
    "M/D/3": mdc(2.9, 1.0, 3),
    "M/D/500": mdc(498.0, 1.0, 500),
    "M/G/inf": mminf(3.0, 1.0),
    "M/G/c/c": loss(9.0, 1.0, 4),
}


@pytest.mark.parametrize("name", FORMS)
@pytest.mark.parametrize("share", SHARES)
def test_percentiles_invert_the_distribution(name: str, share: float) -> None:
    """The share beyond a percentile is what was asked; with less time more than that is beyond."""
    form = FORMS[name]
    for time, exceeds in (
        (form.waiting_percentile(share), form.waiting_exceeds),
        (form.response_percentile(share), form.response_exceeds),
    ):
        assert exceeds(time) <= (1 - share) * (1 + 1e-11)
        if time > 0 and "M/D" not in name:  # constant service steps
            assert exceeds(time) == pytest.approx(1 - share, rel=1e-9)
        if time > 0:
            assert exceeds(time * (1 - 1e-9)) > 1 - share


@pytest.mark.parametrize("name", FORMS)
def test_distributions_have_the_mean(name: str) -> None:
    """The integral of P(T > t) is the mean, for waiting and response."""
    form = FORMS[name]
    for mean, exceeds, percentile in (
        (form.waiting_time, form.waiting_exceeds, form.waiting_percentile),
        (form.response_time, form.response_exceeds, form.response_percentile),
    ):
        end = percentile(1 - 1e-13)
        if end == 0:
            assert mean < 1e-12
            continue
        x, w = np.polynomial.legendre.leggauss(20)
        # constant service has kinks at every service time
        edges = np.arange(0, int(end) + 2.0) if "M/D" in name else np.linspace(0, end, 401)
        total = sum((b - a) / 2 * w @ [exceeds(float(t)) for t in (a + b) / 2 + (b - a) / 2 * x] for a, b in pairwise(edges))
        assert total == pytest.approx(mean, rel=1e-9)


@pytest.mark.parametrize(("rate", "servers", "capacity"), [(5.0, 3, 9), (0.5, 1, 6), (40.0, 10, 40)])
def test_mmck_waits_by_erlang_variables(rate: float, servers: int, capacity: int) -> None:
    """In M/M/c/K who finds j waiting waits for j + 1 completions; the response adds one service."""
    p = birth_death([rate] * capacity, [min(n, servers) for n in range(1, capacity + 1)])
    found = p[:-1] / p[:-1].sum()
    form = mmck(rate, 1.0, servers, capacity)
    for time in (0.01, 0.3, 1.0, 4.0, 10.0):
        waits = [gamma.sf(time, n - servers + 1, scale=1 / servers) for n in range(servers, capacity)]
        assert form.waiting_exceeds(time) == pytest.approx(float(found[servers:] @ waits), rel=1e-11)
        x, w = np.polynomial.legendre.leggauss(80)
        u = time / 2 * (x + 1)  # the service takes u, the wait must exceed the rest
        rest = [
            float(time / 2 * w @ (np.exp(-u) * gamma.sf(time - u, n - servers + 1, scale=1 / servers))) + exp(-time)
            for n in range(servers, capacity)
        ]
        expected = float(found[servers:] @ rest) + float(found[:servers].sum()) * exp(-time)
        assert form.response_exceeds(time) == pytest.approx(expected, rel=1e-10)


def test_much_room_has_the_distribution_of_mmc() -> None:
    """M/M/c/K with a million places has the percentiles of M/M/c, far out too."""
    roomy, open_ended = mmck(3.0, 1.0, 4, 10**6), mmc(3.0, 1.0, 4)
    for share in SHARES:
        assert roomy.waiting_percentile(share) == pytest.approx(open_ended.waiting_percentile(share), rel=1e-11)
        assert roomy.response_percentile(share) == pytest.approx(open_ended.response_percentile(share), rel=1e-11)


@pytest.mark.parametrize("busy", BUSY)
def test_md1_by_its_classical_series(busy: float) -> None:
    """M/D/1 has the mean of Pollaczek and Khinchine and the distribution of Erlang, in 400 digits."""
    form = md1(busy, 1.0)
    with mp.workdps(400):
        rho = mpf(busy)
        assert form.waiting_time == pytest.approx(float(rho / 2 / (1 - rho)), rel=1e-13)
        assert form.probability_wait == pytest.approx(busy, rel=1e-13)
        for time in (0.25, 1.0, 1.75, 4.5, 20.25):
            terms = (
                (rho * (k - mpf(time))) ** k / mp.factorial(k) * mp.exp(rho * (mpf(time) - k)) for k in range(int(time) + 1)
            )
            exact = float(1 - (1 - rho) * sum(terms))
            assert form.waiting_exceeds(time) == pytest.approx(exact, rel=1e-11, abs=1e-250)


def _spitzer(servers: int, load: float, most: int) -> list[mpf]:
    """P(at least j wait) of M/D/c by Spitzer's series, summed term by term in 60 digits."""
    a, g = mpf(load), [mpf(0)] * most
    for n in range(1, 10**5):
        p = top = mp.exp(-n * a) * (n * a) ** (n * servers) / mp.factorial(n * servers)
        for i in range(1, most):
            p *= n * a / (n * servers + i)
            g[i] += p / n
        if top < mpf(10) ** -45:
            break
    q = [mp.exp(-sum(g))]
    for j in range(1, most):
        q.append(sum(i * g[i] * q[j - i] for i in range(1, j + 1)) / j)
    return [1 - sum(q[:j]) for j in range(most // 2)]


@pytest.mark.parametrize(("servers", "busy"), [(2, 0.5), (2, 0.7), (3, 0.3), (7, 0.3), (20, 0.6)])
def test_mdc_in_sixty_digits(servers: int, busy: float) -> None:
    """P(at least j wait), the waiting probability and P(W > t) of M/D/c by Spitzer's series and Franx's sum."""
    with mp.workdps(60):
        form, tail = mdc(servers * busy, 1.0, servers), _spitzer(servers, servers * busy, 160)
        for turns, left in ((1, 1.0), (1, 0.3), (2, 0.5), (3, 1.0)):
            y, need = mpf(servers * busy) * mpf(left), turns * servers
            at_least = (tail[need - j] if j < need else mpf(1) for j in range(400))
            exact = sum(mp.exp(-y) * y**j / mp.factorial(j) * q for j, q in enumerate(at_least))
            assert form.waiting_exceeds(turns - left) == pytest.approx(float(exact), rel=1e-11)


@pytest.mark.parametrize(("servers", "busy"), [(1, 0.9), (2, 0.9), (5, 0.95), (30, 0.9)])
def test_mdc_is_a_chain_of_service_times(servers: int, busy: float) -> None:
    """The mean and the waiting probability of M/D/c from the chain of the jobs present, one service time apart."""
    room = 700
    load = servers * busy
    steps = poisson.pmf(np.arange(room), load)
    rates = np.zeros((room, room))
    for n in range(room):
        start = max(0, n - servers)
        rates[n, start:] = steps[: room - start]
    p = stationary(rates)
    jobs = np.arange(room)
    form = mdc(load, 1.0, servers)
    assert p[-1] < 1e-17
    assert form.waiting_time * load == pytest.approx(float(p @ np.maximum(jobs - servers, 0)), rel=1e-10)
    assert form.probability_wait == pytest.approx(float(p[servers:].sum()), rel=1e-10)


@pytest.mark.parametrize("servers", [1, 3, 50, 10**4, 10**6])
@pytest.mark.parametrize("busy", [1e-12, 0.3, 0.9, 0.999, 1 - 1e-6, 1 - 1e-12])
def test_mdc_lies_between_half_of_mmc_and_all_of_it(servers: int, busy: float) -> None:
    """Constant service waits at least half as long as exponential service, and less; near saturation half."""
    constant, exponential = mdc(servers * busy, 1.0, servers), mmc(servers * busy, 1.0, servers)
    if exponential.waiting_time < 1e-200:
        assert 0 <= constant.waiting_time < 1e-200
        return
    ratio = constant.waiting_time / exponential.waiting_time
    assert 0.5 * (1 - 1e-11) <= ratio < 1
    assert constant.probability_wait <= exponential.probability_wait * (1 + 1e-11)
    if servers * (1 - busy) ** 2 < 1e-6:
        assert ratio == pytest.approx(0.5, rel=1e-2)
    for share in SHARES:
        # where the exact percentile is 0, as at share = 1 - busy of one server, both figures are rounding errors
        assert constant.waiting_percentile(share) <= exponential.waiting_percentile(share) * (1 + 1e-9) + ROUNDING


def test_incomplete_gamma_function() -> None:
    """The gamma distribution's tail is scipy's, on both sides of its mean."""
    for shape in (0.01, 0.5, 1.0, 3.7, 100.0, 5e4):
        for ratio in (0.01, 0.9, 1.0, 1.01, 2.0, 30.0):
            exact = gammaincc(shape, shape * ratio)
            if exact > 1e-280:
                assert gamma_exceeds(shape, shape * ratio) == pytest.approx(exact, rel=1e-10)
    assert gamma_exceeds(1e6, 1.002e6) == pytest.approx(gammaincc(1e6, 1.002e6), rel=1e-3)
    assert Gamma(0.5, 2.0, 0.0).exceeds(1.9) == 0.5
    assert Gamma(0.5, 2.0, 0.0).exceeds(2.1) == 0.0


@pytest.mark.parametrize("mean", [1e-300, 1e-9, 0.3, 20.0, 1e4, 1e9])
def test_poisson_probabilities(mean: float) -> None:
    """The window holds all of the probability, the mean and the variance."""
    first, p = poisson_window(mean)
    n = first + np.arange(len(p))
    assert p.sum() == pytest.approx(1, rel=1e-12)
    assert float(p @ n) == pytest.approx(mean, rel=1e-10, abs=1e-280)
    if mean < 1e5:
        exact = poisson.pmf(n, mean)
        assert p[exact > 1e-200] == pytest.approx(exact[exact > 1e-200], rel=1e-10)


@pytest.mark.parametrize(("rate", "servers"), [(1e-9, 3), (2.0, 3), (30.0, 3), (1e9, 3), (9e5, 10**6), (1e12, 10**6)])
def test_loss_station(rate: float, servers: int) -> None:
    """Erlang's loss station serves what it does not turn away, also under great overload."""
    form, cut = loss(rate, 0.5, servers), mmck(rate, 0.5, servers, servers)
    assert form.throughput == pytest.approx(cut.throughput, rel=1e-10)
    assert form.probability_blocked == pytest.approx(cut.probability_blocked, rel=1e-10, abs=1e-200)
    assert form.utilization <= 1
    assert form.response_time == 0.5


def test_many_servers_for_everybody() -> None:
    """M/G/∞ is M/M/c with many servers."""
    endless, many = mminf(30.0, 0.5), mmc(30.0, 0.5, 10**4)
    assert endless.queue_length == pytest.approx(many.queue_length, rel=1e-14)
    assert endless.response_percentile(0.9) == pytest.approx(many.response_percentile(0.9), rel=1e-12)
    assert endless.response_percentile(0.9) == pytest.approx(0.5 * log(10), rel=1e-14)


@pytest.mark.parametrize("share", [0, 1, 95, -0.5, nan, inf, "0.95", True])
def test_wrong_shares(share: object) -> None:
    """A percentile is asked for with a share between 0 and 1."""
    for ask in (mm1(0.5, 1.0).waiting_percentile, md1(0.5, 1.0).response_percentile):
        with pytest.raises(ModelError, match="share"):
            ask(share)


def test_unknown_distributions_are_refused() -> None:
    """Without a known distribution there is an error and no guess."""
    bare = StationForm(1.0, 0.5, 1.0, 0.5, 1.0, 0.5)
    with pytest.raises(ModelError, match="must be known for the form"):
        bare.waiting_percentile(0.9)
    with pytest.raises(ModelError, match="must be known for the form"):
        bare.response_exceeds(1.0)
    with pytest.raises(ModelError, match="time"):
        mm1(0.5, 1.0).waiting_exceeds(-1)


def test_saturated_constant_service() -> None:
    """M/D/c states the highest rate, and answers just below it."""
    with pytest.raises(SaturatedError) as info:
        mdc(30.0, 0.1, 3)
    assert info.value.highest_rate == pytest.approx(30.0)
    assert mdc(30.0 * (1 - 1e-13), 0.1, 3).waiting_time > 1e9
    idle = mdc(0, 0.1, 3)
    assert (idle.waiting_time, idle.response_time, idle.waiting_percentile(0.99), idle.response_percentile(0.5)) == (
        0,
        0.1,
        0,
        0.1,
    )


def test_first_second_of_md1() -> None:
    """Within the first service time, P(W ≤ t) of M/D/1 is (1 − ρ)·e^(ρt)."""
    form = md1(0.4, 1.0)
    for time in (0.0, 0.5, 0.999):
        assert 1 - form.waiting_exceeds(time) == pytest.approx(0.6 * exp(0.4 * time), rel=1e-12)

"""A measured ladder: known networks are found again, and what the rows cannot know is said."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import qnsolve as qn
from qnsolve import measure
from qnsolve.measure.ladders.closed_curve import Curves
from qnsolve.measure.ladders.node_shares import node_shares
from qnsolve.measure.ladders.think_from_percentiles import think_from_percentiles
from qnsolve.methods.product_form.convolution import populations
from qnsolve.numerics.least_squares import least_squares, nonnegative
from qnsolve_validation.measured.measured_sets import ladders

# servers, demand there, demand at a delay, think time, loads
NETWORKS = [
    (1, 0.010, 0.050, 0.0, (1, 2, 4, 8, 12, 16, 24)),
    (8, 0.002, 0.0023, 0.0, (2, 4, 8, 12, 16, 20, 24, 32)),
    (3, 0.500, 0.200, 10.0, (5, 20, 40, 60, 80, 100)),
    (16, 0.100, 0.0, 0.0, (4, 8, 16, 24, 32)),
    (1, 0.010, 0.0, 0.0, (1, 2, 3, 5)),
]


def _rates(network: tuple[Any, ...], loads: Any) -> np.ndarray[Any, np.dtype[np.float64]]:
    servers, demand, delay, think, _ = network
    found = []
    for load in loads:
        demands = {"servers": demand, "delay": delay}
        users = qn.ClosedClass("users", population=int(load), think_time=think, demands=demands)
        solution = qn.solve(qn.Network([qn.Queue("servers", servers=servers), qn.Delay("delay")], [users]))
        found.append(solution["users"].throughput)
    return np.array(found)


@pytest.mark.parametrize("network", NETWORKS)
@pytest.mark.parametrize("with_responses", [False, True])
def test_a_known_network_is_found_again(network: tuple[Any, ...], with_responses: bool) -> None:
    """From exact rates: capacity, response alone, rates and responses at loads far beyond."""
    servers, demand, delay, think, loads = network
    rates = _rates(network, loads)
    responses = np.array(loads) / rates - think if with_responses else None
    fit = measure.fit_ladder(loads, rates, responses, think_time=None if with_responses else think)
    assert fit.think_time == pytest.approx(think, rel=1e-9)
    assert fit.capacity == pytest.approx(servers / demand, rel=1e-6)
    assert fit.response_time == pytest.approx(demand + delay, rel=1e-6)
    assert fit.limit == "measured"
    assert fit.error < 1e-6
    beyond = [1, 2 * loads[-1], 5 * loads[-1]]
    there = fit.predict(beyond)
    assert there.rates == pytest.approx(_rates(network, beyond), rel=1e-6)
    assert there.response_times == pytest.approx(np.array(beyond) / _rates(network, beyond) - think, rel=1e-5)
    assert np.all(there.lowest_rates < there.rates)
    assert np.all(there.rates < there.highest_rates)
    assert np.all(there.lowest_response_times <= there.response_times)
    assert np.all(there.response_times <= there.highest_response_times)


@pytest.mark.parametrize(("contention", "coherency"), [(0.05, 0.0), (0.02, 0.0005), (0.1, 0.002)])
def test_the_universal_scalability_law_is_found_again(contention: float, coherency: float) -> None:
    """With and without a decline: processors and throughput alone."""
    n = np.array([1, 2, 4, 8, 16, 32, 48, 64, 90])

    def law(n: Any) -> Any:
        return 10 * n / (1 + (n - 1) * (contention + coherency * n))

    fit = measure.fit_ladder(n, law(n))
    assert fit.shape == pytest.approx(-1, abs=1e-6)
    assert fit.decline == pytest.approx(coherency / contention, abs=1e-7)
    assert fit.predict([3, 150, 400]).rates == pytest.approx(law(np.array([3, 150, 400])), rel=1e-6)


@pytest.mark.parametrize("network", NETWORKS[:4])
@pytest.mark.parametrize("seed", range(3))
def test_noisy_rows_are_predicted_within_the_stated_error(network: tuple[Any, ...], seed: int) -> None:
    """Rates with 2 % of noise, the deviation given: what is true lies in the range."""
    loads = np.repeat(network[-1], 3)
    rates = _rates(network, loads) * np.exp(np.random.default_rng(seed).normal(0, 0.02, len(loads)))
    fit = measure.fit_ladder(loads, rates, think_time=network[3], rate_deviations=0.02 * rates)
    beyond = np.array([loads[0], loads[-1], 2 * loads[-1]])
    there, true = fit.predict(beyond), _rates(network, beyond)
    assert np.all((there.lowest_rates < true) & (true < there.highest_rates))
    assert np.all(np.abs(there.rates / true - 1) < there.errors)
    assert there.errors.max() < 0.17


@pytest.mark.parametrize("noise", [0.01, 0.03])
def test_noise_is_no_decline(noise: float) -> None:
    """Eight servers, truly flat, seen at 32 users at most: hardly ever a decline, and the range holds the flat rate."""
    loads, beyond = [1, 2, 4, 8, 16, 32], [256, 1024]
    network = (8, 0.0016, 0.0003, 0.0, ())
    true, later = _rates(network, loads), _rates(network, beyond)
    off, outside = 0, 0
    for seed in range(40):
        rng = np.random.default_rng([seed, 5])
        there = measure.fit_ladder(loads, true * (1 + noise * rng.normal(size=6))).predict(beyond)
        off += abs(there.rates[1] / later[1] - 1) > 0.15
        outside += bool(np.any((there.lowest_rates > later) | (later > there.highest_rates)))
    assert off <= 2
    assert outside <= 2


def test_a_decline_that_rows_show_is_fitted_and_may_end() -> None:
    """Servers that lose speed, with noise; the range holds both what goes on falling and what stays as it is."""
    loads = np.array([1, 2, 4, 8, 16, 32, 64, 128])
    curve = Curves(*(np.array([figure]) for figure in (0.005, 10.0, 0.9, 0.003)))
    rates = curve.throughput(loads)[0] * (1 + 0.02 * np.random.default_rng(2).normal(size=8))
    fit = measure.fit_ladder(loads, rates)
    assert fit.decline == pytest.approx(0.003, rel=0.4)
    there = fit.predict([1024])
    assert there.lowest_rates[0] < curve.throughput(np.array([1024]))[0, 0] < there.highest_rates[0]
    assert there.highest_rates[0] > fit.predict([128]).rates[0]


@pytest.mark.parametrize(
    "figures", [(4.3, 17.1, 1.0, 0.0), (4.3, 17.1, 0.4, 0.0), (4.3, 17.1, 0.0, 0.001), (4.3, 17.1, -0.7, 0.002)]
)
def test_the_curve_is_that_of_the_convolution(figures: tuple[float, ...]) -> None:
    """The sum over the jobs at the station against the kernel of the exact methods, with the same speeds."""
    curve = Curves(*(np.array([figure]) for figure in figures), think_time=1.0)
    loads = np.array([1, 2, 8, 16, 24, 300])
    speeds = curve.speeds(300)[0]
    rates, _ = populations(loads, float(curve.delay[0]) + 1.0, np.array([1 / speeds[0]]), [speeds / speeds[0]])
    assert curve.throughput(loads)[0] == pytest.approx(rates, rel=1e-12)
    between = curve.throughput(np.array([2.25]))[0, 0]
    assert between == pytest.approx(0.75 * rates[1] + 0.25 * float(curve.throughput(np.array([3.0]))[0, 0]), rel=1e-12)


@pytest.mark.parametrize(
    ("loads", "rates"),
    [
        ([1, 4, 8, 16, 32], [24.4, 93.0, 153.9, 191.2, 199.5]),
        ([1, 18, 36, 72, 108, 144, 216], [64.9, 995.9, 1652.4, 1853.2, 1828.9, 1775.0, 1702.2]),
        ([10, 20, 30, 40], [13803, 25007, 33652, 39093]),
    ],
)
def test_predictions_are_the_solutions_of_the_network(loads: list[int], rates: list[float]) -> None:
    """`predict` and `qn.solve(fit.network(...))` are one model, with contention and decline too."""
    fit = measure.fit_ladder(loads, rates)
    for load in (1, 7, 3 * loads[-1]):
        solution = qn.solve(fit.network(load))
        there = fit.predict([load])
        assert solution["jobs"].throughput == pytest.approx(float(there.rates[0]), rel=1e-9)
        assert solution["jobs"].response_time == pytest.approx(float(there.response_times[0]), rel=1e-9)


def test_units_order_and_repetition_do_not_matter() -> None:
    """Rates in another unit scale everything; rows in another order, or all twice, give the same fit."""
    loads, rates = [2, 8, 16, 24, 32], [457.0, 1853.0, 3667.0, 3909.0, 3915.0]
    fit = measure.fit_ladder(loads, rates)
    scaled = measure.fit_ladder(loads, [rate * 3.6e-6 for rate in rates])
    assert scaled.capacity == pytest.approx(fit.capacity * 3.6e-6, rel=1e-6)
    assert scaled.predict([20, 64]).rates == pytest.approx(fit.predict([20, 64]).rates * 3.6e-6, rel=1e-4)
    order = [3, 0, 4, 2, 1]
    mixed = measure.fit_ladder([loads[i] for i in order], [rates[i] for i in order])
    twice = measure.fit_ladder(loads * 2, rates * 2)
    for other in (mixed, twice):
        assert other.predict([64]).rates == pytest.approx(fit.predict([64]).rates, rel=1e-6)


@pytest.mark.parametrize("part", [0.5, 1.0])
@pytest.mark.parametrize(
    "name", ["one_mw_3clients write 8", "two_mw_3clients write 8", "writes_full write 8", "one_mw write 16"]
)
def test_what_rounding_changes_does_not_change_a_fit(name: str, part: float) -> None:
    """Rates that differ in the twelfth digit, as with another processor: the same figures, and the same for other threads.

    The rows of the first and second set do not say how the curve bends; the others are best fitted between two servers.
    """
    (ladder,) = (each for each in ladders() if each.name == name)
    count = int(np.ceil(part * len(ladder.loads)))
    loads, rates = ladder.loads[:count], ladder.rates[:count]
    responses, busy, deviations = (
        each[:count] for each in (ladder.responses, ladder.busy, ladder.deviations) if each is not None
    )
    assert ladder.threads is not None
    found = []
    for seed in range(3):
        turned = rates * (1 + 1e-12 * np.random.default_rng(seed).choice([-1, 1], count) * (seed > 0))
        fit = measure.fit_ladder(loads, turned, responses, busy=busy, servers=ladder.threads, rate_deviations=deviations)
        there = [each.predict(ladder.loads) for each in (fit, fit.with_servers(8 * ladder.threads))]
        columns = [column for each in there for column in (each.rates, each.lowest_rates, each.highest_rates, each.busy)]
        found.append(np.hstack([fit.response_time, fit.capacity, *columns]))
    for other in found[1:]:
        assert other == pytest.approx(found[0], rel=1e-7)


def test_rows_that_do_not_show_the_limit_say_so() -> None:
    """Without saturation the capacity is a guess, with a range that is open to linear growth; utilization settles it."""
    network = (16, 0.002, 0.0023, 0.0, ())
    loads = [2, 4, 8, 12, 16]
    rates = _rates(network, loads)
    noisy = rates * np.array([1.0, 1.01, 0.995, 1.003, 1.002])
    blind = measure.fit_ladder(loads, noisy)
    assert blind.limit == "unknown"
    assert "cannot show the limit" in blind.notes[-1]
    there = blind.predict([64])
    assert there.highest_rates[0] > 64 / 0.0045
    assert there.lowest_rates[0] < 8000
    known = measure.fit_ladder(loads, noisy, busy=rates * 0.002 / 16, servers=16)
    assert known.limit == "servers"
    assert known.capacity == pytest.approx(8000, rel=0.02)
    assert "another limit may be lower" in known.notes[-1]
    found = known.predict([64])
    assert found.rates == pytest.approx(_rates(network, [64]), rel=0.05)
    assert found.busy is not None
    assert found.busy[0] == pytest.approx(1.0, abs=0.05)


def test_servers_are_held_while_jobs_wait_behind_them() -> None:
    """Threads that wait for a full center behind them: their use grows with the waiting, not with the rate."""
    network = (1, 0.001, 0.004, 0.0, ())
    loads = np.array([1, 2, 4, 6, 8, 10])
    rates = _rates(network, loads)
    held = loads - rates * 0.003  # all but those in a part of the delay
    fit = measure.fit_ladder(loads, rates, busy=held / 32, servers=32)
    assert fit.utilization is not None
    assert fit.utilization.waiting_share == pytest.approx(1, rel=1e-6)
    assert fit.utilization.demand == pytest.approx(0.002, rel=1e-6)
    there = fit.predict([12, 20, 60])
    assert there.busy == pytest.approx([*([12, 20] - _rates(network, [12, 20]) * 0.003) / 32, 1.0], rel=1e-6)
    base = measure.fit_ladder(loads, rates, busy=(1.5 + rates * 0.002) / 32, servers=32)
    assert base.utilization is not None
    assert base.utilization.constant == pytest.approx(1.5, rel=1e-6)


def test_more_servers_are_more_capacity() -> None:
    """Fitted with 8 threads, asked for 16: a pool of threads without other limits follows, and the range has both ends."""
    eight, sixteen = (8, 0.002, 0.0023, 0.0, ()), (16, 0.002, 0.0023, 0.0, ())
    loads = [2, 4, 8, 16, 24, 32, 48]
    fit = measure.fit_ladder(loads, _rates(eight, loads), servers=8)
    more = fit.with_servers(16)
    there = more.predict([8, 32, 64])
    assert there.rates == pytest.approx(_rates(sixteen, [8, 32, 64]), rel=0.03)
    assert there.lowest_rates[2] < fit.predict([64]).rates[0]
    assert more.with_servers(8).predict(loads).rates == pytest.approx(fit.predict(loads).rates, rel=1e-12)
    with pytest.raises(qn.ModelError, match="servers = 16: must be known where the ladder was measured"):
        measure.fit_ladder(loads, _rates(eight, loads)).with_servers(16)


def test_two_loads_and_three_rows() -> None:
    """Two loads fit one server; three all of response, capacity and shape."""
    network = NETWORKS[0]
    assert measure.fit_ladder([1, 8], _rates(network, [1, 8])).fitted == ("response_time", "capacity")
    assert measure.fit_ladder([1, 8], _rates(network, [1, 8])).capacity == pytest.approx(100, rel=1e-6)
    three = measure.fit_ladder([2, 8, 24], _rates(network, [2, 8, 24]))
    assert three.capacity == pytest.approx(100, rel=1e-4)
    assert three.predict([48]).errors[0] > 0.03


def test_what_the_rows_contradict_is_noted() -> None:
    """Little's law, a cold row, and one network that does not have all of the ladder."""
    loads, rates = np.array([1, 4, 8, 16, 32]), np.array([24.4, 93.0, 153.9, 191.2, 199.5])
    slow = measure.fit_ladder(loads, rates, 4 * loads / rates)
    assert slow.response_ratio == pytest.approx(4)
    assert "responses are 4 times load/rate" in slow.notes[0]
    assert slow.predict([8]).response_times == pytest.approx(4 * 8 / slow.predict([8]).rates)
    hidden = measure.fit_ladder(loads, rates / 4, loads / rates)  # counted over four times the time that was measured
    assert (hidden.think_time, hidden.response_ratio) == (0, pytest.approx(0.25))
    assert "responses are 0.25 times load/rate" in hidden.notes[0]
    away = measure.fit_ladder(loads, rates, loads / rates * np.array([1, 1, 1.3, 1, 1]))
    assert "at load 8 the response is 1.3 times" in away.notes[0]
    thinking = measure.fit_ladder(loads, rates, loads / rates - 0.02)
    assert thinking.think_time == pytest.approx(0.02)
    assert "taken as think time" in thinking.notes[0]
    cold = measure.fit_ladder([8, 16, 32, 64], [6481, 16288, 22535, 22852])
    assert "at load 16 the rate by load is 1.26 times" in cold.notes[0]
    assert any("one network does not have all of this ladder" in note for note in cold.notes)
    jumping = measure.fit_ladder([1, 2, 4, 8, 16, 32], [10, 100, 1, 50, 3, 80])
    assert any(re.search(r"off by 2\d\d % in the mean", note) for note in jumping.notes)


@pytest.mark.parametrize(
    ("wrong", "text"),
    [
        (lambda: measure.fit_ladder([1, 2], [3.0]), "loads, rates: must have one value for each interval"),
        (lambda: measure.fit_ladder([4, 4], [3.0, 3.1]), "loads = 4.0: must have two values that differ"),
        (lambda: measure.fit_ladder([0.5, 2], [3.0, 6.0]), "loads, value 1 = 0.5: must be 1 or more; count users"),
        (lambda: measure.fit_ladder([1, 2], [3.0, 0.0]), "rates, value 2 = 0.0: must be a number above 0"),
        (lambda: measure.fit_ladder([1, 2], [3.0, float("nan")]), "rates, value 2 = nan: must be finite"),
        (lambda: measure.fit_ladder([1, 2e5], [3.0, 4.0]), "loads, value 2 = 200000.0: must lie within 0 and 100000"),
        (lambda: measure.fit_ladder([1, 2], [3.0, 5.0], busy=[0.1, 0.2]), "servers = None: must be given with busy"),
        (
            lambda: measure.fit_ladder([1, 2], [3.0, 5.0], busy=[10, 20], servers=2),
            "busy, value 1 = 10.0: must lie within 0 and 1",
        ),
        (
            lambda: measure.fit_ladder([1, 2], [3.0, 5.0], think_time=2.0),
            "think_time = 2.0: must be less than load/rate, here 0",
        ),
        (lambda: measure.fit_ladder([1, 2], [3.0, 5.0]).predict([0.2]), "loads, value 1 = 0.2: must be 1 or more"),
        (lambda: measure.fit_ladder([1, 2e5], [3.0, 4.0]), "take loads up to 100000: jobs in the system at once"),
        (
            lambda: measure.fit_ladder([1, 2], [3.0, 4.0], rate_deviations=[0.1, 5]),
            "rate_deviations, value 2 = 5.0: must not be above the rate, 4",
        ),
        (lambda: measure.fit_ladder([1, 2], [3.0, 5.0]).network(0), "load = 0: must lie within 1 and 100000"),
    ],
)
def test_bad_ladders_are_one_line(wrong: Callable[[], object], text: str) -> None:
    """Item, value, rule and repair."""
    with pytest.raises(qn.ModelError, match=text) as caught:
        wrong()
    assert "\n" not in str(caught.value)
    assert len(str(caught.value)) < 300
    assert ";" in str(caught.value)


def test_least_squares_keeps_its_bounds() -> None:
    """The nearest point within the bounds; at a bound the others still move."""

    def left(points: Any) -> Any:
        return np.column_stack([points[:, 0] - 3.0, points[:, 1] + 2.0, points[:, 0] * points[:, 1] * 0.1])

    x, found = least_squares(left, np.array([0.5, 0.5]), np.array([0.0, 0.0]), np.array([10.0, 10.0]))
    assert x == pytest.approx([3.0, 0.0], abs=1e-9)
    assert found == pytest.approx([0.0, 2.0, 0.0], abs=1e-9)


@pytest.mark.parametrize("seed", range(20))
def test_numbers_of_zero_or_more(seed: int) -> None:
    """The conditions of the least sum: no gain from a free number, none from one that is held at 0."""
    random = np.random.default_rng(seed)
    matrix, values = random.normal(size=(12, 5)) + 0.5, random.normal(size=12)
    x = nonnegative(matrix, values)
    slope = matrix.T @ (values - matrix @ x)
    assert x.min() >= 0
    assert np.all(np.abs(slope[x > 0]) < 1e-9)
    assert np.all(slope[x == 0] < 1e-9)


@pytest.mark.parametrize("jobs", [1999, 2002, 30_000])
@pytest.mark.parametrize("near", [0.5, 0.99, 1.0, 1.01, 3.0])
def test_many_jobs_at_one_server_follow_erlang(jobs: int, near: float) -> None:
    """The server is idle with Erlang's loss probability of as many lines as there are jobs, of any load of the delay."""
    capacity, load = 100.0, jobs / near
    response = load / capacity + 1 / capacity
    curve = Curves(np.array([response]), np.array([response * capacity]), np.zeros(1), np.zeros(1))
    idle = 1.0
    for lines in range(1, jobs + 1):
        idle = load * idle / (lines + load * idle)
    assert curve.throughput(np.array([float(jobs)]))[0, 0] == pytest.approx(capacity * (1 - idle), rel=1e-8)


def test_users_that_think_far_longer_than_they_wait():
    """Noise makes some cycles shorter than the think time: it is taken all the same, and the rest is fitted."""
    users = np.array([5, 10, 20, 50, 100, 200, 300, 400, 600])
    network = qn.Network(
        [qn.Queue("cpu", servers=4)], [qn.ClosedClass("u", population=1, think_time=1.0, demands={"cpu": 0.012})]
    )
    truth = qn.sweep(network, "u", population=users.tolist())
    off = 1 + 0.02 * np.array([1, -1, 0.5, -0.5, 1, -1, 0.3, -0.3, 0])
    x, r = truth.throughput[:, 0] * off, truth.response_time[:, 0] * off[::-1]
    assert (users / x).min() < 1  # shorter than the think time
    fit = measure.fit_ladder(users, x, r)
    assert fit.think_time == pytest.approx(1, rel=0.03)
    assert fit.response_ratio == 1
    assert fit.capacity == pytest.approx(4 / 0.012, rel=0.03)
    low = measure.fit_ladder(users[:5], x[:5], r[:5])  # no row shows that responses grow
    assert low.think_time == pytest.approx(1, rel=0.03)
    assert low.predict([100]).response_times[0] == pytest.approx(r[4], rel=0.5)


def test_a_clock_that_is_off_is_no_think_time():
    """Rates by a clock of 60 s in place of 15: responses are a share of load over rate, at every load."""
    users = np.array([8, 16, 32, 64, 128])
    x = np.array([80, 150, 240, 280, 290]) / 4
    fit = measure.fit_ladder(users, x, users / x / 4)
    assert fit.think_time == 0
    assert fit.response_ratio == pytest.approx(0.25)


def test_weights_of_large_ladders_are_those_of_small_ones():
    """A curve at 25,000 jobs, where what counts is a part of the sum, beside the station without waiting and its capacity."""
    curves = Curves(*(np.array([v]) for v in (0.1, 1.0, 0.0, 0.0)), think_time=2.0)  # M/M/1 of 0.1 s beside thinking
    found = curves.throughput(np.array([10.0, 25_000.0]))[0]
    exact = qn.Network([qn.Queue("q")], [qn.ClosedClass("u", population=10, think_time=2.0, demands={"q": 0.1})])
    assert found[0] == pytest.approx(qn.solve(exact)["u"].throughput, rel=1e-12)
    assert found[1] == pytest.approx(10, rel=1e-12)
    wide = Curves(*(np.array([v]) for v in (0.1, 30_000.0, 1.0, 0.0)), think_time=2.0)
    assert wide.throughput(np.array([25_000.0]))[0, 0] == pytest.approx(25_000 / 2.1, rel=1e-9)


def test_a_given_think_time_leaves_short_responses_as_they_are() -> None:
    """Users who think 1 s at a server of 10 ms: load/rate less thinking is noise, no clock that is off."""
    users, rng = np.array([1, 2, 4, 8, 16, 32, 64, 128, 256]), np.random.default_rng(7)
    job = qn.ClosedClass("j", population=1, think_time=1.0, demands={"cpu": 0.01})
    exact = qn.sweep(qn.Network([qn.Queue("cpu")], [job]), "j", population=users.tolist())
    rates = exact.throughput[:, 0] * (1 + 0.02 * rng.normal(size=9))
    responses = exact.response_time[:, 0] * (1 + 0.02 * rng.normal(size=9))
    fit = qn.measure.fit_ladder(users[:6], rates[:6], responses[:6], think_time=1.0)
    assert fit.response_ratio == 1
    assert not any("clock" in note for note in fit.notes)
    there = fit.predict(users[6:])
    assert there.rates == pytest.approx(exact.throughput[6:, 0], rel=0.05)
    assert there.response_times == pytest.approx(exact.response_time[6:, 0], rel=0.08)


@pytest.mark.parametrize("variation", [0.5, 1.0, 1.5])
@pytest.mark.parametrize("think", [0.0, 0.02, 0.5])
def test_percentiles_show_a_think_time(variation: float, think: float) -> None:
    """Median and 95th percentile of log-normal responses that grow with the load; at much thinking they hardly do."""
    loads = np.array([1, 2, 4, 8, 16, 32])
    rates = _rates((4, 0.004, 0.002, think, ()), loads)
    means = loads / rates - think
    width = np.sqrt(np.log(1 + variation**2))
    middle = means * np.exp(-(width**2) / 2)
    noise = 1 + 0.02 * np.random.default_rng(3).normal(size=(2, 6))
    percentiles = {"response_p50": middle * noise[0], "response_p95": middle * np.exp(1.645 * width) * noise[1]}
    found = think_from_percentiles(loads, rates, percentiles)
    assert found == (None if think == 0 else pytest.approx(think, rel=0.1))
    assert think_from_percentiles(loads, rates, {"response_p95": percentiles["response_p95"]}) is None
    slow = {name: values * 4 for name, values in percentiles.items()}  # another clock, and no thinking
    assert think or think_from_percentiles(loads, rates, slow) is None


@pytest.mark.parametrize(("nodes", "servers"), [(2, 1), (3, 1), (2, 4), (3, 4), (3, 20), (4, 2)])
def test_equal_nodes_as_one_station(nodes: int, servers: int) -> None:
    """The rate at which jobs leave all of them is that of their network without a delay, also with many jobs."""
    jobs = [1, 2, 7, 30, 100, 400]
    stations = [qn.Queue(f"node {i}", servers=servers) for i in range(nodes)]
    users = qn.ClosedClass("users", population=1, demands={each.name: 1 / nodes for each in stations})
    rates = qn.sweep(qn.Network(stations, [users]), {"users": {"population": jobs}}).throughput[:, 0]
    shares = node_shares(np.array([float(servers)]), nodes, 400)[0]
    assert shares[np.array(jobs) - 1] * nodes * servers == pytest.approx(rates, rel=1e-9)


def test_three_nodes_are_found_where_the_knee_is_soft() -> None:
    """Three nodes of four servers: from rows up to 32 jobs and 2 % of noise the rate at 64 to 256, which one station misses."""
    stations = [qn.Queue(f"node {i}", servers=4) for i in range(3)]
    demands = {each.name: 0.008 / 3 for each in stations} | {"net": 0.003}
    network = qn.Network([*stations, qn.Delay("net")], [qn.ClosedClass("users", population=1, demands=demands)])
    loads = np.array([1, 2, 4, 8, 12, 16, 24, 32, 64, 128, 256])
    rates = qn.sweep(network, {"users": {"population": loads.tolist()}}).throughput[:, 0]
    exact = measure.fit_ladder(loads[:8], rates[:8])
    assert exact.nodes == 3
    assert exact.predict(loads[8:]).rates == pytest.approx(rates[8:], rel=1e-3)
    assert qn.solve(exact.network(128))["jobs"].throughput == pytest.approx(exact.predict([128]).rates[0], rel=1e-9)
    off, within = [], []
    for seed in range(8):
        noisy = rates[:8] * (1 + 0.02 * np.random.default_rng(seed).normal(size=8))
        there = measure.fit_ladder(loads[:8], noisy).predict(loads[8:])
        off += list(np.abs(there.rates / rates[8:] - 1))
        within += list((there.lowest_rates < rates[8:]) & (rates[8:] < there.highest_rates))
    assert np.median(off) < 0.04
    assert np.mean(within) > 0.9

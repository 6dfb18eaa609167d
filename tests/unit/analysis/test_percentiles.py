"""Percentiles: exact ones against rational and scipy figures, approximate ones against a tagged job's Markov chain."""

from __future__ import annotations

import csv
import math
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest
import qnsolve as qn
from qnsolve.numerics.passage_times import gamma_quantile, series_quantile
from scipy import stats

from tests.oracles import passage_times
from tests.support import zoo

SHARES = (1e-6, 0.01, 0.5, 0.9, 0.95, 0.999, 1 - 1e-12)


def fcfs(name: str, servers: int = 1) -> qn.Queue:
    """A first come first served queue."""
    return qn.Queue(name, servers=servers, discipline="fcfs")


@pytest.mark.parametrize("share", SHARES)
@pytest.mark.parametrize("count", [1, 2, 5, 40])
def test_equal_rates_are_an_erlang_distribution(count: int, share: float) -> None:
    """Equal phases: scipy's gamma quantile."""
    found = series_quantile(np.full(count, 3.0), np.ones(count), share)
    assert found == pytest.approx(stats.gamma.ppf(share, count, scale=1 / 3), rel=1e-11)


def _hypoexponential(rates: list[Fraction], t: Fraction) -> Fraction:
    """P(T > t) by partial fractions, the exponentials by their series in rational numbers."""
    total = Fraction(0)
    for i, a in enumerate(rates):
        weight = Fraction(1)
        for j, b in enumerate(rates):
            if i != j:
                weight *= b / (b - a)
        total += weight * _exp(-a * t)
    return total


def _exp(x: Fraction) -> Fraction:
    halvings = max(0, math.ceil(abs(x)).bit_length())
    y, term, total = x / 2**halvings, Fraction(1), Fraction(1)
    for j in range(1, 40):
        term = term * y / j
        total += term
    for _ in range(halvings):
        total = Fraction(round(total * total * 10**60), 10**60)
    return total


@pytest.mark.parametrize(
    "rates", [[1.0, 2.0], [1.0, 1.0 + 1e-9, 1.0 + 2e-9], [0.3, 5.0, 5.5, 40.0], [1e-3, 1e6], [1.0, 1.5, 2.0, 2.5, 3.0, 7.0]]
)
def test_phases_of_any_rates(rates: list[float]) -> None:
    """The survival function at the quantile, by rational arithmetic, is what was asked for."""
    for share in (0.1, 0.5, 0.95, 0.999):
        t = series_quantile(np.array(rates), np.ones(len(rates)), share)
        beyond = _hypoexponential([Fraction(r) for r in rates], Fraction(t))
        assert float(beyond) == pytest.approx(1 - share, rel=1e-9)


def test_skipped_phases() -> None:
    """A phase entered by a share of the jobs: M/M/1 is 0 or exponential; all skipped gives 0."""
    assert series_quantile(np.array([2.0]), np.array([0.3]), 0.95) == pytest.approx(math.log(0.3 / 0.05) / 2, rel=1e-12)
    assert series_quantile(np.array([2.0]), np.array([0.3]), 0.5) == 0.0
    assert series_quantile(np.array([1e-9, 1e6, 1e18]), np.ones(3), 0.95) == pytest.approx(-math.log(0.05) * 1e9, rel=1e-12)


@pytest.mark.parametrize("variation", [1e-6, 1e-3, 0.3, 1.0, 3.0, 40.0])
def test_gamma(variation: float) -> None:
    """The gamma quantile is scipy's; of more than ten thousand phases to six digits."""
    for share in (1e-4, 0.05, 0.5, 0.95, 0.9999):
        expected = float(stats.gamma.ppf(share, 1 / variation, scale=variation))
        found = gamma_quantile(1.0, variation, share)
        assert found == pytest.approx(expected, rel=1e-9 if variation > 1e-4 else 1e-6, abs=1e-290)


def test_one_queue_is_exponential() -> None:
    """M/M/1 first come first served: −ln(1 − p)·R, next to no load and next to saturation."""
    for load in (1e-12, 0.5, 1 - 1e-9, 1 - 1e-12):
        found = qn.response_percentile(qn.Network([fcfs("cpu")], [zoo.opened("a", load, cpu=1.0)]), "a", 0.95)
        assert found.exact
        assert found.value == pytest.approx(-math.log(0.05) * found.mean, rel=1e-12)


def test_many_servers() -> None:
    """M/M/c: the quantile solves the known distribution of wait and service."""
    rate, servers = 7.2, 8
    found = qn.response_percentile(qn.Network([fcfs("cpu", servers)], [zoo.opened("a", rate, cpu=1.0)]), "a", 0.9)
    late, free = qn.stations.erlang_c(servers, rate), servers - rate
    t = found.value
    beyond = (1 - late) * math.exp(-t) + late * (free * math.exp(-t) - math.exp(-free * t)) / (free - 1)
    assert found.exact
    assert beyond == pytest.approx(0.1, rel=1e-12)
    large = qn.response_percentile(qn.Network([fcfs("cpu", 10**6)], [zoo.opened("a", 999_000.0, cpu=1.0)]), "a", 0.9)
    assert large.value == pytest.approx(large.mean * math.log(10), rel=0.01)


def test_a_tandem_against_simulation() -> None:
    """Three queues in a row, many servers at the ends: exact by theory, and simulation agrees."""
    path = ([0.7], [3, 1, 2], [2.5, 1.0, 1.6], [[0, 1, 2]])
    found = qn.response_percentile(passage_times.open_model(path), "c0", 0.95)
    assert (found.exact, found.method) == (True, "overtake-free")
    times = passage_times.simulated(*path, 200_000, 7)
    assert found.value == pytest.approx(np.quantile(times, 0.95), rel=0.02)
    assert found.mean == pytest.approx(times.mean(), rel=0.02)


def test_which_is_exact() -> None:
    """Many servers or a delay in the middle, another way, shared stations: not called exact."""
    ends = [fcfs("a", 2), fcfs("b"), qn.Delay("net")]
    assert qn.response_percentile(qn.Network(ends, [zoo.opened("x", 0.3, a=1, b=1, net=1)]), "x").exact
    assert not qn.response_percentile(qn.Network(ends, [zoo.opened("x", 0.3, b=1, a=1, net=1)]), "x").exact
    around = [zoo.opened("x", 0.3, a=1, b=1), zoo.opened("y", 0.3, b=1)]
    times = [
        qn.OpenClass(c.name, arrival_rate=0.3, visits=dict.fromkeys(c.demands or (), 1), service_times=c.demands)
        for c in around
    ]
    model = qn.Network(ends, times)
    assert qn.response_percentile(model, "y").exact
    other = qn.response_percentile(model, "x")
    assert (other.exact, other.method) == (False, "independent")
    assert "%" in other.notes[-1]
    shared = qn.response_percentile(zoo.HAND_MADE["open"], "browse")
    assert (shared.exact, shared.method) == (False, "gamma")


def test_shared_server_in_an_open_network() -> None:
    """Processor sharing: the variance is exact, so the fit has it; its percentiles are above those of one exponential."""
    model = qn.Network([zoo.CPU], [zoo.opened("a", 0.8, cpu=1.0)])
    found = qn.response_percentile(model, "a", 0.95)
    assert found.value == pytest.approx(gamma_quantile(5.0, 2.8 / 1.2, 0.95), rel=1e-12)
    near = qn.response_percentile(qn.Network([zoo.CPU], [zoo.opened("a", 1 - 1e-10, cpu=1.0)]), "a", 0.95)
    assert near.value == pytest.approx(gamma_quantile(near.mean, 3.0, 0.95), rel=1e-6)


def test_the_chain_has_the_right_mean() -> None:
    """The oracle's mean passage time is the exact response time of the model."""
    for models in passage_times.families().values():
        for model in models[:8]:
            assert passage_times.Tagged(model).mean() == pytest.approx(qn.solve(model)["c0"].response_time, rel=1e-12)


def test_the_chain_has_the_right_distribution() -> None:
    """The oracle's quantile is where its survival function has it; one job has the sum of its stations' times."""
    tagged = passage_times.Tagged(passage_times.families()["first come first served, some servers"][0])
    assert tagged.survival(tagged.quantile(0.95)) == pytest.approx(0.05, rel=1e-5)
    alone = qn.Network([fcfs("a"), fcfs("b")], [zoo.closed("c0", 1, 1.0, a=0.3, b=0.7)])
    expected = series_quantile(np.array([1 / 0.3, 1 / 0.7]), np.ones(2), 0.9)
    assert passage_times.Tagged(alone).quantile(0.9) == pytest.approx(expected, rel=1e-6)


@pytest.mark.slow
def test_the_published_errors_are_found_again() -> None:
    """Every model measured again gives the table that the package carries."""
    published = list(csv.DictReader(passage_times.TABLE.read_text(encoding="utf-8").splitlines()))
    again = list(passage_times.table())
    assert [(r["method"], r["family"], r["models"]) for r in again] == [
        (r["method"], r["family"], r["models"]) for r in published
    ]
    for new, old in zip(again, published, strict=True):
        for figure in passage_times.HEAD[3:]:
            assert float(new[figure]) == pytest.approx(float(old[figure]), abs=2e-4)


def test_the_aim() -> None:
    """Mean error of a 95th percentile at most 2.5 % in every family."""
    rows = csv.DictReader(Path(passage_times.TABLE).read_text(encoding="utf-8").splitlines())
    assert all(float(row["p95_mean"]) < 0.025 for row in rows)


def test_wrong_calls() -> None:
    """Shares outside 0 … 1, unknown classes, empty ones, priorities: one line each."""
    model = zoo.HAND_MADE["one class"]
    for share in (0, 1, 95, -0.5, "x"):
        with pytest.raises(qn.ModelError, match="percentile"):
            qn.response_percentile(model, "query", share)
    with pytest.raises(qn.ModelError, match="must name a class"):
        qn.response_percentile(model, "quarry")
    with pytest.raises(qn.ModelError, match="must have jobs"):
        qn.response_percentile(zoo.HAND_MADE["empty class"], "batch")


def test_percentiles_rise() -> None:
    """On every model of the zoo percentiles are positive and rise with the share."""
    for name in zoo.HAND_MADE:
        solution = zoo.solved(name, zoo.accepting(name)[0])
        for c in solution.classes:
            if c.response_time > 0:
                values = [qn.response_percentile(solution, c.name, s).value for s in (0.1, 0.5, 0.9, 0.99)]
                assert values == sorted(values)
                assert values[0] > 0

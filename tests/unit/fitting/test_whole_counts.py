"""Whole numbers of a fit, the table that fits of one closed class are solved by, and what serial noise does to intervals."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest
import qnsolve as qn
from qnsolve.fitting.steps.closed_table import closed_table
from qnsolve.fitting.steps.start_points import LEAST, MOST, spread_places
from qnsolve.fitting.steps.whole_counts import MOST_COUNT, WholeCount
from qnsolve.measure.demands.block_bootstrap import studentized

from tests.support.fit_family import Setting, simulated


@pytest.mark.parametrize("best", [1, 2, 3, 7, 8, 100, 3001, 4096])
@pytest.mark.parametrize("width", [0.3, 3.0, 40.0])
def test_the_best_count_and_all_that_fit_as_well(best: int, width: float) -> None:
    """A sum with one bottom: its place, and both ends of the counts below a level, as trying every count finds them."""
    asked: list[float] = []

    def squares(counts: Sequence[float]) -> list[float]:
        asked.extend(counts)
        return [((n - best) / width) ** 2 + 5 for n in counts]

    count = WholeCount(squares, 1.0, np.inf)
    assert count.best() == best
    every = np.arange(1, MOST_COUNT + 1)
    inside = every[((every - best) / width) ** 2 <= 1]
    assert count.alike(6.0) == (inside[0], inside[-1])
    assert len(asked) == len(set(asked)) < 100


def test_bounds_of_a_count() -> None:
    """A sketch's bounds hold, also where the bottom lies outside."""
    count = WholeCount(lambda counts: [float(n) for n in counts], 2.5, 9.0)
    assert count.best() == 3
    assert count.alike(1e9) == (3, 9)


def test_the_table_is_the_exact_solution() -> None:
    """One closed class at two queues and a delay: each population, point by point, beside the solver."""
    rng = np.random.default_rng(4)
    populations = np.array([1.0, 2.0, 7.0, 40.0, 300.0])
    for think in (0.0, 1.5):
        servers, cpu, disk = rng.integers(1, 20, 4).astype(float), rng.uniform(0.01, 0.2, 4), rng.uniform(0.001, 0.1, 4)

        def network(m: int, a: float, b: float, z: float = think) -> qn.Network:
            users = qn.ClosedClass("u", population=2, think_time=z, demands={"cpu": a, "disk": b, "rest": 0.1})
            return qn.Network([qn.Queue("cpu", servers=m), qn.Queue("disk"), qn.Delay("rest")], [users])

        figures: dict[str, dict[str, Any]] = {"cpu": {"servers": servers}, "u": {"demands": {"cpu": cpu, "disk": disk}}}
        found = closed_table(network(1, 1, 1), figures, populations, 4)
        assert found is not None
        for p in range(4):
            one = network(int(servers[p]), cpu[p], disk[p])
            want = qn.sweep(one, "u", population=populations.astype(int).tolist())
            assert found["u.rate"][p] == pytest.approx(want.throughput[:, 0], rel=1e-11)
            assert found["u.response_time"][p] == pytest.approx(want.response_time[:, 0], rel=1e-11)
            assert found["cpu.busy"][p] == pytest.approx(want.utilization[:, 0], rel=1e-11)


def test_other_networks_have_no_table() -> None:
    """Two classes, or more jobs than a table has, are solved by themselves."""
    one, two = (qn.ClosedClass(name, population=2, demands={"cpu": 0.1}) for name in "ab")
    assert closed_table(qn.Network([qn.Queue("cpu")], [one, two]), {}, np.array([2.0]), 1) is None
    assert closed_table(qn.Network([qn.Queue("cpu")], [one]), {}, np.array([1e4]), 1) is None
    assert closed_table(qn.Network([qn.Queue("cpu", discipline="fcfs")], [one]), {}, np.array([2.0]), 1) is None


def test_intervals_of_means_of_few_rows_with_serial_noise() -> None:
    """Of means of 20 rows whose neighbours are alike by 0.7 the drawn intervals hold 93 of 100 less chance; 95 are meant."""
    hits = []
    for seed in range(300):
        rng = np.random.default_rng([seed, 20])
        values = rng.normal(size=20)
        for t in range(1, 20):
            values[t] = 0.7 * values[t - 1] + np.sqrt(1 - 0.7**2) * values[t]
        left = values - values.mean()
        draws, _, deviations, _ = studentized(np.ones((20, 1)), left)
        low, high = np.quantile(draws[:, 0], (0.025, 0.975)) * deviations[0]
        hits.append(values.mean() - high <= 0 <= values.mean() - low)
    assert np.mean(hits) >= 0.93 - 3 * np.sqrt(0.93 * 0.07 / 300)


def test_value_and_interval_of_a_count_are_of_one_search() -> None:
    """The best count is the one whose other figures are taken, and lies between its ends."""
    for seed in (1001, 1063):
        rows, sketch, _ = simulated(Setting("threads", 60), seed)
        fit = qn.fit(rows, sketch, held_out=0)
        for name in ("cpu.servers", "jobs.demands.cpu", "jobs.demands.rest"):
            assert fit[name].lowest <= fit[name].value <= fit[name].highest
        alone = fit["jobs.demands.cpu"].value + fit["jobs.demands.rest"].value
        least = np.nanmin(rows.column("response_time", "jobs"))
        assert alone == pytest.approx(least, rel=0.1)


@pytest.mark.parametrize("seed", [112, 270, 291, 313, 321, 548])
def test_a_search_of_counts_does_not_end_where_a_figure_is_0(seed: int) -> None:
    """Where users wait, a delay of 0 has no slope: a search that began with it stayed there, far from rows and true count."""
    rows, sketch, truth = simulated(Setting("threads", 20), seed)
    fit = qn.fit(rows, sketch, held_out=0)
    for name, value in truth.items():
        assert fit[name].lowest <= value <= fit[name].highest


def test_a_figure_at_its_bound_has_an_interval() -> None:
    """Rows of full servers: a delay of 0 fits best, and how far it may go is said though the sum has no slope there."""
    rows, sketch, _ = simulated(Setting("threads", 20), 136)
    rest = qn.fit(rows, sketch, held_out=0)["jobs.demands.rest"]
    assert rest.value == 0
    assert 0 < rest.highest <= 0.1 * np.nanmedian(rows.column("response_time", "jobs"))


def test_places_of_searches_leave_no_holes() -> None:
    """Of 64 places in any two figures each ninth of the square has one, by logarithms, within the bounds."""
    places = spread_places(4)
    assert places.min() >= LEAST
    assert places.max() <= MOST
    thirds = np.floor(3 * np.log(places / LEAST) / np.log(MOST / LEAST)).astype(int)
    for i, k in ((0, 1), (0, 2), (1, 3), (2, 3)):
        assert len({(a, b) for a, b in thirds[:, [i, k]].tolist()}) == 9

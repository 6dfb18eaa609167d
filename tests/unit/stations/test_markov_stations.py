"""The closed forms of one station against the Markov chain that each of them is."""

from __future__ import annotations

import numpy as np
import pytest
from qnsolve import stations
from qnsolve.stations import StationForm

from tests.oracles.markov_chain import birth_death, chain

LOST = 1e-13


def _check(form: StationForm, p: np.ndarray, servers: int, service_time: float) -> None:
    """Hold a form against probabilities of 0, 1, ... jobs."""
    jobs = np.arange(len(p))
    busy = float(p @ np.minimum(jobs, servers))
    length = float(p @ jobs)
    assert form.throughput == pytest.approx(busy / service_time, rel=1e-10)
    assert form.utilization == pytest.approx(busy / servers, rel=1e-10)
    assert form.queue_length == pytest.approx(length, rel=1e-10)
    assert form.response_time == pytest.approx(length * service_time / busy, rel=1e-10)
    waiting = float(p @ np.maximum(jobs - servers, 0)) * service_time / busy
    assert form.waiting_time == pytest.approx(waiting, rel=1e-10, abs=1e-13)


@pytest.mark.parametrize(("arrival_rate", "service_time", "servers"), [(0.5, 1.0, 1), (9, 0.2, 2), (2.6, 1, 4), (30, 0.25, 10)])
def test_mmc_is_a_birth_death_chain(arrival_rate: float, service_time: float, servers: int) -> None:
    """M/M/c has the mean values of the birth-death chain, cut where nothing is lost."""
    room = 400
    p = birth_death([arrival_rate] * room, [min(n, servers) / service_time for n in range(1, room + 1)])
    assert p[-1] < LOST
    form = stations.mmc(arrival_rate, service_time, servers)
    _check(form, p, servers, service_time)
    assert form.probability_wait == pytest.approx(p[servers:].sum(), rel=1e-10)
    assert form.probability_blocked == 0


@pytest.mark.parametrize(
    ("arrival_rate", "service_time", "servers", "capacity"),
    [(50, 0.1, 4, 6), (3, 0.5, 2, 5), (40, 1 / 30, 3, 7), (1e-3, 1, 1, 1), (1e4, 1, 3, 40), (7, 1, 7, 7), (0.9, 1, 1, 300)],
)
def test_mmck_is_a_finite_birth_death_chain(arrival_rate: float, service_time: float, servers: int, capacity: int) -> None:
    """M/M/c/K has the mean values, the blocking and the waiting of its chain, overloaded or not."""
    p = birth_death([arrival_rate] * capacity, [min(n, servers) / service_time for n in range(1, capacity + 1)])
    form = stations.mmck(arrival_rate, service_time, servers, capacity)
    _check(form, p, servers, service_time)
    assert form.probability_blocked == pytest.approx(p[-1], rel=1e-10)
    assert form.probability_wait == pytest.approx(p[servers:-1].sum() / p[:-1].sum(), rel=1e-10)


@pytest.mark.parametrize(
    ("population", "think_time", "service_time", "servers"),
    [(1, 1, 1, 1), (2, 1, 1, 1), (20, 5, 0.4, 1), (20, 5, 0.4, 3), (6, 2, 1, 6), (6, 2, 1, 9), (300, 1, 1, 40)],
)
def test_finite_population_is_a_chain(population: int, think_time: float, service_time: float, servers: int) -> None:
    """M/M/c//N has the mean values of its chain, and an arrival sees the chain with one job less."""
    births = [(population - n) / think_time for n in range(population)]
    p = birth_death(births, [min(n, servers) / service_time for n in range(1, population + 1)])
    form = stations.finite_population(population, think_time, service_time, servers)
    _check(form, p, servers, service_time)
    others = births[1:]
    seen = birth_death(others, [min(n, servers) / service_time for n in range(1, population)])
    assert form.probability_wait == pytest.approx(seen[servers:].sum(), rel=1e-10)


@pytest.mark.parametrize(("phases", "load"), [(1, 0.4), (2, 0.5), (4, 0.6), (10, 0.3)])
def test_mg1_with_erlang_service_is_a_chain_of_phases(phases: int, load: float) -> None:
    """M/G/1 with a squared variation of 1/k has the mean values of k exponential phases in a row."""
    service_time, room = 0.7, 60
    rate, speed = load / service_time, phases / service_time

    def moves(state: tuple[int, ...]) -> list[tuple[float, tuple[int, ...]]]:
        jobs, left = state
        arcs = [(rate, (jobs + 1, left or phases))] if jobs < room else []
        if jobs:
            after = (jobs, left - 1) if left > 1 else (jobs - 1, phases if jobs > 1 else 0)
            arcs.append((speed, after))
        return arcs

    form = stations.mg1(rate, service_time, 1 / phases)
    p = _jobs(chain((0, 0), moves), room)
    _check(form, p, 1, service_time)
    assert form.probability_wait == pytest.approx(1 - p[0], rel=1e-10)


def test_mg1_with_hyperexponential_service_is_a_chain_of_branches() -> None:
    """M/G/1 with a large variation has the mean values of a service that is short or long."""
    short, long, share, rate, room = 0.2, 2.0, 0.8, 0.6, 200
    mean = share * short + (1 - share) * long
    variation = 2 * (share * short**2 + (1 - share) * long**2) / mean**2 - 1
    starts = ((share, 1), (1 - share, 2))

    def moves(state: tuple[int, ...]) -> list[tuple[float, tuple[int, ...]]]:
        jobs, branch = state
        if jobs == 0:
            return [(rate * p, (1, b)) for p, b in starts]
        arcs = [(rate, (jobs + 1, branch))] if jobs < room else []
        speed = 1 / (short, long)[branch - 1]
        return arcs + ([(speed * p, (jobs - 1, b)) for p, b in starts] if jobs > 1 else [(speed, (0, 0))])

    _check(stations.mg1(rate, mean, variation), _jobs(chain((0, 0), moves), room), 1, mean)


@pytest.mark.parametrize(
    ("sizes", "load"),
    [({1: 1.0}, 0.5), ({3: 1.0}, 0.4), ({1: 0.5, 2: 0.5}, 0.6), ({1: 0.75, 5: 0.25}, 0.3), ({2: 0.9, 8: 0.1}, 0.2)],
)
def test_batches_are_a_chain_that_jumps_up(sizes: dict[int, float], load: float) -> None:
    """M[X]/M/1 has the mean values of a chain whose arrivals add a whole batch."""
    service_time, room = 0.5, 250
    size = sum(b * p for b, p in sizes.items())
    variation = sum(b * b * p for b, p in sizes.items()) / size**2 - 1
    rate = load / service_time

    def moves(state: tuple[int, ...]) -> list[tuple[float, tuple[int, ...]]]:
        (jobs,) = state
        arcs = [(rate / size * p, (jobs + b,)) for b, p in sizes.items() if jobs + b <= room]
        return arcs + ([(1 / service_time, (jobs - 1,))] if jobs else [])

    form = stations.batch(rate, service_time, size, max(variation, 0.0))
    p = _jobs(chain((0,), moves), room)
    _check(form, p, 1, service_time)
    unhindered = p[0] / size  # the first job of a batch that finds nobody
    assert form.probability_wait == pytest.approx(1 - unhindered, rel=1e-10)


def _jobs(states: dict[tuple[int, ...], float], room: int) -> np.ndarray:
    """P(n jobs) from states that begin with the jobs; nothing may be lost at the end."""
    p = np.bincount([s[0] for s in states], weights=list(states.values()), minlength=room + 1)
    assert p[-10:].sum() < LOST
    return p

"""Networks of the solver against the Markov chain that each of them is."""

from __future__ import annotations

from functools import cache
from math import comb

import numpy as np
import pytest
from qnsolve import ClosedClass, Delay, LoadDependent, Network, Queue, methods, solve

from tests.oracles.markov_chain import ClosedChain, chain
from tests.support import zoo

MOST_STATES = 1500
LOST = 1e-13  # probability beyond the end of a truncated chain
HAND_MADE = (
    "one class",
    "no think time",
    "one station",
    "several classes",
    "three classes",
    "many servers, two classes",
    "as many servers as jobs",
    "levelling, two classes",
    "not levelling",
    "thrashing",
    "thrashing, two classes",
    "slow alone",
    "faster than its jobs",
    "idle station",
    "empty class",
    "one job",
    "fcfs, one class",
    "thinks only",
    "delays only",
)


def _states(model: Network) -> int:
    """Size of the Markov chain of a closed model."""
    size = 1
    for c in model.classes:
        places = (c.think_time > 0) + sum(c.demand(s.name) > 0 for s in model.stations)
        size *= comb(c.population + places - 1, places - 1)
    return size


def _station(rng: np.random.Generator, k: int) -> Queue | Delay | LoadDependent:
    name = f"s{k}"
    return [
        Queue(name),
        Queue(name, servers=int(rng.integers(2, 5))),
        Delay(name),
        LoadDependent(name, rates=np.sort(rng.uniform(0.5, 4, 4)).tolist()),
        LoadDependent(name, rates=np.sort(rng.uniform(0.3, 3, 5))[::-1].tolist()),
        LoadDependent(name, rates=[1.0, 1.9, 2.5, 1.2, 0.4]),
    ][rng.integers(6)]


@cache
def _random_models() -> dict[str, Network]:
    """Forty small closed models, every one with two to fifteen hundred states."""
    rng, models = np.random.default_rng(41), {}
    while len(models) < 40:
        stations = [_station(rng, k) for k in range(rng.integers(1, 5))]
        classes = [
            ClosedClass(
                f"c{r}",
                population=int(rng.integers(1, 8)),
                think_time=float(rng.choice([0.0, rng.uniform(0.2, 5.0)])),
                demands={s.name: float(rng.uniform(0.1, 2.0)) for s in stations if rng.random() < 0.9}
                or {stations[0].name: 1.0},
            )
            for r in range(rng.integers(1, 4))
        ]
        model = Network(stations, classes)
        if 2 <= _states(model) <= MOST_STATES:
            models[f"random {len(models)}"] = model
    return models


def _models() -> dict[str, Network]:
    return {**{name: zoo.HAND_MADE[name] for name in HAND_MADE}, **_random_models()}


@pytest.mark.parametrize("name", _models())
def test_closed_networks_equal_their_markov_chain(name: str) -> None:
    """Every exact method gives the throughputs and queue lengths of the network's Markov chain."""
    model = _models()[name]
    oracle = ClosedChain(model)
    assert oracle.size == _states(model)
    exact = [report.name for report in methods(model) if report.exact and report.accepts]
    assert exact
    for method in exact:
        result = solve(model, method=method)
        np.testing.assert_allclose([c.throughput for c in result.classes], oracle.throughput, rtol=1e-10)
        lengths = [[result[c.name, s.name].queue_length for s in model.stations] for c in model.classes]
        np.testing.assert_allclose(lengths, oracle.queue_length, rtol=1e-10, atol=1e-14)


def test_random_models_are_of_every_kind() -> None:
    """The random models hold each kind of station, several classes, and classes that do not think."""
    models = _random_models().values()
    stations = [s for m in models for s in m.stations]
    assert {type(s) for s in stations} == {Queue, Delay, LoadDependent}
    assert any(isinstance(s, Queue) and s.servers > 1 for s in stations)
    assert any(isinstance(s, LoadDependent) and s.rates[-1] < max(s.rates) for s in stations)
    assert {len(m.classes) for m in models} == {1, 2, 3}
    assert any(c.think_time == 0 for m in models for c in m.classes)
    assert max(map(_states, models)) > 500


def _open_chain(model: Network, room: int) -> dict[tuple[int, ...], float]:
    """Probabilities of how many jobs of each class are at each station, `room` jobs at a station at most.

    A state lists class by class, station by station; jobs visit their stations in order.
    """
    R, K = len(model.classes), len(model.stations)

    def moves(state: tuple[int, ...]) -> list[tuple[float, tuple[int, ...]]]:
        arcs = []
        counts = np.array(state).reshape(R, K)
        present = counts.sum(axis=0)
        for r, c in enumerate(model.classes):
            route = [k for k, s in enumerate(model.stations) if c.demand(s.name) > 0]
            steps = [(None, route[0], c.arrival_rate)]
            for k, following in zip(route, [*route[1:], None], strict=True):
                if counts[r, k]:
                    speed = zoo.held_speed(model.stations[k], int(present[k])) * counts[r, k] / present[k]
                    steps.append((k, following, speed / c.demand(model.stations[k].name)))
            for source, target, rate in steps:
                if target is not None and present[target] == room:
                    continue
                moved = counts.copy()
                if source is not None:
                    moved[r, source] -= 1
                if target is not None:
                    moved[r, target] += 1
                arcs.append((float(rate), tuple(moved.ravel().tolist())))
        return arcs

    return chain((0,) * (R * K), moves)


OPEN = {
    "one class, two stations": (
        Network([zoo.CPU, Queue("disk", servers=2)], [zoo.opened("browse", 0.5, cpu=0.5, disk=0.6)]),
        24,
    ),
    "load-dependent and delay": (
        Network([LoadDependent("pool", rates=[1.0, 3.0, 2.0]), zoo.NET], [zoo.opened("browse", 0.5, pool=0.8, net=1.0)]),
        22,
    ),
    "two classes": (Network([zoo.CPU], [zoo.opened("browse", 0.6, cpu=0.4), zoo.opened("buy", 0.1, cpu=1.5)]), 33),
    "two classes, three servers": (
        Network([Queue("cpu", servers=3)], [zoo.opened("browse", 1.4, cpu=0.7), zoo.opened("buy", 0.2, cpu=2.0)]),
        40,
    ),
    "one class, rising then falling": (Network([zoo.THRASHING], [zoo.opened("browse", 0.3, pool=0.7)]), 60),
    "nearly saturated": (Network([zoo.CPU], [zoo.opened("browse", 0.95, cpu=1.0)]), 620),
}


@pytest.mark.parametrize("name", OPEN)
def test_open_networks_equal_their_truncated_markov_chain(name: str) -> None:
    """Open networks have the queue lengths of their Markov chain, cut where nothing is lost."""
    model, room = OPEN[name]
    p = _open_chain(model, room)
    R, K = len(model.classes), len(model.stations)
    states = np.array(list(p)).reshape(len(p), R, K)
    share = np.array(list(p.values()))
    full = states.sum(axis=1).max(axis=1) == room
    assert share[full].sum() < LOST
    expected = np.einsum("i,irk->rk", share, states)
    for method in [report.name for report in methods(model) if report.exact and report.accepts]:
        result = solve(model, method=method)
        lengths = [[result[c.name, s.name].queue_length for s in model.stations] for c in model.classes]
        np.testing.assert_allclose(lengths, expected, rtol=1e-10)
        for k, station in enumerate(model.stations):
            present = states[:, :, k].sum(axis=1)
            there = np.bincount(present, weights=share, minlength=room + 1)
            given = result.distribution(station.name)
            size = min(len(there), len(given))
            np.testing.assert_allclose(given[:size], there[:size], rtol=1e-9, atol=1e-12)

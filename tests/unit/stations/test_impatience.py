"""Batches at many servers, and jobs that lose patience: against the Markov chain of each."""

from __future__ import annotations

import numpy as np
import pytest
from qnsolve import ModelError, stations
from qnsolve.stations import (
    batch,
    batch_servers,
    erlang_a,
    mmc,
)
from scipy.linalg import expm

from tests.oracles.markov_chain import birth_death, chain

State = tuple[int, ...]


@pytest.mark.parametrize("geometric", [False, True])
@pytest.mark.parametrize(("servers", "size", "busy"), [(2, 3, 0.4), (4, 2, 0.75), (5, 8, 0.3), (3, 1, 0.6), (8, 3, 0.02)])
def test_batches_at_several_servers_are_a_chain(servers: int, size: int, busy: float, geometric: bool) -> None:
    """M[X]/M/c has the mean values and the waiting probability of the chain that jumps by whole batches."""
    room, load = 420, servers * busy
    sizes = {b: (1 / size) * (1 - 1 / size) ** (b - 1) for b in range(1, room + 1)} if geometric else {size: 1.0}

    def moves(state: State) -> list[tuple[float, State]]:
        (n,) = state
        arcs = [(load / size * p, (n + b,)) for b, p in sizes.items() if n + b <= room and p > 0]
        return arcs + ([(min(n, servers), (n - 1,))] if n else [])

    found = chain((0,), moves)
    p = np.array([found[n,] for n in range(room + 1)])
    assert p[-1] < 1e-15
    n = np.arange(room + 1)
    form = batch_servers(load, 1.0, servers, size, geometric=geometric)
    assert form.queue_length == pytest.approx(float(p @ n), rel=1e-10)
    assert form.waiting_time * load == pytest.approx(float(p @ np.maximum(n - servers, 0)), rel=1e-10)
    place = {k: sum(q for b, q in sizes.items() if b > k) / size for k in range(room)}  # P(a job is the k-th behind its first)
    waits = sum(p[i] * q for i in range(room + 1) for k, q in place.items() if i + k >= servers)
    assert form.probability_wait == pytest.approx(waits, rel=1e-10)


@pytest.mark.parametrize("busy", [1e-12, 1e-3, 0.3, 0.9, 1 - 1e-9])
@pytest.mark.parametrize("size", [1, 3, 50])
def test_batches_at_one_server(busy: float, size: int) -> None:
    """With one server the chain's answer is the closed form, for fixed and geometric batches."""
    for geometric in (False, True):
        ours = batch_servers(busy, 1.0, 1, size, geometric=geometric)
        closed = batch(busy, 1.0, size, (size - 1) / size if geometric else 0.0)
        assert ours.waiting_time == pytest.approx(closed.waiting_time, rel=1e-12)
        assert ours.probability_wait == pytest.approx(closed.probability_wait, rel=1e-12)


@pytest.mark.parametrize("servers", [1, 2, 30, 1000, 10**5])
@pytest.mark.parametrize("busy", [1e-3, 0.3, 0.9, 0.9999, 1 - 1e-9])
def test_batches_of_one_are_mmc(servers: int, busy: float) -> None:
    """Batches of one at many servers are M/M/c, to twelve digits of the waiting."""
    ours, theirs = batch_servers(servers * busy, 1.0, servers, 1), mmc(servers * busy, 1.0, servers)
    assert ours.waiting_time == pytest.approx(theirs.waiting_time, rel=1e-11, abs=1e-250)
    assert ours.probability_wait == pytest.approx(theirs.probability_wait, rel=1e-11, abs=1e-250)


@pytest.mark.parametrize(
    ("rate", "servers", "patience"),
    [(3.0, 4, 2.0), (9.0, 4, 0.5), (9.0, 4, 20.0), (0.01, 2, 1.0), (40.0, 50, 0.01), (130.0, 100, 3.0)],
)
def test_erlang_a_is_a_birth_death_chain(rate: float, servers: int, patience: float) -> None:
    """Erlang-A has the throughput, queue, waiting and abandonment of its chain, and its jobs go one way or the other."""
    room = 900
    deaths = [min(n, servers) + max(n - servers, 0) / patience for n in range(1, room + 1)]
    p = birth_death([rate] * room, deaths)
    n = np.arange(room + 1)
    form = erlang_a(rate, 1.0, servers, patience)
    assert form.throughput == pytest.approx(float(p @ np.minimum(n, servers)), rel=1e-10)
    assert form.queue_length == pytest.approx(float(p @ n), rel=1e-10)
    assert form.probability_wait == pytest.approx(float(p[servers:].sum()), rel=1e-10)
    assert form.probability_abandoned == pytest.approx(float(p @ np.maximum(n - servers, 0)) / patience / rate, rel=1e-10)
    assert form.throughput + form.probability_abandoned * rate == pytest.approx(rate, rel=1e-12)


def _waits_of_the_served(rate: float, servers: int, patience: float, time: float) -> float:
    """P(W > time | served) from the transient chain of one job behind k others, and the waiting of the rest."""
    room = 120
    deaths = [min(n, servers) + max(n - servers, 0) / patience for n in range(1, room + servers + 1)]
    p = birth_death([rate] * (room + servers), deaths)[servers:]
    q = np.zeros((room + 3, room + 3))  # 0 … room jobs ahead; then served, then gone
    served, gone = room + 1, room + 2
    for k in range(room + 1):
        ahead = servers + k / patience
        q[k, k - 1 if k else served] += ahead
        q[k, gone] += 1 / patience
        q[k, k] -= ahead + 1 / patience
    now = np.concatenate((p[: room + 1], [0.0, 0.0]))
    end = now @ expm(q * 400.0)
    later = now @ expm(q * time)
    total = (1 - p[: room + 1].sum()) + end[served]
    return float(end[served] - later[served]) / total


@pytest.mark.parametrize(("rate", "servers", "patience"), [(3.0, 4, 2.0), (9.0, 4, 0.5), (6.0, 5, 5.0)])
def test_erlang_a_waits_as_its_chain(rate: float, servers: int, patience: float) -> None:
    """The served jobs' waiting time in Erlang-A has the distribution of the chain of one job in the queue."""
    form = erlang_a(rate, 1.0, servers, patience)
    for time in (0.0, 0.05, 0.3, 1.0):
        assert form.waiting_exceeds(time) == pytest.approx(_waits_of_the_served(rate, servers, patience, time), rel=1e-9)


@pytest.mark.parametrize(
    ("rate", "servers", "patience"), [(3.0, 4, 2.0), (50.0, 10, 0.3), (1.1e3, 1000, 1.0), (3.0, 4, 100.0), (8.0, 4, 9.0)]
)
def test_erlang_a_times_integrate_to_their_means(rate: float, servers: int, patience: float) -> None:
    """∫ P(T > t) is the mean waiting and response time of the served, which come by another way."""
    form = erlang_a(rate, 1.0, servers, patience)
    x, w = np.polynomial.legendre.leggauss(20)
    for mean, exceeds, percentile in (
        (form.waiting_time, form.waiting_exceeds, form.waiting_percentile),
        (form.response_time, form.response_exceeds, form.response_percentile),
    ):
        edges = np.linspace(0, percentile(1 - 1e-13), 61)
        half = np.diff(edges) / 2
        total = sum(
            h * ww * exceeds(float(a + h * (1 + xx)))
            for a, h in zip(edges, half, strict=False)
            for xx, ww in zip(x, w, strict=True)
        )
        assert total == pytest.approx(mean, rel=1e-9)


@pytest.mark.parametrize("servers", [1, 100, 10**5, 10**6])
@pytest.mark.parametrize("busy", [1e-9, 0.5, 0.999, 1.0, 1.2, 50.0])
@pytest.mark.parametrize("patience", [1e-3, 1.0, 30.0])
def test_erlang_a_extremes(servers: int, busy: float, patience: float) -> None:
    """From one server to a million, idle or swamped: the laws hold and everybody is served or leaves."""
    if (busy - 1) * servers * patience > 9e6:
        with pytest.raises(ModelError, match="patience"):
            erlang_a(servers * busy, 1.0, servers, patience)
        return
    form = erlang_a(servers * busy, 1.0, servers, patience)
    assert 0 <= form.utilization <= 1 + 1e-12
    assert form.throughput / (servers * busy) + form.probability_abandoned == pytest.approx(1, rel=1e-11)
    queued = form.queue_length - form.throughput
    assert queued / patience == pytest.approx(
        form.probability_abandoned * servers * busy, rel=1e-6, abs=1e-9 * form.queue_length
    )
    assert form.response_time == pytest.approx(1 + form.waiting_time, rel=1e-14)
    assert form.waiting_exceeds(form.waiting_percentile(0.9)) <= 0.1 * (1 + 1e-9)


def test_endless_patience_is_mmc_and_none_is_loss() -> None:
    """Erlang-A lies between M/M/c and Erlang's loss station."""
    patient, hasty = erlang_a(3.0, 1.0, 4, 1e9), erlang_a(3.0, 1.0, 4, 1e-9)
    assert patient.waiting_time == pytest.approx(mmc(3.0, 1.0, 4).waiting_time, rel=1e-7)
    assert patient.waiting_percentile(0.95) == pytest.approx(mmc(3.0, 1.0, 4).waiting_percentile(0.95), rel=1e-7)
    assert hasty.probability_abandoned == pytest.approx(stations.loss(3.0, 1.0, 4).probability_blocked, rel=1e-7)

"""The mainframe layer against birth-death chains and Erlang's formulas: zIIP pools and overflow."""

from __future__ import annotations

import numpy as np
import pytest
from qnsolve import zos
from qnsolve.zos.hosts.chains.overflow_chain import Feed, overflow

from tests.oracles.markov_chain import birth_death


@pytest.mark.parametrize("packing", ["dense", "spread"])
@pytest.mark.parametrize("threads", [1, 2])
def test_the_thread_pool_is_exact(packing: str, threads: int) -> None:
    """Of zIIPs without overflow, Poisson arrivals: response, cores, density and capacity factor of the birth-death chain."""
    ziips = zos.Ziips(3, threads=threads, max_capacity_factor=1 + 0.3 * (threads - 1), packing=packing, overflow=False)
    speeds, cores, rate = ziips.speeds(), ziips.busy_cores(), 0.7 * float(ziips.speeds()[-1])
    n = np.arange(1, 700)
    at = np.minimum(n, len(speeds)) - 1
    chance = birth_death([rate] * len(n), speeds[at])
    busy = float(chance[1:] @ cores[at])
    system = zos.System(
        [zos.Lpar("L", processors=2, ziips=ziips)],
        [zos.CicsRegion("R", lpar="L", mxt=2000)],
        [zos.Work("w", rate=rate, regions="R", open_cpu=1.0, ziip_share=1.0)],
    )
    result = system.solve()
    assert result["w"].response_time == pytest.approx(float(chance[1:] @ n) / rate, rel=1e-10)
    assert result["L"].ziip_percent == pytest.approx(100 * busy / 3, rel=1e-10)
    assert result["L"].thread_density == pytest.approx(float(chance[1:] @ (at + 1)) / busy, rel=1e-10)
    assert result["L"].capacity_factor == pytest.approx(float(chance[1:] @ speeds[at]) / busy, rel=1e-10)


def test_overflow_of_a_stream_is_erlangs_loss() -> None:
    """What finds the first servers full is Erlang's B, and waits longer than Poisson arrivals of the same rate."""
    feed = Feed(queues=[], pieces=0.0, last=0.0, engines=1.0, back=1.0, flow=0.0, visits=0.0, direct=3.0)
    found = overflow(feed, np.arange(1.0, 5.0), 0.6)
    terms = np.array([1, 3, 9 / 2, 27 / 6, 81 / 24])
    lost = terms[-1] / terms.sum()
    assert found.share == pytest.approx(lost, rel=1e-9)
    assert found.chance == pytest.approx(terms / terms.sum(), rel=1e-9)
    assert found.longer > 1 / (1 - 3 * lost)


def test_overflow_is_rarer_where_its_own_processor_feeds_it() -> None:
    """One CP and one zIIP: the loss of the chain of (before, at the zIIP, come back), which is below Erlang's B."""
    load, top, states = 0.45, 60, {}
    for a in range(top):
        for b in range(20):
            for z in range(2):
                states[a, b, z] = len(states)
    rates = np.zeros((len(states), len(states)))
    for (a, b, z), i in states.items():
        sent = (a - 1, b, 1) if z == 0 else (a - 1, b + 1, 1)
        parts = [((a + 1, b, z), load), (sent, a / (a + b) / 1.1 if a else 0.0), ((a, b - 1, z), b / (a + b) if b else 0.0)]
        for target, rate in [*parts, ((a, b, 0), float(z))]:
            if target in states and target != (a, b, z):
                rates[i, states[target]] += rate
    balance = (rates - np.diag(rates.sum(axis=1))).T
    balance[-1] = 1.0
    chance = np.linalg.solve(balance, np.eye(1, len(states), len(states) - 1)[0])
    sent_from = np.array([a / (a + b) if a else 0.0 for a, b, _ in states]) * chance
    exact = sent_from @ np.array([z for _, _, z in states]) / sent_from.sum()
    feed = Feed(queues=[], pieces=1.1 * load, last=0.0, engines=1.0, back=1.0, flow=load, visits=load)
    assert overflow(feed, np.ones(1), 0.3 * load).share == pytest.approx(exact, rel=0.003)
    assert exact < 0.975 * load / (1 + load)


def test_users_fewer_than_threads_never_overflow() -> None:
    """Three users on four threads: nothing runs on CPs."""
    ziips = zos.Ziips(2, threads=2, max_capacity_factor=1.3)
    system = zos.System(
        [zos.Lpar("L", processors=2, ziips=ziips)],
        [zos.CicsRegion("R", lpar="L")],
        [zos.Work("w", users=3, think_time=0.5, regions="R", open_cpu=1.0, ziip_share=1.0)],
    )
    result = system.solve()
    assert result["L"].appl_iipcp == pytest.approx(0, abs=1e-9)
    exact = birth_death([(3 - k) / 0.5 for k in range(3)], ziips.speeds()[:3])
    assert result["w"].response_time == pytest.approx(3 / (float(exact[1:] @ ziips.speeds()[:3])) - 0.5, rel=1e-6)

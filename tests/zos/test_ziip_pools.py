"""The mainframe layer against birth-death chains and Erlang's formulas: zIIP pools and overflow."""

from __future__ import annotations

import numpy as np
import pytest
from qnsolve import zos
from qnsolve.zos.hosts.overflow_chain import overflow

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
    """What finds the first servers full is Erlang's B, and bursts wait longer than Poisson arrivals of the same rate."""
    found = overflow(3.0, 0.0, 0.0, 0.0, 1.0, np.arange(1.0, 5.0), 3.0)
    terms = np.array([1, 3, 9 / 2, 27 / 6, 81 / 24])
    assert found.share == pytest.approx(terms[-1] / terms.sum(), rel=1e-9)
    assert found.chance == pytest.approx(terms / terms.sum(), rel=1e-9)
    assert found.over > found.other > 1


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

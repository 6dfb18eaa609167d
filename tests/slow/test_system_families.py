"""The mainframe layer against Markov chains of small systems: seeded families, each with the errors that it may have."""

from __future__ import annotations

import numpy as np
import pytest
import qnsolve as qn
from qnsolve import zos
from qnsolve.kernels.overflow import overflow

from benchmarks import zos_families
from tests.oracles.markov_chain import birth_death

LIMITS = {  # models; mean and largest error of the worst figure of each
    "qr": (24, 0.03, 0.15),
    "qr_open": (5, 0.01, 0.03),
    "qr_mixed": (24, 0.02, 0.09),
    "qr_nested": (24, 0.03, 0.07),
    "mxt": (16, 0.03, 0.10),
    "mxt_open": (20, 0.005, 0.02),
    "tranclass": (10, 0.01, 0.05),
    "nested_limits": (16, 0.03, 0.07),
    "ziip_overflow": (20, 0.02, 0.04),
    "coupling": (24, 0.02, 0.06),
}


@pytest.mark.parametrize("family", zos_families.FAMILIES)
def test_small_systems_against_their_chains(family: str) -> None:
    """Response times, and what is busy: within the errors that the families are known to have."""
    models, mean, most = LIMITS[family]
    worst = []
    for seed in range(models):
        case = zos_families.FAMILIES[family](np.random.default_rng(seed))
        if case is not None:
            worst.append(max(abs(error) for error in zos_families.errors(case).values()))
    assert len(worst) > models / 2
    assert np.mean(worst) < mean
    assert max(worst) < most


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
    assert result["w"].response_time == pytest.approx(3 / (float(exact[1:] @ ziips.speeds()[:3])) - 0.5, rel=1e-8)


def test_a_limit_of_a_planners_size_against_simulation() -> None:
    """MXT 24 with a TRANCLASS of 10 in it, 54 users of two kinds: within 3 percent of 100,000 simulated transactions."""
    work = [
        zos.Work("short", users=30, think_time=1.0, regions="R", qr_cpu=0.002, devices={"d": 0.9}),
        zos.Work("long", users=24, think_time=2.0, regions="R", qr_cpu=0.004, devices={"d": 1.2}, tranclass="T"),
    ]
    region = zos.CicsRegion("R", lpar="L", mxt=24, tranclasses={"T": 10})
    system = zos.System([zos.Lpar("L", processors=2)], [region], work, devices=[zos.Device("d")])
    network = system.network()
    alone = [
        qn.Queue("R QR") if s.name == "R QR" else s for s in network.stations if s.name != "L CPs"
    ]  # it never waits for a CP
    result, simulated = system.solve(), qn.verify(qn.Network(alone, network.classes, network.limits), jobs=100_000)
    assert min(result["short"].limit_wait, result["long"].limit_wait) > 0.03
    seen = 0
    for row in simulated.comparisons:
        if row.quantity == "response_time" and row.station == "total" and row.class_name in ("short", "long"):
            assert result[row.class_name].response_time == pytest.approx(row.simulated, rel=0.03)
            seen += 1
    assert seen == 2

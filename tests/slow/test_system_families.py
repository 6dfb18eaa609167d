"""The mainframe layer against Markov chains of small systems: seeded families, each with the errors that it may have."""

from __future__ import annotations

import numpy as np
import pytest
import qnsolve as qn
from qnsolve import zos

from tests.oracles import system_families
from tests.oracles.system_networks import network_of

pytestmark = pytest.mark.slow
LIMITS = {  # models; mean and largest error of the worst figure of each
    "qr": (24, 0.03, 0.15),
    "qr_open": (5, 0.01, 0.03),
    "qr_mixed": (24, 0.02, 0.09),
    "qr_nested": (24, 0.03, 0.07),
    "mxt": (16, 0.03, 0.10),
    "mxt_open": (20, 0.005, 0.03),
    "tranclass": (10, 0.01, 0.05),
    "nested_limits": (16, 0.03, 0.07),
    "ziip_overflow": (20, 0.02, 0.10),
    "coupling": (24, 0.06, 0.20),
}


@pytest.mark.parametrize("family", system_families.FAMILIES)
def test_small_systems_against_their_chains(family: str) -> None:
    """Response times, and what is busy: within the errors that the families are known to have."""
    models, mean, most = LIMITS[family]
    worst = []
    for seed in range(models):
        case = system_families.FAMILIES[family](np.random.default_rng(seed))
        if case is not None:
            worst.append(max(abs(error) for error in system_families.errors(case).values()))
    assert len(worst) > models / 2
    assert np.mean(worst) < mean
    assert max(worst) < most


def test_a_limit_of_a_planners_size_against_simulation() -> None:
    """MXT 24 with a TRANCLASS of 10 in it, 54 users of two kinds: within 4 percent of 100,000 simulated transactions."""
    work = [
        zos.Work("short", users=30, think_time=1.0, regions="R", qr_cpu=0.002, devices={"d": 0.9}),
        zos.Work("long", users=24, think_time=2.0, regions="R", qr_cpu=0.004, devices={"d": 1.2}, tranclass="T"),
    ]
    region = zos.CicsRegion("R", lpar="L", mxt=24, tranclasses={"T": 10})
    system = zos.System([zos.Lpar("L", processors=2)], [region], work, devices=[zos.Device("d")])
    network = network_of(system)
    alone = [
        qn.Queue("R QR") if s.name == "R QR" else s for s in network.stations if s.name != "L CPs"
    ]  # it never waits for a CP
    result, simulated = system.solve(), qn.verify(qn.Network(alone, network.classes, network.limits), jobs=100_000)
    assert min(result["short"].admission_wait, result["long"].admission_wait) > 0.03
    seen = 0
    for row in simulated.comparisons:
        if row.quantity == "response_time" and row.station == "total" and row.class_name in ("short", "long"):
            assert result[row.class_name].response_time == pytest.approx(row.simulated, rel=0.04)
            seen += 1
    assert seen == 2

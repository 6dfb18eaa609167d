"""Large systems of the mainframe layer: many regions, LPARs and types of work."""

from __future__ import annotations

import random

import pytest
from qnsolve import zos


def large(seed: int, users: float) -> zos.System:
    """34 regions on 4 LPARs, 2 coupling facilities, 20 types of work; a share of them of users."""
    rng = random.Random(seed)
    lpars = [
        zos.Lpar(f"LP{i}", processors=8, ziips=zos.Ziips(2, threads=2, max_capacity_factor=1.25), fixed_cpu=0.1)
        for i in range(4)
    ]
    regions = [
        zos.CicsRegion(f"R{i}", lpar=f"LP{i % 4}", mxt=rng.choice([100, 200, 500]), tranclasses={"TC": 50}, fixed_cpu=0.01)
        for i in range(34)
    ]
    facilities = [
        zos.CouplingFacility(f"CF{i}", processors=2, service_time=4e-6, link=zos.Link("ICP", latency=2e-6)) for i in range(2)
    ]
    work = []
    for w in range(20):
        behind = [region.name for region in rng.sample(regions[4:], rng.randint(2, 8))]
        step = zos.Step(
            behind,
            qr_cpu=rng.uniform(1e-4, 4e-4),
            open_cpu=rng.uniform(0, 8e-4),
            ziip_share=0.3,
            cf_requests={f"CF{w % 2}": rng.randint(0, 20)},
            log_bytes={"LOG": 1000},
            devices={"Db2": rng.uniform(0.001, 0.02)},
            tranclass="TC" if w % 3 == 0 else None,
        )
        steps = [zos.Step(rng.choice(regions[:4]).name, qr_cpu=5e-5), step]
        if rng.random() < users:
            work.append(zos.Work(f"W{w}", users=rng.randint(100, 1000), think_time=1.0, steps=steps))
        else:
            work.append(zos.Work(f"W{w}", rate=rng.uniform(100, 800), steps=steps))
    return zos.System(
        lpars=lpars,
        regions=regions,
        coupling_facilities=facilities,
        loggers=[zos.Logger("LOG", stripes=4, seconds_per_mib=(0.002278, 0.004215))],
        devices=[zos.Device("Db2")],
        work=work,
    )


@pytest.mark.parametrize("users", [0, 0.5, 1])
@pytest.mark.parametrize("seed", range(3))
def test_large_systems(seed: int, users: float) -> None:
    """34 regions, 4 LPARs, 2 coupling facilities, 20 types of work: solved, with all identities."""
    result = large(seed, users).solve()
    assert all(work.etr > 0 and work.response_time > 0 for work in result.work)
    assert all(0 < lpar.cpu_percent < 100 for lpar in result.lpars)

"""Small systems of the mainframe layer, and what their Markov chains say of them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import qnsolve as qn
from qnsolve import zos

from tests.oracles import system_chains
from tests.oracles.system_networks import network_of

Random = np.random.Generator


@dataclass(frozen=True)
class Case:
    """A system, and exact figures by name.

    Attributes
    ----------
    response : dict of work to float
        [s]
    other : dict of str to (found, exact)
        Figures of the model (a function of its result) and of the chain.
    """

    system: zos.System
    response: dict[str, float]
    other: dict[str, tuple[Callable[[zos.SystemResult], float], float]]


def _chained(system: zos.System) -> Case | None:
    """By the network that it compiles to; None where its chain is too large."""
    try:
        exact = qn.solve(network_of(system), method="markov")
    except (qn.NoMethodError, qn.SaturatedError):
        return None
    return Case(system, {w.name: exact[w.name].response_time for w in system.work}, {})


def _lpar(rng: Random, most: int = 3) -> zos.Lpar:
    return zos.Lpar("L", processors=zos.Processors(int(rng.integers(1, most + 1))))


def qr(rng: Random) -> Case | None:
    """QR TCBs of one to three regions on one to three CPs, a work each, some with open TCBs; users."""
    count = int(rng.integers(1, 4))
    regions = [zos.CicsRegion(f"R{i}", lpar="L") for i in range(count)]
    work = [
        zos.Work(
            f"w{i}",
            users=int(rng.integers(2, 6 if count < 3 else 4)),
            think_time=float(10 ** rng.uniform(-0.5, 1)),
            regions=f"R{i}",
            qr_cpu=1.0,
            open_cpu=float(rng.choice([0, 0, 1])) * float(10 ** rng.uniform(-1, 0.5)),
        )
        for i in range(count)
    ]
    return _chained(zos.System([_lpar(rng)], regions, work))


def qr_open(rng: Random) -> Case | None:
    """As `qr`, two regions on one CP, arrivals at rates."""
    count, cps = 2, 1
    regions = [zos.CicsRegion(f"R{i}", lpar="L") for i in range(count)]
    top = 0.7 * cps / count
    work = [zos.Work(f"w{i}", rate=float(rng.uniform(0.3, 1) * top), regions=f"R{i}", qr_cpu=1.0) for i in range(count)]
    return _chained(zos.System([zos.Lpar("L", processors=zos.Processors(cps))], regions, work))


def qr_mixed(rng: Random) -> Case | None:
    """Two kinds of work of unlike length at one QR TCB, a third elsewhere or everywhere."""
    regions = [zos.CicsRegion(f"R{i}", lpar="L") for i in range(2)]
    lengths = 10 ** rng.uniform(-0.7, 0.3, 3)
    where: list[list[str]] = [["R0"], ["R0"], [["R1"], ["R0", "R1"]][int(rng.integers(2))]]
    work = [
        zos.Work(
            f"w{i}",
            users=int(rng.integers(1, 4)),
            think_time=float(10 ** rng.uniform(-0.5, 1)),
            regions=where[i],
            qr_cpu=float(lengths[i]),
        )
        for i in range(int(rng.integers(2, 4)))
    ]
    return _chained(zos.System([_lpar(rng, 2)], regions, work))


def qr_nested(rng: Random) -> Case | None:
    """A TOR and its AORs."""
    regions = [zos.CicsRegion(f"R{i}", lpar="L") for i in range(3)]
    work = [
        zos.Work(
            f"w{i}",
            users=int(rng.integers(1, 6 if single else 4)),
            think_time=float(10 ** rng.uniform(-0.5, 1)),
            steps=[
                zos.Step("R0", qr_cpu=float(10 ** rng.uniform(-0.7, 0.2))),
                zos.Step(["R1", "R2"] if rng.random() < 0.5 else "R1", qr_cpu=1.0, open_cpu=float(rng.choice([0, 0.5]))),
            ],
        )
        for single in [bool(rng.integers(2))]
        for i in range(1 if single else 2)
    ]
    return _chained(zos.System([_lpar(rng, 2)], regions, work))


def mxt(rng: Random) -> Case | None:
    """A limit on one or two kinds of work: devices with and without a queue, CPU."""
    devices = [zos.Device("d"), zos.Device("q", servers=int(rng.integers(1, 3)))]
    count = int(rng.integers(1, 3))
    work = [
        zos.Work(
            f"w{i}",
            users=int(rng.integers(3, 9 if count == 1 else 5)),
            think_time=float(10 ** rng.uniform(-0.5, 1)),
            regions="R",
            cpu=float(10 ** rng.uniform(-1, 0)),
            devices={"d": float(10 ** rng.uniform(-1, 0.5)), "q": float(rng.choice([0, 0, 0.3]))},
        )
        for i in range(count)
    ]
    limit = int(rng.integers(1, max(2, sum(w.users or 0 for w in work) - 1)))
    return _chained(zos.System([_lpar(rng)], [zos.ImsRegions("R", lpar="L", regions=limit)], work, devices=devices))


def mxt_open(rng: Random) -> Case | None:
    """A limit on work with a rate."""
    limit, cps = int(rng.integers(1, 6)), int(rng.integers(1, 4))
    cpu, wait = float(10 ** rng.uniform(-1, 0)), float(10 ** rng.uniform(-1, 0.5))
    rate = float(rng.uniform(0.2, 0.8)) * min(limit / (cpu + wait), cps / cpu) * 0.9
    work = [zos.Work("w", rate=rate, regions="R", cpu=cpu, devices={"d": wait})]
    return _chained(
        zos.System(
            [zos.Lpar("L", processors=zos.Processors(cps))],
            [zos.ImsRegions("R", lpar="L", regions=limit)],
            work,
            devices=[zos.Device("d")],
        )
    )


def tranclass(rng: Random) -> Case | None:
    """MXT 10, and a TRANCLASS in it; two kinds of work, one of the class, QR TCB and a device."""
    work = [
        zos.Work(
            f"w{i}",
            users=int(rng.integers(4, 9)),
            think_time=float(10 ** rng.uniform(-0.5, 1)),
            regions="R",
            qr_cpu=float(10 ** rng.uniform(-1, -0.2)),
            devices={"d": float(10 ** rng.uniform(-1, 0.5))},
            tranclass="T" if i == 0 else None,
        )
        for i in range(2)
    ]
    region = zos.CicsRegion("R", lpar="L", mxt=10, tranclasses={"T": int(rng.integers(1, 5))})
    return _chained(zos.System([zos.Lpar("L", processors=zos.Processors(2))], [region], work, devices=[zos.Device("d")]))


def nested_limits(rng: Random) -> Case | None:
    """Few dependent regions, fewer for a class of them; one or two kinds of work."""
    count = int(rng.integers(1, 3))
    work = [
        zos.Work(
            f"w{i}",
            users=int(rng.integers(3, 5)) + 3 * (count == 1),
            think_time=float(10 ** rng.uniform(-0.5, 1)),
            regions="R",
            cpu=float(10 ** rng.uniform(-1, 0)),
            devices={"d": float(10 ** rng.uniform(-1, 0.5))},
            tranclass="T" if i == 0 else None,
        )
        for i in range(count)
    ]
    limit = int(rng.integers(2, 6))
    region = zos.ImsRegions("R", lpar="L", regions=limit, tranclasses={"T": int(rng.integers(1, limit + 1))})
    return _chained(zos.System([_lpar(rng)], [region], work, devices=[zos.Device("d")]))


def ziip_overflow(rng: Random) -> Case | None:
    """Eligible work that overflows to CPs; a rate or users."""
    ziips = zos.Ziips(
        int(rng.integers(1, 3)),
        threads=int(rng.integers(1, 3)),
        packing=str(rng.choice(["dense", "spread"])),
        max_capacity_factor=1.0,
    )
    if ziips.threads == 2:
        ziips = zos.Ziips(ziips.cores, threads=2, packing=ziips.packing, max_capacity_factor=float(rng.uniform(1.1, 1.6)))
    speeds, cps = ziips.speeds(), int(rng.integers(1, 5))
    share = float(rng.choice([1.0, 0.5, 0.8]))
    first, second = 1 - share, share
    users = int(rng.integers(2, 12)) if rng.random() < 0.5 else None
    lpar, region = zos.Lpar("L", processors=zos.Processors(cps), ziips=ziips), zos.CicsRegion("R", lpar="L")
    if users is None:
        rate = float(rng.uniform(0.2, 0.75)) * min(cps / first if first else np.inf, cps + float(speeds[-1]))
        chain = system_chains.overflow(lambda s: rate, (first, second), speeds, cps, 60)
        flow = rate
        work = zos.Work("w", rate=rate, regions="R", open_cpu=1.0, ziip_share=share)
    else:
        think = float(10 ** rng.uniform(-0.5, 1))
        chain = system_chains.overflow(lambda s: (users - sum(s)) / think, (first, second), speeds, cps, users)
        flow = (users - chain.mean(sum)) / think
        work = zos.Work("w", users=users, think_time=think, regions="R", open_cpu=1.0, ziip_share=share)
    if chain.mean(lambda s: float(sum(s) >= 60)) > 1e-6:
        return None
    on_ziips = chain.mean(lambda s: speeds[s[1] - 1] if s[1] else 0.0)
    return Case(
        zos.System([lpar], [region], [work]),
        {"w": chain.mean(sum) / flow},
        {
            "CPs busy": (lambda r: r["L"].cpu_percent / 100, chain.mean(lambda s: min(s[0] + s[2], cps)) / cps),
            "on zIIPs": (lambda r: r["L"].appl_iip / 100, on_ziips),
            "overflow": (
                lambda r: 1 + r["L"].appl_iipcp / (r["L"].appl_iipcp + r["L"].appl_iip),
                1 + (1 - on_ziips / (flow * second)),
            ),
        },
    )


FULL_OF_SPINS = 0.9  # load of the CPs, spins included, of these systems at most


def coupling(rng: Random) -> Case | None:
    """Synchronous requests of one to three regions to one coupling facility."""
    lpars, count = int(rng.integers(1, 3)), int(rng.integers(1, 4))
    users = [int(n) for n in rng.integers(2, 6 if count < 3 else 4, count)]
    think = [float(z) for z in 10 ** rng.uniform(-0.5, 0.8, count)]
    cpu = [float(d) for d in 10 ** rng.uniform(-1, 0, count)]
    asked = [float(a) for a in rng.integers(1, 10, count)]
    serving, engines = int(rng.integers(1, 3)), [int(c) for c in rng.integers(1, 3, lpars)]
    time = float(10 ** rng.uniform(-1.5, -0.5)) * max(cpu)
    chain = system_chains.facility(users, think, cpu, asked, time, engines, serving)
    system = zos.System(
        [zos.Lpar(f"L{i}", processors=zos.Processors(c)) for i, c in enumerate(engines)],
        [zos.CicsRegion(f"R{i}", lpar=f"L{i % lpars}") for i in range(count)],
        [
            zos.Work(f"w{i}", users=users[i], think_time=think[i], regions=f"R{i}", qr_cpu=cpu[i], cf_requests={"CF": asked[i]})
            for i in range(count)
        ],
        coupling_facilities=[zos.CouplingFacility("CF", processors=serving, service_time=time)],
    )
    here = (chain.chance @ np.array(chain.states)[:, ::2]).tolist()
    rates = [(users[i] - here[i]) / think[i] for i in range(count)]
    requests = sum(rate * a for rate, a in zip(rates, asked, strict=True))
    on_cps = [0.0] * lpars
    for i in range(count):
        on_cps[i % lpars] += rates[i] * (cpu[i] + asked[i] * time) / engines[i % lpars]
    if max(on_cps) > FULL_OF_SPINS:
        return None
    return Case(
        system,
        {f"w{i}": think[i] * here[i] / (users[i] - here[i]) for i in range(count)},
        {
            "CF busy": (_cf_busy, requests * time / serving),
        },
    )


def _cf_busy(result: zos.SystemResult) -> float:
    return float(result["CF"].busy_percent) / 100


FAMILIES: dict[str, Callable[[Random], Case | None]] = {
    "qr": qr,
    "qr_open": qr_open,
    "qr_mixed": qr_mixed,
    "qr_nested": qr_nested,
    "mxt": mxt,
    "mxt_open": mxt_open,
    "tranclass": tranclass,
    "nested_limits": nested_limits,
    "ziip_overflow": ziip_overflow,
    "coupling": coupling,
}


def errors(case: Case) -> dict[str, float]:
    """Relative errors by figure."""
    result = case.system.solve()
    found = {f"R {name}": result[name].response_time / exact - 1 for name, exact in case.response.items()}
    return found | {name: figure(result) / exact - 1 for name, (figure, exact) in case.other.items()}

"""CPU time of one question about large mainframe systems: `python -m benchmarks.timing.large_systems`.

Each system is drawn from a seed and solved once, without anything kept from another one. So are, last, headroom and growth of
the systems of one region of `benchmarks everything`.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from time import process_time

import numpy as np
from qnsolve import zos
from qnsolve.errors import QnsolveError

from benchmarks import everything
from benchmarks.families.rough_loads import Draw, Plain, short
from benchmarks.timing.table import duration

SEEDS = 3
USERS = (100, 1_000, 10_000, 100_000, 1_000_000)
STEPS = 12  # loads of a growth
LONG = 0.1  # that a question about one region may take [s]


def full_limits(seed: int, tors: int = 0) -> zos.System:
    """34 regions on four LPARs, two coupling facilities, 20 works of users: more than all MXTs hold."""
    g = Draw(f"full limits/{seed}/{tors}")
    lpars = [_lpar(i, 12) for i in range(4)]
    aors = [zos.CicsRegion(f"AOR{i}", lpar=f"L{i % 4}", mxt=g.randint(10, 40)) for i in range(34 - tors)]
    fronts = [zos.CicsRegion(f"TOR{i}", lpar=f"L{i % 4}", mxt=g.randint(60, 150)) for i in range(tors)]
    works = []
    for k in range(20):
        mine = [a for a in aors if a.lpar == f"L{k % 4}"]
        chosen = [a.name for a in g.sample(mine, g.randint(3, len(mine)))]
        requests = {f"S{k % 2}": float(g.randint(1, 6))}
        steps = [zos.Step(chosen, qr_cpu=short(g.log(2e-4, 2e-3)), delay=short(g.log(0.1, 0.5)), cf_requests=requests)]
        if fronts:
            steps.insert(0, zos.Step([f.name for f in fronts if f.lpar == f"L{k % 4}"], qr_cpu=1e-4))
        works.append(zos.Work(f"W{k}", users=g.randint(2000, 4000), think_time=short(g.log(1.0, 20.0)), steps=steps))
    facilities = [
        zos.CouplingFacility(f"CF{i}", processors=2, link=zos.Link(), structures=[zos.Structure(f"S{i}", service_time=8e-6)])
        for i in range(2)
    ]
    return zos.System(lpars=lpars, regions=fronts + aors, work=works, coupling_facilities=facilities)


def mixed(seed: int) -> zos.System:
    """160 regions on four LPARs, 20 works, rates and users, QR and open TCBs, the CPs 50 to 90 % busy."""
    g = Draw(f"mixed/{seed}")
    lpars = [_lpar(i, 20) for i in range(4)]
    limits = [g.randint(40, 400) for _ in range(20)]  # of the eight regions of each work
    regions = [zos.CicsRegion(f"R{i}", lpar=f"L{i % 4}", mxt=limits[i // 32 * 4 + i % 4]) for i in range(160)]
    works, busy = [], short(g.uniform(0.5, 0.9))
    for k in range(20):
        mine = [r.name for r in regions if r.lpar == f"L{k % 4}"][k // 4 * 8 : k // 4 * 8 + 8]
        cpu = short(g.log(2e-4, 4e-3))
        rate = min(busy * 20 / 5, 0.7 * 8 / 0.6) / cpu
        step = zos.Step(mine, qr_cpu=0.6 * cpu, open_cpu=0.4 * cpu, delay=short(g.log(0.01, 0.1)))
        think = short(g.log(1.0, 20.0))
        more: Plain = {"rate": short(rate)} if g.chance(0.5) else {"users": max(round(rate * think), 1), "think_time": think}
        works.append(zos.Work(f"W{k}", steps=[step], **more))
    return zos.System(lpars=lpars, regions=regions, work=works)


def terminals(users: int) -> zos.System:
    """One region whose users think as long as leaves its QR TCB 80 % busy."""
    step = zos.Step(["AOR"], qr_cpu=0.001, open_cpu=0.001, delay=0.02)
    work = zos.Work("orders", users=users, think_time=users / 800, steps=[step])
    return zos.System(lpars=[_lpar(0, 4)], regions=[zos.CicsRegion("AOR", lpar="L0", mxt=100)], work=[work])


def one_region() -> zos.System:
    """One region, one work with a rate."""
    work = zos.Work("orders", rate=300.0, steps=[zos.Step(["AOR"], qr_cpu=0.001, open_cpu=0.001, delay=0.02)])
    return zos.System(lpars=[_lpar(0, 2)], regions=[zos.CicsRegion("AOR", lpar="L0", mxt=100)], work=[work])


def questions(seeds: int) -> Iterator[tuple[str, str, Callable[[], object]]]:
    """Model, question, and what asks it."""
    for seed in range(seeds):
        for tors in (0, 8):
            name = f"34 regions, {tors or 'none'} of them TORs, every MXT full, seed {seed}"
            yield name, "solve", partial(zos.solve, full_limits(seed, tors))
    for seed in range(seeds):
        yield f"160 regions, seed {seed}", "solve", partial(zos.solve, mixed(seed))
        yield f"160 regions, seed {seed}", "headroom", partial(zos.headroom, mixed(seed))
    for users in USERS:
        yield f"one region, {users} users", "solve", partial(zos.solve, terminals(users))
    yield "one region, one work with a rate", "headroom", partial(zos.headroom, one_region())
    loads = [1 + 0.05 * i for i in range(STEPS)]
    yield "one region, one work with a rate", f"growth, {STEPS} loads", partial(zos.growth, one_region(), loads)


def regions_alone() -> str:
    """How long headroom and growth of all systems of one region take: median and largest, and how many take long."""
    systems = [one.drawn.system for one in everything.references() if len(one.drawn.system.regions) == 1]
    loads, lines = [1 + 0.05 * i for i in range(STEPS)], []
    for question, ask in (("headroom", zos.headroom), (f"growth, {STEPS} loads", partial(zos.growth, factors=loads))):
        taken = np.array([seconds(partial(ask, system))[0] for system in systems])
        text = f"median {duration(float(np.median(taken)))}, {duration(float(taken.max()))} at most, "
        lines.append(
            f"{len(systems)} systems of one region, {question}: {text}{int((taken > LONG).sum())} above {duration(LONG)}"
        )
    return "\n".join(lines)


def _lpar(place: int, engines: int) -> zos.Lpar:
    return zos.Lpar(f"L{place}", processors=zos.Processors(float(engines)))


def seconds(ask: Callable[[], object]) -> tuple[float, str]:
    """CPU time of a question [s], and why it has no answer."""
    began, refused = process_time(), ""
    try:
        ask()
    except QnsolveError as error:
        refused = str(error)
    return process_time() - began, refused


def main(arguments: Sequence[str] | None = None) -> int:
    """Print the table."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.timing.large_systems", description=__doc__)
    parser.add_argument("--seeds", type=int, default=SEEDS, help="systems of a kind (3)")
    options = parser.parse_args(arguments)
    for model, question, ask in questions(options.seeds):
        taken, refused = seconds(ask)
        sys.stdout.write(f"{model:55s} {question:16s} {duration(taken):>8s}  {refused}".rstrip() + "\n")
        sys.stdout.flush()
    sys.stdout.write(regions_alone() + "\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())

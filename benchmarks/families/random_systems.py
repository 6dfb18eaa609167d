"""Seeded random systems of any kind that the model takes, for whether there is always an answer: no references.

Far wider than the range that sites have: pieces of 5 µs to 100 ms, limits of 1, no think time, rates from next to nothing
up to the edge of what the busiest center can do.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from qnsolve import zos
from qnsolve.zos.compile.compiled import compiled
from qnsolve.zos.compile.needs import needs
from qnsolve.zos.equilibrium.utilization import center_loads
from qnsolve.zos.hosts.demands import at_rest, demands

from .rough_loads import Draw, Plain, short

MOST = 0.995  # of the load of the busiest center, all waits left out
TIMES = {"qr_cpu", "open_cpu", "cpu"}  # one of them, or a delay
EDGES = (0.1, 0.5, 0.8, 0.95, MOST)


def random_system(seed: int) -> zos.System:
    """The system of a seed; no two tasks in one region wait for each other."""
    g = Draw(f"random/{seed}")
    lpars = [_lpar(g, i) for i in range(g.randint(1, 4) if g.chance(0.4) else 1)]
    regions = [_region(g, i, lpars[i % len(lpars)]) for i in range(max(len(lpars), int(g.log(1, 21))))]
    facilities = [_facility(g, i) for i in range(g.choice((0, 0, 0, 1, 2)))]
    logs = range(g.choice((0, 0, 1)))
    loggers = [zos.Logger(f"LOG{i}", stripes=g.randint(1, 4), seconds_per_mib=(0.002, 0.004)) for i in logs]
    devices = [zos.Device(f"D{i}", servers=g.choice((None, None, 1, 2, 10, 100))) for i in range(g.randint(1, 3))]
    unit = g.log(5e-6, 0.1) if g.chance(0.3) else g.log(5e-5, 5e-3)
    ordered = {r.name: g.chance(0.15) and isinstance(r, zos.CicsRegion) for r in regions}  # QR TCBs in order of arrival
    structures = [s.name for facility in facilities for s in facility.structures]
    works = []
    for k in range(int(g.log(1, 9))):
        steps = _steps(g, regions, unit, ordered, structures, loggers, devices)
        burst = short(g.log(1.5, 30.0)) if g.chance(0.1) else 1.0
        if g.chance(0.5):
            works.append(zos.Work(f"W{k}", rate=g.log(0.05, 1.0), steps=steps, burst=burst))
        else:
            think = 0.0 if g.chance(0.15) else short(g.log(0.001, 100.0))
            works.append(zos.Work(f"W{k}", users=int(g.log(1, 1e5)), think_time=think, steps=steps, burst=burst))
    parts: Plain = {"coupling_facilities": facilities, "loggers": loggers, "devices": devices}
    system = zos.System(lpars=lpars, regions=regions, work=works, **parts)
    return _at_rates(g, system if g.chance(0.2) else _so_many(g, system))


def fullest(system: zos.System) -> float:
    """Load of the busiest center by the work with rates alone, all waits left out [ratio]."""
    form = compiled(system)
    need = needs(form)
    return max(load for _, load in center_loads(form, need, demands(form, need, at_rest(form)), form.rate))


def _so_many(g: Draw, system: zos.System) -> zos.System:
    """Users who fill the busiest center by a part, or wait there: up to three times as many as keep it busy alone."""
    works = list(system.work)
    closed = [k for k, work in enumerate(works) if work.users]
    form = compiled(system)
    need = needs(form)
    ask = demands(form, need, at_rest(form))
    least = ask.on_cps + ask.thread_off + ask.ziip + ask.away + need.lines.sum(axis=1)
    part = g.log(0.02, 3.0)
    for k in closed:
        rate = np.zeros(len(works))
        rate[k] = 1.0
        bare = replace(form, fixed=np.zeros((0, 3)))
        most = 1 / max(load for _, load in center_loads(bare, need, ask, rate))
        response = float(form.visits[form.work == k] @ least[form.work == k])
        users = most * (works[k].think_time + response) * part * g.log(0.3, 1.0) / len(closed)
        works[k] = works[k].changed(users=int(min(max(round(users), 1), 1e6)))
    found: zos.System = replace(system, work=works)
    return found


def _at_rates(g: Draw, system: zos.System) -> zos.System:
    """Rates in the proportions drawn, up to a part of what the busiest center does."""
    use = g.log(1e-6, 0.1) if g.chance(0.1) else g.uniform(0.02, g.choice(EDGES))
    if not any(work.rate for work in system.work):
        return system
    fixed = fullest(system) if use else 0.0
    low, high = 0.0, 1.0
    rates = {work.name: work.rate for work in system.work if work.rate}

    def at(factor: float) -> zos.System:
        works = [w.changed(rate=max(rates[w.name] * factor, 1e-9)) if w.name in rates else w for w in system.work]
        found: zos.System = replace(system, work=works)
        return found

    base = fullest(at(0.0))
    if base >= use:
        use = base + (1 - base) * use
    while fixed < use:
        high *= 10
        fixed = fullest(at(high))
    for _ in range(30):
        middle = (low + high) / 2 if low else high / 10 if fullest(at(high / 10)) >= use else (high / 10 + high) / 2
        low, high = (low, middle) if fullest(at(middle)) >= use else (middle, high)
    return at(low)


def _lpar(g: Draw, place: int) -> zos.Lpar:
    engines = float(g.choice((1, 1, 2, 2, 3, 4, 5, 6, 8, 12)))
    if g.chance(0.1):
        engines = short(engines * g.uniform(0.5, 1.2))
    more: Plain = {}
    if g.chance(0.3):
        threads = g.choice((1, 2))
        most = short(g.uniform(1.0, 1.6)) if threads == 2 else 1.0
        cores, over, speed = g.choice((1, 1, 2, 4)), g.chance(0.7), g.choice((1.0, 2.0))
        more["ziips"] = zos.Ziips(cores, threads=threads, max_capacity_factor=most, overflow=over, speed=speed)
    if g.chance(0.3):
        more["fixed_cpu"] = short(engines * g.log(0.001, 0.2))
    if g.chance(0.3):
        more["change_mode_cpu"] = 2.4e-6
    growth = short(g.uniform(0.0, 0.1)) if g.chance(0.1) else 0.0
    return zos.Lpar(f"L{place}", processors=zos.Processors(engines, speed=short(g.log(0.5, 2.0)), growth=growth), **more)


def _region(g: Draw, place: int, lpar: zos.Lpar) -> zos.CicsRegion | zos.ImsRegions:
    more: Plain = {"lpar": lpar.name, "importance": g.choice((1, 1, 1, 2, 3))}
    if g.chance(0.2):
        more["tranclasses"] = {f"T{i}": int(g.log(1, 60)) for i in range(g.randint(1, 3))}
    if g.chance(0.2):
        more["fixed_cpu"] = short(lpar.processors.engines * g.log(0.001, 0.02))
    if g.chance(0.15):
        return zos.ImsRegions(f"R{place}", regions=int(g.log(1, 100)), **more)
    threads = int(g.log(1, 300)) if g.chance(0.3) else None
    return zos.CicsRegion(f"R{place}", mxt=int(g.log(10, 501)), thread_limit=threads, **more)


def _facility(g: Draw, place: int) -> zos.CouplingFacility:
    structures = []
    for i in range(g.randint(1, 2)):
        threshold = short(g.log(5e-6, 1e-4)) if g.chance(0.5) else None
        structures.append(zos.Structure(f"S{place}{i}", service_time=short(g.log(2e-6, 5e-5)), threshold=threshold))
    link = zos.Link(latency=0.0 if g.chance(0.3) else short(g.log(1e-6, 2e-4)))
    more = {"async_cpu": 5e-6, "async_delay": short(g.log(1e-5, 1e-3))} if g.chance(0.5) else {}
    return zos.CouplingFacility(f"CF{place}", processors=g.randint(1, 3), link=link, structures=structures, **more)


def _steps(
    g: Draw,
    regions: list[zos.CicsRegion | zos.ImsRegions],
    unit: float,
    ordered: dict[str, bool],
    structures: list[str],
    loggers: list[zos.Logger],
    devices: list[zos.Device],
) -> list[zos.Step]:
    """One to three steps, each in regions after those of the step before."""
    steps: list[zos.Step] = []
    start = 0
    for _ in range(g.choice((1, 1, 1, 2, 2, 3))):
        left = regions[start:]
        if not left:
            break
        kind = type(g.choice(left))
        alike = [r for r in left if type(r) is kind and ordered[r.name] == ordered[g.choice(left).name]]
        if not alike:
            break
        chosen = g.sample(alike, 1 if g.chance(0.4) else g.randint(1, len(alike)))
        if kind is zos.CicsRegion and len({ordered[r.name] for r in chosen}) > 1:
            chosen = [r for r in chosen if ordered[r.name] == ordered[chosen[0].name]]
        steps.append(_step(g, chosen, unit, ordered, structures, loggers, devices, bool(steps)))
        start = max(regions.index(r) for r in chosen) + 1
    if not steps:
        more: Plain = {"qr_dispatches": 1.0} if ordered[regions[0].name] else {}
        steps.append(zos.Step([regions[0].name], delay=unit, **more))
    return steps


def _cics_cpu(g: Draw, cpu: float, dispatched: bool) -> Plain:
    """CPU of a step by TCB."""
    kinds = (("qr_cpu",), ("open_cpu",), ("qr_cpu", "open_cpu"), ("qr_cpu", "jvm_cpu"), ("qr_cpu", "open_cpu", "ro_cpu"))
    more: Plain = {key: short(cpu * g.log(0.05, 2.0)) for key in g.choice(kinds)}
    if g.chance(0.2):
        more["change_modes"] = float(g.randint(1, 80))
    if dispatched:
        more["qr_dispatches"] = float(g.choice((1, 1, 2, 4, 30)))
    return more


def _step(
    g: Draw,
    chosen: list[zos.CicsRegion | zos.ImsRegions],
    unit: float,
    ordered: dict[str, bool],
    structures: list[str],
    loggers: list[zos.Logger],
    devices: list[zos.Device],
    later: bool,
) -> zos.Step:
    cics = isinstance(chosen[0], zos.CicsRegion)
    cpu = min(max(unit * g.log(0.1, 10.0), 5e-6), 0.1)
    more: Plain = {}
    if cics:
        more = _cics_cpu(g, cpu, ordered[chosen[0].name])
    elif g.chance(0.95):
        more = {"cpu": short(cpu)}
    if g.chance(0.1):
        more["system_cpu"] = short(cpu * g.log(0.01, 0.5))
    if g.chance(0.2):
        more["ziip_share"] = short(g.uniform(0.1, 1.0))
    if structures and g.chance(0.6):
        more["cf_requests"] = {name: short(g.log(0.5, 30.0)) for name in g.sample(structures, g.randint(1, len(structures)))}
    if loggers and g.chance(0.5):
        more["log_bytes"] = {loggers[0].name: short(g.log(100, 1e5))}
    if g.chance(0.6):
        more["devices"] = {d.name: short(cpu * g.log(0.1, 100.0)) for d in g.sample(devices, g.randint(1, len(devices)))}
    if g.chance(0.3) or not more.keys() & TIMES:
        more["delay"] = short(cpu * g.log(0.1, 100.0))
    if later and g.chance(0.2):
        more["called"] = False
    if later and g.chance(0.2):
        more["visits"] = short(g.log(0.1, 5.0))
    classes = set.intersection(*(set(r.tranclasses or {}) for r in chosen))
    if classes and g.chance(0.7):
        more["tranclass"] = g.choice(sorted(classes))
    if g.chance(0.3):
        more["shares"] = [g.log(0.2, 5.0) for _ in chosen]
    return zos.Step([r.name for r in chosen], **more)

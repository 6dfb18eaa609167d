"""Seeded small systems as a site describes them: one LPAR, one to three works, each of one kind, loads that are planned.

Every kind of piece beside every other one, at rates, of many and of few users, in bursts: what is wrong here is wrong for many.
Loads, limits and servers are such that most centers are 50 to 90 % busy.
"""

from __future__ import annotations

from qnsolve import zos

from .rough_loads import Draw, Plain

KINDS = ("qr", "qr", "qr and open", "open", "jvm", "ims", "ro and qr", "spins at qr", "spins", "class", "mxt")
COMES = ("rate", "rate", "users", "few users", "burst")
_Region = zos.CicsRegion | zos.ImsRegions
SERVICE = 2e-5  # of a request to the coupling facility, its link included [s]


def ordinary_system(seed: int) -> zos.System:
    """The system of a seed."""
    g = Draw(f"ordinary/{seed}")
    engines = g.choice((1, 1, 2, 3, 4, 6))
    parts = [g.log(0.1, 1.0) for _ in range(g.choice((1, 2, 2, 3)))]
    load = engines * (0.3 + 0.62 * g.log(0.01, 1.0) ** 0.3)
    ranked, regions, works, devices, spins = g.chance(0.25), list[_Region](), list[zos.Work](), list[zos.Device](), False
    for k, part in enumerate(parts):
        kind, piece, busy = g.choice(KINDS), g.log(3e-5, 1e-2), load * part / sum(parts)
        rate, step = busy / piece, _step(g, kind, piece)
        spins |= "cf_requests" in step
        if g.chance(0.35):
            step["delay"] = piece * g.log(0.3, 16.0)
        if g.chance(0.25):
            step["devices"] = {f"D{k}": piece * g.log(0.2, 5.0)}
            devices.append(zos.Device(f"D{k}", servers=int(rate * step["devices"][f"D{k}"] / 0.7) + 1))
        there = rate * (1.6 * piece + step.get("delay", 0.0) + sum(step.get("devices", {}).values()))
        importance = g.choice((1, 2, 3)) if ranked else 1
        mine = _regions(g, kind, (f"R{k}", busy, there, importance), step)
        regions += mine
        works.append(_work(g, f"W{k}", rate, there, zos.Step([region.name for region in mine], **step)))
    structure = zos.Structure("S", service_time=SERVICE / 2)
    facility = zos.CouplingFacility("CF", processors=4, link=zos.Link(latency=SERVICE / 2), structures=[structure])
    lpars = [zos.Lpar("L", processors=zos.Processors(float(engines)))]
    return zos.System(
        lpars=lpars, regions=regions, work=works, devices=devices, coupling_facilities=[facility] if spins else []
    )  # fmt: skip


def _step(g: Draw, kind: str, piece: float) -> Plain:
    """What a task does on the CPs."""
    part = g.log(0.2, 0.8)
    if kind.startswith("spins"):
        step: Plain = {"cf_requests": {"S": piece * part / SERVICE}}
        at_qr, beside = (0.9, 0.05) if kind == "spins at qr" else (0.1, 0.9)
        step |= {"qr_cpu": piece * (1 - part) * at_qr, "open_cpu": piece * (1 - part) * beside}
        return step | ({} if kind == "spins at qr" else {"cf_on": "open"})
    return {
        "qr": {"qr_cpu": piece},
        "qr and open": {"qr_cpu": piece * part, "open_cpu": piece * (1 - part)},
        "open": {"open_cpu": piece},
        "jvm": {"qr_cpu": 0.1 * piece, "jvm_cpu": 0.9 * piece},
        "ims": {"cpu": piece},
        "ro and qr": {"ro_cpu": piece * part, "qr_cpu": piece * (1 - part)},
    }.get(kind, {"qr_cpu": 0.3 * piece, "open_cpu": 0.7 * piece})


def _regions(g: Draw, kind: str, of: tuple[str, float, float, int], step: Plain) -> list[_Region]:
    """As many alike as the TCBs need, with places for those who are there in the mean, and some more; a class is noted."""
    name, busy, there, importance = of
    if kind == "ims":
        places = int(there * g.log(1.1, 2.5)) + 1
        return [zos.ImsRegions(name, lpar="L", regions=places, importance=importance)]
    at_tcb = sum(step.get(item, 0.0) for item in ("qr_cpu", "ro_cpu")) + SERVICE * sum(step.get("cf_requests", {}).values())
    whole = at_tcb + step.get("open_cpu", 0.0) + step.get("jvm_cpu", 0.0)
    many = int(busy * (at_tcb / whole) / 0.75) + 1
    each = there / many * g.log(1.2, 2.0)
    limits: Plain = {"mxt": max(10, int(each) + 1) if kind == "mxt" else 500}
    if kind == "class":
        limits["tranclasses"] = {"T": int(each) + 1}
        step["tranclass"] = "T"
    if kind == "jvm":
        limits["thread_limit"] = int(1.5 * busy / many) + g.choice((2, 30))
    return [zos.CicsRegion(f"{name}{n}", lpar="L", importance=importance, **limits) for n in range(many)]


def _work(g: Draw, name: str, rate: float, there: float, step: zos.Step) -> zos.Work:
    """How it comes: as often as `rate` with so many tasks there."""
    comes = g.choice(COMES)
    if comes in ("rate", "burst"):
        return zos.Work(name, rate=rate, burst=g.choice((2.0, 4.0, 10.0)) if comes == "burst" else 1.0, steps=[step])
    users = g.choice((50, 300, 3000)) if comes == "users" else max(1, int(there * g.log(1.3, 4.0)))
    return zos.Work(name, users=users, think_time=max((users - there) / rate, 0.0), steps=[step])

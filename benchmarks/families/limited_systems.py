"""Systems with limits far from, near and at full: MXT, TRANCLASS, IMS dependent regions, JVM threads."""

from __future__ import annotations

import math

from .free_systems import Drawn
from .load_drawing import MXT, Range, cics, crowded, few, gone, inside, least, open_tasks, set_full, set_limits
from .rough_loads import Draft, Draw, Plain, short

LONG = (8.0, 150.0)  # times without CPU over CPU, where limits are to matter
SHORT = (0.05, 3.0)


def mxt_open(g: Draw) -> Drawn:
    """MXT loaded 40 to 96 % by work with rates."""
    draft = cics(g, Range(busy=(0.2, 0.9), regions=(1, 6), kinds=(1, 5), delay=LONG))
    gone(draft, share=0.0)
    return draft if set_limits(draft, g.choice(((0.4, 0.8), (0.7, 0.9), (0.85, 0.96)))) else None


def mxt_users(g: Draw) -> Drawn:
    """MXT of 0.5 to 1.3 times the tasks of works with users."""
    draft = cics(g, Range(busy=(0.2, 1.0), regions=(1, 6), kinds=(1, 5), delay=LONG))
    if max(draft.tasks().values()) < 12:
        return None
    gone(draft, low=30.0, high=3e4)
    set_full(draft, 0.5, 1.3, 0.85)
    return draft


def mxt_mixed(g: Draw) -> Drawn:
    """MXT where works with rates and works with users meet."""
    draft = cics(g, Range(busy=(0.3, 0.9), regions=(1, 4), kinds=(2, 5), delay=LONG))
    gone(draft, low=30.0, high=3000.0, share=0.5)
    if len({"rate" in work for work in draft.work}) < 2 or max(draft.tasks().values()) < 12:
        return None
    for name, tasks in draft.tasks().items():
        size = max(MXT[0], tasks * g.uniform(0.7, 1.4), open_tasks(draft, name))
        draft.region(name)["mxt"] = min(round(size), MXT[1])
    return draft


def mxt_cpu(g: Draw) -> Drawn:
    """MXT filled by tasks that are on CPs or wait for them."""
    cps = (2, 3, 4, 5, 6, 8, 10, 12)
    draft = cics(g, Range(busy=(0.75, 0.96), cps=cps, regions=(1, 3), kinds=(1, 3), delay=SHORT, top=0.6))
    gone(draft, low=30.0, high=1000.0, share=0.0 if g.chance(0.6) else 1.0)
    if "users" in draft.work[0]:
        crowded(draft, g.uniform(1.0, 1.4))
        set_full(draft, 0.5, 1.2)
        for region in draft.regions:
            region["mxt"] = max(10, min(region["mxt"], round(40 * g.random())))
        return draft
    return draft if set_limits(draft, (0.8, 0.97), 1.0, smallest=10) or g.chance(0.3) else None


def mxt_crowd(g: Draw) -> Drawn:
    """More users than CPs and MXT take."""
    draft = cics(g, Range(busy=(0.7, 0.95), regions=(1, 6), kinds=(1, 4), delay=LONG))
    if max(draft.tasks().values()) < 12:
        return None
    gone(draft, low=50.0, high=2e4)
    crowded(draft, g.uniform(1.0, 1.5))
    set_full(draft, 0.5, 1.1)
    return draft


def unlike(g: Draw) -> Drawn:
    """Works of 5 and of 120 ms, and others as unlike, at one limit."""
    draft = Draft(g, lpars=[{"name": "LP0", "processors": g.choice((2, 4, 4, 6, 8))}], devices=[{"name": "DB2"}])
    draft.regions.append({"name": "R0", "lpar": "LP0", "mxt": MXT[1]})
    time = g.log(1e-3, 2e-2)
    for k in range(g.choice((2, 2, 2, 3, 4))):
        own = time * g.uniform(0.8, 1.2) * (1.0 if k == 0 else g.log(6.0, 40.0))
        step: Plain = {"regions": ["R0"], "devices": {"DB2": short(own)}}
        if g.chance(0.6):
            step |= {"qr_cpu": short(time * g.log(0.005, 0.03)), "open_cpu": short(time * g.log(0.01, 0.1))}
        draft.work.append({"name": f"W{k}", "steps": [step]})
        draft.rates[f"W{k}"] = g.log(0.3, 3.0) / own
    size = round(g.log(10, 150))
    tasks = draft.tasks()["R0"]
    draft.rates = {name: short(rate * size * g.uniform(0.6, 0.95) / tasks) for name, rate in draft.rates.items()}
    if draft.busy()["LP0"] > 0.9 * draft.lpars[0]["processors"] or draft.qr()["R0"] > 0.6:
        return None
    draft.regions[0]["mxt"] = size
    way = g.random()
    gone(draft, low=20.0, high=3000.0, share=0.0 if way < 0.45 else 1.0 if way < 0.8 else 0.5)
    if way < 0.45:
        return draft if inside(draft, "R0").load(size) < 0.96 else None
    crowded(draft, g.uniform(0.8, 1.6))
    return draft if open_tasks(draft, "R0") < size else None


def tranclass(g: Draw) -> Drawn:
    """TRANCLASSes inside MXT."""
    draft = cics(g, Range(busy=(0.2, 0.9), regions=(1, 4), kinds=(2, 4), delay=LONG))
    gone(draft, low=20.0, high=3000.0, share=g.choice((0.0, 0.5, 1.0)))
    if len(draft.work) < 2:
        return None
    found = False
    for work in draft.work[: g.randint(1, 2)]:
        step, name = work["steps"][0], "T" + work["name"]
        step["tranclass"] = name
        for region in step["regions"]:
            of = inside(draft, region, only=name)
            drawn = g.uniform(0.5, 0.93) if "rate" in work else g.uniform(0.6, 1.6)
            full = max(1, round(of.rate * (of.away + of.qr + of.cpu) / drawn))
            size = least(of, drawn) if drawn < 0.94 else full
            if size is None:
                return None
            draft.region(region).setdefault("tranclasses", {})[name] = size
            found |= size < 200
    for name, tasks in draft.tasks().items():
        if g.chance(0.6):
            most = max(MXT[0], tasks * g.uniform(0.8, 1.5), open_tasks(draft, name) + 2)
            draft.region(name)["mxt"] = min(round(most), MXT[1])
    return draft if found else None


def burst_limits(g: Draw) -> Drawn:
    """Transactions that arrive together, at MXT, logs and devices."""
    draft = mxt_open(g)
    if draft is None:
        return None
    for work in draft.work:
        if g.chance(0.8):
            work["burst"] = short(g.log(1.3, 8.0))
    for region in draft.regions:
        region["mxt"] = min(MXT[1], round(region["mxt"] * g.uniform(1.0, 1.3)))
    if g.chance(0.4) and draft.centers().get("DB2", 0.0) == 0.0:
        draft.devices[0]["servers"] = 1
        draft.devices[0]["servers"] = math.ceil(draft.centers()["DB2"] / g.uniform(0.3, 0.85))
    return draft if any("burst" in work for work in draft.work) else None


def ims(g: Draw) -> Drawn:
    """IMS dependent regions, filled by CPU or by time without CPU, from 30 to 97 % loaded or full."""
    draft = Draft(g, lpars=[{"name": "LP0", "processors": g.choice((1, 2, 2, 3, 4, 4, 6, 8, 12))}], devices=[{"name": "DB2"}])
    unit = g.log(1e-4, 2e-2)
    for i in range(few(g, 1, 3)):
        draft.regions.append({"name": f"MPP{i}", "type": "ims", "lpar": "LP0", "regions": MXT[1]})
    for k in range(few(g, 1, 5)):
        cpu = unit * g.log(0.25, 4.0)
        step: Plain = {"regions": [g.choice(draft.regions)["name"]], "cpu": short(cpu)}
        if g.chance(0.8):
            step["devices"] = {"DB2": short(cpu * g.log(0.1, 20.0))}
        draft.work.append({"name": f"W{k}", "steps": [step]})
        draft.rates[f"W{k}"] = g.log(0.3, 3.0) / cpu
    used = {work["steps"][0]["regions"][0] for work in draft.work}
    draft.regions = [region for region in draft.regions if region["name"] in used]
    if not draft.scale(g.uniform(0.3, 0.95), 0.95):
        return None
    way = g.random()
    gone(draft, high=1000.0, share=0.0 if way < 0.6 else 1.0 if way < 0.85 else 0.5)
    if way < 0.6:
        return draft if set_limits(draft, g.choice(((0.4, 0.8), (0.8, 0.96))), 1.0, "regions", 1) else None
    for name, tasks in draft.tasks().items():
        draft.region(name)["regions"] = max(1, math.ceil(tasks * g.uniform(0.6, 1.3)), math.ceil(open_tasks(draft, name)))
    return draft


def threads(g: Draw) -> Drawn:
    """JVM servers with THREADLIMIT, beside other work of the same regions."""
    draft = cics(g, Range(busy=(0.3, 0.93), regions=(1, 3), kinds=(1, 3), delay=(0.1, 10.0), top=0.6))
    unit = g.log(5e-4, 2e-2)
    for i, region in enumerate(draft.regions):
        step: Plain = {"regions": [region["name"]], "jvm_cpu": short(unit * g.log(0.5, 2.0))}
        if g.chance(0.5):
            step["qr_cpu"] = short(unit * g.log(0.01, 0.1))
        draft.work.append({"name": f"J{i}", "steps": [step]})
        draft.rates[f"J{i}"] = g.log(0.3, 3.0) * sum(draft.rates.values()) / len(draft.rates)
    if g.chance(0.3):
        draft.work = [work for work in draft.work if work["name"].startswith("J")]
        draft.rates = {work["name"]: draft.rates[work["name"]] for work in draft.work}
    if not draft.scale(g.uniform(0.3, 0.93), 0.7):
        return None
    slow = draft.stretch()
    gone(draft, high=500.0, share=g.choice((0.0, 0.0, 0.5, 1.0)))
    for work in draft.work:
        if work["name"].startswith("J"):
            region = draft.region(work["steps"][0]["regions"][0])
            held = draft.rates[work["name"]] * work["steps"][0]["jvm_cpu"]
            size = held * slow[region["lpar"]]
            loose = held + 1.5 * math.sqrt(held)
            region["thread_limit"] = max(1, math.ceil(loose if "rate" in work and size < loose else size * g.uniform(0.8, 1.5)))
            if "rate" in work and inside_threads(draft, region["name"], held) > 0.95:
                return None
    return draft


def cpu_bound(g: Draw) -> Drawn:
    """Dependent regions, JVM threads or MXT little above the CPs, for work that is nearly all CPU, CPs 65 to 96 % busy."""
    kind = g.choice(("ims", "ims", "threads", "threads", "mxt"))
    engines = g.choice((1, 2, 3, 4, 4, 5, 6, 8, 12))
    size = max(10 if kind == "mxt" else 1, round(engines * g.uniform(1.0, 1.8)))
    draft = Draft(g, lpars=[{"name": "LP0", "processors": engines}], devices=[{"name": "DB2"}])
    key, cpu = {"ims": ("regions", "cpu"), "threads": ("thread_limit", "jvm_cpu"), "mxt": ("mxt", "open_cpu")}[kind]
    region: Plain = {"name": "R0", "lpar": "LP0", key: size}
    if kind == "ims":
        region["type"] = "ims"
    draft.regions.append(region)
    unit = g.log(1e-4, 5e-2)
    for k in range(g.choice((1, 1, 2, 3))):
        own = unit * g.log(0.4, 2.5)
        step: Plain = {"regions": ["R0"], cpu: short(own)}
        if g.chance(0.4):
            step["devices"] = {"DB2": short(own * g.uniform(0.02, 0.6))}
        draft.work.append({"name": f"W{k}", "steps": [step]})
        draft.rates[f"W{k}"] = g.log(0.3, 3.0) / own
    way = g.random()
    if not draft.scale(g.uniform(0.65, 0.965), 0.97):
        return None
    gone(draft, low=20.0, high=1000.0, share=0.0 if way < 0.65 else 1.0)
    if way > 0.85:
        crowded(draft, g.uniform(1.0, 1.5))
    return draft if way >= 0.65 or kind == "threads" or inside(draft, "R0").load(size) < 0.965 else None


def inside_threads(draft: Draft, region: str, held: float) -> float:
    """Load of the threads of a region when they are all in use, and the CPs as busy as they are otherwise."""
    lpar = draft.lpar_of(region)
    size, engines = draft.region(region)["thread_limit"], float(lpar["processors"])
    left = engines - (draft.busy()[lpar["name"]] - held)
    return held / min(size, left)

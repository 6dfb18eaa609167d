"""Systems with zIIPs, coupling facilities, logs and devices, on one LPAR or several; whole sites."""

from __future__ import annotations

import math

from .free_systems import Drawn
from .limited_systems import LONG
from .load_drawing import MXT, Range, cics, crowded, gone, inside, least, set_full, set_limits, waits_below
from .rough_loads import Draft, Draw, Plain, short


def ziip(g: Draw) -> Drawn:
    """Eligible CPU on open TCBs and JVM threads; zIIPs with and without overflow, one thread a core or two."""
    draft = cics(g, Range(busy=(0.3, 0.9), kinds=(1, 4), regions=(1, 6), top=0.6))
    cores = add_ziips(g, draft, draft.lpars[0])
    for work in draft.work:
        step = work["steps"][0]
        if "open_cpu" in step or g.chance(0.5):
            step["ziip_share"] = g.choice((0.3, 0.6, 0.9, 1.0))
            if g.chance(0.4):
                step["jvm_cpu"] = short((step.get("open_cpu") or step["qr_cpu"]) * g.log(0.3, 3.0))
    if not draft.scale(g.uniform(0.2, 0.88), 0.6):
        return None
    use = draft.ziip_busy()["LP0"] / cores
    if not 0.15 < use < 1.4:
        return None
    if use > 0.9:  # zIIPs that overflow all the time are CPs: those that do not would never catch up
        draft.lpars[0]["ziips"]["overflow"] = True
    gone(draft, high=2000.0, share=0.0 if g.chance(0.6) else 0.7)
    overflow = max(0.0, draft.ziip_busy()["LP0"] - 0.8 * cores) if draft.lpars[0]["ziips"].get("overflow", True) else 0.0
    return draft if draft.busy()["LP0"] + overflow < 0.93 * draft.lpars[0]["processors"] else None


def add_ziips(g: Draw, draft: Draft, lpar: Plain) -> float:
    """ZIIPs of an LPAR; returns what they can do [cores of one thread]."""
    cores, threads = g.choice((1, 1, 2, 2, 3, 4)), g.choice((1, 2))
    lpar["ziips"] = {"cores": cores, "overflow": g.chance(0.7)}
    factor = 1.0
    if threads == 2:
        factor = short(g.uniform(1.1, 1.6))
        lpar["ziips"] |= {"threads": 2, "max_capacity_factor": factor, "packing": g.choice(("dense", "spread"))}
    return cores * factor


def coupling(g: Draw) -> Drawn:
    """Requests to coupling facilities, synchronous ones that spin and asynchronous ones over long links."""
    draft = cics(g, Range(busy=(0.3, 0.93), kinds=(1, 4), regions=(1, 6), top=0.6))
    add_facility(g, draft, g.uniform(0.03, 0.5))
    if not draft.scale(g.uniform(0.3, 0.92), 0.7):
        return None
    gone(draft, high=2000.0, share=0.0 if g.chance(0.5) else 0.7)
    return draft


def add_facility(g: Draw, draft: Draft, part: float) -> None:
    """A coupling facility, its requests as long as a part of the CPU of the tasks that send them, and 5 to 80 % busy."""
    cpus = [sum(step.get(key, 0.0) for key in ("qr_cpu", "open_cpu")) for _, step, _, _ in draft.visits()]
    service = short(min(cpus) * part * g.log(0.02, 0.5))
    long = g.chance(0.35)
    latency = service * (g.log(5.0, 40.0) if long else g.choice((0.0, g.log(0.3, 5.0))))
    facility: Plain = {"name": "CF1", "processors": 1, "link": {"latency": short(latency)}, "structures": []}
    for i in range(g.randint(1, 3)):
        facility["structures"].append({"name": f"STR{i}", "service_time": short(service * g.log(0.6, 1.7))})
        if long and i == 0:
            facility["structures"][0]["threshold"] = short(latency * 0.5)
    if long:
        facility["async_cpu"], facility["async_delay"] = short(service * g.log(0.2, 2.0)), short(service * g.log(0.3, 10.0))
    draft.coupling_facilities.append(facility)
    for work in draft.work:
        for step in work["steps"]:
            if g.chance(0.75):
                cpu = sum(step.get(key, 0.0) for key in ("qr_cpu", "open_cpu"))
                asked = g.sample(facility["structures"], g.randint(1, len(facility["structures"])))
                each = cpu * part * g.uniform(0.6, 1.4) / len(asked)
                step["cf_requests"] = {s["name"]: short(each / (s["service_time"] + latency)) for s in asked}
                if "open_cpu" in step and "qr_cpu" in step and g.chance(0.4):
                    step["cf_on"] = "open"
    if not any("cf_requests" in step for work in draft.work for step in work["steps"]):
        step = draft.work[0]["steps"][0]
        step["cf_requests"] = {"STR0": short(cpus[0] * part / (facility["structures"][0]["service_time"] + latency))}
    use = draft.centers()["CF1"]
    facility["processors"] = max(1, math.ceil(use / g.uniform(0.1, 0.8)))


def logs_devices(g: Draw) -> Drawn:
    """Logs and devices with servers, 20 to 92 % busy, and requests of unlike length at one."""
    draft = cics(g, Range(busy=(0.1, 0.85), kinds=(1, 5), regions=(1, 6), delay=(0.5, 20.0), top=0.7))
    add_centers(g, draft, (0.2, 0.92))
    gone(draft, high=2000.0, share=0.0 if g.chance(0.5) else 0.7)
    return draft


def add_centers(g: Draw, draft: Draft, use: tuple[float, float]) -> None:
    """A log for some steps, and servers for the devices."""
    steps = [step for work in draft.work for step in work["steps"]]
    if g.chance(0.6):
        logger: Plain = {"name": "LOG", "stripes": g.randint(1, 4), "seconds_per_mib": [0.002, 0.004]}
        draft.loggers.append(logger)
        for step in steps:
            if g.chance(0.7) or step is steps[0]:
                step["log_bytes"] = {"LOG": g.log(0.5, 2.0)}
        part = g.uniform(*use) / draft.centers()["LOG"]
        for step in steps:
            if "log_bytes" in step:
                step["log_bytes"] = {"LOG": short(step["log_bytes"]["LOG"] * part)}
    if not draft.loggers or g.chance(0.6):
        draft.devices[0]["servers"] = 1
        draft.devices[0]["servers"] = max(1, math.ceil(draft.centers()["DB2"] / g.uniform(*use)))
        if draft.centers()["DB2"] > use[1]:
            draft.devices[0]["servers"] += 1


def lpars(g: Draw) -> Drawn:
    """Two to four LPARs, work that crosses from one to another, called or queued."""
    draft = cics(g, Range(busy=(0.3, 0.93), lpars=g.randint(2, 4), regions=(3, 12), kinds=(1, 8), top=0.6))
    for work in draft.work:
        first = work["steps"][0]
        if g.chance(0.7):
            homes = [r for r in draft.regions if r["name"] not in first["regions"] and not r["name"].startswith("S")]
            name = f"S{len(draft.regions)}"
            if not homes or g.chance(0.6):
                draft.regions.append({"name": name, "lpar": g.choice(draft.lpars)["name"], "mxt": MXT[1]})
                step: Plain = {"regions": [name]}
                cpu = sum(first.get(key, 0.0) for key in ("qr_cpu", "open_cpu"))
                step |= {"qr_cpu": short(cpu * g.log(0.1, 0.5))}
                if g.chance(0.5):
                    step["open_cpu"] = short(cpu * g.log(0.1, 1.0))
                if g.chance(0.4):
                    step["visits"] = g.choice((0.3, 0.5, 2.0, 3.0))
                if g.chance(0.25):
                    step["called"] = False
                work["steps"].append(step)
    if not draft.scale(g.uniform(0.4, 0.93), 0.7) or not any(len(work["steps"]) > 1 for work in draft.work):
        return None
    gone(draft, high=2e4, share=g.choice((0.0, 0.5, 1.0)))
    if g.chance(0.4):
        if any("rate" in work for work in draft.work):
            set_limits(draft, (0.6, 0.9))
        else:
            set_full(draft, 0.7, 1.3, 0.7)
    return draft


def site(g: Draw) -> Drawn:
    """All together: LPARs, TORs, AORs, IMS, zIIPs, a coupling facility, a log, limits, importances, fixed CPU."""
    count, cps = g.randint(1, 4), (2, 3, 4, 5, 6, 8)
    draft = cics(g, Range(busy=(0.3, 0.88), lpars=count, cps=cps, regions=(2, 9), kinds=(2, 6), delay=LONG, top=0.55))
    for lpar in draft.lpars:
        if g.chance(0.4):
            add_ziips(g, draft, lpar)
        if g.chance(0.5):
            lpar["fixed_cpu"] = short(lpar["processors"] * g.uniform(0.02, 0.08))
    if g.chance(0.6):
        add_facility(g, draft, g.uniform(0.03, 0.25))
    for work in draft.work:
        step = work["steps"][0]
        if "open_cpu" in step and g.chance(0.4):
            step["ziip_share"] = g.choice((0.3, 0.6, 0.9))
    add_tors(g, draft)
    if g.chance(0.5):
        add_ims(g, draft)
    if g.chance(0.4):
        add_centers(g, draft, (0.2, 0.8))
    if not draft.scale(g.uniform(0.3, 0.88), 0.7) or max(draft.qr().values()) > 0.6 or not ziips_suffice(draft):
        return None
    gone(draft, low=20.0, high=2e4, share=g.choice((0.0, 0.5, 1.0)))
    return draft if size_limits(g, draft) and rank(g, draft) else None


def rank(g: Draw, draft: Draft) -> bool:
    """A lower importance for some regions, in some systems."""
    if g.chance(0.4):
        for region in draft.regions:
            if not region["name"].startswith("TOR") and not g.chance(0.5):
                region["importance"] = 2
    return True


def add_tors(g: Draw, draft: Draft) -> None:
    """A TOR in each LPAR, before most works."""
    draft.regions[:0] = [{"name": f"TOR{i}", "lpar": lpar["name"], "mxt": MXT[1]} for i, lpar in enumerate(draft.lpars)]
    tors = [region["name"] for region in draft.regions[: len(draft.lpars)]]
    for k, work in enumerate(draft.work):
        if k == 0 or g.chance(0.6):
            own = 0.5 * min(work["steps"][0].get("qr_cpu", 1.0), 0.7 * len(tors) / sum(draft.rates.values()))
            work["steps"].insert(0, {"regions": tors, "qr_cpu": short(own * g.uniform(0.2, 1.0))})


def add_ims(g: Draw, draft: Draft) -> None:
    """IMS dependent regions and their work."""
    cpu = g.log(0.3, 3.0) * max(step.get("open_cpu", 0.0) + step.get("qr_cpu", 0.0) for step in draft.work[0]["steps"])
    draft.regions.append({"name": "MPP", "type": "ims", "lpar": g.choice(draft.lpars)["name"], "regions": MXT[1]})
    step: Plain = {"regions": ["MPP"], "cpu": short(cpu), "devices": {"DB2": short(cpu * g.log(0.5, 10.0))}}
    rate = g.uniform(0.05, 0.3) * sum(draft.busy().values()) / cpu
    draft.work.append({"name": "IMS0", "steps": [step]})
    draft.rates["IMS0"] = rate


def ziips_suffice(draft: Draft) -> bool:
    """Whether no zIIPs are more than 85 % busy."""
    use = draft.ziip_busy()
    ziips = {lpar["name"]: lpar["ziips"] for lpar in draft.lpars if "ziips" in lpar}
    return all(use[name] <= 0.85 * z["cores"] * z.get("max_capacity_factor", 1.0) for name, z in ziips.items())


def size_limits(g: Draw, draft: Draft) -> bool:
    """Limits that work with rates loads, or that users alone fill; False where none suffices."""
    opened = any("rate" in work for work in draft.work)
    if not opened:
        crowded(draft, g.uniform(0.8, 1.4))
    below, tasks = waits_below(draft), draft.tasks()
    for region in draft.regions:
        key, smallest = ("regions", 1) if region.get("type") == "ims" else ("mxt", MXT[0])
        if opened:
            size = least(inside(draft, region["name"], below), g.uniform(0.5, 0.85))
            if size is None:
                return False
        else:
            size = round(tasks[region["name"]] * g.uniform(0.6, 1.5))
        region[key] = min(max(smallest, size), MXT[1])
    return True


def asynchronous(draft: Plain) -> frozenset[tuple[int, str]]:
    """Requests that are always asynchronous: facility by its place and structure, whose link alone is beyond the threshold."""
    return frozenset(
        (i, structure["name"])
        for i, facility in enumerate(draft.get("coupling_facilities", ()))
        for structure in facility["structures"]
        if structure.get("threshold", math.inf) < facility["link"]["latency"]
    )

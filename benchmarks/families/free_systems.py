"""Systems without limits that matter: CPs, QR TCBs, importance, bursts, users and rates, fixed CPU."""

from __future__ import annotations

from .load_drawing import Range, cics, crowded, gone
from .rough_loads import Draft, Draw, short

Drawn = Draft | None  # None: drawn again


def opened(g: Draw) -> Drawn:
    """Rates only, CPs 20 to 90 % busy."""
    draft = cics(g, Range())
    gone(draft, share=0.0)
    return draft


def busy(g: Draw) -> Drawn:
    """Rates only, CPs 88 to 98 % busy."""
    draft = cics(g, Range(busy=(0.88, 0.98), kinds=(1, 4)))
    gone(draft, share=0.0)
    return draft


def users(g: Draw) -> Drawn:
    """10 to 400 users of each work."""
    draft = cics(g, Range(busy=(0.2, 1.05)))
    gone(draft, high=400.0)
    return draft


def many_users(g: Draw) -> Drawn:
    """400 to 100,000 users of each work."""
    draft = cics(g, Range(busy=(0.2, 0.97), kinds=(1, 5)))
    gone(draft, low=400.0)
    return draft


def mixed(g: Draw) -> Drawn:
    """Some works with rates, some with users."""
    draft = cics(g, Range(busy=(0.4, 0.96), kinds=(2, 8)))
    gone(draft, high=3e4, share=0.5)
    return draft if len({"rate" in work for work in draft.work}) == 2 else None


def crowd(g: Draw) -> Drawn:
    """More users than the CPs can serve."""
    draft = cics(g, Range(busy=(0.8, 0.95), kinds=(1, 5)))
    gone(draft, low=30.0, high=3000.0)
    crowded(draft, g.uniform(1.0, 1.6))
    return draft


def qr_beside_open(g: Draw) -> Drawn:
    """Regions of QR work beside regions of work on open TCBs, pieces of 0.1 to 10 times the length, CPs 60 to 97 % busy."""
    draft = Draft(g, lpars=[{"name": "LP0", "processors": g.choice((1, 1, 1, 2, 2, 3, 4, 6, 8))}])
    draft.devices.append({"name": "DB2"})
    cpu = g.log(5e-5, 5e-3)
    for i in range(g.randint(1, 3)):
        draft.regions.append({"name": f"Q{i}", "lpar": "LP0", "mxt": 2000})
        own = cpu * g.log(0.6, 1.7)
        draft.work.append({"name": f"QR{i}", "steps": [{"regions": [f"Q{i}"], "qr_cpu": short(own)}]})
        draft.rates[f"QR{i}"] = g.log(0.3, 3.0) / own
    draft.regions.append({"name": "OPEN", "lpar": "LP0", "mxt": 2000})
    other = cpu * g.log(0.1, 10.0)
    draft.work.append({"name": "OPEN0", "steps": [{"regions": ["OPEN"], "open_cpu": short(other)}]})
    draft.rates["OPEN0"] = g.log(0.5, 5.0) / other
    if g.chance(0.4):
        for work in draft.work:
            work["steps"][0]["devices"] = {"DB2": short(cpu * g.log(1.0, 50.0))}
    if not draft.scale(g.uniform(0.6, 0.97), 0.8):
        return None
    gone(draft, high=2000.0, share=0.0 if g.chance(0.7) else 0.5)
    return draft


def unlike_qr(g: Draw) -> Drawn:
    """QR pieces of very unlike length in one region, which share the TCB or wait for it in order of arrival."""
    draft = cics(g, Range(busy=(0.1, 0.8), regions=(1, 3), kinds=(2, 4), ratio=(0.02, 1.0), spread=8.0))
    if g.chance(0.5):
        for work in draft.work:
            work["steps"][0]["qr_dispatches"] = 1
    gone(draft, high=3000.0, share=0.0 if g.chance(0.6) else 0.7)
    return draft if max(draft.qr().values()) > 0.3 else None


def one_qr(g: Draw) -> Drawn:
    """One QR TCB with most of the work, others with little beside it, CPs and that TCB up to 95 % busy."""
    draft = cics(g, Range(busy=(0.4, 0.97), cps=(1, 2, 2, 3, 4, 6), regions=(2, 8), kinds=(1, 4), ratio=(0.05, 2.0), top=1.0))
    if len(draft.regions) < 2:
        return None
    for work in draft.work:
        step = work["steps"][0]
        step["shares"] = [short(share * (g.uniform(5.0, 15.0) if i == 0 else 1.0)) for i, share in enumerate(step["shares"])]
    most = max(draft.qr().values())
    rest = draft.busy()["LP0"] - most
    if not 0.35 < most < min(0.9, 0.97 * (draft.lpars[0]["processors"] - rest)):
        return None
    gone(draft, high=2000.0, share=0.0 if g.chance(0.6) else 1.0)
    return draft


def dispatches(g: Draw) -> Drawn:
    """Tasks that are dispatched on the QR TCB 2 to 12 times."""
    draft = cics(g, Range(busy=(0.3, 0.95), kinds=(1, 3), regions=(1, 6)))
    for work in draft.work:
        work["steps"][0]["qr_dispatches"] = g.randint(1, 12)
    gone(draft, high=3000.0, share=0.0 if g.chance(0.6) else 0.7)
    return draft


def bursts(g: Draw) -> Drawn:
    """Transactions that arrive together."""
    draft = cics(g, Range(busy=(0.2, 0.93), kinds=(1, 4), regions=(1, 6)))
    gone(draft, share=0.0)
    for work in draft.work:
        if g.chance(0.7):
            work["burst"] = short(g.log(1.2, 15.0))
    return draft if any("burst" in work for work in draft.work) else None


def importance(g: Draw) -> Drawn:
    """Regions of two to four importances on shared CPs."""
    draft = cics(g, Range(busy=(0.5, 0.97), regions=(2, 8), kinds=(2, 6)))
    if len(draft.regions) < 2 or len(draft.work) < 2:
        return None
    if g.chance(0.6):  # a work in its own regions
        for i, work in enumerate(draft.work):
            step = work["steps"][0]
            step["regions"] = [draft.regions[i % len(draft.regions)]["name"]]
            step["shares"] = [1.0]
        used = {work["steps"][0]["regions"][0] for work in draft.work}
        draft.regions = [region for region in draft.regions if region["name"] in used]
        if len(draft.regions) < 2 or max(draft.qr().values()) > 0.7:
            return None
    levels = g.randint(2, 4)
    for region in draft.regions:
        region["importance"] = g.randint(1, levels)
    lowest = [work for work in draft.work if any(draft.region(r)["importance"] > 1 for r in work["steps"][0]["regions"])]
    if not lowest or len({region["importance"] for region in draft.regions}) < 2:
        return None
    if max(use for name, use in draft.qr().items() if draft.region(name)["importance"] > 1) > 0.45:
        return None
    gone(draft, high=3000.0, share=0.0 if g.chance(0.5) else 0.7)
    return draft


def fixed(g: Draw) -> Drawn:
    """CPU that does not grow with the work, other speeds, parts of an engine, changes of TCB."""
    draft = cics(g, Range(busy=(0.3, 0.93), kinds=(1, 4), regions=(1, 6)))
    lpar = draft.lpars[0]
    engines = float(lpar["processors"]) + (g.choice((0.0, 0.4, 0.7)))
    lpar["processors"] = {"engines": short(engines), "speed": short(g.uniform(0.6, 1.6))}
    lpar["fixed_cpu"] = short(engines * g.uniform(0.02, 0.2))
    lpar["change_mode_cpu"], lpar["change_mode_wait"] = 2.4e-6, short(g.log(1e-6, 1e-4))
    draft.regions[0]["fixed_cpu"] = short(engines * g.uniform(0.005, 0.05))
    for work in draft.work:
        cpu = sum(work["steps"][0].get(key, 0.0) for key in ("qr_cpu", "open_cpu"))
        work["steps"][0]["change_modes"] = round(cpu * g.log(0.02, 0.4) / 2.4e-6)
        if g.chance(0.4):
            work["steps"][0]["system_cpu"] = short(cpu * g.uniform(0.05, 0.3))
        if g.chance(0.3):
            work["steps"][0]["ro_cpu"] = short(cpu * g.uniform(0.02, 0.2))
    if not draft.scale(g.uniform(0.3, 0.93), 0.7):
        return None
    gone(draft, high=3000.0, share=0.0 if g.chance(0.5) else 0.7)
    return draft


def small(g: Draw) -> Drawn:
    """One region, one work: what textbooks solve, as stations of one kind or as users of a few servers."""
    count = g.choice((1, 1, 2, 3, 4, 6, 8, 12))
    draft = Draft(g, lpars=[{"name": "LP0", "processors": count}])
    draft.regions.append({"name": "R0", "lpar": "LP0", "mxt": 2000})
    cpu = g.log(5e-6, 0.1)
    step = {"regions": ["R0"], g.choice(("open_cpu", "qr_cpu", "open_cpu")): short(cpu)}
    draft.work.append({"name": "W0", "steps": [step]})
    if g.chance(0.5):
        step["delay"] = short(cpu * g.log(0.3, 30.0))
    draft.rates["W0"] = 1 / cpu
    use = g.uniform(0.2, 0.97)
    if not draft.scale(use if "open_cpu" in step else use / count, 0.98):
        return None
    gone(draft, high=300.0, share=0.4)
    return draft

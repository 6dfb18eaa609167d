"""TORs over AORs: their limits far from, near and at full, one within the other, and TRANCLASSes under them."""

from __future__ import annotations

from .free_systems import Drawn
from .limited_systems import LONG, SHORT
from .load_drawing import MXT, Range, cics, crowded, gone, inside, least, set_full, waits_below
from .rough_loads import Draft, Draw, short


def under_tor(g: Draw, draft: Draft, direct: float = 0.0) -> list[str]:
    """Put TORs before the works, those aside that go to the AORs directly, the CPs as busy as before; returns their names."""
    before = draft.busy()["LP0"] / draft.lpars[0]["processors"]
    tors = [f"TOR{i}" for i in range(g.choice((1, 1, 2)))]
    lpars = [lpar["name"] for lpar in draft.lpars]
    draft.regions[:0] = [{"name": name, "lpar": g.choice(lpars), "mxt": MXT[1]} for name in tors]
    for k, work in enumerate(draft.work):
        if k == 0 or not g.chance(direct):
            step = work["steps"][0]
            own = min(0.5 * step.get("qr_cpu", 1.0), 0.5 / (1.3 * sum(draft.rates.values())))
            work["steps"].insert(0, {"regions": tors, "qr_cpu": short(own * g.uniform(0.2, 1.0))})
    draft.scale(before, 1.0)
    return tors


def tor(g: Draw) -> Drawn:
    """TORs over AORs, no limit near."""
    draft = cics(g, Range(busy=(0.3, 0.93), kinds=(1, 5), delay=(0.2, 20.0), top=0.6))
    under_tor(g, draft)
    if max(draft.qr().values()) > 0.7:
        return None
    gone(draft, high=1e4, share=g.choice((0.0, 1.0)))
    return draft


def tor_open(g: Draw) -> Drawn:
    """TORs over AORs whose MXT is loaded by work with rates, and MXT of the TORs too."""
    draft = cics(g, Range(busy=(0.2, 0.85), regions=(1, 5), kinds=(1, 3), delay=LONG, top=0.6))
    tors = under_tor(g, draft, direct=0.3)
    gone(draft, share=0.0)
    found = False
    for region in draft.regions[len(tors) :]:
        enough = least(inside(draft, region["name"]), g.uniform(0.5, 0.9))
        if enough is None:
            return None
        region["mxt"] = max(enough, MXT[0])
        found |= enough > MXT[0]
    below = waits_below(draft)
    for name in tors:
        size = least(inside(draft, name, below), g.uniform(0.5, 0.88))
        if size is None:
            return None
        draft.region(name)["mxt"] = max(size, MXT[0])
    return draft if found and max(draft.qr().values()) < 0.7 else None


def tor_full(g: Draw, direct: float = 0.0) -> Drawn:
    """TORs over AORs, all MXT full, up to thousands of users."""
    draft = cics(g, Range(busy=(0.2, 0.85), regions=(1, 8), kinds=(1, 4), delay=LONG, top=0.6))
    if draft.g.chance(0.3):  # each work in its own AORs
        names = [region["name"] for region in draft.regions]
        for k, work in enumerate(draft.work):
            own = names[k :: len(draft.work)] or names[:1]
            work["steps"][0]["regions"], work["steps"][0]["shares"] = own, [1.0] * len(own)
    tors = under_tor(g, draft, direct)
    if max(draft.qr().values()) > 0.6 or max(draft.tasks().values()) < 12:
        return None
    gone(draft, low=50.0, high=1e4)
    crowded(draft, g.uniform(0.95, 1.5))
    set_full(draft, 0.5, 1.1)
    total = sum(region["mxt"] for region in draft.regions[len(tors) :])
    for name in tors:
        draft.region(name)["mxt"] = min(max(MXT[0], round(total * g.uniform(0.5, 2.0) / len(tors))), MXT[1])
    return draft


def tor_cpu(g: Draw) -> Drawn:
    """TORs over AORs, their MXT filled by tasks that are on CPs or wait for them."""
    cps = (2, 3, 4, 5, 6, 8)
    draft = cics(g, Range(busy=(0.7, 0.95), cps=cps, regions=(1, 4), kinds=(1, 3), delay=SHORT, top=0.6))
    tors = under_tor(g, draft, 0.2)
    if max(draft.qr().values()) > 0.6:
        return None
    gone(draft, low=60.0, high=2000.0)
    crowded(draft, g.uniform(0.95, 1.4))
    for region in draft.regions:
        low = 10.0 if region["name"] not in tors else 12.0
        region["mxt"] = round(g.log(low, 4.0 * low))
    return draft


def tor_direct(g: Draw) -> Drawn:
    """The same with works that go to the AORs directly."""
    draft = tor_full(g, 0.6)
    return draft if draft is not None and len({len(work["steps"]) for work in draft.work}) == 2 else None


def tor_class(g: Draw) -> Drawn:
    """A TRANCLASS under a full TOR, its MXT inside full or not."""
    draft = tor_full(g, 0.3)
    if draft is None or len(draft.work) < 2:
        return None
    work = draft.work[g.randint(0, 1)]
    if len(work["steps"]) < 2:
        return None
    step, tasks = work["steps"][1], draft.tasks()
    step["tranclass"] = "T" + work["name"]
    for name in step["regions"]:
        size = round(min(tasks[name], draft.region(name)["mxt"]) * g.uniform(0.05, 0.5))
        draft.region(name)["tranclasses"] = {step["tranclass"]: max(1, size)}
        if g.chance(0.5):
            draft.region(name)["mxt"] = min(MXT[1], 2 * draft.region(name)["mxt"])
    return draft

"""CICS work on LPARs, drawn over the range that sites have; rates and users, and limits on what is drawn."""

from __future__ import annotations

import math
from dataclasses import dataclass
from itertools import islice

from .rough_loads import Draft, Draw, Plain, closed_rates, cp_time, elapsed, engines_of, short, speed_of

CPS = (1, 1, 2, 2, 3, 4, 4, 5, 6, 8, 10, 12)
MXT = (10, 2000)


@dataclass(frozen=True)
class Range:
    """What CICS work is drawn from.

    Attributes
    ----------
    busy : (float, float)
        CP busy of the busiest LPAR [0..1].
    cps : sequence of float
        CPs of an LPAR.
    regions, kinds : (int, int)
        Regions in all, and works.
    ratio : (float, float)
        Open CPU over QR CPU.
    delay : (float, float)
        Time without CPU over CPU.
    spread : float
        Most that the CPU of one work differs from that of the others [ratio].
    lpars : int
    top : float
        Most use of a QR TCB [0..1].
    """

    busy: tuple[float, float] = (0.2, 0.9)
    cps: tuple[float, ...] = CPS
    regions: tuple[int, int] = (1, 12)
    kinds: tuple[int, int] = (1, 8)
    ratio: tuple[float, float] = (0.1, 10.0)
    delay: tuple[float, float] = (0.2, 60.0)
    spread: float = 5.0
    lpars: int = 1
    top: float = 0.8


def few(g: Draw, low: int, high: int) -> int:
    """A whole number, small ones more often."""
    return min(high, int(g.log(low, high + 1)))


def pieces(g: Draw, cpu: float, ratio: float) -> Plain:
    """CPU of a step in CICS: on the QR TCB, on open TCBs or on both."""
    if g.chance(0.12):
        return {"qr_cpu": short(cpu)}
    if g.chance(0.08):
        return {"open_cpu": short(cpu)}
    return {"qr_cpu": short(cpu / (1 + ratio)), "open_cpu": short(cpu * ratio / (1 + ratio))}


def cics(g: Draw, of: Range) -> Draft:
    """Works of one step in regions of one kind, at rates that make the CPs as busy as drawn."""
    for _ in range(20_000):
        busy = g.uniform(*of.busy)
        draft = Draft(g)
        for i in range(of.lpars):
            draft.lpars.append({"name": f"LP{i}", "processors": g.choice(of.cps)})
        for i in range(max(of.lpars, few(g, *of.regions))):
            draft.regions.append({"name": f"R{i}", "lpar": f"LP{i % of.lpars}", "mxt": MXT[1]})
        names = [region["name"] for region in draft.regions]
        unit, ratio, delay = g.log(2e-5, 2e-2), g.log(*of.ratio), g.log(*of.delay)
        weights = [1.0 if g.chance(0.4) else g.log(0.4, 2.5) for _ in names]
        draft.devices.append({"name": "DB2"})
        for k in range(few(g, *of.kinds)):
            cpu = min(max(unit * g.log(1 / of.spread, of.spread), 5e-6), 0.1)
            here = names if g.chance(0.5) else sorted(g.sample(names, g.randint(1, len(names))), key=names.index)
            step: Plain = {"regions": here, "shares": [short(weights[names.index(name)]) for name in here]}
            step |= pieces(g, cpu, ratio * g.log(0.5, 2.0))
            step["devices"] = {"DB2": short(cpu * delay * g.log(0.5, 2.0))}
            draft.work.append({"name": f"W{k}", "steps": [step]})
            draft.rates[f"W{k}"] = g.log(0.3, 3.0) / cpu
        used = {name for work in draft.work for name in work["steps"][0]["regions"]}
        draft.regions = [region for region in draft.regions if region["name"] in used]
        draft.lpars = [lpar for lpar in draft.lpars if any(r["lpar"] == lpar["name"] for r in draft.regions)]
        if draft.scale(busy, min(of.top, 0.72 if busy > 0.8 else of.top)):
            return draft
    raise RuntimeError("nothing drawn within its range")


def gone(draft: Draft, low: float = 10.0, high: float = 1e5, share: float = 1.0) -> None:
    """Rates for some works, users for the others: so many that the intended rates result if nothing is full."""
    for work in draft.work:
        rate = draft.rates[work["name"]]
        if draft.g.chance(share):
            response = draft.response(work)
            least = max(low, 1.1 * rate * response + 2)
            work["users"] = round(draft.g.log(least, max(high, least)))
            work["think_time"] = short(work["users"] / rate - response)
        else:
            work["rate"] = rate


def crowded(draft: Draft, factor: float) -> None:
    """More users than the CPs or limits take: think times for rates that many times as high."""
    for work in draft.work:
        if "users" in work:
            rate = draft.rates[work["name"]] * factor
            work["think_time"] = short(max(0.02 * work["think_time"], work["users"] / rate - draft.response(work)))


@dataclass(frozen=True)
class Inside:
    """What is in a region: its tasks a second and the mean times of one [s]."""

    rate: float
    away: float
    qr: float
    cpu: float
    engines: float

    def load(self, count: int) -> float:
        """Rate over the highest that so many tasks at once do."""
        rates = closed_rates(self.away, self.qr, self.cpu, self.engines)
        return self.rate / next(islice(rates, count - 1, None))


def inside(draft: Draft, region: str, below: dict[tuple[str, int], float] | None = None, only: str | None = None) -> Inside:
    """The tasks of a region, or of one work in it.

    Parameters
    ----------
    below : dict of (work, step) to float, optional
        Time that a task of that step waits for its children [s].
    """
    lpar = draft.lpar_of(region)
    slow = draft.stretch()[lpar["name"]]
    rate = away = qr = cpu = own = 0.0
    for work, step, name, number in draft.visits():
        if name != region or (only is not None and step.get("tranclass") != only):
            continue
        rate += number
        spin = draft.spin(step)
        first = step.get("qr_cpu", 0.0) / speed_of(lpar) + spin
        every = cp_time(step, lpar) / speed_of(lpar) + spin
        away += number * (elapsed(step) + (below or {}).get((work["name"], work["steps"].index(step)), 0.0))
        qr += number * first * min(slow, 1.5)
        cpu += number * max(every - first, 0.0)
        own += number * every
    left = max(engines_of(lpar) - (draft.busy()[lpar["name"]] - own), 0.1)
    return Inside(rate, away / rate, qr / rate, cpu / rate, left)


def least(of: Inside, load: float, most: int = MXT[1]) -> int | None:
    """The smallest limit that the tasks load at most that much; None where no limit does."""
    rates = islice(closed_rates(of.away, of.qr, of.cpu, of.engines), most)
    return next((count for count, rate in enumerate(rates, 1) if of.rate / rate <= load), None)


def waits_below(draft: Draft) -> dict[tuple[str, int], float]:
    """Time that a task of each work and step waits for the tasks that it calls, with some wait at their limits [s]."""
    times, found = draft.times(), {}
    for work in draft.work:
        for i, step in enumerate(work["steps"][:-1]):
            child = work["steps"][i + 1]
            if child.get("called", True):
                ratio = child.get("visits", 1.0) / step.get("visits", 1.0)
                found[work["name"], i] = 1.15 * ratio * max(times[work["name"], i + 1, region] for region in child["regions"])
    return found


def set_limits(draft: Draft, load: tuple[float, float], share: float = 0.85, key: str = "mxt", smallest: int = MXT[0]) -> int:
    """Limits of regions at which their tasks load them as drawn from the range; how many were set above the smallest."""
    found, below = 0, waits_below(draft)
    for region in draft.regions:
        drawn = draft.g.uniform(*load)
        if draft.g.chance(share):
            count = least(inside(draft, region["name"], below), drawn)
            if count is not None:
                region[key] = max(count, smallest)
                found += count > smallest
    return found


def set_full(draft: Draft, low: float, high: float, share: float = 1.0, smallest: int = MXT[0]) -> None:
    """Limits that are these parts of the tasks that would be there without limits."""
    for name, tasks in draft.tasks().items():
        if draft.g.chance(share):
            size = max(smallest, round(tasks * draft.g.uniform(low, high)))
            draft.region(name)["mxt"] = min(size, MXT[1])


def open_tasks(draft: Draft, region: str) -> float:
    """Least size of a limit for the work with rates in a region."""
    kept = draft.rates
    draft.rates = {work["name"]: kept[work["name"]] if "rate" in work else 1e-9 for work in draft.work}
    tasks = draft.tasks()[region]
    draft.rates = kept
    return 1.15 * tasks + 1.3 * math.sqrt(tasks)

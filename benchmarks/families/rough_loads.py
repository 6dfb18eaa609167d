"""A system that is being drawn, and rough loads of it: enough to choose rates, users and limits, never an answer."""

from __future__ import annotations

import math
import random
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

Plain = dict[str, Any]  # a part of a system as in its file
CPU_KEYS = ("qr_cpu", "ro_cpu", "open_cpu", "jvm_cpu", "cpu", "system_cpu")


class Draw(random.Random):
    """Seeded random choices."""

    def log(self, low: float, high: float) -> float:
        """A number whose logarithm is uniform."""
        return math.exp(self.uniform(math.log(low), math.log(high)))

    def chance(self, share: float) -> bool:
        """True with that probability."""
        return self.random() < share


def short(value: float) -> float:
    """The number to four digits, the same on every machine."""
    return float(f"{value:.4g}")


@dataclass
class Draft:
    """A system that is being drawn.

    Attributes
    ----------
    lpars, regions, work, coupling_facilities, loggers, devices : list of dict
        As in a system file; `work` without rates and users. No task waits for one of its own region.
    rates : dict of work to float
        Transactions that are intended [1/s].
    """

    g: Draw
    lpars: list[Plain] = field(default_factory=list)
    regions: list[Plain] = field(default_factory=list)
    work: list[Plain] = field(default_factory=list)
    coupling_facilities: list[Plain] = field(default_factory=list)
    loggers: list[Plain] = field(default_factory=list)
    devices: list[Plain] = field(default_factory=list)
    rates: dict[str, float] = field(default_factory=dict)

    def lpar_of(self, region: str) -> Plain:
        """The LPAR of a region."""
        name = self.region(region)["lpar"]
        return next(lpar for lpar in self.lpars if lpar["name"] == name)

    def region(self, name: str) -> Plain:
        """A region by its name."""
        return next(region for region in self.regions if region["name"] == name)

    def visits(self) -> Iterator[tuple[Plain, Plain, str, float]]:
        """Work, step, region and tasks a second of each step in each region."""
        for work in self.work:
            for step in work["steps"]:
                shares = step.get("shares") or [1.0] * len(step["regions"])
                for region, share in zip(step["regions"], shares, strict=True):
                    yield work, step, region, self.rates[work["name"]] * step.get("visits", 1.0) * share / sum(shares)

    def busy(self) -> dict[str, float]:
        """CPs in use, by LPAR [engines]; spin counts, zIIPs take their share."""
        found = {lpar["name"]: fixed_cpu(self, lpar) for lpar in self.lpars}
        for _, step, region, rate in self.visits():
            lpar = self.lpar_of(region)
            found[lpar["name"]] += rate * (cp_time(step, lpar) / speed_of(lpar) + self.spin(step))
        return found

    def ziip_busy(self) -> dict[str, float]:
        """ZIIP cores in use if nothing overflows, by LPAR."""
        found = {lpar["name"]: 0.0 for lpar in self.lpars if "ziips" in lpar}
        for _, step, region, rate in self.visits():
            name = self.lpar_of(region)["name"]
            if name in found:
                found[name] += rate * eligible(step)
        return found

    def spin(self, step: Plain) -> float:
        """Time that a visit holds a CP for synchronous requests [s]."""
        total = 0.0
        for facility in self.coupling_facilities:
            for structure in facility["structures"]:
                number = step.get("cf_requests", {}).get(structure["name"], 0.0)
                if "threshold" not in structure:
                    total += number * (structure["service_time"] * 1.2 + facility["link"]["latency"])
        return total

    def qr(self) -> dict[str, float]:
        """Use of the QR TCB by region, without waits for CPs [0..1]."""
        found = {region["name"]: 0.0 for region in self.regions}
        for _, step, region, rate in self.visits():
            spun = self.spin(step) if requests_from(step) == "qr" else 0.0
            found[region] += rate * (step.get("qr_cpu", 0.0) / speed_of(self.lpar_of(region)) + spun)
        return found

    def centers(self) -> dict[str, float]:
        """Use of coupling facilities, logs and devices with servers [0..1]."""
        found: dict[str, float] = {}
        for _, step, _, rate in self.visits():
            for facility in self.coupling_facilities:
                for structure in facility["structures"]:
                    time = step.get("cf_requests", {}).get(structure["name"], 0.0) * structure["service_time"]
                    found[facility["name"]] = found.get(facility["name"], 0.0) + rate * time / facility["processors"]
            for logger in self.loggers:
                time = step.get("log_bytes", {}).get(logger["name"], 0.0) * log_second(logger)
                found[logger["name"]] = found.get(logger["name"], 0.0) + rate * time
            for device in self.devices:
                if "servers" in device:
                    time = step.get("devices", {}).get(device["name"], 0.0)
                    found[device["name"]] = found.get(device["name"], 0.0) + rate * time / device["servers"]
        return found

    def stretch(self) -> dict[str, float]:
        """How much longer CPU takes on shared CPs, by LPAR."""
        busy = self.busy()
        return {lpar["name"]: waiting(busy[lpar["name"]], engines_of(lpar)) for lpar in self.lpars}

    def times(self) -> dict[tuple[str, int, str], float]:
        """Time of a task by work, number of the step and region [s]; the tasks that it waits for included."""
        stretch, qr, found = self.stretch(), self.qr(), {}
        for work in self.work:
            below = 0.0
            for i, step in reversed(list(enumerate(work["steps"]))):
                shares = step.get("shares") or [1.0] * len(step["regions"])
                mean = 0.0
                for region, share in zip(step["regions"], shares, strict=True):
                    lpar = self.lpar_of(region)
                    slow = stretch[lpar["name"]]
                    piece = (step.get("qr_cpu", 0.0) / speed_of(lpar) + self.spin(step)) * slow
                    queue = 1.0 / max(0.05, 1.0 - qr[region] * min(slow, 3.0))
                    rest = sum(step.get(key, 0.0) for key in CPU_KEYS if key != "qr_cpu") * slow / speed_of(lpar)
                    time = piece * queue + rest + elapsed(step) + below
                    found[work["name"], i, region] = time
                    mean += time * share / sum(shares)
                before = work["steps"][i - 1].get("visits", 1.0) if i else 1.0
                below = mean * step.get("visits", 1.0) / before if step.get("called", True) else 0.0
        return found

    def tasks(self) -> dict[str, float]:
        """Tasks in each region without limits."""
        times, found = self.times(), {region["name"]: 0.0 for region in self.regions}
        for work, step, region, rate in self.visits():
            found[region] += rate * times[work["name"], work["steps"].index(step), region]
        return found

    def response(self, work: Plain) -> float:
        """Time of a transaction without limits [s]."""
        times, total = self.times(), 0.0
        for i, step in enumerate(work["steps"]):
            if i == 0 or not step.get("called", True):
                shares = step.get("shares") or [1.0] * len(step["regions"])
                own = zip(step["regions"], shares, strict=True)
                total += step.get("visits", 1.0) * sum(times[work["name"], i, r] * s for r, s in own) / sum(shares)
        return total

    def scale(self, busy: float, top: float) -> bool:
        """Set all rates so that the busiest LPAR is that busy [0..1]; False where something else is beyond `top`."""
        fixed = {lpar["name"]: fixed_cpu(self, lpar) for lpar in self.lpars}
        now = self.busy()
        factors = [
            (busy * engines_of(lpar) - fixed[lpar["name"]]) / (now[lpar["name"]] - fixed[lpar["name"]])
            for lpar in self.lpars
            if now[lpar["name"]] > fixed[lpar["name"]]
        ]
        if not factors or min(factors) <= 0:
            return False
        self.rates = {name: short(rate * min(factors)) for name, rate in self.rates.items()}
        other = [*self.qr().values(), *self.centers().values()]
        return max(other, default=0.0) <= top

    def plain(self, name: str) -> Plain:
        """The system as in its file, without parts that nothing uses."""
        used = {region for work in self.work for step in work["steps"] for region in step["regions"]}
        regions = [region for region in self.regions if region["name"] in used]
        hosts = {region["lpar"] for region in regions}
        parts: dict[str, list[Plain]] = {
            "lpars": [lpar for lpar in self.lpars if lpar["name"] in hosts],
            "regions": regions,
            "work": self.work,
            "coupling_facilities": self.coupling_facilities,
            "loggers": self.loggers,
            "devices": self.devices,
        }
        return {"name": name} | {key: part for key, part in parts.items() if part}


def engines_of(lpar: Plain) -> float:
    """CPs of an LPAR."""
    processors = lpar["processors"]
    return float(processors["engines"] if isinstance(processors, dict) else processors)


def speed_of(lpar: Plain) -> float:
    """Speed of its CPs."""
    processors = lpar["processors"]
    return float(processors.get("speed", 1.0)) if isinstance(processors, dict) else 1.0


def fixed_cpu(draft: Draft, lpar: Plain) -> float:
    """CPs that the LPAR and its regions use without work [engines]."""
    own = sum(region.get("fixed_cpu", 0.0) for region in draft.regions if region["lpar"] == lpar["name"])
    return float(lpar.get("fixed_cpu", 0.0) + own)


def eligible(step: Plain) -> float:
    """CPU of a visit that zIIPs may take [s]."""
    return float(step.get("ziip_share", 0.0) * sum(step.get(key, 0.0) for key in ("open_cpu", "jvm_cpu", "cpu")))


def cp_time(step: Plain, lpar: Plain) -> float:
    """CPU of a visit on CPs [s]."""
    modes = step.get("change_modes", 0.0) * lpar.get("change_mode_cpu", 0.0)
    return float(sum(step.get(key, 0.0) for key in CPU_KEYS) + modes - (eligible(step) if "ziips" in lpar else 0.0))


def elapsed(step: Plain) -> float:
    """Time of a visit without CPU [s]."""
    return float(step.get("delay", 0.0) + sum(step.get("devices", {}).values()))


def requests_from(step: Plain) -> str:
    """The TCB that sends requests to coupling facilities."""
    return str(step.get("cf_on") or ("open" if step.get("open_cpu") and not step.get("qr_cpu") else "qr"))


def log_second(logger: Plain) -> float:
    """Time to write one byte [s]."""
    fixed, shared = logger["seconds_per_mib"]
    return float((fixed + shared / logger.get("stripes", 1)) / 2**20)


def waiting(busy: float, engines: float) -> float:
    """Time over service time where work shares processors (Sakasegawa's approximation of M/M/m)."""
    use = min(busy / engines, 0.985)
    return float(1.0 + use ** (math.sqrt(2 * (engines + 1)) - 1) / (engines * (1 - use)))


def closed_rates(away: float, qr: float, cpu: float, engines: float) -> Iterator[float]:
    """Rates of 1, 2, … tasks that are always there: a delay, a QR TCB, CPs as a queue and a delay (Seidmann).

    The times are of one task [s].
    """
    first = qr
    second, rest = cpu / max(engines, 1.0), cpu - cpu / max(engines, 1.0)
    at_first = at_second = 0.0
    count = 0
    while True:
        count += 1
        one, two = first * (1 + at_first), second * (1 + at_second)
        rate = count / (away + rest + one + two)
        at_first, at_second = rate * one, rate * two
        yield rate

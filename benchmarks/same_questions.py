"""One question asked in two ways: `python -m benchmarks questions --salt 3`.

The seeded systems of `families` are solved as they are and as something that is the same, or all but the same: every time
three times as long, everything in the other order, each work under two names, limits that are never full left away, a
millionth of other work beside it, a load that differs by 0.3 %. No reference is needed: of answers that
differ one at least is wrong.
"""

from __future__ import annotations

import argparse
import json
import math
import sys
from collections.abc import Callable, Mapping, Sequence
from copy import deepcopy
from dataclasses import dataclass
from typing import Any

import numpy as np
import qnsolve as qn
from qnsolve.errors import QnsolveError
from qnsolve.zos import System

from benchmarks import system_references
from benchmarks.families.rough_loads import Plain
from benchmarks.system_references import Reference

Responses = dict[str, float]

TIMES, LITTLE, LOAD, BURST = 3.0, 1e-6, 0.003, 1.0001
TOLD = 0.02  # differences that are listed
LITTLE_WORK = "little"  # name of work beside all other
CPU = ("qr_cpu", "open_cpu", "cpu", "jvm_cpu")
SECONDS = (*CPU, "async_cpu", "delay", "async_delay", "think_time", "service_time", "latency", "threshold", "seconds_per_mib")
ROOM = 2000  # an MXT that is never full


@dataclass(frozen=True)
class Asked:
    """What two ways of asking gave.

    Attributes
    ----------
    system, way : str
    work : str
        Whose answers differ most.
    ratio : float
        Of its response times, over what it should be; nan where one way is refused.
    reason : str
        Of the refusal.
    """

    system: str
    way: str
    work: str
    ratio: float
    reason: str = ""

    @property
    def off(self) -> float:
        """How far the ratio is from 1."""
        return abs(self.ratio - 1)


def longer(data: Plain, _: Reference) -> Plain | None:
    """Every time three times as long; rates are that much lower. Fixed CPU comes in pieces of one length."""
    if any("fixed_cpu" in lpar for lpar in data["lpars"]):
        return None

    def changed(value: Any, key: str = "") -> Any:
        if isinstance(value, dict):
            inner = key if key == "devices" else ""
            return {k: changed(v, "delay" if inner and isinstance(v, float) else k) for k, v in value.items()}
        if isinstance(value, list):
            return [changed(one, key) for one in value]
        if key in SECONDS:
            return value * TIMES
        return value / TIMES if key == "rate" else value

    found: Plain = changed(data)
    return found


def reversed_order(data: Plain, _: Reference) -> Plain:
    """Works, regions and LPARs in the other order."""
    return {key: value[::-1] if isinstance(value, list) else value for key, value in data.items()}


def two_names(data: Plain, _: Reference) -> Plain:
    """Half of each work under a name, half under another; of an odd number of users one more has the second."""
    works = []
    for work in data["work"]:
        for k in (0, 1):
            one = deepcopy(work) | {"name": f"{work['name']}{'ab'[k]}"}
            if "rate" in work:
                one["rate"] = work["rate"] / 2
            else:
                one["users"] = (work["users"] + k) // 2
            if one.get("users", 1) > 0:
                works.append(one)
    return data | {"work": works}


def without_limits(data: Plain, reference: Reference) -> Plain | None:
    """MXT of regions that are never full raised."""
    found, some = deepcopy(data), False
    for region in found["regions"]:
        size = region.get("mxt")
        if size and size < ROOM and _never(reference, region["name"], size):
            region["mxt"], some = ROOM, True
    return found if some else None


def _never(reference: Reference, region: str, size: int) -> bool:
    """Whether a limit is all but never full: its use in simulation, and its tasks spread as in a Poisson number."""
    names = [name for name in reference.pools if name.split()[0] == region or name.startswith(f"{region}:")]
    use = max((reference.pools[name][0] for name in names), default=0.02)
    mean = max(use, 0.02) * size
    return size > mean + 12 * math.sqrt(mean) + 5


def beside(importance: int) -> Callable[[Plain, Reference], Plain]:
    """A millionth of work of its own region on the first LPAR, of one importance beside another of all that is there."""

    def change(data: Plain, _: Reference) -> Plain:
        found = deepcopy(data)
        lpar, works = found["lpars"][0]["name"], found["work"]
        if importance < 1:
            for region in found["regions"]:
                region["importance"] = region.get("importance", 1) + 1
        steps = [step for work in works for step in work["steps"]]
        cpu = float(np.median([all_cpu(step) for step in steps if all_cpu(step)] or [1e-4]))
        found["regions"].append({"name": "Z9", "lpar": lpar, "mxt": ROOM, "importance": max(importance, 1)})
        works.append({"name": LITTLE_WORK, "rate": LITTLE / cpu, "steps": [{"regions": ["Z9"], "open_cpu": cpu}]})
        return found

    return change


def all_cpu(step: Plain) -> float:
    """CPU of a step, of any kind [s]."""
    return math.fsum(step.get(key, 0.0) for key in CPU)


def little_request(data: Plain, _: Reference) -> Plain:
    """A synchronous request of a millionth of the CPU in the first step of each work."""
    found = deepcopy(data)
    for work in found["work"]:
        step = work["steps"][0]
        if "cf_requests" not in step and all_cpu(step):
            facility = {"name": f"CF {work['name']}", "processors": 1, "service_time": LITTLE * all_cpu(step)}
            found.setdefault("coupling_facilities", []).append(facility)
            step["cf_requests"] = {facility["name"]: 1.0}
    return found


def little_burst(data: Plain, _: Reference) -> Plain:
    """Bursts of 1.0001 transactions where work comes one by one."""
    return data | {"work": [{"burst": BURST} | work if "rate" in work else work for work in data["work"]]}


def little_fixed(data: Plain, _: Reference) -> Plain:
    """A millionth of a CP of other work."""
    return data | {"lpars": [{"fixed_cpu": LITTLE} | lpar for lpar in data["lpars"]]}


WAYS: dict[str, Callable[[Plain, Reference], Plain | None]] = {
    "longer": longer,
    "order": reversed_order,
    "names": two_names,
    "no limits": without_limits,
    "work beside": beside(1),
    "lower work": beside(5),
    "higher work": beside(0),
    "request": little_request,
    "burst": little_burst,
    "fixed CPU": little_fixed,
}


def scaled(data: Plain, factor: float) -> Plain:
    """The load times a factor: rates, and think times of users."""
    works = []
    for work in data["work"]:
        load = {"rate": work["rate"] * factor} if "rate" in work else {"think_time": work["think_time"] / factor}
        works.append(work | load)
    return data | {"work": works}


def asked(reference: Reference, ways: Sequence[str]) -> list[Asked]:
    """A system in its own words and in each of these."""
    data, name = reference.drawn.data, reference.drawn.name
    own = responses(data)
    if isinstance(own, str):
        return [Asked(name, "as it is", "", math.nan, own)]
    found = []
    for way in ways:
        if way == "load":
            found.append(_smooth(reference, own))
            continue
        changed = WAYS[way](data, reference)
        if changed is None:
            continue
        other = responses(changed)
        if isinstance(other, str):
            found.append(Asked(name, way, "", math.nan, other))
            continue
        factor = TIMES if way == "longer" else 1.0
        ratios = {k: other[k] / own[k.rstrip("ab") if way == "names" else k] / factor for k in other if k != LITTLE_WORK}
        found.append(_worst(name, way, ratios))
    return found


def _smooth(reference: Reference, own: Mapping[str, float]) -> Asked:
    """The answer at a load beside those of 0.3 % less and more: near their mean, as nothing bends so soon."""
    sides = [responses(scaled(reference.drawn.data, factor)) for factor in (1 - LOAD, 1 + LOAD)]
    name, low, high = reference.drawn.name, *sides
    if isinstance(low, str) or isinstance(high, str):
        return Asked(name, "load", "", 1.0 if isinstance(low, dict) else math.nan, str(low if isinstance(low, str) else high))
    return _worst(name, "load", {k: own[k] / math.sqrt(low[k] * high[k]) for k in own})


def _worst(system: str, way: str, ratios: Mapping[str, float]) -> Asked:
    work = max(ratios, key=lambda k: abs(math.log(ratios[k])))
    return Asked(system, way, work, ratios[work])


def responses(data: Plain) -> Responses | str:
    """Response times of the works, or why there are none."""
    system = qn.loads(json.dumps(data), "json")
    assert isinstance(system, System)
    try:
        answer: Any = system.solve()
    except QnsolveError as error:
        return str(error)
    return {work["name"]: answer[work["name"]].response_time for work in data["work"]}


def table(found: Sequence[Asked]) -> str:
    """A line a way: systems, the differences above 0.1, 2 and 8 %, the largest, and refusals of one way only."""
    lines = ["| asked | systems | above 0.1 % | above 2 % | above 8 % | largest | refused |", "|---|---|---|---|---|---|---|"]
    for way in dict.fromkeys(one.way for one in found):
        own = [one for one in found if one.way == way]
        off = np.array([one.off for one in own if not math.isnan(one.ratio)] or [math.nan])
        counts = " | ".join(str(int(np.sum(off > limit))) for limit in (0.001, 0.02, 0.08))
        lines.append(f"| {way} | {len(own)} | {counts} | {100 * off.max():.1f} % | {len(own) - len(off)} |")
    return "\n".join(lines)


def main(arguments: Sequence[str] | None = None) -> int:
    """Print the table, and the answers that differ by more than 2 %."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks questions", description=__doc__)
    parser.add_argument("--salt", type=int, action="append", help="of the families of systems; may stand several times (3)")
    parser.add_argument("--family", action="append", help="only this family; may stand several times")
    parser.add_argument("--way", action="append", choices=[*WAYS, "load"], help="only this one; may stand several times")
    options = parser.parse_args(arguments)
    found = []
    for salt in options.salt or [3]:
        for reference in system_references.load(salt).values():
            if not options.family or reference.drawn.family in options.family:
                here = asked(reference, options.way or [*WAYS, "load"])
                found += here
                for one in here:
                    if math.isnan(one.ratio) or one.off > TOLD:
                        reason = one.reason[:120] or f"{100 * (one.ratio - 1):+.1f} % {one.work}"
                        sys.stdout.write(f"{salt}/{one.system}, {one.way}: {reason}\n")
                        sys.stdout.flush()
    sys.stdout.write(f"\n{table(found)}\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())

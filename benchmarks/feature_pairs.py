"""Features that meet: `python -m benchmarks features`, solved beside simulated.

One region with two kinds of work, 350 tasks of 2 ms and 600 of 0.5 ms a second on two CPs, is given features, alone, two by
two, or more at once: a TOR, a class, bursts, order of arrival, importance, zIIPs, ... What is right for each may be wrong where
two meet.
"""

from __future__ import annotations

import argparse
import random
import sys
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import combinations
from typing import Any

from qnsolve import zos
from qnsolve.errors import ModelError, QnsolveError

FAR = 0.08  # errors that are listed
JOBS = 400_000  # transactions of one system


@dataclass
class Site:
    """What the system is made of, as keywords of its parts; further steps stand `before` that in the region, or `after` it."""

    cps: dict[str, Any] = field(default_factory=lambda: {"engines": 2.0})
    lpar: dict[str, Any] = field(default_factory=dict)
    region: dict[str, Any] = field(default_factory=lambda: {"mxt": 400})
    longer: dict[str, Any] = field(default_factory=lambda: {"qr_cpu": 0.001, "open_cpu": 0.001, "devices": {"DASD": 0.005}})
    shorter: dict[str, Any] = field(default_factory=lambda: {"qr_cpu": 0.0002, "open_cpu": 0.0003, "devices": {"DASD": 0.002}})
    work: dict[str, dict[str, Any]] = field(default_factory=lambda: {"longer": {"rate": 350.0}, "shorter": {"rate": 600.0}})
    before: list[zos.Step] = field(default_factory=list)
    after: dict[str, list[zos.Step]] = field(default_factory=lambda: {"longer": [], "shorter": []})
    regions: list[zos.CicsRegion] = field(default_factory=list)
    others: list[zos.Work] = field(default_factory=list)
    parts: dict[str, Any] = field(default_factory=dict)
    servers: int | None = None

    def system(self) -> zos.System:
        """It all together."""
        steps = {name: zos.Step("AOR", **getattr(self, name)) for name in self.work}
        works = [zos.Work(name, steps=[*self.before, steps[name], *self.after[name]], **how) for name, how in self.work.items()]
        return zos.System(
            lpars=[zos.Lpar("SYSA", processors=zos.Processors(**self.cps), **self.lpar)],
            regions=[zos.CicsRegion("AOR", lpar="SYSA", **self.region), *self.regions],
            work=[*works, *self.others],
            devices=[zos.Device("DASD") if self.servers is None else zos.Device("DASD", servers=self.servers)],
            **self.parts,
        )


def _class(places: int) -> Callable[[Site], None]:
    def put(site: Site) -> None:
        site.region.setdefault("tranclasses", {})["SHORT"] = places
        site.shorter["tranclass"] = "SHORT"

    return put


def _region(**keys: object) -> Callable[[Site], None]:
    return lambda site: site.region.update(keys)


def _dispatches(longer: float, shorter: float) -> Callable[[Site], None]:
    def put(site: Site) -> None:
        site.longer["qr_dispatches"], site.shorter["qr_dispatches"] = longer, shorter

    return put


def _three_devices(site: Site) -> None:
    site.servers = 3


def _threads(site: Site) -> None:
    site.region["thread_limit"] = 2
    site.longer["jvm_cpu"] = site.longer.pop("open_cpu", 0.001)


def _java_on_ziips(site: Site) -> None:
    site.lpar.setdefault("ziips", zos.Ziips(1))
    site.longer.update({"jvm_cpu": site.longer.pop("open_cpu", 0.001), "ziip_share": 1.0})


def _ziips(overflow: bool) -> Callable[[Site], None]:
    def put(site: Site) -> None:
        site.lpar["ziips"] = zos.Ziips(1, overflow=overflow)
        site.shorter["ziip_share"] = 0.8

    return put


def _visits(name: str, visits: float, rate: float) -> Callable[[Site], None]:
    def put(site: Site) -> None:
        getattr(site, name)["visits"] = visits
        site.work[name]["rate"] = rate

    return put


def _users(name: str, users: int, think_time: float) -> Callable[[Site], None]:
    def put(site: Site) -> None:
        site.work[name].pop("rate", None)
        site.work[name].update({"users": users, "think_time": think_time})

    return put


def _facility(**how: str) -> Callable[[Site], None]:
    def put(site: Site) -> None:
        structures = [zos.Structure("LOCK", service_time=8e-6)]
        site.longer.update({"cf_requests": {"LOCK": 10.0}, **how})
        link = zos.Link(latency=5e-6)
        site.parts["coupling_facilities"] = [zos.CouplingFacility("CF", processors=2, link=link, structures=structures)]

    return put


def _log(site: Site) -> None:
    site.longer["log_bytes"] = {"LOG": 4000.0}
    site.parts["loggers"] = [zos.Logger("LOG", stripes=1, seconds_per_mib=(0.002, 0.004))]


def _tor(site: Site) -> None:
    site.regions.append(zos.CicsRegion("TOR", lpar="SYSA", mxt=30))
    site.before.append(zos.Step("TOR", qr_cpu=0.0001))


def _file_owner(site: Site) -> None:
    site.regions.append(zos.CicsRegion("FOR", lpar="SYSA", mxt=400))
    site.after["longer"].append(zos.Step("FOR", qr_cpu=0.0002, visits=2.0))


def _one_after_another(site: Site) -> None:
    site.after["shorter"].append(zos.Step("AOR", qr_cpu=0.0001, open_cpu=0.0001, called=False))


def _below_others(site: Site) -> None:
    site.region["importance"] = 3
    site.regions.append(zos.CicsRegion("HIGH", lpar="SYSA", mxt=400))
    site.others.append(zos.Work("above", rate=100.0, steps=[zos.Step("HIGH", open_cpu=0.002)]))


FEATURES: dict[str, Callable[[Site], None]] = {
    "slower CPs": lambda site: site.cps.update(speed=0.8),
    "growing CPU": lambda site: site.cps.update(growth=0.02),
    "fixed CPU": lambda site: site.lpar.update(fixed_cpu=0.2),
    "zIIP": _ziips(True),
    "zIIP without overflow": _ziips(False),
    "Java on zIIPs": _java_on_ziips,
    "MXT": _region(mxt=10),
    "class": _class(2),
    "large class": _class(450),
    "threads": _threads,
    "importance": _region(importance=2),
    "RO": lambda site: site.longer.update(ro_cpu=0.0003),
    "bursts of longer": lambda site: site.work["longer"].update(burst=6.0),
    "bursts of shorter": lambda site: site.work["shorter"].update(burst=6.0),
    "half visits": _visits("longer", 0.5, 600.0),
    "three visits": _visits("shorter", 3.0, 220.0),
    "many users": _users("longer", 3500, 10.0),
    "few users": _users("shorter", 60, 0.09),
    "dispatches": _dispatches(10.0, 3.0),
    "order": _dispatches(1.0, 1.0),
    "facility": _facility(),
    "facility, open": _facility(cf_on="open"),
    "log": _log,
    "ticks": lambda site: site.work["longer"].update(tick=0.02),
    "three devices": _three_devices,
    "TOR": _tor,
    "FOR": _file_owner,
    "one after another": _one_after_another,
    "below others": _below_others,
}


def system_of(features: Sequence[str], times: float = 1.0) -> zos.System:
    """The region with some features, and so many times its work.

    Raises
    ------
    ModelError
        They do not go together.
    """
    site = Site()
    for name in features:
        FEATURES[name](site)
    return zos.scale(site.system(), times)


def chosen(together: int, number: int, seed: int) -> Iterator[tuple[str, ...]]:
    """All features that are together, so many at once; `number` of them by chance where it is not 0."""
    every = list(combinations(FEATURES, together))
    yield from every if not number else random.Random(seed).sample(every, min(number, len(every)))


def farthest(system: zos.System, jobs: int) -> tuple[float, str]:
    """The largest error of a response time without the half width of its simulation [ratio], and whose it is."""
    found = (0.0, "")
    for row in zos.verify(system, jobs=jobs, precision=0.02).figures:
        if row["figure"] == "response time":
            off, truth = row["solved"] - row["simulated"], row["simulated"]
            beyond = max(abs(off) - row["half_width"], 0.0) / truth
            if beyond > found[0]:
                found = beyond, f"{row['name']} {100 * off / truth:+.0f} % (±{100 * row['half_width'] / truth:.0f})"
    return found


def main(arguments: Sequence[str] | None = None) -> int:
    """Print systems that are far off, and the errors of all."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks features", description=__doc__)
    parser.add_argument("--together", type=int, default=2, help="features at once (2)")
    parser.add_argument("--number", type=int, default=0, help="of systems, drawn by chance; 0 for all of them (0)")
    parser.add_argument("--seed", type=int, default=1, help="of that chance (1)")
    parser.add_argument("--times", type=float, default=1.0, help="of all work (1)")
    parser.add_argument("--jobs", type=int, default=JOBS, help=f"transactions simulated of each ({JOBS})")
    options = parser.parse_args(arguments)
    errors, refused = list[float](), 0
    for features in chosen(options.together, options.number, options.seed):
        try:
            system = system_of(features, options.times)
            system.solve()
        except ModelError:
            continue  # features that exclude each other
        except QnsolveError as error:
            refused += 1
            sys.stdout.write(f"{', '.join(features)}: {error}\n")
            continue
        off, whose = farthest(system, options.jobs)
        errors.append(off)
        if off > FAR:
            sys.stdout.write(f"{', '.join(features)}: {whose}\n")
            sys.stdout.flush()
    errors.sort()
    mean, high = (100 * each for each in (sum(errors) / len(errors), errors[int(0.95 * len(errors))]))
    far = sum(each > FAR for each in errors)
    sys.stdout.write(
        f"{len(errors)} systems, {refused} refused: mean {mean:.1f} %, 95th {high:.1f} %, {100 * errors[-1]:.0f} % at most, "
        f"{far} above {100 * FAR:.0f} %\n"
    )
    return 0


if __name__ == "__main__":
    sys.exit(main())

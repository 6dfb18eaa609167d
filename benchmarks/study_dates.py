"""Dates of studies held against simulation: seeded sites, growth and targets; the target is met, then missed.

    python -m benchmarks.study_dates [sites|simulated|families] [COUNT] [SALT]

`sites` are drawn as planners have them: TORs and AORs on one LPAR to three, zIIPs, a coupling facility, a log, Db2, work that
arrives, LPARs 40 to 70 % busy today; with `simulated` their studies are, as `--simulate` does, by other random numbers than
those that judge them. `families` are those of the accuracy tables: limits that fill, users, full CPs.
For each site the study by quarter names the last quarter that holds and the next. Both are simulated: right where the
simulated response times meet all targets in the first and miss one in the second. Where a target is within the interval of
the simulation, it goes on until it is known to a fifth; a date that is open then too is said to be so.
"""

from __future__ import annotations

import sys
from dataclasses import dataclass
from typing import Any

import qnsolve as qn
from qnsolve import zos
from qnsolve.planning.simulated_periods import simulated
from qnsolve.zos import System, verify
from qnsolve.zos.point.capacity import capacity

from .families.all_systems import drawn
from .families.rough_loads import Draw

FAMILIES = (
    "site",
    "LPARs",
    "TOR",
    "zIIP",
    "open busy",
    "MXT open",
    "coupling",
    "TRANCLASS",
    "logs and devices",
    "QR beside open",
)
RUNS = ((0.01, 4_000_000), (0.002, 60_000_000))  # precision and most transactions: the second where the first says nothing
FULLEST = 0.8  # load of a site today, over the most that it holds
BEGIN, UNTIL = "2026-12", "2030-12"


@dataclass(frozen=True)
class Checked:
    """A site's dates beside simulation.

    Attributes
    ----------
    name, sentence : str
    ratios : tuple of float
        Of the last quarter that holds and the next: the response time nearest to its target, or above it most, over that
        target, simulated [ratio]; infinite where the simulated system does not keep up.
    modelled : tuple of float
        The same, modelled.
    verdict : str
        "right", "WRONG", or "open" where the simulation does not tell.
    """

    name: str
    sentence: str
    ratios: tuple[float, float]
    modelled: tuple[float, float]
    verdict: str


def planner_site(draw: Draw, name: str) -> System:
    """A site as planners have it."""
    lpars: list[zos.Lpar] = []
    regions: list[zos.CicsRegion] = []
    tors: list[str] = []
    aors: list[str] = []
    for place in range(draw.choice((1, 2, 2, 3))):
        lpar = f"SYS{'ABC'[place]}"
        ziips = zos.Ziips(draw.choice((1, 2)), threads=draw.choice((1, 2)), max_capacity_factor=1.0)
        if ziips.threads == 2:
            ziips = zos.Ziips(ziips.cores, threads=2, max_capacity_factor=round(draw.uniform(1.15, 1.4), 2))
        fixed: dict[str, Any] = {"fixed_cpu": round(draw.uniform(0.1, 0.6), 2), "change_mode_cpu": 2.4e-6}
        lpars.append(zos.Lpar(lpar, processors=zos.Processors(draw.choice((3, 4, 5, 6, 8))), ziips=ziips, **fixed))
        tors.append(f"TOR{lpar[-1]}")
        regions.append(zos.CicsRegion(tors[-1], lpar=lpar, mxt=400))
        for number in range(draw.choice((2, 2, 3, 4))):
            aors.append(f"AOR{lpar[-1]}{number + 1}")
            limits: dict[str, Any] = {
                "tranclasses": {"BATCHY": draw.choice((8, 10, 15))},
                "thread_limit": draw.choice((30, 40, 60)),
            }
            regions.append(zos.CicsRegion(aors[-1], lpar=lpar, mxt=draw.choice((100, 120, 150)), **limits))
    first = zos.Step(tors, qr_cpu=draw.uniform(8e-5, 2e-4))
    online: dict[str, Any] = {"qr_cpu": draw.uniform(4e-4, 1.5e-3), "open_cpu": draw.uniform(5e-4, 2.5e-3), "change_modes": 2}
    asks: dict[str, Any] = {"devices": {"Db2": draw.uniform(3e-3, 2e-2)}, "cf_requests": {"LOCK1": draw.uniform(2, 12)}}
    second = zos.Step(aors, **online, **asks, log_bytes={"DFHLOG": draw.uniform(3000, 12000)})
    java = zos.Step(
        aors, qr_cpu=2e-4, jvm_cpu=draw.uniform(2e-3, 6e-3), ziip_share=0.9, devices={"Db2": draw.uniform(5e-3, 3e-2)}
    )
    batch = zos.Step(aors, qr_cpu=draw.uniform(2e-3, 5e-3), open_cpu=6e-3, devices={"Db2": 0.2}, tranclass="BATCHY")
    work = [
        zos.Work("payments", rate=1000.0, steps=[first, second]),
        zos.Work("api", rate=draw.uniform(100, 400), steps=[java]),
        zos.Work("reports", rate=draw.uniform(10, 40), steps=[batch]),
    ]
    facility = zos.CouplingFacility("CF1", processors=2, structures=[zos.Structure("LOCK1", service_time=4e-6)])
    log = zos.Logger("DFHLOG", stripes=draw.choice((2, 3)), seconds_per_mib=(0.004, 0.016))
    parts: dict[str, Any] = {"coupling_facilities": [facility], "loggers": [log], "devices": [zos.Device("Db2")]}
    system = System(lpars=lpars, regions=regions, work=work, name=name, **parts)
    light = zos.scale(system, 1e-3).solve()
    fixed_share = [lpar.fixed_cpu / lpar.processors.engines for lpar in lpars]
    busiest = max((lpar.cpu_percent / 100 - fixed) / 1e-3 for lpar, fixed in zip(light.lpars, fixed_share, strict=True))
    qr = max(region.qr_cpu_percent / 100 / 1e-3 for region in light.regions)
    site = zos.scale(system, min(draw.uniform(0.4, 0.7) / busiest, 0.6 / qr))
    return zos.scale(site, min(1.0, FULLEST * capacity(site).factor))  # more overflows from zIIPs the fuller they are


def checked(kind: str, number: int, salt: int) -> Checked | None:
    """One site; None where its question has no end within four years."""
    draw = Draw(f"dates/{salt}/{number}")
    if kind != "families":
        system = planner_site(draw, f"site {number}")
    else:
        system = drawn(FAMILIES[number % len(FAMILIES)], number, salt).system
        most = capacity(system).factor
        if not 0 < most < 1e3:
            return None
        system = zos.scale(system, draw.uniform(0.5, 0.85) * most)
    today = system.solve()
    wanted = {work.name: work.response_time * draw.uniform(1.15, 2.5) for work in today.work}
    growth = {work.name: f"{draw.uniform(2, 10):.1f}%/quarter" for work in system.work}
    study = qn.study(system, growth=growth, begin=BEGIN, until=UNTIL, targets=wanted, remedies=False)
    if kind == "simulated":
        study = simulated(study, seed=number + 100)
    end = next((place for place, period in enumerate(study.periods) if not period.holds), 0)
    if end == 0:
        return None
    last, following = study.periods[end - 1], study.periods[end]
    ratios, modelled, right = [], [], []
    for period in (last, following):
        model = system
        for work in system.work:
            model = zos.scale(model, period.factors[work.name], [work.name])
        ratio, late = _simulated(model, wanted)
        ratios.append(ratio)
        right.append(None if late is None else late == (period is following))
        modelled.append(max(work.response_time / wanted[work.name] for work in period.work if work.name in wanted))
    verdict = "WRONG" if False in right else "open" if None in right else "right"
    return Checked(system.name, study.sentences()[0], (ratios[0], ratios[1]), (modelled[0], modelled[1]), verdict)


def _simulated(system: System, targets: dict[str, float]) -> tuple[float, bool | None]:
    """The largest response time over its target, infinite where the simulation does not keep up; whether one is missed."""
    for precision, most in RUNS:
        found = verify(system, precision=precision, jobs=most)
        if found.stopped in ("stuck", "too many"):
            return float("inf"), True
        rows = [row for row in found.figures if row["figure"] == "response time" and row["name"] in targets]
        over = [(row["simulated"] - targets[row["name"]]) / row["half_width"] for row in rows]
        ratio = max(row["simulated"] / targets[row["name"]] for row in rows)
        if max(over) > 1:
            return ratio, True
        if max(over) < -1:
            return ratio, False
    return ratio, None


def main(kind: str = "sites", count: int = 10, salt: int = 1) -> None:
    """Print a line a site, and how many are right."""
    verdicts: list[str] = []
    number = 0
    while len(verdicts) < count:
        found = checked(kind, number, salt)
        number += 1
        if found is None:
            continue
        verdicts.append(found.verdict)
        ratios = ", ".join(f"{a:.3f} (model {b:.3f})" for a, b in zip(found.ratios, found.modelled, strict=True))
        print(f"{found.verdict:6} {found.name:18} response/target {ratios}  {found.sentence}", flush=True)
    print(", ".join(f"{verdicts.count(each)} {each}" for each in ("right", "WRONG", "open")))


if __name__ == "__main__":
    main(*(sys.argv[1:2] or ["sites"]), *map(int, sys.argv[2:4]))  # type: ignore[arg-type]

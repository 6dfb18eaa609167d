"""Dates of studies held against simulation: seeded sites, growth and targets; the target is met, then missed.

    python -m benchmarks.study_dates [COUNT] [SALT]

For each site the study by quarter names the last quarter that holds and the next. Both are simulated: right where the
simulated response times meet all targets in the first and miss one in the second.
"""

from __future__ import annotations

import sys
from dataclasses import dataclass

import qnsolve as qn
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
PRECISION = 0.01
MOST_JOBS = 4_000_000
QUARTERS = 16
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
    right : bool
    """

    name: str
    sentence: str
    ratios: tuple[float, float]
    modelled: tuple[float, float]
    right: bool


def checked(number: int, salt: int) -> Checked | None:
    """One site; None where its question has no end within four years."""
    draw = Draw(f"dates/{salt}/{number}")
    system = drawn(FAMILIES[number % len(FAMILIES)], number, salt).system
    most = capacity(system).factor
    if not 0 < most < 1e3:
        return None
    system = qn.zos.scale(system, draw.uniform(0.5, 0.85) * most)
    today = system.solve()
    slow = max(today.work, key=lambda work: work.response_time - (work.cpu + work.ziip_cpu))
    wanted = {slow.name: slow.response_time * draw.uniform(1.15, 2.5)}
    growth = {work.name: f"{draw.uniform(2, 10):.1f}%/quarter" for work in system.work}
    study = qn.study(system, growth=growth, begin=BEGIN, until=UNTIL, targets=wanted, remedies=False)
    end = next((place for place, period in enumerate(study.periods) if not period.holds), 0)
    if end == 0:
        return None
    last, following = study.periods[end - 1], study.periods[end]
    ratios, modelled = [], []
    for period in (last, following):
        model = system
        for work in system.work:
            model = qn.zos.scale(model, period.factors[work.name], [work.name])
        ratios.append(_simulated(model, wanted))
        modelled.append(max(work.response_time / wanted[work.name] for work in period.work if work.name in wanted))
    right = ratios[0] <= 1 < ratios[1]
    return Checked(system.name, study.sentences()[0], (ratios[0], ratios[1]), (modelled[0], modelled[1]), right)


def _simulated(system: System, targets: dict[str, float]) -> float:
    """The largest response time over its target; infinite where the simulation does not keep up."""
    found = verify(system, precision=PRECISION, jobs=MOST_JOBS)
    if found.stopped in ("stuck", "too many"):
        return float("inf")
    return max(
        row["simulated"] / targets[row["name"]]
        for row in found.figures
        if row["figure"] == "response time" and row["name"] in targets
    )


def main(count: int = 10, salt: int = 1) -> None:
    """Print a line a site, and how many are right."""
    right = done = number = 0
    while done < count:
        found = checked(number, salt)
        number += 1
        if found is None:
            continue
        done += 1
        right += found.right
        ratios = ", ".join(f"{a:.3f} (model {b:.3f})" for a, b in zip(found.ratios, found.modelled, strict=True))
        print(f"{'right' if found.right else 'WRONG'}  {found.name:18} response/target {ratios}  {found.sentence}", flush=True)
    print(f"{right} of {done} right")


if __name__ == "__main__":
    main(*map(int, sys.argv[1:3]))

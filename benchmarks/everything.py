"""Random systems of everything that sites have, beside simulation: `python -m benchmarks everything`.

One to twenty regions, with TORs, IMS regions, TRANCLASSes, limits far from, near and at full, importance, bursts, zIIPs,
coupling facilities, logs and devices, 1 to 8 works, 20 to 98 % busy; a quarter each of one region, 2 to 5, 6 to 12, 13 to 20.
The systems are stored whole, with their references: simulated for 2 or 8 million transactions, so some are known to 10 or
20 % only. `--again N` simulates N of them again, and holds the references against that.

The error of a system is that of its worst work, without the half width of its reference. `--write` writes the errors by region
of use into the package: for these systems, those of `groups` and salts 4 and 5 of the families, 95 of 100 are within them.
"""

from __future__ import annotations

import argparse
import json
import math
import sys
from collections.abc import Sequence
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
from qnsolve import zos
from qnsolve.zos.point.solved import solved_point
from qnsolve.zos.point.utilization import held_places
from qnsolve.zos.report import region_of_use
from qnsolve.zos.report.region_of_use import Use, uses
from qnsolve.zos.report.reporting import answer

from benchmarks import grouped_arrivals
from benchmarks.families.all_systems import Drawn
from benchmarks.system_accuracy import Checked, Errors, checked, errors_of, region_table, regions, table, worst, write
from benchmarks.system_references import Reference, Truth, load

STORED = Path(__file__).parent / "families" / "references_everything.json"
SIZES = ("1 region", "2 to 5 regions", "6 to 12 regions", "13 to 20 regions")
KNOWN = 0.15  # half width of a response time, over it, up to which a work counts
SALTS, BURSTS = (4, 5), (1, 2)  # families, and bursts at all centers, for the errors that answers state
FAR = 4.0  # standard deviations, about, that two simulations may be apart


@cache
def references() -> tuple[Reference, ...]:
    """All systems with what simulation says of them."""
    found = []
    for one in json.loads(STORED.read_text(encoding="utf-8"))["systems"]:
        works = {name: Truth(*figures) for name, figures in one["works"].items()}
        drawn = Drawn(SIZES[one["seed"] % 4], f"everything {one['seed']}", 0, one["system"])
        found.append(Reference(drawn, (1,), works, {}, {}))
    return tuple(found)


def known(reference: Reference) -> Reference:
    """The works that are known well enough."""
    works = {name: truth for name, truth in reference.works.items() if truth.relative <= KNOWN}
    return replace(reference, works=works)


def use_of_answer(reference: Reference) -> dict[str, Use]:
    """The region of use of each work, as the answer has it."""
    system = reference.drawn.system
    point = solved_point(system)
    busy = np.array([lpar.cpu_percent / 100 for lpar in answer(point).lpars])
    met = uses(point.work.form, point.work.rate, busy, held_places(point.work))
    return {work.name: use for work, use in zip(system.work, met, strict=True)}


def of_answers(found: Sequence[Checked]) -> Errors:
    """Errors by region of use, over the answer as it is stated."""
    errors: Errors = {}
    for one in (one for one in found if one.works):
        met = use_of_answer(one.reference)
        for work in one.works:
            errors.setdefault(met[work.work].cell, []).append(work.of_answer)
    return errors


def apart(reference: Reference, jobs: int = 400_000) -> float:
    """Standard deviations, about, between the reference and another simulation, of the response time that is farthest off."""
    found: dict[str, Any] = {
        row["name"]: row
        for row in zos.verify(reference.drawn.system, jobs=jobs, seed=2).figures
        if row["figure"] == "response time"
    }
    each = []
    for name, truth in reference.works.items():
        half = math.hypot(truth.response_half, found[name]["half_width"] or math.inf)
        each.append(2 * abs(found[name]["simulated"] - truth.response) / half)
    return max(each)


def main(arguments: Sequence[str] | None = None) -> int:
    """Print the table; 1 where a simulation is far from a stored one."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks everything", description=__doc__)
    parser.add_argument("--worst", type=int, default=10, metavar="N", help="systems that are listed (10)")
    parser.add_argument("--again", type=int, metavar="N", help="simulate so many again, of all of them")
    parser.add_argument("--write", action="store_true", help="write the errors by region of use into the package")
    options = parser.parse_args(arguments)
    some = references()
    if options.again:
        step = max(len(some) // options.again, 1)
        far = [(one.drawn.name, apart(one)) for one in some[::step][: options.again]]
        sys.stdout.writelines(f"{name}: {off:.1f} standard deviations\n" for name, off in far)
        return int(any(off > FAR for _, off in far))
    every = [one for one in map(known, some) if one.works]
    if options.write:
        families = errors_of([checked(one) for salt in SALTS for one in load(salt).values()])
        bursts = [one for salt in BURSTS for one in grouped_arrivals.references(salt)]
        rows = regions(families, of_answers([checked(one) for one in [*every, *bursts]]))
        write(rows)
        region_of_use.table.cache_clear()
        sys.stdout.write(f"{region_table(rows)}\n\n")
    found = [checked(one) for one in every]
    sys.stdout.write(f"{table(found, SIZES, 'systems of')}\n\n{worst(found, options.worst)}\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())

"""Errors where work runs beside QR TCBs that does not come from them: `python -m benchmarks.free_pieces --salt 3`.

One LPAR of 2 to 8 CPs, 82 to 96 % busy, one to four AORs. Payments run on the QR TCB and then on open TCBs; the other work
has a region and open TCBs of its own (`open`), a short visit to the same QR TCBs and then open ones (`short QR`), a short
visit and then JVM threads, fixed CPU beside it (`JVM`), or a visit of 2 to 10 times the CPU and then open TCBs (`long QR`).
References are simulated, most within 1 %; salts 1 and 2 were tuned on, salt 3 is for the table, and no system of the last kind
was tuned on. `--simulate COUNT` simulates the first systems of a salt anew and prints them as JSON.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
from qnsolve import zos
from qnsolve.zos import System
from qnsolve.zos.compile.compiled import compiled
from qnsolve.zos.simulate.simulated_system import simulate_system

STORED = Path(__file__).parent / "families" / "references_free_pieces.json"
KINDS = {"bare": "open", "mixed": "short QR", "jvm": "JVM", "long": "long QR"}  # by the names that their draws begin with
PRECISION, MOST = 0.01, 12_000_000
FULLEST = 0.85  # of a QR TCB
KNOWN = 0.1  # half width of a reference from which on it says nothing: next to where a TCB that waits for CPs is full
WORKS = ("payments", "other")


@dataclass(frozen=True)
class Checked:
    """A system beside its reference: response times over those simulated less 1, and half widths, by work [ratio]."""

    kind: str
    number: int
    errors: tuple[float, float]
    widths: tuple[float, float]


def drawn(kind: str, number: int, salt: int) -> System | None:
    """A system; None where a QR TCB would be too full."""
    draw = Random(f"{kind}/{number}/{salt}")
    engines, count = draw.choice([2, 3, 4, 5, 6, 8]), draw.choice([1, 2, 2, 3, 4])
    qr, open_, busy = draw.uniform(4e-4, 1.5e-3), draw.uniform(0, 2.5e-3), draw.uniform(0.82, 0.965)
    aors, fixed, apart = [f"A{i}" for i in range(count)], 0.0, []
    limits: list[dict[str, Any]] = [{} for _ in aors]
    delay: dict[str, Any] = {}
    other: dict[str, Any]
    if kind == "bare":
        size = (open_ if open_ > 3e-4 else qr) * 10 ** draw.uniform(-1, 1)
        share, apart = draw.uniform(0.05, 0.7), ["O"]
        other = {"regions": "O", "open_cpu": size}
    elif kind == "mixed":
        share, size = draw.uniform(0.1, 0.6), draw.uniform(2e-3, 6e-3)
        other = {"regions": aors, "qr_cpu": qr * draw.uniform(0.1, 0.5), "open_cpu": size}
    elif kind == "long":
        share, longer = draw.uniform(0.2, 0.8), draw.uniform(2, 10)
        size = qr * longer * 10 ** draw.uniform(-0.5, 1)
        open_ = qr * 10 ** draw.uniform(-0.5, 1)
        other = {"regions": aors, "qr_cpu": qr * longer, "open_cpu": size}
    else:
        share = draw.uniform(0.1, 0.6)
        limits = [{"thread_limit": draw.choice([4, 10, 40])} for _ in aors]
        size, fixed, delay = draw.uniform(2e-3, 6e-3), draw.uniform(0, 0.4), {"devices": {"D": 0.01}}
        other = {"regions": aors, "qr_cpu": 2e-4, "jvm_cpu": size}
    steps = [zos.Step(aors, qr_cpu=qr, open_cpu=open_, **delay), zos.Step(**other, **delay)]
    cpu = [qr + open_, float(other.get("qr_cpu", 0.0)) + size]
    rates = [(busy * engines - fixed) * part / each for part, each in zip((1 - share, share), cpu, strict=True)]
    if sum(rate * step.qr_cpu for rate, step in zip(rates, steps, strict=True)) / count > FULLEST:
        return None
    regions = [zos.CicsRegion(name, lpar="L", mxt=2000, **its) for name, its in zip(aors, limits, strict=True)]
    regions += [zos.CicsRegion(name, lpar="L", mxt=2000) for name in apart]
    return System(
        lpars=[zos.Lpar("L", processors=zos.Processors(engines), fixed_cpu=fixed)],
        regions=regions,
        work=[zos.Work(name, rate=rate, steps=[step]) for name, rate, step in zip(WORKS, rates, steps, strict=True)],
        devices=[zos.Device("D")] if delay else [],
    )


def simulated(kind: str, number: int, salt: int) -> list[list[float]] | None:
    """Response time and half width over it, of each work; None where there is no such system, or it is not known."""
    system = drawn(kind, number, salt)
    if system is None:
        return None
    found = simulate_system(compiled(system), precision=PRECISION, most_transactions=MOST, seed=number + 1)
    figures = [[found.response(w).value, found.response(w).relative] for w in range(len(WORKS))]
    return figures if max(width for _, width in figures) < KNOWN else None


def stored() -> dict[str, list[list[float]]]:
    """References by kind, number and salt."""
    found: dict[str, list[list[float]]] = json.loads(STORED.read_text(encoding="utf-8"))
    return found


def checked(salt: int) -> Iterator[Checked]:
    """All systems of a salt that have a reference, solved."""
    for name, truth in stored().items():
        kind, number, of = name.split("/")
        system = drawn(kind, int(number), salt) if int(of) == salt else None
        if system is None:
            continue
        answer: Any = system.solve()
        first, second = (answer[work].response_time / value - 1 for work, (value, _) in zip(WORKS, truth, strict=True))
        yield Checked(kind, int(number), (first, second), (truth[0][1], truth[1][1]))


def row(kind: str, found: Sequence[Checked]) -> str:
    """A line of the table: mean and largest error of each work, the half widths of the references taken off."""
    errors = 100 * np.maximum(np.abs([one.errors for one in found]) - [one.widths for one in found], 0.0)
    mean, most = errors.mean(axis=0), errors.max(axis=0)
    cells = [f"{a:.1f}, {b:.1f} %" for a, b in zip(mean, most, strict=True)]
    return f"| {KINDS[kind]} | {len(found)} | {' | '.join(cells)} |"


def main(arguments: Sequence[str] | None = None) -> int:
    """Print the table, or simulate."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.free_pieces", description=__doc__)
    parser.add_argument("--salt", type=int, default=3, help="1, 2: tuning; 3: table (3)")
    parser.add_argument("--simulate", type=int, metavar="COUNT", help="simulate so many systems of each kind")
    options = parser.parse_args(arguments)
    if options.simulate:
        names = [(kind, number) for number in range(options.simulate) for kind in KINDS]
        truth = {f"{kind}/{number}/{options.salt}": simulated(kind, number, options.salt) for kind, number in names}
        sys.stdout.write(json.dumps({name: figures for name, figures in truth.items() if figures is not None}) + "\n")
        return 0
    found = list(checked(options.salt))
    lines = ["| other work | systems | payments: mean, max | other work: mean, max |", "|---|---|---|---|"]
    lines += [row(kind, [one for one in found if one.kind == kind]) for kind in KINDS]
    sys.stdout.write("\n".join(lines) + "\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())

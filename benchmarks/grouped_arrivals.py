"""Errors where bursts come to devices, logs, facilities, zIIPs, JVM threads, importances: `python -m benchmarks groups`.

Transactions that arrive together, up to 30 of a work, in systems of 1 to 12 CPs and 1 to 6 regions. References are simulated,
most within 1 to 2 %; salts 1 and 2 were tuned on, salt 3 is for the table. `--simulate SALT` computes what is missing of one.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from benchmarks.families.burst_systems import KINDS, drawn
from benchmarks.system_accuracy import checked, table, worst
from benchmarks.system_references import Reference, Truth, UnsettledError, simulated

STORED = Path(__file__).parent / "families" / "references_groups.json"
EACH = 10  # systems of a kind and salt
ATTEMPTS = 50
SECONDS = 8.0  # of one simulation
KNOWN = 0.05  # half width of a reference from which on it is drawn again


def stored() -> dict[str, dict[str, Any]]:
    """What is stored, by "salt/kind number"."""
    found: dict[str, dict[str, Any]] = json.loads(STORED.read_text(encoding="utf-8")) if STORED.exists() else {}
    return found


def references(salt: int) -> Iterator[Reference]:
    """The systems of a salt with what simulation says of them."""
    for name, its in stored().items():
        of, rest = name.split("/")
        if int(of) == salt:
            kind, number = rest.rsplit(" ", 1)
            system = drawn(kind, int(number), salt, its["attempt"])
            yield Reference(system, (1,), {work: Truth(*figures) for work, figures in its["works"].items()}, {}, {})


def settled(kind: str, number: int, salt: int) -> Reference:
    """The reference of a system, drawn again until it is known."""
    for attempt in range(ATTEMPTS):
        try:
            found = simulated(drawn(kind, number, salt, attempt), SECONDS, seed=1)
        except UnsettledError:
            continue
        if found.worst <= KNOWN:
            return found
    raise RuntimeError(f"{kind} {number}: no system settles")


def simulate(salt: int) -> None:
    """Compute what is missing of a salt, and store it."""
    for number in range(EACH):
        for kind in KINDS:
            name, known = f"{salt}/{kind} {number}", stored()
            if name not in known:
                found = settled(kind, number, salt)
                works = {work: [float(f"{x:.6g}") for x in truth.__dict__.values()] for work, truth in found.works.items()}
                known[name] = {"attempt": found.drawn.attempt, "works": works}
                lines = ",\n".join(f"{json.dumps(key)}: {json.dumps(its)}" for key, its in sorted(known.items()))
                STORED.write_text(f"{{\n{lines}\n}}\n", encoding="utf-8")


def main(arguments: Sequence[str] | None = None) -> int:
    """Print the table, or simulate."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks groups", description=__doc__)
    parser.add_argument("--salt", type=int, default=3, help="1, 2: tuning; 3: table (3)")
    parser.add_argument("--worst", type=int, default=5, metavar="N", help="systems that are listed (5)")
    parser.add_argument("--simulate", type=int, metavar="SALT", help="compute what is missing of a salt")
    options = parser.parse_args(arguments)
    if options.simulate is not None:
        simulate(options.simulate)
        return 0
    found = [checked(one) for one in references(options.salt)]
    sys.stdout.write(f"{table(found, KINDS, 'bursts at')}\n\n{worst(found, options.worst)}\n")
    return 0

"""Time and error of each kernel, of plain implementations and of other solvers, in one run.

`python -m benchmarks systems` prints the errors of system answers instead, `python -m benchmarks ladders` those of fitted
ladders at higher loads, `python -m benchmarks answers` whether random systems are always answered, `python -m benchmarks
questions` whether one question in two ways has one answer, `python -m benchmarks features` errors where features meet, `python
-m benchmarks everything` those of random systems of all that sites have, `python -m benchmarks groups` those of bursts at all
kinds of centers.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import sys
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from time import perf_counter

import numpy as np
import qnsolve as qn

from benchmarks import always_answered, everything, feature_pairs, grouped_arrivals, same_questions, system_accuracy
from benchmarks.ladders import ladder_accuracy
from benchmarks.peers import compare, mixed_models, models, solvers
from benchmarks.peers.solvers import Peer
from benchmarks.timing import batches, many_classes, recurrence, targets, worksheet
from benchmarks.timing.table import Row, solver_table
from tests.oracles.raw_models import Answer

LEGEND = """time     best of several runs inside the process, the model already built; once where a plain one or a peer is slow
ratio    time over that of qnsolve's solve(), which includes checks and result objects
error    largest relative error of a throughput (X) and of a queue length (Q), against decimals of 50 digits"""


def main(arguments: Sequence[str] | None = None) -> int:
    """Run everything; 1 where a number of qnsolve is wrong, 0 otherwise whatever the times."""
    given = list(sys.argv[1:] if arguments is None else arguments)
    if given[:1] == ["systems"]:
        return system_accuracy.main(given[1:])
    if given[:1] == ["ladders"]:
        return ladder_accuracy.main(given[1:])
    if given[:1] == ["questions"]:
        return same_questions.main(given[1:])
    if given[:1] == ["features"]:
        return feature_pairs.main(given[1:])
    if given[:1] == ["everything"]:
        return everything.main(given[1:])
    if given[:1] == ["groups"]:
        return grouped_arrivals.main(given[1:])
    if given[:1] == ["answers"]:
        return always_answered.main(given[1:])
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description=__doc__)
    parser.add_argument("--quick", action="store_true", help="without other solvers and without the slowest plain runs")
    parser.add_argument("--limit", type=float, default=60.0, metavar="SECONDS", help="for one call of another solver (60)")
    parser.add_argument("--json", type=Path, metavar="FILE", help="write the figures there as well")
    options = parser.parse_args(given)

    begin = perf_counter()
    found = [] if options.quick else solvers.find()
    machine = _machine()
    _print(machine)
    _print(_peers(found) if found else "other solvers: skipped by --quick")
    _print(LEGEND)

    titles, all_models = models.load()
    rows: list[Row] = []
    answers: dict[str, Answer] = {}
    for group, title in titles.items():
        part: list[Row] = []
        beyond: dict[str, str] = {}
        for model in all_models.values():
            if model.group == group:
                part += compare.rows(model, found, options.limit, options.quick, beyond)
                answers[model.name] = compare.answer_of(qn.solve(model.network))
        part += [Row("all", peer.name, note=peer.missing) for peer in found if peer.missing]
        _print(f"\n{title}\n{solver_table(part)}")
        rows += part

    part = list(mixed_models.rows(options.quick))
    _print(f"\n{mixed_models.TITLE}\n{solver_table(part)}")
    rows += part

    pairs = many_classes.measure(options.quick)
    _print(f"\n{many_classes.TITLE}\n{many_classes.report(pairs)}")

    text, records = recurrence.report(options.quick)
    _print(f"\nthe recurrence y[n] = x[n] + {recurrence.RHO}·y[n-1] inside every kernel\n{text}")
    goals = targets.collect(rows, answers, options.quick) + worksheet.collect(options.quick) + batches.collect(options.quick)
    _print(f"\ntargets: time of solve() unless stated\n{targets.report(goals)}")
    faults = targets.wrong(rows, goals)
    faults += [
        f"{p.name}: the two differ by {p.off:.1e}" for p in pairs if p.off is not None and not p.off <= targets.MOST_ERROR
    ]
    _print(f"\n{len(faults)} wrong number{'' if len(faults) == 1 else 's'}; the run took {perf_counter() - begin:.0f} s")
    for fault in faults:
        _print(f"WRONG  {fault}")
    if options.json:
        figures = {
            "machine": machine,
            "peers": [{"name": p.name, "version": p.version, "missing": p.missing} for p in found],
            "rows": [asdict(row) for row in rows],
            "many_classes": [asdict(pair) for pair in pairs],
            "recurrence": records,
            "targets": [{**asdict(goal), "verdict": goal.verdict} for goal in goals],
            "wrong": faults,
        }
        options.json.write_text(json.dumps(figures, indent=1) + "\n", encoding="utf-8")
    return 1 if faults else 0


def _machine() -> str:
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count()
    load = f", load {os.getloadavg()[0]:.1f} before the run" if hasattr(os, "getloadavg") else ""
    return (
        f"{cores} cores, {platform.system()} {platform.machine()}, Python {platform.python_version()}, "
        f"numpy {np.__version__}, qnsolve {qn.__version__}{load}"
    )


def _peers(found: list[Peer]) -> str:
    return "other solvers: " + "; ".join(f"{p.name} {p.version or p.missing}" for p in found)


def _print(text: str) -> None:
    sys.stdout.write(text + "\n")
    sys.stdout.flush()


if __name__ == "__main__":
    sys.exit(main())

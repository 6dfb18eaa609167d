"""qnsolve sweep: a network at many values of its inputs."""

from __future__ import annotations

import argparse
import json

from qnsolve.analysis.sweep import sweep
from qnsolve.analysis.varied_inputs import written
from qnsolve.results.rendering import defined

from .output import NETWORK_FILE, add_forms, add_method, network


def add(parser: argparse.ArgumentParser) -> None:
    """The arguments of `qnsolve sweep`."""
    parser.add_argument("file", help=NETWORK_FILE)
    text = 'what to vary, as in "query.population=10:100:10", "cpu.servers=2,4" or "query.demands.cpu=0.1,0.2"'
    parser.add_argument("vary", nargs="+", metavar="NAME.PARAMETER=VALUES", help=text)
    parser.add_argument("--together", action="store_true", help="vary all inputs in step, not in every combination")
    add_method(parser)
    add_forms(parser, "a point and class")
    parser.set_defaults(run=_run)


def _run(options: argparse.Namespace) -> str:
    model = network(options.file)
    found = sweep(model, written(model, options.vary), method=options.method, together=options.together)
    if options.json:
        return json.dumps([defined(row) for row in found.rows()], allow_nan=False, ensure_ascii=False)
    return found.to_csv() if options.csv else str(found)

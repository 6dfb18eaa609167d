"""qnsolve methods: the methods, and which accept a network."""

from __future__ import annotations

import argparse
import json
from dataclasses import asdict

from qnsolve.methods.solve import methods
from qnsolve.results.rendering import csv_text

from .output import NETWORK_FILE, add_forms, network


def add(parser: argparse.ArgumentParser) -> None:
    """The arguments of `qnsolve methods`."""
    parser.add_argument("file", nargs="?", help=NETWORK_FILE)
    add_forms(parser, "a method")
    parser.set_defaults(run=_run)


def _run(options: argparse.Namespace) -> str:
    reports = methods(network(options.file) if options.file else None)
    if options.json:
        return json.dumps([asdict(report) for report in reports], ensure_ascii=False)
    if options.csv:
        return csv_text([asdict(report) for report in reports])
    lines = []
    for report in reports:
        kind = "exact" if report.exact else "approximate"
        verdict = {None: "", True: "  accepts", False: f"  does not accept: {report.reason}"}[report.accepts]
        chosen = "  <- auto" if report.auto else ""
        lines.append(f"{report.name:<12} {kind}: {report.summary} [{report.source}]{verdict}{chosen}")
        if report.error:
            lines.append(f"{'':<12} {report.error}")
    return "\n".join(lines)

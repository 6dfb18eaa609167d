"""qnsolve check: what is wrong with measured intervals."""

from __future__ import annotations

import argparse
import json

from qnsolve import measure
from qnsolve.cli.output import add_forms
from qnsolve.cli.terminal import look
from qnsolve.errors import ModelError, suggestion
from qnsolve.measure import Findings

from .measured_files import FILES, add_reading, add_servers, measured, servers_given


def add(parser: argparse.ArgumentParser) -> None:
    """The arguments of `qnsolve check`."""
    parser.add_argument("files", nargs="+", metavar="FILE", help=FILES)
    add_reading(parser)
    add_servers(parser)
    text = "length of every interval in seconds, where a description says it and the file does not"
    parser.add_argument("--length", type=float, metavar="SECONDS", help=text)
    text = "a kind of finding that is not looked for, as in collinear; may be given again"
    parser.add_argument("--leave-out", action="append", default=[], metavar="KIND", help=text)
    parser.add_argument("--strict", action="store_true", help="exit with 1 where something is wrong")
    add_forms(parser, "a finding")
    parser.set_defaults(run=_run)


def _run(options: argparse.Namespace) -> tuple[str, int]:
    servers = servers_given(options.servers)
    names: dict[str, None] = {}
    found: list[tuple[str, Findings]] = []
    for file in options.files:
        options.file = file
        try:
            table = measured([file], options)
            own = {each.name: None for each in table.series if each.resource or not each.work}
            names |= own
            asked = servers
            if isinstance(servers, dict) and len(options.files) > 1:  # a resource is of one of the files
                asked = {name: count for name, count in servers.items() if name in own} or None
            answer = measure.check(table, servers=asked, length=options.length, leave_out=options.leave_out)
            found.append((file, answer))
        except ModelError as error:
            raise error if error.file else error.in_file(file) from None
    if isinstance(servers, dict) and (unknown := next((name for name in servers if name not in names), "")):
        raise ModelError("--servers", "must name a resource of a file", suggestion(unknown, names), unknown)
    code = int(options.strict and any(each.wrong for _, each in found))
    if options.json:
        parts = [{"file": file, **each.as_dict()} for file, each in found]
        return json.dumps(parts[0] if len(parts) == 1 else parts, allow_nan=False, ensure_ascii=False), code
    if options.csv:
        from qnsolve.results.rendering import csv_text

        rows = [{"file": file, **row} for file, each in found for row in each.rows()]
        return csv_text(rows) if rows else "", code
    shown = look()
    return "\n\n".join(f"{file}: {each.text(shown)}" for file, each in found), code

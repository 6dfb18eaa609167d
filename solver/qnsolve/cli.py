"""The command line of qnsolve: each command, its options, its output, its exit code."""

from __future__ import annotations

import argparse
import importlib
import json
import sys
import warnings
from collections.abc import Callable, Sequence
from dataclasses import asdict
from functools import partial
from pathlib import Path
from typing import NoReturn

from . import __version__, systems
from .bottleneck import bottleneck
from .bounds import bounds
from .errors import ImportNote, ModelError, QnsolveError, missing_package, one_line
from .modelfile import load, save
from .modeltext import FORMATS
from .network import Network
from .prompt import forms, printed
from .render import defined
from .report import Report
from .sensitivity import sensitivity
from .solve import CHOICES, methods, solve
from .sweep import sweep
from .vary import written
from .verify import SIMULATORS, verify
from .zos import System
from .zos.systemfile import load_any

# the analyses of a model: what runs, its help, what a row is
ANALYSES: dict[str, tuple[Callable[[Network], Report], str, str]] = {
    "bounds": (bounds, "bounds on throughput, response time and queues, without a solve", "a bound"),
    "bottleneck": (bottleneck, "which station limits each class, and which can be the bottleneck", "a class"),
    "sensitivity": (sensitivity, "what each figure of the model does to each class", "a class and figure"),
}
FILE = "model file, TOML, JSON or JMVA"


class _Parser(argparse.ArgumentParser):
    def error(self, message: str) -> NoReturn:
        """One line, exit code 2."""
        self.exit(2, one_line(f"{self.prog}: {message}; see {self.prog} --help") + "\n")


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command; returns the exit code.

    0 solved; 2 the model or the call is wrong; 3 saturated, or no method applies; 4 no
    trustworthy answer (did not converge, broke a law, or a validated figure moved); 130
    interrupted.
    """
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(encoding="utf-8", errors="replace")
    words = sys.argv[1:] if arguments is None else list(arguments)
    options = _parser(words).parse_args(words)
    try:
        with warnings.catch_warnings(record=True) as notes:
            warnings.simplefilter("always", ImportNote)
            try:
                text: str = options.run(options)
            finally:
                for note in notes:
                    print(one_line(f"note: {note.message}"), file=sys.stderr)
    except QnsolveError as error:
        file = getattr(options, "file", None)
        named = isinstance(error, ModelError) or not file
        print(str(error) if named else f"{file}: {error}", file=sys.stderr)
        return error.exit_code
    except KeyboardInterrupt:
        return 130  # as a shell has it for a command that was interrupted
    except (OSError, MemoryError) as error:
        print(one_line(f"qnsolve: {type(error).__name__}: {error}"), file=sys.stderr)
        return 2
    try:
        sys.stdout.write(text if text.endswith("\n") else text + "\n")
        sys.stdout.flush()
    except BrokenPipeError:
        sys.stderr.close()  # the reader, `head` say, has seen enough
    return 0


def _parser(words: Sequence[str]) -> argparse.ArgumentParser:
    parser = _Parser(prog="qnsolve", description="Analytic capacity planning for mainframe transaction systems.")
    parser.add_argument("--version", action="version", version=f"qnsolve {__version__}")
    commands = parser.add_subparsers(required=True, metavar="COMMAND", parser_class=_Parser)

    solving = commands.add_parser("solve", help="solve a model file and print its table")
    solving.add_argument("file", help=FILE)
    solving.add_argument("--method", default="auto", metavar="NAME", help="one of: " + ", ".join(CHOICES))
    forms(solving, "a class and station")
    solving.set_defaults(run=_solve)

    systems.add(commands)

    verifying = commands.add_parser("verify", help="simulate a model file and hold its solution beside the simulation")
    verifying.add_argument("file", help="model file, TOML or JSON")
    verifying.add_argument("--method", default="auto", metavar="NAME", help="one of: " + ", ".join(CHOICES))
    verifying.add_argument("--jobs", type=float, default=100_000, metavar="N", help="jobs that finish (default: 100000)")
    verifying.add_argument("--seed", type=float, default=1, metavar="S", help="of the random numbers (default: 1)")
    verifying.add_argument("--simulator", default="events", metavar="NAME", help="one of: " + ", ".join(SIMULATORS))
    forms(verifying, "a figure")
    verifying.set_defaults(run=_verify)

    sweeping = commands.add_parser("sweep", help="solve a model file at many values of its inputs")
    sweeping.add_argument("file", help=FILE)
    told = 'what to vary, as in "query.population=10:100:10", "cpu.servers=2,4" or "query.demands.cpu=0.1,0.2"'
    sweeping.add_argument("vary", nargs="+", metavar="NAME.PARAMETER=VALUES", help=told)
    sweeping.add_argument("--together", action="store_true", help="all move in step, not every combination")
    sweeping.add_argument("--method", default="auto", metavar="NAME", help="one of: " + ", ".join(CHOICES))
    forms(sweeping, "a point and class")
    sweeping.set_defaults(run=_sweep)

    for name, (run, text, row) in ANALYSES.items():
        analysing = commands.add_parser(name, help=text)
        analysing.add_argument("file", help=FILE)
        forms(analysing, row)
        analysing.set_defaults(run=partial(_analyse, run))

    listing = commands.add_parser("methods", help="list the methods, and which accept a model")
    listing.add_argument("file", nargs="?", help=FILE)
    listing.add_argument("--json", action="store_true", help="print the list as JSON")
    listing.set_defaults(run=_methods)

    converting = commands.add_parser("convert", help="write a model file in the format that the other name ends in")
    converting.add_argument("file", metavar="FROM", help=FILE)
    converting.add_argument("to", metavar="TO", help="file to write: .toml, .json or .jmva")
    converting.set_defaults(run=_convert)

    validating = commands.add_parser("validate", help="predict the published tables and write the report")
    validating.add_argument("--out", default="out", metavar="FOLDER", help="where the report goes (default: out)")
    validating.add_argument("--case", action="append", metavar="NAME", help="only this case; may be given again")
    validating.add_argument("--document", metavar="NAME", help="only the cases of this document, ims12 say")
    validating.add_argument("--accept", action="store_true", help="store the figures as they are now as what they must be")
    validating.set_defaults(run=_validate)

    addin = commands.add_parser("addin", help="worksheet functions: write or install the add-in of a spreadsheet")
    if "addin" in words:  # loaded for itself alone
        importlib.import_module("qnsolve_excel.commands").add(addin)
    return parser


def _solve(options: argparse.Namespace) -> str:
    model = load_any(options.file)
    if isinstance(model, System):
        if options.method != "auto":
            repair = "leave --method out, or solve what qnsolve compile prints"
            raise ModelError("--method", "goes with networks, not with systems", repair, options.method)
        return printed(model.solve(), options)
    return printed(solve(model, method=options.method), options)


def _verify(options: argparse.Namespace) -> str:
    given = {key: getattr(options, key) for key in ("method", "jobs", "seed", "simulator")}
    model = load_any(options.file)
    if isinstance(model, System):
        return printed(systems.verified(model, **given), options)
    return printed(verify(model, **given), options)


def _sweep(options: argparse.Namespace) -> str:
    model = load(options.file)
    found = sweep(model, written(model, options.vary), method=options.method, together=options.together)
    if options.json:
        return json.dumps([defined(row) for row in found.rows()], allow_nan=False, ensure_ascii=False)
    return found.to_csv() if options.csv else str(found)


def _analyse(run: Callable[[Network], Report], options: argparse.Namespace) -> str:
    return printed(run(load(options.file)), options)


def _methods(options: argparse.Namespace) -> str:
    reports = methods(load(options.file) if options.file else None)
    if options.json:
        return json.dumps([asdict(report) for report in reports], ensure_ascii=False)
    lines = []
    for report in reports:
        kind = "exact" if report.exact else "approximate"
        verdict = {None: "", True: "  accepts", False: f"  does not accept: {report.reason}"}[report.accepts]
        lines.append(f"{report.name:<12} {kind}: {report.summary} [{report.source}]{verdict}")
        if report.error:
            lines.append(f"{'':<12} {report.error}")
    return "\n".join(lines)


def _convert(options: argparse.Namespace) -> str:
    form = Path(options.to).suffix.lower().removeprefix(".")
    if form not in FORMATS:
        raise ModelError("convert", "must write .toml, .json or .jmva", "end the name in one of them", options.to)
    model = load(options.file)
    try:
        save(model, options.to)
    except ModelError as error:
        raise error.in_file(options.to) from None
    return f"written: {options.to}"


def _validate(options: argparse.Namespace) -> str:
    try:
        validation = importlib.import_module("qnsolve_validation")
    except ModuleNotFoundError as error:
        raise missing_package("validate", error, "jinja2 matplotlib XlsxWriter") from None
    if options.accept and (options.case or options.document):
        raise ModelError("--accept", "stores the figures of all cases", "leave out --case and --document")
    written: str = validation.accept() if options.accept else validation.run(options.out, options.case, options.document)
    return written

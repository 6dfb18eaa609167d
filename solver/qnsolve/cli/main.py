"""The command line: its commands, their common options and the exit codes."""

from __future__ import annotations

import argparse
import contextlib
import os
import re
import sys
import warnings
from collections.abc import Callable, Iterator, Sequence
from importlib import import_module
from typing import TYPE_CHECKING, Any, NoReturn

from qnsolve import __version__
from qnsolve.errors import ImportNote, ModelError, QnsolveError, one_line

from .terminal import at_work

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint

# each command: its help and the module whose `add` gives its parser the arguments; loaded for that command alone
COMMANDS: dict[str, tuple[str, str]] = {
    "solve": ("solve a network or a system and print its table", "qnsolve.cli.solve_command"),
    "sweep": ("solve a network at many values of its inputs", "qnsolve.cli.sweep_command"),
    "verify": ("simulate a network or a system and compare its solution", "qnsolve.cli.verify_command"),
    "compare": ("solve two files and print the figures that change", "qnsolve.cli.compare_command"),
    "fit": ("fit a model to measured intervals, and write its file", "qnsolve.cli.measured.fit_command"),
    "study": ("until when a system holds its growing work, why, and what would help", "qnsolve.cli.systems.study_command"),
    "growth": ("solve a system as its workload grows", "qnsolve.cli.systems.growth_command"),
    "headroom": ("the highest multiple of its workload that a system carries", "qnsolve.cli.systems.headroom_command"),
    "bounds": ("bounds on throughput, response time and queue lengths, without a solution", "qnsolve.cli.analysis_command"),
    "bottleneck": ("which station limits each class, and which can be the bottleneck", "qnsolve.cli.analysis_command"),
    "sensitivity": ("the effect of each figure of a network on each class", "qnsolve.cli.analysis_command"),
    "check": ("what is wrong with measured intervals, in sentences; nothing is repaired", "qnsolve.cli.measured.check_command"),
    "day": (
        "a day or a month of measured intervals in a model: overload, growth, when it ends",
        "qnsolve.cli.measured.day_command",
    ),
    "methods": ("list the methods, and which accept a network", "qnsolve.cli.methods_command"),
    "data": ("what measured files hold: intervals, series, what was assumed", "qnsolve.cli.measured.data_command"),
    "template": ("a system file to begin with: CICS, IMS, MQ with data sharing", "qnsolve.cli.systems.template_command"),
    "convert": ("write a file in another format", "qnsolve.cli.convert_command"),
}
ALIASES = {"grow": "growth"}  # names of earlier versions
GROUP = "qnsolve.commands"  # entry points of other packages: `add` of a command, its help in the first line of its docstring
BELOW_0 = re.compile(r"-\.?\d")  # begin of a value below 0
LINE = 1000  # characters of a line on standard error: a message and the name of its file

Run = Callable[[argparse.Namespace], "str | tuple[str, int]"]


class _Parser(argparse.ArgumentParser):
    def parse_known_args(self, args: Any = None, namespace: Any = None) -> tuple[Any, list[str]]:
        """Take -5%/year for the value of the option before it, as -5 is."""
        return super().parse_known_args(None if args is None else _joined(args), namespace)

    def error(self, message: str) -> NoReturn:
        """One line, exit code 2."""
        self.exit(2, one_line(f"{self.prog}: {message}; see {self.prog} --help") + "\n")


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command; returns the exit code.

    0 solved; 1 `verify` found figures that differ; 2 the model, the call or a file is wrong; 3 saturated,
    or no method applies; 4 no trustworthy answer (did not converge, or broke a law). `qnsolve.__main__` adds 130, interrupted.
    """
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(encoding="utf-8", errors="replace")
    return _run(sys.argv[1:] if arguments is None else list(arguments))


def _run(words: list[str]) -> int:
    try:
        options = _parser(words).parse_args(words)
    except SystemExit as end:
        if end.code:
            raise
        sys.exit(_write(""))  # the help or the version is in the buffer still
    try:
        with (
            _notes(),
            at_work(f"qnsolve {words[0]}") if ALIASES.get(words[0], words[0]) in COMMANDS else contextlib.nullcontext(),
        ):
            result: str | tuple[str, int] = options.run(options)
    except QnsolveError as error:
        file = getattr(options, "file", None)  # of several files a command names the one that it works on
        named = isinstance(error, ModelError) or not file
        _complain(str(error) if named else f"{file}: {error}")
        return error.exit_code
    except MemoryError:
        file = getattr(options, "file", None) or "qnsolve"
        _complain(f"{file}: needs more memory than there is; take fewer classes, smaller populations or another --method")
        return 3
    except OSError as error:
        name = error.filename or getattr(options, "file", None) or "qnsolve"
        _complain(f"{name}: {error.strerror or error}; check the name, the rights and the free space")
        return 2
    text, code = result if isinstance(result, tuple) else (result, 0)
    return _write(text if text.endswith("\n") else text + "\n") or code


@contextlib.contextmanager
def _notes() -> Iterator[None]:
    """Print the notes on files of other programs, also where the command fails."""
    with warnings.catch_warnings(record=True) as notes:
        warnings.simplefilter("always", ImportNote)
        try:
            yield
        finally:
            for note in notes:
                _complain(f"note: {note.message}")


def _complain(text: str) -> None:
    try:
        if sys.stderr is not None:
            print(one_line(text, LINE), file=sys.stderr, flush=True)
    except (OSError, ValueError):  # it is closed or full: what its buffer holds would be the exit code 120
        sys.stderr = None


def _write(text: str) -> int:
    """Print the result; 2 where it cannot be written in full."""
    if sys.stdout is None:
        _complain("standard output: is closed; give it a file or a terminal")
        return 2
    try:
        sys.stdout.write(text)
        sys.stdout.flush()
    except BrokenPipeError:  # the reader, such as `head`, has read enough
        _discard()
    except (OSError, ValueError) as error:
        _discard()
        _complain(f"standard output: {getattr(error, 'strerror', None) or error}; free some space or write elsewhere")
        return 2
    return 0


def _discard() -> None:
    """Discard the rest of the buffer, on which the interpreter would fail again at exit."""
    with contextlib.suppress(OSError, ValueError, AttributeError):
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _parser(words: Sequence[str]) -> argparse.ArgumentParser:
    parser = _Parser(prog="qnsolve", description="Analytic capacity planning for mainframe transaction systems.")
    parser.add_argument("--version", action="version", version=f"qnsolve {__version__}")
    if words and words[0] == "--version":
        return parser
    asked = next((word for word in words if not word.startswith("-")), "")
    asked = ALIASES.get(asked, asked)
    commands = parser.add_subparsers(required=True, metavar="COMMAND", parser_class=_Parser)
    for name, (text, module) in COMMANDS.items():
        aliases = [old for old, new in ALIASES.items() if new == name and old in words]
        one = commands.add_parser(name, help=text, description=text, aliases=aliases)
        if name == asked:
            import_module(module).add(one)
    if asked not in COMMANDS:
        for point in _other_packages():
            add = point.load()
            text = _help(add.__doc__)
            one = commands.add_parser(point.name, help=text, description=text)
            if point.name == asked:
                add(one)
    return parser


def _joined(words: Sequence[str]) -> list[str]:
    """The words, --NAME -5%/year as --NAME=-5%/year: argparse takes a value that begins with a minus for an option."""
    found: list[str] = []
    for word in words:
        option = found[-1] if found else ""
        if BELOW_0.match(word) and option.startswith("--") and len(option) > 2 and "=" not in option:
            found[-1] = f"{option}={word}"
        else:
            found.append(word)
    return found


def _help(docstring: str) -> str:
    """The first line of a docstring as the help of a command is written."""
    line = docstring.partition("\n")[0].removesuffix(".")
    return line[:1].lower() + line[1:]


def _other_packages() -> list[EntryPoint]:
    """The commands of other packages, each once."""
    from importlib.metadata import entry_points  # imported here, because it is slow

    return list({point.name: point for point in sorted(entry_points(group=GROUP))}.values())

"""The list of functions as text: for the command line and for the README."""

from __future__ import annotations

import argparse
from typing import Any

from .catalogue import GROUPS, Function, catalogue


def markdown() -> str:
    """A table for each group, a row for each function."""
    parts = []
    for group in GROUPS:
        rows = [f"| `{f.usage}` | {f.summary} |" for f in catalogue().values() if f.group == group]
        parts.append("\n".join([f"### {group}", "", "| function | returns |", "|---|---|", *rows]))
    return "\n\n".join(parts) + "\n"


def described(function: Function) -> str:
    """All help of one function."""
    lines = [function.usage, "", f"  {function.summary}"]
    lines += [f"  {function.method}"] if function.method else []
    lines += ["", *(f"  {argument.name}: {argument.help}" for argument in function.arguments)]
    return "\n".join([*lines, "", *(f"  {example}" for example in function.examples)])


def add(actions: Any) -> None:
    """The parser of the action."""
    listing = actions.add_parser("functions", help="list the worksheet functions, or print all help of some")
    listing.add_argument("name", nargs="*", help="name, with or without QN., or a part of it")
    listing.add_argument("--markdown", action="store_true", help="as the tables of the README")
    listing.set_defaults(run=_list)


def _list(options: argparse.Namespace) -> str:
    if options.markdown:
        return markdown()
    words = [word.upper().removeprefix("QN.").removeprefix("QN_") for word in options.name]
    if not words:
        return "\n".join(f"{f.usage}\n    {f.summary}" for f in catalogue().values())
    found = [f for f in catalogue().values() if f.name in words] or [
        f for f in catalogue().values() if any(word in f.name for word in words)
    ]
    return "\n\n".join(map(described, found)) or f"no function is called {' or '.join(options.name)}"

"""The catalogue: name, arguments, defaults, help and unit of each worksheet function, from its hints and docstring.

Every front end, the help and the README's table are made from it.
"""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import cache
from importlib import import_module
from types import MappingProxyType
from typing import Any, TypeVar, get_args, get_type_hints

from .cells import Numbers, Table

NAMESPACE = "QN"
OLD_NAMES = "Old names"
GROUPS = ("One station", "Networks", "Mainframe", "Systems", "Measurements", "About", OLD_NAMES)
# modules of functions, in the order of the catalogue
MODULES = (
    "stations",
    "forms",
    "networks",
    "questions",
    "demands",
    "mainframe",
    "facilities",
    "regions",
    "sites.systems",
    "sites.studies",
    "measurements",
    "intervals",
    "about",
)
LONGEST_HELP = 255  # characters that Excel's dialog takes
KINDS: dict[Any, str] = {
    float: "number",
    int: "whole",
    str: "text",
    bool: "flag",
    Numbers: "numbers",
    Table: "table",
    object: "any",
}


@dataclass(frozen=True)
class Argument:
    """One argument of a worksheet function.

    Attributes
    ----------
    name : str
        As in Python and in the dialogs.
    kind : {"number", "whole", "text", "flag", "numbers", "table", "any"}
        "numbers" and "table" are ranges; the others are single cells.
    help : str
        At most 255 characters; of an optional one it ends with what is taken where it is left out.
    default : object
        What is taken where it is left out; `inspect.Parameter.empty` where it may not be.
    """

    name: str
    kind: str
    help: str
    default: Any = inspect.Parameter.empty

    @property
    def optional(self) -> bool:
        """Whether it may be left out."""
        return self.default is not inspect.Parameter.empty

    @property
    def is_range(self) -> bool:
        """Whether it takes more than one cell."""
        return self.kind in {"numbers", "table"}


@dataclass(frozen=True)
class Function:
    """One worksheet function.

    Attributes
    ----------
    name : str
        Without namespace: "MMC_RESPONSE".
    group : str
        One of `GROUPS`.
    run : callable
        Takes the converted arguments in their order.
    summary : str
        What it returns, with the unit in brackets; at most 255 characters.
    method : str
        How exact it is and where it comes from; "" where the answer itself says so.
    arguments : tuple of Argument
    spills : bool
        Whether the result is a table.
    examples : tuple of str
        Formulas with plain values, three or more.
    now : str
        Of an old name, the name to use in its place; "" of all others.
    own : int
        Arguments of its own that once stood before the tables of coupling facilities, logs and devices; calls in that
        order are still read.
    """

    name: str
    group: str
    run: Callable[..., Any]
    summary: str
    method: str
    arguments: tuple[Argument, ...]
    spills: bool
    examples: tuple[str, ...]
    now: str = ""
    own: int = 0

    @property
    def dotted(self) -> str:
        """The name in Calc, Office.js and the documentation: QN.MMC_RESPONSE."""
        return f"{NAMESPACE}.{self.name}"

    @property
    def underlined(self) -> str:
        """The name in VBA, which has no dots: QN_MMC_RESPONSE."""
        return f"{NAMESPACE}_{self.name}"

    @property
    def usage(self) -> str:
        """The call with its arguments, optional ones in brackets."""
        return f"{self.dotted}({', '.join(f'[{a.name}]' if a.optional else a.name for a in self.arguments)})"


_FOUND: dict[str, Function] = {}


F = TypeVar("F", bound=Callable[..., Any])


def worksheet_function(group: str, formerly: str = "", own: int = 0) -> Callable[[F], F]:
    """Put a function into the catalogue: hints `Annotated[kind, help]`, docstring of summary, method and examples.

    Parameters
    ----------
    group : str
    formerly : str, optional
        An old name of the function, which workbooks may hold; it stays a function that does the same.
    own : int, optional
        See `Function`.
    """
    return lambda function: _described(group, function, formerly, own)


@cache
def catalogue() -> Mapping[str, Function]:
    """All worksheet functions by name, in the order of the groups."""
    for module in MODULES:
        import_module(f".functions.{module}", __package__)
    return MappingProxyType(dict(sorted(_FOUND.items(), key=lambda item: GROUPS.index(item[1].group))))


def _described(group: str, function: F, formerly: str, own: int) -> F:
    hints = get_type_hints(function, include_extras=True)
    text = inspect.getdoc(function) or ""
    body, _, examples = text.partition("Examples\n--------\n")
    paragraphs = [" ".join(part.split()) for part in body.strip().split("\n\n")]
    found = Function(
        name=function.__name__.upper(),
        group=GROUPS[GROUPS.index(group)],
        run=function,
        summary=paragraphs[0],
        method=" ".join(paragraphs[1:]),
        arguments=tuple(_argument(p, hints[p.name]) for p in inspect.signature(function).parameters.values()),
        spills=hints["return"] == Table,
        examples=_examples(examples),
        own=own,
    )
    names = [found]
    if formerly:
        calls = tuple(example.replace(found.dotted, f"{NAMESPACE}.{formerly}") for example in found.examples)
        summary = f"Old name of {found.dotted}, which returns the same."
        names += [replace(found, name=formerly, group=OLD_NAMES, summary=summary, method="", examples=calls, now=found.name)]
    for each in names:
        if each.name in _FOUND:
            raise TypeError(f"two worksheet functions are called {each.name}")
        _FOUND[each.name] = each
    return function


def _examples(text: str) -> tuple[str, ...]:
    """A formula starts with = and goes on in the next line where that does not."""
    found: list[str] = []
    for line in map(str.strip, text.splitlines()):
        if line.startswith("="):
            found.append(line)
        elif line:
            found[-1] += line
    return tuple(found)


def _argument(parameter: inspect.Parameter, hint: Any) -> Argument:
    if type(None) in get_args(hint):  # Annotated[...] | None: it may be left out, and its help says what then
        hint = next(part for part in get_args(hint) if part is not type(None))
    kind, text = get_args(hint)[:2]
    default = parameter.default
    if default is not parameter.empty and not re.search(r"left out", text):
        text = f"{text} {_shown(default)} where left out."
    return Argument(parameter.name, KINDS[kind], text, default)


def _shown(default: Any) -> str:
    """A default as a sheet writes it."""
    if isinstance(default, bool):
        return str(default).upper()
    return f"{default:g}" if isinstance(default, (int, float)) else str(default) if default else "None"

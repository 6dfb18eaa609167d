"""Tables of the report, once for HTML, Markdown and Excel."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

RIGHT = ("count", "figure", "percent", "share", "signed", "printed")


@dataclass(frozen=True)
class Block:
    """A table.

    Attributes
    ----------
    title, note : str
        Above it.
    columns : tuple of (str, str)
        Name and kind: text; case and verdict (words with a link, a colour); count, figure (a number); percent and
        signed (a relative number), share (in whole percent); printed (a figure as printed, a string).
    rows : tuple of tuples
        None is an empty cell.
    folded : bool
        Long: closed at first in HTML.
    """

    title: str
    columns: tuple[tuple[str, str], ...]
    rows: tuple[tuple[Any, ...], ...]
    note: str = ""
    folded: bool = False


def block(title: str, columns: str, rows: Iterable[Iterable[Any]], note: str = "", *, folded: bool = False) -> Block:
    """A block from columns written as "name:kind, name:kind"; the kind text is left out."""
    parts = [part.strip().partition(":") for part in columns.split(",")]
    named = tuple((name, kind or "text") for name, _, kind in parts)
    return Block(title, named, tuple(map(tuple, rows)), note, folded)


def shown(value: Any, kind: str) -> str:
    """A cell as text."""
    if value is None:
        return ""
    if kind == "percent":
        return percent(value, signed=False)
    if kind == "share":
        return percent(value, signed=False, digits=0)
    if kind == "signed":
        return percent(value)
    return figure(value) if kind == "figure" else str(value)


def figure(value: float) -> str:
    """Five significant digits, and whole numbers beyond."""
    return f"{value:.0f}" if 1e5 <= abs(value) < 1e9 else f"{value:.5g}"


def percent(value: float, *, signed: bool = True, digits: int = 2) -> str:
    """A relative number in percent."""
    return f"{100 * value:{'+' if signed else 'z'}.{digits}f} %"

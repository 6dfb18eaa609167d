"""Ranges with a heading row to the data of a model file: the same columns, one row an item."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from qnsolve.errors import suggestion

from .cells import CellError, Table


@dataclass(frozen=True)
class Columns:
    """The headings that a table may have.

    Attributes
    ----------
    part : str
        What the table holds, "classes" say; for messages.
    plain : collection of str
        Headings that are keys.
    lists : collection of str
        Those of them whose cells hold several values, with ; between.
    names : collection of str
        Those of them whose cells hold names: a number is one, as it is shown.
    words : collection of str
        Those of them whose cells hold words of ours, in any case.
    flags : collection of str
        Those of them whose cells hold TRUE or FALSE; Calc gives 1 and 0.
    families : mapping of str to str
        Headings of a first word and a name, and the key that they fill: "tranclass JSON" is `tranclasses = {JSON = ...}`.
    """

    part: str
    plain: Collection[str]
    lists: Collection[str] = ()
    names: Collection[str] = ()
    words: Collection[str] = ()
    flags: Collection[str] = ()
    families: Mapping[str, str] = field(default_factory=dict)


def records(
    table: Table, columns: Columns, names: Mapping[str, tuple[str, str]] | None = None, known: Iterable[str] = ()
) -> list[dict[str, Any]]:
    """A dict for each row; an empty cell is a key left out, an empty row none.

    A row of zeros alone is empty too: Excel's JavaScript functions see 0 in an empty cell of a range.

    Parameters
    ----------
    table : rows of cells
        As `arguments.table` returns them.
    columns : Columns
    names : mapping of str to (key, name), optional
        Headings that are names, in lower case, stations in a table of classes; and what they fill.
    known : iterable of str
        Names that other tables give; cells may write them in any case, as a sheet's look-up does.
    """
    if not table or all(map(_nothing, table[0])):
        raise CellError("#VALUE!", f"{columns.part} is empty; its first row must hold headings, {', '.join(columns.plain)}")
    spelled = _spellings(known)
    places = [_place(columns, heading, j, names or {}, spelled) for j, heading in enumerate(table[0], 1)]
    used = [place for place in places if place]
    for place in used:
        if used.count(place) > 1:
            heading = " ".join(part for part in place if part)
            raise CellError("#VALUE!", f"{columns.part} has two columns for {heading!r}; keep one of them")
    return [_record(columns, places, row, i, spelled) for i, row in enumerate(table[1:], 2) if not all(map(_nothing, row))]


Place = tuple[str, str]  # key, and the name within it or ""


def _place(columns: Columns, heading: Any, j: int, names: Mapping[str, Place], spelled: Mapping[str, str]) -> Place | None:
    if _nothing(heading):
        return None
    if not isinstance(heading, str):
        raise CellError("#VALUE!", f"{columns.part}: heading {j} is {heading!r}; the first row must hold headings")
    words = " ".join(heading.split())
    key = words.casefold().replace(" ", "_").replace("-", "_")
    if key in columns.plain:
        return key, ""
    if words.casefold() in names:
        return names[words.casefold()]
    first, _, rest = words.partition(" ")
    if rest and first.casefold() in columns.families:
        within = columns.families[first.casefold()]
        rest = next((name for _, name in names.values() if name.casefold() == rest.casefold()), rest)
        return within, _named(rest, spelled)
    known = [*columns.plain, *(name for _, name in names.values()), *(f"{first} NAME" for first in columns.families)]
    raise CellError("#VALUE!", f"{columns.part}: {words[:60]!r} is an unknown heading; {suggestion(words, known)}")


def _record(columns: Columns, places: list[Place | None], row: list[Any], i: int, spelled: Mapping[str, str]) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for place, cell in zip(places, row, strict=True):
        if cell is None:
            continue
        if place is None and _nothing(cell):
            continue
        if place is None:
            raise CellError(
                "#VALUE!", f"{columns.part}: row {i} has {cell!r} in a column without heading; head it, or clear it"
            )
        key, name = place
        if name:
            found.setdefault(key, {})[name] = cell
        else:
            found[key] = _taken(columns, key, cell, spelled)
    if "name" not in found:
        raise CellError("#VALUE!", f"{columns.part}: row {i} has no name; give it one, or clear the row")
    return found


def _spellings(known: Iterable[str]) -> dict[str, str]:
    """Each name by itself, and by its small letters where that is clear."""
    names = list(dict.fromkeys(known))
    small = [name.casefold() for name in names]
    return {low: name for low, name in zip(small, names, strict=True) if small.count(low) == 1} | {name: name for name in names}


def _named(cell: Any, spelled: Mapping[str, str]) -> str:
    name = written(cell)
    return spelled.get(name) or spelled.get(name.casefold(), name)


def _taken(columns: Columns, key: str, cell: Any, spelled: Mapping[str, str]) -> Any:
    """A cell of that column as a model file has it."""
    if key in columns.lists:
        return [_named(part, spelled) if key in columns.names else part for part in several(cell)]
    if key in columns.names:
        return _named(cell, spelled)
    if key == "name":
        return written(cell)
    if isinstance(cell, str):
        cell = cell.strip().lower() if key in columns.words else cell.strip()
    if key in columns.flags:
        return {"true": True, "yes": True, "false": False, "no": False, "1": True, "0": False}.get(_shown(cell), cell)
    return cell


def _shown(cell: Any) -> str:
    return written(cell).lower()


def _nothing(cell: Any) -> bool:
    return cell is None or (cell == 0 and not isinstance(cell, bool))


def written(cell: Any) -> str:
    """A cell as a text: a region may be called 7."""
    return f"{cell:.15g}" if isinstance(cell, float) else str(cell).strip()


def several(cell: Any) -> list[Any]:
    """The values of a cell with ; between them, numbers where they are numbers; names with commas between them too."""
    if not isinstance(cell, str):
        return [cell]
    found = [_number(part.strip()) for part in cell.split(";") if part.strip()]
    if len(found) == 1 and isinstance(found[0], str):
        names = [part.strip() for part in found[0].split(",") if part.strip()]
        if all(isinstance(_number(name), str) for name in names):  # "1,3" may be a number of another language
            return list(names)
    return found


def _number(text: str) -> Any:
    try:
        return float(text)
    except ValueError:
        return text

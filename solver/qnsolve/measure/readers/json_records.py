"""JSON lines and JSON arrays as existing SMF tools write them: records of nested keys to a table of headings and rows."""

from __future__ import annotations

import itertools
import json
import re
from collections import Counter
from collections.abc import Iterator
from typing import Any

from qnsolve.errors import ModelError

from .column_roles import role_of
from .field_names import words
from .source_files import LARGEST_JSON, LONGEST_CELL, MOST_CELLS, MOST_COLUMNS, Source

DEEPEST = 12  # levels of nested objects
LISTS = ("records", "data", "rows", "intervals", "items", "results", "values")  # keys below which tools put their records
LARGEST_OBJECT = 16 * 2**20  # characters of one object that holds everything
MOST_VALUES = 4_000_000
_SPACE = re.compile(r"\s*")
INSIDE = "\x1f"  # between the key of a section and one in it; a dot may be part of a key
Row = dict[str, Any]


def records(source: Source) -> tuple[list[str], list[str], list[Row], list[int]]:
    """Keys, their headings (without the sections they are in, where that is enough), records, and the place of each.

    A list of objects within a record makes a record of each of them, with the other keys of the outer one.

    Raises
    ------
    ModelError
    """
    keys: dict[str, None] = {}
    rows: list[Row] = []
    places: list[int] = []
    values = 0
    for place, item in _items(source):
        for row in _flat(source, place, item):
            rows.append(row)
            places.append(place)
            values += 2 + len(row)
            keys.update(dict.fromkeys(row))
            if len(keys) > MOST_COLUMNS:
                rule = f"have more than {MOST_COLUMNS:,} different keys"
                raise source.error(f"records to {place}", rule, "write a record for each class, with its name as a value")
            if values > MOST_VALUES:
                raise source.error("file", f"has more than {MOST_VALUES:,} values", "give a shorter span, or CSV")
    if not rows:
        raise source.error("file", "has no record", "write an object for each interval")
    if len(rows) * len(keys) > MOST_CELLS:
        raise source.error("file", "has too many records of too many keys", "give records of one kind")
    return list(keys), _short(list(keys)), rows, places


def _items(source: Source) -> Iterator[tuple[int, Any]]:
    """Each record: a line of JSON lines, or an item of an array."""
    with source.text() as file:
        head = list(itertools.islice(_content(file.readline(LARGEST_JSON + 1) for _ in itertools.count()), 2))
    if len(head) == 2 and head[0][:1] == "{" and _whole(head[0]):
        yield from _lines(source)
        return
    with source.text() as file:
        text = file.read(LARGEST_JSON + 1)
    if len(text) > LARGEST_JSON:
        repair = "write JSON lines, a record a line, or give a shorter span"
        raise source.error("file", f"is one JSON value of more than {LARGEST_JSON / 2**20:.0f} MB", repair)
    if text.lstrip()[:1] == "[":
        yield from enumerate(_of_array(source, text), 1)
        return
    if len(text) > LARGEST_OBJECT:
        repair = "write JSON lines, a record a line, or an array"
        raise source.error("file", f"is one JSON object of more than {LARGEST_OBJECT / 2**20:.0f} MB", repair)
    found = _parsed(source, text, 1)
    inside = next((found[key] for key in LISTS if isinstance(found.get(key), list)), None) if isinstance(found, dict) else None
    yield from enumerate([found] if inside is None else inside, 1)


def _of_array(source: Source, text: str) -> Iterator[Any]:
    """The items of an array, one after the other: the array itself is never held."""
    decoder = json.JSONDecoder(parse_constant=_constant)
    at = _SPACE.match(text, text.index("[") + 1).end()  # type: ignore[union-attr]
    while not (at < len(text) and text[at] == "]"):
        try:
            item, at = decoder.raw_decode(text, at)
        except (RecursionError, ValueError) as error:
            raise _refused(source, error, 1) from None
        yield item
        at = _SPACE.match(text, at).end()  # type: ignore[union-attr]
        if text[at : at + 1] == ",":
            at = _SPACE.match(text, at + 1).end()  # type: ignore[union-attr]
        elif text[at : at + 1] != "]":
            break
    if text[at : at + 1] != "]" or text[at + 1 :].strip():
        line = text.count("\n", 0, at) + 1
        raise source.error(f"line {line}", "is not valid JSON: the array must end here", "correct it there")


def _content(lines: Iterator[str]) -> Iterator[str]:
    for line in lines:
        if not line:
            return
        if line.strip():
            yield line.strip()


def _whole(line: str) -> bool:
    """Whether a line is an object by itself."""
    try:
        return isinstance(json.loads(line), dict)
    except (ValueError, RecursionError):
        return False


def _lines(source: Source) -> Iterator[tuple[int, Any]]:
    with source.text() as file:
        for place in itertools.count(1):
            line = file.readline(LARGEST_JSON + 1)
            if not line:
                return
            if line.strip():
                yield place, _parsed(source, line, place)


def _parsed(source: Source, text: str, line: int) -> Any:
    try:
        return json.loads(text, parse_constant=_constant)
    except (RecursionError, ValueError) as error:
        raise _refused(source, error, line) from None


def _refused(source: Source, error: Exception, line: int) -> ModelError:
    if isinstance(error, RecursionError):
        return source.error(f"line {line}", "is nested too deeply", f"use {DEEPEST} levels at most")
    at = line + getattr(error, "lineno", 1) - 1
    return source.error(f"line {at}", f"is not valid JSON: {getattr(error, 'msg', str(error))}", "correct it there")


def _constant(word: str) -> float:
    if word == "NaN":
        return float("nan")
    raise ValueError(f"{word} is no figure")


def _flat(source: Source, place: int, item: Any, outer: int = 0) -> Iterator[Row]:
    """The rows of a record: one, or one for each object of a list in it."""
    if not isinstance(item, dict):
        shown = "[...]" if isinstance(item, list) else str(item)[:60]
        raise source.error(f"record {place}", "must be an object", 'write {"start": "...", "rate": 10}', shown)
    row: Row = {}
    lists: list[tuple[str, list[Any], int]] = []
    stack: list[tuple[str, Any, int]] = [("", item, outer)]
    while stack:
        prefix, value, depth = stack.pop()
        if depth > DEEPEST:
            raise source.error(f"record {place}", f"is nested more than {DEEPEST} levels deep", "flatten it")
        if isinstance(value, dict):
            if len(value) > MOST_COLUMNS:
                raise source.error(f"record {place}", f"has more than {MOST_COLUMNS:,} keys", "write a record for each class")
            for key, inner in reversed(value.items()):
                stack.append((f"{prefix}{INSIDE}{key}" if prefix else str(key), inner, depth + 1))
        elif isinstance(value, list):
            if value and all(isinstance(inner, dict) for inner in value):
                lists.append((prefix, value, depth + 1))
        elif value is not None:
            if len(prefix) > LONGEST_CELL or (isinstance(value, str) and len(value) > LONGEST_CELL):
                raise source.error(f"record {place}", f"has a text of more than {LONGEST_CELL} characters", "remove it")
            row[prefix] = str(value).lower() if isinstance(value, bool) else value
    yield from _spread(source, place, row, lists)


def _spread(source: Source, place: int, row: Row, lists: list[tuple[str, list[Any], int]]) -> Iterator[Row]:
    """The rows of a record with one list of objects, or one of TCBs beside others: one for each of them; else the record."""
    if len(lists) > 1:
        lists = [each for each in lists if any(role_of(words(str(key))) == "tcb" for key in each[1][0])]
    if len(lists) != 1:
        yield row
        return
    prefix, items, depth = lists[0]
    for inner in items:
        for below in _flat(source, place, inner, depth):
            yield {**row, **{f"{prefix}{INSIDE}{key}": value for key, value in below.items()}}


def _short(keys: list[str]) -> list[str]:
    """Keys without the names of their sections, where they are unique without."""
    ends = [key.rpartition(INSIDE)[2] for key in keys]
    often = Counter(ends)
    return [end if often[end] == 1 else key.replace(INSIDE, ".") for key, end in zip(keys, ends, strict=True)]

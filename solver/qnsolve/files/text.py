"""The characters of a model file: its encoding, its format, TOML values."""

from __future__ import annotations

import json
import os
import re
import tomllib
from pathlib import Path
from typing import Any

from qnsolve.errors import ModelError
from qnsolve.model.measured_units import is_unit

from .short_forms import TIMES

FORMATS = ("toml", "json", "jmva")
BARE = re.compile(r"[A-Za-z0-9_-]+")  # keys that need no quotes


def toml(value: Any) -> str:
    """A value as TOML writes it, in one line.

    Libraries do not: tomli-w breaks each list over lines and each table of a list into
    sections, and tomlkit takes a second for a table of a thousand keys.
    """
    if isinstance(value, dict):
        inner = ", ".join(f"{toml_key(key)} = {toml(v)}" for key, v in value.items())
        return f"{{ {inner} }}" if inner else "{}"
    if isinstance(value, list):
        return "[" + ", ".join(map(toml, value)) + "]"
    return json.dumps(value, ensure_ascii=False) if isinstance(value, (str, bool)) else repr(value)


def toml_key(name: str) -> str:
    """A key as TOML writes it, without quotes where it needs none."""
    return name if BARE.fullmatch(name) else toml(name)


def toml_text(data: dict[str, Any]) -> str:
    """The text of a file in TOML: single values first, then an array of tables for each list."""
    lines = [f"{key} = {toml(value)}" for key, value in data.items() if not isinstance(value, list)]
    for part, items in data.items():
        for item in items if isinstance(items, list) else ():
            lines += ["", f"[[{part}]]", *(f"{key} = {toml(value)}" for key, value in item.items())]
    return "\n".join(lines).lstrip("\n") + "\n"


def read(path: str | os.PathLike[str]) -> bytes:
    """The bytes of a file, or a ModelError with the reason."""
    try:
        return Path(path).read_bytes()
    except (OSError, ValueError) as error:  # ValueError: an impossible file name
        why = getattr(error, "strerror", None) or error
        raise ModelError("file", f"cannot be read: {why}", "check the name and the folder").in_file(path) from error


def parsed(text: str, form: str) -> Any:
    """The tables and lists of a text in TOML or JSON."""
    if not text.strip():
        raise ModelError("file", "is empty", "write [[stations]] and [[classes]] into it")
    try:
        return tomllib.loads(text) if form == "toml" else json.loads(text, object_pairs_hook=once)
    except ModelError:
        raise
    except RecursionError as error:
        raise ModelError("file", "is nested too deeply", "use three levels at most") from error
    except ValueError as error:
        raise ModelError("file", f"is not valid {form.upper()}: {error}", _repair(text, error)) from error


def _repair(text: str, error: ValueError) -> str:
    """What to do where a file is not valid."""
    line = re.search(r"line (\d+)", str(error))
    lines = text.splitlines()
    there = lines[int(line[1]) - 1] if line and int(line[1]) <= len(lines) else ""
    unit = re.search(r"[=\s](\d+(?:\.\d+)?\s*[A-Za-zµ]+)\s*(#|,|}|]|$)", there)
    if unit is not None and is_unit(unit[1].lstrip("0123456789. ")):
        return f'write "{unit[1]}" in quotes'
    comma = re.search(r"[=\s](\d+),(\d+)\s*(#|}|$)", there)
    if comma is None:
        return "correct it there"
    whole, part = comma[1], comma[2]
    if int(whole) and len(part) == 3:  # as thousands are written
        return f"write {whole}{part} or {whole}.{part}, whichever it is, without a comma"
    if there.partition("=")[0].strip() in TIMES:
        return f'write {whole}.{part} in seconds, or "{whole}.{part} ms" in quotes, with a point'
    return f"write {whole}.{part}, with a point"


def decoded(raw: bytes) -> str:
    """The text of a file in UTF-8; another encoding is refused."""
    if raw.startswith((b"\xff\xfe", b"\xfe\xff")):
        raise ModelError("file", "is UTF-16", "save it as UTF-8")
    try:
        text = raw.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        rule = f"is not valid UTF-8 (byte {error.start + 1})"
        raise ModelError("file", rule, "give a model file; save it as UTF-8") from None
    if "\0" in text:
        raise ModelError("file", "is binary", "give a model file in TOML or JSON")
    return text


def form_of(suffix: str, raw: bytes) -> str:
    """The format of a file, by its suffix or else by how it starts."""
    known = suffix.lower().removeprefix(".")
    if known in FORMATS:
        return known
    start = raw.lstrip(b"\xef\xbb\xbf \t\r\n")[:1]
    return {b"{": "json", b"<": "jmva"}.get(start, "toml")


def once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """A JSON object; a key that is given twice is refused."""
    table: dict[str, Any] = {}
    for key, value in pairs:
        if key in table:
            raise ModelError("file", "must not be given twice", "keep one of them", key)
        table[key] = value
    return table

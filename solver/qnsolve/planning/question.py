"""The question of a study as a file asks it, in the table [study]."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from qnsolve.errors import ModelError, suggestion
from qnsolve.files.model_file import STUDY
from qnsolve.files.short_forms import seconds
from qnsolve.files.system_templates import FROM as FROM_TEMPLATE
from qnsolve.files.system_templates import still_of_template
from qnsolve.files.text import decoded, form_of, parsed, read

FROM = "from"  # keys of the table, and what the function `study` calls them
KEYS = {
    FROM: "begin",
    "until": "until",
    "by": "by",
    "growth": "growth",
    "targets": "targets",
    "what_if": "what_ifs",
    "seasons": "seasons",
    "special_days": "special_days",
    "remedies": "remedies",
}
TABLES = ("targets", "seasons")


def question_of(path: str | os.PathLike[str]) -> dict[str, Any]:
    """What the table [study] of a system file asks, as the arguments of `study`; empty where it has none.

    Parameters
    ----------
    path : path
        Names of files with forecasts in the table are those beside it.

    Raises
    ------
    ModelError
    """
    try:
        return question(_tables(path, STUDY).get(STUDY, {}), Path(path).parent)
    except ModelError as error:
        raise error.in_file(os.fspath(path)) from error.__cause__


def still_in_file(path: str | os.PathLike[str]) -> list[str]:
    """The figures of a file that are still those of the template that it began as.

    Raises
    ------
    ModelError
    """
    return still_of_template(_tables(path, FROM_TEMPLATE))


def _tables(path: str | os.PathLike[str], key: str) -> Mapping[str, Any]:
    """The tables of a file that has that key; empty where it has not."""
    raw = read(path)
    data = parsed(decoded(raw), form_of(Path(path).suffix, raw)) if key.encode() in raw else {}
    return data if isinstance(data, Mapping) else {}


def question(table: Any, folder: Path | None = None) -> dict[str, Any]:
    """The arguments of `study` from the table [study] as data.

    Raises
    ------
    ModelError
    """
    if not isinstance(table, Mapping):
        raise ModelError(STUDY, "must be a table of keys and values", "write [study]", table)
    found: dict[str, Any] = {}
    for key, value in table.items():
        if key not in KEYS:
            raise ModelError(f"{STUDY}: {key}", "is an unknown key", suggestion(str(key), KEYS))
        if key in TABLES and not isinstance(value, Mapping):
            raise ModelError(f"{STUDY}: {key}", "must be a table", f"write [{STUDY}.{key}]", value)
        if key == "what_if" and isinstance(value, str):
            value = [value]
        if key == "what_if" and not isinstance(value, list):
            raise ModelError(f"{STUDY}: what_if", "must be a list of texts", 'write ["LOG.stripes+1"]', value)
        if key == "special_days" and not isinstance(value, list):
            raise ModelError(f"{STUDY}: special_days", "must be a list of tables", "write [[study.special_days]]", value)
        if key == "remedies" and not isinstance(value, bool):
            raise ModelError(f"{STUDY}: remedies", "must be true or false", "write one of them", value)
        if key == "targets":
            value = {name: seconds(f"{STUDY}: target of {name}", each) for name, each in value.items()}
        found[KEYS[key]] = _beside(value, folder) if key == "growth" else value
    return found


def _beside(growth: Any, folder: Path | None) -> Any:
    """Growth with the names of files as they are found from here."""
    if isinstance(growth, Mapping):
        return {("" if name == "all" else name): _beside(each, folder) for name, each in growth.items()}
    if folder is not None and isinstance(growth, str) and growth.lower().endswith((".csv", ".tsv", ".txt")):
        return os.fspath(folder / growth)
    return growth

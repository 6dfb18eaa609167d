"""System files to begin with: each says which field of which report a figure is."""

from __future__ import annotations

import tomllib
from collections.abc import Iterator, Mapping
from importlib.resources import files
from typing import Any

from qnsolve.errors import ModelError, suggestion

from .short_forms import TIMES, WORD, in_full

FROM = "from_template"  # key of a file: the template that it began as
TEMPLATES = {
    "cics": "CICS: terminal-owning and application-owning regions, Db2",
    "cicsplex": "CICS on two LPARs: TORs and AORs, users, Db2 data sharing in a coupling facility, a log",
    "ims": "IMS: message processing and fast path regions, DL/I, a log",
    "mq": "CICS with IBM MQ and Db2 data sharing: two LPARs, a coupling facility, logs",
}


def template_text(name: str) -> str:
    """The text of a template in TOML, comments included.

    Parameters
    ----------
    name : {"cics", "cicsplex", "ims", "mq"}

    Raises
    ------
    ModelError

    Examples
    --------
    >>> import qnsolve as qn
    >>> len(qn.loads(template_text("cics")).regions)
    6
    """
    if name not in TEMPLATES:
        raise ModelError("template", "is not known", suggestion(str(name), TEMPLATES), name)
    return files(__package__).joinpath("templates", f"{name}.toml").read_text(encoding="utf-8")


def still_of_template(data: Mapping[str, Any]) -> list[str]:
    """The figures of a file that are still those of the template that it began as.

    Parameters
    ----------
    data : mapping
        As a TOML or JSON reader returns the file; its key `from_template` names the template.

    Returns
    -------
    list of str
        Key, value and the parts that have it; empty without that key.

    Raises
    ------
    ModelError

    Examples
    --------
    >>> still_of_template({"from_template": "cics", "lpars": [{"name": "SYSX", "processors": 7, "fixed_cpu": 0.4}]})
    ['fixed_cpu 0.4 of SYSX']
    """
    if FROM not in data:
        return []
    begun = {figure[:-1] for figure in _figures(tomllib.loads(template_text(data[FROM])))}
    owners: dict[str, list[str]] = {}
    for part, key, value, name in _figures(data):
        if (part, key, value) in begun:
            mine = owners.setdefault(f"{' '.join(key)} {_shown(key, value)}", [])
            mine += [name] if name not in mine else []
    return [f"{figure} of {', '.join(names)}" for figure, names in owners.items()]


def _figures(data: Mapping[str, Any]) -> Iterator[tuple[str, tuple[str, ...], Any, str]]:
    """Part, keys, value and name of the owner of each number."""
    whole = in_full(data)
    for part in WORD:
        for each in whole.get(part, ()):
            for key, value in _numbers(each, ()):
                yield part, key, value, str(each.get("name"))


def _numbers(value: Any, key: tuple[str, ...]) -> Iterator[tuple[tuple[str, ...], Any]]:
    if isinstance(value, Mapping):
        for inner, each in value.items():
            yield from _numbers(each, (*key, inner) if inner != "steps" else key)
    elif isinstance(value, list) and not all(isinstance(each, int | float) for each in value):
        for each in value:
            yield from _numbers(each, key)
    elif isinstance(value, list):
        yield key, tuple(value)
    elif isinstance(value, int | float) and not isinstance(value, bool):
        yield key, value


def _shown(key: tuple[str, ...], value: Any) -> str:
    """A value as a person writes it."""
    many = value if isinstance(value, tuple) else (value,)
    if any(each in TIMES for each in key):
        return f"{', '.join(f'{1000 * each:g}' for each in many)} ms"
    return ", ".join(f"{each:g}" for each in many)

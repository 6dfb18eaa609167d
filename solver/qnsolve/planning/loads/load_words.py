"""Seasons and special days as people write them: 12=1.3, orders.Q4=1.5; 2027-11-26=1.8 Black Friday, orders+web.11-26=2."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import Any

from qnsolve.errors import ModelError

SEASON, DAY = "12=1.3", "2027-11-26=1.8"  # examples
OF_WORK = re.compile(r"(?P<work>.+)\.(?P<date>(?:\d{4}-)?\d{1,2}-\d{1,2})")


def seasons_of(item: str, texts: Iterable[str], before: Mapping[str, Any] | None = None) -> dict[str, Any]:
    """Factors by month or quarter, and by work, of texts such as "12=1.3" and "orders.Q4=1.5".

    Parameters
    ----------
    item : str
        What an error names.
    texts : iterable of str
    before : mapping, optional
        What the texts are added to.

    Raises
    ------
    ModelError

    Examples
    --------
    >>> seasons_of("seasons", ["12=1.3", "orders.Q4=1.5"])
    {'12': 1.3, 'orders': {'Q4': 1.5}}
    """
    found = dict(before or {})
    for text in texts:
        name, factor, _ = _parts(item, text, SEASON)
        work, dot, month = name.rpartition(".")
        if dot:
            found[work] = {**found.get(work, {}), month: factor}
        else:
            found[month] = factor
    return found


def special_day_of(item: str, text: str) -> dict[str, Any]:
    """Date, factor, name and work of a text such as "2027-11-26=1.8 Black Friday" or "orders+web.11-26=2".

    Raises
    ------
    ModelError

    Examples
    --------
    >>> special_day_of("special day", "2027-11-26=1.8 Black Friday")
    {'date': '2027-11-26', 'factor': 1.8, 'name': 'Black Friday'}
    """
    date, factor, name = _parts(item, text, DAY)
    day = {"date": date, "factor": factor, "name": name}
    match = OF_WORK.fullmatch(date)
    return {**day, "date": match["date"], "work": match["work"].split("+")} if match else day


def listed(text: str) -> list[str]:
    """The parts of a text with semicolons or commas between them."""
    return [part.strip() for part in re.split("[;,]", text) if part.strip()]


def _parts(item: str, text: str, example: str) -> tuple[str, float, str]:
    """What stands before the last "=", the factor behind it, and the words behind that."""
    name, _, rest = text.rpartition("=")
    value, _, words = rest.strip().partition(" ")
    try:
        factor = float(value)
    except ValueError:
        name, factor = "", 0.0
    if not name.strip():
        raise ModelError(item, "must be a name and a factor", f"write {example}", text)
    return name.strip(), factor, words.strip()


def seasons_text(given: Mapping[Any, Any]) -> str:
    """The text that `seasons_of` reads."""
    parts = []
    for name, each in given.items():
        own = each.items() if isinstance(each, Mapping) else ()
        parts += [f"{name}.{month}={value:g}" for month, value in own] or [f"{name}={each:g}"]
    return "; ".join(parts)


def special_days_text(given: Iterable[Any]) -> str:
    """The text that `special_day_of` reads, part by part."""
    found = []
    for day in given:
        row = day if isinstance(day, Mapping) else vars(day)
        work = row.get("work") or ()
        whose = "+".join((work,) if isinstance(work, str) else work)
        name = re.sub("[;,=]", " ", row.get("name", ""))
        found.append(f"{whose}{'.' if whose else ''}{row['date']}={row['factor']:g} {name}".strip())
    return "; ".join(found)

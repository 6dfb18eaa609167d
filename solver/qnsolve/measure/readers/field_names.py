"""The one table of known field names, fields.csv: what each is in a model, and how a heading is matched with it."""

from __future__ import annotations

import csv
import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from importlib import resources

MEAN = ("avg", "mean", "average")  # words that change nothing: what is measured is a mean
_SPOKEN = {"%": "percent", "#": "number"}
_SAME = {
    "%": "percent",
    "pct": "percent",
    "perc": "percent",
    "#": "number",
    "num": "number",
    "nr": "number",
    **dict.fromkeys(("resp", "latency", "lat", "rt", "responsetime", "latencies"), "response"),
    "median": "p50",
    "percentile": "",
    "percentiles": "",
    "pctl": "",
    "utilisation": "utilization",
    "usr": "user",
}
_PERCENTILE = re.compile(r"(?:p|r|rt)?(50|90|95|99)(?:th)?(?<!^\d\d)")
_LINE = re.compile(r"^\s*(50|90|95|99)\s*%(?:ile)?(?:\s*line)?\s*", re.IGNORECASE)
_BELOW = "s|sec|seconds?|min|minutes?|h|hours?|tran|trans|transaction|txn|tx|job|req|request|task|query"


@dataclass(frozen=True)
class KnownField:
    """One row of fields.csv.

    Attributes
    ----------
    report : str
        Where the field is printed.
    field : str
        Its name there.
    names : tuple of str
        Other names of the same.
    quantity : str
        A name of `QUANTITIES`.
    unit : str
        The unit in which it is printed; "" where each tool has its own.
    resource : str
        Whose it is where the heading names nobody: "CP", "QR".
    parameter, meaning : str
        For the documentation: what it is in a model, what it measures.
    """

    report: str
    field: str
    names: tuple[str, ...]
    quantity: str
    unit: str
    resource: str
    parameter: str
    meaning: str


@cache
def known_fields() -> tuple[KnownField, ...]:
    """Every row of the table.

    >>> {each.field: each.quantity for each in known_fields()}["APPLPER"]
    'used'
    """
    text = resources.files("qnsolve.measure.readers").joinpath("fields.csv").read_text(encoding="utf-8")
    rows = csv.DictReader(text.splitlines())
    return tuple(
        KnownField(**{**row, "names": tuple(filter(None, row["names"].split("|")))})  # type: ignore[arg-type]
        for row in rows
    )


def words(heading: str) -> list[str]:
    """The words of a heading in lower case, each in the form that the table is searched by.

    `%` and `#` are words, a change from small to capital letters begins one, and latency is a response.

    >>> words("avgResponseTime_ms"), words("APPL% CP"), words("95th percentile latency")
    (['avg', 'response', 'ms'], ['appl', 'percent', 'cp'], ['p95', 'response'])
    """
    return [word for _, word in word_pairs(heading)]


def word_pairs(heading: str) -> list[tuple[str, str]]:
    """The words of a heading as they are written, and in the form that the table is searched by."""
    text = _LINE.sub(r"p\1 ", heading)
    text = re.sub(r"(?<=[a-z][a-z])(?=[A-Z])", " ", text)
    text = re.sub(rf"/\s*(?=({_BELOW})\b)", " per ", text, flags=re.IGNORECASE)
    found: list[tuple[str, str]] = []
    for written in re.findall(r"[%#]|[^\W_]+", text):
        word = _SAME.get(written.lower(), written.lower())
        percentile = _PERCENTILE.fullmatch(word)
        word = f"p{percentile.group(1)}" if percentile else word
        if word and not (word in ("time", "times") and found and found[-1][1] == "response"):
            found.append((_SPOKEN.get(written, written), word))
    return found


@cache
def _by_words() -> dict[tuple[str, ...], KnownField]:
    found: dict[tuple[str, ...], KnownField] = {}
    for each in known_fields():
        for name in (each.field, *each.names):
            found.setdefault(tuple(words(name)), each)
    return found


@cache
def _longest() -> int:
    return max(map(len, _by_words()))


def exact(given: Sequence[str]) -> KnownField | None:
    """The known field of all of these words, but for "percent", "average" and the like.

    >>> exact(words("Time% LPAR Busy")).field
    'CPUBSY'
    """
    for left_out in ((), ("percent",), MEAN, ("percent", *MEAN)):
        found = _by_words().get(tuple(word for word in given if word not in left_out))
        if found:
            return found
    return None


def matched(given: Sequence[str]) -> tuple[KnownField, int, int] | None:
    """The known field of the most words that is part of these words, and where: (field, first, last + 1).

    A name of one letter must be all there is.
    """
    n = len(given)
    for size in range(min(n, _longest()), 0, -1):
        for first in range(n - size + 1):
            key = tuple(given[first : first + size])
            found = _by_words().get(key)
            if found and (size < n) <= (len(key) > 1 or len(key[0]) > 1) and (first == 0 or first + size <= n):
                return found, first, first + size
    return None

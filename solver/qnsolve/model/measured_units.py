"""Units as reports and headings write them: what a printed value is multiplied with to come to the unit of a table."""

from __future__ import annotations

import re

_SECONDS = {"s": 1.0, "ms": 1e-3, "us": 1e-6, "ns": 1e-9, "min": 60.0, "h": 3600.0}
_LONG = {
    "sec": "s",
    "secs": "s",
    "second": "s",
    "seconds": "s",
    "msec": "ms",
    "millis": "ms",
    "millisecond": "ms",
    "milliseconds": "ms",
    "usec": "us",
    "mic": "us",
    "micros": "us",
    "microsecond": "us",
    "microseconds": "us",
    "µs": "us",
    "μs": "us",
    "nsec": "ns",
    "nanoseconds": "ns",
    "minute": "min",
    "minutes": "min",
    "mins": "min",
    "hour": "h",
    "hours": "h",
}
_SHARES = {"%": 0.01, "percent": 0.01, "pct": 0.01, "perc": 0.01, "share": 1.0, "fraction": 1.0, "1": 1.0}
_COUNTS = {"jobs", "servers", "count", "number", "processors", "threads", "tasks", "users", "engines", "cores"}
_BYTES = {"b": 1.0, "bytes": 1.0, "kb": 1e3, "mb": 1e6, "gb": 1e9, "kib": 2.0**10, "mib": 2.0**20, "gib": 2.0**30}
_SPLIT = re.compile(r"(.*?)\s*([A-Za-zµμ]*)")  # a number and a unit; "1e3" has none, as float reads it first
PER_INTERVAL, PER_JOB = "interval", "count"  # divisors that are columns: its length, the jobs that ended


def seconds_of(text: str) -> float | None:
    """Seconds of a time with or without a unit; None where it is none.

    >>> seconds_of("200ms"), seconds_of("0.2"), seconds_of("soon")
    (0.2, 0.2, None)
    """
    try:
        return float(text)
    except ValueError:
        pass
    split = _SPLIT.fullmatch(text)
    known = factor(split[2], "s") if split and split[2] else None
    return None if split is None or known is None or known[1] else _times(split[1], known[0])


def bytes_of(text: str) -> float | None:
    """Bytes of a size with or without a unit; None where it is none.

    >>> bytes_of("6 KiB"), bytes_of("900"), bytes_of("0.5 MB"), bytes_of("6 ms")
    (6144.0, 900.0, 500000.0, None)
    """
    split = _SPLIT.fullmatch(text)
    known = _BYTES.get((split[2] or "b").lower()) if split else None
    return None if split is None or known is None else _times(split[1], known)


def _times(number: str, factor: float) -> float | None:
    """The product, rounded to what a person wrote: "0.8 ms" is 0.0008."""
    try:
        return float(f"{float(number) * factor:.15g}")
    except ValueError:
        return None


def pointed(text: str, otherwise: str) -> str:
    """What to write in place of a text with a decimal comma; `otherwise` where it has none.

    >>> pointed("7,5%/quarter", "write 8%/year"), pointed("much", "write 8%/year")
    ("write '7.5%/quarter', with a point", 'write 8%/year')
    """
    found, count = re.subn(r"(?<=\d),(?=\d)", ".", text.strip())
    return f"write {found!r}, with a point" if count == 1 else otherwise


def factor(unit: str, wanted: str) -> tuple[float, str] | None:
    """The factor from a printed unit to the unit of a quantity, and the divisor ("", "interval" or "count").

    None where the unit is unknown or of another kind.

    >>> factor("ms", "s"), factor("tps", "1/s"), factor("%", "1"), factor("s/interval", "1")
    ((0.001, ''), (1.0, ''), (0.01, ''), (1.0, 'interval'))
    >>> factor("ms", "1/s") is None
    True
    """
    word = " ".join(unit.strip().lower().split())
    word = _LONG.get(word, word)
    top, slash, below = word.partition("/")
    if slash and below == PER_INTERVAL and top in _COUNTS:
        return (1.0, below) if wanted == "1/s" else None
    if slash and below in (PER_INTERVAL, PER_JOB):
        inner = _time(top)
        ratio = ("1", "servers", "jobs") if below == PER_INTERVAL else ("s",)
        return (inner, below) if inner is not None and wanted in ratio else None
    if wanted == "s":
        found = _time(word)
    elif wanted == "1/s":
        found = _rate(word)
    elif wanted == "bytes/s":
        found = _BYTES.get(re.sub(r"(/s|ps| per s(ec(ond)?)?)$", "", word))
    elif wanted in ("1", "servers"):
        found = _SHARES.get(word, 1.0 if word in _COUNTS else None)
    elif wanted == "jobs":
        found = 1.0 if word in _COUNTS or word == "1" else None
    else:
        found = 1.0 if word in (wanted.lower(), "") else None
    return None if found is None else (found, "")


def is_unit(word: str) -> bool:
    """Whether a text is a unit of anything that is measured here."""
    return any(factor(word, wanted) is not None for wanted in ("s", "1/s", "bytes/s", "1", "jobs")) or word.lower() == "msu"


def _time(word: str) -> float | None:
    word = _LONG.get(word, word)
    if word == "1024us":  # the unit of clocks in SMF 72
        return 1024e-6
    return _SECONDS.get(word)


def _rate(word: str) -> float | None:
    if word in ("tps", "qps", "rps", "iops", "ops", "hz"):
        return 1.0
    if re.fullmatch(r"(ops|req|reqs|requests|tx|txn|trans|transactions|queries|jobs|calls) (s|sec|second)", word):
        return 1.0
    found = re.fullmatch(r"(?:1|[a-z#. ]*?)\s*(?:/|\bper\b|\bp\b)\s*([a-zµμ]+)", word)
    seconds = _time(found.group(1)) if found else None
    return None if seconds is None else 1.0 / seconds

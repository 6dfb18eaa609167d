"""The one table of terms: names, symbols, units and headings that all output uses."""

from __future__ import annotations

import csv
import re
from dataclasses import dataclass
from functools import cache
from importlib import resources


@dataclass(frozen=True)
class Term:
    """One row of terms.csv."""

    name: str
    symbol: str
    unit: str
    shape: str
    heading: str
    meaning: str

    def unit_in(self, time_unit: str) -> str:
        """The unit with the model's own time unit in it.

        >>> terms()["throughput"].unit_in("ms")
        'jobs/ms'
        >>> terms()["at_limit_percent"].unit_in("ms")
        '% of time'
        """
        return re.sub("(^|/)time$", rf"\g<1>{time_unit}", self.unit)


@cache
def terms() -> dict[str, Term]:
    """Every term by its name.

    >>> terms()["queue_length"].heading
    'queue length'
    """
    text = resources.files(__package__).joinpath("terms.csv").read_text(encoding="utf-8")
    return {row["name"]: Term(**row) for row in csv.DictReader(text.splitlines())}


def heading(name: str, time_unit: str = "time") -> tuple[str, str]:
    """Heading and unit of a figure in a table; its name and no unit where it is no term.

    >>> heading("queue_length"), heading("qr_percent")
    (('queue length', 'jobs'), ('QR TCB', '% disp.'))
    """
    term = terms().get(name)
    return (name.replace("_", " "), "") if term is None else (term.heading, term.unit_in(time_unit))

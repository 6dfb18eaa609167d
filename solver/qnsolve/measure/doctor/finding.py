"""What a check of measured intervals found: a sentence, its rows, its size."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from qnsolve.results.answer import Report

SEVERITIES = ("wrong", "look", "note")  # breaks a law or cannot be; may be a fault; what a reader should know


@dataclass(frozen=True)
class Finding:
    """One thing that a check found.

    Attributes
    ----------
    kind : str
        "little", "gap", "stuck" ...
    severity : {"wrong", "look", "note"}
        Breaks a law or cannot be; may be a fault; worth knowing.
    series : str
        NAME.quantity, several with commas.
    first, last : int
        Number of the first and last interval in the table, from 1; 0 where the whole table is meant.
    count : int
        Intervals concerned.
    place : int
        Line or position of the first in the source.
    start, end : str
        Begin of the first and end of the last, "" without a clock.
    measured, expected : float
        The size: what stands there, what the law or the rest of the table gives; nan where there is none.
    unit : str
    sentence : str
    """

    kind: str
    severity: str
    series: str
    first: int
    last: int
    count: int
    place: int
    start: str
    end: str
    measured: float
    expected: float
    unit: str
    sentence: str


@dataclass(frozen=True)
class Findings(Report):
    """What was found in measured intervals, the gravest first.

    Attributes
    ----------
    heading, notes
        As for every report.
    found : tuple of Finding
    """

    found: tuple[Finding, ...]

    def __len__(self) -> int:
        return len(self.found)

    @property
    def wrong(self) -> tuple[Finding, ...]:
        """Those that break a law or cannot be."""
        return tuple(each for each in self.found if each.severity == "wrong")

    def of(self, kind: str) -> tuple[Finding, ...]:
        """Those of one kind."""
        return tuple(each for each in self.found if each.kind == kind)

    def rows(self) -> list[dict[str, Any]]:
        """A row a finding."""
        return [dict(vars(each)) for each in self.found]

    def tables(self) -> list[Any]:
        """None: the sentences say all."""
        return []

    def sentences(self) -> tuple[str, ...]:
        """A sentence a finding, after its severity and kind."""
        if not self.found:
            return ("nothing found: the laws hold, no gaps, no stuck or doubtful figures",)
        return tuple(f"{each.severity}, {each.kind}: {each.sentence}" for each in self.found)

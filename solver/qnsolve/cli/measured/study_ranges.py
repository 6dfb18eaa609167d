"""A study of a file whose figures were fitted: the range of each response, and how long it holds within the intervals."""

from __future__ import annotations

import argparse
import json
from collections.abc import Mapping
from dataclasses import dataclass, replace
from math import isinf
from typing import TYPE_CHECKING, Any

import numpy as np

from qnsolve.cli.running import part_of_run
from qnsolve.cli.terminal import look
from qnsolve.planning.load_points import LoadPoints
from qnsolve.results.answer import Report
from qnsolve.results.digits import time
from qnsolve.results.rendering import Table, defined

if TYPE_CHECKING:
    from qnsolve.fitting.ranges.fitted_figures import FittedFigures
    from qnsolve.planning.study import Study

FULL = "no answer"  # a center is full


@dataclass(frozen=True)
class StudyRanges(Report):
    """The range of each response of a study over what measurements allow, 19 of 20.

    Attributes
    ----------
    heading, notes
        As for every report.
    ranges : tuple of dict
        Period, name, value, lowest, highest [s]; inf where a center is full.
    """

    ranges: tuple[dict[str, Any], ...]

    def rows(self) -> list[dict[str, Any]]:
        """A row a period and work."""
        return [dict(row) for row in self.ranges]

    def tables(self) -> list[Table]:
        """A row a period, the range of each work."""
        names = list(dict.fromkeys(row["name"] for row in self.ranges))
        body = []
        for period in dict.fromkeys(row["period"] for row in self.ranges):
            own = {row["name"]: row for row in self.ranges if row["period"] == period}
            body.append([period, *(f"{_said(own[name]['lowest'])} to {_said(own[name]['highest'])}" for name in names)])
        return [Table([["period", *names]], body, 1, "Range of the response time by period, 19 of 20")] if body else []


def _said(value: float) -> str:
    return FULL if isinf(value) else time(value, 3)


def study_ranges(found: Study, known: FittedFigures, draws: int | None, how: Mapping[str, Any]) -> StudyRanges:
    """The responses of every period, solved with drawn figures."""
    from qnsolve.fitting.ranges.bands import bands  # imported here, because few files need it

    points = LoadPoints(found.system, {})
    rows: list[dict[str, Any]] = []
    notes: dict[str, None] = {}
    sure: list[bool] = []
    lost: list[bool] = []
    heading = ""
    for period in found.periods:
        factors = np.array([period.factors[item.name] for item in found.system.work])
        beside = bands(points.at_factors(factors), known, draws=draws, **part_of_run(how, period.name))
        heading = beside.heading
        notes |= dict.fromkeys(note for note in beside.notes if "has no answer" not in note)
        own = {row["name"]: row for row in beside.bands if row["figure"] == "response_time"}
        ends = []
        for work in period.work:
            row = own.get(work.name, {"value": float("nan"), "lowest": float("inf"), "highest": float("inf")})
            most = work.target if work.target == work.target else float("inf")
            ends.append((row["lowest"], row["highest"], most))
            rows.append({"period": period.name, "name": work.name, **{key: row[key] for key in ("value", "lowest", "highest")}})
        sure.append(all(high <= most and not isinf(high) for _, high, most in ends))
        lost.append(any(low > most or isinf(low) for low, _, most in ends))
    return StudyRanges(heading, (_until(found, sure, lost), *notes), tuple(rows))


def _until(found: Study, sure: list[bool], lost: list[bool]) -> str:
    """In words how long it holds."""
    names = [period.name for period in found.periods]
    first, last = (flags.index(value) if value in flags else len(names) for flags, value in ((sure, False), (lost, True)))
    if first == len(names):
        return f"within the intervals of the fitted figures (19 of 20) every period to {names[-1]} holds"
    until = f"holds to {names[first - 1]}" if first else f"may not hold in {names[0]} already"
    after = f"does not hold from {names[last]} on" if last < len(names) else f"may hold to {names[-1]} and beyond"
    return f"within the intervals of the fitted figures (19 of 20) it {until} in any case, and {after}"


def with_sentence(found: Study, beside: StudyRanges) -> Study:
    """The study with the sentence among its notes, which pages and files have too."""
    return replace(found, notes=(*beside.notes[:1], *found.notes))


def printed_with_ranges(found: Study, beside: StudyRanges, options: argparse.Namespace) -> str:
    """The study, and below it the ranges; the CSV has the study alone."""
    if options.csv:
        return found.to_csv()
    if options.json:
        return json.dumps({**found.as_dict(), "bands": as_data(beside)}, allow_nan=False, ensure_ascii=False)
    shown = look(options)
    return f"{found.text(shown)}\n\n{replace(beside, notes=beside.notes[1:]).text(shown)}"


def as_data(beside: StudyRanges) -> dict[str, Any]:
    """The object `bands` of the JSON."""
    return {"heading": beside.heading, "rows": [defined(row) for row in beside.rows()], "notes": list(beside.notes)}

"""Two answers side by side: networks or systems, before and after a change."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from math import isnan, nan
from typing import Any, Protocol, runtime_checkable

from qnsolve.errors import ModelError
from qnsolve.methods.solve import Solvable, solve
from qnsolve.model.network import Network
from qnsolve.results.answer import Report
from qnsolve.results.rendering import Table, figure
from qnsolve.results.terms import heading

MOVED = 1e-4  # relative change of a figure that is printed


@runtime_checkable
class Comparable(Protocol):
    """A solution that can be compared with another of its kind."""

    def time_unit(self) -> str:
        """The unit of its times."""

    def figures(self) -> Iterator[tuple[str, str, str, Any]]:
        """Part, name, figure and value of all results."""

    def changes_since(self, before: Any) -> tuple[str, ...]:
        """The changes of response time and throughput in words."""


@dataclass(frozen=True)
class Comparison(Report):
    """Two solutions side by side.

    Attributes
    ----------
    heading, notes
        As for every report.
    before, after : Solution or SystemResult
    """

    before: Comparable
    after: Comparable

    def rows(self) -> list[dict[str, Any]]:
        """A row a figure that both have: part, name, figure, before, after, change in percent."""
        old = {(part, name, what): value for part, name, what, value in self.before.figures()}
        found = []
        for part, name, what, after in self.after.figures():
            before = old.get((part, name, what))
            if not (isinstance(before, (int, float)) and isinstance(after, (int, float))) or (isnan(before) and isnan(after)):
                continue
            change = 100 * (after / before - 1) if before else nan
            row = {"part": part, "name": name, "figure": what, "before": before, "after": after}
            found.append({**row, "change_percent": change})
        return found

    def tables(self) -> list[Table]:
        """The printed table: the figures that change."""
        body = [
            [
                row["name"],
                *heading(row["figure"], self.after.time_unit()),
                figure(row["before"], 5),
                figure(row["after"], 5),
                figure(row["change_percent"], 3),
            ]
            for row in self.rows()
            if not abs(row["after"] - row["before"]) <= MOVED * max(abs(row["before"]), abs(row["after"]), 1e-6)
        ]
        return [Table([["", "figure", "unit", "before", "after", "change %"]], body, words=3)] if body else []

    def sentences(self) -> tuple[str, ...]:
        """The changes of response time and throughput in words."""
        return self.after.changes_since(self.before)


def compare(
    before: Network | Solvable[Any] | Comparable, after: Network | Solvable[Any] | Comparable, method: str = "auto"
) -> Comparison:
    """The figures of two networks or two systems side by side.

    Parameters
    ----------
    before, after : Network, System, Solution or SystemResult
        Networks and systems are solved first.
    method : str, default "auto"
        As `solve` takes it.

    Returns
    -------
    Comparison

    Raises
    ------
    ModelError
        Where one is a network and the other a system, or their times are in different units.

    Examples
    --------
    >>> from qnsolve import ClosedClass, Network, Queue
    >>> site = Network([Queue("cpu")], [ClosedClass("batch", population=2, think_time=1.0, demands={"cpu": 1.0})])
    >>> print(compare(site, site.replace("cpu", servers=2)).sentences()[0])
    batch: response time 1.5 s to 1 s, throughput 0.8/s to 1/s
    """
    old, new = (item if isinstance(item, Comparable) else solve(item, method) for item in (before, after))
    if type(old) is not type(new):
        rule = "must be two networks or two systems"
        raise ModelError("compare", rule, "compare the system with the system, or their networks")
    if old.time_unit() != new.time_unit():
        rule, units = "must have times in one unit", f"{old.time_unit()} and {new.time_unit()}"
        raise ModelError("compare: time_unit", rule, "write both models in the same unit", units)
    return Comparison("before and after", (), old, new)

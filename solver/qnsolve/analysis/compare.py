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
from qnsolve.results.columns import column
from qnsolve.results.digits import percent
from qnsolve.results.look import Look
from qnsolve.results.rendering import Table

MOVED = 1e-4  # relative change of a figure that is printed
NOTHING = 1e-6  # figures below it are 0


@runtime_checkable
class Comparable(Protocol):
    """A solution that can be compared with another of its kind."""

    def time_unit(self) -> str:
        """The unit of its times."""

    def figures(self) -> Iterator[tuple[str, str, str, Any]]:
        """Part, name, figure and value of all results."""

    def changes_since(self, before: Any) -> tuple[str, ...]:
        """What the change does in words: how much more work it holds, response times, throughput."""

    def common_name(self, name: str) -> str:
        """The name of the group of equal parts that a part belongs to; its own where there is none."""

    @property
    def chooses_units(self) -> bool:
        """Whether times are printed in the unit that suits them."""


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
        """The printed table: the figures that change, the largest change first; equal regions have one row."""
        return self._tables(each=False)

    def tables_in(self, look: Look) -> list[Table]:
        """The printed table, with a row for each of equal regions or one for them together."""
        return self._tables(each=look.each)

    def ordered(self, blocks: list[list[str]], below: list[str]) -> list[list[str]]:
        """The sentences stand before the table."""
        return [below, *blocks]

    def _tables(self, *, each: bool) -> list[Table]:
        found: dict[tuple[Any, ...], list[str]] = {}
        for row in sorted(self.rows(), key=lambda row: -_size(row["change_percent"])):
            before, after = row["before"], row["after"]
            if abs(after - before) <= MOVED * max(abs(before), abs(after), NOTHING):
                continue
            unit, chosen = self.after.time_unit(), self.after.chooses_units
            some = column(row["figure"], [before, after], unit, chosen=chosen)
            if some.cells[0] == some.cells[1]:
                continue
            name = row["name"] if each else self.common_name(row["name"])
            line = [name, some.heading, some.unit, *some.cells, percent(row["change_percent"])]
            found.setdefault(tuple(line) if name != row["name"] else (row["part"], row["name"], row["figure"]), line)
        body = list(found.values())
        return [Table([["", "figure", "unit", "before", "after", "change %"]], body, words=3)] if body else []

    def common_name(self, name: str) -> str:
        """The name of the group of equal parts that a part belongs to, where both solutions have the same one."""
        before, after = self.before.common_name(name), self.after.common_name(name)
        return after if before == after else name

    def sentences(self) -> tuple[str, ...]:
        """How much more it holds, and the changes of response time and throughput, in words."""
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
    >>> for sentence in compare(site, site.replace("cpu", servers=2)).sentences():
    ...     print(sentence)
    batch: highest rate 1/s to 2/s (+100 %), set by cpu
    batch: response time 1.5 s to 1 s (-33.3 %), throughput 0.8/s to 1/s (+25 %)
    """
    old, new = (item if isinstance(item, Comparable) else solve(item, method) for item in (before, after))
    if type(old) is not type(new):
        rule = "must be two networks or two systems"
        raise ModelError("compare", rule, "compare the system with the system, or their networks")
    if old.time_unit() != new.time_unit():
        rule, units = "must have times in one unit", f"{old.time_unit()} and {new.time_unit()}"
        raise ModelError("compare: time_unit", rule, "write both models in the same unit", units)
    return Comparison("before and after", (), old, new)


def _size(change: float) -> float:
    """By which changes are sorted: those of figures that were 0 have no percentage and come last."""
    return 0.0 if isnan(change) else abs(change)

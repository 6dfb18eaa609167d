"""Two solved systems side by side."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from math import isnan, nan
from typing import Any

from qnsolve.results.answer import Report
from qnsolve.results.rendering import figure
from qnsolve.zos.parts.system import System
from qnsolve.zos.report.system_result import TITLES, SystemResult, heading

MOVED = 1e-4  # relative change of a figure that is printed


@dataclass(frozen=True)
class SystemComparison(Report):
    """Two solved systems side by side.

    Attributes
    ----------
    heading, notes
        As for every report.
    before, after : SystemResult
    """

    before: SystemResult
    after: SystemResult

    def rows(self) -> list[dict[str, Any]]:
        """A row a figure that both have: before, after, change in percent."""
        found = []
        for part in TITLES:
            old = {_key(item): asdict(item) for item in getattr(self.before, part)}
            for item in getattr(self.after, part):
                values = old.get(_key(item))
                for name, after in asdict(item).items():
                    before = values.get(name) if values else None
                    if (
                        isinstance(after, (int, float))
                        and isinstance(before, (int, float))
                        and not (isnan(after) and isnan(before))
                    ):
                        change = 100 * (after / before - 1) if before else nan
                        row = {"part": part, "name": _key(item), "figure": name, "before": before, "after": after}
                        found.append({**row, "change_percent": change})
        return found

    def _table(self) -> tuple[list[list[str]], list[list[str]]]:
        """What is printed: the figures that moved, one line each."""
        moved = [
            row
            for row in self.rows()
            if abs(row["after"] - row["before"]) > MOVED * max(abs(row["before"]), abs(row["after"]), 1e-6)
        ]
        body = [
            [
                row["name"],
                " ".join(heading(row["figure"])).strip(),
                figure(row["before"], 5),
                figure(row["after"], 5),
                figure(row["change_percent"], 3),
            ]
            for row in moved
        ]
        return [["", "figure", "before", "after", "change %"]], body

    def _words(self) -> int:
        return 2

    def sentences(self) -> tuple[str, ...]:
        """What it does to each work."""
        found = []
        old = {item.name: item for item in self.before.work}
        for item in self.after.work:
            was = old.get(item.name)
            if was is not None:
                found.append(
                    f"{item.name}: response time {was.response_time:.4g} s to {item.response_time:.4g} s, "
                    f"ETR {was.etr:.5g} to {item.etr:.5g}, CPU {was.cpu:.4g} s to {item.cpu:.4g} s"
                )
        return tuple(found)


def compare(before: System | SystemResult, after: System | SystemResult) -> SystemComparison:
    """Solve two systems and set their figures side by side.

    Parameters
    ----------
    before, after : System or SystemResult
    """
    old, new = (item.solve() if isinstance(item, System) else item for item in (before, after))
    return SystemComparison(heading="before and after", notes=(), before=old, after=new)


def _key(item: Any) -> str:
    owner = getattr(item, "facility", None) or getattr(item, "region", None)
    lpar = getattr(item, "lpar", "") if hasattr(item, "facility") else ""
    return " ".join(part for part in (owner, item.name, lpar) if part)

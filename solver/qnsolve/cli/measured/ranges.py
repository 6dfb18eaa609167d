"""Answers of files whose figures were fitted: with the range of each figure that the measurements allow."""

from __future__ import annotations

import argparse
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import isnan
from typing import TYPE_CHECKING, Any

from qnsolve.cli.running import part_of_run, running
from qnsolve.cli.terminal import look
from qnsolve.errors import ModelError
from qnsolve.files.text import read
from qnsolve.model.network import Network
from qnsolve.results.answer import Answer
from qnsolve.results.digits import short as short_of
from qnsolve.results.digits import span
from qnsolve.results.rendering import Table, defined

if TYPE_CHECKING:
    from qnsolve.fitting.ranges.bands import Bands
    from qnsolve.fitting.ranges.fitted_figures import FittedFigures
    from qnsolve.zos import System

DRAWN = "the draws of fitted figures"  # what options of long runs are for
RANGED = ("throughput", "etr", "response_time")  # columns of a sweep that get a range


def add_draws(parser: argparse.ArgumentParser) -> None:
    """The option --draws."""
    text = "of a file with [fitted] figures: solve this often for the range of each answer; 0 for no range (default: 20 to 200)"
    parser.add_argument("--draws", type=int, metavar="N", help=text)


def draws_only(options: argparse.Namespace, known: FittedFigures | None) -> None:
    """Refuse options of long runs where nothing is drawn.

    Raises
    ------
    ModelError
    """
    given = next((key for key in ("workers", "dask", "journal") if getattr(options, key) is not None), None)
    if known is None and given is not None:
        rule = "goes with a file of fitted figures, whose ranges are drawn"
        raise ModelError(f"--{given}", rule, "leave it out", getattr(options, given))


def fitted(options: argparse.Namespace) -> FittedFigures | None:
    """The fitted figures of the file, where it has some and a range is wanted."""
    if options.draws is not None and not (options.draws == 0 or options.draws >= 2):
        raise ModelError("--draws", "must be 0, or 2 and more", "write 200", options.draws)
    if options.draws == 0 or options.file == "-" or b"fitted" not in read(options.file):
        return None
    from qnsolve.fitting.ranges.fitted_figures import fitted_of  # imported here, because few files need it

    return fitted_of(options.file)


def solved_with_range(answer: Answer, model: Network | System, known: FittedFigures, options: argparse.Namespace) -> str:
    """The answer, and below it the ranges; the CSV has the answer alone."""
    if options.csv:
        return answer.to_csv()
    from qnsolve.fitting.ranges.bands import bands

    with running(options) as how:
        beside = bands(model, known, draws=options.draws, **how)
    if options.json:
        ranges = [{key: value for key, value in row.items() if key != "point"} for row in beside.rows()]
        said = {"heading": beside.heading, "rows": [defined(row) for row in ranges], "notes": list(beside.notes)}
        return json.dumps({**answer.as_dict(), "bands": said}, allow_nan=False, ensure_ascii=False)
    shown = look(options)
    return f"{answer.text(shown)}\n\n{beside.text(shown)}"


@dataclass(frozen=True)
class RangedSweep(Answer):
    """A sweep whose rows have the range of throughput and response time.

    Attributes
    ----------
    sweep : Answer
    beside : Bands
    """

    sweep: Answer
    beside: Bands

    @property
    def chooses_units(self) -> bool:  # type: ignore[override]
        """As the sweep does."""
        return self.sweep.chooses_units

    def given(self) -> frozenset[str]:
        """The figures that vary."""
        return self.sweep.given()

    def rows(self) -> list[dict[str, Any]]:
        """Those of the sweep, two columns more for each figure with a range."""
        ranges: dict[tuple[int, str, str], tuple[float, float]] = {
            (row["point"], row["name"], row["figure"]): (row["lowest"], row["highest"]) for row in self.beside.bands
        }
        found, point, seen = [], -1, set[str]()
        for row in self.sweep.rows():
            name = row.get("class", row.get("work"))
            if point < 0 or name in seen or name == "all":
                point, seen = point + 1, set()
            seen.add(str(name))
            more: dict[str, Any] = {}
            for key, value in row.items():
                more[key] = value
                if key in RANGED:
                    low, high = ranges.get((point, str(name), key), (float("nan"), float("nan")))
                    more |= {f"{key}_lowest": low, f"{key}_highest": high}
            found.append(more)
        return found

    def as_dict(self) -> dict[str, Any]:
        """The rows."""
        return {"heading": self.title(), "rows": [defined(row) for row in self.rows()], "notes": list(self.beside.notes)}

    def title(self) -> str:
        """That of the sweep, and how many draws."""
        return f"{self.sweep.title()}; {self.beside.heading}"

    def time_unit(self) -> str:
        """That of the model."""
        return self.sweep.time_unit()

    def tables(self) -> list[Table]:
        """One table of all rows, the range of a figure in one column."""
        rows = []
        for row in self.rows():
            short: dict[str, Any] = {}
            for key, value in row.items():
                if key.endswith("_lowest"):
                    high = row[key.removesuffix("lowest") + "highest"]
                    own = key.removesuffix("_lowest")
                    timed = self.chooses_units and own == "response_time"
                    text = span(value, high) if timed else f"{short_of(value)} to {short_of(high)}"
                    short[f"{own}_range"] = "-" if isnan(value) else text
                elif not key.endswith("_highest"):
                    short[key] = value
            rows.append(short)
        return [self._table(rows)] if rows else []


def sweep_with_range(
    found: Answer,
    model: Network | System,
    known: FittedFigures,
    vary: Mapping[str, Sequence[Any]],
    options: argparse.Namespace,
    how: Mapping[str, Any],
) -> RangedSweep:
    """The sweep, its rows with ranges."""
    from qnsolve.fitting.ranges.bands import bands

    drawn = {"together": options.together, "draws": options.draws, **part_of_run(how, "draws")}
    return RangedSweep(found, bands(model, known, vary, **drawn))

"""Tables of measured intervals: what is wrong with them, and the model that fits them."""

from __future__ import annotations

import io
from datetime import datetime, timedelta
from typing import Annotated, Any

import qnsolve as qn
from qnsolve import measure
from qnsolve.results.rendering import csv_text

from ..catalogue import worksheet_function
from ..cells import CellError, Numbers, Table, remark
from ..tables import written
from .words import Servers

GROUP = "Measurements"
Measured = Annotated[
    Table, "Intervals, a row each; headings such as start, orders.rate, orders.response_time [ms], cpu.busy [%]."
]
Loads = Annotated[Numbers, "Users, connections or threads, a cell for each measured row."]

DAY_ZERO = datetime(1899, 12, 30)  # of a sheet's dates
CLOCKS = ("start", "time", "date", "timestamp", "begin", "datetime")
DAYS = (20_000.0, 80_000.0)  # 1954 to 2119: a number that is a date


@worksheet_function(GROUP)
def check_intervals(intervals: Measured) -> Table:
    """What is wrong with measured intervals, or should be looked at: severity, kind, series, first, last, sentence; a row each.

    Little's law, the utilization law, units, gaps, stuck series, sums that cannot be. Nothing is repaired.

    Examples
    --------
    =QN.CHECK_INTERVALS({"orders.rate","orders.response_time","orders.in_system";10,0.1,1;20,0.1,2;30,0.1,9})
    =QN.CHECK_INTERVALS({"orders.rate","cpu.busy";10,0.1;20,0.2;30,1.3})
    =QN.CHECK_INTERVALS({"orders","cpu";10,0.1})
    """
    found = measure.check(_table(intervals)).found
    if not found:
        remark("nothing found: the laws hold, no gaps, no stuck or doubtful figures")
    head: Table = [["severity", "kind", "series", "first", "last", "sentence"]]
    return head + [[each.severity, each.kind, each.series, each.first, each.last, each.sentence] for each in found]


@worksheet_function(GROUP)
def fit_intervals(intervals: Measured) -> Table:
    """The model that fits measured intervals: figure, value, lowest, highest and source, a row each; 19 of 20 lie between.

    Demands by class with the use that does not grow, or of a ladder of users the closed network; QN.WHY has what the rows
    cannot say.

    Examples
    --------
    =QN.FIT_INTERVALS({"web.rate","cpu.busy";10,0.25;20,0.35;30,0.45;40,0.55;25,0.4;15,0.3})
    =QN.FIT_INTERVALS({"web.users","web.rate";2,19.6;4,38;8,70;16,96;32,100;64,100})
    =QN.FIT_INTERVALS({"web.rate";10;20;30})
    """
    found = qn.fit(_table(intervals))
    for note in found.notes:
        remark(note)
    keys = ("name", "value", "lowest", "highest", "source")
    return [["figure", *keys[1:]], *([row[key] for key in keys] for row in found.rows())]


@worksheet_function(GROUP)
def fit_demands(
    rates: Annotated[Table, "Transactions in a second: a column for each class under its name, a row for each interval."],
    busy: Annotated[Numbers, "Share of the servers that was busy, 0 to 1, in the same intervals."],
    servers: Servers = 1,
) -> Table:
    """Service demands of several classes from rates and utilization: class, demand, lowest, highest, and the use without work.

    Non-negative least squares of the utilization law; 19 of 20 lie between lowest and highest [time].

    Examples
    --------
    =QN.FIT_DEMANDS({"read","write";10,8;20,2;30,9;40,1},{0.39;0.31;0.62;0.48})
    =QN.FIT_DEMANDS({"read","write";10,8;20,2;30,9;40,1},{0.39;0.31;0.62;0.48},4)
    =QN.FIT_DEMANDS({"read","write";10,8;20,2},{0.39;0.31})
    """
    head, *rows = rates or [[]]
    columns = {
        written(name): [_number(row[j], i, written(name)) for i, row in enumerate(rows, 2)] for j, name in enumerate(head)
    }
    found = measure.fit_intervals(columns, busy, servers)
    for note in found.notes:
        remark(note)
    known = {**found.demands, "without work": found.base}
    return [["class", "demand", "lowest", "highest"], *([name, d.value, d.lowest, d.highest] for name, d in known.items())]


@worksheet_function(GROUP)
def fit_ladder(
    loads: Loads,
    rates: Annotated[Numbers, "Throughput at each of these loads, in a unit of time."],
    new_loads: Annotated[Numbers, "Loads to predict, a cell each."],
    responses: Annotated[Numbers, "Mean response time at each measured load. Loads over rates where left out."] | None = None,
) -> Table:
    """Throughput and response time at other loads, from a measured ladder of loads: each with its range, a row a load.

    The closed network that fits the rows, solved exactly; nine of ten measured rows lie in the range.

    Examples
    --------
    =QN.FIT_LADDER({2;8;16;24;32},{457.72;1853.63;3667.07;3909.17;3914.79},{48;64})
    =QN.FIT_LADDER({2;8;16;24;32},{458;1854;3667;3909;3915},{64},{0.0044;0.0043;0.0044;0.0061;0.0082})
    =QN.FIT_LADDER({2;8;16},{458;1854},{64})
    """
    found = measure.fit_ladder(loads, rates, responses)
    for note in found.notes:
        remark(note)
    at = found.predict(new_loads)
    rates_there = (at.rates, at.lowest_rates, at.highest_rates)
    responses_there = (at.response_times, at.lowest_response_times, at.highest_response_times)
    columns = [new_loads, *(values.tolist() for values in rates_there + responses_there)]
    head: Table = [["load", "rate", "lowest", "highest", "response", "lowest", "highest"]]
    return head + [list(row) for row in zip(*columns, strict=True)]


def _table(cells: Table) -> measure.Intervals:
    """The intervals of a range, its headings read as those of a file."""
    if len(cells) < 2:
        raise CellError("#VALUE!", "intervals must have a row of headings and a row for each interval")
    head = [written(name) if name is not None else "" for name in cells[0]]
    rows = [
        {name or f"column {j}": _cell(head[j], cell) for j, (name, cell) in enumerate(zip(head, row, strict=True))}
        for row in cells[1:]
    ]
    return measure.read(io.BytesIO(csv_text(rows).encode()), format="csv")


def _cell(heading: str, cell: Any) -> Any:
    """A cell as a file has it: a date as text."""
    if heading.casefold().split("[")[0].strip() in CLOCKS and isinstance(cell, float) and DAYS[0] < cell < DAYS[1]:
        return (DAY_ZERO + timedelta(seconds=round(cell * 86_400))).isoformat()
    return "" if cell is None else cell


def _number(cell: Any, row: int, name: str) -> float:
    if not isinstance(cell, float):
        raise CellError(
            "#VALUE!", f"rates: row {row} of {name} is {'empty' if cell is None else cell!r}; each must be a number"
        )
    return cell

"""How many servers a resource has: as the caller says it, as measured, or not known, which is said."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from qnsolve.measure.intervals.interval_table import Intervals, MeasuredSeries
from qnsolve.measure.intervals.server_counts import ALL, ServerCounts, server_counts

from .measured_rows import QR, MeasuredRows


def with_servers(intervals: Intervals, servers: ServerCounts) -> Intervals:
    """The table with the servers that the caller says: by resource, or of all that the table has none of.

    Raises
    ------
    ModelError
    """
    if servers is None:
        return intervals
    resources = [each for each in intervals.series if each.quantity == "busy"]
    counts = server_counts(servers, {each.name for each in resources}, "must name a resource with a utilization")
    series, values = list(intervals.series), intervals.values
    for each in resources:
        same = replace(each, quantity="servers", field="--servers", factor=1.0)
        labels = [k for k, other in enumerate(series) if _bare(other) == _bare(same)]
        count = counts.get(each.name, None if labels else counts.get(ALL))
        if count is None:
            continue
        column = np.full(len(intervals), count)
        if labels:
            values = values.copy()
            values[:, labels[0]] = column
        else:
            series.append(same)
            values = np.column_stack([values, column])
    return replace(intervals, series=tuple(series), values=values)


def _bare(each: MeasuredSeries) -> MeasuredSeries:
    return replace(each, field="", source="", factor=1.0)


def servers_of(rows: MeasuredRows, name: str) -> int | None:
    """Servers of a resource, a whole number; None where nothing says them. A QR TCB is one server."""
    if rows.has(name, "servers"):
        values = rows.column(name, "servers")
        values = values[~np.isnan(values)]
        if len(values):
            return max(round(float(np.median(values))), 1)
    return 1 if name == QR else None


def unknown_servers(rows: MeasuredRows) -> list[str]:
    """A finding for each resource with a utilization whose servers nothing says."""
    return [
        f"{name}: its number of servers is not in the data and taken as 1; with m servers each demand there is m times as "
        f"long: --servers {name}=m says how many"
        for name in rows.names("busy")
        if name and servers_of(rows, name) is None
    ]

"""Build a table of intervals: from columns by name, or from records of which each is one interval of one class or resource."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from qnsolve.errors import ModelError, suggestion
from qnsolve.model import checks

from .interval_table import LABELS, Array, Intervals, MeasuredSeries, Times
from .quantities import QUANTITIES

NONE = np.datetime64("NaT", "ms")
OF_MACHINES = ("busy", "servers", "queue_length", "weight", "msu", "capped")  # not limits: a TRANCLASS has its own


def table(
    columns: Mapping[str, Sequence[float] | Array],
    *,
    start: Sequence[Any] | NDArray[Any] | None = None,
    length: float | Sequence[float] | Array | None = None,
) -> Intervals:
    """A table from columns that are named NAME.quantity, in the units of a table: seconds, per second, shares from 0 to 1.

    Parameters
    ----------
    columns : mapping of str to sequence of float, shape (n,)
        "orders.rate", "orders.response_time", "cpu.busy"; nan where nothing was measured. A data frame of pandas or polars
        serves, too.
    start : sequence of datetime, datetime64 or ISO text, shape (n,), optional
        Begin of each interval.
    length : float or sequence of float, optional
        [s]

    Raises
    ------
    ModelError

    Examples
    --------
    >>> found = table({"orders.rate": [10.0, 20.0], "cpu.busy": [0.2, 0.4]}, length=900)
    >>> found.column("busy").tolist()
    [0.2, 0.4]
    """
    if isinstance(columns, str | os.PathLike):
        raise ModelError("columns", "must be a table, and is the name of a file", f"read it: qn.measure.read({str(columns)!r})")
    try:
        names = [str(name) for name in getattr(columns, "columns", columns)]  # a frame's names, a mapping's keys
    except TypeError:
        repair = "write {'orders.rate': [10, 20], 'cpu.busy': [0.2, 0.4]}"
        raise ModelError("columns", "must give values by name", repair, columns) from None
    series: list[MeasuredSeries] = []
    found: list[Array] = []
    for name in names:
        owner, _, quantity = name.rpartition(".")
        if quantity not in QUANTITIES:
            raise ModelError(f"columns[{name!r}]", "must be named NAME.quantity", suggestion(quantity, QUANTITIES))
        each = MeasuredSeries(quantity, field=name)
        series.append(replace(each, work=owner) if QUANTITIES[quantity].of == "work" else replace(each, resource=owner))
        found.append(_values(f"columns[{name!r}]", columns[name]))
    if not found:
        raise ModelError("columns", "must not be empty", "give a series, such as 'orders.rate'")
    if len({len(each) for each in found}) > 1:
        sizes = ", ".join(f"{name} has {len(each)}" for name, each in zip(names, found, strict=True))
        raise ModelError("columns", f"must have one value for each interval, here {sizes}", "give series of equal length")
    n = len(found[0])
    begins = np.full(n, NONE) if start is None else times("start", start)
    lengths = np.full(n, np.nan) if length is None else np.broadcast_to(_values("length", length), n).astype(np.float64)
    if len(begins) != n:
        raise ModelError("start", f"must have one time for each of {n} intervals", "give as many", len(begins))
    return Intervals(begins, lengths, tuple(series), np.column_stack(found), np.arange(1, n + 1))


def times(item: str, given: Sequence[Any] | NDArray[Any]) -> Times:
    """Times as datetime64[ms]; ISO text, datetime and datetime64 are read."""
    try:
        return np.asarray(given, dtype="datetime64[ms]")
    except (ValueError, TypeError):
        raise ModelError(item, "must be dates and times", "write 2026-03-02T09:00 for each interval", given) from None


def _values(item: str, given: Any) -> Array:
    try:
        found = np.atleast_1d(np.asarray(given, dtype=np.float64))
    except (ValueError, TypeError):
        found = np.empty((0, 0))
    if found.ndim != 1 or not found.size:
        raise ModelError(item, "must be numbers, one for each interval", "write [10.5, 20]", given)
    if np.isinf(found).any() or (np.abs(found) > checks.LARGEST).any():
        raise ModelError(item, "must be finite", "write nan where nothing was measured", given)
    return found


def pivoted(
    start: Times,
    length: Array,
    owners: NDArray[np.int64],
    series: Sequence[Sequence[MeasuredSeries]],
    values: Array,
    places: NDArray[np.int64],
    notes: tuple[str, ...] = (),
) -> Intervals:
    """A table from records, each of which is one interval of one owner (a class, an LPAR, a region).

    Parameters
    ----------
    start, length, owners, places : shape (n,)
        Of each record; `owners` counts from 0.
    series : for each owner the series of its columns, q of them
    values : shape (n, q)

    Notes
    -----
    Records of the same begin and length are one interval; where there is no begin, the records of an owner are
    its intervals in their order. Where an owner has two records in one interval, each further one is a row of its own,
    so that nothing is lost and a check can name it.
    """
    n, q = values.shape
    keys = start.astype(np.int64)
    seconds = np.nan_to_num(length, nan=-1.0)
    order = np.lexsort((np.arange(n), owners, seconds, keys))
    known = ~np.isnat(start)
    again = np.zeros(n, dtype=np.int64)  # how many records of this owner stood in this interval before
    k, s, o = keys[order], seconds[order], owners[order]
    new = np.ones(n, dtype=bool)
    new[1:] = (k[1:] != k[:-1]) | (s[1:] != s[:-1]) | (o[1:] != o[:-1])
    begins = np.maximum.accumulate(np.where(new, np.arange(n), 0))
    again[order] = np.arange(n) - begins
    keys = np.where(known, keys, 0)
    codes = np.zeros(n, dtype=np.int64)  # begin, length and repetition as one number: many times faster to sort than three
    for part in (keys, np.round(seconds * 1000).astype(np.int64), again):
        ranked, rank = np.unique(part, return_inverse=True)
        codes = np.unique(codes * len(ranked) + rank, return_inverse=True)[1]
    unique, row = np.unique(codes, return_inverse=True)
    first = np.full(len(unique), n, dtype=np.int64)
    np.minimum.at(first, row, np.arange(n))
    found = np.full((len(unique), len(series), q), np.nan)
    found[row, owners] = values
    flat = found.reshape(len(unique), len(series) * q)
    kept = ~np.isnan(flat).all(axis=0)
    every = [each for group in series for each in group]
    return Intervals(
        start[first],
        length[first],
        tuple(e for e, k in zip(every, kept, strict=True) if k),
        flat[:, kept],
        places[first],
        notes,
    )


def of_resources(found: Intervals) -> Intervals:
    """The table where figures of a resource that every class of an interval repeats are one series, without the class.

    Exports with a row for each class repeat the utilization of the machine in each; figures that differ are of the class.
    """
    groups: dict[tuple[str, ...], list[int]] = {}
    for j, each in enumerate(found.series):
        if each.work and each.quantity in OF_MACHINES:
            key = (each.quantity, *(getattr(each, label) for label in LABELS if label != "work"), each.field)
            groups.setdefault(key, []).append(j)
    alone = len({each.work for each in found.series if each.work}) == 1
    values, series = found.values.copy(), list(found.series)
    left: set[int] = set()
    fields: list[str] = []
    for columns in groups.values():
        mine = found.values[:, columns]
        low, high = np.fmin.reduce(mine, axis=1), np.fmax.reduce(mine, axis=1)
        beside = (~np.isnan(mine)).sum(axis=1) > 1
        if (low < high).any() or not (beside.any() or alone):
            continue
        first = columns[0]
        values[:, first] = low
        series[first] = replace(series[first], work="")
        fields.append(series[first].field)
        left.update(columns[1:])
    if not fields:
        return found
    note = f"each class repeats {', '.join(map(repr, dict.fromkeys(fields)))}: taken as of the resource, without a class"
    stay = [j for j in range(len(series)) if j not in left]
    kept = tuple(series[j] for j in stay)
    return replace(found, series=kept, values=values[:, stay], notes=(*found.notes, *(() if alone else (note,))))

"""The load of each interval: rates, or users, of the classes of a model."""

from __future__ import annotations

import hashlib
from collections.abc import Collection, Mapping
from dataclasses import dataclass, replace
from os import PathLike
from typing import Any

import numpy as np
from numpy.typing import NDArray

from qnsolve.errors import ModelError, counted
from qnsolve.measure.intervals.building import table
from qnsolve.measure.intervals.interval_table import Intervals
from qnsolve.measure.intervals.longer_rows import contains_others
from qnsolve.numerics.series import Array

MOST = 1_000_000  # intervals
LOADS = ("rate", "users", "count")  # quantities that are the load of a class


@dataclass(frozen=True, eq=False)
class DayLoads:
    """Loads of n intervals in the order of time, of R classes.

    Attributes
    ----------
    start : ndarray of datetime64[ms], shape (n,)
        NaT without a clock.
    length : ndarray, shape (n,)
        [s]
    names : tuple of str
        Classes or work of the model that were measured.
    values : ndarray, shape (n, R)
        Rates [1/s], or users where `users`.
    users : tuple of bool
    order : ndarray of int, shape (n,)
        Row of each in the table.
    notes : tuple of str
    """

    start: NDArray[np.datetime64]
    length: Array
    names: tuple[str, ...]
    values: Array
    users: tuple[bool, ...]
    order: NDArray[np.intp]
    notes: tuple[str, ...]

    def __len__(self) -> int:
        return len(self.start)

    @property
    def clock(self) -> bool:
        """Whether every interval has a begin."""
        return not bool(np.isnat(self.start).any())

    @property
    def follows(self) -> NDArray[np.bool_]:
        """Whether each interval begins where the one before it ends, within half the usual length; all do without a clock."""
        found = np.ones(len(self), dtype=bool)
        if self.clock:
            ends = self.start[:-1].astype(np.int64) / 1000 + self.length[:-1]
            found[1:] = self.start[1:].astype(np.int64) / 1000 - ends <= float(np.median(self.length)) / 2
        return found

    def clock_text(self, i: int) -> str:
        """Begin of an interval in a sentence, or its number."""
        if np.isnat(self.start[i]):
            return f"interval {int(self.order[i]) + 1}"
        return minute(self.start[i])


def digest_of(loads: DayLoads) -> str:
    """What makes a run on these loads what it is."""
    found = hashlib.sha256(loads.values.tobytes())
    for each in (loads.start, loads.length, loads.order):
        found.update(each.tobytes())
    return found.hexdigest()


def minute(time: Any) -> str:
    """A time to the minute."""
    return str(np.datetime_as_string(time, unit="m")).replace("T", " ")


def loads_of(intervals: Intervals | Mapping[str, Any], known: Mapping[str, bool], *, timed: bool = True) -> DayLoads:
    """The loads of a table; rates of a class that are missing in an interval are 0.

    Parameters
    ----------
    intervals : Intervals, or the columns of one
    known : mapping of str to bool
        Classes of the model, and whether they are users that go round.
    timed : bool, default True
        Lengths must be known; else they are taken as 1 s where they are not.

    Raises
    ------
    ModelError
    """
    if isinstance(intervals, str | PathLike):
        raise ModelError("intervals", "must be a table of intervals", "read it with qn.measure.read(file)", str(intervals))
    given = owned(intervals if isinstance(intervals, Intervals) else table(intervals), known)
    if not 0 < len(given) <= MOST:
        raise ModelError("intervals", f"must be 1 to {MOST:,}", "give a part of them", len(given))
    places, notes = _without_longer(given, known)
    given = given if len(places) == len(given) else given.rows_where(np.isin(np.arange(len(given)), places))
    order = np.argsort(given.start, kind="stable")
    names, columns, users = [], [], []
    for name, round_and_round in known.items():
        population = _total(given, "users", name) if round_and_round else None
        rate = _rate(given, name)
        found = population if population is not None else rate
        if found is None:
            notes.append(f"{name} was not measured: as in the model in every interval")
            continue
        if round_and_round and population is None:
            notes.append(f"{name}: users in the model, rates in the intervals: taken as work that arrives at these rates")
        missing = int(np.isnan(found).sum())
        if missing:
            notes.append(f"{name}: nothing measured in {counted(missing, 'interval')}, taken as 0")
        if (found < 0).any():
            i = int(np.argmax(found < 0))
            raise ModelError(f"intervals: {name}, interval {i + 1}", "must be 0 or more", "correct it", float(found[i]))
        names.append(name)
        columns.append(np.nan_to_num(found)[order])
        users.append(population is not None)
    if not names:
        have = ", ".join(given.names("rate")[:8]) or "none"
        rule = f"must have rates of the model's classes ({', '.join(list(known)[:8])}), they have those of {have}"
        raise ModelError("intervals", rule, "name the columns as the classes: NAME.rate")
    left = [name for name in given.names("rate") if name not in known]
    if left:
        total = sum(float(np.nansum(column)) for name in left if (column := _total(given, "rate", name)) is not None)
        own = sum(float(column.sum()) for column, u in zip(columns, users, strict=True) if not u)
        share = f", {100 * total / (total + own):.3g} % of all jobs" if total + own > 0 else ""
        notes.append(f"not in the model: {', '.join(left[:6])}{share}")
    return DayLoads(
        given.start[order],
        _lengths(given, timed)[order],
        tuple(names),
        np.column_stack(columns),
        tuple(users),
        places[order],
        (*given.notes, *notes),
    )


def _rate(given: Intervals, name: str) -> Array | None:
    rate = _total(given, "rate", name)
    if rate is None and (count := _total(given, "count", name)) is not None:
        return count / _lengths(given, True)
    return rate


def _without_longer(given: Intervals, known: Mapping[str, bool]) -> tuple[NDArray[np.intp], list[str]]:
    """Places of the intervals but longer ones whose load others within them have, and the note of these."""
    each = [
        load for name, users in known.items() for load in (_total(given, "users", name) if users else None, _rate(given, name))
    ]
    loads = [load for load in each if load is not None]
    longer = contains_others(given, np.column_stack(loads)) if loads else np.zeros(len(given), dtype=bool)
    if not longer.any():
        return np.arange(len(given)), []
    note = f"{counted(int(longer.sum()), 'interval')} left out: longer than others within them, which have the load"
    return np.flatnonzero(~longer), [note]


def owned(intervals: Intervals, known: Collection[str]) -> Intervals:
    """The intervals; where a model has one class and no load has a name, series without one are that class's."""
    loads = [each.name for each in intervals.series if each.quantity in LOADS]
    if len(known) != 1 or any(loads) or not loads:
        return intervals
    (name,) = known
    series = tuple(replace(each, work=name) if not each.name else each for each in intervals.series)
    return replace(intervals, series=series)


def _lengths(given: Intervals, timed: bool) -> Array:
    """Lengths; where the source says none, the usual distance of begins."""
    lengths = given.length
    if np.isnan(lengths).any():
        steps = np.diff(np.sort(given.start[~np.isnat(given.start)])).astype(np.float64) / 1000
        steps = steps[steps > 0]
        if not len(steps) and not timed:
            return np.ones(len(lengths))
        if not len(steps):
            raise ModelError("intervals: length", "must be known, or begins from which it follows", "give length=900")
        lengths = np.where(np.isnan(lengths), float(np.median(steps)), lengths)
    if (lengths <= 0).any():
        raise ModelError("intervals: length", "must be above 0", "correct it", float(lengths.min()))
    return np.asarray(lengths)


def _total(given: Intervals, quantity: str, name: str) -> Array | None:
    """A series of a class, summed where several regions or systems have it; nan where none has."""
    at = [j for j, each in enumerate(given.series) if each.quantity == quantity and each.work == name]
    if not at:
        return None
    part = given.values[:, at]
    return np.asarray(np.where(np.isnan(part).all(axis=1), np.nan, np.nan_to_num(part).sum(axis=1)))

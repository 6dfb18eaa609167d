"""The load of each work month by month: growth or forecast, seasons, special days."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from qnsolve.errors import ModelError, suggestion
from qnsolve.model.yearly_growth import a_year
from qnsolve.numerics.series import Array
from qnsolve.zos.parts.system import SystemParts

from .forecasts import Forecast, forecast_table, forecasts_of
from .months import Month, month_of, number_of, years_between

ALL = ""  # stands for every work that is not named
MOST = 1e6  # times a load
EACH_YEAR = re.compile(r"\s*(\d{1,2})-(\d{1,2})\s*")
DAY_KEYS = ("date", "factor", "name", "work")
QUARTERS = {f"Q{q}": tuple(range(3 * q - 2, 3 * q + 1)) for q in range(1, 5)}


@dataclass(frozen=True)
class SpecialDay:
    """A day with more work than its month: month end, Black Friday.

    Attributes
    ----------
    date : str
        "2027-11-26", or "11-26" each year.
    factor : float
        Over the load of its month [ratio].
    name : str
        What it is called, "" for its date.
    work : tuple of str
        Whose; all where empty.
    """

    date: str
    factor: float
    name: str = ""
    work: tuple[str, ...] = ()

    def within(self, month: Month) -> bool:
        """Whether it lies in a month."""
        if match := EACH_YEAR.fullmatch(self.date):
            return int(match[1]) == number_of(month)
        return bool(np.datetime64(self.date, "M") == month)

    def called(self, month: Month) -> str:
        """Its date, and its name."""
        match = EACH_YEAR.fullmatch(self.date)
        date = f"{month}-{int(match[2]):02d}" if match else self.date
        return f"{date} ({self.name})" if self.name else date


@dataclass(frozen=True, eq=False)
class DatedLoad:
    """What comes at a time.

    Attributes
    ----------
    month : Month
    factors : ndarray (W,)
        Rates or users over those of the system [ratio].
    day : str
        The special day, "" for the month as such.
    """

    month: Month
    factors: Array
    day: str = ""


@dataclass(frozen=True, eq=False)
class LoadPath:
    """How the load of each work moves from the first month on.

    Attributes
    ----------
    works : tuple of str
    begin : Month
        That of the system's figures.
    yearly : ndarray (W,)
        Load after a year over that before [ratio].
    texts : tuple of str
        The growth of each work as it was given, "" for none.
    forecasts : dict of work to Forecast
        In place of the growth up to their last month; the growth goes on from there.
    seasons : ndarray (12, W)
        Load of a month over that of a plain one [ratio].
    days : tuple of SpecialDay
    """

    works: tuple[str, ...]
    begin: Month
    yearly: Array
    texts: tuple[str, ...]
    bases: Array
    forecasts: Mapping[str, Forecast] = field(default_factory=dict)
    seasons: Array = field(default_factory=lambda: np.ones((12, 1)))
    days: tuple[SpecialDay, ...] = ()

    def factors(self, month: Month) -> Array:
        """Factors of a month (W,), special days apart."""
        found = self.yearly ** years_between(self.begin, month)
        for name, forecast in self.forecasts.items():
            w = self.works.index(name)
            last = forecast.months[-1]
            found[w] = forecast.at(month, float(self.bases[w]), self.begin)
            if month > last:
                found[w] *= float(self.yearly[w]) ** years_between(last, month)
        season = self.seasons[number_of(month) - 1] / self.seasons[number_of(self.begin) - 1]
        return np.asarray(np.clip(found * season, 1 / MOST, MOST))

    def loads(self, month: Month) -> tuple[DatedLoad, ...]:
        """The loads of a month: its own, then those of its special days that are heavier."""
        own = self.factors(month)
        found = [DatedLoad(month, own)]
        for day in self.days:
            if day.within(month):
                mine = np.array([not day.work or name in day.work for name in self.works])
                found.append(DatedLoad(month, np.where(mine, own * day.factor, own), day.called(month)))
        return tuple(found)

    def between(self, first: Month, last: Month) -> list[DatedLoad]:
        """The loads of all months from one to another, both included."""
        return [load for m in range(int((last - first).astype(int)) + 1) for load in self.loads(first + m)]

    @property
    def grows(self) -> bool:
        """Whether the load changes at all."""
        return bool((self.yearly != 1).any() or self.forecasts or self.days or (self.seasons != 1).any())


def load_path(
    system: SystemParts,
    begin: Month,
    growth: Any,
    seasons: Any = None,
    special_days: Any = None,
) -> LoadPath:
    """The path of a system's load.

    Parameters
    ----------
    system : SystemParts
    begin : Month
    growth : None, float, str, path, or mapping of work to these
        "8%/quarter", "1.08^4", 0.08 a year; the name of a CSV file with forecasts; a mapping of months to loads for one
        work. "" in a mapping stands for the works that are not named.
    seasons : mapping of month or quarter to float, or of work to such mappings, optional
        {12: 1.3} or {"Q4": 1.2} [ratio].
    special_days : sequence of SpecialDay or mapping, optional

    Raises
    ------
    ModelError
    """
    works = tuple(item.name for item in system.work)
    given = dict(growth) if isinstance(growth, Mapping) else {} if growth is None else {ALL: growth}
    yearly, texts = np.ones(len(works)), [""] * len(works)
    forecasts: dict[str, Forecast] = {}
    for name in given:
        if name and name not in works:
            raise ModelError("growth", "names no work of the system", suggestion(str(name), works), name)
    for name in sorted(given, key=bool):  # what is named goes before what holds for all
        each = given[name]
        item = f"growth of {name}" if name else "growth"
        if isinstance(each, Mapping):
            if not name:
                raise ModelError(item, "by month goes with one work", "write growth.orders = { ... }", dict(each))
            forecasts[name] = forecast_table(item, each)
        elif _is_file(each):
            own = forecasts_of(each, works)
            forecasts |= {work: forecast for work, forecast in own.items() if not name or work == name}
            if name and name not in own:
                raise ModelError(item, "has no column in the file", f"give it the column {name}", os.fspath(each))
        else:
            value = a_year(item, each)
            text = each.strip() if isinstance(each, str) else f"{100 * value:.4g}%/year"
            text += "/year" * text.endswith("%")  # said back, so that a period that was meant is missed
            for w, work in enumerate(works):
                if work == name or not name:
                    yearly[w], texts[w] = 1 + value, text
                    forecasts.pop(work, None)
    bases = np.array([float(item.rate if item.rate is not None else item.users or 0) for item in system.work])
    for name in list(forecasts):
        if not forecasts[name].factors and not bases[works.index(name)] > 0:
            raise ModelError(f"growth of {name}", "needs a load today", "give the work a rate above 0", 0)
    return LoadPath(works, begin, yearly, tuple(texts), bases, forecasts, _seasons(seasons, works), _days(special_days, works))


def _is_file(given: Any) -> bool:
    return isinstance(given, os.PathLike) or (isinstance(given, str) and given.lower().endswith((".csv", ".txt", ".tsv")))


def _seasons(given: Any, works: Sequence[str]) -> Array:
    found = np.ones((12, len(works)))
    if given is None:
        return found
    if not isinstance(given, Mapping):
        raise ModelError("seasons", "must map months to factors", "write { 12 = 1.3 }", given)
    for key, value in sorted(given.items(), key=lambda item: isinstance(item[1], Mapping)):
        if isinstance(value, Mapping):
            if key not in works:
                raise ModelError("seasons", "names no work of the system", suggestion(str(key), works), key)
            for month, factor in value.items():
                found[_numbers(month), works.index(key)] = _factor(f"seasons: {key}: {month}", factor)
        else:
            found[_numbers(key), :] = _factor(f"seasons: {key}", value)
    return found


def _numbers(given: Any) -> list[int]:
    """Rows of a month or a quarter."""
    text = str(given).strip().upper()
    if text in QUARTERS:
        return [number - 1 for number in QUARTERS[text]]
    if not text.isdigit() or not 1 <= int(text) <= 12:
        raise ModelError("seasons", "must name months 1 to 12 or quarters Q1 to Q4", "write { 12 = 1.3 }", given)
    return [int(text) - 1]


def _factor(item: str, given: Any) -> float:
    if isinstance(given, bool) or not isinstance(given, int | float) or not 0 < given <= 1000:
        raise ModelError(item, "must be a factor above 0, at most 1000", "write 1.3 for 30 % more", given)
    return float(given)


def _days(given: Any, works: Sequence[str]) -> tuple[SpecialDay, ...]:
    found = []
    for each in given or ():
        day = each if isinstance(each, SpecialDay) else _day(each)
        for name in day.work:
            if name not in works:
                raise ModelError(f"special day {day.date}: work", "names no work of the system", suggestion(name, works), name)
        found.append(day)
    return tuple(found)


def _day(given: Any) -> SpecialDay:
    if not isinstance(given, Mapping):
        raise ModelError(
            "special_days", "must be tables of date and factor", 'write { date = "2027-11-26", factor = 1.8 }', given
        )
    for key in given:
        if key not in DAY_KEYS:
            raise ModelError(f"special day: {key}", "is an unknown key", suggestion(str(key), DAY_KEYS))
    date = str(given.get("date", "")).strip()
    match = EACH_YEAR.fullmatch(date)
    try:
        np.datetime64(f"2028-{int(match[1]):02d}-{int(match[2]):02d}" if match else date, "D")
        whole = bool(match) or len(date) == 10
    except ValueError:
        whole = False
    if not whole:
        raise ModelError("special day: date", "must be a day", "write 2027-11-26, or 11-26 for each year", date)
    work = given.get("work", ())
    names = (work,) if isinstance(work, str) else tuple(work)
    return SpecialDay(date, _factor(f"special day {date}: factor", given.get("factor")), str(given.get("name", "")), names)


def first_month(given: Any) -> Month:
    """The month of the system's figures; this month where it is not given."""
    if given is None:
        return np.datetime64("today", "M")
    return month_of("from", given)

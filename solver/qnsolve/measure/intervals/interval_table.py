"""Measured intervals in one tidy table: rows are intervals, columns are series that say what and whose they are."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, fields, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from qnsolve.errors import ModelError, counted, suggestion
from qnsolve.model import checks
from qnsolve.results.answer import Answer
from qnsolve.results.rendering import Table, figure

from .quantities import QUANTITIES

Array = NDArray[np.float64]
Times = NDArray[np.datetime64]
UNLIKE = 1.5  # times the shortest intervals from which lengths are said by their ends
NO_LENGTH = "no column has the length of an interval"  # begins a note
LABELS = ("system", "lpar", "region", "work", "resource")


@dataclass(frozen=True)
class MeasuredSeries:
    """What one column of a table is.

    Attributes
    ----------
    quantity : str
        A name of `QUANTITIES`.
    work, resource, region, lpar, system : str
        Whose it is; "" where the source does not say.
    field : str
        Its name in the source: "APPLPER", "Trans/s".
    source : str
        The file.
    factor : float
        What a printed value was multiplied with to come to the table's unit.
    """

    quantity: str
    work: str = ""
    resource: str = ""
    region: str = ""
    lpar: str = ""
    system: str = ""
    field: str = ""
    source: str = ""
    factor: float = 1.0

    @property
    def name(self) -> str:
        """Whose it is, in one word: the work, or the innermost of resource, region, LPAR and system."""
        return self.work or self.resource or self.region or self.lpar or self.system

    @property
    def unit(self) -> str:
        """Unit of the values."""
        return QUANTITIES[self.quantity].unit

    @property
    def title(self) -> str:
        """NAME.quantity, as headings and options write it."""
        return f"{self.name}.{self.quantity}" if self.name else self.quantity


@dataclass(frozen=True, eq=False)
class Intervals(Answer):
    """Measured intervals.

    Attributes
    ----------
    start : ndarray of datetime64[ms], shape (n,)
        Begin of each interval; NaT where the source has no clock.
    length : ndarray, shape (n,)
        [s]; nan where the source does not say.
    series : tuple of MeasuredSeries, length m
    values : ndarray, shape (n, m)
        In the units of `QUANTITIES`; nan where nothing was measured.
    places : ndarray of int, shape (n,)
        Line or position of each interval in its source, from 1.
    notes : tuple of str
        What was left out or assumed.
    """

    start: Times
    length: Array
    series: tuple[MeasuredSeries, ...]
    values: Array
    places: NDArray[np.int64]
    notes: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        n, m = self.values.shape
        assert self.start.shape == self.length.shape == self.places.shape == (n,), "one of each for an interval"
        assert len(self.series) == m, "one series for each column"

    def __len__(self) -> int:
        return len(self.start)

    def names(self, quantity: str) -> tuple[str, ...]:
        """Names that have this quantity, in the order of the source."""
        return tuple(dict.fromkeys(each.name for each in self.series if each.quantity == quantity))

    def has(self, quantity: str, name: str | None = None, **labels: str) -> bool:
        """Whether there is such a series."""
        return bool(self._found(quantity, name, labels))

    def column(self, quantity: str, name: str | None = None, **labels: str) -> Array:
        """Values of one series, shape (n,).

        Parameters
        ----------
        quantity : str
        name : str, optional
            Whose; may be left out where only one series has this quantity.
        **labels : str
            `work`, `resource`, `region`, `lpar`, `system`, where a name alone does not decide.

        Raises
        ------
        ModelError
            Where none or several are found.
        """
        found = self._found(quantity, name, labels)
        item = f"{name}.{quantity}" if name else quantity
        if not found:
            have = [each.title for each in self.series]
            raise ModelError("intervals", f"have no series {item}", suggestion(item, have))
        if len(found) > 1:
            several = ", ".join(sorted({self._whole(self.series[i]) for i in found}))
            raise ModelError("intervals", f"have {len(found)} series {item}: {several}", "say which one")
        return self.values[:, found[0]]

    def rows_where(self, keep: NDArray[np.bool_]) -> Intervals:
        """The intervals that are marked, shape (n,)."""
        kept = {name: getattr(self, name)[keep] for name in ("start", "length", "values", "places")}
        return replace(self, **kept)

    def series_where(self, keep: Iterable[int]) -> Intervals:
        """The same intervals with these series alone, by position."""
        at = list(keep)
        return replace(self, series=tuple(self.series[i] for i in at), values=self.values[:, at])

    def _found(self, quantity: str, name: str | None, labels: Mapping[str, str]) -> list[int]:
        checks.choice("quantity", quantity, QUANTITIES)
        return [
            i
            for i, each in enumerate(self.series)
            if each.quantity == quantity
            and name in (None, each.name)
            and all(getattr(each, label) == value for label, value in labels.items())
        ]

    @staticmethod
    def _whole(each: MeasuredSeries) -> str:
        return "/".join(filter(None, (getattr(each, label) for label in LABELS))) or each.field

    def rows(self) -> list[dict[str, Any]]:
        """The tidy form: a dict an interval and series, in the order of the intervals; what was not measured is left out."""
        found = []
        starts = np.datetime_as_string(self.start, unit="ms")
        for i, j in zip(*np.nonzero(~np.isnan(self.values)), strict=True):
            each = self.series[j]
            time = "" if np.isnat(self.start[i]) else str(starts[i]).removesuffix(".000")
            labels = {label: getattr(each, label) for label in LABELS}
            figure = {"quantity": each.quantity, "value": float(self.values[i, j]), "unit": each.unit}
            place = {"field": each.field, "source": each.source, "place": int(self.places[i])}
            found.append({"time": time, "length": float(self.length[i]), **labels, **figure, **place})
        return found

    def as_dict(self) -> dict[str, Any]:
        """The object that --json prints: series with their values, interval by interval; what was not measured is None."""
        starts = [None if np.isnat(t) else str(t) for t in self.start]
        series = []
        for j, each in enumerate(self.series):
            about = {f.name: getattr(each, f.name) for f in fields(MeasuredSeries)}
            values = [None if np.isnan(v) else float(v) for v in self.values[:, j]]
            series.append({**about, "unit": each.unit, "values": values})
        lengths = [None if np.isnan(v) else float(v) for v in self.length]
        return {"start": starts, "length": lengths, "places": self.places.tolist(), "series": series, "notes": list(self.notes)}

    def title(self) -> str:
        """One line: how many intervals, from when to when, how many series."""
        return f"{counted(len(self), 'interval')}{self._span()}, {len(self.series)} series"

    def tables(self) -> list[Table]:
        """A row a series: what it is, whose, its field in the source, and its least, median and greatest value."""
        if not self.series:
            return []
        head = [["of", "quantity", "unit", "field", "measured", "least", "median", "greatest"]]
        body = []
        for each, values in zip(self.series, self.values.T, strict=True):
            there = values[~np.isnan(values)]
            spread = [figure(float(f(there))) if len(there) else "-" for f in (np.min, np.median, np.max)]
            body.append([self._whole(each), each.quantity, each.unit, each.field, str(len(there)), *spread])
        return [Table(head, body, 4)]

    def _span(self) -> str:
        known = self.start[~np.isnat(self.start)]
        if not len(known):
            return ""
        first, last = (np.datetime_as_string(t, unit="m").replace("T", " ") for t in (known.min(), known.max()))
        lengths = self.length[~np.isnan(self.length)]
        each = f" of {float(np.median(lengths)):g} s" if len(lengths) else ""
        if len(lengths) and (ends := np.quantile(lengths, (0.05, 0.95)))[1] > UNLIKE * ends[0]:
            each = f" of {ends[0]:g} to {ends[1]:g} s"
        return f"{each}, {first} to {last}"

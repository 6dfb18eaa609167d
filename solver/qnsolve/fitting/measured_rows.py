"""The intervals as a fit sees them: names of the sketch, its units of time, rows that have what is asked for."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from qnsolve.errors import ModelError, counted, suggestion
from qnsolve.measure.checked_series import Array
from qnsolve.measure.intervals.interval_table import LABELS, Intervals
from qnsolve.measure.intervals.quantities import QUANTITIES

PER_SECOND = {"s": 1.0, "ms": 1e3, "us": 1e6}
FEWEST = 3  # intervals
PLACES = ("region", "lpar", "system")
QR, CP = "QR", "CP"  # as the readers call what a region and an LPAR are busy with


@dataclass(frozen=True)
class MeasuredRows:
    """Intervals and the unit of time of the model that is fitted to them.

    Attributes
    ----------
    intervals : Intervals
    unit : {"s", "ms", "us"}
    """

    intervals: Intervals
    unit: str = "s"

    def __len__(self) -> int:
        return len(self.intervals)

    def has(self, name: str, quantity: str) -> bool:
        """Whether there is one such series."""
        return bool(self._labels(name, quantity))

    def column(self, name: str, quantity: str) -> Array:
        """Values (n,) in the model's unit of time; nan where nothing was measured."""
        times = PER_SECOND[self.unit]
        return self.in_seconds(name, quantity) * {"s": times, "1/s": 1 / times}.get(QUANTITIES[quantity].unit, 1.0)

    def in_seconds(self, name: str, quantity: str) -> Array:
        """The same values in the units of the table."""
        return self.intervals.column(quantity, **(self._labels(name, quantity) or {"name": name}))

    def _labels(self, name: str, quantity: str) -> dict[str, str]:
        """What finds the series: its name; of a region else its QR TCB, of an LPAR or system else its CPs."""
        if not name:
            return {"name": name} if self.intervals.has(quantity, name) else {}
        tried = [{"name": name}, {"region": name, "resource": QR}, {"lpar": name, "resource": CP}]
        tried.append({"system": name, "lpar": "", "resource": CP})
        return next((labels for labels in tried if self.intervals.has(quantity, **labels)), {})

    def names(self, quantity: str) -> tuple[str, ...]:
        """Names that have this quantity."""
        return self.intervals.names(quantity)

    def where(self, keep: NDArray[np.bool_]) -> MeasuredRows:
        """The marked rows."""
        return replace(self, intervals=self.intervals.rows_where(keep))

    def described(self, keep: NDArray[np.bool_] | None = None) -> str:
        """So many of so many intervals, from when to when."""
        whole = len(self)
        used = self.intervals if keep is None else self.intervals.rows_where(keep)
        text = counted(len(used), "interval") if len(used) == whole else f"{len(used)} of {whole} intervals"
        known = used.start[~np.isnat(used.start)]
        if len(known):
            first, last = (np.datetime_as_string(t, unit="m").replace("T", " ") for t in (known.min(), known.max()))
            text += f", {first} to {last}"
        return text

    def row_name(self, i: int) -> str:
        """How a row is named: its place in the source, and its time."""
        start = self.intervals.start[i]
        time = "" if np.isnat(start) else f" ({np.datetime_as_string(start, unit='m').replace('T', ' ')})"
        return f"row {self.intervals.places[i]}{time}"

    @property
    def source(self) -> tuple[str, ...]:
        """Files."""
        return tuple(dict.fromkeys(each.source for each in self.intervals.series if each.source))


def renamed(intervals: Intervals, names: Mapping[str, str] | None) -> Intervals:
    """The intervals with other names for classes, regions, LPARs or resources.

    Raises
    ------
    ModelError
        Where the data do not have a name.
    """
    if not isinstance(intervals, Intervals):
        repair = "make them by qn.measure.table({'orders.rate': [10, 20], ...})"
        raise ModelError("intervals", "must be measured intervals", repair, type(intervals).__name__)
    if len(intervals) < FEWEST:
        raise ModelError("intervals", f"must be {FEWEST} or more", "measure more intervals", len(intervals))
    if not names:
        return intervals
    known = dict.fromkeys(each.name for each in intervals.series)
    known |= dict.fromkeys(getattr(each, label) for each in intervals.series for label in PLACES if getattr(each, label))
    for name in names:
        if name not in known:
            rule = "must name a class, a resource, a region or an LPAR of the data"
            raise ModelError("rename", rule, suggestion(str(name), known), name)
    return replace(intervals, series=tuple(_renamed(each, names) for each in intervals.series))


def _renamed(each: Any, names: Mapping[str, str]) -> Any:
    if each.name not in names:
        own = {label: names[getattr(each, label)] for label in PLACES if getattr(each, label) in names}
        return replace(each, **own)
    label = next(label for label in ("work", "resource", "region", "lpar", "system") if getattr(each, label))
    assert label in LABELS
    return replace(each, **{label: names[each.name]})


def complete(columns: Iterable[Array]) -> NDArray[np.bool_]:
    """Rows (n,) in which every column has a value."""
    return np.asarray(~np.isnan(np.column_stack(list(columns))).any(axis=1))

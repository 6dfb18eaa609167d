"""A table as the checks see it: in the order of time, whose series belong together, and how rows are named."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from qnsolve.measure.intervals.interval_table import LABELS, Intervals, MeasuredSeries
from qnsolve.measure.intervals.quantities import QUANTITIES

from .finding import Finding

Array = NDArray[np.float64]
Mask = NDArray[np.bool_]
CPUS = ("cpu", "cp", "processor", "lpar", "mvs", "gcp")  # words in the name of a processor


@dataclass(frozen=True, eq=False)
class MeasuredOwner:
    """A class of work or a resource, and its series by quantity, each of shape (n,)."""

    name: str
    system: str
    lpar: str
    region: str
    columns: dict[str, Array]

    def title(self, quantity: str) -> str:
        """NAME.quantity."""
        return f"{self.name}.{quantity}" if self.name else quantity

    def beside(self, other: MeasuredOwner) -> bool:
        """Whether the two may be of the same processor: no label says otherwise."""
        pairs = ((self.system, other.system), (self.lpar, other.lpar), (self.region, other.region))
        return all(not a or not b or a == b for a, b in pairs)


@dataclass(frozen=True, eq=False)
class Examined:
    """A table in the order of time.

    Attributes
    ----------
    intervals : Intervals
        As given.
    servers : mapping of str to float
        Told by the caller, by name of the resource; "" for all.
    found : list of Finding
        What the checks add.
    """

    intervals: Intervals
    servers: Mapping[str, float]
    found: list[Finding] = field(default_factory=list)

    @cached_property
    def order(self) -> NDArray[np.intp]:
        """Rows of the table in the order of time; those without a clock last, as they stand."""
        return np.argsort(self.intervals.start, kind="stable")

    @cached_property
    def clock(self) -> bool:
        """Whether every interval has a begin."""
        return bool(len(self.intervals)) and not bool(np.isnat(self.intervals.start).any())

    @cached_property
    def begins(self) -> Array:
        """Begin of each interval in order [s]."""
        milliseconds = self.intervals.start[self.order].astype(np.int64).astype(np.float64)
        return milliseconds / 1000

    @cached_property
    def length(self) -> Array:
        """Length of each in order [s]."""
        return np.asarray(self.intervals.length[self.order])

    @cached_property
    def values(self) -> Array:
        """Values in order, shape (n, m), each series in one piece: the checks go through them one by one."""
        return np.asfortranarray(self.intervals.values[self.order])

    @cached_property
    def works(self) -> tuple[MeasuredOwner, ...]:
        """Classes of work."""
        return self._owners(True)

    @cached_property
    def resources(self) -> tuple[MeasuredOwner, ...]:
        """Processors, regions, devices."""
        return self._owners(False)

    @cached_property
    def titles(self) -> tuple[str, ...]:
        """NAME.quantity of each series, with all labels where a name is that of several owners."""
        named = self._named
        return tuple(".".join(filter(None, (named[self._key(each)], each.quantity))) for each in self.intervals.series)

    @staticmethod
    def _key(each: MeasuredSeries) -> tuple[str, ...]:
        return tuple(getattr(each, label) for label in LABELS)

    @cached_property
    def _named(self) -> dict[tuple[str, ...], str]:
        """Names of owners by their labels: short where that is clear."""
        keys = list(dict.fromkeys(self._key(each) for each in self.intervals.series))
        short = [key[3] or key[4] or key[2] or key[1] or key[0] for key in keys]
        return {
            key: name if short.count(name) == 1 else "/".join(filter(None, key)) for key, name in zip(keys, short, strict=True)
        }

    @staticmethod
    def _of_work(each: MeasuredSeries) -> bool:
        """Whether a series is of work: of a class, or of all work where it names nothing at all."""
        alone = not (each.resource or each.region or each.lpar) and QUANTITIES[each.quantity].of == "work"
        return bool(each.work) or alone

    def _owners(self, work: bool) -> tuple[MeasuredOwner, ...]:
        groups: dict[tuple[str, ...], dict[str, Array]] = {}
        for j, each in enumerate(self.intervals.series):
            if self._of_work(each) is work and not np.isnan(self.values[:, j]).all():
                groups.setdefault(self._key(each), {}).setdefault(each.quantity, self.values[:, j])
        return tuple(MeasuredOwner(self._named[key], key[0], key[1], key[2], columns) for key, columns in groups.items())

    def rate(self, owner: MeasuredOwner) -> Array | None:
        """Rate of a class, from its count where that alone was measured."""
        columns = owner.columns
        if "rate" in columns:
            return columns["rate"]
        return columns["count"] / self.length if "count" in columns and not np.isnan(self.length).all() else None

    def servers_of(self, owner: MeasuredOwner) -> Array | None:
        """Servers of a resource, shape (n,): as given by name, as measured, as given for all; None where none is known."""
        for name in (owner.name, owner.name.rsplit("/", maxsplit=1)[-1]):
            if name and name in self.servers:
                return np.full(len(self.intervals), float(self.servers[name]))
        if "servers" in owner.columns or "" not in self.servers:
            return owner.columns.get("servers")
        return np.full(len(self.intervals), float(self.servers[""]))

    def processors(self, word: str = "") -> list[MeasuredOwner]:
        """Resources whose utilization is that of processors: by their names, or the only one there is."""
        busy = [each for each in self.resources if "busy" in each.columns]
        if word:
            return [each for each in busy if word in each.name.casefold()]
        named = [each for each in busy if any(w in each.name.casefold() for w in CPUS) and "iip" not in each.name.casefold()]
        return named or (busy if len(busy) == 1 else [])

    def add(
        self,
        kind: str,
        severity: str,
        series: str,
        rows: Mask | None,
        text: str,
        size: tuple[float, float, str] = (np.nan, np.nan, ""),
    ) -> None:
        """Add a finding on the marked rows, in the order of time; on the whole table where they are None."""
        at = np.arange(len(self.intervals)) if rows is None else np.flatnonzero(rows)
        if not len(at):
            return
        numbers = self.order[[at[0], at[-1]]]
        first, last = (0, 0) if rows is None else (int(numbers[0]) + 1, int(numbers[1]) + 1)
        start, end = self._times(int(at[0]), int(at[-1]))
        place = int(self.intervals.places[numbers[0]])
        sentence = text if rows is None else f"{self._said(first, last, len(at), start, end)}: {text}"
        measured, expected = (float(each) if np.isfinite(each) else np.nan for each in size[:2])
        self.found.append(
            Finding(kind, severity, series, first, last, len(at), place, start, end, measured, expected, size[2], sentence)
        )

    def _times(self, first: int, last: int) -> tuple[str, str]:
        starts = self.intervals.start[self.order]
        if np.isnat(starts[first]) or np.isnat(starts[last]):
            return "", ""
        seconds = self.length[last]
        end = starts[last] + np.timedelta64(round(1000 * (0.0 if np.isnan(seconds) else float(seconds))), "ms")
        return str(starts[first]).removesuffix(".000"), str(end).removesuffix(".000")

    @staticmethod
    def _said(first: int, last: int, count: int, start: str, end: str) -> str:
        if count == 1:
            rows = f"interval {first}"
        elif last - first + 1 == count:
            rows = f"intervals {first} to {last}"
        else:
            rows = f"{count} of the intervals {min(first, last)} to {max(first, last)}"
        if not start:
            return rows
        same = start[:10] == end[:10]
        begin, finish = (clock_text(each, not same) for each in (start, end))
        day = f"{start[:10]} " if same else ""
        return f"{rows} ({day}{begin} to {finish})"


def clock_text(time: str, date: bool) -> str:
    """A time as a sentence has it: no seconds where they are 0."""
    clock = time[11:].removesuffix(":00") if time[11:].count(":") == 2 else time[11:]
    return f"{time[:10]} {clock}" if date else clock


def runs(marked: Mask) -> list[tuple[int, int]]:
    """First and last place of each run of marked rows."""
    edges = np.flatnonzero(np.diff(np.concatenate(([0], marked.astype(np.int8), [0]))))
    return [(int(a), int(b) - 1) for a, b in zip(edges[::2], edges[1::2], strict=True)]


def rows_of(n: int, first: int, last: int) -> Mask:
    """The marks of a run of rows."""
    found = np.zeros(n, dtype=bool)
    found[first : last + 1] = True
    return found


def spread(values: Array) -> float:
    """Standard deviation by the median of the distances from the median, which outliers do not move."""
    return 1.4826 * _middle(np.abs(values - _middle(values))) if len(values) else 0.0


def _middle(values: Array) -> float:
    """The median; nan where a figure is missing. numpy's own takes longer than the regressions that ask for it."""
    n, half = len(values), len(values) // 2
    parted = np.partition(values, (half, n - 1) if n % 2 else (half - 1, half, n - 1))
    if np.isnan(parted[-1]):
        return np.nan
    return float(parted[half]) if n % 2 else 0.5 * float(parted[half - 1] + parted[half])


def amount(value: float) -> str:
    """A figure in a sentence: four digits."""
    return f"{value:.4g}"


def percent(share: float) -> str:
    """A share in a sentence."""
    return f"{100 * share:.3g} %"

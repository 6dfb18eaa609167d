"""The clocks of a table: gaps, overlapping and double intervals, lengths, systems that do not line up."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from qnsolve.errors import counted

from .examined import Array, Examined, Mask, amount

SLACK = 0.05  # of a length, by which the next may begin early or late
SECONDS = 2.0  # slack at least: reports end at 29:59:999
NAMED = 5  # gaps named one by one
PARTIAL = 0.7  # of the usual length: a first or last interval below it
ALIGNED = 0.5  # share of common begins of two systems below which their clocks differ
HOUR = 3600.0


def check_clocks(x: Examined) -> None:
    """Add what the begins and lengths of the intervals show."""
    if not x.clock:
        if np.isnat(x.intervals.start).any() and not np.isnat(x.intervals.start).all():
            lost = np.isnat(x.intervals.start[x.order])
            x.add(
                "clock", "look", "time", lost, f"no time in {counted(int(lost.sum()), 'interval')}, the others are in its order"
            )
        return
    order = x.order
    if (np.diff(order) < 0).any():
        back = int((np.diff(x.intervals.start) < np.timedelta64(0, "ms")).sum())
        x.add(
            "clock", "note", "time", None, f"the rows are not in the order of time, {back} go back; they are taken in its order"
        )
    groups = list(_groups(x))
    for name, there in groups:
        _one_clock(x, name, np.flatnonzero(there))
    for i, (name, there) in enumerate(groups):
        for other, others in groups[i + 1 :]:
            _line_up(x, (name, other), x.begins[there], x.begins[others])


def _groups(x: Examined) -> Iterator[tuple[str, Mask]]:
    """Systems, and the rows of each; those measured in the same rows are one."""
    rows: dict[str, Mask] = {}
    for j, each in enumerate(x.intervals.series):
        name = "/".join(filter(None, (each.system, each.lpar)))
        there = ~np.isnan(x.values[:, j])
        rows[name] = rows[name] | there if name in rows else there
    seen: set[bytes] = set()
    for name, there in rows.items():
        key = np.packbits(there).tobytes()
        if key not in seen and there.any():
            seen.add(key)
            yield name, there


def _one_clock(x: Examined, name: str, at: NDArray[np.intp]) -> None:
    if len(at) < 2:
        return
    begins, length = x.begins[at], x.length[at]
    steps = np.diff(begins)
    positive = steps[steps > 0]
    usual = float(np.median(positive)) if len(positive) else np.nan
    lengths = np.where(np.isnan(length), usual, length)
    slack = np.maximum(SLACK * lengths[:-1], SECONDS)
    slack = np.minimum(slack, 0.5 * lengths[:-1])
    of = f"{name}: " if name else ""
    double = (steps == 0) & ((lengths[1:] == lengths[:-1]) | np.isnan(lengths[1:]))
    _pairs(x, at, double, "duplicate", "wrong", steps, f"{of}two rows have the same begin")
    over = (steps < lengths[:-1] - slack) & ~double
    gaps = steps - lengths[:-1] > slack
    if gaps.sum() > 0.8 * len(gaps) and not np.isnan(length).all():
        between = float(np.median(steps)) - float(np.median(lengths))
        text = f"{of}intervals of {amount(float(np.median(lengths)))} s begin every {amount(float(np.median(steps)))} s: "
        text += "what ran between was not measured"
        x.add("gap", "look", "time", _marks(x, at), text, (float(np.median(lengths)), float(np.median(lengths)) + between, "s"))
        gaps = steps - float(np.median(steps)) > np.maximum(SLACK * float(np.median(steps)), SECONDS)
        lengths = np.full(len(lengths), float(np.median(steps)))
    if over.sum() > 0.8 * len(over):
        text = f"{of}intervals of {amount(float(np.median(lengths)))} s begin every {amount(usual)} s: they overlap"
        x.add("overlap", "wrong", "time", _marks(x, at), text, (float(np.median(lengths)), usual, "s"))
    else:
        _pairs(
            x, at, over, "overlap", "wrong", lengths[:-1] - steps, f"{of}the next interval begins {{}} s before this one ends"
        )
    _pairs(x, at, gaps, "gap", "look", steps - lengths[:-1], f"{of}{{}} s are missing between these two")
    for place in (0, len(at) - 1):
        if len(at) > 3 and lengths[place] < PARTIAL * float(np.median(lengths)):
            mine = np.zeros(len(x.intervals), dtype=bool)
            mine[at[place]] = True
            size = float(lengths[place]), float(np.median(lengths)), "s"
            text = f"{of}{amount(size[0])} s long, the others {amount(size[1])} s: a part of an interval"
            x.add("partial", "look", "time", mine, text, size)


def _marks(x: Examined, at: NDArray[np.intp]) -> Mask:
    found = np.zeros(len(x.intervals), dtype=bool)
    found[at] = True
    return found


def _pairs(x: Examined, at: NDArray[np.intp], marked: Mask, kind: str, severity: str, size: Array, text: str) -> None:
    """A finding for each pair of neighbours; for all together where there are many."""
    places = np.flatnonzero(marked)
    if len(places) > NAMED:
        rows = np.zeros(len(x.intervals), dtype=bool)
        rows[at[places]] = rows[at[places + 1]] = True
        total = float(size[places].sum())
        said = text.format(amount(float(np.median(size[places]))))
        x.add(kind, severity, "time", rows, f"{said}, {len(places)} times", (total, 0.0, "s"))
        return
    for i in places.tolist():
        rows = np.zeros(len(x.intervals), dtype=bool)
        rows[at[i]] = rows[at[i + 1]] = True
        said = text.format(amount(float(size[i])))
        if kind in ("gap", "overlap") and abs(float(size[i]) - HOUR) < SECONDS:
            said += ": an hour, as where summer time begins or ends"
        x.add(kind, severity, "time", rows, said, (float(size[i]), 0.0, "s"))


def _line_up(x: Examined, names: tuple[str, str], one: Array, other: Array) -> None:
    common = np.isin(one, other).sum() / min(len(one), len(other))
    if common >= ALIGNED:
        return
    inside = one[(one >= other.min()) & (one <= other.max())]
    if not len(inside):
        if not (other[(other >= one.min()) & (other <= one.max())]).size:
            text = f"{names[0] or 'one'} and {names[1] or 'other'} were not measured at the same time"
            x.add("clock", "look", "time", None, text)
        return
    after = np.searchsorted(other, inside, side="right") - 1
    late = inside - other[np.maximum(after, 0)]
    step = float(np.median(np.diff(np.unique(other)))) if len(np.unique(other)) > 1 else np.nan
    apart = float(np.median(late))
    apart = apart - step if not np.isnan(step) and apart > step / 2 else apart
    said = f"{'after' if apart > 0 else 'before'} those of {names[1] or 'the other'}"
    text = f"the intervals of {names[0] or 'one system'} begin {amount(abs(apart))} s {said}: the clocks do not line up"
    x.add("clock", "look", "time", None, text, (apart, 0.0, "s"))

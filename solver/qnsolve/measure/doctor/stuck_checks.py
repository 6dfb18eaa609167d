"""Series that stand still while others move, rows that repeat the row before, and what is missing."""

from __future__ import annotations

import numpy as np

from .examined import Array, Examined, Mask, amount, percent, rows_of, runs

STANDING = ("users", "servers", "limit", "weight", "think_time", "at_limit", "capped", "figure", "cpu_time", "service_time")
CHANCE = 1e-3  # of a run by chance in a whole table, at most
FEWEST = 3  # equal rows in a row
GRAIN = 1e-4  # relative, to which distances are whole multiples of the least where figures are rounded
COARSE, FINE = 2.5, 10.0  # steps of rounding that rows move by, from which equal rows say something: of a run, of two rows
AROUND = 10  # rows before and after a run
NAMED = 3  # runs of one series named one by one
FULL = 0.95  # a utilization from here on stands because the servers are full
MISSING = 0.02  # share of rows without a figure that is reported


def check_stuck(x: Examined) -> None:
    """Add series that stand still, and rows that are repeated."""
    n = len(x.intervals)
    if n < FEWEST:
        return
    same = x.values[1:] == x.values[:-1]
    both = ~np.isnan(x.values[1:]) & ~np.isnan(x.values[:-1])
    moving = [j for j in range(x.values.shape[1]) if (both[:, j] & ~same[:, j]).any()]
    repeated = _repeated(x, same, both, moving)
    for j, each in enumerate(x.intervals.series):
        if each.quantity in STANDING or not both[:, j].any():
            continue
        if j not in moving:
            _constant(x, j, moving)
            continue
        equal = same[:, j] & both[:, j] & (x.values[1:, j] != 0) & ~repeated
        found = sorted(runs(equal), key=lambda run: run[0] - run[1])
        pairs = int(both[:, j].sum())
        outside = int(equal.sum()) - sum(b - a + 1 for a, b in found[:NAMED] if b > a)
        chance = (outside + 0.02) / (pairs + 1.0)
        grain = _grain(x.values[:, j])
        if grain:
            chance = max(chance, 0.4 * grain / max(_moved(x.values[:, j]), grain))
        longest = max(FEWEST, 1 + int(np.ceil(np.log(n / CHANCE) / -np.log(min(chance, 0.999)))))
        for first, last in found[:NAMED]:
            value = float(x.values[first, j])
            if (each.quantity == "busy" and FULL <= value <= 1) or abs(value) < FINE * grain:
                continue
            if last - first + 2 >= longest and _lively_beside(x.values[:, j], first, last + 1, grain):
                _stands(x, j, first, last + 1, moving)


def _grain(values: Array) -> float:
    """The step of figures that are rounded; 0 where they are not."""
    there = values[~np.isnan(values)]
    different = np.unique(there)
    if len(different) < 2 or len(different) == len(there):
        return 0.0
    apart = np.diff(different)
    grain = float(apart.min())
    times = apart / grain
    return 0.0 if (np.abs(times - np.round(times)) > GRAIN * times).any() else grain


def _moved(values: Array) -> float:
    """How far a series moves from row to row, in the median."""
    steps = np.abs(np.diff(values[~np.isnan(values)]))
    return float(np.median(steps)) if len(steps) else 0.0


def _lively_beside(values: Array, first: int, last: int, grain: float) -> bool:
    """Whether a rounded series moves by more than its rounding in the rows before and after a run."""
    if not grain:
        return True
    width = max(AROUND, last - first)
    before, after = values[max(first - width, 0) : first + 1], values[last : last + width + 1]
    steps = np.abs(np.concatenate([np.diff(before[~np.isnan(before)]), np.diff(after[~np.isnan(after)])]))
    return bool(len(steps)) and float(np.median(steps)) >= COARSE * grain


def _repeated(x: Examined, same: Mask, both: Mask, moving: list[int]) -> Mask:
    """Pairs of rows that are alike in all that moves; each run of them is a finding."""
    lively = [j for j in moving if x.intervals.series[j].quantity not in STANDING]
    fine = sum(_moved(x.values[:, j]) > FINE * _grain(x.values[:, j]) for j in lively)
    if fine < 2:
        return np.zeros(len(same), dtype=bool)
    alike = (same[:, lively] | ~both[:, lively]).all(axis=1) & (both[:, lively] & (x.values[1:][:, lively] != 0)).sum(
        axis=1
    ).__gt__(1)
    found = runs(alike)
    for first, last in found[:NAMED]:
        rows = rows_of(len(x.intervals), first, last + 1)
        x.add("repeated", "wrong", "all", rows, f"all {len(lively)} figures that move elsewhere are the same in these rows")
    if len(found) > NAMED:
        rows = np.zeros(len(x.intervals), dtype=bool)
        for first, last in found[NAMED:]:
            rows[first : last + 2] = True
        x.add("repeated", "wrong", "all", rows, f"rows repeat the row before {len(found) - NAMED} times more")
    return np.asarray(alike)


def _constant(x: Examined, j: int, moving: list[int]) -> None:
    each, n = x.intervals.series[j], len(x.intervals)
    column = x.values[:, j]
    if each.quantity in ("msu", "count", "at_limit") or n < 8 or not moving or np.nanmax(column) == 0:
        return
    value = float(column[~np.isnan(column)][0])
    if each.quantity == "busy" and FULL <= value <= 1:
        return
    text = f"{x.titles[j]} is {amount(value)} in every row{_others(x, np.ones(n, dtype=bool), j, moving)}"
    x.add("stuck", "look", x.titles[j], ~np.isnan(column), text, (value, np.nan, each.unit))


def _stands(x: Examined, j: int, first: int, last: int, moving: list[int]) -> None:
    each = x.intervals.series[j]
    rows = rows_of(len(x.intervals), first, last)
    value = float(x.values[first, j])
    unit = "/s" if each.unit == "1/s" else f" {each.unit}".rstrip("1").rstrip()
    others = _others(x, rows, j, moving)
    text = f"{x.titles[j]} stands still at {amount(value)}{unit}{others}"
    x.add("stuck", "wrong" if others else "look", x.titles[j], rows, text, (value, np.nan, each.unit))


def _others(x: Examined, rows: Mask, j: int, moving: list[int]) -> str:
    """What moves most in these rows meanwhile: a utilization where there is one."""
    best: tuple[float, str] = (0.0, "")
    for k in moving:
        values: Array = x.values[rows, k]
        values = values[~np.isnan(values)]
        if k == j or len(values) < 2 or not (middle := abs(float(np.median(values)))):
            continue
        moved = float(np.ptp(values)) / middle
        weight = 1000.0 if x.intervals.series[k].quantity == "busy" and moved > 0.02 else 1.0
        if moved * weight > best[0]:
            best = (moved * weight, f" while {x.titles[k]} moves by {percent(moved)}")
    return best[1]


def check_missing(x: Examined) -> None:
    """Note series that lack figures where others of the same owner have them."""
    n = len(x.intervals)
    for owner in (*x.works, *x.resources):
        there = np.zeros(n, dtype=bool)
        for column in owner.columns.values():
            there |= ~np.isnan(column)
        for quantity, column in owner.columns.items():
            lost = there & np.isnan(column)
            if lost.any() and lost.sum() >= MISSING * there.sum():
                title = owner.title(quantity)
                text = f"{title} is missing in {int(lost.sum())} of {int(there.sum())} rows"
                x.add("missing", "note", title, lost, text, (float(lost.sum()), 0.0, "intervals"))

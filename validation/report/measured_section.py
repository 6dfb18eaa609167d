"""The section of the report on figures measured by others."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

from ..measured_by_others import (
    FIGURES,
    GOALS,
    INTERVALS,
    JOINED,
    KINDS,
    RATE,
    RESPONSE,
    Fitted,
    Held,
    missed,
    reasons,
    results,
)
from .blocks import Block, block, percent

ALL = "all"
REASON = ("effect", "size", "settle")
WAYS = ("model", "usl", "naive")
NAMES = {"model": "model", "usl": "law", "naive": "naive"}
PARTS = ("", " mean", " 95th")
SPREAD = ", ".join(f"{NAMES[way]}{part}:percent" for way in WAYS for part in PARTS)
EACH = ", ".join(f"{NAMES[way]}{part}:percent" for way in WAYS for part in PARTS[:2])
RULE = (
    "Fitted on the lower half of the loads, at least three, or the first half of the time, by one call without any setting "
    "for a set; the rest is predicted. The general constants of the call were chosen with these sets, and random networks, "
    "in view: sets that it has not seen are the stricter test. Beside it the universal scalability law by "
    "least squares of the same rows, and the naive line: rates in proportion to the load up to the highest seen, responses "
    "as in the median of the fitted rows, the highest utilization; of intervals utilization in proportion to the sum of "
    "rates. Errors without sign: median, mean, 95th percentile. In range is the share of measured figures that lie in the "
    "range that the fit states"
)


def spread(held: Sequence[Held], way: str) -> tuple[float, float, float] | tuple[None, None, None]:
    """Median, mean and 95th percentile of the errors without sign [relative]."""
    errors = [abs(error) for each in held if (error := each.error(way)) is not None]
    if not errors:
        return None, None, None
    return float(np.median(errors)), float(np.mean(errors)), float(np.quantile(errors, 0.95))


def _line(held: Sequence[Held]) -> list[Any]:
    return [part for way in WAYS for part in spread(held, way)]


def _within(held: Sequence[Held]) -> float | None:
    stated = [each.within for each in held if each.within is not None]
    return sum(stated) / len(stated) if stated else None


def _of(figure: str, found: Iterable[Fitted]) -> list[Held]:
    return [held for each in found for held in each.of(figure)]


def totals() -> list[tuple[Any, ...]]:
    """A row for each kind of set and figure, then for all sets: with intervals one by one, and joined."""
    kinds: list[tuple[str, tuple[str, ...]]] = [(kind, (kind,)) for kind in KINDS]
    kinds += [(ALL, tuple(kind for kind in KINDS if kind != JOINED))]
    kinds += [(f"{ALL}, joined", tuple(kind for kind in KINDS if kind != INTERVALS))]
    rows = []
    for name, among in kinds:
        for figure in FIGURES:
            held = _of(figure, (each for each in results() if each.kind in among))
            if held:
                rows.append((name, figure, len(held), *_line(held), _within(held)))
    return rows


def _sets(figure: str) -> Block:
    rows = []
    for each in results():
        if held := each.of(figure):
            errors = [part for way in WAYS for part in spread(held, way)[: len(PARTS) - 1]]
            rows.append((each.name, each.rows, len(held), each.numbers, each.limit, *errors, _within(held)))
    columns = f"set, fitted:count, held out:count, numbers:count, capacity, {EACH}, in range:percent"
    return block(f"Each set: {figure}", columns, rows, folded=True)


def blocks() -> list[Block]:
    """The tables of the section: over all sets, each set by figure, the sets that are missed, what the fits say."""
    why = reasons()
    missing = [
        (each.name, figure, spread(each.of(figure), "model")[0], *(why[each.name][part] for part in REASON))
        for each, figure in missed()
    ]
    notes = [(each.name, note) for each in results() for note in each.notes]
    goals = ", ".join(f"{figure} {100 * goal:g} %" for figure, goal in GOALS.items())
    columns = "set, figure, median error:percent, effect, size, what would settle it"
    return [
        block("Over all sets", f"sets, figure, held out:count, {SPREAD}, in range:percent", totals(), f"{RULE}."),
        *(_sets(figure) for figure in FIGURES),
        block("Sets that are missed", columns, missing, f"Those with a median error beyond the goal: {goals}."),
        block("What the fits say", "set, note", notes, "Said by the fit itself, before any prediction.", folded=True),
    ]


def opening() -> str:
    """One sentence."""
    rows = {(row[0], row[1]): row for row in totals()}
    rate, time = rows[ALL, RATE], rows[ALL, RESPONSE]
    return (
        f"Measured by others: {len(results())} fits; {rate[2]} rates held out, median error {percent(rate[3], signed=False)} "
        f"(scalability law {percent(rate[6], signed=False)}); {time[2]} responses, {percent(time[3], signed=False)} "
        f"({percent(time[6], signed=False)})."
    )


def summary_lines() -> list[str]:
    """The rows of the table over all sets in validation/measured/README.md."""
    lines = []
    for kind, figure, count, *figures in totals():
        ways = [figures[start : start + 3] for start in range(0, 9, 3)]
        shown = [" / ".join(f"{100 * part:.1f}" for part in way) + " %" if way[0] is not None else "" for way in ways]
        lines.append(f"| {kind} | {figure} | {count} | {shown[0]} | {shown[1]} | {shown[2]} |")
    return lines

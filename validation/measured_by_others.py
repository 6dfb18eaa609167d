"""Measured by others: each set fitted on its lowest loads by one rule, the rest predicted, beside two simpler ways.

The rule was written before a figure was computed, but for the joining of intervals. A ladder is fitted on the lower half of
its loads, rounded up, at least three; intervals on the first half of the time. Everything that was measured in those rows
goes into the one public call, with no setting for a set. Families that differ in their number of threads are also fitted at
the fewest and predicted at the others by changing that number alone. Responses of intervals are judged one by one, and again
over intervals that are joined until each class has 400 jobs: a mean over fewer is by itself off by more than 5 %.
"""

from __future__ import annotations

import csv
import io
import tomllib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cache
from math import ceil
from typing import Any

import numpy as np
import qnsolve as qn
from numpy.typing import NDArray
from qnsolve.files.writing import write_text
from qnsolve.measure import LadderFit

from .accepted import MOVED
from .measured.baselines import law, naive_line, scalability_law
from .measured.measured_sets import MEASURED, Array, Intervals, Ladder, intervals, ladders

FEWEST = 3
EXPECTED = MEASURED / "expected.csv"
HEAD = ("set", "figure", "row", "error_percent", "usl_percent", "naive_percent")
ENOUGH = 400  # jobs of each class after which a mean of their responses is known to 5 %, where they vary as their mean
LADDER, THREADS, INTERVALS, JOINED = KINDS = ("ladder", "other threads", "intervals", "intervals, joined")
RATE, RESPONSE, UTILIZATION = FIGURES = ("rate", "response", "utilization")

GOALS = {RATE: 0.03, RESPONSE: 0.05, UTILIZATION: 0.05}  # median error of a set beyond which it counts as missed


@dataclass(frozen=True)
class Held:
    """One measured figure that entered nothing, beside what predicts it.

    Attributes
    ----------
    figure, row : str
        What it is; which row, its load or the number of the interval.
    measured, model, naive : float
    usl : float or None
        The universal scalability law; None for intervals.
    within : bool or None
        Whether it lies in the range that the fit states; None where it states none.
    """

    figure: str
    row: str
    measured: float
    model: float
    naive: float
    usl: float | None = None
    within: bool | None = None

    def error(self, way: str = "model") -> float | None:
        """Predicted over measured, less 1."""
        found = getattr(self, way)
        return None if found is None else found / self.measured - 1


@dataclass(frozen=True)
class Fitted:
    """One set: its fit, and every figure held out.

    Attributes
    ----------
    name, file, kind : str
    rows : int
        Fitted.
    numbers : int
        Fitted to them.
    limit : str
        Where the capacity comes from; empty for intervals.
    notes : tuple of str
        Of the fit.
    held : tuple of Held
    """

    name: str
    file: str
    kind: str
    rows: int
    numbers: int
    limit: str
    notes: tuple[str, ...]
    held: tuple[Held, ...]

    def of(self, figure: str) -> list[Held]:
        """Its held-out figures of one kind."""
        return [each for each in self.held if each.figure == figure]


@cache
def results() -> tuple[Fitted, ...]:
    """Every set, fitted and predicted."""
    by_time = [found for each in intervals() for found in _first_half(each)]
    return (*(_lower_half(each) for each in ladders()), *_other_threads(), *by_time)


def _fit(ladder: Ladder, count: int) -> LadderFit:
    parts = (ladder.responses, ladder.busy, ladder.deviations)
    responses, busy, deviations = (None if part is None else part[:count] for part in parts)
    return qn.measure.fit_ladder(
        ladder.loads[:count],
        ladder.rates[:count],
        responses,
        busy=busy,
        servers=ladder.threads,
        rate_deviations=deviations,
    )


def _numbers(fit: LadderFit) -> int:
    """All numbers from the rows: of the curve, of the response law and of the utilization."""
    law = fit.utilization
    use = 0 if law is None else sum(part > 0 for part in (law.demand, law.waiting_share, law.constant))
    return len(fit.fitted) + bool(fit.think_time) + (fit.response_ratio != 1) + use


def _lower_half(ladder: Ladder) -> Fitted:
    count = max(FEWEST, ceil(len(ladder.loads) / 2))
    fit = _fit(ladder, count)
    held = _held(ladder, count, fit, ladder, 1.0)
    return Fitted(ladder.name, ladder.file, LADDER, count, _numbers(fit), fit.limit, fit.notes, tuple(held))


def _other_threads() -> list[Fitted]:
    found = []
    for family in dict.fromkeys(each.family for each in ladders() if each.family):
        first, *others = sorted((each for each in ladders() if each.family == family), key=lambda each: each.threads or 0)
        count = len(first.loads)
        fit = _fit(first, count)
        assert first.threads
        for other in others:
            assert other.threads
            more = fit.with_servers(other.threads)
            held = _held(first, count, more, other, other.threads / first.threads)
            name = f"{first.name} to {other.name.split()[-1]}"
            found.append(Fitted(name, first.file, THREADS, count, _numbers(fit), fit.limit, more.notes, tuple(held)))
    return found


def _held(fitted: Ladder, count: int, fit: LadderFit, ladder: Ladder, times: float) -> list[Held]:
    """The rows of a ladder that the fit did not see; with `times` the threads of the fitted one, all of them."""
    start = count if ladder is fitted else 0
    loads, rates = ladder.loads[start:], ladder.rates[start:]
    seen, seen_rates = fitted.loads[:count], fitted.rates[:count]
    there = fit.predict(loads)
    solved = np.array([qn.solve(fit.network(int(load)))["jobs"].throughput for load in loads])
    inside = (there.lowest_rates <= rates) & (rates <= there.highest_rates)
    usl = times * law(loads / times, *scalability_law(seen, seen_rates))
    line = naive_line(seen, seen_rates, loads, times)
    names = [f"{load:g}" for load in loads]
    found = [Held(RATE, *each) for each in zip(names, rates, solved, line, usl, map(bool, inside), strict=True)]
    if ladder.responses is not None and fitted.responses is not None:
        model = fit.response_ratio * (loads / solved - fit.think_time)
        naive = np.full(len(loads), np.median(fitted.responses[:count]))
        measured = ladder.responses[start:]
        good = (there.lowest_response_times <= measured) & (measured <= there.highest_response_times)
        columns = (measured, model, naive, loads / usl, map(bool, good))
        found += [Held(RESPONSE, *each) for each in zip(names, *columns, strict=True)]
    if ladder.busy is not None and fitted.busy is not None and there.busy is not None:
        each_rate = np.median(fitted.busy[:count] / seen_rates) / times
        naive = np.full(len(loads), fitted.busy[:count].max())
        by_usl = np.minimum(each_rate * usl, 1.0)
        found += [Held(UTILIZATION, *each) for each in zip(names, ladder.busy[start:], there.busy, naive, by_usl, strict=True)]
    return found


def _first_half(measured: Intervals) -> list[Fitted]:
    """The second half of the time; where there are responses, also joined to intervals of enough jobs."""
    count = ceil(len(measured.busy) / 2)

    def first(part: dict[str, Array]) -> dict[str, Array]:
        return {name: values[:count] for name, values in part.items()}

    responses = measured.responses or {}
    fit = qn.measure.fit_intervals(
        first(measured.rates),
        measured.busy[:count],
        measured.servers,
        response_times=first(responses),
        captured=None if measured.captured is None else measured.captured[:count],
    )
    there = fit.predict({name: values[count:] for name, values in measured.rates.items()})
    rates = {name: values[count:] for name, values in measured.rates.items()}
    total = np.sum(list(measured.rates.values()), axis=0)
    naive = total[count:] * np.median(measured.busy[:count] / total[:count])
    busy = np.column_stack([measured.busy[count:], there.busy, naive])
    times = {name: _times(values, count, there.response_times[name]) for name, values in responses.items()}
    inside = (there.lowest_busy <= busy[:, 0]) & (busy[:, 0] <= there.highest_busy)
    each = [np.array([i]) for i in range(len(busy))]
    held = _joined(each, count, busy, times, rates, [bool(good) for good in inside])
    numbers = sum(each.value > 0 for each in (*fit.demands.values(), fit.base))
    numbers += sum(part > 0 for pair in fit.responses.values() for part in pair)
    about = (measured.file, INTERVALS, count, numbers, "", fit.notes)
    found = [Fitted(measured.name, *about, tuple(held))]
    if responses:
        least = np.min([rates[name] for name in responses], axis=0) * measured.seconds
        groups = _groups(least)
        name = f"{measured.name}, joined to {ENOUGH} jobs"
        about = (measured.file, JOINED, count, numbers, "", fit.notes)
        found.append(Fitted(name, *about, tuple(_joined(groups, count, busy, times, rates, [None] * len(groups)))))
    return found


def _times(values: Array, count: int, model: Array) -> Array:
    """Measured, predicted and naive responses of the intervals after the fitted ones (n, 3)."""
    return np.column_stack([values[count:], model, np.full(len(model), np.median(values[:count]))])


def _groups(jobs: Array) -> list[NDArray[np.intp]]:
    """Intervals one after the other, until each class has enough jobs; a rest that has not is left out."""
    found, start = [], 0
    for end in range(1, len(jobs) + 1):
        if jobs[start:end].sum() >= ENOUGH:
            found.append(np.arange(start, end))
            start = end
    return found


def _joined(
    groups: list[NDArray[np.intp]],
    count: int,
    busy: Array,
    times: dict[str, Array],
    rates: dict[str, Array],
    inside: Sequence[bool | None],
) -> list[Held]:
    """Figures of groups of intervals: means of utilization, means of responses over all jobs."""
    held = []
    for group, good in zip(groups, inside, strict=True):
        row = f"{count + group[0] + 1}" + (f" to {count + group[-1] + 1}" if len(group) > 1 else "")
        value, model, naive = busy[group].mean(axis=0)
        held.append(Held(UTILIZATION, row, value, model, naive, within=good))
        for name, columns in times.items():
            value, model, naive = np.average(columns[group], axis=0, weights=rates[name][group])
            held.append(Held(RESPONSE, f"{row}, {name}", value, model, naive))
    return held


def missed() -> list[tuple[Fitted, str]]:
    """Sets and figures whose median error is beyond the goal."""
    return [
        (each, figure)
        for each in results()
        for figure, goal in GOALS.items()
        if each.of(figure) and np.median([abs(held.error() or 0.0) for held in each.of(figure)]) > goal
    ]


def reasons() -> dict[str, dict[str, Any]]:
    """Why sets are missed, by name: effect, size, what would settle it."""
    groups = tomllib.loads((MEASURED / "reasons.toml").read_text(encoding="utf-8"))["reason"]
    return {name: group for group in groups for name in group["sets"]}


def entries(found: Iterable[Fitted]) -> list[tuple[str, ...]]:
    """A row of the accepted file for each held-out figure."""
    return [
        (each.name, held.figure, held.row, *(_percent(held.error(way)) for way in ("model", "usl", "naive")))
        for each in found
        for held in each.held
    ]


def _percent(error: float | None) -> str:
    return "" if error is None else f"{100 * error:+.4f}"


def accept() -> int:
    """Store the figures as the accepted ones; returns how many."""
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(HEAD)
    rows = entries(results())
    writer.writerows(rows)
    write_text(EXPECTED, out.getvalue())
    return len(rows)


def stored() -> dict[tuple[str, ...], list[str]]:
    """The accepted figures."""
    if not EXPECTED.exists():
        return {}
    with EXPECTED.open(encoding="utf-8", newline="") as file:
        return {tuple(row[:3]): row[3:] for row in list(csv.reader(file))[1:]}


def changes() -> list[str]:
    """A line for each figure that moved, is new or is gone."""
    old = stored()
    new = {row[:3]: list(row[3:]) for row in entries(results())}
    lines = []
    for key in [*old, *(key for key in new if key not in old)]:
        was, now = old.get(key), new.get(key)
        if was is None or now is None or any(_moved(a, b) for a, b in zip(was, now, strict=True)):
            place = f"measured by others, {key[0]}, {key[1]} ({key[2]})"
            lines.append(f"{place}: was {_state(was)}, is {_state(now)}")
    return lines


def _moved(was: str, now: str) -> bool:
    return was != now and (not was or not now or abs(float(was) - float(now)) > MOVED)


def _state(values: list[str] | None) -> str:
    return "not predicted" if values is None else f"{values[0]} %"

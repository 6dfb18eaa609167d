"""A day or a month of measured intervals, solved one by one: peak, overload, growth, and when it no longer holds."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from qnsolve.analysis.runs.points import Executor, LongRun, Progress, long_run
from qnsolve.errors import ModelError, counted, suggestion
from qnsolve.measure.intervals.interval_table import Intervals
from qnsolve.model import checks
from qnsolve.model.network import Network
from qnsolve.numerics.series import Array
from qnsolve.results.rendering import Table, defined, figure

from .backlog import backlog, jobs_left
from .day_end import day_end
from .day_figures import DayFigures
from .day_loads import DayLoads, digest_of, loads_of
from .day_solver import known_loads, load_solver
from .day_words import day_sentences
from .first_break import broken
from .growth_rates import GrowthRate, growth_rates
from .peak_hour import peak_hour

if TYPE_CHECKING:
    from qnsolve.zos.solve_system import System

SHOWN = 12  # intervals of the printed table


@dataclass(frozen=True)
class Day(DayFigures):
    """Measured intervals, solved: n intervals in the order of time, R classes, C centers.

    Attributes
    ----------
    heading, notes
        As for every report.
    loads : DayLoads
        Begins, lengths, rates.
    centers : tuple of str
    response : ndarray (n, R)
        With the delay by backlog [s]; nan where a class has no work.
    utilization : ndarray (n, C)
        [0..1]
    offered : ndarray (n,)
        Work asked for over what the fullest center can do.
    fullest : tuple of str, length n
    backlog : ndarray (n,)
        At the end of each interval [jobs].
    delay : ndarray (n,)
        Mean delay by the backlog of what comes in the interval [s].
    worked_off : ndarray (n,)
        When a backlog ends, from the begin of the interval [s]; nan else.
    missed : ndarray of bool (n,)
        Saturated, or a target missed.
    targets : dict of str to float
        [s]
    peak : PeakHour
    growth : tuple of GrowthRate
    until : str
        Where the search ended, "" without growth.
    end : DayEnd or None
        None where all holds to there.
    """

    def rows(self) -> list[dict[str, Any]]:
        """A row an interval and class, in the order of time."""
        found = []
        busiest = self.utilization.max(axis=1, initial=0.0)
        for i in range(len(self)):
            start = self.loads.start[i]
            shared = {
                "fullest": self.fullest[i],
                "used_percent": 100 * float(busiest[i]),
                "offered": float(self.offered[i]),
                "backlog": float(self.backlog[i]),
                "delay": float(self.delay[i]),
            }
            for r, name in enumerate(self.loads.names):
                found.append(
                    {
                        "interval": int(self.loads.order[i]) + 1,
                        "time": "" if np.isnat(start) else str(start).removesuffix(".000"),
                        "class": name,
                        "load": float(self.loads.values[i, r]),
                        "response_time": float(self.response[i, r]),
                        **shared,
                    }
                )
        return found

    def as_dict(self) -> dict[str, Any]:
        """The object that --json prints; undefined numbers are None."""
        peak = {**vars(self.peak), "jobs": float(self.peak.jobs)}
        end = None if self.end is None else defined(vars(self.end))
        growth = [dict(vars(each)) for each in self.growth]
        more = {"peak": peak, "growth": growth, "until": self.until, "end": end, "targets": self.targets}
        return {**super().as_dict(), **more}

    def tables(self) -> list[Table]:
        """The fullest intervals, in the order of time; `rows()` has all."""
        shown = np.sort(np.argsort(-(self.offered + self.delay), kind="stable")[:SHOWN])
        head = ["time", *(f"{name} load" for name in self.loads.names), *(f"{name} response" for name in self.loads.names)]
        head += ["fullest", "offered", "backlog", "delay"]
        units = [
            "",
            *("users" if u else "1/s" for u in self.loads.users),
            *("s" for _ in self.loads.names),
            "",
            "%",
            "jobs",
            "s",
        ]
        body = []
        for i in shown.tolist():
            numbers = [*self.loads.values[i], *self.response[i]]
            cells = [figure(float(each), 4) for each in numbers]
            rest = [figure(100 * float(self.offered[i]), 4), figure(float(self.backlog[i]), 4), figure(float(self.delay[i]), 4)]
            body.append([self.loads.clock_text(i), *cells, self.fullest[i], *rest])
        title = "" if len(self) <= SHOWN else f"the {SHOWN} fullest of {len(self)} intervals"
        return [Table([head, units], body, 1, title)]

    def sentences(self) -> tuple[str, ...]:
        """The verdict, then the peak, each overload, the growth."""
        return day_sentences(self)


def day(
    model: Network | System,
    intervals: Intervals | Mapping[str, Any],
    *,
    targets: Mapping[str, float] | None = None,
    growth: Any = None,
    until: Any = None,
    executor: Executor | None = None,
    journal: str | os.PathLike[str] | None = None,
    progress: Progress | None = None,
) -> Day:
    """Solve the measured intervals of a day or a month one by one, and say when they no longer hold.

    Parameters
    ----------
    model : Network or System
    intervals : Intervals, or the columns of one
        Rates by class, the names those of the model; users where classes go round.
    targets : mapping of str to float, optional
        Response times that must be met, by class [s].
    growth : float, str, or mapping of str to either, optional
        Of the load: 0.08 or "8%/year", "2%/month"; "measured" takes the trend of the intervals; by class where a mapping, ""
        for the others. Without `until` it is followed for ten years.
    until : date, optional
        Where the search ends, "2028-12" or a date; without `growth`, the trend of the intervals.
    executor : object with a method map, optional
        Solves the loads of models that are solved one by one, as systems are: a pool of `concurrent.futures`, or the like.
    journal : path, optional
        A file that keeps these as they are solved: a day that was stopped goes on from there, and finds the same to the bit.
    progress : callable, optional
        Gets how many of these are solved, and how many the day has asked for so far, after each.

    Returns
    -------
    Day

    Raises
    ------
    ModelError
        Also where the journal is of another day.

    Notes
    -----
    Each interval is solved as a steady state. Where the fullest center is asked for more than it can do, the rest is carried
    into the next interval as a fluid and delays what comes there, in order of arrival; not over a gap longer than half an
    interval. Responses of such intervals are those
    at 95 % of what the center can do, and the delay.

    Examples
    --------
    >>> from qnsolve import Network, OpenClass, Queue
    >>> from qnsolve.measure import table
    >>> shop = Network([Queue("cpu")], [OpenClass("orders", arrival_rate=1.0, demands={"cpu": 0.01})])
    >>> hours = ["2026-03-02T09", "2026-03-02T10", "2026-03-02T11"]
    >>> rows = table({"orders.rate": [50.0, 120.0, 60.0]}, start=hours, length=3600)
    >>> found = day(shop, rows)
    >>> found.sentences()[0]
    'Does not hold: at 2026-03-02 10:00 cpu is asked for 120 % of capacity'
    >>> found.backlog.round().tolist()  # 20 a second too many, for an hour; then 40 a second are worked off
    [0.0, 72000.0, 0.0]
    """
    loads = loads_of(intervals, known_loads(model))
    wanted = _targets(targets, loads)
    given = growth if growth is not None or until is None else "measured"
    rates_of_growth, notes = growth_rates(given, loads, implied=growth is None)
    grown = _Grown(rates_of_growth, given is not None, until, notes)
    run = (model, loads.names, digest_of(loads), wanted, rates_of_growth, given is not None, str(until))
    with long_run(run, executor, journal, progress) as points:
        return _solved_day(model, loads, wanted, grown, points)


@dataclass(frozen=True)
class _Grown:
    """How the load grows: by class, whether it does at all, where the search ends, and notes."""

    rates: tuple[GrowthRate, ...]
    grows: bool
    until: Any
    notes: tuple[str, ...]


def _solved_day(model: Any, loads: DayLoads, wanted: dict[int, float], grown: _Grown, run: LongRun) -> Day:
    solver = load_solver(model, loads, run)
    found = solver.solved(loads.values)
    carried = backlog(found.offered, loads.length, loads.follows)
    names = tuple(solver.centers[k] if solver.centers else "" for k in found.fullest.tolist())
    uses = solver.uses
    delayed = uses[:, found.fullest].T if solver.centers else np.zeros(loads.values.shape, dtype=bool)
    response = found.response + np.where(delayed, carried.delay[:, None], 0.0)
    rates = loads.values * ~np.array(loads.users)
    jobs = jobs_left(carried.left, rates, found.offered, found.fullest, uses) if solver.centers else np.zeros(len(loads))
    missed = broken(found, wanted)
    for r, most in wanted.items():
        with np.errstate(invalid="ignore"):
            missed = missed | (response[:, r] > most)
    end, last, more = day_end(solver, loads, wanted, grown.rates, grown.until, found.offered, grown.grows)
    heading = f"{model.name or ('model' if isinstance(model, Network) else 'system')}: {counted(len(loads), 'interval')}"
    return Day(
        heading=heading,
        notes=(*loads.notes, *grown.notes, *more, *_not_carried(jobs, loads), *solver.notes()),
        loads=loads,
        centers=solver.centers,
        response=response,
        utilization=found.utilization,
        offered=found.offered,
        fullest=names,
        backlog=jobs,
        delay=carried.delay,
        worked_off=carried.worked_off,
        missed=missed,
        targets={loads.names[r]: most for r, most in wanted.items()},
        peak=peak_hour(loads),
        growth=grown.rates if grown.grows else (),
        until=last,
        end=end,
    )


def _not_carried(jobs: Array, loads: DayLoads) -> tuple[str, ...]:
    """The note of backlogs that end at a gap between the intervals."""
    gaps = np.flatnonzero(~loads.follows)
    lost = jobs[gaps - 1]
    if not (lost > 0).any():
        return ()
    count = f"{len(gaps)} gap{'s' if len(gaps) > 1 else ''} between the intervals"
    return (f"{count}: nothing is known of the load there, the backlog ({lost.max():.3g} jobs at most) is not carried over",)


def _targets(targets: Mapping[str, float] | None, loads: DayLoads) -> dict[int, float]:
    if targets is not None and not isinstance(targets, Mapping):
        rule = "must be a mapping of classes to seconds"
        raise ModelError("targets", rule, f"write {{{loads.names[0]!r}: 0.2}}", targets)
    found = {}
    for name, most in (targets or {}).items():
        if name not in loads.names:
            raise ModelError("targets", "must name classes that were measured", suggestion(str(name), loads.names), name)
        found[loads.names.index(name)] = checks.number(f"targets[{name!r}]", most, positive=True)
    return found

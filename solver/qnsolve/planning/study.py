"""The study of a system: until when it holds its growing work, why it ends, what fills up next, and what would help."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from functools import cached_property
from math import isnan
from typing import Any

from qnsolve.analysis.runs.points import Executor, LongRun, Progress, long_run
from qnsolve.errors import ModelError, suggestion
from qnsolve.files.short_forms import seconds
from qnsolve.model import checks
from qnsolve.results.digits import percent, signed, time
from qnsolve.results.rendering import Table, defined
from qnsolve.results.sentences import be
from qnsolve.zos.report.reasons import ERROR
from qnsolve.zos.solve_system import System, only_system

from .assumptions import assumptions, doubts, said_error
from .center_uses import center_uses
from .drawing import drawing
from .last_month import first_failing
from .load_points import LoadPoint, LoadPoints
from .loads.load_path import DatedLoad, LoadPath, SpecialDay, first_month, load_path
from .loads.months import PERIODS, Month, label, month_of, period_end
from .options.remedies import remedies_of
from .options.what_if_answers import what_if_answers
from .options.what_ifs import WhatIf, what_if
from .study_figures import Asked, CenterUse, Period, StudyFigures, StudyWork
from .study_words import study_sentences
from .time_split import time_split
from .verdicts import verdict_of

HORIZON = 120  # months that a search goes on at least
MOST_PERIODS = 120
TWO_YEARS = 24  # months, where no end is given and it holds for
FIVE_YEARS = 60  # months within which the end is shown, where none is given


@dataclass(frozen=True)
class Study(StudyFigures):
    """Until when a system holds its growing work.

    Attributes
    ----------
    heading, notes
        As for every report.
    asked : Asked
    verdict : Verdict
    periods : tuple of Period
        In the order of time; the first is the first month.
    centers : tuple of CenterUse
        By how soon they would be full.
    what_ifs : tuple of WhatIfAnswer
        In the order of the question; remedies that were found by the largest gain.
    times : tuple of TimeAt
    assumptions : tuple of str
    path : LoadPath
        The load month by month.
    last : System or None
        The system at the last load that holds, None where none does.
    next : System or None
        That at the first load that does not.
    """

    def rows(self) -> list[dict[str, Any]]:
        """A row a period and work."""
        found = []
        for period in self.periods:
            shared = {"fullest": period.fullest, "used_percent": period.used_percent, "holds": period.holds}
            for work in period.work:
                values = asdict(work)
                simulated = values.pop("simulated")
                values["simulated"] = simulated["response_time"] if simulated else float("nan")
                name = values.pop("name")
                found.append({"period": period.name, "month": period.month, "work": name, **values, **shared})
        return found

    def as_dict(self) -> dict[str, Any]:
        """The object that --json prints; undefined numbers are None."""
        parts = {
            "asked": asdict(self.asked),
            "verdict": asdict(self.verdict),
            "periods": [asdict(each) for each in self.periods],
            "centers": [asdict(each) for each in self.centers],
            "what_ifs": [asdict(each) for each in self.what_ifs],
            "times": [asdict(each) for each in self.times],
            "assumptions": list(self.assumptions),
            "drawing": drawing(self.system),
        }
        return {**super().as_dict(), **{key: plain(value) for key, value in parts.items()}}

    def sentences(self) -> tuple[str, ...]:
        """The verdict, then what a planner can read aloud."""
        return study_sentences(self)

    def ordered(self, blocks: list[list[str]], below: list[str]) -> list[list[str]]:
        """The verdict and the other sentences, then the tables."""
        return [below, *blocks]

    def tables(self) -> list[Table]:
        """Response times by period, the fullest centers, and the what-ifs."""
        names = [work.name for work in self.periods[0].work]
        body = [
            [
                each.name,
                *(time(work.response_time, 3) for work in each.work),
                each.fullest,
                f"{percent(each.used_percent)} %",
                "yes" if each.holds else "no",
            ]
            for each in self.periods
        ]
        found = [Table([["period", *names, "fullest", "used", "holds"]], body, 1, "Response time by period")]
        if self.what_ifs:
            head = ["change", "holds until", "months gained", *names, "CPU change"]
            body = [
                [
                    each.name,
                    each.holds_until or "not today",
                    f"{'≥ ' * each.at_least}{each.months}",
                    *(time(value, 3) for value in each.response_time.values()),
                    "-" if isnan(each.cpu_change) else f"{signed(100 * each.cpu_change)} %",
                ]
                for each in self.what_ifs
            ]
            title = f"What if: response times and CPU at the load of {self.verdict.holds_until or self.asked.begin}"
            found.append(Table([head], body, 2, title))
        return found


def plain(value: Any) -> Any:
    """Lists and tables with None for numbers that are not defined."""
    if isinstance(value, dict):
        return {key: plain(each) for key, each in value.items()}
    if isinstance(value, list | tuple):
        return [plain(each) for each in value]
    return defined({"": value})[""]


def study(
    system: System,
    *,
    growth: Any = None,
    until: Any = None,
    begin: Any = None,
    targets: Mapping[str, float | str] | None = None,
    what_ifs: Sequence[str | WhatIf] = (),
    by: str = "quarter",
    seasons: Any = None,
    special_days: Sequence[SpecialDay | Mapping[str, Any]] = (),
    remedies: bool | None = None,
    executor: Executor | None = None,
    journal: str | os.PathLike[str] | None = None,
    progress: Progress | None = None,
) -> Study:
    """Until when a system holds its growing work, why it ends, what fills up next, and what would help.

    Parameters
    ----------
    system : System
    growth : float, str, path, or mapping of work to these
        Of the load: "8%/quarter", "15%/year", "1.08^4", 0.08 a year; the name of a CSV file with a column month and one for
        each work it forecasts; by work where a mapping, "" for the others.
    until : str or date, optional
        The last month that must hold, "2027-12"; where left out two years on, or the period in which it ends where that is
        within five years.
    begin : str or date, optional
        The month whose load the system describes; this month where left out.
    targets : mapping of work to float or str, optional
        Response times that must be met [s]; a text has its unit, "200 ms".
    what_ifs : sequence of str, optional
        Changes, "SYSA.threads=2" or "LOG.stripes+1"; see `what_if`.
    by : {"quarter", "month", "year"}
        The periods of the tables.
    seasons : mapping of month or quarter to float, optional
        Load over that of a plain month [ratio]: {12: 1.3}, {"Q4": 1.2}; by work where of such mappings.
    special_days : sequence of SpecialDay or mapping, optional
        Days with more work than their month.
    remedies : bool, optional
        Whether changes that may help are sought: each engine, zIIP, region, stripe and limit; where left out, if there are
        no what-ifs and the system does not hold to the end.
    executor : object with a method map, optional
        Solves the periods, then the changes: a pool of `concurrent.futures`, or the like.
    journal : path, optional
        A file that keeps each load and each change as it is solved: a study that was stopped goes on from there, and finds
        the same to the bit.
    progress : callable, optional
        Gets how many parts are done and how many there are: the system as it is, then each change.

    Returns
    -------
    Study

    Raises
    ------
    ModelError
        Also where the journal is of another study.

    Examples
    --------
    >>> from qnsolve import zos
    >>> site = zos.System(
    ...     lpars=[zos.Lpar("PROD", processors=4)],
    ...     regions=[zos.CicsRegion("AOR1", lpar="PROD", mxt=150)],
    ...     work=[zos.Work("orders", rate=500, regions="AOR1", qr_cpu=0.001)])
    >>> found = study(site, growth="8%/quarter", begin="2026-12", until="2028-12", targets={"orders": 0.003})
    >>> found.verdict.holds_until, found.verdict.center
    ('2027-11', 'AOR1 QR TCB')
    """
    system = only_system(system)
    checks.choice("by", by, PERIODS)
    start = first_month(begin)
    end = start + TWO_YEARS if until is None else month_of("until", until, last=True)
    if not start < end <= start + 12 * 50:
        raise ModelError(
            "until", f"must lie after {start}, at most 50 years", "give a later month, or another --from", str(until)
        )
    if (end - start).astype(int) / PERIODS[by] > MOST_PERIODS:
        raise ModelError("by", f"gives more than {MOST_PERIODS} periods", "take quarters or years", by)
    wanted = _targets(targets, system)
    path = load_path(system, start, growth, seasons, special_days)
    changes = tuple(each if isinstance(each, WhatIf) else what_if(system, each) for each in what_ifs)
    question = _Question(system, wanted, path, start, end, until is None, begin is None, by, changes, bool(what_ifs), remedies)
    with long_run(question.identity, executor, journal, None) as run:
        return _studied(question, run, progress)


@dataclass(frozen=True, eq=False)
class _Question:
    """What is asked, checked.

    Attributes
    ----------
    open_end, today : bool
        No last month, no first month was given.
    given : bool
        Whether there are what-ifs.
    """

    system: System
    targets: dict[str, float]
    path: LoadPath
    start: Month
    end: Month
    open_end: bool
    today: bool
    by: str
    changes: tuple[WhatIf, ...]
    given: bool
    remedies: bool | None

    @cached_property
    def loads(self) -> list[DatedLoad]:
        """The loads to the end of the search."""
        return self.path.between(self.start, max(self.end, self.start + HORIZON))

    @property
    def identity(self) -> object:
        """What makes a run of this study what it is."""
        loads = [(str(each.month), each.day, each.factors.tolist()) for each in self.loads]
        asked = (str(self.end), self.open_end, self.by, self.given, self.remedies)
        return (self.system, self.targets, loads, *asked, [(each.name, each.system) for each in self.changes])


def _studied(question: _Question, run: LongRun, progress: Progress | None) -> Study:
    system, wanted, path, by, changes = question.system, question.targets, question.path, question.by, question.changes
    start, end, loads = question.start, question.end, question.loads
    points = LoadPoints(system, wanted, run)
    shown = _shown(path, start, end, by)
    needed = [
        place for place, load in enumerate(loads) if any(load.month == each.month and load.day == each.day for each in shown)
    ]
    ends = bool(wanted) or any(item.rate is not None for item in system.work)  # users only wait longer
    place = first_failing(points, loads, 0, needed) if ends else len(loads)
    if question.open_end and place < len(loads) and end < loads[place].month < start + FIVE_YEARS:
        end = period_end(loads[place].month, by)
        shown = _shown(path, start, end, by)
    failing = _failing_months(points, loads, place, end)
    points.ahead([load.factors for load in shown if points.saturated(load.factors) is None and not _over_full(points, load)])
    periods = tuple(_period(points, path, load, by, start, failing) for load in shown)
    held = loads[max(place - 1, 0)] if place < len(loads) else [load for load in loads if load.month <= end][-1]
    good = points.at(held.factors)
    missed = points.at(loads[place].factors) if place < len(loads) else None
    uses = center_uses(points, path, shown, good, start, HORIZON)
    periods = tuple(_named(period, place, uses) for place, period in enumerate(periods))
    times = time_split(points, points.at(loads[0].factors), good)
    verdict = verdict_of(points, loads, place, periods, end, by)
    left_out = 0
    if question.remedies or (question.remedies is None and not changes and place < len(loads) and loads[place].month <= end):
        tried, left_out = remedies_of(points, good)
        changes += tried
    answers = what_if_answers(points, changes, loads, place, held, progress)
    if not question.given:
        answers = tuple(sorted(answers, key=lambda each: -each.months))
    remarks = [f"{each.name}: {each.remark}" for each in answers if each.remark]
    if left_out:
        remarks.append(f"{left_out} more changes of parts that are less full were not tried; --what-if tries any")
    solved_notes = [said_error(good) if note == ERROR else note for note in good.result.notes] if good.solved else []
    asked = _asked(path, start, end, by, wanted, system, changes)
    return Study(
        heading=f"{system.name or 'system'}: {asked.begin} to {asked.until}",
        notes=tuple(dict.fromkeys((*remarks, *doubts(periods[0], path, end), *solved_notes))),
        asked=asked,
        verdict=verdict,
        periods=periods,
        centers=uses,
        what_ifs=answers,
        times=times,
        assumptions=assumptions(asked, question.today, path, points, good),
        path=path,
        system=system,
        last=points.at_factors(held.factors) if good.holds else None,
        next=points.at_factors(loads[place].factors) if missed is not None else None,
    )


def _targets(given: Mapping[str, float | str] | None, system: System) -> dict[str, float]:
    names = [item.name for item in system.work]
    if given is not None and not isinstance(given, Mapping):
        raise ModelError("targets", "must be a mapping of work to seconds", f"write {{{names[0]!r}: 0.2}}", given)
    found = {}
    for name, most in (given or {}).items():
        if name not in names:
            raise ModelError("targets", "names no work of the system", suggestion(str(name), names), name)
        found[name] = checks.number(f"targets: {name}", seconds(f"targets: {name}", most), positive=True)
    return found


def _shown(path: LoadPath, start: Month, end: Month, by: str) -> list[DatedLoad]:
    """The load of each period: the first month, then the fullest load of each period to the end."""
    found = list(path.loads(start))[:1]
    month = start + 1
    while month <= end:
        stop = min(period_end(month, by), end)
        found.append(max(path.between(month, stop), key=lambda load: float(load.factors.sum())))
        month = stop + 1
    return found


def _over_full(points: LoadPoints, load: DatedLoad) -> bool:
    """Whether a load asks a center for more than it can do, whatever waits."""
    return any(points.plain.at(name, load.factors) >= 1 for name in points.plain.names)


def _failing_months(points: LoadPoints, loads: Sequence[DatedLoad], place: int, end: Month) -> set[Month]:
    """Months to the end that are known not to hold."""
    return {load.month for load in loads[place:] if load.month <= end and points.holds(load.factors) is False}


def _period(points: LoadPoints, path: LoadPath, load: DatedLoad, by: str, start: Month, failing: set[Month]) -> Period:
    known = points.saturated(load.factors)
    point = points.at(load.factors) if known is None else known
    solved = point.solved
    name = label(load.month, by) if load.month > start else str(start)
    inside = {month for month in failing if label(month, by) == label(load.month, by) and month > start and load.month > start}
    holds = point.holds and not inside
    fullest, used = point.fullest if solved else (point.full, point.overload)
    work = []
    for w, item in enumerate(points.system.work):
        base = float(item.rate if item.rate is not None else item.users or 0)
        result = point.result.work[w] if solved else None
        work.append(
            StudyWork(
                item.name,
                base * float(load.factors[w]),
                result.response_time if result else float("nan"),
                result.response_error if result else float("nan"),
                points.targets.get(w, float("nan")),
                result.etr if result else float("nan"),
            )
        )
    return Period(
        name=name,
        month=str(load.month),
        day=load.day,
        holds=holds,
        reason=_reason(points, point) if not point.holds else f"{min(inside)} does not hold" if inside else "",
        fullest=points.grouped(fullest),
        used_percent=100 * used,
        solved=solved,
        work=tuple(work),
        cpu_percent={lpar.name: lpar.cpu_percent for lpar in point.result.lpars} if solved else {},
        factors={name: float(factor) for name, factor in zip(points.names, load.factors, strict=True)},
    )


def _named(period: Period, place: int, uses: Sequence[CenterUse]) -> Period:
    """A period in which a center is full, with the one that is asked for most."""
    most = max((use for use in uses if use.limits), key=lambda use: use.used[place], default=None)
    if period.solved or most is None:
        return period
    return replace(period, fullest=most.name, used_percent=most.used[place], reason=f"{most.name} {be(most.name)} full")


def _reason(points: LoadPoints, point: LoadPoint) -> str:
    if not point.solved:
        return f"{points.grouped(point.full)} {be(point.full)} full"
    return ", ".join(f"{name} misses its target" for name in point.missed)


def _asked(
    path: LoadPath, start: Month, end: Month, by: str, targets: Mapping[str, float], system: System, changes: Sequence[WhatIf]
) -> Asked:
    growth = {}
    for name, text in zip(path.works, path.texts, strict=True):
        forecast = path.forecasts.get(name)
        growth[name] = (f"{forecast.source}, then {text or 'none'}" if forecast else text) or "none"
    seasons = []
    for w, name in enumerate(path.works if (path.seasons != path.seasons[:, :1]).any() else path.works[:1]):
        factors = path.seasons[:, w]
        words = ", ".join(f"month {m + 1} x {factors[m]:g}" for m in range(12) if factors[m] != 1)
        if words:
            seasons.append(f"{name}: {words}" if (path.seasons != path.seasons[:, :1]).any() else words)
    days = tuple(f"{day.date} x {day.factor:g}{f' {day.name}' if day.name else ''}" for day in path.days)
    names = tuple(each.name for each in changes)
    return Asked(str(start), str(end), by, growth, dict(targets), tuple(seasons), days, names)

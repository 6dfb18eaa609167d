"""The parts of a study's answer."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from qnsolve.results.answer import Report
from qnsolve.zos.solve_system import System

from .loads.load_path import LoadPath


@dataclass(frozen=True)
class Verdict:
    """Until when a system holds, and why no longer.

    Attributes
    ----------
    holds_until : str
        The last month that holds, "2027-05"; "" where the first one does not.
    first_missed : str
        The first month, or special day, that does not hold; "" where none was found.
    kind : {"saturated", "target", "none"}
        A center is full, a response time is above its target, or neither.
    center : str
        The center that fills up, equal regions together; "" where none does.
    waits_for : str
        What that center waits for itself, "" for nothing: the CPs of a QR TCB.
    waits_for_percent : float
        How full that is at the last month that holds [%].
    work : str
        Whose response time is missed, "" where none is.
    last_good, next_period : str
        The last period that holds, and the one after it; "" where there is none.
    earliest, latest : str
        Last months that hold if response times are off by their stated errors; "" where no target decides.
    beyond : bool
        Whether the system holds to the end of the question.
    simulated : bool
        Whether `holds_until` is the month that simulation gives.
    modelled_until : str
        The month that the model gives, where that was simulated.
    """

    holds_until: str
    first_missed: str
    kind: str
    center: str = ""
    waits_for: str = ""
    waits_for_percent: float = 0.0
    work: str = ""
    last_good: str = ""
    next_period: str = ""
    earliest: str = ""
    latest: str = ""
    beyond: bool = False
    simulated: bool = False
    modelled_until: str = ""


@dataclass(frozen=True)
class Simulated:
    """A simulated response time.

    Attributes
    ----------
    response_time, half_width : float
        [s], 95 %.
    """

    response_time: float
    half_width: float


@dataclass(frozen=True)
class StudyWork:
    """A work in a period.

    Attributes
    ----------
    name : str
    load : float
        Rate [1/s], or users.
    response_time, response_error : float
        [s], [ratio]; nan where a center is full.
    target : float
        [s]; nan without one.
    etr : float
        [1/s]
    simulated : Simulated or None
    """

    name: str
    load: float
    response_time: float
    response_error: float
    target: float
    etr: float
    simulated: Simulated | None = None


@dataclass(frozen=True)
class Period:
    """A period of a study: the fullest month of it.

    Attributes
    ----------
    name : str
        "2027-Q2".
    month : str
        The month that was taken.
    day : str
        The special day, "" for none.
    holds : bool
    reason : str
        Why not.
    fullest : str
    used_percent : float
        [%]; above 100 what the center would be asked for.
    solved : bool
        Whether there is an operating point: no center is full.
    work : tuple of StudyWork
    cpu_percent : dict of LPAR to float
        [%]; empty where it is not solved.
    factors : dict of work to float
        Load over that of the file [ratio].
    """

    name: str
    month: str
    day: str
    holds: bool
    reason: str
    fullest: str
    used_percent: float
    solved: bool
    work: tuple[StudyWork, ...]
    cpu_percent: dict[str, float]
    factors: dict[str, float]


@dataclass(frozen=True)
class CenterUse:
    """How full a center, or equal ones, gets.

    Attributes
    ----------
    name, kind : str
        Kinds: CPs, zIIPs, QR TCB, limit, coupling facility, log, device.
    used : tuple of float
        By period [%]; at full centers what they would be asked for.
    limits : bool
        Whether work waits when it is full; False for zIIPs whose work overflows to CPs.
    full_in : str
        The month in which it would be full if nothing else were, "" within ten years.
    """

    name: str
    kind: str
    used: tuple[float, ...]
    limits: bool
    full_in: str


@dataclass(frozen=True)
class WhatIfAnswer:
    """What a change of the system gives.

    Attributes
    ----------
    name : str
    changes : tuple of str
    holds_until, first_missed : str
    months : int
        More than without it [months]; at least so many where it holds to the end of the search.
    at_least : bool
    cause : str
        What ends it.
    response_time : dict of work to float
        At the load of the last month that the system holds without it [s]; nan where a center is full.
    cpu_percent : dict of LPAR to float
        There [%].
    cpu_change : float
        Engines busy there, over those without it, less 1 [ratio]; nan where not known.
    remark : str
    """

    name: str
    changes: tuple[str, ...]
    holds_until: str
    first_missed: str
    months: int
    at_least: bool
    cause: str
    response_time: dict[str, float]
    cpu_percent: dict[str, float]
    cpu_change: float
    remark: str = ""


@dataclass(frozen=True)
class TimeAt:
    """Where the response time of a work goes, equal regions added.

    Attributes
    ----------
    work, center : str
    today, last : float
        At the first load, and at the last that holds [s].
    """

    work: str
    center: str
    today: float
    last: float


@dataclass(frozen=True)
class Asked:
    """The question of a study.

    Attributes
    ----------
    begin, until, by : str
        Months; month, quarter or year.
    growth : dict of work to str
        As it was given; "none" where a work does not grow.
    targets : dict of work to float
        [s]
    seasons, special_days : tuple of str
        In words.
    what_ifs : tuple of str
    """

    begin: str
    until: str
    by: str
    growth: dict[str, str]
    targets: dict[str, float]
    seasons: tuple[str, ...] = ()
    special_days: tuple[str, ...] = ()
    what_ifs: tuple[str, ...] = field(default=())


@dataclass(frozen=True)
class StudyFigures(Report):
    """The figures of a study; `Study` says what each is."""

    asked: Asked
    verdict: Verdict
    periods: tuple[Period, ...]
    centers: tuple[CenterUse, ...]
    what_ifs: tuple[WhatIfAnswer, ...]
    times: tuple[TimeAt, ...]
    assumptions: tuple[str, ...]
    path: LoadPath = field(repr=False)
    system: System = field(repr=False)
    last: System | None = field(repr=False)
    next: System | None = field(repr=False)


def held_at_first(periods: Sequence[Period]) -> Sequence[Period]:
    """The periods before the first that does not hold."""
    return periods[: next((place for place, each in enumerate(periods) if not each.holds), len(periods))]

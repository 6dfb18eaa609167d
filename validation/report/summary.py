"""The report in numbers: counts, errors, parameters."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import groupby
from statistics import mean, median

from ..case import VERDICTS, Calibration, Point, Study
from ..published import published_tables as published
from ..published.published_tables import place
from .blocks import percent
from .station_kinds import KIND, KINDS


@dataclass(frozen=True)
class Skill:
    """The errors of some figures, and those of both baselines [relative].

    Attributes
    ----------
    figures : int
    hits : float
        Share that is reproduced or close [0..1].
    median, mean, most : float
        Of the errors without sign; 95 of 100 are below the last.
    bounds, bounds_hits : float
        Mean error and hits with bounds only.
    naive_figures, naive, beside : int, float, float
        Figures that the naive planner has a number for, their mean error, and that of the model for the same.
    """

    figures: int
    hits: float
    median: float
    mean: float
    most: float
    bounds: float
    bounds_hits: float
    naive_figures: int
    naive: float | None
    beside: float | None

    @property
    def over_bounds(self) -> float:
        """1 - mean error over that of bounds only."""
        return 1 - self.mean / self.bounds if self.bounds > 0 else 0.0

    @property
    def over_naive(self) -> float | None:
        """1 - mean error over that of the naive planner; None without one."""
        return 1 - self.beside / self.naive if self.naive and self.beside is not None else None


QUEUEING = ("full center", "contention")
NAMES = {
    "constant CPU": "constant CPU × printed rate",
    "ladder": "ladder: line or ratio through rows",
    "path": "path: CPU or time by rules or parts",
    "full center": "full center: what it lets through",
    "contention": "contention: response, wait, rate",
}
BOTH = "full center and contention"


def skill(points: Sequence[Point]) -> Skill | None:
    """That of some figures; None without any."""
    if not points:
        return None
    errors = sorted(abs(point.error) for point in points)
    bounds = [error for point in points if (error := point.error_of("bounds")) is not None]
    naive = [(abs(error), abs(point.error)) for point in points if (error := point.error_of("naive")) is not None]
    return Skill(
        figures=len(points),
        hits=mean(point.verdict != "missed" for point in points),
        median=median(errors),
        mean=mean(errors),
        most=errors[min(int(0.95 * len(errors)), len(errors) - 1)],
        bounds=mean(abs(error) for error in bounds),
        bounds_hits=mean(point.verdict_of(error) != "missed" for point, error in zip(points, bounds, strict=True)),
        naive_figures=len(naive),
        naive=mean(error for error, _ in naive) if naive else None,
        beside=mean(error for _, error in naive) if naive else None,
    )


def skills(studies: Iterable[Study]) -> list[tuple[str, Skill | None]]:
    """By kind of figure, and of the two kinds that queueing theory is for together."""
    points = predicted(studies)
    rows = [(name, skill([p for p in points if p.kind == kind])) for kind, name in NAMES.items()]
    return [*rows, (BOTH, skill([p for p in points if p.kind in QUEUEING]))]


def centers(studies: Iterable[Study]) -> list[tuple[str, Skill]]:
    """By kind of center, in the order of KINDS; kinds without a figure are left out."""
    points = predicted(studies)
    found = [(kind, skill([p for p in points if KIND[p.station] == kind])) for kind in KINDS]
    return [(kind, each) for kind, each in found if each is not None]


def predicted(studies: Iterable[Study]) -> list[Point]:
    """Every predicted point."""
    return [point for study in studies for point in study.predicted]


def verdict_counts(studies: Iterable[Study]) -> tuple[int, ...]:
    """Predicted points by verdict, in the order of VERDICTS."""
    counts = Counter(point.verdict for point in predicted(studies))
    return tuple(counts[verdict] for verdict in VERDICTS)


WORKS = 0.8  # share of hits from which on a system counts as met


@dataclass(frozen=True)
class Met:
    """A system of the documents: its cases, their skill, and the effects that its models lack, the most frequent first."""

    name: str
    cases: tuple[str, ...]
    skill: Skill
    missing: tuple[str, ...]

    @property
    def verdict(self) -> str:
        """Whether a planner could have used it."""
        return "works" if self.skill.hits >= WORKS else "does not yet"


def systems(studies: Sequence[Study]) -> list[Met]:
    """Each system of the documents that has a case here with predictions."""
    found = []
    by_name = {study.case.name: study for study in studies}
    for name, cases in published.systems():
        points = predicted(by_name[case] for case in cases if case in by_name)
        each = skill(points)
        if each is not None:
            lacking = Counter(point.missing.effect for point in points if point.missing)
            found.append(Met(name, cases, each, tuple(effect for effect, _ in lacking.most_common())))
    return found


def anywhere(studies: Iterable[Study], kinds: Sequence[str] = ("fitted", "taken")) -> int:
    """Numbers computed from rows of any table; one that serves several cases counts once."""
    return len({c.key for study in studies for c in study.calibrations if c.kind in kinds})


def opening(studies: Sequence[Study]) -> str:
    """The first sentences: what the queues of the models are good for, and what the other figures are."""
    cases = f"{len(studies)} case{'s' if len(studies) > 1 else ''}"
    points = predicted(studies)
    if not points:
        return f"{cases}, no figure predicted."
    numbers = anywhere(studies, ENTER)
    each = f"{len(points) / numbers:.2f} figures for each number that enters." if numbers else "No measured number enters."
    found = skill([point for point in points if point.kind in QUEUEING])
    head = f"{cases}, {_counted(len(points), 'figure')} predicted."
    if found is None:
        return f"{head} Nothing is full or queues: these figures test CPU arithmetic, not queueing. {each}"
    hits, off = percent(found.hits, signed=False, digits=0), percent(found.mean, signed=False, digits=1)
    bounds, more = percent(found.bounds, signed=False, digits=1), percent(found.over_bounds, digits=0)
    return (
        f"{head} In {found.figures} of them something is full or queues: {hits} are reproduced or close, with a mean error of "
        f"{off}, where the same models without queues have {bounds} (skill {more}). The other {len(points) - found.figures} "
        f"test CPU arithmetic. {each}"
    )


def worst(studies: Iterable[Study]) -> list[tuple[Study, Point]]:
    """Every predicted point, the largest error first."""
    pairs = [(study, point) for study in studies for point in study.predicted]
    return sorted(pairs, key=lambda pair: -abs(pair[1].error))


ENTER = ("fitted", "taken", "printed")
ENTERS = {
    "fitted": "computed from rows of the table that is predicted",
    "taken": "computed from rows of other tables",
    "printed": "measured, and given to a model as printed: CPU times, speeds",
}


def numbers(studies: Sequence[Study]) -> list[tuple[str, int, float, str]]:
    """Measured numbers that enter: kind, how many, figures predicted for each, what they are."""
    points = len(predicted(studies))
    rows = [(kind, anywhere(studies, (kind,)), meaning) for kind, meaning in ENTERS.items()]
    rows.append(("all", anywhere(studies, ENTER), "each once, also where several cases use it"))
    return [(kind, count, points / max(count, 1), meaning) for kind, count, meaning in rows]


def counted(studies: Sequence[Study]) -> str:
    """What the figures of the report are, in a sentence."""
    points = predicted(studies)
    verdicts = ", ".join(f"{n} {verdict}" for n, verdict in zip(verdict_counts(studies), VERDICTS, strict=True))
    identities = sum(not p.counts for study in studies for p in study.points)
    inputs, suspect = sum(len(study.inputs) for study in studies), sum(bool(p.suspect) for p in points)
    return (
        f"{verdicts}. Not counted: {identities} identities, which follow from what was given, and {inputs} configured numbers "
        f"and offered rates that the documents state. {_counted(suspect, 'predicted figure')} doubtful in print, flagged."
    )


def origin(calibration: Calibration) -> str:
    """Where the rows of a calibrated number are printed, a table at a time."""
    tables = groupby(calibration.rows, key=lambda row: row.table.label)
    return "; ".join(place(rows) for _, rows in tables)


def effort(study: Study) -> str:
    """Parameters that entered and figures that were predicted, in words."""
    printed = anywhere([study], ("printed",))
    as_printed = f", {_counted(printed, 'measured figure')} given as printed" if printed else ""
    return f"{_counted(study.free, 'parameter')} fitted{as_printed}, {_counted(len(study.predicted), 'figure')} predicted"


def _counted(number: int, name: str) -> str:
    return f"{number} {name}{'s' if number != 1 else ''}"


def judged(study: Study) -> str:
    """The verdict in words."""
    found = skill(study.predicted)
    if found is None:
        return "Identities only: nothing is predicted."
    words = [f"mean error {percent(found.mean, signed=False, digits=1)}"]
    if any(point.kind in QUEUEING for point in study.predicted):
        words.append(f"without queues {percent(found.bounds, signed=False, digits=1)}")
    if found.naive is not None:
        words.append(f"naive planner {percent(found.naive, signed=False, digits=1)}")
    return f"{share(study)} reproduced or close; {', '.join(words)}."


def share(study: Study) -> str:
    """How many of its figures are reproduced or close."""
    good = sum(point.verdict != "missed" for point in study.predicted)
    return f"{good} of {len(study.predicted)}"

"""The report in numbers: counts, errors, parameters."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import groupby
from statistics import mean, median

from ..case import VERDICTS, Calibration, Point, Study
from ..published.published_tables import place
from .blocks import percent
from .station_kinds import KIND, KINDS


@dataclass(frozen=True)
class Spread:
    """The errors of one kind of station [relative]."""

    kind: str
    points: int
    mean: float
    median: float
    ninth: float
    largest: float
    counts: tuple[int, ...]


def predicted(studies: Iterable[Study]) -> list[Point]:
    """Every predicted point."""
    return [point for study in studies for point in study.predicted]


def verdict_counts(studies: Iterable[Study]) -> tuple[int, ...]:
    """Predicted points by verdict, in the order of VERDICTS."""
    counts = Counter(point.verdict for point in predicted(studies))
    return tuple(counts[verdict] for verdict in VERDICTS)


def spreads(studies: Iterable[Study]) -> list[Spread]:
    """Errors by kind of station, in the order of KINDS; kinds without a point are left out."""
    by_kind: dict[str, list[Point]] = {kind: [] for kind in KINDS}
    for point in predicted(studies):
        by_kind[KIND[point.station]].append(point)
    found = []
    for kind, points in by_kind.items():
        if points:
            errors = sorted(abs(point.error) for point in points)
            counts = Counter(point.verdict for point in points)
            ninth = errors[min(int(0.9 * len(errors)), len(errors) - 1)]
            by_verdict = tuple(counts[verdict] for verdict in VERDICTS)
            found.append(Spread(kind, len(points), mean(errors), median(errors), ninth, errors[-1], by_verdict))
    return found


def anywhere(studies: Iterable[Study], kinds: Sequence[str] = ("fitted", "taken")) -> int:
    """Numbers computed from rows of any table; one that serves several cases counts once."""
    return len({c.key for study in studies for c in study.calibrations if c.kind in kinds})


def opening(studies: Sequence[Study]) -> str:
    """The first sentences."""
    counts = verdict_counts(studies)
    total = sum(counts)
    free, strict = sum(study.free for study in studies), anywhere(studies)
    verdicts = ", ".join(f"{n} {verdict}" for n, verdict in zip(counts, VERDICTS, strict=True))
    errors = [abs(point.error) for point in predicted(studies)]
    cases = f"{len(studies)} case{'s' if len(studies) > 1 else ''}"
    if not total:
        return f"{cases}, no figure predicted."
    hit = percent((counts[0] + counts[1]) / total, signed=False)
    return (
        f"{cases}, {total} figures predicted: {verdicts}. {hit} are reproduced or close; half of the errors are below "
        f"{percent(median(errors), signed=False)}, the mean is {percent(mean(errors), signed=False)}. "
        f"Free parameters: {_ratio(free, total)} fitted to the table that is predicted; {_ratio(strict, total)} fitted to any."
    )


def _ratio(parameters: int, points: int) -> str:
    return f"{parameters} ({points / parameters:.2f} predictions for each)" if parameters else "none"


def worst(studies: Iterable[Study]) -> list[tuple[Study, Point]]:
    """Every predicted point, the largest error first."""
    pairs = [(study, point) for study in studies for point in study.predicted]
    return sorted(pairs, key=lambda pair: -abs(pair[1].error))


def numbers(studies: Sequence[Study]) -> list[tuple[str, int, str]]:
    """The counts of the first page: name, number, meaning."""
    points = predicted(studies)
    free, strict, printed = sum(study.free for study in studies), anywhere(studies), anywhere(studies, ("printed",))
    each_of_all = f"{len(points) / max(strict + printed, 1):.2f}"
    counts = verdict_counts(studies)
    return [
        ("cases", len(studies), "a table each, or a family of figures in one"),
        ("points", sum(len(study.points) for study in studies), "figures set beside a computed one"),
        (
            "identities",
            sum(not p.counts for s in studies for p in s.points),
            "follow from the same rows; never counted",
        ),
        (
            "inputs",
            sum(len(study.inputs) for study in studies),
            "configured numbers and offered rates that the document states",
        ),
        ("predictions", len(points), "printed figures that entered neither model nor calibration"),
        *zip(VERDICTS, counts, MEANING, strict=True),
        ("fitted, same table", free, f"free parameters from rows of the table predicted; {_each(points, free)}"),
        ("fitted, any table", strict, f"{RULE}; {_each(points, strict)}"),
        (
            "measured, as printed",
            printed,
            f"CPU times and speeds given to a model as printed; with them {each_of_all} predictions for each",
        ),
        ("suspect prints met", sum(bool(p.suspect) for p in points), "predicted figures that are doubtful in print; flagged"),
    ]


def _each(points: Sequence[Point], parameters: int) -> str:
    return f"{len(points) / max(parameters, 1):.2f} predictions for each"


RULE = "every number computed from rows of any table is free unless printed there as such; one of several cases counts once"
MEANING = (
    "within the source's repeatability, 1 %, or 3 % across tables, or half a printed digit",
    "within the tolerance that the case states in advance",
    "beyond it; the missing effect is named, with its size and the measurement that would confirm it",
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
    if not study.predicted:
        return "Identities only: nothing is predicted."
    return f"Worst verdict: {study.verdict}; {share(study)} reproduced or close."


def share(study: Study) -> str:
    """How many of its figures are reproduced or close."""
    good = sum(point.verdict != "missed" for point in study.predicted)
    return f"{good} of {len(study.predicted)}"

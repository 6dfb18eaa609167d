"""What the report says in numbers."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import groupby
from statistics import mean, median

from .blocks import percent
from .case import VERDICTS, Calibration, Point, Study
from .centers import KIND, KINDS
from .published import place


@dataclass(frozen=True)
class Spread:
    """The errors of one kind of center [relative]."""

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
    """Errors by kind of center, in the order of KINDS; kinds without a point are left out."""
    by_kind: dict[str, list[Point]] = {kind: [] for kind in KINDS}
    for point in predicted(studies):
        by_kind[KIND[point.center]].append(point)
    found = []
    for kind, points in by_kind.items():
        if points:
            errors = sorted(abs(point.error) for point in points)
            counts = Counter(point.verdict for point in points)
            ninth = errors[min(int(0.9 * len(errors)), len(errors) - 1)]
            told = tuple(counts[verdict] for verdict in VERDICTS)
            found.append(Spread(kind, len(points), mean(errors), median(errors), ninth, errors[-1], told))
    return found


def opening(studies: Sequence[Study]) -> str:
    """The first sentences."""
    counts = verdict_counts(studies)
    total = sum(counts)
    free = sum(study.free for study in studies)
    told = ", ".join(f"{n} {verdict}" for n, verdict in zip(counts, VERDICTS, strict=True))
    errors = [abs(point.error) for point in predicted(studies)]
    cases = f"{len(studies)} case{'s' if len(studies) > 1 else ''}"
    hit = percent((counts[0] + counts[1]) / total, signed=False)
    for_each = f", {total / free:.2f} for each" if free else ""
    return (
        f"{cases}, {total} figures predicted from {free} fitted parameters{for_each}: {told}. "
        f"{hit} are reproduced or close; half of the errors are below {percent(median(errors), signed=False)}, "
        f"the mean is {percent(mean(errors), signed=False)}."
    )


def worst(studies: Iterable[Study]) -> list[tuple[Study, Point]]:
    """Every predicted point, the largest error first."""
    pairs = [(study, point) for study in studies for point in study.predicted]
    return sorted(pairs, key=lambda pair: -abs(pair[1].error))


def numbers(studies: Sequence[Study]) -> list[tuple[str, int, str]]:
    """What there is, how much of it, and what it means."""
    points = predicted(studies)
    taken = sum(not c.free for study in studies for c in study.calibrations)
    free = sum(study.free for study in studies)
    counts = verdict_counts(studies)
    return [
        ("cases", len(studies), "a table each, or a family of figures in one"),
        ("points", sum(len(study.points) for study in studies), "figures set beside a computed one"),
        (
            "identities",
            sum(p.kind == "identity" for s in studies for p in s.points),
            "follow from the same rows; never counted",
        ),
        ("inputs", sum(len(study.inputs) for study in studies), "configured numbers that the document states"),
        ("taken", taken, "numbers computed from other tables, or printed as such"),
        ("predictions", len(points), "figures that the model was not told"),
        *zip(VERDICTS, counts, MEANING, strict=True),
        ("free parameters", free, f"fitted to rows of the same table; one for {len(points) / max(free, 1):.2f} predictions"),
        ("suspect prints met", sum(bool(p.suspect) for p in points), "predicted figures that are doubtful in print; flagged"),
    ]


MEANING = (
    "within the source's repeatability, 1 %, or 3 % across tables, or half a printed digit",
    "within the tolerance that the case states in advance",
    "beyond it, with what is missing, its size, and what would settle it",
)


def origin(calibration: Calibration) -> str:
    """Where the rows of a calibrated number are printed, a table at a time."""
    tables = groupby(calibration.rows, key=lambda row: row.table.label)
    return "; ".join(place(rows) for _, rows in tables)


def effort(study: Study) -> str:
    """What went in, and what came out."""
    free, told = study.free, len(study.predicted)
    return f"{free} parameter{'s' if free != 1 else ''} fitted, {told} figure{'s' if told != 1 else ''} predicted"


def share(study: Study) -> str:
    """How many of its figures are reproduced or close."""
    good = sum(point.verdict != "missed" for point in study.predicted)
    return f"{good} of {len(study.predicted)}"

"""What the report says in numbers, once for all its forms."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import groupby
from statistics import mean, median

from .case import VERDICTS, Calibration, Study, worst_first
from .published import index, place, sources

PENDING = "not modelled yet"


@dataclass(frozen=True)
class Spread:
    """The errors of one kind of center [relative]."""

    center: str
    points: int
    mean: float
    median: float
    largest: float
    counts: tuple[int, ...]


def verdict_counts(studies: Iterable[Study]) -> tuple[int, ...]:
    """Predicted points by verdict, in the order of VERDICTS."""
    counts = Counter(point.verdict for study in studies for point in study.predicted)
    return tuple(counts[verdict] for verdict in VERDICTS)


def spreads(studies: Iterable[Study]) -> list[Spread]:
    """Errors by kind of center, the widest first."""
    points = sorted((p for study in studies for p in study.predicted), key=lambda p: p.center)
    result = []
    for center, group in groupby(points, key=lambda p: p.center):
        members = list(group)
        errors = [abs(p.error) for p in members]
        counts = Counter(p.verdict for p in members)
        result.append(
            Spread(center, len(members), mean(errors), median(errors), max(errors), tuple(counts[v] for v in VERDICTS))
        )
    return sorted(result, key=lambda s: -s.largest)


def opening(studies: Sequence[Study]) -> str:
    """The first sentence."""
    counts = verdict_counts(studies)
    total = sum(counts)
    free = sum(study.free for study in studies)
    told = ", ".join(f"{n} {verdict}" for n, verdict in zip(counts, VERDICTS, strict=True))
    errors = [abs(point.error) for study in studies for point in study.predicted]
    cases = f"{len(studies)} case{'s' if len(studies) > 1 else ''}"
    return (
        f"{cases}, {total} figures predicted from {free} fitted parameters: {told}. "
        f"Half of the errors are below {percent(median(errors), signed=False)}, "
        f"the mean is {percent(mean(errors), signed=False)}."
    )


def five_worst(studies: Iterable[Study]) -> list[tuple[str, ...]]:
    """Case, figure, printed, predicted, error and what is missing."""
    rows: list[tuple[str, ...]] = []
    for study, point in list(worst_first(studies))[:5]:
        rows.append(
            (
                study.case.name,
                f"{point.quantity} ({point.unit}), row {point.row.number}",
                point.printed,
                figure(point.predicted),
                percent(point.error),
                point.missing or point.verdict,
            )
        )
    return rows


def coverage(studies: Iterable[Study]) -> list[tuple[str, ...]]:
    """A row for every table of every document: what it is to us."""
    done = {(study.case.source, f"{study.case.file}.csv"): study for study in studies}
    rows: list[tuple[str, ...]] = []
    for entry in index():
        study = done.get((entry["document"], entry["file"]))
        state = study.verdict if study else ("input" if entry["kind"] == "configuration" else PENDING)
        lines = f"{entry['first_line']}-{entry['last_line']}"
        rows.append((entry["document"], entry["label"], entry["title"], lines, state))
    return rows


def coverage_counts(studies: Sequence[Study]) -> list[tuple[str, ...]]:
    """Tables of each document by what they are to us."""
    rows: list[tuple[str, ...]] = []
    for document, group in groupby(coverage(studies), key=lambda row: row[0]):
        states = Counter(row[-1] for row in group)
        modelled = sum(n for state, n in states.items() if state not in ("input", PENDING))
        source = sources()[document]
        title = f"{source['title']} ({source['publisher']}, {source['year']})"
        rows.append((document, title, str(modelled), str(states["input"]), str(states[PENDING])))
    return rows


def origin(calibration: Calibration) -> str:
    """Where the rows of a calibrated number are printed, a table at a time."""
    tables = groupby(calibration.rows, key=lambda row: row.table.label)
    return "; ".join(place(rows) for _, rows in tables)


def effort(study: Study) -> str:
    """What went in, and what came out."""
    free, told = study.free, len(study.predicted)
    return f"{free} parameter{'s' if free != 1 else ''} fitted, {told} figure{'s' if told != 1 else ''} predicted"


def share(study: Study) -> str:
    """How many of its figures have the verdict of the case."""
    same = sum(point.verdict == study.verdict for point in study.predicted)
    return f"{same} of {len(study.predicted)}"


def figure(value: float) -> str:
    """Five significant digits."""
    return f"{value:.5g}"


def percent(value: float, *, signed: bool = True) -> str:
    """A relative number in percent."""
    return f"{100 * value:{'+' if signed else ''}.2f} %"

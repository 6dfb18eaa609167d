"""The report as tables: the first page, a section a case, every table of every document."""

from __future__ import annotations

from collections.abc import Sequence

from ..case import VERDICTS, Study
from . import summary
from .blocks import Block, block
from .coverage import counts, coverage
from .station_kinds import KIND, NOTHING

WORST = 5
MISSING = "What is missing"


def first_page(studies: Sequence[Study]) -> list[Block]:
    """The tables of the first page."""
    verdicts = ", ".join(f"{verdict}:count" for verdict in VERDICTS)
    spread = [(s.kind, s.points, s.mean, s.median, s.ninth, s.largest, *s.counts) for s in summary.spreads(studies)] + [
        (kind, 0, *[None] * 7) for kind in NOTHING
    ]
    nothing = "; ".join(f"{kind}: {why}" for kind, why in NOTHING.items())
    bad = [
        (s.case.name, f"{p.quantity} ({p.unit})", str(p.row), p.printed, p.predicted, p.error, str(p.missing or p.verdict))
        for s, p in summary.worst(studies)[:WORST]
    ]
    cases = [
        (
            s.case.name,
            s.case.title,
            s.free,
            summary.anywhere([s], ("taken",)),
            summary.anywhere([s], ("printed",)),
            len(s.predicted),
            s.largest if s.predicted else None,
            s.verdict,
            summary.share(s),
        )
        for s in studies
    ]
    return [
        block("In numbers", "quantity, number:count, meaning", summary.numbers(studies)),
        block(
            "Errors by kind of station",
            f"station, figures:count, mean:percent, median:percent, nine of ten below:percent, largest:percent, {verdicts}",
            spread,
            f"Errors without sign. {nothing}.",
        ),
        block(
            "The five worst",
            "case:case, figure, where printed, printed:printed, predicted:figure, error:signed, why",
            bad,
        ),
        block(
            "Documents",
            "document, title, with a case:count, identity:count, input:count, out of scope:count",
            ((document, title, *states) for document, title, states in counts(coverage(studies))),
            "Tables, figures and number groups of each document; all are listed at the end.",
        ),
        block(
            "Cases",
            "case:case, measured, fitted:count, taken:count, as printed:count, predicted:count, largest error:percent, "
            "worst verdict:verdict, hits",
            cases,
            "Numbers fitted to rows of the table, taken from rows of others, measured and given as printed; figures predicted.",
        ),
    ]


def case_blocks(study: Study) -> list[Block]:
    """The tables of a case."""
    calibrated = [(c.name, c.value, c.unit, c.how, summary.origin(c), c.kind) for c in study.calibrations]
    points = [
        (
            p.quantity, p.unit, KIND[p.station], str(p.row), p.column, p.printed, p.predicted, p.error, p.limit,
            p.verdict if p.counts else p.kind, p.suspect,
        )
        for p in study.points
    ]  # fmt: skip
    flagged = any(p.suspect for p in study.points)
    columns = (
        "figure, unit, station, where printed, column, printed:printed, predicted:figure, error:signed, repeatability:percent, "
        "verdict:verdict"
    )
    found = [
        block(
            "Predicted",
            columns + (", suspect in print" if flagged else ""),
            points if flagged else [row[:-1] for row in points],
        )
    ]
    misses = {str(p.missing): p.missing for p in study.predicted if p.missing}
    if misses:
        where = {
            key: ", ".join(f"{p.quantity} row {p.row.number}" for p in study.predicted if str(p.missing) == key)
            for key in misses
        }
        rows = [(where[key], m.effect, m.size, m.measurement) for key, m in misses.items()]
        found.append(block(MISSING, "figures missed, station or effect, size, measurement that would confirm it", rows))
    found.append(block("Calibrated", "number, value:figure, unit, how, from, kind", calibrated))
    given = [(name, value, "given", where) for name, value, where in study.inputs]
    if given:
        found.append(block("Given by the document", "input, value:printed, kind, where printed", given))
    return found


def every_table(studies: Sequence[Study]) -> Block:
    """A row for every table of every document."""
    rows = [(p.document, p.label, p.title, p.lines, p.state, p.why) for p in coverage(studies)]
    columns = "document, where, title, lines, state:verdict, cases or reason"
    return block("Every table of every document", columns, rows, folded=True)

"""The report as tables: the first page, a section a case, every table of every document."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ..case import Point, Study
from . import summary
from .blocks import Block, block
from .coverage import counts, coverage
from .station_kinds import KIND, NOTHING

WORST = 5
MISSING = "What is missing"
ENTER = "number, how many:count, figures for each:figure, what it is"
BAD = "case:case, figure, printed:printed, predicted:figure, error:signed, why"
BASELINES = (
    "Errors without sign. Bounds only: mean error of the same models when nothing queues. Naive: mean error of constant CPU of "
    "a transaction, the same row of the last release, the response without load. Skill: 1 - mean error over that of the other."
)
ADDS, ENTERS = "What the models add", "Measured numbers that enter"
SKILL = (
    "figures:count, hits:share, median:percent, mean:percent, 95 % below:percent, bounds only:percent, skill over it:share, "
    "naive:percent, skill over naive:share"
)


def first_page(studies: Sequence[Study]) -> list[Block]:
    """The tables of the first page: what the models add to two baselines, the numbers that enter, the worst."""
    rows = [(kind, *_skill(found)) for kind, found in summary.skills(studies)]
    nothing = "; ".join(f"{kind}: {why}" for kind, why in NOTHING.items())
    bad = [
        (s.case.name, f"{p.quantity} ({p.unit}), row {p.row.number}", p.printed, p.predicted, p.error, _effect(p))
        for s, p in summary.worst(studies)[:WORST]
    ]
    return [
        block(ADDS, f"kind of figure, {SKILL}", rows, BASELINES),
        block(ENTERS, ENTER, summary.numbers(studies), summary.counted(studies)),
        block("The five worst", BAD, bad, f"Not tested: {nothing}."),
    ]


def second_page(studies: Sequence[Study]) -> list[Block]:
    """The tables after it: by center, by document, by case."""
    return [
        block("By center", f"center, {SKILL}", [(kind, *_skill(found)) for kind, found in summary.centers(studies)]),
        _systems(studies),
        block(
            "Documents",
            "document, title, with a case:count, identity:count, input:count, out of scope:count",
            ((document, title, *states) for document, title, states in counts(coverage(studies))),
            "Tables, figures and number groups of each document; all are listed at the end.",
        ),
        block(
            "Cases",
            "case:case, measured, fitted:count, taken:count, as printed:count, figures:count, hits:share, mean:percent, "
            "bounds only:percent, naive:percent, worst verdict:verdict",
            [_case_row(study) for study in studies],
            "Numbers fitted to rows of the table, taken from rows of others, measured and given as printed; mean errors.",
        ),
    ]  # fmt: skip


def _systems(studies: Sequence[Study]) -> Block:
    met = summary.systems(studies)
    works = sum(system.verdict == "works" for system in met)
    rows = [
        (
            m.name,
            ", ".join(m.cases),
            m.skill.figures,
            m.skill.hits,
            m.skill.mean,
            m.skill.bounds,
            m.verdict,
            "; ".join(m.missing[:2]),
        )
        for m in met
    ]
    columns = (
        "system, cases, figures:count, hits:share, mean:percent, bounds only:percent, verdict:verdict, what its models lack"
    )
    note = f"{works} of {len(met)} systems work: at least {100 * summary.WORKS:.0f} % of their figures are reproduced or close."
    return block("Systems that the documents measured", columns, rows, note)


def _case_row(study: Study) -> tuple[Any, ...]:
    found = summary.skill(study.predicted)
    errors = (found.figures, found.hits, found.mean, found.bounds, found.naive) if found else (0, *[None] * 4)
    taken, printed = (summary.anywhere([study], (kind,)) for kind in ("taken", "printed"))
    return study.case.name, study.case.title, study.free, taken, printed, *errors, study.verdict


def _skill(found: summary.Skill | None) -> tuple[float | None, ...]:
    """The columns of SKILL."""
    if found is None:
        return (0, *[None] * 8)
    return (
        found.figures, found.hits, found.median, found.mean, found.most, found.bounds, found.over_bounds, found.naive,
        found.over_naive,
    )  # fmt: skip


def _effect(point: Point) -> str:
    return point.missing.effect if point.missing else point.verdict


def case_blocks(study: Study) -> list[Block]:
    """The tables of a case."""
    calibrated = [(c.name, c.value, c.unit, c.how, summary.origin(c), c.kind) for c in study.calibrations]
    points = [
        (
            p.quantity, p.unit, KIND[p.station], p.kind, str(p.row), p.column, p.printed, p.predicted, p.error,
            p.error_of("bounds"), p.error_of("naive"), p.verdict if p.counts else p.kind, p.suspect,
        )
        for p in study.points
    ]  # fmt: skip
    flagged = any(p.suspect for p in study.points)
    columns = (
        "figure, unit, center, kind, where printed, column, printed:printed, predicted:figure, error:signed, "
        "bounds only:signed, naive:signed, verdict:verdict"
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
        found.append(block(MISSING, "figures missed, center or effect, size, measurement that would confirm it", rows))
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

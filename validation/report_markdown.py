"""The report as Markdown, its plots beside it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import qnsolve as qn

from . import summary
from .case import VERDICTS, Study
from .published import sources
from .summary import figure, percent


def page(studies: Sequence[Study], plots: str) -> str:
    """The whole report; `plots` is the folder of the plots, relative to it."""
    parts = [
        "# Predicted against published",
        f"qnsolve {qn.__version__}",
        summary.opening(studies),
        "## Cases",
        _table(
            ("case", "measured", "fitted", "predicted", "verdict"),
            ((f"[{s.case.name}](#{s.case.name})", s.case.title, s.free, len(s.predicted), s.verdict) for s in studies),
        ),
        "## Errors by kind of center",
        _table(
            ("center", "figures", "mean", "median", "largest", *VERDICTS),
            (
                (s.center, s.points, *(percent(v, signed=False) for v in (s.mean, s.median, s.largest)), *s.counts)
                for s in summary.spreads(studies)
            ),
        ),
        "## The five worst",
        _table(("case", "figure", "printed", "predicted", "error", "what is missing"), summary.five_worst(studies)),
        *(part for study in studies for part in _section(study, plots)),
        "## Every table of every document",
        _table(("document", "title", "modelled", "input", summary.PENDING), summary.coverage_counts(studies)),
        _table(("document", "where", "what", "lines", "state"), summary.coverage(studies)),
    ]
    return "\n\n".join(parts) + "\n"


def _section(study: Study, plots: str) -> list[str]:
    case, source = study.case, sources()[study.case.source]
    label, _ = study.models[-1]
    calibrated = (
        (c.name, figure(c.value), c.unit, "fitted" if c.free else "taken", c.how, summary.origin(c)) for c in study.calibrations
    )
    points = (
        (
            p.quantity,
            p.unit,
            str(p.row),
            p.printed,
            figure(p.predicted),
            percent(p.error),
            (p.verdict if p.kind == "predicted" else p.kind) + (f": {p.missing}" if p.missing else ""),
        )
        for p in study.points
    )
    return [
        f'<a id="{case.name}"></a>\n\n## {case.name}: {case.title}',
        f"{source['title']}, {source['publisher']} {source['year']}.",
        f"**Question.** {case.question}",
        f"**Verdict: {study.verdict}.** {case.verdict_text} {summary.effort(study)}. "
        f"Close is ±{100 * case.tolerance:g} %: {case.reason}.",
        *([_table(("given", "value", "where printed"), study.inputs)] if study.inputs else []),
        _table(("calibrated", "value", "unit", "", "how", "from"), calibrated),
        _table(("predicted", "unit", "where printed", "printed", "predicted", "error", "verdict"), points),
        f"![measured against predicted]({plots}/{case.name}.svg)",
        f"Model file ({label}):",
        f"```toml\n{study.shown[0]}```",
    ]


def _table(head: Iterable[str], rows: Iterable[Iterable[object]]) -> str:
    names = list(head)
    lines = ["| " + " | ".join(names) + " |", "|" + "---|" * len(names)]
    lines += ["| " + " | ".join(str(cell).replace("|", "\\|") for cell in row) + " |" for row in rows]
    return "\n".join(lines)

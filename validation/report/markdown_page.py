"""The report as Markdown, its plots beside it."""

from __future__ import annotations

from collections.abc import Sequence

import qnsolve as qn

from ..case import Study
from ..published.published_tables import sources
from . import sections, summary
from .blocks import RIGHT, Block, shown


def page(studies: Sequence[Study], moved: Sequence[str], plots: str) -> str:
    """The whole report; `plots` is the folder of the plots, relative to it."""
    parts = ["# Predicted against published", f"qnsolve {qn.__version__}", summary.opening(studies)]
    if moved:
        parts += ["Figures that moved since they were accepted:", "\n".join(f"- {line}" for line in moved)]
    for each in sections.first_page(studies):
        parts += [f"## {each.title}", *([each.note] if each.note else []), _table(each)]
    for study in studies:
        parts += _section(study, plots)
    every = sections.every_table(studies)
    return "\n\n".join([*parts, f"## {every.title}", _table(every)]) + "\n"


def _section(study: Study, plots: str) -> list[str]:
    case, source = study.case, sources()[study.case.source]
    label, _ = study.models[-1]
    first, *others = sections.case_blocks(study)
    tail = [part for each in others for part in (f"### {each.title}", _table(each))]
    return [
        f'<a id="{case.name}"></a>\n\n## {case.name}: {case.title}',
        f"{source['title']}, {source['publisher']} {source['year']}.",
        f"**Question.** {case.question}",
        f"**{summary.judged(study)}** {case.verdict_text} "
        f"{summary.effort(study)}. Close is ±{100 * case.tolerance:g} %: {case.reason}.",
        _table(first),
        f"![measured against predicted]({plots}/{case.name}.svg)",
        *tail,
        f"Model file ({label}):",
        f"```toml\n{study.shown[0]}```",
    ]


def _table(block: Block) -> str:
    kinds = [kind for _, kind in block.columns]
    lines = [
        "| " + " | ".join(name for name, _ in block.columns) + " |",
        "|" + "".join("---:|" if kind in RIGHT else "---|" for kind in kinds),
    ]
    for row in block.rows:
        cells = [_cell(shown(value, kind), kind) for value, kind in zip(row, kinds, strict=True)]
        lines.append("| " + " | ".join(cells) + " |")
    return "\n".join(lines)


def _cell(text: str, kind: str) -> str:
    text = text.replace("|", "\\|")
    return f"[{text}](#{text})" if kind == "case" else text

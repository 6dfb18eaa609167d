"""The report as Markdown: the first page, and a page for the cases of each document; plots beside them."""

from __future__ import annotations

from collections.abc import Sequence

import qnsolve as qn

from ..case import Study
from ..published.published_tables import sources
from . import sections, summary
from .blocks import RIGHT, Block, shown

FIRST, OTHERS = "validation.md", "validation-measured-by-others.md"


def pages(studies: Sequence[Study], moved: Sequence[str], plots: str, others: Sequence[Block] = ()) -> dict[str, str]:
    """The pages by file name; `plots` is the folder of the plots, relative to them, `others` what others measured."""
    documents = list(dict.fromkeys(study.case.source for study in studies))
    found = {FIRST: _first(studies, moved, documents, bool(others))}
    for document in documents:
        mine = [study for study in studies if study.case.source == document]
        head = [f"# Predicted against {sources()[document]['title']}", summary.opening(mine), f"[First page]({FIRST})"]
        found[file(document)] = "\n\n".join([*head, *(part for study in mine for part in _section(study, plots))]) + "\n"
    if others:
        parts = [part for each in others for part in _titled(each, {})]
        found[OTHERS] = "\n\n".join(["# Measured by others", f"[First page]({FIRST})", *parts]) + "\n"
    return found


def file(document: str) -> str:
    """The page of a document."""
    return f"validation-{document}.md"


def _first(studies: Sequence[Study], moved: Sequence[str], documents: Sequence[str], others: bool) -> str:
    links = {study.case.name: f"{file(study.case.source)}#{study.case.name}" for study in studies}
    parts = ["# Predicted against published", f"{summary.opening(studies)} qnsolve {qn.__version__}."]
    if moved:
        parts += ["Figures that moved since they were accepted:", "\n".join(f"- {line}" for line in moved)]
    for each in (*sections.first_page(studies), *sections.second_page(studies)):
        parts += _titled(each, links)
    parts.append("Cases: " + ", ".join(f"[{sources()[name]['title']}]({file(name)})" for name in documents))
    if others:
        parts.append(f"[Measured by others]({OTHERS})")
    every = sections.every_table(studies)
    return "\n\n".join([*parts, f"## {every.title}", _table(every, links)]) + "\n"


def _titled(block: Block, links: dict[str, str]) -> list[str]:
    return [f"## {block.title}", *([block.note] if block.note else []), _table(block, links)]


def _section(study: Study, plots: str) -> list[str]:
    case, source = study.case, sources()[study.case.source]
    label, _ = study.models[-1]
    first, *others = sections.case_blocks(study)
    tail = [part for each in others for part in (f"### {each.title}", _table(each, {}))]
    picture = [f"![measured against predicted]({plots}/{case.name}.svg)"] if study.picture else []
    return [
        f'<a id="{case.name}"></a>\n\n## {case.name}: {case.title}',
        f"{source['title']}, {source['publisher']} {source['year']}.",
        f"**Question.** {case.question}",
        f"**{summary.judged(study)}** {case.verdict_text} "
        f"{summary.effort(study)}. Close is ±{100 * case.tolerance:g} %: {case.reason}.",
        _table(first, {}),
        *picture,
        *tail,
        f"Model file ({label}):",
        f"```toml\n{study.shown[0]}```",
    ]


def _table(block: Block, links: dict[str, str]) -> str:
    kinds = [kind for _, kind in block.columns]
    lines = [
        "| " + " | ".join(name for name, _ in block.columns) + " |",
        "|" + "".join("---:|" if kind in RIGHT else "---|" for kind in kinds),
    ]
    for row in block.rows:
        cells = [_cell(shown(value, kind), kind, links) for value, kind in zip(row, kinds, strict=True)]
        lines.append("| " + " | ".join(cells) + " |")
    return "\n".join(lines)


def _cell(text: str, kind: str, links: dict[str, str]) -> str:
    text = text.replace("|", "\\|")
    return f"[{text}]({links.get(text, '#' + text)})" if kind == "case" else text

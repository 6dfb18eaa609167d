"""The report as one HTML page that stands alone: first page, a section a case, every table of every document."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape
from typing import Any

import qnsolve as qn

from ..case import Study
from ..published.tables import sources
from . import sections, summary
from .blocks import RIGHT, Block, shown
from .model_drawing import drawing
from .plots import pictures

STYLE = """
:root { color-scheme: light }
body { font: 15px/1.5 system-ui, "Segoe UI", Arial, sans-serif; color: #1d2730; background: #fff;
  max-width: 1100px; margin: 2rem auto; padding: 0 1rem; overflow-wrap: break-word }
h1 { font-size: 1.7rem; margin-bottom: .2rem } h2 { margin-top: 2.6rem; border-top: 2px solid #d5dde5; padding-top: 1rem }
h3 { margin: 1.4rem 0 .3rem; font-size: 1rem }
.wide { overflow-x: auto; margin: .4rem 0 1rem }
table { border-collapse: collapse; font-size: .88rem }
th, td { border-bottom: 1px solid #dde4ea; padding: .22rem .6rem; text-align: left; vertical-align: top }
th { background: #f1f4f7; font-weight: 600 }
td.n, th.n { text-align: right; font-variant-numeric: tabular-nums; white-space: nowrap }
.reproduced { color: #1a7f4b } .close { color: #8a5200 } .missed { color: #b3261e; font-weight: 600 }
.identity, .input, .out { color: #4a6580 }
.t, .m { display: inline-block; min-width: 15rem } .m { min-width: 8rem }
a.name { white-space: nowrap } .soft { color: #5b6b7b } .lead { font-size: 1.1rem }
.side { display: flex; gap: 1rem; flex-wrap: wrap; align-items: flex-start }
svg { max-width: 100%; height: auto } svg.model rect { fill: #fff; stroke: #38506a; stroke-width: 1.4 }
svg.model rect.class { fill: #eef3f8 }
svg.model text { text-anchor: middle; font: 12px system-ui, Arial, sans-serif; fill: #1d2730 }
svg.model text.below, svg.model text.demand { font-size: 10.5px; fill: #5b6b7b } svg.model .flow { fill: none; stroke: #38506a }
pre { background: #f6f8fa; padding: .7rem; overflow: auto; font-size: .82rem } details { margin: .3rem 0 1rem }
summary { cursor: pointer }
@media (max-width: 640px) { body { margin: .8rem auto; padding: 0 .7rem } h1 { font-size: 1.35rem } h2 { font-size: 1.15rem }
  table { font-size: .8rem } th, td { padding: .2rem .4rem } svg.model { min-width: 560px } }
@media print { @page { size: A4; margin: 14mm } body { font-size: 9.5pt; max-width: none; margin: 0; padding: 0 }
  h2, h3 { break-after: avoid } tr, svg { break-inside: avoid } thead { display: table-header-group }
  .wide { overflow: visible } table { font-size: 7.4pt; width: 100% } th, td { padding: .12rem .3rem }
  td.n, th.n { white-space: nowrap } th.n { white-space: normal }
  .t, .m { display: inline; min-width: 0 }
  pre { white-space: pre-wrap; font-size: 7pt } a { color: inherit; text-decoration: none }
  details.model { display: none } .side svg { max-width: 48% } }
"""
LONG, MIDDLE = 48, 20  # letters of a cell that needs a width of its own
UNFOLD = "addEventListener('beforeprint',()=>document.querySelectorAll('details.table').forEach(d=>d.open=true))"


def page(studies: Sequence[Study], moved: Sequence[str]) -> str:
    """The whole report; `moved` tells the figures that are not what they were."""
    first = "\n".join(_block(each) for each in sections.first_page(studies))
    cases = "\n".join(_section(study) for study in studies)
    every = sections.every_table(studies)
    return (
        '<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f"<title>qnsolve {qn.__version__}: predicted against published</title>\n<style>{STYLE}</style>\n"
        f"<script>{UNFOLD}</script>\n</head>\n<body>\n"
        f"<h1>Predicted against published</h1>\n<p class=soft>qnsolve {qn.__version__}</p>\n"
        f"<p class=lead>{escape(summary.opening(studies))}</p>\n{_moved(moved)}"
        "<p>A case takes some printed figures (<b>calibrated</b>) and predicts others that it was not told. "
        "<b>Fitted</b> is what is computed from rows of the same table, <b>taken</b> from those of other tables; "
        "<b>printed</b> is given as it is printed. "
        "An <b class=identity>identity</b> follows from the same rows and is never counted.</p>\n"
        f"{first}\n{cases}\n<h2>{escape(every.title)}</h2>\n{_block(every, heading=False)}\n</body>\n</html>\n"
    )


def _moved(moved: Sequence[str]) -> str:
    if not moved:
        return ""
    lines = "".join(f"<li>{escape(line)}</li>" for line in moved)
    return f"<p class=missed>Figures that moved since they were accepted:</p>\n<ul>{lines}</ul>\n"


def _section(study: Study) -> str:
    case = study.case
    source = sources()[case.source]
    label, model = study.models[-1]
    drawn = drawing(model).replace('"arrow"', f'"arrow-{case.name}"').replace("#arrow", f"#arrow-{case.name}")
    left, right = (
        svg.replace('"axes"', f'"axes-{case.name}"').replace("#axes", f"#axes-{case.name}") for svg in pictures(study)
    )
    first, *others = sections.case_blocks(study)
    return (
        f'<h2 id="{case.name}">{escape(case.name)}: {escape(case.title)}</h2>\n'
        f"<p class=soft>{escape(source['title'])}, {escape(source['publisher'])} {source['year']}.</p>\n"
        f"<p><b>Question.</b> {escape(case.question)}</p>\n"
        f"<p><b>{escape(summary.judged(study))}</b> "
        f"{escape(case.verdict_text)} <span class=soft>{summary.effort(study)}.</span></p>\n"
        f"<h3>Model ({escape(label)})</h3>\n<div class=wide>{drawn}</div>\n{_block(first)}"
        f"<p class=soft>Close is ±{100 * case.tolerance:g} %: {escape(case.reason)}. "
        f"Repeatability across tables: {escape(source['across_reason'])}.</p>\n"
        f"<div class=side>{left}{right}</div>\n" + "".join(map(_block, others)) + "<details class=model><summary>Model file "
        f"({escape(label)}) and its solution</summary>\n<pre>{escape(study.shown[0])}</pre>\n"
        f"<pre>{escape(study.shown[1])}</pre></details>\n"
    )


def _block(block: Block, *, heading: bool = True) -> str:
    title = f"<h3>{escape(block.title)}</h3>\n" if heading else ""
    note = f"<p class=soft>{escape(block.note)}</p>\n" if block.note else ""
    inner = _table(block)
    if block.folded:
        inner = f"<details class=table><summary>{len(block.rows)} rows</summary>\n{inner}</details>\n"
    return title + note + inner


def _table(block: Block) -> str:
    def cells(tag: str, texts: Sequence[str]) -> str:
        kinds = (kind for _, kind in block.columns)
        return "".join(
            f"<{tag}{' class=n' if kind in RIGHT else ''}>{text}</{tag}>" for text, kind in zip(texts, kinds, strict=True)
        )

    head = cells("th", [escape(name) for name, _ in block.columns])
    kinds = [kind for _, kind in block.columns]
    body = "".join(
        f"<tr>{cells('td', [_cell(value, kind) for value, kind in zip(row, kinds, strict=True)])}</tr>\n" for row in block.rows
    )
    return f"<div class=wide><table>\n<thead><tr>{head}</tr></thead>\n<tbody>\n{body}</tbody>\n</table></div>\n"


def _cell(value: Any, kind: str) -> str:
    text = escape(shown(value, kind))
    if kind == "text" and " " not in text:
        text = text.replace("_", "_<wbr>")
    if kind == "case":
        return f'<a class=name href="#{text}">{text}</a>'
    if kind == "verdict":
        return _word(text)
    size = "t" if len(text) > LONG else "m" if len(text) > MIDDLE else ""
    return f"<span class={size}>{text}</span>" if size else text


def _word(word: str) -> str:
    return f'<span class="{word.split(maxsplit=1)[0]}">{word}</span>'

"""The report as one HTML page: opening, a section a case, every table of every document."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from html import escape

import qnsolve as qn

from . import summary
from .case import VERDICTS, Study
from .drawing import drawing
from .plot import plot
from .published import sources
from .summary import figure, percent

STYLE = """
body { font: 15px/1.5 system-ui, "Segoe UI", Arial, sans-serif; color: #1d2730;
  max-width: 1060px; margin: 2rem auto; padding: 0 1rem; }
h1 { font-size: 1.7rem; margin-bottom: .2rem } h2 { margin-top: 2.6rem; border-top: 2px solid #d5dde5; padding-top: 1rem }
h3 { margin: 1.4rem 0 .3rem; font-size: 1rem }
table { border-collapse: collapse; margin: .4rem 0 1rem; font-size: .9rem }
th, td { border-bottom: 1px solid #dde4ea; padding: .22rem .7rem; text-align: left; vertical-align: top }
th { background: #f1f4f7; font-weight: 600 }
td.n, th.n { text-align: right; font-variant-numeric: tabular-nums; white-space: nowrap }
.reproduced { color: #1a7f4b } .close { color: #a85f00 } .missed { color: #b3261e; font-weight: 600 }
.identity, .input { color: #4a6580 } a.name { white-space: nowrap } .soft { color: #5b6b7b } .lead { font-size: 1.1rem }
.side { display: flex; gap: 1.5rem; flex-wrap: wrap; align-items: flex-start }
svg.model { max-width: 100%; height: auto } svg.model rect { fill: #fff; stroke: #38506a; stroke-width: 1.4 }
svg.model rect.class { fill: #eef3f8 }
svg.model text { text-anchor: middle; font: 12px system-ui, Arial, sans-serif; fill: #1d2730 }
svg.model text.below, svg.model text.demand { font-size: 10.5px; fill: #5b6b7b } svg.model .flow { fill: none; stroke: #38506a }
pre { background: #f6f8fa; padding: .7rem; overflow: auto; font-size: .82rem } details { margin: .3rem 0 1rem }
@media print { h2 { break-before: page } details { display: none } }
"""


def page(studies: Sequence[Study]) -> str:
    """The whole report."""
    sections = "\n".join(_section(study) for study in studies)
    return (
        '<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f"<title>qnsolve {qn.__version__}: predicted against published</title>\n<style>{STYLE}</style>\n</head>\n<body>\n"
        f"{_opening(studies)}\n{sections}\n{_coverage(studies)}\n</body>\n</html>\n"
    )


def _opening(studies: Sequence[Study]) -> str:
    cases = [
        (
            f'<a class=name href="#{s.case.name}">{escape(s.case.name)}</a>',
            escape(s.case.title),
            str(s.free),
            str(len(s.predicted)),
            percent(s.largest, signed=False) if s.predicted else "",
            _verdict(s.verdict) + (f" ({summary.share(s)})" if s.verdict != "reproduced" else ""),
        )
        for s in studies
    ]
    spread = [
        (escape(s.center), str(s.points), percent(s.mean, signed=False), percent(s.median, signed=False),
         percent(s.largest, signed=False), *map(str, s.counts))
        for s in summary.spreads(studies)
    ]  # fmt: skip
    worst = [tuple(map(escape, row)) for row in summary.five_worst(studies)]
    return (
        f"<h1>Predicted against published</h1>\n<p class=soft>qnsolve {qn.__version__}</p>\n"
        f"<p class=lead>{escape(summary.opening(studies))}</p>\n"
        "<p>A case takes some printed figures (<b>calibrated</b>) and predicts others that it was not told. "
        "<b class=reproduced>Reproduced</b>: within the source's own repeatability. <b class=close>Close</b>: within the "
        "tolerance that the case states in advance. <b class=missed>Missed</b>: beyond it, with what the model lacks. "
        "An <b class=identity>identity</b> follows from the same rows and is never counted.</p>\n"
        "<h3>Cases</h3>\n"
        + _table(("case", "measured", "fitted", "predicted", "largest error", "verdict"), cases, numeric=(2, 3, 4))
        + "<h3>Errors by kind of center</h3>\n"
        + _table(("center", "figures", "mean", "median", "largest", *VERDICTS), spread, numeric=range(1, 8))
        + "<h3>The five worst</h3>\n"
        + _table(("case", "figure", "printed", "predicted", "error", "what is missing"), worst, numeric=(2, 3, 4))
    )


def _section(study: Study) -> str:
    case = study.case
    source = sources()[case.source]
    given = [tuple(map(escape, row)) for row in study.inputs]
    calibrated = [
        (escape(c.name), figure(c.value), escape(c.unit), "fitted" if c.free else "taken", escape(c.how),
         escape(summary.origin(c)))
        for c in study.calibrations
    ]  # fmt: skip
    points = [
        (escape(p.quantity), escape(p.unit), escape(str(p.row)), escape(p.printed), figure(p.predicted), percent(p.error),
         percent(p.limit, signed=False), _verdict(p.verdict if p.kind == "predicted" else p.kind)
         + (f"<br><span class=soft>missing: {escape(p.missing)}</span>" if p.missing else ""))
        for p in study.points
    ]  # fmt: skip
    label, model = study.models[-1]
    drawn = drawing(model).replace('"arrow"', f'"arrow-{case.name}"').replace("#arrow", f"#arrow-{case.name}")
    return (
        f'<h2 id="{case.name}">{escape(case.name)}: {escape(case.title)}</h2>\n'
        f"<p class=soft>{escape(source['title'])}, {escape(source['publisher'])} {source['year']}.</p>\n"
        f"<p><b>Question.</b> {escape(case.question)}</p>\n"
        f"<p><b>Verdict: {_verdict(study.verdict)}.</b> {escape(case.verdict_text)} "
        f"<span class=soft>{summary.effort(study)}.</span></p>\n"
        f"<h3>Model ({escape(label)})</h3>\n{drawn}\n"
        + ("<h3>Given by the document</h3>\n" + _table(("input", "value", "where printed"), given, (1,)) if given else "")
        + "<h3>Calibrated</h3>\n"
        + _table(("number", "value", "unit", "", "how", "from"), calibrated, (1,))
        + "<h3>Predicted</h3>\n"
        + _table(
            ("figure", "unit", "where printed", "printed", "predicted", "error", "repeatability", "verdict"),
            points,
            range(3, 7),
        )
        + f"<p class=soft>Close is ±{100 * case.tolerance:g} %: {escape(case.reason)}. "
        f"Repeatability across tables: {escape(source['across_reason'])}.</p>\n"
        f"<div class=side>{_inline(plot(study))}</div>\n"
        f"<details><summary>Model file ({escape(label)}) and its solution</summary>\n<pre>{escape(study.shown[0])}</pre>\n"
        f"<pre>{escape(study.shown[1])}</pre></details>\n"
    )


def _coverage(studies: Sequence[Study]) -> str:
    counts = [tuple(map(escape, row)) for row in summary.coverage_counts(studies)]
    rows = [(*map(escape, row[:-1]), _verdict(row[-1])) for row in summary.coverage(studies)]
    return (
        "<h2>Every table of every document</h2>\n"
        + _table(("document", "title", "modelled", "input", summary.PENDING), counts, (2, 3, 4))
        + "<details><summary>Table by table</summary>\n"
        + _table(("document", "where", "what", "lines", "state"), rows, ())
        + "</details>\n"
    )


def _verdict(word: str) -> str:
    return f'<span class="{word.split(maxsplit=1)[0]}">{escape(word)}</span>'


def _inline(svg: str) -> str:
    return re.sub(r"^.*?(?=<svg)", "", svg, flags=re.DOTALL)


def _table(head: Iterable[str], rows: Iterable[Sequence[str]], numeric: Iterable[int]) -> str:
    """`rows` hold HTML."""
    right = set(numeric)

    def cells(tag: str, row: Iterable[str]) -> str:
        return "".join(f"<{tag}{' class=n' if i in right else ''}>{cell}</{tag}>" for i, cell in enumerate(row))

    body = "".join(f"<tr>{cells('td', row)}</tr>\n" for row in rows)
    return f"<table>\n<thead><tr>{cells('th', head)}</tr></thead>\n<tbody>\n{body}</tbody>\n</table>\n"

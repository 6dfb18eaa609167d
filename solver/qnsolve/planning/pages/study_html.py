"""The study as one HTML file that needs nothing else."""

from __future__ import annotations

import json
from importlib import resources
from math import isnan, nan
from typing import TYPE_CHECKING, Any

from qnsolve import __version__
from qnsolve.results.digits import percent, short, time

from ..study_words import headline

if TYPE_CHECKING:
    from ..study import Study

STATIC = ("study.css", "study_charts.js", "echarts.min.js")


def static_text(name: str) -> str:
    """A file of the page: its style, its charts, the chart library."""
    return resources.files(__package__).joinpath("static", name).read_text(encoding="utf-8")


def study_html(study: Study) -> str:
    """The page as text."""
    from jinja2 import Environment

    text = resources.files(__package__).joinpath("templates", "study.html").read_text(encoding="utf-8")
    template = Environment(autoescape=True, trim_blocks=True, lstrip_blocks=True).from_string(text)
    css, charts, echarts = (static_text(name) for name in STATIC)
    sentences = study.sentences()
    works = [work.name for work in study.periods[0].work]
    lpars = [lpar.name for lpar in study.system.lpars]
    verdict = study.verdict
    return template.render(
        title=study.title(),
        css=css,
        holds="later" if verdict.kind != "none" and verdict.beyond else "no" if verdict.kind != "none" else "yes",
        headline=headline(sentences[0]),
        sentences=sentences,
        gains=sentences[1] if study.what_ifs else "",
        following=next((text for text in sentences if text.startswith("Next to fill up")), ""),
        periods=study.periods,
        simulated=any(work.simulated for period in study.periods for work in period.work),
        works=works,
        lpars=lpars,
        what_ifs=[_what_if(each) for each in study.what_ifs],
        compared=verdict.holds_until or study.asked.begin,
        assumptions=study.assumptions,
        notes=study.notes,
        rows=[_row(period, lpars) for period in study.periods],
        version=__version__,
        data=json.dumps(study.as_dict(), allow_nan=False, ensure_ascii=False).replace("<", "\\u003c"),
        echarts=echarts,
        charts=charts,
    )


def _what_if(answer: Any) -> dict[str, Any]:
    change = answer.cpu_change
    return {
        "name": answer.name,
        "remark": answer.remark,
        "until": answer.holds_until or "not today",
        "months": f"{'≥ ' * answer.at_least}{answer.months:+d}" if answer.months else "0",
        "times": [time(value) for value in answer.response_time.values()],
        "cpu": "-" if isnan(change) else f"{100 * change:+.2g} %" if abs(change) >= 0.0005 else "same",
        "cause": answer.cause or "-",
    }


def _row(period: Any, lpars: list[str]) -> dict[str, Any]:
    cells = [cell for work in period.work for cell in (short(work.load), time(work.response_time))]
    return {
        "name": period.name,
        "month": period.day or period.month,
        "holds": period.holds,
        "cells": cells,
        "fullest": period.fullest,
        "used": _share(period.used_percent),
        "cpu": [_share(period.cpu_percent.get(name, nan)) for name in lpars],
    }


def _share(value: float) -> str:
    return "-" if isnan(value) else f"{percent(value)} %"

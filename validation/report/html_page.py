"""The report as one HTML page that needs no other file: first page, a section a case, every table of every document."""

from __future__ import annotations

import base64
from collections.abc import Sequence
from pathlib import Path

import jinja2
import qnsolve as qn

from ..case import Study
from ..published.published_tables import sources
from . import plots, sections, summary
from .blocks import RIGHT, Block, shown
from .model_flow import flows
from .station_kinds import KIND, KINDS

TEMPLATES = Path(__file__).parent / "templates"


def page(studies: Sequence[Study], moved: Sequence[str], others: Sequence[Block] = ()) -> str:
    """The whole report.

    Parameters
    ----------
    studies : sequence of Study
        Each with its picture.
    moved : sequence of str
        A line for each figure that differs from the accepted one.
    others : sequence of Block
        Figures measured by others, at the end.
    """
    loader = jinja2.FileSystemLoader(TEMPLATES)
    environment = jinja2.Environment(
        loader=loader, autoescape=True, trim_blocks=True, lstrip_blocks=True, undefined=jinja2.StrictUndefined
    )
    environment.globals |= {"shown": shown, "right": RIGHT, "summary": summary, "flows": flows}
    return environment.get_template("report.html").render(
        version=qn.__version__,
        moved=moved,
        studies=studies,
        sources=sources(),
        first_page=sections.first_page(studies),
        second_page=sections.second_page(studies),
        overall=_data_uri(plots.overall(studies)),
        centers={study.case.name: sorted({KIND[point.station] for point in study.points}) for study in studies},
        kinds=[kind for kind in KINDS if any(KIND[point.station] == kind for study in studies for point in study.points)],
        case_tables={study.case.name: sections.case_blocks(study) for study in studies},
        pictures={study.case.name: _data_uri(study.picture) for study in studies},
        others=others,
        every_table=sections.every_table(studies),
    )


def _data_uri(svg: str) -> str:
    """A picture inside the page: its ids stay its own; "" for none."""
    return "" if not svg else "data:image/svg+xml;base64," + base64.b64encode(svg.encode()).decode()

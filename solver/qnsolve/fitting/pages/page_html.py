"""The page: one HTML file that needs nothing else."""

from __future__ import annotations

from collections.abc import Sequence
from importlib import resources
from typing import TYPE_CHECKING

import numpy as np

from qnsolve.results.rendering import figure

from .page_pictures import picture

if TYPE_CHECKING:
    from .beside_figures import BesideFigures

PICTURES = 12  # series with a picture
ROWS = 60  # intervals in the table of the page


def page_html(beside: BesideFigures, lead: Sequence[str] = ()) -> str:
    """The page as text."""
    from jinja2 import DictLoader, Environment

    folder = resources.files(__package__).joinpath("templates")
    texts = {name: folder.joinpath(name).read_text(encoding="utf-8") for name in ("beside.html", "beside.css")}
    environment = Environment(loader=DictLoader(texts), autoescape=True, trim_blocks=True, lstrip_blocks=True)
    (errors,) = beside.tables()
    shown = beside.columns[:PICTURES]
    return environment.get_template("beside.html").render(
        title=beside.title(),
        usable=beside.usability.usable,
        verdict=beside.usability.sentence,
        lead=lead,
        more=beside.more,
        errors=errors,
        pictures=[(column.title, picture(beside, column)) for column in shown],
        without=[column.title for column in beside.columns[PICTURES:]],
        some_left_out=bool(beside.left_out.any() and not beside.left_out.all()),
        rows=_worst(beside, shown),
        count=len(beside.load),
        columns=[column.title for column in shown[:4]],
        notes=beside.notes,
    )


def _worst(beside: BesideFigures, shown: Sequence[object]) -> list[list[str]]:
    """Cells of the intervals that are off most, in the order of time; of all where they are few."""
    columns = beside.columns[: min(len(shown), 4)]
    size = np.nan_to_num(np.max([np.abs(np.nan_to_num(each.error)) for each in columns], axis=0))
    at = np.sort(np.argsort(-size, kind="stable")[:ROWS])
    found = []
    for i in at.tolist():
        cells = [
            beside.model.loads.clock_text(i),
            figure(100 * float(beside.load[i]), 3),
            "yes" if beside.left_out[i] else "no",
        ]
        for each in columns:
            cells += [figure(float(each.measured[i]), 4), figure(float(each.modelled[i]), 4), _signed(float(each.error[i]))]
        found.append(cells)
    return found


def _signed(error: float) -> str:
    return "-" if np.isnan(error) else f"{100 * error:+.1f}"

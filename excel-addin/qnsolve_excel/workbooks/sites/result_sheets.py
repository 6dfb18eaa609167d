"""The sheets of results: the study by period, center and change, and the solved system by part."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from .site_styles import COUNT, LOAD, PLAIN, SHARE, TIME
from .site_writer import TOP, SiteWriter

STUDY, CENTERS, CHANGES, TIMES, PARTS = "Study", "Centers", "What if", "Times", "Other parts"
BLOCK = 13  # columns of each table on the sheet of other parts, the empty one beside it among them
FIXED = 3  # columns of the table of centers before its periods
MARGIN = 4  # rows below a table that are printed
OTHER = ("tranclasses", "facilities", "structures", "logs", "devices")


@dataclass(frozen=True)
class ResultSheet:
    """A sheet with one table.

    Attributes
    ----------
    name, function, title, note : str
    form : callable
        Heading and place of a column to its number format.
    extra : tuple of str
        Arguments after the tables.
    wide : tuple of (int, float)
        Columns that are wider, and how wide.
    """

    name: str
    function: str
    title: str
    note: str
    form: Callable[[str, int], str]
    extra: tuple[str, ...] = ()
    wide: tuple[tuple[int, float], ...] = ()


def by_heading(heading: str, place: int) -> str:
    """The number format of a column."""
    times = ("response time", "lowest", "highest", "target", "today", "last that holds", "admission wait")
    if heading.endswith(times) or heading.startswith("split "):
        return TIME
    if heading.endswith("load") or heading in ("etr", "itr"):
        return LOAD
    if heading in ("used", "CPU", "response error", "fraction delayed"):
        return SHARE
    if heading.endswith("percent"):
        return "0.0"
    if heading in ("months gained", "limit", "engines"):
        return COUNT if heading != "engines" else PLAIN
    return "0.0000##" if place else PLAIN


def _by_place(heading: str, place: int) -> str:
    return PLAIN if place < FIXED else SHARE


def _sheets() -> tuple[ResultSheet, ...]:
    times = "Times in seconds."
    return (
        ResultSheet(
            STUDY,
            "STUDY",
            "The study by period",
            f"The fullest month of each period. {times} Lowest and highest: by the error of the method.",
            by_heading,
            wide=((3, 30), (4, 26)),
        ),
        ResultSheet(
            CENTERS,
            "STUDY_CENTERS",
            "How full each center gets",
            "By how soon they are full; above 100 % what a full center would be asked for.",
            _by_place,
            wide=((0, 34), (1, 18)),
        ),
        ResultSheet(
            CHANGES,
            "STUDY_WHAT_IF",
            "What if",
            f"Response times and CPU at the last load that holds without the change. {times}",
            by_heading,
            wide=((0, 34), (3, 40)),
        ),
        ResultSheet(
            TIMES,
            "STUDY_TIMES",
            "Where the response time goes",
            f"Today, and at the last load that holds. {times}",
            by_heading,
            wide=((1, 34),),
        ),
        ResultSheet("Work", "SYSTEM_PART", "Work as it is today", times, by_heading, ("work",), ((0, 20),)),
        ResultSheet("Regions", "SYSTEM_PART", "Regions as they are today", times, by_heading, ("regions",), ((0, 20),)),
        ResultSheet("LPARs", "SYSTEM_PART", "LPARs as they are today", "", by_heading, ("lpars",), ((0, 20),)),
    )


RESULTS = _sheets()


def result_sheet(writer: SiteWriter, sheet: Any, item: ResultSheet) -> None:
    """Write one."""
    writer.head(sheet, item.title, item.note)
    sheet.set_column(0, 60, 12)
    sheet.set_column(0, 0, 16)
    for column, width in item.wide:
        sheet.set_column(column, column, width)
    rows = writer.spill(sheet, item.function, item.form, item.extra)
    sheet.set_row(TOP, 47)
    sheet.freeze_panes(TOP + 1, 1)
    sheet.print_area(0, 0, TOP + len(rows) + MARGIN, max(len(rows[0]) - 1, 7))
    if item.name == CHANGES:
        sheet.set_column(len(rows[0]) - 2, len(rows[0]) - 1, 40)  # what was changed, and what to know of it
    if item.name == CENTERS:
        scale: dict[str, Any] = {"type": "3_color_scale", "min_type": "num", "mid_type": "num", "max_type": "num"}
        scale |= {"min_value": 0.3, "mid_value": 0.7, "max_value": 1.0}
        scale |= {"min_color": "#FFFFFF", "mid_color": "#F2C46D", "max_color": "#D9622E"}
        sheet.conditional_format(TOP + 1, FIXED, TOP + 200, FIXED + 120, scale)


def other_parts(writer: SiteWriter, sheet: Any) -> None:
    """Tables of the smaller parts, side by side."""
    writer.head(sheet, "Limits, coupling facilities, logs and devices as they are today", "Times in seconds.")
    for k, part in enumerate(OTHER):
        column = BLOCK * k
        sheet.write_string(TOP - 1, column, part.capitalize(), writer.styles.made(bold=True))
        sheet.set_column(column, column, 22)
        sheet.set_column(column + 1, column + BLOCK - 1, 11)
        writer.spill(sheet, "SYSTEM_PART", by_heading, (part,), column, BLOCK - 1)
    sheet.set_row(TOP, 47)
    sheet.freeze_panes(TOP + 1, 0)

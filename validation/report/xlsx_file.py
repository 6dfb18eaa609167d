"""The report as an Excel workbook: the first page, a sheet a case, every table; filters and native charts."""

from __future__ import annotations

import io
import math
import re
from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any

import qnsolve as qn
import xlsxwriter

from ..case import VERDICTS, Study
from ..published.published_tables import sources
from . import sections, summary
from .blocks import RIGHT, Block

FORMATS = {"percent": "0.00%", "share": "0%", "signed": "+0.00%;-0.00%;0.00%", "count": "0"}
COLOURS = dict(zip(VERDICTS, ("#1A7F4B", "#8A5200", "#B3261E"), strict=True))
BLUE, GREY, PALE, GOLD = "#38506A", "#9AA7B4", "#E3E9F0", "#C9A227"
LIGHT = {"visible": True, "line": {"color": PALE}}
NARROW, WRAP = 9, 48  # characters of a column; longer texts wrap
LINE = 15  # height of a line [points]
ACROSS, LETTERS = 8, 140  # columns that a sentence is merged over, and the letters that fit there
CHART_ROWS = 19  # rows that a chart covers
FIRST, SECOND, OTHERS, EVERY = "First page", "Centers and cases", "Measured by others", "Every table"
FIRST_WRAP = 34  # of the first page, whose tables share their columns
LOGARITHMIC = 4  # axes that span more than this factor are logarithmic
OPTIONS = {"in_memory": True, "strings_to_formulas": False, "strings_to_urls": False, "strings_to_numbers": False}
MADE = datetime(2000, 1, 1)  # the same report is the same file


def workbook(studies: Sequence[Study], moved: Sequence[str], others: Sequence[Block] = ()) -> bytes:
    """The file."""
    links = {study.case.name: study.case.name[:31] for study in studies}
    out = io.BytesIO()
    with xlsxwriter.Workbook(out, OPTIONS) as book:
        book.set_properties({"title": "Predicted against published", "comments": f"qnsolve {qn.__version__}", "created": MADE})
        sheet = _Sheet(book, FIRST, links, FIRST_WRAP)
        _first_page(sheet, studies, moved)
        sheet.finish()
        sheet = _Sheet(book, SECOND, links)
        for number, block in enumerate(sections.second_page(studies)):
            sheet.table(block, f"second_{number}")
        sheet.finish()
        for study in studies:
            sheet = _Sheet(book, links[study.case.name], links)
            _case(sheet, study)
            sheet.finish()
        if others:
            sheet = _Sheet(book, OTHERS, links)
            sheet.heading(OTHERS, 16)
            for number, each in enumerate(others):
                sheet.table(each, f"others_{number}")
            sheet.finish()
        sheet = _Sheet(book, EVERY, links)
        sheet.table(sections.every_table(studies), "every_table")
        sheet.sheet.freeze_panes(2, 0)
        sheet.finish()
    return out.getvalue()


class _Sheet:
    """A worksheet that is written from top to bottom; `row` is the next free one."""

    def __init__(self, book: Any, name: str, links: Mapping[str, str], wrap: int = WRAP) -> None:
        self.book, self.name, self.links, self.wrap = book, name, links, wrap
        self.sheet = book.add_worksheet(name)
        self.row = 0
        self.widths: dict[int, int] = {}

    def format(self, **properties: Any) -> Any:
        """A format of cells."""
        return self.book.add_format(properties)

    def heading(self, text: str, size: int = 11) -> None:
        """A line in bold."""
        self.sheet.write_string(self.row, 0, text, self.format(bold=True, font_size=size))
        self.row += 1

    def sentence(self, text: str, **properties: Any) -> None:
        """A sentence over the whole width."""
        look = self.format(text_wrap=True, valign="top", **properties)
        self.sheet.merge_range(self.row, 0, self.row, ACROSS - 1, text, look)
        self.sheet.set_row(self.row, LINE * (1 + len(text) // LETTERS))
        self.row += 1

    def table(self, block: Block, name: str) -> int:
        """A block as a table with filters; returns the row of its head."""
        self.heading(f"{block.title}. {block.note}" if block.note else block.title)
        head, end = self.row, self.row + len(block.rows)
        columns = []
        for column, (title, kind) in enumerate(block.columns):
            align = "right" if kind in RIGHT else "left"
            columns.append(
                {
                    "header": title,
                    "header_format": self.format(bold=True, bg_color=PALE, align=align, indent=int(align == "left")),
                }
            )
            self._widen(column, len(title) + 5)  # the button of the filter
        area = (head, 0, end, len(block.columns) - 1)
        self.sheet.add_table(*area, {"name": name, "style": "Table Style Light 1", "columns": columns})
        for row, values in enumerate(block.rows, head + 1):
            lines = 1
            for column, (value, (_, kind)) in enumerate(zip(values, block.columns, strict=True)):
                lines = max(lines, self._cell(row, column, value, kind))
            if lines > 1:
                self.sheet.set_row(row, LINE * lines)
        for column, (_, kind) in enumerate(block.columns):
            if kind == "verdict":
                self._colour(head + 1, end, column)
        self.row = end + 2
        return head

    def finish(self) -> None:
        """Widths by content; the sheet one page wide on paper."""
        for column, width in self.widths.items():
            self.sheet.set_column(column, column, width)
        self.sheet.set_landscape()
        self.sheet.set_paper(9)
        self.sheet.fit_to_pages(1, 0)
        self.sheet.hide_gridlines(2)

    def chart(self, kind: dict[str, str], series: Sequence[dict[str, Any]], width: int, **parts: dict[str, Any]) -> Any:
        """A chart that is not yet placed; `parts` are its title and axes."""
        chart = self.book.add_chart(kind)
        for each in series:
            chart.add_series(each)
        for part, values in parts.items():
            getattr(chart, f"set_{part}")(values)
        chart.set_size({"width": width, "height": 340})
        return chart

    def _widen(self, column: int, letters: int) -> None:
        self.widths[column] = min(max(self.widths.get(column, NARROW), letters), self.wrap + 2)

    def _colour(self, first: int, last: int, column: int) -> None:
        for verdict, colour in COLOURS.items():
            rule = {"type": "cell", "criteria": "==", "value": f'"{verdict}"', "format": self.format(font_color=colour)}
            self.sheet.conditional_format(first, column, last, column, rule)

    def _cell(self, row: int, column: int, value: Any, kind: str) -> int:
        """Write a cell; returns its lines."""
        if value is None or value == "":
            return 1
        look: dict[str, Any] = {"valign": "top"} if kind in RIGHT else {"valign": "top", "align": "left", "indent": 1}
        if kind == "printed" and re.fullmatch(r"-?\d+(\.\d+)?", value):
            decimals = len(value.partition(".")[2])
            look["num_format"] = "0." + "0" * decimals if decimals else "0"
            value = float(value)
        elif kind == "figure":
            value = float(f"{value:.10g}")
            look["num_format"] = _digits(value)
        elif kind in FORMATS:
            look["num_format"] = FORMATS[kind]
        if not isinstance(value, str):
            self.sheet.write_number(row, column, value, self.format(**look))
            self._widen(column, len(f"{value:.5g}") + 2)
            return 1
        self._widen(column, len(value) + 2)
        if kind == "case" and value in self.links:
            look |= {"font_color": "#1F4E79", "underline": 1}
            self.sheet.write_url(row, column, f"internal:'{self.links[value]}'!A1", self.format(**look), value)
            return 1
        if len(value) > self.wrap:
            look["text_wrap"] = True
        self.sheet.write_string(row, column, value, self.format(**look))
        return 1 + len(value) // (self.wrap - 4) if len(value) > self.wrap else 1


def _first_page(sheet: _Sheet, studies: Sequence[Study], moved: Sequence[str]) -> None:
    sheet.heading("Predicted against published", 16)
    sheet.sentence(f"qnsolve {qn.__version__}. {summary.opening(studies)}")
    for line in moved:
        sheet.sentence(f"moved: {line}", font_color=COLOURS["missed"])
    first = sections.first_page(studies)
    head = sheet.table(first[0], "first_0")
    for number, block in enumerate(first[1:], 1):
        sheet.table(block, f"first_{number}")
    columns = [name for name, _ in first[0].columns]
    last = head + len(first[0].rows)
    series = [
        {
            "name": name,
            "categories": [sheet.name, head + 1, 0, last, 0],
            "values": [sheet.name, head + 1, columns.index(column), last, columns.index(column)],
            "fill": {"color": colour},
        }
        for name, column, colour in (
            ("model", "mean", BLUE),
            ("bounds only", "bounds only", GREY),
            ("naive", "naive", GOLD),
        )
    ]
    chart = sheet.chart(
        {"type": "bar"},
        series,
        643,
        title={"name": "Mean error by kind of figure", "name_font": {"size": 12}},
        x_axis={"name": "mean error", "num_format": "0%", "major_gridlines": LIGHT},
        y_axis={"reverse": True, "crossing": "max", "major_gridlines": {"visible": False}},
        legend={"position": "bottom"},
    )
    sheet.sheet.insert_chart(sheet.row, 0, chart)


def _case(sheet: _Sheet, study: Study) -> None:
    case, source = study.case, sources()[study.case.source]
    sheet.heading(f"{case.name}: {case.title}", 14)
    sheet.sentence(f"{source['title']}, {source['publisher']} {source['year']}.")
    sheet.sentence(f"Question. {case.question}")
    sheet.sentence(f"{summary.judged(study)} {case.verdict_text}")
    sheet.sentence(f"{summary.effort(study)}. Close is ±{100 * case.tolerance:g} %: {case.reason}.")
    sheet.row += 1
    points, *others = sections.case_blocks(study)
    name = re.sub(r"\W", "_", case.name)
    head = sheet.table(points, f"{name}_points")
    columns = {title: column for column, (title, _) in enumerate(points.columns)}
    areas = {title: [sheet.name, head + 1, column, head + len(points.rows), column] for title, column in columns.items()}
    sheet.sheet.insert_chart(sheet.row, 0, _comparison(sheet, study, areas))
    sheet.sheet.insert_chart(sheet.row, 4, _errors(sheet, areas))
    sheet.row += CHART_ROWS
    for number, block in enumerate(others):
        if block.title == sections.MISSING:
            _sentences(sheet, block)
        elif block.rows:
            sheet.table(block, f"{name}_{number}")


def _sentences(sheet: _Sheet, block: Block) -> None:
    """A block whose cells are sentences: each row over the whole width."""
    sheet.heading(block.title)
    for values in block.rows:
        sheet.sentence("; ".join(f"{name}: {value}" for (name, _), value in zip(block.columns, values, strict=True)))
    sheet.row += 1


def _comparison(sheet: _Sheet, study: Study, areas: Mapping[str, list[Any]]) -> Any:
    measured, predicted = areas["printed"], areas["predicted"]
    same = {"categories": measured, "values": measured, "line": {"color": GREY, "width": 0.75}, "marker": {"type": "none"}}
    mark = {"type": "circle", "size": 7, "fill": {"color": BLUE}, "border": {"none": True}}
    found = {"categories": measured, "values": predicted, "line": {"none": True}, "marker": mark}
    figures = [value for point in study.points for value in (point.measured, point.predicted)]
    axis: dict[str, Any] = {"major_gridlines": {"visible": False}}
    if max(figures) / min(figures) > LOGARITHMIC:
        axis |= {"log_base": 10, "min": 10.0 ** math.floor(math.log10(min(figures))), "crossing": "min"}
    return sheet.chart(
        {"type": "scatter", "subtype": "straight_with_markers"},
        [same, found],
        491,
        title={"name": "Predicted over measured", "name_font": {"size": 12}},
        x_axis={"name": "measured", **axis},
        y_axis={"name": "predicted", **axis},
        legend={"none": True},
    )


def _errors(sheet: _Sheet, areas: Mapping[str, list[Any]]) -> Any:
    bars = {"categories": areas["figure"], "values": areas["error"], "fill": {"color": BLUE}}
    return sheet.chart(
        {"type": "bar"},
        [bars],
        643,
        title={"name": "Error of each figure", "name_font": {"size": 12}},
        x_axis={"name": "error", "num_format": "0%", "major_gridlines": LIGHT},
        y_axis={"reverse": True, "crossing": "max", "label_position": "low", "major_gridlines": {"visible": False}},
        legend={"none": True},
    )


def _digits(value: float) -> str:
    """A format of five significant digits."""
    if value == 0 or not 1e-3 <= abs(value) < 1e6:
        return "0.0000E+00" if value else "0"
    decimals = 4 - math.floor(math.log10(abs(value)))
    return "0." + "0" * decimals if decimals > 0 else "0"

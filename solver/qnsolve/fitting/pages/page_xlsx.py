"""The workbook: verdict and errors, every interval, native charts."""

from __future__ import annotations

import io
from collections.abc import Sequence
from datetime import datetime
from math import isfinite
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from .beside_figures import BesideFigures

OPTIONS = {"in_memory": True, "strings_to_formulas": False, "strings_to_urls": False, "strings_to_numbers": False}
MADE = datetime(2000, 1, 1)  # the same figures are the same file
CHARTS = 12  # series with charts
HEIGHT = 17  # rows that a chart covers
INK, BLUE, RED, PALE = "#1D2730", "#1F5FA8", "#B3261E", "#E3E9F0"
GRID = {"visible": True, "line": {"color": PALE}}


def page_xlsx(beside: BesideFigures, lead: Sequence[str] = ()) -> bytes:
    """The file."""
    import xlsxwriter

    out = io.BytesIO()
    with xlsxwriter.Workbook(out, OPTIONS) as book:
        book.set_properties({"title": beside.title(), "created": MADE})
        form = {
            "title": book.add_format({"bold": True, "font_size": 15}),
            "head": book.add_format({"bold": True, "bg_color": "#F1F4F7", "bottom": 1, "text_wrap": True, "valign": "top"}),
            "percent": book.add_format({"num_format": "0.0%"}),
            "signed": book.add_format({"num_format": "+0.0%;-0.0%;0.0%"}),
            "number": book.add_format({"num_format": "General"}),
            "time": book.add_format({"num_format": "yyyy-mm-dd hh:mm"}),
            "wrap": book.add_format({"text_wrap": True, "valign": "top"}),
            "good": book.add_format({"text_wrap": True, "valign": "top", "bold": True, "font_color": "#1A7F4B"}),
            "bad": book.add_format({"text_wrap": True, "valign": "top", "bold": True, "font_color": RED}),
        }
        summary, charts, rows = (book.add_worksheet(name) for name in ("Summary", "Charts", "Intervals"))
        _summary(beside, lead, summary, form)
        _rows(beside, rows, form)
        _charts(beside, book, charts)
        for sheet in (summary, charts, rows):
            sheet.set_landscape()
            sheet.set_paper(9)
            sheet.fit_to_pages(1, 0)
    return out.getvalue()


def _summary(beside: BesideFigures, lead: Sequence[str], sheet: Any, form: dict[str, Any]) -> None:
    sheet.hide_gridlines(2)
    sheet.set_column(0, 0, 34)
    sheet.set_column(1, 8, 13)
    sheet.write_string(0, 0, beside.title(), form["title"])
    line = 2
    sentences = [f"{beside.usability.sentence}.", *lead, *beside.more]
    for i, text in enumerate(sentences):
        kind = ("good" if beside.usability.usable else "bad") if i == 0 else "wrap"
        sheet.merge_range(line, 0, line, 8, "", form[kind])
        sheet.write_string(line, 0, text, form[kind])
        sheet.set_row(line, 15 * (1 + len(text) // 125))
        line += 1
    line += 1
    head = ("series", "rows", "median error", "95 of 100", "bias", "with load", "rows left out", "median of these", "95 of 100")
    for j, name in enumerate(head):
        sheet.write_string(line, j, name, form["head"])
    sheet.set_row(line, 32)
    for each in beside.errors:
        line += 1
        sheet.write_string(line, 0, each.title)
        sheet.write_number(line, 1, each.rows)
        values = (each.median, each.most, each.bias, each.trend)
        for j, value in enumerate(values, start=2):
            _number(sheet, line, j, value, form["signed" if j > 3 else "percent"])
        sheet.write_number(line, 6, each.left_out)
        for j, value in enumerate((each.left_median, each.left_most), start=7):
            _number(sheet, line, j, value, form["percent"])
    line += 2
    for note in beside.notes:
        sheet.merge_range(line, 0, line, 8, "", form["wrap"])
        sheet.write_string(line, 0, f"note: {note}", form["wrap"])
        line += 1


def _number(sheet: Any, row: int, column: int, value: float, form: Any) -> None:
    if isfinite(value):
        sheet.write_number(row, column, value, form)


def _rows(beside: BesideFigures, sheet: Any, form: dict[str, Any]) -> None:
    loads = beside.model.loads
    head = ["interval", "time", "load", "left out", "hour"]
    for each in beside.columns:
        head += [f"{each.title} measured [{each.unit}]", f"{each.title} modelled [{each.unit}]", f"{each.title} error"]
    for j, name in enumerate(head):
        sheet.write_string(0, j, name, form["head"])
    sheet.set_row(0, 45)
    sheet.set_column(0, 0, 8)
    sheet.set_column(1, 1, 17)
    sheet.set_column(2, len(head) - 1, 12)
    sheet.freeze_panes(1, 2)
    sheet.autofilter(0, 0, len(beside.load), len(head) - 1)
    hours = loads.start.astype(np.int64) / 3_600_000 % 24
    for i in range(len(beside.load)):
        sheet.write_number(i + 1, 0, int(loads.order[i]) + 1)
        if not np.isnat(loads.start[i]):
            sheet.write_datetime(i + 1, 1, loads.start[i].astype("datetime64[us]").item(), form["time"])
            sheet.write_number(i + 1, 4, float(hours[i]))
        _number(sheet, i + 1, 2, float(beside.load[i]), form["percent"])
        sheet.write_string(i + 1, 3, "yes" if beside.left_out[i] else "no")
        for k, each in enumerate(beside.columns):
            at = 5 + 3 * k
            _number(sheet, i + 1, at, float(each.measured[i]), form["number"])
            _number(sheet, i + 1, at + 1, float(each.modelled[i]), form["number"])
            _number(sheet, i + 1, at + 2, float(each.error[i]), form["signed"])


def _charts(beside: BesideFigures, book: Any, sheet: Any) -> None:
    """Three charts a series, side by side: over time, error by load, error by hour."""
    sheet.hide_gridlines(2)
    n, clock = len(beside.load), beside.model.loads.clock
    across = 1 if clock else 0
    for k, each in enumerate(beside.columns[:CHARTS]):
        at = 5 + 3 * k
        over = book.add_chart({"type": "scatter"})
        x = ["Intervals", 1, across, n, across]
        marker = {"type": "circle", "size": 3, "fill": {"color": INK}, "border": {"none": True}}
        measured = {"name": "measured", "categories": x, "values": ["Intervals", 1, at, n, at], "marker": marker}
        over.add_series({**measured, "line": {"none": True}})
        line = {"color": BLUE, "width": 1.25}
        modelled = {"name": "modelled", "categories": x, "values": ["Intervals", 1, at + 1, n, at + 1]}
        over.add_series({**modelled, "line": line, "marker": {"type": "none"}})
        over.set_title({"name": f"{each.title} [{each.unit}]", "name_font": {"size": 11}, "overlay": False})
        axis: dict[str, Any] = {"major_gridlines": {"visible": False}, "name": "" if clock else "interval"}
        if clock:
            first, last = (_serial(beside.model.loads.start[i]) for i in (0, -1))
            short = "hh:mm" if last - first < 2 else "mm-dd"
            axis |= {"num_format": short, "min": first, "max": last}
        over.set_x_axis(axis)
        over.set_y_axis({"major_gridlines": GRID, "min": 0})
        over.set_legend({"position": "bottom"})
        over.set_size({"width": 620, "height": 320})
        sheet.insert_chart(k * HEIGHT, 0, over)
        for place, (column, name) in enumerate(
            ((2, "load: use of the fullest center"), (4 if clock else 0, "hour of the day" if clock else "interval"))
        ):
            error = book.add_chart({"type": "scatter"})
            dots = {"type": "circle", "size": 3, "fill": {"color": RED}, "border": {"none": True}}
            values = ["Intervals", 1, at + 2, n, at + 2]
            error.add_series({"categories": ["Intervals", 1, column, n, column], "values": values, "marker": dots})
            error.set_title({"name": f"error of {each.title}", "name_font": {"size": 11}, "overlay": False})
            look: dict[str, Any] = {"name": name, "major_gridlines": {"visible": False}, "label_position": "low"}
            if column == 2:
                look["num_format"] = "0%"
            elif clock:
                look |= {"min": 0, "max": 24, "major_unit": 6, "num_format": "0"}
            error.set_x_axis(look)
            error.set_y_axis({"major_gridlines": GRID, "num_format": "0%"})
            error.set_legend({"none": True})
            error.set_size({"width": 330, "height": 320})
            sheet.insert_chart(k * HEIGHT, 10 + 5 * place, error, {"x_offset": 10 * place})


def _serial(time: Any) -> float:
    """A time as a sheet counts it, days since the end of 1899."""
    return float((time - np.datetime64("1899-12-30", "ms")).astype(np.int64)) / 86_400_000

"""The study as a workbook: the verdict and charts first, a sheet that recalculates what is exact, tables of the rest."""

from __future__ import annotations

import io
from datetime import datetime
from math import floor, isnan, log10
from typing import TYPE_CHECKING, Any

from .recalculated_sheet import recalculated_sheet

if TYPE_CHECKING:
    from ..study import Study

OPTIONS = {"in_memory": True, "strings_to_formulas": False, "strings_to_urls": False, "strings_to_numbers": False}
MADE = datetime(2000, 1, 1)  # the same study is the same file
WIDE = 11  # columns of the first sheet
HEIGHT = 15  # rows that a chart covers
CHARTS = 6  # works with a chart
GOOD, BUSY, BAD, INK = "#1B6E3C", "#B36B00", "#A61B1B", "#1A1A1A"
DEAD = {"italic": True, "font_color": "#5A5A5A"}  # of what was solved when the file was written
DEAD_NOTE = "Solved when this file was written: it follows no cell. Sheet Load recalculates."
COLOURS = ("#0072B2", "#D55E00", "#009E73", "#7F3C8D", "#8A6D00", "#555555")
DASHES = ("solid", "dash", "round_dot", "dash_dot", "long_dash", "square_dot")
MARKS = ("circle", "square", "triangle", "diamond", "x", "star")


def study_xlsx(study: Study) -> bytes:
    """The file."""
    import xlsxwriter

    out = io.BytesIO()
    with xlsxwriter.Workbook(out, OPTIONS) as book:
        book.set_properties({"title": study.title(), "created": MADE})
        form = formats(book)
        first, load, times, centers, what_ifs, notes = (
            book.add_worksheet(name) for name in ("Verdict", "Load", "Response", "Centers", "What if", "Notes")
        )
        _times(study, times, form)
        _centers(study, centers, form)
        _what_ifs(study, what_ifs, form)
        recalculated_sheet(study, book, load, form)
        _notes(study, notes, form)
        _verdict(study, book, first, form)
        for sheet in (first, load, times, centers, what_ifs, notes):
            sheet.hide_gridlines(2)
            if sheet is not first:
                sheet.set_landscape()
            sheet.set_paper(9)
            sheet.fit_to_pages(1, 1 if sheet is first else 0)
            sheet.set_footer("&Lqnsolve&Rpage &P of &N")
    return out.getvalue()


def formats(book: Any) -> dict[str, Any]:
    """The formats of a study's workbook, by use."""
    wrap = {"text_wrap": True, "valign": "top"}
    kinds = {
        "title": {"font_color": "#5A5A5A"},
        "verdict": {**wrap, "bold": True, "font_size": 18, "valign": "vcenter"},
        "gains": {**wrap, "font_size": 12},
        "wrap": wrap,
        "head": {**wrap, "bold": True, "bottom": 1, "bg_color": "#F1F4F7"},
        "good": {"bold": True, "font_color": "#FFFFFF", "bg_color": GOOD, "align": "center", "border": 1},
        "bad": {"bold": True, "font_color": "#FFFFFF", "bg_color": BAD, "align": "center", "border": 1},
        "section": {"bold": True, "font_size": 13},
        "dead": dict(DEAD),
        "ms": {"num_format": "0.000", "valign": "top", **DEAD},
        "count": {"num_format": "0", "valign": "top", **DEAD},
        "heat": {"num_format": "0%", **DEAD},
        "tenth": {"num_format": "0.0%", "valign": "top", **DEAD},
        "solved": {**wrap, **DEAD},
        "years": {"num_format": "0.00", **DEAD},
        "load": {"num_format": "#,##0.0"},
        "input_load": {"bg_color": "#FFF7CC", "border": 1, "num_format": "#,##0.0"},
        "dead_percent": {"num_format": "0.0%", **DEAD},
        "input": {"bg_color": "#FFF7CC", "border": 1, "num_format": "0.0%"},
        "live": {"num_format": "0.0%", "font_color": INK},
        "text": {"indent": 1},
    }
    return {name: book.add_format(kind) for name, kind in kinds.items()}


def _verdict(study: Study, book: Any, sheet: Any, form: dict[str, Any]) -> None:
    """The first sheet: sentence, lights, charts, lines to read aloud."""
    sheet.set_column(0, WIDE, 12)
    sentences = study.sentences()
    sheet.write_string(0, 0, study.title(), form["title"])
    sheet.merge_range(1, 0, 1, WIDE, "", form["verdict"])
    sheet.write_string(1, 0, sentences[0], form["verdict"])
    sheet.set_row(1, 26 * (1 + len(sentences[0]) // 85))
    if study.what_ifs:
        sheet.merge_range(2, 0, 2, WIDE, "", form["gains"])
        sheet.write_string(2, 0, sentences[1], form["gains"])
        sheet.set_row(2, 17 * (1 + len(sentences[1]) // 125))
    sheet.write_string(4, 0, "period", form["head"])
    sheet.write_string(5, 0, "holds", form["head"])
    for j, period in enumerate(study.periods[: 3 * WIDE], start=1):
        row, column = 4 + 2 * ((j - 1) // WIDE), 1 + (j - 1) % WIDE
        sheet.write_string(row, column, period.name, form["head"])
        sheet.write_string(row + 1, column, "yes" if period.holds else "no", form["good" if period.holds else "bad"])
    row = 7 + 2 * ((min(len(study.periods), 3 * WIDE) - 1) // WIDE)
    if len(study.periods) > 3 * WIDE:
        sheet.write_string(row - 1, 1, f"{len(study.periods) - 3 * WIDE} more periods: sheet Response", form["dead"])
    works = [work.name for work in study.periods[0].work][:CHARTS]
    charts = [_response_chart(study, book, name, place) for place, name in enumerate(works)]
    if any(use.limits for use in study.centers):
        charts.append(_use_chart(study, book))
    if study.what_ifs:
        charts.append(_gain_chart(study, book))
    for k, chart in enumerate(charts):
        sheet.insert_chart(row + HEIGHT * (k // 2), 6 * (k % 2), chart, {"x_scale": 1.08, "y_scale": 1.0})
    row += HEIGHT * ((len(charts) + 1) // 2) + 1
    sheet.write_string(row, 0, "To read aloud", form["section"])
    for text in sentences[1 if not study.what_ifs else 2 :]:
        row += 1
        sheet.merge_range(row, 0, row, WIDE, "", form["wrap"])
        sheet.write_string(row, 0, text, form["wrap"])
        sheet.set_row(row, 15 * (1 + len(text) // 140))
    row += 2
    sheet.write_string(row, 0, DEAD_NOTE, form["dead"])


def _response_chart(study: Study, book: Any, name: str, place: int) -> Any:
    chart = book.add_chart({"type": "line"})
    count = len(study.periods)
    column = 3 + 5 * place
    colour = {"color": COLOURS[place % 6]}
    line = {**colour, "width": 2.25, "dash_type": DASHES[place % 6]}
    marker = {"type": MARKS[place % 6], "size": 6, "fill": colour, "border": colour}
    periods = ["Response", 1, 0, count, 0]

    def series(title: str, offset: int, **more: Any) -> None:
        values = ["Response", 1, column + offset, count, column + offset]
        chart.add_series({"name": title, "categories": periods, "values": values, **more})

    series("modelled", 0, line=line, marker=marker)
    thin = {"color": "#999999", "width": 0.75}
    series("lowest, highest by the error of the method", 1, line=thin)
    series("highest", 2, line=thin)
    removed = [2]
    if not isnan(study.periods[0].work[place].target):
        series("target", 3, line={"color": INK, "width": 1.5, "dash_type": "dash"})
    if any(period.work[place].simulated for period in study.periods):
        diamond = {"type": "diamond", "size": 9, "fill": {"color": "#FFFFFF"}, "border": {"color": INK}}
        series("simulated", 4, line={"none": True}, marker=diamond)
    chart.set_title({"name": f"{name}: response time [ms]", "name_font": {"size": 11}})
    chart.set_legend({"position": "bottom", "delete_series": removed})
    axis = {"min": 0, "major_gridlines": {"visible": True, "line": {"color": "#D4D4D4"}}}
    chart.set_y_axis({**axis, **({"max": most} if (most := _shown_to(study, place)) else {})})
    chart.show_blanks_as("gap")
    return chart


def _shown_to(study: Study, place: int) -> float:
    """Where the axis of a chart ends [ms]: times far above the target would press the rest to the ground; 0 for no end."""
    works = [period.work[place] for period in study.periods]
    target = works[0].target
    shown = [
        work.response_time for work, each in zip(works, study.periods, strict=True) if each.holds or each is study.periods[0]
    ]
    most = max([2.5 * target, *(value for value in shown if not isnan(value))])
    if isnan(target) or not any(work.response_time > most for work in works):
        return 0.0
    power = 10.0 ** floor(log10(1000 * most))
    return next(step * power for step in (1, 1.5, 2, 3, 4, 5, 6, 8, 10) if step * power >= 1000 * most * (1 - 1e-9))


def _use_chart(study: Study, book: Any) -> Any:
    chart = book.add_chart({"type": "line"})
    count = len(study.periods)
    shown = [place for place, use in enumerate(study.centers) if use.limits][:5]
    for k, place in enumerate(shown):
        chart.add_series(
            {
                "name": study.centers[place].name,
                "categories": ["Centers", 0, 3, 0, 2 + count],
                "values": ["Centers", 1 + place, 3, 1 + place, 2 + count],
                "line": {"color": COLOURS[k], "width": 2, "dash_type": DASHES[k]},
                "marker": {"type": MARKS[k], "size": 5, "fill": {"color": COLOURS[k]}, "border": {"color": COLOURS[k]}},
            }
        )
    chart.set_title({"name": "The fullest centers: used", "name_font": {"size": 11}})
    chart.set_legend({"position": "bottom"})
    chart.set_y_axis({"min": 0, "num_format": "0%", "major_gridlines": {"visible": True, "line": {"color": "#D4D4D4"}}})
    return chart


def _gain_chart(study: Study, book: Any) -> Any:
    chart = book.add_chart({"type": "bar"})
    count = min(len(study.what_ifs), 12)
    chart.add_series(
        {
            "name": "months gained",
            "categories": ["What if", 1, 0, count, 0],
            "values": ["What if", 1, 2, count, 2],
            "fill": {"color": COLOURS[0]},
            "data_labels": {"value": True},
        }
    )
    chart.set_title({"name": "What if: months gained", "name_font": {"size": 11}})
    chart.set_legend({"none": True})
    chart.set_y_axis({"reverse": True, "crossing": "max"})
    chart.set_x_axis({"num_format": "0", "major_gridlines": {"visible": True, "line": {"color": "#D4D4D4"}}})
    return chart


def _number(sheet: Any, row: int, column: int, value: float, form: Any) -> None:
    if not isnan(value):
        sheet.write_number(row, column, value, form)


def _tall(sheet: Any, row: int, *cells: tuple[str, int]) -> None:
    """Room for wrapped texts: each with the characters that its column is wide; not every program makes it by itself."""
    lines = max(1 + (len(text) - 1) // max(round(0.9 * wide), 1) if text else 1 for text, wide in cells)
    sheet.set_row(row, 15 * lines)


def _framed(sheet: Any, rows: int, form: dict[str, Any]) -> None:
    """Headings of two lines that stay in view, and below the table what it is."""
    sheet.set_row(0, 32)
    sheet.freeze_panes(1, 1)
    sheet.write_string(rows + 2, 0, DEAD_NOTE, form["dead"])


def _table_object(sheet: Any, name: str, head: list[str], rows: int, form: dict[str, Any]) -> None:
    """A table with its headings, from the first cell on."""
    columns = [{"header": title, "header_format": form["head"]} for title in head]
    sheet.add_table(0, 0, rows, len(head) - 1, {"name": name, "style": "Table Style Light 1", "columns": columns})


def _times(study: Study, sheet: Any, form: dict[str, Any]) -> None:
    """Response times in ms by period and work, as a table."""
    head = ["period", "month", "holds"]
    for work in study.periods[0].work:
        head += [
            f"{work.name} [ms]",
            f"{work.name} lowest",
            f"{work.name} highest",
            f"{work.name} target",
            f"{work.name} simulated",
        ]
    rows = len(study.periods)
    _table_object(sheet, "Responses", head, rows, form)
    sheet.set_column(0, 2, 11)
    sheet.set_column(3, len(head) - 1, 12)
    _framed(sheet, rows, form)
    for i, period in enumerate(study.periods, start=1):
        sheet.write_string(i, 0, period.name)
        sheet.write_string(i, 1, period.day or period.month, form["solved"])
        sheet.write_string(i, 2, "yes" if period.holds else "no", form["solved"])
        for k, work in enumerate(period.work):
            at, time = 3 + 5 * k, 1000 * work.response_time
            values = (time, time * (1 - work.response_error), time * (1 + work.response_error), 1000 * work.target)
            for offset, value in enumerate(values):
                _number(sheet, i, at + offset, value, form["ms"])
            if work.simulated is not None:
                _number(sheet, i, at + 4, 1000 * work.simulated.response_time, form["ms"])


def _centers(study: Study, sheet: Any, form: dict[str, Any]) -> None:
    """Use of each center by period, coloured."""
    head = ["center", "kind", "full in", *(period.name for period in study.periods)]
    rows = len(study.centers)
    if not rows:
        return
    _table_object(sheet, "Centers", head, rows, form)
    sheet.set_column(0, 0, 34)
    sheet.set_column(1, 1, 17)
    sheet.set_column(2, len(head) - 1, 11)
    _framed(sheet, rows, form)
    for i, use in enumerate(study.centers, start=1):
        sheet.write_string(i, 0, use.name)
        sheet.write_string(i, 1, use.kind)
        sheet.write_string(i, 2, use.full_in, form["solved"])
        for j, value in enumerate(use.used, start=3):
            sheet.write_number(i, j, value / 100, form["heat"])
    place = (1, 3, rows, len(head) - 1)
    scale = {
        "type": "3_color_scale",
        "min_type": "num",
        "mid_type": "num",
        "max_type": "num",
        "min_value": 0.3,
        "mid_value": 0.7,
        "max_value": 1.0,
    }
    sheet.conditional_format(*place, {**scale, "min_color": "#FFFFFF", "mid_color": "#F2C46D", "max_color": "#D9622E"})


def _what_ifs(study: Study, sheet: Any, form: dict[str, Any]) -> None:
    works = [work.name for work in study.periods[0].work]
    head = [
        "change",
        "holds until",
        "months gained",
        *(f"{name} [ms]" for name in works),
        "CPU change",
        "then",
        "figures changed",
        "remark",
    ]
    rows = max(len(study.what_ifs), 1)
    _table_object(sheet, "WhatIf", head, rows, form)
    sheet.set_column(0, 0, 40)
    sheet.set_column(1, 3 + len(works), 12)
    sheet.set_column(4 + len(works), 6 + len(works), 34)
    _framed(sheet, rows, form)
    for i, each in enumerate(study.what_ifs, start=1):
        sheet.write_string(i, 0, each.name, form["wrap"])
        sheet.write_string(i, 1, each.holds_until or "not today", form["solved"])
        sheet.write_number(i, 2, each.months, form["count"])
        for k, name in enumerate(works):
            _number(sheet, i, 3 + k, 1000 * each.response_time.get(name, float("nan")), form["ms"])
        _number(sheet, i, 3 + len(works), each.cpu_change, form["tenth"])
        sheet.write_string(i, 4 + len(works), each.cause, form["solved"])
        sheet.write_string(i, 5 + len(works), "; ".join(each.changes), form["solved"])
        sheet.write_string(i, 6 + len(works), each.remark, form["solved"])
        _tall(sheet, i, (each.name, 40), *((text, 34) for text in (each.cause, "; ".join(each.changes), each.remark)))


def _notes(study: Study, sheet: Any, form: dict[str, Any]) -> None:
    sheet.set_column(0, 0, 120)
    sheet.write_string(0, 0, "Assumptions, sources, error", form["section"])
    for i, text in enumerate((*study.assumptions, *study.notes), start=1):
        sheet.write_string(i, 0, text, form["wrap"])
        _tall(sheet, i, (text, 120))

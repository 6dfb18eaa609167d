"""The report as an Excel workbook: the first page, a sheet a case, every table; filters and native charts."""

from __future__ import annotations

import io
import re
import zipfile
from collections.abc import Sequence
from typing import Any

import qnsolve as qn
from openpyxl import Workbook
from openpyxl.chart import BarChart, Reference, ScatterChart, Series
from openpyxl.chart.shapes import GraphicalProperties
from openpyxl.formatting.rule import FormulaRule
from openpyxl.styles import Alignment, Font, PatternFill
from openpyxl.utils import get_column_letter
from openpyxl.worksheet.table import Table, TableStyleInfo
from openpyxl.worksheet.worksheet import Worksheet

from ..case import VERDICTS, Study
from ..published.tables import sources
from . import sections, summary
from .blocks import RIGHT, Block

FORMATS = {"percent": "0.00%", "signed": "+0.00%;-0.00%;0.00%", "figure": "General", "count": "0"}
COLOURS = dict(zip(VERDICTS, ("1A7F4B", "8A5200", "B3261E"), strict=True))
NARROW, WRAP = 9, 48  # characters of a column; longer texts wrap
HIGH = 15  # points of a line
CHART = 6  # rows left free under the numbers, beside which the first chart stands
ACROSS, LETTERS = 8, 140  # columns that a sentence goes over, and the letters that these hold
FIRST, EVERY = "First page", "Every table"
NEVER = (1980, 1, 1, 0, 0, 0)  # time of each part: the same report is the same file
STAMP = re.compile(rb"(<dcterms:(?:created|modified)[^>]*>)[^<]*")


def workbook(studies: Sequence[Study], moved: Sequence[str]) -> bytes:
    """The file."""
    book = Workbook()
    names = {study.case.name: _sheet_name(study.case.name) for study in studies}
    first = book.active
    first.title = FIRST
    _first(first, studies, moved, names)
    for study in studies:
        _case(book.create_sheet(names[study.case.name]), study)
    every = book.create_sheet(EVERY)
    _put(every, sections.every_table(studies), 1, "every_table", names)
    _finish(every)
    every.freeze_panes = "A3"
    return _packed(book)


def _sheet_name(case: str) -> str:
    return case[:31]


def _first(sheet: Worksheet, studies: Sequence[Study], moved: Sequence[str], names: dict[str, str]) -> None:
    sheet["A1"] = "Predicted against published"
    _line(sheet, 2, f"qnsolve {qn.__version__}. {summary.opening(studies)}")
    sheet["A1"].font = Font(bold=True, size=16)
    row = 3
    for line in moved:
        _line(sheet, row, f"moved: {line}")
        sheet.cell(row, 1).font = Font(color=COLOURS["missed"])
        row += 1
    places = {}
    for number, each in enumerate(sections.first_page(studies)):
        places[each.title] = row + 2
        row = _put(sheet, each, row + 1, f"first_{number}", names) + (CHART if number == 0 else 0)
    _finish(sheet)
    head = places["Errors by kind of center"]
    kinds = len(summary.spreads(studies))
    chart = BarChart()
    chart.type, chart.grouping, chart.overlap = "bar", "stacked", 100
    chart.title, chart.height, chart.width = "Predictions by kind of center", 9, 17
    chart.add_data(Reference(sheet, min_col=7, max_col=9, min_row=head, max_row=head + kinds), titles_from_data=True)
    chart.set_categories(Reference(sheet, min_col=1, min_row=head + 1, max_row=head + kinds))
    for series, colour in zip(chart.series, COLOURS.values(), strict=True):
        series.graphicalProperties.solidFill = colour
    _axes(chart, "", "figures")
    chart.x_axis.scaling.orientation = "maxMin"
    sheet.add_chart(chart, "E3")


def _case(sheet: Worksheet, study: Study) -> None:
    case, source = study.case, sources()[study.case.source]
    sheet["A1"] = f"{case.name}: {case.title}"
    sheet["A1"].font = Font(bold=True, size=14)
    lines = (
        f"{source['title']}, {source['publisher']} {source['year']}.",
        f"Question. {case.question}",
        f"{summary.judged(study)} {case.verdict_text}",
        f"{summary.effort(study)}. Close is ±{100 * case.tolerance:g} %: {case.reason}.",
    )
    for number, line in enumerate(lines, 2):
        _line(sheet, number, line)
    points, *others = sections.case_blocks(study)
    name = re.sub(r"\W", "_", case.name)
    end = _put(sheet, points, 7, f"{name}_points", {})
    head, last = 8, 8 + len(points.rows)
    chart_row = end + 1
    sheet.add_chart(_against(sheet, study, head, last), f"A{chart_row}")
    sheet.add_chart(_errors(sheet, head, last), f"E{chart_row}")
    row = chart_row + 19
    for number, each in enumerate(others):
        if each.title == sections.MISSING:
            row = _told(sheet, each, row)
        elif each.rows:
            row = _put(sheet, each, row, f"{name}_{number}", {})
    _finish(sheet)


def _told(sheet: Worksheet, block: Block, row: int) -> int:
    """A block of sentences, over the whole width."""
    sheet.cell(row, 1, block.title).font = Font(bold=True)
    for values in block.rows:
        row += 1
        parts = (f"{name}: {value}" for (name, _), value in zip(block.columns, values, strict=True))
        row = _line(sheet, row, "; ".join(parts))
    return row + 2


def _line(sheet: Worksheet, row: int, text: str) -> int:
    sheet.cell(row, 1, text).alignment = Alignment(wrap_text=True, vertical="top")
    sheet.merge_cells(start_row=row, end_row=row, start_column=1, end_column=ACROSS)
    sheet.row_dimensions[row].height = HIGH * (1 + len(text) // LETTERS)
    return row


def _against(sheet: Worksheet, study: Study, head: int, last: int) -> ScatterChart:
    chart = ScatterChart()
    chart.title, chart.style, chart.height, chart.width = "Predicted over measured", 13, 9, 13
    chart.legend = None
    measured = Reference(sheet, min_col=6, min_row=head + 1, max_row=last)
    found = Series(Reference(sheet, min_col=7, min_row=head + 1, max_row=last), measured, title="predicted")
    found.marker.symbol, found.marker.size = "circle", 7
    found.marker.graphicalProperties = GraphicalProperties(solidFill="38506A")
    found.graphicalProperties.line.noFill = True
    same = Series(measured, measured, title="measured")
    same.marker.symbol = "none"
    same.graphicalProperties.line.solidFill, same.graphicalProperties.line.width = "9AA7B4", 9525
    chart.series += [same, found]
    _axes(chart, "measured", "predicted")
    values = [value for p in study.points for value in (p.measured, p.predicted)]
    if max(values) / min(values) > 4:
        chart.x_axis.scaling.logBase = chart.y_axis.scaling.logBase = 10
        low = 10.0 ** _floor_power(min(values))
        chart.x_axis.scaling.min = chart.y_axis.scaling.min = low
        chart.x_axis.crosses = chart.y_axis.crosses = "min"
    return chart


def _floor_power(value: float) -> int:
    power = 0
    while 10.0**power > value:
        power -= 1
    while 10.0 ** (power + 1) <= value:
        power += 1
    return power


def _errors(sheet: Worksheet, head: int, last: int) -> BarChart:
    chart = BarChart()
    chart.type, chart.title, chart.legend, chart.height, chart.width = "bar", "Error of each figure", None, 9, 17
    chart.add_data(Reference(sheet, min_col=8, min_row=head + 1, max_row=last))
    chart.set_categories(Reference(sheet, min_col=1, min_row=head + 1, max_row=last))
    chart.series[0].graphicalProperties.solidFill = "38506A"
    chart.series[0].invertIfNegative = False
    _axes(chart, "", "error")
    chart.y_axis.number_format = "0%"
    chart.x_axis.scaling.orientation, chart.x_axis.tickLblPos = "maxMin", "low"
    return chart


def _axes(chart: Any, x: str, y: str) -> None:
    chart.x_axis.delete = chart.y_axis.delete = False
    chart.x_axis.title, chart.y_axis.title = x or None, y or None


def _put(sheet: Worksheet, block: Block, row: int, name: str, names: dict[str, str]) -> int:
    """Write a block as a table with filters; the first free row below it."""
    sheet.cell(row, 1, block.title if not block.note else f"{block.title}. {block.note}").font = Font(bold=True)
    head = row + 1
    for column, (title, _) in enumerate(block.columns, 1):
        cell = sheet.cell(head, column, title)
        cell.font, cell.fill = Font(bold=True), PatternFill("solid", fgColor="E3E9F0")
        cell.alignment = Alignment(horizontal="right" if block.columns[column - 1][1] in RIGHT else "left")
    for number, values in enumerate(block.rows, head + 1):
        for column, (value, (_, kind)) in enumerate(zip(values, block.columns, strict=True), 1):
            _cell(sheet, number, column, value, kind, names)
    end = head + len(block.rows)
    area = f"A{head}:{get_column_letter(len(block.columns))}{end}"
    table = Table(displayName=name, ref=area)
    table.tableStyleInfo = TableStyleInfo(name="TableStyleLight1", showRowStripes=True)
    sheet.add_table(table)
    for column, (_, kind) in enumerate(block.columns, 1):
        if kind == "verdict":
            letter = get_column_letter(column)
            for verdict, colour in COLOURS.items():
                rule = FormulaRule(formula=[f'${letter}{head + 1}="{verdict}"'], font=Font(color=colour))
                sheet.conditional_formatting.add(f"{letter}{head + 1}:{letter}{end}", rule)
    return end + 2


def _cell(sheet: Worksheet, row: int, column: int, value: Any, kind: str, names: dict[str, str]) -> None:
    if value is None or value == "":
        return
    cell = sheet.cell(row, column)
    cell.alignment = Alignment(vertical="top", indent=0 if kind in RIGHT else 1)
    if kind == "printed" and re.fullmatch(r"-?\d+(\.\d+)?", value):
        decimals = len(value.partition(".")[2])
        cell.value, cell.number_format = float(value), "0." + "0" * decimals if decimals else "0"
        return
    cell.value = value
    if kind in FORMATS:
        cell.number_format = FORMATS[kind]
        if kind == "figure":
            cell.value, cell.number_format = float(f"{value:.10g}"), _digits(value)
    if kind == "case" and value in names:
        cell.hyperlink = f"#'{names[value]}'!A1"
        cell.font = Font(color="1F4E79", underline="single")


def _digits(value: float) -> str:
    """A format of five significant digits."""
    if value == 0 or not 1e-3 <= abs(value) < 1e6:
        return "0.0000E+00" if value else "0"
    return "0." + "0" * decimals if (decimals := 4 - _floor_power(abs(value))) > 0 else "0"


def _finish(sheet: Worksheet) -> None:
    """Widths by content, long texts wrapped, the sheet one page wide on paper."""
    widths: dict[int, int] = {}
    merged = {place.coord.split(":")[0] for place in sheet.merged_cells.ranges}
    for cells in sheet.iter_rows():
        lines = 1
        for cell in cells:
            if cell.value is None or cell.coordinate in merged or (cell.font.bold and not cell.fill.fill_type):
                continue
            text = f"{cell.value:.5g}" if isinstance(cell.value, float) else str(cell.value)
            room = 5 if cell.font.bold else 2  # a head has the button of its filter
            widths[cell.column] = min(max(widths.get(cell.column, NARROW), len(text) + room), WRAP + 2)
            if len(text) > WRAP:
                cell.alignment = Alignment(wrap_text=True, vertical="top", indent=1)
                lines = max(lines, 1 + len(text) // (WRAP - 4))
        if lines > 1:
            sheet.row_dimensions[cells[0].row].height = HIGH * lines
    for column, width in widths.items():
        sheet.column_dimensions[get_column_letter(column)].width = width
    sheet.page_setup.orientation, sheet.page_setup.paperSize = "landscape", sheet.PAPERSIZE_A4
    sheet.page_setup.fitToWidth, sheet.page_setup.fitToHeight = 1, 0
    sheet.sheet_properties.pageSetUpPr.fitToPage = True
    sheet.sheet_view.showGridLines = False


def _packed(book: Workbook) -> bytes:
    """The file, without the time that it was made at."""
    raw, out = io.BytesIO(), io.BytesIO()
    book.save(raw)
    with zipfile.ZipFile(raw) as old, zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as new:
        for name in old.namelist():
            data = old.read(name)
            if name == "docProps/core.xml":
                data = STAMP.sub(rb"\g<1>2000-01-01T00:00:00Z", data)
            new.writestr(zipfile.ZipInfo(name, NEVER), data, zipfile.ZIP_DEFLATED)
    return out.getvalue()

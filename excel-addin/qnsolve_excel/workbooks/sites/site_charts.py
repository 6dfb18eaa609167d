"""Charts of the first sheet, and the cells that they draw."""

from __future__ import annotations

from typing import Any

from .result_sheets import CENTERS, CHANGES, FIXED, STUDY
from .site_styles import SHARE, TIME
from .site_writer import TOP, SiteWriter

DATA = "Chart data"
CHARTED, USES, GAINS = 6, 5, 12  # works, centers, and changes in a chart
WORDS = (3, 2 * CHARTED + 2)  # row and column of the sentences
CENTER, GAIN = WORDS[1] + 2, WORDS[1] + 2 + USES + 1  # first columns of what the charts of centers and changes draw
HEADS, FIRST = 2, 3  # row of the headings of the cells that are drawn, and the first below
FIGURES, STRIDE = 6, 5  # as on the first sheet
COLOURS = ("#0072B2", "#D55E00", "#009E73", "#7F3C8D", "#8A6D00", "#555555")
DASHES = ("solid", "dash", "round_dot", "dash_dot", "long_dash", "square_dot")
MARKS = ("circle", "square", "triangle", "diamond", "x", "star")
GRID = {"visible": True, "line": {"color": "#D4D4D4"}}
NOTE = "What the charts of the first sheet draw: where a center is full, the response time stands at the top of the chart."


def chart_data(writer: SiteWriter, sheet: Any) -> None:
    """Write the sheet."""
    from xlsxwriter.utility import xl_rowcol_to_cell as cell

    styles, study = writer.styles, writer.answer("STUDY")
    count = len(study) - 1
    sheet.hide_gridlines(2)
    sheet.write_string(0, 0, NOTE, styles.soft)
    sheet.write_string(1, 0, "top", styles.soft)
    sheet.set_column(0, 2 * CHARTED, 13)
    sheet.set_column(WORDS[1], WORDS[1], 90)
    sheet.write_string(HEADS, 0, "period", styles.head)
    for i in range(count):
        place = f"'{STUDY}'!{cell(TOP + 1 + i, 0)}"
        writer.cell(sheet, FIRST + i, 0, f'IF({place}="","",{place})', study[1 + i][0], styles.solved("@"))
    for slot in range(min((len(study[0]) - FIGURES) // STRIDE, CHARTED)):
        _work(writer, sheet, study, slot)
    sheet.write_string(HEADS, WORDS[1], "sentences", styles.head)
    _words(writer, sheet)
    _centers(writer, sheet, count)
    _gains(writer, sheet)


def _centers(writer: SiteWriter, sheet: Any, count: int) -> None:
    """Use of the centers that fill up first, a column each."""
    from xlsxwriter.utility import xl_rowcol_to_cell as cell

    found = writer.answer("STUDY_CENTERS")
    for k in range(min(USES, len(found) - 1)):
        name = f"'{CENTERS}'!{cell(TOP + 1 + k, 0)}"
        writer.cell(sheet, HEADS, CENTER + k, f'{name}&""', found[1 + k][0], writer.styles.head)
        for i in range(count):
            use = f"'{CENTERS}'!{cell(TOP + 1 + k, FIXED + i)}"
            value = found[1 + k][FIXED + i]
            writer.cell(sheet, FIRST + i, CENTER + k, f"IF(ISNUMBER({use}),{use},0)", value, writer.styles.solved(SHARE))


def _gains(writer: SiteWriter, sheet: Any) -> None:
    """Months that each change gives."""
    from xlsxwriter.utility import xl_rowcol_to_cell as cell

    found = writer.answer("STUDY_WHAT_IF")
    sheet.write_string(HEADS, GAIN, "change", writer.styles.head)
    sheet.write_string(HEADS, GAIN + 1, "months gained", writer.styles.head)
    for i, row in enumerate(found[1 : 1 + GAINS]):
        name, months = (f"'{CHANGES}'!{cell(TOP + 1 + i, column)}" for column in (0, 2))
        gained = row[2] if row[2] != "" else 0
        writer.cell(sheet, FIRST + i, GAIN, f'{name}&""', row[0], writer.styles.solved("@"))
        writer.cell(sheet, FIRST + i, GAIN + 1, f"IF(ISNUMBER({months}),{months},0)", gained, writer.styles.solved("0"))


def _work(writer: SiteWriter, sheet: Any, study: list[list[Any]], slot: int) -> None:
    """Response time and target of a work by period."""
    from xlsxwriter.utility import xl_range_abs
    from xlsxwriter.utility import xl_rowcol_to_cell as cell

    count, column, source = len(study) - 1, 1 + 2 * slot, FIGURES + STRIDE * slot
    head = f"'{STUDY}'!{cell(TOP, source)}"
    style = writer.styles.solved(TIME)
    name = str(study[0][source]).removesuffix(" load")
    writer.cell(sheet, HEADS, column, f'IF(LEN({head})=0,"",LEFT({head},LEN({head})-5))', name, writer.styles.head)
    areas = [f"'{STUDY}'!{xl_range_abs(TOP + 1, source + j, TOP + count, source + j)}" for j in (1, 4)]
    known = [row[source + j] for row in study[1:] for j in (1, 4) if row[source + j] != ""]
    top = 1.15 * max(known, default=0.0)
    writer.cell(sheet, 1, column, f"1.15*MAX({','.join(areas)})", top, style)
    ceiling = cell(1, column, True, True)
    any_target = any(row[source + 4] != "" for row in study[1:])
    writer.cell(
        sheet,
        HEADS,
        column + 1,
        f'IF(COUNT({areas[1]})=0,"no target","target")',
        "target" if any_target else "no target",
        writer.styles.head,
    )
    for i in range(count):
        row = FIRST + i
        time, target = (f"'{STUDY}'!{cell(TOP + 1 + i, source + j)}" for j in (1, 4))
        before = f"IF(LEN({cell(row, 0)})=0,{cell(row - 1, column)}," if i else "("
        shown = study[1 + i][source + 1] if study[1 + i][source + 1] != "" else top
        writer.cell(sheet, row, column, f"{before}IF(ISNUMBER({time}),{time},{ceiling}))", shown, style)
        drawn = cell(row, column)
        goal = study[1 + i][source + 4] if study[1 + i][source + 4] != "" else shown
        writer.cell(sheet, row, column + 1, f"IF(ISNUMBER({target}),{target},{drawn})", goal, style)


def _words(writer: SiteWriter, sheet: Any) -> None:
    """The sentences, one below the other."""
    from xlsxwriter.utility import xl_range

    found = writer.answer("STUDY_SENTENCES")
    rows = found if isinstance(found, list) else [[""]] * 10
    style = writer.styles.solved("@")
    row, column = WORDS
    if writer.live:
        area = (row, column, row + len(rows) - 1, column)
        text = f'=IFERROR(IF(ROW({xl_range(*area)})>0,{writer.formula("STUDY_SENTENCES")}),"")'
        sheet.write_array_formula(*area, text, style, rows[0][0])
    for i, each in enumerate(rows):
        if i or not writer.live:
            sheet.write_string(row + i, column, each[0], style) if each[0] else sheet.write_blank(row + i, column, None, style)


def response_chart(writer: SiteWriter, slot: int, count: int) -> Any:
    """Response time of a work by period, and its target."""
    chart = writer.book.add_chart({"type": "line"})
    column = 1 + 2 * slot
    colour = {"color": COLOURS[slot % 6]}
    mark = {"type": MARKS[slot % 6], "size": 6, "fill": colour, "border": colour}
    lines = (
        {"line": {"color": "#1A1A1A", "width": 1.5, "dash_type": "dash"}},
        {"line": {**colour, "width": 2.25}, "marker": mark},
    )
    for offset, look in ((1, lines[0]), (0, lines[1])):
        chart.add_series(
            {
                "name": [DATA, HEADS, column + offset],
                "categories": [DATA, FIRST, 0, FIRST + count - 1, 0],
                "values": [DATA, FIRST, column + offset, FIRST + count - 1, column + offset],
                **look,
            }
        )
    chart.set_title({"name": "Response time [s]; at the top: a center is full", "name_font": {"size": 11, "bold": False}})
    chart.set_legend({"position": "bottom"})
    chart.set_y_axis({"min": 0, "num_format": "0.000", "major_gridlines": GRID})
    return chart


def use_chart(writer: SiteWriter, count: int) -> Any:
    """Use of the centers that fill up first."""
    chart = writer.book.add_chart({"type": "line"})
    for k in range(min(USES, len(writer.answer("STUDY_CENTERS")) - 1)):
        colour = {"color": COLOURS[k]}
        chart.add_series(
            {
                "name": [DATA, HEADS, CENTER + k],
                "categories": [DATA, FIRST, 0, FIRST + count - 1, 0],
                "values": [DATA, FIRST, CENTER + k, FIRST + count - 1, CENTER + k],
                "line": {**colour, "width": 2, "dash_type": DASHES[k]},
                "marker": {"type": MARKS[k], "size": 5, "fill": colour, "border": colour},
            }
        )
    chart.set_title({"name": "Use of the centers that fill up first", "name_font": {"size": 11, "bold": False}})
    chart.set_legend({"position": "bottom"})
    chart.set_y_axis({"min": 0, "num_format": "0%", "major_gridlines": GRID})
    return chart


def gain_chart(writer: SiteWriter, count: int) -> Any:
    """Months that each change gives."""
    chart = writer.book.add_chart({"type": "bar"})
    last = FIRST + min(count, GAINS) - 1
    chart.add_series(
        {
            "name": "months gained",
            "categories": [DATA, FIRST, GAIN, last, GAIN],
            "values": [DATA, FIRST, GAIN + 1, last, GAIN + 1],
            "fill": {"color": COLOURS[0]},
            "data_labels": {"value": True},
            "gap": 60,
        }
    )
    chart.set_title({"name": "What if: months gained", "name_font": {"size": 11, "bold": False}})
    chart.set_legend({"none": True})
    chart.set_y_axis({"reverse": True, "crossing": "max", "num_font": {"size": 9}})
    chart.set_x_axis({"num_format": "0", "major_gridlines": GRID})
    return chart

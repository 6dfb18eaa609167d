"""The first sheet: the verdict, a light for each period, response times, charts, what would help, sentences to read aloud."""

from __future__ import annotations

from math import ceil
from typing import Any

from .result_sheets import CHANGES, FIXED, STUDY
from .site_charts import CHARTED, DATA, WORDS, gain_chart, response_chart, use_chart
from .site_styles import BAD, CLOSE, GOOD, TIME
from .site_tables import ASSUMED
from .site_writer import DEAD_NOTE, TOP, SiteWriter

WIDE = 13  # periods in a row
LAST = WIDE  # the last column
FIGURES, STRIDE = 6, 5  # columns of the study's table before those of the works, and those of each
SPARE_WORK, SPARE_CHANGES = 2, 3
TALL = 13  # rows that a chart covers
LINES = 8  # sentences below
UNREAD = f"not read: sheet {CHANGES} says why"


def verdict_sheet(writer: SiteWriter, sheet: Any) -> None:
    """Write it."""
    styles = writer.styles
    sheet.hide_gridlines(2)
    sheet.set_column(0, 0, 30)
    sheet.set_column(1, LAST, 9)
    title = writer.site.system.name or writer.site.name
    sheet.write_string(0, 0, f"{title}: until when does it hold its growing work?", styles.soft)
    sentences = _sentences(writer)
    style = styles.solved("@", bold=True, font_size=16, text_wrap=True, valign="vcenter", bottom=0)
    _merged(writer, sheet, 1, 0, LAST, writer.formula("STUDY_VERDICT") if writer.live else "", sentences[0], style)
    sheet.set_row(1, 24 * max(3, 1 + len(sentences[0]) // 75))
    style = styles.solved("@", font_size=11, text_wrap=True, valign="top", bottom=0)
    _merged(writer, sheet, 2, 0, LAST, _word(1), sentences[1], style)
    sheet.set_row(2, 16 * max(2, 1 + len(sentences[1]) // 110))
    row = _notices(writer, sheet, 3)
    row = _lights(writer, sheet, row + 1)
    row = _charts(writer, sheet, row + 1)
    row = _what_ifs(writer, sheet, row)
    sheet.write_string(row + 1, 0, "To read aloud", styles.made(bold=True, font_size=12))
    row += 2
    style = styles.solved("@", text_wrap=True, valign="top", bottom=0)
    for i in range(LINES):
        _merged(writer, sheet, row, 0, LAST, _word(i + 2), sentences[i + 2], style)
        sheet.set_row(row, 15 * max(1, 1 + len(sentences[i + 2]) // 125))
        row += 1
    sheet.set_portrait()
    sheet.set_paper(9)
    sheet.fit_to_pages(1, 1)
    sheet.print_area(0, 0, row, LAST)


def _sentences(writer: SiteWriter) -> list[str]:
    found = writer.answer("STUDY_SENTENCES")
    return [str(row[0]) for row in found] if isinstance(found, list) else [found.reason, *[""] * (LINES + 1)]


def _word(place: int) -> str:
    """A sentence, by its place from 0."""
    from xlsxwriter.utility import xl_rowcol_to_cell

    cell = f"'{DATA}'!{xl_rowcol_to_cell(WORDS[0] + place, WORDS[1], True, True)}"
    return f'IF({cell}="","",{cell})'


def _merged(writer: SiteWriter, sheet: Any, row: int, first: int, last: int, formula: str, value: Any, style: Any) -> None:
    sheet.merge_range(row, first, row, last, "", style)
    writer.cell(sheet, row, first, formula, value, style)


def _notices(writer: SiteWriter, sheet: Any, row: int) -> int:
    """What a reader must know before the figures; the row below."""
    lines = list(writer.site.notices) + ([] if writer.live else [DEAD_NOTE])
    if writer.site.assumed:
        line = f"Growth of {ASSUMED} is an assumption: the file gives none. Write your own into sheet Model."
        if writer.live:
            text = f'=IF(INDEX(goals,2,2)="{ASSUMED}","{line}","")'
            sheet.write_formula(row, 0, text, writer.styles.warning, line)
            row += 1
        else:
            lines.insert(0, line)
    for line in lines:
        sheet.write_string(row, 0, line, writer.styles.solved(bottom=0) if line == DEAD_NOTE else writer.styles.warning)
        row += 1
    return row


def _cell_of(table: list[list[Any]], i: int, j: int) -> Any:
    return table[i][j] if i < len(table) and j < len(table[i]) else ""


def _at(sheet: str, i: int, j: int) -> str:
    """A cell of the table of a sheet of results, from 0; "" where it is empty."""
    from xlsxwriter.utility import xl_rowcol_to_cell

    return f"'{sheet}'!{xl_rowcol_to_cell(TOP + i, j)}"


def _lights(writer: SiteWriter, sheet: Any, row: int) -> int:
    """Of each period its light, and the response times; the row below."""
    study = writer.answer("STUDY")
    count = len(study) - 1
    works = (len(study[0]) - FIGURES) // STRIDE
    styles = writer.styles
    center = {"align": "center", "bold": True}
    for band in range(ceil(count / WIDE)):
        sheet.write_string(row, 0, "period", styles.head)
        sheet.write_string(row + 1, 0, "holds", styles.head)
        for slot in range(works + SPARE_WORK):
            head = _at(STUDY, 0, FIGURES + STRIDE * slot)
            name = str(_cell_of(study, 0, FIGURES + STRIDE * slot)).removesuffix(" load")
            text = f'IF(LEN({head})=0,"",LEFT({head},LEN({head})-5)&", response time [s]")'
            writer.cell(sheet, row + 2 + slot, 0, text, f"{name}, response time [s]" if name else "", styles.solved("@"))
        for place in range(WIDE):
            i = 1 + band * WIDE + place
            period, light = _at(STUDY, i, 0), _at(STUDY, i, 2)
            writer.cell(sheet, row, 1 + place, f'IF({period}="","",{period})', _cell_of(study, i, 0), styles.head)
            style = styles.solved("@", **center) if writer.live else styles.made(**center, italic=True)
            writer.cell(sheet, row + 1, 1 + place, f'IF({light}="","",{light})', _cell_of(study, i, 2), style)
            for slot in range(works + SPARE_WORK):
                time = _at(STUDY, i, FIGURES + STRIDE * slot + 1)
                load = _at(STUDY, i, FIGURES + STRIDE * slot)
                found = _cell_of(study, i, FIGURES + STRIDE * slot + 1)
                shown = "full" if found == "" and _cell_of(study, i, FIGURES + STRIDE * slot) != "" else found
                text = f'IF(ISNUMBER({load}),IF(ISNUMBER({time}),{time},"full"),"")'
                writer.cell(sheet, row + 2 + slot, 1 + place, text, shown, styles.solved(TIME, align="right"))
        _colours(writer, sheet, row, works, band)
        row += 3 + works + SPARE_WORK
    if writer.live:
        cells = f"'{STUDY}'!$A${TOP + 2}:$A${TOP + 121}"
        text = (
            f'=IF(COUNTIF({cells},"?*")>{count},"Further periods are on sheet {STUDY}: this sheet shows the first {count}.","")'
        )
        sheet.write_formula(row - 1, 0, text, styles.warning, "")
    return row


def _colours(writer: SiteWriter, sheet: Any, row: int, works: int, band: int) -> None:
    """Green, amber and red; a response time above its target is red."""
    from xlsxwriter.utility import xl_rowcol_to_cell

    white = {"font_color": "#FFFFFF"}
    for word, colour in (("yes", GOOD), ("close", CLOSE), ("no", BAD)):
        rule = {"type": "cell", "criteria": "==", "value": f'"{word}"', "format": writer.styles.made(bg_color=colour, **white)}
        sheet.conditional_format(row + 1, 1, row + 1, WIDE, rule)
    for slot in range(works + SPARE_WORK):
        column = FIGURES + STRIDE * slot + 4
        first = xl_rowcol_to_cell(TOP + 1 + band * WIDE, column, True, True)
        last = xl_rowcol_to_cell(TOP + (band + 1) * WIDE, column, True, True)
        cell = xl_rowcol_to_cell(row + 2 + slot, 1)
        target = f"INDEX('{STUDY}'!{first}:{last},COLUMN({cell})-1)"
        over = f'=OR({cell}="full",AND(ISNUMBER({cell}),ISNUMBER({target}),{cell}>{target}))'
        rule = {"type": "formula", "criteria": over, "format": writer.styles.made(font_color=BAD, bold=True)}
        sheet.conditional_format(row + 2 + slot, 1, row + 2 + slot, WIDE, rule)


def _charts(writer: SiteWriter, sheet: Any, row: int) -> int:
    """Two in a row; the row below."""
    study, changes = writer.answer("STUDY"), writer.answer("STUDY_WHAT_IF")
    works = min((len(study[0]) - FIGURES) // STRIDE, CHARTED)
    charts = [response_chart(writer, slot, len(study) - 1) for slot in range(works)]
    if len(writer.answer("STUDY_CENTERS")) > 1:
        charts.append(use_chart(writer, len(study) - 1))
    if len(changes) > 1:
        charts.append(gain_chart(writer, len(changes) - 1))
    for k, chart in enumerate(charts):
        chart.set_size({"width": 548, "height": 250})
        sheet.insert_chart(row + TALL * (k // 2), 0, chart, {"x_offset": 4 + 556 * (k % 2), "object_position": 2})
    return row + TALL * ceil(len(charts) / 2)


def _what_ifs(writer: SiteWriter, sheet: Any, row: int) -> int:
    """What each change gives; the row below."""
    found = writer.answer("STUDY_WHAT_IF")
    rows = found if isinstance(found, list) else []
    styles = writer.styles
    parts = ((0, 0, "what if"), (1, 2, "holds until"), (3, 4, "months gained"), (5, LAST, "what then ends it"))
    for first, last, word in parts:
        if last > first:
            sheet.merge_range(row, first, row, last, word, styles.head)
        else:
            sheet.write_string(row, first, word, styles.head)
    wrap = {"text_wrap": True, "valign": "top", "align": "left"}
    for i in range(1, max(len(rows), 1) + SPARE_CHANGES):
        row += 1
        for column, (first, last, _) in enumerate(parts):
            cell, value = _at(CHANGES, i, column), _cell_of(rows, i, column)
            style = styles.solved("0" if column == 2 else "@", **wrap)
            if last > first:
                sheet.merge_range(row, first, row, last, "", style)
            text = f'IF({cell}="","",{cell})'
            if column == FIXED:  # why a change was not read
                named, until = _at(CHANGES, i, 0), _at(CHANGES, i, 1)
                text = f'IF({named}="","",IF(LEN({until})=0,"{UNREAD}",{cell}&""))'
                value = UNREAD if _cell_of(rows, i, 0) and not _cell_of(rows, i, 1) else value
            writer.cell(sheet, row, first, text, value, style)
        name = str(_cell_of(rows, i, 0))
        sheet.set_row(row, 15 * max(1, ceil(len(name) / 30)))
    return row + 1

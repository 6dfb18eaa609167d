"""Writes a planning workbook: every formula with the value that the solver gave, so that it shows anywhere."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from pathlib import Path
from typing import Any

from qnsolve import __version__

from ..catalogue import catalogue
from ..cells import CellError
from ..replacing import replacing
from .formulas import FLAVOURS, Cells, formula, value
from .parts import GENERAL, SHARE, TEXT, Input, InputTable, Plan, Result, Spill, WhatIf
from .style import Styles

# a name stays a text, even "=1+2" and "http://..."
PLAIN_TEXT = {"strings_to_formulas": False, "strings_to_urls": False, "strings_to_numbers": False}
MADE = datetime(2026, 1, 1)  # the same file from the same plan
WIDTHS, WIDEST = (40, 15, 17, 15), 34  # of the columns A, B, C and others; of a column of names
LAST, TALL = 7, 48  # column and height of a text that takes the width of the sheet
DEAD_VALUES = "Grey in italics: solved when this file was written. It follows no yellow cell: solve the file again."
HOW = {
    "excel": "Its functions are those of qnsolve.xlam: qnsolve addin install. Press Ctrl+Alt+F9 where a cell shows #NAME?.",
    "calc": "Its functions are those of the extension for LibreOffice Calc: qnsolve addin calc --install.",
    "officejs": "Its functions are those of qnsolve addin serve.",
    "native": "It has plain formulas alone and recalculates anywhere; what they cannot say stands as the value solved.",
    "values": "It has no formulas: the values that were solved.",
}


def write(plan: Plan, file: Path, flavour: str = "excel") -> None:
    """Write the workbook; a write that fails leaves the old file as it was.

    Parameters
    ----------
    plan : Plan
    file : Path
    flavour : {"excel", "calc", "officejs", "native", "values"}
    """
    import xlsxwriter

    if flavour not in FLAVOURS:
        raise ValueError(f"no flavour of a workbook: {flavour!r}; take one of {', '.join(FLAVOURS)}")
    with replacing(file) as beside, xlsxwriter.Workbook(str(beside), PLAIN_TEXT) as book:
        book.set_properties({"title": plan.title, "comments": f"qnsolve {__version__}", "created": MADE})
        book.set_calc_mode("auto")
        _Sheet(book, plan, flavour).write()
        _method(book, plan, flavour)


class _Sheet:
    """The sheet "Plan", from top to bottom."""

    def __init__(self, book: Any, plan: Plan, flavour: str) -> None:
        self.book, self.plan, self.flavour = book, plan, flavour
        self.styles = Styles(book)
        self.sheet = book.add_worksheet("Plan")
        self.row = 0
        self.widths: dict[int, int] = {}
        self.cells = Cells()

    def write(self) -> None:
        """All of it."""
        sheet, styles, plan = self.sheet, self.styles, self.plan
        sheet.hide_gridlines(2)
        for column in range(LAST + 1):
            sheet.set_column(column, column, WIDTHS[min(column, 3)])
        sheet.write(0, 0, plan.title, styles.title)
        sheet.write(1, 0, plan.question, styles.soft)
        if self.flavour == "native" and not all(getattr(item, "native", "") for item in plan.solved()):
            sheet.write(2, 0, DEAD_VALUES, styles.result(GENERAL, dead=True))
        self.row = 3
        if plan.inputs:
            self._head("Inputs", "value", "unit", "note")
            for item in plan.inputs:
                self._input(item)
            for key, ends in plan.ranges.items():
                self._range(key, *ends)
        for table in plan.tables:
            self._table(table)
        if plan.results:
            self._head("Results", "value", "unit", "note")
            for result in plan.results:
                self._result(result)
        for spill in plan.spills:
            self._spill(spill)
        for what_if in plan.what_ifs:
            self._what_if(what_if)
        for column, width in self.widths.items():
            sheet.set_column(column, column, width)
        sheet.set_landscape()
        sheet.fit_to_pages(1, 0)
        sheet.set_paper(9)
        sheet.set_footer(f"&L{plan.name.replace('&', '&&')}&Rqnsolve {__version__}, page &P of &N")

    def _head(self, *words: str) -> None:
        self.row += 1
        for column, word in enumerate(words):
            self.sheet.write(self.row, column, word, self.styles.head)
        self.row += 1

    def _name(self, key: str, place: str, held: Any) -> None:
        self.book.define_name(key, f"=Plan!{place}")
        self.cells = self.cells.having(key, key, held)

    def _input(self, item: Input) -> None:
        style = self.styles.text_input if isinstance(item.value, str) else self.styles.input
        self.sheet.write(self.row, 0, item.label)
        self.sheet.write(self.row, 1, item.value, style)
        self.sheet.write(self.row, 2, item.unit, self.styles.soft)
        self.sheet.write(self.row, 3, item.note, self.styles.soft)
        if item.least is not None:
            self.sheet.data_validation(self.row, 1, self.row, 1, _validation(item))
        self._name(item.key, f"$B${self.row + 1}", item.value)
        self.row += 1

    def _range(self, key: str, first: str, last: str) -> None:
        """A name for the cells of several inputs, one below the other."""
        keys = [item.key for item in self.plan.inputs]
        held = [[self.cells.values[each]] for each in keys[keys.index(first) : keys.index(last) + 1]]
        top = self.row - len(keys) + keys.index(first) + 1
        self._name(key, f"$B${top}:$B${top + len(held) - 1}", held)

    def _table(self, table: InputTable) -> None:
        from xlsxwriter.utility import xl_range_abs

        self.row += 1
        self.sheet.write(self.row, 0, table.label, self.styles.heading)
        self.row += 1
        first, width = self.row, len(table.rows[0]) + (table.beside if table.headed else 0)
        for i, row in enumerate([*table.rows, *[()] * table.spare]):
            for column, cell in enumerate([*row, *[None] * (width - len(row))]):
                text = column == 0 or isinstance(cell, str)
                head = i == 0 and table.headed and cell is not None
                style = self.styles.head if head else self.styles.text_input if text else self.styles.input
                self.sheet.write(self.row, column, cell, style)
                if not head or column > LAST:
                    self._widen(column, cell)
            self.row += 1
        self._name(table.key, xl_range_abs(first, 0, self.row - 1, width - 1), [list(row) for row in table.rows])

    def _result(self, item: Result) -> None:
        self.sheet.write(self.row, 0, item.label)
        if item.form == TEXT:
            self.sheet.merge_range(self.row, 1, self.row, LAST, "", self.styles.result(TEXT))
            self.sheet.set_row(self.row, TALL)
            self._cell(self.row, 1, item, self.cells)
            self._name(item.key, f"$B${self.row + 1}", value(item, self.cells))
            self.row += 1
            return
        self._cell(self.row, 1, item, self.cells)
        self.sheet.write(self.row, 2, item.unit, self.styles.soft)
        self.sheet.write(self.row, 3, item.note, self.styles.soft)
        self._name(item.key, f"$B${self.row + 1}", value(item, self.cells))
        self.row += 1

    def _cell(self, row: int, column: int, item: Result, cells: Cells) -> None:
        """A formula with its value, or the value alone."""
        found, text = value(item, cells), formula(item, cells, self.flavour)
        style = self.styles.result(item.form, dead=self.flavour == "native" and not text)
        if isinstance(found, CellError):
            self._error(row, column, found, text, style)
        elif text:
            self.sheet.write_formula(row, column, text, style, found)
        else:
            self.sheet.write(row, column, found, style)

    def _error(self, row: int, column: int, found: Any, text: str, style: Any) -> None:
        """An error value, by its formula or as a constant."""
        shown = found.code if isinstance(found, CellError) else str(found)
        self.sheet.write_formula(row, column, text or ("=NA()" if shown == "#N/A" else f"={shown}"), style, shown)

    def _spill(self, item: Spill) -> None:
        self.row += 1
        self.sheet.write(self.row, 0, item.label, self.styles.heading)
        self.row += 1
        found = value(item, self.cells)
        text = formula(item, self.cells, self.flavour)
        if not isinstance(found, list):
            self._error(self.row, 0, found, text, self.styles.plain)
            self.row += 1
            return
        bottom, right = self.row + len(found) - 1, len(found[0]) - 1
        dead = self.flavour == "native" and not text
        head = self.styles.dead_head if dead else self.styles.head
        spare = item.spare if self.flavour == "calc" else 0  # other programs let the table grow by itself
        if text:
            self.sheet.write_dynamic_array_formula(self.row, 0, bottom + spare, right, text, head, found[0][0])
        if spare:
            hidden = {"type": "errors", "format": self.styles.hidden}
            self.sheet.conditional_format(self.row, 0, bottom + spare, right, hidden)
        for i, row in enumerate(found):
            for column, cell in enumerate(row):
                if text and i == column == 0:
                    continue
                self.sheet.write(self.row + i, column, cell, head if i == 0 else self._spilled(column, cell, dead))
                if column < right:
                    self._widen(column, cell)
        last = bottom + spare
        if item.lines:
            self._chart(item.label, item.axes, self.row, bottom, item.lines, len(found[0]) + 1, blocks=item.blocks)
            last = max(last, self.row + 16)
        self.row = last + 1

    def _widen(self, column: int, cell: Any) -> None:
        """Widen the column for a text; a filled cell beside it would cut it off."""
        if isinstance(cell, str) and column > 0:
            self.widths[column] = min(WIDEST, max(self.widths.get(column, WIDTHS[min(column, 3)]), len(cell) + 2))

    def _spilled(self, column: int, cell: Any, dead: bool) -> Any:
        """The format of a cell of a table that a function gives."""
        if dead:
            return self.styles.dead_first if column == 0 else self.styles.result(GENERAL, dead=True)
        if isinstance(cell, str):
            return self.styles.plain
        return self.styles.first if column == 0 else self.styles.figure

    def _what_if(self, item: WhatIf) -> None:
        from xlsxwriter.utility import xl_col_to_name

        self.row += 1
        self.sheet.write(self.row, 0, item.label, self.styles.heading)
        self.row += 1
        head = self.row
        words = [item.axes[0], *(_heading(result) for result in item.columns)]
        for column, word in enumerate(words):
            self.sheet.write(head, column, word, self.styles.head)
        self.sheet.set_row(head, 47 if max(map(len, words[1:])) > 26 else 32)
        for each in item.values:
            self.row += 1
            self.sheet.write(self.row, 0, each, self.styles.text_input)
            cells = self.cells.having(item.varied, f"$A{self.row + 1}", each)
            for column in range(len(item.columns) + 1):
                letter = xl_col_to_name(column)
                cells.places |= {f"{column + 1}": f"{letter}{self.row + 1}", f"up{column + 1}": f"{letter}{self.row}"}
            for column, result in enumerate(item.columns, 1):
                self._cell(self.row, column, result, cells)
        share = all(item.columns[line].form == SHARE for line in item.lines)
        self._chart(item.label, item.axes, head, self.row, [line + 1 for line in item.lines], len(item.columns) + 2, share)
        self.row = max(self.row + 1, head + 17)

    def _chart(
        self,
        title: str,
        axes: tuple[str, str],
        head: int,
        last: int,
        lines: Sequence[int],
        column: int,
        share: bool = False,
        blocks: int = 1,
    ) -> None:
        """Columns of a table by its first one, beside it; of each of its blocks of rows a line."""
        chart = self.book.add_chart({"type": "scatter", "subtype": "straight_with_markers"})
        rows = (last - head) // blocks
        for line in lines:
            for top in range(head + 1, last + 1, rows):
                chart.add_series(
                    {
                        "name": ["Plan", head, line] if blocks == 1 else ["Plan", top, 1],
                        "categories": ["Plan", top, 0, top + rows - 1, 0],
                        "values": ["Plan", top, line, top + rows - 1, line],
                        "marker": {"type": "circle", "size": 4},
                    }
                )
        chart.set_x_axis({"name": axes[0], "min": 0, "major_gridlines": {"visible": False}})
        chart.set_y_axis({"name": axes[1], "min": 0, "num_format": "0%" if share else "General"})
        chart.set_legend({"position": "bottom"} if blocks * len(lines) > 1 else {"none": True})
        chart.set_title({"name": title, "name_font": {"size": 12, "bold": False}})
        chart.set_size({"width": 640, "height": 320})
        self.sheet.insert_chart(head, column, chart)


def _heading(item: Result) -> str:
    """The label, with its unit where the number format shows none."""
    return f"{item.label} [{item.unit}]" if item.unit and item.form != SHARE else item.label


def _validation(item: Input) -> dict[str, Any]:
    kind = "integer" if item.whole else "decimal"
    rule = f"{item.label}: {'a whole number ' if item.whole else ''}"
    rule += f"{item.least:g} or more" if item.most is None else f"{item.least:g} to {item.most:g}"
    bounds = {"criteria": ">=", "value": item.least}
    if item.most is not None:
        bounds = {"criteria": "between", "minimum": item.least, "maximum": item.most}
    return {"validate": kind, **bounds, "error_title": "qnsolve", "error_message": rule[:255]}


def _method(book: Any, plan: Plan, flavour: str) -> None:
    """The sheet "Method": what the figures rest on, and which function says what."""
    styles, sheet = Styles(book), book.add_worksheet("Method")
    sheet.hide_gridlines(2)
    sheet.set_column("A:A", 34)
    sheet.set_column("B:B", 110)
    sheet.write(0, 0, "Assumptions and method", styles.title)
    row = 2
    for line in (*plan.assumptions, HOW[flavour], f"Written by qnsolve {__version__}; each cell also keeps the value solved."):
        sheet.merge_range(row, 0, row, 1, line, styles.wrapped)
        row += 1
    row += 1
    for column, word in enumerate(("function", "what it returns, and how")):
        sheet.write(row, column, word, styles.head)
    for name in dict.fromkeys(item.function for item in plan.solved()):
        row += 1
        function = catalogue()[name]
        sheet.write(row, 0, function.dotted, styles.top)
        sheet.write(row, 1, " ".join(part for part in (function.summary, function.method) if part), styles.wrapped)
    sheet.set_landscape()
    sheet.fit_to_pages(1, 0)
    sheet.set_paper(9)

"""A Calc without a window, which takes its commands as lines of JSON; `spreadsheet.py` starts it.

Runs in the Python that has LibreOffice's module `uno`, which need not be the one that runs the tests.
Each line in is {"do": name, ...}; each line out is {"answer": ...} or {"fault": one line}.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from contextlib import suppress
from pathlib import Path

import uno
from com.sun.star.beans import PropertyValue

FAILED = 4  # com.sun.star.sheet.FormulaResult.ERROR
FILTERS = {".pdf": "calc_pdf_Export", ".xlsx": "Calc MS Excel 2007 XML", ".ods": "calc8"}
ALWAYS_RUN_MACROS = 4


def properties(**given):
    """Named values, as UNO takes them."""
    return tuple(PropertyValue(Name=name, Value=value) for name, value in given.items())


def plain(cell):
    """A value as a cell holds it; None would be #N/A."""
    return cell.removeprefix("'") if isinstance(cell, str) else "" if cell is None else cell


class Calc:
    """What can be asked for; a book is a number, a sheet is named or counted from 0."""

    def __init__(self, settings):
        self.books, self.opened = {}, 0
        pipe = f"qnsolve{os.getpid()}"
        command = [settings["soffice"], *settings["options"], "--headless", "--norestore", "--nologo", "--nodefault"]
        self.process = subprocess.Popen(
            [*command, f"--accept=pipe,name={pipe};urp;"],
            stdin=subprocess.DEVNULL,
            stdout=sys.stderr,
            stderr=sys.stderr,
        )
        local = uno.getComponentContext()
        resolver = local.ServiceManager.createInstanceWithContext("com.sun.star.bridge.UnoUrlResolver", local)
        until = time.monotonic() + settings["seconds"]
        while True:
            try:
                self.context = resolver.resolve(f"uno:pipe,name={pipe};urp;StarOffice.ComponentContext")
                break
            except Exception as error:
                if self.process.poll() is not None or time.monotonic() > until:
                    raise RuntimeError(f"soffice did not start (exit code {self.process.poll()})") from error
                time.sleep(0.02)
        self.desktop = self.service("com.sun.star.frame.Desktop")

    def service(self, name):
        return self.context.ServiceManager.createInstanceWithContext(name, self.context)

    def open(self, file="", macros=False):
        url = Path(file).as_uri() if file else "private:factory/scalc"
        given = {"Hidden": True, **({"MacroExecutionMode": ALWAYS_RUN_MACROS} if macros else {})}
        book = self.desktop.loadComponentFromURL(url, "_blank", 0, properties(**given))
        if book is None:
            raise RuntimeError(f"Calc does not open {file}")
        self.opened += 1
        self.books[self.opened] = book
        return self.opened

    def close(self, book):
        self.books.pop(book).close(True)

    def sheets(self, book):
        return list(self.books[book].Sheets.ElementNames)

    def sheet(self, book, sheet):
        sheets = self.books[book].Sheets
        return sheets.getByIndex(sheet) if isinstance(sheet, int) else sheets.getByName(sheet)

    def area(self, book, sheet, place):
        found = self.sheet(book, sheet)
        if place:
            return found.getCellRangeByName(place)
        cursor = found.createCursor()
        cursor.gotoStartOfUsedArea(False)
        cursor.gotoEndOfUsedArea(True)
        return cursor

    def write(self, book, sheet, cells):
        """Numbers, texts, None or formulas by cell; a list of rows, or an array formula, by range."""
        self.books[book].enableAutomaticCalculation(False)  # once, at the end, not after each cell
        try:
            own = self.sheet(book, sheet)
            for place, value in cells.items():
                area = own.getCellRangeByName(place)
                if value is None:
                    area.clearContents(1 | 2 | 4 | 16)  # com.sun.star.sheet.CellFlags: value, date, text, formula
                elif isinstance(value, list) and any(str(cell).startswith("=") for row in value for cell in row):
                    area.setFormulaArray(tuple(map(tuple, value)))
                elif isinstance(value, list):  # to the last bit; formulas would round to 15 digits
                    area.setDataArray(tuple(tuple(map(plain, row)) for row in value))
                elif ":" in place:
                    area.setArrayFormula(value)
                elif isinstance(value, str):
                    area.setFormula(value) if value.startswith("=") else area.setString(value.removeprefix("'"))
                else:
                    area.setValue(value)
        finally:
            self.books[book].enableAutomaticCalculation(True)

    def fill_down(self, book, sheet, place):
        self.area(book, sheet, place).fillAuto(uno.Enum("com.sun.star.sheet.FillDirection", "TO_BOTTOM"), 1)

    def read(self, book, sheet, place):
        area = self.area(book, sheet, place)
        rows = [list(row) for row in area.getDataArray()]
        start = area.getRangeAddress()
        for part in area.queryFormulaCells(FAILED).getRangeAddresses():
            for i in range(part.StartRow, part.EndRow + 1):
                for j in range(part.StartColumn, part.EndColumn + 1):
                    i0, j0 = i - start.StartRow, j - start.StartColumn
                    cell = area.getCellByPosition(j0, i0)
                    rows[i0][j0] = {"code": cell.getError(), "shown": cell.getString()}
        return rows

    def formulas(self, book, sheet, place):
        return [list(row) for row in self.area(book, sheet, place).getFormulaArray()]

    def recalculate(self, book):
        begin = time.perf_counter()
        self.books[book].calculateAll()
        return time.perf_counter() - begin

    def save(self, book, file):
        self.books[book].storeToURL(Path(file).as_uri(), properties(FilterName=FILTERS[Path(file).suffix]))

    def help(self, prefix):
        found, help_texts = self.service("com.sun.star.sheet.FunctionDescriptions"), {}
        for i in range(found.Count):
            one = {p.Name: p.Value for p in found.getByIndex(i)}
            if one["Name"].startswith(prefix):
                help_texts[one["Name"]] = [one["Description"], [[a.Name, a.Description] for a in one["Arguments"] or ()]]
        return help_texts

    def quit(self):
        with suppress(Exception):
            self.desktop.terminate()
        try:
            self.process.wait(10)
        except subprocess.TimeoutExpired:
            self.process.kill()


def main():
    """Answer until the input ends."""
    calc = Calc(json.loads(sys.argv[1]))
    answers = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)  # whatever else prints does not come between the answers
    try:
        print(json.dumps({"answer": "ready"}), file=answers, flush=True)
        for line in sys.stdin:
            request = json.loads(line)
            try:
                answer = {"answer": getattr(calc, request.pop("do"))(**request)}
            except Exception as error:
                answer = {"fault": " ".join(f"{type(error).__name__}: {error}".split())}
            print(json.dumps(answer), file=answers, flush=True)
    finally:
        calc.quit()


if __name__ == "__main__":
    main()

"""XML of RMF, Postprocessor and Monitor III: one reader of tables that describe themselves, page by page."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any
from xml.etree.ElementTree import ParseError

from qnsolve.errors import ModelError

from ..source_files import LONGEST_CELL, MOST_COLUMNS, Source
from .report_table import DEEPEST_TAG, MOST_CELLS_OF_REPORT, ReportPage, ReportTable

CHUNK = 2**16
PAGES = ("postprocessor", "report")


def tables(source: Source) -> Iterator[ReportPage]:
    """The reports of a file, each as soon as it is complete.

    Raises
    ------
    ModelError
        No XML of RMF; entities or a document type; too deep or too large.
    """
    from defusedxml.common import DefusedXmlException
    from defusedxml.ElementTree import XMLParser

    target = _Pages(source)
    parser = XMLParser(target=target, forbid_dtd=True)
    target.parser = expat = parser.parser  # it refuses entities; what it finds goes to the target without detours
    expat.ordered_attributes = False
    expat.StartElementHandler, expat.EndElementHandler, expat.CharacterDataHandler = target.start, target.end, target.data
    try:
        with source.opened() as file:
            while part := file.read(CHUNK):
                parser.feed(part)
                yield from target.complete()
        parser.close()
        yield from target.complete()
    except ModelError:
        raise
    except DefusedXmlException:
        line = target.line()
        raise source.error(
            f"line {line}", "has a document type or entities", "remove <!DOCTYPE ...>; RMF writes none"
        ) from None
    except ParseError as error:
        line, at = error.position
        reason = str(error).partition(":")[0]
        raise source.error(f"line {line}, column {at + 1}", f"is not valid XML: {reason}", "export the report again") from None
    except (ValueError, LookupError) as error:
        raise source.error("file", f"is not valid XML: {error}", "export the report again") from None
    if not target.pages:
        rule = f"has no report: its root is <{target.root}>"
        raise source.error("file", rule, "give XML of the RMF Postprocessor or of Monitor III")


class _Pages:
    """What the parser finds: it calls start, data and end."""

    def __init__(self, source: Source) -> None:
        self.source = source
        self.parser: Any = None
        self.root = ""
        self.pages = 0
        self._path: list[str] = []
        self._text: list[str] = []
        self._done: list[ReportPage] = []
        self._page: ReportPage | None = None
        self._names: dict[str, str] = {}
        self._table = ReportTable()
        self._row: list[str] = []
        self._sum = False
        self._heads = False
        self._cells = self._segment = 0
        self._variable = ""
        self._unit = ""

    def line(self) -> int:
        return int(self.parser.CurrentLineNumber)

    def complete(self) -> list[ReportPage]:
        done, self._done = self._done, []
        return done

    def start(self, tag: str, attributes: dict[str, str]) -> None:
        path = self._path
        path.append(tag)
        if self._text:
            self._text = []
        if tag == "col":
            return
        if len(path) > DEEPEST_TAG:
            raise self.source.error(f"line {self.line()}", f"is nested more than {DEEPEST_TAG} levels deep", "export it again")
        if tag == "row":
            self._row, self._sum = [], attributes.get("type") == "SUM"
        elif tag == "column-headers":
            self._heads = True
        elif tag in PAGES and len(path) <= 2:
            self.pages += 1
            self._page = ReportPage(self.pages)
            self._names, self._table, self._cells, self._segment = {}, ReportTable(), 0, 0
        elif tag == "segment":
            self._names = {}
            self._segment += 1
        elif tag == "part":
            self._names.pop("part", None)
        elif tag in ("table", "var-list", "caption"):
            self._new_table(variables=tag != "table")
            if tag == "caption":
                self._names["part"] = "caption"
        else:
            self._about(tag, attributes)

    def _about(self, tag: str, attributes: dict[str, str]) -> None:
        if tag == "metric" and self._page:
            self._page.report = attributes.get("id", "")[:LONGEST_CELL]
        elif tag in ("report-interval", "data-range"):
            self._unit = attributes.get("unit", "")
        elif len(self._path) == 1:
            self.root = tag[:40]

    def data(self, text: str) -> None:
        self._text.append(text)

    def end(self, tag: str) -> None:
        self._path.pop()
        if tag == "col":
            (self._table.headings if self._heads else self._row).append("".join(self._text).strip())
            self._text = []
            return
        text = "".join(self._text).strip() if self._text else ""
        self._text = []
        if tag == "row":
            self._check(self._row)
            self._add_row(self._row, self._sum)
        elif tag == "column-headers":
            self._check(self._table.headings)
            self._heads = False
        elif tag in ("table", "var-list", "caption", "report"):
            self._close_table()
        elif tag in ("name", "value", "description") or (text and self._page):
            self._word(tag, text[:LONGEST_CELL])
        if tag in PAGES and len(self._path) <= 1 and self._page:
            self._done.append(self._page)
            self._page = None

    def _check(self, row: list[str]) -> None:
        """Refuse what no report has: thousands of columns, cells of thousands of characters, millions of cells."""
        self._cells += len(row)
        if len(row) > MOST_COLUMNS or self._cells > MOST_CELLS_OF_REPORT or max(map(len, row), default=0) > LONGEST_CELL:
            rule = f"must have at most {MOST_COLUMNS:,} cells of {LONGEST_CELL:,} characters, a report {MOST_CELLS_OF_REPORT:,}"
            raise self.source.error(f"line {self.line()}", rule, "export fewer classes")

    def close(self) -> None:
        """The end of the file."""

    def _word(self, tag: str, text: str) -> None:
        page, parent = self._page, self._path[-1] if self._path else ""
        if page is None:
            return
        if parent == "var":
            self._cells += 1
            if tag == "name":
                self._variable = text
            elif tag == "value":
                self._table.headings.append(self._variable)
                self._row.append(text)
                if len(self._row) > MOST_COLUMNS:
                    rule = f"has more than {MOST_COLUMNS} variables in a list"
                    raise self.source.error(f"line {self.line()}", rule, "export the report again")
        elif tag == "name" and parent in ("segment", "part"):
            self._names[parent] = text
        elif tag == "description" and parent == "message":
            page.messages.append(text)
        elif tag == "resname":
            page.system = text
        elif tag == "reslabel" and not page.system:  # ",SYSA,MVS_IMAGE"
            parts = text.split(",")
            page.system = parts[1] if len(parts) > 1 else text
        elif tag in ("local-start", "display-start"):
            page.begin = page.begin or text
        elif tag in ("local-end", "display-end"):
            page.end = page.end or text
        elif tag in ("report-interval", "data-range"):
            page.length, page.length_unit = page.length or text, self._unit if page.length == "" else page.length_unit

    def _new_table(self, *, variables: bool) -> None:
        self._close_table()
        self._table = ReportTable(variables=variables)
        self._row = []

    def _add_row(self, row: list[str], is_sum: bool) -> None:
        self._table.rows.append(row)
        self._table.sums.append(is_sum)
        self._table.lines.append(self.line())
        self._row = []

    def _close_table(self) -> None:
        table = self._table
        if table.variables and table.headings:
            self._add_row(self._row, False)
        if self._page is not None and table.headings and table.rows:
            table.segment, table.part = self._names.get("segment", ""), self._names.get("part", "")
            table.number = self._segment
            self._page.tables.append(table)
            if table.part == "caption":
                del self._names["part"]
        self._table = ReportTable()
        self._row = []

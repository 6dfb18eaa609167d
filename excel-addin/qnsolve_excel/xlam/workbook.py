"""The workbook around the VBA project: a zip of XML parts with one sheet, which holds the settings and the help texts.

Source: ECMA-376 Office Open XML, part 1, SpreadsheetML.
"""

from __future__ import annotations

import io
import zipfile
from collections.abc import Sequence
from typing import Any
from xml.etree import ElementTree
from xml.sax.saxutils import escape, quoteattr

MAIN = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
OFFICE = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
PACKAGE = "http://schemas.openxmlformats.org/package/2006"
HEAD = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n'
ADD_IN = "application/vnd.ms-excel.addin.macroEnabled.main+xml"
WORKBOOK = "application/vnd.ms-excel.sheet.macroEnabled.main+xml"
TYPES = {
    "/xl/worksheets/sheet1.xml": "application/vnd.openxmlformats-officedocument.spreadsheetml.worksheet+xml",
    "/xl/vbaProject.bin": "application/vnd.ms-office.vbaProject",
    "/docProps/core.xml": "application/vnd.openxmlformats-package.core-properties+xml",
}
TITLE = "qnsolve"
ABOUT = "Worksheet functions QN_... for queueing networks and capacity planning. QN_FUNCTIONS() lists them."

Row = Sequence[str | int]


def written(project: bytes, rows: Sequence[Row], sheet_code: str, kind: str = ADD_IN) -> bytes:
    """The file: a VBA project, and the rows of its one sheet, whose module in the project is `sheet_code`."""
    relation = f'<Relationships xmlns="{PACKAGE}/relationships">{{}}</Relationships>'
    overrides = {"/xl/workbook.xml": kind, **TYPES}
    parts = {
        "[Content_Types].xml": f'<Types xmlns="{PACKAGE}/content-types">'
        f'<Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/>'
        f'<Default Extension="xml" ContentType="application/xml"/>'
        + "".join(f'<Override PartName="{name}" ContentType="{of}"/>' for name, of in overrides.items())
        + "</Types>",
        "_rels/.rels": relation.format(
            _relation(1, f"{OFFICE}/officeDocument", "xl/workbook.xml")
            + _relation(2, f"{PACKAGE}/relationships/metadata/core-properties", "docProps/core.xml")
        ),
        "docProps/core.xml": f'<cp:coreProperties xmlns:cp="{PACKAGE}/metadata/core-properties" '
        f'xmlns:dc="http://purl.org/dc/elements/1.1/"><dc:title>{TITLE}</dc:title>'
        f"<dc:description>{escape(ABOUT)}</dc:description></cp:coreProperties>",
        "xl/workbook.xml": f'<workbook xmlns="{MAIN}" xmlns:r="{OFFICE}"><workbookPr codeName="ThisWorkbook"/>'
        f'<sheets><sheet name="{TITLE}" sheetId="1" r:id="rId1"/></sheets></workbook>',
        "xl/_rels/workbook.xml.rels": relation.format(
            _relation(1, f"{OFFICE}/worksheet", "worksheets/sheet1.xml")
            + _relation(2, "http://schemas.microsoft.com/office/2006/relationships/vbaProject", "vbaProject.bin")
        ),
        "xl/worksheets/sheet1.xml": f'<worksheet xmlns="{MAIN}"><sheetPr codeName={quoteattr(sheet_code)}/>'
        f"<sheetData>{''.join(_row(i, row) for i, row in enumerate(rows, 1))}</sheetData></worksheet>",
    }
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as package:
        for name, text in parts.items():
            package.writestr(_entry(name), HEAD + text)
        package.writestr(_entry("xl/vbaProject.bin"), project)
    return file.getvalue()


def sheet(file: bytes) -> list[list[str | int]]:
    """The rows of the one sheet of a file of ours.

    Raises
    ------
    ValueError
        It is no file of ours.
    """
    try:
        with zipfile.ZipFile(io.BytesIO(file)) as package:
            root = ElementTree.fromstring(package.read("xl/worksheets/sheet1.xml"))
    except (zipfile.BadZipFile, KeyError, ElementTree.ParseError) as error:
        raise ValueError(f"no add-in of qnsolve: {error}") from None
    found = [[_value(cell) for cell in row.iter(f"{{{MAIN}}}c")] for row in root.iter(f"{{{MAIN}}}row")]
    if not found or found[0][:1] != [TITLE]:
        raise ValueError("no add-in of qnsolve")
    return found


def address(row: int, column: int) -> str:
    """The name of a cell, both counted from 1.

    Examples
    --------
    >>> address(3, 28)
    'AB3'
    """
    from xlsxwriter.utility import xl_rowcol_to_cell

    found: str = xl_rowcol_to_cell(row - 1, column - 1)
    return found


def _row(number: int, cells: Row) -> str:
    return f'<row r="{number}">{"".join(_cell(address(number, j), cell) for j, cell in enumerate(cells, 1))}</row>'


def _cell(place: str, value: str | int) -> str:
    if isinstance(value, int):
        return f'<c r="{place}"><v>{value}</v></c>'
    return f'<c r="{place}" t="inlineStr"><is><t xml:space="preserve">{escape(value)}</t></is></c>'


def _value(cell: Any) -> str | int:
    if cell.get("t") == "inlineStr":
        return "".join(cell.itertext())
    return int(cell.findtext(f"{{{MAIN}}}v", "0"))


def _relation(number: int, kind: str, target: str) -> str:
    return f'<Relationship Id="rId{number}" Type="{kind}" Target="{target}"/>'


def _entry(name: str) -> zipfile.ZipInfo:
    """Of one date, so that equal contents make equal files."""
    entry = zipfile.ZipInfo(name, (2020, 1, 1, 0, 0, 0))
    entry.compress_type = zipfile.ZIP_DEFLATED
    return entry

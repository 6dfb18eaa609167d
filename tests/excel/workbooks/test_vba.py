"""The add-in's VBA: LibreOffice runs it, and its text keeps to what VBA takes."""

from __future__ import annotations

import io
import os
import re
import zipfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy
import pytest
import qnsolve
import qnsolve_excel
from qnsolve_excel import CellError, call, catalogue, formula
from qnsolve_excel.cells import EXCEL_CODES, OMITTED
from qnsolve_excel.xlam import build, vba, workbook
from qnsolve_excel.xlam.project import Project

from tests import ROOT
from tests.support import spreadsheet

COMPONENT = ROOT / "tests" / "support" / "vba_component.py"
MANIFEST = """<?xml version="1.0"?>
<manifest:manifest xmlns:manifest="http://openoffice.org/2001/manifest"><manifest:file-entry manifest:full-path="component.py"
 manifest:media-type="application/vnd.sun.star.uno-component;type=Python"/></manifest:manifest>
"""
# in place of xlwings' library: a UNO service; UNO hands rows over as arrays in an array
CONNECTION = """\
Private Function QnAsked(ByVal functionName As String, ByVal given As Variant) As Variant
    Dim found As Variant
    Dim table As Variant
    Dim i As Long
    Dim j As Long
    If qnPython Is Nothing Then Set qnPython = CreateUnoService("org.qnsolve.vba.Server")
    If qnFailures > 0 Then
        qnFailures = qnFailures - 1
        Err.Raise qnFailing
    End If
    found = qnPython.CallUDF("", functionName, given)
    If IsArray(found) Then
        ReDim table(0 To UBound(found), 0 To UBound(found(0))) As Variant
        For i = 0 To UBound(found)
            For j = 0 To UBound(found(0))
                table(i, j) = found(i)(j)
            Next j
        Next i
        found = table
    End If
    QnAsked = found
End Function

Private Sub QnForget()
    qnForgotten = qnForgotten + 1
    Set qnPython = Nothing
End Sub
"""
FAILING = """
Public Function TestLost(ByVal number As Double, ByVal failures As Double) As Variant
    ' How often a new start was made, and what came of it, where the connection fails so many times.
    qnFailing = CLng(number)
    qnFailures = failures
    qnForgotten = 0
    TestLost = QnAnswer("QN_MMC_RESPONSE", Array(8, 0.1))
    TestLost = qnForgotten & " " & TestLost
    qnFailures = 0
End Function
"""


def source() -> str:
    """The real module over the UNO service; this LibreOffice knows Value, not Value2."""
    declarations = "Private qnFailing As Long\nPrivate qnFailures As Long\nPrivate qnForgotten As Long\n"
    text = vba.source(declarations + CONNECTION + FAILING, "A1:B2", "of a test")
    assert text.count(".Value2") == 2
    return text.replace(".Value2", ".Value")


@pytest.fixture(scope="module")
def book(tmp_path_factory: pytest.TempPathFactory) -> Iterator[spreadsheet.Book]:
    """A workbook with the module in it, open in a Calc that runs it."""
    spreadsheet.needed()
    folder = tmp_path_factory.mktemp("vba")
    extension = folder / "component.oxt"
    with zipfile.ZipFile(extension, "w") as package:
        package.write(COMPONENT, "component.py")
        package.writestr("META-INF/manifest.xml", MANIFEST)
    project, _ = build.template()
    code = build.bared(project)
    project.add(vba.MODULE, source())
    file = folder / "functions.xlsm"
    file.write_bytes(workbook.written(project.written(), build.sheet_rows(), code, workbook.WORKBOOK))
    folders = [Path(module.__file__ or "").parent.parent for module in (qnsolve, qnsolve_excel, numpy)]
    path = os.pathsep.join([*spreadsheet.numpy_folders(folder / "numpy"), *map(str, folders)])
    running = spreadsheet.Spreadsheet(folder, [extension], {"QNSOLVE_VBA_PATH": path})
    with running, running.book(file, macros=True) as opened:
        yield opened


def passes(name: str, given: list[Any]) -> bool:
    """Whether Calc's VBA hands the arguments over: nothing left out before another one, no error value."""
    required = sum(not argument.optional for argument in catalogue()[name].arguments)
    return not any(argument is OMITTED or isinstance(argument, CellError) for argument in given) and len(given) >= required


EXAMPLES = [
    pytest.param(name, example, id=f"{name}-{i}")
    for name, function in catalogue().items()
    for i, example in enumerate(function.examples)
    if formula.parsed(example)[0] in catalogue() and passes(*formula.parsed(example))
]


def shown(cell: Any) -> Any:
    """What the engine shows for what a call answers: CVErr is a text there."""
    return f"Error {EXCEL_CODES[cell.code]}" if isinstance(cell, CellError) else cell


@pytest.fixture(scope="module")
def cells(book: spreadsheet.Book) -> dict[str, Any]:
    """What a cell shows for each example, all asked at once."""
    examples = [param.values[1] for param in EXAMPLES]
    return dict(zip(examples, book.evaluate([formula.underlined(str(example)) for example in examples]), strict=True))


@pytest.mark.slow
@pytest.mark.parametrize(("name", "example"), EXAMPLES)
def test_wrappers_answer_as_direct_calls(book: spreadsheet.Book, cells: dict[str, Any], name: str, example: str) -> None:
    """Each example, from a cell through the wrapper to Python and back: numbers, texts, tables, errors."""
    answer = call(*formula.parsed(example))
    if isinstance(answer, list):
        found = book.table(formula.underlined(example), len(answer), len(answer[0]))
        assert found == [[pytest.approx(c, rel=1e-12) if isinstance(c, float) else c for c in row] for row in answer]
    elif name == "VERSION":  # LibreOffice has a Python of its own
        assert re.sub(r"Python [\d.]+", "", cells[example]) == re.sub(r"Python [\d.]+", "", str(answer))
    else:
        assert cells[example] == (pytest.approx(answer, rel=1e-12) if isinstance(answer, float) else shown(answer))


def test_every_function_is_run() -> None:
    """No function of the catalogue is left out above."""
    assert {param.values[0] for param in EXAMPLES} == set(catalogue())


def test_cells_and_ranges(book: spreadsheet.Book) -> None:
    """Values of cells and ranges arrive as they are: numbers, texts, empty cells, tables."""
    book.write({"A540": 8, "B540": 0.1, "C540": "ten", "A542": 1, "B542": 2, "A543": 3})
    asked = ["=QN_MMC_RESPONSE(A540,B540)", "=QN_MMC_RESPONSE(A540,C540)", "=QN_MMC_RESPONSE(D540,B540)"]
    given = [[8.0, 0.1], [8.0, "ten"], [None, 0.1]]
    assert book.evaluate(asked) == [shown(call("MMC_RESPONSE", cells)) for cells in given]
    table = [[1.0, 2.0], [3.0, None]]
    asked = ['=QN_WHY("MMC_RESPONSE",A542:B543,1)', '=QN_WHY("CLOSED",A542:B543,1)', '=QN_WHY("SOLVE",A542:B543,A542:B543)']
    given = [["MMC_RESPONSE", table, 1.0], ["CLOSED", table, 1.0], ["SOLVE", table, table]]
    assert book.evaluate(asked) == [call("WHY", cells) for cells in given]


def test_whole_columns_end_where_the_sheet_does(book: spreadsheet.Book) -> None:
    """A column of a million cells is cut to the part of the sheet that is filled; what is before it stays."""
    book.write({"AB3": 0.2, "AB4": 0.1})
    cells = [[None], [None], [0.2], [0.1]]
    asked = ["=QN_CLOSED_THROUGHPUT(AB3:AB1048576,50)", "=QN_CLOSED_THROUGHPUT(AB:AB,50)", '=QN_WHY("CLOSED",AB:AB,50)']
    given = [("CLOSED_THROUGHPUT", [cells[2:], 50.0]), ("CLOSED_THROUGHPUT", [cells, 50.0]), ("WHY", ["CLOSED", cells, 50.0])]
    expected = [shown(call(*one)) for one in given]  # two processes, whose last digits may differ
    assert book.evaluate(asked) == [pytest.approx(x, rel=1e-12) if isinstance(x, float) else x for x in expected]
    assert book.evaluate(['=QN_WHY("CLOSED",AC2000:AC1000000,50)']) == [call("WHY", ["CLOSED", [[None]], 50.0])]


HOSTILE = (
    "2036",
    "!2036",
    "#NUM!",
    "#QN!2036|x",
    "=1+1",
    "'x",
    '"',
    "Error 2036",
    "\u03bb\u2264\U0001f600",
    "a\nb",
    "-2147352572",
)


@pytest.mark.parametrize("text", HOSTILE)
def test_no_text_becomes_anything_else(book: spreadsheet.Book, text: str) -> None:
    """A text that looks like an error, a formula or a mark of the wrapper comes back within the answer as it went."""
    book.write({"A550": '="{}"'.format(text.replace('"', '""'))})
    answer = call("WHY", [text])
    assert isinstance(answer, str)
    assert book.evaluate(["=QN_WHY(A550)"]) == [answer]


def test_a_lost_connection(book: spreadsheet.Book) -> None:
    """One new start where Python is gone, then #N/A; none where Python itself refused."""
    gone, refused = -2147023174, -2147352567  # RPC_S_SERVER_UNAVAILABLE, DISP_E_EXCEPTION
    asked = [f"=TestLost({gone},{n})" for n in (0, 1, 2)] + [f"=TestLost({refused},1)"]
    value = call("MMC_RESPONSE", [8.0, 0.1])
    first = book.evaluate(asked)
    assert [str(found).split(" ", 1)[0] for found in first] == ["0", "1", "1", "0"]
    assert [str(found).endswith("Error 2042") for found in first] == [False, False, True, True]
    assert float(str(first[1]).split()[1]) == pytest.approx(value)


WHAT = """
Public Function TestStart() As Variant
    On Error GoTo Failed
    TestStart = TypeName(QnServer())
    Exit Function
Failed:
    TestStart = Err.Number & " " & Err.Description
End Function
"""


def test_python_does_not_start(book: spreadsheet.Book, tmp_path: Path) -> None:
    """The module as it is installed: without its library, here, each cell is #N/A, and it is not tried for each of them."""
    with zipfile.ZipFile(io.BytesIO(build.build())) as package:
        project = Project(package.read("xl/vbaProject.bin"))
    project[vba.MODULE].source = (project[vba.MODULE].source + WHAT.replace("\n", "\r\n")).replace(".Value2", ".Value")
    file = tmp_path / "real.xlsm"
    file.write_bytes(workbook.written(project.written(), build.sheet_rows(), "Sheet2", workbook.WORKBOOK))
    with book.calc.book(file, macros=True) as real:
        assert real.evaluate(["=QN_MMC_RESPONSE(8,0.1)", "=QN_VERSION()"]) == ["Error 2042"] * 2
        assert real.evaluate(["=TestStart()"]) == ["513 Python did not start a moment ago"]
        assert real.evaluate(["=QN_MMC_RESPONSE(8,0.1)"] * 500) == ["Error 2042"] * 500


def test_names_are_no_cells_and_no_words_of_vba() -> None:
    """A function's name is no address of a cell; arguments are spelled other than VBA's words; few enough of them."""
    for function in catalogue().values():
        assert re.fullmatch(r"QN_[A-Z][A-Z0-9_]{2,}", function.underlined)
        assert len(function.underlined) <= 255
        assert not re.fullmatch(r"[A-Z]{1,3}[0-9]+|R[0-9]*C[0-9]*", function.name)
        names = [vba.spelled(argument.name).lower() for argument in function.arguments]
        assert len(set(names)) == len(names) <= 30
        assert not set(names) & vba.RESERVED
        assert all(name.isascii() and not name.startswith("qn") for name in names)
    assert vba.spelled("function") == "function_"


def test_only_worksheet_functions_can_be_called_from_a_cell() -> None:
    """Whatever else is in the module is private, or a Sub, which no cell can call."""
    text = vba.source("", "A1:B2", "of a test")
    public = re.findall(r"^(?:Public )?(Function|Sub) (\w+)", text, re.MULTILINE)
    assert public == [("Sub", "QnHelp"), *[("Function", function.underlined) for function in catalogue().values()]]
    assert all(
        line.split()[0] in {"Private", "Public"} for line in text.split("\r\n") if re.search(r"^\w+ (Function|Sub) ", line)
    )


def test_lines_that_vba_refuses_are_not_written() -> None:
    """A line of VBA beyond the limit of length, or with too many continuations, is an error when it is made."""
    with pytest.raises(ValueError, match="1024 characters"):
        vba.check(["x" * 1024])
    with pytest.raises(ValueError, match="25th"):
        vba.check(["x _"] * 25)
    vba.check(["x" * 1023, *["x _"] * 24, "x"])


def test_texts_of_attributes() -> None:
    """Quotes are doubled; a backslash, which begins an escape there, and letters of no code page 1252 are not written."""
    assert vba.quoted('say "a\\b"\n\u2264 \u00e9') == '"say ""a/b"" ? \u00e9"'

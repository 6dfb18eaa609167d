"""LibreOffice Calc evaluates every worksheet function: values, tables, error values, help."""

from __future__ import annotations

import re
import zipfile
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from qnsolve_excel import OMITTED, CellError, call, catalogue
from qnsolve_excel.formula import dotted, parsed, underlined

from tests import ROOT
from tests.support.spreadsheet import Book, Failure, Spreadsheet

FUNCTIONS = list(catalogue().values())
CLOSE = 1e-12  # relative
PRIORITIES: Any = call("PRIORITY_RESPONSE", [[[2.0], [3.0]], [[0.1], [0.2]]])


@pytest.fixture(scope="module")
def book(calc: Spreadsheet) -> Iterator[Book]:
    """A workbook that each test uses and clears as it needs."""
    with calc.book() as opened:
        yield opened


@cache
def expected(example: str) -> Any:
    """What an example is to show."""
    name, given = parsed(example)
    return shown(name, given)


def shown(name: str, given: list[Any]) -> Any:
    """What the cell is to show: the answer of a direct call; Calc's Python may be another one."""
    answer = call(name, given)
    if isinstance(answer, CellError):
        return Failure(answer.code)
    if isinstance(answer, list):
        return [[close(cell) for cell in row] for row in answer]
    return Version(answer) if name == "VERSION" else close(answer)


def close(value: Any) -> Any:
    """A number within the tolerance; anything else as it is."""
    return pytest.approx(value, rel=CLOSE, abs=1e-15) if isinstance(value, float) else value  # differences may be rounding


class Version(str):
    """A version text that equals another one but for the Python in it."""

    __hash__ = str.__hash__

    def __eq__(self, other: object) -> bool:
        python = re.compile(r"Python [\d.]+")
        return python.sub("", self) == python.sub("", str(other))


def check(book: Book, formula: str, answer: Any) -> None:
    """The formula shows the answer; a table in an area that is larger by a row and a column."""
    if not isinstance(answer, list):
        assert book.evaluate([formula]) == [answer], formula
        return
    rows, columns = len(answer), len(answer[0])
    found = book.table(formula, rows + 1, columns + 1)
    assert [row[:columns] for row in found[:rows]] == answer, formula
    # outside there is #N/A; Calc repeats a single row and a single column
    assert {row[columns] for row in found[:rows]} == {Failure("#N/A")} or columns == 1
    assert found[rows][0] == (Failure("#N/A") if rows > 1 else found[0][0])


@pytest.mark.slow
@pytest.mark.parametrize("function", FUNCTIONS, ids=lambda f: f.name)
def test_examples(book: Book, function: Any) -> None:
    """Each example, its values in the formula, shows what a direct call answers."""
    assert len(function.examples) >= 3
    for example in function.examples:
        assert parsed(example)[0] == function.name
        check(book, dotted(example), expected(example))


def referring(given: list[Any]) -> tuple[dict[str, Any], list[str]]:
    """The ranges that hold the arguments, side by side, and the references to them."""
    ranges: dict[str, Any] = {}
    names: list[str] = []
    column = 0
    for argument in given:
        if argument is OMITTED:
            names.append("")
            continue
        rows = argument if isinstance(argument, list) else [[argument]]
        empty = "" if isinstance(argument, list) else '=""'
        width = max(len(row) for row in rows)
        place = f"{letters(column)}1:{letters(column + width - 1)}{len(rows)}"
        ranges[place] = [[written(cell, empty) for cell in row] for row in rows]
        names.append(place)
        column += width
    return ranges, names


def written(cell: Any, empty: str) -> Any:
    """A plain value as it is typed into a cell."""
    if isinstance(cell, bool):
        return f"={str(cell).upper()}()"
    return cell if cell != "" else empty


def letters(number: int) -> str:
    """0 is A, 25 is Z, 26 is AA."""
    return (chr(64 + number // 26) if number >= 26 else "") + chr(65 + number % 26)


@pytest.mark.slow
@pytest.mark.parametrize("function", FUNCTIONS, ids=lambda f: f.name)
def test_examples_in_cells(book: Book, function: Any) -> None:
    """The same with the values in cells and ranges, which the formula refers to."""
    for example in function.examples:
        name, given = parsed(example)
        ranges, names = referring(given)
        book.write(ranges)
        check(book, f"=QN.{name}({','.join(names)})", expected(example))
        book.write(dict.fromkeys(ranges))


def test_help(calc: Spreadsheet) -> None:
    """The function wizard shows each function and argument of the catalogue, with its help."""
    assert calc.help() == {f.dotted: [f.summary, [[a.name, a.help] for a in f.arguments]] for f in FUNCTIONS}


ERRORS = {
    '=QN.MMC_RESPONSE("eight",0.1)': "#VALUE!",
    "=QN.MMC_RESPONSE({1,2},0.1)": "#VALUE!",
    "=QN.MMC_RESPONSE()": "#VALUE!",
    "=QN.MMC_RESPONSE(12,0.1)": "#NUM!",
    '=QN.FUNCTIONS("no such thing")': "#N/A",
    "=QN.NO_SUCH_FUNCTION(1)": "#NAME?",
    "=QN.MMC_RESPONSE(1/0,0.1)": "#DIV/0!",
    **{f"=QN.MMC_RESPONSE({code},0.1)": code for code in ("#DIV/0!", "#N/A", "#NAME?", "#NULL!", "#NUM!", "#REF!", "#VALUE!")},
    "=1+QN.MMC_RESPONSE(12,0.1)": "#NUM!",
    "=QN.MMC_RESPONSE(QN.MMC_RESPONSE(12,0.1),0.1)": "#NUM!",
    # Calc refuses these itself and asks no function: more arguments than there are, an error value inside a range
    "=QN.MMC_RESPONSE(8,0.1,1,1)": "Err:504",
    "=QN.PRIORITY_RESPONSE(B1:B3,{1;2;3})": "Err:504",
    "=QN.PRIORITY_RESPONSE({#DIV/0!;2},{1;2})": "Err:539",
}


def test_error_values(book: Book) -> None:
    """Every kind of error value is a real one, in cells too, and goes through from argument to answer."""
    book.write({"B1": 1, "B2": "=1/0", "B3": 3})
    assert dict(zip(ERRORS, book.evaluate(list(ERRORS)), strict=True)) == {f: Failure(code) for f, code in ERRORS.items()}
    assert book.evaluate(["=QN.MMC_RESPONSE(B2,0.1)"]) == [Failure("#DIV/0!")]
    assert book.table('=QN.FUNCTIONS("no such thing")', 2, 2) == [[Failure("#N/A")] * 2] * 2


def test_built_in_functions_see_the_errors(book: Book) -> None:
    """IFERROR, ERROR.TYPE, ISNUMBER and the rest."""
    formulas = {
        '=IFERROR(QN.MMC_RESPONSE(12,0.1),"saturated")': "saturated",
        "=IFERROR(QN.PRIORITY_RESPONSE(B1:B3,{1;2;3}),-1)": -1,
        "=ERROR.TYPE(QN.MMC_RESPONSE(12,0.1))": 6,
        '=ERROR.TYPE(QN.MMC_RESPONSE("x",0.1))': 3,
        '=ISNA(QN.FUNCTIONS("no such thing"))': True,
        "=ISERR(QN.MMC_RESPONSE(12,0.1))": True,
        "=ISNUMBER(QN.MMC_RESPONSE(8,0.1))": True,
        "=ISTEXT(QN.VERSION())": True,
        "=SUM(QN.PRIORITY_RESPONSE({2;3},{0.1;0.2}))": pytest.approx(sum(row[0] for row in PRIORITIES)),
    }
    book.write({"B1": 1, "B2": "=1/0", "B3": 3})
    assert dict(zip(formulas, book.evaluate(list(formulas)), strict=True)) == formulas


def test_what_cells_mean(book: Book) -> None:
    """Empty is 0, TRUE is 1, left out is the default, a range of one cell is that cell."""
    book.write({"B1": None, "B2": 8, "B3": "=TRUE()", "B4": " eight "})
    same = [
        ("=QN.MMC_RESPONSE(B1,0.1)", ["MMC_RESPONSE", 0.0, 0.1]),
        ("=QN.MMC_RESPONSE(B2:B2,0.1)", ["MMC_RESPONSE", 8.0, 0.1]),
        ("=QN.MMC_RESPONSE(B2,0.1,B3)", ["MMC_RESPONSE", 8.0, 0.1]),
        ("=QN.MMC_RESPONSE(B2,0.1,)", ["MMC_RESPONSE", 8.0, 0.1]),
        ("=QN.MMC_RESPONSE(B2,0.1,B1)", ["MMC_RESPONSE", 8.0, 0.1, 0.0]),
        ("=QN.MMC_RESPONSE(B4,0.1)", ["MMC_RESPONSE", "eight", 0.1]),
        ("=QN.MMC_RESPONSE(B2:B4,0.1)", ["MMC_RESPONSE", [[8.0], [1.0], ["x"]], 0.1]),
        ("=QN.BATCH_RESPONSE(8,0.1,4,,B3)", ["BATCH_RESPONSE", 8.0, 0.1, 4.0, OMITTED, True]),
        ("=SUM(QN.PRIORITY_RESPONSE(B2:B2,{0.1}))", ["MMC_RESPONSE", 8.0, 0.1]),
    ]
    for formula, (name, *given) in same:
        assert book.evaluate([formula]) == [shown(name, given)], formula


def test_edits_recalculate(book: Book) -> None:
    """A changed input changes what depends on it, arrays and errors included, and back."""
    book.write({"A1": 8, "B1": "=QN.MMC_RESPONSE(A1,0.1)", "C1:C2": "=QN.PRIORITY_RESPONSE(A1:A2,{0.01;0.02})", "A2": 3})
    first = book.read("B1:C2")
    book.write({"A1": 12})
    second = book.read("B1:C2")
    assert second[0][0] == Failure("#NUM!")
    assert second[1][1] > first[1][1]
    book.write({"A1": 8})
    assert book.read("B1:C2") == first


def test_stored_spellings(book: Book) -> None:
    """What other programs store means the same once it is written our way."""
    stored = ["_xll.QN.X(", "_xldudf_QN_X(", "[1]!QN_X(", "'C:\\add ins\\qnsolve.xlam'!QN_X(", "QN_X(", "qn.x("]
    formulas = [f"=1+{way.upper().replace('X(', 'MMC_RESPONSE(')}8,0.1)" for way in stored]
    formulas += [underlined("=1+QN.MMC_RESPONSE(8,0.1)")]
    assert book.evaluate([dotted(formula) for formula in formulas]) == [pytest.approx(1.5, rel=CLOSE)] * len(formulas)


HOSTILE = [
    "'",
    '"',
    "=1+1",
    "=cmd|'/c calc'!A1",
    "@SUM(1)",
    "\u202e\U0001f600é",
    "x" * 30000,
    "<&>",
    "a\tb",
    "{1}",
    "#NUM!",
    "%s%n",
]


def test_hostile_texts(book: Book) -> None:
    """No text does anything but be refused, wherever it is given; a cell shows an error value, and WHY a sentence."""
    for text in HOSTILE:
        book.write({"A1": f"'{text}", "A2": 1})
        quoted = text.replace('"', '""')
        found = book.evaluate(
            [
                f'=QN.MMC_RESPONSE("{quoted}",0.1)',
                "=QN.MMC_RESPONSE(A1,0.1)",
                "=QN.WHY(A1,1)",
                "=QN.PRIORITY_RESPONSE(A1:A2,A1:A2)",
            ]
        )
        assert found[1] == found[3] == Failure("#VALUE!"), text
        assert found[0] == Failure("#VALUE!") or len(text) > 10000, text
        assert found[2] == call("WHY", [text, 1.0]), text


@pytest.mark.slow
def test_whole_columns(book: Book) -> None:
    """A range of a million cells is read as far as it is filled."""
    book.write({"C1": 2, "C2": 3, "D1": 0.1, "D2": 0.2})
    expected = sum(row[0] for row in PRIORITIES)
    assert book.evaluate(["=SUM(QN.PRIORITY_RESPONSE(C:C,D:D))"]) == [pytest.approx(expected, rel=CLOSE)]
    book.write({"C1:D2": None})


README = (ROOT / "excel-addin" / "README.md").read_text(encoding="utf-8")
ROW = re.compile(r"^\| `(=QN\.[^`]*|=SUM[^`]*)` \| (.*) \|$", re.MULTILINE)


def test_the_readme_states_what_calc_shows(book: Book) -> None:
    """Each formula of the table shows what stands beside it."""
    rows = ROW.findall(README)
    assert len(rows) >= 5
    for formula, stated in rows:
        (found,) = book.evaluate([formula])
        if stated.startswith("the versions"):
            assert found.startswith("qnsolve ")
        else:
            assert (
                found.shown if isinstance(found, Failure) else f"{found:.6g}" if isinstance(found, float) else found
            ) == stated


@pytest.mark.parametrize("ending", [".xlsx", ".ods", ".pdf"])
def test_saved_workbooks_keep_the_functions(calc: Spreadsheet, ending: str, tmp_path: Path) -> None:
    """A workbook that Calc writes has the documented names in it, and shows the same when it is opened again."""
    with calc.book() as book:
        book.write({"A1:A2": [[2], [3]], "B1": "=QN.MMC_RESPONSE(A1,0.1)", "C1:C2": "=QN.PRIORITY_RESPONSE(A1:A2,{0.1;0.2})"})
        shows, typed = book.read(), book.formulas()
        file = book.save(tmp_path / f"book{ending}")
    if ending == ".pdf":
        assert file.read_bytes().startswith(b"%PDF")
        return
    with calc.book(file) as book:
        assert book.read() == shows
        assert book.formulas() == typed
        assert typed[0][1] == "=QN.MMC_RESPONSE(A1;0.1)"
    if ending == ".xlsx":
        assert b"QN.MMC_RESPONSE(" in zipfile.ZipFile(file).read("xl/worksheets/sheet1.xml")

"""The three front ends against direct calls: values, error values, reasons, help, whatever a sheet gives them."""

from __future__ import annotations

import json
import math
import re
import sys
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from qnsolve_excel import OMITTED, CellError, call, catalogue
from qnsolve_excel.cells import EXCEL_CODES
from qnsolve_excel.officejs import pages, wire

from tests.support import audit, pywin32_double, random_calls
from tests.support.browser_host import ran, serving
from tests.support.spreadsheet import Book, Failure, Spreadsheet

CALLS = random_calls.calls(seed=20261123, count=300)
MOST_WHY = 10  # arguments that QN.WHY hands on
CLOSE = 1e-12  # relative; Calc's Python may be another one
# what Calc does to arguments before it asks us; in all else it must be equal
DIFFERENCES = {
    "boolean": "a boolean is the number 1 or 0 to its formulas",
    "empty": "an empty cell that is an argument by itself is the number 0",
    "too many": "more arguments than there are: Err:504, no function is asked",
    "error": "an error value that is an argument is the answer, of several the last; no function is asked, QN.WHY neither",
    "error inside": "an error value inside a range: Err:504, no function is asked",
}
MET: set[str] = set()


@cache
def answers() -> list[Any]:
    """Of direct calls, as values that no later call changes."""
    return [call(name, given) for name, given in CALLS]


def why(name: str, given: list[Any]) -> list[Any]:
    """The arguments of the QN.WHY about a call."""
    return [name, *given]


def test_the_calls_are_what_they_are_to_be() -> None:
    """Every function takes part; a third and more of the calls has an answer, a third and more an error; seeds hold."""
    assert {name for name, _ in CALLS} == set(catalogue())
    failed = sum(isinstance(answer, CellError) for answer in answers())
    assert 90 < failed < 210
    assert {answer.code for answer in answers() if isinstance(answer, CellError)} == set(EXCEL_CODES)
    assert repr(random_calls.calls(seed=20261123, count=300)) == repr(CALLS)


def clean(answer: Any) -> None:
    """No fault of ours, no nan, nothing empty but a text, no row longer than another."""
    if isinstance(answer, CellError):
        assert answer.reason.isprintable() or "\\" in repr(answer.reason)
        assert len(answer.reason.splitlines()) == 1
        assert not answer.reason.startswith("a fault in")
        assert "Traceback" not in answer.reason
        return
    cells = [cell for row in answer for cell in row] if isinstance(answer, list) else [answer]
    assert all(type(cell) is str or (type(cell) is float and math.isfinite(cell)) for cell in cells)
    if isinstance(answer, list):
        assert answer
        assert len(set(map(len, answer))) == 1


def test_no_call_fails_or_reaches_a_file_a_command_or_the_network() -> None:
    """Answers made anew are clean; Python's own audit reports nothing that is opened, started or imported for them."""
    made, reached = audit.reported(CALLS)
    assert len(made) == len(CALLS)
    for answer in made:
        clean(answer)
    assert not reached


def test_xlwings() -> None:
    """Values, and reasons through QN_WHY, over the real xlwings."""
    with pywin32_double.windows() as xlwings:
        server = xlwings.com_server.XLPython()

        def asked(name: str, given: list[Any]) -> Any:
            return server.CallUDF(pywin32_double.OURS, f"QN_{name}", tuple(map(pywin32_double.variant, given)))

        for (name, given), answer in zip(CALLS, answers(), strict=True):
            assert asked(name, given) == in_excel(answer), (name, given)
            if len(given) <= MOST_WHY:
                assert asked("WHY", why(name, given)) == in_excel(call("WHY", why(name, given)))


def in_excel(answer: Any) -> Any:
    """What the wrapper gets for an answer: an error's number, or what it is; one row and one cell without brackets."""
    if isinstance(answer, CellError):
        return EXCEL_CODES[answer.code]
    if isinstance(answer, list) and len(answer) == 1:
        return answer[0] if len(answer[0]) > 1 else answer[0][0]
    return answer


def in_office(given: list[Any]) -> list[Any]:
    """Arguments as Excel gives them to JavaScript."""
    return [0.0 if cell is None else cell for cell in given]


def test_the_server() -> None:
    """Values and reasons, through JSON both ways."""
    calls = [(name, in_office(given)) for name, given in CALLS]
    body = json.dumps([{"f": name, "a": [wire.given(value) for value in given]} for name, given in calls]).encode()
    found = json.loads(json.dumps(wire.answers(wire.calls(body)), allow_nan=False))
    for (name, given), answer in zip(calls, found, strict=True):
        assert answer == wire.written(call(name, given)), (name, given)


@pytest.mark.slow
def test_the_script_in_a_browser(tmp_path: Path) -> None:
    """Every third call goes through our script, the browser, the network and the server; which then answers still."""
    calls = [(name, in_office(given)) for name, given in CALLS[::3]]
    calls = [(n, g) for n, g in calls if len(g) <= len(catalogue()[n].arguments)]  # Excel takes no more
    asked = [{"f": name, "a": [wire.given(value) for value in given]} for name, given in calls]
    with serving() as served:
        found = ran(served, asked, tmp_path)["found"]
        again = ran(served, asked[:1], tmp_path)["found"]
    for (name, given), answer in zip(calls, found, strict=True):
        assert answer == wire.written(call(name, given)), (name, given)
    assert again == found[:1]


@pytest.fixture(scope="module")
def book(calc: Spreadsheet) -> Iterator[Book]:
    """A workbook for all calls, and a folder in which nothing may come to be."""
    places = [Path.cwd(), Path("/tmp"), Path.cwd().parent, calc.log.parent]
    with calc.book() as opened:
        yield opened
    assert calc.process.poll() is None
    assert not [place for place in places if (place / random_calls.REACHED).exists()]


ROWS, COLUMNS = 8, 8  # of an answer, that are looked at


@pytest.mark.slow
def test_calc(book: Book) -> None:
    """Values, and reasons through QN.WHY, of arguments that stand in real cells."""
    for name, given in CALLS:
        cells, names = placed(given)
        spilling = catalogue()[name].spills
        cells[f"AAA1:AAH{ROWS}" if spilling else "AAA1"] = f"=QN.{name}({','.join(names)})"
        if len(given) <= MOST_WHY:
            cells["AAI1"] = f'=QN.WHY("{name}"{"".join(f",{place}" for place in names)})'
        book.write(cells)
        found = book.read(f"AAA1:AAI{ROWS}")
        book.write(dict.fromkeys(cells))
        shown = [row[:COLUMNS] for row in found]
        if not spilling:
            assert shown[0][0] == in_calc(name, given), (name, given)
        else:
            expected = in_calc(name, given)
            rows = expected if isinstance(expected, list) else [[expected] * COLUMNS] * ROWS
            for row, wanted in zip(shown, rows, strict=False):
                assert row[: len(wanted)] == wanted[:COLUMNS], (name, given)
        if len(given) <= MOST_WHY:
            assert found[0][COLUMNS] == in_calc("WHY", why(name, given)), (name, given)
    assert set(DIFFERENCES) == MET


def in_calc(name: str, given: list[Any]) -> Any:
    """What Calc shows."""
    if len(given) > len(catalogue()[name].arguments):
        return differs("too many", Failure("Err:504"))
    for argument in reversed(given):
        rows = argument if isinstance(argument, list) else [[argument]]
        found = [cell.code for row in rows for cell in row if isinstance(cell, CellError)]
        if found:
            inside = isinstance(argument, list)
            return differs("error inside", Failure("Err:504")) if inside else differs("error", Failure(found[0]))
    answer = call(name, [[[seen(c) for c in row] for row in g] if isinstance(g, list) else seen(g, 0.0) for g in given])
    if isinstance(answer, CellError):
        return Failure(answer.code)
    if isinstance(answer, list):
        return [[close(cell) for cell in row] for row in answer]
    if name == "VERSION" or given[:1] == ["VERSION"]:
        return Version(answer)
    return close(answer)


class Version(str):
    """A text that equals another one but for the version of Python in it: Calc has its own."""

    __hash__ = str.__hash__

    def __eq__(self, other: object) -> bool:
        python = re.compile(r"Python [\d.]+")
        return python.sub("", self) == python.sub("", str(other))


def seen(cell: Any, empty: Any = None) -> Any:
    """A cell as Calc hands it over."""
    if isinstance(cell, bool):
        return differs("boolean", float(cell))
    return cell if cell is not None else empty if empty is None else differs("empty", empty)


def differs(key: str, shown: Any) -> Any:
    """What is seen because of a difference."""
    assert key in DIFFERENCES
    MET.add(key)
    return shown


def close(value: Any) -> Any:
    """A number within the tolerance; anything else as it is."""
    return pytest.approx(value, rel=CLOSE, abs=0) if isinstance(value, float) else value


def placed(given: list[Any]) -> tuple[dict[str, Any], list[str]]:
    """What to write, one argument below the other, and the references to it."""
    cells: dict[str, Any] = {}
    names: list[str] = []
    top = 1
    for argument in given:
        rows = argument if isinstance(argument, list) else [[argument]]
        width = max(map(len, rows))
        place = f"A{top}:{letters(width)}{top + len(rows) - 1}"
        names.append("" if argument is OMITTED else place if isinstance(argument, list) else f"A{top}")
        if argument is not OMITTED:
            cells[place] = [[plain(cell) for cell in row] + [None] * (width - len(row)) for row in rows]
            for i, row in enumerate(rows):
                cells |= {f"{letters(j)}{top + i}": typed(cell) for j, cell in enumerate(row, 1) if typed(cell)}
        top += len(rows)
    return cells, names


def plain(cell: Any) -> Any:
    """A number or a text as a cell takes it; None where it must be typed as a formula."""
    return f"'{cell}" if isinstance(cell, str) and cell else cell if type(cell) is float else None


def typed(cell: Any) -> str:
    """The formula of a cell that no plain value makes."""
    if isinstance(cell, CellError):
        return f"={cell.code}"
    return f"={str(cell).upper()}()" if isinstance(cell, bool) else '=""' if cell == "" else ""


def letters(number: int) -> str:
    """1 is A, 27 is AA."""
    return (letters((number - 1) // 26) if number > 26 else "") + chr(65 + (number - 1) % 26)


@pytest.mark.slow
def test_a_million_cells(book: Book) -> None:
    """Ranges of 2^20 cells and of more are answered or refused, alike."""
    for name, given in random_calls.million():
        answer = call(name, given)
        clean(answer)
        if name == "FIT_DEMAND":
            body = json.dumps([{"f": name, "a": [wire.given(value) for value in given]}]).encode()
            assert wire.answers(wire.calls(body)) == [wire.written(answer)]
    column = random_calls.million()[0][1]
    book.write({"A1:B2": [[200.0, 0.1], [400.0, 0.2]]})
    assert book.evaluate(["=QN.FIT_DEMAND(A:A,B:B,8)"]) == [close(call("FIT_DEMAND", column))]
    assert book.evaluate(['=QN.WHY("SOLVE",A:A,B:B)']) == [call("WHY", ["SOLVE", *column[:2]])]
    book.write({"A1:B2": None})


def test_help(calc: Spreadsheet) -> None:
    """Calc's wizard, Excel's dialog, and what Office.js reads are the same."""
    in_catalogue = {f.name: (f.summary, [(a.name, a.help) for a in f.arguments]) for f in catalogue().values()}
    in_wizard = {name.removeprefix("QN."): (text, [tuple(a) for a in given]) for name, (text, given) in calc.help().items()}
    metadata = json.loads(pages.metadata())["functions"]
    in_browser = {f["name"]: (f["description"], [(a["name"], a["description"]) for a in f["parameters"]]) for f in metadata}
    with pywin32_double.windows():
        made = [m.__xlfunc__ for m in vars(sys.modules[pywin32_double.OURS]).values() if hasattr(m, "__xlfunc__")]
    in_dialog = {f["name"].removeprefix("QN_"): (f["ret"]["doc"], [(a["name"], a["doc"]) for a in f["args"]]) for f in made}
    assert in_catalogue == in_wizard == in_browser == in_dialog

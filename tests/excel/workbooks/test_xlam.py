"""The add-in for Excel: its functions over the real xlwings, its file, and the commands that put it in place."""

from __future__ import annotations

import io
import random
import re
import sys
import warnings
import zipfile
from collections.abc import Iterator
from importlib.metadata import version
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import olefile
import pytest
import qnsolve
from qnsolve_excel import CellError, call, catalogue, formula
from qnsolve_excel.cells import EXCEL_CODES
from qnsolve_excel.xlam import build, compound, ovba, udfs, vba, workbook
from qnsolve_excel.xlam.project import Project

from tests.support import pywin32_double

with warnings.catch_warnings():
    warnings.simplefilter("ignore")  # it speaks to pyparsing as older ones were spoken to
    from oletools.olevba import VBA_Parser, VBA_Scanner, decompress_stream

CODES = {number: code for code, number in EXCEL_CODES.items()}
EXAMPLES = [example for function in catalogue().values() for example in function.examples]


@pytest.fixture(scope="module")
def excel() -> Iterator[Any]:
    """What Excel asks: the real COM server of xlwings, with our functions behind it."""
    with pywin32_double.windows() as xlwings:
        server = xlwings.com_server.XLPython()
        yield lambda name, given: server.CallUDF(pywin32_double.OURS, f"QN_{name}", tuple(map(pywin32_double.variant, given)))


def expected(answer: Any) -> Any:
    """What the wrapper gets for an answer: an error's number, or what it is; one row and one cell without brackets."""
    if isinstance(answer, CellError):
        return EXCEL_CODES[answer.code]
    if isinstance(answer, list) and len(answer) == 1:
        return answer[0] if len(answer[0]) > 1 else answer[0][0]
    return answer


@pytest.mark.parametrize("example", EXAMPLES)
def test_calls_equal_direct_ones(excel: Any, example: str) -> None:
    """Every example of every function; a number is never an int, and an error always is."""
    name, given = formula.parsed(example)
    found = excel(name, given)
    assert found == expected(call(name, given))
    assert type(found) in {float, str, list} or CODES[found]


def test_errors_of_excel_that_are_no_others(excel: Any) -> None:
    """#SPILL!, #CALC! and their like have no name in the catalogue: #VALUE!."""
    assert excel("MMC_RESPONSE", [CellError("#N/A"), 0.1]) == 2042
    assert udfs.QN_MMC_RESPONSE(pywin32_double.ERROR + 2045, 0.1) == [[2015]]
    assert udfs.received(((pywin32_double.ERROR + 2045, 1.0),)) == [[CellError("#VALUE!"), 1.0]]
    assert udfs.received((1.0, 2.0)) == [[1.0, 2.0]]


def test_what_xlwings_registers_of_each_function(excel: Any) -> None:
    """Names, help and category are the catalogue's; every argument is taken as it comes; none has a name of xlwings' own."""
    module = sys.modules[pywin32_double.OURS]
    made = {name: one.__xlfunc__ for name, one in vars(module).items() if hasattr(one, "__xlfunc__")}
    assert list(made) == [function.underlined for function in catalogue().values()]
    for function in catalogue().values():
        found = made[function.underlined]
        assert (found["name"], found["ret"]["doc"], found["volatile"]) == (function.underlined, function.summary, False)
        assert found["category"] == f"qnsolve: {function.group}"
        assert [(a["name"], a["doc"]) for a in found["args"]] == [(a.name, a.help) for a in function.arguments]
        assert all(a["options"] == {"convert": "raw"} and a["optional"] is not None for a in found["args"])
        assert "caller" not in found["argmap"]
    assert not hasattr(udfs.QN_VERSION, "__xlfunc__")  # off Windows they are plain functions


@pytest.fixture(scope="module")
def built() -> bytes:
    """The file."""
    return build.build()


def test_the_package(built: bytes) -> None:
    """Its parts are well-formed, each has its type, each relation its part; equal contents make an equal file."""
    with zipfile.ZipFile(io.BytesIO(built)) as package:
        names = package.namelist()
        assert package.testzip() is None
        parts = {name: ElementTree.fromstring(package.read(name)) for name in names if not name.endswith(".bin")}
    types = {o.get("PartName"): o.get("ContentType") for o in parts["[Content_Types].xml"] if o.get("PartName")}
    assert set(types) == {f"/{name}" for name in names if not name.endswith((".rels", "Types].xml"))}
    assert types["/xl/workbook.xml"] == "application/vnd.ms-excel.addin.macroEnabled.main+xml"
    for name in names:
        if name.endswith(".rels"):
            folder = Path(name).parent.parent
            assert all((folder / relation.get("Target", "")).as_posix() in names for relation in parts[name])
    assert build.build() == built


def test_oletools_reads_the_project(built: bytes) -> None:
    """Modules and sources are what was made, and nothing in them looks like anything but the call of a library."""
    parser = VBA_Parser("qnsolve.xlam", data=built)
    found = {name: source for _, _, name, source in parser.extract_macros()}
    assert list(found) == ["ThisWorkbook.cls", "Sheet2.cls", "QnFunctions.bas"]
    made = next(m.source for m in Project(_project(built)).modules if m.name == vba.MODULE)
    assert found["QnFunctions.bas"].splitlines() == made.splitlines()
    assert "Workbook_Open" in found["ThisWorkbook.cls"]
    code = "\n".join(line for line in "\n".join(found.values()).splitlines() if ".VB_Description" not in line)  # no prose
    seen = {(kind, word) for kind, word, _ in VBA_Scanner(code).scan() if kind != "Hex String"}
    library = re.findall(r'Lib "xlwings64-[\d.]*?(\w+\.dll)"', code)
    assert seen == {("AutoExec", "Workbook_Open"), ("Suspicious", "Lib"), ("Suspicious", "Hex Strings"), ("IOC", library[0])}
    everything = "".join(found.values())
    for leftover in (
        "myaddin",
        "felix",
        "GetConfig",
        "ActiveWorkbook",
        "RunPython",
        "CreateObject",
        "Environ",
        "Shell",
        "Open ",
    ):
        assert leftover not in everything.replace("Workbook_Open", "")
    parser.close()


def _project(file: bytes) -> bytes:
    with zipfile.ZipFile(io.BytesIO(file)) as package:
        return package.read("xl/vbaProject.bin")


def test_the_compound_file_keeps_to_the_specification(built: bytes) -> None:
    """Olefile finds no defect; each storage's names are a search tree in the order of the specification; no cache."""
    data = _project(built)
    with olefile.OleFileIO(io.BytesIO(data), raise_defects=olefile.DEFECT_UNSURE) as file:
        assert file.openstream("VBA/_VBA_PROJECT").read() == bytes.fromhex("CC61FFFF000000")
        text = file.openstream("PROJECT").read().decode("cp1252")
        assert [line for line in text.split("\r\n") if line.startswith(("Document", "Module", "Class", "Name"))] == [
            *("Document=ThisWorkbook/&H00000000", "Document=Sheet2/&H00000000", "Module=QnFunctions", 'Name="qnsolve"')
        ]
        assert not file.parsing_issues
        ids = {entry.name: entry.sid for entry in file.direntries if entry}
        raw = [entry for entry in file.direntries if entry]
        for entry in raw:
            for side, wanted in ((entry.sid_left, -1), (entry.sid_right, 1)):
                if side != olefile.NOSTREAM:
                    other, own = (compound._order(file.direntries[i].name) for i in (side, entry.sid))
                    assert (other > own) - (other < own) == wanted
        assert {"VBA", "PROJECT", "PROJECTwm", "dir", vba.MODULE} <= set(ids)
    assert len(data) % compound.SECTOR == 0


@pytest.mark.parametrize("size", [0, 1, 63, 64, 4095, 4096, 70000])
def test_streams_of_any_size(size: int) -> None:
    """Small streams live in the mini stream, large ones in sectors; many entries make several directory sectors."""
    rows = {f"s{i}": bytes([i]) * size for i in range(9)}
    with olefile.OleFileIO(io.BytesIO(compound.written({"store": rows})), raise_defects=olefile.DEFECT_UNSURE) as file:
        assert {name: file.openstream(["store", name]).read() for name in rows} == rows
    with pytest.raises(ValueError, match="31 characters"):
        compound.written({"x" * 32: b""})


def test_compression() -> None:
    """The worked examples of [MS-OVBA] 3.2, and texts of all kinds there and back, also by oletools."""
    text = b"#aaabcdefaaaaghijaaaaaklaaamnopqaaaaaaaaaaaarstuvwxyzaaa"
    packed = "01 2F B0 00 23 61 61 61 62 63 64 65 82 66 00 70 61 67 68 69 6A 01 38 08 61 6B 6C 00 30 6D 6E 6F 70 06 71 02 70 04"
    packed += " 10 72 73 74 75 76 10 77 78 79 7A 00 3C"
    assert ovba.decompressed(bytes.fromhex(packed)) == text
    assert ovba.compressed(b"a" * 73) == bytes.fromhex("01 03 B0 02 61 45 00")
    draw = random.Random(1)
    for letters in (1, 2, 5, 256):
        for size in (1, 2, 3, 17, 4095, 4096, 4097, 10000):
            data = bytes(draw.randrange(letters) for _ in range(size))
            packed = ovba.compressed(data)
            assert ovba.decompressed(packed)[:size] == bytes(decompress_stream(bytearray(packed)))[:size] == data
    for broken in (b"", b"\x02", b"\x01\x00", b"\x01\x01\xb0\x01", b"\x01\x02\xb0\x01\x00\x00"):
        with pytest.raises(ValueError, match="container"):
            ovba.decompressed(broken)


def test_a_project_there_and_back(built: bytes) -> None:
    """What is read is what was written; what is no such file is refused."""
    first = Project(_project(built))
    again = Project(first.written())
    assert [(m.name, m.source, m.line) for m in again.modules] == [(m.name, m.source, m.line) for m in first.modules]
    assert first.written() == _project(built)
    with pytest.raises(ValueError, match="no VBA project"):
        Project(b"x" * 9999)
    with pytest.raises(ValueError, match="no VBA project"):
        Project(compound.written({"a": b"b"}))


def test_the_sheet_holds_settings_and_help(built: bytes) -> None:
    """Python's place, the versions, and every help text as the catalogue has it, within what Excel's dialog takes."""
    rows = workbook.sheet(built)
    assert rows == build.sheet_rows()
    settings = {row[0]: row[1] for row in rows[: len(build.SETTINGS)]}
    assert (settings["qnsolve"], settings["xlwings"]) == (qnsolve.__version__, version("xlwings"))
    assert settings["interpreter"] == sys.executable
    assert f'""{sys.executable}" -P -B -c ' in str(settings["command"])
    helps = rows[build.FIRST_HELP - 1 :]
    assert [row[:4] for row in helps] == [
        [f.underlined, f"qnsolve: {f.group}", f.summary, len(f.arguments)] for f in catalogue().values()
    ]
    assert [row[4:] for row in helps] == [[a.help for a in f.arguments] for f in catalogue().values()]
    assert all(len(str(text)) <= 255 for row in helps for text in row)
    place = build.help_range(rows)
    assert place.startswith(f"A{build.FIRST_HELP}:")
    assert f'Range("{place}")' in Project(_project(built))[vba.MODULE].source
    assert place.endswith(str(len(rows)))

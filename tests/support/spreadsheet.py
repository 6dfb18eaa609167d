"""A real spreadsheet for the tests: one LibreOffice Calc without a window, with our extension in it.

    def test_it(calc):                                     # fixture of the session, in conftest.py
        with calc.book() as book:                          # an empty one; calc.book(path) opens a workbook
            book.write({"A1": 8, "B1": "=QN.MMC_RESPONSE(A1,0.1)", "D1:F4": "=QN.FUNCTIONS()"})
            assert book.cell("B1") == pytest.approx(0.5)   # full precision; D1:F4 holds an array formula
            book.write({"A1": 12})                         # recalculates, as typing does
            assert book.cell("B1") == Failure("#NUM!")

Formulas are spelled as in .xlsx files: commas, {1,2;3,4}. An empty cell is read as "". A text with "'" in front is
written without it, so "'=1" is a text. `book.read()` reads the used area of the first sheet,
`book.read("A1:C9", sheet="Results")` another. `book.evaluate([...])` does many formulas at once, `book.table(...)` one
that answers with rows. `book.save(path)` writes .pdf, .xlsx or .ods. `calc.book(path, macros=True)` runs the VBA inside.
`Spreadsheet(folder, extensions, environment)` starts another one. Many cells are quicker as rows:
`book.write({"A1:B2": [[1, 2], ["a", "=A1"]]})`.
"""

from __future__ import annotations

import json
import os
import queue
import re
import shutil
import signal
import subprocess
import sys
import threading
import zipfile
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any, NamedTuple

import pytest

SERVER = Path(__file__).with_name("spreadsheet_server.py")
PYTHON = "/usr/bin/python3"  # the one that Debian's LibreOffice uses, with `uno`
START, LONGEST = 600.0, 600.0  # seconds: to end a hang, not to measure
PATH = "/usr/bin:/bin"  # with a virtual environment in front, LibreOffice's Python cannot import `uno`
SETTINGS = {"LANG": "C.UTF-8", "OPENBLAS_NUM_THREADS": "1", "QNSOLVE_SECONDS": "600"}
PROFILE = """<?xml version="1.0" encoding="UTF-8"?>
<oor:items xmlns:oor="http://openoffice.org/2001/registry" xmlns:xs="http://www.w3.org/2001/XMLSchema">
<item oor:path="/org.openoffice.Office.Calc/Formula/Load"><prop oor:name="OOXMLRecalcMode" oor:op="fuse"><value>0</value></prop>
</item></oor:items>
"""  # workbooks are calculated when they are opened, whatever values are stored in them

LITERAL = re.compile(r"""("(?:[^"]|"")*"|'(?:[^']|'')*'|#(?:N/A|NAME\?|(?:NULL|DIV/0|VALUE|REF|NUM)!))""", re.IGNORECASE)


class Failure(NamedTuple):
    """An error value of a cell, as Calc shows it: "#NUM!", or "Err:504" of its own."""

    shown: str


class Spreadsheet:
    """A running Calc. Use as a context manager; the folder takes its profile."""

    def __init__(self, folder: Path, extensions: Sequence[Path] = (), environment: Mapping[str, str] | None = None) -> None:
        bundle, profile = folder / "extensions", folder / "profile"
        for extension in extensions:  # unpacked: root may not install any, but bundled ones are taken
            zipfile.ZipFile(extension).extractall(bundle / extension.stem)
        (profile / "user").mkdir(parents=True)
        (profile / "user" / "registrymodifications.xcu").write_text(PROFILE, encoding="utf-8")
        options = [f"-env:UserInstallation={profile.as_uri()}", f"-env:BUNDLED_EXTENSIONS={bundle.as_uri()}"]
        settings = {"soffice": shutil.which("soffice", path=PATH), "options": options, "seconds": START}
        self.log = folder / "log.txt"
        with self.log.open("w") as log:
            self.process = subprocess.Popen(
                [PYTHON, str(SERVER), json.dumps(settings)],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=log,
                text=True,
                encoding="utf-8",
                env={**SETTINGS, "PATH": PATH, "HOME": str(folder), **(environment or {})},
                start_new_session=True,
            )
        self._lines: queue.Queue[str] = queue.Queue()
        threading.Thread(target=self._listen, daemon=True).start()
        self._answer(START + 10)

    def __enter__(self) -> Spreadsheet:
        return self

    def __exit__(self, *_: object) -> None:
        assert self.process.stdin
        assert self.process.stdout
        try:
            self.process.stdin.close()  # the server then ends Calc
            self.process.wait(60)
        except (OSError, subprocess.TimeoutExpired):
            self.kill()
        self.process.stdout.close()

    def kill(self) -> None:
        """End everything that was started, at once."""
        with suppress(ProcessLookupError):
            os.killpg(self.process.pid, signal.SIGKILL)
        self.process.wait(60)

    def _listen(self) -> None:
        assert self.process.stdout
        for line in self.process.stdout:
            self._lines.put(line)
        self._lines.put("")

    def _answer(self, seconds: float) -> Any:
        try:
            line = self._lines.get(timeout=seconds)
        except queue.Empty:
            line = ""
        if not line:
            self.kill()
            raise RuntimeError(f"Calc gave no answer: {self.log.read_text(errors='replace')[-2000:]}")
        answer = json.loads(line)
        if "fault" in answer:
            raise RuntimeError(answer["fault"])
        return answer["answer"]

    def do(self, what: str, seconds: float = LONGEST, **given: Any) -> Any:
        """One request to `spreadsheet_server.Calc`."""
        assert self.process.stdin
        self.process.stdin.write(json.dumps({"do": what, **given}) + "\n")
        self.process.stdin.flush()
        return self._answer(seconds)

    def book(self, file: Path | None = None, macros: bool = False) -> Book:
        """An empty workbook, or that of a file, .xlsx or .ods."""
        return Book(self, self.do("open", file=str(file.resolve()) if file else "", macros=macros))

    def help(self) -> dict[str, Any]:
        """Description of each of our functions, and name and description of each of its arguments."""
        return self.do("help", prefix="QN.")


class Book:
    """An open workbook. Use as a context manager. A sheet is named, or counted from 0."""

    def __init__(self, calc: Spreadsheet, number: int) -> None:
        self.calc, self.number = calc, number

    def __enter__(self) -> Book:
        return self

    def __exit__(self, *_: object) -> None:
        self.do("close")

    def do(self, what: str, **given: Any) -> Any:
        """One request about this workbook."""
        return self.calc.do(what, book=self.number, **given)

    def write(self, cells: Mapping[str, Any], sheet: int | str = 0) -> None:
        """Numbers, texts, None or formulas by cell; rows of them, or one array formula, by range."""
        self.do("write", cells={place: _native(value) for place, value in cells.items()}, sheet=sheet)

    def read(self, place: str = "", sheet: int | str = 0) -> list[list[Any]]:
        """Rows of numbers, texts and failures."""
        rows = self.do("read", place=place, sheet=sheet)
        return [[Failure(cell["shown"]) if isinstance(cell, dict) else cell for cell in row] for row in rows]

    def cell(self, place: str, sheet: int | str = 0) -> Any:
        """One cell."""
        return self.read(place, sheet)[0][0]

    def formulas(self, place: str = "", sheet: int | str = 0) -> list[list[str]]:
        """What was typed into the cells, in Calc's spelling."""
        return self.do("formulas", place=place, sheet=sheet)

    def evaluate(self, formulas: Sequence[str]) -> list[Any]:
        """What the formulas show, each in a cell of its own, in the last column of the first sheet."""
        place = f"AMJ1:AMJ{len(formulas)}"
        self.write({place: [[formula] for formula in formulas]})
        found = [row[0] for row in self.read(place)]
        self.write({place: None})
        return found

    def table(self, formula: str, rows: int, columns: int) -> list[list[Any]]:
        """What an array formula shows in an area of that size."""
        place = f"AAA1:{_column(702 + columns)}{rows}"
        self.write({place: formula})
        found = self.read(place)
        self.write({place: None})
        return found

    def fill_down(self, place: str, sheet: int | str = 0) -> None:
        """Copy the first row of a range into its other rows, as by dragging."""
        self.do("fill_down", place=place, sheet=sheet)

    def recalculate(self) -> float:
        """Calculate every formula anew; the seconds it took."""
        return self.do("recalculate")

    def sheets(self) -> list[str]:
        """Names of the sheets."""
        return self.do("sheets")

    def save(self, file: Path) -> Path:
        """Write as .pdf, .xlsx or .ods."""
        self.do("save", file=str(file.resolve()))
        return file


def _native(value: Any) -> Any:
    """A formula of an .xlsx file in Calc's spelling; anything else as it is."""
    if isinstance(value, list):
        return [
            [f"'{cell}" if isinstance(cell, str) and cell[:1] not in "'=" else _native(cell) for cell in row] for row in value
        ]
    if not (isinstance(value, str) and value.startswith("=")):
        return value
    depth, parts = 0, []
    for i, part in enumerate(LITERAL.split(value)):
        if i % 2:  # a text, a quoted sheet or an error value
            parts.append(part)
        else:
            for mark in part:
                depth += (mark == "{") - (mark == "}")
                parts.append({",": ";", ";": "|" if depth else ";", "!": "."}.get(mark, mark))
    return "".join(parts)


def _column(number: int) -> str:
    """1 is A, 27 is AA."""
    letters = ""
    while number:
        number, rest = divmod(number - 1, 26)
        letters = chr(65 + rest) + letters
    return letters


def missing() -> str:
    """What LibreOffice lacks to run the tests here, "" where nothing."""
    if shutil.which("soffice", path=PATH) is None:
        return "there is no LibreOffice in /usr/bin"
    done = subprocess.run([PYTHON, "-c", "import uno"], capture_output=True, env={"PATH": PATH}, timeout=60, check=False)
    return f"{PYTHON} cannot import uno" if done.returncode else ""


def needed() -> None:
    """Skip where LibreOffice is missing; fail in CI, which has to install it."""
    lack = missing()
    if lack:
        reason = f"{lack}; run: sudo sh .ci/system-packages"
        pytest.fail(reason) if os.environ.get("CI") else pytest.skip(reason)


def numpy_folders(folder: Path) -> list[str]:
    """Where LibreOffice's Python finds a numpy: nowhere else, or a folder filled now where the versions differ."""
    from numpy import __version__ as version

    ask = [PYTHON, "-c", "import sys; print('%d.%d' % sys.version_info[:2])"]
    theirs = subprocess.run(ask, capture_output=True, text=True, check=True, timeout=60).stdout.strip()
    if theirs == "{}.{}".format(*sys.version_info[:2]):
        return []
    pip = [sys.executable, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--target", str(folder)]
    subprocess.run(
        [*pip, "--python-version", theirs, "--only-binary", ":all:", "--no-deps", f"numpy=={version}"], check=True, timeout=300
    )
    return [str(folder)]

"""`qnsolve addin install | status | uninstall`: the add-in in Excel's folder of what it opens at its start."""

from __future__ import annotations

import argparse
import os
import sys
from pathlib import Path
from typing import Any

from qnsolve.errors import ModelError

from ..commands import needing
from ..replacing import replacing

FILE = "qnsolve.xlam"
START = Path("Microsoft", "Excel", "XLSTART")


def add(actions: Any) -> None:
    """Put the three actions under `qnsolve addin`."""
    place = "folder other than Excel's own XLSTART"
    for name, run, text in (
        ("install", install, "build the add-in for Excel on Windows, with the running Python in it"),
        ("status", status, "print which add-in is installed, and whether it matches the installed versions"),
        ("uninstall", uninstall, "remove the add-in"),
    ):
        command = actions.add_parser(name, help=text)
        command.add_argument("--out", metavar="FOLDER", help=place)
        command.set_defaults(run=needing("excel", run))


def install(options: argparse.Namespace) -> str:
    """Build the add-in and put it in place, whole or not at all."""
    from .build import build

    path = _place(options.out)
    if path.exists():
        _own(path)
    content = build()
    path.parent.mkdir(parents=True, exist_ok=True)
    try:
        with replacing(path) as beside:
            beside.write_bytes(content)
    except PermissionError:
        raise _open(path) from None
    return f"written: {path}\nStart Excel anew and type =QN_VERSION() into a cell."


def status(options: argparse.Namespace) -> str:
    """Where it is, what it was built with, and what is no longer as it was."""
    from .build import SETTINGS, sheet_rows

    path = _place(options.out)
    if not path.exists():
        return f"not installed: {path}"
    found = _own(path)
    was = _settings(found)
    lines = [f"installed: {path}", *[f"{name}: {was[name]}" for name in ("qnsolve", "xlwings", "interpreter")]]
    now = sheet_rows()
    changed = [f"{name} is {value} now" for name, value in _settings(now).items() if was[name] != value and name != "command"]
    if found[len(SETTINGS) :] != now[len(SETTINGS) :]:
        changed.append("the functions or their help have changed")
    if not Path(was["interpreter"]).exists():
        changed.append("its interpreter is gone")
    verdict = "; ".join(changed) + "; run qnsolve addin install" if changed else "nothing: it fits what is installed"
    return "\n".join([*lines, f"to do: {verdict}", f"open in Excel: {'yes' if _is_open(path) else 'no'}"])


def uninstall(options: argparse.Namespace) -> str:
    """Remove our file, and no other."""
    path = _place(options.out)
    if not path.exists():
        return f"not installed: {path}"
    _own(path)
    try:
        path.unlink()
    except PermissionError:
        raise _open(path) from None
    return f"removed: {path}"


def _place(out: str | None) -> Path:
    if out is not None:
        return Path(out) / FILE
    if sys.platform != "win32":
        rule = "is for Excel on Windows only"
        repair = "use qnsolve addin calc (LibreOffice) or qnsolve addin serve (Excel on a Mac or the web), or give --out FOLDER"
        raise ModelError("qnsolve addin", rule, repair)
    return Path(os.environ.get("APPDATA") or Path.home() / "AppData" / "Roaming") / START / FILE


def _own(path: Path) -> list[list[str | int]]:
    """The sheet of our file; an error where it is another's."""
    from . import workbook
    from .build import SETTINGS

    try:
        found = workbook.sheet(path.read_bytes())
        if [row[0] for row in found[: len(SETTINGS)]] != list(SETTINGS) or min(map(len, found[: len(SETTINGS)])) < 2:
            raise ValueError("an add-in of another version of qnsolve")
    except ValueError as error:
        raise ModelError(str(path), f"is {error}", "move it away and run qnsolve addin install") from None
    except PermissionError:
        raise _open(path) from None
    return found


def _settings(rows: list[list[str | int]]) -> dict[str, str]:
    return {str(row[0]): str(row[1]) for row in rows if len(row) == 2}


def _open(path: Path) -> ModelError:
    return ModelError(str(path), "cannot be replaced or removed while a program has it open", "close Excel and try again")


def _is_open(path: Path) -> bool:
    """Whether another program keeps it from being written, as Excel on Windows does."""
    try:
        with path.open("r+b"):
            return False
    except PermissionError:
        return True

"""Which part of the worksheet functions may import which: front ends know the catalogue, never each other.

The planner's page stands on two of them: on the server of one and the sheets of another.
"""

from __future__ import annotations

import ast
import configparser
import subprocess
import sys
from pathlib import Path

from tests import ROOT

FOLDER = ROOT / "excel-addin" / "qnsolve_excel"
FILES = sorted(FOLDER.rglob("*.py"))

ARROWS: dict[str, set[str]] = {
    "cells": set(),
    "deadline": set(),
    "catalogue": {"cells"},
    "arguments": {"catalogue", "cells"},
    "formula": {"cells"},
    "dispatch": {"arguments", "catalogue", "cells", "deadline", "wording"},
    "tables": {"cells"},
    "wording": {"cells"},
    "modelling": {"cells", "deadline", "tables", "wording"},
    "describing": {"cells", "modelling", "tables", "wording"},
    "functions": {"catalogue", "cells", "describing", "dispatch", "modelling", "tables", "wording"},
    "listing": {"catalogue"},
    "workbooks": {"catalogue", "cells", "commands", "deadline", "describing", "dispatch", "modelling", "replacing", "tables"},
    "replacing": set(),
    "calc": {"catalogue", "replacing"},  # and the dispatcher by name, once it is found
    "xlam": {"catalogue", "cells", "commands", "dispatch", "replacing"},
    "officejs": {"catalogue", "cells", "commands", "deadline", "dispatch", "formula", "replacing"},
    "planner": {"officejs", "workbooks"},
    "commands": {"listing"},  # and the front ends by name, when the command is called
    "__init__": {"catalogue", "cells", "dispatch"},
}
HEAVY = {"xlwings", "xlsxwriter", "openpyxl", "olefile", "starlette", "uvicorn", "cryptography", "scipy", "sympy"}


def part(file: Path) -> str:
    """The first folder, or the module."""
    return file.relative_to(FOLDER).with_suffix("").parts[0]


def used(file: Path) -> set[str]:
    """Parts of the package that a file imports."""
    package = ["qnsolve_excel", *file.relative_to(FOLDER).parts[:-1]]
    found = set()
    for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
        if isinstance(node, ast.ImportFrom):
            base = package[: len(package) - node.level + 1] if node.level else []
            names = [*base, *(node.module or "").split(".")] if node.module else base
            if names[:1] == ["qnsolve_excel"]:
                found |= {names[1]} if len(names) > 1 else {alias.name for alias in node.names}
    return found - {part(file)}


def test_the_arrows_are_as_they_are() -> None:
    """No part imports what it may not, and no arrow is there for nothing."""
    found: dict[str, set[str]] = {part(file): set() for file in FILES}
    for file in FILES:
        found[part(file)] |= used(file)
    found = {name: arrows & set(found) for name, arrows in found.items()}
    assert found == ARROWS


def test_the_arrows_make_no_circle() -> None:
    """Following arrows never leads back."""
    left = dict(ARROWS)
    while left:
        bottom = {name for name, arrows in left.items() if not arrows & set(left)}
        assert bottom, f"a circle among {sorted(left)}"
        left = {name: arrows for name, arrows in left.items() if name not in bottom}


def test_folders_of_the_add_in_are_one_topic() -> None:
    """No folder has more than 14 files."""
    folders = [folder for folder in (FOLDER, *FOLDER.rglob("*")) if folder.is_dir()]
    counts = {str(folder): len(list(folder.glob("*.py"))) for folder in folders}
    assert {name: count for name, count in counts.items() if count > 14} == {}


def test_the_solver_knows_no_sheet() -> None:
    """It imports nothing of the add-in but for the command, when that is called."""
    for file in (ROOT / "solver").rglob("*.py"):
        lines = [line for line in file.read_text(encoding="utf-8").splitlines() if "qnsolve_excel" in line]
        assert not lines or file.name == "cli.py", file


def test_every_package_is_installed() -> None:
    """The list of packages has each, so that an installation that is no checkout does; the validation's too."""
    setup = configparser.ConfigParser()
    setup.read(ROOT / "setup.cfg")
    homes = {"qnsolve": ROOT / "solver" / "qnsolve", "qnsolve_excel": FOLDER, "qnsolve_validation": ROOT / "validation"}
    found = {
        ".".join([name, *file.parent.relative_to(home).parts])
        for name, home in homes.items()
        for file in home.rglob("__init__.py")
    }
    assert found == set(setup["options"]["packages"].split())


def test_calls_load_nothing_heavy() -> None:
    """The functions need numpy alone: LibreOffice's Python has no more."""
    code = (
        "import qnsolve_excel as q; q.call('SOLVE', [[['name'], ['cpu']], [['name', 'arrival_rate', 'cpu'], ['w', 8, 0.04]]])"
    )
    code += "; import sys; print(*{name.split('.')[0] for name in sys.modules})"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, timeout=60)
    assert not set(done.stdout.split()) & HEAVY

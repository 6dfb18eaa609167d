"""Fixtures of several files."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator

import pytest

from tests.support import spreadsheet

os.environ["QNSOLVE_SECONDS"] = "600"  # the limit of a worksheet cell: a busy machine must not meet it


@pytest.fixture(scope="session")
def calc(tmp_path_factory: pytest.TempPathFactory) -> Iterator[spreadsheet.Spreadsheet]:
    """A running LibreOffice Calc with our functions; see spreadsheet.py for its use."""
    spreadsheet.needed()
    from qnsolve_excel.calc import write

    folder = tmp_path_factory.mktemp("calc")
    extension = write(folder / "qnsolve.oxt")
    numpy = spreadsheet.numpy_folders(folder / "numpy")
    environment = {"QNSOLVE_PYTHONPATH": numpy[0]} if numpy else {}
    with spreadsheet.Spreadsheet(folder, [extension], environment) as running:
        yield running


@pytest.fixture(scope="session")
def solve_once() -> Callable[..., object]:
    """In place of System.solve: a system whose text was solved in this session is not solved again."""
    import qnsolve as qn
    from qnsolve import zos

    solve, solved = zos.System.solve, {}

    def once(system: zos.System) -> object:
        text = qn.dumps(system)
        if text not in solved:
            solved[text] = solve(system)
        return solved[text]

    return once


@pytest.fixture(scope="session")
def studies(solve_once: Callable[..., object]) -> dict[str, object]:
    """Every case of the validation suite by its name, run once a session."""
    from qnsolve import zos
    from qnsolve_validation import runner

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(zos.System, "solve", solve_once)
        return {case.name: case.study() for case in runner.all_cases()}

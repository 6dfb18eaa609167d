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
    """In place of Study.solve_system: a system whose text was solved in this session is not solved again."""
    import qnsolve as qn
    from qnsolve import zos
    from qnsolve_validation.case import Study

    solve, solved = Study.solve_system, {}

    def once(study: Study, label: str, system: zos.System) -> object:
        text = study.queues, qn.dumps(system)
        if text in solved:
            result, network = solved[text]
            study.models.append((label, network))
            study.last = result if study.queues else None
        else:
            result = solve(study, label, system)
            solved[text] = result, study.models[-1][1]
        return result

    return once


@pytest.fixture(scope="session")
def studies(solve_once: Callable[..., object]) -> dict[str, object]:
    """Every case of the validation suite by its name, run once a session."""
    from qnsolve_validation import runner
    from qnsolve_validation.case import Study

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Study, "solve_system", solve_once)
        return {case.name: case.study() for case in runner.all_cases()}

"""Fixtures of several files."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
import spreadsheet


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
def studies() -> dict[str, object]:
    """Every case of the validation suite by its name, run once a session on all cores."""
    import qnsolve_validation

    return {study.case.name: study for study in qnsolve_validation.studies()}

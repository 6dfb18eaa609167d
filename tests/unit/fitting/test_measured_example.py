"""The walk of examples/measured: its five commands run, and the fit finds the site that wrote the measurements."""

from __future__ import annotations

import csv
import importlib.util
import shlex
import shutil
from pathlib import Path

import numpy as np
import pytest
import qnsolve as qn
from qnsolve.cli.main import main

from tests import ROOT

FOLDER = ROOT / "examples" / "measured"
TRUTH = {
    "PROD.fixed_cpu": 0.15,
    "ORDERS.qr_cpu": 0.0006,
    "ORDERS.open_cpu": 0.0035,
    "ORDERS.delay": 0.010,
    "REPORTS.qr_cpu": 0.004,
    "REPORTS.open_cpu": 0.020,
    "REPORTS.delay": 0.150,
}


def commands() -> list[list[str]]:
    """Those of the README."""
    block = (FOLDER / "README.md").read_text(encoding="utf-8").split("```sh\n")[1].split("```")[0]
    return [shlex.split(line)[1:] for line in block.splitlines()]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A copy, in which files are written."""
    found = tmp_path_factory.mktemp("measured")
    for name in ("rmf.csv", "cics.csv", "sketch.toml"):
        shutil.copy(FOLDER / name, found)
    return found


def test_the_five_commands_run(folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    """Each ends well; what they print is what the README says."""
    monkeypatch.chdir(folder)
    said = []
    for command in commands():
        assert main(command) == 0
        printed = capsys.readouterr()
        assert printed.err == ""
        said.append(printed.out)
    assert [command[0] for command in commands()] == ["data", "check", "fit", "solve", "day"]
    assert said[0].startswith("336 intervals of 1800 s")
    assert said[1].count("nothing found") == 2
    assert "19 of 20 answers lie within" in said[3]
    assert "Holds until 2026-12-16" in said[4]
    known = qn.fitted_of("site.toml")
    assert known is not None
    assert dict(zip(known.figures, known.values, strict=True)).keys() == TRUTH.keys()
    for name, low, high in zip(known.figures, known.lowest, known.highest, strict=True):
        half = (high - low) / 2
        assert low - half < TRUTH[name] < high + half, name  # twice the interval of 19 of 20: a fault, not bad luck
        assert half < 0.03 * TRUTH[name]
    assert known.errors is not None
    assert max(known.errors.values()) < 0.02
    truth = qn.load(FOLDER / "simulated.toml").replace("ORDERS", rate=330).replace("REPORTS", rate=10)
    found = qn.load("site.toml").replace("ORDERS", rate=330).replace("REPORTS", rate=10)
    for name in ("ORDERS", "REPORTS"):
        assert found.solve()[name].response_time == pytest.approx(truth.solve()[name].response_time, rel=0.02)


def test_the_page_of_the_fit_agrees_with_that_of_the_day() -> None:
    """Utilizations of LPAR and region are compared in both, and the load that ends the use is the same."""
    every = qn.measure.join([qn.measure.read(FOLDER / name) for name in ("rmf.csv", "cics.csv")])
    table = every.rows_where(np.arange(len(every)) % 7 == 0)  # each half hour of a day once
    used = np.arange(len(table)) < 0.75 * len(table)
    fit = qn.fit(table, FOLDER / "sketch.toml", held_out=~used)
    of_fit, of_day = qn.measured_beside_modelled(fit, table, used), qn.measured_beside_modelled(fit.model, table, used)
    assert {"PROD.busy", "AOR1.busy"} < {each.title for each in of_fit.errors}
    assert of_fit.usability.factor == pytest.approx(of_day.usability.factor)
    assert "e+" not in of_fit.usability.sentence


def test_the_export_is_what_its_script_writes() -> None:
    """The files in the folder come from the script beside them."""
    spec = importlib.util.spec_from_file_location("export", FOLDER / "export.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    for name, rows in zip(("rmf.csv", "cics.csv"), module.intervals(), strict=True):
        with (FOLDER / name).open(newline="", encoding="utf-8") as file:
            stored = list(csv.DictReader(file))
        assert len(stored) == len(rows) == 336
        for there, here in zip(stored, rows, strict=True):
            for key, value in here.items():
                if isinstance(value, float):
                    assert float(there[key]) == pytest.approx(value, rel=1e-3)
                else:
                    assert there[key] == str(value)

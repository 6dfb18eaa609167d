"""The benchmark command, run once in its short form: right numbers for every model and every target."""

import json
import subprocess
import sys

import pytest

from benchmarks.peers import models
from benchmarks.timing import sweeps, targets
from tests import ROOT

pytestmark = pytest.mark.slow
MODELS = models.load()[1]


def test_a_quick_run_ends_well(tmp_path):
    """The command exits with 0; every model, every error and every target is in its output, and right."""
    file = tmp_path / "figures.json"
    command = [sys.executable, "-m", "benchmarks", "--quick", "--json", str(file)]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False, timeout=600)
    assert done.returncode == 0, done.stdout[-2000:] + done.stderr
    figures = json.loads(file.read_text(encoding="utf-8"))
    _names_every_model(done.stdout, figures)
    _every_error_is_below_a_billionth(figures)
    _every_target_has_the_right_number(done.stdout, figures)


def _names_every_model(printed, figures):
    """Every model has rows of qnsolve and of the plain implementation."""
    assert "0 wrong numbers" in printed
    for name in MODELS:
        solvers = {row["solver"] for row in figures["rows"] if row["model"] == name}
        assert {"qnsolve solve()", "plain Python"} <= solvers, name


def _every_error_is_below_a_billionth(figures):
    """No figure of qnsolve is off by 1e-9 or more where there is a reference."""
    own = [row for row in figures["rows"] if row["solver"].startswith("qnsolve")]
    errors = [row[key] for row in own for key in ("error_x", "error_q") if row[key] is not None]
    assert len(errors) == 4 * sum(not model.is_large for model in MODELS.values()) + 2  # and the mixed model
    assert max(errors) < 1e-9


def _every_target_has_the_right_number(printed, figures):
    """The table of targets holds each target, and none of them is wrong, whatever the times."""
    names = [target["model"] for target in figures["targets"]]
    assert names[:6] == [*targets.KNOWN, *targets.AGAINST_REFERENCE]
    assert names[6:11] == ["e_20x50", *(f"{models:,} models, {name}" for name, (_, models, *_) in sweeps.CASES.items())]
    assert [name.split(",")[0].split(" 1e-9")[0] for name in names[11:]] == [
        "c_million_4",
        "import qnsolve",
        "D",
        "Calc",
        "Calc",
        "Excel",
        "Excel",
        "server",
    ]
    assert all(target["right"] for target in figures["targets"])
    assert all(name in printed for name in names)

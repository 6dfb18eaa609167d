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


@pytest.fixture(scope="module")
def quick_run(tmp_path_factory):
    """One run of `python -m benchmarks --quick`: what it printed, and its figures."""
    file = tmp_path_factory.mktemp("bench") / "figures.json"
    command = [sys.executable, "-m", "benchmarks", "--quick", "--json", str(file)]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False, timeout=600)
    assert done.returncode == 0, done.stdout[-2000:] + done.stderr
    return done.stdout, json.loads(file.read_text(encoding="utf-8"))


def test_a_quick_run_ends_well_and_names_every_model(quick_run):
    """The command exits with 0, and every model has rows of qnsolve and of the plain implementation."""
    printed, figures = quick_run
    assert "0 wrong numbers" in printed
    for name in MODELS:
        solvers = {row["solver"] for row in figures["rows"] if row["model"] == name}
        assert {"qnsolve solve()", "plain Python"} <= solvers


def test_every_error_of_qnsolve_is_below_a_billionth(quick_run):
    """No figure of qnsolve is off by 1e-9 or more where there is a reference."""
    _, figures = quick_run
    own = [row for row in figures["rows"] if row["solver"].startswith("qnsolve")]
    errors = [row[key] for row in own for key in ("error_x", "error_q") if row[key] is not None]
    assert len(errors) == 4 * sum(not model.is_large for model in MODELS.values()) + 2  # and the mixed model
    assert max(errors) < 1e-9


def test_every_target_has_a_row_and_the_right_number(quick_run):
    """The table of targets holds each target, and none of them is wrong, whatever the times."""
    printed, figures = quick_run
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

"""What an approximate answer says of its error: by the use of its busiest part, and kept on models not tuned on."""

from __future__ import annotations

import shutil
from pathlib import Path

import numpy as np
import pytest
import qnsolve as qn
from qnsolve.methods.measured_errors import RANGES, busiest, error_by_use

from benchmarks import accuracy_by_use
from benchmarks.families import shared_limit_families


def test_an_answer_says_how_good_it_is_where_it_is() -> None:
    """The note has the range of use of the model, and no bound that is none."""
    model = qn.Network(
        [qn.Delay("db")],
        [qn.OpenClass(n, arrival_rate=r, demands={"db": d}) for n, r, d in (("short", 500.0, 0.005), ("long", 55.0, 0.12))],
        [qn.AdmissionLimit(10, name="MXT")],
    )
    found = qn.solve(model, "limits")
    assert busiest(found) == pytest.approx(0.91)
    assert "90 to 97 % busy, as here, 95 % of them are within" in found.notes[-1]
    assert "at most" not in found.notes[-1]
    assert error_by_use("limits", 0.91) in found.notes[-1]
    assert error_by_use("open", 0.91) == ""


def test_ranges_meet() -> None:
    """Every use from 0 to full is in one range."""
    assert [low for low, _ in RANGES] == [0.0, *(high for _, high in RANGES[:-1])]
    assert RANGES[-1][1] > 1


def test_unlike_times_at_one_limit() -> None:
    """Classes of 5 and 120 ms behind a limit of 10: within 1 % of the wait in M/H2/10."""
    rates, times = np.array([500.0, 55.0]), np.array([0.005, 0.12])
    classes = [
        qn.OpenClass(n, arrival_rate=float(r), demands={"db": float(t)}) for n, r, t in zip("ab", rates, times, strict=True)
    ]
    found = qn.solve(qn.Network([qn.Delay("db")], classes, [qn.AdmissionLimit(10)]), "limits")
    assert found["a"].admission_wait == pytest.approx(0.0648822, rel=1e-4)  # block elimination of the exact chain


@pytest.mark.parametrize("family", shared_limit_families.FAMILIES)
def test_models_not_used_for_the_table(family: str) -> None:
    """Eight models of the salt that judges the table: 10 % in the mean, no response time beyond 40 %."""
    known = [row for row in accuracy_by_use.stored(1) if row["family"] == family][:8]
    errors = []
    for model, row in zip(accuracy_by_use.models(family, 1, len(known)), known, strict=True):
        found = qn.solve(model, "limits")
        truth, half = ([float(v) for v in row[key].split("/")] for key in ("response", "half_width"))
        sure = zip(found.classes, truth, half, strict=True)
        errors += [abs(c.response_time / t - 1) for c, t, h in sure if h < accuracy_by_use.SURE]
    assert np.mean(errors) < 0.1
    assert max(errors) < 0.4


@pytest.mark.slow
def test_nine_of_ten_are_within_what_is_said() -> None:
    """On all models of that salt at least 90 % of the response times are within the statement for their use."""
    rows = {(row["method"], float(row["low"])): float(row["response_p95"]) for row in accuracy_by_use.published()}
    within = []
    for method, _, busy, errors in accuracy_by_use.shared_limits(1):
        low = next(low for low, high in RANGES if low <= busy < high)
        within += [error <= np.ceil(100 * rows[method, low]) / 100 for error in errors]
    assert np.mean(within) > 0.9


@pytest.mark.slow
@pytest.mark.skipif(shutil.which("cc") is None, reason="no C compiler")
def test_a_stored_reference_is_found_again(tmp_path: Path) -> None:
    """The simulator gives the figures stored, and the wait of M/M/c."""
    program = accuracy_by_use.compiled(tmp_path)
    row = accuracy_by_use.stored(0)[0]
    model = next(accuracy_by_use.models(row["family"], 0, 1))
    found = accuracy_by_use.simulated(model, int(row["model"]), program)
    assert "/".join(f"{mean:.5g}" for mean, _ in found) == row["response"]
    queue = qn.Network([qn.Delay("d")], [qn.OpenClass("a", arrival_rate=3.4, demands={"d": 1.0})], [qn.AdmissionLimit(4)])
    (mean, half), *_ = accuracy_by_use.simulated(queue, 1, program)
    assert mean == pytest.approx(qn.solve(queue)["a"].response_time, rel=2 * half)

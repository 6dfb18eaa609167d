"""`qn.fit` on sets that others measured: one call, no sketch, no setting; judged on rows that it has not seen."""

from __future__ import annotations

import csv

import numpy as np
import pytest
import qnsolve as qn

from tests import ROOT

FOLDER = ROOT / "validation" / "measured"
# keys of a ladder, its load, rate and response [ms], and the highest load of the fitted rows (None: the lower half)
SETS = {
    "egli_one_mw.csv": (("workload", "worker_threads"), "clients", "throughput_per_s", "response_ms", None),
    "egli_one_mw_3clients.csv": (("workload", "worker_threads"), "clients", "throughput_per_s", "response_ms", None),
    "egli_two_mw_3clients.csv": (("workload", "worker_threads"), "clients", "throughput_per_s", "response_ms", None),
    "egli_writes_full.csv": (("workload", "worker_threads"), "clients", "throughput_per_s", "response_ms", None),
    "techempower_r6_fortune_i7.csv": (("framework",), "connections", "throughput_per_s_at_15s", "response_avg_ms", 32),
}
GOALS = {"egli": (0.035, 0.035), "techempower": (0.015, 0.08)}  # median errors of rate and response


def _errors(name: str) -> tuple[list[float], list[float]]:
    keys, load, rate, response, highest = SETS[name]
    with (FOLDER / name).open(encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    of_rate: list[float] = []
    of_response: list[float] = []
    for key in sorted({tuple(row[k] for k in keys) for row in rows}):
        own = [row for row in rows if tuple(row[k] for k in keys) == key]
        users = np.array([float(row[load]) for row in own])
        columns = {"c.users": users, "c.rate": np.array([float(row[rate]) for row in own])}
        columns["c.response_time"] = np.array([float(row[response]) / 1e3 for row in own])
        distinct = np.unique(users)
        held = users > (distinct[: max(3, (len(distinct) + 1) // 2)][-1] if highest is None else highest)
        if not held.any():
            continue
        table = qn.measure.table(columns)
        found = qn.fit(table, held_out=held).predict(table.rows_where(held))
        of_rate += np.abs(found["c.rate"] / columns["c.rate"][held] - 1).tolist()
        of_response += np.abs(found["c.response_time"] / columns["c.response_time"][held] - 1).tolist()
    return of_rate, of_response


@pytest.mark.parametrize("family", GOALS)
def test_rows_left_out_are_predicted(family: str) -> None:
    """Median errors of rates and responses."""
    parts = [_errors(name) for name in SETS if name.startswith(family)]
    rates, responses = ([error for part in parts for error in part[i]] for i in range(2))
    assert len(rates) > 25
    assert np.median(rates) <= GOALS[family][0]
    assert np.median(responses) <= GOALS[family][1]

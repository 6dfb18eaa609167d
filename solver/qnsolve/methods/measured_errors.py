"""The published errors of the approximate methods, measured against exact answers and simulations."""

from __future__ import annotations

import csv
import math
from functools import cache
from importlib import resources

from qnsolve.results.solution import Solution

RANGES = ((0.0, 0.6), (0.6, 0.8), (0.8, 0.9), (0.9, 0.97), (0.97, 1.01))  # of the busiest part


@cache
def _table() -> list[dict[str, str]]:
    text = resources.files(__package__).joinpath("measured_errors.csv").read_text(encoding="utf-8")
    return list(csv.DictReader(text.splitlines()))


@cache
def _by_use() -> list[dict[str, str]]:
    text = resources.files(__package__).joinpath("errors_by_use.csv").read_text(encoding="utf-8")
    return list(csv.DictReader(text.splitlines()))


def busiest(solution: Solution) -> float:
    """Use of the busiest station, or of the fullest limit, of an answer [0..1]."""
    stations = [s.utilization for s in solution.stations if not math.isnan(s.utilization)]
    limits = [limit.number_inside / limit.capacity for limit in solution.limits]
    return max([0.0, *stations, *limits])


def error_by_use(method: str, busy: float) -> str:
    """What was measured where the busiest part is as busy as here; "" where nothing was."""
    for row in _by_use():
        if row["method"] == method and float(row["low"]) <= busy < float(row["high"]):
            least, most = 100 * float(row["low"]), min(100.0, 100 * float(row["high"]))
            within = math.ceil(100 * float(row["response_p95"]))
            return f"where the busiest part is {least:.0f} to {most:.0f} % busy, as here, 95 % of them are within {within} %"
    return ""


@cache
def measured_error(method: str) -> str:
    """One sentence with the measured error of an approximate method; "" where none is published.

    Examples
    --------
    >>> measured_error("open")
    ''
    """
    rows = [row for row in _table() if row["method"] == method]
    if not rows:
        return ""
    models = sum(int(row["models"]) for row in rows)
    mean = sum(float(row["response_mean"]) * int(row["models"]) for row in rows) / models
    worst = max(rows, key=lambda row: float(row["response_max"]))
    beside = "simulated models" if method in ("qna", "fcfs") else "models with exact answers"
    return (
        f"response time {100 * mean:.1f} % off in the mean and {100 * float(worst['response_max']):.0f} % in the worst case, "
        f"on {models} {beside} (worst family: {worst['family']})"
    )

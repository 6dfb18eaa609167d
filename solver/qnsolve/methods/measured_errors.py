"""The published errors of the approximate methods, measured against exact answers."""

from __future__ import annotations

import csv
from functools import cache
from importlib import resources


@cache
def _table() -> list[dict[str, str]]:
    text = resources.files(__package__).joinpath("measured_errors.csv").read_text(encoding="utf-8")
    return list(csv.DictReader(text.splitlines()))


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
        f"response time {100 * mean:.1f} % off in the mean and {100 * float(worst['response_max']):.0f} % at most, "
        f"on {models} {beside} (worst family: {worst['family']})"
    )

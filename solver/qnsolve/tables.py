"""The tables that the package carries: CSV files beside its modules."""

from __future__ import annotations

import csv
from pathlib import Path


def table(name: str) -> list[dict[str, str]]:
    """The rows of a table by their headings.

    Examples
    --------
    >>> table("terms")[0]["name"]
    'servers'
    """
    text = Path(__file__).with_name(f"{name}.csv").read_text(encoding="utf-8")
    return list(csv.DictReader(text.splitlines()))

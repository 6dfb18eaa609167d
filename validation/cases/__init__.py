"""Every case, a module for the tables of one topic."""

from __future__ import annotations

import importlib
import pkgutil
from functools import cache

from ..case import Case


@cache
def all_cases() -> tuple[Case, ...]:
    """Every case, by document and table."""
    found: list[Case] = []
    for module in pkgutil.walk_packages(__path__, f"{__name__}."):
        if not module.ispkg:
            found += importlib.import_module(module.name).CASES
    return tuple(sorted(found, key=_order))


def _order(case: Case) -> tuple[str, list[int], str]:
    return case.source, [int(part) if part.isdigit() else 999 for part in case.name.split("-")], case.name

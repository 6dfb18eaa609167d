"""Run the cases."""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Iterable

import qnsolve as qn

from . import cases
from .case import Case, Study


def all_cases() -> list[Case]:
    """Every case, by document and table."""
    found: list[Case] = []
    for module in pkgutil.iter_modules(cases.__path__):
        found += importlib.import_module(f"{cases.__name__}.{module.name}").CASES
    return sorted(
        found, key=lambda case: (case.source, [int(p) if p.isdigit() else 0 for p in case.name.split("-")], case.name)
    )


def studies(names: Iterable[str] | None = None) -> list[Study]:
    """Run all cases, or those named."""
    known = {case.name: case for case in all_cases()}
    chosen = list(names or known)
    for name in chosen:
        if name not in known:
            repair = "take the name from that list"
            raise qn.ModelError("case", "must be one of " + ", ".join(known), repair, name)
    return [known[name].study() for name in chosen]

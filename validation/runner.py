"""Find the cases, and run them on all cores."""

from __future__ import annotations

import importlib
import os
import pkgutil
from collections.abc import Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from functools import cache
from multiprocessing import get_context
from typing import TextIO

import qnsolve as qn

from . import cases
from .case import Case, Study
from .published.tables import documents

SLOWEST = ("cics-perf-jvm-threads", "cics-perf-9-20", "cics-perf-9-16")  # these start first
FEW = 8  # cases that do not repay other processes
WIDE = 30  # characters of the bar


@cache
def all_cases() -> tuple[Case, ...]:
    """Every case, by document and table."""
    found: list[Case] = []
    for module in pkgutil.walk_packages(cases.__path__, f"{cases.__name__}."):
        if not module.ispkg:
            found += importlib.import_module(module.name).CASES
    return tuple(
        sorted(found, key=lambda case: (case.source, [int(p) if p.isdigit() else 999 for p in case.name.split("-")], case.name))
    )


def chosen(names: Sequence[str] | None = None, document: str | None = None) -> list[Case]:
    """The cases that are named, or those of a document, or all."""
    if document is not None and document not in documents():
        raise qn.ModelError("document", "must be one of " + ", ".join(documents()), "take one of them", document)
    known = {case.name: case for case in all_cases() if document in (None, case.source)}
    for name in names or ():
        if name not in known:
            of = f" of {document}" if document else ""
            raise qn.ModelError("case", f"must be a case{of}", qn.errors.nearest(name, known), name)
    return [known[name] for name in names or known]


def studies(names: Sequence[str] | None = None, document: str | None = None, *, progress: TextIO | None = None) -> list[Study]:
    """Run cases: all, those named, or those of a document; `progress` takes a bar where it is a terminal."""
    wanted = chosen(names, document)
    bar = _Bar(len(wanted), progress)
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    if cores == 1 or len(wanted) <= FEW:
        return [bar.after(case.study()) for case in wanted]
    order = sorted((case.name for case in wanted), key=lambda name: name not in SLOWEST)
    # a fresh interpreter each: a fork would copy the threads of this one
    with ProcessPoolExecutor(min(cores, len(wanted)), mp_context=get_context("spawn")) as pool:
        running = [pool.submit(_study, name) for name in order]
        done = {study.case.name: study for study in (bar.after(each.result()) for each in as_completed(running))}
    return [done[case.name] for case in wanted]


def _study(name: str) -> Study:
    return next(case for case in all_cases() if case.name == name).study()


class _Bar:
    """A bar on a terminal; nothing elsewhere."""

    def __init__(self, total: int, stream: TextIO | None) -> None:
        self.total, self.done = total, 0
        self.stream = stream if stream is not None and stream.isatty() else None

    def after(self, study: Study) -> Study:
        """One more is done."""
        self.done += 1
        if self.stream:
            full = WIDE * self.done // self.total
            end = "\n" if self.done == self.total else ""
            line = f"\r[{'#' * full}{'.' * (WIDE - full)}] {self.done}/{self.total} {study.case.name:<24}{end}"
            self.stream.write(line)
            self.stream.flush()
        return study

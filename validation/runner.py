"""Run the cases on all cores, and leave no process behind."""

from __future__ import annotations

import multiprocessing
import os
import signal
import threading
import time
from collections.abc import Callable, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from concurrent.futures.process import BrokenProcessPool
from typing import TextIO

import qnsolve as qn
from qnsolve.cli.terminal import QUIET

from .case import Case, Study
from .cases import all_cases
from .published.published_tables import documents

SLOWEST = ("mq-otma-bridge", "cics-perf-jvm-threads", "cics-perf-9-20", "cics-perf-9-16")  # these start first
FEW = 8  # cases that are done before other processes have started
WIDE = 30  # characters of the bar
Draw = Callable[[Study], str]


class LostWorkerError(qn.errors.QnsolveError):
    """A worker process ended before it had run its case."""

    exit_code = 4


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


def studies(
    names: Sequence[str] | None = None,
    document: str | None = None,
    *,
    progress: TextIO | None = None,
    draw: Draw | None = None,
) -> list[Study]:
    """Run cases.

    Parameters
    ----------
    names : sequence of str, optional
        Only these cases.
    document : str, optional
        Only the cases of this document.
    progress : text stream, optional
        Shows a bar where it is a terminal.
    draw : callable, optional
        Draws the picture of each case.
    """
    wanted = chosen(names, document)
    bar = _Bar(len(wanted), progress)
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    if cores == 1 or len(wanted) <= FEW:
        return [bar.after(_study(case, draw)) for case in wanted]
    order = sorted((case.name for case in wanted), key=lambda name: name not in SLOWEST)
    done: dict[str, Study] = {}
    # a fresh interpreter each: a fork would copy the threads of this one
    context = multiprocessing.get_context("spawn")
    pool = ProcessPoolExecutor(min(cores, len(wanted)), mp_context=context, initializer=_follow_parent)
    others = set(multiprocessing.active_children())
    try:
        for each in as_completed([pool.submit(_named_study, name, draw) for name in order]):
            study = bar.after(each.result())
            done[study.case.name] = study
    except BrokenProcessPool as error:
        raise LostWorkerError("validate: a worker process ended before its case; see whether memory is short") from error
    except BaseException:  # an interrupt too: what the workers do is no longer wanted
        for worker in set(multiprocessing.active_children()) - others:
            worker.terminate()
        raise
    finally:
        pool.shutdown(cancel_futures=True)
    return [done[case.name] for case in wanted]


def _follow_parent() -> None:
    """End this worker with its parent, however that ends; an interrupt is the parent's to answer."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    parent = multiprocessing.parent_process()

    def watch() -> None:
        if parent is not None:
            parent.join()
            os._exit(1)

    threading.Thread(target=watch, daemon=True).start()


def _named_study(name: str, draw: Draw | None) -> Study:
    return _study(next(case for case in all_cases() if case.name == name), draw)


def _study(case: Case, draw: Draw | None) -> Study:
    study = case.study()
    if draw is not None:
        study.picture = draw(study)
    return study


class _Bar:
    """A bar on a terminal, after a while, wiped out in the end; nothing elsewhere."""

    def __init__(self, total: int, stream: TextIO | None) -> None:
        self.total, self.done = total, 0
        self.stream = stream if stream is not None and stream.isatty() else None
        self.width, self.begin = 0, time.monotonic()

    def after(self, study: Study) -> Study:
        """One more is done."""
        self.done += 1
        if self.stream and time.monotonic() - self.begin >= QUIET:
            full = WIDE * self.done // self.total
            line = f"[{'#' * full}{'.' * (WIDE - full)}] {self.done}/{self.total} {study.case.name}"
            self.stream.write("\r" + line.ljust(self.width))
            self.width = len(line)
            if self.done == self.total:  # wiped out
                self.stream.write("\r" + " " * self.width + "\r")
            self.stream.flush()
        return study

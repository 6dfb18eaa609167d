"""Run many points: here or on an executor, each once, whatever ends in between."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, BrokenExecutor, Future, wait
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass
from typing import Any, Generic, Protocol, TypeVar

from qnsolve.errors import QnsolveError

from .journal import Journal

AHEAD = 256  # points that an executor is given at once: it is never idle, and little is in hand when a run stops

Made = TypeVar("Made")
Progress = Callable[[int, int], None]


class Executor(Protocol):
    """A pool of `concurrent.futures`, or any object that maps a function over points, in order."""

    def map(self, function: Callable[[Any], Any], points: Any, /) -> Iterable[Any]:
        """The results of the function at each point, in order."""


class WorkerLostError(QnsolveError):
    """A worker of the executor ended; the finished points are in the journal, where there is one."""

    exit_code = 4


@dataclass(frozen=True)
class Outcome(Generic[Made]):
    """What one point gave.

    Attributes
    ----------
    figures : dict
        Numbers, texts and lists: what a journal keeps.
    made : object or None
        The whole answer, where it was made in this run.
    """

    figures: dict[str, Any]
    made: Made | None = None


def run_points(
    work: Callable[[Any], Outcome[Made]],
    points: Sequence[Any],
    *,
    executor: Executor | None = None,
    journal: Journal | None = None,
    progress: Progress | None = None,
    first: int = 0,
) -> list[Outcome[Made]]:
    """The outcome of each point, in their order.

    Parameters
    ----------
    work : callable
        Of one point; on other processes it must be importable there.
    points : sequence, length P
    executor : Executor, optional
        A pool of threads or processes; other machines by `distributed.Client(...).get_executor()`.
    journal : Journal, optional
        Open; points that it has are not run again, others are added to it as they finish.
    progress : callable, optional
        Gets the number of finished points and P, after each.
    first : int, default 0
        Points of the run before these, which both numbers count.

    Raises
    ------
    WorkerLostError
        Where a process of a pool was killed.
    """
    found: dict[int, Outcome[Made]] = {}
    if journal is not None:
        found = {i: Outcome(journal.done[first + i]) for i in range(len(points)) if first + i in journal.done}
    left = [i for i in range(len(points)) if i not in found]
    if progress is not None and found:
        progress(first + len(found), first + len(points))
    for i, outcome in _finished(work, points, left, executor):
        if journal is not None:
            journal.add(first + i, outcome.figures)
        found[i] = outcome
        if progress is not None:
            progress(first + len(found), first + len(points))
    return [found[i] for i in range(len(points))]


class LongRun:
    """A run whose points come in batches, each of which may depend on those before; they are numbered through.

    Parameters
    ----------
    executor : Executor, optional
    journal : Journal, optional
        Open.
    progress : callable, optional
    """

    def __init__(
        self, executor: Executor | None = None, journal: Journal | None = None, progress: Progress | None = None
    ) -> None:
        self.executor, self.journal, self.progress = executor, journal, progress
        self.count = 0

    def points(self, work: Callable[[Any], Outcome[Made]], points: Sequence[Any]) -> list[Outcome[Made]]:
        """The outcome of each point of the next batch, in their order."""
        first, self.count = self.count, self.count + len(points)
        more = {"executor": self.executor, "journal": self.journal, "progress": self.progress}
        return run_points(work, points, first=first, **more)  # type: ignore[arg-type]

    def end(self) -> None:
        """What is solved from here on, is solved here and not written down."""
        self.executor = self.journal = self.progress = None


@contextmanager
def long_run(
    run: object, executor: Executor | None, journal: str | os.PathLike[str] | None, progress: Progress | None
) -> Iterator[LongRun]:
    """A run with its journal open, where it has one; `run` is what makes it what it is, as `Journal` takes it."""
    with Journal(journal, run) if journal is not None else nullcontext() as kept:
        found = LongRun(executor, kept, progress)
        try:
            yield found
        finally:
            found.end()


def _finished(
    work: Callable[[Any], Outcome[Made]], points: Sequence[Any], left: Sequence[int], executor: Executor | None
) -> Iterator[tuple[int, Outcome[Made]]]:
    """Points as they finish."""
    if executor is None:
        for i in left:
            yield i, work(points[i])
        return
    submit = getattr(executor, "submit", None)
    if submit is None:
        yield from zip(left, executor.map(work, [points[i] for i in left]), strict=True)
        return
    waiting = iter(left)
    running: dict[Future[Outcome[Made]], int] = {}
    try:
        while True:
            for i in waiting:
                running[submit(work, points[i])] = i
                if len(running) >= AHEAD:
                    break
            if not running:
                return
            for future in wait(running, return_when=FIRST_COMPLETED).done:
                yield running.pop(future), future.result()
    except BrokenExecutor:
        repair = "run again, with the same journal to keep what is finished"
        raise WorkerLostError(f"a worker ended before its point did, as where memory is full; {repair}") from None
    finally:
        for future in running:
            future.cancel()

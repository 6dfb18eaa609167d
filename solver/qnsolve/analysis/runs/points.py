"""Run many points: here or on an executor, each once, whatever ends in between."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, BrokenExecutor, Future, wait
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

    Raises
    ------
    WorkerLostError
        Where a process of a pool was killed.
    """
    found: dict[int, Outcome[Made]] = {}
    if journal is not None:
        found = {i: Outcome(figures) for i, figures in journal.done.items() if 0 <= i < len(points)}
    left = [i for i in range(len(points)) if i not in found]
    if progress is not None and found:
        progress(len(found), len(points))
    for i, outcome in _finished(work, points, left, executor):
        if journal is not None:
            journal.add(i, outcome.figures)
        found[i] = outcome
        if progress is not None:
            progress(len(found), len(points))
    return [found[i] for i in range(len(points))]


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

"""A run of the event loop: its rows of numbers, made, filled and lengthened."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from math import inf
from typing import Any

import numpy as np

from qnsolve.numerics.series import Array

from .compiling import COMPILES, Cells, real_cells, whole_cells
from .counted_batches import Counts
from .event_loop import integrate, run
from .event_rows import (
    EVENTS,
    FINISHED,
    FREE,
    GROW,
    INSIDE,
    LEFT_FREE,
    NEXT_EXPONENTIAL,
    NEXT_UNIFORM,
    PLANNED,
    READY_FIRST,
    READY_LAST,
    REFILL,
    STUCK,
    WHOLES,
    LoopState,
    Programs,
)
from .heaps import schedule

DRAWN = 1 << 16  # random numbers that are drawn together
EVENTS_AT_ONCE = 1 << 18  # an interrupt is seen between two stretches
MOST_JOBS = 4_000_000  # in the system at once


@dataclass(frozen=True, eq=False)
class Totals(Counts):
    """What has been counted since a run began; or in each of its batches, with an axis more at the front.

    Attributes
    ----------
    time : ndarray ()
        [s]
    arrived, done, response : ndarray (A,)
        Jobs by source, and their times in the system added up [s].
    busy : ndarray (Q,)
        Engines at work for each queue, integrated over time [s].
    held, line : ndarray (P,)
        Places that are held and jobs that wait for one, integrated over time [s].
    asked, delayed : ndarray (P,)
        Requests for a place, and those that waited.
    task_done, task_time : ndarray (T,)
        Tasks that ended, and the time that they took, waiting included [s].
    """

    time: Array
    arrived: Array
    done: Array
    response: Array
    busy: Array
    held: Array
    line: Array
    asked: Array
    delayed: Array
    task_done: Array
    task_time: Array


class EventRun:
    """Programs that run, from an empty system in which all users think."""

    def __init__(self, programs: Programs, seed: int, jobs: int = 1024) -> None:
        self.programs, self.rng = programs, np.random.default_rng(seed)
        self.state = self._first(programs, jobs)
        self._refill(DRAWN, DRAWN)
        self._start()

    @property
    def finished(self) -> int:
        """Jobs that have finished, of the sources that are counted."""
        return int(self.state.whole[FINISHED])

    @property
    def events(self) -> int:
        """Events so far."""
        return int(self.state.whole[EVENTS])

    @property
    def full(self) -> bool:
        """Whether there are as many jobs inside as it can hold."""
        return len(self.state.link) >= MOST_JOBS and self.state.whole[LEFT_FREE] < MOST_JOBS / 2

    def until(self, finished: int) -> bool:
        """Go on until so many jobs have finished; False where nothing happens any more, or the jobs are too many."""
        while True:
            why = run(self.programs, self.state, finished, EVENTS_AT_ONCE)
            if why == REFILL:
                self._refill(self.state.whole[NEXT_EXPONENTIAL], self.state.whole[NEXT_UNIFORM])
            elif why == GROW:
                if len(self.state.link) >= MOST_JOBS:
                    return False
                self._grow()
            elif why == STUCK:
                return False
            elif self.finished >= finished:
                return True

    def totals(self) -> Totals:
        """What has been counted up to now."""
        s = self.state
        integrate(self.programs, s)
        work, servers, pools = (s.arrived, s.done, s.response), (s.busy,), (s.held_area, s.line_area, s.asked, s.delayed)
        counted = (*work, *servers, *pools, s.task_done, s.task_time)
        return Totals(np.array(s.now[0]), *(np.array(row, dtype=float) for row in counted))

    def _first(self, p: Programs, jobs: int) -> LoopState:
        servers, sources, tasks = len(p.engines), len(p.rate), p.tasks
        pools, queues, bundles = len(p.pool_size), len(p.server_of), len(p.queue_of)
        events = servers + sources + jobs

        def wholes(count: int, value: int = 0) -> Cells:
            return whole_cells(np.full(count, value))

        def reals(count: int) -> Cells:
            return real_cells(np.zeros(count))

        whole = np.zeros(WHOLES, dtype=np.int64)
        whole[[READY_FIRST, READY_LAST]] = -1
        whole[LEFT_FREE] = jobs
        link = np.append(np.arange(1, jobs), -1)
        frames = jobs * p.depth
        return LoopState(
            whole=whole_cells(whole),
            now=reals(1),
            exponential=reals(DRAWN),
            uniform=reals(DRAWN),
            heap=wholes(events),
            place=wholes(events, -1),
            time=reals(events),
            source=wholes(jobs),
            began=reals(jobs),
            level=wholes(jobs),
            frame=wholes(frames),
            calls=wholes(frames, -1),
            entered=reals(frames),
            task=wholes(frames),
            link=whole_cells(link),
            key=reals(jobs),
            child=wholes(jobs, -1),
            sibling=wholes(jobs, -1),
            free=whole_cells(p.pool_size),
            held=wholes(pools),
            first=wholes(pools, -1),
            last=wholes(pools, -1),
            length=wholes(pools),
            counted_to=reals(pools),
            root=wholes(queues, -1),
            units=wholes(queues),
            spins=wholes(queues),
            pace=reals(queues),
            attained=reals(queues),
            advanced=reals(servers),
            following=wholes(servers, -1),
            dirty=wholes(servers),
            dirty_list=wholes(servers),
            top=wholes(bundles, -1),
            members=wholes(bundles),
            stopped=wholes(bundles),
            given=reals(bundles),
            since=reals(bundles),
            due=real_cells(np.full(bundles, inf)),
            thinking=wholes(sources),
            gathered=reals(sources),
            arrived=reals(sources),
            done=reals(sources),
            response=reals(sources),
            busy=reals(queues),
            held_area=reals(pools),
            line_area=reals(pools),
            asked=reals(pools),
            delayed=reals(pools),
            task_done=reals(tasks),
            task_time=reals(tasks),
        )

    def _start(self) -> None:
        """All users think; those that do not think are in the system at once."""
        p, s = self.programs, self.state
        servers = len(p.engines)
        for w in range(len(p.rate)):
            users, think, burst = int(p.users[w]), p.think[w], p.burst[w]
            if users and think <= 0:
                self._enter(w, users)
                s = self.state
                continue
            if users and p.tick[w] > 0 and burst > 1:
                self._in_step(w, users)
                s = self.state
                continue
            if users:
                s.thinking[w] = users
                gap = think * min(burst, users) / users
            else:
                gap = burst / p.rate[w] if p.rate[w] > 0 else inf
            if p.tick[w] > 0:
                when = p.tick[w] * float(self.rng.random())
                s.whole[PLANNED] = schedule(s.heap, s.place, s.time, s.whole[PLANNED], servers + w, when)
            elif gap < inf:
                when = gap * float(self.rng.standard_exponential())
                s.whole[PLANNED] = schedule(s.heap, s.place, s.time, s.whole[PLANNED], servers + w, when)

    def _in_step(self, w: int, users: int) -> None:
        """Groups that begin at ticks, one after another through the time that all think."""
        p, groups = self.programs, max(round(users / self.programs.burst[w]), 1)
        for i, j in enumerate(self._jobs(w, users)):
            s = self.state
            s.began[j] = round(i % groups / groups * p.think[w] / p.tick[w]) * p.tick[w]
            event = len(p.engines) + len(p.rate) + j
            s.whole[PLANNED] = schedule(s.heap, s.place, s.time, s.whole[PLANNED], event, s.began[j])

    def _enter(self, w: int, users: int) -> None:
        """All begin at once."""
        for j in self._jobs(w, users):
            s = self.state
            if s.whole[READY_LAST] >= 0:
                s.link[s.whole[READY_LAST]] = j
            else:
                s.whole[READY_FIRST] = j
            s.whole[READY_LAST] = j

    def _jobs(self, w: int, users: int) -> Iterator[int]:
        """New jobs of a source, each at the start of its program."""
        while self.state.whole[LEFT_FREE] <= users:
            self._grow()
        p, s = self.programs, self.state
        s.arrived[w] += users
        s.whole[INSIDE] += users
        for _ in range(users):
            j = int(s.whole[FREE])
            s.whole[FREE] = s.link[j]
            s.whole[LEFT_FREE] -= 1
            s.source[j], s.frame[j * p.depth], s.link[j] = w, p.start[p.tasks + w], -1
            yield j

    def _refill(self, exponentials: Any, uniforms: Any) -> None:
        """New random numbers in place of those that have been used."""
        for row, used, draw in (
            (self.state.exponential, int(exponentials), self.rng.standard_exponential),
            (self.state.uniform, int(uniforms), self.rng.random),
        ):
            kept, fresh = row[used:], draw(used)
            row[:] = np.concatenate([kept, fresh]) if COMPILES else [*kept, *fresh.tolist()]
        self.state.whole[NEXT_EXPONENTIAL] = self.state.whole[NEXT_UNIFORM] = 0

    def _grow(self) -> None:
        """Twice the jobs."""
        s, p = self.state, self.programs
        jobs = len(s.link)
        free = np.append(np.arange(jobs + 1, 2 * jobs), s.whole[FREE])

        def longer(row: Cells, more: Any) -> Cells:
            return np.concatenate([row, np.array(more, dtype=row.dtype)]) if COMPILES else [*row, *np.array(more).tolist()]

        none, zero, frames = np.full(jobs, -1), np.zeros(jobs), np.zeros(jobs * p.depth)
        empty = np.zeros(jobs, dtype=np.int64)
        whole_frames = np.zeros(jobs * p.depth, dtype=np.int64)
        self.state = s._replace(
            heap=longer(s.heap, empty),
            place=longer(s.place, none),
            time=longer(s.time, zero),
            source=longer(s.source, empty),
            began=longer(s.began, zero),
            level=longer(s.level, empty),
            frame=longer(s.frame, whole_frames),
            calls=longer(s.calls, whole_frames - 1),
            entered=longer(s.entered, frames),
            task=longer(s.task, whole_frames),
            link=longer(s.link, free),
            key=longer(s.key, zero),
            child=longer(s.child, none),
            sibling=longer(s.sibling, none),
        )
        self.state.whole[FREE] = jobs
        self.state.whole[LEFT_FREE] += jobs

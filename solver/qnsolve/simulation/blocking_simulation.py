"""Discrete-event simulation with stations of limited capacity: blocking after service."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator
from heapq import heappop
from math import inf
from typing import Any

from qnsolve.methods.job_process import JobProcess
from qnsolve.methods.markov.job_moves import OUTSIDE

from .network_simulation import Batches, Run
from .simulated_stations import Event, Job, SharedStation, SimulatedStation, WaitingLine


def simulate(plan: JobProcess, jobs: int, batches: int, seed: int, warm: float = 0.1) -> Batches:
    """As `events.simulate`, for a plan with capacities; jobs that wait outside for a place count as those outside limits."""
    return _HeldRun(plan, seed).batches(jobs, batches, max(int(jobs * warm), 1))


class _HeldLine(WaitingLine):
    """A queue whose server is free only after the departure of its job."""

    def complete(self, what: Any, now: float) -> Job | None:
        """The job blocks its server."""
        job: Job = what
        return job

    def leave(self, job: Job, now: float) -> None:
        """The next job in the queue takes the server."""
        super().complete(job, now)


class _HeldShared(SharedStation):
    """Servers that the jobs in service share, without those blocked by served jobs."""

    def __init__(self, heap: list[Event], order: Iterator[int], speeds: tuple[float, ...]) -> None:
        super().__init__(heap, order, speeds)
        self.held = 0

    def complete(self, what: Any, now: float) -> Job | None:
        """The job blocks a server."""
        if what != self.event:
            return None
        self._advance(now)
        job = heappop(self.jobs)[2]
        self.held += 1
        self._schedule(job.k, now)
        return job

    def leave(self, job: Job, now: float) -> None:
        """The other jobs get the server too."""
        self._advance(now)
        self.held -= 1
        self._schedule(job.k, now)

    def _pace(self) -> float:
        left = len(self.speeds) - self.held
        return min(len(self.jobs), left) / len(self.jobs)

    def _schedule(self, k: int, now: float) -> None:
        if self.held < len(self.speeds):
            super()._schedule(k, now)
        else:
            self.event = next(self.order)  # no completion before a server is free


class _HeldRun(Run):
    """One simulation under way."""

    def __init__(self, plan: JobProcess, seed: int) -> None:
        super().__init__(plan, seed)
        self.count = [0] * len(plan.kinds)  # jobs at each station
        self.queue: list[deque[tuple[Job, int]]] = [deque() for _ in plan.kinds]  # blocked jobs and their stations
        bound = self._bound()
        for k, kind in enumerate(plan.kinds):
            if k in bound and kind == "fcfs":
                self.centers[k] = _HeldLine(self.heap, self.order, len(plan.speeds[k]), (0,) * self.classes)
            elif k in bound and kind == "shared":
                self.centers[k] = _HeldShared(self.heap, self.order, plan.speeds[k])

    def _bound(self) -> set[int]:
        """The stations whose jobs can be blocked."""
        found = set()
        for r, route in enumerate(self.plan.routes):
            first = {k for k, _ in route[OUTSIDE]} if self._returns(r) else set()
            for k, steps in route.items():
                to = {following for following, _ in steps}
                to |= first if OUTSIDE in to else set()
                if any(following not in (k, OUTSIDE) and self.plan.capacity[following] < inf for following in to):
                    found.add(k)
        return found - {OUTSIDE}

    def _returns(self, r: int) -> bool:
        return self.plan.population[r] is not None and not self.plan.outside[r]

    def _until(self, finished: int) -> None:
        done = sum(self.finished)
        while done < finished:
            self.now, _, k, what = heappop(self.heap)
            self.events += 1
            if k == OUTSIDE:
                done += self._enter(what)
                continue
            job = self.centers[k].complete(what, self.now)
            if job is None:
                continue
            place = k * self.classes + job.r
            self.visits[place] += 1
            self.work[place] += job.work
            following = self._next(job.r, k)
            if following == OUTSIDE:
                self.finished[job.r] += 1
                done += 1
                if self._returns(job.r):
                    following = self._next(job.r, OUTSIDE)
            self._from(job, k, following)

    def _onward(self, job: Job, k: int) -> int:
        """A job arrives from outside; 1 where it makes no visit."""
        if k == OUTSIDE:
            return super()._onward(job, k)
        self._from(job, OUTSIDE, k)
        return 0

    def _from(self, job: Job, origin: int, k: int) -> None:
        """A served job goes on, or is blocked."""
        if origin == OUTSIDE and k != OUTSIDE and self.plan.capacity[k] < inf:
            self.asked[job.r] += 1
            self.delayed[job.r] += self.count[k] >= self.plan.capacity[k]
        if k in (OUTSIDE, origin) or self.count[k] < self.plan.capacity[k]:
            self._move(job, origin, k)
            return
        if origin == OUTSIDE:
            self.waiting[job.r] += 1
            self.waited[job.r] -= self.now
        self.queue[k].append((job, origin))

    def _move(self, job: Job, origin: int, k: int) -> None:
        """A job departs; the first job that waits for its place enters, and so on."""
        while True:
            if origin != OUTSIDE:
                self._leave(job, origin)
            if k != OUTSIDE:
                job.k = k
                self.count[k] += 1
                self._arrive(job)
            elif self.plan.population[job.r] is not None:
                self._outside(job.r)
            if origin in (OUTSIDE, k) or not self.queue[origin]:
                return
            k = origin
            job, origin = self.queue[k].popleft()
            if origin == OUTSIDE:
                self.waiting[job.r] -= 1
                self.waited[job.r] += self.now

    def _leave(self, job: Job, k: int) -> None:
        place = k * self.classes + job.r
        self.present[place] -= 1
        self.left[place] += self.now
        self.count[k] -= 1
        center: SimulatedStation = self.centers[k]
        if isinstance(center, _HeldLine | _HeldShared):
            center.leave(job, self.now)

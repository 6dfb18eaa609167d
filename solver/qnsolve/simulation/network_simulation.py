"""Discrete-event simulation of a network: any discipline, any variation of times, admission limits."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from heapq import heappop, heappush
from itertools import count
from math import inf
from typing import Any

import numpy as np

from qnsolve.methods.job_process import JobProcess
from qnsolve.methods.markov.job_moves import OUTSIDE
from qnsolve.numerics.random_times import sizes, times
from qnsolve.numerics.series import Array

from .simulated_stations import Event, Job, SimulatedStation, simulated_station


@dataclass(frozen=True)
class Batches:
    """The counts and integrals of each of B batches after the warm-up.

    Attributes
    ----------
    duration : ndarray (B,)
        [time].
    finished : ndarray (B, R)
        Jobs that had all their visits.
    visits, area, work : ndarray (B, R, K)
        Visits completed; jobs integrated over time; service times completed [time].
    waiting : ndarray (B, R)
        Jobs outside limits, integrated over time.
    asked, delayed : ndarray (B, R)
        Admission requests, and those that waited.
    events : int
    """

    duration: Array
    finished: Array
    visits: Array
    area: Array
    work: Array
    waiting: Array
    asked: Array
    delayed: Array
    events: int


def simulate(plan: JobProcess, jobs: int, batches: int, seed: int, warm: float = 0.1) -> Batches:
    """The batches of a simulation of that many finished jobs after the warm-up.

    Parameters
    ----------
    plan : JobProcess
    jobs : int
        Jobs finished, all classes together [count].
    batches : int
        Batches of equal numbers of jobs.
    seed : int
    warm : float, default 0.1
        Jobs finished before the first batch, as a share of `jobs`.

    Returns
    -------
    Batches
    """
    return Run(plan, seed).batches(jobs, batches, max(int(jobs * warm), 1))


class Run:
    """A simulation in progress."""

    def __init__(self, plan: JobProcess, seed: int) -> None:
        self.plan, self.classes, stations = plan, len(plan.rank), len(plan.kinds)
        rng = np.random.default_rng(seed)
        self.heap: list[Event] = []
        self.order = count()
        self.now = 0.0
        levels = [plan.rank if "preemptive" in kind else (0,) * self.classes for kind in plan.kinds]
        self.centers: list[SimulatedStation] = [
            simulated_station(kind, plan.speeds[k], levels[k], self.heap, self.order) for k, kind in enumerate(plan.kinds)
        ]
        self.draws = [
            [times(rng, plan.service[r, k], plan.variation[r, k]) for k in range(stations)] for r in range(self.classes)
        ]
        self.thinks = [times(rng, z, v) for z, v in zip(plan.outside, plan.arrival_variation, strict=True)]
        self.sizes = [sizes(rng, b, v) for b, v in zip(plan.batch_size, plan.batch_variation, strict=True)]
        self.uniform: Iterator[float] = (u for _ in count() for u in rng.random(2048).tolist())
        self.ways = [{place: _way(steps) for place, steps in route.items()} for route in plan.routes]
        self.needs = [
            [
                sum(1 << i for i, lim in enumerate(plan.limits) if r in lim.classes and k in lim.stations)
                for k in range(stations)
            ]
            for r in range(self.classes)
        ]
        self.used = [0] * len(plan.limits)
        self.line: list[Job] = []
        size = self.classes * stations
        self.present, self.left, self.visits, self.work = [0] * size, [0.0] * size, [0] * size, [0.0] * size
        self.waiting, self.waited = [0] * self.classes, [0.0] * self.classes
        self.finished, self.asked, self.delayed = [0] * self.classes, [0] * self.classes, [0] * self.classes
        self.events = 0
        for r, n in enumerate(plan.population):
            for _ in range(1 if n is None else n):
                self._outside(r)

    def batches(self, jobs: int, batches: int, warm: int) -> Batches:
        """The batches after the warm-up."""
        marks = []
        for end in [warm, *(warm + jobs * (i + 1) // batches for i in range(batches))]:
            self._until(end)
            marks.append(self._mark())
        duration, finished, visits, area, work, waiting, asked, delayed = (
            np.diff(np.array(m), axis=0) for m in zip(*marks, strict=True)
        )
        stations = len(self.centers)
        visits, area, work = (m.reshape(batches, stations, self.classes).transpose(0, 2, 1) for m in (visits, area, work))
        return Batches(duration, finished, visits, area, work, waiting, asked, delayed, self.events)

    def _mark(self) -> tuple[Any, ...]:
        """Record the totals up to now; a job at a station since t has contributed −t."""
        area = [out + n * self.now for out, n in zip(self.left, self.present, strict=True)]
        waiting = [out + n * self.now for out, n in zip(self.waited, self.waiting, strict=True)]
        return self.now, self.finished[:], self.visits[:], area, self.work[:], waiting, self.asked[:], self.delayed[:]

    def _until(self, finished: int) -> None:
        done = sum(self.finished)
        heap, centers, classes = self.heap, self.centers, self.classes
        while done < finished:
            self.now, _, k, what = heappop(heap)
            self.events += 1
            if k == OUTSIDE:
                done += self._enter(what)
                continue
            job = centers[k].complete(what, self.now)
            if job is None:
                continue
            place = k * classes + job.r
            self.present[place] -= 1
            self.left[place] += self.now
            self.visits[place] += 1
            self.work[place] += job.work
            done += self._onward(job, self._next(job.r, k))

    def _next(self, r: int, place: int) -> int:
        way = self.ways[r][place]
        if len(way) == 1:
            return way[0][0]
        u = next(self.uniform)
        return next(k for k, sum_ in way if u < sum_)

    def _outside(self, r: int) -> None:
        """A job begins to think; of an open class: the time to the next batch begins."""
        wait = next(self.thinks[r]) if self.plan.outside[r] else 0.0
        if wait < inf:
            heappush(self.heap, (self.now + wait, next(self.order), OUTSIDE, r))

    def _enter(self, r: int) -> int:
        """Jobs of a class arrive from outside; returns the number that finish at once."""
        together = 1
        if self.plan.population[r] is None:
            together = next(self.sizes[r])
            self._outside(r)
        return sum(self._onward(Job(r), self._next(r, OUTSIDE)) for _ in range(together))

    def _onward(self, job: Job, k: int) -> int:
        """A job goes to a station, past the limits it needs, or outside; 1 where it is finished."""
        held = job.held
        if k == OUTSIDE:
            self.finished[job.r] += 1
            if held:
                self._release(held)
                self._admit()
            if self.plan.population[job.r] is not None:
                self._outside(job.r)
            return 1
        needed = self.needs[job.r][k]
        job.k = k
        if needed == held:
            self._arrive(job)
            return 0
        self._release(held & ~needed)
        job.held = held & needed
        self.line.append(job)
        self.waiting[job.r] += 1
        self.waited[job.r] -= self.now
        self._admit()
        if needed & ~held:
            self.asked[job.r] += 1
            self.delayed[job.r] += job.held != needed
        return 0

    def _release(self, bits: int) -> None:
        for i in range(len(self.used)):
            self.used[i] -= bits >> i & 1

    def _admit(self) -> None:
        """Admit the jobs that can enter, first come first served."""
        rest, let_in = [], []
        for job in self.line:
            needed = self.needs[job.r][job.k]
            missing = [i for i in range(len(self.used)) if (needed & ~job.held) >> i & 1]
            if all(self.used[i] < self.plan.limits[i].capacity for i in missing):
                for i in missing:
                    self.used[i] += 1
                job.held = needed
                let_in.append(job)
            else:
                rest.append(job)
        self.line = rest
        for job in let_in:
            self.waiting[job.r] -= 1
            self.waited[job.r] += self.now
            self._arrive(job)

    def _arrive(self, job: Job) -> None:
        r, k = job.r, job.k
        place = k * self.classes + r
        self.present[place] += 1
        self.left[place] -= self.now
        job.work = next(self.draws[r][k])
        self.centers[k].arrive(job, k, self.now)


def _way(steps: list[tuple[int, float]]) -> list[tuple[int, float]]:
    """Next stations with cumulative probabilities, the last one beyond any draw."""
    sums = np.cumsum([share for _, share in steps]).tolist()
    return [(k, s) for (k, _), s in zip(steps, [*sums[:-1], inf], strict=True)]

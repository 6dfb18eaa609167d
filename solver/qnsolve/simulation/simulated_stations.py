"""Stations of a simulation: the jobs in service and the next completion."""

from __future__ import annotations

from collections.abc import Iterator
from heapq import heapify, heappop, heappush
from typing import Any

Event = tuple[float, int, int, Any]  # time, order, station or OUTSIDE, data of the station


class Job:
    """A job: class, station, limits it holds (bits), service time drawn for this visit."""

    __slots__ = ("held", "k", "level", "place", "r", "since", "work")

    def __init__(self, r: int) -> None:
        self.r, self.k, self.held, self.work = r, 0, 0, 0.0
        self.level = self.place = 0  # priority and order of arrival at the station
        self.since = 0.0  # start of the present service


class SimulatedStation:
    """A station without queueing; base of the other stations.

    `arrive` takes a job with its service time, `complete` an event of this station: it
    returns the served job, None where the event is void.
    """

    def __init__(self, heap: list[Event], order: Iterator[int]) -> None:
        self.heap, self.order = heap, order

    def arrive(self, job: Job, k: int, now: float) -> None:
        """A job arrives."""
        heappush(self.heap, (now + job.work, next(self.order), k, job))

    def complete(self, what: Any, now: float) -> Job | None:
        """A job completes."""
        job: Job = what
        return job


class WaitingLine(SimulatedStation):
    """Several servers, one queue: non-preemptive priority, then first come first served."""

    def __init__(self, heap: list[Event], order: Iterator[int], servers: int, levels: tuple[int, ...]) -> None:
        super().__init__(heap, order)
        self.free, self.levels = servers, levels
        self.waiting: list[tuple[int, int, Job]] = []

    def arrive(self, job: Job, k: int, now: float) -> None:
        """The job is served at once where a server is free."""
        if self.free:
            self.free -= 1
            heappush(self.heap, (now + job.work, next(self.order), k, job))
        else:
            heappush(self.waiting, (self.levels[job.r], next(self.order), job))

    def complete(self, what: Any, now: float) -> Job | None:
        """The next job in the queue takes the server."""
        if self.waiting:
            following = heappop(self.waiting)[2]
            heappush(self.heap, (now + following.work, next(self.order), following.k, following))
        else:
            self.free += 1
        job: Job = what
        return job


class Preemptive(SimulatedStation):
    """Several servers; a job preempts the one in service that is last by priority and arrival."""

    def __init__(self, heap: list[Event], order: Iterator[int], servers: int, levels: tuple[int, ...]) -> None:
        super().__init__(heap, order)
        self.servers, self.levels = servers, levels
        self.serving: dict[int, tuple[Job, float]] = {}  # by order of arrival: the job and its remaining work
        self.ends: dict[int, int] = {}  # the valid event of each
        self.waiting: list[tuple[int, int, Job, float]] = []

    def arrive(self, job: Job, k: int, now: float) -> None:
        """The job may preempt another."""
        job.place, job.level = next(self.order), self.levels[job.r]
        if len(self.serving) == self.servers:
            last = max(self.serving, key=lambda p: (self.serving[p][0].level, p))
            other, left = self.serving[last]
            if other.level <= job.level:
                heappush(self.waiting, (job.level, job.place, job, job.work))
                return
            del self.serving[last], self.ends[last]
            heappush(self.waiting, (other.level, last, other, left - (now - other.since)))
        self._serve(job, job.work, now)

    def _serve(self, job: Job, work: float, now: float) -> None:
        event = next(self.order)
        job.since = now
        self.serving[job.place], self.ends[job.place] = (job, work), event
        heappush(self.heap, (now + work, event, job.k, (job, event)))

    def complete(self, what: Any, now: float) -> Job | None:
        """The first in the queue resumes its service."""
        job, event = what
        if self.ends.get(job.place) != event:
            return None
        del self.serving[job.place], self.ends[job.place]
        if self.waiting:
            _, _, following, left = heappop(self.waiting)
            self._serve(following, max(left, 0.0), now)
        done: Job = job
        return done


class SharedStation(SimulatedStation):
    """Processor sharing: n jobs get the speed μ(n) in equal parts."""

    def __init__(self, heap: list[Event], order: Iterator[int], speeds: tuple[float, ...]) -> None:
        super().__init__(heap, order)
        self.speeds = speeds
        self.given = 0.0  # work received by a job that was always present
        self.since = 0.0
        self.event = -1
        self.jobs: list[tuple[float, int, Job]] = []  # by the attained work at which each completes

    def arrive(self, job: Job, k: int, now: float) -> None:
        """All others slow down or speed up."""
        self._advance(now)
        heappush(self.jobs, (self.given + job.work, next(self.order), job))
        self._schedule(k, now)

    def complete(self, what: Any, now: float) -> Job | None:
        """The job with the least remaining work completes."""
        if what != self.event:
            return None
        self._advance(now)
        job = heappop(self.jobs)[2]
        self._schedule(job.k, now)
        return job

    def _pace(self) -> float:
        n = len(self.jobs)
        return self.speeds[min(n, len(self.speeds)) - 1] / n

    def _advance(self, now: float) -> None:
        if self.jobs:
            self.given += (now - self.since) * self._pace()
            if self.given > 1e9 * (self.jobs[0][0] - self.given + 1e-300) > 0:  # keep the digits of the remaining work
                self.jobs = [(end - self.given, order, job) for end, order, job in self.jobs]
                heapify(self.jobs)
                self.given = 0.0
        else:
            self.given = 0.0
        self.since = now

    def _schedule(self, k: int, now: float) -> None:
        self.event = next(self.order)
        if self.jobs:
            left = max(self.jobs[0][0] - self.given, 0.0)
            heappush(self.heap, (now + left / self._pace(), self.event, k, self.event))


def simulated_station(
    kind: str, speeds: tuple[float, ...], levels: tuple[int, ...], heap: list[Event], order: Iterator[int]
) -> SimulatedStation:
    """The station of a kind of `JobProcess`."""
    if kind == "shared":
        return SharedStation(heap, order, speeds)
    if kind == "preemptive":
        return Preemptive(heap, order, len(speeds), levels)
    return SimulatedStation(heap, order) if kind == "delay" else WaitingLine(heap, order, len(speeds), levels)

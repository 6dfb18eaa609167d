"""Event simulation of a network: its stations, routes and limits as rows of numbers, and batches of a run."""

from __future__ import annotations

from math import inf

import numpy as np

from qnsolve.errors import ModelError
from qnsolve.methods.job_process import JobProcess

from .compiling import COMPILES, Cells, real_cells, whole_cells
from .counted_batches import Batches
from .event_rows import GROW, REFILL, STUCK
from .heaps import schedule
from .network_loop import run_network
from .network_rows import (
    ARRIVING_FIRST,
    COUNTS,
    EVENTS,
    FINISHED,
    FREE,
    LEFT_FREE,
    MOVING_FIRST,
    MOVING_LAST,
    NEXT_UNIFORM,
    PLANNED,
    NetworkState,
)
from .network_stations import Streams, stations_of
from .precision import CHECKED, DRIFT, Batched, Progress, estimate

LENGTH = 1 << 14  # random numbers of one stream that are drawn together
EVENTS_AT_ONCE = 1 << 18  # an interrupt is seen between two stretches
MOST_JOBS = 4_000_000  # in the network at once
FIRST_BATCH = 250  # jobs in each of the first batches
FEWEST = 300  # jobs of each class before a run is long enough


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
    first = max(int(jobs * warm), 1)
    run = NetworkRun(plan, seed)
    marks = []
    for end in [first, *(first + jobs * (i + 1) // batches for i in range(batches))]:
        run.until(end)
        marks.append(run.totals().vector())
    return run.totals().like(np.diff(np.array(marks), axis=0))


def simulate_until(plan: JobProcess, precision: float, most: int, seed: int, progress: Progress | None = None) -> Batches:
    """The batches of a simulation that ends when the response time of every class is known.

    Parameters
    ----------
    plan : JobProcess
    precision : float
        Half width over the figure, of the response time of every class and the throughput of every closed one [ratio].
    most : int
        Jobs finished at most, the warm-up, a quarter of them, included [count].
    seed : int
    progress : callable, optional
        Is given jobs so far, the most, and the widest interval so far [ratio].
    """
    batched: Batched[Batches] = Batched(NetworkRun(plan, seed), min(FIRST_BATCH, most // CHECKED[0]))
    widest = inf
    while not (widest <= precision or (batched.finished >= most and batched.number % 4 == 0)):
        batched.further()
        if batched.number in CHECKED:
            widest = _widest(plan, batched.kept())
            if progress is not None:
                progress(batched.finished, most, widest)
    return batched.pairs()


def _widest(plan: JobProcess, found: Batches) -> float:
    """The widest interval of the figures that must be known; infinite where the run is too short in another way."""
    widest = 0.0
    inside = found.area.sum(axis=2) + found.waiting
    for r, population in enumerate(plan.population):
        done = found.finished[:, r]
        if population == 0 or plan.outside[r] == inf:
            continue
        figures = [estimate(inside[:, r], done)] + [estimate(done, found.duration)] * (population is not None)
        if done.sum() < FEWEST or any(abs(figure.drift) > DRIFT for figure in figures):
            return inf
        widest = max(widest, *(figure.relative for figure in figures))
    return widest


class NetworkRun:
    """A simulation in progress, from an empty network in which all jobs of closed classes are outside."""

    def __init__(self, plan: JobProcess, seed: int) -> None:
        self.rng = np.random.default_rng(seed)
        self.streams = Streams(self.rng)
        self.stations, self.together = stations_of(plan, self.streams)
        closed = sum(n for n in plan.population if n is not None)
        self.state = self._first(plan, closed + 4 * self.together + 256)
        whole, draws = self.state.whole, len(self.streams.draws)
        self._refill(len(self.state.uniform), [LENGTH] * draws)
        for r, (n, outside) in enumerate(zip(plan.population, plan.outside, strict=True)):
            if n is not None and outside <= 0:
                self._enter(r, n)
            elif outside < inf and n != 0:
                gap = outside / (n or 1)
                stream = self.stations.arrival_stream[r]
                gap *= 1.0 if stream < 0 else float(self.streams.draws[stream](1)[0])
                self.state.thinking[r] = n or 0
                event = len(plan.kinds) + r
                whole[PLANNED] = schedule(self.state.heap, self.state.place, self.state.time, whole[PLANNED], event, gap)

    @property
    def events(self) -> int:
        """Events so far."""
        return int(self.state.whole[EVENTS])

    @property
    def finished(self) -> int:
        """Jobs that have finished."""
        return int(self.state.whole[FINISHED])

    def until(self, finished: int) -> bool:
        """Go on until so many jobs have finished."""
        while self.state.whole[FINISHED] < finished:
            why = run_network(self.stations, self.state, finished, EVENTS_AT_ONCE, self.together)
            if why == REFILL:
                self._refill(self.state.whole[NEXT_UNIFORM], list(self.state.at_draw))
            elif why == GROW:
                self._grow()
            elif why == STUCK:
                raise ModelError("simulate", "all jobs wait for each other", "raise a limit or a capacity")
        return True

    def totals(self) -> Batches:
        """What has been counted up to now; a job at a station since t has contributed -t to its integral."""
        s, now, stations = self.state, float(self.state.now[0]), len(self.stations.kind)
        done, visits, worked, asked, delayed = (
            np.array(row, dtype=float) for row in (s.finished, s.visits, s.worked, s.asked, s.delayed)
        )
        area = np.array(s.stayed) + np.array(s.present) * now
        waiting = np.array(s.waited) + np.array(s.waiting) * now
        visits, area, worked = (row.reshape(stations, -1).T for row in (visits, area, worked))
        return Batches(np.array(now), done, visits, area, worked, waiting, asked, delayed, self.events)

    def _first(self, plan: JobProcess, jobs: int) -> NetworkState:
        p = self.stations
        stations, classes = len(plan.kinds), len(plan.rank)
        events, lines = stations + classes + jobs, stations * p.levels
        groups, places = len(p.need_start) - 1, int(sum(p.servers))

        def wholes(count: int, value: int = 0) -> Cells:
            return whole_cells(np.full(count, value))

        def reals(count: int) -> Cells:
            return real_cells(np.zeros(count))

        whole = np.zeros(COUNTS, dtype=np.int64)
        whole[[MOVING_FIRST, MOVING_LAST, ARRIVING_FIRST]] = -1
        whole[LEFT_FREE] = jobs
        first_server = np.concatenate([[0], np.cumsum(np.array(p.servers, dtype=np.int64))])[:-1]
        return NetworkState(
            whole=whole_cells(whole),
            now=reals(1),
            uniform=reals(LENGTH),
            drawn=reals(LENGTH * len(self.streams.draws)),
            at_draw=wholes(len(self.streams.draws)),
            heap=wholes(events),
            place=wholes(events, -1),
            time=reals(events),
            kind_of=wholes(jobs),
            at=wholes(jobs),
            to=wholes(jobs),
            work=reals(jobs),
            left=reals(jobs),
            since=reals(jobs),
            order=wholes(jobs),
            link=whole_cells(np.append(np.arange(1, jobs), -1)),
            key=reals(jobs),
            child=wholes(jobs, -1),
            sibling=wholes(jobs, -1),
            free=whole_cells(p.servers),
            serving=wholes(places, -1),
            first_server=whole_cells(first_server),
            first=wholes(lines, -1),
            last=wholes(lines, -1),
            root=wholes(stations, -1),
            units=wholes(stations),
            pace=reals(stations),
            attained=reals(stations),
            advanced=reals(stations),
            kept=wholes(stations),
            count=wholes(stations),
            blocked_first=wholes(stations, -1),
            blocked_last=wholes(stations, -1),
            dirty=wholes(stations),
            dirty_list=wholes(stations),
            used=wholes(len(p.places)),
            line_first=wholes(groups, -1),
            line_last=wholes(groups, -1),
            thinking=wholes(classes),
            finished=wholes(classes),
            waiting=wholes(classes),
            waited=reals(classes),
            asked=wholes(classes),
            delayed=wholes(classes),
            present=wholes(stations * classes),
            stayed=reals(stations * classes),
            visits=wholes(stations * classes),
            worked=reals(stations * classes),
        )

    def _enter(self, r: int, number: int) -> None:
        """Jobs of a class without think time come from outside at once."""
        s = self.state
        for _ in range(number):
            j = int(s.whole[FREE])
            s.whole[FREE], s.link[j] = s.link[j], -1
            s.whole[LEFT_FREE] -= 1
            s.kind_of[j], s.at[j] = r, len(self.stations.kind)
            if s.whole[MOVING_FIRST] >= 0:
                s.link[s.whole[MOVING_LAST]] = j
            else:
                s.whole[MOVING_FIRST] = j
            s.whole[MOVING_LAST] = j

    def _refill(self, uniforms: int, taken: list[int]) -> None:
        """New random numbers in place of those that have been used."""
        s = self.state
        rows = [(s.uniform, 0, len(s.uniform), int(uniforms), self.rng.random)]
        rows += [(s.drawn, LENGTH * i, LENGTH, int(n), self.streams.draws[i]) for i, n in enumerate(taken)]
        for row, start, length, used, draw in rows:
            kept, fresh = row[start + used : start + length], draw(used)
            row[start : start + length] = np.concatenate([kept, fresh]) if COMPILES else [*kept, *fresh.tolist()]
        s.whole[NEXT_UNIFORM] = 0
        s.at_draw[:] = whole_cells(np.zeros(len(taken)))

    def _grow(self) -> None:
        """Twice the jobs."""
        s = self.state
        jobs = len(s.link)
        if jobs > MOST_JOBS:
            raise ModelError("simulate", f"more than {MOST_JOBS} jobs are inside", "lower the rates")
        fresh = {name: np.zeros(jobs) for name in ("time", "work", "left", "since", "key")}
        for name in ("heap", "kind_of", "at", "to", "order"):
            fresh[name] = np.zeros(jobs, dtype=np.int64)
        for name in ("place", "child", "sibling"):
            fresh[name] = np.full(jobs, -1)
        fresh["link"] = np.append(np.arange(jobs + 1, 2 * jobs), s.whole[FREE])
        rows = {name: getattr(s, name) for name in fresh}
        self.state = s._replace(
            **{
                name: np.concatenate([row, fresh[name]]) if COMPILES else [*row, *fresh[name].tolist()]
                for name, row in rows.items()
            }
        )
        self.state.whole[FREE] = jobs
        self.state.whole[LEFT_FREE] += jobs

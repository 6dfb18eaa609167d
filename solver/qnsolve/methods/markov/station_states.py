"""One station of a Markov chain: its states, arrivals and completions."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from qnsolve.numerics.series import Array


@dataclass(frozen=True)
class StationStates:
    """One station of a chain.

    A state of kind "shared" or "delay" is the jobs of each class; "fcfs": the classes in
    order of arrival; "preemptive": the jobs of each class, the highest served first;
    "nonpreemptive": those waiting of each class, then those in service of each class;
    "table": the jobs of each class, each class at a rate that `table` gives for the state.

    Attributes
    ----------
    kind : str
    speeds : tuple of float
        μ(1), μ(2), …, the last one holding; for a delay not used. With priorities or in
        order of arrival they are those of a queue, 1 … m; where the last server is a part of
        one, the last in order of arrival has it, and jobs of one priority share it.
    rates : tuple of float
        1/S of each class [1/time]; 0 without visits.
    rank : tuple of int
        Priority of each class, 1 the highest.
    table : ndarray (R, N_1 + 1, …), optional
        Completion rates of a part of the network that this station stands for [jobs/time].
    """

    kind: str
    speeds: tuple[float, ...]
    rates: tuple[float, ...]
    rank: tuple[int, ...]
    table: Array | None = None

    def empty(self) -> tuple[int, ...]:
        """The state without jobs."""
        size = {"fcfs": 0, "nonpreemptive": 2}.get(self.kind, 1)
        return (0,) * (size * len(self.rates))

    def jobs(self, state: tuple[int, ...]) -> tuple[int, ...]:
        """Jobs of each class."""
        classes = len(self.rates)
        if self.kind == "fcfs":
            return tuple(state.count(r) for r in range(classes))
        if self.kind == "nonpreemptive":
            return tuple(state[r] + state[classes + r] for r in range(classes))
        return state

    def arrive(self, state: tuple[int, ...], r: int) -> tuple[int, ...]:
        """The state after the arrival of a job of class r."""
        if self.kind == "fcfs":
            return (*state, r)
        if self.kind == "nonpreemptive" and sum(state[len(self.rates) :]) < len(self.speeds):
            r += len(self.rates)
        return _changed(state, r, 1)

    def complete(self, state: tuple[int, ...]) -> Iterator[tuple[int, float, tuple[int, ...]]]:
        """Each completion: class, rate, next state."""
        if self.kind == "fcfs":
            before = (0.0, *self.speeds)
            for place, (r, slow, fast) in enumerate(zip(state, before, self.speeds, strict=False)):
                yield r, (fast - slow) * self.rates[r], state[:place] + state[place + 1 :]
        elif self.kind == "nonpreemptive":
            yield from self._complete_in_service(state)
        elif self.table is not None:
            for r, n in enumerate(state):
                if n:
                    yield r, float(self.table[(r, *state)]), _changed(state, r, -1)
        else:
            for r, share in self._shares(state):
                yield r, share * self.rates[r], _changed(state, r, -1)

    def _shares(self, state: tuple[int, ...]) -> Iterator[tuple[int, float]]:
        """Each class in service, and its servers."""
        present = sum(state)
        if self.kind == "preemptive":
            left = self.speeds[-1]
            for level in sorted({rank for rank, n in zip(self.rank, state, strict=True) if n}):
                same = [r for r, rank in enumerate(self.rank) if rank == level and state[r]]
                jobs = sum(state[r] for r in same)
                served = min(left, jobs)
                yield from ((r, served * state[r] / jobs) for r in same)
                left -= served
                if left <= 0:
                    return
        elif present:
            speed = float(present) if self.kind == "delay" else self.speeds[min(present, len(self.speeds)) - 1]
            yield from ((r, speed * n / present) for r, n in enumerate(state) if n)

    def _complete_in_service(self, state: tuple[int, ...]) -> Iterator[tuple[int, float, tuple[int, ...]]]:
        classes = len(self.rates)
        waiting = state[:classes]
        level = min((rank for rank, n in zip(self.rank, waiting, strict=True) if n), default=0)
        following = [r for r in range(classes) if waiting[r] and self.rank[r] == level]
        jobs = sum(waiting[r] for r in following)
        served = sum(state[classes:])
        for r in range(classes):
            if not state[classes + r]:
                continue
            share = self.speeds[served - 1] / served  # 1 unless the last server is a fraction
            rate, left = share * state[classes + r] * self.rates[r], _changed(state, classes + r, -1)
            if not following:
                yield r, rate, left
            for s in following:
                yield r, rate * waiting[s] / jobs, _changed(_changed(left, s, -1), classes + s, 1)


def _changed(counts: tuple[int, ...], place: int, by: int) -> tuple[int, ...]:
    return (*counts[:place], counts[place] + by, *counts[place + 1 :])

"""Models as raw arrays and the same as a Network; answers, and the errors of one against another."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
import qnsolve as qn
from qnsolve.numerics.series import Array

Rows = tuple[tuple[float, ...], ...]


@dataclass(frozen=True)
class Model:
    """One model: R classes, K stations.

    Attributes
    ----------
    name, group : str
    demand : tuple (R,) of tuple (K,)
        D [s].
    servers : tuple (K,)
        m [count].
    population, think_time : tuple (R,)
        N [jobs] and Z [s]; empty for an open model.
    arrival_rate : tuple (R,)
        λ [jobs/s]; empty for a closed model.
    """

    name: str
    group: str
    demand: Rows
    servers: tuple[int, ...]
    population: tuple[int, ...] = ()
    think_time: tuple[float, ...] = ()
    arrival_rate: tuple[float, ...] = ()

    @property
    def is_open(self) -> bool:
        """All classes arrive from outside."""
        return bool(self.arrival_rate)

    @property
    def is_station(self) -> bool:
        """One class at one station: an M/M/c queue."""
        return self.is_open and len(self.servers) == 1

    @property
    def is_large(self) -> bool:
        """Too many jobs for what takes more than O(N)."""
        return sum(self.population) > 100_000

    @property
    def shared(self) -> tuple[int, ...]:
        """The stations with more than one server."""
        return tuple(k for k, m in enumerate(self.servers) if m > 1)

    @cached_property
    def network(self) -> qn.Network:
        """The model as qnsolve takes it."""
        stations = [qn.Queue(f"s{k}", servers=m) for k, m in enumerate(self.servers)]
        classes: list[qn.OpenClass | qn.ClosedClass] = []
        for r, row in enumerate(self.demand):
            demands = {f"s{k}": d for k, d in enumerate(row) if d > 0}
            if self.is_open:
                classes.append(qn.OpenClass(f"c{r}", arrival_rate=self.arrival_rate[r], demands=demands))
            else:
                size, think = self.population[r], self.think_time[r]
                classes.append(qn.ClosedClass(f"c{r}", population=size, think_time=think, demands=demands))
        return qn.Network(stations, classes, name=self.name)


@dataclass(frozen=True)
class Answer:
    """What a solver found: X of each class, Q of each class at each station."""

    throughput: list[float]
    queue_length: list[list[float]]


def errors(answer: Answer, reference: Answer) -> tuple[float, float]:
    """Largest relative error of a throughput, and of a queue length."""
    return (
        _largest(np.array(answer.throughput), np.array(reference.throughput)),
        _largest(np.array(answer.queue_length), np.array(reference.queue_length)),
    )


def _largest(values: Array, right: Array) -> float:
    """The largest relative error, absolute where 0 is right; nan where any value is."""
    if values.shape != right.shape:
        raise ValueError(f"{values.shape} figures in place of {right.shape}")
    return float(np.max(np.abs(values - right) / np.where(right == 0, 1.0, np.abs(right))))

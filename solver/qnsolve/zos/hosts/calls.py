"""Tasks of a host that others there call at once: what comes out of groups, and which visits to the CPs are one."""

from __future__ import annotations

from functools import cached_property

import numpy as np

from qnsolve.numerics.series import Array, Places

from .load import Load

DEEP = 3  # calls in calls
LITTLE = 0.001, 0.1  # of a piece of the mean work, up to which a visit is less than one: without bursts, and beside them

Visits = tuple[Array, Array, Array]


def mean_piece(flows: Array, cpu: Array) -> float:
    """CPU of a mean visit by their work, of visits that come at rates [1/s] and have some CPU each [s]."""
    return float(flows @ cpu**2) / max(float(flows @ cpu), 1e-300)


def unlike(flow: Array, each: Array) -> float:
    """(1 + C²)/2 of the work that tasks of some rates bring, each an exponential one of its mean: 1 where all are alike."""
    whole = float(flow @ each)
    return float(flow @ each**2) * float(flow.sum()) / whole**2 if whole > 0 else 1.0


class Calls:
    """What the tasks of a load call on their host; nothing where they come in groups.

    Parameters
    ----------
    load : Load
    free : ndarray (T,)
        CPU of one visit of each task as free pieces [s].
    grouped : ndarray (T,) of bool
        Tasks that come to a group.
    """

    def __init__(self, load: Load, free: Array, grouped: Places) -> None:
        self.load, self.free, self.grouped = load, free, grouped
        self.some = bool(load.calls.size) and not load.bursts

    @cached_property
    def shares(self) -> Array:
        """Of all that come to each task (columns), the share that each other one calls (T, T), where any does."""
        load, size = self.load, len(self.load.flow)
        come = np.divide(load.flow, load.rounds, out=np.zeros(size), where=load.rounds > 0)
        sent = load.flow[:, None] * load.calls
        found = np.divide(sent, come, out=np.zeros_like(sent), where=come > 0)
        return np.asarray(found / np.maximum(found.sum(axis=0), 1.0))

    def called_by(self, tasks: Places) -> Array:
        """Of all that come to each task, the share that some tasks call (T,)."""
        return np.asarray(self.shares[tasks].sum(axis=0)) if self.some else np.zeros(len(self.load.flow))

    @cached_property
    def onward(self) -> Array:
        """Free CPU of a visit of each task and of the tasks that it calls, but those that come to a group (T,) [s]."""
        if not self.some:
            return self.free
        return np.asarray(self.free + self.load.calls @ np.where(self.grouped, 0.0, self.load.rounds * self.free))

    @cached_property
    def apart(self) -> Array:
        """Free CPU of a visit of tasks that come to no group, as far as no task of one calls them (T,) [s]."""
        found = np.where(self.grouped, 0.0, self.free)
        return found * (1 - self.grouped @ self.shares) if self.some else found

    def number(self, tasks: Places) -> Array:
        """Visits of all tasks that one visit of some tasks calls."""
        return np.asarray(self.load.calls[tasks] @ self.load.rounds) if self.some else np.zeros(len(tasks))

    def cpu(self, tasks: Places, each: Array) -> Array:
        """CPU of the tasks that one visit of some tasks calls, given that of one visit of each (T,) [s]."""
        return np.asarray(self.load.calls[tasks] @ (self.load.rounds * each)) if self.some else np.zeros(len(tasks))

    def pieces(self, cpu: Array, mean: float) -> Array:
        """As how many pieces visits count, given the CPU of each and that of a mean one by their work [s]."""
        return np.asarray(np.minimum(cpu / max(LITTLE[bool(self.load.bursts)] * mean, 1e-300), 1.0))

    def visits(self, own: Places, work: Array, called: Array) -> Visits:
        """Visits to others than a group of the tasks `own` [1/s], the CPU of each [s], and how many pieces it counts as.

        A visit that calls another one, of free pieces alone, is one with it, and that is as much longer. What comes before
        tasks at groups is as little of a piece as it is of the mean one. The tasks of the group are last: what they do
        elsewhere, and what they call.

        Parameters
        ----------
        own : ndarray of int
        work : ndarray (T,)
            CPU of one visit of each task there [s].
        called : ndarray
            CPU of the tasks that one visit of each of `own` calls [s].
        """
        load, size = self.load, len(work)
        flow, merged, given = load.flow.copy(), np.zeros(size), np.zeros(size)
        before: Places = np.zeros(size, dtype=bool)
        if self.some:
            calls, before = np.where(self.grouped, 0.0, load.calls), np.asarray(load.calls[:, self.grouped].any(axis=1))
            calls[own] = 0.0
            each = calls.sum(axis=1)
            gone = np.minimum(each, 1.0)
            merged = load.flow @ calls
            share = np.divide(gone, each, out=np.zeros(size), where=each > 0)
            for _ in range(DEEP):
                visit = work + np.divide(given * merged, load.flow, out=np.zeros(size), where=load.flow > 0)
                given = np.divide((load.flow * share * visit) @ calls, merged, out=np.zeros(size), where=merged > 0)
            flow = np.maximum(flow - merged - load.rounds * (load.flow[own] @ load.calls[own]), 0.0) * (1 - gone)
            merged = merged * (1 - gone)
        flow[own] = 0.0
        many = (work[own] > 0) + self.number(own)
        flows = np.concatenate((flow, merged, load.flow[own] * many))
        cpu = np.concatenate((work, work + given, (work[own] + called) / np.maximum(many, 1e-300)))
        mean = mean_piece(flows, cpu)
        pieces = self.pieces(cpu, mean)
        pieces[:size][before] = np.minimum(work[before] / max(mean, 1e-300), 1.0)
        return flows, cpu, pieces

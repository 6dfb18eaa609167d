"""The Markov chain of the jobs present at a limited region and of those admitted, by class."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from qnsolve.numerics.markov_chain import stationary
from qnsolve.numerics.series import Array

from .entry_order import Index, Region


class Entrants:
    """States (n, m): n jobs of each class are at the region, m of them admitted, as many as the limits allow.

    The next job admitted is of class s with the share of s in the waiting jobs that may enter:
    the order of the queue is not part of the state, the jobs inside are.

    Parameters
    ----------
    region : Region
    """

    def __init__(self, region: Region) -> None:
        self.region, self.box = region, region.box
        capacity = np.array([cap.capacity for cap in region.caps])[:, None]
        under = np.array([[r in cap.classes for cap in region.caps] for r in range(len(self.box))])
        self.blocked = (under @ (region.held >= capacity)) > 0  # class r is not admitted at m
        self.feasible = np.flatnonzero((region.held <= capacity).all(axis=0))

    def count(self) -> int:
        """Number of states."""
        most = np.array(self.region.shape)[:, None] - 1
        free = np.where(self.blocked, most - self.box + 1, 1)[:, self.feasible]
        return int(free.astype(float).prod(axis=0).sum())

    def solve(self, arrive: Array, throughput: Array, low: Index, work: float) -> tuple[Array, Array, Array, Array]:
        """Probabilities of n and of m, share of each class's arrivals that wait, departure rate where n is at its largest.

        Parameters
        ----------
        arrive : ndarray (R, states)
            a_r(n) [jobs/time].
        throughput : ndarray (R, box)
            X_r(m) [jobs/time].
        low : ndarray (R,) of int
            Fewest jobs at the region.
        work : float
            Most products for the chain.
        """
        classes, shape = range(len(self.region.shape)), self.region.shape
        n, m = self._pairs()
        keep = (n >= low[:, None]).all(axis=0)
        n, m = n[:, keep], m[keep]
        at = np.ravel_multi_index(tuple(n), shape)
        size = self.box.shape[1]
        codes = at * size + m
        order = np.argsort(codes)
        n, m, at, codes = n[:, order], m[order], at[order], codes[order]
        arcs: list[tuple[Index, Index, Array]] = []

        def move(some: Index, to_n: Index, to_m: Index, rate: Array) -> None:
            arcs.append((some, np.searchsorted(codes, to_n * size + to_m), rate))

        steps = self.region.steps
        inner = [math.prod(self.region.room[s] + 1 for s in classes if s > r) for r in classes]
        line = n - self.box[:, m]
        stays = low == np.array(shape) - 1  # never away
        returns: dict[int, tuple[Index, Array]] = {}  # departures with others in line
        for r in classes:
            some = np.flatnonzero(n[r] < shape[r] - 1)
            move(some, at[some] + steps[r], m[some] + np.where(self.blocked[r, m[some]], 0, inner[r]), arrive[r, at[some]])
            some = np.flatnonzero((self.box[r, m] > 0) & ((n[r] > low[r]) | stays[r]))
            rate, left = throughput[r, m[some]], m[some] - inner[r]
            waiting = line[:, some] * ~self.blocked[:, left]  # jobs that may enter now
            total = waiting.sum(axis=0)
            none = total == 0
            fewer = 0 if stays[r] else steps[r]  # one that stays asks again at once
            if not stays[r]:
                move(some[none], at[some[none]] - fewer, left[none], rate[none])
            returns[r] = some[~none], rate[~none]
            for s in classes:
                here = waiting[s] > 0
                share = waiting[s, here] / total[here]
                move(some[here], at[some[here]] - fewer, left[here] + inner[s], rate[here] * share)
        origin, target, rates = (np.concatenate(column) for column in zip(*arcs, strict=True))
        axes = sorted(classes, key=lambda r: shape[r] - low[r])  # the longest changes last
        place = np.empty(len(codes), dtype=np.intp)
        place[np.lexsort([m, *(n[r] for r in axes)])] = np.arange(len(codes))
        p = stationary(len(codes), origin, target, rates, work, place)
        asking = arrive[:, at] * p
        last = p * (n == np.array(shape)[:, None] - 1)
        with np.errstate(invalid="ignore", divide="ignore"):
            delayed = (asking * self.blocked[:, m]).sum(axis=1) / asking.sum(axis=1)
            for r in np.flatnonzero(stays).tolist():
                some, rate = returns[r]
                delayed[r] = (rate * p[some]).sum() / (throughput[r, m] * p).sum()
            edge = (throughput[:, m] * last).sum(axis=1) / last.sum(axis=1)
        sums = ((at, self.region.n.shape[1]), (m, size))
        wanting, inside = (np.asarray(np.bincount(i, weights=p, minlength=n), dtype=float) for i, n in sums)
        return wanting, inside, delayed, edge

    def _pairs(self) -> tuple[NDArray[np.intp], Index]:
        """Every n and index of m."""
        most = np.array(self.region.shape) - 1
        n, m = [], []
        for place in self.feasible.tolist():
            here = self.box[:, place]
            ends = np.where(self.blocked[:, place], most, here)
            more = np.indices(tuple((ends - here + 1).tolist())).reshape(len(here), -1) + here[:, None]
            n.append(more)
            m.append(np.full(more.shape[1], place))
        return np.concatenate(n, axis=1), np.concatenate(m)

"""Power series in several variables, cut at the populations: the population lattice."""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import pairwise
from typing import Protocol

import numpy as np

from qnsolve.numerics.series import Array, Geometric


class Space(Protocol):
    """Power series that can be multiplied and divided by a sum over the classes."""

    def times(self, p: Array, u: Array) -> Array:
        """P times Σ u_r·z_r."""

    def divide(self, p: Array, u: Array) -> Array:
        """P over 1 − Σ u_r·z_r."""


class PopulationSeries:
    """Series in z_1 … z_R up to z^N, and the operations that the exact solver needs.

    The last class is the longest axis. The points of the other axes are rows,
    ordered by their sum, so that a recurrence over them runs level by level; a last
    row of zeros stands for whatever lies outside.

    Parameters
    ----------
    population : sequence of int (R,)
        N, ascending [jobs].
    """

    def __init__(self, population: Sequence[int]) -> None:
        self.population = [int(n) for n in population]
        self.classes = len(self.population)
        lead = [n + 1 for n in self.population[:-1]]
        rows = math.prod(lead)
        place = np.indices(lead).reshape(len(lead), rows)
        level = place.sum(axis=0)
        self.order = np.argsort(level, kind="stable")  # row -> its place in natural order
        rank = np.empty(rows, dtype=np.intp)
        rank[self.order] = np.arange(rows)
        self.shape = (rows + 1, self.population[-1] + 1)
        self.before = np.full((len(lead), rows), rows, dtype=np.intp)  # row with one job less
        for axis in range(len(lead)):
            inside = place[axis, self.order] > 0
            self.before[axis, inside] = rank[self.order[inside] - math.prod(lead[axis + 1 :])]
        self.mirror = rank[rows - 1 - self.order]
        bounds = np.searchsorted(level[self.order], np.arange(level.max() + 2))
        self.levels = [slice(a, b) for a, b in pairwise(bounds.tolist())]

    def one(self) -> Array:
        """The series 1."""
        p = np.zeros(self.shape)
        p[0, 0] = 1.0
        return p

    def product(self, axes: Sequence[Array]) -> Array:
        """The product of one series a class."""
        lead = np.ones(1)
        for axis in axes[:-1]:
            lead = np.multiply.outer(lead, axis).ravel()
        p = np.zeros(self.shape)
        np.multiply.outer(lead[self.order], axes[-1], out=p[:-1])
        return p

    def last(self, p: Array) -> float:
        """Coefficient of z^N."""
        return float(p[-2, -1])

    def last_but(self, p: Array, r: int) -> float:
        """Coefficient of z^N / z_r."""
        return float(p[-2, -2] if r == self.classes - 1 else p[self.before[r, -1], -1])

    def times(self, p: Array, u: Array) -> Array:
        """P times Σ u_r·z_r."""
        out = np.zeros(self.shape)
        np.multiply(p[:, :-1], u[-1], out=out[:, 1:])
        for r in np.flatnonzero(u[:-1]):
            out[:-1] += u[r] * p.take(self.before[r], axis=0)
        return out

    def divide(self, p: Array, u: Array) -> Array:
        """P over 1 − Σ u_r·z_r: along the last axis at once, over the rows level by level."""
        along = Geometric(float(u[-1]), self.shape[1])
        used = np.flatnonzero(u[:-1])
        out = np.zeros(self.shape)
        for level in self.levels:
            x = p[level].copy()
            for r in used:  # not as one product: small ones on several threads are slower on a busy machine
                earlier = out.take(self.before[r, level], axis=0)
                earlier *= u[r]
                x += earlier
            out[level] = along(x) if u[-1] else x
        return out

    def paired(self, p: Array, q: Array) -> Array:
        """Coefficient of z^N in z_r·p·q for each class r, shape (R,)."""
        opposite = np.ascontiguousarray(q.take(self.mirror, axis=0)[:, ::-1])
        sums = [np.einsum("ij,ij->", p.take(before, axis=0), opposite) for before in self.before]
        sums.append(np.einsum("ij,ij->", p[:-1, :-1], opposite[:, 1:]))
        return np.array(sums)

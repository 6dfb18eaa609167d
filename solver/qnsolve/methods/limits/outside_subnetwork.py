"""The network outside a limited region."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from qnsolve.methods.arrays import Arrays
from qnsolve.methods.product_form.open_network import open_network
from qnsolve.methods.product_form.subnetwork import Part, part
from qnsolve.numerics.series import Array

from .entry_order import Cap, Region
from .nested_limits import Mask


@dataclass(frozen=True)
class LimitLayout:
    """The limits of a model as arrays: R classes on A axes.

    Attributes
    ----------
    axes : list of ndarray
        The classes of each axis: one closed class, or open ones under the same limits.
    inside : ndarray (K,) of bool
        Stations of the region.
    caps : list of Cap
        One for each limit of the model, in its order.
    """

    axes: list[NDArray[np.intp]]
    inside: Mask
    caps: list[Cap]


class Outside:
    """The open and the closed classes at stations without limits."""

    def __init__(self, arrays: Arrays, plan: LimitLayout) -> None:
        self.arrays, self.plan = arrays, plan
        demand = np.where(plan.inside, 0.0, arrays.demand)
        opened = np.where(arrays.closed, 0.0, np.nan_to_num(arrays.arrival_rate))
        self.open = open_network(opened, demand, arrays.speeds)
        self.closed = np.flatnonzero(np.nan_to_num(arrays.population) > 0)
        self.place = {int(r): i for i, r in enumerate(self.closed)}
        self.part: Part | None = None
        if demand[self.closed].any():
            thinking = np.nan_to_num(arrays.think_time[self.closed])[:, None]
            populations = [int(n) for n in arrays.population[self.closed]]
            self.part = part(populations, np.hstack((demand[self.closed], thinking)), (*arrays.speeds, None))
        self.low = []
        for axis in plan.axes:
            r = int(axis[0])
            stays = arrays.closed[r] and arrays.think_time[r] == 0 and not demand[r].any()
            self.low.append(int(arrays.population[r]) if stays else 0)

    def arrivals(self, region: Region) -> Array:
        """Arrival rate of each axis at the region, at every state of it."""
        arrays, rates = self.arrays, []
        left = [np.full(region.n.shape[1], int(arrays.population[r])) for r in self.closed]
        for a, axis in enumerate(self.plan.axes):
            if arrays.closed[axis[0]]:
                left[self.place[int(axis[0])]] -= region.n[a]
        for a, axis in enumerate(self.plan.axes):
            r = int(axis[0])
            if not arrays.closed[r]:
                rates.append(np.full(region.n.shape[1], arrays.arrival_rate[axis].sum()))
            elif self.part is not None and self.low[a] == 0:
                rates.append(self.part.throughput[self.place[r]][tuple(left)])
            else:
                rates.append(left[self.place[r]] / (arrays.think_time[r] or 1.0))
        return np.array(rates)

    def states(self, p: Array) -> Array:
        """P(jobs of each closed class outside the region), from that of the jobs inside."""
        opened = tuple(a for a, axis in enumerate(self.plan.axes) if not self.arrays.closed[axis[0]])
        inside = p.sum(axis=opened)
        axes = [self.place[int(axis[0])] for axis in self.plan.axes if self.arrays.closed[axis[0]]]
        shape = [int(n) + 1 for n in self.arrays.population[self.closed]]
        found = np.zeros(shape)
        spot: list[slice | int] = [size - 1 for size in shape]
        for i in axes:
            spot[i] = slice(None)
        found[tuple(spot)] = np.transpose(np.flip(inside), np.argsort(axes)) if axes else 1.0
        return found

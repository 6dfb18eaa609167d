"""What is below a limit, as stations of it: regions and TRANCLASSes that fill."""

from __future__ import annotations

import numpy as np

from qnsolve.numerics.series import Array, Places
from qnsolve.zos.equilibrium.limits.unlike_limits import UnlikeLimits, speeds_in_line
from qnsolve.zos.hosts.limited.product_form import weights


class StationsBelow(UnlikeLimits):
    """Limits, and those below them; a region is its number there, a TRANCLASS ~ its pool."""

    def directly_below(self, region: int) -> list[int]:
        """Regions that tasks of this one alone come to, and wait there."""
        return [r for r in (*self.gates, *self.capped) if self.above[r] == region]

    def stations_below(self, regions: list[int]) -> list[int]:
        """Regions and TRANCLASSes that fill below one region, or several side by side; classes as ~ their pools."""
        found = [r for r in self.directly_below(regions[0]) if not self.classes_of(r)] + self.classes_below(set(regions))
        return [station for station in found if station in self.speeds]

    def tasks_in(self, stations: list[int]) -> float:
        """Tasks in and before regions and classes [count]."""
        w = self.work
        spent, places = w.flow * (w.holds() + w.wait), [self.tasks_at(station) for station in stations]
        return sum(float(spent[tasks].sum()) for tasks in places)

    def classes_below(self, regions: set[int]) -> list[int]:
        """TRANCLASSes that are stations of the one chain of these regions, each as ~ its pool."""
        return [~pool for pool, tasks in self.classes.items() if self.callers(tasks) == regions and self.senders(pool)]

    def senders(self, pool: int) -> frozenset[int]:
        """Regions from which alone tasks come to a TRANCLASS, in whose one chain it is a station; none where it has its own.

        A region that is itself a station of another one's chain has none.
        """
        found = self.callers(self.classes[pool])
        in_chains = {r for r in found if r in self.gates and (self.above[r] not in self.gates or self.classes_of(r))}
        return found if found == in_chains and all(self.as_one(r) == found for r in found) else frozenset()

    def as_one(self, region: int) -> set[int]:
        """Regions whose limits are solved in one chain with that of this one, and itself."""
        its = self.together_with(region)
        return {r for r in its if r in self.gates} if its[0] in self.gates else {region}

    def tasks_at(self, station: int) -> Places:
        """Tasks of a region, or of a TRANCLASS as ~ its pool."""
        return self.tasks[station] if station >= 0 else self.classes[~station]

    def weights_below(self, region: int, size: int, tilt: float) -> Array:
        """Weights of up to so many tasks in and before a region that fills below another one."""
        return weights(tilt * self.speeds[region][2] / self.in_line(region, size)[1:])

    def pace(self, stations: list[int], size: int, flow: float) -> float:
        """Tasks a second at which no station's weights still grow at so many tasks, `flow` at most [1/s].

        Speeds are the same at any pace; with weights that grow to the end those of few tasks are none that floats hold.
        """
        return min([flow, *(flow * float(self.in_line(r, size)[-1]) / self.speeds[r][2] for r in stations)])

    def in_line(self, region: int, size: int) -> Array:
        """Rates at which 0 … size tasks in and before a region leave it: fewer unlike ones while many are in line."""
        speed, limit, its = self.speeds[region]
        tasks, holds = self.tasks_at(region), self.work.holds()
        off = 1 - self.at_cps_of_all(tasks)  # the CPs serve all inside at once
        mixed = 1 + off * (self.mixed(tasks, holds, holds - self.work.on_cps) - 1) * max(1 - limit / size, 0.0)
        found = np.append(speed, np.full(max(0, size - limit), speed[limit]))[: size + 1]
        if size > limit:
            found[limit + 1 :] *= speeds_in_line(its / float(speed[limit]), mixed, size - limit)
        return found

"""What is below a limit, as stations of it: regions and TRANCLASSes that fill."""

from __future__ import annotations

import numpy as np

from qnsolve.numerics.series import Array, Places
from qnsolve.zos.equilibrium.limits.unlike_limits import UnlikeLimits, slower_in_line
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
        """TRANCLASSes to which tasks of these regions alone come, which fill, each as ~ its pool."""
        return [~p for p, tasks in self.classes.items() if self.callers(tasks) == regions] if regions <= set(self.gates) else []

    def tasks_at(self, station: int) -> Places:
        """Tasks of a region, or of a TRANCLASS as ~ its pool."""
        return self.tasks[station] if station >= 0 else self.classes[~station]

    def weights_below(self, region: int, size: int, tilt: float) -> Array:
        """Weights of up to so many tasks in and before a region that fills below another one."""
        return weights(tilt * self.speeds[region][2] / self.in_line(region, size)[1:])

    def in_line(self, region: int, size: int) -> Array:
        """Rates at which 0 … size tasks in and before a region leave it; unlike ones are fewer while many are in line."""
        speed, limit, its = self.speeds[region]
        tasks, holds = self.tasks_at(region), self.work.holds()
        flow = self.work.flow[tasks]
        off = 1 - float(flow @ self.work.on_cps[tasks]) / max(
            float(flow @ holds[tasks]), 1e-300
        )  # CPs serve all inside at once
        mixed = 1 + off * (self.mixed(tasks, holds, holds - self.work.on_cps) - 1) * max(1 - limit / size, 0.0)
        found = np.append(speed, np.full(max(0, size - limit), speed[limit]))[: size + 1]
        if size > limit:
            found[limit + 1 :] *= slower_in_line(its / float(speed[limit]), mixed, size - limit)
        return found

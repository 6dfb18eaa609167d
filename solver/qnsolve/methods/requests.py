"""How often jobs ask limits for room."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ..arrays import Arrays
from ..kernels.jobs import OUTSIDE
from ..kernels.series import Array
from ..plan import plan_of


def requests(arrays: Arrays, some: Sequence[int] | None = None) -> Array:
    """Requests of one job of each class on its way, shape (R,): at steps to where it needs a limit that it does not hold.

    Parameters
    ----------
    some : sequence of int, optional
        The limits that count; all where not given.
    """
    plan, classes = plan_of(arrays), range(len(arrays.demand))
    limits = plan.limits if some is None else [plan.limits[i] for i in some]
    asked = np.zeros(len(classes))
    for r in classes:
        for place, steps in plan.routes[r].items():
            visits = 1.0 if place == OUTSIDE or np.isnan(arrays.visits[r]).any() else float(arrays.visits[r, place])
            for k, share in steps:
                if any(r in x.classes and k in x.stations and place not in x.stations for x in limits):
                    asked[r] += visits * share
    return asked

"""Others that come to the processors the less often the more of them are there: of regions at their limits, and few users.

Among all others their numbers are those of a product form in which they come so. Taken as work that comes at rates a line of
ten tasks at most would have most of a hundred others, few other lines would be at work, and all would seem to be faster.
"""

from __future__ import annotations

import numpy as np

from qnsolve.numerics.series import Array
from qnsolve.zos.compile.compiled import Pool
from qnsolve.zos.hosts.load import Load

from .company import along
from .region_tasks import RegionTasks

SOME, HARDLY = 5, 0.9  # tasks at a line with which they come so much less often, or else it counts as one of many users
ALWAYS = 4.0  # rate at which they come to an empty line, over that in the mean, from which on some are there at nearly any time
FLOOR = 1e-12


def region_tasks(load: Load, k: int, flow: float, pieces: float) -> RegionTasks | None:
    """Tasks of the region of a QR TCB that its own limit lets in; None where none does.

    `flow` are their visits to the CPs [1/s], `pieces` the load of their free pieces.
    """
    region = load.groups[k].region
    if load.groups[k].kind is not Pool.QR or region not in load.gated or region in load.let_in:
        return None
    come = load.gated[region].clip(min=0.0) / flow
    return RegionTasks(come, pieces) if come[0] < ALWAYS else None


def come_to_line(load: Load, k: int, whole: Array, own: Array, top: int) -> Array | None:
    """Rate at which users come to a TCB with 0 … `top` tasks there, over that in the mean; None where they are many.

    `own` of its `whole` time on the CPs a transaction of each work spends there (W,) [s].
    """
    group = load.groups[k]
    if group.kind is not Pool.QR or group.region in load.gated or load.spread is None:
        return None
    works = load.spread.come(np.minimum(own, whole), np.arange(top + 1.0), whole)
    visits = np.bincount(load.work[group.tasks], load.visits[group.tasks], len(whole))
    found = visits @ works / max(float(load.flow[group.tasks].sum()), FLOOR)
    return found if found[min(SOME, top)] < HARDLY * found[0] and found[0] < ALWAYS else None


def come_of_region(load: Load, region: int, near: Array, share: float, come: Array | None) -> Array:
    """Rates at which tasks of a region at its limit come beside a group, with `near` of the others its own in the mean [1/s].

    These are a `share` of the others, by their work; `come` is the rate of the product form, where it is known. On one
    processor, which all share, any task there is as likely one of the region whatever the number of all; the more there are
    the more each line has a number of its own, that of a product form.
    """
    rates = load.gated[region]
    if load.filled.get(region, 0.0) > 0:
        return along(rates, near).clip(min=0.0)
    shared, part = _of_numbers(rates, near, share), 1 - 1 / max(load.engines, 1.0)
    return shared if come is None or part == 0 else np.asarray((1 - part) * shared + part * come)


def _of_numbers(rates: Array, mean: Array, share: float) -> Array:
    """Rates by a number of which the mean is known, a share of all: at two numbers as far apart as a binomial one spreads."""
    wide = np.maximum(mean * (1 - share), FLOOR)
    low = np.minimum(np.sqrt(wide), np.maximum(mean, FLOOR))
    high = wide / low
    below, above = (along(rates, its).clip(min=0.0) for its in (np.maximum(mean - low, 0.0), mean + high))
    return np.asarray((high * below + low * above) / (low + high))

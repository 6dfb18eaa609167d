"""How many times its work a system holds: the one headroom, by the stability condition itself."""

from __future__ import annotations

from dataclasses import dataclass
from math import inf, sqrt

import numpy as np

from qnsolve.numerics.series import Places
from qnsolve.zos.compile.compiled import Compiled, compiled
from qnsolve.zos.compile.needs import needs
from qnsolve.zos.hosts.birth_death import FullPoolError
from qnsolve.zos.hosts.demands import at_rest, demands
from qnsolve.zos.parts.system import SystemParts

from .solved import solved_point
from .utilization import center_loads, fullest

FINE, ROUGH = 1e-3, 0.01  # relative, of the factor; where points near it do not settle
STEPS, ROUNDS = 24, 6  # solutions, and rounds of one, at most
MARGIN = 5e-4  # by which a factor is tried below where it seems to end


@dataclass(frozen=True)
class Capacity:
    """Where the growth of work ends.

    Attributes
    ----------
    factor : float
        The most that the system holds, over its work of today: solved there, and not solved 0.1 percent above [ratio];
        infinite where no work with a rate grows: users only wait longer.
    center : str
        What is full there; "" where the factor is infinite.
    """

    factor: float
    center: str


def capacity(system: SystemParts, grows: Places | None = None) -> Capacity:
    """How many times its rates and users a system holds.

    Parameters
    ----------
    system : SystemParts
    grows : ndarray (W,) of bool, optional
        The work that grows; all where left out.
    """
    form = compiled(system)
    grows = np.ones(len(form.rate), dtype=bool) if grows is None else grows
    if not (grows & (form.rate > 0)).any():
        return Capacity(inf, "")
    bound, resource = _bound(form, grows)
    high, center = bound, resource
    low, guess = 0.0, high * (1 - MARGIN)
    fine = FINE
    for step in range(STEPS):
        try:
            work = solved_point(system, np.where(grows, guess, 1.0), ROUNDS).work
        except FullPoolError as error:
            high, center = guess, error.name if low == 0.0 else center
            first = low == 0.0 and step == 0 and guess > 1.0
            halfway = sqrt(max(low, high / 16) * high)
            guess = 1.0 if first else max(halfway, min(high / max(error.load, 1.0), high) * (1 - MARGIN))
        else:
            low, center, fine = guess, fullest(work), FINE if work.settled else ROUGH
            guess = min(sqrt(low * high), high * (1 - MARGIN))
        if high - low <= fine * high:
            break
    return Capacity(low, resource if low > (1 - 2 * FINE) * bound else center)


def _bound(form: Compiled, grows: Places) -> tuple[float, str]:
    """The factor at which a center has more to do than it can without any wait, and that center."""
    need = needs(form)
    ask = demands(form, need, at_rest(form))
    stays = dict(center_loads(form, need, ask, np.where(grows, 0.0, form.rate)))
    best, center = inf, ""
    for name, load in center_loads(form, need, ask, form.rate):
        still = stays.get(name, 0.0)
        if load > still and (1 - still) / (load - still) < best:
            best, center = max(1 - still, 0.0) / (load - still), name
    return best, center

"""Groups of transactions that come at once to the CPs of a host."""

from __future__ import annotations

import numpy as np

from qnsolve.numerics.series import Places
from qnsolve.zos.hosts.chains.jumps import Burst

from ..limits.limits import Limits
from ..working import Working
from .groups_on_the_way import in_groups
from .let_in import let_in


def bursts_at(work: Working, limits: Limits, here: Places) -> tuple[Burst, ...]:
    """Works that come in groups to some tasks that no full region lets out one by one."""
    found = []
    for w in np.flatnonzero(work.form.in_groups).tolist():
        for step in in_groups(work, limits, w):
            first, size = let_in(work, limits, step.share * here, step.size)
            if first.any():
                found.append(Burst(w, size, first))
    return tuple(found)

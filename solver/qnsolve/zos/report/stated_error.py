"""How far each response time may be off: the errors measured where the system is as full."""

from __future__ import annotations

import numpy as np

from qnsolve.zos.point.solved import SolvedPoint
from qnsolve.zos.point.utilization import held_places

from .region_of_use import stated, uses
from .system_result import SystemResult


def stated_errors(point: SolvedPoint, result: SystemResult) -> list[float]:
    """Of each work: what 95 of 100 measured errors of its region of use are within [ratio]; 0 where it is exact, or a bound."""
    work = point.work
    form = work.form
    if point.exact or not point.queues:
        return [0.0] * len(form.rate)
    busy = np.array([lpar.cpu_percent / 100 for lpar in result.lpars])
    return [stated(use) for use in uses(form, work.rate, busy, held_places(work))]

"""Response times of a simulated system, more precise by what is known of its load.

In a batch with more arrivals than the rates say, or with more CPU than the completed transactions ask for in the
mean, response times are longer. Both are known to be 0 in the mean: what they explain is taken off (control variates,
Lavenberg and Welch 1981), and the half width is that of the rest. On CPs or TCBs that are 90 % busy it is that of a
run about twice as long.
"""

from __future__ import annotations

from math import sqrt

import numpy as np
from qnsolve.numerics.least_squares import student
from qnsolve.numerics.series import Array
from qnsolve.simulation.precision import LEVEL
from qnsolve.zos.compile.compiled import Compiled, Op
from qnsolve.zos.report.region_of_use import tcb_use
from qnsolve.zos.simulate.simulated_system import SimulatedSystem

FEWEST = 24  # joined batches


def controls(form: Compiled, found: SimulatedSystem) -> Array:
    """What is 0 in the mean: load beyond the mean of the busiest CPs, TCB and of all times together (B, C)."""
    batches, works, hosts = found.batches, len(form.rate), len(form.engines)
    on_cpu, in_all = np.zeros((works, hosts)), np.zeros(works)
    for task, work in enumerate(form.work):
        for code, _, mean, _ in form.program(task):
            if code in (Op.CPU, Op.SHARED):
                on_cpu[work, form.host[task]] += form.visits[task] * mean * form.slower[form.host[task]]
            if code in (Op.CPU, Op.SHARED, Op.WAIT, Op.FIXED):
                in_all[work] += form.visits[task] * mean
    on_tcb = np.array([tcb_use(form, alone) for alone in np.eye(works)])
    done, arrived = batches.done[:, :works], batches.arrived[:, :works]
    time = np.asarray(batches.time)
    rate = done.sum(axis=0) / time.sum()
    host, tcb = int(np.argmax(rate @ on_cpu / form.engines)), int(np.argmax(rate @ on_tcb))
    more = np.where(form.rate > 0, arrived - np.outer(time, form.rate), 0.0)
    columns = [more @ on_cpu[:, host], more @ on_tcb[:, tcb], more @ in_all]
    if not np.isin(form.op_code, (Op.SPIN_ON, Op.ZIIP)).any() and not (form.fixed[:, 0] == host).any():
        queues = (found.queues.host == host) & (found.queues.rank > 0)
        columns.append(batches.busy[:, queues].sum(axis=1) - done @ on_cpu[:, host])
    return np.array([column for column in columns if column.std() > 0] or np.zeros((0, len(time)))).T


def controlled(form: Compiled, found: SimulatedSystem, work: int) -> tuple[float, float]:
    """Response time of a work and half width of its interval of 95 % [s]: with the controls where that is narrower."""
    plain = found.response(work)
    batches = found.batches
    above, below = batches.response[:, work], batches.done[:, work]
    rest = _joined(above - plain.value * below)
    given = controls(form, found)
    count, many = len(rest), given.shape[1]
    if many == 0 or count < FEWEST or not below.any():
        return plain.value, plain.half
    known = _joined(given)
    apart = known - known.mean(axis=0)
    slope = np.linalg.lstsq(apart, rest - rest.mean(), rcond=None)[0]
    left = rest - rest.mean() - apart @ slope
    spread = float((left**2).sum())
    one_after_another = max(float((left[1:] * left[:-1]).sum()) / spread, 0.0) if spread else 0.0
    widened = sqrt((1 + one_after_another) / (1 - min(one_after_another, 0.9)))
    freedom = count - 1 - many
    half = student((1 + LEVEL) / 2, freedom) * sqrt(spread / freedom * count) / float(below.sum()) * widened
    if half >= plain.half:
        return plain.value, plain.half
    return plain.value - float(known.sum(axis=0) @ slope) / float(below.sum()), half


def _joined(rows: Array) -> Array:
    return rows.reshape(-1, 2, *rows.shape[1:]).sum(axis=1)

"""Tasks that others of lower importance on their host call: they come when these end, which get the CPs that they leave."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from qnsolve.numerics.series import Array, Places
from qnsolve.zos.equilibrium.conservation import centers_of, left_to_do
from qnsolve.zos.equilibrium.host_load import load_of
from qnsolve.zos.equilibrium.limits.limits import Limits
from qnsolve.zos.equilibrium.working import Working
from qnsolve.zos.hosts.host_view import HostView
from qnsolve.zos.hosts.importance.lower_point import let_through
from qnsolve.zos.hosts.load import Called, HostPoint, Load

NONE = 1e-6  # of the work of higher importance, that which lower ones call, up to which there is none
EFFORT = 1.0  # over that of a chain of a TCB


def called_by(work: Working, limits: Limits, host: int, some: Places, callers: Places) -> Array:
    """Of the visits of some tasks on a host, the share that come when others of the callers there end (T,).

    Those that come out of a line before their limit do not, nor do later visits of one task.
    """
    form, flow = work.form, work.flow
    callers = callers & (form.host == host)
    calls = work.need.calls / np.maximum(work.need.calls.sum(axis=1, keepdims=True), 1.0)  # others come one after the other
    sent = (flow * callers) @ calls
    found = np.divide(sent, flow, out=np.zeros(len(flow)), where=some & (form.host == host) & (flow > 0))
    return np.asarray(np.minimum(found, 1.0) * _at_once(work, limits) / work.need.rounds)


def _at_once(work: Working, limits: Limits) -> Array:
    """Share of the tasks that find a place of their region when they come (T,)."""
    found = np.ones(len(work.form.work))
    for region in (*limits.gates, *limits.capped):
        crowd = work.crowds.get(limits.pool[region])
        if crowd is not None:
            found[limits.tasks[region]] = max(1 - crowd.full, 0.0)
    return found


def with_called(work: Working, limits: Limits, host: int, rank: float, load: Load) -> Load:
    """A load of all tasks down to an importance, with those among them that lower ones on the host call."""
    form = work.form
    share = called_by(work, limits, host, form.importance <= rank, form.importance > rank)
    cpu = HostView(load).cpu() * load.flow
    if not float(cpu @ share) > NONE * float(cpu.sum()):
        return load
    lower = load_of(work, limits, host, form.importance > rank, form.fixed[:, 1] > rank)
    if lower is None:
        return load
    work.effort += EFFORT
    return replace(load, called=let_through(HostView(load), HostView(lower), share))


def find_fewer(work: Working, load: Load, point: HostPoint, times: Array) -> None:
    """Let tasks that lower ones call wait less than those that come of themselves: they find fewer, and as many are there.

    In a line in order of arrival that is all that a task waits for; where it shares a server it is slowed by those that come
    while it is there, too: after n it takes (n + 2)/(2 - use) times as long as alone [M/M/1-PS].
    """
    called = load.called
    if called is None:
        return
    flow = work.flow * (load.flow > 0)
    free = float((HostView(load).cpu() * load.flow) @ (1 - called.share)) / load.engines
    in_order = {group.pool for group in load.groups if group.in_order}
    for center in centers_of(work, load, point, times, flow, left_to_do(work, load)):
        later = 0.0 if center.pool in in_order else free
        fewer = (called.found + later) / max(called.met + later, 1e-300)
        share = called.share[center.tasks]
        ratio, waits = 1 - share * (1 - min(fewer, 1.0)), np.maximum(center.time - center.alone, 0.0)
        less = float(center.flow @ (waits * ratio))
        if less > 0:
            scaled = center.alone + waits * ratio * float(center.flow @ waits) / less
            times[center.tasks] += scaled - center.time
            if center.pool is not None:
                work.at_group[center.pool][center.tasks] = scaled


def called_apart(work: Working, limits: Limits, host: int, rank: float, load: Load, known: Called | None) -> Load:
    """A load of all tasks above an importance, those of them apart that tasks of this call.

    `known` is what those down to the importance above it were given.
    """
    if known is None:
        return load
    form = work.form
    apart = called_by(work, limits, host, form.importance < rank, form.importance == rank)
    return replace(load, called=replace(known, apart=apart, share=np.maximum(known.share - apart, 0.0)))

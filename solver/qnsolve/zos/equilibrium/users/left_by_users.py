"""TCBs behind limits that work with rates asks for more than users elsewhere leave to one task, however many are let in."""

from __future__ import annotations

import numpy as np

from qnsolve.zos.compile.compiled import Pool
from qnsolve.zos.equilibrium.host_load import load_of
from qnsolve.zos.equilibrium.limits.limits import Limits
from qnsolve.zos.equilibrium.working import Working
from qnsolve.zos.hosts.host import Host
from qnsolve.zos.hosts.lines.beyond_share import beyond_share
from qnsolve.zos.hosts.spins import as_cpu

SELDOM = 0.01  # tasks of users before limits, in the mean, up to which these keep out none of them
WAITING = 1.0  # tasks before a limit, in the mean, from which on it is asked whether its TCB does what it must


def note_beyond_share(work: Working) -> None:
    """Note those TCBs: the lines of a chain that counts a limit have an end, and do not tell.

    The work inside a limit comes to its TCB no faster than it would without one. What grows without limits grows before them,
    but for those that keep out users.
    """
    form, users = work.form, work.form.users[work.form.work] > 0
    if not users.any() or users.all():
        return
    waiting = np.where(users, 0.0, work.flow) * work.pool_wait
    crowded = {int(form.pool_region[pool]) for pool in np.flatnonzero(waiting.sum(axis=1) > WAITING)}
    kept_out = form.host[users & (work.flow * work.wait > SELDOM)]
    for host in np.setdiff1d(form.host[np.isin(form.region, [*crowded])], kept_out).tolist():
        load = load_of(work, Limits(work), host, form.host == host, form.fixed[:, 0] == host, None, work.at_group)
        if load is None:
            continue
        chains = Host(as_cpu(load))
        lines = [k for k in chains.lines if load.groups[k].region in crowded and load.groups[k].kind is Pool.QR]
        for pool, asked in beyond_share(chains, work.hosts[host].free, lines).items():
            work.overloaded(pool, asked)

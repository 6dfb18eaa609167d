"""Who asks the CPs of a host: servers that hold tasks in a line (TCBs, threads, limits), and free pieces."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from qnsolve.numerics.series import Array, Places
from qnsolve.zos.compile.compiled import UNLIMITED, Compiled, Pool
from qnsolve.zos.compile.needs import Needs

from .demands import Demands


@dataclass(frozen=True, eq=False)
class ServerGroup:
    """Servers of one kind whose tasks wait in a line, each at work a unit on the CPs.

    Attributes
    ----------
    pool : int
    kind : Pool
    region, servers : int
    tasks : ndarray
        Places of those that come here.
    cpu, off, spin : ndarray
        CPU of one visit of each, time that it holds its server without a CP, and time that it spins on one [s].
    in_order : bool
        Pieces in order of arrival; otherwise the tasks share the server.
    """

    pool: int
    kind: Pool
    region: int
    servers: int
    tasks: Places
    cpu: Array
    off: Array
    spin: Array
    in_order: bool

    @property
    def alone(self) -> Array:
        """Time of one visit where nobody else is there [s]."""
        found: Array = self.cpu + self.off + self.spin
        return found


COLUMNS = {Pool.QR: "qr", Pool.RO: "ro", Pool.THREADS: "threads"}


def groups_of(
    form: Compiled, need: Needs, ask: Demands, here: Array, limits: dict[int, Array]
) -> tuple[list[ServerGroup], Array]:
    """The groups of the tasks `here`, all of one host, and CPU and spins of free pieces of each task, one visit (2, T).

    `limits` are pools of regions that CPU work fills, with the time off the CPs of their tasks: all that these do on CPs
    is a group of so many servers.
    """
    whole = {int(form.pool_region[pool]) for pool in limits}
    spin = np.where(here, ask.open_spin, 0.0) / need.rounds
    free = np.where(here, ask.cpu, 0.0) / need.rounds - spin
    found: list[ServerGroup] = []
    for pool in np.flatnonzero(np.isin(form.pool_kind, list(COLUMNS))).tolist():
        kind, region = Pool(form.pool_kind[pool]), int(form.pool_region[pool])
        column = getattr(ask, COLUMNS[kind])
        tasks = np.flatnonzero((form.region == region) & here & (column > 0))
        if len(tasks) and region not in whole:
            off = ask.thread_off[tasks] if kind is Pool.THREADS else np.zeros(len(tasks))
            spins = ask.qr_spin[tasks] if kind is Pool.QR else np.zeros(len(tasks))
            rounds = need.rounds[tasks]
            order = kind is not Pool.QR or bool(need.in_order[tasks].any())
            each = (column[tasks] - spins) / rounds, off / rounds, spins / rounds
            found.append(ServerGroup(pool, kind, region, int(form.pool_size[pool]), tasks, *each, order))
    for pool, off in limits.items():
        tasks = np.flatnonzero((form.region == form.pool_region[pool]) & here)
        if len(tasks) and form.pool_size[pool] < UNLIMITED:
            size, region = int(form.pool_size[pool]), int(form.pool_region[pool])
            spins = (ask.open_spin + ask.qr_spin)[tasks]
            each = ask.on_cps[tasks] - spins, off[tasks] + ask.thread_off[tasks], spins
            found.append(ServerGroup(pool, Pool.LIMIT, region, size, tasks, *each, True))
            free[tasks] = spin[tasks] = 0.0
    return found, np.array([free, spin])

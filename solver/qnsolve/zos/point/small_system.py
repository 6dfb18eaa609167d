"""Systems of a few users, solved exactly: the Markov chain of their network."""

from __future__ import annotations

from math import comb, inf, prod

import numpy as np

from qnsolve.errors import QnsolveError
from qnsolve.model.job_classes import ClosedClass
from qnsolve.model.network import Network
from qnsolve.model.station_types import Queue
from qnsolve.results.solution import Solution
from qnsolve.zos.compile.compiled import Compiled, Pool
from qnsolve.zos.compile.needs import Needs
from qnsolve.zos.compile.plain_network import plain_network
from qnsolve.zos.equilibrium.working import Working
from qnsolve.zos.hosts.demands import at_rest
from qnsolve.zos.hosts.load import HostPoint, LimitSeen

STATES = 2000  # of the chain: a quarter of a second or so
LINES, ORDERS = 24, 8  # users, at most, where there are limits, and unlike service in order of arrival


def small_system(form: Compiled, need: Needs) -> Working | None:
    """The operating point by the chain; None where it is large, or the system has more than users, TCBs and devices."""
    network = plain_network(form, need) if (form.users > 0).all() else None
    if network is None or _states(network) > STATES or form.users.sum() > _most_users(network):
        return None
    from qnsolve.methods.solve import solve  # all methods of networks: for few systems only

    try:
        exact = solve(network, method="markov")
    except QnsolveError:
        return None
    work = Working.unloaded(form, need, at_rest(form), form.rate)
    tasks, ask = len(form.work), work.ask
    names = [item.name for item in form.system.work]
    work.rate = np.array([exact[name].throughput for name in names])
    stretch = {(p.class_name, p.station): p.residence_time / p.demand for p in exact.pairs if p.demand > 0}
    free = np.zeros(tasks)
    for t, w in enumerate(form.work):
        region, name = form.system.regions[int(form.region[t])].name, names[w]
        for pool in np.flatnonzero(form.pool_region == form.region[t]):
            if form.pool_kind[pool] == Pool.QR and ask.qr[t] > 0:
                at = work.at_group.setdefault(int(pool), np.zeros(tasks))
                at[t] = ask.qr[t] * stretch[name, f"{region} QR"]
        free[t] = ask.cpu[t] * stretch.get((name, f"{region} TCBs"), 1.0)
        for pool in np.flatnonzero(need.lines[t]):
            work.line_time[t, pool] *= stretch[name, form.pool_name[pool]]
    work.in_lines = work.line_time.sum(axis=1)
    work.on_cps = free + sum(work.at_group.values(), np.zeros(tasks))
    for at_pool in work.at_group:
        region = form.system.regions[int(form.pool_region[at_pool])].name
        dispatched = 1 - float(exact.distribution(f"{region} QR")[0])
        here = form.region == form.pool_region[at_pool]
        work.service[at_pool] = dispatched / float(work.flow @ (ask.qr * here))
    for host in range(len(form.engines)):
        here = form.host == host
        beside = float(work.flow @ (ask.cpu * here))
        work.hosts.append(HostPoint([], float(work.flow @ (free * here)) / beside if beside > 0 else 1.0, 0.0))
    _limits(work, exact)
    work.settled = True
    return work


def _limits(work: Working, exact: Solution) -> None:
    """What is before each limit, as the chain has it; limits that the network leaves out cannot be reached."""
    form = work.form
    waits = np.array([exact[form.system.work[w].name].admission_wait for w in form.work]) / form.visits
    left = waits.copy()  # what is not for a TRANCLASS is for the region
    found = {form.pool_name.index(limit.name): limit for limit in exact.limits}
    regions = {int(form.pool_region[pool]) for pool in found if form.pool_kind[pool] == Pool.LIMIT}
    for pool in sorted(found, key=lambda pool: -int(form.pool_kind[pool])):  # classes first
        limit = found[pool]
        tasks = np.array([t for t, held in enumerate(work.need.limits) if pool in held])
        flow = work.flow[tasks]
        everywhere = float(flow @ waits[tasks])
        share = 1.0
        if form.pool_kind[pool] == Pool.TRANCLASS and int(form.pool_region[pool]) in regions and everywhere > 0:
            share = min(limit.number_outside / everywhere, 1.0)
        work.pool_wait[pool, tasks] = share * left[tasks]
        left[tasks] -= work.pool_wait[pool, tasks]
        delayed = np.array([exact[form.system.work[w].name].fraction_delayed for w in form.work[tasks]])
        seen = float(flow @ delayed) / float(flow.sum())
        work.seen[pool] = LimitSeen(limit.probability_full, seen, float(limit.number_outside_95))


def _states(network: Network) -> int:
    """States of the chain, at most: ways in which the users of each kind can be spread."""
    kinds = [c for c in network.classes if isinstance(c, ClosedClass)]
    return prod(comb(c.population + len(c.stations()) - (c.think_time == 0), c.population) for c in kinds)


def _most_users(network: Network) -> float:
    """Users up to which the order of those who wait keeps the chain small."""
    in_order = any(isinstance(station, Queue) and station.discipline == "fcfs" for station in network.stations)
    return ORDERS if in_order else LINES if network.limits else inf

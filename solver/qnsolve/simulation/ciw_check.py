"""The same simulation by Ciw, an independent library, for the models that it accepts."""

from __future__ import annotations

import importlib
from math import inf, nan
from typing import Any

import numpy as np

from qnsolve.errors import NoMethodError, missing_package
from qnsolve.methods.job_process import JobProcess
from qnsolve.methods.markov.job_moves import OUTSIDE
from qnsolve.numerics.random_times import branch, spread

from .counted_batches import Batches


def refuses(plan: JobProcess) -> str:
    """Why Ciw does not accept a model; "" where it does."""
    if plan.limits:
        return "admission limits"
    lines = {kind for kind in plan.kinds if kind in ("fcfs", "preemptive", "nonpreemptive")}
    if "fcfs" in lines and len(lines) > 1 and len(set(plan.rank)) > 1:
        return "stations with priorities beside others first come first served"
    for kind, speeds in zip(plan.kinds, plan.speeds, strict=True):
        if kind == "shared" and speeds != tuple(float(n) for n in range(1, len(speeds) + 1)):
            return "load-dependent stations"
    return _blocking_refuses(plan)


def _blocking_refuses(plan: JobProcess) -> str:
    """Why Ciw does not accept a model's blocking: it blocks servers of queues only, and places of returning jobs too."""
    full = [k for k, room in enumerate(plan.capacity) if room < inf]
    if full and any(kind not in ("fcfs", "delay") for kind in plan.kinds):
        return "stations where service is shared or has priorities, beside a capacity"
    for r, route in enumerate(plan.routes if full else ()):
        if plan.population[r] is not None and not plan.outside[r]:
            return "classes with zero think time, beside a capacity"
        if any(following == k in full for k, steps in route.items() for following, _ in steps):
            return "jobs that come back to the station they leave, beside a capacity"
    return ""


def simulate(plan: JobProcess, jobs: int, batches: int, seed: int, throughput: float, warm: float = 0.1) -> Batches:
    """As `events.simulate`, over the expected time for that number of jobs.

    Parameters
    ----------
    plan : JobProcess
    jobs, batches, seed, warm
        As for `events.simulate`; the batches are of equal length in time.
    throughput : float
        Expected, of all classes together [jobs/time].

    Raises
    ------
    ModelError
        Where Ciw is not installed.
    NoMethodError
        Where Ciw does not accept the model.
    """
    reason = refuses(plan)
    if reason:
        raise NoMethodError({"simulation by Ciw": f"Ciw does not accept {reason}; take simulator 'events'"})
    try:
        ciw = importlib.import_module("ciw")
    except ModuleNotFoundError as error:
        raise missing_package("verify: simulator 'ciw'", error, "ciw") from None
    long = jobs / throughput
    end = long * (1 + warm)
    ciw.seed(seed)
    run = ciw.Simulation(_network(ciw, plan), node_class=[ciw.Node, *(_node(ciw, kind) for kind in plan.kinds)])
    run.simulate_until_max_time(end * (1 + 1e-9))
    return _batches(
        run.get_all_records(only=["service"], include_incomplete=True), plan, np.linspace(end - long, end, batches + 1)
    )


def _node(ciw: Any, kind: str) -> Any:
    return ciw.PSNode if kind == "shared" else ciw.Node


def _network(ciw: Any, plan: JobProcess) -> Any:
    """Node 1 is the outside: open classes pass it in no time, closed ones think there."""
    stations = range(len(plan.kinds))
    names = [f"class {r}" for r in range(len(plan.rank))]
    arrivals, batching, service, routing = {}, {}, {}, {}
    nowhere = [None] * len(plan.kinds)
    for r, name in enumerate(names):
        n = plan.population[r]
        think = _times(ciw, plan.outside[r], plan.arrival_variation[r])
        if n is None:
            values, shares = spread(plan.batch_size[r], plan.batch_variation[r])
            arrivals[name], batching[name] = [think, *nowhere], [ciw.dists.Pmf(values, shares), *nowhere]
        else:
            arrivals[name] = [ciw.dists.Sequential([0.0, inf]), *nowhere]
            batching[name] = [ciw.dists.Deterministic(n), *nowhere]
        outside = ciw.dists.Deterministic(0.0) if n is None else think
        service[name] = [outside, *(_times(ciw, plan.service[r, k], plan.variation[r, k]) for k in stations)]
        matrix = np.zeros((len(plan.kinds) + 1, len(plan.kinds) + 1))
        for place, steps in plan.routes[r].items():
            for following, share in steps:
                matrix[place + 1, following + 1] = share
        if n is None:
            matrix[:, 0] = 0.0  # leaves
        routing[name] = matrix.tolist()
    levels = sorted(set(plan.rank)) if any("preemptive" in kind for kind in plan.kinds) else []
    given: dict[str, Any] = {}
    if levels:
        ways = [False, *("resume" if kind == "preemptive" else False for kind in plan.kinds)]
        given["priority_classes"] = ({name: levels.index(rank) for name, rank in zip(names, plan.rank, strict=True)}, ways)
    shared = [k for k, kind in enumerate(plan.kinds) if kind == "shared"]
    if shared:
        given["ps_thresholds"] = [1, *(len(plan.speeds[k]) if k in shared else 1 for k in stations)]
    free = [kind in ("shared", "delay") for kind in plan.kinds]
    if plan.capacity and min(plan.capacity) < inf:
        rooms = zip(plan.capacity, plan.speeds, strict=True)
        given["queue_capacities"] = [inf, *(inf if room == inf else int(room) - len(speeds) for room, speeds in rooms)]
    return ciw.create_network(
        arrival_distributions=arrivals,
        batching_distributions=batching,
        service_distributions=service,
        routing=routing,
        number_of_servers=[inf, *(inf if free[k] else len(plan.speeds[k]) for k in stations)],
        **given,
    )


def _times(ciw: Any, mean: float, variation: float) -> Any:
    """The same distributions as `draws.times`."""
    if mean in (0, inf) or variation == 0:
        return ciw.dists.Deterministic(mean if mean < inf else 0.0)
    if variation == 1:
        return ciw.dists.Exponential(1 / mean)
    if variation < 1:
        return ciw.dists.Gamma(1 / variation, mean * variation)
    share = branch(variation)
    return ciw.dists.HyperExponential([2 * share / mean, 2 * (1 - share) / mean], [share, 1 - share])


def _batches(records: list[Any], plan: JobProcess, edges: np.ndarray) -> Batches:
    """The batches between the edges, from Ciw's record of each visit; a visit in progress has no end."""
    classes, stations = len(plan.rank), len(plan.kinds)
    rows = [
        (int(rec.original_customer_class.split()[1]), rec.node - 2, rec.arrival_date, rec.exit_date, rec.destination)
        for rec in records
    ]
    # text for an interrupted service
    service = np.array([nan if isinstance(rec.service_time, str) else rec.service_time for rec in records], dtype=float)
    job, place, start, end, following = (np.array(column, dtype=float) for column in zip(*rows, strict=True))
    end = np.nan_to_num(end, nan=inf)
    through = np.isin(following, (-1, 1)) & np.isfinite(end)
    stretch = np.searchsorted(edges, end, side="right") - 1  # in which it ended
    shape = (len(edges) - 1, classes, stations)
    visits, area, work = np.zeros(shape), np.zeros(shape), np.zeros(shape)
    finished, waiting = np.zeros(shape[:2]), np.zeros(shape[:2])
    in_parts = [kind in ("shared", "preemptive") for kind in plan.kinds]
    for r in range(classes):
        done = stretch[(job == r) & through]
        finished[:, r] = [(done == b).sum() for b in range(shape[0])]
        for k in range(stations):
            here = (job == r) & (place == k)
            spent = np.minimum(end[here][None], edges[:, None]) - np.minimum(start[here][None], edges[:, None])
            area[:, r, k] = np.diff(spent.sum(axis=1))
            for b in range(shape[0]):
                ended = here & (stretch == b)
                visits[b, r, k], work[b, r, k] = ended.sum(), service[ended].sum()
        here = (job == r) & (place == -1)  # at the end of the time outside, and waiting there for a place
        from_then = np.array([rec.service_end_date for rec in records], dtype=float)[here]
        from_then = np.where(np.isnan(from_then), inf, from_then)
        spent = np.minimum(end[here][None], edges[:, None]) - np.minimum(from_then[None], edges[:, None])
        waiting[:, r] = np.diff(np.maximum(spent, 0.0).sum(axis=1))
    work[:, :, in_parts] = np.nan  # Ciw records the length of the last part of a service, not the whole
    none = np.zeros(shape[:2])  # Ciw has no limits and does not report delayed jobs
    return Batches(np.diff(edges), finished, visits, area, work, waiting, none, none, len(records))


assert OUTSIDE == -1

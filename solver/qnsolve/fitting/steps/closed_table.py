"""One closed class at queues and delays: the exact product form of many points at all populations, by one table."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from qnsolve.measure.checked_series import Array
from qnsolve.model.job_classes import ClosedClass
from qnsolve.model.network import Network
from qnsolve.model.station_types import Delay, Queue

MOST_JOBS = 400  # of a table
LARGEST = 600.0  # logarithm of a term, in units of its point, beyond which numbers of the machine may end


def closed_table(
    network: Network, figures: Mapping[str, Mapping[str, Any]], populations: Array, points: int
) -> dict[str, Array] | None:
    """Columns (P, L) by NAME.quantity at L populations; None where the network has more than this.

    Parameters
    ----------
    network : Network
        Of one closed class; queues that share their servers, and delays.
    figures : mapping
        What differs between the points: by class or station, then key, each (P,) or, of demands, by station.
    populations : ndarray (L,)
        Whole numbers of jobs.
    points : int
        P.

    Notes
    -----
    X(N) = G(N - 1)/G(N) by convolution [Buzen1973]; all terms are above 0, so that nothing cancels.
    """
    if not _plain(network, figures):
        return None
    job_class = network.classes[0]
    assert isinstance(job_class, ClosedClass)
    own = figures.get(job_class.name, {})
    known, fitted = job_class.demands or {}, own.get("demands", {})
    demands = {each.name: _of(fitted.get(each.name, known.get(each.name, 0.0)), points) for each in network.stations}
    think = _of(own.get("think_time", job_class.think_time), points)
    queues = [each for each in network.stations if isinstance(each, Queue)]
    servers = {each.name: _of(figures.get(each.name, {}).get("servers", each.servers), points) for each in queues}
    away = think + sum((demands[each.name] for each in network.stations if isinstance(each, Delay)), np.zeros(points))
    jobs = np.round(populations).astype(int)
    if jobs.min() < 1 or jobs.max() > MOST_JOBS:
        return None
    rate = _rates(away, [demands[each.name] for each in queues], [servers[each.name] for each in queues], int(jobs.max()))
    if rate is None:
        return None
    rate = rate[:, jobs - 1]
    columns = {f"{job_class.name}.rate": rate, f"{job_class.name}.response_time": jobs / rate - think[:, None]}
    return columns | {f"{name}.busy": rate * (demands[name] / count)[:, None] for name, count in servers.items()}


def _plain(network: Network, figures: Mapping[str, Mapping[str, Any]]) -> bool:
    job_class = network.classes[0]
    if len(network.classes) != 1 or not isinstance(job_class, ClosedClass) or network.limits:
        return False
    if job_class.routing is not None or job_class.visits or getattr(job_class, "service_variation", None):
        return False
    stations = all(
        isinstance(s, Delay) or (isinstance(s, Queue) and s.discipline == "ps" and s.on is None and s.capacity is None)
        for s in network.stations
    )
    known = {"think_time", "demands"}
    return stations and all(set(keys) <= (known if name == job_class.name else {"servers"}) for name, keys in figures.items())


def _of(given: Any, points: int) -> Array:
    return np.array(np.broadcast_to(np.asarray(given, dtype=np.float64), points))


def _rates(away: Array, demands: Sequence[Array], servers: Sequence[Array], most: int) -> Array | None:
    """Throughput (P, most) with 1 to `most` jobs; None where the terms leave the numbers of the machine."""
    unit = away + sum((d for d in demands), np.zeros(len(away)))  # cycle of a job alone
    n = np.arange(1.0, most + 1)
    with np.errstate(divide="ignore"):
        logs = [np.cumsum(np.log((away / unit)[:, None] / n), axis=1)]
        for demand, count in zip(demands, servers, strict=True):
            logs.append(np.cumsum(np.log((demand / unit)[:, None] / np.minimum(n, count[:, None])), axis=1))
    # so that a busy point neither falls to 0 nor rises beyond bounds: terms in units of the largest growth of any
    growth = np.max([each[:, -1] for each in logs], axis=0) / most
    terms = [np.hstack([np.zeros((len(unit), 1)), each - growth[:, None] * n]) for each in logs]
    if max(float(each.max()) for each in terms) > LARGEST:
        return None
    found = np.exp(terms[0])
    for each in terms[1:]:
        weights, whole = np.exp(each), np.zeros_like(found)
        for j in range(most + 1):
            whole[:, j:] += weights[:, j : j + 1] * found[:, : most + 1 - j]
        found = whole
    if not (np.isfinite(found).all() and (found > 0).all()):
        return None
    return np.asarray(found[:, :-1] / found[:, 1:] * np.exp(-growth)[:, None] / unit[:, None])

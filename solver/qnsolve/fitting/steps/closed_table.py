"""One closed class at queues and delays: the exact product form of many points at all populations, by one table."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from qnsolve.measure.checked_series import Array
from qnsolve.methods.arrays import counted
from qnsolve.methods.product_form.batch_convolution import all_populations
from qnsolve.model.job_classes import ClosedClass
from qnsolve.model.network import Network
from qnsolve.model.station_types import Delay, Queue

MOST_JOBS = 400  # of a table


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
    most = int(jobs.max())
    asked = np.column_stack([demands[each.name] for each in queues] or [np.zeros((points, 0))])
    speeds = [_speeds(servers[each.name], most) for each in queues]
    rate = all_populations(most, away, asked, speeds)
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


def _speeds(servers: Array, most: int) -> list[Array | None]:
    """Speeds by number of jobs, of each point, or once where all have as many servers."""
    kinds: dict[float, Array | None] = {m: counted(m, most) for m in set(servers.tolist())}
    return [kinds[m] for m in servers.tolist()] if len(kinds) > 1 else list(kinds.values())

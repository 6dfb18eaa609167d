"""Visits from routing probabilities, with class switching too; and a chain of classes as one class."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping, Sequence
from typing import Any, TypeVar

import numpy as np

from qnsolve.errors import ModelError, suggestion
from qnsolve.numerics.markov_chain import stationary

from . import checks

Place = TypeVar("Place", bound=Hashable)  # a station; or a class and a station
NEAR = 1e-9  # tolerance of a sum of probabilities


def visits(
    routing: Mapping[Place, Mapping[Place, float]] | Any,
    *,
    stations: Sequence[Place] | None = None,
    entry: Mapping[Place, float] | Sequence[float] | None = None,
    exits: Mapping[Place, float] | Sequence[float] | None = None,
    reference: Place | None = None,
) -> dict[Place, float]:
    """Mean visits of one job to each station, from routing probabilities.

    Parameters
    ----------
    routing : mapping, or matrix (K, K)
        For each station the probability of each next one [0..1]. With class switching
        a place is a pair of class and station.
    stations : sequence, optional
        The names of the rows of a matrix.
    entry, exits : mappings, or sequences (K,), optional
        Where jobs start, and the probability that a job leaves after each station [0..1]:
        of an open class, or of a closed one whose jobs think outside.
    reference : station, optional
        In place of entry and exits, for jobs that never leave: visits are counted for
        one visit there.

    Returns
    -------
    dict
        For each place, in the order given. With class switching only the chain that the
        reference or the entry belongs to.

    Raises
    ------
    ModelError
        Where probabilities do not sum to 1, or jobs cannot reach or leave a station.

    Notes
    -----
    The equations v = entry + v·P are solved by elimination without a subtraction
    [Grassmann1985]: no visit is negative, small ones keep their digits.

    Examples
    --------
    >>> visits({"cpu": {"disk": 0.75}, "disk": {"cpu": 1.0}}, entry={"cpu": 1.0}, exits={"cpu": 0.25})
    {'cpu': 4.0, 'disk': 3.0}
    >>> visits([[0.0, 1.0], [0.5, 0.5]], stations=["cpu", "disk"], reference="cpu")
    {'cpu': 1.0, 'disk': 2.0}
    """
    table = _table(routing, stations)
    begin, end = _vector("entry", entry, table), _vector("exits", exits, table)
    if (reference is None) == (entry is None) or (entry is None) != (exits is None):
        rule = "needs either entry with exits, or reference"
        raise ModelError(
            "visits", rule, "give entry and exits for jobs that come from outside, reference for jobs that never leave"
        )
    for place, row in table.items():
        _sums(f"routing[{place!r}]", sum(row.values()) + end.get(place, 0.0), " with its exit")
    if reference is None:
        _sums("entry", sum(begin.values()), "")
        index: dict[Any, int] = {None: 0} | {place: i for i, place in enumerate(table, 1)}
        arcs = [(0, index[place], p) for place, p in begin.items()] + [(index[place], 0, p) for place, p in end.items()]
    elif reference not in table:
        raise ModelError(
            "reference", "must be a station of the routing", suggestion(str(reference), map(str, table)), reference
        )
    else:
        index = {place: i for i, place in enumerate(sorted(table, key=lambda place: place != reference))}
        arcs = []
    arcs += [(index[a], index[b], p) for a, row in table.items() for b, p in row.items()]
    arcs = [(i, j, p) for i, j, p in arcs if p > 0]
    inside = _chain(arcs, {i: place for place, i in index.items()})
    number = {i: n for n, i in enumerate(inside)}
    used = [(number[i], number[j], p) for i, j, p in arcs if i in number and i != j]
    origin, target, p = zip(*used, strict=True) if used else ((), (), ())
    shares = stationary(len(inside), np.array(origin, dtype=np.intp), np.array(target, dtype=np.intp), np.array(p))
    return {place: float(shares[number[index[place]]] / shares[0]) for place in table if index[place] in number}


def _table(routing: Any, stations: Sequence[Place] | None) -> dict[Place, dict[Place, float]]:
    """Each place's row of probabilities."""
    if not isinstance(routing, Mapping):
        rows = [checks.listed(f"routing[{i}]", row) for i, row in enumerate(checks.listed("routing", routing), 1)]
        names: list[Any] = list(checks.listed("stations", stations if stations is not None else ()))
        if len(names) != len(rows) or any(len(row) != len(names) for row in rows):
            shape = [len(row) for row in rows]
            raise ModelError("routing", f"must have a row and a column for each of {len(names)} stations", "name them", shape)
        routing = {name: dict(zip(names, row, strict=True)) for name, row in zip(names, rows, strict=True)}
    elif stations is not None:
        raise ModelError("stations", "is allowed only with a matrix", "remove it: the routing names its stations")
    table: dict[Any, dict[Any, float]] = {}
    for place, row in routing.items():
        if not isinstance(row, Mapping):
            raise ModelError(f"routing[{place!r}]", "must give a probability for each next station", "{ to = p, ... }", row)
        table[place] = {to: _share(f"routing[{place!r}][{to!r}]", p) for to, p in row.items()}
    for row in list(table.values()):
        for to in row:
            table.setdefault(to, {})
    if not table:
        raise ModelError("routing", "must not be empty", "write { from = { to = p } }", {})
    return table


def _share(item: str, value: object) -> float:
    p = checks.number(item, value)
    if p > 1 + NEAR:
        raise ModelError(item, "must lie within 0 and 1", "write a probability", value)
    return p


def _vector(item: str, values: Any, table: Mapping[Place, Any]) -> dict[Place, float]:
    """Probabilities by place."""
    if values is None:
        return {}
    if not isinstance(values, Mapping):
        listed = checks.listed(item, values)
        if len(listed) != len(table):
            raise ModelError(item, f"must have {len(table)} probabilities", "give one for each station", listed)
        values = dict(zip(table, listed, strict=True))
    for place in values:
        if place not in table:
            raise ModelError(item, "must name a station of the routing", suggestion(str(place), map(str, table)), place)
    return {place: _share(f"{item}[{place!r}]", p) for place, p in values.items()}


def _sums(item: str, total: float, what: str) -> None:
    if abs(total - 1) > NEAR:
        raise ModelError(item, f"must sum to 1{what}", "correct the probabilities, or give the rest as exits", total)


def _chain(arcs: list[tuple[int, int, float]], names: Mapping[int, Any]) -> list[int]:
    """The places that jobs reach from the first one, in that order; checks that all lead back to it."""
    onward = _reached([(i, j) for i, j, _ in arcs])
    back = _reached([(j, i) for i, j, _ in arcs])
    for i, name in names.items():
        if i in back and i not in onward:
            raise ModelError(f"routing[{name!r}]", "must be reached by jobs", "remove it, or route jobs to it")
        if i in onward and i not in back:
            raise ModelError(f"routing[{name!r}]", "must lead back or out: jobs never leave it", "add a route, or an exit")
        if i not in onward and not isinstance(name, tuple):
            raise ModelError(f"routing[{name!r}]", "must be reached by jobs", "remove it")
    return sorted(onward)


def _reached(arcs: Iterable[tuple[int, int]]) -> set[int]:
    following: dict[int, list[int]] = {}
    for i, j in arcs:
        following.setdefault(i, []).append(j)
    found, fresh = {0}, [0]
    for i in fresh:  # grows during the loop
        new = dict.fromkeys(j for j in following.get(i, ()) if j not in found)
        found.update(new)
        fresh += new
    return found


def chain_class(
    visits: Mapping[tuple[str, str], float], service_times: Mapping[tuple[str, str], float]
) -> dict[str, dict[str, float]]:
    """The visits and service times of one class in place of a chain of classes.

    Jobs that change class act as one class on the rest of the network: at each station its
    visits are the sum over the classes, its service time their mean weighted by visits.
    Exact where the station has product form; first come first served requires the same
    service time in all classes.

    Parameters
    ----------
    visits : mapping of (class, station) to float
        As `visits` returns them [per job].
    service_times : mapping of (class, station) to float
        Mean time per visit [time].

    Returns
    -------
    dict
        `visits` and `service_times` by station, to be passed on to a class.

    Examples
    --------
    >>> chain_class({("read", "cpu"): 3.0, ("write", "cpu"): 1.0}, {("read", "cpu"): 0.1, ("write", "cpu"): 0.5})
    {'visits': {'cpu': 4.0}, 'service_times': {'cpu': 0.2}}
    """
    times = {place: checks.number(f"service_times[{place!r}]", value) for place, value in service_times.items()}
    counts, work = dict[str, float](), dict[str, float]()
    for place, value in visits.items():
        if place not in times:
            raise ModelError(f"service_times[{place!r}]", "is missing", "give the mean time of a visit")
        count = checks.number(f"visits[{place!r}]", value)
        counts[place[1]] = counts.get(place[1], 0.0) + count
        work[place[1]] = work.get(place[1], 0.0) + count * times[place]
    return {"visits": counts, "service_times": {s: work[s] / n if n else 0.0 for s, n in counts.items()}}

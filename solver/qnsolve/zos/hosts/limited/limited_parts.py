"""What is inside limits whose tasks come to the CPs, as weights of a product form: tasks, and those of them that are ready."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from qnsolve.numerics.series import Array
from qnsolve.zos.hosts.host_view import HostView

FREE_UNITS = 150  # units of work without a limit that are told apart
FEW = 20  # weights of a full table in the time of one that is added by itself
MOST_LOG = 600.0  # of how much longer tasks of which next to none are ready are there
FILLED = 0.5  # part of the places of a limit inside another that is taken from which on it is one


@dataclass
class LimitedPart:
    """Work that comes to the CPs through one limit, or without one.

    Attributes
    ----------
    size : int
        Places; units that are told apart where there is no limit.
    flow, unit : float
        Tasks a second; rate that the weights are made with [1/s].
    cpu, off : float
        Of one task: CPU, and time off the CPs [s].
    full : float
        Rate at which a full limit lets tasks through [1/s].
    weights : ndarray (size + 1, units + 1)
        Logs of the weights of so many tasks inside, so many of them ready, were no CP shared.
    counted : dict of (region, bool) to ndarray (size + 1, units + 1)
        The same times the number at its TCB, or before its limit.
    serial : float
        Of the CPU, that on TCBs [s].
    """

    size: int
    flow: float
    unit: float
    cpu: float
    off: float
    full: float
    weights: Array
    counted: dict[tuple[int, bool], Array] = field(default_factory=dict)
    serial: float = 0.0


def _factorial(size: int) -> Array:
    """Logs of 0! to size!."""
    return np.concatenate(([0.0], np.cumsum(np.log(np.arange(1.0, size + 1)))))


def limit_part(host: HostView, k: int) -> LimitedPart:
    """Work that comes through the limit of a group."""
    load, group = host.load, host.load.groups[k]
    flow, region, size = load.flow[group.tasks], load.region[group.tasks], group.servers
    total = max(float(flow[group.first(load.region)].sum()), 1e-300)
    each = {}
    for r in np.unique(region).tolist():
        mine = np.where(region == r, flow, 0.0) / total
        each[r] = tuple(float(mine @ of) for of in (group.cpu - group.serial, group.serial, group.off, np.ones(len(flow))))
    cpu, off = sum(its[0] + its[1] for its in each.values()), sum(its[2] for its in each.values())
    unit = size / (cpu + off)
    beside = group.slower * (host.total - host.loads[k])  # units of others that are ready
    inner = {
        r: places for r, (places, hold) in group.below.items() if r in each and total * each[r][3] * hold > FILLED * places
    }
    outer = {r: its for r, its in each.items() if r not in inner}
    free, gone = sum(its[0] for its in outer.values()), sum(its[2] for its in outer.values())
    serial = {r: its[1] for r, its in outer.items()}

    def crowd(mine: float) -> Array:
        """Time on the CPs over that alone, by the ready units beside all others; of one of its own tasks so much CPU."""
        others = beside + group.slower * total * max(cpu - mine, 0.0)
        return np.maximum((np.arange(size + 1) + others) / load.engines, 1.0)

    most = float(crowd(cpu)[-1])
    longer = {r: each[r][3] * _held(group.below[r][1], each[r], places, most) / places for r, places in inner.items()}
    unit = min([unit, *(1 / time for time in longer.values())])  # so that no weight of a full limit inside grows
    table, seen = inside_limit(size, free, serial, gone, unit, crowd(free + sum(serial.values())))
    kinds: dict[tuple[float, ...], list[int]] = {}  # alike ones
    for r, places in inner.items():
        kinds.setdefault((places, *each[r], longer[r]), []).append(r)
    below = []
    for (size_, free_, serial_, off_, _, time), regions in kinds.items():
        own, at_tcb = inside_limit(int(size_), free_, {0: serial_}, off_, unit, crowd(free_ + serial_))
        below.append((_FullLimit(own, at_tcb.get(0, np.zeros_like(own)), time * unit), regions))
    table, seen, waiting = _with_limits(table, seen, below)
    with np.errstate(divide="ignore"):
        counted = {(r, False): np.log(its) for r, its in seen.items()}
        counted |= {(r, True): np.log(its) for r, its in waiting.items()}
        full = size / (cpu * group.slower + off)
        return LimitedPart(size, total, unit, cpu, off, full, np.log(table), counted, sum(its[1] for its in each.values()))


def _held(seen: float, each: tuple[float, ...], places: int, crowd: float) -> float:
    """Time that a task holds a place as last seen, no longer than with all others on the CPs and at its TCB [s]."""
    free, serial, off, visits = each
    return min(seen, (off + (free + serial * places) * crowd) / visits)


@dataclass(frozen=True)
class _FullLimit:
    """Weights of a limit inside another that is full from the last row on: `slope` for each task that waits."""

    table: Array
    at_tcb: Array
    slope: float

    def counted(self, others: Array) -> tuple[Array, Array]:
        """Weights with others, times the number at the TCB and times the number that wait."""
        rows, places = len(others), len(self.table) - 1
        waiting = np.zeros((rows, min(rows, others.shape[1] + places)))
        if places < rows:
            full = _sloped(_folded(others[: rows - places], self.table[-1], waiting.shape[1]), self.slope)
            waiting[places + 1 :] = _sloped(self.slope * full[:-1], self.slope)
        return joined(others, self.at_tcb, self.slope), waiting


def _with_limits(
    table: Array, seen: dict[int, Array], below: list[tuple[_FullLimit, list[int]]]
) -> tuple[Array, dict[int, Array], dict[int, Array]]:
    """Weights with the limits inside, times those at each TCB, and times those that wait for each limit."""
    waiting: dict[int, Array] = {}
    inner: dict[int, Array] = {}
    for its, regions in below:
        others = table
        for other, alike in below:
            for _ in range(len(alike) - (other is its)):
                others = joined(others, other.table, other.slope)
        at, before = its.counted(others)
        inner |= dict.fromkeys(regions, at)
        waiting |= dict.fromkeys(regions, before)
    for its, regions in below:
        for _ in regions:
            table = joined(table, its.table, its.slope)
            seen = {r: joined(at, its.table, its.slope) for r, at in seen.items()}
    return table, seen | inner, waiting


def inside_limit(
    places: int, free: float, serial: dict[int, float], off: float, unit: float, crowd: Array
) -> tuple[Array, dict[int, Array]]:  # fmt: skip
    """Weights of so many tasks, so many of them ready, at free pieces, TCBs and off the CPs; times those at each TCB.

    Parameters
    ----------
    places : int
    free, off : float
        Time of free pieces and off the CPs [s].
    serial : dict of region to float
        Time at its TCB [s].
    unit : float
        Rate that the weights are made with [1/s].
    crowd : ndarray (places + 1, at least)
        Time of all that is ready over that alone, with so many units ready.

    Notes
    -----
    While tasks are on the CPs and at TCBs all is slowed alike there: their numbers are those of a product form, each state as
    much longer as it is slowed. Of so many together, these end as often as that lets them; with those off the CPs they are
    in product form again. Exact where no task is ever off the CPs, and where none is at a TCB.
    """
    count, factorial = np.arange(places + 1), _factorial(places)
    with np.errstate(divide="ignore", invalid="ignore"):
        table = np.diag(np.exp(np.where(count > 0, count * np.log(free * unit), 0.0) - factorial))
        gone = count[:, None] - count[None, :]
        away = np.where(gone > 0, gone * np.log(off * unit), 0.0) - factorial[np.maximum(gone, 0)]
        away = np.where(gone >= 0, np.exp(away), 0.0)
    seen: dict[int, Array] = {}
    for region, each in serial.items():
        if each > 0:
            seen = {other: its + _at_tcb(its, each * unit)[0] for other, its in seen.items()}
            at, seen[region] = _at_tcb(table, each * unit)
            table = table + at
    slowed = _slowed(table, crowd[: places + 1])
    return away @ (table * slowed), {region: away @ (its * slowed) for region, its in seen.items()}


def _slowed(table: Array, crowd: Array) -> Array:
    """How much longer so many tasks on the CPs and at TCBs, so many of them ready, are there than with a CP for each.

    Over what is so with all of the ready ones in one queue, by which the tasks of several limits are joined.
    """
    whole = table.sum(axis=1)
    mean = np.divide(table @ crowd, whole, out=np.ones(len(table)), where=whole > 0)
    passed = np.concatenate(([0.0], np.cumsum(np.log(mean[:-1]))))
    joint = np.cumsum(np.log(crowd)) - np.log(crowd[0])
    most = MOST_LOG - np.log(max(float(table.max()), 1.0))  # times the table it is a number
    found: Array = np.exp(np.minimum(passed[:, None] + np.log(crowd) - joint, most))
    return found


def _at_tcb(table: Array, ratio: float) -> tuple[Array, Array]:
    """Weights with tasks at a TCB, one of them ready, beside those of a table; the same times their number."""
    at, number = np.zeros_like(table), np.zeros_like(table)
    for n in range(1, len(table)):
        at[n] = ratio * (np.concatenate(([0.0], table[n - 1, :-1])) + at[n - 1])
        number[n] = at[n] + ratio * number[n - 1]
    return at, number


def free_part(cpu: float, flow: float) -> LimitedPart:
    """Work without a limit, of so much CPU a task [s]."""
    with np.errstate(divide="ignore"):
        weights = np.log(np.diag(np.exp(-_factorial(FREE_UNITS))))
    return LimitedPart(FREE_UNITS, flow, 1 / cpu, cpu, 0.0, FREE_UNITS / cpu, weights)


def joined(table: Array, part: Array, slope: float) -> Array:
    """Weights of both together, by their number and the units ready; beyond the last row of `part` a geometric series.

    Of `table`, no more units are ready in a row than there are.
    """
    rows, size = len(table), len(part) - 1
    table = table[:, :rows]
    width = min(rows, table.shape[1] + part.shape[1] - 1)
    terms, columns = min(size, rows), table.shape[1]
    some = np.argwhere(part[:terms, :width])
    if FEW * len(some) < terms * part.shape[1]:  # as without a limit, where all are ready
        found = np.zeros((rows, width))
        for n, ready in some.tolist():
            there = min(columns, width - ready)
            found[n:, ready : ready + there] += part[n, ready] * table[: rows - n, :there]
    else:
        found = _folded_rows(table, part[:terms], width)
    if size < rows:
        found[size:] += _sloped(_folded(table[: rows - size], part[size], width), slope)
    return found


def _folded_rows(table: Array, part: Array, width: int) -> Array:
    """The convolution of a table with a part, along both axes, as many rows as the table has (rows, width)."""
    (rows, columns), terms = table.shape, len(part)
    shifted = _shifted(part, columns, width)
    above = np.zeros((terms + rows, columns))  # row r is that of r less 0, 1, … in the part
    above[terms:] = table
    step, one = above.strides
    below = np.lib.stride_tricks.as_strided(above[terms:], (rows, terms, columns), (step, -step, one))
    return np.asarray(below.reshape(rows, terms * columns) @ shifted.reshape(terms * columns, width))


def _folded(table: Array, part: Array, width: int) -> Array:
    """The convolution of each row of a table with a part (rows, width)."""
    return np.asarray(table @ _shifted(part[None], table.shape[1], width)[0])


def _shifted(part: Array, columns: int, width: int) -> Array:
    """Each row of a part, shifted by 0, 1, … `columns` - 1 (rows, columns, width)."""
    last = min(part.shape[1], width)
    padded = np.zeros((len(part), columns - 1 + width))
    padded[:, columns - 1 : columns - 1 + last] = part[:, :last]
    step, one = padded.strides
    return np.lib.stride_tricks.as_strided(padded[:, columns - 1 :], (len(part), columns, width), (step, -one, one))


def _sloped(rows: Array, slope: float) -> Array:
    """Rows, each with `slope` times the one before."""
    step = 1
    while step < len(rows):
        rows[step:] += slope**step * rows[:-step]
        step *= 2
    return rows

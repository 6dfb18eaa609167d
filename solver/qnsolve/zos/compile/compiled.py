"""A system as frozen arrays: hosts, pools of places, and the program of each task. All that computes starts from it.

What a task does is written down here and nowhere else: the solution, the simulation, the chain of a small system and the
network of a system read these programs.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from enum import IntEnum
from functools import cached_property, partial
from typing import Any

import numpy as np

from qnsolve.numerics.series import Array, Places
from qnsolve.zos.parts.regions import CicsRegion
from qnsolve.zos.parts.system import SystemParts
from qnsolve.zos.parts.work import Step

from .tasks import Layout, Request, Task, layout

UNLIMITED = 2**31 - 1
ROUNDING = 1e-12  # of the requests of a task
PIECE = 0.002  # CPU of one piece of the CPU that does not grow with the work [s]
ONE_BY_ONE = 1.02  # transactions that come at once in the mean, up to which they are solved as if one by one
Converted = frozenset[tuple[int, str, int]]  # facility, structure, LPAR: its requests are asynchronous


class Op(IntEnum):
    """What a task does next; `mean` is in seconds, `arg` a pool, a host, or a group of tasks."""

    END = 0
    TAKE = 1  # a place of a pool, or wait in its line, first come first served
    GIVE = 2  # it back
    CPU = 3  # an exponential piece on the CPs of a host, of an engine of speed 1
    ZIIP = 4  # the same, of eligible work: on the CPs where all zIIP threads are taken and it may overflow
    WAIT = 5  # an exponential time without CPU
    FIXED = 6  # a time of one length without CPU
    SPIN_ON = 7  # from here a unit of work has a CP that does not end by itself: a synchronous request
    SPIN_OFF = 8
    CALL = 9  # tasks of a group, `mean` of them in the mean, one after another; this one waits for them
    SHARED = 10  # an exponential piece on a TCB (`arg` its pool), whose CPU the tasks there share equally
    HOLD = 11  # that TCB, for a synchronous request: none of its other tasks goes on until
    LET = 12  # it goes on
    SKIP = 13  # with the chance `mean` so many operations further (`arg`, below 0 back), else the next one


OPS = tuple(Op)


class Pool(IntEnum):
    """What holds places."""

    QR = 0
    RO = 1
    THREADS = 2
    LIMIT = 3  # MXT, or the dependent regions of an IMS
    TRANCLASS = 4
    DEVICE = 5
    LOG = 6
    FACILITY = 7


@dataclass(frozen=True, eq=False)
class Compiled:
    """A system in arrays: H hosts (LPARs), P pools, T tasks, W works, G groups of tasks, O operations.

    A task is one step of one work in one region, and its program `op_*[op_start[t] : op_start[t + 1]]`. A group is the
    tasks of one step of one work: one of them is drawn by its share.

    Attributes
    ----------
    layout : Layout
        Where the names are.
    engines, slower : ndarray (H,)
        CPs of a host, and 1 over the speed of one.
    ziip_speeds : tuple of ndarray
        Work done with 1, 2, … threads in use, in cores of one thread; empty without zIIPs.
    ziip_speed : ndarray (H,)
    ziip_overflow : ndarray (H,), bool
    fixed : ndarray (F, 3)
        CPU that does not grow with the work: host, importance, engines.
    pool_size, pool_kind, pool_region : ndarray (P,), int
        The region is -1 for pools of none.
    pool_name : tuple of str
    work, region, host, importance : ndarray (T,), int
    visits : ndarray (T,)
        Tasks of one transaction.
    overflowed : ndarray (T,)
        CPU of eligible work that goes to CPs, the cost of overflow included, over that alone.
    op_start : ndarray (T + 1,), int
    op_code, op_arg : ndarray (O,), int
    op_mean : ndarray (O,)
    group_start : ndarray (G + 1,), int
    group_task : ndarray, int
    group_share : ndarray
    rate, users, think, burst, tick : ndarray (W,)
        Rate 0 for works of users, users 0 for works with a rate.
    first_start : ndarray (W + 1,), int
    first_group : ndarray, int
    first_number : ndarray
        The groups that a transaction starts, one after another, and how many tasks of each.
    """

    layout: Layout
    engines: Array
    slower: Array
    ziip_speeds: tuple[Array, ...]
    ziip_speed: Array
    ziip_overflow: Array
    fixed: Array
    pool_size: Array
    pool_kind: Array
    pool_region: Array
    pool_name: tuple[str, ...]
    work: Array
    region: Array
    host: Array
    importance: Array
    visits: Array
    overflowed: Array
    op_start: Array
    op_code: Array
    op_arg: Array
    op_mean: Array
    group_start: Array
    group_task: Array
    group_share: Array
    rate: Array
    users: Array
    think: Array
    burst: Array
    tick: Array
    first_start: Array
    first_group: Array
    first_number: Array

    def __post_init__(self) -> None:
        for value in self.__dict__.values():
            if isinstance(value, np.ndarray):
                value.setflags(write=False)

    @property
    def in_groups(self) -> Places:
        """Works whose transactions come in groups (W,) of bool; groups of hardly more than one are solved as one by one."""
        found: Places = (self.burst > ONE_BY_ONE) & (self.tick <= 0)
        return found

    @property
    def system(self) -> SystemParts:
        """What it was compiled from."""
        return self.layout.system

    def program(self, task: int) -> Iterator[tuple[Op, int, float, float]]:
        """Operation, argument, mean of all times that a task comes to it, and how many these are, in order."""
        here = slice(int(self.op_start[task]), int(self.op_start[task + 1]))
        codes, args, means = self.op_code[here], self.op_arg[here], self.op_mean[here]
        skips = codes == Op.SKIP
        key = len(codes), *np.flatnonzero(skips).tolist(), *args[skips].tolist(), *means[skips].tolist()
        times = self._often.get(key)
        if times is None:
            times = self._often[key] = _times(codes, args, means)
        for code, arg, mean, often in zip(codes.tolist(), args.tolist(), means.tolist(), times.tolist(), strict=True):
            if code != Op.SKIP:
                yield OPS[code], arg, mean * often, often

    @cached_property
    def _often(self) -> dict[tuple[float, ...], Array]:
        """How often the operations of a program are come to, by what it skips: of the tasks of a step, once."""
        return {}

    @cached_property
    def tcbs(self) -> tuple[tuple[int, Pool], ...]:
        """The pools that are QR TCBs, RO TCBs and JVM threads, and which."""
        kinds = (Pool.QR, Pool.RO, Pool.THREADS)
        return tuple((pool, kinds[kind]) for pool, kind in enumerate(self.pool_kind.tolist()) if kind < len(kinds))


class _Pools:
    """The pools of a system by what they are."""

    def __init__(self, system: SystemParts) -> None:
        self.rows: list[tuple[int, Pool, int, str]] = []
        self.place: dict[tuple[Pool, int | str], int] = {}
        self.tranclass: dict[tuple[int, str], int] = {}
        for i, region in enumerate(system.regions):
            self._add(Pool.LIMIT, i, region.limit, i, f"{region.name} {region.limit_name}")
            for name, active in (region.tranclasses or {}).items():
                self.tranclass[i, name] = len(self.rows)
                self.rows.append((int(active), Pool.TRANCLASS, i, f"{region.name} TRANCLASS {name}"))
            if isinstance(region, CicsRegion):
                self._add(Pool.QR, i, 1, i, f"{region.name} QR TCB")
                self._add(Pool.RO, i, 1, i, f"{region.name} RO TCB")
                if region.thread_limit is not None:
                    self._add(Pool.THREADS, i, region.thread_limit, i, f"{region.name} JVM threads")
        for logger in system.loggers:
            self._add(Pool.LOG, logger.name, 1, -1, logger.name)
        for device in system.devices:
            self._add(Pool.DEVICE, device.name, device.servers or UNLIMITED, -1, device.name)
        for i, facility in enumerate(system.coupling_facilities):
            self._add(Pool.FACILITY, i, facility.processors, -1, facility.name)

    def _add(self, kind: Pool, key: int | str, size: int, region: int, name: str) -> None:
        self.place[kind, key] = len(self.rows)
        self.rows.append((size, kind, region, name))


class _Program:
    """The operations of one task, in order."""

    def __init__(self, taken: Layout, pools: _Pools, converted: Converted) -> None:
        self.taken, self.pools, self.converted = taken, pools, converted
        self.ops: list[tuple[Op, int, float]] = []

    def of(self, task: Task, calls: list[tuple[int, float]]) -> list[tuple[Op, int, float]]:
        """A place of its TRANCLASS, one of its region, the rounds of its pieces, the tasks that it waits for."""
        self.ops = []
        held = [self.pools.place[Pool.LIMIT, task.region]]
        if task.step.tranclass is not None:
            held.insert(0, self.pools.tranclass[task.region, task.step.tranclass])
        for pool in held:
            self._op(Op.TAKE, pool)
        for _ in range(task.rounds):
            self._round(task, 1 / task.rounds)
        for group, number in calls:
            self._op(Op.CALL, group, number)
        for pool in reversed(held):
            self._op(Op.GIVE, pool)
        self._op(Op.END, 0)
        return self.ops

    def _op(self, code: Op, arg: int, mean: float = 0.0) -> None:
        self.ops.append((code, arg, mean))

    def _timed(self, code: Op, arg: int, mean: float) -> None:
        if mean > 0:
            self._op(code, arg, mean)

    def _skip(self, chance: float, to: int | None = None) -> int:
        """Go to an operation with this chance, or where `_land` says; its place."""
        place = len(self.ops)
        self._op(Op.SKIP, 0 if to is None else to - place, chance)
        return place

    def _land(self, place: int) -> None:
        """What was skipped ends here."""
        code, _, chance = self.ops[place]
        self.ops[place] = code, len(self.ops) - place, chance

    def _served(self, pool: int, code: Op, mean: float) -> None:
        """A line, its server, and the time that it takes."""
        if mean > 0:
            self._op(Op.TAKE, pool)
            self._op(code, 0, mean)
            self._op(Op.GIVE, pool)

    def _along(
        self, piece: tuple[Op, int, float], asked: Sequence[Request], part: float, send: Callable[[Request], None]
    ) -> None:
        """A piece of CPU, and requests that are sent at any moment of it, all as likely.

        Each stretch of it is the last with the chance 1/(1 + number): so the whole piece is exponential, and has requests in
        proportion to its length, as a Poisson process. Without CPU their number is geometric.
        """
        numbers = [part * count for *_, count in asked]
        rest = sum(numbers)
        begin, (code, arg, mean) = len(self.ops), piece
        self._timed(code, arg, mean / (1 + rest))
        if not rest > 0:
            return
        end = self._skip(1 / (1 + rest))
        for request, number in zip(asked, numbers, strict=True):
            another = self._skip(1 - number / rest) if number < rest * (1 - ROUNDING) else None
            send(request)
            self._skip(1.0, begin)
            rest -= number
            if another is None:
                break
            self._land(another)
        self._land(end)

    def _in_order(self, pool: int, task: Task, piece: float, asked: Sequence[Request] = (), part: float = 0.0) -> None:
        """A piece on a TCB that serves one task at a time, in order of arrival, with `part` of the synchronous requests."""
        if piece > 0 or asked:
            self._op(Op.TAKE, pool)
            self._along((Op.CPU, task.lpar, piece), asked, part, partial(self._synchronous, task))
            self._op(Op.GIVE, pool)

    def _sharing(self, pool: int, task: Task, piece: float, asked: Sequence[Request], part: float) -> None:
        """A piece on a TCB that its tasks share, and the synchronous requests, each of which holds it."""

        def send(request: Request) -> None:
            self._op(Op.HOLD, pool)
            self._synchronous(task, request)
            self._op(Op.LET, pool)

        self._along((Op.SHARED, pool, piece), asked, part, send)

    def _round(self, task: Task, part: float) -> None:
        step, lpar, region = task.step, self.taken.lpar_of(task), self.taken.region_of(task)
        cics, place = isinstance(region, CicsRegion), self.pools.place
        on_qr = cics and step.requests_from == "qr"
        switches = step.change_modes * lpar.change_mode_cpu
        synchronous, asynchronous = self._asked(task)
        to_qr = (1.0 if step.open_cpu + step.jvm_cpu == 0 else 0.5) if cics else 0.0  # a switch has two sides
        if cics:
            self._in_order(place[Pool.RO, task.region], task, part * step.ro_cpu)
            on = self._sharing if step.qr_dispatches is None else self._in_order
            on(place[Pool.QR, task.region], task, part * (step.qr_cpu + switches * to_qr), synchronous if on_qr else (), part)
            if on_qr:
                self._asynchronous(task, asynchronous, part)
        self._timed(Op.CPU, task.lpar, part * (step.system_cpu + switches * (1 - to_qr)))
        share = self._ziip_share(task)
        own = Op.CPU, task.lpar, part * (step.open_cpu + step.cpu) * (1 - share)
        self._along(own, () if on_qr else synchronous, part, partial(self._synchronous, task))
        self._timed(Op.ZIIP, task.lpar, part * (step.open_cpu + step.cpu) * share)
        threads = place.get((Pool.THREADS, task.region))
        if step.jvm_cpu:
            if threads is not None:
                self._op(Op.TAKE, threads)
            self._timed(Op.CPU, task.lpar, part * step.jvm_cpu * (1 - share))
            self._timed(Op.ZIIP, task.lpar, part * step.jvm_cpu * share)
            if threads is not None:
                self._op(Op.GIVE, threads)
        if not on_qr:
            self._asynchronous(task, asynchronous, part)
        for name, size in (step.log_bytes or {}).items():
            time = next(x for x in self.taken.system.loggers if x.name == name).time_of(size)
            self._served(place[Pool.LOG, name], Op.WAIT, part * time)
        for name, time in (step.devices or {}).items():
            self._served(place[Pool.DEVICE, name], Op.WAIT, part * time)
        self._timed(Op.WAIT, 0, part * (step.delay + step.change_modes * lpar.change_mode_wait))

    def _ziip_share(self, task: Task) -> float:
        return task.step.ziip_share if self.taken.lpar_of(task).ziips is not None else 0.0

    def _asked(self, task: Task) -> tuple[list[Request], list[Request]]:
        """Requests of a task to coupling facilities: those that are synchronous, and those that are not."""
        found: tuple[list[Request], list[Request]] = [], []
        for one in self.taken.requests(task):
            place, _, structure, _ = one
            found[(place, structure.name, task.lpar) in self.converted].append(one)
        return found

    def _synchronous(self, task: Task, request: Request) -> None:
        """One request that keeps its CP."""
        place, facility, structure, _ = request
        self._op(Op.SPIN_ON, task.lpar)
        self._timed(Op.FIXED, 0, facility.link.latency)
        self._served(self.pools.place[Pool.FACILITY, place], Op.WAIT, structure.service_time)
        self._op(Op.SPIN_OFF, task.lpar)

    def _asynchronous(self, task: Task, asked: Sequence[Request], part: float) -> None:
        """Requests that a task waits for without a TCB and a CP, one after another, and the CPU at the end of each."""

        def send(request: Request) -> None:
            place, facility, structure, _ = request
            self._served(self.pools.place[Pool.FACILITY, place], Op.WAIT, structure.service_time)
            self._timed(Op.FIXED, 0, facility.link.latency + facility.async_delay)
            self._timed(Op.CPU, task.lpar, facility.async_cpu)

        self._along((Op.CPU, task.lpar, 0.0), asked, part, send)


def _times(codes: Array, args: Array, means: Array) -> Array:
    """How often each operation of a program is come to, in the mean (O,)."""
    size = len(codes)
    skips = np.flatnonzero(codes == Op.SKIP)
    if not len(skips):
        return np.ones(size)
    on = np.eye(size + 1, k=1)
    for skip in skips.tolist():
        on[skip, skip + 1] -= means[skip]
        on[skip, skip + int(args[skip])] += means[skip]
    begin = np.zeros(size + 1)
    begin[0] = 1.0
    return np.asarray(np.linalg.solve(np.eye(size + 1) - on.T, begin)[:size])


def compiled(system: SystemParts, *, converted: Converted = frozenset()) -> Compiled:
    """A system in arrays.

    Parameters
    ----------
    system : SystemParts
    converted : set of (facility, structure, LPAR), optional
        Requests that are asynchronous: facility and LPAR by their places, the structure by its name.
    """
    taken = layout(system)
    pools = _Pools(system)
    groups, members = _groups(taken)
    writer = _Program(taken, pools, converted)
    programs = [writer.of(task, _calls(task.children, groups)) for task in taken.tasks]
    called = {i for task in taken.tasks for i, _ in task.children}
    firsts = [
        _calls(tuple((i, t.visits) for i, t in enumerate(taken.tasks) if t.work == w and i not in called), groups)
        for w in range(len(system.work))
    ]
    ops = [op for program in programs for op in program]
    ziips = [item.ziips for item in system.lpars]
    rows = pools.rows
    return Compiled(
        layout=taken,
        engines=np.array([item.processors.engines for item in system.lpars]),
        slower=np.array([1 / item.processors.speed for item in system.lpars]),
        ziip_speeds=tuple(np.zeros(0) if z is None else z.speeds() for z in ziips),
        ziip_speed=np.array([1.0 if z is None else z.speed for z in ziips]),
        ziip_overflow=np.array([z is not None and z.overflow for z in ziips]),
        fixed=_fixed(system),
        pool_size=np.array([size for size, *_ in rows], dtype=np.int64),
        pool_kind=np.array([kind for _, kind, *_ in rows], dtype=np.int64),
        pool_region=np.array([region for _, _, region, _ in rows], dtype=np.int64),
        pool_name=tuple(name for *_, name in rows),
        work=_whole(t.work for t in taken.tasks),
        region=_whole(t.region for t in taken.tasks),
        host=_whole(t.lpar for t in taken.tasks),
        importance=_whole(taken.region_of(t).importance for t in taken.tasks),
        visits=np.array([t.visits for t in taken.tasks]),
        overflowed=np.array([taken.overflowed(t) for t in taken.tasks]),
        op_start=_starts(programs),
        op_code=_whole(int(code) for code, _, _ in ops),
        op_arg=_whole(arg for _, arg, _ in ops),
        op_mean=np.array([mean for _, _, mean in ops]),
        group_start=_starts(members),
        group_task=_whole(i for group in members for i, _ in group),
        group_share=np.array([share for group in members for _, share in group]),
        rate=np.array([w.rate or 0.0 for w in system.work]),
        users=np.array([float(w.users or 0) for w in system.work]),
        think=np.array([w.think_time for w in system.work]),
        burst=np.array([w.burst for w in system.work]),
        tick=np.array([w.tick for w in system.work]),
        first_start=_starts(firsts),
        first_group=_whole(group for first in firsts for group, _ in first),
        first_number=np.array([number for first in firsts for _, number in first]),
    )


def _whole(values: Any) -> Array:
    return np.array(list(values), dtype=np.int64)


def _starts(parts: list[Any]) -> Array:
    return np.concatenate(([0], np.cumsum([len(part) for part in parts]))).astype(np.int64)


def _groups(taken: Layout) -> tuple[dict[int, int], list[list[tuple[int, float]]]]:
    """The group of each task, and the members of each with their shares: the tasks of one step of one work."""
    of_task: dict[int, int] = {}
    members: list[list[tuple[int, float]]] = []
    last: tuple[int, Step] | None = None
    for i, task in enumerate(taken.tasks):
        if (
            last is None
            or last[0] != task.work
            or last[1] is not task.step
            or i - 1 not in of_task
            or _again(members, taken, i)
        ):
            members.append([])
            last = (task.work, task.step)
        members[-1].append((i, task.visits))
        of_task[i] = len(members) - 1
    return of_task, [[(i, v / sum(x for _, x in group)) for i, v in group] for group in members]


def _again(members: list[list[tuple[int, float]]], taken: Layout, place: int) -> bool:
    """Whether a step that stands twice in a row in a work starts again here."""
    return taken.tasks[place].region in {taken.tasks[i].region for i, _ in members[-1]}


def _calls(among: tuple[tuple[int, float], ...], groups: dict[int, int]) -> list[tuple[int, float]]:
    """Groups, and tasks of each in the mean."""
    found: dict[int, float] = {}
    for i, number in among:
        found[groups[i]] = found.get(groups[i], 0.0) + number
    return list(found.items())


def _fixed(system: SystemParts) -> Array:
    places = {item.name: i for i, item in enumerate(system.lpars)}
    rows = [(i, 1, item.fixed_cpu) for i, item in enumerate(system.lpars) if item.fixed_cpu]
    rows += [(places[r.lpar], r.importance, r.fixed_cpu) for r in system.regions if r.fixed_cpu]
    return np.array(rows, dtype=float).reshape(-1, 3)

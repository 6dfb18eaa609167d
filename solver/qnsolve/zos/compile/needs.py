"""What each task needs, added up from its program: one row a task."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from qnsolve.numerics.series import Array

from .compiled import Compiled, Op, Pool


@dataclass(frozen=True, eq=False)
class Needs:
    """Times of one task, on engines and servers of speed 1 that nobody else uses [s]; T tasks, F facilities, P pools.

    Attributes
    ----------
    rounds : ndarray (T,)
        Times that all its pieces come: visits to the processors.
    in_order : ndarray (T,), bool
        Its pieces on the QR TCB come in order of arrival, not shared.
    qr, ro, cpu, threads : ndarray (T,)
        CPU on the QR TCB, the RO TCB, on TCBs of its own, on JVM threads.
    ziip, thread_ziip : ndarray (T,)
        Eligible CPU outside and on JVM threads.
    straight : ndarray (T,)
        Of it, pieces that follow another eligible one at once: on the zIIP that this leaves.
    again : ndarray (T,)
        How many such pieces.
    soon, soon_again, gap : ndarray (T,)
        The same of pieces that follow another eligible one after other CPU alone, and that CPU.
    qr_fixed, open_fixed : ndarray (T,)
        Time of synchronous requests that is not at the facility: on the QR TCB, elsewhere.
    qr_sync, open_sync, other : ndarray (T, F)
        Time at the facility: of synchronous requests, from the QR TCB and elsewhere, and of asynchronous ones.
    at_facility : ndarray (T, F)
        Requests to the facility.
    lines : ndarray (T, P)
        Time at logs and devices.
    delay : ndarray (T,)
    calls : ndarray (T, T)
        Tasks that one task waits for.
    limits : tuple of tuple of int
        Pools that it holds throughout, TRANCLASS before region.
    """

    rounds: Array
    in_order: Array
    qr: Array
    ro: Array
    cpu: Array
    threads: Array
    ziip: Array
    thread_ziip: Array
    straight: Array
    again: Array
    soon: Array
    soon_again: Array
    gap: Array
    qr_fixed: Array
    open_fixed: Array
    qr_sync: Array
    open_sync: Array
    other: Array
    at_facility: Array
    lines: Array
    delay: Array
    calls: Array
    limits: tuple[tuple[int, ...], ...]


LIMITS = (Pool.LIMIT, Pool.TRANCLASS)


SUMS = (
    "qr", "ro", "cpu", "threads", "ziip", "thread_ziip", "straight", "again", "soon", "soon_again", "gap",
    "qr_fixed", "open_fixed", "delay",
)  # fmt: skip
WIDE = ("qr_sync", "open_sync", "other", "at_facility")
ON_TCB = {Pool.QR: "qr", Pool.RO: "ro", Pool.THREADS: "threads"}


class _Reader:
    """One program read from its start: what it holds, and what it adds up to."""

    def __init__(self, form: Compiled, column: dict[int, int]) -> None:
        self.form, self.column = form, column
        self.held: list[int] = []  # pools, innermost last
        self.limits: list[int] = []
        self.spinning = self.in_order = False
        self.since = -1.0  # CPU since an eligible piece, below 0 where something else was
        self.sums = dict.fromkeys(SUMS, 0.0)
        self.wide = {name: np.zeros(len(column)) for name in WIDE}
        self.lines, self.calls = np.zeros(len(form.pool_size)), np.zeros(len(form.work))

    def read(self, op: Op, arg: int, mean: float, often: float) -> None:
        """One operation, come to so often."""
        self._note_eligible(op, mean)
        if op in (Op.TAKE, Op.HOLD, Op.GIVE, Op.LET):
            self._place(op, arg)
        elif op in (Op.SPIN_ON, Op.SPIN_OFF):
            self.spinning = op is Op.SPIN_ON
        elif op is Op.CALL:
            for place in range(self.form.group_start[arg], self.form.group_start[arg + 1]):
                self.calls[self.form.group_task[place]] += mean * self.form.group_share[place]
        elif op is not Op.END:
            self._time(op, mean, often)

    def _note_eligible(self, op: Op, mean: float) -> None:
        """Whether an eligible piece follows another one, at once or after other CPU."""
        if op is Op.ZIIP:
            if self.since >= 0:
                names = ("soon", "soon_again", "gap") if self.since else ("straight", "again", "gap")
                for name, more in zip(names, (mean, 1.0, self.since), strict=True):
                    self.sums[name] += more
            self.since = 0.0
        elif op is Op.CPU and self.since >= 0:
            self.since += mean
        elif op not in (Op.TAKE, Op.GIVE):
            self.since = -1.0

    def _place(self, op: Op, pool: int) -> None:
        kind = Pool(self.form.pool_kind[pool])
        if kind in LIMITS:
            self.limits += [pool] * (op is Op.TAKE)
        elif op in (Op.GIVE, Op.LET):
            self.held.pop()
        else:
            self.held.append(pool)
            self.in_order |= op is Op.TAKE and kind is Pool.QR

    def _time(self, op: Op, mean: float, often: float) -> None:
        kinds = [Pool(self.form.pool_kind[pool]) for pool in self.held]
        inner = kinds[-1] if kinds else None
        if op is Op.SHARED:
            self.sums["qr"] += mean
        elif op is Op.CPU:
            self.sums["cpu" if inner is None else ON_TCB.get(inner, "cpu")] += mean
        elif op is Op.ZIIP:
            self.sums["thread_ziip" if inner is Pool.THREADS else "ziip"] += mean
        elif inner is Pool.FACILITY:
            kind = ("qr_sync" if Pool.QR in kinds else "open_sync") if self.spinning else "other"
            self.wide[kind][self.column[self.held[-1]]] += mean
            self.wide["at_facility"][self.column[self.held[-1]]] += often
        elif self.spinning:
            self.sums["qr_fixed" if Pool.QR in kinds else "open_fixed"] += mean
        elif inner in (Pool.DEVICE, Pool.LOG):
            self.lines[self.held[-1]] += mean
        else:
            self.sums["delay"] += mean


def needs(form: Compiled) -> Needs:
    """Add up the programs of all tasks."""
    column = {int(pool): i for i, pool in enumerate(np.flatnonzero(form.pool_kind == Pool.FACILITY))}
    readers = [_Reader(form, column) for _ in form.work]
    for task, reader in enumerate(readers):
        for op, arg, mean, often in form.program(task):
            reader.read(op, arg, mean, often)

    def rows(parts: list[Array], width: int) -> Array:
        return np.array(parts).reshape(len(readers), width)

    return Needs(
        rounds=np.array([float(task.rounds) for task in form.layout.tasks]),
        in_order=np.array([r.in_order for r in readers]),
        **{name: np.array([r.sums[name] for r in readers]) for name in SUMS},
        **{n: rows([r.wide[n] for r in readers], len(column)) for n in WIDE},
        lines=rows([r.lines for r in readers], len(form.pool_size)),
        calls=rows([r.calls for r in readers], len(readers)),
        limits=tuple(tuple(r.limits) for r in readers),
    )

"""An LPAR and its processors: CPs, zIIPs with their threads."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import KW_ONLY, dataclass
from math import expm1, log

import numpy as np

from qnsolve.errors import ModelError, Repair
from qnsolve.model import checks
from qnsolve.numerics.series import Array

PACKINGS = ("dense", "spread")


@dataclass(frozen=True)
class Processors:
    """The general purpose processors (CPs) of an LPAR.

    Parameters
    ----------
    engines : float
        CPs [count]; where the LPAR's weight leaves a part of one, 2.4 say.
    speed : float, default 1
        Speed of one engine relative to the one that the work's CPU times were measured on
        [ratio]: on another machine, or with more engines in the LPAR, the ratio of the
        LSPR's ITR per engine.
    growth : float, default 0
        Growth of CPU time with the engines at work [ratio]: work takes 1 + growth·ln(busy
        engines) times as long once more than one is busy. Measured, never assumed.
    sharing : float, default 0
        Growth of CPU time while another engine is at work [ratio]: work takes 1 + sharing·p times
        as long, where p = 1 - exp(-busy engines) is the chance that another one works beside it.
        For work whose tasks use the same storage. Measured, never assumed.
    """

    engines: float
    _: KW_ONLY
    speed: float = 1.0
    growth: float = 0.0
    sharing: float = 0.0

    def __post_init__(self) -> None:
        for part in ("engines", "speed"):
            checks.assign(self, **{part: checks.number(f"processors: {part}", getattr(self, part), positive=True)})
        if self.engines > 1000:
            raise ModelError("processors: engines", "must be at most 1000", "correct the count", self.engines)
        for part in ("growth", "sharing"):
            checks.assign(self, **{part: checks.number(f"processors: {part}", getattr(self, part))})

    @property
    def grows(self) -> bool:
        """Whether CPU time depends on the engines at work."""
        return self.growth > 0 or self.sharing > 0

    def stretch(self, busy: float) -> float:
        """CPU time with so many engines at work over that of one alone [ratio]."""
        most = max(self.engines, 1.0)
        return 1 + self.growth * log(min(max(busy, 1.0), most)) - self.sharing * expm1(-min(busy, most))

    def speeds(self) -> Array:
        """Engines at work with 1, 2, … units of work; the last one holds beyond."""
        whole = int(self.engines)
        parts = [*range(1, whole + 1), *([self.engines] if self.engines > whole else [])]
        return np.array(parts, dtype=float)


@dataclass(frozen=True)
class LsprTable:
    """What a machine does by its engines: rows of the LSPR, or measured ITRs of one kind of work.

    Parameters
    ----------
    itr : mapping of engines to ITR
        Two rows or more; any unit, the same in all.

    Notes
    -----
    Engines over ITR, the CPU of one transaction, is a straight line between two rows, and goes on
    beyond the last two. Two rows are the law n·x/(1 + s·(n - 1)), Amdahl's, of n engines; s is what
    each engine more costs the others (N. J. Gunther, Guerrilla Capacity Planning, Springer 2007).

    Examples
    --------
    >>> table = LsprTable({3: 8.30, 5: 13.21})  # z13, average RNI
    >>> round(table.ratio(3, 5), 4), round(table.ratio(3, 6), 4)
    (1.5916, 1.8678)
    """

    itr: Mapping[float, float]

    def __post_init__(self) -> None:
        if not isinstance(self.itr, Mapping) or len(self.itr) < 2:
            raise ModelError("lspr table", "must map engines to ITR in two rows or more", "write {3: 8.30, 5: 13.21}", self.itr)
        rows = {
            checks.number("lspr table: engines", n, positive=True): checks.number(f"lspr table: ITR of {n}", x, positive=True)
            for n, x in self.itr.items()
        }
        checks.assign(self, itr=dict(sorted(rows.items())))

    def cpu(self, engines: float) -> float:
        """Engines over ITR: CPU of one transaction [1/unit of the ITR]."""
        count = checks.number("lspr table: engines", engines, positive=True)
        rows = list(self.itr)
        place = min(max(int(np.searchsorted(rows, count)), 1), len(rows) - 1)
        (low, high), (first, last) = rows[place - 1 : place + 1], (n / self.itr[n] for n in rows[place - 1 : place + 1])
        found = (first * (high - count) + last * (count - low)) / (high - low)
        if found <= 0:
            rule = f"is too far from its rows, {rows[0]:g} to {rows[-1]:g} engines: their line ends before"
            raise ModelError("lspr table: engines", rule, "add a row near it", engines)
        return found

    def ratio(self, before: float, after: float) -> float:
        """ITR with `after` engines over that with `before` [ratio]."""
        return after / before * self.cpu(before) / self.cpu(after)


@dataclass(frozen=True)
class Ziips:
    """The zIIPs of an LPAR.

    Parameters
    ----------
    cores : int
        zIIP cores [count].
    threads : int, default 1
        Threads a core: 2 in SMT mode 2.
    max_capacity_factor : float, default 1
        RMF's MAX CF: work of a core with all its threads over that of a core with one [ratio].
    packing : {"dense", "spread"}, default "dense"
        Whether both threads of a core are filled before the next core is used, or each core
        gets one first.
    overflow : bool, default True
        Whether eligible work goes to CPs when the zIIPs are full (IIPHONORPRIORITY=YES).
    speed : float, default 1
        As for `Processors`.
    overflow_cpu : float, default 0
        What overflow costs: CPU on CPs, not eligible, of a task all of whose eligible work goes to CPs [s of a CP of
        speed 1]; of a task that sends a share p of it there, p times as much. No effect without overflow.

    Notes
    -----
    IIPCP, the eligible time on CPs, does not hold this cost: in RMF's terms not eligible CPU = base + p·overflow_cpu, with
    p = IIPCP/(IIP + IIPCP). It goes with the tasks, not with their eligible time: servlets of 0.33, 0.5 and 1.5 ms and
    programs of 3 ms eligible CPU need about the same, 0.11 to 0.14 ms a request in eight of eleven tables (IBM, CICS TS
    for z/OS V5 performance report, tables 6-9 to 9-6).

    Examples
    --------
    >>> Ziips(1, overflow_cpu=124e-6).overflow_cpu
    0.000124
    """

    cores: int
    _: KW_ONLY
    threads: int = 1
    max_capacity_factor: float = 1.0
    packing: str = "dense"
    overflow: bool = True
    speed: float = 1.0
    overflow_cpu: float = 0.0

    def __post_init__(self) -> None:
        checks.assign(
            self,
            cores=checks.whole("ziips: cores", self.cores, least=1, most=1000),
            threads=checks.whole("ziips: threads", self.threads, least=1, most=8),
            max_capacity_factor=checks.number("ziips: max_capacity_factor", self.max_capacity_factor),
            packing=checks.choice("ziips: packing", self.packing, PACKINGS),
            speed=checks.number("ziips: speed", self.speed, positive=True),
            overflow_cpu=checks.number("ziips: overflow_cpu", self.overflow_cpu),
        )
        if not 1 <= self.max_capacity_factor <= self.threads:
            rule = f"must lie within 1 and threads, {self.threads}: no core does more than its threads apart"
            repair = "write RMF's MAX CF" if self.threads > 1 else "write threads = 2 for SMT mode 2, or take it out"
            raise ModelError("ziips: max_capacity_factor", rule, repair, self.max_capacity_factor)
        flag("ziips: overflow", self.overflow)

    def busy_cores(self) -> Array:
        """Cores at work with 1, 2, … threads running, up to all."""
        running = np.arange(1, self.cores * self.threads + 1)
        each = np.ceil(running / self.threads) if self.packing == "dense" else np.minimum(running, self.cores)
        found: Array = each.astype(float)
        return found

    def speeds(self) -> Array:
        """Work done with 1, 2, … threads running, in cores of one thread; the last one holds beyond."""
        running, busy = np.arange(1.0, self.cores * self.threads + 1), self.busy_cores()
        gain = (self.max_capacity_factor - 1) / (self.threads - 1) if self.threads > 1 else 0.0
        found: Array = busy + (running - busy) * gain
        return found


@dataclass(frozen=True)
class Lpar:
    """A logical partition.

    Parameters
    ----------
    name : str
    processors : Processors, or the count of CPs
    ziips : Ziips, optional
    fixed_cpu : float, default 0
        CPU outside the regions that does not grow with the work [engines]; 0.12 is 12 % of one CP.
    change_mode_cpu : float, default 0
        CPU of one change of TCB [s]; about 3000 instructions.
    change_mode_wait : float, default 0
        Wait for redispatch after one change of TCB, beside the queues of this model [s].
    """

    name: str
    _: KW_ONLY
    processors: Processors
    ziips: Ziips | None = None
    fixed_cpu: float = 0.0
    change_mode_cpu: float = 0.0
    change_mode_wait: float = 0.0

    def __post_init__(self) -> None:
        checks.text("lpar: name", self.name)
        item = f"lpar {self.name!r}"
        if isinstance(self.processors, (int, float)):
            try:
                checks.assign(self, processors=Processors(self.processors))
            except ModelError as error:
                error.item = f"{item}: {error.item}"
                raise
        kind_of(f"{item}: processors", self.processors, Processors)
        if self.ziips is not None:
            kind_of(f"{item}: ziips", self.ziips, Ziips)
        for part in ("fixed_cpu", "change_mode_cpu", "change_mode_wait"):
            checks.assign(self, **{part: checks.number(f"{item}: {part}", getattr(self, part))})


def kind_of(item: str, value: object, kind: type) -> None:
    """An object of that kind."""
    if not isinstance(value, kind):
        fields = "{ … }" if kind is not Ziips else "{ cores = 2 }"
        raise ModelError(
            item, f"must be {kind.__name__}", f"write {fields} in a file, zos.{kind.__name__}(...) in Python", value
        )


def flag(item: str, value: object) -> None:
    """True or false."""
    if not isinstance(value, bool):
        raise ModelError(item, "must be true or false", "write one of them", value, code=Repair.FLAG)

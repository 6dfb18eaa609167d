"""How full what a work meets is, and how far answers were off there: the error that is stated with an answer."""

from __future__ import annotations

import csv
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from math import nan

import numpy as np

from qnsolve.numerics.series import Array, Places
from qnsolve.zos.compile.compiled import UNLIMITED, Compiled, Op, Pool

TABLE = "measured_system_errors.csv"
CENTERS = (0.5, 0.7, 0.8, 0.88, 0.94)  # between the classes of use of the busiest center
LIMITS = (0.5, 0.75, 0.92)  # between those of the fullest limit
BOUNDS = (Pool.LIMIT, Pool.TRANCLASS, Pool.THREADS)


@dataclass(frozen=True)
class Use:
    """How full what a work meets is.

    Attributes
    ----------
    center : float
        Use of the busiest of its CPs, QR and RO TCBs, devices, logs and coupling facilities [0..1].
    limit : float
        Use of the fullest of its limits: MXT, dependent regions, TRANCLASSes, JVM threads [0..1].
    uneven : bool
        Whether it or other work of its LPAR comes in bursts, or other work there has a higher importance.
    """

    center: float
    limit: float
    uneven: bool = False

    @property
    def cell(self) -> tuple[int, int, int]:
        """1 where it is uneven, class of the center, class of the limit."""
        return int(self.uneven), int(np.searchsorted(CENTERS, self.center)), int(np.searchsorted(LIMITS, self.limit))


@dataclass(frozen=True)
class Measured:
    """Errors of response times in one region of use [ratio].

    Attributes
    ----------
    works : int
        That it was measured on.
    mean, most : float
        In the mean, and what 95 of 100 are within.
    """

    works: int
    mean: float
    most: float


def uses(form: Compiled, throughput: Array, busy: Array, held: Array) -> list[Use]:
    """The use of what each work meets.

    Parameters
    ----------
    form : Compiled
    throughput : ndarray (W,)
        [1/s].
    busy : ndarray (H,)
        CPs in use, over the CPs [0..1].
    held : ndarray (P,)
        Places in use of the pools, over their size [0..1]; those of QR and RO TCBs are not looked at.
    """
    tcbs = tcb_use(form, throughput)
    use = np.where(np.isin(form.pool_kind, (Pool.QR, Pool.RO)), tcbs, np.where(form.pool_size < UNLIMITED, held, 0.0))
    bound = np.isin(form.pool_kind, BOUNDS)
    highest = [min(form.importance[form.host == host], default=1) for host in range(len(form.engines))]
    center, limit, uneven = np.zeros(len(form.rate)), np.zeros(len(form.rate)), _met_by_groups(form)
    for task, work in enumerate(form.work):
        pools = [arg for code, arg, *_ in form.program(task) if code in (Op.TAKE, Op.SHARED, Op.HOLD)]
        center[work] = max(center[work], busy[form.host[task]], *(use[p] for p in pools if not bound[p]), 0.0)
        limit[work] = max(limit[work], *(use[p] for p in pools if bound[p]), 0.0)
        uneven[work] |= form.importance[task] > highest[form.host[task]]
    return [Use(float(c), float(x), bool(u)) for c, x, u in zip(center, limit, uneven, strict=True)]


def _met_by_groups(form: Compiled) -> Places:
    """Works in groups, and those that come to an LPAR to which such work comes (W,)."""
    groups = form.in_groups | (form.tick > 0)
    hosts = np.unique(form.host[groups[form.work]])
    return np.asarray(groups | np.isin(np.arange(len(groups)), form.work[np.isin(form.host, hosts)]))


def tcb_use(form: Compiled, throughput: Array) -> Array:
    """What QR and RO TCBs have to do, without waits for CPs, by pool [0..1]."""
    found = np.zeros(len(form.pool_size))
    tcbs = {pool for pool, kind in form.tcbs if kind is not Pool.THREADS}
    for task, work in enumerate(form.work):
        rate, slower = throughput[work] * form.visits[task], form.slower[form.host[task]]
        on = -1
        for code, arg, mean, _ in form.program(task):
            if code is Op.SHARED:
                found[arg] += rate * mean * slower
            elif code in (Op.TAKE, Op.HOLD) and arg in tcbs:
                on = arg
            elif code in (Op.GIVE, Op.LET) and arg == on:
                on = -1
            elif on >= 0 and code in (Op.CPU, Op.WAIT, Op.FIXED):
                found[on] += rate * mean * (slower if code is Op.CPU else 1.0)
    return found


@cache
def table() -> dict[tuple[int, int, int], Measured]:
    """The measured errors by region of use; empty where none have been measured."""
    path = files(__package__).joinpath(TABLE)
    if not path.is_file():
        return {}
    found = {}
    for row in csv.DictReader(path.read_text(encoding="utf-8").splitlines()):
        cell = int(row["uneven"]), int(row["center"]), int(row["limit"])
        found[cell] = Measured(int(row["works"]), float(row["mean"]), float(row["most"]))
    return found


def stated(use: Use) -> float:
    """What 95 of 100 measured errors are within where a work is in that use; where none were measured, anywhere [ratio]."""
    found = table()
    if use.cell in found:
        return found[use.cell].most
    same = [one.most for cell, one in found.items() if cell[0] == use.cell[0]] or [one.most for one in found.values()]
    return max(same, default=nan)

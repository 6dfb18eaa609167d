"""What the loop of events runs for a compiled system: its programs, pools, servers and sources as rows of numbers."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from qnsolve.errors import ModelError
from qnsolve.numerics.series import Array
from qnsolve.simulation.compiling import real_cells, whole_cells
from qnsolve.simulation.event_rows import (
    CALL,
    END,
    GIVE,
    HOLD,
    JOIN,
    LEAVE,
    LET,
    SHARE,
    SHARE_ELSE,
    SHARE_UNIT,
    SKIP,
    TAKE,
    WAIT,
    Programs,
)
from qnsolve.simulation.event_rows import FIXED as FIXED_TIME
from qnsolve.zos.compile.compiled import PIECE, Compiled, Op

NO_LIMIT = 2**62
CODE = {
    Op.END: END,
    Op.TAKE: TAKE,
    Op.GIVE: GIVE,
    Op.WAIT: WAIT,
    Op.FIXED: FIXED_TIME,
    Op.CALL: CALL,
    Op.CPU: SHARE,
    Op.SPIN_ON: JOIN,
    Op.SPIN_OFF: LEAVE,
    Op.SHARED: SHARE_UNIT,
    Op.HOLD: HOLD,
    Op.LET: LET,
    Op.SKIP: SKIP,
}


@dataclass(frozen=True, eq=False)
class Queues:
    """Units of work that share CPs or zIIPs: one queue for each importance of a host, and one for its zIIPs.

    Attributes
    ----------
    host, rank : ndarray (Q,), int
        Host and importance; rank 0 for zIIPs.
    server : ndarray (Q,), int
        The CPs of host h are server h; zIIPs follow in the order of their hosts.
    """

    host: Array
    rank: Array
    server: Array

    def of(self, host: int, rank: int) -> int:
        """The queue of an importance, or of the zIIPs."""
        return int(np.flatnonzero((self.host == host) & (self.rank == rank))[0])


def programs_of(form: Compiled, stretch: Array | None = None) -> tuple[Programs, Queues]:
    """The rows of numbers that the loop of events runs, and the queues in them.

    Parameters
    ----------
    form : Compiled
    stretch : ndarray (H,), optional
        What multiplies CPU times on the CPs of a host; 1 over their speed where left out.

    Notes
    -----
    Sources are the works, then the rows of fixed CPU; each has a program after those of the tasks.
    """
    slower = np.asarray(form.slower if stretch is None else stretch, dtype=float)
    queues = _queues(form)
    bundles = _bundles(form, queues)
    order = sorted(bundles, key=lambda pool: bundles[pool])
    ops = _operations(form, slower, queues, {pool: b for b, pool in enumerate(order)})
    starts = [int(start) for start in form.op_start[:-1]]
    for w in range(len(form.rate)):
        starts.append(len(ops))
        firsts = range(int(form.first_start[w]), int(form.first_start[w + 1]))
        ops += [(CALL, int(form.first_group[i]), 0, float(form.first_number[i]), 0.0) for i in firsts]
        ops.append((END, 0, 0, 0.0, 0.0))
    for host, rank, _ in form.fixed:
        starts.append(len(ops))
        ops += [(SHARE, queues.of(int(host), int(rank)), 0, PIECE, 0.0), (END, 0, 0, 0.0, 0.0)]
    code, arg, other, mean, other_mean = zip(*ops, strict=True)

    hosts, ziips = len(form.engines), [h for h, speeds in enumerate(form.ziip_speeds) if len(speeds)]
    tables = [np.zeros(0)] * hosts + [form.ziip_speeds[h] for h in ziips]
    most = [NO_LIMIT] * hosts + [len(form.ziip_speeds[h]) if form.ziip_overflow[h] else NO_LIMIT for h in ziips]
    shares = [np.cumsum(form.group_share[a:b]) for a, b in pairwise(form.group_start)]
    fixed = form.fixed[:, 2] / PIECE
    none = np.zeros(len(fixed))
    programs = Programs(
        code=whole_cells(code),
        arg=whole_cells(arg),
        other=whole_cells(other),
        mean=real_cells(mean),
        other_mean=real_cells(other_mean),
        group_start=whole_cells(form.group_start),
        group_task=whole_cells(form.group_task),
        group_sum=real_cells(np.concatenate(shares)),
        start=whole_cells(starts),
        tasks=len(form.work),
        depth=_depth(form) + 1,
        pool_size=whole_cells(form.pool_size),
        server_of=whole_cells(queues.server),
        first_queue=whole_cells(np.searchsorted(queues.server, np.arange(hosts + len(ziips) + 1))),
        first_bundle=whole_cells(np.searchsorted([bundles[pool] for pool in order], np.arange(len(queues.host) + 1))),
        queue_of=whole_cells([bundles[pool] for pool in order]),
        engines=real_cells([*form.engines, *[0.0] * len(ziips)]),
        speed_start=whole_cells(np.cumsum([0, *map(len, tables)])),
        speed=real_cells(np.concatenate([*tables, np.zeros(1)])),  # never empty
        most=whole_cells(most),
        rate=real_cells([*form.rate, *fixed]),
        think=real_cells([*form.think, *none]),
        burst=real_cells([*form.burst, *(none + 1)]),
        tick=real_cells([*form.tick, *none]),
        users=whole_cells([*form.users, *none]),
        counted=whole_cells([1] * len(form.rate) + [0] * len(fixed)),
    )
    return programs, queues


def _queues(form: Compiled) -> Queues:
    """All queues of a system."""
    hosts = range(len(form.engines))
    used = {(int(h), int(rank)) for h, rank in zip(form.host, form.importance, strict=True)}
    used |= {(int(h), int(rank)) for h, rank, _ in form.fixed} | {(h, 1) for h in hosts}
    rows = [(host, rank, host) for host, rank in sorted(used)]
    ziips = [h for h in hosts if len(form.ziip_speeds[h])]
    rows += [(host, 0, len(hosts) + i) for i, host in enumerate(ziips)]
    host, rank, server = np.array(rows).T
    return Queues(host, rank, server)


def _operations(
    form: Compiled, slower: Array, queues: Queues, bundle_of: dict[int, int]
) -> list[tuple[int, int, int, float, float]]:
    """Each operation of the form: code, argument, second choice, mean and that of the second choice."""
    rows = []
    tasks = [t for t, (first, last) in enumerate(pairwise(form.op_start)) for _ in range(int(last - first))]
    for o, t in enumerate(tasks):
        op, place, mean = Op(form.op_code[o]), int(form.op_arg[o]), float(form.op_mean[o])
        code, other, other_mean = CODE.get(op, END), 0, 0.0
        if op in (Op.HOLD, Op.LET):
            other = bundle_of[place]
        elif op == Op.SHARED:
            mean *= slower[form.host[t]]
            place = bundle_of[place]
        elif op in (Op.CPU, Op.ZIIP, Op.SPIN_ON, Op.SPIN_OFF):
            host, place = place, queues.of(place, int(form.importance[t]))
            if op == Op.ZIIP and len(form.ziip_speeds[host]):
                code, other, other_mean = SHARE_ELSE, place, mean * slower[host] * form.overflowed[t]
                place, mean = queues.of(host, 0), mean / form.ziip_speed[host]
            else:
                code, mean = CODE.get(op, SHARE), mean * slower[host]
        rows.append((code, place, other, mean, other_mean))
    return rows


def _bundles(form: Compiled, queues: Queues) -> dict[int, int]:
    """The TCBs that their tasks share, by their pools: the queue of each for CPs."""
    found: dict[int, int] = {}
    for t, (first, last) in enumerate(pairwise(form.op_start)):
        for o in range(first, last):
            if form.op_code[o] in (Op.SHARED, Op.HOLD, Op.LET):
                found[int(form.op_arg[o])] = queues.of(int(form.host[t]), int(form.importance[t]))
    return found


def _depth(form: Compiled) -> int:
    """Tasks that wait for each other, at most."""
    depth: dict[int, int] = {}

    def of(task: int, above: tuple[int, ...]) -> int:
        if task in above:
            raise ModelError("simulate: steps", "a task waits for itself", "take the circle out of the steps")
        if task not in depth:
            called: list[int] = []
            for o in range(form.op_start[task], form.op_start[task + 1]):
                if form.op_code[o] == Op.CALL:
                    group = int(form.op_arg[o])
                    called += [int(i) for i in form.group_task[form.group_start[group] : form.group_start[group + 1]]]
            depth[task] = 1 + max((of(i, (*above, task)) for i in called), default=0)
        return depth[task]

    return max(of(t, ()) for t in range(len(form.work)))

"""The rows of numbers that the loop of events works on: programs of jobs, and the state that they are in."""

from __future__ import annotations

from typing import NamedTuple

from .compiling import Cells

# operations of a program
END, TAKE, GIVE, SHARE, SHARE_ELSE, WAIT, FIXED, JOIN, LEAVE, CALL, SHARE_UNIT, HOLD, LET, SKIP = range(14)
# why the loop returned
REACHED, REFILL, GROW, STUCK = range(4)
# whole numbers that stay between two runs of the loop
PLANNED, READY_FIRST, READY_LAST, FREE, LEFT_FREE, NEXT_EXPONENTIAL, NEXT_UNIFORM = range(7)
FINISHED, EVENTS, INSIDE, IN_LINES, WHOLES = range(7, 12)
MARGIN = 8  # random numbers that one step may need


class Programs(NamedTuple):
    """What does not change: O operations, G groups of programs, Q queues of S servers, B bundles, A sources of jobs.

    A bundle is jobs that are one unit together: what a unit of their queue gets is shared equally by them.

    Attributes
    ----------
    code, arg, other : (O,), int
        Operations. `arg` is a pool, a queue, a bundle or a group; `other` the queue of the second
        choice, or the bundle that stands still while a place of the pool is held.
        Of `SKIP` the operations further that the job goes on.
    mean, other_mean : (O,)
        Times [s], work [s at speed 1], the number of calls, or the chance to skip.
    group_start : (G + 1,), int
    group_task : int
        Members of each group, by their programs.
    group_sum : float
        Their shares, added up within the group.
    start : int
        First operation of each program: T tasks, then one for each source.
    tasks : int
        T.
    depth : int
        Programs that may call each other, at most.
    pool_size : (P,), int
        Places of a pool.
    server_of : (Q,), int
    first_queue : (S + 1,), int
        Queues of a server in the order of their importance.
    first_bundle : (Q + 1,), int
        Bundles of a queue.
    queue_of : (B,), int
    engines : (S,)
        Servers at work at most; each unit gets at most one.
    speed_start : (S + 1,), int
    speed : float
        Total speed with 1, 2, … units, where the server has such a table; the last holds beyond.
    most : (S,), int
        Units from which on a newcomer makes its second choice.
    rate, think, burst, tick : (A,)
        Jobs a second, or, for users, their mean time between jobs [s]; jobs that come together; time between the ticks
        at which jobs begin, 0 without a clock [s].
    users : (A,), int
        0 where jobs come at a rate.
    counted : (A,), int
        1 where its jobs are counted as finished.
    """

    code: Cells
    arg: Cells
    other: Cells
    mean: Cells
    other_mean: Cells
    group_start: Cells
    group_task: Cells
    group_sum: Cells
    start: Cells
    tasks: int
    depth: int
    pool_size: Cells
    server_of: Cells
    first_queue: Cells
    first_bundle: Cells
    queue_of: Cells
    engines: Cells
    speed_start: Cells
    speed: Cells
    most: Cells
    rate: Cells
    think: Cells
    burst: Cells
    tick: Cells
    users: Cells
    counted: Cells


class LoopState(NamedTuple):
    """What changes: J jobs, E = S + A + J events; pools, queues and sources as in `Programs`."""

    whole: Cells
    now: Cells
    exponential: Cells
    uniform: Cells
    # events: servers, sources, jobs
    heap: Cells
    place: Cells
    time: Cells
    # jobs
    source: Cells
    began: Cells
    level: Cells
    frame: Cells  # (J · depth,): operation
    calls: Cells  # calls that remain
    entered: Cells  # time
    task: Cells
    link: Cells  # next in a line, among the ready, or among the free
    key: Cells
    child: Cells
    sibling: Cells
    # pools
    free: Cells
    held: Cells
    first: Cells
    last: Cells
    length: Cells
    counted_to: Cells
    # queues and servers
    root: Cells
    units: Cells
    spins: Cells  # units that hold an engine each, and do nothing
    pace: Cells
    attained: Cells
    advanced: Cells
    following: Cells
    dirty: Cells
    dirty_list: Cells
    # bundles
    top: Cells
    members: Cells
    stopped: Cells
    given: Cells  # what each member got
    since: Cells  # what a unit of the queue had got when that was brought up to date
    due: Cells  # what it will have got when a member ends
    # sources
    thinking: Cells
    gathered: Cells  # time since the last tick up to which jobs have come
    # totals
    arrived: Cells
    done: Cells
    response: Cells
    busy: Cells
    held_area: Cells
    line_area: Cells
    asked: Cells
    delayed: Cells
    task_done: Cells
    task_time: Cells

"""The rows of numbers that the loop of a network works on: stations and routes, and the state that jobs are in."""

from __future__ import annotations

from typing import NamedTuple

from .compiling import Cells

# kinds of stations
DELAY, SHARED, LINE, PREEMPTIVE = range(4)
# whole numbers that stay between two runs of the loop
COUNTS = 12
(PLANNED, MOVING_FIRST, MOVING_LAST, ARRIVING_FIRST, ARRIVING_LAST, FREE, LEFT_FREE, NEXT_UNIFORM, FINISHED, EVENTS, ORDER) = (
    range(11)
)


class Stations(NamedTuple):
    """What does not change: R classes, K stations and the outside, which is place K; E steps of routes.

    Attributes
    ----------
    kind, servers : (K,), int
    speed_start : (K + 1,), int
    speed : float
        Total speed of a shared station with 1, 2, … jobs; the last holds beyond.
    capacity : (K,)
        Most jobs at a station.
    blocking : int
        1 where stations have capacities.
    bound : (K,), int
        1 where a job that is served keeps its server until it departs.
    level : (K · R,), int
        Place of each class in the order of a station, from 0.
    levels : int
        Most of them.
    service : (K · R,)
        Mean time of a visit.
    stream : (K · R,), int
        Which stream of random numbers its times are drawn from; -1 where they are constant.
    route_start : (R · (K + 1) + 1,), int
        Steps from each place.
    route_to : (E,), int
    route_sum : (E,)
        Their probabilities, added up.
    release_start : (E + 1,), int
    release : int
        Limits that the job leaves with a step.
    group : (E,), int
        The limits that it needs for it, by their sets; -1 for none.
    need_start : (sets + 1,), int
    need : int
    places : (limits,)
    closed : (R,), int
    outside : (R,)
        Mean think time, or mean time between groups.
    arrival_stream, size_stream : (R,), int
    constant_size : (R,), int
        Jobs of a group where its size is no stream.
    """

    kind: Cells
    servers: Cells
    speed_start: Cells
    speed: Cells
    capacity: Cells
    blocking: int
    bound: Cells
    level: Cells
    levels: int
    service: Cells
    stream: Cells
    route_start: Cells
    route_to: Cells
    route_sum: Cells
    release_start: Cells
    release: Cells
    group: Cells
    need_start: Cells
    need: Cells
    places: Cells
    closed: Cells
    outside: Cells
    arrival_stream: Cells
    size_stream: Cells
    constant_size: Cells


class NetworkState(NamedTuple):
    """What changes: J jobs; events of the stations, the classes and the jobs."""

    whole: Cells
    now: Cells
    uniform: Cells
    drawn: Cells  # (streams · length,)
    at_draw: Cells  # (streams,): the next one of each
    heap: Cells
    place: Cells
    time: Cells
    # jobs
    kind_of: Cells  # class
    at: Cells
    to: Cells  # where it is blocked on its way to
    work: Cells
    left: Cells
    since: Cells
    order: Cells
    link: Cells
    key: Cells
    child: Cells
    sibling: Cells
    # stations
    free: Cells
    serving: Cells  # (all servers of preemptive stations,)
    first_server: Cells
    first: Cells  # (K · levels,)
    last: Cells
    root: Cells
    units: Cells
    pace: Cells
    attained: Cells
    advanced: Cells
    kept: Cells  # servers that blocked jobs keep
    count: Cells
    blocked_first: Cells
    blocked_last: Cells
    dirty: Cells
    dirty_list: Cells
    # limits
    used: Cells
    line_first: Cells
    line_last: Cells
    thinking: Cells
    # totals by class; by class and station, K · R
    finished: Cells
    waiting: Cells
    waited: Cells
    asked: Cells
    delayed: Cells
    present: Cells
    stayed: Cells
    visits: Cells
    worked: Cells

"""What tasks wait longer at devices, logs, coupling facilities, zIIPs, and TCBs after others because work comes in bursts."""

from __future__ import annotations

from collections.abc import Collection

import numpy as np

from qnsolve.numerics.bisection import narrowed
from qnsolve.numerics.series import Array, Places

from ..limits.limits import Limits
from ..working import Working
from .before_limits import GroupLine, longer_in_line
from .groups_at_limits import before_one, beyond
from .groups_on_the_way import Stop, in_groups
from .let_in import let_in

SAME = 1e-8  # relative width of a number that is found


def line_waits(work: Working, limits: Limits, tcbs: Collection[int] = ()) -> dict[int, Array]:
    """What tasks wait longer at each center where groups come together, their own or others (T,) [s], by its key.

    Those of the pools of `tcbs`, which are on the CPs too, JVM threads among them, or of all other centers.
    """
    stops, sizes = dict[int, Stop](), dict[int, dict[int, Array]]()
    for w in np.flatnonzero(work.form.in_groups).tolist():
        for step in in_groups(work, limits, w):
            for stop, size in step.at:
                wanted = stop.key in tcbs if tcbs else stop.after is None
                if size <= 1 or stop.key is None or stop.overflows or not wanted:
                    continue
                here = stop.time > 0
                if stop.after is not None:  # those who begin there are in chains of the CPs
                    here &= stop.after
                first, size = let_in(work, limits, step.share * here, size, not tcbs)
                if size > 1:
                    stops[stop.key] = stop
                    tail = beyond(size, float(first.sum()))
                    sizes.setdefault(stop.key, {}).update(dict.fromkeys(np.flatnonzero(first).tolist(), tail))
    found = {}
    for key, stop in stops.items():
        tasks = np.flatnonzero((stop.time > 0) & (work.flow > 0))
        line = GroupLine(tasks, stop.time, stop.time + stop.wait, stop.wait, None, int(stop.servers))
        longer, _ = longer_in_line(work, limits, line, sizes[key])
        if stop.shared:
            longer = _shared(work, stop, sizes[key], longer)
        behind = work.behind_groups.get(key, np.zeros(len(longer)))
        found[key] = _in_rounds(work, stop, sizes[key], longer, behind)
    return found


def _shared(work: Working, stop: Stop, sizes: dict[int, Array], longer: Array) -> Array:
    """What tasks that share a center stay longer there, given the waits of a line (T,); as much in all.

    One who comes is there for (n + 2)/(2 - used) services where n are (E. Coffman, R. Muntz, H. Trotter 1970).
    """
    flow, grouped = work.flow, np.isin(np.arange(len(longer)), list(sizes))
    others = flow * ~grouped * (stop.time > 0)
    if not others.any():
        return longer
    used = min(float(flow @ stop.time) / stop.servers, 1.0)
    behind = float(others @ longer) / float(others.sum())
    found = np.where(grouped, np.maximum(2 * longer - behind, 0.0), longer) / (2 - used)
    rest = float(flow @ longer) - float(others @ found)
    found[grouped] *= rest / max(float(flow[grouped] @ found[grouped]), 1e-300)
    return found


def _in_rounds(work: Working, stop: Stop, sizes: dict[int, Array], longer: Array, behind: Array) -> Array:
    """What tasks wait longer in all their rounds, given what they do where each is served in one (T,) [s].

    `behind` is what they waited longer as it was known before.

    Who comes back stands behind mates again, and behind all that has come meanwhile: mates of many rounds share the center,
    and end together. Others wait for the rounds of those who stand before them, not for all that these need.
    """
    flow, rounds = work.flow, work.need.rounds
    grouped = np.isin(np.arange(len(longer)), list(sizes))
    if float(flow @ stop.time) >= stop.servers:  # more than it can do, for a round
        return longer
    if not (rounds[grouped] > 1).any():
        return longer * np.where(grouped, 1.0, _visits(work, stop, grouped, float(longer[grouped].max())))
    shared = _Sharing(work, stop, sizes, longer, behind)
    of_groups = np.flatnonzero(grouped)

    def more(number: float) -> float:
        return float(flow[of_groups] @ shared.waits(number)[of_groups]) - number

    high = max(2 * float(flow[of_groups] @ longer[of_groups]), 1e-12)
    while more(high) > 0:
        high *= 2
    number, _ = narrowed(lambda n: more(n) > 0, 0.0, high, SAME)
    found = shared.waits(number)
    once = float(flow[of_groups] @ longer[of_groups])
    found[~grouped] *= _visits(work, stop, grouped, float(found[of_groups].max()))[~grouped] * number / max(once, 1e-300)
    return found


def _visits(work: Working, stop: Stop, grouped: Places, lasts: float) -> Array:
    """How often others find groups at a center that are there so long, over what they would find in one round (T,)."""
    rounds, flow = work.need.rounds, work.flow
    away = np.maximum(work.on_cps + work.off_cps - stop.time - stop.wait, 0.0)
    theirs = float(flow[grouped] @ rounds[grouped]) / max(float(flow[grouped].sum()), 1e-300)
    used = min(float(flow @ stop.time) / stop.servers, 1.0)
    gone = away / np.maximum(away + rounds * lasts, 1e-300)  # of what was there, when a task comes back
    left = np.minimum((1 - gone) * used, 1 - 1e-9)  # what comes while a task is there, it meets the next time
    mean = gone / (1 - left)
    again = rounds * mean + (1 - mean) * (1 - left**rounds) / (1 - left)
    return np.minimum(rounds / theirs, again)


class _Sharing:
    """A center that mates of many rounds share: times there, given how many more are there for the groups [count]."""

    def __init__(self, work: Working, stop: Stop, sizes: dict[int, Array], longer: Array, behind: Array) -> None:
        self.rounds, self.longer, self.stop = work.need.rounds, longer, stop
        self.grouped = np.isin(np.arange(len(longer)), list(sizes))
        self.busy = work.flow * stop.time / stop.servers
        self.used = min(float(self.busy.sum()), 1 - 1e-9)
        self.number = work.flow * (stop.time + stop.wait)
        self.away = np.maximum(work.ask.on_cps + work.off_cps - stop.time - stop.wait - behind, 0.0)
        self.mates = {t: 1 + 2 * before_one(tail) for t, tail in sizes.items()}

    def waits(self, number: float) -> Array:
        """What tasks of groups wait longer, where so many more of them are there in the mean (T,) [s]."""
        found, stop, others = self.longer.copy(), self.stop, ~self.grouped
        there = float(self.number[self.grouped].sum()) + number
        for t, mates in self.mates.items():
            pace = np.where(self.grouped, 1.0, self.rounds[t] / self.rounds)  # rounds of others while it makes as many
            ends = float(self.busy @ pace) / self.used * (1 - self.used)
            stay, last = -np.expm1(-ends) / ends, mates / (1 - self.used)
            met = float(self.number[others] @ (pace * stop.time)[others]) / float(stop.time[t])
            met = min(met, float(self.busy[others].sum()) * last) + there
            whole = stop.time[t] * max(1.0, (mates + met * stay + self.used * last * (1 - stay)) / stop.servers)
            shared = max(whole - stop.time[t] - stop.wait[t], self.longer[t])
            near = whole / (whole + self.away[t])
            found[t] = (self.longer[t] + (self.rounds[t] - 1) * near * shared) / self.rounds[t]
        return found

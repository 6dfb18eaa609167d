"""What lines at TCBs and free pieces ask for, each as of one length, and which pieces the lines hold back."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from qnsolve.numerics.series import Array
from qnsolve.zos.hosts.calls import unlike
from qnsolve.zos.hosts.host_view import HostView
from qnsolve.zos.hosts.load import GroupPoint

from .pieces_of_lines import of_all_lines

ALIKE = 1e-3  # differences of lines that are taken as none
ROOT = 1 / 3  # power of the processors by which waits of free pieces count, for how long these change: near the end a half
BEYOND = 0.75  # how far longer visits that move with a line by more than all of theirs make up for shorter ones
FOR_EVER = 1e9  # time of free pieces over that alone, beyond which they do not end


@dataclass(frozen=True)
class FreePieces:
    """Free pieces as of one length that fluctuate as much.

    Attributes
    ----------
    held, elsewhere : float
        Those that come as lines move on, and others [1/s].
    length : float
        CPU of each [s].
    """

    held: float
    elsewhere: float
    length: float


class LineLoads:
    """Groups of a host apart: QR and RO TCBs are the lines, all others and free pieces are the rest.

    `plain` are the points of chains of each group alone, by which lines are so long and free pieces wait so much.
    """

    def __init__(self, host: HostView, plain: Sequence[GroupPoint]) -> None:
        self.host, self.plain, groups = host, plain, host.load.groups
        self.lines = host.lines
        self.rest = [k for k in range(len(groups)) if k not in self.lines and host.loads[k] > 0]
        self.work = sum(host.loads[k] for k in self.lines)
        self.free = host.total - self.work

    @cached_property
    def free_work(self) -> Array:
        """Of each task: its work as free pieces and in groups that are no lines, one visit [s]."""
        found = self.host.rest.copy()
        for group in (self.host.load.groups[k] for k in self.rest):
            found[group.tasks] += group.cpu
        return found

    @cached_property
    def _free_used(self) -> Array:
        """What each task uses there [processors]."""
        return np.asarray(self.host.load.flow * self.free_work)

    @cached_property
    def _of_all(self) -> Array:
        return of_all_lines(self.host, self.lines)

    @cached_property
    def share(self) -> Array:
        """Of each task: share of its free pieces that come only as fast as its line moves on (T,) [0..1].

        Longer visits than a mean one move with it by more than all of theirs; that counts as more of the shorter ones.
        """
        return self._with_called(self._held(self._by_length) * self._of_all)

    @cached_property
    def _by_length(self) -> Array:
        """The same, of longer visits more than 1.

        Tasks that share a TCB leave it in the ratio of those that are there. Where free pieces let the TCB run slower, all
        leave more slowly at once. If that lasts, shorter visits become more of those there, and longer ones fewer, until they
        leave at a rate that moves with the TCB by their length over the mean one. How free pieces change dies away as in one
        queue of m processors, 1 - u of them idle: near the end after a time of a piece over m·(1 - u)², where it waits its own
        over m·(1 - u).
        """
        load = self.host.load
        found = np.zeros(len(load.flow))
        for k in self.lines:
            group, its = load.groups[k], self.plain[k]
            work, flow = group.cpu, load.flow[group.tasks]
            part = flow * work / max(float(flow @ work), 1e-300)
            mean = float(part @ work)
            slowly = work / mean
            others = np.divide(mean - part * work, 1 - part, out=work.copy(), where=part < 1)
            settles = its.number * its.service * work / (1 - part + part * work / np.maximum(others, 1e-300))
            lasts = self._piece * (1 + load.engines**ROOT * (min(its.free, FOR_EVER) - 1)) ** 2
            found[group.tasks] = 1.0 if group.in_order else slowly + (1 - slowly) * settles / (settles + lasts)
        return found

    def _held(self, by_length: Array) -> Array:
        """Shares of 1 at most, those of each line as much in all: what is beyond 1 of some goes to the others."""
        work, found = self._free_used, np.minimum(by_length, 1.0)
        for k in self.lines:
            its = self.host.load.groups[k].tasks
            room, beyond = float(work[its] @ (1 - found[its])), float(work[its] @ np.maximum(by_length[its] - 1, 0.0))
            if room > 0:
                found[its] += (1 - found[its]) * BEYOND * min(beyond / room, 1.0)
        return found

    @property
    def mixed(self) -> float:
        """Share of the free pieces of tasks that come to lines, by their work, that these do not hold back."""
        work = self._free_used * self._of_all
        return 1 - float(work @ self.share) / max(float(work.sum()), 1e-300) if work.any() else 0.0

    def _with_called(self, share: Array) -> Array:
        """A share of the free pieces of tasks that come to lines, with those of the tasks that they call (T,)."""
        return np.asarray(share + share @ self._sent) if self.host.calls.some else share

    @cached_property
    def _sent(self) -> Array:
        """Of all that come to each task that has no line, the share that each other one calls at once (T, T).

        The less of it counts the less of the work at the lines is of those that call, and no more than one for each task of
        the length of those in the lines: short visits beside longer ones do not call as the lines as a whole move on.
        """
        host, flow = self.host, self.host.load.flow
        lines = np.zeros(len(flow))
        for k in self.lines:
            lines[host.load.groups[k].tasks] = 1.0
        found = np.where(lines > 0, 0.0, host.calls.shares)
        sent = float((lines @ found) @ (flow * (self.free_work > 0)))
        senders = sum(host.loads[k] for k in self.lines if found[host.load.groups[k].tasks].any())
        return np.asarray(found * min(self.work / self.length() / max(sent, 1e-300), 1.0) * senders / self.work)

    @cached_property
    def _squares(self) -> Array:
        """Of each task: the square of its work as free pieces as it fluctuates [s^2]."""
        return np.asarray(self.free_work**2 * self.host.left * self.host.load.rough)

    @cached_property
    def _fixed_piece(self) -> float:
        """Length of a piece of the CPU that does not grow with the work [s]."""
        load, all_work = self.host.load, float(self.host.load.flow @ self.free_work)
        piece = load.fixed / load.fixed_flow if load.fixed_flow else 0.0
        return min(piece, (piece * float(load.flow @ self._squares) / all_work) ** 0.5) if all_work > 0 else piece

    @cached_property
    def _piece(self) -> float:
        """Length of all free pieces as of one that fluctuates as much [s]."""
        load = self.host.load
        work, squares = float(load.flow @ self.free_work), float(load.flow @ self._squares)
        return (squares + load.fixed * self._fixed_piece) / max(work + load.fixed, 1e-300)

    def flow(self, k: int) -> float:
        """Visits to a group [1/s]."""
        return float(self.host.load.flow[self.host.load.groups[k].tasks].sum())

    @property
    def count(self) -> float:
        """Lines, each as much as it is used: 1 where one has next to all the work."""
        return self.work**2 / sum(self.host.loads[k] ** 2 for k in self.lines)

    @property
    def same_length(self) -> float:
        """How alike the tasks at lines are [0..1]: their mean length over the one that fluctuates as much."""
        host, groups = self.host, [self.host.load.groups[k] for k in self.lines]
        tasks = sum(float((host.load.flow[g.tasks] / host.left[g.tasks]).sum()) for g in groups)
        return min(self.work / max(tasks * self.length(), 1e-300), 1.0)

    @cached_property
    def unlike(self) -> float:
        """(1 + C²)/2 of the pieces at all lines."""
        load, groups = self.host.load, [self.host.load.groups[k] for k in self.lines]
        return unlike(np.concatenate([load.flow[g.tasks] for g in groups]), np.concatenate([g.cpu for g in groups]))

    @cached_property
    def elsewhere(self) -> float:
        """Share of the free pieces, by their work, that leave their line as they come, or come to none, fixed CPU included."""
        held = self._with_called(np.minimum(self._by_length, 1.0) * self._of_all)
        return (float(self._free_used @ (1 - held)) + self.host.load.fixed) / max(self.free, 1e-300)

    @cached_property
    def pieces(self) -> FreePieces:
        """The free pieces.

        Where those that the lines hold back are the longer ones they count as one each: as many as a line at work makes are
        there at most. Otherwise all count by their work.
        """
        load, work = self.host.load, self.free_work
        held, other = load.flow * self.share, load.flow * (1 - self.share)
        works = np.array([held @ work, other @ work + load.fixed])
        squares = np.array([held @ self._squares, other @ self._squares + load.fixed * self._fixed_piece])
        lengths = squares / np.maximum(works, 1e-300)
        if works.min() > 0 and lengths[0] > lengths[1]:
            rates = works / lengths
            return FreePieces(float(rates[0]), float(rates[1]), float(works.sum() / rates.sum()))
        return FreePieces(float(works[0]) / self._piece, float(works[1]) / self._piece, self._piece)

    def length(self, k: int | None = None) -> float:
        """Work of a task at a line, or at all, with visits that follow at once: of one length that fluctuates as much [s]."""
        lines = self.lines if k is None else [k]
        return sum(self._lengths[line] for line in lines) / sum(self.host.loads[line] for line in lines)

    @cached_property
    def _lengths(self) -> dict[int, float]:
        """Of each line: the length of its tasks times its load [s]."""
        load, found = self.host.load, dict[int, float]()
        for line in self.lines:
            group = load.groups[line]
            work, flow = group.cpu, load.flow[group.tasks]
            if group.in_order:
                found[line] = self.host.own_clock(line) * self.host.loads[line] ** 2 / max(float(flow.sum()), 1e-300)
            else:
                found[line] = float(flow @ (work**2 * self.host.left[group.tasks]))
        return found

    def held(self, k: int) -> float:
        """Pieces that a line holds back [1/s]."""
        mine = np.zeros(len(self.share))
        mine[self.host.load.groups[k].tasks] = self.share[self.host.load.groups[k].tasks]
        whole = max(float(self._free_used @ self.share), 1e-300)
        return self.pieces.held * float(self._free_used @ self._with_called(mine)) / whole

    @cached_property
    def alike(self) -> bool:
        """Whether all lines are."""
        held = [self.held(k) for k in self.lines]
        loads = [self.host.loads[k] for k in self.lines]
        return all(max(x) - min(x) <= ALIKE * max(x) for x in (loads, held))

    def coming(self, lines: list[int], levels: Array, beside: Array, length: float) -> tuple[Array, Array]:
        """Rates at which tasks come to some lines and free pieces from elsewhere, each (levels, beside) [1/s].

        Counted are tasks at these lines, and all others.
        """
        host, load = self.host, self.host.load
        pools = [load.groups[k].pool for k in lines]
        spread, works = load.spread, None
        if spread is not None and not load.coming.steady and all(pool in spread.at for pool in pools):
            works = spread.coming(load.work, pools, levels, beside, load.fixed)
        total = levels[:, None] + beside[None, :]
        at = np.zeros(len(load.flow))
        for group in (load.groups[k] for k in lines):
            at[group.tasks] += load.visits[group.tasks] * group.cpu
        free = load.visits * self.free_work * (1 - self.share)
        unit = self.pieces.elsewhere / max(float(load.flow @ (self.free_work * (1 - self.share))) + load.fixed, 1e-300)
        room = total < load.coming.most
        arrive = host.coming(at / length, total, works) * room
        return arrive, (host.coming(free * unit, total, works) + load.fixed * unit) * room

"""What a host is asked, and what its chains say: of one group of servers, and of all."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

import numpy as np

from qnsolve.numerics.series import Array, Places

from .chains.jumps import Burst
from .chains.windows import KeptWindows
from .groups import ServerGroup
from .spread import Whereabouts

MOST_OF_TIME = 0.95  # in which no more tasks wait than a figure says
LITTLE = 1e-3  # of the CPU of a piece, that is no spin at least
FULLEST = 0.99  # use of the only CP, at most, that pieces wait by
LEAST = 1e-300  # tasks of a group that is as good as empty


@dataclass(frozen=True, eq=False)
class Coming:
    """How work comes to a host: at so many tasks on its CPs (`count`, (G,)) the throughput of each work (G, W)."""

    count: Array
    rate: Array
    steady: bool  # no work of users
    most: float  # tasks that can be there at once


@dataclass
class Known:
    """What the chain of a group said over what that of two numbers says, when its loads were `loads`.

    Attributes
    ----------
    loads : ndarray
        Of the group, the others and the free pieces [engines], and its tasks in the chain of two numbers.
    ratios : ndarray
        Of tasks, servers at work, throughput, and the time that free pieces wait.
    tops : ndarray
        Ends of the grids; `finer` is which of `POINTS` did, and `round` when.
    """

    loads: Array
    ratios: Array
    tops: Array
    finer: int
    round: int


@dataclass(frozen=True, eq=False)
class LineRatios:
    """What the chains of lines and pieces say over what the plain ones do, when the loads were `loads`.

    Attributes
    ----------
    loads : ndarray
    numbers, service : ndarray (L,)
        Tasks at each line, and time of their work at a server.
    thinned, free : float
        Throughput, and the waits of free pieces.
    knots, stretch : ndarray (K,)
        Lengths of tasks that share lines [s], and their time there over it, not a ratio; none where all are alike.
    """

    loads: Array
    numbers: Array
    service: Array
    thinned: float
    free: float
    knots: Array
    stretch: Array


@dataclass(eq=False)
class Kept:
    """What is kept of a host from round to round.

    Attributes
    ----------
    known : dict of pool to Known
        Corrections of groups.
    lines : LineRatios or None
        Those of lines beside free pieces.
    windows : dict of (pool, int) to KeptWindows
        Where the chances of their chains are.
    reach : dict of pool to float
        How far the levels of chains went that were too short at first.
    kind, numbers : bytes, ndarray
        What it was asked last, `between` apart: numbers, and all else; and `point`, how it was solved.
    without : dict of frozenset of int to Kept
        What is kept of it without the bursts of some works.
    """

    known: dict[int, Known] = field(default_factory=dict)
    lines: LineRatios | None = None
    windows: dict[tuple[int, int], KeptWindows] = field(default_factory=dict)
    reach: dict[int, float] = field(default_factory=dict)
    kind: bytes = b""
    numbers: Array = field(default_factory=lambda: np.zeros(0))
    between: Array = field(default_factory=lambda: np.zeros(0))
    point: HostPoint | None = None
    without: dict[frozenset[int], Kept] = field(default_factory=dict)


@dataclass(frozen=True, eq=False)
class Called:
    """Tasks that others of lower importance on the host call: they come when these end, which get what CPs they leave.

    Attributes
    ----------
    share : ndarray (T,)
        Of the visits of each task, those that so come.
    count, part : ndarray (Y,)
        At so many tasks on the CPs the rate at which they come, over that in the mean.
    apart : ndarray (T,)
        Of the visits of each task, those that a chain itself lets come when tasks of lower importance end.
    met, found : float
        Tasks on the CPs in the mean, and that those which so come find there [count].
    """

    share: Array
    count: Array
    part: Array
    apart: Array
    met: float = 0.0
    found: float = 0.0

    def at(self, total: Array) -> Array:
        """Rate at which they come at so many tasks on the CPs, over that in the mean."""
        return np.asarray(np.interp(total, self.count, self.part))


@dataclass(frozen=True)
class NeverIdle:
    """A line that users keep at work all the time: CPU of a visit, and that of the free pieces that it goes on as [s]."""

    cpu: float
    later: float


@dataclass(frozen=True, eq=False)
class Shares:
    """As how many pieces those of each group, and the free ones last, share the only CP: who spins has it alone meanwhile.

    A piece of CPU `x` that spins for `v` takes as long beside others as w = (x + v)/x pieces that do not spin, and is gone
    sooner. Beside the others that are there it is as in discriminatory processor sharing [Fayolle1980].

    Attributes
    ----------
    there, units : ndarray (K + 1,)
        Pieces that are there, and that times as how many each of them shares the CP [count].
    left, waits : ndarray (K + 1,)
        Work left of them [s], and what they wait over that were all spins other CPU.
    """

    there: Array
    units: Array
    left: Array
    waits: Array

    @classmethod
    def of(cls, parts: list[tuple[Array, Array, Array]], engines: float, waits: Array) -> Shares:
        """Those of groups, and free pieces last: rates [1/s], CPU, and spins of each of their pieces [s]; and their `waits`."""
        use = min(sum(float(flow @ (cpu + spin)) for flow, cpu, spin in parts) / engines, FULLEST)
        there, units, left = np.zeros((3, len(parts)))
        for place, (flow, cpu, spin) in enumerate(parts):
            whole = cpu + spin
            shared = np.maximum(cpu, LITTLE * whole)
            each = np.divide(whole, shared, out=np.ones(len(whole)), where=whole > 0)
            left[place] = flow @ whole**2
            if place == len(parts) - 1 and left[place] > 0:  # those that count for more leave sooner, and others are there
                each = np.full(len(whole), left[place] / float(flow @ (whole * shared)))
            found = flow * whole * (1 + use / (1 - use) / each)
            there[place], units[place] = found.sum(), found @ each
        return cls(there, units, left, waits)

    def of_some(self, some: list[int]) -> float:
        """As how many each of those of some groups shares the CP, in the mean."""
        there = float(self.there[some].sum())
        return float(self.units[some].sum()) / there if there > 0 else 1.0

    def longer(self, some: list[int]) -> float:
        """What the last of some waits over all of them, by the work that is left."""
        left = self.left[some]
        return float(self.waits[some[-1]] * left.sum() / (left @ self.waits[some])) if left.any() else 1.0


@dataclass(frozen=True, eq=False)
class Load:
    """What a host is asked: flows are visits to its CPs a second.

    Attributes
    ----------
    engines : float
    groups : list of ServerGroup
    free, spin : ndarray (T,)
        Of free pieces of one visit: CPU, and time that they spin, which takes as long beside others.
    flow, visits : ndarray (T,)
        Visits a second, and of one transaction; 0 for tasks elsewhere.
    work, region : ndarray (T,)
    rounds, between : ndarray (T,)
        Visits to the CPs of a task, and its time elsewhere after each [s].
    in_a_row : ndarray (T,) or (1,)
        Tasks of a kind that the same one calls, each after the one before has ended.
    coming : Coming
    spread : Whereabouts or None
        Users by where they are; None where all tasks there are taken as alike.
    rough : ndarray (T,) or (1,)
        Mean square of the CPU of a visit outside TCBs over that of exponential pieces of its mean: work that zIIPs send back
        comes whole or not at all, and while they are taken.
    spin_squares : ndarray (2, T) or (2, 0)
        Squares of the times that a task spins, added up: at its QR TCB and beside it [s²]; none where no task does.
    gated : dict of region to ndarray
        Rates at which its tasks come when w of them are on the CPs, from a region at its limit.
    let_in : dict of region to region
        The full one that lets all tasks of some of these in: w counts those of all that the same one lets in.
    beside : dict of region to (float, float)
        Tasks on the CPs in the mean beside those by whose number its tasks come, and how far users come by that of all [0..1];
        none where some are before others.
    watched : frozenset of region
        Their speeds are asked for.
    limited : frozenset of region
        Limits, and not users, say how many of their tasks are there.
    filled : dict of region to float
        How far those of the gated ones are of tasks that stay as many on the CPs [0..1].
    held : dict of region to (int, float)
        Limits that pieces on the CPs fill, and the tasks in each that are off the CPs in the mean.
    bursts : tuple of Burst
        Works that come in groups.
    fixed, fixed_flow : float
        CPU that does not grow with the work [engines], and its pieces [1/s].
    calls : ndarray (T, T) or (0, 0)
        Tasks on the host that one visit of a task is followed by, at once, of other regions; none where nothing calls there.
    kept : Kept
        What is known of the host from the rounds before; `round` is this one.
    never_idle : tuple of NeverIdle
        Lines that are beside all of it.
    shares : Shares or None
        As how many pieces share the only CP, where some of the CPU is spins; None where all do as one.
    called : Called or None
        Tasks that come when others of lower importance end; None where there are none.
    """

    engines: float
    groups: list[ServerGroup]
    free: Array
    spin: Array
    flow: Array
    visits: Array
    work: Array
    region: Array
    rounds: Array
    between: Array
    coming: Coming
    spread: Whereabouts | None = None
    rough: Array = field(default_factory=lambda: np.ones(1))
    spin_squares: Array = field(default_factory=lambda: np.zeros((2, 0)))
    gated: dict[int, Array] = field(default_factory=dict)
    let_in: dict[int, int] = field(default_factory=dict)
    beside: dict[int, tuple[float, float]] = field(default_factory=dict)
    watched: frozenset[int] = frozenset()
    limited: frozenset[int] = frozenset()
    filled: dict[int, float] = field(default_factory=dict)
    held: dict[int, tuple[int, float]] = field(default_factory=dict)
    bursts: tuple[Burst, ...] = ()
    fixed: float = 0.0
    fixed_flow: float = 0.0
    calls: Array = field(default_factory=lambda: np.zeros((0, 0)))
    in_a_row: Array = field(default_factory=lambda: np.ones(1))
    kept: Kept = field(default_factory=Kept)
    round: int = 0
    never_idle: tuple[NeverIdle, ...] = ()
    shares: Shares | None = None
    called: Called | None = None

    def let_in_with(self, region: int) -> Places:
        """Tasks by whose number those of a full region come: its own, or all that the same one lets in (T,)."""
        outer = self.let_in.get(region)
        if outer is None:
            return np.asarray(self.region == region)
        return np.isin(self.region, [r for r, its in self.let_in.items() if its == outer])

    @property
    def few_users(self) -> bool:
        """Whether some groups are of few users: counts of all others know them, so that none is corrected for the others."""
        return any(group.of_users for group in self.groups)


@dataclass(frozen=True)
class LimitSeen:
    """What is seen of a limit: share of time without a place left, share of the tasks that wait, waiting 95 % of the time."""

    full: float
    delayed: float
    waiting_95: float

    def seldom(self, part: float) -> LimitSeen:
        """The same of a limit whose tasks wait a part of that."""
        return self if part == 1 else LimitSeen(part * self.full, part * self.delayed, part * self.waiting_95)

    @classmethod
    def of(cls, chance: Array, come: Array, full: Array | Places, before: Array) -> LimitSeen:
        """From the states of a chain, arrays of one shape.

        Parameters
        ----------
        chance, come : ndarray
            Chances, and rates at which tasks come.
        full : ndarray
            Share of the time that no place is left [0..1].
        before : ndarray
            Tasks before the limit [count].
        """
        flow = chance * come
        order = np.argsort(before, axis=None, kind="stable")
        passed = np.cumsum(chance.ravel()[order])
        most = before.ravel()[order][min(int(np.searchsorted(passed, MOST_OF_TIME * passed[-1])), len(passed) - 1)]
        delayed = float((flow * full).sum()) / max(float(flow.sum()), 1e-300)
        return cls(min(float((chance * full).sum()), 1.0), min(delayed, 1.0), float(most))


@dataclass(frozen=True, eq=False)
class GroupPoint:
    """One group solved.

    Attributes
    ----------
    stretch : float
        Time at it over the time of its work, waits for a server included.
    service : float
        Time of its work at a server over the same alone.
    uneven : ndarray or float
        The same of each task that comes, over that of all.
    kind : ndarray or None
        Kinds of pieces that the chain tells apart, of each task that comes.
    number, busy, waiting : float
        Tasks there, servers at work, tasks that wait for a server [count].
    outside : float
        Tasks before the limit of the region, where the chain counts them [count].
    free, used : float
        CPU time of free pieces over the same alone, and engines in use, as this chain sees them.
    thinned : float
        Throughput that the chain delivers [1/s].
    speeds : ndarray or None
        Rate at which 1, 2, … tasks of its region leave the CPs.
    full : ndarray
        P(n tasks) on `levels`.
    limit : LimitSeen or None
        What is seen of the limit that the group is, or that its chain counts.
    before_limit : ndarray or None
        Wait of each task for the limit that its chain counts, where some come in groups (n,) [s].
    first : ndarray or None
        Time of a short piece of each task when it has just come, over that alone, where bursts come to a TCB that is shared.
    unit : ndarray or None
        As how many its chain counts each task, where some come with bursts and that is more or fewer than one (n,).
    always : float
        Speed of a line that is never idle over that alone, as this chain sees it.
    even : float
        Wait for the limit that the group is over that were its tasks inside as long, whatever is on the CPs [ratio].
    swings : ndarray (2, 2) or None
        Variances of the tasks there and of all others on the processors, and their covariance, over their means [no unit].
    sure : bool
        Whether a chain of it, of other lines that bursts come to, and of the free pieces has it so: what is known of all moves
        the rest.
    """

    stretch: float
    service: float
    number: float
    busy: float
    waiting: float
    outside: float
    thinned: float
    free: float
    used: float
    speeds: Array | None
    levels: Array
    full: Array
    uneven: Array | float = 1.0
    kind: Places | None = None
    limit: LimitSeen | None = None
    before_limit: Array | None = None
    first: Array | None = None
    unit: Array | None = None
    always: float = 1.0
    even: float = 1.0
    swings: Array | None = None
    sure: bool = False

    def moved(self, alone: float, number: float, busy: float, thinned: float, free: float) -> GroupPoint:
        """The point with other figures; `alone` is the time of a visit alone, the least that number and busy may say."""
        least = max(thinned * alone, LEAST)
        number = max(number, least)
        busy = min(max(busy, least), number)
        return replace(
            self, number=number, busy=busy, waiting=max(number - busy, 0.0), thinned=thinned, free=max(free, 1.0),
            stretch=max(1.0, number / least), service=max(1.0, busy / least),
        )  # fmt: skip


@dataclass(frozen=True, eq=False)
class HostPoint:
    """A host solved: its groups, and how much longer the CPU of free pieces takes than alone.

    `lined` says how much one chain of all lines and free pieces corrected it [0..1], `overloads` has the loads of lines that
    work with rates may fill beside users, by their pools.
    """

    groups: list[GroupPoint]
    free: float
    used: float
    speeds: dict[int, Array] = field(default_factory=dict)
    lined: float = 0.0
    overloads: dict[int, float] = field(default_factory=dict)

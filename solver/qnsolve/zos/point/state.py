"""What the fixed point is about: how much longer work takes at each center than alone, as one vector."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from qnsolve.numerics.series import Array
from qnsolve.zos.compile.tasks import Layout
from qnsolve.zos.parts.regions import CicsRegion

SERIAL = ("qr", "ro")  # TCBs of a region that serve one task at a time
CLOSED, OPEN = "closed", "open"
CPS = "CPs"


@dataclass(frozen=True)
class Source:
    """A source of load on an LPAR's CPs: a TCB of a region, or all work beside those TCBs.

    Attributes
    ----------
    lpar, importance : int
    region : int or None
        For a TCB.
    kind : str
        "qr", "ro", or for the work beside "closed" or "open".
    jobs : float
        Units of work that it can have there at once.
    """

    lpar: int
    importance: int
    region: int | None
    kind: str
    jobs: float


@dataclass
class Corrections:
    """Waits and stretches of each kind of work at the limits of a region.

    Attributes
    ----------
    wait : dict of task to float
        [s]
    stretch : dict of (task, station) to float
        Residence time over demand at the stations that only the region's tasks use, and at the CPs (`CPS`).
    """

    wait: dict[int, float] = field(default_factory=dict)
    stretch: dict[tuple[int, str], float] = field(default_factory=dict)

    def change(self, other: Corrections, scale: float) -> float:
        """Largest change to another; of waits over `scale` or themselves."""
        if self.wait.keys() != other.wait.keys() or self.stretch.keys() != other.stretch.keys():
            return float("inf")
        waits = [abs(new - self.wait[key]) / max(new, scale) for key, new in other.wait.items()]
        return max([*waits, *(abs(new - self.stretch[key]) / new for key, new in other.stretch.items())], default=0.0)


@dataclass
class State:
    """Ratios, nearly all of 1 or more; `vector` holds them all.

    `cpu` by source; `ziip`, `overflow` (1 + share that overflows), `over` (its time at CPs over that of other work),
    `busy` (engines at work, if more than 1),
    `full` (what else keeps users from asking CPs for more than they can do) by LPAR; `cf` by coupling
    facility and region; `gate` (1 + wait for the region's limit over `scale`), `serial` (time at the QR
    TCB over demand), `crowd` (what else keeps more tasks than its limit from a region) by region;
    `tranclass` as `gate`, by TRANCLASS.
    """

    layout: Layout
    sources: tuple[Source, ...] = field(init=False)
    classes: tuple[tuple[int, str], ...] = field(init=False)
    vector: Array = field(init=False)

    def __post_init__(self) -> None:
        self.sources = tuple(_sources(self.layout))
        self.places = {
            (s.lpar, s.importance if s.region is None else -1, s.region, s.kind): i for i, s in enumerate(self.sources)
        }
        self.classes = tuple(
            (i, name) for i, region in enumerate(self.layout.system.regions) for name in region.tranclasses or {}
        )
        lpars, regions = len(self.layout.system.lpars), len(self.layout.system.regions)
        facilities = len(self.layout.system.coupling_facilities)
        self.parts: dict[str, tuple[slice, tuple[int, ...]]] = {}
        start = 0
        for name, shape in (
            ("cpu", (len(self.sources),)),
            ("ziip", (lpars,)),
            ("overflow", (lpars,)),
            ("over", (lpars,)),
            ("busy", (lpars,)),
            ("full", (lpars,)),
            ("cf", (facilities, regions)),
            ("gate", (regions,)),
            ("serial", (regions,)),
            ("crowd", (regions,)),
            ("tranclass", (len(self.classes),)),
        ):
            size = int(np.prod(shape))
            self.parts[name] = (slice(start, start + size), shape)
            start += size
        self.vector = np.ones(start)
        self.scale = 1.0  # of waits at limits [s]
        self.converted: frozenset[tuple[int, str, int]] = frozenset()  # facility, structure, LPAR: asynchronous
        self.corrections = Corrections()

    def __getitem__(self, name: str) -> Array:
        """A part of the vector, as a view."""
        where, shape = self.parts[name]
        return self.vector[where].reshape(shape)

    def at(self, vector: Array, converted: frozenset[tuple[int, str, int]] | None = None) -> State:
        """The same state with another vector, and other requests made asynchronous."""
        other = object.__new__(State)
        other.__dict__.update(self.__dict__)
        other.vector = vector
        if converted is not None:
            other.converted = converted
        return other

    def tcb(self, lpar: int, region: int, kind: str) -> int:
        """Place of the source that a TCB of a region is."""
        return self.places[lpar, -1, region, kind]

    def beside_stretch(self, place: int) -> float:
        """Time over CPU of a task beside the TCBs that serve one task at a time."""
        if (place, CPS) in self.corrections.stretch:
            return self.corrections.stretch[place, CPS]
        task = self.layout.tasks[place]
        closed = self.layout.work_of(task).users is not None
        source = self.beside(task.lpar, self.layout.region_of(task).importance, closed)
        return float(self["cpu"][source])

    def serial_stretch(self, place: int, name: str) -> float:
        """Time over demand of a task at the QR TCB, station `name`, of a region whose limit matters."""
        return self.corrections.stretch.get((place, name), float(self["serial"][self.layout.tasks[place].region]))

    def beside(self, lpar: int, importance: int, closed: bool) -> int:
        """Place of the source of the work of an importance beside the TCBs that serve one task at a time."""
        return self.places[lpar, importance, None, CLOSED if closed else OPEN]


def _sources(layout: Layout) -> list[Source]:
    found: list[Source] = []
    beside: dict[tuple[int, int, str], float] = {}
    for task in layout.tasks:
        region, work = layout.region_of(task), layout.work_of(task)
        users = float("inf") if work.users is None else float(work.users)
        key = (task.lpar, region.importance, OPEN if work.users is None else CLOSED)
        beside[key] = beside.get(key, 0.0) + min(users, region.limit if work.users is not None else users)
    for place, region in enumerate(layout.system.regions):
        lpar = next(i for i, item in enumerate(layout.system.lpars) if item.name == region.lpar)
        beside.setdefault((lpar, region.importance, OPEN), float("inf"))  # for the region's fixed CPU
        if isinstance(region, CicsRegion):
            found += [Source(lpar, region.importance, place, kind, 1) for kind in SERIAL]
    for place in range(len(layout.system.lpars)):
        beside.setdefault((place, 1, OPEN), float("inf"))  # for the LPAR's fixed CPU
    found += [Source(lpar, importance, None, kind, jobs) for (lpar, importance, kind), jobs in beside.items()]
    return found

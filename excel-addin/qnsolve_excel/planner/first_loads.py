"""The loads of a question month by month, and which of them are solved for the first curve."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray
from qnsolve.errors import ModelError, suggestion
from qnsolve.model import checks
from qnsolve.numerics.series import Array
from qnsolve.planning.load_points import LoadPoints
from qnsolve.planning.loads.load_path import DatedLoad, LoadPath, first_month, load_path
from qnsolve.planning.loads.months import PERIODS, Month, month_of
from qnsolve.planning.study import HORIZON, TWO_YEARS

LATER = 0.66  # use of the fullest center, where nothing waits, at the load that is solved beside today's


class LinearUses:
    """What centers are asked for over what they can do, where nothing waits: sums over the work, for many loads at once.

    Parameters
    ----------
    points : LoadPoints
    factors : ndarray (n, W)
        Loads, month by month.

    Attributes
    ----------
    names : list of str
        C centers; those that work waits for first.
    of_load : ndarray (n, C)
        [ratio]
    limiting : int
        How many of them work waits for: zIIPs whose work overflows are none.
    """

    def __init__(self, points: LoadPoints, factors: Array) -> None:
        plain_loads = points.plain
        lpars = points.system.lpars
        overflowing = {f"{each.name} zIIPs" for each in lpars if each.ziips is not None and each.ziips.overflow}
        self.names = sorted(plain_loads.names, key=lambda name: name in overflowing)
        self.limiting = sum(name not in overflowing for name in self.names)
        none = np.zeros(factors.shape[1])
        fixed = np.array([plain_loads.at(name, none) for name in self.names])
        self.of_load: Array = factors @ np.array([plain_loads.own(name) for name in self.names]).T + fixed

    @property
    def most(self) -> Array:
        """Use of the fullest center of each load (n,) [ratio]."""
        return np.asarray(self.of_load[:, : self.limiting].max(axis=1))

    def fullest(self, place: int) -> tuple[str, float]:
        """The fullest center of a load, and its use."""
        at = int(self.of_load[place, : self.limiting].argmax())
        return self.names[at], float(self.of_load[place, at])

    def grown(self, name: str, share: float) -> Array:
        """The use of a center by load (n,), in proportion to what it is asked for, from its share at the first."""
        if name not in self.names or self.of_load[0, self.names.index(name)] <= 0:
            return np.full(len(self.of_load), share)
        mine = self.of_load[:, self.names.index(name)]
        return np.asarray(share * mine / mine[0])


@dataclass(frozen=True, eq=False)
class FirstLoads:
    """The loads of a question, and which two are solved first.

    Attributes
    ----------
    path : LoadPath
    loads : tuple of DatedLoad
        Month by month to the end of the search, special days included.
    uses : LinearUses
    end : Month
        Last month of the question.
    by : str
    later : int
        Place of the load that is solved beside the first; 0 where that is the only one.
    targets : dict of work to float
        [s]
    """

    path: LoadPath
    loads: tuple[DatedLoad, ...]
    uses: LinearUses
    end: Month
    by: str
    later: int
    targets: Mapping[str, float]

    @cached_property
    def factors(self) -> Array:
        """Those of all loads (n, W) [ratio]."""
        return np.array([load.factors for load in self.loads])

    @cached_property
    def months(self) -> NDArray[np.datetime64]:
        """Those of all loads (n,)."""
        return np.array([load.month for load in self.loads])


def path_of(points: LoadPoints, question: Mapping[str, Any]) -> LoadPath:
    """How the load of a system moves by a question.

    Raises
    ------
    ModelError
    """
    start = first_month(question.get("begin"))
    return load_path(points.system, start, *(question.get(key) for key in ("growth", "seasons", "special_days")))


def first_load(path: LoadPath) -> DatedLoad:
    """Today's."""
    return path.loads(path.begin)[0]


def to_an_end(question: Mapping[str, Any]) -> dict[str, Any]:
    """The same question to a month, in two years where it names none: the curve of the page keeps its length."""
    return {"until": str(first_month(question.get("begin")) + TWO_YEARS), **question}


def first_loads(points: LoadPoints, question: Mapping[str, Any]) -> FirstLoads:
    """The loads of a question to a system.

    Raises
    ------
    ModelError
    """
    start = first_month(question.get("begin"))
    end = month_of("until", to_an_end(question)["until"], last=True)
    if not start < end <= start + 12 * 50:
        rule = f"must lie after {start}, at most 50 years"
        raise ModelError("until", rule, "give a later month, or another begin", str(end))
    path = path_of(points, question)
    loads = tuple(path.between(start, max(end, start + HORIZON)))
    uses = LinearUses(points, np.array([load.factors for load in loads]))
    beyond = np.flatnonzero(uses.most > LATER)
    inside = [place for place, load in enumerate(loads) if load.month <= end]
    later = min(int(beyond[0]) - 1 if len(beyond) else len(loads), inside[-1])
    targets = question.get("targets", {})
    for name in targets:
        if name not in points.names:
            raise ModelError("targets", "names no work of the system", suggestion(str(name), points.names), name)
    by = checks.choice("by", question.get("by", "quarter"), PERIODS)
    return FirstLoads(path, loads, uses, end, by, max(later, 0), targets)

"""Bottlenecks: the station that limits each class, its saturation population, and the bottlenecks at other mixes."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from math import nan
from typing import Any

import numpy as np

from qnsolve.methods.arrays import Arrays, from_network
from qnsolve.model.network import Network
from qnsolve.numerics.series import Array
from qnsolve.results.answer import Report
from qnsolve.results.digits import percent, short

from .linear_envelope import best_margin, upper_lines

TIE = 1e-12  # loads that differ by less than this share are equal: 0.1·3 is 0.3


@dataclass(frozen=True)
class ClassBottleneck:
    """The bottleneck of a class alone; undefined numbers are nan.

    Attributes
    ----------
    class_name : str
    station : str
        The one with the largest demand per server; "" where the class never queues.
    highest_throughput : float
        Highest throughput of the station [jobs/time].
    saturation_population : float
        N* = (Z + ΣD)/max(D/m) [jobs], where the asymptotes of light and heavy load cross;
        nan for an open class.
    """

    class_name: str
    station: str
    highest_throughput: float
    saturation_population: float


@dataclass(frozen=True)
class Candidate:
    """Whether a station can be the bottleneck at some mix of the classes' throughputs.

    Attributes
    ----------
    station : str
    verdict : {"alone", "together", "never"}
        Alone at some mix; only together with others; at no mix.
    mix : dict of str to float
        Share of each class in the throughput where its margin is largest.
    """

    station: str
    verdict: str
    mix: dict[str, float]


@dataclass(frozen=True)
class Sector:
    """A range of mixes of two classes, or of one figure, with one set of bottlenecks.

    Attributes
    ----------
    of : str
        "share of ... in the throughput", "share of ... in the population", "arrival rate of ..." and the like.
    low, high : float
    stations : tuple of str
        Those that are busiest, or saturate together, in the range.
    """

    of: str
    low: float
    high: float
    stations: tuple[str, ...]


@dataclass(frozen=True)
class Bottleneck(Report):
    """The bottlenecks of a model.

    Attributes
    ----------
    heading : str
    notes : tuple of str
    limits : tuple of ClassBottleneck
        One a class.
    candidates : tuple of Candidate
        One a queueing station, where there are several classes.
    sectors : tuple of Sector
        Where there are two classes, by their mix.
    """

    limits: tuple[ClassBottleneck, ...]
    candidates: tuple[Candidate, ...]
    sectors: tuple[Sector, ...]

    def rows(self) -> list[dict[str, Any]]:
        """One row a class."""
        rows = []
        for row in map(asdict, self.limits):
            rows.append({"class": row.pop("class_name"), **row})
        return rows

    def sentences(self) -> tuple[str, ...]:
        """The possible bottlenecks and their mixes, in words."""
        said = []
        for c in self.candidates:
            mix = ", ".join(f"{percent(100 * share)} % {name}" for name, share in c.mix.items() if share)
            said.append(
                {
                    "alone": f"{c.station} can be the bottleneck, for example at a throughput of {mix}",
                    "together": f"{c.station} can be the bottleneck, but only together with another station",
                    "never": f"{c.station} cannot be the bottleneck at any mix of the classes",
                }[c.verdict]
            )
        return (*said, *map(_sector_sentence, self.sectors))


def _sector_sentence(sector: Sector) -> str:
    return f"{sector.of} {short(sector.low)} to {short(sector.high)}: {' and '.join(sector.stations)}"


def bottleneck(model: Network) -> Bottleneck:
    """The bottleneck of each class, saturation populations, and the possible bottlenecks at any mix.

    Parameters
    ----------
    model : Network
        With any classes; admission limits and priorities are ignored.

    Returns
    -------
    Bottleneck
        For several classes each queueing station has a verdict, by exact linear programs
        over the mix of throughputs; for two classes the break points of the mix, for
        closed classes of the mix of populations too: between them stations saturate
        together, as both classes' populations grow.

    References
    ----------
    [Denning1978] for N*, [Balbo1997] for several classes.

    Examples
    --------
    >>> from qnsolve import ClosedClass, Network, Queue
    >>> site = Network([Queue("cpu", servers=2), Queue("disk")], [
    ...     ClosedClass("query", population=9, think_time=6.0, demands={"cpu": 0.9, "disk": 0.6})])
    >>> bottleneck(site).limits[0]
    ClassBottleneck(class_name='query', station='disk', highest_throughput=1.6666666666666667, saturation_population=12.5)
    """
    arrays = from_network(model)
    loads, places = loads_per_server(arrays)
    limits = tuple(_limit(arrays, r, loads[:, r], places) for r in range(len(model.classes)))
    candidates: tuple[Candidate, ...] = ()
    sectors: tuple[Sector, ...] = ()
    used = np.flatnonzero((loads > 0).any(axis=1)).tolist()
    if len(model.classes) > 1 and used:
        candidates = tuple(_candidate(loads[used], i, places[k], model) for i, k in enumerate(used))
    if len(model.classes) == 2 and used:
        sectors = _sectors(model, arrays.is_closed, loads[used], [places[k] for k in used])
    heading = f"{model.name or 'model'}: bottlenecks, times in {model.time_unit}"
    notes = ("these are the bottlenecks without admission limits",) if model.limits else ()
    return Bottleneck(heading, notes, limits, candidates, sectors)


def loads_per_server(arrays: Arrays) -> tuple[Array, list[str]]:
    """D over the highest speed (the last speed for open classes), and the names of the stations; a delay has 0."""
    top = arrays.top if arrays.is_closed else arrays.last
    return np.nan_to_num(arrays.demand / top).T, [s.name for s in arrays.model.stations]


def _limit(arrays: Arrays, r: int, loads: Array, places: list[str]) -> ClassBottleneck:
    name, most = arrays.model.classes[r].name, float(loads.max())
    if most == 0:
        return ClassBottleneck(name, "", nan, nan)
    alone = float(arrays.think_time[r] + (arrays.demand[r] / arrays.solo).sum())
    return ClassBottleneck(name, places[int(loads.argmax())], 1 / most, alone / most)


def _candidate(loads: Array, k: int, place: str, model: Network) -> Candidate:
    scale = float(loads.max())
    margin, mix = best_margin(loads / scale, k)
    verdict = "alone" if margin > TIE else "together" if margin >= -TIE else "never"
    named = {c.name: share for c, share in zip(model.classes, mix.tolist(), strict=True)}
    return Candidate(place, verdict, named if verdict == "alone" else {})


def _sectors(model: Network, closed: bool, loads: Array, places: list[str]) -> tuple[Sector, ...]:
    """Sectors of the share of the first class, in the throughput and for closed classes in the population."""
    first = model.classes[0].name
    lines = upper_lines(loads[:, 1], loads[:, 0] - loads[:, 1], 0.0, 1.0)
    found = [Sector(f"share of {first} in the throughput", a, b, (places[k],)) for a, b, k in lines]
    if not closed:
        return tuple(found)
    said, at = f"share of {first} in the population", 0.0
    for (_, share, k), (_, _, after) in zip(lines, [*lines[1:], (nan, nan, -1)], strict=True):
        if after < 0:
            found.append(Sector(said, at, 1.0, (places[k],)))
            break
        rate = 1 / float(loads[k] @ (share, 1 - share))  # both are saturated: shares in the jobs equal shares of busy time
        low, high = (share * rate * float(loads[j, 0]) for j in (k, after))
        if low > at:
            found.append(Sector(said, at, low, (places[k],)))
        found.append(Sector(said, low, high, (places[k], places[after])))
        at = high
    return tuple(s for s in found if s.high > s.low)

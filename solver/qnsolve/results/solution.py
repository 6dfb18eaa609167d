"""The solution of a network: frozen, indexed by names, printable; rows() feeds every output."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any, overload

import numpy as np
from numpy.typing import NDArray

from qnsolve.errors import LawError, suggestion
from qnsolve.model.network import Network

from .answer import Answer
from .rendering import Table, defined
from .rows import ClassResult, LimitResult, PairResult, StationResult
from .solution_text import change_sentences, solution_sentences, solution_table


@dataclass(frozen=True)
class Solution(Answer):
    """The solved model. Index it by names: `result["query"]`, `result["query", "cpu"]`.

    Attributes
    ----------
    model : Network
    method : str
        Name of the method used.
    exact : bool
        Whether the method is exact; otherwise `notes` has its measured error.
    iterations : int
        0 for a direct method.
    residual : float
        The largest relative violation of a law that the answer was checked against.
    notes : tuple of str
    classes, stations, pairs, limits : tuples of ClassResult, StationResult, PairResult, LimitResult
    """

    model: Network
    method: str
    exact: bool
    iterations: int
    residual: float
    notes: tuple[str, ...]
    classes: tuple[ClassResult, ...]
    stations: tuple[StationResult, ...]
    pairs: tuple[PairResult, ...]
    limits: tuple[LimitResult, ...]
    _distribution: Callable[[int], NDArray[np.float64]] = field(repr=False, compare=False)

    @overload
    def __getitem__(self, key: str) -> Any: ...
    @overload
    def __getitem__(self, key: tuple[str, str]) -> PairResult: ...
    def __getitem__(self, key: str | tuple[str, str]) -> Any:
        """The result of a class, of a station, of a limit, or of a class at a station."""
        if isinstance(key, tuple):
            for pair in self.pairs:
                if {pair.class_name, pair.station} == set(key):
                    return pair
            raise KeyError(f"{key!r} must be a class and a station; {suggestion('', [r.name for r in self._named()])}")
        for result in self._named():
            if result.name == key:
                return result
        raise KeyError(f"{key!r} must name a class, station or limit; {suggestion(key, [r.name for r in self._named()])}")

    def _named(self) -> list[ClassResult | StationResult | LimitResult]:
        return [*self.classes, *self.stations, *self.limits]

    def distribution(self, station: str) -> NDArray[np.float64]:
        """P(n jobs at a station), n = 0, 1, …, all classes together.

        Parameters
        ----------
        station : str

        Returns
        -------
        ndarray
            Sums to 1. For an open network it is cut where less than 1e-16 is left.

        Raises
        ------
        LawError
            Where it would have more than ten million states.
        """
        names = [s.name for s in self.stations]
        if station not in names:
            raise KeyError(f"{station!r} must name a station; {suggestion(station, names)}")
        try:
            return self._distribution(names.index(station))
        except ArithmeticError as error:
            raise LawError(f"station {station!r}: {error}") from error

    def rows(self) -> list[dict[str, Any]]:
        """A row for each class and station: the source of text, HTML, CSV, sheets and JSON."""
        rows = []
        for pair in self.pairs:
            row = asdict(pair)
            rows.append({"class": row.pop("class_name"), **row})
        return rows

    def as_dict(self) -> dict[str, Any]:
        """The JSON object of the command line; undefined numbers are None."""
        classes: tuple[str, ...] = ("name", "population", "throughput", "response_time", "admission_wait", "cycle_time")
        classes += ("number_outside", "fraction_delayed", "delayed_wait")
        return {
            "model": self.model.name,
            "method": self.method,
            "exact": self.exact,
            "iterations": self.iterations,
            "residual": self.residual,
            "notes": list(self.notes),
            "classes": [defined({key: asdict(c)[key] for key in classes}) for c in self.classes],
            "stations": [defined(asdict(s)) for s in self.stations],
            "limits": [defined(asdict(limit)) for limit in self.limits],
            "rows": [defined(row) for row in self.rows()],
        }

    def time_unit(self) -> str:
        """That of the model."""
        return self.model.time_unit

    def title(self) -> str:
        """Model, method, whether it is exact, and the time unit."""
        kind = "exact" if self.exact else "approximate"
        return f"{self.model.name or 'model'}: method {self.method}, {kind}, times in {self.model.time_unit}"

    def tables(self) -> list[Table]:
        """A table with a row for each class and station that it visits, and a total row for each class."""
        return [solution_table(self.model.time_unit, self.classes, self.rows())]

    def sentences(self) -> tuple[str, ...]:
        """The bottleneck of each class, and the state of each limit."""
        return tuple(solution_sentences(self.model.time_unit, self.classes, self.stations, self.limits))

    def figures(self) -> Iterator[tuple[str, str, str, Any]]:
        """Part, name, figure and value of all results."""
        parts: dict[str, Sequence[ClassResult | StationResult | LimitResult]] = {
            "classes": self.classes,
            "stations": self.stations,
            "limits": self.limits,
        }
        for part, results in parts.items():
            for result in results:
                for key, value in asdict(result).items():
                    yield part, result.name, key, value
        for pair in self.pairs:
            for key, value in asdict(pair).items():
                yield "pairs", f"{pair.class_name} at {pair.station}", key, value

    def changes_since(self, before: Solution) -> tuple[str, ...]:
        """The change of the highest rate, the response time and the throughput of each class."""
        return tuple(change_sentences(self.model.time_unit, before.classes, self.classes))

    def common_name(self, name: str) -> str:
        """The name itself: parts of a network are not put together."""
        return name

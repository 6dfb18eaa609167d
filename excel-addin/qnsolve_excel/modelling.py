"""The model that tables describe, and its solution; kept, as many cells use one model."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Hashable, Iterable
from threading import Lock
from typing import Any, TypeVar

import numpy as np
from qnsolve.errors import ModelError, QnsolveError, suggestion
from qnsolve.files.model_file import CLASS_KEYS, LIMIT_KEYS, READ_KEYS, network_from_data
from qnsolve.methods.solve import solve
from qnsolve.model.job_classes import ClosedClass
from qnsolve.model.network import Network
from qnsolve.results.solution import Solution

from .cells import CellError, Table, remark
from .deadline import LONGEST, TookTooLongError, deadline, left, running
from .tables import Columns, records
from .wording import in_cell, in_table

KEPT = 64  # answers
MOST_CELLS = 500_000  # of the questions of all kept answers together
MOST_JOBS = 10_000_000  # of a class; more take longer than a cell may
FAMILIES = {"demand": "demands", "visits": "visits", "service_time": "service_times", "variation": "service_variation"}
STATION_COLUMNS = Columns(
    "stations",
    ("name", "type", *dict.fromkeys(key for keys in READ_KEYS.values() for key in keys)),
    ("rates", "server_speeds"),
    names=("on",),
    words=("type", "discipline"),
)
CLASS_COLUMNS = Columns("classes", ("name", *(key for key in CLASS_KEYS if key not in FAMILIES.values())), families=FAMILIES)
LIMIT_COLUMNS = Columns("limits", ("name", *LIMIT_KEYS), ("classes", "stations"), names=("classes", "stations"))

T = TypeVar("T")


class Kept:
    """The last answers, errors too, by their questions; the oldest are dropped first, and sooner where questions are large.

    Parameters
    ----------
    most : int
        Answers.
    most_cells : int
        Cells of all their questions together; an answer is about as large as its question.
    """

    def __init__(self, most: int, most_cells: int) -> None:
        self.most, self.most_cells, self.lock = most, most_cells, Lock()
        self.answers: OrderedDict[Hashable, tuple[Any, int]] = OrderedDict()
        self.cells = 0

    def answer(self, asked: Hashable, make: Callable[[], T]) -> T:
        """The kept answer, or a new one; made within the time limit of a cell."""
        with self.lock:
            found, _ = self.answers.get(asked, (None, 0))
            if found is not None:
                self.answers.move_to_end(asked)
        if found is None:
            found, late = _made(make)
            if not late:
                self._keep(asked, found)
        if isinstance(found, CellError):
            raise CellError(found.code, found.reason)  # a new one: a raised error keeps its callers in memory
        return found

    def _keep(self, asked: Hashable, found: Any) -> None:
        with self.lock:
            self.cells -= self.answers.pop(asked, (None, 0))[1]
            size = _size(asked)
            self.answers[asked] = found, size
            self.cells += size
            while len(self.answers) > self.most or self.cells > self.most_cells:
                self.cells -= self.answers.popitem(last=False)[1][1]

    def clear(self) -> None:
        """Forget all."""
        with self.lock:
            self.answers.clear()
            self.cells = 0


def _made(make: Callable[[], Any]) -> tuple[Any, bool]:
    """A new answer, or the error that the cell is to show; and whether a part of the time alone was left for it."""
    within, part = running(), left() < 0.9 * LONGEST
    try:
        with np.errstate(all="ignore"), deadline():  # warnings.catch_warnings would not do: it is not for threads
            return make(), False
    except TookTooLongError:
        if within:
            raise
        repair = "take smaller populations, less work or fewer values; for a network also an approximate method, linearizer"
        return CellError("#NUM!", f"was not solved within {LONGEST:g} s; {repair}"), part
    except CellError as error:
        return CellError(error.code, error.reason), False
    except QnsolveError as error:
        return in_cell(error), False
    except np.linalg.LinAlgError:
        return CellError("#NUM!", "the iteration diverged: the figures lie too far apart; take another method"), False


def _size(asked: Hashable) -> int:
    """Cells of a question."""
    return sum(map(_size, asked)) if isinstance(asked, tuple) else 1


ANSWERS = Kept(KEPT, MOST_CELLS)


def frozen(*tables: Table | None) -> Hashable:
    """Tables as the key of an answer; TRUE is not 1 there."""
    return tuple(
        None if table is None else tuple(tuple((cell,) if isinstance(cell, bool) else cell for cell in row) for row in table)
        for table in tables
    )


def network(stations: Table, classes: Table, limits: Table | None = None) -> Network:
    """The network of the tables."""
    return ANSWERS.answer(("network", frozen(stations, classes, limits)), lambda: _network(stations, classes, limits))


def _network(stations: Table, classes: Table, limits: Table | None) -> Network:
    places = records(stations, STATION_COLUMNS)
    places = records(stations, STATION_COLUMNS, known=[place["name"] for place in places])
    headings = {str(place["name"]).casefold(): ("demands", str(place["name"])) for place in places}
    data: dict[str, Any] = {"stations": places, "classes": records(classes, CLASS_COLUMNS, headings)}
    if limits is not None:
        data["limits"] = records(limits, LIMIT_COLUMNS, known=[item["name"] for part in data.values() for item in part])
    try:
        return network_from_data(data)
    except ModelError as error:
        raise in_table(error) from None


def solved(asked: Hashable, model: Callable[[], Network], method: str = "auto") -> Solution:
    """The solution of a model, with its remarks; `asked` holds the arguments of the model."""

    def make() -> Solution:
        made = model()
        for each in made.classes:
            if isinstance(each, ClosedClass) and each.population > MOST_JOBS:
                raise CellError("#NUM!", f"class {each.name!r} has {each.population} jobs; a cell solves {MOST_JOBS:,} at most")
        return solve(made, method=method.strip().lower() or "auto")

    found = ANSWERS.answer(("solve", asked, method), make)
    remark(f"method {found.method}, {'exact' if found.exact else 'approximate'}")
    for note in found.notes:
        remark(note)
    return found


def solution(stations: Table, classes: Table, limits: Table | None, method: str) -> Solution:
    """The solution of the tables' network."""
    return solved(frozen(stations, classes, limits), lambda: network(stations, classes, limits), method)


def one_of(items: Iterable[Any], name: str, kind: str) -> Any:
    """The result of that name, in any case as a sheet's look-up finds it; #N/A where there is none."""
    known = list(items)
    for item in known:
        if item.name.casefold() == name.casefold():
            return item
    raise CellError("#N/A", f"{kind} {name[:60]!r} is not in the table; {suggestion(name, [item.name for item in known])}")

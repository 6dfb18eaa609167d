"""The model that tables describe, and its solution; kept, as many cells ask about one model."""

from __future__ import annotations

import warnings
from collections import OrderedDict
from collections.abc import Callable, Hashable, Iterable
from threading import Lock
from typing import Any, TypeVar

from qnsolve.errors import ModelError, QnsolveError, suggestion
from qnsolve.model import ClosedClass
from qnsolve.modelfile import CLASS_KEYS, LIMIT_KEYS, READ_KEYS, from_data
from qnsolve.network import Network
from qnsolve.solution import Solution
from qnsolve.solve import solve

from .cells import CellError, Table, remark
from .deadline import LONGEST, TookTooLongError, deadline
from .tables import Columns, in_cell, records

KEPT = 64  # answers
MOST_JOBS = 10_000_000  # of a class; more take longer than a cell may
FAMILIES = {"demand": "demands", "visits": "visits", "service_time": "service_times", "variation": "service_variation"}
STATION_COLUMNS = Columns(
    "stations", ("name", "type", *dict.fromkeys(key for keys in READ_KEYS.values() for key in keys)), ("rates", "server_speeds")
)
CLASS_COLUMNS = Columns("classes", ("name", *(key for key in CLASS_KEYS if key not in FAMILIES.values())), families=FAMILIES)
LIMIT_COLUMNS = Columns("limits", ("name", *LIMIT_KEYS), ("classes", "stations"))

T = TypeVar("T")


class Kept:
    """The last answers, errors too, by what was asked."""

    def __init__(self, most: int) -> None:
        self.most, self.lock = most, Lock()
        self.answers: OrderedDict[Hashable, Any] = OrderedDict()

    def answer(self, asked: Hashable, make: Callable[[], T]) -> T:
        """The kept answer, or a new one; made within the time limit of a cell."""
        with self.lock:
            found = self.answers.get(asked)
            if found is not None:
                self.answers.move_to_end(asked)
        if found is None:
            try:
                with warnings.catch_warnings(record=True), deadline():
                    found = make()
            except TookTooLongError:
                repair = "lower the populations, or take an approximate method: linearizer"
                found = CellError("#NUM!", f"was not solved within {LONGEST:g} s; {repair}")
            except (CellError, QnsolveError) as error:
                found = error
            with self.lock:
                self.answers[asked] = found
                while len(self.answers) > self.most:
                    self.answers.popitem(last=False)
        if isinstance(found, Exception):
            raise found.with_traceback(None)
        return found


ANSWERS = Kept(KEPT)


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
    headings = {str(place["name"]).casefold(): ("demands", str(place["name"])) for place in places}
    data: dict[str, Any] = {"stations": places, "classes": records(classes, CLASS_COLUMNS, headings)}
    if limits is not None:
        data["limits"] = [_named_things(limit) for limit in records(limits, LIMIT_COLUMNS)]
    try:
        return from_data(data)
    except ModelError as error:
        raise in_cell(error) from None


def _named_things(limit: dict[str, Any]) -> dict[str, Any]:
    return {key: [str(v) for v in value] if isinstance(value, list) else value for key, value in limit.items()}


def solved(asked: Hashable, model: Callable[[], Network], method: str = "auto") -> Solution:
    """The solution of a model, remarks said; `asked` is what the model is made from."""

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

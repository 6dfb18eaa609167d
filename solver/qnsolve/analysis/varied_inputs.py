"""The varied inputs of a sweep, its points, and the model at each."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from qnsolve.errors import ModelError, nearest, suggestion
from qnsolve.model import checks
from qnsolve.model.network import Network

MOST_POINTS = 1_000_000
BY_STATION = ("demands", "visits", "service_times")


@dataclass(frozen=True)
class Input:
    """One varied input.

    Attributes
    ----------
    item, parameter : str
        Station, class or limit, and its parameter.
    station : str or None
        Where a class's demand, visits or service time is varied at one station.
    values : tuple
    """

    item: str
    parameter: str
    station: str | None
    values: tuple[Any, ...]

    @property
    def column(self) -> str:
        """Its heading: "query.population", "query.demands.cpu"."""
        return ".".join(part for part in (self.item, self.parameter, self.station) if part is not None)


def inputs(model: Network, vary: object, values: Mapping[str, Any]) -> tuple[Input, ...]:
    """The varied inputs as the caller of `sweep` gave them."""
    if isinstance(vary, str):
        wanted: Mapping[Any, Any] = {vary: values}
    elif isinstance(vary, Mapping) and not values:
        wanted = vary
    else:
        raise ModelError(
            "sweep: vary",
            "must be a name with its values, or a mapping of names to them",
            'write sweep(model, "query", ...)',
            vary,
        )
    items = {item.name: item for item in (*model.stations, *model.classes, *model.limits)}
    found = []
    for name, changes in wanted.items():
        if name not in items:
            raise ModelError("sweep", "must name an item of the model", suggestion(str(name), items), name)
        known = [field for field in type(items[name]).__dataclass_fields__ if field not in ("_", "name")]
        if not isinstance(changes, Mapping):
            raise ModelError(f"sweep: {name!r}", "must give values by parameter", "write { population = [10, 20] }", changes)
        for parameter, given in changes.items():
            if parameter not in known:
                rule = f"must be a parameter of {type(items[name]).__name__} that can be varied"
                raise ModelError(f"sweep: {name!r}: {parameter}", rule, nearest(parameter, known))
            if parameter in BY_STATION and isinstance(given, Mapping):
                found += [_input(name, parameter, station, each) for station, each in given.items()]
            else:
                found.append(_input(name, parameter, None, given))
    if not found:
        raise ModelError(
            "sweep", "must vary a parameter", "give a list of values for a parameter, population=range(10, 101, 10)"
        )
    return tuple(found)


def _input(item: str, parameter: str, station: str | None, given: object) -> Input:
    label = f"sweep: {'.'.join(p for p in (item, parameter, station) if p)}"
    if isinstance(given, Mapping) or (isinstance(given, np.ndarray) and given.ndim == 0):
        raise ModelError(label, "must be a list of values", "write [first, second, ...]", given)
    values = tuple(given.tolist()) if isinstance(given, np.ndarray) else checks.listed(label, given)
    if not values:
        raise ModelError(label, "must not be empty", "give one value or more", [])
    return Input(item, parameter, station, values)


def places(varied: tuple[Input, ...], together: bool) -> NDArray[np.intp]:
    """The index of each input's value at each point, shape (points, inputs): every combination, or all in step."""
    lengths = [len(v.values) for v in varied]
    if together:
        if len(set(lengths)) > 1:
            given_lengths = ", ".join(f"{v.column} {n}" for v, n in zip(varied, lengths, strict=True))
            raise ModelError(
                "sweep: together",
                f"must have lists of equal length, here {given_lengths}",
                "make them equal, or remove `together`",
            )
        return np.repeat(np.arange(lengths[0])[:, None], len(varied), axis=1)
    count = math.prod(lengths)
    if count > MOST_POINTS:
        raise ModelError("sweep", f"must not have more than {MOST_POINTS:,} points", "vary fewer values at once", count)
    return np.indices(lengths).reshape(len(lengths), count).T


def model_at(model: Network, varied: tuple[Input, ...], place: Iterable[int]) -> Network:
    """The model at one point; raises ModelError where a value is wrong."""
    changes: dict[str, dict[str, Any]] = {}
    items = {item.name: item for item in (*model.stations, *model.classes, *model.limits)}
    for v, i in zip(varied, place, strict=True):
        own = changes.setdefault(v.item, {})
        if v.station is None:
            own[v.parameter] = v.values[i]
            continue
        before = own.get(v.parameter, getattr(items[v.item], v.parameter))
        own[v.parameter] = {**(before or {}), v.station: v.values[i]}
    for name, own in changes.items():
        model = model.replace(name, **own)
    return model


def written(model: Network, texts: Iterable[str]) -> dict[str, dict[str, Any]]:
    """The varied inputs from texts such as "query.population=10:100:10", "cpu.servers=2,4", "query.demands.cpu=0.1,0.2".

    Parameters
    ----------
    model : Network
    texts : iterable of str
        Name, parameter (and station) before "="; values after it: a list with commas, or
        first:last:step, the last one included.

    Returns
    -------
    dict
        As `sweep` takes it.

    Raises
    ------
    ModelError
    """
    found: dict[str, list[Any]] = {}
    for text in texts:
        left, equals, right = text.partition("=")
        found[left if equals else ""] = values("sweep: vary", text, right)
    return named_inputs(model, found)


def named_inputs(model: Network, columns: Mapping[str, list[Any]]) -> dict[str, dict[str, Any]]:
    """The varied inputs from lists of values by figure: "query.population", "query.demands.cpu".

    Raises
    ------
    ModelError
    """
    names = [item.name for item in (*model.stations, *model.classes, *model.limits)]
    found: dict[str, dict[str, Any]] = {}
    for figure, given in columns.items():
        name = max((n for n in names if figure.startswith(f"{n}.")), key=len, default="")
        if not name:
            repair = "write NAME.PARAMETER=VALUES, as in query.population=10:100:10"
            raise ModelError("sweep: vary", f"must begin with one of {', '.join(names)}", repair, figure)
        parameter, _, station = figure[len(name) + 1 :].partition(".")
        changes = found.setdefault(name, {})
        if station:
            changes.setdefault(parameter, {})[station] = given
        else:
            changes[parameter] = given
    return found


def values(item: str, text: str, right: str) -> list[Any]:
    """The numbers of a text: a list with commas, or first:last:step; words stay words."""
    if ":" in right:
        parts = [_number(part) for part in right.split(":")]
        first, last, step = (*parts, 1)[:3]
        if len(parts) > 3 or any(isinstance(part, str) for part in parts) or not (step > 0 and last >= first):
            raise ModelError(item, "must run first:last:step, upwards", "write 10:100:10", text)
        steps = (last - first) / step
        if not steps < MOST_POINTS:  # also for an infinite end and a tiny step
            raise ModelError(item, f"must have {MOST_POINTS:,} values at most", "take a longer step", text)
        return [first + i * step for i in range(math.floor(steps + 1e-9) + 1)]
    return [_number(part) for part in right.split(",")]


def _number(text: str) -> Any:
    for kind in (int, float):
        try:
            return kind(text)
        except ValueError:
            pass
    return text.strip()

"""A sketch: a model file or a system file in which some figures are left to be fitted, and others are read off the data."""

from __future__ import annotations

import copy
import math
import os
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from qnsolve.errors import ModelError
from qnsolve.files.load_save import SYSTEM_PARTS
from qnsolve.files.model_file import network_from_data
from qnsolve.files.text import decoded, form_of, parsed, read
from qnsolve.model.network import Network

if TYPE_CHECKING:
    from qnsolve.zos.solve_system import System

FIT, MEASURED = "fit", "measured"
LOADS = {"arrival_rate": "rate", "rate": "rate", "population": "users", "users": "users", "think_time": "think_time"}
STANDS_FOR = 1e-6  # a figure before it is fitted
Place = tuple[str | int, ...]


@dataclass(frozen=True)
class OpenFigure:
    """A figure of a sketch that is to be fitted.

    Attributes
    ----------
    name : str
        As sweeps take it: "query.demands.cpu", "orders.2.qr_cpu".
    place : tuple
        Keys and positions that lead to it in the file.
    start : float or None
        As given.
    lowest, highest : float
        Bounds as given, 0 and inf without.
    """

    name: str
    place: Place
    start: float | None
    lowest: float
    highest: float

    @property
    def item(self) -> str:
        """The part that has it."""
        return self.name.split(".", maxsplit=1)[0] if len(self.place) < 3 else self.owner

    @property
    def owner(self) -> str:
        """Name without the parameter."""
        return self.name[: -len(self.suffix) - 1]

    @property
    def suffix(self) -> str:
        """The parameter: keys after the part, and its step if there are several."""
        return ".".join(str(key) for key in self.place[2:] if isinstance(key, str) and key != "steps")

    @property
    def whole(self) -> bool:
        """Whether it is a count."""
        return self.place[-1] in ("servers", "mxt", "regions", "thread_limit", "stripes", "population", "users")


@dataclass(frozen=True)
class Sketch:
    """A file with open figures.

    Attributes
    ----------
    data : dict
        The tables of the file, with numbers in place of the marks.
    figures : tuple of OpenFigure
    loads : tuple of (str, str, tuple)
        Class or work, key and place of what is "measured".
    file : str
        Its name, "" where there is none.
    """

    data: dict[str, Any]
    figures: tuple[OpenFigure, ...]
    loads: tuple[tuple[str, str, Place], ...]
    file: str

    @property
    def is_system(self) -> bool:
        """Whether it is a system file."""
        return any(part in self.data for part in SYSTEM_PARTS)

    def model(self, values: Mapping[Place, float]) -> Network | System:
        """The model with numbers at some places."""
        data = copy.deepcopy(self.data)
        for place, value in values.items():
            inner: Any = data
            for key in place[:-1]:
                inner = inner[key]
            inner[place[-1]] = value
        if not self.is_system:
            return network_from_data(data)
        from qnsolve.files.system_file import system_from_data  # imported here, because networks do not need these parts

        return system_from_data(data)


def sketch_of(given: str | os.PathLike[str] | Mapping[str, Any]) -> Sketch:
    """The sketch of a file, or of the tables that such a file has.

    Raises
    ------
    ModelError
    """
    if isinstance(given, Mapping):
        return _sketch(given, "")
    if not isinstance(given, (str, os.PathLike)):
        raise ModelError("model", "must be the name of a sketch, or its tables", 'write "sketch.toml"', given)
    raw = read(given)
    try:
        return _sketch(parsed(decoded(raw), form_of(Path(given).suffix, raw)), os.fspath(given))
    except ModelError as error:
        raise error.in_file(os.fspath(given)) from error.__cause__


def _sketch(given: Any, file: str) -> Sketch:
    if not isinstance(given, Mapping):
        raise ModelError("model", "must be a table of keys and values", "see the model file format", given)
    data = copy.deepcopy(dict(given))
    data.pop("fitted", None)
    figures, loads = [], []
    for place, text in list(_texts(data, ())):
        word = text.partition(" ")[0]
        if word not in (FIT, MEASURED) or place[-1] in ("name", "type", "on"):
            continue
        inner: Any = data
        for key in place[:-1]:
            inner = inner[key]
        part = data[str(place[0])][place[1]] if len(place) > 2 else {}
        name = part.get("name", "?") if isinstance(part, Mapping) else "?"
        if word == MEASURED:
            loads.append((str(name), _load_key(str(name), str(place[-1])), place))
            inner[place[-1]] = 1
            continue
        figure = _open(str(name), part, place, text)
        figures.append(figure)
        inner[place[-1]] = 1 if figure.whole else STANDS_FOR
    sketch = Sketch(data, tuple(figures), tuple(loads), file)
    if sketch.is_system:  # limits that CICS allows
        for figure in figures:
            if figure.place[-1] == "mxt":
                data["regions"][figure.place[1]]["mxt"] = 500
    sketch.model({})
    return sketch


def _load_key(name: str, key: str) -> str:
    if key not in LOADS:
        raise ModelError(f"{name}: {key}", f"cannot be {MEASURED!r}", f"write {FIT!r}, or a number", MEASURED)
    return key


def _texts(data: Any, place: Place) -> Iterator[tuple[Place, str]]:
    if isinstance(data, Mapping):
        for key, value in data.items():
            yield from _texts(value, (*place, key))
    elif isinstance(data, list):
        for i, value in enumerate(data):
            yield from _texts(value, (*place, i))
    elif isinstance(data, str) and len(place) > 2:
        yield place, data


def _open(name: str, part: Mapping[str, Any], place: Place, text: str) -> OpenFigure:
    """A figure from "fit", "fit 0.001" or "fit 0:0.010"."""
    words = [str(key) for key in place[2:] if isinstance(key, str) and key != "steps"]
    steps = part.get("steps", [])
    at = [str(int(key) + 1) for key in place[2:] if isinstance(key, int)] if len(steps) > 1 else []
    full = ".".join([name, *at, *words])
    rest = text[len(FIT) :].strip()
    first, colon, last = rest.partition(":")
    try:
        low, high = (float(first), float(last)) if colon else (0.0, math.inf)
        start = float(rest) if rest and not colon else None
    except ValueError:
        low, high, start = math.nan, math.nan, None
    if not 0 <= low < high or (start is not None and not 0 <= start < math.inf):
        raise ModelError(full, f"must be {FIT!r}, with a start or with bounds", "write fit, fit 0.001 or fit 0:0.010", text)
    return OpenFigure(full, place, start, low, high)

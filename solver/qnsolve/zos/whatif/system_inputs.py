"""Figures of a system by their names: "AOR1.mxt", "PROD.processors.engines", "orders.devices.Db2", "orders.2.qr_cpu"."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, fields, is_dataclass, replace
from typing import Any

from qnsolve.analysis.varied_inputs import values as written_values
from qnsolve.errors import ModelError, nearest, suggestion
from qnsolve.model import checks
from qnsolve.zos.parts.system import PARTS
from qnsolve.zos.parts.work import Step, Work
from qnsolve.zos.solve_system import System

WHOLE = {"users", "mxt", "regions", "thread_limit", "stripes", "servers", "processors", "cores", "tranclasses"}
FIXED = {"name", "lpar", "shares", "visits", "importance", "threads", "ziip_share", "qr_dispatches", "write_size"}
FIXED |= {"burst", "tick"}  # how work comes


def changed(system: System, figure: str, value: object) -> System:
    """The system with one figure changed.

    Parameters
    ----------
    system : System
    figure : str
        Name of a part, then its parameter: "AOR1.mxt", "LOG.stripes", "orders.rate". Of what has parts of its own these
        follow: "PROD.processors.engines", "orders.devices.Db2". The figures of a step stand at its work, after the
        step's number where there are several: "orders.2.qr_cpu".
    value : object

    Raises
    ------
    ModelError
    """
    items = {item.name: item for part in PARTS for item in getattr(system, part)}
    name = max((n for n in items if figure.startswith(f"{n}.")), key=len, default="")
    if not name:
        repair = suggestion(figure.split(".", maxsplit=1)[0], items)
        raise ModelError("figure", "must be NAME.PARAMETER, with a name of the system", repair, figure)
    path = figure[len(name) + 1 :].split(".")
    item = items[name]
    if isinstance(item, Work):
        return system.replace(name, **_of_work(item, path, value, figure))
    return system.replace(name, **{path[0]: _inside(item, path, value, figure)})


def _of_work(work: Work, path: Sequence[str], value: object, figure: str) -> dict[str, Any]:
    own = ("rate", "users", "think_time", "burst", "tick")
    if path[0] in own:
        return {path[0]: value}
    place, rest = 0, list(path)
    if rest[0].isdigit():
        place = int(rest.pop(0)) - 1
    elif len(work.steps) > 1 and rest[0] in Step.__dataclass_fields__:
        rule = f"must say which of the {len(work.steps)} steps"
        raise ModelError("figure", rule, f"write {work.name}.1.{'.'.join(rest)} for the first", figure)
    if not rest or not 0 <= place < len(work.steps) or rest[0] not in Step.__dataclass_fields__:
        known = [*own, *(f.name for f in fields(Step) if f.name != "_")]
        raise ModelError("figure", "names no parameter of a work or its steps", nearest(path[-1], known), figure)
    steps = list(work.steps)
    steps[place] = replace(steps[place], **{rest[0]: _inside(steps[place], rest, value, figure)})
    return {"steps": steps}


def _inside(item: Any, path: Sequence[str], value: object, figure: str) -> Any:
    """The new value of the first parameter of a path."""
    known = [f.name for f in fields(item) if f.name not in ("_", "name")]
    if path[0] not in known:
        raise ModelError("figure", f"names no parameter of {type(item).__name__}", nearest(path[0], known), figure)
    if len(path) == 1:
        return value
    old = getattr(item, path[0])
    if is_dataclass(old) and not isinstance(old, type):
        return replace(old, **{path[1]: _inside(old, path[1:], value, figure)})
    if old is None or isinstance(old, Mapping):
        return {**(old or {}), ".".join(path[1:]): value}
    raise ModelError("figure", f"goes deeper than {path[0]!r}, which is one value", "shorten the name", figure)


@dataclass(frozen=True)
class Figure:
    """A figure of a system: its name, value, and whether it is a whole number."""

    name: str
    value: float
    whole: bool


def figures(system: System) -> Iterator[Figure]:
    """The figures that a planner can change: rates, users, times, engines, limits, stripes; those that are 0 left out."""
    for part in PARTS:
        for item in getattr(system, part):
            if isinstance(item, Work):
                for key in ("rate", "users", "think_time"):
                    yield from _number(f"{item.name}.{key}", key, getattr(item, key))
                for place, step in enumerate(item.steps, start=1):
                    prefix = item.name if len(item.steps) == 1 else f"{item.name}.{place}"
                    yield from _numbers(prefix, step)
            else:
                yield from _numbers(item.name, item)


def _numbers(prefix: str, item: Any) -> Iterator[Figure]:
    for key in (f.name for f in fields(item) if f.name not in FIXED | {"_"}):
        value = getattr(item, key)
        if is_dataclass(value) and not isinstance(value, type):
            yield from _numbers(f"{prefix}.{key}", value)
        elif isinstance(value, Mapping):
            for name, each in value.items():
                yield from _number(f"{prefix}.{key}.{name}", key, each)
        else:
            yield from _number(f"{prefix}.{key}", key, value)


def _number(name: str, key: str, value: object) -> Iterator[Figure]:
    if isinstance(value, (int, float)) and not isinstance(value, bool) and value > 0 and math.isfinite(value):
        yield Figure(name, float(value), key in WHOLE)


def written(texts: Iterable[str]) -> dict[str, list[Any]]:
    """Figures and their values from texts such as "AOR1.mxt=50:200:25" or "LOG.stripes=2,4".

    Raises
    ------
    ModelError
    """
    found: dict[str, list[Any]] = {}
    for text in texts:
        left, equals, right = text.partition("=")
        if not equals or not left:
            raise ModelError("sweep: vary", "must be NAME.PARAMETER=VALUES", "write AOR1.mxt=50:200:25", text)
        found[left] = written_values("sweep: vary", text, right)
    return found


def varied(vary: object) -> dict[str, tuple[Any, ...]]:
    """Figures and lists of values as the caller of a sweep gave them."""
    if not isinstance(vary, Mapping) or not vary:
        raise ModelError("sweep: vary", "must map figures to lists of values", 'write {"AOR1.mxt": [50, 100, 200]}', vary)
    found = {str(name): tuple(checks.listed(f"sweep: {name}", given)) for name, given in vary.items()}
    for name, values in found.items():
        if not values:
            raise ModelError(f"sweep: {name}", "must not be empty", "give one value or more", [])
    return found

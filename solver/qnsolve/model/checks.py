"""Checks of single values. Each returns the clean value or raises ModelError with the repair."""

from __future__ import annotations

import math
import numbers
from collections.abc import Iterable, Mapping

from qnsolve.errors import ModelError, Repair, nearest

SMALLEST, LARGEST = 1e-100, 1e100


class FrozenDict(dict[str, float]):
    """A dict that cannot be changed, as the model that holds it."""

    def _refuse(self, *args: object, **kwargs: object) -> None:
        raise TypeError("a model is frozen: make another with Network.replace")

    __setitem__ = __delitem__ = __ior__ = _refuse  # type: ignore[assignment]
    clear = pop = popitem = setdefault = update = _refuse  # type: ignore[assignment]

    def __hash__(self) -> int:  # type: ignore[override]
        return hash(tuple(sorted(self.items())))

    def __reduce__(self) -> tuple[type, tuple[dict[str, float]]]:
        return FrozenDict, (dict(self),)


def number(item: str, value: object, *, positive: bool = False) -> float:
    """A finite number, zero or more; with `positive`, above zero."""
    if type(value) is float and SMALLEST <= value <= LARGEST:  # the usual case, and fast
        return value
    rule = "must be a number above 0" if positive else "must be a number, 0 or more"
    if isinstance(value, bool) or not isinstance(value, numbers.Real):
        quoted = " without quotes" if isinstance(value, str) else ""
        raise ModelError(item, rule, f"write a plain number{quoted}", value, code=Repair.NUMBER)
    try:
        result = float(value)
    except OverflowError:
        result = math.inf
    if math.isnan(result) or math.isinf(result):
        raise ModelError(item, "must be finite", "write the number itself; remove the item if it does not apply", value)
    if result < 0 or (positive and result == 0):
        raise ModelError(item, rule, "check the sign and the source of the figure", value)
    if result and not SMALLEST <= result <= LARGEST:
        raise ModelError(item, f"must lie within {SMALLEST:g} and {LARGEST:g}", "check the unit", value)
    return result


def whole(item: str, value: object, *, least: int = 0, most: int = 10**9) -> int:
    """A whole number within least..most; 60.0 is accepted for 60."""
    if type(value) is int and max(least, 0) <= value <= most:
        return value
    result = number(item, value)
    if result != int(result):
        raise ModelError(item, "must be a whole number", f"write {math.floor(result)} or {math.ceil(result)}", value)
    if not least <= result <= most:
        raise ModelError(item, f"must lie within {least} and {most}", "correct the count", value)
    return int(result)


def text(item: str, value: object) -> str:
    """A name: not empty, on one line, no blank at either end."""
    if not isinstance(value, str):
        raise ModelError(item, "must be a text", "write it in quotes", value, code=Repair.TEXT)
    if not value.strip():
        raise ModelError(item, "must not be empty", "give it a name", value)
    if value != value.strip() or not value.isprintable():
        raise ModelError(item, "must be one line without blanks at its ends", "remove the other characters", value)
    return value


def choice(item: str, value: object, allowed: Iterable[str]) -> str:
    """One of the allowed words."""
    known = list(allowed)
    if not isinstance(value, str) or value not in known:
        raise ModelError(item, "must be one of " + ", ".join(map(repr, known)), nearest(value, known), value)
    return value


def figures(item: str, value: object) -> FrozenDict:
    """A mapping of station names to numbers, zero or more."""
    if not isinstance(value, Mapping):
        raise ModelError(
            item, "must give a number for each station", "write { station = number, ... }", value, code=Repair.BY_STATION
        )
    return FrozenDict({text(f"{item}: station name", key): number(f"{item}[{key!r}]", v) for key, v in value.items()})


def listed(item: str, value: object) -> tuple[object, ...]:
    """A list or tuple, as a tuple."""
    if isinstance(value, str) or not isinstance(value, Iterable):
        raise ModelError(item, "must be a list", "write [first, second, ...]", value, code=Repair.LIST)
    return tuple(value)


def unique(item: str, names: Iterable[str], among: str) -> None:
    """Check that no name is given twice, not even in another case: a sheet's look-up ignores case."""
    seen: dict[str, str] = {}
    for name in names:
        other = seen.get(name.casefold())
        if other is not None:
            case = "" if other == name else f"; {other!r} differs only in case, which a sheet's look-up ignores"
            raise ModelError(item, f"must be unique among {among}{case}", "rename one of the two", name)
        seen[name.casefold()] = name


def assign(obj: object, **values: object) -> None:
    """Set checked values in a frozen dataclass while it is constructed."""
    for name, value in values.items():
        object.__setattr__(obj, name, value)

"""What a person may write shorter in a system file: equal regions once, patterns of names, times and sizes with units."""

from __future__ import annotations

from collections.abc import Mapping
from fnmatch import fnmatchcase
from typing import Any

from qnsolve.errors import ModelError, suggestion
from qnsolve.model.measured_units import bytes_of, pointed, seconds_of

TIMES: tuple[str, ...] = ("qr_cpu", "ro_cpu", "open_cpu", "jvm_cpu", "cpu", "system_cpu", "delay", "devices", "think_time")
TIMES += ("tick", "change_mode_cpu", "change_mode_wait", "overflow_cpu", "seconds_per_mib")
TIMES += ("latency", "service_time", "threshold", "async_cpu", "async_delay")
SIZES = ("log_bytes",)
WORD = {"lpars": "lpar", "work": "work", "coupling_facilities": "coupling facility", "loggers": "logger"}
WORD |= {"devices": "device", "regions": "region"}  # what an error calls a part


def in_full(data: Mapping[str, Any]) -> dict[str, Any]:
    """The tables of a system file with each region by itself, names in place of patterns, seconds and bytes.

    Parameters
    ----------
    data : mapping
        As a TOML or JSON reader returns it. What has another form than those below stays as it is.

    Returns
    -------
    dict

    Raises
    ------
    ModelError
        For a text that is no time or size, and a pattern that no region has.

    Examples
    --------
    >>> found = in_full({
    ...     "lpars": [{"name": "PROD", "ziips": 2}],
    ...     "regions": [{"name": ["AOR1", "AOR2"], "mxt": 150}],
    ...     "work": [{"name": "orders", "regions": "AOR*", "qr_cpu": "0.8 ms"}]})
    >>> found["regions"]
    [{'name': 'AOR1', 'mxt': 150, 'lpar': 'PROD'}, {'name': 'AOR2', 'mxt': 150, 'lpar': 'PROD'}]
    >>> found["work"]
    [{'name': 'orders', 'regions': ['AOR1', 'AOR2'], 'qr_cpu': 0.0008}]
    """
    found = dict(data)
    for part, word in WORD.items():
        if isinstance(found.get(part), list):
            found[part] = [_measured(each, _item(word, number, each)) for number, each in enumerate(found[part], 1)]
    lpars = [each.get("name") for each in _tables(found, "lpars")]
    if isinstance(found.get("regions"), list):
        found["regions"] = [one for each in found["regions"] for one in _each_region(each, lpars)]
    for lpar in _tables(found, "lpars"):
        if _is_number(lpar.get("ziips")):
            lpar["ziips"] = {"cores": lpar["ziips"]}
    regions = _tables(found, "regions")
    names = [each["name"] for each in regions if isinstance(each.get("name"), str)]
    if len(names) < len(regions):
        return found  # a region without a name is refused as such
    for work in _tables(found, "work"):
        for step in (work, *_tables(work, "steps")):
            if "regions" in step:
                step["regions"] = _named(f"work {work.get('name')!r}: regions", step["regions"], names)
    return found


def seconds(item: str, time: Any, example: str = "0.0008 in seconds, or '0.8 ms'") -> Any:
    """A text with or without a unit in seconds; what is no text as it is. `example` is what an error tells to write.

    Raises
    ------
    ModelError

    Examples
    --------
    >>> seconds("delay", "20 ms")
    0.02
    """
    if not isinstance(time, str):
        return time
    return _amount(item, time, seconds_of(time.strip()), "a time", example)


def _amount(item: str, text: str, value: float | None, kind: str, example: str) -> float:
    if value is not None:
        return value
    raise ModelError(item, f"must be {kind}", pointed(text, f"write {example}"), text)


def _item(word: str, number: int, part: Any) -> str:
    """How an error names a part."""
    name = part.get("name") if isinstance(part, Mapping) else None
    return f"{word} {name!r}" if isinstance(name, str) else f"{word} {number}"


def _tables(data: Mapping[str, Any], key: str) -> list[dict[str, Any]]:
    items = data.get(key)
    return [each for each in items if isinstance(each, dict)] if isinstance(items, list) else []


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _measured(value: Any, item: str, key: str = "") -> Any:
    """The same with seconds and bytes in place of texts, below keys that are times and sizes."""
    if isinstance(value, Mapping):
        return {
            inner: _measured(each, f"{item}: {inner}", key if key in TIMES + SIZES else str(inner))
            for inner, each in value.items()
        }
    if isinstance(value, list):
        return [_measured(each, f"{item}[{number}]", key) for number, each in enumerate(value, 1)]
    if isinstance(value, str) and key in TIMES:
        return seconds(item, value)
    if isinstance(value, str) and key in SIZES:
        return _amount(item, value, bytes_of(value.strip()), "a number of bytes", "900, or '6 KiB'")
    return value


def _each_region(region: Any, lpars: list[Any]) -> list[Any]:
    """A region of each name; in the only LPAR where it names none."""
    if not isinstance(region, dict):
        return [region]
    names = region.get("name")
    several = names if isinstance(names, list) and names else [names] if "name" in region else []
    only = {"lpar": lpars[0]} if len(lpars) == 1 and "lpar" not in region else {}
    return [{**region, "name": each, **only} for each in several] or [{**region, **only}]


def _named(item: str, regions: Any, names: list[str]) -> Any:
    """Names in place of patterns such as "AOR*", in the order of the regions."""
    given = [regions] if isinstance(regions, str) else regions
    if not isinstance(given, list) or not any(isinstance(each, str) and "*" in each and each not in names for each in given):
        return regions
    found: list[Any] = []
    for each in given:
        if not isinstance(each, str) or "*" not in each or each in names:
            found.append(each)
            continue
        mine = [name for name in names if fnmatchcase(name, each)]
        if not mine:
            raise ModelError(item, "names no region", suggestion(each, names), each)
        found += [name for name in mine if name not in found]
    return found

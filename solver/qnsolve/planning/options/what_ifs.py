"""What-ifs: changes of a system as planners write them: "SYSA.threads=2", "LOG.stripes+1", "AOR*.mxt*1.5"."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields, is_dataclass
from fnmatch import fnmatchcase
from typing import Any

from qnsolve.errors import ModelError, suggestion
from qnsolve.files.short_forms import SIZES, TIMES
from qnsolve.model.measured_units import bytes_of, seconds_of
from qnsolve.zos.parts.processors import Lpar
from qnsolve.zos.parts.regions import CicsRegion, ImsRegions
from qnsolve.zos.parts.system import PARTS
from qnsolve.zos.parts.work import Step, Work
from qnsolve.zos.solve_system import System
from qnsolve.zos.whatif.changes import scale, split_region
from qnsolve.zos.whatif.system_inputs import WHOLE, changed

SPLIT = "split"  # of a region: into so many
CPS = "cps"  # of an LPAR: its engines
TABLES = ("devices", "log_bytes", "cf_requests")  # of a step


@dataclass(frozen=True)
class WhatIf:
    """A changed system.

    Attributes
    ----------
    name : str
        As it was given, or called.
    changes : tuple of str
        "SYSA.ziips.threads: 1 to 2".
    system : System
    remark : str
        What a reader must know of it, "" for nothing.
    """

    name: str
    changes: tuple[str, ...]
    system: System
    remark: str = ""


def what_if(system: System, text: str) -> WhatIf:
    """The system with the changes of a text.

    Parameters
    ----------
    system : System
    text : str
        NAME.PARAMETER and a change: =2, +1, -1, *1.5, +25%, =9ms. Several with commas between them; a name of its own before
        a colon: "SMT 2: SYSA.threads=2, SYSB.threads=2". The name may have * for any letters; AOR1.split=2 makes two regions
        of one. Parts of parts need not be named: SYSA.threads is SYSA.ziips.threads, SYSA.cps is SYSA.processors.engines.

    Raises
    ------
    ModelError
    """
    if not isinstance(text, str) or not text.strip():
        raise ModelError("what-if", "must be a text", "write LOG.stripes+1", text)
    title, colon, rest = text.partition(":")
    parts = (rest if colon else text).split(",")
    said: list[str] = []
    found, remark = system, ""
    for part in parts:
        found, more = _changed(found, part, text)
        said += more
    for old, new in zip(system.lpars, found.lpars, strict=True):
        smt = new.ziips is not None and (old.ziips is None or new.ziips.threads > old.ziips.threads)
        if smt and new.ziips is not None and new.ziips.max_capacity_factor == 1:
            remark = f"{new.name}: max_capacity_factor is 1, so more threads add no capacity; give RMF's MAX CF"
    if colon and not title.strip():
        raise ModelError(
            "what-if", "must have a name before its colon", "write More: LOG.stripes+1, or leave the colon out", text
        )
    name = title.strip() if colon else ", ".join(part.strip() for part in parts)
    return WhatIf(name, tuple(said), found, remark)


def _changed(system: System, part: str, text: str) -> tuple[System, list[str]]:
    """The system with one change, and how it is said."""
    cut = _cut(part)
    if cut is None:
        raise ModelError("what-if", "must be NAME.PARAMETER and a change", "write LOG.stripes+1 or SYSA.threads=2", text)
    left, sign, right = cut
    items = {item.name: item for each in PARTS for item in getattr(system, each)}
    owner = max((name for name in items if left.startswith(f"{name}.")), key=len, default="")
    owners = [owner] if owner else []
    path = left[len(owner) + 1 :]
    if not owners:
        pattern, _, path = left.partition(".")
        owners = [name for name in items if "*" in pattern and fnmatchcase(name, pattern) and _has(items[name], path)]
        if not path or not owners:
            raise ModelError("what-if", "names no part of the system", suggestion(pattern, items), text)
    said = []
    for name in owners:
        if path == SPLIT:
            system, more = _split(system, name, sign, right, text)
        else:
            system, more = _one(system, name, path, sign, right, text)
        said.append(more)
    return system, said


def _cut(part: str) -> tuple[str, str, str] | None:
    """Left side, sign and right side; a star within a name is none."""
    place = part.find(".")
    at = next((i for i in range(place + 1, len(part)) if part[i] in "=+*" or (part[i] == "-" and _digit(part[i + 1 :]))), -1)
    if place < 1 or at < 0 or not part[at + 1 :].strip():
        return None
    right = part[at + 1 :].strip()
    sign = part[at]
    if sign in "+*-" and right.startswith("="):  # stripes+=1
        right = right[1:].strip()
    return part[:at].strip(), sign, right


def _digit(text: str) -> bool:
    return text.lstrip()[:1].isdigit() or text.lstrip()[:1] == "."


def _has(item: Any, path: str) -> bool:
    try:
        if isinstance(item, Work) and path == "load":
            return True
        if path == SPLIT:
            return isinstance(item, CicsRegion | ImsRegions)
        known = _full(item, path, "")
        return (_of_work(item, known) if isinstance(item, Work) else _value(item, known)) is not None
    except ModelError:
        return False


def _full(item: Any, path: str, text: str) -> str:
    """The path with the part that a parameter belongs to, where that was not named."""
    first, _, rest = path.partition(".")
    if isinstance(item, Work):
        if first.isdigit() and rest and 0 < int(first) <= len(item.steps):
            return f"{first}.{_full_of_step(item.steps[int(first) - 1], rest)}"
        return _full_of_step(item.steps[0], path) if len(item.steps) == 1 else _step_of(item, path, text)
    if isinstance(item, Lpar) and path == CPS:
        return "processors.engines"
    own = [f.name for f in fields(item) if f.name not in ("_", "name")]
    if first in own:
        return path
    for key in own:
        inner = getattr(item, key)
        if isinstance(inner, Mapping) and path in inner:
            return f"{key}.{path}"
        if is_dataclass(inner) and first in [f.name for f in fields(inner)]:
            return f"{key}.{path}"
    known = own + [
        f.name for key in own if is_dataclass(getattr(item, key)) for f in fields(getattr(item, key)) if f.name != "_"
    ]
    raise ModelError("what-if", f"names no parameter of {item.name}", suggestion(first, known), text)


def _step_of(work: Work, path: str, text: str) -> str:
    """The path in the one step of several that has a table with that name; as it is where it is of the work or of all."""
    table, _, name = path.partition(".")
    found = []
    for number, step in enumerate(work.steps, 1):
        full = _full_of_step(step, path)
        if full != path or (table in TABLES and name in (getattr(step, table) or {})):
            found.append(f"{number}.{full}")
    if len(found) > 1:
        also = " or ".join(f"{work.name}.{each.partition('.')[0]}.{path}" for each in found)
        raise ModelError("what-if", f"names what {len(found)} steps of {work.name} have", f"write {also}", text)
    return found[0] if found else path


def _full_of_step(step: Step, path: str) -> str:
    """The path in a step with the table that a name belongs to: devices, logs, requests."""
    return next((f"{table}.{path}" for table in TABLES if path in (getattr(step, table) or {})), path)


def _value(item: Any, path: str) -> Any:
    """The value of today; None where it has none."""
    value: Any = item
    for key in path.split("."):
        if isinstance(value, Mapping):
            return value.get(path.split(".", maxsplit=path.count("."))[-1]) if key not in value else value[key]
        value = getattr(value, key, None)
    return value


def _one(system: System, name: str, path: str, sign: str, right: str, text: str) -> tuple[System, str]:
    item = next(each for part in PARTS for each in getattr(system, part) if each.name == name)
    if isinstance(item, Work) and path == "load":
        if sign == "=":
            raise ModelError(
                "what-if", "changes a load by a factor or percentage", f"write {name}.load*1.5 or {name}.load+10%", text
            )
        by = _new(1.0, sign, right, text, "load")
        if not by > 0:
            raise ModelError("what-if", "must leave some of the load", f"write {name}.load*0.5", text)
        return scale(system, by, [name]), f"{name}: load times {by:g}"
    path = _full(item, path, text)
    before = _of_work(item, path) if isinstance(item, Work) else _value(item, path)
    last = path.rsplit(".", maxsplit=1)[-1]
    right = _without_unit(path, sign, right, text)
    value: Any
    if sign == "=" and not _number(right):
        value = {"true": True, "false": False}.get(right.lower(), right)
    else:
        value = _new(before, sign, right, text, last)
        whole = path != "processors.engines" and (last in WHOLE or path.split(".")[0] in WHOLE)
        value = round(value) if whole and sign != "=" else int(value) if float(value).is_integer() and whole else value
    try:
        found = changed(system, f"{name}.{path}", value)
    except ModelError as error:
        error.item = f"what-if {text.strip()!r}: {error.item}"
        raise
    return found, f"{name}.{path}: {_said(before)} to {_said(value)}"


def _without_unit(path: str, sign: str, right: str, text: str) -> str:
    """A time in seconds, a size in bytes; what is a number as it is."""
    keys = path.split(".")
    known = next((key for key in keys if key in TIMES + SIZES), None)
    if known is None or sign == "*" or _number(right):
        return right
    found, kind, example = (seconds_of(right), "time", "9ms") if known in TIMES else (bytes_of(right), "size", "6KiB")
    if found is None:
        raise ModelError("what-if", f"must be a {kind}", f"write {keys[-1]}{sign}{example}", text)
    return repr(found)


def _of_work(work: Work, path: str) -> Any:
    """The value of a work or of one of its steps."""
    first, _, rest = path.partition(".")
    if first in ("rate", "users", "think_time", "burst", "tick"):
        return getattr(work, first)
    step = work.steps[int(first) - 1] if first.isdigit() and 0 < int(first) <= len(work.steps) else work.steps[0]
    return _value(step, rest if first.isdigit() else path)


def _number(text: str) -> bool:
    try:
        float(text.rstrip("%"))
    except ValueError:
        return False
    return True


def _new(before: Any, sign: str, right: str, text: str, key: str) -> float:
    """The number after a change."""
    if not _number(right):
        raise ModelError("what-if", "must have a number after the sign", f"write {key}+1", text)
    share = right.endswith("%")
    number = float(right.rstrip("%"))
    if sign == "=" and right[0] in "+-":
        raise ModelError("what-if", "must be a value or a change, not both", f"write {key}{right}, or {key}={right[1:]}", text)
    if sign == "=":
        if share:
            raise ModelError("what-if", "must not set a percentage", f"write {key}+{right} for so much more", text)
        return number
    if not isinstance(before, int | float) or isinstance(before, bool):
        rule = "changes a figure that is not one number" if before is not None else "changes a figure that the file leaves out"
        raise ModelError("what-if", rule, f"write {key}=VALUE", text)
    if sign == "*":
        return before * (number / 100 if share else number)
    by = before * number / 100 if share else number
    return before + (by if sign == "+" else -by)


def _split(system: System, name: str, sign: str, right: str, text: str) -> tuple[System, str]:
    if sign != "=" or not right.isdigit() or not 2 <= int(right) <= 100:
        raise ModelError("what-if", "must split into 2 to 100 regions", f"write {name}.split=2", text)
    taken = {item.name for part in PARTS for item in getattr(system, part)}
    names = [name]
    number = 2
    while len(names) < int(right):
        if f"{name}-{number}" not in taken:
            names.append(f"{name}-{number}")
        number += 1
    if name not in [region.name for region in system.regions]:
        raise ModelError("what-if", "splits regions alone", "name a region", text)
    return split_region(system, name, names), f"{name} in {right} regions"


def _said(value: Any) -> str:
    return "none" if value is None else f"{value:.6g}" if isinstance(value, float) else str(value)

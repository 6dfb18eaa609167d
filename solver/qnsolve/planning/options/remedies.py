"""Changes that may help: each engine, zIIP, region, stripe and limit that what ends the growth depends on."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from qnsolve.zos.parts.processors import Lpar
from qnsolve.zos.parts.regions import CicsRegion
from qnsolve.zos.solve_system import System

from ..center_uses import ziip_use
from ..load_points import LoadPoint, LoadPoints
from .what_ifs import WhatIf, what_if

USED = 0.6  # use of a center from which on more of it may help
FULL = 0.3  # use of a limit from which on a higher one may
SMT_GAIN = 1.25  # MAX CF that is taken for SMT mode 2; sites report 1.2 to 1.4
MORE = 1.5  # times a limit
MOST_ALIKE = 6  # changes of a kind
TOGETHER, MOST_TOGETHER = 0.9, 4  # use of centers whose remedies are tried together, and how many of them at most


def remedies_of(points: LoadPoints, good: LoadPoint) -> tuple[tuple[WhatIf, ...], int]:
    """Changes to try for a system, from what is used at the last load that holds, and how many like them are left out."""
    if not good.solved:
        return (), 0
    used = {**good.used, **ziip_use(good)}
    every = [remedy for remedy in _remedies(points, used) if remedy.used > USED or remedy.limit]
    found = [remedy for remedy in every if remedy in _fullest([each for each in every if each.kind == remedy.kind])]
    made = [_called(points.system, remedy.name, remedy.text, remedy.remark) for remedy in found]
    full = [remedy for remedy in found if remedy.used > TOGETHER]
    if 1 < len(full) <= MOST_TOGETHER:  # what is full at once helps only at once
        texts, remarks = [each.text for each in full], [each.remark for each in full if each.remark]
        made.append(_called(points.system, " and ".join(each.name for each in full), ", ".join(texts), "; ".join(remarks)))
    return tuple(made), len(every) - len(found)


@dataclass(frozen=True)
class _Remedy:
    """A change that may help: name, text, kind, how full its center is, and whether that is a limit of tasks or a zIIP."""

    name: str
    text: str
    kind: str
    used: float
    limit: bool = False
    remark: str = ""


def _fullest(alike: Sequence[_Remedy]) -> Sequence[_Remedy]:
    """Those whose centers are the fullest: each takes a search, and of twenty unlike regions none helps alone."""
    return sorted(alike, key=lambda each: -each.used)[:MOST_ALIKE]


def _remedies(points: LoadPoints, used: Mapping[str, float]) -> Iterator[_Remedy]:
    for lpar in points.system.lpars:
        yield from _of_lpar(lpar, used)
    for label, names in _groups(points).items():
        yield from _of_regions(points.system, label, names, used)
    counts = [(log.name, "stripes", log.stripes) for log in points.system.loggers]
    counts += [(facility.name, "processors", facility.processors) for facility in points.system.coupling_facilities]
    counts += [(each.name, "servers", each.servers) for each in points.system.devices if each.servers is not None]
    for name, key, count in counts:
        yield _Remedy(f"{name}: {count + 1} {key}", f"{name}.{key}+1", key, used.get(name, 0.0))


def _of_lpar(lpar: Lpar, used: Mapping[str, float]) -> Iterator[_Remedy]:
    """One engine more, one zIIP more, SMT."""
    engines = lpar.processors.engines + 1
    yield _Remedy(f"{lpar.name}: {engines:g} CPs", f"{lpar.name}.engines+1", "CPs", used.get(f"{lpar.name} CPs", 0.0))
    ziips, busy = lpar.ziips, used.get(f"{lpar.name} zIIPs", 0.0)
    if ziips is None or busy < FULL:
        return
    yield _Remedy(f"{lpar.name}: {ziips.cores + 1} zIIPs", f"{lpar.name}.cores+1", "zIIPs", busy, limit=True)
    if ziips.threads == 1 and busy > USED:
        text = f"{lpar.name}.threads=2, {lpar.name}.max_capacity_factor={SMT_GAIN}"
        remark = f"MAX CF {SMT_GAIN} is assumed: give the one that RMF reports"
        yield _Remedy(f"{lpar.name}: zIIPs in SMT mode 2", text, "SMT", 0.0, limit=True, remark=remark)


def _of_regions(system: System, label: str, names: Sequence[str], used: Mapping[str, float]) -> Iterator[_Remedy]:
    """Regions in two, higher limits; equal regions together."""
    first = next(each for each in system.regions if each.name == names[0])
    cics = isinstance(first, CicsRegion)
    if cics:
        text = ", ".join(f"{name}.split=2" for name in names)
        yield _Remedy(f"{label}: each in two", text, "split", used.get(f"{first.name} QR TCB", 0.0))
    tasks = used.get(f"{first.name} {first.limit_name}", 0.0)
    if tasks > FULL:
        key, value = ("mxt", min(round(first.limit * MORE), 2000)) if cics else ("regions", round(first.limit * MORE))
        text = ", ".join(f"{name}.{key}={value}" for name in names)
        yield _Remedy(f"{label}: {first.limit_name} {value}", text, "tasks", tasks, limit=True)
    for tranclass, active in (first.tranclasses or {}).items():
        tasks = used.get(f"{first.name} TRANCLASS {tranclass}", 0.0)
        if tasks > FULL:
            value = round(active * MORE)
            text = ", ".join(f"{name}.tranclasses.{tranclass}={value}" for name in names)
            yield _Remedy(f"{label}: TRANCLASS {tranclass} {value}", text, "TRANCLASS", tasks, limit=True)


def _groups(points: LoadPoints) -> dict[str, list[str]]:
    found: dict[str, list[str]] = {}
    for name, label in points.labels.items():
        found.setdefault(label, []).append(name)
    return found


def _called(system: System, name: str, text: str, remark: str = "") -> WhatIf:
    made = what_if(system, text)
    return WhatIf(name, made.changes, made.system, remark or made.remark)

"""How full each center gets, period by period, and when it would be full."""

from __future__ import annotations

from collections.abc import Sequence
from math import isnan

from .load_points import LoadPoint, LoadPoints
from .loads.load_path import DatedLoad, LoadPath
from .loads.months import Month
from .plain_loads import PlainLoads
from .study_figures import CenterUse

LITTLE = 0.005  # use at the last period below which a limit is not shown


def center_uses(
    points: LoadPoints, path: LoadPath, shown: Sequence[DatedLoad], good: LoadPoint, start: Month, horizon: int
) -> tuple[CenterUse, ...]:
    """The centers of a system, those that would be full first before the others."""
    plain = points.plain
    used = {**good.used, **ziip_use(good)} if good.solved else {n: plain.at(n, good.factors) for n in plain.names}
    known = [points.at(load.factors) if points.saturated(load.factors) is None else None for load in shown]
    solved = [{**each.used, **ziip_use(each)} if each is not None and each.solved else {} for each in known]
    found: dict[str, tuple[int, CenterUse]] = {}
    for name, share in used.items():
        kind = kind_of_center(points, name)
        rest = plain.at(name, good.factors)
        by_period = []
        for load, each in zip(shown, solved, strict=True):
            beyond = share * plain.at(name, load.factors) / rest if rest > 0 else share
            by_period.append(100 * each.get(name, beyond))
        group = points.grouped(name)
        if kind == "limit" and max(by_period) < 100 * LITTLE:
            continue
        limits = not name.endswith(" zIIPs") or (good.solved and name in good.used)
        month = _full_in(path, plain, name, share, rest, start, horizon) if share > 0 else horizon + 1
        text = str(start + month) if month <= horizon else ""
        if group not in found or month < found[group][0]:
            found[group] = (month, CenterUse(group, kind, tuple(by_period), limits, text))
    order = sorted(found.values(), key=lambda item: (item[0], -max(item[1].used)))
    return tuple(use for _, use in order)


def _full_in(path: LoadPath, plain: PlainLoads, name: str, share: float, rest: float, start: Month, horizon: int) -> int:
    """Months until the first in which a center is full, its use in proportion to what it is asked for."""
    if rest <= 0:
        return horizon + 1
    for m in range(horizon + 1):
        if any(share * plain.at(name, load.factors) / rest >= 1 for load in path.loads(start + m)):
            return m
    return horizon + 1


def ziip_use(point: LoadPoint) -> dict[str, float]:
    """The use of zIIPs by LPAR [0..1]."""
    return {f"{each.name} zIIPs": each.ziip_percent / 100 for each in point.result.lpars if not isnan(each.ziip_percent)}


def kind_of_center(points: LoadPoints, name: str) -> str:
    """What a center is, by its name."""
    system = points.system
    for suffix, kind in ((" CPs", "CPs"), (" zIIPs", "zIIPs"), (" QR TCB", "QR TCB"), (" RO TCB", "RO TCB")):
        if name.endswith(suffix):
            return kind
    if any(name == each.name for each in system.coupling_facilities):
        return "coupling facility"
    if any(name == each.name for each in system.loggers):
        return "log"
    if any(name == each.name for each in system.devices):
        return "device"
    return "limit"

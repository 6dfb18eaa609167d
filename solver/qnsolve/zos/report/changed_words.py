"""What a change of a system does, in words: headroom first, then response times, then CPU."""

from __future__ import annotations

from collections.abc import Iterator
from math import isfinite

from qnsolve.results.digits import moved, percent, short, time
from qnsolve.results.sentences import be
from qnsolve.zos.point.capacity import Capacity

from .equal_regions import equal_regions, of_group
from .figures import SystemFigures, WorkResult

SEEN = 0.05  # points of CPU busy below which nothing is said


def changes(before: SystemFigures, held: Capacity, after: SystemFigures, holds: Capacity) -> tuple[str, ...]:
    """Sentences on two solutions of a system.

    Parameters
    ----------
    before, after : SystemFigures
    held, holds : Capacity
        How many times its work the system holds, before and after.
    """
    return (_headroom(before, held, after, holds), *_works(before, after), *_lpars(before, after))


def _headroom(before: SystemFigures, held: Capacity, after: SystemFigures, holds: Capacity) -> str:
    if not (isfinite(held.factor) and isfinite(holds.factor)):
        was, now = (_ends(*each) for each in ((before, held), (after, holds)))
        return f"headroom: {now}, as before" if was == now else f"headroom: before {was}; after {now}"
    said = f"headroom: {moved(held.factor, holds.factor, lambda factor: f'{short(factor)} times its work')}"
    old, new = (sum(work.etr for work in result.work) for result in (before, after))
    if short(old) != short(new):  # another work
        said += f", that is {moved(held.factor * old, holds.factor * new, lambda rate: f'{short(rate)}/s')}"
    was, now = (of_group(end.center, equal_regions(result)) for result, end in ((before, held), (after, holds)))
    return f"{said}; first to fill up: {now}" + ("" if was == now else f", before {was}")


def _ends(result: SystemFigures, held: Capacity) -> str:
    """Where the growth ends."""
    if not isfinite(held.factor):
        return "without end, users only wait longer"
    return f"{short(held.factor)} times its work, then {of_group(held.center, equal_regions(result))} {be(held.center)} full"


def _works(before: SystemFigures, after: SystemFigures) -> Iterator[str]:
    old = {item.name: item for item in before.work}
    for item in after.work:
        if item.name in old:
            yield _work(old[item.name], item)
    for name in old.keys() - {item.name for item in after.work}:
        yield f"{name}: only before"


def _work(was: WorkResult, now: WorkResult) -> str:
    said = f"{now.name}: response time {moved(was.response_time, now.response_time, time)}"
    if time(was.cpu) != time(now.cpu):
        said += f"; CPU {moved(was.cpu, now.cpu, time)}"
    if short(was.etr) != short(now.etr):
        said += f"; ETR {moved(was.etr, now.etr, lambda rate: f'{short(rate)}/s')}"
    return said


def _lpars(before: SystemFigures, after: SystemFigures) -> Iterator[str]:
    old = {item.name: item.cpu_percent for item in before.lpars}
    for item in after.lpars:
        if item.name in old and abs(item.cpu_percent - old[item.name]) >= SEEN:
            yield f"{item.name}: CPU busy {percent(old[item.name])} % to {percent(item.cpu_percent)} %"

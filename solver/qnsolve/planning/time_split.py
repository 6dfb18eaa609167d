"""Where the response time of each work goes, equal regions added up."""

from __future__ import annotations

from .load_points import LoadPoint, LoadPoints
from .study_figures import TimeAt

LITTLE = 1e-3  # share of a response time below which a center is not named
OTHERS = "others"  # what those have together


def grouped_split(points: LoadPoints, point: LoadPoint, work: int) -> dict[str, float]:
    """Time by center of a work, equal regions added, centers named as they are elsewhere [s]."""
    found: dict[str, float] = {}
    if not point.solved:
        return found
    for center, time in point.split(work).items():
        name = points.grouped(full_name(center))
        found[name] = found.get(name, 0.0) + time
    return found


def full_name(center: str) -> str:
    """The name that a center of a response time has elsewhere."""
    if center.endswith(" CPU beside QR"):
        return f"{center.removesuffix(' CPU beside QR')} CPs"
    return f"{center} TCB" if center.endswith((" QR", " RO")) else center


def time_split(points: LoadPoints, today: LoadPoint, last: LoadPoint) -> tuple[TimeAt, ...]:
    """Time by work and center at the first load and at the last that holds, the longest first."""
    found = []
    for w, name in enumerate(points.names):
        before, after = grouped_split(points, today, w), grouped_split(points, last, w)
        first, whole = sum(before.values()), sum(after.values())
        rest = [0.0, 0.0]
        for center in sorted({**after, **before}, key=lambda center: -after.get(center, before.get(center, 0.0))):
            pair = before.get(center, 0.0), after.get(center, 0.0)
            if pair[0] > LITTLE * first or pair[1] > LITTLE * whole:
                found.append(TimeAt(name, center, *pair))
            else:
                rest = [rest[0] + pair[0], rest[1] + pair[1]]
        if max(rest) > 0:
            found.append(TimeAt(name, OTHERS, *rest))
    return tuple(found)

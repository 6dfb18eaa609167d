"""What a study rests on, and what of its question may not be meant."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from qnsolve.results.digits import time

from .load_points import LoadPoint, LoadPoints
from .loads.load_path import LoadPath
from .loads.months import Month
from .study_figures import Asked, Period

LOOSE = 50  # times a response time, from which on a target may be in other units


def assumptions(asked: Asked, today: bool, path: LoadPath, points: LoadPoints, good: LoadPoint) -> tuple[str, ...]:
    """What the answer rests on."""
    found = [f"the file has the load of {asked.begin}" + (", this month: --from says another" if today else "")]
    same = set(asked.growth.values())
    if len(same) == 1:
        found.append(f"all work grows by {same.pop()}" if path.grows else "no growth was given: the load stays as it is")
    else:
        found.append("growth: " + ", ".join(f"{name} {text}" for name, text in asked.growth.items()))
    for name, forecast in path.forecasts.items():
        found.append(f"{name}: {forecast.source} to {forecast.months[-1]}, between its months along the logarithm")
    found += [f"season: {text}; months over that of {asked.begin}" for text in asked.seasons]
    found += [f"special day {text}" for text in asked.special_days]
    found.append("a month is solved as a steady state at its load: what the reports of its peak interval show")
    found.append("CPU of a transaction, routing, engines and limits stay as they are in the file")
    if error := said_error(good):
        found.append(error)
    return tuple(found)


def said_error(good: LoadPoint) -> str:
    """How far off response times may be at the last load that holds; "" where they are exact or there are none."""
    error = max((work.response_error for work in good.result.work), default=0.0) if good.solved else 0.0
    if not error > 0:
        return ""
    return (
        f"response times may be off by {100 * error:.2g} % at the last load that holds: 95 of 100 errors measured "
        "against simulation were within that; --simulate finds the month by simulation"
    )


def doubts(first: Period, path: LoadPath, end: Month) -> Iterator[str]:
    """What of the question changes nothing, and may not be meant."""
    for work in first.work:
        if work.target > LOOSE * work.response_time:
            yield (
                f"{work.name}: the target, {time(work.target)}, is {work.target / work.response_time:.0f} times its response "
                "time today: is it in seconds? 200ms is taken too"
            )
    for day in path.days:
        if not any(day.within(month) for month in np.arange(path.begin, end + 1)):
            yield f"special day {day.date} is not within {path.begin} to {end}"

"""What a solved day says in sentences, the verdict first."""

from __future__ import annotations

from math import isfinite

import numpy as np

from qnsolve.model.yearly_growth import YEAR
from qnsolve.results.sentences import be

from .backlog import episodes
from .day_figures import DayFigures
from .day_loads import minute

OVERLOADS = 5  # that are named one by one
FAR = 99.0  # times the load, beyond which nothing was tried


def day_sentences(day: DayFigures) -> tuple[str, ...]:
    """The verdict, the peak, the overloads, the growth."""
    return (_verdict(day), _fullest(day), _peak(day), *_overloads(day), *_growth(day))


def _verdict(day: DayFigures) -> str:
    end = day.end
    if day.missed.any():
        i = int(np.argmax(day.missed))
        count = int(day.missed.sum())
        what = _asked(day, i)
        if day.offered[i] < 1:
            name, most = _missed(day, i)
            what = f"{name} takes {day.response[i, day.loads.names.index(name)]:.4g} s, {most:g} s is the target"
        times = f"; {count} of {len(day)} intervals do not hold" if count > 1 else ""
        return f"Does not hold: at {day.loads.clock_text(i)} {what}{times}{_worst(day, i)}"
    if end is None:
        limit = f"until {day.until} at least" if day.until else ("with all growth that was tried")
        still = " with no growth" if day.growth and all(each.source == "none" for each in day.growth) else ""
        return f"Holds {limit}{still}: nothing fills up" + (", every response time is met" if day.targets else "")
    cause = f"{end.cause} {be(end.cause)} full"
    if not end.saturated:
        cause = f"{end.cause} takes longer than {day.targets.get(end.cause, 0.0):g} s"
    place = int(np.flatnonzero(day.loads.order == end.interval - 1)[0])
    if end.when:
        return f"Holds until {end.when.replace('T', ', ')}: then {cause}"
    if day.growth:
        return f"Holds for {end.years:.3g} years of growth: then, at {day.loads.clock_text(place)}, {cause}"
    return f"Holds {end.factor:.4g} times this load: then, at {day.loads.clock_text(place)}, {cause}"


def _worst(day: DayFigures, first: int) -> str:
    """The interval with the longest response, over its target where there are any, if that is not the first that fails."""
    most = np.array([day.targets.get(name, np.inf if day.targets else 1.0) for name in day.loads.names])
    ratio = np.nan_to_num(day.response) / most
    hit = day.missed | (day.delay > 0)
    i = int(np.argmax(np.where(hit, ratio.max(axis=1), -1.0)))
    if ratio[i].max() <= ratio[first].max():
        return ""
    r = int(np.argmax(ratio[i]))
    return f"; the worst is {day.loads.clock_text(i)}: {day.loads.names[r]} takes {day.response[i, r]:.4g} s"


def _missed(day: DayFigures, i: int) -> tuple[str, float]:
    """The class whose response time is missed most."""
    ratio = {
        name: float(np.nan_to_num(day.response[i, day.loads.names.index(name)])) / most for name, most in day.targets.items()
    }
    name = max(ratio, key=ratio.__getitem__)
    return name, day.targets[name]


def _asked(day: DayFigures, i: int) -> str:
    name = day.fullest[i]
    return f"{name} {be(name)} asked for {100 * day.offered[i]:.4g} % of capacity"


def _fullest(day: DayFigures) -> str:
    i = int(np.argmax(day.offered))
    responses = ", ".join(
        f"{name} {day.response[i, r]:.4g} s" for r, name in enumerate(day.loads.names[:4]) if isfinite(day.response[i, r])
    )
    full = f"{day.fullest[i]} {100 * day.offered[i]:.3g} %"
    return f"fullest interval {day.loads.clock_text(i)}: {full}, responses {responses or '-'}"


def _peak(day: DayFigures) -> str:
    peak = day.peak
    hour = f"{peak.start} to {peak.end[11:]}" if peak.start else f"intervals {peak.first} to {peak.last}"
    share = f", {100 * peak.share:.3g} % of its day" if peak.start and peak.share < 1 else ""
    return f"peak hour {hour}: {peak.jobs:.4g} jobs{share}, {peak.over_mean:.3g} times the mean hour"


def _overloads(day: DayFigures) -> list[str]:
    loads = day.loads
    left = np.where(day.backlog > 0, 1.0, 0.0)
    found = episodes(left, day.offered, loads.follows)
    said = []
    for first, last in found[:OVERLOADS]:
        most = int(np.argmax(day.backlog[first : last + 1])) + first
        peak = int(np.argmax(day.offered[first : last + 1])) + first
        text = f"overload from {loads.clock_text(first)}: {_asked(day, peak)}"
        text += f", {day.backlog[most]:.3g} jobs wait at the end of {loads.clock_text(most)}"
        slowest = int(np.argmax(day.delay[first : last + 1])) + first
        text += f", the mean delay rises to {day.delay[slowest]:.3g} s"
        ends = day.worked_off[last]
        if isfinite(ends) and not np.isnat(loads.start[last]):
            then = loads.start[last] + np.timedelta64(round(1000 * float(ends)), "ms")
            same = then.astype("datetime64[D]") == loads.start[first].astype("datetime64[D]")
            text += f"; worked off at {minute(then)[11 if same else 0 :]}"
        elif isfinite(ends):
            text += f"; worked off {ends:.3g} s into {loads.clock_text(last)}"
        elif last + 1 < len(day):
            text += "; not worked off when the intervals break off"
        else:
            text += "; not worked off at the end"
        said.append(text)
    if len(found) > OVERLOADS:
        said.append(f"{len(found) - OVERLOADS} overloads more")
    return said


def _growth(day: DayFigures) -> list[str]:
    said = []
    for each in day.growth:
        if each.source.endswith("weeks"):
            text = (
                f"{each.name} grows by {100 * each.value:.3g} % a year ({100 * each.lowest:.3g} to {100 * each.highest:.3g} %, "
            )
            said.append(text + f"19 of 20, from {each.source})")
    if day.end is not None and day.growth and day.end.years > 0 and not day.missed.any():
        row = int(np.flatnonzero(day.loads.order == day.end.interval - 1)[0])
        days, since = day.end.years * YEAR, "the measured interval"
        if day.end.when:  # counted to the date that the verdict has
            start = day.loads.start[row].astype("datetime64[D]")
            days, since = float((np.datetime64(day.end.when, "D") - start).astype(np.int64)), str(start)
        said.append(f"that is {days / YEAR:.3g} years, {days:.0f} days, after {since}")
    return said

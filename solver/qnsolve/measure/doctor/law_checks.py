"""Little's law and the utilization law: jobs inside, users, lengths, CPU charged, busy servers."""

from __future__ import annotations

import numpy as np

from .examined import Array, Examined, MeasuredOwner, amount, percent, runs, spread
from .ratio_check import Law, hold_against, unit_of

EDGES = 3.0  # responses, by which the jobs of an interval may belong to its neighbours
WIDEST = 0.5  # slack that edges give, at most
ALIKE = 0.15  # spread of logs within which the lengths that rows imply are one length
VARIED = 2.0  # responses differ by so much, or users' think time cannot be distinguished from another length
LEAST, MOST = 0.8, 1.05  # capture ratio
DRIFT = 0.08  # change of it from the first third to the last
NEARLY = 0.03  # the median ratio gives way to that of the sums, where the two differ by less
ROUNDED = 0.005  # utilization, below which its printed digits are too few
BUSY = 0.25  # of the highest utilization: below, what runs without work weighs too much


def check_little(x: Examined) -> None:
    """Jobs inside are rate times response; users are rate times response and think time; a count is rate times length."""
    for work in x.works:
        rate = x.rate(work)
        columns = work.columns
        if rate is not None and "response_time" in columns:
            inside = rate * columns["response_time"]
            if "in_system" in columns:
                _in_system(x, work, inside)
            if "users" in columns:
                _users(x, work, rate, inside)
        if "rate" in columns and "count" in columns:
            _length(x, work)
    for each in x.resources:
        servers = x.servers_of(each)
        if {"queue_length", "busy"} <= set(each.columns) and servers is not None:
            used = each.columns["busy"] * servers
            below = each.columns["queue_length"] < 0.9 * used - 0.01
            for first, last in runs(below)[:3]:
                rows = _marked(len(below), first, last)
                size = float(np.median(each.columns["queue_length"][rows])), float(np.median(used[rows])), "jobs"
                text = f"{each.title('queue_length')} {amount(size[0])} is less than the {amount(size[1])} jobs in service"
                x.add("little", "wrong", each.title("queue_length"), rows, text, size)


def _marked(n: int, first: int, last: int) -> np.ndarray[tuple[int], np.dtype[np.bool_]]:
    found = np.zeros(n, dtype=bool)
    found[first : last + 1] = True
    return found


def _in_system(x: Examined, work: MeasuredOwner, inside: Array) -> None:
    own = work.title("response_time")
    suspects = {1e3: own, 1e6: own, 60.0: work.title("rate"), 3600.0: work.title("rate")}
    law = Law(
        "little",
        f"{own}, {work.title('in_system')}",
        "jobs",
        f"{work.name}: rate times response is",
        "the mean number inside",
        units=suspects,
    )
    slack = np.nan_to_num(np.minimum(EDGES * work.columns["response_time"] / x.length, WIDEST))
    many = np.maximum(inside, work.columns["in_system"]) > 1e-9
    hold_against(x, law, np.where(many, inside, np.nan), work.columns["in_system"], np.where(slack >= 0, slack, 0.0))


def _users(x: Examined, work: MeasuredOwner, rate: Array, inside: Array) -> None:
    users, response = work.columns["users"], work.columns["response_time"]
    own = work.title("response_time")
    if "think_time" in work.columns:
        think = work.columns["think_time"]
        series = f"{own}, {work.title('users')}"
        words = (f"{work.name}: rate times response and think time is", "users are")
        units = {1e3: own, 60.0: work.title("rate")}
        hold_against(x, Law("little", series, "users", *words, units=units), rate * (response + think), users)
        return
    with np.errstate(divide="ignore", invalid="ignore"):
        log = np.log(inside / users)
    there = np.isfinite(log)
    if there.sum() < 3:
        return
    center, wide = float(np.median(log[there])), spread(log[there])
    varied = float(np.ptp(np.log(response[there]))) > np.log(VARIED)
    seconds = float(np.nanmedian(x.length)) if not np.isnan(x.length).all() else np.nan
    if wide < ALIKE and varied and abs(center) > np.log1p(ALIKE):  # a think time would make the ratio grow with the response
        share = float(np.exp(center))
        text = f"{work.name}: N = X·R holds in all rows, but for one factor: {amount(share)} of the users are inside"
        size = share, 1.0, ""
        if not np.isnan(seconds) and "rate" not in work.columns:  # rates are counts over that length
            text = (
                f"{work.name}: the table says intervals of {amount(seconds)} s, Little's law {amount(seconds * share)} s: over "
                f"these, rate times response is the number of users in all {int(there.sum())} rows"
            )
            size = seconds, seconds * share, "s"
        x.add("little", "wrong", f"{work.title('rate')}, {work.title('users')}", None, text, size)
        return
    more = there & (log > np.log(1.15))
    for first, last in runs(more)[:3]:
        rows = _marked(len(log), first, last)
        size = float(np.median(inside[rows])), float(np.median(users[rows])), "jobs"
        unit = unit_of(float(np.median(log[rows])), {1e3: own, 1e6: own}) if size[0] > 20 * size[1] else None
        if size[0] > 20 * size[1]:
            unit = unit or (own, "milliseconds")
        text = f"{work.name}: rate times response is {amount(size[0])} jobs inside, users are {amount(size[1])}"
        text += f"; {unit[0]} looks like {unit[1]}" if unit else ""
        x.add("units" if unit else "little", "wrong", f"{own}, {work.title('users')}", rows, text, size)


def _length(x: Examined, work: MeasuredOwner) -> None:
    count, rate = work.columns["count"], work.columns["rate"]
    with np.errstate(divide="ignore", invalid="ignore"):
        implied = np.where((rate > 0) & (count > 20), count / rate, np.nan)
    rounding = 1 / np.maximum(np.nan_to_num(count, nan=1.0), 1.0)
    series = f"{work.title('count')}, {work.title('rate')}"
    if np.isnan(x.length).all():
        if not np.isnan(implied).all():
            seconds = float(np.nanmedian(implied))
            text = f"{work.name}: the table has no lengths of intervals; count over rate gives {amount(seconds)} s"
            x.add("length", "note", series, None, text, (np.nan, seconds, "s"))
        return
    names = (f"{work.name}: the table says intervals of", "count over rate gives")
    law = Law("length", series, "s", *names, units={60.0: work.title("rate"), 3600.0: work.title("rate")}, both=True)
    hold_against(x, law, x.length, implied, rounding)


def check_utilization(x: Examined) -> None:
    """CPU charged to work is what processors are busy with, but for what is not charged; CPU times add up to it."""
    for work in x.works:
        rate = x.rate(work)
        if rate is not None and {"used", "cpu_time"} <= set(work.columns):
            own = work.title("cpu_time")
            units = {1e3: own, 1e6: own, 60.0: work.title("rate"), 0.01: work.title("used")}
            names = (f"{work.name}: rate times CPU time is", "CPU used")
            law = Law("utilization", f"{own}, {work.title('used')}", "servers", *names, units=units)
            hold_against(x, law, rate * work.columns["cpu_time"], work.columns["used"])
    for each in x.resources:
        servers = x.servers_of(each)
        if {"busy", "requests", "service_time"} <= set(each.columns):
            m = 1.0 if servers is None else servers
            own = each.title("service_time")
            units = {1e3: own, 1e6: own, 0.01: each.title("busy"), 60.0: each.title("requests")}
            names = (f"{each.name}: requests times service time is", "busy servers")
            law = Law("utilization", f"{own}, {each.title('busy')}", "servers", *names, units=units)
            hold_against(x, law, each.columns["requests"] * each.columns["service_time"], each.columns["busy"] * m)
        if {"busy", "used"} <= set(each.columns) and servers is not None:
            names = (f"{each.name}: utilization times servers is", "CPU used")
            law = Law(
                "utilization",
                f"{each.title('busy')}, {each.title('used')}",
                "servers",
                *names,
                units={100.0: each.title("busy")},
            )
            known = each.columns["busy"] >= ROUNDED
            hold_against(x, law, np.where(known, each.columns["busy"] * servers, np.nan), each.columns["used"])
    for each in x.processors():
        _capture(x, each)


def charged(x: Examined, processor: MeasuredOwner) -> tuple[Array, str] | None:
    """CPU charged to all work at a processor and how it was found; None where there is none, or it is that of several."""
    own = [work for work in x.works if work.beside(processor)]
    several = [each for each in x.processors() if any(work.beside(each) for work in own)]
    parts: list[Array] = []
    names = []
    for work in own:
        rate = x.rate(work)
        if "used" in work.columns:
            parts.append(work.columns["used"])
            names.append(work.title("used"))
        elif rate is None and not work.name and "cpu_time" in work.columns:  # of no class: CPU seconds a second
            parts.append(work.columns["cpu_time"])
            names.append(work.title("cpu_time"))
        elif rate is not None and "cpu_time" in work.columns:
            parts.append(rate * work.columns["cpu_time"])
            names.append(work.title("cpu_time"))
    if not parts or len(several) > 1:
        return None
    total = np.column_stack(parts)
    nothing = np.isnan(total).all(axis=1)
    return np.where(nothing, np.nan, np.nan_to_num(total).sum(axis=1)), ", ".join(names[:4])


def _capture(x: Examined, each: MeasuredOwner) -> None:
    found = charged(x, each)
    if found is None:
        return
    total, names = found
    busy, servers = each.columns["busy"], x.servers_of(each)
    with np.errstate(divide="ignore", invalid="ignore"):
        enough = (busy >= BUSY * np.nanmax(busy, initial=0.0)) & (total > 0) & (busy > 0)
    if not enough.any():
        return
    if servers is None:
        implied = float(np.median(total[enough] / busy[enough]))
        text = f"{each.name}: the number of servers is not given, so the capture ratio is not checked; "
        text += f"CPU charged over utilization is {amount(implied)}"
        x.add("capture", "note", each.title("busy"), None, text, (implied, np.nan, "servers"))
        return
    measured = busy * servers
    ratio = np.where(enough, total / np.where(enough, measured, 1.0), np.nan)
    known = ratio[enough]
    center, size = float(np.median(known)), float(np.nanmedian(measured[enough]))
    whole = float(total[enough].sum() / measured[enough].sum())
    center = whole if abs(whole / center - 1) < NEARLY else center
    series = f"{each.title('busy')}, {names}"
    unit = unit_of(float(np.log(center)), {0.01: each.title("busy"), 100.0: "CPU charged", 60.0: "a rate", 1e3: "a CPU time"})
    said = f"{each.title('busy')} times {amount(float(np.nanmedian(servers)))} servers"
    if unit:
        text = f"{said} is {amount(size)}, the CPU charged to the work {amount(size * center)}; {unit[0]} looks like {unit[1]}"
        x.add("units", "wrong", series, enough, text, (center, 1.0, ""))
    elif center > MOST:
        text = f"the CPU charged to the work exceeds {said} by {percent(center - 1)}: capture ratio {amount(center)}"
        x.add("capture", "wrong", series, enough, text, (center, 1.0, ""))
    elif center < LEAST:
        text = f"{said} exceeds the CPU charged to the work by {percent(1 / center - 1)}: capture ratio {amount(center)}"
        x.add("capture", "look", series, enough, text, (center, LEAST, ""))
    wide = max(6 * spread(known), 0.05)
    off = enough & (np.abs(ratio - center) > wide) & ((ratio > MOST) | (ratio < LEAST))
    places = runs(off)
    for first, last in places if len(places) <= 5 else [(places[0][0], places[-1][1])]:
        rows = _marked(len(off), first, last) & off
        value = float(np.median(ratio[rows]))
        text = f"capture ratio {amount(value)}, {amount(center)} in the median of all rows"
        x.add("capture", "wrong" if value > MOST + wide else "look", series, rows, text, (value, center, ""))
    if len(known) >= 12 and not off.sum() > len(known) / 4:
        third = len(known) // 3
        before, after = float(np.median(known[:third])), float(np.median(known[-third:]))
        if abs(after - before) > max(DRIFT, 8 * spread(np.diff(known)) / np.sqrt(third)):
            text = f"the capture ratio drifts from {amount(before)} in the first third to {amount(after)} in the last"
            x.add("capture", "look", series, enough, text, (after, before, ""))

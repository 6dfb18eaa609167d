"""What would help most: remedies, and each figure by 10 % the good way, by their dates."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import asdict
from typing import Any

from qnsolve.errors import QnsolveError
from qnsolve.planning.load_points import LoadPoints
from qnsolve.planning.options.what_ifs import WhatIf, what_if
from qnsolve.planning.study import plain, study
from qnsolve.zos import System
from qnsolve.zos.report.equal_regions import declared_equal
from qnsolve.zos.whatif.system_inputs import figures

from .first_curve import first_study, later_figures, today_figures
from .first_loads import first_loads, to_an_end
from .part_figures import figure_words

STEP = 0.1
MORE = (  # figures of which more is better
    *("engines", "speed", "cores", "mxt", "regions", "thread_limit", "stripes", "servers", "processors", "tranclasses"),
    *("think_time", "max_capacity_factor", "threshold"),
)
SOLVED = 8  # changes of figures whose dates are searched; the others are estimates
LEFT_OUT = ("visits", "growth", "sharing")
WITHIN = ("processors", "ziips", "link")  # parts of parts that need no name


def what_helps(system: System, question: Mapping[str, Any]) -> dict[str, Any]:
    """The changes, the most helpful first.

    Parameters
    ----------
    system : System
    question : mapping
        As `asked_of` gives it.

    Returns
    -------
    dict
        `sentence`, and `changes` with name, holds_until, months, at_least, cpu_change, cause, remark, and `estimate` where
        the date is that of the first curve.
    """
    base = LoadPoints(system, {})
    before = _months(_estimate(base, question)["verdict"])
    tried = []
    for change in tens(system):
        try:
            estimate = _estimate(LoadPoints(change.system, {}), question)["verdict"]
        except QnsolveError:
            continue  # a figure that the system cannot have
        tried.append((_months(estimate) - before, estimate, change))
    tried.sort(key=lambda each: -each[0])
    best = [change for gain, _, change in tried[:SOLVED] if gain > 0]
    rest = {**to_an_end(question), "what_ifs": best}
    found = study(system, **rest, remedies=True)
    rows = [{**plain(asdict(each)), "estimate": False} for each in found.what_ifs]
    solved = {change.name for change in best}
    for gain, estimate, change in tried:
        if change.name not in solved:
            row = {"name": change.name, "changes": list(change.changes), "holds_until": estimate["holds_until"], "months": gain}
            rows.append({**row, "at_least": False, "cpu_change": None, "cause": "", "remark": change.remark, "estimate": True})
    rows.sort(key=lambda each: -each["months"])
    until = found.verdict.holds_until or "not even today"
    top = rows[0] if rows and rows[0]["months"] > 0 else None
    words = "nothing tried helps"
    if top:
        words = f"most helps {top['name']}: until {top['holds_until']}, {top['months']} months more"
    return {"sentence": f"As it is: until {until}; {words}.", "changes": rows}


def _estimate(points: LoadPoints, question: Mapping[str, Any]) -> dict[str, Any]:
    asked = first_loads(points, question)
    later = later_figures(points, asked.loads[asked.later]) if asked.later else {}
    return first_study(points, asked, today_figures(points, asked.loads[0]), later)


def _months(verdict: Mapping[str, Any]) -> int:
    """Months from year 0 to the last that holds; 0 where none does."""
    text = verdict["holds_until"]
    return 12 * int(text[:4]) + int(text[5:7]) if text else 0


def tens(system: System) -> Iterator[WhatIf]:
    """Each figure by 10 % the good way, whole ones by 1 at least; those of equal regions together."""
    labels = declared_equal(system)
    groups: dict[tuple[str, str], list[str]] = {}
    values: dict[tuple[str, str], tuple[float, bool]] = {}
    for figure in figures(system):
        owner = max((name for name in _names(system) if figure.name.startswith(f"{name}.")), key=len)
        key = (labels.get(owner, owner), figure.name[len(owner) + 1 :])
        groups.setdefault(key, []).append(figure.name)
        values[key] = (figure.value, figure.whole)
    for (label, path), names in groups.items():
        parts = path.split(".")
        if any(part in LEFT_OUT for part in parts):
            continue
        more = any(part in MORE for part in parts)
        value, whole = values[(label, path)]
        change = value * STEP * (1 if more else -1)
        if whole:
            change = max(round(change), 1) if more else min(round(change), -1)
        if value + change <= 0:
            continue
        change_words = f"{'+' if more else '−'}{abs(100 * change / value):.3g} %"
        words = f"{label}: {_called(path)} {change_words}"
        text = ", ".join(f"{name}={value + change:.12g}" for name in names)
        try:
            made = what_if(system, text)
        except QnsolveError:
            continue
        yield WhatIf(words, made.changes, made.system, made.remark)


def _called(path: str) -> str:
    """A figure by its words: "step 2, QR CPU"."""
    *inner, last = path.split(".")
    parts = [*(each for each in inner if each not in WITHIN), last]
    step = f"step {parts.pop(0)}, " if parts[0].isdigit() else ""
    return step + ": ".join([figure_words(parts[0]), *parts[1:]])


def _names(system: System) -> list[str]:
    parts = (system.lpars, system.regions, system.work, system.coupling_facilities, system.loggers, system.devices)
    return [item.name for part in parts for item in part]

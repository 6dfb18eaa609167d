"""Measurements that are given to the page: what the doctor finds, and their loads as those of the model."""

from __future__ import annotations

import base64
import binascii
import io
from collections.abc import Mapping
from typing import Any

import numpy as np
import qnsolve as qn
from qnsolve.errors import ModelError, counted, one_line
from qnsolve.files.system_file import system_to_data
from qnsolve.fitting.days.day_loads import DayLoads, loads_of
from qnsolve.fitting.days.growth_rates import trend
from qnsolve.measure.intervals.interval_table import Intervals
from qnsolve.zos import System

from .opened_files import system_of

MOST_FINDINGS = 60


def imported(given: Mapping[str, Any]) -> dict[str, Any]:
    """What measured intervals say.

    Parameters
    ----------
    given : mapping
        `name` and `content` (base64) of the file, and `model`.

    Returns
    -------
    dict
        `rows`, `sentence`, `notes`, `findings` (severity, kind, sentence), `loads` (of each work that was measured: mean,
        at the peak, in the model, growth a year or None), `peak_time`, and `model` with the loads of the peak; `hint` where
        no work was measured.

    Raises
    ------
    ModelError
    """
    table = qn.measure.read(_file(given))
    found = qn.measure.check(table)
    series = dict.fromkeys(each.title for each in table.series)
    names = ", ".join(list(series)[:8]) + (" …" if len(series) > 8 else "")
    answer: dict[str, Any] = {
        "rows": len(table),
        "sentence": f"{counted(len(table), 'interval')} of {counted(len(series), 'figure')}: {names}.",
        "notes": list(table.notes),
        "findings": [
            {"severity": each.severity, "kind": each.kind, "sentence": each.sentence} for each in found.found[:MOST_FINDINGS]
        ],
        "loads": [],
        "peak_time": "",
        "hint": "",
        "model": given.get("model"),
    }
    if given.get("model"):
        answer |= _loads(table, system_of(given["model"]))
    return answer


def _file(given: Mapping[str, Any]) -> io.BytesIO:
    try:
        content = base64.b64decode(str(given.get("content", "")), validate=True)
    except (binascii.Error, ValueError):
        raise ModelError("file", "did not arrive whole", "choose it again") from None
    file = io.BytesIO(content)
    file.name = one_line(str(given.get("name", "measurements")), 100)
    return file


def _loads(table: Intervals, system: System) -> dict[str, Any]:
    """The loads of the work that was measured, and the model at the peak."""
    known = {work.name: work.users is not None for work in system.work}
    try:
        loads = loads_of(table, known, timed=False)
    except ModelError as error:
        return {"hint": f"No load is taken over: {error.rule}; {error.repair}."}
    peak = int(np.argmax(loads.values.sum(axis=1) if not any(loads.users) else _shares(loads)))
    changed, found = system, []
    for column, name in enumerate(loads.names):
        work = next(each for each in system.work if each.name == name)
        mine = loads.values[:, column]
        users = loads.users[column]
        top = float(mine[peak])
        if top > 0:
            changes = {"users": max(round(top), 1)} if users else {"rate": top, "users": None, "think_time": 0.0}
            changed = changed.replace(name, **changes)
        own = trend(name, loads, mine)
        before = float((work.users if work.users is not None else work.rate) or 0)
        measured = {"work": name, "mean": float(mine.mean()), "peak": top, "model": before, "users": users}
        found.append({**measured, "growth": own.value if own.source != "none" else None})
    time = "" if np.isnat(loads.start[peak]) else loads.clock_text(peak)
    return {"loads": found, "peak_time": time, "model": system_to_data(changed)}


def _shares(loads: DayLoads) -> Any:
    """The load of each interval, each work over its mean."""
    means = loads.values.mean(axis=0)
    return (loads.values / np.where(means > 0, means, 1.0)).sum(axis=1)

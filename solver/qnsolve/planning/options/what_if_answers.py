"""What each change of a system gives: its date, its response times, its CPU."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from functools import partial
from math import nan

import numpy as np

from qnsolve.analysis.runs.points import Outcome, Progress

from ..last_month import first_failing
from ..load_points import LoadPoint, LoadPoints
from ..loads.load_path import DatedLoad
from ..study_figures import WhatIfAnswer
from ..verdicts import cause_of
from .what_ifs import WhatIf

SAME = 2e-4  # relative difference of all response times and uses at which a change changes nothing


def what_if_answers(
    points: LoadPoints,
    changes: Sequence[WhatIf],
    loads: Sequence[DatedLoad],
    place: int,
    held: DatedLoad,
    progress: Progress | None = None,
) -> tuple[WhatIfAnswer, ...]:
    """The answers, in the order of the changes; each is a point of the run of the system's points.

    Parameters
    ----------
    points : LoadPoints
        Of the system as it is.
    changes : sequence of WhatIf
    loads : sequence of DatedLoad
    place : int
        The load that the system does not hold.
    held : DatedLoad
        The last that it holds, at which changes are compared.
    progress : callable, optional
        Gets how many parts are done and how many there are, the system as it is among them.
    """
    run, first = points.run, points.run.count
    if progress is not None and changes:
        progress(1, len(changes) + 1)
        run.progress = lambda done, _: progress(done - first + 1, len(changes) + 1)
    points.at(held.factors)
    asked = _AskedChanges(points.apart(), tuple(loads), place, held)
    found = run.points(partial(_outcome, asked), changes)
    run.progress = None
    return tuple(WhatIfAnswer(**{**each.figures, "changes": tuple(each.figures["changes"])}) for each in found)


@dataclass(frozen=True, eq=False)
class _AskedChanges:
    """The points of the system as it is, its loads, the place of that which it does not hold, and the last that it does."""

    points: LoadPoints
    loads: tuple[DatedLoad, ...]
    place: int
    held: DatedLoad


def _outcome(asked: _AskedChanges, change: WhatIf) -> Outcome[None]:
    return Outcome(asdict(_answer(asked.points.apart(), change, asked.loads, asked.place, asked.held)))


def _answer(points: LoadPoints, change: WhatIf, loads: Sequence[DatedLoad], place: int, held: DatedLoad) -> WhatIfAnswer:
    own = LoadPoints(change.system, {points.names[w]: most for w, most in points.targets.items()})
    base, there = points.at(held.factors), own.at(held.factors)
    same = _alike(base, there)
    end = place if same else first_failing(own, loads, min(place, len(loads) - 1))
    failing = (points if same else own).at(loads[end].factors) if end < len(loads) else None
    first = loads[0].month
    until = loads[end].month - 1 if end < len(loads) else loads[-1].month
    before = loads[place].month if place < len(loads) else loads[-1].month + 1
    after = loads[end].month if end < len(loads) else loads[-1].month + 1
    busy = [sum(lpar.appl_percent for lpar in each.result.lpars) if each.solved else nan for each in (base, there)]
    cause = ""
    if failing is not None:
        previous = own.at(loads[end - 1].factors) if end and own.holds(loads[end - 1].factors) else None
        kind, center, work = cause_of(own, previous, failing)
        cause = own.grouped(center) if kind == "saturated" else f"{work} misses its target at {own.grouped(center)}"
    solved = there.solved
    return WhatIfAnswer(
        name=change.name,
        changes=change.changes,
        holds_until=str(until) if until >= first else "",
        first_missed=loads[end].day or str(loads[end].month) if end < len(loads) else "",
        months=int((after - before).astype(int)),
        at_least=end >= len(loads),
        cause=cause,
        response_time={name: float(there.response[w]) for w, name in enumerate(own.names)},
        cpu_percent={lpar.name: lpar.cpu_percent for lpar in there.result.lpars} if solved else {},
        cpu_change=busy[1] / busy[0] - 1 if busy[0] else nan,
        remark=change.remark,
    )


def _alike(base: LoadPoint, other: LoadPoint) -> bool:
    """Whether a change leaves response times and the use of CPs and TCBs as they are."""
    if not base.solved or not other.solved or base.used.keys() != other.used.keys():
        return False
    if not np.allclose(base.response, other.response, rtol=SAME, atol=0):
        return False
    return all(abs(other.used[name] - used) <= SAME * max(used, 1e-9) + 1e-9 for name, used in base.used.items() if used > 0.5)

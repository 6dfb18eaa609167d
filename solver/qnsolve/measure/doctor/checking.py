"""The one call that checks measured intervals."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from qnsolve.errors import ModelError, suggestion
from qnsolve.measure.intervals.building import table
from qnsolve.measure.intervals.interval_table import NO_LENGTH, Intervals
from qnsolve.measure.intervals.server_counts import ServerCounts, server_counts
from qnsolve.model import checks

from .class_checks import check_alone, check_classes
from .clock_checks import check_clocks
from .examined import Examined
from .finding import SEVERITIES, Finding, Findings
from .law_checks import check_little, check_utilization
from .load_checks import check_ramps, check_saturation
from .range_checks import check_ranges
from .residual_checks import check_residuals
from .stuck_checks import check_missing, check_stuck

NAMED = 4  # owners in one sentence
CHECKS: tuple[Callable[[Examined], None], ...] = (
    *(check_clocks, check_ranges, check_little, check_utilization, check_stuck, check_saturation),
    *(check_ramps, check_residuals, check_classes, check_missing, check_alone),
)
KINDS = {
    "little": "rate times response is not what is inside, or what users leave",
    "length": "counts, rates and lengths of intervals do not agree",
    "utilization": "CPU times, requests and utilizations do not agree",
    "capture": "share of the processors' time that is charged to work",
    "units": "a figure that looks like another unit",
    "impossible": "a figure that cannot be",
    "gap": "time between intervals",
    "overlap": "intervals that begin before the one before ends",
    "duplicate": "two rows of one begin",
    "partial": "a first or last interval that is shorter",
    "clock": "clocks that differ, times that are missing",
    "repeated": "rows that repeat the row before",
    "stuck": "a series that stands still while others move",
    "saturated": "servers full for long, rates that stand while users grow",
    "ramp": "first rows that drift to a level, last ones that leave it",
    "outlier": "a utilization far off what the rates explain",
    "shift": "a break in the CPU of a job",
    "collinear": "classes that move together",
    "vague": "demands that the rows cannot distinguish",
    "few": "too few rows for the number of classes",
    "missing": "figures that are not there",
    "idle": "classes and rows without work",
}


def check(
    intervals: Intervals | Mapping[str, Any],
    *,
    servers: ServerCounts = None,
    length: float | None = None,
    leave_out: Sequence[str] = (),
) -> Findings:
    """What is wrong with measured intervals, or should be looked at, in sentences with rows and size; nothing is repaired.

    Parameters
    ----------
    intervals : Intervals, or mapping of str to sequence of float
        A table, or the columns of one as `table` takes them.
    servers : float, or mapping of str to float, optional
        Processors, threads or stripes by resource, where the table does not have them [servers].
    length : float, optional
        Length of every interval, as a description of the data says, where the table does not have it [s].
    leave_out : sequence of str, optional
        Kinds that are not looked for: "collinear", "saturated" ...

    Returns
    -------
    Findings
        Severity "wrong" where a law is broken or a figure cannot be, "look" where there may be a fault, "note" else.

    Raises
    ------
    ModelError

    Notes
    -----
    Little's law (N = X·R) and the utilization law (U·m = Σ X·D) are [Denning1978]_. Rates explain utilizations by a
    regression that rows far off do not move.

    Examples
    --------
    >>> rows = {"orders.rate": [10.0, 20, 30], "orders.response_time": [0.1, 0.1, 0.1], "orders.in_system": [1.0, 2, 9]}
    >>> for each in check(rows).found:
    ...     print(each.sentence)
    interval 3: orders: rate times response is 3, the mean number inside 9 jobs: 66.7 % less
    """
    given = intervals if isinstance(intervals, Intervals) else table(intervals)
    if length is not None:
        notes = tuple(note for note in given.notes if not note.startswith(NO_LENGTH))
        given = replace(given, length=np.full(len(given), checks.number("length", length, positive=True)), notes=notes)
    left = [checks.text("leave_out", each) for each in checks.listed("leave_out", leave_out)]
    for kind in left:
        if kind not in KINDS:
            raise ModelError("leave_out", "must be a kind of finding", suggestion(kind, KINDS), kind)
    names = {each.name for each in given.series if each.resource or not each.work}
    x = Examined(given, server_counts(servers, names, "must name a resource of the table"))
    if len(given):
        with np.errstate(all="ignore"):  # figures of any size; what comes out of range is nan and not reported
            for each in CHECKS:
                each(x)
    kept = _joined([each for each in x.found if each.kind not in left])
    kept.sort(key=lambda each: (SEVERITIES.index(each.severity), list(KINDS).index(each.kind), each.first))
    counts = ", ".join(f"{sum(each.severity == name for each in kept)} {name}" for name in SEVERITIES)
    return Findings(f"{given.title()}: {counts}", given.notes, tuple(kept))


def _joined(found: list[Finding]) -> list[Finding]:
    """Findings on the whole table that say the same of several owners as one."""
    groups: dict[tuple[str, ...], list[Finding]] = {}
    for each in found:
        owner, colon, said = each.sentence.partition(": ")
        alone = () if colon and not each.first and owner in each.series else (str(id(each)),)
        groups.setdefault((each.kind, each.severity, said, *alone), []).append(each)
    joined = []
    for (*_, said), same in ((key[:3], group) for key, group in groups.items()):
        owners = [each.sentence.partition(": ")[0] for each in same]
        names = ", ".join(owners[:NAMED]) + (f" and {len(owners) - NAMED} more" if len(owners) > NAMED else "")
        first = same[0]
        series = ", ".join(each.series for each in same[:NAMED])
        joined.append(first if len(same) == 1 else replace(first, series=series, sentence=f"{names}: {said}"))
    return joined

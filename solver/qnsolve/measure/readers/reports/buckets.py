"""Percentiles from the response buckets of the Workload Activity report (R723RTDB)."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence

from ..clocks import duration
from ..field_names import words
from ..number_cells import number

_BOUND = re.compile(r"\s*(<=?|>=?)?\s*([\d.:]+)\s*(ms|s)?\s*$")


def percentiles(headings: Sequence[str], rows: Sequence[Sequence[str]], shares: Sequence[float]) -> list[float]:
    """Response times [s] below which these shares of the transactions ended; empty where the table is no distribution.

    Within a bucket the response times are taken as spread evenly. A share that lies in the last bucket, which has no
    end, gives nan.

    Parameters
    ----------
    headings : sequence of str
        One names the time, one the transactions in a bucket (or their running total).
    rows : sequence of sequence of str
        A bucket each, in order: "< 00.00.00.500" and its figures.
    shares : sequence of float

    Examples
    --------
    >>> rows = [["<= 00.00.00.100", "60"], ["<= 00.00.00.200", "30"], ["> 00.00.00.200", "10"]]
    >>> found = percentiles(["Time", "Number of Transactions: In Bucket"], rows, (0.5, 0.9, 0.95))
    >>> [round(each, 4) for each in found]
    [0.0833, 0.2, nan]
    """
    names = [words(heading) for heading in headings]
    time = next((i for i, name in enumerate(names) if name[:1] == ["time"] or "time" in name), -1)
    inside = next((i for i, name in enumerate(names) if "bucket" in name and "percent" not in name), -1)
    total = next((i for i, name in enumerate(names) if "cum" in name and "percent" not in name), -1)
    at = inside if inside >= 0 else total
    if time < 0 or at < 0:
        return []
    bounds, counts = [], []
    for row in rows:
        found = _BOUND.match(row[time]) if len(row) > max(time, at) else None
        count = number(row[at]) if found else None
        end = duration(found.group(2)) if found else None
        if found is None or count is None or end is None or math.isnan(count) or count < 0:
            continue
        bounds.append(math.inf if (found.group(1) or "").startswith(">") else end * (1e-3 if found.group(3) == "ms" else 1.0))
        counts.append(count)
    if at == total:
        counts = [b - a for a, b in zip([0.0, *counts], counts, strict=False)]
    every = sum(counts)
    if not every > 0 or min(counts) < 0:
        return [math.nan] * len(shares)
    return [_at(share * every, bounds, counts) for share in shares]


def _at(wanted: float, bounds: Sequence[float], counts: Sequence[float]) -> float:
    below, start = 0.0, 0.0
    for bound, count in zip(bounds, counts, strict=True):
        if below + count >= wanted * (1 - 1e-12) and count > 0:
            return math.nan if math.isinf(bound) else start + (bound - start) * min(1.0, (wanted - below) / count)
        below += count
        start = bound
    return math.nan

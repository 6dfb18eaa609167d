"""The LSPR's law of engines that several cases share."""

from __future__ import annotations

from qnsolve import zos

from ..case import Study
from ..published.published_tables import table


def average_lspr(study: Study) -> zos.LsprTable:
    """ITR by engines of work of average RNI, the choice without hardware counters."""
    rows = table("cics-perf", "table-1-1").rows
    itr = {row["cps"]: row["itr_ratio_average_rni"] for row in rows}
    how = "cost of an engine more: engines / ITR, from 3 to 5 CPs of a z13 at average RNI"
    law = zos.LsprTable(itr)
    study.calibrate("CPU with an engine more", law.cpu(4) / law.cpu(3), "ratio", rows, how)
    return law

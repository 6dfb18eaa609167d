"""The clock of the driver that sent the terminals' transactions, as the runs with containers show it."""

from __future__ import annotations

from ..case import Study
from ..published.published_tables import Row

RESPONSE = "response_ms"


def clock(study: Study, row: Row, cpu: float) -> float:
    """Time between its ticks [s], from a row whose tasks, in step, are through within a tick."""
    how = "twice the response less the CPU: what begins at a tick and is through within it waits half a tick, less half its CPU"
    return study.calibrate("tick of the driver", 2 * row[RESPONSE] / 1000 - cpu, "s", [row], how)


def group(study: Study, row: Row, cpu: float) -> float:
    """Clients that begin at one tick, from a row in which all of them are through before the next."""
    how = "twice the response over the CPU, less 1: a task waits for half the others that begin with it"
    return study.calibrate("clients that begin together", 2 * row[RESPONSE] / 1000 / cpu - 1, "count", [row], how)

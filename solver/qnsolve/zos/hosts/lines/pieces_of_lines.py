"""Which of the free pieces that come out of lines come as all of these together move on."""

from __future__ import annotations

import numpy as np

from qnsolve.numerics.series import Array
from qnsolve.zos.hosts.host_view import HostView

FAR_MORE = 1.5  # of the pieces than of the work at lines
HOLDS = (0.6, 0.9)  # load of a line over what is left of the processors: from one to the other it holds its own pieces back


def of_all_lines(host: HostView, lines: list[int]) -> Array:
    """Of the pieces that come out of each task's line, the part that comes as all the lines together move on (T,).

    A line that makes far more of the pieces than it has of the work at lines: what is beyond that comes whatever the others do,
    unless the pieces slow the line so much down that it is at work nearly all the time.
    """
    load, found, work = host.load, np.ones(len(host.load.flow)), sum(host.loads[k] for k in lines)
    tasks = {k: load.groups[k].tasks for k in lines}
    made = {k: float(load.flow[its] @ host.calls.onward[its]) for k, its in tasks.items()}
    whole = sum(made.values())
    for k, its in made.items():
        if its > 0 and work > 0:
            part = min(FAR_MORE * host.loads[k] / work * whole / its, 1.0)
            used = host.loads[k] / max(load.engines - host.total, 1e-9)
            holds = min(max((used - HOLDS[0]) / (HOLDS[1] - HOLDS[0]), 0.0), 1.0)
            part += (1 - part) * holds
            found[tasks[k]] = np.minimum(found[tasks[k]], part)
    return found

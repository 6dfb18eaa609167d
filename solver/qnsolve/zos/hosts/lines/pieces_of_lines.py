"""Which of the free pieces that come out of lines come as all of these together move on."""

from __future__ import annotations

import numpy as np

from qnsolve.numerics.series import Array
from qnsolve.zos.hosts.host_view import HostView

FAR_MORE = 1.5  # of the pieces than of the work at lines


def of_all_lines(host: HostView, lines: list[int]) -> Array:
    """Of the pieces that come out of each task's line, the part that comes as all the lines together move on (T,).

    A line that makes far more of the pieces than it has of the work at lines: what is beyond that comes whatever the others do.
    """
    load, found, work = host.load, np.ones(len(host.load.flow)), sum(host.loads[k] for k in lines)
    tasks = {k: load.groups[k].tasks for k in lines}
    made = {k: float(load.flow[its] @ host.calls.onward[its]) for k, its in tasks.items()}
    whole = sum(made.values())
    for k, its in made.items():
        if its > 0 and work > 0:
            part = min(FAR_MORE * host.loads[k] / work * whole / its, 1.0)
            found[tasks[k]] = np.minimum(found[tasks[k]], part)
    return found

"""Regions at their limits on processors that are full: together they pass what the processors deliver."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from qnsolve.zos.compile.compiled import Pool
from qnsolve.zos.hosts.host_view import HostView
from qnsolve.zos.hosts.load import GroupPoint

LEAST, MOST = 1e-300, 0.3  # work, and part of the work of such regions that is moved at most
FULL = (0.94, 1.0)  # use of the processors: from one to the other that counts more


def delivered(host: HostView, found: list[GroupPoint]) -> list[GroupPoint]:
    """The points of all groups; those of regions at limits so much faster that they use what the chains say is used.

    Each chain shares the processors among its group and all others, and these get more or less in it than in their own.
    """
    load = host.load
    if not load.gated or load.let_in or load.bursts or load.called is not None or load.coming.steady:
        return found
    used = float(np.average([its.used for its in found], weights=np.maximum(host.loads, LEAST)))
    part = min(max((used / load.engines - FULL[0]) / (FULL[1] - FULL[0]), 0.0), 1.0)
    full = [i for i, group in enumerate(load.groups) if group.kind is Pool.QR and group.region in load.gated]
    if part == 0 or not full:
        return found
    work, rest, limited = load.flow * host.cpu(), load.region >= 0, 0.0
    for i in full:
        mine, flow = load.region == load.groups[i].region, float(load.flow[load.groups[i].tasks].sum())
        limited += found[i].thinned / max(flow, LEAST) * float(work[mine].sum())
        rest &= ~mine
    more = (used - load.fixed - float(work[rest].sum()) - limited) / max(limited, LEAST)
    factor = 1 + part * min(max(more, -MOST), MOST)
    return [_faster(its, factor) if i in full else its for i, its in enumerate(found)]


def _faster(its: GroupPoint, factor: float) -> GroupPoint:
    """The point of a group that passes so many times as much."""
    speeds = its.speeds if its.speeds is None else its.speeds * factor
    stretch, service = max(its.stretch / factor, 1.0), max(its.service / factor, 1.0)
    return replace(its, stretch=stretch, service=service, thinned=its.thinned * factor, speeds=speeds)

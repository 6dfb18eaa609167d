"""A group whose tasks go on as long pieces, beside bursts: as without these, and as much slower as bursts make a chain.

Beside work that comes one by one what a visit goes on as is one unit however long, by the clock of the others. That is too slow
a clock for others that come in groups: theirs is that of the pieces of these. By that one a long piece counts as several short
ones that come at once, which slow each other. Chains with groups and without, both by their clock, say what the groups do.
"""

from __future__ import annotations

from dataclasses import replace

from qnsolve.zos.hosts.group_chain import GroupChain
from qnsolve.zos.hosts.host_view import HostView
from qnsolve.zos.hosts.load import GroupPoint, Kept

SAME = 0.01  # change of the clock up to which it is the same [ratio]


def beside_bursts(view: HostView, k: int, point: GroupPoint) -> GroupPoint:
    """The point of a group beside bursts, given that by their clock."""
    load, limited = view.load, {*view.load.held, *view.load.gated, *view.load.watched}
    if not load.bursts or load.groups[k].region in limited or k not in view.lines:
        return point
    works = frozenset(burst.work for burst in load.bursts)
    plain = HostView(replace(load, bursts=(), kept=load.kept.without.setdefault(works, Kept())))
    clock = float(view.slower(k))
    if not float(plain.slower(k)) > (1 + SAME) * clock:
        return point
    own, other = GroupChain(plain, k).solve(), GroupChain(plain, k, clock).solve()
    view.effort += plain.effort
    number, busy, thinned = (
        getattr(point, figure) * getattr(own, figure) / max(getattr(other, figure), 1e-300)
        for figure in ("number", "busy", "thinned")
    )
    free = own.free + max(point.free - other.free, 0.0)
    return point.moved(view.loads[k] / max(float(load.flow[load.groups[k].tasks].sum()), 1e-300), number, busy, thinned, free)

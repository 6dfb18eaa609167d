"""Points of the groups of a host, corrected by what its lines and free pieces do to each other."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from qnsolve.numerics.series import Array
from qnsolve.zos.hosts.groups import SEVERAL
from qnsolve.zos.hosts.host_view import HostView
from qnsolve.zos.hosts.load import GroupPoint, LineRatios

from .crossed import BUSY, SOME
from .line_loads import LineLoads
from .lines_and_pieces import LinesAndPieces
from .stays import uneven, unlike

LEAST, WHOLE = 0.01, 0.03  # of the processors in use by pieces from elsewhere: from one to the other the chains count more
LOST = 1e-3  # share of what comes to a line that its plain chain may lose by its grids; more where it cannot hold it
FULL = (0.94, 0.98)  # use of a line by users: from one to the other they count less
NEAR = 0.03  # change of loads, over what is left, up to which the ratios to the plain chains are the same
LITTLE = 0.01  # of the processors, that lines of few users ask for, up to which they count as those of many
TINY = 1e-12  # least wait over the time alone
FEW = 2.0  # processors below which a line, all other lines and the free pieces are three counts of one chain
OF_LINES = {1: 3.5, 2: 3.5, 3: 2.5}  # the same where chains of lines and pieces correct it, by the number of lines
OF_BURSTS = 6.5  # the same where work comes in bursts
LOOSE = 0.25  # of the places of a limit, taken, up to which it does not shape what comes to the TCBs of its region
WAITING = 0.05  # of the tasks of other groups, up to which they are as free pieces
APART = (3.0, 6.0)  # (1 + C²)/2 of the pieces beside a line: from one to the other three counts say what two do not


def with_lines(
    host: HostView, plain: list[GroupPoint], points: list[GroupPoint], of_three: list[GroupPoint | None]
) -> tuple[list[GroupPoint], float]:  # fmt: skip
    """The points of all groups, corrected as the plain chains of groups, `plain`, are by those of lines and pieces; how much.

    Groups with a chain of three counts, `of_three`, have their numbers from that; only their free pieces are corrected.
    """
    found, weight = _of_lines(host, plain, points, of_three)
    return (found, weight) if weight > 0 else (_of_three(host, found, of_three), weight)


def few_processors(host: HostView) -> bool:
    """Whether a line, all others and the free pieces are three counts however long the pieces are."""
    most = OF_BURSTS if host.load.bursts else OF_LINES.get(len(host.lines), 0.0)
    return bool(host.load.engines < max(FEW, most))


def far_apart(host: HostView, k: int) -> float:
    """How much three counts say of a line beside much longer pieces: others as one number are slow as these or fast as it."""
    return _ramp(host.unlike(k))


def _ramp(unlike: float) -> float:
    return min(max((unlike - APART[0]) / (APART[1] - APART[0]), 0.0), 1.0)


def _of_three(host: HostView, points: list[GroupPoint], of_three: list[GroupPoint | None]) -> list[GroupPoint]:
    """Points that no chain of lines and pieces corrects: where pieces are far apart, those of three counts.

    Users come to three counts by how many are there in all, too often while many long pieces are: the middle is taken.
    """
    found, most = list(points), 1.0 if host.load.coming.steady else 0.5
    for k, (its, three) in enumerate(zip(points, of_three, strict=True)):
        if three is not None and (part := most * far_apart(host, k)) > 0:
            found[k] = _between(host, k, its, three, part, its.free)
    return found


def _alone(host: HostView, k: int) -> float:
    """Time of a visit to a group alone [s]."""
    return host.loads[k] / float(host.load.flow[host.load.groups[k].tasks].sum())


def _between(host: HostView, k: int, one: GroupPoint, other: GroupPoint, part: float, free: float) -> GroupPoint:
    """A point of a group, a `part` of the way from one to another, in logs."""
    number, busy, thinned = (getattr(one, x) ** (1 - part) * getattr(other, x) ** part for x in ("number", "busy", "thinned"))
    return one.moved(_alone(host, k), number, busy, thinned, free)


def _of_lines(
    host: HostView, plain: list[GroupPoint], points: list[GroupPoint], of_three: list[GroupPoint | None]
) -> tuple[list[GroupPoint], float]:  # fmt: skip
    """Points corrected by the chains of lines and pieces, and how much; as they are where these say nothing."""
    if not _applies(host, plain) or host.load.never_idle:
        return points, 0.0
    load = LineLoads(host, plain)
    if not load.lines or _of_few(host) > LITTLE * host.load.engines or min(load.work, load.free) < SOME * host.load.engines:
        return points, 0.0
    weight, mixed = _whole(host, plain, points, load), unlike(load)
    if weight == 0 and not mixed:
        return points, 0.0
    ratios = _ratios(load, plain)
    found = _moved(load, plain, points, of_three, ratios, weight) if weight > 0 else list(points)
    if mixed:  # users who keep all full see as much of it however long they stay
        stretch = ratios.stretch ** _left(host, plain, load)
        for k in load.lines:
            each, whole = uneven(load, k, ratios.knots, stretch)
            its = replace(found[k], uneven=each * found[k].uneven)
            found[k] = its.moved(_alone(host, k), its.number * whole**weight, its.busy, its.thinned, its.free)
    return found, weight


def _whole(host: HostView, plain: list[GroupPoint], points: list[GroupPoint], load: LineLoads) -> float:
    """How much the chains of lines and pieces count for the numbers of tasks: not on one processor, nor where they fail."""
    others = load.work - max(host.loads[k] for k in load.lines)
    if host.load.engines < FEW and others >= SOME * host.load.engines:
        return 0.0
    lost = any(plain[k].thinned < (1 - LOST) * load.flow(k) for k in load.lines)
    waits = any(points[k].waiting > WAITING * points[k].number for k in load.rest)
    if waits or (host.load.coming.steady and lost):
        return 0.0
    return _weight(load) * _left(host, plain, load)


def _moved(
    load: LineLoads, plain: list[GroupPoint], points: list[GroupPoint], of_three: list[GroupPoint | None],
    ratios: LineRatios, weight: float,
) -> list[GroupPoint]:  # fmt: skip
    """All points, corrected by the ratios."""
    host, found = load.host, list(points)
    left = _left(host, plain, load)
    for i, k in enumerate(load.lines):
        its, three = points[k], of_three[k]
        if three is not None and few_processors(host):
            found[k] = _between(host, k, its, three, left, _stretched(plain[k].free, ratios.free**weight))
            continue
        fewer = ratios.thinned**weight
        number, busy = its.number * float(ratios.numbers[i]) ** weight, its.busy * fewer * float(ratios.service[i]) ** weight
        free = _stretched(its.free, ratios.free**weight)
        found[k] = its.moved(_alone(host, k), number, busy, its.thinned * fewer, free)
        if three is not None and three.number > number:  # all lines as one know nothing of one of much longer pieces
            found[k] = _between(host, k, found[k], three, _ramp(load.unlike) * left, free)
    for k in load.rest:
        found[k] = _rest(points[k], _stretched(points[k].free, ratios.free**weight))
    return found


def _ratios(load: LineLoads, plain: list[GroupPoint]) -> LineRatios:
    """Those of a round before where the loads are nearly the same, over what is left of the processors and of each line."""
    host, lines = load.host, load.lines
    loads = np.array([host.loads[k] for k in lines])
    same = [load.free, load.length(), load.pieces.length, host.pieces]
    now = np.concatenate(([host.total, *same], loads))
    left = np.concatenate(([host.load.engines - host.total, *same], 1 - loads))
    before, far = host.load.kept.lines, NEAR * np.maximum(left, NEAR)
    if before is not None and len(before.loads) == len(now) and (np.abs(now - before.loads) <= far).all():
        return before
    solved = LinesAndPieces(host, load).solve()
    rates = np.array([plain[k].thinned / load.flow(k) for k in lines])
    numbers = _over(solved.numbers, [plain[k].number for k in lines])
    service = _over(solved.service * rates * loads, [plain[k].busy for k in lines])
    free = float(loads @ [plain[k].free for k in lines]) / float(loads.sum())
    thinned = solved.thinned / float(rates @ loads) * load.work
    waits = max(solved.free - 1, TINY) / max(free - 1, TINY) if host.pieces > 0 else 1.0  # of none of their own
    found = LineRatios(now, numbers, service, thinned, waits, solved.knots, solved.stretch)
    host.load.kept.lines = found
    return found


def _over(found: Array, plain: list[float]) -> Array:
    """Numbers over those of plain chains; 1 where next to nothing comes to one."""
    return np.divide(found, plain, out=np.ones(len(found)), where=np.array(plain) > 0)


def _applies(host: HostView, plain: list[GroupPoint]) -> bool:
    """Whether the processors are in use, and by no works that come in groups or by limits that shape how they come."""
    load = host.load
    full = {*load.gated, *(region for region in load.held if not load.coming.steady or not _loose(host, region, plain))}
    return not (load.few_users or load.bursts or host.total < BUSY * load.engines or any(g.region in full for g in load.groups))


def _loose(host: HostView, region: int, plain: list[GroupPoint]) -> bool:
    """Whether few of the places that hold the tasks of a region are taken."""
    places, away = host.load.held[region]
    here = [its for group, its in zip(host.load.groups, plain, strict=True) if group.region == region]
    pieces = host.pieces * host.piece_share(region) * max((its.free for its in here), default=1.0)
    return away + sum(its.number for its in here) + pieces <= LOOSE * places


def _of_few(host: HostView) -> float:
    """Load at lines of works of few users: what comes to these is far from what comes whoever is there."""
    load = host.load
    if load.spread is None:
        return 0.0
    few = (load.spread.users > 0) & (load.spread.users <= SEVERAL)
    groups = (load.groups[k] for k in host.lines)
    return sum(float((load.flow[g.tasks] * few[load.work[g.tasks]]) @ g.cpu) for g in groups)


def _weight(load: LineLoads) -> float:
    """How much the chains of lines and pieces count: not where next to no piece comes from elsewhere.

    Pieces from elsewhere that keep a few in a hundred of the processors at work make all lines grow at once. One line alone
    is as exact in the plain chain, but for the pieces that pass it: where one line is most of what waits (its load squared
    near all), the larger the share of the pieces from elsewhere the more; so it is of those that leave that line as they come,
    since others there are longer. In lines in order of arrival shorter pieces matter less.
    """
    squares = np.array([load.host.loads[k] for k in load.lines]) ** 2
    alone = min(max(4 * float(squares.max() / squares.sum()) - 2, 0.0), 1.0)
    all_grow = (load.elsewhere * load.free / load.host.load.engines - LEAST) / (WHOLE - LEAST)
    passing = (load.elsewhere - LEAST) / (1 - LEAST)
    passing += (1 - passing) * load.mixed
    found = (1 - alone) * min(max(all_grow, 0.0), 1.0) + alone * min(max(passing, 0.0), 1.0)
    found *= min(load.count - 0.5 * load.same_length, 1.0)
    in_order = sum(load.host.loads[k] for k in load.lines if load.host.load.groups[k].in_order) / load.work
    found *= 1 - in_order * (1 - min(load.pieces.length / load.length(), 1.0))
    return found


def _left(host: HostView, plain: list[GroupPoint], load: LineLoads) -> float:
    """The weight, less where users come: what they keep full follows from how many they are, see `together`."""
    if host.load.coming.steady:
        return 1.0
    use = max(plain[k].busy for k in load.lines)
    return min(max((FULL[1] - use) / (FULL[1] - FULL[0]), 0.0), 1.0)


def _stretched(free: float, waits: float) -> float:
    """Time over that alone, the waits so much longer."""
    return 1 + max(free - 1, TINY) * waits


def _rest(its: GroupPoint, free: float) -> GroupPoint:
    """The point of another group: its work takes as much longer as that of free pieces."""
    longer = (1 + (its.service - 1) * (free - 1) / max(its.free - 1, TINY)) / its.service
    return replace(
        its, number=its.number * longer, busy=its.busy * longer, waiting=its.waiting * longer, free=free,
        stretch=max(its.stretch * longer, 1.0), service=max(its.service * longer, 1.0),
    )  # fmt: skip

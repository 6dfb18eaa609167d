"""Tasks in and before one limit: a birth-death chain of any number of users."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property

import numpy as np

from qnsolve.numerics.series import Array, Places, geometric

MANY = 2_000  # tasks counted one by one
NEARLY, AT_ONCE = 0.25, 65  # how well the middle of a crowd is known, and numbers looked at in one step
LONG, NEAR = 3000, 300  # tasks in a long line, and those before its limit that are counted one by one
WIDER, WIDEST = 1.015, 0.5  # growth of the steps beyond, and the longest over the spread of so many users
PARTS = np.arange(float(AT_ONCE))
TIMES = 400  # at which users are looked for
TAIL = 60.0


class CrowdedError(Exception):
    """Open work comes faster than a limit lets it through; holds the load."""

    def __init__(self, load: float) -> None:
        super().__init__(f"load {load:.4g}")
        self.load = load


EDGE = 0.9995  # load at which a line is solved that would have no end
LEAST = 1e-30  # speed of a limit, in tasks a second, that is told from none


class FullPoolError(Exception):
    """Open work overloads a center; holds its name and the load."""

    def __init__(self, name: str, load: float) -> None:
        super().__init__(f"{name}: {load:.4g}")
        self.name, self.load = name, load


@dataclass(frozen=True)
class UserSource:
    """Users from whom tasks come.

    Attributes
    ----------
    users, share, away : float
        How many, their share of the tasks there, and the time that one is elsewhere [s].
    hold : float
        Time that their tasks hold a place, over that of all [ratio].
    works : tuple of int, optional
        Whose users they are, or whose places above; none where they are places of a class.
    called : bool, optional
        Places of full regions above: one that comes back does so after the same time, however many wait.
    power, rest : float, optional
        They come by that power of those elsewhere, over `rest`, which is how many of them are elsewhere in the mean.
    rates : ndarray, optional
        At which they come with 0, 1, … of them elsewhere, if that is known [1/s].
    """

    users: float
    share: float
    away: float
    hold: float = 1.0
    works: tuple[int, ...] = ()
    called: bool = False
    power: float = 1.0
    rest: float = 1.0
    rates: Array | None = field(default=None, compare=False)

    def come(self, there: Array) -> Array:
        """Rates at which they come with so many of them there [1/s]."""
        left = np.maximum(self.users - there, 0.0)
        if self.rates is not None:
            return np.interp(left, np.arange(len(self.rates)), self.rates)
        if self.power != 1:
            left = self.rest * (left / self.rest) ** self.power
        return np.asarray(left / self.away)


@dataclass(frozen=True, eq=False)
class Crowd:
    """Tasks in and before a limit: numbers, their chances, the rates at which more come.

    Attributes
    ----------
    number, chance, coming : ndarray (C,)
    limit : int
    rate : float, optional
        Tasks that come, which are those that go [1/s]; from `coming` where left out.
    longer : dict of int to float, optional
        By work: wait of its tasks over that of all, where the more wait the fewer of it come.
    """

    number: Array
    chance: Array
    coming: Array
    limit: int
    rate: float = 0.0
    longer: dict[int, float] = field(default_factory=dict)

    @cached_property
    def inside(self) -> Array:
        """P(n inside), n = 0 … limit."""
        return np.asarray(
            np.bincount(np.minimum(self.number, self.limit).astype(int), self.chance, self.limit + 1), dtype=float
        )

    @cached_property
    def outside(self) -> float:
        """Tasks before the limit, in the mean [count]."""
        return float((self.chance * np.maximum(self.number - self.limit, 0.0)).sum())  # no product: its threads cost more here

    @cached_property
    def full(self) -> float:
        """P(no place is left)."""
        return float(self.chance[self.number >= self.limit].sum())

    @cached_property
    def wait(self) -> float:
        """Mean wait of a task for a place [s]."""
        return self.outside / max(self.rate or float((self.chance * self.coming).sum()), 1e-300)

    @cached_property
    def slopes(self) -> tuple[float, float]:
        """Change of the wait [s] and of the tasks inside where all users come e times as often: each chance by its tasks."""
        steps, before = np.arange(len(self.number)), np.maximum(self.number - self.limit, 0.0)
        more = self.chance * (steps - float((self.chance * steps).sum()))
        rate = max(self.rate or float((self.chance * self.coming).sum()), 1e-300)
        faster = rate + float((more * self.coming).sum())
        wait = max(float((more * before).sum()) - self.wait * faster, 0.0) / rate
        return wait, float((more * np.minimum(self.number, self.limit)).sum())

    @cached_property
    def delayed(self) -> float:
        """Share of the tasks that wait [0..1]."""
        flow = self.chance * self.coming
        return float(flow[self.number >= self.limit].sum() / max(flow.sum(), 1e-300))

    def outside_at(self, chance: float) -> float:
        """Tasks before the limit that are not exceeded with that chance [count]."""
        below = np.cumsum(self.chance)
        place = min(int(np.searchsorted(below, chance)), len(self.number) - 1)
        return max(float(self.number[place]) - self.limit, 0.0)


def crowd(
    stream: float,
    sources: Sequence[UserSource],
    speed: Array,
    limit: int,
    unlike: float = 1.0,
    hold: float = 1.0,
    alike: bool = False,
) -> Crowd:
    """The chain: tasks come from a stream and from users elsewhere, and go at speed[n] with n of them inside.

    Parameters
    ----------
    stream : float
        Open arrivals [1/s].
    sources : sequence of UserSource
    speed : ndarray (limit + 1,)
    unlike : float
        (1 + C²)/2 of the times that tasks hold a place: as many times more wait.
    hold : float
        Time that tasks of the stream hold a place, over that of all [ratio].
    alike : bool
        All wait for times alike: the number tells for how long, and that how many of each source are there. Otherwise
        each source has its share of the number.

    Notes
    -----
    Where users and a stream wait for the same places, the more wait, the more of them are of the stream: as it alone
    holds the places, it is what decides whether the line ends.
    """
    users = sum(s.users for s in sources)
    unlike = 1 + (unlike - 1) * max(1 - limit / users, 0.0) if users and not stream else unlike
    both = stream > 0 and users > 0
    fastest = float(speed[limit]) / (hold if both else 1.0)
    if stream > 0 and stream >= fastest:
        raise CrowdedError(stream / max(fastest, 1e-300))
    fastest = max(fastest, 1e-300)
    first = 0
    top = limit + TAIL + TAIL / max(1 - stream / fastest, 1e-4) + users if stream > 0 else max(users, 1.0)
    if users > limit:  # steps of the chain, each of them so many tasks that wait
        top = max(top, limit + ((top if stream else users) - limit) / unlike)
    if top > MANY:  # a crowd: only about where it is
        tasks = limit + min(unlike, 1.0) * (top - limit)  # there at most
        middle = _balance(stream, sources, speed, limit, tasks, hold, alike)
        middle = limit + (middle - limit) / unlike if middle > limit else middle
        width = 12 * np.sqrt(users + middle) + 4 * limit + 60 / max(1 - stream / fastest, 1e-3)
        first, top = max(0, int(middle - width)), min(top, middle + width)
        if first <= limit:
            first = 0
    last = int(np.ceil(top))
    single = not stream or last - first < LONG
    number = np.arange(first, last + 1.0) if single else _widening(first, last, limit, users)
    if not stream and users > limit:
        number = number[: max(int((users - limit) / unlike) + limit + 2 - first, 2)]
    taken = _places_taken(number, limit)
    step = number[1:] - number[:-1]
    number = np.where(number > limit, limit + unlike * (number - limit), number) if unlike != 1 else number
    most = max(float(number[-1]), 1.0)
    theirs = _theirs(stream, sources, most, alike, limit, limit / max(float(speed[limit]), 1e-300), hold)(number)
    coming = np.full(len(number), float(stream)) + sum(theirs) if stream or len(theirs) != 1 else theirs[0].copy()
    if not stream:
        coming[number >= users] = 0.0
    leave = np.concatenate((speed[taken], np.full(len(number) - len(taken), speed[limit])))
    if both:
        held = [rate * s.hold for rate, s in zip(theirs, sources, strict=True)]
        holds = np.asarray(stream * hold + sum(held))
        mixed = (number > limit) & (holds > 0)
        leave[mixed] *= coming[mixed] / holds[mixed]
    come, go = np.log(np.maximum(coming, 1e-300)), _log_of(leave, len(taken) if not both else len(number))
    each = come[:-1] - go[1:]
    if not single:
        each = np.where(step > 1, step * (come[:-1] + come[1:] - go[:-1] - go[1:]) / 2, each)
    logs = np.append(0.0, np.cumsum(each))
    chance = np.exp(logs - logs.max())
    if not single:
        chance[1:-1] *= (step[:-1] + step[1:]) / 2
    chance = chance / chance.sum()
    found = Crowd(number, chance, coming, limit, float(chance @ leave))
    return found if stream else _beside_places(found, sources, theirs, limit / max(float(speed[limit]), 1e-300))


def _are_beside(sources: Sequence[UserSource]) -> bool:
    """Whether both users and places of full regions come."""
    return {s.called for s in sources} == {True, False}


def _beside_places(found: Crowd, sources: Sequence[UserSource], theirs: list[Array], service: float) -> Crowd:
    """With the wait of each work, where users come beside places of full regions."""
    if not _are_beside(sources):
        return found
    rates = [float(found.chance @ rate) for rate in theirs]
    return replace(found, longer=_longer(sources, rates, found.outside, service))


def _longer(sources: Sequence[UserSource], rates: Sequence[float], outside: float, service: float) -> dict[int, float]:
    """Wait of the tasks of each work over that of all: places of full regions come back the more often the fewer wait."""
    waits = {i: max(s.users / rates[i] - s.away - s.hold * service, 0.0) for i, s in enumerate(sources) if s.called}
    rest = sum(rate for i, rate in enumerate(rates) if i not in waits)
    left = max(outside - sum(rates[i] * wait for i, wait in waits.items()), 0.0) / max(rest, 1e-300)
    mean = outside / max(sum(rates), 1e-300)
    if mean <= 0:
        return {}
    longer, come = dict[int, float](), dict[int, float]()
    for i, (source, rate) in enumerate(zip(sources, rates, strict=True)):
        for work in source.works:
            longer[work] = longer.get(work, 0.0) + rate * waits.get(i, left) / mean
            come[work] = come.get(work, 0.0) + rate
    return {work: longer[work] / come[work] for work in longer if come[work] > 0}


def _places_taken(number: Array, limit: int) -> Places:
    """Tasks inside, by the number there, of those numbers up to which not all places are taken, and the first beyond."""
    some = min(int(np.searchsorted(number, limit)) + 1, len(number))
    return np.minimum(number[:some], limit).astype(int)


def _log_of(rates: Array, unlike: int) -> Array:
    """Logs of rates, all of which are the same after so many of them, but none."""
    found = np.log(np.maximum(rates[:unlike], 1e-300))
    return found if unlike == len(rates) else np.concatenate((found, np.full(len(rates) - unlike, found[-1])))


def _theirs(
    stream: float, sources: Sequence[UserSource], most: float, alike: bool, limit: int, service: float, hold: float
) -> Callable[[Array], list[Array]]:
    """Rates at which users of each source come, by the tasks that are there, `most` at most."""
    if not stream and _are_beside(sources):
        return _beside_called(sources, limit, service)
    if not alike or len(sources) + (stream > 0) < 2:
        return lambda number: [s.come(number * s.share) for s in sources]
    away, served = np.array([s.away for s in sources]), np.array([s.hold for s in sources]) * service
    top = most / stream if stream else 1e6 * float((away + served).max())
    wait = np.concatenate(([0.0], geometric(1e-6 * min(top, service), 3 * top, TIMES)))[:, None]
    there = np.array([s.users for s in sources]) * (wait + served) / (away + wait + served)
    whole = np.concatenate(([0.0], stream * (wait[:, 0] + hold * service) + there.sum(axis=1)))
    here = [np.concatenate(([0.0], its)) for its in there.T]
    return lambda number: [s.come(np.interp(number, whole, its)) for s, its in zip(sources, here, strict=True)]


def _beside_called(sources: Sequence[UserSource], limit: int, service: float) -> Callable[[Array], list[Array]]:
    """The same where places of full regions are among the sources: these come back one line after the other.

    What they hold of the number follows it at once; a share of the number would say that none comes where it is a little
    larger. Users have their shares of the rest.
    """
    whole = sum(s.share for s in sources if not s.called)

    def theirs(number: Array) -> list[Array]:
        wait = np.maximum(number - limit, 0.0) * service / limit
        back = {i: s.users / (s.away + wait + s.hold * service) for i, s in enumerate(sources) if s.called}
        rest = np.maximum(number - sum(rate * (wait + sources[i].hold * service) for i, rate in back.items()), 0.0)
        users = [s.come(rest * s.share / whole) for s in sources]
        return [back.get(i, come) for i, come in enumerate(users)]

    return theirs


def _widening(first: int, last: int, limit: int, users: float) -> Array:
    """Numbers of tasks one by one until well beyond a limit, then in steps that grow."""
    single = max(first, limit) + NEAR
    if single >= last:
        return np.arange(first, last + 1.0)
    most = WIDEST * np.sqrt(users) if users else np.inf
    count = int(np.log1p((last - single) * (WIDER - 1)) / np.log(WIDER)) + 2
    steps = np.minimum(WIDER ** np.arange(count), max(most, 1.0))
    if steps.sum() < last - single:
        steps = np.append(steps, np.full(int((last - single - steps.sum()) / steps[-1]) + 1, steps[-1]))
    return np.concatenate((np.arange(first, single), single + np.append(0.0, np.cumsum(steps))))


def _balance(
    stream: float, sources: Sequence[UserSource], speed: Array, limit: int, top: float, hold: float, alike: bool
) -> float:
    """The number at which as many come as go: the first one from which on fewer come."""
    low, high = 0.0, top
    theirs = _theirs(stream, sources, max(top, 1.0), alike, limit, limit / float(speed[limit]), hold)
    while high - low > NEARLY:
        number = PARTS * ((high - low) / (AT_ONCE - 1)) + low
        number[-1] = high
        flows = theirs(number)
        come = stream + sum(flows)
        go = speed[np.minimum(number, limit).astype(int)]
        if stream:
            held = stream * hold + sum(f * s.hold for f, s in zip(flows, sources, strict=True))
            go = np.where((number > limit) & (held > 0), go * come / np.maximum(held, 1e-300), go)
        fewer = np.flatnonzero(come <= go)
        if not len(fewer):
            return high
        place = max(int(fewer[0]), 1)
        low, high = float(number[place - 1]), float(number[place])
    return (low + high) / 2


def crowd_at_most(
    stream: float,
    sources: Sequence[UserSource],
    speed: Array,
    limit: int,
    unlike: float = 1.0,
    hold: float = 1.0,
    alike: bool = False,
) -> tuple[Crowd, float]:
    """The same, and the load of the stream; where it has no end as far as it is known yet, at a load just below 1."""
    speed = np.maximum(speed, LEAST * (np.arange(len(speed)) > 0))  # a limit that lets next to nothing through has a line, too
    try:
        return crowd(stream, sources, speed, limit, unlike, hold, alike), 0.0
    except CrowdedError as error:
        return crowd(stream * EDGE / error.load, sources, speed, limit, unlike, hold, alike), error.load

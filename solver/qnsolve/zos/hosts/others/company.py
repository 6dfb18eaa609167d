"""The others on the processors, given how many they are: how much a unit of work is slowed by them."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from qnsolve.numerics.band_matrix import running_sums
from qnsolve.numerics.series import Array, Places, convolved

from .region_tasks import RegionTasks, poisson

TINY = 1e-290
MOST = 600  # servers and pieces whose weights rise and fall in range
LEAST_LEFT = 1e-3  # of a queue whose tasks come in groups: the least part of the time that it is empty
SLOPE = 0.9  # of the weights of many tasks in such queues, so that those of few stay in range
ALIKE = 1e-9  # difference of how full two queues are up to which they are as full
OF_USERS = 1e-3  # weight of one user more over that of one less, where all are there: far below that of others
_AT_WORK, _AT_LIMITS, _OF_USERS = 0, 1, 2  # places of what is counted as at work, from the last on users
EVENEST = 150.0  # sum of how even such queues are: beyond, their weights leave the range


class TaskQueue(NamedTuple):
    """A group of servers whose tasks wait for a server first.

    Attributes
    ----------
    load : float
    servers : int
    even, crowd : float
        Where tasks come in groups to queues of one server: 1 + those that come to other queues with one of them, and tasks
        that are there over those were all to come by themselves.
    again : float
        Of so many users as servers, none of whom waits: CPU that each asks for over the time that he is away from it; 0
        where tasks come whoever is there.
    place : int
        Of such users, among those that a company tells apart.
    come : ndarray (top + 1,) or None
        Rate at which its tasks come with so many there, over that in the mean, where they come the less often.
    region : RegionTasks or None
        Those of a region at its limit, where the queue is its TCB: its free pieces are counted with it.
    """

    load: float
    servers: int
    even: float = 1.0
    crowd: float = 1.0
    again: float = 0.0
    place: int = 0
    come: Array | None = None
    region: RegionTasks | None = None

    @property
    def apart(self) -> bool:
        """Whether how many are at work does not follow from the weights."""
        return self.in_groups or self.again > 0 or self.come is not None or self.region is not None

    @property
    def whole(self) -> float:
        """Load, with that of free pieces that are counted with it."""
        return self.load + self.pieces

    @property
    def pieces(self) -> float:
        """Load of free pieces that are counted with it."""
        return 0.0 if self.region is None else self.region.pieces

    @property
    def in_groups(self) -> bool:
        """Whether its tasks come in groups."""
        return self.servers == 1 and self.load > 0 and (self.even > 1 or self.crowd > 1)

    @property
    def step(self) -> float:
        """Weight of so many tasks over that of one less, where they are many."""
        if self.again:
            return OF_USERS
        if not self.in_groups:
            return self.load / min(self.servers, MOST)
        mean = self.crowd * self.load / max(1 - self.load, LEAST_LEFT)
        return mean / (self.even + mean)


AnyQueue = TaskQueue | tuple[float, int]


@dataclass(frozen=True)
class Company:
    """y others on the processors, y = 0 … top.

    Attributes
    ----------
    leave : ndarray (top + 1,)
        G(y - 1)/G(y): rate at which one of them ends over the rate at which they come, without slowing.
    ready : ndarray (top + 1,)
        Of them ready to run, in the mean.
    few : ndarray (top + 1, c)
        P(j ready), j below the processors.
    processors : float
    users : ndarray (U, top + 1)
        Users of each group of them that are there, in the mean.
    come : ndarray (top + 1,) or None
        Rate at which tasks of regions at their limits come, over that in the mean of all; None where there are none.
    """

    leave: Array
    ready: Array
    few: Array
    processors: float
    users: Array
    come: Array | None = None

    def slow_beside(self, units: Array, places: Places) -> Array:
        """`slow` for each of some units of work, with some numbers of others there only, (units, places)."""
        below = np.maximum(self.processors - units[:, None] - np.arange(self.few.shape[1]), 0.0)
        return np.maximum(1.0, (self.ready[places] + units[:, None] + below @ self.few[places].T) / self.processors)

    def slow_of(self, units: Array, places: Places, weight: float) -> Array:
        """`slow_beside` of some units that share one processor with the others, as so many of them each."""
        if weight == 1:
            return self.slow_beside(units, places)
        return np.asarray(np.maximum(1.0, (self.ready[places] / weight + units[:, None]) / self.processors))

    def slow_on(self, engines: float) -> Array:
        """E max(1, ready/engines) on other engines, no more than the processors."""
        below = np.maximum(engines - np.arange(self.few.shape[1]), 0.0)
        found: Array = np.maximum(1.0, (self.ready + self.few @ below) / engines)
        return found

    def slow(self, units: float) -> Array:
        """E max(1, (ready + units)/processors) for so many units of work beside them, (top + 1,)."""
        below = np.maximum(self.processors - units - np.arange(self.few.shape[1]), 0.0)
        return np.maximum(1.0, (self.ready + units + self.few @ below) / self.processors)


def along(values: Array, points: Array) -> Array:
    """Values at 0, 1, 2, … read between and, beyond the last, straight on."""
    last = len(values) - 1
    inside = np.interp(points, np.arange(last + 1.0), values)
    if points.max(initial=0.0) <= last or last < 1:
        return inside
    back = min(last, 50)
    slope = (values[last] - values[last - back]) / back
    found: Array = np.where(points > last, values[last] + slope * (points - last), inside)
    return found


@dataclass(frozen=True, eq=False)
class ReadPoints:
    """How `along` reads values at 0, 1, 2, … `last` at some points, where only those at a few places are known.

    Attributes
    ----------
    places : ndarray (K,)
        Those places.
    low, high : ndarray (P,)
        Of them, the two that each point lies between, or those that it goes straight on from.
    part : ndarray (P,)
        Steps of the point beyond the first of the two, over those between them.
    """

    places: Places
    low: Places
    high: Places
    part: Array

    @classmethod
    def of(cls, last: int, points: Array) -> ReadPoints:
        """Of points that are 0 or more."""
        back, beyond = min(last, 50), points > last
        low = np.where(beyond, last - back, np.minimum(points, max(last - 1, 0))).astype(int)
        high = np.where(beyond, last, np.minimum(low + 1, last))
        part = np.where(beyond, 1 + (points - last) / max(back, 1), points - low)
        places, found = np.unique(np.concatenate((low, high)), return_inverse=True)
        return cls(places, found[: len(points)], found[len(points) :], part)

    def read(self, values: Array) -> Array:
        """Values at the points, given those at the places (…, K)."""
        start = values[..., self.low]
        return np.asarray(start + (values[..., self.high] - start) * self.part)


@dataclass(frozen=True)
class _Product:
    """Weights of y queueing and free pieces, with fewer ready than processors, and all: (c + 1, top + 1).

    `busy` are the weights of all times the number at work that does not follow from them (1), of it at regions at their
    limits (2), and times that of users there, group by group: (2 + U, top + 1).
    """

    weight: Array
    tilt: float
    busy: Array

    @classmethod
    def of_pieces(cls, pieces: float, tilt: float, few: int, top: int, users: int) -> _Product:
        """Free pieces alone."""
        weight = np.zeros((few + 1, top + 1))
        weight[-1] = poisson(pieces * tilt, top)
        weight[np.arange(few), np.arange(few)] = weight[-1, :few]
        return cls(weight, tilt, np.zeros((_OF_USERS + users, top + 1)))

    def beside(self, queue: TaskQueue) -> _Product:
        """With a group of servers."""
        if queue.whole <= 0:
            return self
        if queue.again:
            found, busy = self._of_users(queue)
        elif queue.region is not None:
            found, busy = self._at_limit(queue.load, queue.region)
        elif queue.come is not None:
            found, busy = self._beside_line(np.append(1.0, queue.load * self.tilt * queue.come[: self.weight.shape[1] - 1]))
        elif queue.in_groups:
            count = np.arange(1.0, self.weight.shape[1])  # how many are there is negative binomial
            found, busy = self._beside_line(np.append(1.0, queue.step * self.tilt * (queue.even + count - 1) / count))
        else:
            found, busy = self._one_by_one(queue.load, queue.servers)
        return self._as_large(found, busy)

    def _one_by_one(self, load: float, servers: int) -> tuple[Array, Array]:
        """With a group of servers to which tasks come one by one."""
        step, few, top = load * self.tilt, len(self.weight) - 1, self.weight.shape[1] - 1
        count = min(servers, top + 1)
        terms = np.cumprod(np.append(1.0, step / np.arange(1.0, count + 1)))
        terms = np.where(terms < TINY, 0.0, terms)
        rows = self._rows
        found = self._ready(terms[:count])
        if servers <= top and terms[servers] > 0:  # from the first task that waits the terms are a geometric series
            first = min(servers, few)
            start = np.zeros((len(rows) - first, top + 1))
            start[: few - first, servers:] = rows[: few - first, : top + 1 - servers]
            start[few - first :, servers:] = rows[few:, : top + 1 - servers]
            start *= terms[servers]
            found[first:] += running_sums(start.T, step / servers).T
        return found[: few + 1], found[few + 1 :] if len(rows) > few + 1 else self.busy

    @property
    def _rows(self) -> Array:
        """`weight`, and `busy` where that is more than 0."""
        return np.concatenate((self.weight, self.busy)) if self.busy.any() else self.weight

    def _ready(self, terms: Array) -> Array:
        """`_rows` with tasks that are all ready, given the weights of how many they are."""
        rows, few, top = self._rows, len(self.weight) - 1, self.weight.shape[1] - 1
        found = np.zeros_like(rows)
        for row in range(few, len(rows)):
            found[row] = rows[row] if len(terms) == 1 else np.convolve(rows[row], terms)[: top + 1]
        for n in range(min(len(terms), few)):
            found[n:few, n:] += terms[n] * rows[: few - n, : top + 1 - n]
        return found

    def _of_users(self, queue: TaskQueue) -> tuple[Array, Array]:
        """With users, each of whom is there or away: a binomial number, all of them ready."""
        number = np.arange(min(queue.servers, self.weight.shape[1] - 1) + 1.0)
        terms = np.cumprod(np.append(1.0, (queue.servers - number[:-1]) / number[1:] * queue.again * self.tilt))
        return self._all_ready(terms, _OF_USERS + queue.place)

    def _all_ready(self, terms: Array, row: int) -> tuple[Array, Array]:
        """With tasks that are all ready, given the weights of how many they are; their number is counted in a row of `busy`."""
        few, top = len(self.weight) - 1, self.weight.shape[1] - 1
        found = self._ready(terms)
        busy = found[few + 1 :] if len(found) > few + 1 else np.zeros_like(self.busy)
        busy[row] += np.convolve(self.weight[-1], np.arange(float(len(terms))) * terms)[: top + 1]
        return found[: few + 1], busy

    def with_pieces(self, pieces: float) -> _Product:
        """With some free pieces more."""
        if pieces <= 0:
            return self
        return self._as_large(*self._all_ready(poisson(pieces * self.tilt, self.weight.shape[1] - 1), _AT_WORK))

    def _as_large(self, weight: Array, busy: Array) -> _Product:
        """Such weights, the largest 1."""
        largest = weight[-1].max()
        return _Product(weight / largest, self.tilt, busy / largest)

    def _at_limit(self, load: float, region: RegionTasks) -> tuple[Array, Array]:
        """With the tasks of a region, at a queue of such a load and as free pieces, that come by how many of them are there."""
        weight, few = self.weight, len(self.weight) - 1
        ready, whole, at_work = region.terms(load, self.tilt, few, weight.shape[1] - 1)
        found, rows = np.zeros_like(weight), np.concatenate((weight[-1:], self.busy))
        found[-1], *busy = convolved(rows, whole)
        there = convolved(weight[-1:], at_work)[0]
        for row in (_AT_WORK, _AT_LIMITS):
            busy[row] += there
        for number in range(len(ready)):
            found[number:few] += convolved(weight[: few - number], ready[number])
        return found, np.array(busy)

    def _beside_line(self, ratios: Array) -> tuple[Array, Array]:
        """With a queue of one server, given the weights of so many tasks over those of one less."""
        weight, few = self.weight, len(self.weight) - 1
        terms: Array = np.asarray(np.cumprod(ratios))
        terms[terms < TINY] = 0.0
        terms[0] = 0.0  # some are there; those with none are what was before
        there = convolved(np.concatenate((weight[: few - 1], weight[-1:], self.busy)), terms)
        found, busy = weight.copy(), there[few:] + self.busy
        busy[_AT_WORK] += there[few - 1]
        found[1:few] += there[: few - 1]
        found[-1] += there[few - 1]
        return found, busy


class Companies:
    """The others than each group, as in the product form of queues and free pieces, each state weighted with the time it lasts.

    Parameters
    ----------
    queues : sequence of TaskQueue, or of (load, servers)
    pieces : float
        Load of the work that waits for a processor only.

    Notes
    -----
    The product of all but one is found by halves: that of the other half goes before, for all of a half at once.

    Tasks that come to several queues in one group are there together: given how many there are in all they are spread more
    evenly than in a product form, in which all ways to spread them are as likely. More servers are then at work.
    """

    def __init__(self, queues: Iterable[AnyQueue], pieces: float, processors: float, top: int) -> None:
        self.queues, self.pieces, self.processors, self.top = [TaskQueue(*queue) for queue in queues], pieces, processors, top
        most = EVENEST / max(sum(queue.in_groups for queue in self.queues), 1)
        self.queues = [queue._replace(even=max(min(queue.even, most), 1.0)) for queue in self.queues]
        self.uses = [queue.step / (SLOPE if queue.in_groups else 1.0) for queue in self.queues]
        fullest = sorted(self.uses)[-2:]
        far = len(fullest) < 2 or fullest[0] < (1 - ALIKE) * fullest[1]  # beside one as full the weights are as with both
        self.fullest = int(np.argmax(self.uses)) if self.queues and far else None
        self.users = 1 + max((queue.place for queue in self.queues if queue.again), default=-1)
        self.known: dict[tuple[int, int], _Product] = {}

    def without(self, k: int | None) -> Company:
        """All but one; that with the fullest left out has weights of its own."""
        count = len(self.queues)
        if k is None and (one := next((low for low, high in self.known if high == low + 1), None)) is not None:
            return self._company(self._joined(self.known[one, one + 1], [one]), range(count))
        own = 0.0 if k is None else self.queues[k].pieces  # stay where the queue is left out
        if k is None or k == self.fullest:
            others = [i for i in range(count) if i != k]
            return self._company(self._joined(self._pieces(others), others).with_pieces(own), others, own)
        low, high, product = 0, count, self.known.get((0, count))
        if product is None:
            product = self.known[0, count] = self._pieces(range(count))
        while high - low > 1:
            middle = (low + high) // 2
            mine, rest = ((low, middle), (middle, high)) if k < middle else ((middle, high), (low, middle))
            if mine not in self.known:
                self.known[mine] = self._joined(product, range(*rest))
            (low, high), product = mine, self.known[mine]
        return self._company(product.with_pieces(own), [i for i in range(count) if i != k], own)

    def _pieces(self, queues: Iterable[int]) -> _Product:
        """Free pieces, before some queues."""
        tilt = 1 / max([self.uses[i] for i in queues] + [self.pieces / MOST, 1e-12])
        few = min(int(np.ceil(self.processors)), self.top + 1)
        return _Product.of_pieces(self.pieces, tilt, few, self.top, self.users)

    def _joined(self, product: _Product, queues: Iterable[int]) -> _Product:
        for i in queues:
            product = product.beside(self.queues[i])
        return product

    def _company(self, product: _Product, queues: Iterable[int], own: float = 0.0) -> Company:
        weight = np.maximum(product.weight[-1], TINY)
        leave = np.append(0.0, weight[:-1] / weight[1:]) * product.tilt
        mine = [self.queues[i] for i in queues]
        load = sum(queue.whole for queue in mine) + self.pieces + own
        ready = load * leave
        few, users, come = (product.weight[:-1] / weight).T, product.busy[_OF_USERS:] / weight, None
        at_limits = sum(queue.whole for queue in mine if queue.region is not None)
        if at_limits > 0:  # what comes to y of them is what is at work of y + 1 by the weights
            come = product.busy[_AT_LIMITS, 1:] / weight[:-1] / (product.tilt * at_limits)
            come = np.append(come, come[-1])
        if product.busy.any():
            apart = sum(queue.whole for queue in mine if queue.apart) + own
            ready = (load - apart) * leave + (product.busy[_AT_WORK] + product.busy[_OF_USERS:].sum(axis=0)) / weight
            there = np.maximum.accumulate(np.where(product.weight[-1] > TINY, np.arange(len(weight)), 0))  # no more users
            ready, few, users = ready[there], few[there], users[:, there]
            leave = ready / load
            come = come if come is None else come[there]
        return Company(leave, ready, few, self.processors, users, come)


def company(queues: Iterable[AnyQueue], pieces: float, processors: float, top: int) -> Company:
    """All of some queues and free pieces, as `Companies`."""
    return Companies(queues, pieces, processors, top).without(None)

"""Open work before a limit of few places as a chain of where those inside are: at the QR TCB, on other TCBs, off the CPs.

With few places neither the mean number on the CPs nor how many are inside says how fast tasks end: which of them wait for the
TCB does. The chain has all of that. It is exact for tasks all alike that have the CPs alone; others there are as in a product
form, and those that have a TCB of their own are one at a time.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from qnsolve.numerics.level_chain import StiffChainError, probabilities
from qnsolve.numerics.series import Array
from qnsolve.zos.hosts.chains.birth_death import Crowd

from .inside_counts import crowd_of_levels

QR, OPEN, OFF, OTHERS = range(4)  # where a task is
FARTHEST, LEAST = 3.0, 1e-12  # a ratio of figures of two chains, at most, and a figure that is none


@dataclass(frozen=True, eq=False)
class OthersOnCps:
    """All others on the CPs as one number.

    Attributes
    ----------
    come : ndarray (B + 1,)
        Rate at which more come with so many there, 0 with the most that are counted [1/s].
    ready : ndarray (B + 1,)
        Of so many, those that need a CP [count].
    piece : float
        CPU of each [s].
    """

    come: Array
    ready: Array
    piece: float

    def fewer(self, values: int) -> OthersOnCps:
        """The same with no more than so many values of their number."""
        if values >= len(self.come):
            return self
        come = self.come[:values].copy()
        come[-1] = 0.0
        return replace(self, come=come, ready=self.ready[:values])


@dataclass(frozen=True, eq=False)
class FewPlaces:
    """A limit of few places.

    Attributes
    ----------
    size : int
    begin : ndarray (3,)
        Rates at which tasks that come begin at the QR TCB, as open pieces, and off the CPs [1/s].
    moves : ndarray (3, 4)
        Rates at which they go from each of these to each, and away [1/s].
    pieces : ndarray (2,)
        CPU of a visit to the QR TCB, and of an open piece [s].
    off : ndarray (size,)
        Rates at which 1, 2, … visits off the CPs end [1/s].
    tcb : float
        Share of the QR TCB that tasks outside the limit have.
    engines : float
        CPs.
    others : OthersOnCps
    joined : int
        0, or values of the number of others beside which tasks at the TCB and open pieces are told apart. Beside all of
        them they are one number: of each as many as if so many came back to the CPs at once. What that makes of waits is
        told by both.
    """

    size: int
    begin: Array
    moves: Array
    pieces: Array
    off: Array
    tcb: float
    engines: float
    others: OthersOnCps
    joined: int = 0

    @property
    def states(self) -> int:
        """States with all places taken."""
        used = int((self.begin + self.moves[:, :OTHERS].sum(axis=0) > 0).sum()) - bool(self.joined)
        own = {1: 1, 2: self.size + 1}.get(used, (self.size + 1) * (self.size + 2) // 2)
        return own * len(self.others.come)

    @property
    def numbers(self) -> list[Array]:
        """All that it depends on."""
        plain = np.array([float(self.size), self.tcb, self.engines, self.others.piece, float(self.joined)])
        return [plain, self.begin, self.moves.ravel(), self.pieces, self.off, self.others.come, self.others.ready]


@dataclass(frozen=True, eq=False)
class FewSolved:
    """A limit of few places solved.

    Attributes
    ----------
    load : float
        Tasks that come over those that end while all places are taken.
    crowd : Crowd or None
        None where more come than end.
    there : ndarray (4,)
        Tasks at the QR TCB, as open pieces, and off the CPs, and others [count].
    off : ndarray (size + 1,)
        Chances of so many off the CPs.
    served : float
        Share of the time that one of them has the TCB.
    most_others : float
        Chance of as many others as are counted.
    longer : float
        Waits for the limit over those of the crowd.
    slower : (float, float)
        Time of one more task at the TCB, in turn with those there, and of one more unit on the CPs, over those alone: all stay
        as it finds them.
    """

    load: float
    crowd: Crowd | None
    there: Array
    off: Array
    served: float
    most_others: float = 0.0
    longer: float = 1.0
    slower: tuple[float, float] = (1.0, 1.0)


def few_places(asked: FewPlaces) -> FewSolved | None:
    """The chain of a limit; None where its rates are too far apart."""
    found = _solved(asked)
    if not asked.joined or found is None or found.crowd is None:
        return found
    fewer = replace(asked, others=asked.others.fewer(asked.joined))
    apart, joined = _solved(replace(fewer, joined=0)), _solved(fewer)
    if apart is None or apart.crowd is None or joined is None or joined.crowd is None:
        return found
    there, longer = found.there.copy(), _ratio(apart.crowd.wait, joined.crowd.wait)
    there[:OTHERS] *= [_ratio(one, other) for one, other in zip(apart.there[:OTHERS], joined.there[:OTHERS], strict=True)]
    return replace(found, there=there, longer=longer)


def _ratio(one: float, other: float) -> float:
    return min(max(one / other, 1 / FARTHEST), FARTHEST) if other > LEAST else 1.0


def _solved(asked: FewPlaces) -> FewSolved | None:
    stream, chain = float(asked.begin.sum()), _FewStates(asked)
    size = asked.size
    blocks = [chain.moved(n) for n in range(size + 1)]
    up, down = [chain.come(n) for n in range(size)], [chain.gone(n) for n in range(1, size + 1)]
    again = chain.gone_and_come()
    try:
        most = _passed(blocks[size], again)
        if not stream < most:
            return FewSolved(stream / most, None, np.zeros(4), np.eye(1, size + 1)[0], 0.0)
        ends = np.full(len(again), stream)
        states, tail = probabilities([*up, ends], [*down, again], [*blocks, blocks[size]], endless=True)
    except StiffChainError:
        return None
    if tail is None or not 0 <= tail.mean < np.inf or float(tail.phases.min()) < 0:
        return None
    crowd = crowd_of_levels(states, tail, 0, size, stream)
    if crowd is None:
        return None
    there, off, served, most_others, in_turn, slower = np.zeros(4), np.zeros(size + 1), 0.0, 0.0, 0.0, 0.0
    for n, chance in enumerate([*states, tail.phases]):
        counts, at_tcb = chain.counts(min(n, size))
        there += counts @ chance
        off += np.bincount(counts[OFF].astype(int), chance, size + 1)
        most_others += float(chance[counts[OTHERS] == len(asked.others.come) - 1].sum()) * (len(asked.others.come) > 1)
        served += (1 - asked.tcb) * float(at_tcb @ chance)
        beside = counts[OPEN] + asked.others.ready[counts[OTHERS].astype(int)]
        in_turn += float(((1 + counts[QR]) * np.maximum((1 + beside) / asked.engines, 1.0)) @ chance)
        slower += float(np.maximum((1 + at_tcb + (1 - at_tcb) * asked.tcb + beside) / asked.engines, 1.0) @ chance)
    slow = in_turn / (1 - asked.tcb), slower
    return FewSolved(stream / most, crowd, there, off, served, most_others, slower=slow)


class _FewStates:
    """The states with so many inside, by those at the TCB and as open pieces, and the rates from one to another.

    Where these are `joined` they all count as open pieces.
    """

    def __init__(self, asked: FewPlaces) -> None:
        self.asked = asked
        into = asked.begin + asked.moves[:, :3].sum(axis=0)
        self._next = asked.moves / np.maximum(into, 1e-300)[:, None]
        self._begin, self._off = asked.begin / float(asked.begin.sum()), np.append(0.0, asked.off)
        self._on_cps = _JoinedOnCps.of(asked, self._next) if asked.joined else None
        if self._on_cps is not None:
            self._begin = np.array([0.0, self._begin[QR] + self._begin[OPEN], self._begin[OFF]])
            back = self._next[OFF]
            self._next = np.array([
                np.zeros(4), [0.0, 0.0, *self._on_cps.out], [0.0, back[QR] + back[OPEN], 0.0, back[3]]
            ])  # fmt: skip
            into = np.array([0.0, *into[1:]])
        self._counts, self._places, most = list[Array](), list[Array](), len(asked.others.come)
        for n in range(asked.size + 1):
            grid = np.meshgrid(np.arange(n + 1), np.arange(n + 1), np.arange(most), indexing="ij")
            first, second, others = (its.ravel() for its in grid)
            counts = np.array([first, second, n - first - second, others])
            some = (counts[OFF] >= 0) & (counts[:OTHERS][into == 0] == 0).all(axis=0)  # none is where no task comes to
            self._counts.append(counts[:, some])
            place = np.zeros(len(some), dtype=int)
            place[some] = np.arange(int(some.sum()))
            self._places.append(place.reshape(n + 1, n + 1, most))

    def counts(self, number: int) -> tuple[Array, Array]:
        """Tasks at each place, by state (4, S), and whether one is at the TCB (S,)."""
        at = self._counts[number]
        if self._on_cps is None:
            return at, np.asarray(at[QR] > 0)
        lines = self._on_cps.at_tcb[at[OPEN], at[OTHERS]]
        return np.array([lines, at[OPEN] - lines, *at[OFF:]]), self._on_cps.served[at[OPEN], at[OTHERS]]

    def _rates(self, number: int) -> tuple[Array, Array]:
        """Rates at which tasks leave each place, by state (3, S), and others the CPs (S,)."""
        asked, at = self.asked, self._counts[number]
        ready = asked.others.ready[at[OTHERS]]
        if self._on_cps is None:
            each = _speed(asked, at[QR], at[OPEN], ready)
            pieces = np.maximum(asked.pieces, 1e-300)
            own = (at[QR] > 0) * each * (1 - asked.tcb) / pieces[QR], at[OPEN] * each / pieces[OPEN]
        else:
            each = self._on_cps.speed[at[OPEN], at[OTHERS]]
            own = np.zeros(len(each)), self._on_cps.ends[at[OPEN], at[OTHERS]]
        return np.array([*own, self._off[at[OFF]]]), ready * each / asked.others.piece

    def _put(self, number: int, other: int, leave: bool, come: bool, share: Array) -> Array:
        """Rates from the states of a number to those of another one: from a place, or from outside, to a place or away."""
        at = self._counts[number]
        found, every = np.zeros((at.shape[1], self._counts[other].shape[1])), np.arange(at.shape[1])
        rates = self._rates(number)[0] if leave else np.ones((1, at.shape[1]))
        for row, begin in enumerate(rates):
            for end in range(share.shape[1]):
                some = (begin > 0) & (share[row, end] > 0)
                if leave:
                    some &= at[row] > 0
                to = at[:, some].copy()
                if leave:
                    to[row] -= 1
                if come:
                    to[end] += 1
                np.add.at(
                    found, (every[some], self._places[other][to[QR], to[OPEN], to[OTHERS]]), begin[some] * share[row, end]
                )
        return found

    def moved(self, number: int) -> Array:
        """From place to place, and others that come and go."""
        found = self._put(number, number, True, True, self._next[:, :3])
        come, at, place = self.asked.others.come, self._counts[number], self._places[number]
        gone = self._rates(number)[1]
        for step, rate in ((1, come[at[OTHERS]]), (-1, gone)):
            some = rate > 0
            here = at[:, some]
            found[place[here[QR], here[OPEN], here[OTHERS]], place[here[QR], here[OPEN], here[OTHERS] + step]] += rate[some]
        return found

    def come(self, number: int) -> Array:
        """One comes."""
        return self._put(number, number + 1, False, True, float(self.asked.begin.sum()) * self._begin[None, :])

    def gone(self, number: int) -> Array:
        """One goes."""
        return self._put(number, number - 1, True, False, self._next[:, 3:])

    def gone_and_come(self) -> Array:
        """One goes, and the first of the line takes its place."""
        return self._put(self.asked.size, self.asked.size, True, True, self._next[:, 3:] * self._begin)


def _passed(blocks: Array, again: Array) -> float:
    """Tasks that end a second while all places are taken."""
    rates = blocks + again
    np.fill_diagonal(rates, 0.0)
    rates -= np.diag(rates.sum(axis=1))
    try:
        chance = np.linalg.solve(np.vstack([rates.T[:-1], np.ones(len(rates))]), np.eye(len(rates))[-1])
    except np.linalg.LinAlgError:
        raise StiffChainError from None
    return float(chance @ again.sum(axis=1))


def _speed(asked: FewPlaces, lines: Array, pieces: Array, others: Array) -> Array:
    """Speed of who is on the CPs beside so many of all, over that alone."""
    ready = np.where(lines > 0, 1.0, asked.tcb) + pieces + others
    return np.asarray(np.minimum(asked.engines / np.maximum(ready, 1.0), 1.0))


@dataclass(frozen=True, eq=False)
class _JoinedOnCps:
    """Tasks at the TCB and open pieces as one number, by it and that of others (size + 1, B + 1).

    Attributes
    ----------
    ends : ndarray
        Rate at which they leave the CPs [1/s].
    at_tcb, served, speed : ndarray
        Of them those at the TCB, the chance that one is, and the speed of all on the CPs over that alone.
    out : ndarray (2,)
        Shares of those that leave the CPs that go off them, and away.
    """

    ends: Array
    at_tcb: Array
    served: Array
    speed: Array
    out: Array

    @classmethod
    def of(cls, asked: FewPlaces, following: Array) -> _JoinedOnCps:
        """As if who leaves the CPs came back to them at once: a birth-death chain of those at the TCB."""
        into = asked.begin[:OFF] + asked.moves[OFF, :OFF]
        begin, leave = into / float(into.sum()), following[:OFF, OFF:].sum(axis=1)
        to_open, to_qr = following[QR, OPEN] + leave[QR] * begin[OPEN], following[OPEN, QR] + leave[OPEN] * begin[QR]
        shape = asked.size + 1, len(asked.others.ready)
        ends, at_tcb, served, speed = np.zeros((4, *shape))
        for number in range(asked.size + 1):
            lines = np.arange(number + 1.0)[:, None]
            each = _speed(asked, lines, number - lines, asked.others.ready[None, :])
            down, up = (lines > 0) * each * (1 - asked.tcb) / asked.pieces[QR], (number - lines) * each / asked.pieces[OPEN]
            steps = np.log(np.maximum(up[:-1] * to_qr, 1e-300)) - np.log(np.maximum(down[1:] * to_open, 1e-300))
            logs = np.vstack((np.zeros(shape[1]), np.cumsum(steps, axis=0)))
            chance = np.exp(logs - logs.max(axis=0))
            chance /= chance.sum(axis=0)
            ends[number] = (chance * (down * leave[QR] + up * leave[OPEN])).sum(axis=0)
            at_tcb[number], served[number] = (chance * lines).sum(axis=0), 1 - chance[0]
            speed[number] = (chance * each).sum(axis=0)
        gone = asked.moves[:OFF, OFF:].sum(axis=0)
        return cls(ends, at_tcb, served, speed, gone / float(gone.sum()))

"""How many times its work a system holds: the one headroom, by the stability condition itself."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import ceil, exp, inf, log, log2, sqrt

import numpy as np

from qnsolve.numerics.series import Places
from qnsolve.zos.compile.compiled import Compiled, compiled
from qnsolve.zos.compile.needs import needs
from qnsolve.zos.equilibrium.settled_point import ROUNDS as ALL
from qnsolve.zos.hosts.chains.birth_death import FullPoolError
from qnsolve.zos.hosts.demands import at_rest, demands
from qnsolve.zos.hosts.kept_points import KeptAnswers
from qnsolve.zos.parts.system import SystemParts

from .solved import convertible, scaled, solved_point
from .sure_to_hold import sure_to_hold
from .utilization import center_loads, fullest

FINE, ROUGH = 1e-3, 0.01  # relative, of the factor; where points near it do not settle
STEPS, ROUNDS = 24, 6  # solutions, and rounds of one, at most
LONGER = 0.005  # load of a QR TCB today over what its work needs, from which on it waits for CPs [log]
BEFORE, FAR_OFF = 0.8, 1.5  # power of the factor that is tried then, and from which on it is
MARGIN = 5e-4  # by which a factor is tried below where it seems to end
LOOKS = 8  # factors, at most, at which is asked whether it is sure to hold
STRIDE = 0.03  # between those and the ones that are tried next
TOLD, LEAST = 1e-6, 0.1  # load above 1 that is told, and the least power by which loads grow
END, FARTHEST = 0.9, 5.0  # step beyond a factor, of what it is known to; log of one over the end that loads tell, at most
HALF, SLOW = 0.55, 2  # load above 1 over the last one that brings nearer, and factors not held up to which loads are believed
SPARE = 2  # steps more than by halves alone that loads may take
FLAT = 0.1  # change of what a load is above 1, up to which it says nothing where that is next to nothing
KEPT = 100  # ends that are kept
BENT = 2.5  # how much farther, or less far, a parabola goes than a line, at most
CLOSE = 0.1  # log of a load up to which it is taken to grow as the factor does


@dataclass(frozen=True)
class Capacity:
    """Where the growth of work ends.

    Attributes
    ----------
    factor : float
        The most that the system holds, over its work of today: solved there, and not solved 0.1 percent above, or 1 percent
        where rounds do not settle near there [ratio]; infinite where no work with a rate grows: users only wait longer.
    center : str
        What is too full just above; "" where the factor is infinite.
    """

    factor: float
    center: str


_capacities = KeptAnswers[Capacity](KEPT)


def capacity(system: SystemParts, grows: Places | None = None) -> Capacity:
    """How many times its rates and users a system holds; asked the same again, it is read.

    Parameters
    ----------
    system : SystemParts
    grows : ndarray (W,) of bool, optional
        The work that grows; all where left out.
    """
    which = np.ones(len(system.work), dtype=bool) if grows is None else grows
    return _capacities.of((system, which), lambda: _capacity(system, which))


def _capacity(system: SystemParts, grows: Places) -> Capacity:
    form = compiled(system)
    if not (grows & (form.rate > 0)).any():
        return Capacity(inf, "")
    forms = [form]
    if able := convertible(form):  # asynchronous at some load: what they hold then
        forms.append(compiled(system, converted=able))
    bound, resource = _bound(forms, grows)
    guess = bound * (1 - MARGIN)  # most systems hold as much
    low = _sure(form, grows, guess) if len(forms) == 1 else 0.0
    if low == guess:
        return Capacity(low, resource)
    search = _HeadroomSearch(bound, resource, low, bool((form.users > 0).any()))
    today = not low and guess > 1 + STRIDE  # is asked first then: far beyond the end takes long
    factor = 1.0 if today else guess

    def ask(factor: float, rounds: int) -> None:
        try:
            work = solved_point(system, np.where(grows, factor, 1.0), rounds).work
        except FullPoolError as error:
            search.refused(factor, error.name, error.load)
        else:
            search.held(factor, *fullest(work), work.settled, rounds == ALL)

    for _ in range(STEPS):
        ask(factor, ALL if search.doubtful else ROUNDS)
        while search.low and not search.sure and (search.ended or search.doubtful):
            ask(search.low, ALL)
        if search.ended:
            break
        if today and search.low:
            factor = guess**BEFORE if guess > FAR_OFF and search.behind_cps(guess) else guess
        else:
            factor = search.next()
        today = False
    return Capacity(search.low, search.center)


@dataclass(frozen=True)
class _Seen:
    """A factor that was tried, its log, a center that is full or fullest there, and the log of its load."""

    at: float
    center: str
    load: float


class _HeadroomSearch:
    """A factor between one that is held and one that is not.

    Where more comes than a center can do, its load says how far that is beyond the end: as a power of the factor. So does,
    below the end, the load of the fullest center; with `users` that of the center that is too full above, as they fill others.
    Once both factors are known each step is near enough to the middle that all of them are few, whatever loads say (that of
    ITP: I. Oliveira, R. Takahashi, ACM Transactions on Mathematical Software 47, 2021).

    Examples
    --------
    A center whose load is the square of the factor:

    >>> search, factor = _HeadroomSearch(8.0, "CPs", 0.0), 1.0
    >>> for count in range(20):
    ...     load = (factor / 2) ** 2
    ...     search.held(factor, "MXT", load, True) if load < 1 else search.refused(factor, "MXT", load)
    ...     if search.ended:
    ...         break
    ...     factor = search.next()
    >>> count, 2 * (1 - FINE) < search.low < 2, search.center
    (4, True, 'MXT')
    """

    def __init__(self, bound: float, resource: str, low: float, users: bool = False) -> None:
        self.bound, self.resource, self.least, self.low, self.high = bound, resource, low, low, bound
        self._under: list[_Seen] = []  # those that are held, and the last three that are not
        self._over: list[_Seen] = []
        self._fine, self._row = FINE, 0  # how many were not held in a row
        self.users = users
        self.sure, self.doubtful = not low, False  # the factor that is held is so after all rounds, and whether one was not
        self._ahead = 0  # steps that are left, at most, once both factors are known

    @property
    def ended(self) -> bool:
        """Whether both factors are close."""
        return self.high - self.low <= self._fine * self.high

    @property
    def center(self) -> str:
        """What is too full just above the end."""
        near = self.low > (1 - 2 * FINE) * self.bound
        return self._over[-1].center if self._over and not near else self.resource

    def refused(self, factor: float, center: str, load: float) -> None:
        """A factor that is not held, and the load of a center that is too full there; it may seem to have been, before."""
        if factor <= self.low:
            self.least = self.least if self._under else 0.0
            self._under, self._ahead, self.doubtful = self._under[: len(self._under) // 2], 0, True
            self.low = exp(self._under[-1].at) if self._under else self.least
            self.sure = False
        self._over = [*self._over[-2:], _Seen(log(factor), center, log(max(load, 1 + TOLD)))]
        self.high, self._row = factor, self._row + 1
        self._note()

    def held(self, factor: float, center: str, load: float, settled: bool, sure: bool = False) -> None:
        """A factor that is held, and its fullest center; `sure` where that is of all rounds."""
        self._under = [seen for seen in self._under if seen.at < log(factor)]
        self._under.append(_Seen(log(factor), center, min(log(load), 0.0)))
        self.low, self._fine, self._row = factor, FINE if settled else ROUGH, 0
        self.sure = settled or sure
        self._note()

    def _note(self) -> None:
        if not self.low:
            return
        halves = ceil(log2(max(log(self.high / self.low) / self._fine, 1.0)))
        self._ahead = min(self._ahead - 1, halves + SPARE) if self._ahead else halves + SPARE

    def behind_cps(self, bound: float) -> bool:
        """Whether a QR TCB that holds `bound` times as much, at most, waits for CPs already: its end is well before that."""
        return self._under[-1].center.endswith("QR TCB") and self._under[-1].load + log(bound) > LONGER

    def next(self) -> float:
        """The factor to try."""
        end = self._end()
        if not self.low:
            believed = self._row <= SLOW or self._over[-1].load < HALF * self._over[-2].load
            return end if end and believed else 1.0 if self.high > 1 + STRIDE else sqrt(self.high / 16 * self.high)
        guess = max(end * (1 - self._fine / 2), self.low * (1 + END * self._fine)) if end else sqrt(self.low * self.high)
        widest = exp(self._fine * 2.0 ** max(self._ahead - 1, 0))  # of what is left after this step
        return min(max(guess, self.high / widest), self.low * widest)

    def _end(self) -> float:
        """Where the load would be 1 of what is too full, or of what is fullest below; 0 where loads do not say it."""
        over, under = self._over[-1] if self._over else None, self._under[-1] if self._under else None
        found = []
        before = self._over[-2] if len(self._over) > 1 else None
        flat = over is not None and before is not None and before.load < FINE and abs(over.load / before.load - 1) < FLAT
        if over is not None and not flat and (power := self._power(self._over[-2:], over.load <= CLOSE)):
            found.append(over.at - min(self._bent(over.load / power), FARTHEST))
        told = not self.users or (over is not None and under is not None and over.center == under.center)
        if told and under is not None and under.load < -FINE and (power := self._power(self._under[-2:], True)):
            found.append(under.at - under.load / power)
        low = log(self.low) if self.low else -inf
        found = [end for end in found if low < end < log(self.high)]
        return exp(min(found)) if found else 0.0

    def _bent(self, step: float) -> float:
        """How far in logs a center that is too full three times has its end, by a parabola; `step` by the last two of them."""
        (x, f), (y, g), (z, h) = ((seen.load, seen.at) for seen in (self._over * 3)[-3:])
        if len({seen.center for seen in self._over}) > 1 or not x > y > z:
            return step
        end = f * y * z / ((x - y) * (x - z)) - g * x * z / ((x - y) * (y - z)) + h * x * y / ((x - z) * (y - z))
        return min(max(self._over[-1].at - end, step / BENT), step * BENT)

    def _power(self, seen: list[_Seen], alone: bool) -> float:
        """That by which a load grows with the factor, about 1 where one point alone has it; 0 where it is not known."""
        if len(seen) == 2 and seen[0].center == seen[1].center:
            power = (seen[1].load - seen[0].load) / (seen[1].at - seen[0].at)
            if power > 0:
                return max(power, LEAST)
        return float(alone)


def _sure(form: Compiled, grows: Places, most: float) -> float:
    """About the largest factor, `most` at most, at which a system is sure to hold its work; 0 if not even today."""
    low, high, guess = 0.0, most, most
    for _ in range(LOOKS):
        if sure_to_hold(scaled(form, np.where(grows, guess, 1.0))):
            low = guess
        else:
            high = guess
        if low == high or (not low and guess <= 1.0) or (low and high < (1 + STRIDE) * low):
            break
        guess = sqrt(low * high) if low else min(1.0, high / 2)
    return low


def _bound(forms: Sequence[Compiled], grows: Places) -> tuple[float, str]:
    """The factor at which a center has more to do than it can without any wait, in whichever form it has least to do."""
    least: dict[str, float] = {}
    for form in forms:
        need = needs(form)
        ask = demands(form, need, at_rest(form))
        stays = dict(center_loads(form, need, ask, np.where(grows, 0.0, form.rate)))
        for name, load in center_loads(form, need, ask, form.rate):
            still = stays.get(name, 0.0)
            if load > still:
                least[name] = max(least.get(name, 0.0), max(1 - still, 0.0) / (load - still))
    center = min(least, key=least.__getitem__, default="")
    return least.get(center, inf), center

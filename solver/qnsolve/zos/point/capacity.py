"""How many times its work a system holds: the one headroom, by the stability condition itself."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import exp, inf, log, sqrt

import numpy as np

from qnsolve.numerics.series import Places
from qnsolve.zos.compile.compiled import Compiled, compiled
from qnsolve.zos.compile.needs import needs
from qnsolve.zos.hosts.chains.birth_death import FullPoolError
from qnsolve.zos.hosts.demands import at_rest, demands
from qnsolve.zos.parts.system import SystemParts

from .solved import convertible, scaled, solved_point
from .sure_to_hold import sure_to_hold
from .utilization import center_loads, fullest

FINE, ROUGH = 1e-3, 0.01  # relative, of the factor; where points near it do not settle
STEPS, ROUNDS = 24, 6  # solutions, and rounds of one, at most
MARGIN = 5e-4  # by which a factor is tried below where it seems to end
FULLER = 0.7  # log of a load beyond which it says little of how far its end is
LITTLE = 0.05  # log of a load from which on a center may as well be full of users
LOOKS = 8  # factors, at most, at which is asked whether it is sure to hold
STRIDE = 0.03  # between those and the ones that are tried next
TOLD, LEAST = 1e-6, 0.1  # load above 1 that is told, and the least power by which loads grow
END, FARTHEST = 0.9, 5.0  # step beyond a factor, of what it is known to; log of one over the end that loads tell, at most
HALF, SLOW = 0.55, 3  # step that about halves what is known, and how many that do not, after which loads are not believed
MOST = 0.8  # of the way from a factor to the end that the load there says
CLOSE = 0.1  # log of a load up to which it is taken to grow as the factor does


@dataclass(frozen=True)
class Capacity:
    """Where the growth of work ends.

    Attributes
    ----------
    factor : float
        The most that the system holds, over its work of today: solved there, and not solved 0.1 percent above [ratio];
        infinite where no work with a rate grows: users only wait longer.
    center : str
        What is too full just above; "" where the factor is infinite.
    """

    factor: float
    center: str


def capacity(system: SystemParts, grows: Places | None = None) -> Capacity:
    """How many times its rates and users a system holds.

    Parameters
    ----------
    system : SystemParts
    grows : ndarray (W,) of bool, optional
        The work that grows; all where left out.
    """
    form = compiled(system)
    grows = np.ones(len(form.rate), dtype=bool) if grows is None else grows
    if not (grows & (form.rate > 0)).any():
        return Capacity(inf, "")
    forms = [form]
    if able := convertible(form):  # asynchronous at some load: what they hold then
        forms.append(compiled(system, converted=able))
    bound, resource = _bound(forms, grows)
    low, guess = _sure(form, grows, bound) if len(forms) == 1 else (0.0, min(1.0, bound * (1 - MARGIN)))
    search = _HeadroomSearch(bound, resource, low)
    if low == guess:
        return Capacity(low, resource)
    for _ in range(STEPS):
        try:
            work = solved_point(system, np.where(grows, guess, 1.0), ROUNDS).work
        except FullPoolError as error:
            search.refused(guess, error.name, error.load)
        else:
            search.held(guess, *fullest(work), work.settled)
        if search.ended:
            break
        guess = search.next()
    return Capacity(search.low, search.center)


class _HeadroomSearch:
    """A factor between one that is held and one that is not.

    Where more comes than a center can do, its load says how far that is beyond the end: as a power of the factor. Below
    the end loads say less, as users may fill centers.

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

    def __init__(self, bound: float, resource: str, low: float) -> None:
        self.bound, self.resource, self.low, self.high = bound, resource, low, bound
        self._beyond = resource  # what is too full at `high`
        self._under, self._over = -FULLER, 0.0  # logs of the load of the fullest center at `low` and `high`
        self._end = 0.0  # where the load of what is too full would be 1; 0 where loads do not say it
        self._fine, self._stride = FINE, STRIDE if low else inf  # endless: straight to the bound
        self._wide, self._slow = inf, 0  # log of high over low, and the steps since one has about halved it
        self._fullest = ""  # at `low`

    @property
    def ended(self) -> bool:
        """Whether both factors are close."""
        return self.high - self.low <= self._fine * self.high

    @property
    def center(self) -> str:
        """What is too full just above the end."""
        return self.resource if self.low > (1 - 2 * FINE) * self.bound else self._beyond

    def refused(self, factor: float, center: str, load: float) -> None:
        """A factor that is not held, and the load of a center that is too full there."""
        over = log(max(load, 1 + TOLD))
        power = 1.0 if over <= CLOSE else 0.0  # that the load grows by; 0 where it is not known
        if center == self._beyond and over < self._over < inf:
            power = max((self._over - over) / log(self.high / factor), LEAST)
        self._end = factor * exp(-min(over / power, FARTHEST)) if power else 0.0
        self._narrow(self.low, factor)
        self._beyond, self._over = center, over

    def held(self, factor: float, center: str, load: float, settled: bool) -> None:
        """A factor that is held, and its fullest center."""
        if factor >= self._end:
            self._end = 0.0
        self._narrow(factor, self.high)
        self._under = max(min(log(load), -FINE), -FULLER)
        self._fullest, self._fine = center, FINE if settled else ROUGH

    def _narrow(self, low: float, high: float) -> None:
        wide = log(high / low) if low else inf
        self._slow = 0 if self._wide == inf or wide < HALF * self._wide else self._slow + 1
        self._wide, self.low, self.high = wide, low, high

    def next(self) -> float:
        """The factor to try."""
        if self.high == self.bound:
            return self._toward_bound()
        if self.low < self._end and self._slow < SLOW:
            near = self._end <= self.low * (1 + self._fine)
            return self.low * (1 + END * self._fine) if near else self._end * (1 - self._fine / 2)
        if not self.low:
            return sqrt(self.high / 16 * self.high)
        if self._under < -LITTLE and not self._slow:  # most of the way to where its fullest center is full
            return self.low * (min(self.low * exp(-self._under), self.high) / self.low) ** MOST
        return sqrt(self.low * self.high)

    def _toward_bound(self) -> float:
        """The same where none was refused: the bound, or, where waits may be in the way, as far as the load at `low` says."""
        if self._stride == inf or self._fullest == self.resource:
            return self.bound * (1 - MARGIN)
        guess = self.low * exp(-self._under) if self._under < -LITTLE else sqrt(self.low * self.bound)
        guess = min(guess, self.bound * (1 - MARGIN), self.low * (1 + self._stride))
        self._stride *= 2
        return guess


def _sure(form: Compiled, grows: Places, bound: float) -> tuple[float, float]:
    """About the largest factor at which a system is sure to hold its work, 0 if not even today; and one to try next."""
    low, high = 0.0, bound * (1 - MARGIN)
    guess = high
    for _ in range(LOOKS):
        if sure_to_hold(scaled(form, np.where(grows, guess, 1.0))):
            low = guess
        else:
            high = guess
        if low == high or (not low and guess <= 1.0) or (low and high < (1 + STRIDE) * low):
            break
        guess = sqrt(low * high) if low else min(1.0, high / 2)
    return low, high if low else min(1.0, bound * (1 - MARGIN))


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

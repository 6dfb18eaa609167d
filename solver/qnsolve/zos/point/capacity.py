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
TOLD, LEAST = 1e-6, 0.1  # load above 1 that is told, and the least power by which loads grow of which more is told
END, FARTHEST = 0.9, 16.0  # step beyond a factor, of what it is known to, and to one that is told, at most
NEAR = 0.1  # of the way between two factors that are known: least distance from either


@dataclass(frozen=True)
class Capacity:
    """Where the growth of work ends.

    Attributes
    ----------
    factor : float
        The most that the system holds, over its work of today: solved there, and not solved 0.1 percent above [ratio];
        infinite where no work with a rate grows: users only wait longer.
    center : str
        What is full there; "" where the factor is infinite.
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
    if low == guess:
        return Capacity(low, resource)
    high, stride = bound, STRIDE if low else inf
    center, beyond = "", resource  # what is full at `low`, as far as it is known, and at `high`
    under, over, fine = -FULLER, FULLER, FINE  # logs of the load of the fullest center at `low` and `high`
    ends = _Ends()
    for _ in range(STEPS):
        wide = log(high / low) if low else inf
        try:
            work = solved_point(system, np.where(grows, guess, 1.0), ROUNDS).work
        except FullPoolError as error:
            high, beyond = guess, error.name
            over = min(log(max(error.load, 1 + FINE)), FULLER)
            guess = min(high / max(error.load, 1.0), high) * (1 - MARGIN)
            if over == FULLER or guess <= low:
                guess = max(guess, sqrt(max(low, high / 16) * high))
            ends.note(high, error.name, error.load)
        else:
            name, load = fullest(work)
            ends.held(guess)
            low, center, fine = guess, name if work.settled else "", FINE if work.settled else ROUGH
            under = max(min(log(load), -FINE), -FULLER)
            guess = low * exp(-under) if under < -LITTLE else sqrt(low * high)
            guess = min(guess, high * (1 - MARGIN))
            if wide == inf or (high == bound and name == resource):  # first where no wait is in the way
                guess = bound * (1 - MARGIN)
            elif high == bound:
                guess, stride = min(guess, low * (1 + stride)), 2 * stride
        if high - low <= fine * high:
            break
        halved = wide == inf or log(high / low) < wide / 2
        told = ends.of(low, high, fine)
        if low and high < bound:  # on both sides: where the load is 1, if it grows as a power, or halfway
            part = min(max(under / (under - over), NEAR), 1 - NEAR) if halved else 0.5
            guess = low * (high / low) ** part
        if told and halved:
            guess = told
    return Capacity(low, resource if low > (1 - 2 * FINE) * bound else center or beyond)


class _Ends:
    """Where a center is just full, by its loads where it is too full: they grow as a power of the factor.

    Examples
    --------
    >>> ends = _Ends()
    >>> ends.note(2.0, "MXT", 4.0)
    >>> ends.note(1.5, "MXT", 2.25)
    >>> round(ends.of(0.0, 1.5, 0.01), 6)
    0.995
    """

    def __init__(self) -> None:
        self._center, self._factor, self._load, self._end = "", 0.0, 0.0, 0.0

    def note(self, factor: float, center: str, load: float) -> None:
        """A load above 1, at a lower factor than the last one."""
        now, power = log(max(load, 1 + TOLD)), 0.0
        if center == self._center and now < self._load and factor < self._factor:
            power = (self._load - now) / log(self._factor / factor)
        self._end = factor * exp(-now / power) if power > LEAST and load < inf else 0.0
        self._center, self._factor, self._load = center, factor, now

    def held(self, factor: float) -> None:
        """A factor that is held: where it is beyond the end, loads do not tell it, and begin anew."""
        if self._end and factor > self._end:
            self._center, self._end = "", 0.0

    def of(self, low: float, high: float, fine: float) -> float:
        """The factor to try next between two that are known: just below the end, or just above the lower one; 0 for none."""
        if low and low < self._end <= low * (1 + fine):
            return min(low * (1 + END * fine), high)
        found = self._end * (1 - fine / 2)
        return found if max(low, high / FARTHEST) < found < high else 0.0


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

"""The rows of a measured ladder: what is given, checked, sorted by load; and what they say about themselves."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from qnsolve.errors import ModelError
from qnsolve.measure.checked_series import Array, Values, matched, series
from qnsolve.model import checks

NOISE = 0.01  # standard deviation of a measured rate, where none is given or a smaller one [relative]
THINKING = 0.02  # share of the cycle N/X above which N/X - R is a think time
LONG, ROUGH = 0.1, 0.05  # share of the cycle that is a good part, and how far it may vary by noise [of a cycle]
UNLIKE = 0.05  # difference of R from N/X that a note reports
MOST_LOAD = 100_000
STEEPER = 1.15  # rate by load over the best one at lower loads that a note reports


@dataclass(frozen=True)
class LadderRows:
    """Checked rows, sorted by load; arrays of shape (n,), those not given None."""

    loads: Array
    rates: Array
    response_times: Array | None
    busy: Array | None
    noise: Array
    think_time: float
    response_ratio: float
    servers: int | None
    notes: tuple[str, ...]

    @property
    def shortest(self) -> float:
        """The shortest response of a row: measured where jobs think, for load/rate less a long think time is noise [time]."""
        if self.think_time and self.response_times is not None:
            return float(self.response_times.min()) / self.response_ratio
        return float((self.loads / self.rates).min()) - self.think_time


def rows(
    loads: Values,
    rates: Values,
    response_times: Values | None,
    busy: Values | None,
    servers: int | None,
    think_time: float | None,
    rate_deviations: Values | None,
) -> LadderRows:
    """The rows, checked."""
    n = checked_loads(loads)
    x = series("rates", rates, positive=True)
    given = {"loads": n, "rates": x}
    r = u = None
    if response_times is not None:
        given["response_times"] = r = series("response_times", response_times, positive=True)
    if busy is not None:
        given["busy"] = u = series("busy", busy, most=1.0)
    noise = np.full(len(x), NOISE)
    if rate_deviations is not None:
        given["rate_deviations"] = wide = series("rate_deviations", rate_deviations)
    matched(**given)
    if rate_deviations is not None:
        if (wide > x).any():
            i = int(np.argmax(wide > x))
            rule = f"must not be above the rate, {x[i]:.5g}"
            raise ModelError(
                f"rate_deviations, value {i + 1}", rule, "give the standard deviation in the unit of the rates", float(wide[i])
            )
        noise = np.maximum(noise, wide / x)
    if len(np.unique(n)) < 2:
        raise ModelError("loads", "must have two values that differ", "measure another load", float(n[0]))
    m = None if servers is None else checks.whole("servers", servers, least=1)
    if u is not None and m is None:
        raise ModelError("servers", "must be given with busy", "count the servers that are busy", servers)
    order = np.argsort(n, kind="stable")
    n, x, noise = n[order], x[order], noise[order]
    r, u = (None if column is None else column[order] for column in (r, u))
    think, ratio, notes = _response_law(n, x, r, think_time)
    notes += _steeper(n, x)
    return LadderRows(n, x, r, u, noise, think, ratio, m, tuple(notes))


def checked_loads(given: Values) -> Array:
    """Loads of measured rows, or of a prediction."""
    repair = f"take loads up to {MOST_LOAD}: jobs in the system at once, not users of a day"
    found = series("loads", given, positive=True, most=MOST_LOAD, repair=repair)
    if found.min() < 1:
        i = int(np.argmin(found))
        repair = "count users, connections, threads or processors"
        raise ModelError(f"loads, value {i + 1}", "must be 1 or more", repair, float(found[i]))
    return found


def _response_law(n: Array, x: Array, r: Array | None, given: float | None) -> tuple[float, float, list[str]]:
    """Think time, the ratio of the measured response to N/X - Z, and notes."""
    cycle = n / x
    think = 0.0 if given is None else checks.number("think_time", given)
    if think >= float(cycle.min()):
        rule = f"must be less than load/rate, here {cycle.min():.5g} at least (Little's law)"
        raise ModelError("think_time", rule, "check the units of time", given)
    if r is None:
        return think, 1.0, []
    notes = []
    if given is None:
        rest = float(np.median(cycle - r))
        if rest > THINKING * float(np.median(cycle)) and _is_added(cycle, r, rest):
            think = rest
            notes.append(f"load/rate is {rest:.4g} longer than the response: taken as think time (Little's law)")
    if think and _middle(np.abs(np.log((r + think) / cycle)), n) <= UNLIKE:
        return think, 1.0, notes  # a small rest of a cycle that is mostly thinking is noise
    ratios = r / (cycle - think) if given is not None or not think else (r + think) / cycle
    ratio = _middle(ratios, n)
    if think and abs(ratio - 1) < UNLIKE:
        ratio = 1.0
    off = int(np.argmax(np.abs(np.log(ratios))))
    if abs(ratio - 1) > UNLIKE:
        notes.append(f"responses are {ratio:.3g} times load/rate less think time: not one clock, or not all jobs")
    elif abs(ratios[off] - 1) > 2 * UNLIKE:
        notes.append(f"at load {n[off]:g} the response is {ratios[off]:.3g} times load/rate less think time (Little's law)")
    return think, ratio, notes


def _is_added(cycle: Array, r: Array, rest: float) -> bool:
    """Whether the responses are the cycles less one time, rather than a share of them.

    Rows at low loads show both as well, within their noise: a time of a good part of the cycle is then thinking, for a clock
    that is off by so much is rare.
    """
    added, share = float(np.std(np.log(cycle / (r + rest)))), float(np.std(np.log(r / cycle)))
    return added <= (max(share, ROUGH) if rest > LONG * float(np.median(cycle)) else share)


def _middle(values: Array, weights: Array) -> float:
    """The weighted median: ratios drift with the load, and the highest loads are nearest to what is predicted."""
    order = np.argsort(values, kind="stable")
    reached = np.cumsum(weights[order])
    return float(values[order][np.searchsorted(reached, reached[-1] / 2)])


def _steeper(n: Array, x: Array) -> list[str]:
    """A note where the rate grows faster than the load."""
    each = x / n
    best = np.maximum.accumulate(each)
    faster = each[1:] / best[:-1]
    worst = int(np.argmax(faster))
    if faster[worst] < STEEPER:
        return []
    times = f"{faster[worst]:.3g} times that at lower loads"
    return [f"at load {n[worst + 1]:g} the rate by load is {times}: a warm-up or a cold row"]

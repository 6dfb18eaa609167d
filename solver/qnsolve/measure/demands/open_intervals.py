"""Measured intervals of several classes: demands by regression, utilization and responses of other intervals."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from qnsolve.errors import ModelError, counted
from qnsolve.measure.checked_series import Array, Values, matched, series
from qnsolve.model import checks
from qnsolve.numerics.least_squares import nonnegative

from .stretched_responses import FULL, fitted_responses, stretch_of

NORMAL = 1.96  # standard deviations to either side, 19 of 20
ALIKE = 5.0  # variance inflation from which classes move together
UNLIKE = 0.05  # difference between two measures of one use that a note reports
SINGULAR = 1e-9  # singular value over the largest, of columns of length 1, below which the rows do not tell classes apart
ALMOST = 1e-6  # part of a class in such a sum that counts as none
WEAK = 0.5  # share of the variation explained below which a note says so


@dataclass(frozen=True)
class FittedDemand:
    """The demand of one class, or the use without any.

    Attributes
    ----------
    value : float
        [time], or [servers] for the use without work
    lowest, highest : float
        Interval of confidence, 19 of 20.
    inflation : float
        How many times the variance is what it would be if no other class moved along (variance inflation factor).
    """

    value: float
    lowest: float
    highest: float
    inflation: float


@dataclass(frozen=True)
class IntervalPrediction:
    """What fitted intervals say of others; arrays of shape (n,).

    Attributes
    ----------
    busy : ndarray
        Utilization of each server [0..1]; above 1 where they do not hold the rates.
    lowest_busy, highest_busy : ndarray
        Range in which a measured interval is expected, 19 of 20.
    response_times : dict of str to ndarray
        By class, where responses were fitted [time]; inf where the servers are full.
    """

    busy: Array
    lowest_busy: Array
    highest_busy: Array
    response_times: dict[str, Array]


@dataclass(frozen=True)
class IntervalFit:
    """Demands of classes from measured intervals.

    Attributes
    ----------
    demands : dict of str to FittedDemand
        D by class, 0 or more.
    base : FittedDemand
        Servers in use without any work.
    servers : int
        [count]
    explained : float
        Share of the variation of the utilization that the rates explain, R² [0..1].
    error : float
        Median error of the fitted utilizations, without sign [relative].
    deviation : float
        Standard deviation of what is left, servers in use [servers].
    responses : dict of str to (float, float)
        By class: time that does not grow with the utilization, and time that is stretched by it [time].
    captured : float or None
        Use charged to the work over use measured, where both are given.
    notes : tuple of str
    """

    demands: dict[str, FittedDemand]
    base: FittedDemand
    servers: int
    explained: float
    error: float
    deviation: float
    responses: dict[str, tuple[float, float]]
    captured: float | None
    notes: tuple[str, ...]

    def predict(self, rates: Mapping[str, Values]) -> IntervalPrediction:
        """Utilization and responses at other rates.

        Parameters
        ----------
        rates : mapping of str to sequence of float, shape (n,)
            By class, the classes that were fitted [jobs/time].
        """
        table = _table(rates)
        if set(table) != set(self.demands):
            rule = f"must have the classes of the fit: {', '.join(self.demands)}"
            raise ModelError("rates", rule, "name the same classes", ", ".join(table))
        used = np.full(len(next(iter(table.values()))), self.base.value)
        for name, each in self.demands.items():
            used += each.value * table[name]
        busy = used / self.servers
        around = NORMAL * self.deviation / self.servers
        stretch = stretch_of(np.minimum(busy, FULL), self.servers)
        responses = {
            name: np.where(busy < FULL, fixed + stretched * stretch, np.inf)
            for name, (fixed, stretched) in self.responses.items()
        }
        return IntervalPrediction(busy, np.maximum(busy - around, 0.0), busy + around, responses)


def fit_intervals(
    rates: Mapping[str, Values],
    busy: Values,
    servers: int = 1,
    *,
    response_times: Mapping[str, Values] | None = None,
    captured: Values | None = None,
) -> IntervalFit:
    """Demands of several classes from the utilization of intervals: U·m = base + Σ D·X, each number 0 or more.

    Parameters
    ----------
    rates : mapping of str to sequence of float, shape (n,)
        Rate of each class in each interval [jobs/time].
    busy : sequence of float, shape (n,)
        Utilization of each server in the same intervals [0..1].
    servers : int, default 1
        [count]
    response_times : mapping of str to sequence of float, shape (n,), optional
        Mean response of classes in the same intervals [time].
    captured : sequence of float, shape (n,), optional
        Servers' time that is charged to the work, in a unit of time [servers]; held against `busy`.

    Returns
    -------
    IntervalFit

    Raises
    ------
    ModelError
        Also where there are too few intervals: two more than classes are needed.

    Notes
    -----
    Least squares. Intervals of confidence take the intervals as independent. Where classes
    move together, `FittedDemand.inflation` is large: their sum is known, their parts are not. A response is a + b·s, with
    s the stretch of an M/M/m queue at the utilization that the rates give, 1/(1 - U) for one server; a and b have the least
    sum of errors without sign, so that a few odd intervals do not move them.

    Examples
    --------
    >>> fit = fit_intervals({"read": [10, 20, 30, 40], "write": [8, 2, 9, 1]}, [0.39, 0.31, 0.62, 0.48])
    >>> {name: round(each.value, 4) for name, each in fit.demands.items()}
    {'read': 0.01, 'write': 0.03}
    >>> fit.predict({"read": [50], "write": [5]}).busy.round(3)
    array([0.7])
    """
    table = _table(rates)
    m = checks.whole("servers", servers, least=1)
    used = series("busy", busy, most=1.0) * m
    matched(**table, busy=used)
    count, needed = len(used), len(table) + 2
    if count < needed:
        rule = f"must have {needed} intervals or more for {counted(len(table), 'class')}"
        raise ModelError("rates", rule, "add intervals or join classes", count)
    columns = np.column_stack([*table.values(), np.ones(count)])
    for column, name in zip(columns.T[:-1], table, strict=True):
        if not column.any():
            raise ModelError(f"rates[{name!r}]", "must not be 0 in every interval", "leave the class out", 0.0)
        if np.ptp(column) <= 1e-12 * float(column.max()):
            repair = "leave the class out: it is in the base"
            raise ModelError(f"rates[{name!r}]", "must differ between intervals", repair, float(column[0]))
    numbers = nonnegative(columns, used)
    left = used - columns @ numbers
    free = numbers > 0
    degrees = max(count - int(free.sum()), 1)
    deviation = float(np.sqrt(left @ left / degrees))
    student = deviation * (NORMAL + (NORMAL**3 + NORMAL) / (4 * degrees))
    spread = _spread(columns, free, student, used)
    fits = [
        FittedDemand(float(d), float(max(d - s, 0.0)), float(d + s), inflation)
        for d, s, inflation in zip(numbers, spread, [*_inflation(columns[:, :-1]), 1.0], strict=True)
    ]
    varied = float(np.sum((used - used.mean()) ** 2))
    explained = 1 - float(left @ left) / varied if varied else 0.0
    error = float(np.median(np.abs(left) / np.maximum(used, 1e-12 * float(used.max(initial=1e-300)))))
    responses = {} if response_times is None else fitted_responses(response_times, table, columns @ numbers / m, m)
    demands = dict(zip(table, fits, strict=False))
    share, notes = _charged(captured, used)
    return IntervalFit(
        demands, fits[-1], m, explained, error, deviation, responses, share, (*_said(demands, explained), *notes)
    )


def _table(rates: Mapping[str, Values]) -> dict[str, Array]:
    if not isinstance(rates, Mapping) or not rates:
        raise ModelError("rates", "must give the rates of each class", "write {'read': [10, 20, ...], ...}", rates)
    found = {checks.text("rates: class", name): series(f"rates[{name!r}]", values) for name, values in rates.items()}
    matched(**found)
    return found


def _spread(columns: Array, free: NDArray[np.bool_], row: float, used: Array) -> Array:
    """How far each number may be off if a row may by `row`; of one held at 0 as if it were free with those that are.

    Of classes whose rates are multiples of each other the rows say nothing but that none takes more than all.
    """
    found = np.empty(len(free))
    units = np.linalg.norm(columns, axis=0)
    _, sizes, sides = np.linalg.svd(columns / units, full_matrices=False)
    unknown = (np.abs(sides[sizes < SINGULAR * sizes[0]]) > ALMOST).any(axis=0)
    for i in range(len(free)):
        if unknown[i]:
            there = columns[:, i] > 0
            found[i] = float(np.min((used[there] + row) / columns[there, i]))
            continue
        with_it = free.copy()
        with_it[i] = True
        inverse = np.linalg.pinv((columns[:, with_it] / units[with_it]).T @ (columns[:, with_it] / units[with_it]))
        found[i] = row * np.sqrt(max(float(inverse[(place := int(with_it[:i].sum())), place]), 0.0)) / units[i]
    return found


def _inflation(columns: Array) -> list[float]:
    """1/(1 - R²) of each column by all the others."""
    centred = columns - columns.mean(axis=0)
    found = []
    for i in range(columns.shape[1]):
        own, others = centred[:, i], np.delete(centred, i, axis=1)
        rest = own - others @ np.linalg.lstsq(others, own, rcond=None)[0] if others.shape[1] else own
        found.append(float(min(own @ own / max(float(rest @ rest), 1e-300), 1e12)))
    return found


def _charged(captured: Values | None, used: Array) -> tuple[float | None, list[str]]:
    if captured is None:
        return None, []
    charged = series("captured", captured)
    matched(captured=charged, busy=used)
    share = float(charged.sum() / used.sum()) if used.any() else 1.0
    if abs(share - 1) <= UNLIKE:
        return share, []
    more = f"the servers are busy {1 / share:.3g} times the time that is charged to the work" if share else "nothing is charged"
    return share, [f"{more}: system and other work, or two clocks (capture ratio {share:.3g})"]


def _said(demands: Mapping[str, FittedDemand], explained: float) -> list[str]:
    together = [name for name, each in demands.items() if each.inflation > ALIKE]
    vague = [name for name, each in demands.items() if each.lowest == 0]
    notes = []
    if together:
        notes.append(f"classes {', '.join(together)} move together: the sum of their demands is known, the parts are not")
    if vague:
        notes.append(f"the rows do not distinguish the demand of {', '.join(vague)} from 0")
    if explained < WEAK:
        notes.append(f"the rates explain {100 * explained:.0f} % of the variation of the utilization")
    return notes

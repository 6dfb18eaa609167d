"""Quantiles of passage times: sums of exponential phases, and the gamma distribution. No difference of large terms."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np

from .bisection import halfway, narrowed
from .series import Array

FINE = 64  # a quantile is found to 2**−FINE of the mean
FAR = 7  # and up to 2**FAR means
MANY = 1e4  # shapes beyond which the cube root of a gamma variable is taken as normal


def series_quantile(rates: Array, enters: Array, share: float) -> float:
    """Quantile of a sum of independent exponential phases, some of them skipped.

    The survival function is a sum of a triangular matrix exponential's terms: powers of
    two of a first short step, by positive products only, diagonals known exactly. So equal
    rates, nearly equal ones and rates of any ratio keep their digits.

    Parameters
    ----------
    rates : ndarray (n,)
        ν of each phase [1/time].
    enters : ndarray (n,)
        Probability that it is not skipped.
    share : float
        Quantile sought, 0 < share < 1.

    Returns
    -------
    float
        t with P(T ≤ t) = share [time]; 0 where as many skip every phase.

    Examples
    --------
    >>> round(series_quantile(np.array([2.0, 2.0]), np.array([1.0, 1.0]), 0.95), 9)
    2.371932259
    """
    mean = float((enters / rates).sum())
    some = (enters > 0) & (1 / rates > mean * 2.0**-FINE)
    nu, p = rates[some], enters[some]
    n = len(nu)
    into = np.zeros((n + 1, n + 1))  # row i: from phase i − 1 (the start for 0) to each later one and to the end
    for i in range(n + 1):
        skipped = 1.0
        for j in range(i, n):
            into[i, j] = skipped * p[j]
            skipped *= 1 - p[j]
        into[i, n] = skipped
    nu = np.append(nu, 0.0)  # the end is absorbing
    step = mean * 2.0**-FINE
    powers = [_short_step(nu, np.vstack((into[1:], np.zeros(n + 1))), step)]
    for j in range(1, FINE + FAR):
        squared = powers[-1] @ powers[-1]
        np.fill_diagonal(squared, np.exp(-nu * step * 2.0**j))
        powers.append(squared)
    at, left = 0.0, into[0]
    for j in reversed(range(FINE + FAR)):
        after = left @ powers[j]
        if after[n] < share if share < 0.5 else after[:n].sum() > 1 - share:
            at, left = at + step * 2.0**j, after
    return at if at > step else 0.0


def _short_step(nu: Array, into: Array, step: float) -> Array:
    """exp(Q·step) where no phase is shorter than the step: Taylor's series of Q + max ν, positive."""
    fastest = float(nu.max())
    positive = (into * nu[:, None] + np.diag(fastest - nu)) * step
    total = term = np.eye(len(nu))
    for j in range(1, 30):
        term = term @ positive / j
        total = total + term
    total *= math.exp(-fastest * step)
    np.fill_diagonal(total, np.exp(-nu * step))
    return total


def gamma_quantile(mean: float, squared_variation: float, share: float) -> float:
    """Quantile of the gamma distribution with that mean and squared coefficient of variation.

    Examples
    --------
    >>> round(gamma_quantile(1.0, 1.0, 0.95), 9)
    2.995732274
    """
    if squared_variation == 0:
        return mean
    shape = 1 / squared_variation
    if shape > MANY:
        z = _root(lambda x: 0.5 * math.erfc(x / math.sqrt(2)) - (1 - share), -40.0, 40.0)
        return mean * (1 - 1 / (9 * shape) + z / (3 * math.sqrt(shape))) ** 3
    if share < 1e-3 or shape < 1e-3:  # far in the lower tail search in logarithms
        return mean / shape * math.exp(_root(lambda y: -_below(shape, math.exp(y)) + share, -700.0, 700.0))
    top = 1.0
    while _beyond(shape, top * shape) > 1 - share:
        top *= 2
    return mean * _root(lambda x: _beyond(shape, x * shape) - (1 - share), 0.0, top)


def _root(falling: Callable[[float], float], low: float, high: float) -> float:
    return halfway(*narrowed(lambda x: falling(x) > 0, low, high))


def _beyond(shape: float, x: float) -> float:
    """P(gamma > x), unit scale."""
    return 1 - _below(shape, x) if x < shape + 1 else _tail(shape, x)


def _below(shape: float, x: float) -> float:
    """P(gamma ≤ x), unit scale: a series of positive terms, or what the tail leaves."""
    if x <= 0:
        return 0.0
    if x >= shape + 1:
        return 1 - _tail(shape, x)
    total, term, j = 1.0, 1.0, 1
    while term > 1e-17 * total:
        term *= x / (shape + j)
        total, j = total + term, j + 1
    return total * math.exp(shape * math.log(x) - x - math.lgamma(shape + 1))


def _tail(shape: float, x: float) -> float:
    """P(gamma > x), x ≥ shape + 1: Legendre's continued fraction from its front."""
    b = x + 1 - shape
    c, d = 1e300, 1 / b
    h, factor, j = d, 0.0, 0
    while abs(factor - 1) >= 1e-16:
        j += 1
        a = -j * (j - shape)
        b += 2
        d = 1 / (a * d + b)
        c = b + a / c
        factor = c * d
        h *= factor
    return h * math.exp(shape * math.log(x) - x - math.lgamma(shape)) if x < 1e300 else 0.0

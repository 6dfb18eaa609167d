"""Fixed points of many problems at once: accelerated iteration, then damped iteration."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from .series import Array

TINY = 1e-300

WINDOW = 12
FAST = 400  # accelerated steps before plain damped ones are tried
STEPS = 20_000  # of one damped attempt
FAR = 0.3  # largest distance of an accelerated step from the plain one, in logs; more leads to other fixed points
SMALL = 0.01  # below this differences of logs are approximated by relative ones, which is faster
DAMPINGS = (0.3, 0.05)
RIDGE = 1e-12 * np.eye(WINDOW)

Step = Callable[[Array, NDArray[np.intp]], Array]


class NotConvergedError(ArithmeticError):
    """An iteration did not converge; `residual` is that of its last step."""

    def __init__(self, residual: float) -> None:
        super().__init__("the iteration did not converge")
        self.residual = residual


@dataclass(frozen=True)
class Found:
    """Fixed points of B problems.

    Attributes
    ----------
    value : ndarray (B, ...)
    converged : ndarray (B,) of bool
    residual, damping : ndarray (B,)
        Largest relative change of the last step; the share of a plain step taken, 1 without damping.
    steps : int
    """

    value: Array
    converged: NDArray[np.bool_]
    residual: Array
    damping: Array
    steps: int


def fixed_point(step: Step, start: Array, tolerance: float, rough: bool = False) -> Found:
    """Solve x = step(x), x ≥ 0, for B problems along the first axis.

    Each step combines the last ones so that their changes cancel as far as
    possible (Anderson). Problems that have converged drop out. Those that do not converge start again
    with damped steps.

    Parameters
    ----------
    step : callable
        step(x of some, which) gives their next x, an array of its own.
    start : ndarray (B, ...)
    tolerance : float
        Of the relative change of x.
    rough : bool
        For a starting point only: no damped steps where it does not converge.

    References
    ----------
    [Anderson1965].
    """
    value = start.copy()
    residual, damping = np.full(len(start), np.inf), np.ones(len(start))
    left, used = _accelerated(step, value, residual, np.arange(len(start)), tolerance)
    for share in () if rough else DAMPINGS:
        if len(left) == 0:
            break
        value[left], damping[left] = start[left], share
        left, more = _damped(step, value, residual, left, tolerance, share)
        used += more
    converged = np.ones(len(start), dtype=bool)
    converged[left] = False
    return Found(value, converged, residual, damping, used)


def _damped(
    step: Step, value: Array, residual: Array, left: NDArray[np.intp], tolerance: float, share: float
) -> tuple[NDArray[np.intp], int]:
    """Damped steps; returns the problems left, and the number of steps."""
    count = 0
    while len(left) and count < STEPS:
        old = value[left]
        new = step(old, left)
        count += 1
        change = np.abs(new - old) / np.maximum(old, TINY)
        residual[left] = change.reshape(len(left), -1).max(axis=1, initial=0.0)
        done = residual[left] < tolerance
        value[left] = np.where(done.reshape(-1, *[1] * (new.ndim - 1)), new, old + share * (new - old))
        left = left[~done]
    return left, count


def _accelerated(
    step: Step, value: Array, residual: Array, left: NDArray[np.intp], tolerance: float
) -> tuple[NDArray[np.intp], int]:
    """Accelerated steps in ln x, at most FAST, so that x stays above 0; returns the problems left, and the number of steps."""
    flat = value.reshape(len(value), -1)
    x = flat[left]
    sums, changes = (np.zeros((len(left), WINDOW, flat.shape[1])) for _ in range(2))
    gram = np.zeros((len(left), WINDOW, WINDOW))
    best = np.full(len(left), np.inf)
    mixed = last_f = np.zeros_like(x)
    for count in range(FAST):
        new = step(x.reshape(len(left), *value.shape[1:]), left).reshape(x.shape)
        f = new + TINY
        x += TINY
        f /= x
        f -= 1
        now = _logs(np.log1p, f, _size(f))
        residual[left] = now
        done = now < tolerance
        if done.any():
            flat[left[done]] = new[done]
            keep = ~done
            left = left[keep]
            new, f, now, best = (a[keep] for a in (new, f, now, best))
            sums, changes, gram, mixed, last_f = (a[keep] for a in (sums, changes, gram, mixed, last_f))
            if len(left) == 0:
                return left, count + 1
        x = new
        if count:
            slot = count % WINDOW
            np.add(mixed, f, out=sums[:, slot])  # from one plain step to the next: ln(x/last) + ln(new/x)
            np.subtract(f, last_f, out=changes[:, slot])
            lost = now > 4 * best  # diverging: restart the acceleration
            if lost.any():
                sums[lost], changes[lost], gram[lost], best[lost] = 0.0, 0.0, 0.0, now[lost]
            row = (changes @ changes[:, slot, :, None])[:, :, 0]
            gram[:, slot], gram[:, :, slot] = row, row
            mixed = (sums.swapaxes(1, 2) @ -_weights(gram, changes @ f[:, :, None]))[:, :, 0]
            size = _size(mixed)
            if (size > FAR).any():
                np.clip(mixed, -FAR, FAR, out=mixed)
            x = mixed.copy()
            _logs(np.expm1, x, size)
            x *= new
            x += new
        best = np.minimum(best, now)
        last_f = f
    flat[left] = x
    return left, FAST


def _size(change: Array) -> Array:
    """Largest magnitude in each problem."""
    return np.maximum(change.max(axis=1), -change.min(axis=1))


def _logs(function: np.ufunc, change: Array, size: Array) -> Array:
    """Apply log1p or expm1 in place to the problems whose changes are not all small, where it is the change itself.

    Gives the largest magnitudes after that, from those before.
    """
    large = size > SMALL
    if not large.any():
        return size
    if large.all():
        function(change, out=change)
    else:
        change[large] = function(change[large])
    return _size(change)


def _weights(gram: Array, right: Array) -> Array:
    """Least squares from the normal equations, columns scaled; 0 for an empty one. Shapes (B, W, W), (B, W, 1)."""
    diagonal = np.einsum("bii->bi", gram)[:, :, None]
    scale = 1 / np.sqrt(diagonal + (diagonal == 0))
    scaled = gram * scale
    scaled *= scale.swapaxes(1, 2)
    scaled += RIDGE
    return scale * np.linalg.solve(scaled, scale * right)

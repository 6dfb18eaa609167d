"""Approximate mean value analysis: Bard-Schweitzer and Linearizer, for any populations and speeds."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

import numpy as np

from .closure import Closure
from .measures import Measures
from .series import Array, trim

TOLERANCE = 1e-9  # share of a class at a station
ROUNDS = 100  # of the Linearizer
STEPS = 20_000  # of one fixed point


class NotConvergedError(ArithmeticError):
    """An iteration did not reach its tolerance; `residual` is what it reached."""

    def __init__(self, residual: float) -> None:
        super().__init__("the iteration did not converge")
        self.residual = residual


def amva(population: Array, think_time: Array, demand: Array, speeds: Sequence[Array | None], linearize: bool) -> Measures:
    """Approximate mean values of a closed network.

    A job of class s meets A_sk = Σ_r (N_r − [r = s])·(Q_rk/N_rk + F_rks) others at station
    k and stays D_sk times the stretch of A_sk (`Closure`). Bard-Schweitzer takes F = 0; the
    Linearizer takes F from the same equations with one job less of each class, until F
    repeats itself.

    Parameters
    ----------
    population, think_time : ndarray (R,)
        N [jobs], each 1 or more, and Z [time].
    demand : ndarray (R, K)
        D [time].
    speeds : sequence (K,) of ndarray or None
    linearize : bool
        Linearizer; Bard-Schweitzer otherwise.

    Returns
    -------
    Measures
        `iterations` counts the steps of all fixed points.

    Raises
    ------
    NotConvergedError
        With the residual, where damped steps do not converge either.

    References
    ----------
    [Schweitzer1979], [Chandy1982].
    """
    classes = len(population)
    most = population @ (demand > 0)
    meetings = [
        None if s is None or not most[k] else Closure(trim(s, int(most[k])), int(most[k])) for k, s in enumerate(speeds)
    ]
    sizes = population[None, :]
    if linearize:  # the whole population, then with one job less of each class
        sizes = np.maximum(np.vstack((population, population - np.eye(classes))), 0.0)
    length = sizes[:, :, None] * (demand > 0) / np.maximum((demand > 0).sum(axis=1), 1)[:, None]
    bend = np.zeros((classes, demand.shape[1], classes))  # F[r, k, s]
    steps = 0
    for _ in range(ROUNDS if linearize else 1):
        length, residence, used = _fixed_point(sizes, think_time, demand, meetings, bend, length)
        steps += used
        if not linearize:
            break
        share = length * _inverse(sizes)[:, :, None]
        new = np.transpose(share[1:] - share[0], (1, 2, 0)) * (sizes[1:].T > 0)[:, None, :]
        moved = float(np.abs(new - bend).max(initial=0.0))
        bend = new
        if moved < 10 * TOLERANCE:
            break
    else:
        raise NotConvergedError(moved)
    top = np.array([np.inf if s is None else s.max() for s in speeds])
    stay = within_capacity(population, think_time, demand / top, residence[0])
    rate = population / (think_time + stay.sum(axis=1))
    jobs = rate[:, None] * stay
    distribution = partial(_distribution, jobs.sum(axis=0), meetings, int(population.sum()))
    return Measures(rate, jobs, stay, distribution, steps)


def within_capacity(population: Array, think_time: Array, pressure: Array, residence: Array) -> Array:
    """Residence times, raised at a station that would be more than fully busy until it is just that.

    The Linearizer passes full use by up to 0.2 % where a station saturates. `pressure` is
    the demand over the station's highest speed.
    """
    residence = residence.copy()
    for _ in range(20 * residence.shape[1]):
        cycle = think_time + residence.sum(axis=1)
        busy = (population / cycle) @ pressure
        k = int(busy.argmax())
        if busy[k] <= 1:
            break
        low, high = 0.0, 1.0
        while (population / (cycle + high * residence[:, k])) @ pressure[:, k] > 1:
            low, high = high, 2 * high
        for _ in range(60):
            more = (low + high) / 2
            full = (population / (cycle + more * residence[:, k])) @ pressure[:, k] > 1
            low, high = (more, high) if full else (low, more)
        residence[:, k] *= 1 + high
    return residence


def _fixed_point(
    sizes: Array, think_time: Array, demand: Array, meetings: list[Closure | None], bend: Array, start: Array
) -> tuple[Array, Array, int]:
    """Queue lengths and residence times at all population vectors, shapes (P, R, K); steps taken.

    Damped where plain steps do not converge.
    """
    inverse = _inverse(sizes)[:, :, None]
    shift = np.einsum("pr,rks->psk", sizes, bend) - np.einsum("sks->sk", bend)
    alone = np.array([1.0 if m is None else 1 / m.speeds[0] for m in meetings])  # stretch of a job alone
    grows = np.array([1 / m.speeds[0] if m is not None and m.single else 0.0 for m in meetings])  # and a job met
    curved = [(k, m) for k, m in enumerate(meetings) if m is not None and not m.single]
    moved = np.inf
    for damping in (1.0, 0.3, 0.05):
        length = start
        for step in range(1, STEPS + 1):
            others = length.sum(axis=1)[:, None, :] - length * inverse
            others += shift
            np.maximum(others, 0.0, out=others)
            stretch = others * grows
            stretch += alone
            for k, meeting in curved:
                stretch[:, :, k] = meeting.stretch(others[:, :, k])
            stretch *= demand
            new = stretch * (sizes / (think_time + stretch.sum(axis=2)))[:, :, None]
            moved = float(np.abs((new - length) * inverse).max(initial=0.0))
            if moved < TOLERANCE:
                return new, stretch, step
            length = new if damping == 1.0 else length + damping * (new - length)
    raise NotConvergedError(moved)


def _inverse(sizes: Array) -> Array:
    return np.divide(1.0, sizes, out=np.zeros_like(sizes), where=sizes > 0)


def _distribution(length: Array, meetings: list[Closure | None], jobs: int, k: int) -> Array:
    """P(n jobs at station k), closed on its mean."""
    meeting = meetings[k] or Closure(np.arange(1.0, jobs + 1), jobs)
    p = np.zeros(jobs + 1)
    some = meeting.distribution(float(length[k])) if length[k] > 0 else np.ones(1)
    p[: len(some)] = some
    return p

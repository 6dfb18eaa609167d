"""Approximate mean value analysis: Bard-Schweitzer, AQL and Linearizer, for any populations and speeds."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial

import numpy as np
from numpy.typing import NDArray

from qnsolve.methods.measures import Measures
from qnsolve.numerics.fixed_point import Found, NotConvergedError, fixed_point
from qnsolve.numerics.series import Array

from .highest_rates import within_capacity
from .mva_step import MvaStep, meetings_of, spread
from .queue_seen import closed_on
from .saddle_point import saddle_point

TOLERANCE = 1e-11  # change of a queue length, over one job and itself
RULES = ("schweitzer", "aql", "linearizer")
LARGE = 200  # jobs from which the iteration starts at a saddle point
ROUNDS = 30  # most iterations of the stations' shapes
SHAPED = 1e-8  # change of a share at which they have converged
ROUGH = 1e-4  # tolerance of the Bard-Schweitzer solution that the other rules start from


def amva(population: Array, think_time: Array, demand: Array, speeds: Sequence[Array | None], rule: str) -> Measures:
    """Approximate mean values of a closed network.

    Parameters
    ----------
    population, think_time : ndarray (R,)
        N [jobs], each 1 or more, and Z [time].
    demand : ndarray (R, K)
        D [time].
    speeds : sequence (K,) of ndarray or None
    rule : {"schweitzer", "aql", "linearizer"}

    Returns
    -------
    Measures
        `iterations` counts the steps of the fixed point; `notes` names damping where it was needed.

    Raises
    ------
    NotConvergedError
        With the residual, where damped iteration does not converge either.

    References
    ----------
    [Schweitzer1979], [Zahorjan1988], [Chandy1982].
    """
    each = [[s] for s in speeds]
    many = amva_many(population[None], think_time[None], demand[None], each, rule)
    if not many.converged[0]:
        raise NotConvergedError(float(many.residual[0]))
    jobs = many.queue_length[0]
    distribution = partial(closed_on, jobs.sum(axis=0), population @ (demand > 0), speeds)
    return Measures(many.throughput[0], jobs, many.residence_time[0], distribution, many.steps, many.notes(0))


class Many:
    """Approximate mean values of B networks: arrays with a leading axis, and the convergence of each.

    Attributes
    ----------
    throughput : ndarray (B, R)
    queue_length, residence_time : ndarray (B, R, K)
    converged : ndarray (B,) of bool
    residual, damping : ndarray (B,)
        Of the last step; the share of a step that was taken, 1 where no damping was needed.
    steps : int
        Of the fixed point, all networks at once.
    """

    def __init__(self, rate: Array, stay: Array, found: tuple[NDArray[np.bool_], Array, Array, int]) -> None:
        self.throughput, self.residence_time = rate, stay
        self.queue_length = rate[..., None] * stay
        self.converged, self.residual, self.damping, self.steps = found

    def notes(self, b: int) -> tuple[str, ...]:
        """A note on the damping that a network needed."""
        return () if self.damping[b] == 1 else (f"converged with damping only: {self.damping[b]:g} of each step taken",)


def amva_many(population: Array, think_time: Array, demand: Array, speeds: Sequence[Sequence[Array | None]], rule: str) -> Many:
    """Approximate mean values of B closed networks of one shape, all at once.

    A job of class s meets A_sk others at station k and stays D_sk times the stretch of
    A_sk (`Closure`). With Q(n) the queue lengths at population n and q = Q_r/n_r,

    * Bard-Schweitzer: A_sk = Σ_r Q_rk − q_sk, at the whole population N alone;
    * Linearizer: A_sk(N) = Σ_r Q_rk(N − e_s), and at n = N − e_q a class's q moves with
      one job less of class s as it does at N;
    * AQL: the same, for the share of all jobs in place of each class's.

    Parameters
    ----------
    population, think_time : ndarray (B, R)
        N [jobs], 1 or more, or 0 for an absent class; Z [time].
    demand : ndarray (B, R, K)
        D [time].
    speeds : sequence (K,) of sequences (B,) of ndarray or None
        A sequence of one stands for all B.
    rule : {"schweitzer", "aql", "linearizer"}

    Returns
    -------
    Many
    """
    shares, far = _start(population, think_time, demand, speeds)
    if rule != "schweitzer" and len(far):
        own = [per if len(per) == 1 else [per[b] for b in far] for per in speeds]
        step = MvaStep(
            population[far, None], think_time[far], demand[far], meetings_of(population[far], demand[far], own), "schweitzer"
        )
        found = fixed_point(step, step.sizes[..., None] * shares[far, None], ROUGH, rough=True)
        shares[far] = found.value[:, 0] * step.inverse[:, 0]
    sizes = population[:, None, :]
    if rule != "schweitzer":  # the whole population, then with one job less of each class
        sizes = np.concatenate((sizes, np.maximum(sizes - np.eye(population.shape[1]), 0.0)), axis=1)
    step = MvaStep(sizes, think_time, demand, meetings_of(population, demand, speeds), rule)
    found = _shaped(step, fixed_point(step, sizes[..., None] * shares[:, None], TOLERANCE))
    stay = step.residence(found.value, slice(None))[:, 0]
    top = np.array([[np.inf if s is None else s.max() for s in per] for per in zip(*spread(speeds, len(demand)), strict=True)])
    with np.errstate(divide="ignore", invalid="ignore"):
        rate = population / (think_time + stay.sum(axis=2))
    rate[population == 0] = 0.0
    pressure = demand / top[:, None, :]
    for b in np.flatnonzero((np.einsum("br,brk->bk", rate, pressure) > 1).any(axis=1)):
        stay[b] = within_capacity(population[b], think_time[b], pressure[b], stay[b])
        rate[b] = np.where(population[b] > 0, population[b] / (think_time[b] + stay[b].sum(axis=1)), 0.0)
    return Many(rate, stay, (found.converged, found.residual, found.damping, found.steps))


def _shaped(step: MvaStep, found: Found) -> Found:
    """The fixed point with stations' shapes that agree with the rest of each network."""
    value, converged = found.value.copy(), found.converged.copy()
    residual, damping = found.residual.copy(), found.damping.copy()
    steps, left = found.steps, np.flatnonzero(converged & step.bent)
    for _ in range(ROUNDS):
        if len(left) == 0:
            break
        before = value[left, 0] * step.inverse[left, 0]
        step.shape(value[left], left)
        again = fixed_point(_of(step, left), value[left], TOLERANCE)
        value[left], steps = again.value, steps + again.steps
        damping[left] = np.minimum(damping[left], again.damping)
        moved = np.abs(value[left, 0] * step.inverse[left, 0] - before).max(axis=(1, 2))
        residual[left] = np.where(again.converged, moved, again.residual)
        converged[left] = again.converged & (moved < SHAPED)
        left = left[again.converged & (moved >= SHAPED)]
    return Found(value, converged, residual, damping, steps)


def _of(step: MvaStep, chosen: NDArray[np.intp]) -> Callable[[Array, NDArray[np.intp]], Array]:
    return lambda length, some: step(length, chosen[some])


def _start(
    population: Array, think_time: Array, demand: Array, speeds: Sequence[Sequence[Array | None]]
) -> tuple[Array, NDArray[np.intp]]:
    """The initial share of each class at each station, and the networks for which these are equal shares.

    With many jobs they are those of a saddle point, because plain steps would converge slowly.
    """
    visited = demand > 0
    shares = visited / np.maximum(visited.sum(axis=2), 1)[:, :, None]
    every = spread(speeds, len(demand))
    far = population.sum(axis=1) <= LARGE
    for b in np.flatnonzero(~far):
        some = population[b] > 0
        try:
            near = saddle_point(population[b, some], think_time[b, some], demand[b, some], [s[b] for s in every])
        except ArithmeticError:
            far[b] = True
            continue
        shares[b, some] = near.queue_length / population[b, some, None]
    return shares, np.flatnonzero(far)

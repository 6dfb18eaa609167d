"""Approximate mean value analysis: Bard-Schweitzer, AQL and Linearizer, for any populations and speeds."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial

import numpy as np
from numpy.typing import NDArray

from .acceleration import Found, NotConvergedError, fixed_point
from .capacity import within_capacity
from .closure import SMALL, Closure, closed_on, closure, rest_of_network
from .measures import Measures
from .saddle import saddle_point
from .series import Array, trim

TOLERANCE = 1e-11  # change of a queue length, over one job and itself
RULES = ("schweitzer", "aql", "linearizer")
LARGE = 200  # jobs from which a saddle point is where to start
ROUNDS = 30  # of the stations' shapes
SHAPED = 1e-8  # change of a share that ends them
ROUGH = 1e-4  # of the start that the others take from Bard-Schweitzer


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
        `iterations` counts the steps of the fixed point; `notes` names damping where it took any.

    Raises
    ------
    NotConvergedError
        With the residual, where damped steps do not converge either.

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
    """Approximate mean values of B networks: arrays with a leading axis, and how each was reached.

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
        """Names the damping that a network needed."""
        return (
            () if self.damping[b] == 1 else (f"accelerated steps did not converge; {self.damping[b]:g} of each plain step did",)
        )


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
        N [jobs], 1 or more, or 0 for a class that is not there; Z [time].
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
        step = _Step(
            population[far, None], think_time[far], demand[far], _meetings(population[far], demand[far], own), "schweitzer"
        )
        found = fixed_point(step, step.sizes[..., None] * shares[far, None], ROUGH, rough=True)
        shares[far] = found.value[:, 0] * step.inverse[:, 0]
    sizes = population[:, None, :]
    if rule != "schweitzer":  # the whole population, then with one job less of each class
        sizes = np.concatenate((sizes, np.maximum(sizes - np.eye(population.shape[1]), 0.0)), axis=1)
    step = _Step(sizes, think_time, demand, _meetings(population, demand, speeds), rule)
    found = _shaped(step, fixed_point(step, sizes[..., None] * shares[:, None], TOLERANCE))
    stay = step.residence(found.value, slice(None))[:, 0]
    top = np.array([[np.inf if s is None else s.max() for s in per] for per in zip(*_spread(speeds, len(demand)), strict=True)])
    with np.errstate(divide="ignore", invalid="ignore"):
        rate = population / (think_time + stay.sum(axis=2))
    rate[population == 0] = 0.0
    pressure = demand / top[:, None, :]
    for b in np.flatnonzero((np.einsum("br,brk->bk", rate, pressure) > 1).any(axis=1)):
        stay[b] = within_capacity(population[b], think_time[b], pressure[b], stay[b])
        rate[b] = np.where(population[b] > 0, population[b] / (think_time[b] + stay[b].sum(axis=1)), 0.0)
    return Many(rate, stay, (found.converged, found.residual, found.damping, found.steps))


def _shaped(step: _Step, found: Found) -> Found:
    """The fixed point at which the stations' shapes are those that the rest of each network gives them."""
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


def _of(step: _Step, chosen: NDArray[np.intp]) -> Callable[[Array, NDArray[np.intp]], Array]:
    return lambda length, some: step(length, chosen[some])


def _start(
    population: Array, think_time: Array, demand: Array, speeds: Sequence[Sequence[Array | None]]
) -> tuple[Array, NDArray[np.intp]]:
    """The share of each class at each station to start from, and the networks for which it is no more than equal shares.

    With many jobs it is that of a saddle point, where plain steps would move by one job at a time.
    """
    visited = demand > 0
    shares = visited / np.maximum(visited.sum(axis=2), 1)[:, :, None]
    every = _spread(speeds, len(demand))
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


def _spread(speeds: Sequence[Sequence[Array | None]], count: int) -> list[list[Array | None]]:
    return [list(per) * count if len(per) == 1 else list(per) for per in speeds]


Meetings = list[list[Closure | None]]  # (K,) of (1,) or (B,)


def _meetings(population: Array, demand: Array, speeds: Sequence[Sequence[Array | None]]) -> Meetings:
    """What jobs meet at each station of each network; one entry where it is the same in all."""
    most = np.einsum("br,brk->bk", population, demand > 0)
    meetings: Meetings = []
    for k, per in enumerate(_spread(speeds, len(demand))):
        own = [
            None if s is None or not n or (len(s) == 1 and not s[0]) else closure(trim(s, n).tobytes(), n if len(s) > 1 else 1)
            for s, n in zip(per, most[:, k].astype(int).tolist(), strict=True)
        ]
        meetings.append(own)
    return meetings


class _Step:
    """One step of the fixed point: queue lengths at all population vectors, shape (B, P, R, K), to the next ones."""

    def __init__(self, sizes: Array, think_time: Array, demand: Array, meetings: Meetings, rule: str) -> None:
        self.sizes, self.rule = sizes, rule
        self.think_time, self.demand = think_time[:, None, :], demand[:, None]
        self.inverse = np.divide(1.0, sizes, out=np.zeros_like(sizes), where=sizes > 0)[..., None]
        self.jobs = sizes.sum(axis=2)  # (B, P)
        first = [[1.0 if m is None else 1 / m.speeds[0] for m in per] for per in meetings]
        grows = [[1 / m.speeds[0] if m is not None and m.single else 0.0 for m in per] for per in meetings]
        self.alone = np.array(first).T[:, None, None, :]  # stretch of a job alone
        self.grows = np.array(grows).T[:, None, None, :]  # and of each job met
        # what each class meets, by station and network, where the mean alone does not tell it
        self.curved = {
            k: {b: [m] * sizes.shape[2] for b, m in enumerate(per) if m is not None and not m.single}
            for k, per in enumerate(meetings)
        }
        self.bent = np.zeros(len(sizes), dtype=bool)
        for users in self.curved.values():
            self.bent[[b for b, met in users.items() if met[0].most <= SMALL]] = True

    def __call__(self, length: Array, chosen: slice | NDArray[np.intp]) -> Array:
        """The next queue lengths of the chosen networks."""
        stretch = self.residence(length, chosen)
        cycle = self.think_time[chosen] + stretch.sum(axis=3)
        rate = np.divide(self.sizes[chosen], cycle, out=cycle, where=cycle > 0)
        stretch *= rate[..., None]
        return stretch

    def residence(self, length: Array, chosen: slice | NDArray[np.intp]) -> Array:
        """Residence times of the chosen networks."""
        others = self._others(length, chosen)
        np.maximum(others, 0.0, out=others)
        stretch = others * self.grows[chosen]
        stretch += self.alone[chosen]
        every = np.arange(len(self.sizes))[chosen].tolist()
        for k, users in self.curved.items():
            if users:
                for i, b in enumerate(every):
                    for r, meeting in enumerate(users.get(b, ())):
                        stretch[i, :, r, k] = meeting.stretch(others[i, :, r, k])
        stretch *= self.demand[chosen]
        return stretch

    def shape(self, length: Array, chosen: NDArray[np.intp]) -> None:
        """Give the stations of the chosen networks the shapes that follow from where their jobs are.

        The power g of `Closure` is the root of the share of jobs elsewhere that are thinking or in service: of the
        powers of that share tried, the one with the smallest errors.
        """
        residence = self.residence(length, chosen)[:, 0]
        length = length[:, 0]
        demand, sizes = self.demand[chosen, 0], self.sizes[chosen, 0]
        rates = sizes / np.maximum(self.think_time[chosen, 0] + residence.sum(axis=2), 1e-300)
        for i, b in enumerate(chosen.tolist()):
            share = length[i] * self.inverse[b, 0]
            here = [k for k, users in self.curved.items() if b in users]
            alone = self.alone[b if len(self.alone) > 1 else 0, 0, 0]
            thinking = sizes[i] - length[i].sum(axis=1)
            served = np.minimum(rates[i, :, None] * demand[i] * alone, length[i])
            for k in here:
                users = self.curved[k]
                visits = demand[i, :, k] > 0
                elsewhere = float((sizes[i] - length[i, :, k])[visits].sum())
                at_work = float((thinking + served.sum(axis=1) - served[:, k])[visits].sum())
                power = min(1.0, at_work / elsewhere) ** 0.5 if elsewhere > 0 else 1.0
                old = users[b]
                if old[0].most > SMALL:
                    continue
                users[b] = [
                    Closure(old[0].speeds, old[0].most, rest_of_network((sizes[i] - one) * visits, share[:, k], power))
                    if visits[r] and sizes[i, r] > 0
                    else old[r]
                    for r, one in enumerate(np.eye(len(visits)))
                ]

    def _others(self, length: Array, chosen: slice | NDArray[np.intp]) -> Array:
        """A_sk at each population vector, (B, P, R, K)."""
        total = length.sum(axis=2)
        if self.rule == "schweitzer":
            return total[:, :, None, :] - length * self.inverse[chosen]
        others = np.empty_like(length)
        others[:, 0] = total[:, 1:]  # at N: what is there with one job of the class less
        if self.rule == "aql":
            jobs = self.jobs[chosen]
            share = total / np.maximum(jobs, 1)[..., None]
            others[:, 1:] = share[:, 1:, None] + (share[:, 1:] - share[:, :1])[:, None]
            others[:, 1:] *= np.maximum(jobs[:, 1:] - 1, 0)[..., None, None]
            return others
        share = length * self.inverse[chosen]
        shift = total[:, 1:] - total[:, :1] + share[:, 0]  # Σ_r N_r·F_rks − F_sks, of class s
        part = others[:, 1:]
        np.subtract(total[:, 1:, None], share[:, 1:], out=part)
        part += shift[:, None]
        part -= (share[:, 1:] - share[:, :1]).swapaxes(1, 2)  # F_qks
        return others

"""Closed networks of any size by a saddle point: the open network with the same mean number of jobs, and a correction."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

import numpy as np

from qnsolve.methods.measures import Measures
from qnsolve.numerics.series import Array, no_queueing, trim, weights

from .highest_rates import within_capacity
from .queue_seen import closed_on

STEPS = 60
RAISED = "less accurate for a class of few jobs: its residence time was raised to its demand, the lower bound"
LOOSE = 0.3  # idle share of a station's speed, above which its stretch is far from its pole
JAMMED = 1e9  # a step so far beyond the bounds does not converge
STAGE = 4  # growth of the populations from one saddle point to the next
NEAR = 1e-8  # relative step that ends the iteration, which converges quadratically


def saddle_point(population: Array, think_time: Array, demand: Array, speeds: Sequence[Array | None]) -> Measures:
    """Approximate mean values of a closed network, at a cost that does not depend on the populations.

    The normalising constant is G = [z^N] exp(Σ Z_r·z_r)·Π_k F_k(Σ D_rk·z_r), with F_k the
    series of station k. Its integrand has its saddle at the rates X* at which the open
    network holds N jobs in the mean, and ln G = φ − ½ ln det H + …, with φ = Σ Z·X + Σ ln F_k − N·ln X there
    and H the covariance of the open network's jobs by class. Queue lengths are the
    derivatives of ln G by ln D_rk: those of the open network, and from det H a correction by
    the third cumulants. What is left out falls as 1/N² at the throughput.

    Parameters
    ----------
    population, think_time : ndarray (R,)
        N [jobs], each 1 or more, and Z [time].
    demand : ndarray (R, K)
        D [time].
    speeds : sequence (K,) of ndarray or None

    Returns
    -------
    Measures
        `iterations` counts Newton's steps.

    Raises
    ------
    ArithmeticError
        Where the correction is too large, with too few jobs.

    References
    ----------
    [Daniels1954] for the expansion, [BCMP1975] for what is expanded.
    """
    most = population @ (demand > 0)
    queues = {k: trim(s, int(most[k])) for k, s in enumerate(speeds) if s is not None and most[k]}
    queues = {k: s for k, s in queues.items() if not no_queueing(s, int(most[k]))}
    delays = [k for k in range(demand.shape[1]) if k not in queues]
    outside = think_time + demand[:, delays].sum(axis=1)
    rate, inside, covariance, steps = _saddle(population, outside, demand[:, list(queues)], list(queues.values()))
    try:
        inverse = np.linalg.inv(covariance)
    except np.linalg.LinAlgError as error:
        raise ArithmeticError("the jobs of some classes do not vary on their own") from error
    share, mean, variance, skew = inside
    # g_w = Σ_st H⁻¹_st·∂H_st/∂ln X_w, by station, and of all that is outside
    drift = share * mean * np.diag(inverse)
    crossed = share @ inverse
    own = (share * crossed).sum(axis=1, keepdims=True)
    drift += (variance - mean) * (share @ np.diag(inverse)[:, None] * share + 2 * share * crossed)
    drift += (skew - 3 * variance + 2 * mean) * own * share
    total = drift.sum(axis=0) + outside * rate * np.diag(inverse)
    pull = 0.5 * inverse @ total
    throughput = rate * (1 - 0.5 * np.diag(inverse) + pull)
    queue_length = throughput[:, None] * demand
    own_part = mean * share * pull + (variance - mean) * share * (share @ pull)[:, None]
    lengths = mean * share - 0.5 * drift + own_part
    queue_length[:, list(queues)] = lengths.T
    if not ((throughput > 0) & (queue_length >= 0).all(axis=1)).all():
        raise ArithmeticError("too few jobs for an expansion in their number")
    residence = queue_length / throughput[:, None]
    alone = demand / np.array([1.0 if s is None else (s / np.arange(1, len(s) + 1)).max() for s in speeds])
    notes = () if (residence >= alone * (1 - 1e-6)).all() else (RAISED,)
    residence = np.maximum(residence, alone)
    top = np.array([np.inf if s is None else s.max() for s in speeds])
    throughput = population / (think_time + residence.sum(axis=1))
    if (throughput @ demand / top > 1).any():
        residence = within_capacity(population, think_time, demand / top, residence)
        throughput = population / (think_time + residence.sum(axis=1))
    queue_length = throughput[:, None] * residence
    distribution = partial(closed_on, queue_length.sum(axis=0), most, speeds)
    return Measures(throughput, queue_length, residence, distribution, steps, notes)


Inside = tuple[Array, Array, Array, Array]  # shares (S, R); mean, variance and third cumulant (S, 1) of each station


def _saddle(population: Array, outside: Array, load: Array, speeds: list[Array]) -> tuple[Array, Inside, Array, int]:
    """The rates at which the open network has a mean of N jobs, its stations' cumulants, the covariance of jobs by class.

    Where Newton's method does not converge from afar, through smaller populations.
    """
    top = np.array([s[-1] for s in speeds])
    count = 0
    for stages in (0, int(np.ceil(np.log(max(population.sum(), 1)) / np.log(STAGE)))):
        rate = population / STAGE**stages / (outside + load.sum(axis=1))
        rate *= 0.5 / max(0.5, float((rate @ load / top).max(initial=0.0)))
        idle = 1 - rate @ load / top
        point = rate, idle, _stations(idle, top, speeds)[1]
        for stage in range(stages, -1, -1):
            point, used = _newton(point, population / STAGE**stage, outside, load, speeds)
            count += abs(used)
            if used < 0:
                break
        if used > 0:
            break
    else:
        raise ArithmeticError("no saddle point was found")
    rate, idle, stretch = point
    cumulants = _stations(idle, top, speeds)[0]
    flow = rate[:, None] * load
    at = flow.sum(axis=0)
    share = (flow / np.maximum(at, 1e-300)).T
    mean, variance, skew = (at * stretch)[:, None], cumulants[:, 1, None], cumulants[:, 2, None]
    covariance = np.diag(outside * rate + (share * mean).sum(axis=0)) + share.T @ (share * (variance - mean))
    return rate, (share, mean, variance, skew), covariance, count


Point = tuple[Array, Array, Array]  # rates (R,); idle share of each station, and its stretch (S,)


def _newton(point: Point, population: Array, outside: Array, load: Array, speeds: list[Array]) -> tuple[Point, int]:
    """The saddle point from another, and the number of steps, negative where they did not converge.

    Newton's steps in ln X, in what each station leaves idle, w, and in its stretch y, tied by
    w·y = c(w): as in interior-point methods, c being smooth where y has its pole.
    """
    top = np.array([s[-1] for s in speeds])
    rate, idle, stretch = point
    for count in range(1, STEPS + 1):
        flow = rate[:, None] * load
        _, wanted, slope = _stations(idle, top, speeds)
        cycle = outside + load @ stretch
        open_by = 1 - flow.sum(axis=0) / top - idle
        steep = np.where(idle > LOOSE, slope - wanted / idle, slope - stretch / idle)  # of the stretch by the idle share
        off = wanted - stretch
        matrix = np.diag(rate * cycle) - (flow * (steep / top)) @ flow.T
        try:
            step = np.linalg.solve(matrix, population - rate * cycle - flow @ (steep * open_by + off))
        except np.linalg.LinAlgError:  # too far from the saddle point for a step
            break
        idle_step = open_by - step @ flow / top
        stretch_step = steep * idle_step + off
        bounds = (-idle_step / idle, idle_step / (1 - idle), -stretch_step / stretch)
        far = max(1.0, float(np.abs(step).max()) / 2, *(float(b.max(initial=0.0)) / 0.95 for b in bounds))
        point = rate, idle, stretch = rate * np.exp(step / far), idle + idle_step / far, stretch + stretch_step / far
        if np.abs(step).max() < NEAR and np.abs(stretch_step / stretch).max(initial=0.0) < NEAR:
            return point, count
        if far > JAMMED:
            break
    return point, -count


def _stations(idle: Array, top: Array, speeds: list[Array]) -> tuple[Array, Array, Array]:
    """Cumulants (S, 3) of stations that leave a share of their speed idle; c/w, and c'/w, of c = idle·stretch."""
    cumulants = np.array([_cumulants(w, s) for w, s in zip(idle.tolist(), speeds, strict=True)]).reshape(-1, 3)
    load = top * (1 - idle)
    with np.errstate(invalid="ignore", divide="ignore"):
        stretch = cumulants[:, 0] / load
        bend = top * (cumulants[:, 1] - cumulants[:, 0]) / load**2
    return cumulants, stretch, stretch / idle - bend


def _cumulants(idle: float, speeds: Array) -> tuple[float, float, float]:
    """Mean, variance and third cumulant of the number at an open station that leaves a share of its last speed idle."""
    level = len(speeds) - 1
    ratio = 1 - idle
    beyond = (ratio / idle, ratio / idle**2, ratio * (1 + ratio) / idle**3)  # of a geometric number
    if level == 0:
        return beyond
    w = weights(ratio * (speeds[-1] / speeds[:-1]))
    w[-1] /= idle  # the tail, level + a geometric number
    w /= w.sum()
    middle = np.arange(level + 1.0)
    middle[-1] += beyond[0]
    mean = float(w @ middle)
    middle -= mean
    tail, far = float(w[-1]), float(middle[-1])
    return mean, float(w @ middle**2) + tail * beyond[1], float(w @ middle**3) + tail * (3 * far * beyond[1] + beyond[2])

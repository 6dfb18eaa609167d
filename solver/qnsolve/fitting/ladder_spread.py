"""Which other curves fit the rows of a ladder about as well as the best one: the intervals of its figures."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from qnsolve.measure.checked_series import Array
from qnsolve.measure.demands.block_bootstrap import DRAWS, SEED, studentized
from qnsolve.measure.ladders.closed_curve import Curves
from qnsolve.measure.ladders.curve_grid import grid, variance
from qnsolve.measure.ladders.fit_plans import LOWER, RESPONSE, UPPER, residuals
from qnsolve.measure.ladders.ladder_fit import LadderFit
from qnsolve.numerics.least_squares import fine_derivatives

LEVEL = 7.8  # of the sum of squares over the variance: 19 of 20 of three parameters together; beyond, a curve fits worse
PARAMETERS = ("response", "knee", "shape", "decline")
FURTHEST = 3.0  # logarithm of a drawn response over the best one: rows that do not hold it allow any
WIDER = (0.3, 0.7, 1.0, 1.5)  # times the drawn errors: curves that are tried
RESPONSES, KNEES = np.linspace(0.97, 1.03, 13), np.linspace(0.85, 1.18, 67)
ROUGH = 100  # curves below which few are tried
MOST_WORK = 40_000_000  # curves times rows times jobs


def curves_alike(fit: LadderFit) -> tuple[Curves, Curves]:
    """Curves with drawn errors of their parameters (999), and curves that fit the rows about as well as the best."""
    held = fit._range
    measured, plan = held.measured, held.plan
    pick = plan.free
    lower, upper = LOWER[pick], UPPER[pick]
    away = np.where(pick == RESPONSE, FURTHEST, np.inf)
    lower, upper = np.maximum(lower, held.point - away), np.minimum(upper, held.point + away)

    def left(points: Array) -> Array:
        return residuals(measured, plan.curves(points, measured.think_time))

    best = plan.curves(held.point[None], measured.think_time)
    if not np.any(np.abs(held.left) > 1e-9):
        return plan.curves(np.tile(held.point, (DRAWS, 1)), measured.think_time), best
    _, slopes = fine_derivatives(left, held.point, lower, upper)
    errors = studentized(-slopes, held.left)[1]
    spread = float(np.median(np.abs(errors)))
    errors = np.where(np.isfinite(errors), errors, spread)
    drawn = np.clip(held.point + errors, lower, upper)
    noise = variance(held.left, len(pick))
    most = float(held.left @ held.left) + LEVEL * noise
    count = int(np.clip(MOST_WORK / (len(measured.loads) * measured.loads[-1]) / len(WIDER), 20, DRAWS))
    rng = np.random.default_rng(SEED)
    tried = np.vstack([held.point + times * errors[rng.permutation(DRAWS)[:count]] for times in WIDER])
    tried = np.clip(tried, lower, upper)
    good = np.sum(left(tried) ** 2, axis=1) <= most
    near = plan.curves(np.vstack([held.point[None], tried[good]]), measured.think_time)
    curves, squares = grid(measured, best)
    near = _joined(near, _picked(curves, squares <= most))
    if plan.servers is None and plan.nodes == 1 and count > ROUGH:
        single = _single_server(best)
        near = _joined(near, _picked(single, np.sum(residuals(measured, single) ** 2, axis=1) <= most))
    return plan.curves(drawn, measured.think_time), near


def _single_server(best: Curves) -> Curves:
    """Curves of one server near the best one: what separates queueing from contention, and lies between all draws."""
    response, knee = np.meshgrid(best.response[0] * RESPONSES, np.maximum(best.knee[0] * KNEES, 1.0))
    count = response.size
    return Curves(response.ravel(), knee.ravel(), np.zeros(count), np.full(count, float(best.decline[0])), best.think_time)


def _picked(curves: Curves, keep: NDArray[np.bool_]) -> Curves:
    return Curves(
        curves.response[keep], curves.knee[keep], curves.shape[keep], curves.decline[keep], curves.think_time, curves.nodes
    )


def _joined(first: Curves, second: Curves) -> Curves:
    parts = [np.concatenate([getattr(first, name), getattr(second, name)]) for name in PARAMETERS]
    return Curves(parts[0], parts[1], parts[2], parts[3], first.think_time, first.nodes)

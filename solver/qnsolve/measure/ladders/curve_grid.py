"""The curves of a grid of parameters beside the best one: what else fits the rows, and how likely each is."""

from __future__ import annotations

import dataclasses

import numpy as np

from qnsolve.measure.checked_series import Array
from qnsolve.numerics.least_squares import student

from .closed_curve import Curves
from .fit_plans import residuals
from .ladder_rows import LadderRows

KNEES, SHAPES = 48, np.linspace(-1.0, 1.0, 17)
RESPONSES = np.array([0.9, 0.95, 0.98, 1.0, 1.02, 1.05, 1.1])
DECLINES = np.array([0.0, 0.3, 1.0, 3.0])  # times the fitted one
LOSSES = np.array([0.0, 0.01, 0.03, 0.1, 0.3])  # of the speed at the highest load, where none was fitted
MOST_WORK = 30_000_000  # points times rows times jobs of the grid
FEW = 1000  # points below which the grid is coarser
SURE = 0.975  # of t: a number that noise would not explain in 19 of 20 ladders
RARER = 2  # power of the knee by which a curve is less likely before the rows speak
MIDDLE = (0.4, 0.5)  # shares of what is likely between which a capacity is moved
GUESSED, GUESSES = 4.0, 2  # variance that is assumed before the rows speak, in units of the noise, and rows it counts for


def variance(left: Array, fitted: int) -> float:
    """Of residuals in units of the noise assumed; at least 1."""
    squares, free = float(left @ left), max(len(left) - fitted, 0)
    return max(1.0, squares / max(free, 1), (squares + GUESSED * GUESSES) / (free + GUESSES))


def told_from_noise(simple: Array, full: Array, fitted: int) -> bool:
    """Whether one more number explains more of the rows than noise would: an F test of the residuals without and with it.

    The variance is that of the full fit with what is assumed of it before the rows speak, and counts for as many rows more.
    """
    gain = float(simple @ simple - full @ full) / variance(full, fitted)
    free = max(len(full) - fitted, 0) + GUESSES
    return gain > student(SURE, free) ** 2


def grid(measured: LadderRows, best: Curves, declining: bool = False) -> tuple[Curves, Array]:
    """Curves of every shape and many knees, each with its best response, and their sums of squared residuals.

    With `declining` there are curves that lose speed also where none was fitted: rows that do not tell a decline from noise
    do not exclude it.
    """
    response, knee = float(best.response[0]), float(best.knee[0])
    highest = max(float(measured.rates.max()) * response, 1.02)
    thinking = bool(measured.think_time)
    points = MOST_WORK / (len(measured.loads) * float(measured.loads[-1]))
    steps = RESPONSES[:: 1 if points > FEW else 3] if thinking else np.ones(1)
    shapes = SHAPES[:: 1 if points > FEW else 4]
    declines = float(best.decline[0]) * DECLINES if best.decline[0] else np.zeros(1)
    nodes = best.nodes
    if nodes > 1:
        shapes = shapes[shapes > 0]
    elif declining and not best.decline[0]:
        declines = LOSSES / float(measured.loads[-1])
    count = int(np.clip(points / (len(shapes) * len(steps) * len(declines)), 8, KNEES))
    near = np.geomspace(max(0.8 * highest, 1.01), 4 * highest, count)
    knees = np.concatenate([near, np.geomspace(5, 1e4, 8) * highest, [knee]])
    parts = [part.ravel() for part in np.meshgrid(response * steps, np.unique(knees), shapes, declines, indexing="ij")]
    if nodes > 1:  # a server each at least, and none beyond what a job alone takes
        parts = [part[(1 + parts[2] * (parts[1] - 1) >= nodes)] for part in parts]
    curves = Curves(parts[0], parts[1], parts[2], parts[3], measured.think_time, nodes)
    left = residuals(measured, curves)
    if not thinking:  # the response alone moves all logarithms by one amount: its best value is known
        weights = measured.noise**-2.0
        moved = (left * measured.noise) @ weights / weights.sum()
        curves = dataclasses.replace(curves, response=curves.response * np.exp(-moved))
        left = left - moved[:, None] / measured.noise
    return curves, np.asarray(np.sum(left**2, axis=1))


def likely_capacity(measured: LadderRows, best: Curves, left: Array, fitted: int) -> float:
    """The fitted capacity, moved to the middle of what is likely where the rows do not show it.

    Each curve of the grid counts by how well it fits, and one with twice the knee a quarter as much: systems are measured near
    what they hold more often than far below it. So much less, because the middle is then the middle: of 23 ladders that others
    measured, cut at each load that does not show the limit, the capacity is at 0.46 of what is so likely in the mean, of 56
    simulated ones at 0.51; were twice the knee half as likely, at 0.35 and 0.38.
    """
    curves, squares = grid(measured, best)
    knees, places = np.unique(curves.knee, return_inverse=True)
    cells = np.gradient(np.log(knees))[places]
    weights = np.exp(-(squares - squares.min()) / (2 * variance(left, fitted))) * cells / curves.knee**RARER
    order = np.argsort(curves.capacity, kind="stable")
    reached = np.cumsum(weights[order])
    low, high = (float(curves.capacity[order][np.searchsorted(reached, reached[-1] * part)]) for part in MIDDLE)
    return min(max(float(best.capacity[0]), low), high)

"""The best fit of one plan: a search over the number of servers, piece by piece, and the last digits by derivatives.

The speed of a station has a corner wherever its servers are a whole number: a search that walks over the corners stops at
any of them, and where it stops depends on how a processor rounds. Between two whole numbers everything is smooth. So each
piece between them is searched by itself, in numbers of which its bounds are bounds:

    log r      response of a job alone
    log(1 + D) D = r·C − 1 − u: without waiting, the jobs elsewhere when the station is full
    u          servers less one, from 128 on by their logarithm; less than 0, the shape
    log d      decline
"""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise

import numpy as np

from qnsolve.measure.checked_series import Array
from qnsolve.numerics.least_squares import least_squares_many, polished

from .closed_curve import Curves
from .fit_plans import DECLINE, KNEE, LOWER, RESPONSE, SHAPE, UPPER, FitPlan, residuals
from .ladder_rows import LadderRows

KNEES = (0.98, 1.0, 1.01, 1.03, 1.07, 1.15, 1.3, 1.6, 2.4, 4.0)  # at the start, the knee over that of the highest rate
CONTENDING = (-0.8, -0.2)  # shapes at the start where jobs contend
DECLINES = (0.003, 0.03, 0.3, 3.0)  # times the highest load
SERVERS = 4.0  # times the knee of the highest rate: servers that are searched one by one
CORNERS = 128.0  # servers less one beyond which a corner is next to nothing
MOST = 1e6  # servers, jobs in the delay
FURTHEST = 12.0  # logarithm of the response of a job alone over the shortest measured one
CONTENTION = -1  # the piece below one server; the others begin with so many servers more than one
PIECES, BETWEEN = 8, 4  # that are searched at first, and then on each side of the best
LIKELY = 3  # pieces that are searched again with the pull
ONE_SERVER = 0.1  # pull of the shape to 0, one server, in units of the noise: rows that do not show a shape leave it there
ROUGH, CLOSE = 1e-6, 1e-11  # relative gain of a step that ends a search, before the pull is known and with it
LEAST_PULL = 3e-5  # where the rows are met exactly


def fitted(measured: LadderRows, plan: FitPlan) -> tuple[Array, Array]:
    """Parameters and residuals of the best fit of one plan.

    The shape is pulled to one server by very little, in proportion to what the best fit leaves of the rows: rows that say
    nothing of it, as those that are all below or all above the bend, get the simplest network and not any of many.
    """
    search = _Search(measured, plan)
    _, left = search.run(LEAST_PULL, ROUGH)
    pull = max(ONE_SERVER * min(1.0, float(np.sqrt(left / len(measured.loads)))), LEAST_PULL)
    place, _ = search.run(pull, CLOSE)
    point = _point(search.curves(place[None]))[plan.free]
    return point, residuals(measured, plan.curves(point[None], measured.think_time))[0]


def _point(curve: Curves) -> Array:
    """Parameters of one curve, those of `FitPlan`."""
    point = np.empty(4)
    point[RESPONSE] = np.log(curve.response[0])
    point[KNEE] = np.log(max(float(curve.knee[0]) - 1, np.exp(LOWER[KNEE])))
    point[SHAPE] = curve.shape[0]
    point[DECLINE] = np.log(curve.decline[0]) if curve.decline[0] else LOWER[DECLINE]
    return point


def _servers(used: Array) -> Array:
    """Servers less one of u, 0 where it is a shape."""
    many = np.maximum(used / CORNERS, 1.0)
    return np.where(used > CORNERS, CORNERS * np.exp(many - 1), np.maximum(used, 0.0))


def _piece(servers: float) -> float:
    """The u of servers less one."""
    return servers if servers <= CORNERS else CORNERS * (1 + float(np.log(servers / CORNERS)))


class _Search:
    """Pieces of one plan, and of each that was searched the place where it ended, with its sum of squares."""

    def __init__(self, measured: LadderRows, plan: FitPlan) -> None:
        self.measured, self.plan = measured, plan
        self.least = plan.nodes - 1  # servers less one, of a server for each node
        self.keep = np.array([plan.capacity is None, True, plan.servers is None, plan.declines])
        self.response = measured.shortest
        self.knee = max(float(measured.rates.max() if plan.capacity is None else plan.capacity) * self.response, 1.0)
        most = min(SERVERS * self.knee, float(measured.loads[-1]))
        self.last = max(int(np.ceil(_piece(most))), self.least) if plan.servers is None else 0
        self.squares: dict[int, float] = {}
        self.ends: dict[int, Array] = {}

    def curves(self, places: Array) -> Curves:
        """The curves of many places (P, p)."""
        every = np.zeros((len(places), len(self.keep)))
        every[:, self.keep] = places
        used = _servers(every[:, 2])
        knee = 1 + used + np.expm1(every[:, 1])
        response = np.exp(every[:, 0]) if self.plan.capacity is None else knee / self.plan.capacity
        shape = np.minimum(every[:, 2], 0) + used / np.maximum(knee - 1, np.exp(LOWER[KNEE]))
        decline = np.exp(every[:, 3]) if self.plan.declines else np.zeros(len(places))
        return Curves(response, knee, shape, decline, self.measured.think_time, self.plan.nodes)

    def run(self, pull: float, tolerance: float) -> tuple[Array, float]:
        """The best place of the best piece, with its sum of squares; the second time from what the first found."""
        if self.plan.servers is not None:
            self._searched([0], pull, tolerance)
        elif not self.ends:
            some = {CONTENTION, 0, *np.geomspace(1, max(self.last, 1), PIECES).round().astype(int).tolist()}
            self._searched(
                sorted(piece for piece in some | {self.least} if piece >= self.least or not self.least), pull, tolerance
            )
        else:
            pieces = list(self.ends)
            shapes = self.curves(np.array([self.ends[piece] for piece in pieces])).shape
            pulled = {piece: self.squares[piece] + (pull * shape) ** 2 for piece, shape in zip(pieces, shapes, strict=True)}
            self.squares = pulled
            self._searched(sorted(pieces, key=lambda piece: pulled[piece])[:LIKELY], pull, tolerance)
        while self.plan.servers is None and (wanted := self._between()):
            self._searched(wanted, pull, tolerance)
        piece = min(self.squares, key=lambda each: self.squares[each])
        place, rest = polished(self._left(pull), self.ends[piece], *self._bounds(piece))
        return place, float(rest @ rest)

    def _between(self) -> list[int]:
        """Pieces on both sides of the best one, as far as the next that are known."""
        order = sorted(self.squares)
        middle = order.index(min(order, key=lambda piece: self.squares[piece]))
        around = order[max(middle - 1, 0) : middle + 2]
        wanted = [np.linspace(low, high, BETWEEN + 2).round().astype(int).tolist() for low, high in pairwise(around)]
        return sorted({piece for part in wanted for piece in part} - set(order))

    def _left(self, pull: float) -> Callable[[Array], Array]:
        """Residuals of many places, and the pull."""

        def left(places: Array) -> Array:
            curves = self.curves(places)
            return np.hstack([residuals(self.measured, curves), pull * curves.shape[:, None]])

        return left

    def _bounds(self, piece: int) -> tuple[Array, Array]:
        low, high = (
            (LOWER[SHAPE], 0.0) if piece == CONTENTION else (float(piece), piece + 1.0 if piece < self.last else _piece(MOST))
        )
        if self.plan.servers is not None:
            low = high = 0.0
        near = float(np.log(self.response))
        lower = np.array([near - FURTHEST, 0.0, low, LOWER[DECLINE]])
        upper = np.array([near + FURTHEST, np.log1p(MOST), high, UPPER[DECLINE]])
        return lower[self.keep], upper[self.keep]

    def _searched(self, pieces: list[int], pull: float, tolerance: float) -> None:
        """Search some pieces at once, each from the likeliest of its starts."""
        left = self._left(pull)
        lower, upper = (np.array(side) for side in zip(*(self._bounds(piece) for piece in pieces), strict=True))
        begins = []
        for piece, low, high in zip(pieces, lower, upper, strict=True):
            starts = np.clip(self._starts(piece), low, high)
            begins.append(starts[int(np.argmin(np.sum(left(starts) ** 2, axis=1)))])
        places, rest = least_squares_many(left, np.array(begins), lower, upper, tolerance=tolerance)
        self.squares |= dict(zip(pieces, np.sum(rest**2, axis=1).tolist(), strict=True))
        self.ends |= dict(zip(pieces, places, strict=True))

    def _starts(self, piece: int) -> Array:
        """Places to begin with: an earlier end of this piece; else many knees, that of the nearest piece among them."""
        if piece in self.ends:
            return self.ends[piece][None]
        knees, response = [self.knee * part for part in KNEES], self.response
        if self.ends:
            near = self.curves(self.ends[min(self.ends, key=lambda other: abs(other - piece))][None])
            knees.append(float(near.knee[0]))
            response = float(near.response[0])
        starts = []
        for knee in knees:
            for used in CONTENDING if piece == CONTENTION else (piece + 0.5,):
                delayed = np.log1p(max(knee - 1 - float(_servers(np.array(used))), 0.02))
                starts += [[np.log(response), delayed, used, np.log(decline / self.measured.loads[-1])] for decline in DECLINES]
        return np.unique(np.array(starts)[:, self.keep], axis=0)

"""What users find in a line for a limit that is always full: fewer of their own, and others of theirs close by.

Users who come back soon stand in the line near each other again and again, and those who come at a steady rate stand between
them: what a line lets through in a time depends on what stands at its head, and so do those who join its end. All numbers
swing about their means by little: they answer to each other in proportion (a linear noise approximation: N. van Kampen,
Stochastic Processes in Physics and Chemistry, 1981). Of tasks all alike that is what a product form says of users.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from qnsolve.numerics.series import Array

ANGLES, SHARP = 16, 0.35  # points in one turn, and how close most of them are to its beginning
TURNS, BLOCKS, FARTHEST = 6, 8, 3000.0  # turns seen one by one, further blocks of them, and the last one
CLOSEST, LONGEST = 1e-3, 1e6  # time away over the wait, at least and at most


def _frequencies() -> tuple[Array, Array]:
    """Frequencies times the wait, and their weights in an integral from 0 on: the finer the closer to whole turns."""
    steps = (np.arange(ANGLES) + 0.5) / ANGLES * 2 * np.pi - np.pi
    angle = 2 * np.arctan(SHARP * np.tan(steps / 2))
    weight = SHARP / np.cos(steps / 2) ** 2 / (1 + (SHARP * np.tan(steps / 2)) ** 2) * 2 * np.pi / ANGLES
    ends = np.unique(np.round(np.geomspace(TURNS + 1, FARTHEST, BLOCKS)))
    turns = np.concatenate((np.arange(TURNS + 1.0), np.floor((ends[:-1] + ends[1:]) / 2)))
    many = np.concatenate((np.ones(TURNS + 1), np.diff(ends)))
    all_angles, weights = (2 * np.pi * turns[:, None] + angle).ravel(), (many[:, None] * weight).ravel()
    some = all_angles > 0
    return all_angles[some], weights[some]


FREQUENCY, WEIGHT = _frequencies()


@dataclass(frozen=True, eq=False)
class _Answers:
    """How kinds of users answer to noise, by frequency: each (n, F), of complex numbers but for the first and the last.

    Attributes
    ----------
    rate : ndarray (n, 1)
        Tasks a second.
    inside, away : ndarray
        Transforms of the times in a place and away.
    echo : ndarray
        Of how arrivals go round.
    of_ends, of_away : ndarray
        What v' is by the noise of ends and of times away.
    noise : ndarray
        Power of that of times away.
    """

    rate: Array
    inside: Any
    away: Any
    echo: Any
    of_ends: Any
    of_away: Any
    noise: Array


@dataclass(frozen=True, eq=False)
class ReturningUsers:
    """A limit that is always full, and those who come to it.

    Attributes
    ----------
    rate, hold, away : ndarray (n,)
        Tasks of each kind a second, how long one holds its place, and how long a user is away until the next of it [s]; that is
        infinite of work with a rate.
    wait : float
        Of a mean task [s].
    work : ndarray (n,), optional
        By how much one of each kind lengthens the line, in any unit, where that is not by the time that it holds its place.
    """

    rate: Array
    hold: Array
    away: Array
    wait: float
    work: Array | None = None

    def waits_over_mean(self) -> Array:
        """Wait of each kind over that of a mean task (n,), so that the mean of all tasks is 1.

        Notes
        -----
        With Fourier transforms, v is the change of the wait of those who come, b_k that of how often kind k comes over its rate
        A_k. It goes on to a place as b_k - v', a wait later; its time in a place is s_k, its time away z_k. All places stay
        taken: Σ A_k·h_k·s_k·(b_k - v' - x_k) = 0 at one time, h_k the hold and x_k the noise of ends, over A_k. It comes back
        as b_k = z_k·(s_k·(b_k - v') + (1 - s_k)·x_k) + y_k, y_k the noise of times away. The covariance of b_k and v is how
        much longer kind k waits than those who come at any time.

        Examples
        --------
        Users who are away for next to no time find one fewer of their own, those who are away for long find all.

        >>> both = ReturningUsers(np.array([7.07, 2.93]), np.ones(2), np.array([0.1, 10.0]), 5.997)
        >>> both.waits_over_mean().round(4).tolist()
        [0.9966, 1.0083]
        """
        its = self._answers
        again = its.away * its.inside * np.exp(-1j * FREQUENCY)
        ends = its.away * (1 - its.inside) * np.conj(its.of_ends) / its.rate
        both = its.echo * (ends + np.conj(its.of_away) * its.noise - again * self._pace)
        longer = (both / (-1j * FREQUENCY)).real @ WEIGHT / np.pi / self.wait
        return np.asarray(1 + longer - float(self.rate @ longer) / float(self.rate.sum()))

    @property
    def swing(self) -> float:
        """Standard deviation of the wait over its mean: where that is 1 there is no line now and then.

        Examples
        --------
        >>> near, far = (ReturningUsers(np.full(1, 10.0), np.ones(1), np.full(1, 20.0), wait) for wait in (1.0, 10.0))
        >>> near.swing > 0.9, far.swing < 0.3
        (True, True)
        """
        return float(np.sqrt((self._pace / FREQUENCY**2) @ WEIGHT / np.pi * self.wait)) / self.wait

    @cached_property
    def _answers(self) -> _Answers:
        wait, rate = self.wait, self.rate[:, None]
        turn = 1j * FREQUENCY / wait
        inside = 1 / (1 + turn * self.hold[:, None])
        away = 1 / (1 + turn * np.clip(self.away, CLOSEST * wait, LONGEST * wait)[:, None])
        asked = (self.rate * (self.hold if self.work is None else self.work))[:, None] * inside
        echo = 1 / (1 - away * inside * np.exp(-1j * FREQUENCY))
        part = asked * echo
        whole = part.sum(axis=0)
        of_ends = (part * away * (1 - inside) - asked * np.exp(1j * FREQUENCY)) / whole
        return _Answers(rate, inside, away, echo, of_ends, part / whole, (1 - np.abs(away) ** 2) / rate)

    @cached_property
    def _pace(self) -> Array:
        """Spectrum of v'."""
        its = self._answers
        return np.asarray((np.abs(its.of_ends) ** 2 / its.rate + np.abs(its.of_away) ** 2 * its.noise).sum(axis=0))

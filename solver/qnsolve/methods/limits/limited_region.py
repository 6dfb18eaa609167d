"""A limited region in a network: the Markov chain of the jobs inside and those that wait for admission."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from qnsolve.methods.product_form.subnetwork import Part
from qnsolve.numerics.markov_chain import TooManyStatesError, stationary
from qnsolve.numerics.series import Array

from .class_window import WIDER, windows
from .entry_chain import Entrants
from .entry_order import Index, Region

FEW = 20_000  # states up to which all are taken
QUICK = 4e8  # products up to which the jobs inside are part of the state: about a second
LOST = 1e-9  # probability at an edge beyond which states were left out


@dataclass(frozen=True)
class Limited:
    """A solved region: R classes, K stations inside, L limits.

    Attributes
    ----------
    p : ndarray (N_1 + 1, …)
        P(n jobs are inside or wait for admission).
    throughput, wanting, inside : ndarray (R,)
        X [jobs/time]; jobs inside or waiting, and jobs inside [jobs].
    queue_length : ndarray (R, K)
    delayed : ndarray (R,)
        Share of the arrivals that wait.
    within : ndarray (b_1 + 1, …)
        P(m jobs are inside).
    edge : ndarray (R,)
        Departure rate in the states with the most jobs.
    held : ndarray (L,)
        Jobs admitted by each limit [jobs].
    full : ndarray (L,)
        Share of time that each limit is full.
    lines : tuple of ndarray
        P(j jobs wait for each limit).
    """

    p: Array
    throughput: Array
    wanting: Array
    inside: Array
    queue_length: Array
    delayed: Array
    within: Array
    edge: Array
    held: Array
    full: Array
    lines: tuple[Array, ...]


def limited(region: Region, part: Part, arrivals: Array, low: Sequence[int], most: int, work: float) -> Limited:
    """Solve the Markov chain of n, the jobs of each class that are inside or wait for admission.

    One more arrives at rate a_r(n), one leaves at the mean rate of those that may be
    inside: flow equivalence, exact where the inside is in equilibrium between arrivals.

    Parameters
    ----------
    region : Region
    part : Part
        The inside, up to `region.room`.
    arrivals : ndarray (R, N_1 + 1, …)
        a_r(n) [jobs/time].
    low : sequence of int (R,)
        Fewest jobs inside or waiting; fewer are left out.
    most : int
        Most states of the chain.
    work : float
        Most products for it.

    Raises
    ------
    TooManyStatesError

    References
    ----------
    [Lazowska1984] chapter 9, for one class.
    """
    n, shape = region.n, region.shape
    arrive = arrivals.reshape(len(shape), -1)
    entrants = None if region.alone else Entrants(region)
    count = entrants.count() if entrants else 0
    if entrants and count * (count / max(shape)) ** 2 <= QUICK:
        p, pi, delayed, edge = entrants.solve(arrive, part.throughput.reshape(len(shape), -1), np.array(low), work)
    else:
        p, pi, delayed, edge = _averaged(region, part, arrive, low, most, work)
    back = np.argsort(region.order)
    held = region.held[back]
    capacity = np.array([cap.capacity for cap in region.caps])[back]
    return Limited(
        p=p.reshape(shape),
        throughput=part.throughput.reshape(len(shape), -1) @ pi,
        wanting=n @ p,
        inside=region.box @ pi,
        queue_length=part.queue_length.reshape(*part.queue_length.shape[:2], -1) @ pi,
        delayed=np.nan_to_num(delayed),
        within=pi.reshape(part.throughput.shape[1:]),
        edge=edge,
        held=held @ pi,
        full=(held >= capacity[:, None]) @ pi,
        lines=tuple(np.asarray(np.bincount(region.line[i], weights=p), dtype=float) for i in back),
    )


def _averaged(
    region: Region, part: Part, arrive: Array, low: Sequence[int], most: int, work: float
) -> tuple[Array, Array, Array, Array]:
    """As `Entrants.solve`, with the mean over the jobs that may be inside at every n."""
    n, shape = region.n, region.shape
    leave = region.means(part.throughput)
    p = np.zeros(n.shape[1])
    spans = [(least, size - 1) for least, size in zip(low, shape, strict=True)]
    wider = WIDER if _states(spans) > FEW else 0.0
    while True:
        if wider:
            spans = windows(arrive.reshape(-1, *shape), leave.reshape(-1, *shape), low, wider)
        if _states(spans) > most:
            raise TooManyStatesError(f"{_states(spans):,} states")
        bounds = np.array(spans)
        chosen = np.flatnonzero(((n >= bounds[:, :1]) & (n <= bounds[:, 1:])).all(axis=0))
        p[chosen] = _chain(region, chosen, arrive, leave, spans, work)
        cut = (n == bounds[:, :1]) & (bounds[:, :1] > np.array(low)[:, None])
        cut |= (n == bounds[:, 1:]) & (bounds[:, 1:] < np.array(shape)[:, None] - 1)
        if (cut @ p).max() < LOST:
            break
        wider *= 1.4
    under = np.array([[r in cap.classes for cap in region.caps] for r in range(len(shape))])
    full = np.array([region.full[i] for i in range(len(region.caps))])
    waits = np.array([full[row].any(axis=0) for row in under])
    asking, last = arrive * p, p * (n == np.array(shape)[:, None] - 1)
    with np.errstate(invalid="ignore", divide="ignore"):
        delayed = (asking * waits).sum(axis=1) / asking.sum(axis=1)
        edge = (leave * last).sum(axis=1) / last.sum(axis=1)
    return p, region.inside(p).ravel(), delayed, edge


def _states(spans: list[tuple[int, int]]) -> int:
    return math.prod(last - first + 1 for first, last in spans)


def _chain(region: Region, chosen: Index, arrive: Array, leave: Array, spans: list[tuple[int, int]], work: float) -> Array:
    """Probabilities of the chosen states, `spans` on each axis."""
    n = region.n
    rank = np.full(n.shape[1], -1)
    rank[chosen] = np.arange(len(chosen))
    axes = sorted(range(len(spans)), key=lambda r: spans[r][1] - spans[r][0])  # the longest changes last
    place = np.empty(len(chosen), dtype=np.intp)
    place[np.lexsort(n[axes][:, chosen])] = np.arange(len(chosen))
    arcs = []
    for r, step in enumerate(region.steps):
        some = chosen[n[r, chosen] < spans[r][1]]
        arcs.append((rank[some], rank[some + step], arrive[r, some]))
        arcs.append((rank[some + step], rank[some], leave[r, some + step]))
    origin, target, rate = (np.concatenate(column) for column in zip(*arcs, strict=True))
    return stationary(len(chosen), origin, target, rate, work, place)

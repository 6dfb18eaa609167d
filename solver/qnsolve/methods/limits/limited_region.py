"""A limited region in a network: the Markov chain of the jobs inside and those that wait for admission."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from qnsolve.methods.product_form.subnetwork import Part
from qnsolve.numerics.class_window import WIDER, windows
from qnsolve.numerics.level_chain import long_steps, probabilities
from qnsolve.numerics.markov_chain import stationary
from qnsolve.numerics.series import Array

from .entry_chain import Entrants
from .entry_order import Index, Region

FEW = 20_000  # states up to which all are taken
QUICK = 4e8  # products up to which the jobs inside are part of the state: about a second
PHASES = 200  # states beside the longest axis up to which its numbers are levels
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
    coarse = False
    while True:
        if wider:
            spans = windows(arrive.reshape(-1, *shape), leave.reshape(-1, *shape), low, wider)
        sizes = sorted(last - first + 1 for first, last in spans)
        coarse = _states(spans) > most or _states(spans) * math.prod(sizes[:-1]) ** 2 > work
        if coarse:
            p = _on_grid(region, arrive, leave, spans)
            break
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
    for r, (least, size) in enumerate(zip(low, shape, strict=True)):
        if least == size - 1:  # jobs that are never away ask for admission as often as they leave
            delayed[r] = (leave[r] * p * waits[r]).sum() / (leave[r] * p).sum()
    return p, region.inside(p).ravel(), delayed, edge


def _states(spans: list[tuple[int, int]]) -> int:
    return math.prod(last - first + 1 for first, last in spans)


def _chain(region: Region, chosen: Index, arrive: Array, leave: Array, spans: list[tuple[int, int]], work: float) -> Array:
    """Probabilities of the chosen states, `spans` on each axis."""
    axes = sorted(range(len(spans)), key=lambda r: spans[r][1] - spans[r][0])  # the longest changes last
    sizes = [spans[r][1] - spans[r][0] + 1 for r in axes]
    if math.prod(sizes[:-1]) <= PHASES:
        return _by_level(region, chosen, arrive, leave, axes, sizes)
    n = region.n
    rank = np.full(n.shape[1], -1)
    rank[chosen] = np.arange(len(chosen))
    place = np.empty(len(chosen), dtype=np.intp)
    place[np.lexsort(n[axes][:, chosen])] = np.arange(len(chosen))
    arcs = []
    for r, step in enumerate(region.steps):
        some = chosen[n[r, chosen] < spans[r][1]]
        arcs.append((rank[some], rank[some + step], arrive[r, some]))
        arcs.append((rank[some + step], rank[some], leave[r, some + step]))
    origin, target, rate = (np.concatenate(column) for column in zip(*arcs, strict=True))
    return stationary(len(chosen), origin, target, rate, work, place)


def _on_grid(region: Region, arrive: Array, leave: Array, spans: list[tuple[int, int]]) -> Array:
    """Probabilities of all states from a chain of some of them, with long steps between; spread in between."""
    shape, axes = region.shape, len(region.shape)
    short = max(2, round(PHASES ** (1 / max(1, axes - 1))))
    longest = max(range(axes), key=lambda r: spans[r][1] - spans[r][0])
    steps = [math.ceil((last - first) / (short - 1 if r != longest else 4 * short)) for r, (first, last) in enumerate(spans)]
    grids = [np.arange(first, last + 1, max(1, step)) for (first, last), step in zip(spans, steps, strict=True)]
    order = [r for r in range(axes) if r != longest] + [longest]
    sizes = [len(grids[r]) for r in order]
    mesh = np.meshgrid(*(grids[r] for r in order), indexing="ij")
    index = np.zeros(sizes, dtype=np.intp)
    for r, numbers in zip(order, mesh, strict=True):
        index += numbers * region.steps[r]
    moves = []
    for i, r in enumerate(order):
        step = max(1, steps[r])
        low = np.take(index, range(sizes[i] - 1), axis=i)
        births, deaths = (
            np.sqrt(rates[r][low + a * region.steps[r]] * rates[r][low + b * region.steps[r]])
            for rates, a, b in ((arrive, (step - 1) // 2, step // 2), (leave, (step + 1) // 2, step // 2 + 1))
        )
        moves.append(long_steps(births, deaths, float(step)))
    phases = math.prod(sizes[:-1])
    local = np.zeros((sizes[-1], phases, phases))
    place = np.arange(phases).reshape(sizes[:-1])
    for i in range(axes - 1):
        low = np.take(place, range(sizes[i] - 1), axis=i).ravel()
        high = np.take(place, range(1, sizes[i]), axis=i).ravel()
        up, down = (m.reshape(-1, sizes[-1]).T for m in moves[i])
        local[:, low, high], local[:, high, low] = up, down
    up, down = (m.reshape(phases, -1).T for m in moves[-1])
    states, _ = probabilities(list(up), list(down), list(local))
    p = np.array(states).T.reshape(sizes).transpose(np.argsort(order))
    for r, grid in enumerate(grids):  # between the points of the grid by straight lines
        spread = np.maximum(0.0, 1 - np.abs(np.arange(shape[r])[:, None] - grid) / max(1, steps[r]))
        spread[: spans[r][0]], spread[spans[r][1] + 1 :] = 0.0, 0.0
        p = np.moveaxis(np.tensordot(spread / spread.sum(axis=0), p, (1, r)), 0, r)
    return np.asarray(p.ravel() / p.sum())


def _by_level(region: Region, chosen: Index, arrive: Array, leave: Array, axes: list[int], sizes: list[int]) -> Array:
    """The same with few states beside the longest axis: each of its numbers is a level of a block tridiagonal chain."""
    back = np.argsort(axes)
    grid = chosen.reshape([sizes[place] for place in back]).transpose(axes)  # the longest axis last
    levels, phases = sizes[-1], math.prod(sizes[:-1])
    at = grid.reshape(phases, levels).T  # (levels, phases)
    local = np.zeros((levels, phases, phases))
    place = np.arange(phases).reshape(sizes[:-1])
    for i, r in enumerate(axes[:-1]):
        low = np.take(place, range(sizes[i] - 1), axis=i).ravel()
        high = np.take(place, range(1, sizes[i]), axis=i).ravel()
        local[:, low, high] = arrive[r][at[:, low]]
        local[:, high, low] = leave[r][at[:, high]]
    last = axes[-1]
    states, _ = probabilities(list(arrive[last][at[:-1]]), list(leave[last][at[1:]]), list(local))
    p = np.zeros(region.n.shape[1])
    p[at.ravel()] = np.concatenate(states)
    return p[chosen]

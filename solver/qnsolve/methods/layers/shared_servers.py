"""Servers shared by sources of a few jobs and by a Poisson stream: the stretch of each."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import ceil, isinf

import numpy as np

from qnsolve.numerics.series import Array

MANY = 5000  # most jobs of a source in the states, if nothing else is said
AWAY = 1e-9  # least share of a source's jobs elsewhere


class FullError(ArithmeticError):
    """The streams saturate the servers; `load` is the total load over their highest speed."""

    def __init__(self, load: float) -> None:
        super().__init__("the servers are full")
        self.load = load


@dataclass(frozen=True)
class SharedServers:
    """Stretch and state of shared servers.

    Attributes
    ----------
    stretch : ndarray (J,)
        Time at the servers over demand, of the work of each source [ratio].
    chance : ndarray (m,)
        P(n jobs present), n = 0 … m − 1; the rest of the time all servers are taken.
    """

    stretch: Array
    chance: Array


def shared(
    load: Sequence[float], jobs: Sequence[float], stretch: Sequence[float], speeds: Array, most: int = MANY
) -> SharedServers:
    """The stretch of each source at shared servers.

    Parameters
    ----------
    load : sequence of float (J,)
        Load of a source [servers]: its rate times its demand at speed 1.
    jobs : sequence of float (J,)
        Jobs that a source can have there at once: 1 for a TCB, which serves one task at a
        time; infinite for a stream.
    stretch : sequence of float (J,)
        Stretch at these loads [ratio].
    speeds : ndarray (m,)
        μ(n), the speed with n = 1 … m jobs; the last one holds beyond.
    most : int, optional
        Jobs of one source that are counted as present.

    Notes
    -----
    Sources, their time elsewhere and the servers make a closed product-form network; a
    source's time elsewhere follows from its load. With f(k) the probability that independent
    sources have k jobs here, and the stream summed out, k jobs have the probability f(k)·g(k), and
    an arriving job, which sees the network without itself, finds the stretch
    Σ f(k)·g(k + 1) / Σ f(k)·g(k).
    """
    size, top = len(load), float(speeds[-1])
    streams = [isinf(jobs[j]) for j in range(size)]
    stream = float(sum(load[j] for j in range(size) if streams[j]))
    if stream >= top:
        raise FullError(float(sum(load)) / top)
    finite = [j for j in range(size) if not streams[j]]
    weight = _weights(sum(min(int(jobs[j]), most) for j in finite), stream, speeds)
    ratios = {j: _ratio_of(load[j], jobs[j], stretch[j]) for j in finite}
    tilt = _tilt([ratios[j] for j in finite], [jobs[j] for j in finite], weight)
    weight -= np.log(tilt) * np.arange(len(weight))
    shares = {j: tilt * ratios[j] / (1 + tilt * ratios[j]) for j in finite}
    before = [np.ones(1)]
    for j in finite:
        before.append(np.convolve(before[-1], _binomial(int(jobs[j]), shares[j], most)))
    found = np.full(size, tilt * _stretch(before[-1], weight))
    behind = np.ones(1)
    for i in range(len(finite) - 1, -1, -1):
        j = finite[i]
        others = np.convolve(before[i], behind)
        if jobs[j] > 1:
            others = np.convolve(others, _binomial(int(jobs[j]) - 1, shares[j], most))
        found[j] = tilt * _stretch(others, weight)
        behind = np.convolve(behind, _binomial(int(jobs[j]), shares[j], most))
    return SharedServers(found, _chance(before[-1], weight, stream, speeds, tilt))


def seen(
    load: Sequence[float], jobs: Sequence[float], stretch: Sequence[float], speeds: Array, own: int, gone: Array | None = None
) -> float:
    """The stretch of a job of one source, as `shared`; the loads may be those without this job.

    `gone` jobs (J,) cannot be at another source since this one is here [jobs]; where that is a part of one, it
    is so for that share of the time.
    """
    size = len(load)
    gone = np.zeros(size) if gone is None else gone
    stream = float(sum(load[j] for j in range(size) if isinf(jobs[j])))
    if stream >= float(speeds[-1]):
        raise FullError(float(sum(load)) / float(speeds[-1]))
    counts = [
        0.0 if isinf(jobs[j]) or load[j] <= 0 else int(jobs[j]) - (1.0 if j == own else float(gone[j])) for j in range(size)
    ]
    some = [j for j in range(size) if counts[j] > 0]
    weight = _weights(sum(ceil(counts[j]) for j in some), stream, speeds)
    ratios = [_ratio_of(load[j], max(counts[j], load[j] * stretch[j]) if j != own else jobs[j], stretch[j]) for j in some]
    tilt = _tilt(ratios, [counts[j] for j in some], weight)
    weight -= np.log(tilt) * np.arange(len(weight))
    found = np.ones(1)
    for j, ratio in zip(some, ratios, strict=True):
        most, share = ceil(counts[j]), tilt * ratio / (1 + tilt * ratio)
        part = _binomial(most, share)
        if counts[j] < most:
            less = np.append(_binomial(most - 1, share) if most > 1 else np.ones(1), 0.0)
            part = (most - counts[j]) * less + (1 - most + counts[j]) * part
        found = np.convolve(found, part)
    return tilt * _stretch(found, weight)


def _ratio_of(load: float, jobs: float, stretch: float) -> float:
    """Demand of a source's job over its time elsewhere."""
    return load / max(jobs - load * stretch, AWAY * jobs)


def _tilt(ratios: Sequence[float], jobs: Sequence[float], weight: Array) -> float:
    """The factor of all ratios, by whose power k each g(k) is divided, so that both peak at the same k."""
    tilt, steps, top = 1.0, np.diff(weight), len(weight) - 2
    for _ in range(60):
        mean = sum(n * tilt * a / (1 + tilt * a) for a, n in zip(ratios, jobs, strict=True))
        new = float(np.exp(steps[min(int(mean), top)]))
        if abs(new - tilt) <= 0.01 * tilt:
            break
        tilt = new
    return max(tilt, 1e-3)


def _binomial(jobs: int, share: float, most: int = MANY) -> Array:
    """P(n of so many are present), up to `most`, or the last one that is above 0 in floats."""
    if jobs == 1:
        return np.array([1 - share, share])
    n = np.arange(1, min(jobs, most) + 1)
    with np.errstate(divide="ignore"):
        steps = np.log((jobs - n + 1) / n) + np.log(share) - np.log1p(-share)
    logs = np.concatenate([[0.0], np.cumsum(steps)])
    found: Array = np.trim_zeros(np.exp(logs - logs.max()), "b")
    return found / found.sum()


def _weights(most: int, stream: float, speeds: Array) -> Array:
    """The logarithms of g(k), k = 0 … most + 1: k!·Σ_i C(k + i, i)·b^i/Π_{l ≤ k+i} μ(l), the jobs of the stream summed out.

    With x = b/μ(m), the terms of n = k + i ≥ m have the sum T(k) = (C(m, k)·x^m + x·T(k − 1))/(1 − x),
    in which only the second part is left beyond m.
    """
    m, top = len(speeds), float(speeds[-1])
    n = np.arange(m + 1)
    products = np.concatenate([[0.0], np.cumsum(np.log(speeds))])  # ln Π μ
    factorials = np.concatenate([[0.0], np.cumsum(np.log(np.arange(1, max(m, most + 1) + 2)))])
    log_stream = float(_logs(np.array(stream)))
    rest = np.log1p(-stream / top)
    found, tail = np.empty(most + 2), -np.inf
    for k in range(min(m, most + 1) + 1):
        power = (m - k) * log_stream if k < m else 0.0
        first = factorials[m] - factorials[k] - factorials[m - k] + power - products[m]
        tail = np.logaddexp(first, tail - np.log(top)) - rest
        found[k] = factorials[k] + tail
        if k < m:
            low = n[k:m]
            powers = np.where(low > k, (low - k) * log_stream if stream else -np.inf, 0.0)
            terms = factorials[low] - factorials[low - k] + powers - products[low]
            found[k] = np.logaddexp(found[k], np.logaddexp.reduce(terms))
    beyond = np.arange(m + 1, most + 2)
    found[m + 1 :] = factorials[beyond] + tail - (beyond - m) * (np.log(top) + rest)
    return found


def _logs(chance: Array) -> Array:
    with np.errstate(divide="ignore"):
        found: Array = np.log(chance)
    return found


def _stretch(others: Array, weight: Array) -> float:
    """Σ f(k)·g(k + 1)/Σ f(k)·g(k)."""
    size = len(others)
    here = _logs(others) + weight[:size]
    there = _logs(others) + weight[1 : size + 1]
    base = here.max()
    return float(np.exp(there - base).sum() / np.exp(here - base).sum())


def _chance(everyone: Array, weight: Array, stream: float, speeds: Array, tilt: float) -> Array:
    """P(n jobs present) for n below the jobs that take all servers."""
    m, size = len(speeds), len(everyone)
    total = float(np.logaddexp.reduce(_logs(everyone) + weight[:size]))
    found, term = np.zeros(m), 1.0  # term: n!/Π μ
    falling = np.concatenate([[1.0], np.cumprod(stream / np.arange(1.0, m))]) if m > 1 else np.ones(1)  # b^i/i!
    for n in range(m):
        if n:
            term *= n / speeds[n - 1]
        k = min(n + 1, size)
        found[n] = term * float((everyone[:k] / tilt ** np.arange(k)) @ falling[n - np.arange(k)])
    kept: Array = np.exp(_logs(found) - total)
    return kept

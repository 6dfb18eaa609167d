"""Open networks by two moments of each flow: Whitt's Queueing Network Analyzer, class by class."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial

import numpy as np

from qnsolve.methods.measures import Measures
from qnsolve.methods.product_form.open_network import distribution, mean_number, stretch_of
from qnsolve.numerics.bisection import narrowed
from qnsolve.numerics.fixed_point import NotConvergedError
from qnsolve.numerics.gi_g_waiting import in_batch, waiting
from qnsolve.numerics.series import Array

STEPS = 100_000
TOLERANCE = 1e-12


@dataclass(frozen=True)
class Flows:
    """An open network by its flows: R classes, K stations, the outside as place K.

    Attributes
    ----------
    kinds : tuple (K,) of str
        "shared", "delay", "fcfs", "nonpreemptive", "preemptive".
    speeds : tuple (K,) of ndarray or None
        μ(1), μ(2), …; 1 … m at the stations that are not shared.
    service, variation : ndarray (R, K)
        Mean time of a visit [time] and its squared coefficient of variation.
    visits : ndarray (R, K)
        Of one job.
    onward : ndarray (R, K + 1, K + 1)
        Probability that a job goes from a place to a place.
    rank : tuple (R,) of int
        Priority, 1 the highest.
    arrival_rate, arrival_variation, batch_size, batch_variation : ndarray (R,)
        λ of jobs [jobs/time]; the others as in `OpenClass`.
    """

    kinds: tuple[str, ...]
    speeds: Sequence[Array | None]
    service: Array
    variation: Array
    visits: Array
    onward: Array
    rank: tuple[int, ...]
    arrival_rate: Array
    arrival_variation: Array
    batch_size: Array
    batch_variation: Array


def qna(net: Flows) -> Measures:
    """Approximate mean values of a stable open network.

    Each flow has a rate and a squared coefficient of variation c². Flows meet as a mixture
    of Poisson and of their mean, by how busy the station is; they leave with
    1 + (1 − ρ²)(ca² − 1) + ρ²/√m·(cs² − 1); a class's part p of what leaves has
    p·cd² + p(1 − p) + (1 − p)²·ca² (its own), a part taken by chance p·c² + 1 − p.

    Returns
    -------
    Measures
        Exact where all flows are Poisson and every station shared, first come first
        served with equal exponential times, or alone with one server.

    References
    ----------
    [Whitt1983], [Bitran1988], [Cobham1954], [Bondi1984].
    """
    return _Analysis(net).measures()


class _Analysis:
    def __init__(self, net: Flows) -> None:
        self.net = net
        stations = len(net.kinds)
        self.rates = net.arrival_rate[:, None] * net.visits  # (R, K)
        total = self.rates.sum(axis=0)
        self.part = _share(self.rates, total)
        self.load = (self.rates * net.service).sum(axis=0)
        last = np.array([np.inf if s is None else s[-1] for s in net.speeds])
        self.busy = self.load / last
        self.servers = [1 if s is None else len(s) for s in net.speeds]
        leave = np.concatenate((self.rates, net.arrival_rate[:, None]), axis=1)
        self.flows = (leave[:, :, None] * net.onward)[:, :, :stations]  # (R, K + 1, K), from a place to a station
        self.direct = _share(self.flows[:, stations], self.rates)  # part of the visits that comes from outside
        self.arrivals, self.groups, self.steps = self._variations()

    def _variations(self) -> tuple[Array, Array, int]:
        """c² of the arrivals of all classes at each station, and the part that batches add, shapes (K,)."""
        net, stations = self.net, len(self.net.kinds)
        chance = net.onward[:, :, :stations]
        queues = np.array([kind not in ("delay", "shared") for kind in net.kinds])
        service = np.array([self.service(k, self.part[:, k])[1] for k in range(stations)])
        noise = np.where(queues, (np.maximum(service, 0.2) - 1) / np.sqrt(self.servers), 0.0)
        # a batch is one arrival of its process, and adds what no mixing takes away
        single = net.batch_size * (net.arrival_variation - 1)
        grouped = chance[:, stations] * (net.batch_size * (1 + net.batch_variation) - 1)[:, None] * self.direct
        groups = (self.part * grouped).sum(axis=0)
        within = _share(self.flows, self.rates[:, None, :])  # shares of a class's arrivals, and of all arrivals
        overall = within * self.part[:, None, :]
        crowd = 4 * (1 - self.busy) ** 2
        mix, mixes = (
            1 / (1 + crowd * (1 / np.maximum((shares**2).sum(axis=axis), 1e-300) - 1))
            for shares, axis in ((overall, (0, 1)), (within, 1))
        )
        own = np.ones_like(self.rates)
        together, steps = np.ones(stations), 0
        for _ in range(STEPS):
            left = 1 + (1 - self.busy**2) * (together + groups - 1) + self.busy**2 * noise
            leaving = self.part * left + self.part * (1 - self.part) + (1 - self.part) ** 2 * own
            leaving[:, ~queues & (self.busy == 0)] = own[:, ~queues & (self.busy == 0)]
            excess = chance * np.concatenate((leaving - 1, single[:, None]), axis=1)[:, :, None]
            together = 1 + (np.where(excess > 0, mix, 1.0) * overall * excess).sum(axis=(0, 1))
            new = 1 + mixes * (within * excess).sum(axis=1) + grouped
            moved = float(np.abs(new - own).max(initial=0.0))
            own, steps = new, steps + 1
            if moved < TOLERANCE:
                break
        else:
            raise NotConvergedError(moved)
        self.own = own
        # what each class adds to the work that arrives: exact for Poisson batches of several classes
        mean = np.array([self.service(k, self.part[:, k])[0] for k in range(stations)])
        weight = _share(net.service, mean) ** 2
        bursts = (np.where(excess > 0, mix, 1.0) * overall * excess).sum(axis=1)
        self.bursts = bursts * weight
        return np.maximum(1 + self.bursts.sum(axis=0), 0.0), (self.part * grouped * weight).sum(axis=0), steps

    def service(self, k: int, part: Array) -> tuple[float, float]:
        """Mean and squared variation of the service times of some classes together; `part` need not sum to 1."""
        total = part.sum()
        if total == 0:
            return 0.0, 1.0
        mean = float(part @ self.net.service[:, k] / total)
        if mean == 0:
            return 0.0, 1.0
        ratio = self.net.service[:, k] / mean  # its square neither underflows nor overflows
        second = float(part @ (ratio**2 * (1 + self.net.variation[:, k])) / total)
        return mean, max(second - 1, 0.0)

    def measures(self) -> Measures:
        net = self.net
        stay = np.array([self._stay(k) for k in range(len(net.kinds))]).T
        residence = net.visits * stay
        length = net.arrival_rate[:, None] * residence
        return Measures(
            net.arrival_rate.copy(), length, residence, partial(_distribution, length.sum(axis=0), net.speeds), self.steps
        )

    def _stay(self, k: int) -> Array:
        """Time that one visit of each class takes, shape (R,)."""
        net, kind, speeds = self.net, self.net.kinds[k], self.net.speeds[k]
        if speeds is None:
            return net.service[:, k]
        batch = self._in_batch(k) * np.maximum(net.service[:, k] / speeds[-1] - self._paced(k), 0.0)
        if kind == "shared":
            alone = 1 / speeds[0]
            ratio = waiting(1.0, self.busy[k], self.servers[k], self.arrivals[k], self.groups[k], 1.0)
            return net.service[:, k] * (alone + (stretch_of(self.load[k], speeds) - alone) * ratio) + batch
        if kind == "fcfs":
            line = self._line(k, self.rates[:, k])
            return net.service[:, k] + np.maximum(line + self._own_burst(k), 0.0) + batch
        return net.service[:, k] + self._by_priority(k, kind == "preemptive", batch)

    def _own_burst(self, k: int) -> Array:
        """Wait of a class beyond the mean of all, because its bursts queue behind themselves, shape (R,) [time].

        The work V that is there at any time keeps V·(1 − ρ) = Σ ρ_r·(W_r − V) + Σ λ_r·S_r²(1 + c_r²)/2
        (Brumelle); W_r − V = ρ·S_r·(ca_r² − 1)/2 gives all classes together the wait of `waiting`.
        """
        speeds = self.net.speeds[k]
        if speeds is None or not self.load[k]:
            return np.zeros(len(self.net.rank))
        mean, service = self.service(k, self.part[:, k])[0], self.net.service[:, k]
        own = mean * _share(self.bursts[:, k], self.part[:, k] * service / mean)
        return self.busy[k] / 2 * (own - mean * self.bursts[:, k].sum()) / speeds[-1]

    def _in_batch(self, k: int) -> Array:
        """Jobs of its own batch that a job of each class waits for, shape (R,)."""
        net = self.net
        given = zip(net.batch_size.tolist(), net.batch_variation.tolist(), strict=True)
        ahead = np.array([in_batch(b, v, self.servers[k], self.busy[k]) if b > 1 else 0.0 for b, v in given])
        # of a batch only a binomial part may come here; one that takes a fixed way arrives whole everywhere
        return ahead * np.where(self._fixed(), net.visits[:, k] > 0, self.direct[:, k] * net.onward[:, -1, k])

    def _fixed(self) -> Array:
        """Classes with deterministic arrivals and service, shape (R,) of bool."""
        return np.asarray(((self.net.onward == 0) | (self.net.onward == 1)).all(axis=(1, 2)))

    def _paced(self, k: int) -> Array:
        """Time between two jobs of a batch after the stations before, shape (R,)."""
        net, pace = self.net, np.zeros(len(self.net.rank))
        for r in np.flatnonzero(self._fixed()):
            place = int(net.onward[r, -1].argmax())
            while place != k and place < len(net.kinds):
                speeds = net.speeds[place]
                if speeds is not None:
                    pace[r] = max(pace[r], net.service[r, place] / speeds[-1])
                place = int(net.onward[r, place].argmax())
        return pace

    def _line(self, k: int, rates: Array) -> float:
        """Mean first come first served wait of some classes by their rates, without the other classes."""
        speeds, net = self.net.speeds[k], self.net
        load = float(rates @ net.service[:, k])
        if speeds is None or load == 0:
            return 0.0
        mean, variation = self.service(k, rates)
        part = rates / rates.sum()
        everyone = bool((rates == self.rates[:, k]).all())
        arrivals = self.arrivals[k] if everyone else max(1 + float(part**2 @ (self.own[:, k] - 1)), 0.0)
        groups = self.groups[k] if everyone else 0.0
        return waiting(mean * (stretch_of(load, speeds) - 1), load / speeds[-1], len(speeds), arrivals, groups, variation)

    def _by_priority(self, k: int, preemptive: bool, batch: Array) -> Array:
        """Wait of each class, interruptions included: Cobham's with the queue of all m servers; Bondi and Buzen's."""
        net, rank = self.net, np.array(self.net.rank)
        speeds = net.speeds[k]
        assert speeds is not None
        wait = np.zeros(len(rank))
        part = self.rates[:, k] * net.service[:, k] / speeds[-1]
        everyone = self._line(k, self.rates[:, k]) * (1 - self.busy[k])
        for level in sorted(set(self.net.rank)):
            same = rank == level
            before, upto = 1 - part[rank < level].sum(), 1 - part[rank <= level].sum()
            if not preemptive:
                wait[same] = everyone / (before * upto) + batch[same] / before
                continue
            rates = np.where(rank <= level, self.rates[:, k], 0.0)
            line = self._line(k, rates)
            load = float(rates @ net.service[:, k])
            alone = load / speeds[-1] / upto / speeds[-1]  # wait over service at one server as fast as all
            many = stretch_of(load, speeds) - 1 if load else 0.0
            wait[same] = line / before + batch[same] / before
            if load:
                wait[same] += net.service[same, k] / speeds[-1] * (1 - before) / before * many / alone
        return wait


def _share(part: Array, whole: Array) -> Array:
    """part/whole, 0 where the whole is 0."""
    whole = np.broadcast_to(whole, part.shape)
    return np.divide(part, whole, out=np.zeros_like(part), where=whole > 0)


def _distribution(length: Array, speeds: Sequence[Array | None], k: int) -> Array:
    """P(n jobs at station k): that of Poisson arrivals, at the load with this mean."""
    station, jobs = speeds[k], float(length[k])
    loads = np.zeros(len(length))
    loads[k] = jobs
    if station is not None and jobs > 0:
        loads[k] = narrowed(lambda load: mean_number(load, station) < jobs, 0.0, float(station[-1]))[0]
    return distribution(loads, speeds, k)

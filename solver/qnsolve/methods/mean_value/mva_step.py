"""One step of approximate mean value analysis, of many networks at all populations that a rule needs."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from qnsolve.numerics.series import Array, trim

from .queue_seen import SMALL, Closure, closure, rest_of_network


def spread(speeds: Sequence[Sequence[Array | None]], count: int) -> list[list[Array | None]]:
    """Speeds of each station in each of B networks: lists (K,) of (B,)."""
    return [list(per) * count if len(per) == 1 else list(per) for per in speeds]


Meetings = list[list[Closure | None]]  # (K,) of (1,) or (B,)


def meetings_of(population: Array, demand: Array, speeds: Sequence[Sequence[Array | None]]) -> Meetings:
    """The closure of each station of each network; one entry where it is the same in all."""
    most = np.einsum("br,brk->bk", population, demand > 0)
    meetings: Meetings = []
    for k, per in enumerate(spread(speeds, len(demand))):
        own = [
            None if s is None or not n or (len(s) == 1 and not s[0]) else closure(trim(s, n).tobytes(), n if len(s) > 1 else 1)
            for s, n in zip(per, most[:, k].astype(int).tolist(), strict=True)
        ]
        meetings.append(own)
    return meetings


class MvaStep:
    """One step of the fixed point: queue lengths at all population vectors, shape (B, P, R, K), to the next ones."""

    def __init__(self, sizes: Array, think_time: Array, demand: Array, meetings: Meetings, rule: str) -> None:
        self.sizes, self.rule = sizes, rule
        self.think_time, self.demand = think_time[:, None, :], demand[:, None]
        self.inverse = np.divide(1.0, sizes, out=np.zeros_like(sizes), where=sizes > 0)[..., None]
        self.jobs = sizes.sum(axis=2)  # (B, P)
        first = [[1.0 if m is None else 1 / m.speeds[0] for m in per] for per in meetings]
        grows = [[1 / m.speeds[0] if m is not None and m.single else 0.0 for m in per] for per in meetings]
        self.alone = np.array(first).T[:, None, None, :]  # stretch of a job alone
        self.base = self.demand * self.alone  # residence of a job alone
        self.slope = self.demand * np.array(grows).T[:, None, None, :]  # increase of the residence by each job met
        # closures by station, network and class, where the residence is not linear in the mean
        self.curved = {
            k: {b: [m] * sizes.shape[2] for b, m in enumerate(per) if m is not None and not m.single}
            for k, per in enumerate(meetings)
        }
        self.bent = np.zeros(len(sizes), dtype=bool)
        for users in self.curved.values():
            self.bent[[b for b, met in users.items() if met[0].most <= SMALL]] = True

    def __call__(self, length: Array, chosen: slice | NDArray[np.intp]) -> Array:
        """The next queue lengths of the chosen networks."""
        stay = self.residence(length, chosen)
        cycle = self.think_time[chosen] + stay @ np.ones(stay.shape[3])
        rate = np.divide(self.sizes[chosen], cycle, out=cycle, where=cycle > 0)
        stay *= rate[..., None]
        return stay

    def residence(self, length: Array, chosen: slice | NDArray[np.intp]) -> Array:
        """Residence times of the chosen networks."""
        others = self._others(length, chosen)
        np.maximum(others, 0.0, out=others)
        stay = others * self.slope[chosen]
        stay += self.base[chosen]
        every = np.arange(len(self.sizes))[chosen].tolist()
        for k, users in self.curved.items():
            if users:
                for i, b in enumerate(every):
                    for r, meeting in enumerate(users.get(b, ())):
                        stay[i, :, r, k] = self.demand[b, 0, r, k] * meeting.stretch(others[i, :, r, k])
        return stay

    def shape(self, length: Array, chosen: NDArray[np.intp]) -> None:
        """Set the shapes of the stations of the chosen networks from the present queue lengths.

        The power g of `Closure` is the root of the share of jobs elsewhere that are thinking or in service: 1 where
        none waits elsewhere, small where most do; the root, by the errors measured, rather than the share itself.
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
        total = np.ones(length.shape[2]) @ length
        if self.rule == "schweitzer":
            return total[:, :, None, :] - length * self.inverse[chosen]
        others = np.empty_like(length)
        others[:, 0] = total[:, 1:]  # at N: the queue with one job of the class less
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

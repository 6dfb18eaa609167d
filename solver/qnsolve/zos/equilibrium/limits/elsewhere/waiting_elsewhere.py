"""Users who wait for other limits: by how much fewer of them come to a limit while more are there than in the mean.

Users who think come in proportion to their number. Those in line for another limit do not: where fewer are in it they wait for
less long, and it lets out as many as before, or nearly.
"""

from __future__ import annotations

import numpy as np

from qnsolve.zos.compile.compiled import Pool
from qnsolve.zos.hosts.chains.birth_death import Crowd

from ...working import Working

SOME = 0.01  # of those elsewhere, who wait for other limits: fewer make no difference
LINEAR = 0.95  # power from which on it is as good as 1
LITTLE = 1e-3  # line of tasks all alike over that of unlike ones, at least
LEAST = 0.2  # power, below which waits hang on the smallest change of a rate


def powers(work: Working) -> dict[tuple[int, int], float]:
    """By limit of a region to which users alone come, and work: by which power of those elsewhere, where that is not 1.

    Where a part more of m are elsewhere, x_k = 1 - Σ_j (n_kj/m)·w_j parts more of work k come: n_kj of them wait for limit j,
    by w_j parts longer. That is w_j = g_j·Σ_i u_ij·x_i, where u_ij is the share of work i in what is inside. A line of L has
    g = 1 + L once it is as it stays; if it has only the time τ for it, in which the number at the own limit is another one,
    1/g = 1/(1 + L) + W/τ at a wait W. Users of other works come less often as they wait longer, x_i = -Σ_j (n_ij/N_i)·w_j.
    """
    form, flow, users = work.form, work.flow, work.form.users
    line = work.pool_wait * flow
    pools = [p for p in np.flatnonzero(line.any(axis=1)).tolist() if p in work.crowds]
    found = dict[tuple[int, int], float]()
    if len(pools) < 2 or not users.any():
        return found
    line, held, at = line[pools], flow * work.holds(), line[pools] > 0  # (P, T), (T,), (P, T)
    there = held + flow * work.wait
    of = (form.work == np.arange(len(users))[:, None]).astype(float)  # (W, T)
    waiting, load, come = of @ line.T, of @ (held * at).T, (at * flow).sum(axis=1)
    share = (load / np.maximum(load.sum(axis=0), 1e-300)).T  # (P, W)
    crowds = [work.crowds[p] for p in pools]
    number, alike = line.sum(axis=1), np.array([crowd.outside for crowd in crowds])
    longer = np.maximum(number / np.maximum(alike, LITTLE * number), 1.0)  # by unlike tasks
    lasts = longer**2 * np.array([_variance(crowd) for crowd in crowds]) / come
    less = waiting / np.where(users > 0, users, np.inf)[:, None]
    for place, pool in enumerate(pools):
        if form.pool_kind[pool] == Pool.TRANCLASS or (users[form.work[at[place]]] == 0).any():
            continue
        stiff = 1 / (1 / (1 + alike) + number / come / lasts[place])
        for k in np.flatnonzero((waiting[:, place] > 0) & (users > 0)).tolist():
            mine = at[place] & (form.work == k)
            others = ~at[:, mine].any(axis=1)
            rest = float(users[k]) - float(there[mine].sum())
            if work.need.calls[mine].any() or not 0 < SOME * rest < float(waiting[k, others].sum()):
                continue
            part = np.minimum(waiting[k, others] / rest, 1.0)
            moves, each = less[:, others].copy(), stiff[others, None] * share[others]
            moves[k] = part
            power = 1 - float(part @ np.linalg.solve(np.eye(len(part)) + each @ moves, each[:, k]))
            if power < LINEAR:
                found[pool, k] = max(power, LEAST)
    return found


def _variance(crowd: Crowd) -> float:
    """Of the number in and before a limit."""
    mean = float(crowd.chance @ crowd.number)
    return max(float(crowd.chance @ (crowd.number - mean) ** 2), 1e-300)

"""Several equal stations as one: the rate at which jobs leave all of them, by how many are there."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]

MOST = 150.0  # servers of a node beyond which its weights are too small to be held; then as one station


def node_shares(servers: Array, nodes: int, jobs: int) -> Array:
    """Rate of departure with 1, 2, ... jobs over that of full nodes (P, jobs).

    Parameters
    ----------
    servers : ndarray (P,)
        Of each node, 1 or more.
    nodes : int
    jobs : int

    Notes
    -----
    The weights of the jobs at a node, f(j) = f(j-1)·c/min(j, c), do not change from j = c on. So (1 - z)·F(z) has a term for
    each server only, all positive, and the weights of one node more are a short convolution and a running sum. From as many
    jobs on as there are servers in all nodes they are a polynomial of degree nodes - 1 in the number of jobs.
    """
    count = int(np.ceil(min(float(servers.max(initial=1.0)), MOST)))
    whole = np.minimum(servers, MOST)[:, None]
    places = np.arange(1.0, count + 1)
    logs = np.hstack([np.zeros((len(servers), 1)), np.cumsum(np.log(whole / np.minimum(places, whole)), axis=1)])
    one = np.exp(logs - logs[:, -1:])
    steps = np.diff(one, axis=1, prepend=0.0)
    exact = min(jobs, nodes * (count + 1) + nodes)
    found = np.ones((len(servers), exact + 1))
    found[:, : min(count, exact) + 1] = one[:, : exact + 1]
    for _ in range(nodes - 1):
        together = np.zeros_like(found)
        for j in range(min(count, exact) + 1):
            together[:, j:] += steps[:, j : j + 1] * found[:, : exact + 1 - j]
        found = np.cumsum(together, axis=1)
    if jobs > exact:
        found = np.hstack([found, _further(found, nodes, jobs - exact)])
    shares = found[:, :-1] / found[:, 1:]
    return np.where(servers[:, None] > MOST, np.minimum(np.arange(1.0, jobs + 1) / (nodes * servers[:, None]), 1.0), shares)


def _further(found: Array, nodes: int, more: int) -> Array:
    """The polynomial of degree nodes - 1 through the last values, at as many places after them (P, more)."""
    tail, ahead = found[:, -nodes:], np.arange(1.0, more + 1)
    values, factor = np.zeros((len(found), more)), np.ones(more)
    for k in range(nodes):  # Newton's backward differences
        values += np.diff(tail, n=k, axis=1)[:, -1:] * factor
        factor = factor * (ahead + k) / (k + 1)
    return values

"""How many of a group that one center lets through one by one are together at the next."""

from __future__ import annotations

from math import erf

import numpy as np


def met_at_servers(mates: float, one_more: float, slowest: float, apart: float, servers: float) -> float:
    """Mates of a group at a center with servers: those who are there when the last one comes, in the mean [count].

    They come one by one, each a time after the other; at first there are servers left for all, and they leave as at servers
    without end, later as all servers let them out. Times vary: near balance the number there is that of a diffusion from
    0, its variance that of a line of exponential services, at servers as much less as their lines are (H. Sakasegawa 1977).
    """
    if one_more <= 0:
        return 0.0
    if slowest <= 0:
        return mates * mates * one_more / max(mates * one_more + apart, 1e-300)
    rate = servers * one_more / slowest  # come in a service
    last = mates / rate  # the last one, in services
    full = -np.log1p(-servers / rate) if rate > servers else np.inf
    there = rate * -np.expm1(-last) if last <= full else servers + (rate - servers) * (last - full)
    drift = 1 - slowest / one_more
    waits = min(one_more / slowest, 1.0) ** (np.sqrt(2 * (servers + 1)) - 2)
    line = max(mates + 1 - servers, 0.0)  # who do not find a server at once
    there += waits * max(_crossed(line, drift) - line * max(drift, 0.0), 0.0)
    there = min(there, mates)
    if there <= 0:
        return 0.0
    near = there * one_more
    return float(there * near / (near + apart))


def lost_together(size: float, one_more: float, slowest: float, apart: float, servers: float) -> float:
    """Group that would come at once and lose as large a part of it as one whose tasks come one by one.

    Servers take as many as they are, and then each that ends in the meantime makes room for one.
    """
    if one_more <= 0:
        return 1.0
    alike = servers * size / (servers + size * slowest / one_more) if slowest > 0 else size
    near = alike * one_more
    return alike * near / (near + apart)


def _crossed(mates: float, drift: float) -> float:
    """Twice the mean over j up to `mates` of E max(W(t), t <= j): a diffusion with a drift below 1 [services].

    Its variance is that of the faster of the two, so that from 0 it loses a²/(b - a) and holds b²/(a - b) in the end, as lines
    of exponential times a to come and b to be served do.
    """
    steps, sigma = np.linspace(0.0, mates, 65)[1:], np.sqrt(2.0) * min(1 - drift, 1.0)
    z = drift * np.sqrt(steps) / sigma
    below = np.array([(1 + erf(each)) / 2 for each in (z / np.sqrt(2)).tolist()])
    normal = np.exp(-(z**2) / 2) / np.sqrt(2 * np.pi)
    bend = sigma**2 * (below - 0.5) / drift if abs(drift) > 1e-6 else sigma * np.sqrt(steps) * normal
    return float(2 * np.mean(drift * steps * below + sigma * np.sqrt(steps) * normal + bend))

"""Erlang's loss and delay formulas, valid to 1,000,000 servers."""

from __future__ import annotations

import numpy as np

from qnsolve.errors import SaturatedError
from qnsolve.model import checks
from qnsolve.model.station_types import MOST_SERVERS

FEW = 64


def erlang_b(servers: int, load: float) -> float:
    """Probability that an arrival finds all servers busy and is lost.

    Parameters
    ----------
    servers : int
        m [count], 0 to 1,000,000.
    load : float
        Offered load a = λ·S [erlangs], 0 or more.

    Returns
    -------
    float
        B(m, a) [0..1]; 0 where it is below the smallest number.

    Raises
    ------
    ModelError
        For a value outside those ranges.

    Notes
    -----
    1/B is a sum of positive products, 1 + m/a·(1 + (m−1)/a·(1 + …)): no factorial, no
    cancellation. Relative error 1e-13 at 1,000,000 servers.

    References
    ----------
    [Erlang1917], [Jagerman1974].

    Examples
    --------
    >>> round(erlang_b(2, 1.0), 12)
    0.2
    """
    m = checks.whole("erlang_b: servers", servers, most=MOST_SERVERS)
    a = checks.number("erlang_b: load", load)
    if a == 0:
        return 1.0 if m == 0 else 0.0
    if m <= FEW:
        inverse = 1.0
        for j in range(1, m + 1):
            inverse = 1.0 + inverse * j / a
        return 1.0 / inverse
    with np.errstate(over="ignore"):
        return float(1.0 / (1.0 + np.cumprod(np.arange(m, 0.0, -1.0) / a).sum()))


def erlang_c(servers: int, load: float) -> float:
    """Probability that an arrival has to wait, C(m, a).

    Parameters
    ----------
    servers : int
        m [count], 1 to 1,000,000.
    load : float
        Offered load a = λ·S [erlangs], below m.

    Returns
    -------
    float
        C(m, a) [0..1].

    Raises
    ------
    ModelError, SaturatedError

    References
    ----------
    [Erlang1917].

    Examples
    --------
    >>> round(erlang_c(2, 1.0), 12)
    0.333333333333
    """
    m = checks.whole("erlang_c: servers", servers, least=1, most=MOST_SERVERS)
    a = checks.number("erlang_c: load", load)
    if a >= m:
        raise SaturatedError("M/M/c", a / m, m, f"the load must stay below {m} erlangs")
    blocked = erlang_b(m, a)
    return blocked / (1 - a / m * (1 - blocked))

"""Users who wait longer somewhere come less often: how many are left to come, and what of a longer wait is left."""

from __future__ import annotations

from math import sqrt

import numpy as np

from qnsolve.numerics.series import Array, Places

from .working import Working


def left_to_come(work: Working, tasks: Places, flow: Array, number: float) -> float:
    """Users who are left to come: one more that waits takes 1 over so many of the flow away [count]."""
    users = work.form.users[work.form.work[tasks]]
    each = np.bincount(work.form.work[tasks], flow, len(work.form.users))
    share = each / max(float(each.sum()), 1e-300)
    left = np.maximum(work.form.users - number * share, 1e-3)
    fewer = float((share**2 / left)[work.form.users > 0].sum()) if users.any() else 0.0
    return 1 / fewer if fewer > 0 else np.inf


def as_fewer_come(more: float, number: float, kept: float) -> float:
    """By what to divide the `more` that wait, were users without end: those that wait more keep others away, too.

    `number` are at the servers without them; `kept` is what of the servers is idle times the users who are left to come.
    """
    half = (1 + number / kept) / 2
    return half + sqrt(half**2 + more / kept)

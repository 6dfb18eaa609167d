"""The laws that every answer must keep before it is handed out."""

from __future__ import annotations

import numpy as np

from .arrays import Arrays
from .errors import LawError
from .kernels.bounds import asymptotic
from .kernels.measures import Measures
from .model import Queue
from .network import Network

EXACT = 1e-9  # relative violation that an exact method may show; it shows about 1e-14


def check(arrays: Arrays, measures: Measures, method: str, tolerance: float = EXACT) -> float:
    """Hold measures against the laws of queueing.

    Finite and not negative; Little's law at each station and class; the population of
    each class, ΣQ + X·Z = N; 0 ≤ U ≤ 1; no residence below the demand at full speed;
    throughput within the asymptotic bounds.

    Returns
    -------
    float
        The largest relative violation found.

    Raises
    ------
    LawError
        Naming the law, the station or class and the figures, where it is above `tolerance`.
    """
    model = arrays.model
    stations = [s.name for s in model.stations]
    classes = [c.name for c in model.classes]
    x, q, residence = measures.throughput, measures.queue_length, measures.residence_time
    outside = 0.0 if measures.admission is None else measures.admission.outside
    active = x > 0
    fastest = arrays.demand / arrays.solo  # residence of a job alone, at the highest speed one job can get
    worst = 0.0

    def law(name: str, excess: np.ndarray, r: np.ndarray | int | None = None) -> None:
        """`excess` is the relative violation; shapes (R, K), (R,) or (K,)."""
        nonlocal worst
        if excess.size == 0:
            return
        bad = np.where(np.isfinite(excess), excess, np.inf)
        most = float(bad.max())
        worst = max(worst, most)
        if most > tolerance:
            place = np.unravel_index(int(bad.argmax()), bad.shape)
            names = [stations] if bad.shape == (len(stations),) and r is None else [classes, stations]
            where = " at ".join(repr(n[i]) for n, i in zip(names, place, strict=False))
            raise LawError(f"method {method}: the answer breaks a law and is withheld: {name}, {where}, relative {most:.2g}")

    law("throughput must be finite and not negative", np.where(x >= 0, 0.0, np.inf), 0)
    law("queue length must be finite and not negative", np.where(q >= 0, 0.0, np.inf), 0)
    little = np.abs(q - x[:, None] * np.where(active[:, None], residence, 0.0))
    law("Little's law, Q = X·R", little / np.maximum(q, 1e-300), 0)
    slow = np.where(active[:, None] & (arrays.demand > 0), (fastest - residence) / np.where(fastest > 0, fastest, 1), 0.0)
    law("residence time below the demand", np.maximum(slow, 0.0), 0)
    busy = np.nan_to_num(x @ arrays.demand / arrays.top)
    law("utilization above 1", np.maximum(busy - 1, 0.0))
    if not arrays.is_open:
        n = np.where(arrays.closed, arrays.population, q.sum(axis=1) + outside)  # an open class is held to nothing here
        z = np.nan_to_num(arrays.think_time)
        size = np.maximum(n, 1)
        law("population, ΣQ + X·Z = N", np.abs(q.sum(axis=1) + outside + x * z - n) / size, 0)
        some = np.flatnonzero(arrays.closed & active)
        meets = n[some] @ (arrays.demand[some] > 0) if arrays.is_closed else np.full(len(stations), np.inf)
        least, longest = asymptotic(n[some], z[some], arrays.demand[some], arrays.speeds, meets)
        law("throughput above the asymptotic bound", np.maximum(x[some] * (z[some] + least) / n[some] - 1, 0.0), 0)
        if arrays.is_closed and not model.limits and (len(classes) == 1 or _shared(model)):
            law("throughput below the asymptotic bound", np.maximum(1 - x[some] * (z[some] + longest) / n[some], 0.0), 0)
    return worst


def _shared(model: Network) -> bool:
    """No queue prefers a class."""
    return all(s.discipline == "ps" for s in model.stations if isinstance(s, Queue))

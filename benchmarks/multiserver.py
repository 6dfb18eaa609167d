"""Corrections for many servers, side by side: errors of the Linearizer with each, and how errors fall as jobs grow.

`python -m benchmarks.multiserver` prints both tables; with `--write` they replace those in the README here.

The corrections beside Seidmann's are of J. A. Rolia, Predicting the performance of software systems, thesis, University of
Toronto, 1992, and of R. Suri, S. K. Sahu, M. Vernon, Approximate mean value analysis for closed queuing networks with
multiple-server stations, Industrial Engineering Research Conference, 2007.
"""

from __future__ import annotations

import sys
from collections.abc import Callable

import numpy as np
import qnsolve as qn
from qnsolve.methods.arrays import from_network
from qnsolve.methods.mean_value.amva import amva
from qnsolve.methods.mean_value.mva_step import MvaStep
from qnsolve.methods.mean_value.saddle_point import saddle_point
from qnsolve.methods.measures import Measures
from qnsolve.numerics.fixed_point import fixed_point
from qnsolve.numerics.series import Array

from benchmarks import accuracy

FAMILIES = ("many servers", "near saturation")
MODELS = 100
GROWTH = (10, 20, 40, 80, 160, 320)
DRAWN = 12


def seidmann(model: qn.Network) -> Array:
    """Response times with m servers as a queue of m-fold speed and a delay."""
    stations: list[qn.Queue | qn.Delay] = []
    for s in model.stations:
        stations += [qn.Queue(s.name), qn.Delay(f"{s.name} beside")]
    classes = []
    for c in model.classes:
        assert isinstance(c, qn.ClosedClass)
        demands = {}
        for s in model.stations:
            assert isinstance(s, qn.Queue)
            demands[s.name] = c.demand(s.name) / s.servers
            demands[f"{s.name} beside"] = c.demand(s.name) * (1 - 1 / s.servers)
        classes.append(qn.ClosedClass(c.name, population=c.population, think_time=c.think_time, demands=demands))
    return np.array([c.response_time for c in qn.solve(qn.Network(stations, classes), method="linearizer").classes])


def powered(exponent: Callable[[float], float], model: qn.Network) -> Array:
    """Response times where a job that meets A others at m servers stays D·(1 + ρ^e(m)·A/m), ρ the utilization."""
    arrays = from_network(model)
    n, z, demand = arrays.population, arrays.think_time, arrays.demand
    m = arrays.top
    busy = np.full(len(m), 0.5)
    rate = np.zeros(len(n))
    sizes = np.concatenate(([n], np.maximum(n - np.eye(len(n)), 0.0)))[None]
    for _ in range(400):
        step = MvaStep(sizes, z[None], demand[None], [[None]] * len(m), "linearizer")
        step.slope = step.demand * (busy ** np.array([exponent(s) for s in m]) / m)
        start = step.sizes[..., None] * (demand / demand.sum(axis=1, keepdims=True))[None, None]
        stay = step.residence(fixed_point(step, start, 1e-9).value, np.arange(1))[0, 0]
        rate = n / (z + stay.sum(axis=1))
        new = np.minimum(rate @ demand / m, 1.0)
        moved, busy = float(np.abs(new - busy).max()), busy + 0.5 * (new - busy)
        if moved < 1e-8:
            break
    return n / rate - z


def _ours(model: qn.Network) -> Array:
    return np.array([c.response_time for c in qn.solve(model, method="linearizer").classes])


WAYS: dict[str, Callable[[qn.Network], Array]] = {
    "qnsolve: shape of the station and of the rest of the network": _ours,
    "Seidmann: a fast queue and a delay": seidmann,
    "Rolia: waiting times ρ^m": lambda model: powered(lambda m: m if m > 1 else 0.0, model),
    "Suri: waiting times ρ^(4.464·(m^0.676 − 1))": lambda model: powered(lambda m: 4.464 * (m**0.676 - 1), model),
}


def corrections(count: int = MODELS) -> str:
    """Response errors of the worst class, by family, as a table for reading."""
    lines = [f"| correction, in the Linearizer | {' | '.join(f'{f}: mean, 95th, max' for f in FAMILIES)} |", "|---|---|---|"]
    errors: dict[str, list[list[float]]] = {way: [] for way in WAYS}
    for family in FAMILIES:
        for way in WAYS:
            errors[way].append([])
        for model in accuracy.models(family, count):
            right = np.array([c.response_time for c in qn.solve(model, method="exact").classes])
            for way, run in WAYS.items():
                errors[way][-1].append(float(np.abs(run(model) / right - 1).max()))
    for way, found in errors.items():
        lines.append(f"| {way} | {' | '.join(_three(e) for e in found)} |")
    return "\n".join(lines)


def _three(errors: list[float]) -> str:
    return f"{100 * np.mean(errors):.2f}, {100 * np.quantile(errors, 0.95):.2f}, {100 * np.max(errors):.2f} %"


def growth() -> str:
    """Largest error of a throughput in two-class models of growing population, drawn once."""
    lines = ["| jobs in each of two classes | `asymptotic` X: mean, max | `linearizer` X: mean, max |", "|---|---|---|"]
    for jobs in GROWTH:
        rng = np.random.default_rng(7)
        errors: list[list[float]] = [[], []]
        for _ in range(DRAWN):
            servers = [int(m) for m in rng.choice([1, 1, 4, 16], 3)]
            stations = [qn.Queue(f"s{k}", servers=m) for k, m in enumerate(servers)]
            load = {c: {s.name: s.servers * 10 ** rng.uniform(-1.5, 0.3) for s in stations} for c in "ab"}
            classes = [
                qn.ClosedClass(c, population=jobs, think_time=jobs * 10 ** rng.uniform(-1.5, 0.3), demands=load[c])
                for c in "ab"
            ]
            arrays = from_network(qn.Network(stations, classes))
            right = np.array([c.throughput for c in qn.solve(arrays.model, method="exact").classes])
            given = arrays.population, arrays.think_time, arrays.demand, arrays.speeds
            found: list[Measures] = [saddle_point(*given), amva(*given, "linearizer")]
            for kept, measures in zip(errors, found, strict=True):
                kept.append(float(np.abs(measures.throughput / right - 1).max()))
        cells = [f"{100 * np.mean(e):.2g}, {100 * np.max(e):.2g} %" for e in errors]
        lines.append(f"| {jobs} | {' | '.join(cells)} |")
    return "\n".join(lines)


if __name__ == "__main__":
    for text in (corrections(), growth()):
        print(text)
        if "--write" in sys.argv:
            accuracy.put(text)

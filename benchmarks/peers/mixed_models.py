"""Mixed and approximate methods: time and error beside a plain implementation."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import qnsolve as qn

from benchmarks.timing.clock import best, once
from benchmarks.timing.table import RATIO_FROM, Row
from tests.oracles import plain_loops
from tests.oracles.raw_models import Answer, Model, errors

TITLE = "open and closed classes; 20 classes at 50 stations, too large for an exact answer"
CONVERGED = {"linearizer": (1.6097902, 1.4625480), "schweitzer": (1.6015552, 1.4429296)}  # X of two classes


def rows(quick: bool) -> Iterator[Row]:
    """The rows of this group."""
    data = json.loads(Path(__file__).with_name("mixed_models.json").read_text(encoding="utf-8"))
    budget = 0.05 if quick else 1.0
    yield from _mixed(data["f_mixed"], budget)
    network = _network("e_20x50", data["e_20x50"])
    for method, right in CONVERGED.items():
        seconds = best(_solving(network, method), budget)
        found = [c.throughput for c in qn.solve(network, method=method).classes[: len(right)]]
        off = float(np.max(np.abs(np.array(found) / np.array(right) - 1)))
        solver = RATIO_FROM if method == "linearizer" else "qnsolve schweitzer"
        note = f"{method}; approximate; {off:.0e} from another code's fixed point, given to 1e-6"
        yield Row("e_20x50", solver, seconds, found[0], None, None, note)


def _mixed(model: dict[str, Any], budget: float) -> Iterator[Row]:
    """Single servers: the closed classes see demands over what the open ones leave idle."""
    network = _network("f_mixed", model)
    opened = [r for r, n in enumerate(model["population"]) if n == 0]
    closed = [r for r, n in enumerate(model["population"]) if n]
    demand, rate = np.array(model["demand"]), np.array(model["arrival_rate"], dtype=float)
    load = rate[opened] @ demand[opened]

    def plainly() -> Answer:
        slowed = tuple(tuple(row) for row in (demand[closed] / (1 - load)).tolist())
        sizes = (tuple(model[key][r] for r in closed) for key in ("population", "think_time"))
        inside = plain_loops.solve(Model("f_mixed", "", slowed, (1,) * len(load), *sizes))
        seen = (1 + np.array(inside.queue_length).sum(axis=0)) / (1 - load)
        outside = (rate[opened, None] * demand[opened] * seen).tolist()
        return Answer([*rate[opened].tolist(), *inside.throughput], [*outside, *inside.queue_length])

    seconds, right = once(plainly)
    solution = qn.solve(network)
    stations = len(solution.stations)
    lengths = [pair.queue_length for pair in solution.pairs]
    answer = Answer(
        [c.throughput for c in solution.classes], [lengths[i : i + stations] for i in range(0, len(lengths), stations)]
    )
    off_x, off_q = errors(answer, right)
    yield Row(
        "f_mixed", RATIO_FROM, best(_solving(network, "auto"), budget), answer.throughput[-1], off_x, off_q, "checks included"
    )
    yield Row("f_mixed", "plain Python", seconds, right.throughput[-1], 0.0, 0.0, "exact MVA, a loop")


def _solving(network: qn.Network, method: str) -> Callable[[], qn.Solution]:
    return lambda: qn.solve(network, method=method)


def _network(name: str, model: dict[str, Any]) -> qn.Network:
    stations = [qn.Queue(f"s{k}") for k in range(len(model["demand"][0]))]
    classes: list[qn.OpenClass | qn.ClosedClass] = []
    for r, row in enumerate(model["demand"]):
        demands = {f"s{k}": d for k, d in enumerate(row)}
        if model["population"][r]:
            size, think = model["population"][r], model["think_time"][r]
            classes.append(qn.ClosedClass(f"c{r}", population=size, think_time=think, demands=demands))
        else:
            classes.append(qn.OpenClass(f"c{r}", arrival_rate=model["arrival_rate"][r], demands=demands))
    return qn.Network(stations, classes, name=name)

"""One group of models after another: qnsolve, the plain implementation and the peers."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import qnsolve as qn
from qnsolve.methods.arrays import from_network
from qnsolve.methods.product_form.convolution import one_class
from qnsolve.methods.product_form.lattice import lattice
from qnsolve.methods.product_form.open_network import open_network

from benchmarks.peers.solvers import Outcome, Peer, functions, run
from benchmarks.timing.clock import best, once
from benchmarks.timing.table import RATIO_FROM, Row
from tests.oracles import plain_loops
from tests.oracles.raw_models import Answer, Model, errors

SLOW = 0.05  # a plain implementation that takes longer is timed once [s]


def kernel(model: Model) -> tuple[str, Callable[[], Any]]:
    """The kernel that solves a model, by name, with its arguments ready."""
    if model.is_station:
        rate, service, servers = model.arrival_rate[0], model.demand[0][0], model.servers[0]
        return "stations.mmc", lambda: qn.stations.mmc(rate, service, servers)
    arrays = from_network(model.network)
    if model.is_open:
        return "open_network", lambda: open_network(arrays.arrival_rate, arrays.demand, arrays.speeds)
    if len(model.population) == 1:
        size, think = int(arrays.population[0]), float(arrays.think_time[0])
        return "one_class", lambda: one_class(size, think, arrays.demand[0], arrays.speeds)
    return "lattice", lambda: lattice(arrays.population, arrays.think_time, arrays.demand, arrays.speeds)


def answer_of(found: Any) -> Answer:
    """The answer in a kernel's measures, a station form, or a solution."""
    if isinstance(found, qn.Solution):
        stations = len(found.stations)
        lengths = [pair.queue_length for pair in found.pairs]
        rows = [lengths[i : i + stations] for i in range(0, len(lengths), stations)]
        return Answer([c.throughput for c in found.classes], rows)
    x, q = np.atleast_1d(found.throughput), np.atleast_2d(found.queue_length)
    return Answer(x.tolist(), q.tolist())


def rows(model: Model, peers: list[Peer], limit: float, quick: bool, beyond: dict[str, str]) -> Iterator[Row]:
    """All solvers on one model.

    `beyond` remembers which peer's function ran out of time at which model of the
    group: it is not tried on the ones that follow.
    """
    skip = quick and model.is_large
    taken, right = (None, None) if skip else once(lambda: plain_loops.reference(model))

    def row(solver: str, seconds: float | None, answer: Answer | None, note: str = "") -> Row:
        first = answer.throughput[0] if answer else None
        off_x, off_q = errors(answer, right) if answer and right else (None, None)
        return Row(model.name, solver, seconds, first, off_x, off_q, note)

    name, call = kernel(model)
    budget = 0.05 if quick else 1.0
    yield row(RATIO_FROM, best(lambda: qn.solve(model.network), budget), answer_of(qn.solve(model.network)), "checks included")
    yield row(f"qnsolve {name}", best(call, budget), answer_of(call()), "kernel alone")
    if skip:
        yield row("plain Python", None, None, "skipped by --quick")
    else:
        seconds, answer = once(lambda: plain_loops.solve(model))
        seconds = seconds if seconds > SLOW else best(lambda: plain_loops.solve(model), budget)
        yield row("plain Python", seconds, answer, _plain_name(model))
        yield row(f"plain, {plain_loops.DIGITS} digits", taken, right, "the reference for the errors")
    for peer in peers:
        if not peer.command:
            continue
        known = functions(peer, model)
        if not known:
            yield row(peer.name, None, None, "no exact method for it")
        for function in known:
            solver = f"{peer.name} {function}"
            if solver in beyond:
                yield row(solver, None, None, f"not run: ran out of time on {beyond[solver]}")
                continue
            outcome = run(peer, function, model, limit)
            if outcome.note.startswith("no answer within"):
                beyond[solver] = model.name
            yield row(solver, outcome.seconds, outcome.answer, _note(peer, outcome))


def _note(peer: Peer, outcome: Outcome) -> str:
    if peer.name == "PDQ" and not outcome.note and outcome.seconds is not None:
        return "model built in that time"
    return outcome.note


def _plain_name(model: Model) -> str:
    if model.is_open:
        return "Erlang's recursion"
    if not model.shared:
        return "exact MVA, a loop"
    return "convolution, a loop"

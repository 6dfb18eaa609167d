"""References of the mainframe systems of `families`, by simulation: `python -m benchmarks.system_references SALT`.

Each system is simulated until the response times of its works are within 1 % and the throughputs within 0.3 % (95 %), or for so
many seconds of processor time. What is there already is kept. `--improve` simulates again, with another seed, those that
are beyond that, the worst first, and joins the runs. A system that does not settle is drawn again with the next attempt;
`--redraw` does so with those that are still beyond 4 %.
The throughput of work with a rate is that rate; that of users follows from the response time where this is more precise.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from time import process_time
from typing import Any

import numpy as np
from qnsolve.simulation.event_run import EventRun, Totals
from qnsolve.simulation.precision import CHECKED, Batched
from qnsolve.zos.compile.compiled import UNLIMITED, Compiled, compiled
from qnsolve.zos.simulate.event_programs import programs_of
from qnsolve.zos.simulate.simulated_system import SimulatedSystem

from benchmarks.control_variates import controlled
from benchmarks.families import all_systems, site_systems
from benchmarks.families.all_systems import Drawn

GENERATOR = 1  # version of families and simulation: another one makes the stored references void
FOLDER = Path(__file__).parent / "families"
PRECISE, RATE = 0.01, 0.3  # half width of a response time, over it; that of a throughput as a part of this one
KEPT, FIRST = 0.04, 0.15  # of R at most, and after a first run
FIRST_BATCH, FEWEST, DRIFT = 500, 400, 3.5
THINKS = 4.0  # think times in the warm-up where users wait long
GROWING = 0.15  # transactions that came and did not end, over those that ended, in a run that does not settle
MOST_ATTEMPTS = 8


class UnsettledError(Exception):
    """The system does not settle, or not soon enough."""


@dataclass(frozen=True)
class Truth:
    """Figures of one work: throughput [1/s], response time [s], and half widths of their intervals of 95 %."""

    throughput: float
    throughput_half: float
    response: float
    response_half: float

    @property
    def relative(self) -> float:
        """Half width of the response time over it."""
        return self.response_half / self.response

    @property
    def relative_rate(self) -> float:
        """Half width of the throughput over it."""
        return self.throughput_half / self.throughput

    def joined(self, other: Truth) -> Truth:
        """Both runs together, each with the weight of its precision."""
        x, dx = _joined((self.throughput, self.throughput_half), (other.throughput, other.throughput_half))
        r, dr = _joined((self.response, self.response_half), (other.response, other.response_half))
        return Truth(x, dx, r, dr)


@dataclass(frozen=True)
class Reference:
    """What is known of a system.

    Attributes
    ----------
    drawn : Drawn
    seeds : tuple of int
        Of the runs that it is from.
    works : dict of name to Truth
    busy : dict of LPAR to float
        CPs in use [0..1].
    pools : dict of name to (float, float)
        Use of limits, threads, devices, logs and coupling facilities that are more than a fiftieth full [0..1], and
        tasks that wait.
    """

    drawn: Drawn
    seeds: tuple[int, ...]
    works: dict[str, Truth]
    busy: dict[str, float]
    pools: dict[str, tuple[float, float]]

    def within(self, part: float) -> bool:
        """Whether the response times of all its works are known to that part, and the throughputs to 0.3 of it."""
        return all(t.relative <= part and t.relative_rate <= RATE * part for t in self.works.values())

    @property
    def worst(self) -> float:
        """Widest half width of a response time, over it."""
        return max(truth.relative for truth in self.works.values())

    def joined(self, other: Reference) -> Reference:
        """The same with another run added."""
        works = {name: truth.joined(other.works[name]) for name, truth in self.works.items()}
        return replace(self, seeds=self.seeds + other.seeds, works=works)


def simulated(drawn: Drawn, seconds: float, seed: int, form: Compiled | None = None) -> Reference:
    """The system simulated until it is precise, or for so many seconds of processor time; as it is compiled in a `form`.

    Raises
    ------
    UnsettledError
        Where the system does not settle.
    """
    form = form_of(drawn) if form is None else form
    began = process_time()
    programs, queues = programs_of(form)
    run = EventRun(programs, seed)
    batched = Batched(run, FIRST_BATCH)
    while True:
        if not batched.further():
            raise UnsettledError("too many tasks" if run.full else "tasks wait for each other for ever")
        over = process_time() - began > seconds and batched.number % 4 == 0 and batched.number >= CHECKED[0] // 2
        if batched.number not in CHECKED and not over:
            continue
        kept = batched.kept()
        duration, works = float(np.sum(kept.time)), len(form.rate)
        found = SimulatedSystem("", seed, run.finished, run.events, duration, kept, queues, works)
        done = run.totals()
        if done.arrived.sum() - done.done.sum() - form.users.sum() > GROWING * done.done.sum() + 5000:
            raise UnsettledError("more transactions come than end")
        reference = _reference(drawn, form, found)
        if over or (reference.within(PRECISE) and _settled(form, found, batched)):
            if not _settled(form, found, batched):
                raise UnsettledError("goes up or down")
            return reference


def form_of(drawn: Drawn) -> Compiled:
    """The compiled system, with the requests that are asynchronous."""
    hosts = range(len(drawn.data["lpars"]))
    converted = {(place, name, host) for place, name in site_systems.asynchronous(drawn.data) for host in hosts}
    return compiled(drawn.system, converted=frozenset(converted))


def _settled(form: Compiled, found: SimulatedSystem, batched: Batched[Totals]) -> bool:
    for w in range(len(form.rate)):
        response, rate = found.response(w), found.throughput(w)
        if found.batches.done[:, w].sum() < FEWEST or abs(response.drift) > DRIFT:
            return False
        if form.users[w] and response.value > form.think[w] / 20 and batched.warm_time() < THINKS * form.think[w]:
            return False
        if form.rate[w] and abs(rate.value - form.rate[w]) > 2.5 * rate.half + 1e-3 * form.rate[w]:
            return False
    return True


def _reference(drawn: Drawn, form: Compiled, found: SimulatedSystem) -> Reference:
    works = {}
    for w, work in enumerate(drawn.data["work"]):
        response, half = controlled(form, found, w)
        if form.rate[w]:
            works[work["name"]] = Truth(float(form.rate[w]), 0.0, response, half)
            continue
        cycle, rate = float(form.think[w]) + response, found.throughput(w)
        by_little = (float(form.users[w]) / cycle, float(form.users[w]) / cycle**2 * half)
        best = by_little if by_little[1] < rate.half else (rate.value, rate.half)
        works[work["name"]] = Truth(*best, response, half)
    busy = {lpar["name"]: found.busy(h).value / float(form.engines[h]) for h, lpar in enumerate(drawn.data["lpars"])}
    pools = {}
    for p, size in enumerate(form.pool_size):
        use = found.held(p).value / float(size)
        if size < UNLIMITED and use > 0.02:
            pools[form.pool_name[p]] = (use, found.waiting(p).value)
    return Reference(drawn, (found.seed,), works, busy, pools)


def _joined(one: tuple[float, float], other: tuple[float, float]) -> tuple[float, float]:
    (a, da), (b, db) = one, other
    if da == 0 or db == 0:
        return one if da == 0 else other
    u, v = da**-2, db**-2
    return (a * u + b * v) / (u + v), (u + v) ** -0.5


def path_of(salt: int) -> Path:
    """Where the references of a salt are."""
    return FOLDER / f"references_{salt}.json"


def load(salt: int) -> dict[str, Reference]:
    """The stored references of a salt, by the names of the systems; empty where there are none."""
    if not path_of(salt).exists():
        return {}
    stored = json.loads(path_of(salt).read_text(encoding="utf-8"))
    return {row["name"]: _read(row, salt) for row in stored["systems"]} if stored["generator"] == GENERATOR else {}


def _read(row: dict[str, Any], salt: int) -> Reference:
    family, number = row["name"].rsplit(" ", 1)
    drawn = all_systems.drawn(family, int(number), salt, row["attempt"])
    if drawn.digest != row["digest"]:
        raise ValueError(f"{row['name']}: the stored reference is of another system; take it out of {path_of(salt).name}")
    works = {name: Truth(*figures) for name, figures in row["works"].items()}
    pools = {name: (use, line) for name, (use, line) in row["pools"].items()}
    return Reference(drawn, tuple(row["seeds"]), works, row["busy"], pools)


def save(salt: int, references: dict[str, Reference]) -> None:
    """Write them, one system a line."""
    lines = []
    for name, found in references.items():
        row = {
            "name": name,
            "attempt": found.drawn.attempt,
            "digest": found.drawn.digest,
            "seeds": found.seeds,
            "works": {work: [_digits(x, 6) for x in t.__dict__.values()] for work, t in found.works.items()},
            "busy": {lpar: _digits(use, 4) for lpar, use in found.busy.items()},
            "pools": {pool: [_digits(x, 4) for x in use] for pool, use in found.pools.items()},
        }
        lines.append(json.dumps(row, separators=(",", ":")))
    text = ",\n".join(lines)
    path_of(salt).write_text(f'{{"generator": {GENERATOR}, "salt": {salt}, "systems": [\n{text}\n]}}\n', encoding="utf-8")


def _digits(value: float, count: int) -> float:
    return float(f"{value:.{count}g}")


def settled(family: str, number: int, salt: int, seconds: float, attempt: int = 0) -> Reference:
    """The reference of a system, drawn again until one settles."""
    for tried in range(attempt, attempt + MOST_ATTEMPTS):
        drawn = all_systems.drawn(family, number, salt, tried)
        try:
            found = simulated(drawn, seconds, seed=1)
        except UnsettledError as reason:
            _print(f"  {drawn.name}, attempt {tried}: {reason}")
            continue
        if found.worst <= FIRST:
            return found
        _print(f"  {drawn.name}, attempt {tried}: R to {found.worst:.0%}")
    raise RuntimeError(f"{family} {number}: no system settles")


def order(salt: int) -> list[tuple[str, int]]:
    """All systems of a salt, the first ones of all families first."""
    assert salt >= 0
    most = max(count for _, count in all_systems.FAMILIES.values())
    return [(family, i) for i in range(most) for family, (_, count) in all_systems.FAMILIES.items() if i < count]


def main(arguments: Sequence[str] | None = None) -> int:
    """Compute what is missing, or improve what is there."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.system_references", description=__doc__)
    parser.add_argument("salt", type=int)
    parser.add_argument("--seconds", type=float, default=15.0, help="for one run of a system (15)")
    parser.add_argument("--improve", action="store_true", help="simulate again what is not within 1 %%, and join the runs")
    parser.add_argument("--beyond", type=float, default=1.0, metavar="PERCENT", help="improve what is beyond this (1)")
    parser.add_argument("--redraw", action="store_true", help="draw again what is beyond 4 %%")
    parser.add_argument("--family", help="only this family")
    options = parser.parse_args(arguments)
    references = load(options.salt)

    def put(name: str, found: Reference) -> None:
        references[name] = found
        save(options.salt, references)
        _print(f"{name}: R to {100 * found.worst:.2f} %, seeds {found.seeds}")

    for family, number in order(options.salt):
        name = f"{family} {number}"
        if options.family not in (None, family):
            continue
        if name not in references:
            put(name, settled(family, number, options.salt, options.seconds))
        elif options.redraw and references[name].worst > KEPT:
            attempt = references[name].drawn.attempt + 1
            put(name, settled(family, number, options.salt, options.seconds, attempt))
    if options.improve:
        for name, known in sorted(references.items(), key=lambda item: -item[1].worst):
            if not known.within(options.beyond / 100):
                try:
                    put(name, known.joined(simulated(known.drawn, options.seconds, seed=max(known.seeds) + 1)))
                except UnsettledError as reason:
                    _print(f"  {name}: {reason}")
    return 0


def _print(text: str) -> None:
    sys.stdout.write(text + "\n")
    sys.stdout.flush()


if __name__ == "__main__":
    sys.exit(main())

"""Whether random systems are always answered: no error but a full center, no law broken, no warning, and how long it takes.

`python -m benchmarks answers --seeds 0 1000`; with `--simulate 2` each is simulated for two seconds as well, and works are
named whose response times are farther off than 15 % and twice the half width of what is simulated. `--ordinary` takes small
systems of one LPAR and one to three works instead, `--batch` batch jobs beside CICS regions, `--classes` TRANCLASSes of few
places beside other work, `--unlike` users of unlike work that fill the MXT of their regions.
"""

from __future__ import annotations

import argparse
import json
import sys
import traceback
import warnings
from collections.abc import Sequence
from dataclasses import dataclass
from time import process_time

import numpy as np
import qnsolve as qn
from qnsolve.zos import System
from qnsolve.zos.compile.compiled import Pool
from qnsolve.zos.equilibrium.working import Working
from qnsolve.zos.hosts.chains.birth_death import FullPoolError
from qnsolve.zos.point.solved import solved_point
from qnsolve.zos.point.utilization import center_loads
from qnsolve.zos.report.reporting import answer

from benchmarks.families.all_systems import Drawn
from benchmarks.families.batch_systems import batch_system
from benchmarks.families.class_systems import class_system
from benchmarks.families.ordinary_systems import ordinary_system
from benchmarks.families.random_systems import fullest, random_system
from benchmarks.families.unlike_systems import unlike_system
from benchmarks.system_accuracy import at_most
from benchmarks.system_references import UnsettledError, simulated

CLOSE = 1e-4  # of a law
TINY = 1e-12  # below zero by rounding
FAR = 0.15  # of a response time, beyond what simulation is known to
FEWEST_TASKS = 1.03  # tasks over a limit, as stated
CLASSES = (0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1.0, 2.0, np.inf)  # of times [s]


@dataclass(frozen=True)
class Outcome:
    """What became of one system."""

    seed: int
    seconds: float
    fault: str = ""
    refused: str = ""
    settled: bool = True
    rounds: int = 0
    load: float = 0.0


def broken(work: Working) -> list[str]:
    """Laws that an operating point breaks."""
    form, found = work.form, []
    for name, values in (("rate", work.rate), ("response", work.response), ("wait", work.pool_wait), ("time", work.on_cps)):
        if not np.isfinite(values).all() or (values < -TINY).any():
            found.append(f"{name} {values}")
    for name, load in center_loads(form, work.need, work.ask, work.rate):
        if not load <= 1 + CLOSE:
            found.append(f"{name} {load:.5g}")
    holds = work.holds()
    for pool in np.flatnonzero(np.isin(form.pool_kind, [Pool.LIMIT, Pool.TRANCLASS])):
        mine = np.array([t for t, held in enumerate(work.need.limits) if pool in held], dtype=int)
        outer = work.pool_wait[work.limit_pool(int(form.pool_region[pool]))]  # a task of a class waits for its region inside
        own = holds + (outer if form.pool_kind[pool] == Pool.TRANCLASS else 0.0)
        inside = float(work.flow[mine] @ own[mine])
        if inside > FEWEST_TASKS * form.pool_size[pool]:
            found.append(f"{form.pool_name[pool]}: {inside:.4g} inside of {form.pool_size[pool]}")
    ask = work.ask
    least = ask.on_cps + ask.thread_off + ask.ziip + ask.away + work.need.lines.sum(axis=1)
    bare = np.bincount(form.work, form.visits * least, len(form.rate))
    if (work.response < bare * (1 - CLOSE)).any():
        found.append(f"response {work.response} below its service {bare}")
    open_ = form.users == 0
    if (np.abs(work.rate - form.rate)[open_] > CLOSE * form.rate[open_]).any():
        found.append("a rate that is not the rate")
    held = work.rate * (form.think + work.response)
    if (np.abs(held - form.users)[~open_] > CLOSE * form.users[~open_]).any():
        found.append("users' law")
    return found


def outcome(seed: int, system: System, longest: float = 20.0) -> Outcome:
    """Solve a system, every warning an error."""
    began = process_time()
    try:
        with at_most(longest), warnings.catch_warnings(), np.errstate(divide="raise", over="raise", invalid="raise"):
            warnings.simplefilter("error")
            work = solved_point(system).work
    except FullPoolError as error:
        return Outcome(seed, process_time() - began, refused=str(error), load=fullest(system))
    except Exception as error:
        where = traceback.extract_tb(error.__traceback__)[-1]
        inner = [f for f in traceback.extract_tb(error.__traceback__) if "qnsolve" in f.filename]
        where = inner[-1] if inner else where
        place = f"{where.filename.rsplit('/', 1)[-1]}:{where.lineno}"
        return Outcome(seed, process_time() - began, fault=f"{type(error).__name__} {str(error)[:80]} at {place}")
    seconds = process_time() - began
    return Outcome(seed, seconds, "; ".join(broken(work)), settled=work.settled, rounds=work.rounds)


@dataclass(frozen=True)
class Beside:
    """A system beside simulation: error of its worst work without the half width of what is simulated, and works far off."""

    error: float
    far: tuple[str, ...]


def beside(system: System, seconds: float) -> Beside | None:
    """A system beside simulation of so many seconds of processor time; None where one of them does not settle."""
    try:
        point = solved_point(system)
        truth = simulated(Drawn("", "", 0, json.loads(qn.dumps(system, "json"))), seconds, 1, point.work.form)
    except (FullPoolError, UnsettledError):
        return None
    solved, far, worst = answer(point), list[str](), 0.0
    for name, its in truth.works.items():
        ours, half = solved[name].response_time, its.relative
        error = abs(ours / its.response - 1) if its.response > 0 else 0.0
        worst = max(worst, error - half)
        if error > FAR + 2 * half:
            far.append(f"{name} {1e3 * ours:.4g} ms, simulated {1e3 * its.response:.4g} ms to {100 * half:.1f} %")
    return Beside(worst, tuple(far))


def main(arguments: Sequence[str] | None = None) -> int:
    """Print what went wrong, and a histogram of the times; 1 where anything did."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks answers", description=__doc__)
    parser.add_argument("--seeds", type=int, nargs=2, default=(0, 1000), metavar=("FIRST", "LAST"), help="(0 1000)")
    families = parser.add_mutually_exclusive_group()
    families.add_argument("--ordinary", action="store_true", help="small systems as a site describes them, not of any kind")
    families.add_argument("--batch", action="store_true", help="batch jobs beside CICS regions")
    families.add_argument("--classes", action="store_true", help="TRANCLASSes of few places beside other work")
    families.add_argument("--unlike", action="store_true", help="users of unlike work that fill MXT")
    parser.add_argument("--simulate", type=float, default=0.0, metavar="SECONDS", help="simulate each for so long as well")
    options = parser.parse_args(arguments)
    kinds = {
        ordinary_system: options.ordinary,
        batch_system: options.batch,
        class_system: options.classes,
        unlike_system: options.unlike,
    }
    draw = next((kind for kind, asked in kinds.items() if asked), random_system)
    found, simulations = [], list[Beside]()
    for seed in range(*options.seeds):
        system = draw(seed)
        one = outcome(seed, system)
        found.append(one)
        if options.simulate and not one.fault and not one.refused and (its := beside(system, options.simulate)) is not None:
            simulations.append(its)
            for text in its.far:
                sys.stdout.write(f"{seed}: {text}\n")
        for title, text in (("fault", one.fault), ("refused", one.refused and f"{one.refused} (least load {one.load:.3g})")):
            if text:
                sys.stdout.write(f"{seed}: {title}: {text} [{one.seconds:.2f} s]\n")
        if not one.settled:
            sys.stdout.write(f"{seed}: not settled in {one.rounds} rounds\n")
        if one.seconds > 2:
            sys.stdout.write(f"{seed}: {one.seconds:.1f} s\n")
        sys.stdout.flush()
    times = np.array([one.seconds for one in found])
    low = 0.0
    for high in CLASSES:
        sys.stdout.write(f"up to {high:g} s: {int(((times > low) & (times <= high)).sum())}\n")
        low = high
    faults, refused = sum(bool(one.fault) for one in found), sum(bool(one.refused) for one in found)
    rough = sum(not one.settled for one in found)
    text = f"{len(found)} systems: {faults} faults, {refused} refused, {rough} not settled; "
    sys.stdout.write(f"{text}{1e3 * times.mean():.0f} ms in the mean, {times.max():.2f} s at most\n")
    if simulations:
        errors, off = 100 * np.array([its.error for its in simulations]), sum(bool(its.far) for its in simulations)
        most = f"{np.quantile(errors, 0.95):.1f} in 95 of 100, {errors.max():.1f} at most"
        sys.stdout.write(f"{off} of them farther off than simulation may be; ")
        sys.stdout.write(f"{len(errors)} beside simulation: {errors.mean():.2f} % in the mean, {most}\n")
    return int(faults > 0)

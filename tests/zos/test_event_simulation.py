"""The event simulation of systems against closed forms and chains: fixed seeds, intervals that are narrow and right."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable, Iterator
from math import inf

import pytest
import qnsolve as qn
from qnsolve import zos
from qnsolve.simulation.precision import Estimate
from qnsolve.zos.compile.compiled import compiled
from qnsolve.zos.parts import system as parts
from qnsolve.zos.simulate.simulated_system import SimulatedSystem, simulate_system

from tests.oracles.system_chains import Chain, State, overflow

MS = 0.001


def system(cps: float, *work: zos.Work, **parts: object) -> zos.System:
    """One LPAR; regions R and S unless others are given."""
    given = {
        "lpars": [zos.Lpar("L", processors=cps)],
        "regions": [zos.CicsRegion("R", lpar="L"), zos.CicsRegion("S", lpar="L")],
        **parts,
    }
    return zos.System(work=list(work), **given)  # type: ignore[arg-type]


def run(made: zos.System, precision: float = 0.015, seed: int = 1) -> SimulatedSystem:
    """Simulated until precise."""
    found = simulate_system(compiled(made), precision=precision, most_transactions=6_000_000, seed=seed)
    assert found.stopped == "precise"
    return found


def assert_is(found: Estimate, exact: float, precision: float = 0.02) -> None:
    """Narrow, and right: within 1.5 half widths, more than 99 % of right simulations."""
    assert found.half <= precision * exact
    assert abs(found.value - exact) <= 1.5 * found.half + 1e-9 * exact, (found.value, exact)


@pytest.mark.parametrize(("cps", "rate"), [(1, 700.0), (3, 2500.0), (8, 7000.0)])
def test_work_on_open_tcbs_is_an_mmc_queue(cps: int, rate: float) -> None:
    """Exponential pieces that share the CPs: response time and CPs at work of M/M/c."""
    found = run(system(cps, zos.Work("w", rate=rate, regions="R", open_cpu=MS)))
    assert_is(found.response(0), qn.stations.mmc(arrival_rate=rate, service_time=MS, servers=cps).response_time)
    assert_is(found.busy(0), rate * MS)
    assert_is(found.arrivals(0), rate)


@pytest.mark.parametrize("cps", [1, 3])
@pytest.mark.parametrize("growth", [0.0, 0.1])
def test_who_spins_has_a_cp_to_itself(cps: int, growth: float) -> None:
    """More users than CPs who do not think: all CPs are at work, each request takes one for as long as it lasts."""
    facility = zos.CouplingFacility("CF", processors=50, link=zos.Link("far", latency=0.4 * MS), service_time=0.2 * MS)
    work = zos.Work("w", users=20, regions="R", open_cpu=MS, cf_requests=3)
    lpars = [zos.Lpar("L", processors=zos.Processors(cps, growth=growth))]
    made = system(cps, work, lpars=lpars, coupling_facilities=[facility])
    found = run(made)
    slower = lpars[0].processors.stretch(cps)
    exact = cps / (slower * MS + 3 * 0.6 * MS)
    if growth:  # the simulation is given how much longer CPU takes
        found = simulate_system(compiled(made), stretch=[slower], precision=0.015, most_transactions=6_000_000, seed=1)
    assert_is(found.throughput(0), exact)
    assert_is(found.busy(0), cps)


def test_two_pieces_under_one_place_are_an_mg1_queue() -> None:
    """A TRANCLASS of 1, CPU and then another time: one server in order of arrival, and a service of two exponential parts."""
    work = zos.Work("w", rate=200, regions="R", open_cpu=MS, delay=2 * MS, tranclass="C")
    made = system(1, work, regions=[zos.CicsRegion("R", lpar="L", tranclasses={"C": 1})])
    found, pool = run(made), compiled(made).pool_name.index("R TRANCLASS C")
    exact = qn.stations.mg1(arrival_rate=200, service_time=3 * MS, squared_variation=(1 + 4) / 9)
    assert_is(found.response(0), exact.response_time)
    assert_is(found.waiting(pool), exact.queue_length - 0.6, precision=0.04)
    assert_is(found.held(pool), 0.6)
    assert_is(found.delayed(pool), 0.6)
    assert_is(found.task_time(0), exact.response_time)


def test_pieces_in_order_of_arrival_share_no_tcb() -> None:
    """With a count of dispatches the QR TCB serves one piece at a time: M/M/1 in order, whatever comes between."""
    work = zos.Work("w", rate=300, regions="R", qr_cpu=2 * MS, qr_dispatches=2, delay=10 * MS)
    found = run(system(2, work))
    each = qn.stations.mm1(arrival_rate=600, service_time=MS).response_time
    assert_is(found.response(0), 2 * each + 10 * MS)


def test_threads_as_many_as_cps_are_an_mmc_queue() -> None:
    """Four threads on four CPs at 70 %: those that wait for a thread are those that would wait for a CP."""
    regions = [zos.CicsRegion("R", lpar="L", thread_limit=4)]
    found = run(system(4, zos.Work("w", rate=280, regions="R", jvm_cpu=0.01), regions=regions))
    assert_is(found.response(0), qn.stations.mmc(arrival_rate=280, service_time=0.01, servers=4).response_time)


def test_a_qr_tcb_beside_open_tcbs() -> None:
    """One CP, shared by open TCBs and the QR TCB, which its tasks share: 55 and 25 % busy, 10.1 ms for 0.6."""

    def moves(state: State) -> Iterator[tuple[float, State]]:
        opened, qr = state
        ready = opened + (qr > 0)
        if opened < 80:
            yield 220.0, (opened + 1, qr)
        if qr < 300:
            yield 1250 / 3, (opened, qr + 1)
        if opened:
            yield opened / ready / (2.5 * MS), (opened - 1, qr)
        if qr:
            yield 1 / ready / (0.6 * MS), (opened, qr - 1)

    chain = Chain((0, 0), moves)
    work = [
        zos.Work("b", rate=220, regions="R", open_cpu=2.5 * MS),
        zos.Work("q", rate=1250 / 3, regions="S", qr_cpu=0.6 * MS),
    ]
    found = simulate_system(compiled(system(1, *work)), precision=0.03, most_transactions=10_000_000)
    assert_is(found.response(0), chain.mean(lambda state: state[0]) / 220, precision=0.03)
    assert_is(found.response(1), chain.mean(lambda state: state[1]) * 3 / 1250, precision=0.03)


def test_users_and_servers_are_machines_and_repairmen() -> None:
    """Users who think an exponential time: the finite population."""
    found = run(system(2, zos.Work("w", users=40, think_time=0.03, regions="R", open_cpu=2 * MS)))
    weights = [1.0]
    for n in range(40):
        weights.append(weights[-1] * (40 - n) / 0.03 / (min(n + 1, 2) / (2 * MS)))
    number = sum(n * p for n, p in enumerate(weights)) / sum(weights)
    assert_is(found.throughput(0), (40 - number) / 0.03)
    assert_is(found.response(0), number * 0.03 / (40 - number))


def test_users_without_think_time() -> None:
    """Seven users and three CPs, never idle."""
    found = run(system(3, zos.Work("w", users=7, think_time=0, regions="R", open_cpu=2 * MS)))
    assert_is(found.throughput(0), 1500)
    assert_is(found.response(0), 7 / 1500)


@pytest.mark.slow
def test_many_users_wait_at_a_full_limit() -> None:
    """100,000 users of a minute and a limit of 20 tasks of 20 ms: the limit is full, whoever comes waits."""
    work = zos.Work("w", users=100_000, think_time=60, regions="R", delay=0.02)
    found = run(system(2, work, regions=[zos.CicsRegion("R", lpar="L", mxt=20)]))
    assert_is(found.throughput(0), 1000)
    assert_is(found.response(0), 100_000 / 1000 - 60)


def test_unlike_work_at_one_limit() -> None:
    """5 and 120 ms behind an MXT of 10: the chain of M/H2/10, by tasks inside, of them the long ones."""

    def moves(state: State) -> Iterator[tuple[float, State]]:
        inside, long, line = state
        if inside < 10:
            yield 640.0, (inside + 1, long, 0)
            yield 30, (inside + 1, long + 1, 0)
        elif line < 500:
            yield 670, (inside, long, line + 1)
        for done, rate in ((0, (inside - long) / 0.005), (1, long / 0.12)):
            if rate and line:
                yield rate * 640 / 670, (inside, long - done, line - 1)
                yield rate * 30 / 670, (inside, long - done + 1, line - 1)
            elif rate:
                yield rate, (inside - 1, long - done, 0)

    chain = Chain((0, 0, 0), moves)
    work = [zos.Work("a", rate=640, regions="R", delay=0.005), zos.Work("b", rate=30, regions="R", delay=0.12)]
    found = run(system(4, *work, regions=[zos.CicsRegion("R", lpar="L", mxt=10)]), precision=0.04)
    wait = chain.mean(lambda state: state[2]) / 670
    assert_is(found.response(0), wait + 0.005, precision=0.05)
    assert_is(found.response(1), wait + 0.12, precision=0.05)


def test_importance_preempts() -> None:
    """One CP: important work as if it were alone, the other as in M/M/1 with preemption."""
    regions = [zos.CicsRegion("R", lpar="L"), zos.CicsRegion("S", lpar="L", importance=3)]
    work = [
        zos.Work("first", rate=300, regions="R", open_cpu=MS),
        zos.Work("second", rate=200, regions="S", open_cpu=2 * MS),
    ]
    found = run(system(1, *work, regions=regions))
    assert_is(found.response(0), MS / 0.7)
    assert_is(found.response(1), 2 * MS / 0.7 + (0.3 * MS + 0.4 * 2 * MS) / (0.7 * 0.3))


def test_fixed_cpu_is_served_beside() -> None:
    """CPU that does not grow with the work, of the same importance and in pieces of 2 ms, shares a CP with the work."""
    lpars = [zos.Lpar("L", processors=1, fixed_cpu=0.3)]
    found = run(system(1, zos.Work("w", rate=200, regions="R", open_cpu=2 * MS), lpars=lpars))
    assert_is(found.response(0), 2 * MS / 0.3)
    assert_is(found.busy(0), 0.7)


def test_bursts_at_a_cp() -> None:
    """500/s of 1 ms in bursts of 10 on one CP: M[X]/M/1, 11 ms."""
    assert_is(run(system(1, zos.Work("w", rate=500, burst=10, regions="R", open_cpu=MS))).response(0), 11 * MS)


def test_arrivals_at_ticks_of_many_cps() -> None:
    """As many CPs as come together: nobody waits, a Poisson number comes at each tick."""
    found = run(system(60, zos.Work("w", rate=500, tick=0.01, regions="R", open_cpu=MS)))
    assert_is(found.response(0), MS)
    assert_is(found.arrivals(0), 500.0)


def test_users_who_all_think_one_tick() -> None:
    """5 users, all at each tick of 50 ms: answers lie within it, and one waits for half of the other 4."""
    found = run(system(1, zos.Work("w", users=5, think_time=0.05, tick=0.05, regions="R", qr_cpu=MS)))
    assert_is(found.response(0), 3 * MS)
    assert_is(found.throughput(0), 100.0)


def test_users_in_bursts() -> None:
    """Users who end their thinking two at a time: each thinks an exponential time all the same."""

    def moves(state: State) -> Iterator[tuple[float, State]]:
        (inside,) = state
        thinking = 9 - inside
        together = min(2, thinking)
        if together:
            yield thinking / together / 0.01, (inside + together,)
        if inside:
            yield 1000.0, (inside - 1,)

    number = Chain((0,), moves).mean(lambda state: state[0])
    found = run(system(1, zos.Work("w", users=9, think_time=0.01, burst=2, regions="R", open_cpu=MS)))
    assert_is(found.throughput(0), (9 - number) / 0.01)
    assert_is(found.response(0), number * 0.01 / (9 - number))


@pytest.mark.parametrize(
    "ziips", [zos.Ziips(1), zos.Ziips(2, threads=2, max_capacity_factor=1.3), zos.Ziips(1, overflow_cpu=MS)]
)
def test_zips_that_overflow(ziips: zos.Ziips) -> None:
    """Eligible work that finds all threads taken goes to CPs, at its cost: the chain of the two parts."""
    parts = 0.5 * MS, 1.5 * MS
    chain = overflow(lambda state: (12 - sum(state)) / 0.004, parts, ziips.speeds(), 3, 12, ziips.overflow_cpu)
    lpars = [zos.Lpar("L", processors=3, ziips=ziips)]
    work = zos.Work("w", users=12, think_time=0.004, regions="R", open_cpu=2 * MS, ziip_share=0.75)
    found = run(system(3, work, lpars=lpars))
    number = chain.mean(sum)
    assert_is(found.throughput(0), (12 - number) / 0.004)
    assert_is(found.busy(0), chain.mean(lambda state: min(state[0] + state[2], 3)))
    assert_is(found.ziip_busy(0), chain.mean(lambda state: float(ziips.speeds()[state[1] - 1]) if state[1] else 0.0))


def test_a_request_holds_its_cp_and_its_tcb() -> None:
    """Users at one QR TCB with ten requests along their CPU: one server for CPU and requests together, and its CP spins."""
    facility = zos.CouplingFacility("CF", processors=1, service_time=0.1 * MS)
    work = zos.Work("w", users=6, think_time=0.01, regions="R", qr_cpu=MS, cf_requests=10)
    found = run(system(2, work, coupling_facilities=[facility]))

    def moves(state: State) -> Iterator[tuple[float, State]]:
        there, asking = state  # at the QR TCB; of them at the facility
        if there < 6:
            yield (6 - there) / 0.01, (there + 1, asking)
        if asking:
            yield 10 / MS, (there, 0)
        elif there:
            yield 1 / MS, (there - 1, 0)
            yield 10 / MS, (there, 1)

    chain = Chain((0, 0), moves)
    assert_is(found.throughput(0), chain.mean(lambda state: 1000.0 if state[0] and not state[1] else 0.0))
    assert_is(found.busy(0), chain.mean(lambda state: 1.0 if state[0] else 0.0))


def test_what_spins_slows_others_down() -> None:
    """Requests from open TCBs spin on the one CP: while one is at the facility, other work gets nothing."""
    facility = zos.CouplingFacility("CF", processors=1, service_time=MS)
    work = zos.Work("w", users=2, think_time=0.004, regions="R", open_cpu=MS, cf_requests=1, cf_on="open")
    found = run(system(1, work, coupling_facilities=[facility]))

    def moves(state: State) -> Iterator[tuple[float, State]]:
        cpu, asking = state
        if cpu + asking < 2:
            yield (2 - cpu - asking) / 0.004, (cpu + 1, asking)
        if asking:
            yield 1 / MS, (cpu + 1, asking - 1)
        elif cpu:  # one stretch in two is the last
            yield 1 / MS, (cpu - 1, asking)
            yield 1 / MS, (cpu - 1, asking + 1)

    assert_is(found.throughput(0), Chain((0, 0), moves).mean(lambda state: 1000.0 if state[0] and not state[1] else 0.0))


def test_a_caller_waits_and_holds() -> None:
    """A TOR with an MXT of 10 waits for the tasks of its AORs, 1.5 in the mean: its places are held for all their time."""
    regions = [zos.CicsRegion("R", lpar="L", mxt=10), zos.CicsRegion("S", lpar="L"), zos.CicsRegion("T", lpar="L")]
    steps = [zos.Step("R", delay=0.01), zos.Step(["S", "T"], visits=1.5, shares=[1, 3], delay=0.02)]
    found = run(system(1, zos.Work("w", users=100, think_time=0.01, steps=steps), regions=regions))
    assert_is(found.throughput(0), 10 / 0.04)
    tasks = found.batches.task_done.sum(axis=0)
    assert tasks[2] / tasks[1] == pytest.approx(3, rel=0.05)
    assert tasks[1:].sum() / tasks[0] == pytest.approx(1.5, rel=0.02)
    assert_is(found.held(0), 10)


def test_steps_that_nobody_waits_for() -> None:
    """A step that is started and not called: the first region has lost its task when the second gets it."""
    steps = [zos.Step("R", delay=0.01), zos.Step("S", delay=0.02, called=False)]
    made = system(1, zos.Work("w", rate=100, steps=steps))
    found, names = run(made), compiled(made).pool_name
    assert_is(found.held(names.index("R MXT")), 1, precision=0.03)
    assert_is(found.held(names.index("S MXT")), 2, precision=0.03)
    assert_is(found.response(0), 0.03)


def test_a_system_that_is_stuck(monkeypatch: pytest.MonkeyPatch) -> None:
    """Twenty users whose tasks call their own region, which has ten places: each waits for another for ever."""
    monkeypatch.setattr(parts, "check_holding", lambda *_: None)
    steps = [zos.Step("R", delay=0.01), zos.Step("R", delay=0.01)]
    made = system(1, zos.Work("w", users=20, think_time=0.01, steps=steps), regions=[zos.CicsRegion("R", lpar="L", mxt=10)])
    assert simulate_system(compiled(made), most_transactions=100_000).stopped == "stuck"


def test_overload_is_not_precise() -> None:
    """1.2 times what a CP can do: it ends with the most transactions, and says the rate at which they end."""
    made = system(1, zos.Work("w", rate=1200, regions="R", open_cpu=MS))
    found = simulate_system(compiled(made), precision=0.5, most_transactions=100_000)
    assert found.stopped == "most transactions"
    assert found.throughput(0).value == pytest.approx(1000, rel=0.02)
    assert found.arrivals(0).value == pytest.approx(1200, rel=0.02)


def test_progress_and_seeds() -> None:
    """Progress goes up to the most; the same seed is the same run, another one is not."""
    form = compiled(system(1, zos.Work("w", rate=500, regions="R", open_cpu=MS)))
    seen: list[tuple[int, int, float]] = []

    def run_once(seed: int, progress: Callable[[int, int, float], None] | None = None) -> float:
        return simulate_system(form, precision=0.0, most_transactions=50_000, seed=seed, progress=progress).response(0).value

    first = run_once(1, lambda *now: seen.append(now))
    assert [now[0] for now in seen] == sorted(now[0] for now in seen)
    assert seen[-1][0] >= 50_000 == seen[-1][1]
    assert 0 < seen[-1][2] < inf
    assert run_once(1) == first != run_once(2)


SAME = """
import sys
if {plain}:
    sys.modules["numba"] = None
from qnsolve import zos
from qnsolve.simulation.compiling import COMPILES
from qnsolve.zos.compile.compiled import compiled
from qnsolve.zos.simulate.simulated_system import simulate_system
assert COMPILES is not {plain}
regions = [zos.CicsRegion("T", lpar="L", mxt=14), zos.CicsRegion("R", lpar="L", mxt=11, thread_limit=2, tranclasses={{"C": 2}}),
           zos.CicsRegion("S", lpar="L", importance=2, mxt=10)]
asked = dict(cf_requests=3, ziip_share=0.5)
steps = [zos.Step("T", qr_cpu=0.0002), zos.Step(["R", "S"], visits=1.4, qr_cpu=0.0004, jvm_cpu=0.0006, **asked)]
started = [zos.Step("R", open_cpu=0.0003, cf_on="open", tranclass="C", **asked), zos.Step("S", ro_cpu=0.0001, called=False)]
lpar = zos.Lpar("L", processors=2.5, fixed_cpu=0.2, ziips=zos.Ziips(1, threads=2, max_capacity_factor=1.2))
system = zos.System(
    [lpar], regions, coupling_facilities=[zos.CouplingFacility("CF", processors=1, service_time=2e-5)],
    devices=[zos.Device("disk", servers=2)],
    work=[zos.Work("u", users=1500, think_time=1.0, burst=1.5, steps=steps),
          zos.Work("z", users=2, think_time=0, regions="T", devices={{"disk": 0.01}}),
          zos.Work("o", rate=150, burst=3.5, steps=started)],
)
print([row.tolist() for row in simulate_system(compiled(system), most_transactions=30_000).batches.__dict__.values()])
"""


def test_without_numba_it_is_the_same() -> None:
    """Compiled or not: each count and each integral is the same to the last digit."""
    compiled_run, plain_run = (
        subprocess.run(
            [sys.executable, "-c", SAME.format(plain=plain)], capture_output=True, text=True, check=True, timeout=300
        )
        for plain in (False, True)
    )
    assert compiled_run.stdout == plain_run.stdout
    assert len(compiled_run.stdout) > 1000

"""Priorities, sharing, fork-join, unlike servers against the Markov chain of each; bad arguments of all these stations."""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise

import numpy as np
import pytest
from qnsolve import LoadDependent, ModelError, SaturatedError, loads
from qnsolve.stations import (
    batch_servers,
    erlang_a,
    fork_join,
    mg1,
    mm1,
    mmc,
    priorities,
    processor_sharing,
    sharing,
    unlike_servers,
    usl_speeds,
)

from tests.oracles.markov_chain import chain

State = tuple[int, ...]


def _priority_chain(rates: State, times: tuple[float, ...], servers: int, room: int, preemptive: bool) -> list[float]:
    """Mean jobs of two classes from the chain: jobs of each, and who is in service where it is not preemptive."""
    speed = [1 / s for s in times]

    def preempting(state: State) -> list[tuple[float, State]]:
        a, b = state
        busy = (min(a, servers), min(b, max(servers - a, 0)))
        arcs = [(rates[0], (a + 1, b))] if a < room else []
        arcs += [(rates[1], (a, b + 1))] if b < room else []
        arcs += [(busy[0] * speed[0], (a - 1, b))] if busy[0] else []
        return arcs + ([(busy[1] * speed[1], (a, b - 1))] if busy[1] else [])

    def holding(state: State) -> list[tuple[float, State]]:
        a, b, x, y = state  # waiting, and in service
        free = x + y < servers
        arcs = [(rates[0], (a, b, x + 1, y) if free else (a + 1, b, x, y))] if a < room else []
        arcs += [(rates[1], (a, b, x, y + 1) if free else (a, b + 1, x, y))] if b < room else []
        for rate, after in ((x * speed[0], (x - 1, y)), (y * speed[1], (x, y - 1))):
            if rate and a:
                arcs.append((rate, (a - 1, b, after[0] + 1, after[1])))
            elif rate and b:
                arcs.append((rate, (a, b - 1, after[0], after[1] + 1)))
            elif rate:
                arcs.append((rate, (a, b, *after)))
        return arcs

    found = chain((0, 0), preempting) if preemptive else chain((0, 0, 0, 0), holding)
    return [sum(p * (s[i] + (0 if preemptive else s[i + 2])) for s, p in found.items()) for i in (0, 1)]


@pytest.mark.parametrize("preemptive", [False, True])
@pytest.mark.parametrize(
    ("rates", "times", "servers"), [((0.2, 0.15), (1.0, 1.5), 1), ((0.1, 0.2), (1.5, 0.5), 1), ((0.4, 0.5), (1.0, 1.0), 2)]
)
def test_priorities_are_a_chain(rates: tuple[float, float], times: tuple[float, float], servers: int, preemptive: bool) -> None:
    """Two classes with priorities hold as many jobs as in the chain, preempting or not, at one server or two."""
    exact = _priority_chain(rates, times, servers, 24, preemptive)
    forms = priorities(rates, times, servers=servers, preemptive=preemptive)
    for form, jobs in zip(forms, exact, strict=True):
        assert form.queue_length == pytest.approx(jobs, rel=2e-7)  # the chain is cut at 24 jobs


@pytest.mark.parametrize("preemptive", [False, True])
@pytest.mark.parametrize("servers", [1, 3, 200])
def test_priorities_conserve_the_work(servers: int, preemptive: bool) -> None:
    """Classes alike but for their priority hold together what they would without; one class alone has none."""
    rates = [0.1 * servers, 0.0, 0.5 * servers, 1e-12 * servers, 0.39 * servers]
    forms = priorities(rates, [1.0] * 5, servers=servers, preemptive=preemptive)
    assert sum(f.queue_length for f in forms) == pytest.approx(mmc(sum(rates), 1.0, servers).queue_length, rel=1e-11)
    assert all(later.waiting_time >= earlier.waiting_time for earlier, later in pairwise(forms))
    (alone,) = priorities([0.6 * servers], [1.0], servers=servers, preemptive=preemptive)
    assert alone.response_time == pytest.approx(mmc(0.6 * servers, 1.0, servers).response_time, rel=1e-12)


def test_priorities_with_general_service() -> None:
    """One class is M/G/1; the least class with preemption of none has M/G/1's wait too; the conservation law holds."""
    (alone,) = priorities([0.5], [1.2], [3.0])
    assert alone.waiting_time == pytest.approx(mg1(0.5, 1.2, 3.0).waiting_time, rel=1e-13)
    rates, times, variations = [0.2, 0.3, 0.1], [1.0, 0.5, 3.0], [0.0, 4.0, 1.0]
    forms = priorities(rates, times, variations)
    held = sum(r * s * s * (1 + v) / 2 for r, s, v in zip(rates, times, variations, strict=True))
    busy = sum(r * s for r, s in zip(rates, times, strict=True))
    assert sum(f.utilization * f.waiting_time for f in forms) == pytest.approx(busy * held / (1 - busy), rel=1e-13)
    first = priorities(rates, times, variations, preemptive=True)[0]
    assert first.waiting_time == pytest.approx(mg1(0.2, 1.0, 0.0).waiting_time, rel=1e-13)


def test_priorities_of_a_full_station() -> None:
    """The class that saturates the station is named, with the rate it may have."""
    with pytest.raises(SaturatedError) as info:
        priorities([0.5, 0.6, 0.1], [1.0, 1.0, 1.0])
    assert info.value.highest_rate == pytest.approx(0.5)
    assert "class 1" in str(info.value)
    assert priorities([0.5, 0.5 * (1 - 1e-9)], [1.0, 1.0])[1].waiting_time > 1e8


def test_sharing_is_a_chain() -> None:
    """Two classes that share a processor hold as many jobs as in the chain, each in proportion to its load."""
    rates, times, room = (0.25, 0.15), (1.0, 2.0), 34

    def moves(state: State) -> list[tuple[float, State]]:
        arcs = [(rates[i], tuple(n + (i == j) for j, n in enumerate(state))) for i in (0, 1) if sum(state) < room]
        return arcs + [
            (n / sum(state) / times[i], tuple(k - (i == j) for j, k in enumerate(state))) for i, n in enumerate(state) if n
        ]

    found = chain((0, 0), moves)
    for i, form in enumerate(sharing(rates, times)):
        assert form.queue_length == pytest.approx(sum(p * s[i] for s, p in found.items()), rel=1e-6)
        assert form.response_time == pytest.approx(times[i] / (1 - 0.55), rel=1e-13)
    assert processor_sharing(0.8, 1.0).response_time == pytest.approx(mm1(0.8, 1.0).response_time, rel=1e-13)


def test_fork_join_of_three_branches_is_near_its_chain() -> None:
    """Two branches are exact, three within one percent of the chain of the parts in each branch."""
    for branches, room, rate, bound in ((1, 60, 0.5, 1e-9), (2, 40, 0.4, 1e-9), (3, 11, 0.25, 0.01)):

        def moves(state: State, room: int = room, rate: float = rate) -> list[tuple[float, State]]:
            arcs = [(rate, tuple(n + 1 for n in state))] if max(state) < room else []
            return arcs + [(1.0, tuple(sorted((*state[:i], n - 1, *state[i + 1 :])))) for i, n in enumerate(state) if n]

        found = chain((0,) * branches, moves)
        jobs = sum(p * max(s) for s, p in found.items())  # a job stays until its last part has gone
        assert fork_join(rate, 1.0, branches).queue_length == pytest.approx(
            jobs, rel=max(bound, 1e-6 if branches == 3 else bound)
        )
    assert fork_join(0.0, 1.0, 7).response_time == pytest.approx(sum(1 / j for j in range(1, 8)), rel=1e-15)
    assert not fork_join(0.5, 1.0, 2).note
    assert "approximate" in fork_join(0.5, 1.0, 3).note
    assert fork_join(1e-12, 1.0, 5).waiting_time > 0


@pytest.mark.parametrize(
    ("speeds", "rate"), [([1.5, 0.5], 1.0), ([0.5, 2.0, 0.5, 1.0], 2.5), ([1.0, 1.0, 3.0], 0.2), ([2.0, 1.0, 0.1], 2.9)]
)
def test_unlike_servers_are_a_chain(speeds: list[float], rate: float) -> None:
    """Servers of different speeds have the queue of the chain of every single server, the fastest free one taken."""
    order = sorted(range(len(speeds)), key=lambda i: -speeds[i])
    room = 400 if rate > 2.8 else 120

    def moves(state: State) -> list[tuple[float, State]]:
        queue, *busy = state
        free = [i for i in order if not busy[i]]
        if free:
            arcs = [(rate, (0, *(1 if i == free[0] else b for i, b in enumerate(busy))))]
        else:
            arcs = [(rate, (queue + 1, *busy))] if queue < room else []
        for i, b in enumerate(busy):
            if b:
                arcs.append(
                    (speeds[i], (queue - 1, *busy) if queue else (0, *(0 if j == i else x for j, x in enumerate(busy))))
                )
        return arcs

    found = chain((0,) * (len(speeds) + 1), moves)
    form = unlike_servers(rate, 1.0, speeds)
    assert form.queue_length == pytest.approx(sum(p * sum(s) for s, p in found.items()), rel=1e-6 if rate > 2.8 else 1e-10)
    assert form.probability_wait == pytest.approx(
        sum(p for s, p in found.items() if all(s[1:])), rel=1e-6 if rate > 2.8 else 1e-10
    )


@pytest.mark.parametrize("servers", [1, 2, 60, 2000])
@pytest.mark.parametrize("busy", [1e-9, 0.5, 0.99, 1 - 1e-12])
def test_servers_of_one_speed_are_mmc(servers: int, busy: float) -> None:
    """Unlike servers that are alike are M/M/c."""
    ours, theirs = unlike_servers(servers * busy, 1.0, [1.0] * servers), mmc(servers * busy, 1.0, servers)
    assert ours.response_time == pytest.approx(theirs.response_time, rel=1e-11 if busy < 0.999 else 1e-4)
    assert ours.probability_wait == pytest.approx(theirs.probability_wait, rel=1e-9, abs=1e-200)


def test_scalability_law() -> None:
    """Without contention speed is the count; with coherency it falls again beyond √((1 − σ)/κ) servers."""
    assert usl_speeds(5, 0.0) == [1, 2, 3, 4, 5]
    speeds = usl_speeds(100, 0.05, 0.001)
    assert int(np.argmax(speeds)) + 1 == round((0.95 / 0.001) ** 0.5)
    assert usl_speeds(10**6, 0.5)[-1] == pytest.approx(2, rel=1e-5)


BAD: list[tuple[Callable[..., object], tuple[object, ...], str]] = [
    (batch_servers, (1, 1, 2, 2.5), "batch_size"),
    (batch_servers, (1, 1, 2, 0), "batch_size"),
    (batch_servers, (1, 1, 10**6, 2), "servers"),
    (erlang_a, (1, 1, 2, 0), "patience"),
    (erlang_a, (1, 1, 0, 1), "servers"),
    (erlang_a, (1e9, 1, 2, 1e6), "patience"),
    (priorities, ([1, 2], [1]), "service_times"),
    (priorities, ([], []), "service_times"),
    (priorities, ([0.1, -2], [1, 1]), "arrival_rates[1]"),
    (priorities, ([0.1, 0.2], [1, 1], [1]), "squared_variations"),
    (sharing, ([0.1], [0]), "service_times[0]"),
    (sharing, (0.1, [1]), "arrival_rates"),
    (fork_join, (0.1, 1, 0), "branches"),
    (unlike_servers, (1, 1, []), "speeds"),
    (unlike_servers, (1, 1, [1, 0]), "speeds[1]"),
    (unlike_servers, (1, 1, [1 + i / 10 for i in range(12)]), "states"),
    (usl_speeds, (3, 1.5), "contention"),
]


@pytest.mark.parametrize(("form", "arguments", "item"), BAD)
def test_bad_arguments(form: Callable[..., object], arguments: tuple[object, ...], item: str) -> None:
    """A wrong argument is refused with its name, on one line."""
    with pytest.raises(ModelError) as info:
        form(*arguments)
    assert item in str(info.value)
    assert "\n" not in str(info.value)


def test_different_service_at_several_servers_is_refused() -> None:
    """With several servers priorities need one exponential service time."""
    with pytest.raises(ModelError, match="same in all classes"):
        priorities([0.1, 0.1], [1.0, 2.0], servers=2)
    with pytest.raises(ModelError, match="same in all classes"):
        priorities([0.1, 0.1], [1.0, 1.0], [0.5, 0.5], servers=2)


def test_servers_that_lose_speed_with_waiting_jobs() -> None:
    """The law written out; the same station from a file; what is outside the domain."""
    station = LoadDependent.declining("cpu", servers=2.5, decline=0.1, jobs=4)
    assert station.rates == pytest.approx((1, 2, 2.5 / 1.05, 2.5 / 1.15))
    text = """
    stations = [{ name = "cpu", type = "load_dependent", servers = 2.5, decline = 0.1, jobs = 4 }]
    classes = [{ name = "jobs", population = 3, demands = { cpu = 1.0 } }]
    """
    assert loads(text).stations == (station,)
    with pytest.raises(ModelError, match="station 'cpu': decline = 2: must lie within 0 and 1"):
        LoadDependent.declining("cpu", servers=2, decline=2, jobs=4)
    with pytest.raises(ModelError, match=r"servers = 0\.5: must lie within 1 and"):
        LoadDependent.declining("cpu", servers=0.5, decline=0.1, jobs=4)
    with pytest.raises(ModelError, match="in one way only"):
        loads(text.replace("servers = 2.5", "rates = [1, 2]"))

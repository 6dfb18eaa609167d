"""Chains of two counts inside a limit, against closed forms and all states of small ones."""

from __future__ import annotations

import numpy as np
import pytest
from qnsolve.zos.hosts.limited import limited_parts
from qnsolve.zos.hosts.limited.inside_counts import (
    ends_of_two_kinds,
    limit_of_two_counts,
    limit_of_two_kinds,
    variation_through_a_tcb,
)
from qnsolve.zos.hosts.limited.limited_parts import joined
from qnsolve.zos.hosts.limited.limited_work import variation_of_ends
from qnsolve.zos.hosts.limited.product_form import line


def every_state(stream: float, served: float, away: float, size: int, rounds: float, top: int) -> tuple[float, float]:
    """Tasks before a limit and inside, of a server of one task and a time away, one after the other: all states."""
    states = {(n, m): 0 for n in range(top + 1) for m in range(min(n, size) + 1)}
    states = {state: i for i, state in enumerate(states)}
    rates = np.zeros((len(states), len(states)))
    for (n, m), i in states.items():
        off = min(n, size) - m
        if n < top:
            rates[i, states[n + 1, m + (n < size)]] += stream
        if m:
            rates[i, states[n, m - 1]] += rounds * served
        if off:
            rates[i, states[n - 1, m + (n > size)]] += off / away
            rates[i, states[n, m + 1]] += (rounds - 1) * off / away
    balance = rates.T - np.diag(rates.sum(axis=1))
    balance[-1] = 1.0
    chance = np.linalg.solve(balance, np.eye(len(states))[-1])
    whole = sum(chance[i] * n for (n, _), i in states.items())
    inside = sum(chance[i] * min(n, size) for (n, _), i in states.items())
    return float(whole - inside), float(inside)


@pytest.mark.parametrize("rounds", [1.0, 3.0])
def test_tasks_on_the_cps_and_elsewhere_are_as_in_all_states(rounds: float) -> None:
    """A server and a time away, once or several times one after the other."""
    size, count = 5, np.arange(1.0, 6.0)
    found = limit_of_two_counts(1.0, np.full(size, 2.0), count / 2.5, rounds, np.ones(size + 1))
    assert found is not None
    before, inside = every_state(1.0, 2.0, 2.5, size, rounds, 60)
    assert (found.outside, float(found.inside @ np.arange(size + 1.0))) == pytest.approx((before, inside), rel=1e-4)


def test_a_limit_without_cpu_and_one_of_cpu_alone_are_those_of_one_count() -> None:
    """M/M/c, and M/M/1."""
    size, count = 6, np.arange(1.0, 7.0)
    away = limit_of_two_counts(4.0, np.full(size, 1e9), count, 1.0, np.ones(size + 1))
    on_cps = limit_of_two_counts(0.7, np.ones(size), 1e9 * count, 1.0, np.ones(size + 1))
    assert away is not None
    assert on_cps is not None
    assert away.outside == pytest.approx(line(4.0, 6), rel=1e-6)
    assert on_cps.outside + float(on_cps.inside @ np.arange(size + 1.0)) == pytest.approx(0.7 / 0.3, rel=1e-6)


def test_two_kinds_alike_are_one_and_none_on_the_cps_are_those_of_a_limit_alone() -> None:
    """M/M/c."""
    ends = ends_of_two_kinds(np.zeros(2) + 1e-12, np.ones(2), 1.0, 0.0, 0, 6)
    found = limit_of_two_kinds(4.0, 0.3, *ends, np.ones(7))
    assert found is not None
    assert found.outside == pytest.approx(line(4.0, 6), rel=1e-6)


def test_others_leave_a_cp_as_in_a_product_form() -> None:
    """A CP that open work keeps busy half the time is half as fast to others."""
    cpu, off = np.array([0.2, 0.4]), np.array([1.0, 3.0])
    beside, slower = ends_of_two_kinds(cpu, off, 1.0, 0.5, 400, 4), ends_of_two_kinds(2 * cpu, off, 1.0, 0.0, 0, 4)
    for one, other in zip(beside, slower, strict=True):
        assert one == pytest.approx(other, rel=1e-6)


def test_more_than_is_let_through_has_no_line() -> None:
    """It has no stationary state."""
    assert limit_of_two_counts(2.1, np.full(3, 2.0), np.arange(1.0, 4.0), 1.0, np.ones(4)) is None
    for stream in (1.01, 1.5, 40.0):
        assert limit_of_two_counts(stream, np.ones(12), np.arange(1.0, 13.0), 1.0, np.ones(13)) is None


def test_ends_of_one_place_are_those_of_its_times() -> None:
    """A renewal process: the c² of a sum of three exponential times."""
    times = np.array([0.2, 0.5, 0.9])
    found = variation_through_a_tcb(1, 1.0, *times.tolist())
    assert found == pytest.approx(float((times**2).sum() / times.sum() ** 2), rel=1e-9)


def test_ends_without_a_tcb_are_those_of_the_cps_and_the_time_off_them() -> None:
    """A chain of one count."""
    size, cpu, off = 9, 0.0005, 0.004
    ready = np.arange(size + 1.0)
    weight = cpu**ready * off ** (size - ready) / np.cumprod(np.append(1.0, np.arange(1.0, size + 1)))[::-1]
    expected = variation_of_ends((size - ready) / off, weight / weight.sum())
    assert variation_through_a_tcb(size, 1.0, 1e-9, cpu, off) == pytest.approx(expected, rel=1e-4)


@pytest.mark.parametrize(("rows", "columns", "size"), [(12, 1, 3), (12, 7, 5), (4, 4, 9), (6, 5, 0)])
def test_weights_of_two_parts_are_sums_over_their_numbers(rows: int, columns: int, size: int) -> None:
    """Each pair of numbers, of which so many are ready, is added up one by one; beyond its places a part is geometric."""
    rng, slope = np.random.default_rng(rows + size), 0.7
    table, part = np.tril(rng.random((rows, columns))), np.tril(rng.random((size + 1, size + 1)))
    expected = np.zeros((rows, min(rows, columns + size)))
    for n, ready in np.ndindex(table.shape):
        for more, others in np.ndindex(rows - n, size + 1):
            if ready <= n and others <= min(more, size):
                weight = part[min(more, size), others] * slope ** max(more - size, 0)
                expected[n + more, ready + others] += table[n, ready] * weight
    assert joined(table, part, slope) == pytest.approx(expected, rel=1e-12)


@pytest.mark.parametrize(("rows", "columns", "size"), [(40, 12, 8), (5, 9, 8), (40, 41, 60)])
def test_few_weights_are_joined_one_by_one(rows: int, columns: int, size: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Of a part whose tasks are all ready; to rounding as by the product of a full table."""
    random = np.random.default_rng(7)
    table, part = random.random((rows, columns)), np.diag(random.random(size + 1))
    monkeypatch.setattr(limited_parts, "FEW", 0)
    few = joined(table, part, 0.7)
    monkeypatch.setattr(limited_parts, "FEW", 10**9)
    assert few == pytest.approx(joined(table, part, 0.7), rel=1e-12)

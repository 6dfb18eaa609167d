"""Works of few users (batch jobs) beside TCBs: no more are on the CPs than there are, against chains and simulations."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from qnsolve import zos

from tests.oracles.system_chains import Chain, State

TOP = 400  # tasks at the TCB of a chain


def _exact(cps: int, rate: float, piece: float, users: int, cpu: float, think: float) -> tuple[float, float]:
    """Response times [s] of work with a rate at a TCB, and of users beside it, from the chain of how many there are of both."""

    def moves(state: State) -> Iterator[tuple[float, State]]:
        n, k = state
        slow = max(1.0, (min(n, 1) + k) / cps)
        if n < TOP:
            yield rate, (n + 1, k)
        if n:
            yield 1 / (piece * slow), (n - 1, k)
        if k:
            yield k / (cpu * slow), (n, k - 1)
        if k < users:
            yield (users - k) / think, (n, k + 1)

    chain = Chain((0, 0), moves)
    there = chain.mean(lambda state: state[1])
    return chain.mean(lambda state: state[0]) / rate, there * think / (users - there)


@pytest.mark.parametrize(
    ("cps", "rate", "piece", "users", "cpu", "think"),
    [
        (1, 200.0, 1e-3, 1, 1e-2, 1e-3),
        (1, 300.0, 1e-3, 1, 1e-4, 1e-3),
        (2, 700.0, 1e-3, 3, 5e-3, 1e-2),
        (1, 100.0, 2e-3, 4, 5e-4, 1e-3),
        (2, 500.0, 1e-3, 2, 1e-2, 1e-2),
        (4, 600.0, 1e-3, 8, 2e-3, 3e-3),
    ],
)
def test_one_tcb_beside_users(cps: int, rate: float, piece: float, users: int, cpu: float, think: float) -> None:
    """The chain of the TCB and the users beside it is that of the system."""
    found = _system(cps, [(rate, {"qr_cpu": piece})], [(users, think, {"open_cpu": cpu})]).solve()
    tcb, batch = _exact(cps, rate, piece, users, cpu, think)
    assert found["of A0"].response_time == pytest.approx(tcb, rel=1e-3)
    assert found["of B0"].response_time == pytest.approx(batch, rel=1e-3)


Steps = dict[str, float]


def _system(cps: int, rates: list[tuple[float, Steps]], users: list[tuple[int, float, Steps]]) -> zos.System:
    regions = [*(f"A{i}" for i in range(len(rates))), *(f"B{i}" for i in range(len(users)))]
    work = [zos.Work(f"of A{i}", rate=rate, steps=[zos.Step(f"A{i}", **step)]) for i, (rate, step) in enumerate(rates)]
    work += [
        zos.Work(f"of B{i}", users=number, think_time=think, steps=[zos.Step(f"B{i}", **step)])
        for i, (number, think, step) in enumerate(users)
    ]
    return zos.System(
        lpars=[zos.Lpar("L", processors=zos.Processors(cps))],
        regions=[zos.CicsRegion(name, lpar="L", mxt=500) for name in regions],
        work=work,
    )


AOR = {"qr_cpu": 6e-4, "open_cpu": 2e-4, "delay": 5e-3}


@pytest.mark.parametrize(
    ("cps", "rates", "users", "truth"),
    [
        (2, [(12950.0, {"qr_cpu": 4.17e-5})] * 2, [(1, 2.54e-4, {"open_cpu": 5.5e-4})], {"of A0": 0.159e-3}),
        (2, [(700.0, AOR)] * 2, [(1, 1e-3, {"open_cpu": 5e-3})], {"of A0": 7.65e-3, "of B0": 6.53e-3}),
        (4, [(1000.0, AOR)] * 3, [(2, 1e-3, {"open_cpu": 5e-3})], {"of A0": 8.71e-3, "of B0": 6.21e-3}),
        (6, [(800.0, AOR)] * 6, [(3, 1e-3, {"open_cpu": 5e-3})], {"of A0": 7.91e-3, "of B0": 6.61e-3}),
        (4, [(900.0, AOR)] * 2, [(5, 5e-3, {"open_cpu": 5e-3})], {"of A0": 7.96e-3, "of B0": 6.48e-3}),
        (3, [(900.0, AOR)] * 2, [(2, 0.0, {"open_cpu": 5e-3})], {"of A0": 9.15e-3, "of B0": 6.63e-3}),
    ],
)
def test_batch_jobs_beside_regions(
    cps: int, rates: list[tuple[float, Steps]], users: list[tuple[int, float, Steps]], truth: dict[str, float]
) -> None:
    """Simulated, ±1 %: the first was once answered twelve times too long, the second four times."""
    found = _system(cps, rates, users).solve()
    for name, response in truth.items():
        assert found[name].response_time == pytest.approx(response, rel=0.03)


def test_next_to_as_many_users() -> None:
    """Works of 20 and 21 users, 10 % of the time on the CPs, are answered in two ways, which hardly differ."""
    found = [
        _system(4, [(500.0, AOR)] * 3, [(number, 0.0405 / 20 * number, {"open_cpu": 5e-3})]).solve() for number in (20, 21)
    ]
    assert found[0]["of A0"].response_time == pytest.approx(found[1]["of A0"].response_time, rel=0.05)

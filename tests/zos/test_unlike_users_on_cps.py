"""Users of short and of long work on shared CPs, beside a QR TCB that is next to nothing: a product form, by its chain.

The mix of the works changes with their number, since users of one come less often the more of them are there.
"""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from qnsolve import zos

from tests.oracles.system_chains import Chain, State

TOP = 250  # tasks of work with a rate


def _exact(cps: int, users: int, think: float, cpu: float, rate: float, short: float) -> tuple[float, float]:
    """Response times [s] of users, and of work with a rate beside them."""

    def moves(state: State) -> Iterator[tuple[float, State]]:
        a, b = state
        part = min(1.0, cps / max(a + b, 1))
        if a < users:
            yield (users - a) / think, (a + 1, b)
        if b < TOP:
            yield rate, (a, b + 1)
        if a:
            yield a / cpu * part, (a - 1, b)
        if b:
            yield b / short * part, (a, b - 1)

    chain = Chain((0, 0), moves)
    there = chain.mean(lambda state: state[0])
    return there * think / (users - there), chain.mean(lambda state: state[1]) / rate


@pytest.mark.parametrize("regions", [1, 4])
@pytest.mark.parametrize(
    ("cps", "users", "think", "cpu", "rate", "short"),
    [
        (4, 12, 0.0505, 0.01232, 221.5, 0.0081),
        (2, 37, 0.125, 0.0055, 370.0, 0.001),
        (4, 12, 0.0505, 0.0081, 300.0, 0.0081),
        (4, 30, 0.13, 0.01232, 221.5, 0.0081),
    ],
)
def test_users_beside_work_with_a_rate(
    cps: int, users: int, think: float, cpu: float, rate: float, short: float, regions: int
) -> None:
    """With the mix of the mean both would wait up to 9 % too long, and all alike."""
    names = [f"R{i}" for i in range(regions)]
    found = zos.System(
        lpars=[zos.Lpar("L", processors=zos.Processors(cps))],
        regions=[zos.CicsRegion(name, lpar="L", mxt=2000) for name in names],
        work=[
            zos.Work("users", users=users, think_time=think, steps=[zos.Step(names, qr_cpu=1e-6, open_cpu=cpu)]),
            zos.Work("others", rate=rate, steps=[zos.Step(names, qr_cpu=1e-6, open_cpu=short)]),
        ],
    ).solve()
    exact = _exact(cps, users, think, cpu, rate, short)
    assert found["users"].response_time == pytest.approx(exact[0], rel=0.01)
    assert found["others"].response_time == pytest.approx(exact[1], rel=0.01)


def test_one_qr_tcb_of_unlike_users() -> None:
    """They share it; the CPs are free: a processor that all share."""
    users, think, cpu = (20, 40), (0.1, 2.0), (0.001, 0.02)

    def moves(state: State) -> Iterator[tuple[float, State]]:
        for k in range(2):
            step = (1, 0) if k == 0 else (0, 1)
            if state[k] < users[k]:
                yield (users[k] - state[k]) / think[k], (state[0] + step[0], state[1] + step[1])
            if state[k]:
                yield state[k] / cpu[k] / sum(state), (state[0] - step[0], state[1] - step[1])

    chain = Chain((0, 0), moves)
    found = zos.System(
        lpars=[zos.Lpar("L", processors=zos.Processors(8))],
        regions=[zos.CicsRegion("R", lpar="L", mxt=2000)],
        work=[zos.Work(f"W{k}", users=users[k], think_time=think[k], steps=[zos.Step("R", qr_cpu=cpu[k])]) for k in range(2)],
    ).solve()
    for k in range(2):
        there = chain.mean(lambda state, k=k: float(state[k]))
        assert found[f"W{k}"].response_time == pytest.approx(there * think[k] / (users[k] - there), rel=0.03)

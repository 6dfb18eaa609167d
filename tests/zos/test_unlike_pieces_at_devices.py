"""Devices with several servers whose pieces are unlike: by the exact chain of those in service."""

from __future__ import annotations

import numpy as np
import pytest
from qnsolve import zos

MOST = 400  # tasks that the chain counts


def _line(servers: int, rates: np.ndarray, times: np.ndarray) -> float:
    """Mean line of M/H2/c: states by tasks there, and pieces of the first kind in service."""
    rate, first = float(rates.sum()), float(rates[0] / rates.sum())
    states = [(n, i) for n in range(MOST + 1) for i in range(min(n, servers) + 1)]
    place = {state: k for k, state in enumerate(states)}
    balance = np.zeros((len(states), len(states)))

    def move(start: tuple[int, int], end: tuple[int, int], often: float) -> None:
        balance[place[end], place[start]] += often
        balance[place[start], place[start]] -= often

    for n, i in states:
        for kind, chance in ((1, first), (0, 1 - first)):
            if n < MOST:
                move((n, i), (n + 1, i + kind * (n < servers)), rate * chance)
            for ended, often in ((1, i / times[0]), (0, (min(n, servers) - i) / times[1])):
                if often > 0 and n > servers:
                    move((n, i), (n - 1, i - ended + kind), often * chance)
                elif often > 0:
                    move((n, i), (n - 1, i - ended), often * chance)
    balance[0] = 1.0
    chance = np.linalg.solve(balance, np.eye(len(states))[0])
    return float(sum(p * max(n - servers, 0) for p, (n, _) in zip(chance, states, strict=True)))


@pytest.mark.parametrize(("servers", "use"), [(2, 0.8), (4, 0.6), (4, 0.9)])
def test_beside_the_exact_chain(servers: int, use: float) -> None:
    """Work at rates, every tenth piece ten times as long: with (1 + C²)/2 of M/M/c the line was up to a quarter too long."""
    times, share = np.array([0.001, 0.01]), np.array([0.9, 0.1])
    rates = use * servers / float(share @ times) * share
    work = [
        zos.Work(f"w{k}", rate=float(rate), steps=[zos.Step("R", qr_cpu=1e-9, devices={"D": float(time)})])
        for k, (rate, time) in enumerate(zip(rates, times, strict=True))
    ]
    system = zos.System(
        lpars=[zos.Lpar("L", processors=8)], regions=[zos.CicsRegion("R", lpar="L", mxt=2000)],
        devices=[zos.Device("D", servers=servers)], work=work,
    )  # fmt: skip
    found, line = system.solve(), _line(servers, rates, times)
    for each, time in zip(work, times, strict=True):
        assert found[each.name].response_time - time == pytest.approx(line / rates.sum(), rel=0.01)


def test_devices_alike_but_for_their_servers() -> None:
    """What is known of one is not what the other does: two were answered as the first of them."""
    times, rates = np.array([0.001, 0.01]), np.array([900.0, 100.0])
    work = [
        zos.Work(f"w{k}", rate=float(rate), steps=[zos.Step("R", qr_cpu=1e-9, devices={"C": float(time), "D": float(time)})])
        for k, (rate, time) in enumerate(zip(rates, times, strict=True))
    ]
    system = zos.System(
        lpars=[zos.Lpar("L", processors=8)], regions=[zos.CicsRegion("R", lpar="L", mxt=2000)],
        devices=[zos.Device("C", servers=3), zos.Device("D", servers=4)], work=work,
    )  # fmt: skip
    waits = sum(_line(servers, rates, times) for servers in (3, 4)) / rates.sum()
    for each, time in zip(work, times, strict=True):
        assert system.solve()[each.name].response_time - 2 * time == pytest.approx(waits, rel=0.01)

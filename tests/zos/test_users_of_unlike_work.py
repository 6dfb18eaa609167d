"""Users of unlike work before an MXT whose tasks are at the QR TCB: against simulation of 5 and 30 million transactions."""

from __future__ import annotations

import numpy as np
import pytest
from qnsolve import zos
from qnsolve.zos.hosts.limited.unlike_users import UnlikeUsers

INQUIRY = {"users": 300, "think_time": 10.0}, 0.015, 0.005  # QR CPU and delay [s]
ORDERS = {"users": 1350, "think_time": 3.0}


def regions(orders: float, mxt: int, number: int, tor: bool) -> zos.System:
    """Inquiries, and orders of a shorter piece, on so many equal AORs, for so many times as many users."""
    names = [f"AOR{k}" for k in range(1, number + 1)]
    works = []
    for name, come, cpu, delay in (("INQUIRY", *INQUIRY), ("ORDERS", ORDERS, orders, 0.0)):
        steps = [zos.Step(regions="TOR", qr_cpu=0.0002)] if tor else []
        users = int(come["users"]) * number
        steps.append(zos.Step(regions=names, qr_cpu=cpu, delay=delay))
        works.append(zos.Work(name, users=users, think_time=float(come["think_time"]), steps=steps))
    all_regions = [zos.CicsRegion(name, lpar="SYSA", mxt=mxt) for name in names]
    all_regions += [zos.CicsRegion("TOR", lpar="SYSA", mxt=300)] if tor else []
    return zos.System([zos.Lpar("SYSA", processors=10)], all_regions, works)


@pytest.mark.parametrize(
    ("orders", "mxt", "number", "inquiry", "order"),
    [
        (0.0006, 12, 1, 0.05752, 0.002559),
        (0.001, 12, 1, 0.1202, 0.01914),
        (0.001, 25, 1, 0.1326, 0.01023),
        (0.0012, 12, 1, 0.2229, 0.08025),
        (0.0014, 12, 1, 0.4867, 0.3168),
        (0.0008, 12, 4, 0.07983, 0.007208),
        (0.001, 12, 4, 0.1272, 0.02415),
    ],
)
def test_short_work_waits_for_long(orders: float, mxt: int, number: int, inquiry: float, order: float) -> None:
    """Within 7 % of the simulation (± 3 to 8 %); orders were 7, 42, 8, 42, 1, 43 and 69 % too short.

    Those that wait for MXT were taken to be like those inside.
    """
    found = regions(orders, mxt, number, number > 1).solve()
    assert found["INQUIRY"].response_time == pytest.approx(inquiry, rel=0.04)
    assert found["ORDERS"].response_time == pytest.approx(order, rel=0.07)


def kinds(users: float, length: tuple[float, float], load: float, places: float) -> UnlikeUsers:
    """Two kinds of as many users, that load a TCB so much all together; who wait as long as they are there."""
    each = np.array(length)
    gone = users * each.sum() / load * np.ones(2)
    return UnlikeUsers(np.full(2, users), gone, users / gone, each / (1 - load), each, each, places)


@pytest.mark.parametrize("load", [0.5, 0.8, 0.95])
def test_so_many_users_come_at_rates(load: float) -> None:
    """Then a wait is E S²/(E S)² times that of tasks all alike, as work left to do does not depend on the order."""
    found = kinds(1e9, (0.001, 0.01), load, 20.0)
    alike = kinds(1e9, (0.0055, 0.0055), load, 20.0)
    unlike = 2 * (0.001**2 + 0.01**2) / 0.011**2
    assert _wait(found) / _wait(alike) == pytest.approx(unlike, rel=1e-3)


def _wait(its: UnlikeUsers) -> float:
    """Wait before the limit [s]: the smallest as which the kinds are given does not matter."""
    small = UnlikeUsers(its.users, its.gone, its.rate, its.at, its.length, np.full(2, 1e-12), its.places)
    return small.longer(1e13) * 1e-12


def test_numbers_are_those_of_one_server() -> None:
    """Tasks all alike wait before a limit as in M/M/1: beyond m of them there are ρ^(m+1)/(1 - ρ)."""
    load, length, places = 0.9, 0.002, 10.0
    found = _wait(kinds(1e9, (length, length), load, places))
    assert found * load / length == pytest.approx(load ** (places + 1) / (1 - load), rel=1e-3)

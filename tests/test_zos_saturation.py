"""The mainframe layer where centers are full: users wait, and rates are what the full center can do."""

from __future__ import annotations

import pytest
import qnsolve as qn
from test_zos_ims import linked


@pytest.mark.parametrize(("users", "think_time"), [(8000, 0.6), (8000, 0.7), (8000, 0.8), (20000, 1.5), (20000, 2)])
def test_thousands_of_users_are_near_the_exact_network(users: int, think_time: float) -> None:
    """CPs full, nearly full and not: rate within 0.02 percent and response within 1 of the exact closed network."""
    system, network = linked(users=users, think_time=think_time)
    found, exact = system.solve()["tran"], qn.solve(network)["tran"]
    assert found.etr == pytest.approx(exact.throughput, rel=2e-4)
    assert found.response_time == pytest.approx(exact.response_time, rel=0.01)

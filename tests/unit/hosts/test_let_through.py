"""How many of a group that a center lets through one by one are together at the next."""

from __future__ import annotations

from itertools import pairwise

import pytest
from qnsolve.zos.hosts.bursts.let_through import lost_together, met_at_servers


@pytest.mark.parametrize("servers", [1.0, 3.0, 20.0])
def test_all_meet_where_nothing_is_before(servers: float) -> None:
    """And fewer the longer they are apart."""
    assert met_at_servers(9.0, 1e-3, 0.0, 0.0, servers) == pytest.approx(9.0)
    assert met_at_servers(9.0, 1e-3, 0.0, 9e-3, servers) == pytest.approx(4.5)
    assert met_at_servers(9.0, 0.0, 1e-3, 0.0, servers) == 0


@pytest.mark.parametrize("servers", [1.0, 3.0, 20.0])
def test_fewer_meet_the_slower_the_center_before(servers: float) -> None:
    """From all of them to next to none, without steps."""
    found = [met_at_servers(20.0, 1e-3, 1e-3 * ratio, 0.0, servers) for ratio in (1e-6, 0.1, 0.5, 0.99, 1.0, 1.01, 2.0, 100.0)]
    assert all(a >= 0.97 * b for a, b in pairwise(found))
    assert found[0] == pytest.approx(20.0, rel=1e-3)
    assert found[3] == pytest.approx(found[5], rel=0.05)
    assert found[-1] < 0.25


def test_at_balance_as_a_walk() -> None:
    """As fast before as there: 1.128·√j wait in the mean when the j-th of a group comes, as M/M/1 at its load from empty."""
    mates = 200.0
    walk = 2 * 1.128 * 2 / 3 * mates**0.5
    assert met_at_servers(mates, 1.0, 1.0, 0.0, 1.0) == pytest.approx(walk, rel=0.1)


def test_servers_lose_what_comes_while_they_are_taken() -> None:
    """All at once: what they have no room for; slower than they serve: none."""
    assert lost_together(20.0, 1e-3, 0.0, 0.0, 2.0) == pytest.approx(20.0)
    assert lost_together(20.0, 1e-3, 1e-2, 0.0, 2.0) < 2.0

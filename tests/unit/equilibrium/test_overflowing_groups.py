"""Groups at zIIPs that overflow: how much more of them goes to CPs."""

from __future__ import annotations

from math import factorial

import numpy as np
import pytest
from qnsolve.zos.equilibrium.bursts.groups_at_limits import beyond
from qnsolve.zos.equilibrium.bursts.overflowing import lost


@pytest.mark.parametrize(("servers", "load"), [(1, 0.5), (3, 2.0), (8, 20.0)])
def test_single_pieces_are_lost_as_erlang_says(servers: int, load: float) -> None:
    """Erlang's formula of 1917."""
    terms = [load**n / factorial(n) for n in range(servers + 1)]
    assert lost(np.arange(1.0, servers + 1), [], load)[-1] == pytest.approx(terms[-1] / sum(terms), rel=1e-12)


def test_rare_groups_keep_what_there_is_room_for() -> None:
    """Ten at once that find all of four servers free lose six; single pieces find these rarely."""
    found = lost(np.arange(1.0, 5.0), [(1e-7, beyond(10.0))], 1e-7)
    assert found[0] == pytest.approx(0.6, rel=1e-5)
    assert found[1] < 1e-6


def test_groups_of_one_are_single_pieces() -> None:
    """Whether they are called groups or not."""
    speeds = np.array([1.0, 1.6, 2.2])
    apart, together = lost(speeds, [(0.8, beyond(1.0))], 0.9), lost(speeds, [], 1.7)
    assert apart == pytest.approx([together[-1]] * 2, rel=1e-12)

"""A server that serves pieces of unlike kinds, against Pollaczek and Khinchin."""

import numpy as np
import pytest
from qnsolve.numerics.series import Array
from qnsolve.zos.hosts.chains.kinds import KindRates, plane_of_kinds
from qnsolve.zos.hosts.chains.plane import grid

SHARES, MEANS = (0.9, 0.1), (0.2, 4.0)


def _kinds(levels: Array, alike: bool) -> list[KindRates]:
    found = []
    for share, mean in zip(SHARES, MEANS, strict=True):
        arrive, serve, none = np.ones((len(levels), 1)), np.full((len(levels), 1), 1 / mean), np.zeros((len(levels), 1))
        serve[0], arrive[-1] = 0.0, float(alike)
        found.append(KindRates(share, arrive, serve, 0.0, none, none))
    return found


@pytest.mark.parametrize("levels", [np.arange(4.0), grid(60, 400.0)])
def test_two_kinds_of_pieces_alone(levels: Array) -> None:
    """Levels without end exactly, on a grid that widens to 1 %."""
    alike = len(levels) == 4
    found = plane_of_kinds(levels, np.zeros(1), _kinds(levels, alike), alike)
    assert found is not None
    busy = float(np.dot(SHARES, MEANS))
    expected = busy + float(np.dot(SHARES, np.square(MEANS))) / (1 - busy)
    assert float(found[0] @ found[1].sum(axis=(1, 2))) == pytest.approx(expected, rel=1e-9 if alike else 0.01)

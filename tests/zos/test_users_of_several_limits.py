"""Users who wait for the limits of several regions: beside the closed network that they are, a product form.

Where next to nothing is on the CPs a limit of c places is c servers, and a step to one of several regions a choice among them.
"""

from __future__ import annotations

import numpy as np
import pytest
from qnsolve import zos

DELAY, CPU = 0.4, 1e-6  # of a task [s]


def _products(ratios: np.ndarray) -> np.ndarray:
    """1, r1, r1·r2, …, the largest 1."""
    logs = np.append(0.0, np.cumsum(np.log(ratios)))
    found: np.ndarray = np.exp(np.maximum(logs - logs.max(), -700.0))
    return found


def _throughput(users: int, think: float, shares: list[float], places: list[int]) -> float:
    """By convolution over all users [1/s]."""
    count, hold = np.arange(1.0, users + 1), DELAY + CPU
    most = min(size / (share * hold) for share, size in zip(shares, places, strict=True))  # so that floats tell them all
    weights = _products(most * think / count)
    for share, size in zip(shares, places, strict=True):
        weights = np.convolve(weights, _products(most * share * hold / np.minimum(count, size)))[: users + 1]
    return float(most * weights[-2] / weights[-1])


def _system(users: int, think: float, shares: list[float], places: list[int], classes: bool) -> zos.System:
    names = [f"R{i}" for i in range(len(places))]
    if classes:
        regions = [
            zos.CicsRegion(name, lpar="L", mxt=2000, tranclasses={"T": size}) for name, size in zip(names, places, strict=True)
        ]
    else:
        regions = [zos.CicsRegion(name, lpar="L", mxt=size) for name, size in zip(names, places, strict=True)]
    step = zos.Step(names, shares=shares, open_cpu=CPU, delay=DELAY, tranclass="T" if classes else None)
    return zos.System(
        lpars=[zos.Lpar("L", processors=zos.Processors(8))],
        regions=regions,
        work=[zos.Work("orders", users=users, think_time=think, steps=[step])],
    )


CASES = [
    (66, 0.02, [0.08, 0.12, 0.18, 0.14, 0.16, 0.22, 0.10], [5, 6, 8, 8, 10, 10, 4]),
    (19, 0.1, [0.25, 0.375, 0.375], [5, 3, 3]),
    (97, 2.5, [0.125] * 8, [2, 1, 1, 1, 2, 1, 2, 2]),
    (12, 0.02, [0.25, 0.25, 0.125, 0.375], [2, 3, 1, 4]),
    (300, 3.0, [0.5, 0.25, 0.25], [30, 16, 14]),
]


@pytest.mark.parametrize(("users", "think", "shares", "places"), CASES)
def test_classes_of_several_regions(users: int, think: float, shares: list[float], places: list[int]) -> None:
    """Were all that are elsewhere to come in proportion to their number, up to 4 % more would pass."""
    found = _system(users, think, shares, places, True).solve()
    assert found["orders"].etr == pytest.approx(_throughput(users, think, shares, places), rel=2e-3)


@pytest.mark.parametrize(
    ("users", "think", "shares", "places"),
    [(80, 0.1, [0.2, 0.3, 0.5], [10, 14, 22]), (45, 0.3, [0.5, 0.5], [11, 12]), (700, 6.0, [0.5, 0.5], [25, 26])],
)
def test_regions_side_by_side(users: int, think: float, shares: list[float], places: list[int]) -> None:
    """The same of MXT."""
    found = _system(users, think, shares, places, False).solve()
    assert found["orders"].etr == pytest.approx(_throughput(users, think, shares, places), rel=2e-3)

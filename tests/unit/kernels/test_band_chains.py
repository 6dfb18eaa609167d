"""Chains by one band matrix beside the same block by block, and number by number."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest
from qnsolve.numerics.band_matrix import NumberRates, from_below
from qnsolve.numerics.level_chain import at_once, probabilities


@pytest.mark.parametrize("seed", range(40))
def test_levels_at_once_are_those_one_by_one(seed: int) -> None:
    """Levels of one width or of several, with moves that keep the phase, or lead to any."""
    draw = np.random.default_rng(seed)
    levels = int(draw.integers(2, 30))
    sizes = draw.integers(1, 6, levels) if seed % 2 else np.full(levels, draw.integers(1, 6))
    local = [draw.random((size, size)) * (1 - np.eye(size)) for size in sizes]
    up, down = [], []
    for one, two in pairwise(sizes):
        keeps = one == two and draw.random() < 0.5
        up.append(draw.random(one) if keeps else draw.random((one, two)))
        down.append(3 * draw.random(one) if keeps else 3 * draw.random((two, one)))
    found, expected = at_once(up, down, local), probabilities(up, down, local)[0]
    assert found is not None
    for row, other in zip(found, expected, strict=True):
        assert row == pytest.approx(other, abs=1e-13)


@pytest.mark.parametrize(("size", "load", "columns"), [(1.0, 0.5, 1), (4.3, 0.9, 3), (250.0, 0.7, 1), (7.5, 300.0, 2)])
def test_numbers_of_groups_are_those_one_by_one(size: float, load: float, columns: int) -> None:
    """Groups of a size beside single ones, at servers; an overload that begins beyond the floats."""
    tail = np.clip(size - np.arange(np.ceil(size)), 0.0, 1.0)
    leave = np.minimum(np.arange(1.0, 3001), 40.0)[:, None] * np.linspace(1.0, 2.0, columns)
    groups = load * 40 / size * np.maximum(1 - np.arange(3000) / 1500, 0.0)
    single = np.full(3000, 0.01)
    rates = NumberRates(tail, groups.__getitem__, single.__getitem__, lambda number: leave[number - 1])
    found = from_below(rates, lambda chance: 0, 2000)
    plain = np.zeros((2000, columns))
    plain[0] = 1.0
    for n in range(1, 2000):
        before = plain[max(n - len(tail), 0) : n][::-1] * groups[max(n - len(tail), 0) : n][::-1, None]
        plain[n] = (tail[: len(before)] @ before + single[n - 1] * plain[n - 1]) / leave[n - 1]
        plain[: n + 1] /= np.maximum(plain[n] / 1e100, 1.0)
    assert found / found.sum(axis=0) == pytest.approx(plain / plain.sum(axis=0), rel=1e-9, abs=1e-290)

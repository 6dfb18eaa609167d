"""Intervals of fitted figures hold the truth in 19 of 20 runs: the family of simulated models, with seeds of its own."""

from __future__ import annotations

from math import sqrt

import numpy as np
import pytest

from tests.support.fit_family import held, settings

pytestmark = pytest.mark.slow
RUNS = {"open": 12, "delay": 12, "closed": 10, "threads": 20}
LEAST, MOST = 0.93, 0.97  # what is promised of all settings of a kind together
SHORT, LEAST_SHORT = 20, 0.91  # intervals with noise that is alike in neighbours: too few to know how much
GROUPS = [("open", 20), ("open", 60), ("open", 300), ("delay", 0), ("closed", 0), ("threads", 0)]


def _chance(runs: int) -> float:
    """Three deviations of a share of 19 in 20."""
    return 3 * sqrt(0.05 * 0.95 / runs)


@pytest.mark.parametrize(("kind", "n"), GROUPS)
def test_intervals_of_the_family_hold_the_truth(kind: str, n: int) -> None:
    """93 to 97 of 100 over all settings of a kind, and chance: figures of one run count as one."""
    runs = RUNS[kind]
    usual: list[list[float]] = []
    short: list[list[float]] = []
    for setting in settings():
        if setting.kind == kind and n in (0, setting.n):
            few = setting.serial > 0 and setting.n == SHORT
            (short if few else usual).append(list(held(setting, range(50_000, 50_000 + runs)).values()))
    chance = _chance(runs * len(usual))
    assert LEAST - chance <= np.mean(np.concatenate(usual)) <= MOST + chance
    if short:
        assert np.mean(np.concatenate(short)) >= LEAST_SHORT - _chance(runs * len(short))

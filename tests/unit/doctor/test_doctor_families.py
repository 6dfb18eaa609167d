"""Seeded families: clean tables give no alarm, planted faults are found where they are."""

from __future__ import annotations

import numpy as np
import pytest
import qnsolve as qn

from tests.support.interval_families import FAULTS, clean

SEED = 20260302  # thresholds were set on seeds 1 to 3


def _alarms(count: int, most: int) -> tuple[int, int]:
    """Findings of severity wrong, and tables with findings to be looked at."""
    rng = np.random.default_rng(SEED)
    wrong = look = 0
    for _ in range(count):
        columns = clean(rng, most=most)
        found = qn.measure.check(columns.table(), servers=columns.servers)
        wrong += len(found.wrong)
        look += any(each.severity == "look" for each in found.found)
    return wrong, look


def _found(fault: str, count: int, most: int) -> tuple[int, int]:
    """Tables whose planted fault is named, and those where the rows overlap too."""
    plant, least, steady = FAULTS[fault]
    rng = np.random.default_rng([SEED, *fault.encode()])
    named = located = 0
    for _ in range(count):
        columns = clean(rng, least, most, steady)
        planted = plant(columns, rng)
        found = qn.measure.check(columns.table(), servers=columns.servers)
        own = [each for each in found.found if each.kind in planted.kinds]
        named += bool(own)
        located += any(
            0 in (planted.first, each.first) or (each.first <= planted.last and each.last >= planted.first) for each in own
        )
    return named, located


def test_clean_tables_give_no_alarm() -> None:
    """Nothing is wrong, and in at most 1 of 20 tables there is something to look at."""
    wrong, look = _alarms(60, 600)
    assert wrong == 0
    assert look <= 3


@pytest.mark.parametrize("fault", FAULTS)
def test_planted_faults_are_found(fault: str) -> None:
    """19 of 20 are named, with rows that hold the fault."""
    named, located = _found(fault, 20, 300)
    assert named >= 19
    assert located >= 19


@pytest.mark.slow
def test_large_clean_family() -> None:
    """200 tables of up to 5,000 intervals."""
    wrong, look = _alarms(200, 5000)
    assert wrong == 0
    assert look <= 10


@pytest.mark.slow
@pytest.mark.parametrize("fault", FAULTS)
def test_large_family_of_faults(fault: str) -> None:
    """39 of 40 are found and located."""
    named, located = _found(fault, 40, 5000)
    assert named >= 39
    assert located >= 39

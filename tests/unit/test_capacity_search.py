"""The search for the largest factor that is held: few solutions, whatever loads say below and above the end."""

from __future__ import annotations

import pathlib
from collections.abc import Callable

import numpy as np
import pytest
import qnsolve as qn
from qnsolve.zos.hosts.kept_points import KeptAnswers
from qnsolve.zos.point import capacity as room
from qnsolve.zos.point.solved import SolvedPoint, solved_point

EXAMPLE = pathlib.Path(__file__).parents[2] / "examples" / "cics-region.toml"


def _searched(bound: float, tried: Callable[[room._HeadroomSearch, float], None]) -> room._HeadroomSearch:
    """The search from today's work on, as `capacity` makes it, each factor held or refused by `tried`."""
    search, factor = room._HeadroomSearch(bound, "CPs", 0.0), 1.0
    for _ in range(room.STEPS):
        tried(search, factor)
        if search.ended:
            break
        factor = search.next()
    return search


@pytest.mark.parametrize("power", [0.3, 0.9, 1.0, 3.0, 18.0])
@pytest.mark.parametrize("end", [0.07, 1.4, 2.9, 3.96])
@pytest.mark.parametrize("filled", [0.0, 0.6, 1.0])
def test_an_end_is_found_in_few_steps(power: float, end: float, filled: float) -> None:
    """Loads grow as any power of the factor; from some part of the end on users fill the center, which says nothing."""

    def tried(search: room._HeadroomSearch, factor: float) -> None:
        load = (factor / end) ** power
        if load < 1:
            search.held(factor, "MXT", 1 - 1e-9 if factor > filled * end else load, True)
        else:
            search.refused(factor, "MXT", load)

    search = _searched(4.0, tried)
    assert search.ended
    assert end * (1 - room.FINE) <= search.low < end
    assert search.center == "MXT"


def test_a_center_whose_load_does_not_tell_is_found_by_halves() -> None:
    """Loads that jump from far below 1 to far above it, one of them a different one each time."""
    names = iter("ABCDEFGHIJKLMNOPQRSTUVWXYZ")

    def tried(search: room._HeadroomSearch, factor: float) -> None:
        if factor < 37:
            search.held(factor, "MXT", 0.2, True)
        else:
            search.refused(factor, next(names), 50.0)

    search = _searched(100.0, tried)
    assert 37 * (1 - room.FINE) <= search.low < 37


@pytest.mark.parametrize("low", [0.0, 0.9])
def test_what_all_rounds_do_not_hold_is_taken_back(low: float) -> None:
    """Factors seem to be held up to 1.5 and are up to 1.2, or 0.6: the end is that, also below one that seemed sure to hold."""
    for end in (0.6, 1.2):
        search, factor = room._HeadroomSearch(3.0, "CPs", low), 1.0
        for _ in range(room.STEPS):
            if factor < (end if search.doubtful else 1.5):
                search.held(factor, "CPs", 0.9, True, search.doubtful)
                search.sure = search.doubtful
            else:
                search.refused(factor, "MXT", 1.2)
            while search.low and not search.sure and (search.ended or search.doubtful):
                if search.low < end:
                    search.held(search.low, "CPs", 0.9, True, True)
                else:
                    search.refused(search.low, "MXT", 1.0)
            if search.ended:
                break
            factor = search.next()
        assert 0.995 * end <= search.low < end
        assert search.sure


@pytest.mark.parametrize("end", [0.4, 1.5, 2.17, 2.86])
def test_loads_next_to_one_wherever_it_is_too_much(end: float) -> None:
    """Far beyond the end a load said that it was 0.002 percent ahead: one small step led to the next, and nothing was held."""
    search = room._HeadroomSearch(2.8755, "CPs", 0.0, users=True)
    factor = search.high * (1 - room.MARGIN)
    for _ in range(room.STEPS):
        if factor < end:
            search.held(factor, "CPs", min(0.535 * factor, 1.0), True)
        else:
            search.refused(factor, "MXT", 1.00002)
        if search.ended:
            break
        factor = search.next()
    assert end * (1 - room.FINE) <= search.low < end


def test_the_example_takes_few_solutions(monkeypatch: pytest.MonkeyPatch) -> None:
    """It took eleven when loads above the end were not believed; and what is said to hold does."""
    solved: list[float] = []

    def noted(system: qn.zos.System, factor: np.ndarray, rounds: int) -> SolvedPoint:
        solved.append(float(factor.max()))
        return solved_point(system, factor, rounds)

    monkeypatch.setattr(room, "solved_point", noted)
    monkeypatch.setattr(room, "_capacities", KeptAnswers(1))  # no test before has asked
    found = room.capacity(qn.load(EXAMPLE))
    assert len(solved) <= 6
    assert found.factor in solved
    assert found.center == "AOR1 TRANCLASS REPORTS"


def test_what_was_found_is_read(monkeypatch: pytest.MonkeyPatch) -> None:
    """The same system, read from its file anew, is not searched again; one whose work grows alone is."""
    monkeypatch.setattr(room, "_capacities", KeptAnswers(2))
    found = room.capacity(qn.load(EXAMPLE))
    searched = list[np.ndarray]()
    monkeypatch.setattr(room, "_capacity", lambda system, grows: searched.append(grows) or found)
    assert room.capacity(qn.load(EXAMPLE)) == found
    assert not searched
    room.capacity(qn.load(EXAMPLE), np.array([True, *[False] * (len(qn.load(EXAMPLE).work) - 1)]))
    assert len(searched) == 1

"""The product form in which tasks come the less often the more of them are there: against all of its states."""

from __future__ import annotations

from itertools import product as every
from math import factorial

import numpy as np
import pytest
from qnsolve.zos.hosts.others.company import Companies, Company, TaskQueue
from qnsolve.zos.hosts.others.region_tasks import RegionTasks

COME = np.array([3.0, 2.2, 1.4, 0.6, 0.0])
LINE, REGION, OWN, FREE, FEW = 0.35, 0.4, 0.2, 0.25, np.array([2.0, 1.5, 1.0, 0.5, 0.25, 0.0, 0.0, 0.0])
TOP, ENGINES = 7, 2.0


def _weight(line: int, few: int, here: int, own: int, free: int) -> float:
    """Weight of a state: tasks at a line, at one of few users, at the TCB of a region, its free pieces, and other ones."""
    found = LINE**line * 0.3**few * float(FEW[:few].prod()) * FREE**free / factorial(free)
    there = COME[: here + own]
    return found * float(there.prod()) * (here + own < len(COME)) * REGION**here * OWN**own / factorial(own)


def _seen(some: tuple[bool, bool, bool]) -> dict[str, list[float]]:
    """Ready, P(1 ready) and the rate at which tasks of the region come, given 0, 1, … others, without lines not of `some`."""
    found: dict[str, list[float]] = {"ready": [], "one": [], "come": []}
    for count in range(TOP):
        sums = np.zeros(4)
        for state in every(range(count + 1), repeat=5):
            line, few, here, own, free = state
            if sum(state) != count or any(number and not its for number, its in zip(state[:3], some, strict=True)):
                continue
            weight = _weight(*state)
            ready = (line > 0) + (few > 0) + (here > 0) + own + free
            come = COME[here + own] if here + own < len(COME) else 0.0
            sums += weight * np.array([1.0, ready, ready == 1, come])
        for name, its in zip(found, sums[1:] / sums[0], strict=True):
            found[name].append(float(its))
    return found


def _company(k: int | None) -> Company:
    queues = [TaskQueue(LINE, 1), TaskQueue(0.3, 1, come=FEW), TaskQueue(REGION, 1, region=RegionTasks(COME, OWN))]
    return Companies(queues, FREE, ENGINES, TOP).without(k)


@pytest.mark.parametrize("k", [None, 0, 1, 2])
def test_others_are_those_of_the_product_form(k: int | None) -> None:
    """All of them, and without each line."""
    found = _company(k)
    some = (k != 0, k != 1, k != 2)
    if k == 2:  # its free pieces stay, as others that come at a rate
        assert found.come is None
        return
    seen = _seen(some)
    assert found.ready[:TOP] == pytest.approx(seen["ready"], rel=1e-10)
    assert found.few[:TOP, 1] == pytest.approx(seen["one"], rel=1e-10, abs=1e-12)
    assert found.come is not None
    assert found.come[: TOP - 1] == pytest.approx(seen["come"][:-1], rel=1e-10, abs=1e-12)


def test_free_pieces_of_a_region_stay_beside_its_tcb() -> None:
    """Its chain lets them come as its tasks go on: among the others they are free pieces."""
    mine, apart = _company(2), Companies([TaskQueue(LINE, 1), TaskQueue(0.3, 1, come=FEW)], FREE + OWN, ENGINES, TOP)
    assert mine.ready == pytest.approx(apart.without(None).ready, rel=1e-10)


def test_none_come_beyond_the_limit() -> None:
    """No state has more tasks than the limit."""
    ready, whole, at_work = RegionTasks(COME, OWN).terms(REGION, 1.0, 3, TOP)
    assert (whole[len(COME) :] == 0).all()
    assert (ready[:, len(COME) :] == 0).all()
    assert (at_work[1 : len(COME)] >= whole[1 : len(COME)]).all()

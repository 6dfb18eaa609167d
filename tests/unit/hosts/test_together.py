"""How many tasks users keep at processors that are full."""

from __future__ import annotations

import numpy as np
import pytest
from qnsolve import zos
from qnsolve.numerics.series import Array
from qnsolve.zos.hosts.chains.plane import grid, plane
from qnsolve.zos.hosts.others.company import Companies, TaskQueue, _Product, company
from qnsolve.zos.hosts.spread import closer
from qnsolve.zos.hosts.together import _about

from benchmarks import system_references

COUNT = np.arange(20_001.0)


def _mean(users: float, away: float, rate: float) -> float:
    """Of the birth-death chain: users come when they are away, and leave at a rate while any is there."""
    number = COUNT[: int(users) + 1]
    logs = np.append(0.0, np.cumsum(np.log((users - number[:-1]) / away / rate)))
    chance = np.exp(logs - logs.max())
    return float(chance @ number / chance.sum())


@pytest.mark.parametrize(("away", "error"), [(1.0, 1e-3), (9.0, 1e-3), (9.9, 0.02), (10.0, 0.03), (10.1, 0.05), (10.5, 0.06)])
def test_the_number_at_one_full_processor(away: float, error: float) -> None:
    """10,000 users and 1,000 a second: from far above none to where they come too seldom to fill it."""
    coming = np.maximum(10_000 - COUNT, 0.0) / away / 1000
    assert _about(COUNT, coming, 1.0) == pytest.approx(_mean(10_000, away, 1000.0), rel=error, abs=1.5)


def test_users_who_wait_elsewhere_do_not_leave_full_processors_empty() -> None:
    """A little too few to fill the CPs: no tasks were taken to be there, and responses were 8.3 times as long."""
    reference = system_references.load(11)["TOR of CPU 0"]
    answer = zos.solve(reference.drawn.system)
    for name, truth in reference.works.items():
        assert answer[name].response_time == pytest.approx(truth.response, rel=0.3)


@pytest.mark.parametrize("loads", [[0.3, 0.3, 0.7, 0.7, 0.5], [0.3, 0.8, 0.7, 0.2], [0.4]])
def test_the_others_are_those_without_one(loads: list[float]) -> None:
    """All but one of some queues, the fullest of which may be as full as others, and all of them."""
    queues = [(load, 1) for load in loads]
    companies = Companies(queues, 1.1, 4.0, 60)
    for k in [*range(len(queues)), None]:
        found, alone = companies.without(k), company([its for i, its in enumerate(queues) if i != k], 1.1, 4.0, 60)
        assert found.leave == pytest.approx(alone.leave, rel=1e-10)
        assert found.few == pytest.approx(alone.few, rel=1e-10)


def test_equal_queues_are_joined_by_halves(monkeypatch: pytest.MonkeyPatch) -> None:
    """Eight of each of four loads: each load once left out, and all, in fewer steps than each by itself, the fullest too."""
    joined = [0]
    plain = _Product.beside

    def counted(product: _Product, queue: TaskQueue) -> _Product:
        joined[0] += 1
        return plain(product, queue)

    monkeypatch.setattr(_Product, "beside", counted)
    companies = Companies([(load, 1) for load in (0.2, 0.6, 0.4, 0.3) for _ in range(8)], 2.0, 8.0, 200)
    for k in (0, 8, 16, 24, None):
        companies.without(k)
    assert joined[0] <= 3 * 32


def test_a_line_of_users_on_steps_wider_than_it_spreads() -> None:
    """Machine repair, 16,000 users: steps that widen with the number alone make it swing too much, closer ones do not."""
    users, think, serve = 16_000.0, 4.5, 3300.0
    count = np.arange(users + 1)
    logs = np.append(0.0, np.cumsum(np.log((users - count[:-1]) / think / serve)))
    exact = np.exp(logs - logs.max())
    exact /= exact.sum()
    deviation = np.sqrt((exact @ count**2) - (exact @ count) ** 2)

    def spread_on(levels: Array) -> float:
        come, served = ((users - levels) / think)[:, None], np.where(levels > 0, serve, 0.0)[:, None]
        come[-1] = 0.0
        none = np.zeros(come.shape)
        chance = plane(levels, np.zeros(1), come, served, 0.0, none, none).chance[:, 0]
        return float(np.sqrt(chance @ levels**2 - (chance @ levels) ** 2))

    wide = grid(10, users, 1.3)
    assert spread_on(wide) > 1.1 * deviation
    assert spread_on(closer(wide, count, (users - count) / think, serve)) == pytest.approx(deviation, rel=0.02)

"""Headroom that needs no operating point: what a system is sure to hold it does hold, and no more than that."""

from __future__ import annotations

import pytest
from qnsolve import zos
from qnsolve.zos.compile.compiled import compiled
from qnsolve.zos.hosts.chains.birth_death import FullPoolError
from qnsolve.zos.point import capacity
from qnsolve.zos.point.solved import scaled, solved_point
from qnsolve.zos.point.sure_to_hold import sure_to_hold


def _system(users: int, mxt: int = 200) -> zos.System:
    """Payments at a rate fill one LPAR first; on the other one users and notes, at a rate, share the QR TCB and the CPs."""
    return zos.System(
        lpars=[zos.Lpar("A", processors=2), zos.Lpar("B", processors=4)],
        regions=[zos.CicsRegion("PAY", lpar="A", mxt=mxt), zos.CicsRegion("ASK", lpar="B", mxt=60)],
        work=[
            zos.Work("payments", rate=300, regions="PAY", qr_cpu=0.001, open_cpu=0.002, delay=0.01),
            zos.Work("notes", rate=20, regions="ASK", qr_cpu=0.001, delay=0.05),
            zos.Work("questions", users=users, think_time=2.0, regions="ASK", qr_cpu=0.002, delay=0.1),
        ],
    )


def test_what_is_sure_to_hold_is_held() -> None:
    """At each factor that is sure the system is solved; the headroom ends where the CPs are full of payments."""
    system = _system(100)
    for factor in (1.0, 1.5, 2.2):
        assert sure_to_hold(scaled(compiled(system), factor))
        solved_point(system, factor)
    found = capacity.capacity(system)
    assert found.center == "A CPs"
    assert found.factor == pytest.approx(20 / 9, rel=1e-3)
    solved_point(system, found.factor)
    with pytest.raises(FullPoolError):
        solved_point(system, found.factor * 1.001)


def test_no_point_is_solved_where_it_is_sure(monkeypatch: pytest.MonkeyPatch) -> None:
    """The end is the bound of the centers."""

    def never(*_: object) -> None:
        raise AssertionError

    system = _system(100)
    before = capacity.capacity(system)
    monkeypatch.setattr(capacity, "solved_point", never)
    assert capacity.capacity(system) == before


def test_limits_that_may_not_hold_are_not_sure() -> None:
    """Few places for payments, or no users at all: only the operating point tells."""
    assert not sure_to_hold(scaled(compiled(_system(100, mxt=10)), 2.2))
    assert not sure_to_hold(compiled(zos.System(
        lpars=[zos.Lpar("A", processors=2)],
        regions=[zos.CicsRegion("PAY", lpar="A", mxt=20)],
        work=[zos.Work("payments", rate=300, regions="PAY", qr_cpu=0.001)],
    )))  # fmt: skip

"""Hosts that are asked the same again are not solved again, and say the same."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from qnsolve import zos
from qnsolve.zos.hosts import kept_points
from qnsolve.zos.hosts.host import Host
from qnsolve.zos.hosts.kept_points import KeptAnswers
from qnsolve.zos.hosts.load import HostPoint, Load
from qnsolve.zos.point.solved import solved_point


def _system(engines: float) -> zos.System:
    """Two LPARs that have nothing to do with each other; the engines are those of the second one."""
    return zos.System(
        lpars=[zos.Lpar("A", processors=2, ziips=zos.Ziips(1)), zos.Lpar("B", processors=engines)],
        regions=[zos.CicsRegion("ONE", lpar="A"), zos.CicsRegion("TWO", lpar="B")],
        work=[
            zos.Work("here", rate=300, regions="ONE", qr_cpu=0.001, jvm_cpu=0.004, ziip_share=0.8),
            zos.Work("there", rate=400, regions="TWO", qr_cpu=0.001, open_cpu=0.002),
        ],
    )


def _fresh(monkeypatch: pytest.MonkeyPatch) -> list[Load]:
    """Nothing is kept yet; the loads that are solved from now on."""
    solved: list[Load] = []
    plain = Host.solve

    def noted(host: Host) -> HostPoint:
        solved.append(host.load)
        return plain(host)

    monkeypatch.setattr(Host, "solve", noted)
    monkeypatch.setattr(kept_points, "_hosts", KeptAnswers(kept_points.HOSTS))
    return solved


def test_host_of_a_system_changed_elsewhere_is_read(monkeypatch: pytest.MonkeyPatch) -> None:
    """The host that is as it was is not solved again, and the point is that of nothing kept, to the last digit."""
    solved = _fresh(monkeypatch)
    solved_point(_system(2.0))
    before = len(solved)
    read = solved_point(_system(3.0)).work
    assert {load.engines for load in solved[:before]} == {2.0}
    assert {load.engines for load in solved[before:]} == {3.0}
    _fresh(monkeypatch)
    anew = solved_point(_system(3.0)).work
    assert (read.response == anew.response).all()
    assert read.effort == anew.effort


def test_same_system_again_is_read_and_keeps_what_it_keeps_from_round_to_round(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing is solved again; windows are the same, and of each solution its own."""
    solved = _fresh(monkeypatch)
    first = solved_point(_system(2.0)).work
    before = len(solved)
    again = solved_point(_system(2.0)).work
    assert len(solved) == before
    assert (again.response == first.response).all()
    assert again.kept.keys() == first.kept.keys()
    for key, kept in first.kept.items():
        windows = again.kept[key].windows
        assert windows.keys() == kept.windows.keys()
        assert all(windows[group] is not its for group, its in kept.windows.items())  # each round writes its own


def test_host_is_solved_once_where_its_load_does_not_follow_from_its_times(monkeypatch: pytest.MonkeyPatch) -> None:
    """Work that comes at rates: what zIIPs send back is settled first; the rounds of the limits do not solve it again."""
    solved = _fresh(monkeypatch)
    system = _system(2.0)
    point = solved_point(system.replace("ONE", mxt=40)).work
    assert point.rounds > 1
    assert len(solved) == 2  # one of each host
    solved = _fresh(monkeypatch)
    users = solved_point(system.replace("here", rate=None, users=100, think_time=0.3)).work
    assert len(solved) > users.rounds  # their rates follow from the times


def test_answers_differ_with_what_is_asked() -> None:
    """Numbers, texts and arrays that look alike are told apart; the answer that was asked for first is left out."""
    kept = KeptAnswers[int](10)
    asked = [1, 1.0, "1", None, True, [1], [[1]], {1: 2}, np.array([1]), np.array([1.0]), np.array([[1.0]]), (1.0, 1.0)]
    assert [kept.of(each, lambda at=at: at) for at, each in enumerate(asked[:10])] == [*range(10)]  # type: ignore[misc]
    assert [kept.of(each, lambda: -1) for each in asked[:10]] == [*range(10)]
    kept.of(asked[10], lambda: 10)  # one too many: the one that was asked for first is left out
    assert kept.of(asked[0], lambda: -1) == -1
    assert kept.of(asked[2], lambda: -1) == 2


def test_host_is_not_solved_again_where_users_elsewhere_come_less_often(monkeypatch: pytest.MonkeyPatch) -> None:
    """Rounds go on for the users who fill the other LPAR; nothing of that is asked of this one."""
    solved = _fresh(monkeypatch)
    system = zos.System(
        lpars=[zos.Lpar("A", processors=2), zos.Lpar("B", processors=2)],
        regions=[zos.CicsRegion("ONE", lpar="A"), zos.CicsRegion("TWO", lpar="B")],
        work=[
            zos.Work("here", rate=300, regions="ONE", qr_cpu=0.001, open_cpu=0.002),
            zos.Work("there", users=600, think_time=1.0, regions="TWO", qr_cpu=0.001, open_cpu=0.002),
        ],
    )
    point = solved_point(system).work
    assert point.rounds > 2
    first = [load for load in solved if load.flow[0] > 0]
    assert len(first) <= 2  # users' times are told apart from the second round on
    assert len(solved) - len(first) >= 2


def test_host_that_is_asked_next_to_the_same_is_not_solved_again(monkeypatch: pytest.MonkeyPatch) -> None:
    """A change far below the tolerance of the rounds leaves it as it was; a larger one does not."""
    solved = _fresh(monkeypatch)
    solved_point(_system(2.0))
    load, before = solved[0], len(solved)
    for change, more in ((1e-6, 0), (1e-3, 1)):
        kept_points.host_point(replace(load, flow=load.flow * (1 + change)))
        assert len(solved) == before + more

"""Lines at TCBs beside free pieces: limits that are known, symmetries, and simulated figures."""

from __future__ import annotations

import pytest
import qnsolve as qn
from qnsolve import zos
from qnsolve.zos.point.capacity import capacity

from benchmarks import free_pieces, system_references
from tests.zos.test_systems import system as with_full_limits


def _site(other: float, size: float, *, rate: float = 1100.0, order: tuple[str, ...] = ("A1", "A2", "O")) -> zos.System:
    """Payments in two AORs, 1.2 ms on the QR TCB and 1.7 ms on open ones; other work on open TCBs; five CPs."""
    regions = [zos.CicsRegion(name, lpar="P", mxt=2000) for name in order]
    payments = zos.Step(["A1", "A2"], qr_cpu=0.0012, open_cpu=0.0017)
    work = [zos.Work("payments", rate=rate, steps=[payments])]
    if other:
        work.append(zos.Work("other", rate=other, regions="O", open_cpu=size))
    return zos.System(lpars=[zos.Lpar("P", processors=5)], regions=regions, work=work)


@pytest.mark.parametrize(("other", "size", "truth"), [(250, 0.0057, 22.74), (837, 0.0017, 19.21), (50, 0.0285, 41.9)])
def test_work_from_elsewhere(other: float, size: float, truth: float) -> None:
    """CPs 92 % busy; simulated to 1.5 %: the same use of the CPs in short pieces and in long ones.

    Pieces of 28.5 ms beside those of 1.7 ms count as of one length: 9 % too long.
    """
    assert 1e3 * _site(other, size).solve()["payments"].response_time == pytest.approx(truth, rel=0.1 if size > 0.02 else 0.05)


def test_other_work_that_tends_to_none() -> None:
    """The answer is that without it."""
    without = _site(0.0, 0.0, rate=1300.0).solve()["payments"].response_time
    little = _site(0.01, 0.0057, rate=1300.0).solve()["payments"].response_time
    assert little == pytest.approx(without, rel=1e-4)


def test_response_grows_with_other_work() -> None:
    """Steadily, from the chains of each TCB to those of all lines and pieces."""
    found = [_site(other, 0.0057).solve()["payments"].response_time for other in range(0, 300, 15)]
    assert found == sorted(found)


def test_order_of_regions_does_not_matter() -> None:
    """Nor which of two equal ones is asked for."""
    one, other = _site(250, 0.0057).solve(), _site(250, 0.0057, order=("O", "A2", "A1")).solve()
    assert one["payments"].response_time == pytest.approx(other["payments"].response_time, rel=1e-9)
    assert one["A1"].tasks == pytest.approx(one["A2"].tasks, rel=1e-9)


def test_a_short_visit_to_the_same_tcb_is_as_none() -> None:
    """Work that hardly touches the QR TCBs is not held back there."""
    regions = [zos.CicsRegion(name, lpar="P", mxt=2000) for name in ("A1", "A2")]
    payments = zos.Step(["A1", "A2"], qr_cpu=0.0012, open_cpu=0.0017)
    other = zos.Step(["A1", "A2"], qr_cpu=1e-6, open_cpu=0.0057)
    work = [zos.Work("payments", rate=1100, steps=[payments]), zos.Work("other", rate=250, steps=[other])]
    found = zos.System(lpars=[zos.Lpar("P", processors=5)], regions=regions, work=work).solve()
    assert found["payments"].response_time == pytest.approx(_site(250, 0.0057).solve()["payments"].response_time, rel=0.02)


def test_a_long_line_holds_back_short_visits_too() -> None:
    """Two QR TCBs on four CPs that are 96 % busy; other work has a sixth of the QR CPU, and open pieces after it."""
    answer = free_pieces.drawn("mixed", 8, 3).solve()
    for work, (truth, half) in zip(free_pieces.WORKS, free_pieces.stored()["mixed/8/3"], strict=True):
        assert answer[work].response_time == pytest.approx(truth, rel=half + 0.03)


def test_longer_visits_make_up_for_shorter_ones() -> None:
    """Three QR TCBs on 8 CPs, open pieces about in proportion to those there; simulated to 0.7 %.

    Short visits leave a slow TCB nearly as they come, long ones so much the less: all work there is still as one. Once 4.45,
    60.2 and 7.91 ms.
    """
    names = ["A", "B", "C"]
    regions = [zos.CicsRegion(name, lpar="P", mxt=2000) for name in names]
    sizes = [(200, 0.00033, 0.00035), (406, 0.00374, 0.01245), (615, 0.00058, 0.00071)]
    work = [
        zos.Work(f"W{i}", rate=rate, steps=[zos.Step(names, qr_cpu=qr, open_cpu=free)])
        for i, (rate, qr, free) in enumerate(sizes)
    ]
    found = zos.System(lpars=[zos.Lpar("P", processors=8)], regions=regions, work=work).solve()
    for each, truth in zip(work, (4.029, 55.49, 7.16), strict=True):
        assert 1e3 * found[each.name].response_time == pytest.approx(truth, rel=0.035)


def test_short_visits_beside_long_ones_that_end_at_the_tcb() -> None:
    """Their long open pieces come nearly as they do, which keeps another TCB waiting; simulated to 1.8 %. Once 15.6 ms."""
    regions = [zos.CicsRegion(name, lpar="P", mxt=2000) for name in ("A", "B", "O")]
    work = [
        zos.Work("short", rate=250, steps=[zos.Step("A", qr_cpu=0.0005, open_cpu=0.005)]),
        zos.Work("long", rate=260, regions="A", qr_cpu=0.0018),
        zos.Work("open", rate=250, regions="O", open_cpu=0.0056),
        zos.Work("beside", rate=260, regions="B", qr_cpu=0.0018),
    ]
    found = zos.System(lpars=[zos.Lpar("P", processors=4)], regions=regions, work=work).solve()
    for name, truth, near in (("short", 27.75, 0.08), ("long", 62.74, 0.1), ("open", 10.69, 0.04), ("beside", 18.09, 0.06)):
        assert 1e3 * found[name].response_time == pytest.approx(truth, rel=near)


def test_the_same_question_has_one_answer() -> None:
    """To the last digit, whatever was asked before and is kept."""
    whole = with_full_limits()
    found = {capacity(whole).factor, capacity(qn.loads(qn.dumps(whole))).factor, capacity(with_full_limits()).factor}
    assert len(found) == 1


def _line(elsewhere: float) -> zos.System:
    """Unlike pieces in order of arrival on one QR TCB of two CPs; a share of the free pieces comes from elsewhere."""
    regions = [zos.CicsRegion(name, lpar="P", mxt=2000) for name in ("A", "O")]
    open_cpu = 0.002 * (1 - elsewhere)
    works = [
        zos.Work("short", rate=300.0, steps=[zos.Step("A", qr_cpu=0.0002, open_cpu=open_cpu, qr_dispatches=1)]),
        zos.Work("long", rate=60.0, steps=[zos.Step("A", qr_cpu=0.008, open_cpu=open_cpu, qr_dispatches=1)]),
        zos.Work("other", rate=360.0 * elsewhere, regions="O", open_cpu=0.002),
    ]
    return zos.System(lpars=[zos.Lpar("P", processors=2)], regions=regions, work=works)


@pytest.mark.parametrize(("elsewhere", "short", "long"), [(0.3, 17.46, 25.72), (0.6, 15.44, 23.90)])
def test_unlike_pieces_in_order_of_arrival(elsewhere: float, short: float, long: float) -> None:
    """Simulated to 2 %. Lines and pieces are a chain of pieces alike: it corrects a TCB by one of pieces alike."""
    found = _line(elsewhere).solve()
    assert 1e3 * found["short"].response_time == pytest.approx(short, rel=0.05)
    assert 1e3 * found["long"].response_time == pytest.approx(long, rel=0.03)


@pytest.mark.parametrize(("family", "salt", "work"), [("LPARs 1", 2, "W3"), ("open busy 8", 5, "W2"), ("open busy 5", 1, "W0")])
def test_one_line_that_has_most_of_the_work(family: str, salt: int, work: str) -> None:
    """Its own chain sees what it holds back; only pieces from elsewhere are beyond that. Simulated, half widths of 1 to 6 %."""
    reference = system_references.load(salt)[family]
    truth = reference.works[work]
    assert reference.drawn.system.solve()[work].response_time == pytest.approx(truth.response, rel=truth.relative + 0.08)


def test_alike_lines_beside_a_light_one() -> None:
    """Two AORs behind a TOR, a seventh of the open work from elsewhere: as two alike lines. Simulated, half width 1.1 %."""
    regions = [zos.CicsRegion(name, lpar="P", mxt=2000) for name in ("T", "A1", "A2", "O")]
    steps = [zos.Step("T", qr_cpu=0.00012), zos.Step(["A1", "A2"], qr_cpu=0.0012, open_cpu=0.0017)]
    work = [zos.Work("payments", rate=1270, steps=steps), zos.Work("other", rate=100, regions="O", open_cpu=0.0057)]
    found = zos.System(lpars=[zos.Lpar("P", processors=5)], regions=regions, work=work).solve()
    assert 1e3 * found["payments"].response_time == pytest.approx(19.61, rel=0.065)

"""Pieces of unlike length on one CP, at a QR TCB and beside it, against exact Markov chains."""

from __future__ import annotations

import pytest
from qnsolve import zos

from tests.oracles.system_chains import tcb_beside_pieces


def _solved(*work: zos.Work) -> zos.Result:
    lpar = zos.Lpar("SYSA", processors=zos.Processors(1))
    regions = [zos.CicsRegion("AOR1", lpar="SYSA", mxt=2000), zos.CicsRegion("AOR2", lpar="SYSA", mxt=2000)]
    return zos.System(lpars=[lpar], regions=regions, work=work).solve()


def _work(name: str, rate: float, rounds: int = 1, region: str = "AOR1", **cpu: float) -> zos.Work:
    return zos.Work(name, steps=[zos.Step(regions=[region], qr_dispatches=rounds, **cpu)], rate=rate)


@pytest.mark.parametrize("rounds", [1, 2])
def test_a_tcb_beside_open_work_of_several_pieces(rounds: int) -> None:
    """A task that comes back at once, piece after piece, keeps the TCB slow for longer: as long as all its pieces take."""
    solved = _solved(_work("tcb", 0.3, qr_cpu=1.0), _work("open", 0.2, rounds, region="AOR2", open_cpu=2.0))
    exact = tcb_beside_pieces([(0.3, 1.0, False)], 2.0 / rounds, rounds, 0.2, (50, 20))
    assert solved["tcb"].response_time == pytest.approx(exact.mean(lambda s: s[0]) / 0.3, rel=0.01)
    assert solved["open"].response_time == pytest.approx(exact.mean(lambda s: sum(s[2:])) / 0.2, rel=0.01)


def test_short_and_long_pieces_at_a_tcb() -> None:
    """Behind a long piece short ones wait that would go on beside the TCB, so that it runs nearly alone."""
    kinds = [(4.0, 0.05, True), (0.15, 2.0, False)]
    solved = _solved(_work("short", 4.0, qr_cpu=0.05, open_cpu=0.05), _work("long", 0.15, qr_cpu=2.0))
    exact = tcb_beside_pieces(kinds, 0.05, 1, 0.0, (120, 30))
    waiting = exact.mean(lambda s: max(s[0] - 1, 0)) / 4.15
    at_work = [exact.mean(lambda s: float(s[0] > 0 and s[1] == 0)), exact.mean(lambda s: float(s[0] > 0 and s[1] == 1))]
    after = exact.mean(lambda s: s[2]) / 4.0
    assert solved["short"].response_time == pytest.approx(waiting + at_work[0] / 4.0 + after, rel=0.03)
    assert solved["long"].response_time == pytest.approx(waiting + at_work[1] / 0.15, rel=0.03)


def test_no_task_is_quicker_than_its_pieces() -> None:
    """Many short pieces beside bursts of one long piece each: what follows another piece waits less, never less than not."""
    work = [
        zos.Work("short", rate=5.5, regions="A", qr_cpu=0.0001, qr_dispatches=30),
        zos.Work("plain", rate=57, regions="A", qr_cpu=0.0002, qr_dispatches=2),
        zos.Work("burst", rate=55, regions="A", qr_cpu=0.0002, qr_dispatches=1, burst=12.5),
    ]
    system = zos.System(lpars=[zos.Lpar("P", processors=6)], regions=[zos.CicsRegion("A", lpar="P", mxt=49)], work=work)
    assert system.solve()["short"].response_time >= 0.0001 * (1 - 1e-9)


def test_short_pieces_that_follow_each_other_behind_a_long_one() -> None:
    """Simulated 7.132 ± 0.086 and 11.986 ± 0.053 ms: the first of four waits for it, and left few behind it; 10.4 ms once."""
    work = [
        zos.Work("short", rate=200, regions="A", qr_cpu=0.0004, qr_dispatches=4),
        zos.Work("long", rate=40, regions="A", qr_cpu=0.008, qr_dispatches=1),
    ]
    found = zos.System([zos.Lpar("P", processors=8)], [zos.CicsRegion("A", lpar="P", mxt=2000)], work).solve()
    assert found["short"].response_time == pytest.approx(0.007132, rel=0.06)
    assert found["long"].response_time == pytest.approx(0.011986, rel=0.03)


def test_a_long_piece_that_comes_back_is_met_again() -> None:
    """Of two rounds: simulated 9.81 ± 0.21 and 24.38 ± 0.22 ms."""
    work = [
        zos.Work("short", rate=200, regions="A", qr_cpu=0.0004, qr_dispatches=4),
        zos.Work("long", rate=20, regions="A", qr_cpu=0.016, qr_dispatches=2),
    ]
    found = zos.System([zos.Lpar("P", processors=8)], [zos.CicsRegion("A", lpar="P", mxt=2000)], work).solve()
    assert [found["short"].response_time, found["long"].response_time] == pytest.approx([0.00981, 0.02438], rel=0.09)


def test_a_line_in_order_of_arrival_beside_open_pieces_of_unlike_length() -> None:
    """Simulated 1.233 and 4.893 ms to 1 %: the long ones keep the CP for as long as they are, and the line grows; 1.05 once."""
    work = [
        zos.Work("short", rate=2078, regions="A", qr_cpu=1.967e-5, open_cpu=8.953e-5, delay=4.543e-5, qr_dispatches=1),
        zos.Work("long", rate=445.9, regions="A", qr_cpu=2.922e-4, open_cpu=8.947e-4, delay=5.402e-4, qr_dispatches=1),
    ]
    found = zos.System([zos.Lpar("P", processors=1)], [zos.CicsRegion("A", lpar="P", mxt=2000)], work).solve()
    assert found["short"].response_time == pytest.approx(0.001233, rel=0.1)
    assert found["long"].response_time == pytest.approx(0.004893, rel=0.03)


@pytest.mark.parametrize(
    ("dispatches", "load", "open_cpu", "short", "long"),
    [
        ((20, 1), {"rate": 300}, 0.0, 17.1e-3, 14.7e-3),
        ((5, 1), {"rate": 300}, 0.0, 15.5e-3, 15.6e-3),
        ((20, 20), {"rate": 300}, 0.0, 7.66e-3, 19.7e-3),
        ((20, 1), {"rate": 300}, 1e-3, 21.5e-3, 14.7e-3),
        ((5, 1), {"users": 100, "think_time": 0.238}, 0.0, 7.67e-3, 13.0e-3),
    ],
)
def test_short_pieces_again_and_again_behind_long_ones(
    dispatches: tuple[int, int], load: dict[str, float], open_cpu: float, short: float, long: float
) -> None:
    """Simulated to 3 %: the tasks with short pieces stand behind a long one once, together (once up to +265 and -50 %)."""
    more = {"open_cpu": open_cpu} if open_cpu else {}
    rate = 30 if "rate" in load else 18
    found = zos.System(
        lpars=[zos.Lpar("L", processors=zos.Processors(2))],
        regions=[zos.CicsRegion("A", lpar="L", mxt=500)],
        work=[
            zos.Work("short", **load, steps=[zos.Step("A", qr_cpu=1e-3, qr_dispatches=dispatches[0], **more)]),
            zos.Work("long", rate=rate, steps=[zos.Step("A", qr_cpu=1e-2, qr_dispatches=dispatches[1])]),
        ],
    ).solve()
    assert found["short"].response_time == pytest.approx(short, rel=0.13)
    assert found["long"].response_time == pytest.approx(long, rel=0.05)

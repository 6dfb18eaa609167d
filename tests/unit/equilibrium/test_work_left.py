"""Work left to do on one CP is the same in any order: lower importance, unlike work, users who come as if at rates."""

import pytest
from qnsolve import zos
from qnsolve.zos.equilibrium.conservation import WorkLeft
from qnsolve.zos.point.solved import SolvedPoint, solved_point

ONE = zos.Lpar("P", processors=1)
BELOW = zos.CicsRegion("LOW", lpar="P", importance=2)


def _solved(regions: list[zos.CicsRegion], work: list[zos.Work], lpar: zos.Lpar = ONE) -> SolvedPoint:
    return solved_point(zos.System(lpars=[lpar], regions=regions, work=work))


def test_lower_importance_of_one_cp_leaves_what_all_leave_less_what_higher_ones_do() -> None:
    """Poisson work of QR and open pieces: the work left of all is that of M/G/1, and so is that of the higher ones alone."""
    pieces = {
        "a": (2.494, 0.035, 0.0096),
        "b": (8.18, 0.0064, 0.0015),
        "c": (18.95, 0.0036, 0.0004),
        "d": (64.8, 0.0049, 0.0012),
    }
    regions = [zos.CicsRegion("HIGH", lpar="P"), BELOW, zos.CicsRegion("LOW2", lpar="P", importance=2)]
    at = {"a": "LOW", "b": "LOW2", "c": "LOW", "d": "HIGH"}
    work = [zos.Work(name, rate=x, regions=at[name], qr_cpu=qr, open_cpu=cpu) for name, (x, qr, cpu) in pieces.items()]
    found = _solved(regions, work)
    load = {name: x * (qr + cpu) for name, (x, qr, cpu) in pieces.items()}
    squares = {name: x * (qr**2 + qr * cpu + cpu**2) for name, (x, qr, cpu) in pieces.items()}  # half the mean square
    all_work = sum(squares.values()) / (1 - sum(load.values()))
    of_lower = all_work - squares["d"] / (1 - load["d"])
    left = 0.0
    for w, (name, (x, qr, cpu)) in enumerate(pieces.items()):
        if name != "d":
            on_tcb = next(float(at_pool[w]) for at_pool in found.work.at_group.values() if at_pool[w] > 0)
            left += x * (on_tcb * (qr + cpu) + (float(found.work.response[w]) - on_tcb) * cpu)
    assert left == pytest.approx(of_lower, rel=1e-6)


def test_unlike_work_of_a_lower_importance() -> None:
    """Its work on its own engines is that of the chain, not the number of its tasks; simulated (3 million transactions)."""
    regions = [zos.CicsRegion(f"R{i}", lpar="P", importance=rank) for i, rank in enumerate((3, 2, 2, 1, 2))]
    work = [
        zos.Work("W0", rate=64.8, regions="R0", qr_cpu=0.00486, open_cpu=0.00122, delay=0.006191),
        zos.Work("W1", rate=2.494, regions="R1", qr_cpu=0.03545, open_cpu=0.009627, delay=0.1345),
        zos.Work("W2", rate=8.179, regions="R2", qr_cpu=0.006424, open_cpu=0.001484, delay=0.0143),
        zos.Work("W3", rate=2.632, regions="R3", qr_cpu=0.04903, open_cpu=0.01096, delay=0.1792),
        zos.Work("W4", rate=18.95, regions="R4", qr_cpu=0.003619, open_cpu=0.0004292, delay=0.00402),
    ]
    truth = [0.1502, 0.2295, 0.0428, 0.2502, 0.0259]
    assert _solved(regions, work).work.response == pytest.approx(truth, rel=0.07)


def test_a_lower_importance_below_users_of_even_work() -> None:
    """One CP; two pieces one after the other vary less than one; simulated to 1 %. Once 20 % more."""
    regions = [zos.CicsRegion("HIGH", lpar="P"), BELOW]
    high = zos.Work("above", users=125, think_time=0.03941, regions="HIGH", qr_cpu=6.863e-5, open_cpu=9.53e-5, delay=4.767e-5)
    low = zos.Work("below", rate=2228, regions="LOW", qr_cpu=1.64e-5, open_cpu=2.552e-5, delay=1.084e-5)
    assert _solved(regions, [high, low]).work.response == pytest.approx([0.000371, 0.000452], rel=0.04)


def test_visits_of_a_lower_importance_find_what_the_ones_before_left() -> None:
    """One CP, four dispatches, and 0.7 ms between two of them; simulated to 1 %. Once 22 % more."""
    regions = [zos.CicsRegion(f"R{i}", lpar="P", importance=rank) for i, rank in enumerate((1, 3, 2, 1))]
    work = [
        zos.Work("W0", rate=3673, regions="R0", qr_cpu=1.759e-5, open_cpu=7.366e-5, delay=0.00133, qr_dispatches=1),
        zos.Work("W1", rate=618.8, regions="R1", qr_cpu=4.796e-5, open_cpu=0.0001092, delay=0.002901, qr_dispatches=4),
        zos.Work("W2", rate=97.65, regions="R2", qr_cpu=0.001814, delay=0.01618, qr_dispatches=2),
        zos.Work("W3", rate=1323, regions="R3", qr_cpu=1.364e-5, open_cpu=6.891e-5, delay=0.0006721, qr_dispatches=1),
    ]
    assert _solved(regions, work).work.response[1:3] == pytest.approx([0.00678, 0.0213], rel=0.08)


def test_many_users_who_think_long_are_as_work_with_their_rate() -> None:
    """The higher importance and the lower one; what a chain loses by its grids says nothing of how long they wait."""
    regions = [zos.CicsRegion("HIGH", lpar="P"), BELOW]
    low = zos.Work("below", rate=542.8, regions="LOW", qr_cpu=0.00068, open_cpu=0.00043)

    def answer(high: zos.Work) -> SolvedPoint:
        return _solved(regions, [low, high])

    at_rate = answer(zos.Work("above", rate=67.3, regions="HIGH", qr_cpu=0.0017, open_cpu=0.00095))
    users = answer(zos.Work("above", users=67_300, think_time=1000, regions="HIGH", qr_cpu=0.0017, open_cpu=0.00095))
    assert users.work.response == pytest.approx(at_rate.work.response, rel=0.005)


def test_a_small_part_of_the_work_left_is_known_less() -> None:
    """What is not known of all is not known of the part; where all is, the part is too, and nothing where none is left."""
    all_work, higher = WorkLeft(3.0, 0.9), WorkLeft(2.0, 1.0)
    assert all_work.less(higher).waiting == pytest.approx(1.0)
    assert all_work.less(higher).known == pytest.approx(1 - 0.1 * 3)
    assert WorkLeft(3.0, 1.0).less(higher).known == 1.0
    assert WorkLeft(3.0, 0.5).less(higher).known == 0.0
    assert WorkLeft(2.0, 1.0).less(higher) == WorkLeft()

"""Systems whose rounds once ended where no center is full and yet all wait; expected are long simulations."""

from __future__ import annotations

import pytest
from qnsolve import zos


def test_class_below_a_full_tor_that_other_work_comes_to_directly() -> None:
    """A: 92.27 ± 0.54/s and 81.2 ± 0.6 s; B: 6.02/s; direct work C: 3167.3/s. Once 10.8/s, 0.64/s and 3167.3/s."""
    regions = [zos.CicsRegion("TOR", lpar="L", mxt=26), zos.CicsRegion("AOR", lpar="L", mxt=42, tranclasses={"CLASS": 4})]
    above = [zos.Step(regions="TOR", qr_cpu=cpu) for cpu in (3.339e-5, 7.959e-5)]
    devices = [{"DB2": time} for time in (0.04096, 0.02983, 0.00241)]
    in_class = zos.Step(regions="AOR", qr_cpu=0.000188, open_cpu=0.001722, devices=devices[0], tranclass="CLASS")
    others = zos.Step(regions="AOR", qr_cpu=0.000238, open_cpu=0.001728, devices=devices[1])
    work = [
        zos.Work("A", users=8701, think_time=13.02, steps=[above[0], in_class]),
        zos.Work("B", users=506, think_time=3.048, steps=[above[1], others]),
        zos.Work("C", users=6739, think_time=2.125, regions="AOR", qr_cpu=3.405e-5, open_cpu=0.0001777, devices=devices[2]),
    ]
    found = zos.System([zos.Lpar("L", processors=2)], regions, work, devices=[zos.Device("DB2")]).solve()
    assert found["A"].etr == pytest.approx(92.27, rel=0.02)
    assert found["A"].response_time == pytest.approx(81.2, rel=0.03)
    assert found["B"].etr == pytest.approx(6.02, rel=0.03)
    assert found["C"].etr == pytest.approx(3167.3, rel=0.001)


def test_unlike_pieces_at_threads_that_users_fill() -> None:
    """A: 13102/s and 0.754 ms; B: 4350/s and 0.508 ms. Once A had 8922/s and 2.26 ms."""
    region = zos.CicsRegion("R", lpar="L", thread_limit=3)
    steps = [
        zos.Step(regions="R", jvm_cpu=8.922e-5, devices={"DB2": 6.844e-6}, qr_dispatches=4),
        zos.Step(regions="R", jvm_cpu=0.0001721, devices={"DB2": 5.916e-5}, qr_dispatches=1),
    ]
    work = [
        zos.Work("A", users=42, think_time=0.002452, steps=[steps[0]]),
        zos.Work("B", users=306, think_time=0.06983, steps=[steps[1]]),
    ]
    found = zos.System([zos.Lpar("L", processors=2)], [region], work, devices=[zos.Device("DB2")]).solve()
    assert found["A"].etr == pytest.approx(13102, rel=0.08)
    assert found["A"].response_time == pytest.approx(0.000754, rel=0.35)
    assert found["B"].response_time == pytest.approx(0.000508, rel=0.11)


def test_class_and_mxt_do_not_wait_for_each_other_in_turns() -> None:
    """A class of 3 places in an MXT of 20 that other work fills: once its wait was 2233 s, with next to no throughput."""
    region = zos.CicsRegion("R", lpar="L", mxt=20, tranclasses={"CLASS": 3})
    mine = zos.Step(regions="R", qr_cpu=0.002142, open_cpu=0.0002237, devices={"DB2": 0.08448}, tranclass="CLASS")
    other = zos.Step(regions="R", open_cpu=0.02057, devices={"DB2": 2.559})
    work = [
        zos.Work("A", users=579, think_time=19.88, steps=[mine]),
        zos.Work("B", users=200, think_time=34.56, steps=[other]),
    ]
    found = zos.System([zos.Lpar("L", processors=1)], [region], work, devices=[zos.Device("DB2")]).solve()
    assert 27.5 < found["A"].etr < 579 / (19.88 + 0.087)
    assert found["A"].response_time < 1.5
    assert found["B"].etr == pytest.approx(5.37, rel=0.02)

"""The mainframe layer for IMS: engine laws, logs from measured rows, front end and back end."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import pytest
import qnsolve as qn
from qnsolve import zos


def two(**back: Any) -> zos.System:
    """A front end that waits for a back end over links."""
    return zos.System(
        lpars=[zos.Lpar("FE", processors=4), zos.Lpar("BE", processors=8)],
        devices=[zos.Device("MSC", servers=32), zos.Device("RRS")],
        regions=[zos.ImsRegions("FE IMS", lpar="FE", regions=9000), zos.ImsRegions("MPP", lpar="BE", regions=64)],
        work=[
            zos.Work(
                "tran",
                rate=9000,
                steps=[
                    zos.Step("FE IMS", cpu=0.00035, devices={"MSC": 0.002}),
                    zos.Step("MPP", cpu=0.0005, devices={"RRS": 0.001}, **back),
                ],
            )
        ],
    )


@pytest.mark.parametrize("engines", [1, 2, 3, 4, 5, 9, 20])
def test_two_rows_are_amdahls_law(engines: int) -> None:
    """n·x/(1 + s(n - 1)) through both rows, in fractions."""
    rows = {3: Fraction(11000), 6: Fraction(19000)}
    line = (Fraction(6) / rows[6] - Fraction(3) / rows[3]) / 3  # s/x
    first = Fraction(3) / rows[3] - 2 * line  # 1/x
    s = line / first
    law = engines / first / (1 + s * (engines - 1)) / rows[3]
    assert zos.LsprTable({3: 11000, 6: 19000}).ratio(3, engines) == pytest.approx(float(law), rel=1e-13)


def test_rows_of_a_table_are_met_and_joined() -> None:
    """Three rows: each met, CPU of a transaction halfway between two, rows in any order."""
    table = zos.LsprTable({5: 4.5, 1: 1.0, 3: 2.85})
    assert table.ratio(1, 3) == pytest.approx(2.85, rel=1e-14)
    assert table.ratio(3, 5) == pytest.approx(4.5 / 2.85, rel=1e-14)
    assert table.cpu(4) == pytest.approx((3 / 2.85 + 5 / 4.5) / 2, rel=1e-14)
    assert table.ratio(1, 7) < 7 / 5 * 4.5


def test_move_by_a_table_makes_the_cpu_of_a_transaction_longer() -> None:
    """From 4 to 8 engines by the table: ITR in its ratio, and CPU by its line."""
    table = zos.LsprTable({4: 3.7, 8: 6.6})
    before = two().solve()
    after = zos.move(two(), "FE", engines=8, lspr=table).solve()
    assert after["FE"].itr / before["FE"].itr == pytest.approx(6.6 / 3.7, rel=1e-9)
    cpu = [r["FE"].appl_percent / r["FE"].etr for r in (before, after)]
    assert cpu[1] / cpu[0] == pytest.approx(8 / 6.6 * 3.7 / 4, rel=1e-9)


def test_a_fitted_log_meets_its_rows() -> None:
    """154 and 228 MiB/s, as measured; 8 stripes 354 MiB/s within 0.7 percent (IMS 12, table 8)."""
    for stripes, speed in ((1, 154), (2, 228)):
        log = zos.Logger.fitted("OLDS", stripes=stripes, mib_per_second={2: 228, 1: 154})
        assert log.bandwidth == pytest.approx(speed, rel=1e-14)
    assert zos.Logger.fitted("OLDS", stripes=8, mib_per_second={1: 154, 2: 228}).bandwidth == pytest.approx(354, rel=0.007)


@pytest.mark.parametrize(
    ("call", "said"),
    [
        (lambda: zos.LsprTable({3: 8.3}), "two rows"),
        (lambda: zos.LsprTable({3: 8.3, 0: 1}), "above 0"),
        (lambda: zos.LsprTable({1: 1.0, 2: 3.0}).ratio(1, 9), "too far from its rows"),
        (lambda: zos.move(two(), "FE", engines=8, itr_ratio=2, lspr=zos.LsprTable({1: 1, 2: 2})), "either the ratio"),
        (lambda: zos.Logger.fitted("L", mib_per_second={1: 154}), "two numbers of stripes"),
        (lambda: zos.Logger.fitted("L", mib_per_second={1: 154, 2: 140}), "more stripes write less"),
        (lambda: zos.Logger.fitted("L", mib_per_second={1: 154, 2: 400}), "more than in proportion"),
    ],
)
def test_bad_rows_are_refused(call: Any, said: str) -> None:
    """One line with the item, the rule and the repair."""
    with pytest.raises(qn.ModelError, match=said) as caught:
        call()
    assert "\n" not in str(caught.value)


def test_a_front_end_waits_for_its_back_end_or_does_not() -> None:
    """Response is the same; a called back end holds the front end's region, one behind a queue does not."""
    called, queued = two().solve(), two(called=False).solve()
    assert called["tran"].response_time == pytest.approx(queued["tran"].response_time, rel=1e-4)
    inside = called["MPP"].tasks / 9000
    assert called["FE IMS"].tasks - queued["FE IMS"].tasks == pytest.approx(9000 * inside, rel=1e-6)
    assert called["MSC"].busy_percent == pytest.approx(100 * 9000 * 0.002 / 32)
    assert called["FE"].cpu_percent == pytest.approx(100 * 9000 * 0.00035 / 4)
    assert called["BE"].cpu_percent == pytest.approx(100 * 9000 * 0.0005 / 8)


def test_cpu_outside_the_region_gets_faster_too() -> None:
    """APPL of a region is its own CPU on any machine; what is outside it is the rest of the LPAR's."""
    work = zos.Work("tran", rate=1000, regions="MPP", cpu=0.001, system_cpu=0.0004)
    base = zos.System(lpars=[zos.Lpar("L", processors=4)], regions=[zos.ImsRegions("MPP", lpar="L", regions=50)], work=[work])
    faster = zos.move(base, "L", itr_ratio=1.25).solve()
    assert faster["MPP"].appl_percent == pytest.approx(100 / 1.25)
    assert faster["L"].appl_percent == pytest.approx(140 / 1.25)


def test_what_is_true_or_false_is_written_as_toml_has_it() -> None:
    """A step behind a queue, and zIIPs that keep their work, come back from their file."""
    base = two(called=False)
    base = base.replace("FE", ziips=zos.Ziips(2, overflow=False))
    assert qn.loads(qn.dumps(base)) == base


def linked(**driven: Any) -> tuple[zos.System, qn.Network]:
    """A front end, a back end and 32 links, as a system and as a network."""
    system = zos.System(
        lpars=[zos.Lpar("FE", processors=4), zos.Lpar("BE", processors=8)],
        devices=[zos.Device("MSC", servers=32)],
        regions=[zos.ImsRegions("FE IMS", lpar="FE", regions=9000), zos.ImsRegions("MPP", lpar="BE", regions=9000)],
        work=[
            zos.Work(
                "tran", steps=[zos.Step("FE IMS", cpu=0.00035, devices={"MSC": 0.002}), zos.Step("MPP", cpu=0.0005)], **driven
            )
        ],
    )
    demands = {"FE": 0.00035, "BE": 0.0005, "MSC": 0.002}
    if "rate" in driven:
        jobs: Any = qn.OpenClass("tran", arrival_rate=driven["rate"], demands=demands)
    else:
        jobs = qn.ClosedClass("tran", population=driven["users"], think_time=driven["think_time"], demands=demands)
    stations = [qn.Queue("FE", servers=4), qn.Queue("BE", servers=8), qn.Queue("MSC", servers=32)]
    return system, qn.Network(stations, [jobs])


@pytest.mark.parametrize("rate", [3000, 9000, 11000])
def test_a_rate_over_two_lpars_is_the_exact_network(rate: float) -> None:
    """Two LPARs and links in line: M/M/c each, as the exact solver has it, to the digits of chains cut at the top."""
    system, network = linked(rate=rate)
    assert system.solve()["tran"].response_time == pytest.approx(qn.solve(network)["tran"].response_time, rel=1e-7)


@pytest.mark.parametrize(("users", "think_time"), [(8, 0), (40, 0), (40, 0.002), (100, 0.005), (2000, 0.2)])
def test_users_over_two_lpars_are_near_the_exact_network(users: int, think_time: float) -> None:
    """Rate and response within 0.4 percent of the exact closed network, with and without queues."""
    system, network = linked(users=users, think_time=think_time)
    found, exact = system.solve()["tran"], qn.solve(network)["tran"]
    assert found.etr == pytest.approx(exact.throughput, rel=0.004)
    assert found.response_time == pytest.approx(exact.response_time, rel=0.004)


def test_regions_do_not_wait_for_work_of_lower_importance() -> None:
    """CPs are preempted: the wait for a region is the same with and without work below on the same CPs."""
    lpar, mpp = zos.Lpar("L", processors=4), zos.ImsRegions("MPP", lpar="L", regions=3)
    above = zos.Work("above", users=193, think_time=0.062, regions=["MPP"], cpu=2.2e-4, delay=2.9e-4)
    low, below = zos.CicsRegion("LOW", lpar="L", importance=2), zos.Work("below", rate=900, regions=["LOW"], open_cpu=2.5e-3)
    alone, both = zos.System([lpar], [mpp], [above]).solve(), zos.System([lpar], [mpp, low], [above, below]).solve()
    assert both["above"].response_time == pytest.approx(alone["above"].response_time, rel=1e-3)
    assert both["above"].admission_wait == pytest.approx(alone["above"].admission_wait, rel=1e-3)


@pytest.mark.parametrize(
    ("rate", "cpu", "delay", "ims", "tx"),
    [(112, 0.01, 0.0, 15.75e-3, 1.90e-3), (340, 0.005, 0.02, 46.2e-3, 5.65e-3), (360, 0.005, 0.02, 77.1e-3, 7.36e-3)],
)
def test_ims_beside_cics(rate: float, cpu: float, delay: float, ims: float, tx: float) -> None:
    """Simulated to 2 %: 16 dependent regions beside a QR TCB; once 75 minutes, and 24 ms beside a limit that is mostly full."""
    found = zos.System(
        lpars=[zos.Lpar("L", processors=zos.Processors(2))],
        regions=[zos.ImsRegions("MPP", lpar="L", regions=16), zos.CicsRegion("AOR", lpar="L", mxt=500)],
        work=[
            zos.Work("ims", rate=rate, steps=[zos.Step("MPP", cpu=cpu, delay=delay)]),
            zos.Work("tx", rate=100, steps=[zos.Step("AOR", qr_cpu=1e-3)]),
        ],
    ).solve()
    assert found["ims"].response_time == pytest.approx(ims, rel=0.1)
    assert found["tx"].response_time == pytest.approx(tx, rel=0.15)


def test_users_of_two_sets_of_regions() -> None:
    """Simulated to 0.3 %: users of one set come as the others of them think, whoever waits for the other set (once +24 %)."""
    near = zos.Work("near", users=13, think_time=0.034, steps=[zos.Step("MPP1", cpu=1.6e-3, delay=0.018)])
    far = zos.Work("far", users=20, think_time=0.47, steps=[zos.Step("MPP0", cpu=0.017, delay=0.08)])
    rare = zos.Work("rare", users=630, think_time=35.0, steps=[zos.Step("MPP0", cpu=4.4e-3)])
    found = zos.System(
        lpars=[zos.Lpar("L", processors=zos.Processors(2))],
        regions=[zos.ImsRegions(name, lpar="L", regions=4) for name in ("MPP0", "MPP1")],
        work=[near, far, rare],
    ).solve()
    assert found["near"].response_time == pytest.approx(33.18e-3, rel=0.01)
    assert found["near"].etr == pytest.approx(193.5, rel=0.005)
    assert found["far"].response_time == pytest.approx(138.0e-3, rel=0.015)

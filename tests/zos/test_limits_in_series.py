"""A full TOR over an AOR that other work comes to directly, a class in a full region: one limit keeps the other full."""

from __future__ import annotations

import numpy as np
import pytest
from qnsolve import zos
from qnsolve.zos.equilibrium.limits.below.series_chain import Below, TwoLimits, one_of_several, series
from qnsolve.zos.equilibrium.limits.full_limits import fastest_on_cps
from qnsolve.zos.equilibrium.limits.inside.own_stations import OwnStations
from qnsolve.zos.equilibrium.limits.limit_arrivals import waiting_alike
from qnsolve.zos.equilibrium.limits.unlike_limits import speeds_in_line
from qnsolve.zos.hosts.chains.birth_death import UserSource
from qnsolve.zos.hosts.limited.product_form import weights
from qnsolve.zos.point.solved import solved_point

from benchmarks import system_references


def test_long_direct_tasks_hold_the_places_that_a_full_tor_waits_for() -> None:
    """Against simulation: A 811.5/s and 61.8 ± 2.0 ms, B 42.31/s and 128.9 ± 0.6 ms; 11.6 ms where each limit is alone."""
    regions = [zos.CicsRegion("TOR", lpar="L", mxt=10), zos.CicsRegion("AOR", lpar="L", mxt=10)]
    steps = [zos.Step(regions="TOR", qr_cpu=0.0001), zos.Step(regions="AOR", qr_cpu=0.0004, delay=0.0045)]
    work = [
        zos.Work("A", users=700, think_time=0.8, steps=steps),
        zos.Work("B", users=300, think_time=7.0, regions="AOR", qr_cpu=0.0006, delay=0.12),
    ]
    found = zos.System([zos.Lpar("L", processors=4)], regions, work).solve()
    assert found["A"].response_time == pytest.approx(0.0618, rel=0.05)
    assert found["A"].etr == pytest.approx(811.5, rel=0.005)
    assert found["B"].response_time == pytest.approx(0.1289, rel=0.03)


def test_two_full_tors_get_the_places_that_direct_tasks_leave() -> None:
    """All their places wait before one AOR, for tasks 23 times as long: against simulation (A ± 0.6, B ± 0.2 %)."""
    limits = {"TOR0": 11, "TOR1": 10, "R1": 10, "R2": 12}
    regions = [zos.CicsRegion(name, lpar="L", mxt=mxt) for name, mxt in limits.items()]
    steps = [
        zos.Step(regions=["TOR0", "TOR1"], qr_cpu=0.0004512),
        zos.Step(regions="R2", open_cpu=0.0005428, devices={"DB2": 0.0128}),
    ]
    direct = zos.Step(regions=["R1", "R2"], shares=[1.862, 1.468], qr_cpu=0.005508, open_cpu=0.003345, devices={"DB2": 0.2944})
    work = [
        zos.Work("A", users=357, think_time=0.5428, steps=steps),
        zos.Work("B", users=203, think_time=1.562, steps=[direct]),
    ]
    found = zos.System([zos.Lpar("L", processors=5)], regions, work, devices=[zos.Device("DB2")]).solve()
    assert found["A"].etr == pytest.approx(308.3, rel=0.02)
    assert found["A"].response_time == pytest.approx(0.6158, rel=0.04)
    assert found["B"].response_time == pytest.approx(1.8926, rel=0.01)


def test_works_that_fill_limits_of_their_own_below_a_full_tor() -> None:
    """Simulated to 1 % or better: of a work whose users are nearly all inside few are left (short once -33, +53 %)."""
    regions = [
        zos.CicsRegion("TOR", lpar="L", mxt=100),
        zos.CicsRegion("AOR1", lpar="L", mxt=30, tranclasses={"LONG": 2}),
        zos.CicsRegion("AOR2", lpar="L", mxt=12),
        zos.CicsRegion("AOR3", lpar="L", mxt=40),
    ]
    works = {
        "long": (60, 0.2, 0.0003, zos.Step("AOR1", qr_cpu=0.005, open_cpu=0.01, delay=0.2, tranclass="LONG")),
        "short": (110, 0.05, 0.0004, zos.Step("AOR3", open_cpu=0.004, delay=0.15)),
        "many": (2000, 14.0, 0.0005, zos.Step("AOR2", qr_cpu=0.004, delay=0.08)),
    }
    work = [
        zos.Work(name, users=users, think_time=think, steps=[zos.Step("TOR", qr_cpu=cpu), step])
        for name, (users, think, cpu, step) in works.items()
    ]
    found = zos.System([zos.Lpar("L", processors=6)], regions, work).solve()
    simulated = {"long": (9.276, 6.268), "short": (151.8, 0.6748), "many": (135.8, 0.7265)}
    for name, (throughput, response) in simulated.items():
        assert found[name].etr == pytest.approx(throughput, rel=0.06), name
        assert found[name].response_time == pytest.approx(response, rel=0.12), name


@pytest.mark.parametrize(
    ("salt", "name", "off"),
    [
        (4, "TOR full 6", 0.075),  # -26 % once, throughput +15 %: long tasks among short ones in an AOR below
        (16, "TOR full 10", 0.035),  # throughput +5 % once, for the same reason
        (2, "TOR full 7", 0.02),  # +7 % once: users who come back at once are in the line already
        (6, "TOR full 11", 0.035),  # +10 % where the shares of users change with the line and their rates are not straight
        (9, "TOR and direct 5", 0.21),  # -26 % once, throughput +15 %
        (15, "TRANCLASS under TOR 2", 0.01),  # -9 % once, throughput +8 %: classes of one in three AORs share the places above
        (12, "TRANCLASS under TOR 0", 0.015),  # -10 % once, for the same reason
        (3, "TRANCLASS under TOR 6", 0.015),  # +9 % once, throughput -4 %: even times in classes of one
        (4, "TOR and direct 2", 0.08),  # throughput +9 % once: two AORs with a line of some length share the places above
    ],
)
def test_limits_below_a_full_tor_beside_simulation(salt: int, name: str, off: float) -> None:
    """All response times within so much of the simulation that is stored."""
    reference = system_references.load(salt)[name]
    answer = reference.drawn.system.solve()
    for work, truth in reference.works.items():
        assert answer[work].response_time == pytest.approx(truth.response, rel=off), work


def test_a_class_two_levels_below_a_full_tor() -> None:
    """Simulated to 1.5 %: a region that is a station of the TOR has no chain for the class that it sends to (once +50 %)."""
    regions = [
        zos.CicsRegion("TOR", lpar="L", mxt=40),
        zos.CicsRegion("AOR", lpar="L", mxt=20),
        zos.CicsRegion("FOR", lpar="L", mxt=60, tranclasses={"LONG": 3}),
    ]
    first, last = zos.Step("TOR", qr_cpu=0.0003), zos.Step("FOR", open_cpu=0.004, delay=0.08, tranclass="LONG")
    work = [
        zos.Work("deep", users=120, think_time=2.0, steps=[first, zos.Step("AOR", open_cpu=0.003, delay=0.02), last]),
        zos.Work("flat", users=300, think_time=2.0, steps=[first, zos.Step("FOR", open_cpu=0.003, delay=0.05)]),
    ]
    found = zos.System([zos.Lpar("L", processors=6)], regions, work).solve()
    for name, throughput, response in (("deep", 35.75, 1.352), ("flat", 121.2, 0.4757)):
        assert found[name].etr == pytest.approx(throughput, rel=0.01)
        assert found[name].response_time == pytest.approx(response, rel=0.04)


def test_a_line_of_unlike_tasks() -> None:
    """There is one as often as of exponential times, and it has (1 + C²)/2 times as many: fewer where times are even."""
    plain = speeds_in_line(0.9, 1.0, 2000)
    np.testing.assert_allclose(plain, 1.0)
    chances = [np.cumprod(0.9 / speeds_in_line(0.9, mixed, 2000)) for mixed in (1.0, 4.0, 0.625)]
    np.testing.assert_allclose([chance.sum() for chance in chances], chances[0].sum())
    means = np.array([float(chance @ np.arange(1, 2001)) / float(chance.sum()) for chance in chances])
    np.testing.assert_allclose(means / means[0], [1.0, 4.0, 0.625], rtol=0.05)
    assert speeds_in_line(1.2, 4.0, 3)[1:] == pytest.approx(1.0)  # all places are asked for: however unlike they are


def test_users_wait_alike() -> None:
    """Those who come back at once are there already: of one more none is theirs, and as many as before come in the mean."""
    own = [100 * 0.1 / (1e-6 + 0.1), 1000 * 0.1 / (20 + 0.1)]
    there = sum(own)
    sources = [UserSource(100.0, own[0] / there, 1e-6), UserSource(1000.0, own[1] / there, 20.0)]
    found = waiting_alike(sources, there)
    for one, other in zip(sources, found, strict=True):
        assert other.users - there * other.share == pytest.approx(one.users - there * one.share)
    assert found[0].share < 1e-3
    assert found[0].share + found[1].share == pytest.approx(1.0)


def test_times_all_alike_are_one_line() -> None:
    """With room for all above, the places below are M/M/c with finite users, whoever comes."""
    size, places, hold, think = 200, 5, 0.5, 1.0
    below = Below(places, hold, hold, np.ones(places + 1), 1.0)
    none = weights(np.full(size, 1e-9))

    def users(most: float) -> object:
        return lambda number: np.maximum(most - number, 0.0) / think

    found = series(TwoLimits(size, below, none, 1.0, users(8), users(6), 8.0, 6.0), 100.0, 100.0)  # type: ignore[arg-type]
    total = np.arange(15.0)
    chance = np.cumprod(np.append(1.0, (14 - total[:-1]) / think * hold / np.minimum(total[1:], places)))
    chance /= chance.sum()
    assert found.passed + found.others_rate == pytest.approx(float(chance @ np.minimum(total, places)) / hold, rel=1e-3)
    assert found.waiting + found.others_waiting == pytest.approx(float(chance @ np.maximum(total - places, 0)), rel=1e-2)


@pytest.mark.parametrize(("stream", "endless"), [(0.5, False), (9.0, False), (11.0, True)])
def test_a_line_that_has_no_end_is_told_from_a_long_one(stream: float, endless: bool) -> None:
    """Ten places of one second each: of what comes at rates, whatever users come as well."""
    below = Below(20, 0.5, 0.5, np.ones(21), 1.0)

    def come(number: np.ndarray) -> np.ndarray:
        return stream + np.maximum(500 - number, 0.0) / 20

    def more(number: np.ndarray) -> np.ndarray:
        return np.full(len(number), 1.0)

    half = weights(0.5 * np.full(10, 10.0) / np.arange(1.0, 11))
    found = series(TwoLimits(10, below, half, 10.0, come, more, np.inf, np.inf), 60.0, 60.0)
    assert found.endless == endless


@pytest.mark.parametrize(
    ("users", "long", "rate", "response", "long_response"),
    [(900, 300, 826.7, 0.0887, 0.0912), (740, 290, 708.6, 0.0437, 0.0890)],  # simulated, ± 0.6, 6 and 1 %
)
def test_a_full_class_in_a_region_that_long_tasks_fill_now_and_then(
    users: int, long: int, rate: float, response: float, long_response: float
) -> None:
    """While long tasks have nearly all places little comes out of the class: its line was 1/20 by the mean of that wait."""
    region = zos.CicsRegion("R", lpar="L", mxt=11, tranclasses={"SHORT": 4, "LONG": 11})
    steps = [
        zos.Step("R", tranclass="SHORT", open_cpu=2e-5, delay=0.0025),
        zos.Step("R", tranclass="LONG", open_cpu=1e-3, delay=0.08),
    ]
    work = [
        zos.Work("short", users=users, think_time=1.0, steps=steps[:1]),
        zos.Work("long", users=long, think_time=3.0, steps=steps[1:]),
    ]
    found = zos.System([zos.Lpar("L", processors=4)], [region], work).solve()
    assert found["short"].etr == pytest.approx(rate, rel=0.015)
    assert found["short"].response_time == pytest.approx(response, rel=0.13)
    assert found["long"].response_time == pytest.approx(long_response, rel=0.02)


def test_one_of_several_limits_is_in_product_form_where_no_other_work_comes() -> None:
    """A full limit over two lines of two and three places: a closed network of eight tasks."""
    size, tilt, hold, places = 8, 1.0, np.array([0.5, 0.4]), np.array([2, 3])
    count = np.arange(1.0, size + 1)
    rates = np.array([np.minimum(count, m) / h for m, h in zip(places, hold, strict=True)])
    one, other = weights(0.6 * tilt / rates[0]), weights(0.4 * tilt / rates[1])
    whole = np.convolve(one, other)[: size + 1]
    below = Below(2, 0.5, 1.0, np.ones(3), 0.6)
    found = one_of_several(np.eye(size + 1)[size] / whole, below, other, tilt, np.zeros_like, 0.0, 1.0)
    chance = one * other[::-1] / whole[size]
    assert found.passed == pytest.approx(float(chance[1:] @ rates[0]), rel=1e-6)
    assert found.waiting == pytest.approx(float(chance @ np.maximum(np.arange(size + 1.0) - 2, 0.0)), rel=1e-6)
    assert found.speeds[1:] == pytest.approx(rates[0], rel=1e-6)


def test_two_full_aors_share_the_places_of_a_full_tor() -> None:
    """Where one line is long the other is short: against simulation (R ± 2, X ± 0.2 %); C was 11 % short by limits alone."""
    limits = {"TOR": 50, "R0": 24, "R1": 10}
    regions = [zos.CicsRegion(name, lpar="L", mxt=mxt) for name, mxt in limits.items()]
    tor, to_r0, to_r1 = (
        zos.Step(regions=name, qr_cpu=0.0001, delay=delay) for name, delay in zip(limits, (0, 0.06, 0.06), strict=True)
    )
    work = [
        zos.Work("A", users=1500, think_time=10.0, steps=[tor, to_r1]),
        zos.Work("B", users=1400, think_time=4.5, steps=[tor, to_r0]),
        zos.Work("C", users=400, think_time=1.0, regions="R0", qr_cpu=0.0001, delay=0.03),
        zos.Work("D", users=40, think_time=0.5, steps=[to_r1]),
    ]
    found = zos.System([zos.Lpar("L", processors=4)], regions, work).solve()
    for name, rate, response in (("A", 116.0, 2.95), ("B", 193.3, 2.739), ("C", 379.6, 0.0531), ("D", 50.44, 0.2921)):
        assert found[name].etr == pytest.approx(rate, rel=0.004)
        assert found[name].response_time == pytest.approx(response, rel=0.03)


@pytest.mark.parametrize(("tor", "aor"), [(12, 40), (12, 12), (20, 12), (12, 14)])
@pytest.mark.parametrize("users", [None, 200_000])
def test_a_line_at_one_qr_tcb_is_as_long_whatever_limit_part_of_it_waits_for(tor: int, aor: int, users: int | None) -> None:
    """M/M/1, 93.5 % busy: the wait for a full TOR was counted twice (+45 %), or the line cut short (-18 % with users)."""
    rate, service = 170.0, 0.0055
    regions = [zos.CicsRegion("TOR", lpar="L", mxt=tor), zos.CicsRegion("AOR", lpar="L", mxt=aor)]
    steps = [zos.Step(regions="TOR", qr_cpu=1e-6), zos.Step(regions="AOR", qr_cpu=service)]
    come = {"rate": rate} if users is None else {"users": users, "think_time": users / rate}
    found = zos.System([zos.Lpar("L", processors=4)], regions, [zos.Work("A", steps=steps, **come)]).solve()
    assert found["A"].response_time == pytest.approx(service / (1 - rate * service), rel=0.005)


def test_a_full_tor_lets_no_more_through_than_the_cps_do() -> None:
    """Three CPs, of which other work has a half, and 10 ms for a task with the one that it calls: 250 tasks a second."""
    regions = [zos.CicsRegion(name, lpar="L", mxt=40) for name in ("TOR", "AOR", "R")]
    steps = [zos.Step(regions="TOR", qr_cpu=0.001), zos.Step(regions="AOR", open_cpu=0.009)]
    work = [
        zos.Work("A", users=1000, think_time=10.0, steps=steps),
        zos.Work("B", rate=100.0, regions="R", open_cpu=0.005),
        zos.Work("C", users=10, think_time=1.0, regions="R", open_cpu=0.005),
    ]
    found = solved_point(zos.System([zos.Lpar("L", processors=3)], regions, work)).work
    tasks = np.flatnonzero(found.form.region == 0)
    assert fastest_on_cps(found, tasks, OwnStations(found).through(tasks)) == pytest.approx(250.0)


def test_users_of_classes_do_not_keep_themselves_out() -> None:
    """Four regions whose classes and limits users fill: the less they asked for, the less a long line passed (X -12 % once)."""
    reference = system_references.load(4)["TRANCLASS 4"]
    answer = reference.drawn.system.solve()
    for work, truth in reference.works.items():
        assert answer[work].response_time == pytest.approx(truth.response, rel=0.11), work
        assert answer[work].etr == pytest.approx(truth.throughput, rel=0.06), work


def test_a_class_far_slower_than_its_users_ask_below_a_large_tor() -> None:
    """One place for 28 times as many as it passes, 514 before it: simulated, SHORT ± 0.1, LONG ± 2.8 % (SHORT +2200 % once)."""
    limits = {"R0": (36, 5), "R1": (176, 2), "R2": (150, 6), "R3": (37, 1), "R5": (26, 5), "R6": (38, 5)}
    regions = [zos.CicsRegion("TOR", lpar="L", mxt=514)]
    regions += [zos.CicsRegion(name, lpar="L", mxt=mxt, tranclasses={"T": most}) for name, (mxt, most) in limits.items()]
    short = zos.Step(regions=["R1", "R2"], qr_cpu=0.00079967, open_cpu=7.5874e-5, devices={"DB2": 0.333})
    long = zos.Step(regions=list(limits), qr_cpu=0.0012007, open_cpu=0.00035894, devices={"DB2": 0.24396}, tranclass="T")
    work = [
        zos.Work("SHORT", users=367, think_time=0.02, steps=[zos.Step(regions="TOR", qr_cpu=6e-5), short]),
        zos.Work("LONG", users=231, think_time=0.02, steps=[zos.Step(regions="TOR", qr_cpu=5.4e-5), long]),
    ]
    found = zos.System([zos.Lpar("L", processors=6)], regions, work, devices=[zos.Device("DB2")]).solve()
    assert found["SHORT"].etr == pytest.approx(848.2, rel=0.003)
    assert found["SHORT"].response_time == pytest.approx(0.4127, rel=0.005)
    assert found["LONG"].response_time == pytest.approx(9.609, rel=0.03)

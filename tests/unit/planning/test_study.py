"""The study: dates, causes, what it says, its forms."""

from __future__ import annotations

import json
import math

import numpy as np
import pytest
import qnsolve as qn
from qnsolve import zos
from qnsolve.errors import ModelError
from qnsolve.planning.last_month import first_failing
from qnsolve.planning.load_points import LoadPoints
from qnsolve.planning.loads.load_path import load_path
from qnsolve.planning.pages.study_html import study_html
from qnsolve.planning.pages.study_xlsx import study_xlsx
from qnsolve.planning.simulated_periods import simulated

from tests.support.planned_sites import one_region, two_works

ASKED = {"growth": "8%/quarter", "begin": "2026-12", "until": "2028-12"}


def test_the_date_is_that_of_the_formula() -> None:
    """One QR TCB alone is M/M/1: the last month is the last whose S/(1 - rho) meets the target."""
    found = qn.study(one_region(engines=8.0), targets={"orders": 0.003}, **ASKED)
    held = [m for m in range(12) if 0.001 / (1 - 0.5 * 1.08 ** (m / 3)) <= 0.003]
    assert found.verdict.holds_until == str(np.datetime64("2026-12") + held[-1])
    assert (found.verdict.kind, found.verdict.work, found.verdict.center) == ("target", "orders", "AOR1 QR TCB")


def test_without_a_target_it_ends_where_a_center_is_full() -> None:
    """The last month before the QR TCB is asked for all of its time."""
    found = qn.study(one_region(engines=8.0), **ASKED)
    held = [m for m in range(60) if 0.5 * 1.08 ** (m / 3) < 1]
    assert found.verdict.holds_until == str(np.datetime64("2026-12") + held[-1])
    assert (found.verdict.kind, found.verdict.center) == ("saturated", "AOR1 QR TCB")
    assert f"{found.verdict.holds_until}, beyond 2028-12 that was asked for; then AOR1 QR TCB is full" in found.sentences()[0]


@pytest.mark.parametrize("growth", ["8%/quarter", {"": "3%/quarter", "web": "40%/year"}])
def test_the_search_is_that_of_all_months(growth: object) -> None:
    """The first month that fails is that which solving every month one by one finds, by few solutions."""
    system = two_works()
    path = load_path(system, np.datetime64("2026-12"), growth)
    loads = [load for m in range(72) for load in path.loads(np.datetime64("2026-12") + m)]
    each = LoadPoints(system, {})
    for targets in ({}, {"orders": 0.004}, {"web": 0.06, "orders": 0.006}):
        most = np.array([targets.get(name, np.inf) for name in each.names])
        searched = LoadPoints(system, targets)
        place = first_failing(searched, loads)
        assert searched.solutions <= 9
        holds = (bool((each.at(load.factors).response <= most).all()) for load in loads)  # nan, where it is full, is not below
        assert place == next((i for i, held in enumerate(holds) if not held), len(loads))


def test_seasons_and_special_days_decide() -> None:
    """A month or a day that is too much ends it, though later months hold again."""
    found = qn.study(one_region(), seasons={12: 1.6}, growth="1%/year", begin="2026-06", until="2027-12")
    plain = qn.study(one_region(), growth="1%/year", begin="2026-06", until="2027-12")
    assert plain.verdict.beyond
    assert not found.verdict.first_missed  # 1.6 times half of the TCB holds
    found = qn.study(one_region(), seasons={12: 2.2}, growth="1%/year", begin="2026-06", until="2027-12")
    assert (found.verdict.holds_until, found.verdict.first_missed) == ("2026-11", "2026-12")
    assert [each.holds for each in found.periods if each.name.startswith("2027")][:3] == [True, True, True]
    days = [{"date": "2027-03-31", "factor": 2.1, "name": "year end"}]
    found = qn.study(one_region(), special_days=days, growth="1%/year", begin="2026-06", until="2027-12")
    assert found.verdict.first_missed == "2027-03-31 (year end)"
    assert "then on 2027-03-31 (year end)" in found.sentences()[0]


def test_the_tables_go_on_to_where_it_ends() -> None:
    """Without an end that was asked for: to the period that does not hold, within five years; two years otherwise."""
    for growth, last in (("8%/quarter", "2029-Q2"), ("30%/year", "2029-Q3"), ("60%/year", "2028-Q4"), ("5%/year", "2028-Q4")):
        found = qn.study(one_region(engines=8.0), growth=growth, begin="2026-12")
        assert found.periods[-1].name == last
        assert found.verdict.beyond == (growth == "5%/year")


def test_tasks_inside_a_limit_wait_for_the_cps() -> None:
    """Where these are full, the limit is not to blame alone."""
    region = zos.CicsRegion("AOR1", lpar="PROD", mxt=20)
    work = zos.Work("orders", rate=1200, regions="AOR1", open_cpu=0.001)
    site = zos.System(lpars=[zos.Lpar("PROD", processors=2)], regions=[region], work=[work])
    found = qn.study(site, growth="8%/quarter", begin="2026-12", targets={"orders": 0.012})
    assert (found.verdict.center, found.verdict.waits_for) == ("AOR1 MXT", "PROD CPs")
    assert "which waits for PROD CPs (95.2 % busy)" in found.sentences()[0]


def test_verdicts_in_words() -> None:
    """Today, to the end, beyond it, and without any growth."""
    asked = {"begin": "2026-12", "until": "2027-12"}
    now = qn.study(one_region(), growth="8%/quarter", targets={"orders": 0.0015}, **asked)
    assert now.verdict.holds_until == ""
    assert now.sentences()[0].startswith("Does not hold today, 2026-12: orders takes longer than 1.5 ms")
    later = qn.study(one_region(), growth="30%/year", **asked)
    assert later.verdict.beyond
    assert later.sentences()[0].startswith("Holds until 2029-07, beyond 2027-12 that was asked for; then AOR1 QR TCB is full")
    never = qn.study(one_region(), **asked)
    assert never.verdict.kind == "none"
    assert "no work grows" in never.sentences()[0]
    assert len(now.sentences()) <= 10
    still = qn.study(one_region(), growth="0%/year", **asked)
    assert "no work grows" in still.sentences()[0]
    less = qn.study(one_region(), growth="-5%/year", **asked)
    assert "no work grows" not in less.sentences()[0]
    assert "all work grows by -5%/year" in less.assumptions


def test_what_may_not_be_meant() -> None:
    """Times in milliseconds, a target in other units, a day that the study does not have: each is asked about."""
    slow = qn.study(one_region(rate=5e4), **ASKED)
    assert "asked for 50 times what it gives (are all times in seconds?)." in slow.sentences()[0]
    days = [{"date": "2031-01-31", "factor": 1.5}, {"date": "12-24", "factor": 1.1}]
    found = qn.study(one_region(), targets={"orders": 2.0}, special_days=days, **ASKED)
    (target,) = [each for each in found.notes if each.startswith("orders")]
    assert "2 s, is 1000 times" in target
    assert "special day 2031-01-31 is not within 2026-12 to 2028-12" in found.notes
    assert not [each for each in found.notes if "12-24" in each]
    meant = qn.study(one_region(), targets={"orders": 0.02}, special_days=days[1:], **ASKED)
    assert not [each for each in meant.notes if "target" in each or "special" in each]


def test_gains_that_are_not_named_give_no_more() -> None:
    """The fourth of four equal gains."""
    found = qn.study(one_region(), what_ifs=[f"{name}: AOR1.split=2" for name in "abcd"], **ASKED)
    assert "1 more gives no more than that" in found.sentences()[1]


def test_a_site_that_is_full_today() -> None:
    """It has every file and figure: uses grow with the load, and the workbook leaves out what it cannot draw."""
    found = qn.study(one_region(rate=1200), growth="8%/quarter", begin="2026-12", until="2028-12")
    assert found.verdict.holds_until == ""
    (qr,) = [each for each in found.centers if each.name == "AOR1 QR TCB"]
    assert qr.used == pytest.approx([120 * period.factors["orders"] for period in found.periods])
    assert study_html(found)
    assert study_xlsx(found)


def test_a_special_day_of_the_first_month_is_not_today() -> None:
    """The month holds; the day does not, and is named."""
    days = [{"date": "2026-12-24", "factor": 2.1}]
    found = qn.study(one_region(), special_days=days, growth="1%/year", begin="2026-12", until="2027-12")
    assert (found.verdict.holds_until, found.verdict.first_missed) == ("2026-12", "2026-12-24")
    assert "then on 2026-12-24" in found.sentences()[0]
    assert [each.holds for each in found.periods][:2] == [True, True]


def test_work_without_cpu() -> None:
    """Delays alone use no CPU: the change of CPU is not defined."""
    region = qn.zos.CicsRegion("AOR1", lpar="PROD", mxt=10)
    work = qn.zos.Work("wait", rate=50, regions="AOR1", delay=0.1)
    system = qn.zos.System(lpars=[qn.zos.Lpar("PROD", processors=qn.zos.Processors(2))], regions=[region], work=[work])
    found = qn.study(system, growth="8%/quarter", begin="2026-12", until="2028-12", what_ifs=["AOR1.mxt+10"])
    assert math.isnan(found.what_ifs[0].cpu_change)
    assert found.what_ifs[0].months > 0
    assert str(found)


def test_answers_are_those_of_solve() -> None:
    """Response times and uses of a period are those of the system at its load."""
    system = two_works()
    found = qn.study(system, targets={"orders": 0.004}, remedies=False, **ASKED)
    for period in found.periods:
        if not period.solved:
            continue
        alone = system
        for name, factor in period.factors.items():
            alone = qn.zos.scale(alone, factor, [name])
        result = alone.solve()
        for work in period.work:
            assert work.response_time == pytest.approx(result[work.name].response_time, rel=1e-9)
        assert period.cpu_percent["PROD"] == pytest.approx(result["PROD"].cpu_percent, rel=1e-9)
    assert found.last is not None
    assert found.next is not None
    assert found.last.solve()["orders"].response_time <= 0.004 < found.next.solve()["orders"].response_time


def test_json_has_no_undefined_number() -> None:
    """Numbers that are not defined are null; every part is there."""
    found = qn.study(two_works(), what_ifs=["LOG.stripes+1"], **{**ASKED, "growth": "12%/quarter"})
    data = json.loads(json.dumps(found.as_dict(), allow_nan=False))
    assert {
        "asked",
        "verdict",
        "periods",
        "centers",
        "what_ifs",
        "times",
        "assumptions",
        "drawing",
        "sentences",
        "rows",
    } <= set(data)
    assert data["periods"][-1]["work"][0]["response_time"] is None
    assert all(len(center["used"]) == len(data["periods"]) for center in data["centers"])
    assert [region["label"] for region in data["drawing"]["lpars"][0]["groups"]] == ["AOR1, AOR2", "WOR"]
    assert "nan" not in found.to_csv()
    assert all(math.isfinite(each.used_percent) for each in found.periods)


def test_equal_regions_are_one() -> None:
    """Centers and times of equal regions have one row."""
    found = qn.study(two_works(), **ASKED)
    assert "AOR1, AOR2 QR TCB" in [each.name for each in found.centers]
    whole = [each.today for each in found.times if each.work == "orders"]
    assert sum(whole) == pytest.approx(found.periods[0].work[0].response_time, rel=1e-9)


@pytest.mark.parametrize(
    ("more", "said"),
    [
        ({"until": "2026-12"}, "until"),
        ({"until": "2120-01"}, "until"),
        ({"by": "week"}, "by"),
        ({"by": "month", "until": "2060-01"}, "periods"),
        ({"targets": {"ordres": 1}}, "orders"),
        ({"targets": {"orders": 0}}, "orders"),
        ({"targets": [1]}, "mapping"),
        ({"growth": "fast"}, "growth"),
        ({"begin": "yesterday"}, "from"),
        ({"what_ifs": ["AOR1.mxt"]}, "what-if"),
    ],
)
def test_questions_that_are_wrong(more: dict[str, object], said: str) -> None:
    """One line that names what is wrong."""
    with pytest.raises(ModelError, match=said) as caught:
        qn.study(one_region(), **{**ASKED, **more})
    assert "\n" not in str(caught.value)


def test_users_and_networks() -> None:
    """Work of users only waits longer: it never saturates; a network is refused."""
    region = qn.zos.CicsRegion("AOR1", lpar="PROD", mxt=100)
    work = qn.zos.Work("clerks", users=300, think_time=1.0, regions="AOR1", qr_cpu=0.002)
    system = qn.zos.System(lpars=[qn.zos.Lpar("PROD", processors=qn.zos.Processors(2))], regions=[region], work=[work])
    found = qn.study(system, targets={"clerks": 0.05}, remedies=False, **ASKED)
    assert (found.verdict.kind, found.verdict.work) == ("target", "clerks")
    shop = qn.Network(stations=[qn.Queue("cpu")], classes=[qn.OpenClass("query", arrival_rate=1.0, demands={"cpu": 0.1})])
    with pytest.raises(ModelError, match="System"):
        qn.study(shop)  # type: ignore[arg-type]


@pytest.mark.slow
def test_simulation_decides_the_month() -> None:
    """Simulated months around the model's date: the last meets the target, the next does not; points agree with the curve."""
    asked = {**ASKED, "growth": "10%/quarter"}
    found = qn.study(two_works(), targets={"orders": 0.0045}, remedies=False, **asked)
    checked = simulated(found)
    assert checked.verdict.simulated
    assert checked.verdict.modelled_until == found.verdict.holds_until
    assert "simulated" in checked.sentences()[0]
    gap = np.datetime64(checked.verdict.holds_until, "M") - np.datetime64(found.verdict.holds_until, "M")
    assert abs(int(gap.astype(int))) <= 2
    pairs = [(work.response_time, work.simulated) for period in checked.periods for work in period.work if work.simulated]
    assert len(pairs) >= 4
    assert all(point is not None and abs(time / point.response_time - 1) < 0.12 for time, point in pairs)
    assert checked.last is not None
    assert qn.zos.verify(checked.last, precision=0.01).figures

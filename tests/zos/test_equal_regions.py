"""Equal regions are one row of the printed tables; sums and sentences on changes."""

from __future__ import annotations

import re

import pytest
import qnsolve as qn
from qnsolve.results.look import Look
from qnsolve.zos.report.equal_regions import equal_regions
from qnsolve.zos.report.system_result import SystemResult
from qnsolve.zos.report.system_tables import split_by_group

from tests import ROOT


@pytest.fixture(scope="module")
def region() -> qn.zos.System:
    """The example: a TOR and two equal AORs."""
    found = qn.load(ROOT / "examples" / "cics-region.toml")
    assert isinstance(found, qn.zos.System)
    return found


@pytest.fixture(scope="module")
def solved(region: qn.zos.System) -> SystemResult:
    """The example, solved."""
    return region.solve()


def _rows(result: SystemResult, title: str, look: Look) -> list[list[str]]:
    return next(table for table in result.tables_in(look) if table.title.startswith(title)).body


def test_equal_regions_are_one_row_with_a_total(solved: SystemResult) -> None:
    """The row has the figures of each; the total has rates, CPU and tasks of both, and nothing that does not add up."""
    tor, each, total = _rows(solved, "Regions", Look())
    assert (tor[0], each[0], total[0]) == ("TOR", "AOR1, AOR2", "total")
    alone = [row for row in _rows(solved, "Regions", Look(each=True)) if row[0] == "AOR1"]
    assert each[1:] == alone[0][1:]
    for place in (2, 3, 6):
        assert float(total[place]) == pytest.approx(2 * float(each[place]), rel=1e-3)
    assert total[4] == total[5] == total[7] == ""


def test_each_region_has_a_row_where_it_is_asked_for(solved: SystemResult) -> None:
    """No row stands for several, and there is no total."""
    assert [row[0] for row in _rows(solved, "Regions", Look(each=True))] == ["TOR", "AOR1", "AOR2"]
    assert all("AOR1, AOR2" not in row[1] for row in _rows(solved, "Response", Look(each=True)))


@pytest.mark.parametrize(
    "change",
    [
        {"mxt": 149},
        {"tranclasses": {"REPORTS": 21}},
        {"fixed_cpu": 0.5},
    ],
)
def test_unlike_regions_are_not_put_together(region: qn.zos.System, change: dict[str, object]) -> None:
    """One other figure of the declaration is enough."""
    assert equal_regions(region.replace("AOR2", **change).bounds()) == {}


def test_regions_with_unlike_shares_are_not_put_together(region: qn.zos.System) -> None:
    """A step that sends more to one of them makes them unlike."""
    steps = [qn.zos.Step(regions=["AOR1", "AOR2"], shares=[2, 1], qr_cpu=0.0002)]
    assert equal_regions(region.bounds()) == dict.fromkeys(("AOR1", "AOR2"), "AOR1, AOR2")
    assert equal_regions(region.replace("orders", steps=steps).bounds()) == {}


def test_response_by_center_adds_up(solved: SystemResult) -> None:
    """Put together or not, the parts are the response time."""
    labels = equal_regions(solved)
    for work in solved.work:
        split = split_by_group(work, labels)
        assert sum(split.values()) == pytest.approx(work.response_time, rel=1e-6)
        assert split["AOR1, AOR2 QR"] == pytest.approx(work.split["AOR1 QR"] + work.split["AOR2 QR"])


def test_files_and_python_keep_full_precision(solved: SystemResult) -> None:
    """The unit and the digits of the text are of the text alone."""
    assert solved.as_dict()["work"][0]["response_time"] == solved["orders"].response_time
    assert {row["name"] for row in solved.rows() if row["part"] == "regions"} == {"TOR", "AOR1", "AOR2"}
    assert re.search(r"orders +1497 +7\.487 ", str(solved))
    assert re.search(r"orders: ETR 1497/s, response time 7\.487 ms ± \d", str(solved))


def test_compare_says_headroom_and_response_first(region: qn.zos.System) -> None:
    """Sentences stand before the table; its largest change is first; equal regions have one row."""
    after = region.replace("DFHLOG", stripes=2)
    found = qn.compare(region, after)
    text = str(found).splitlines()
    assert text[2].startswith("headroom: 2.5")
    assert text[3].startswith("orders: response time 7.487 ms to ")
    (table,) = found.tables()
    sizes = [abs(float(row[-1])) for row in table.body]
    assert sizes == sorted(sizes, reverse=True)
    assert all(row[3] != row[4] for row in table.body)


def test_compare_of_equal_regions(region: qn.zos.System) -> None:
    """A change of both is one row, and a row each where that is asked for."""
    after = region.replace("orders", users=4500)
    found = qn.compare(region, after)
    names = [row[0] for row in found.tables()[0].body]
    assert "AOR1, AOR2" in names
    assert "AOR1" not in names
    each = [row[0] for row in found.tables_in(Look(each=True))[0].body]
    assert each.count("AOR1") == each.count("AOR2") == names.count("AOR1, AOR2") > 2
    assert "; first to fill up: " in found.sentences()[0]
    assert any(said.startswith("orders: ") and "ETR 1497/s to 1123/s (-25 %)" in said for said in found.sentences())
    assert found.sentences()[-1] == f"PROD: CPU busy 49.7 % to {after.solve()['PROD'].cpu_percent:.1f} %"


def test_more_work_is_answered_up_to_what_the_class_lets_through(region: qn.zos.System) -> None:
    """230 reports a second end however many come (simulated), 2.56 times today's; 2.15 times was once an IndexError."""
    found = qn.zos.growth(region, [2.15, 2.5])
    assert found.reasons == ("", "")
    with pytest.raises(qn.SaturatedError, match="REPORTS") as caught:
        qn.zos.scale(region, 3).solve()
    assert 3 * caught.value.highest_rate * 90 == pytest.approx(230, rel=0.03)

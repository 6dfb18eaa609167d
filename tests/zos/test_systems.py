"""The mainframe layer: systems in IBM's terms, their identities, their files, and the changes that planners ask for."""

from __future__ import annotations

import json
from math import isnan
from pathlib import Path
from typing import Any

import pytest
import qnsolve as qn
from qnsolve import zos
from qnsolve.cli import main as cli
from qnsolve.files import load_save
from qnsolve.zos.parts import system as system_parts

CFDT = {"users": 1000, "think_time": 0.3229, "regions": "AOR1", "qr_cpu": 0.0004524}


def system(**changes: Any) -> zos.System:
    """A system that has every kind of part."""
    parts: dict[str, Any] = {
        "name": "site",
        "lpars": [
            zos.Lpar("PROD", processors=4, ziips=zos.Ziips(2, threads=2, max_capacity_factor=1.25), fixed_cpu=0.1),
            zos.Lpar("IMSA", processors=2),
        ],
        "coupling_facilities": [
            zos.CouplingFacility(
                "CF1",
                processors=2,
                service_time=4e-6,
                link=zos.Link("ICP", latency=2e-6),
                structures=[zos.Structure("LIST", service_time=3e-5, threshold=2e-5)],
                async_cpu=5e-6,
                async_delay=4e-5,
            )
        ],
        "loggers": [zos.Logger("LOG", stripes=4, seconds_per_mib=(0.002278, 0.004215))],
        "devices": [zos.Device("Db2"), zos.Device("MSC", servers=4)],
        "regions": [
            zos.CicsRegion("TOR", lpar="PROD", mxt=200),
            zos.CicsRegion("AOR1", lpar="PROD", mxt=60, tranclasses={"JSON": 12}, thread_limit=16, fixed_cpu=0.02),
            zos.ImsRegions("MPP", lpar="IMSA", regions=8),
        ],
        "work": [
            zos.Work(
                "inquiry",
                rate=500,
                steps=[
                    zos.Step("TOR", qr_cpu=0.0002),
                    zos.Step(
                        "AOR1",
                        qr_cpu=0.0005,
                        open_cpu=0.001,
                        ziip_share=0.5,
                        devices={"Db2": 0.05},
                        cf_requests={"CF1": 20, "LIST": 1},
                        log_bytes={"LOG": 2000},
                    ),
                ],
            ),
            zos.Work("json", users=30, think_time=0.5, regions="AOR1", jvm_cpu=0.004, delay=0.12, tranclass="JSON"),
            zos.Work("ims", users=40, think_time=0.2, regions="MPP", cpu=0.004, system_cpu=0.0005, devices={"MSC": 0.01}),
        ],
    }
    return zos.System(**{**parts, **changes})


def test_the_qr_tcb_saturates_where_it_was_measured() -> None:
    """Tables 9-13 and 9-14 of cics-perf, row 3: 2204.22/s and 131.748 ms, within 0.5 and 2 percent."""
    result = zos.System(
        lpars=[zos.Lpar("L", processors=8)],
        regions=[zos.CicsRegion("AOR1", lpar="L", mxt=1000)],
        work=[zos.Work("CFDT", **CFDT)],
    )
    found = result.solve()["CFDT"]
    assert found.etr == pytest.approx(2204.22, rel=0.005)
    assert found.response_time == pytest.approx(0.131748, rel=0.02)


def test_a_limit_moves_the_wait_and_not_the_rate() -> None:
    """A region whose QR TCB is full takes what it takes; MXT decides where its users wait."""
    low, high = (
        zos.System(
            lpars=[zos.Lpar("L", processors=8)],
            regions=[zos.CicsRegion("AOR1", lpar="L", mxt=mxt)],
            work=[zos.Work("CFDT", **CFDT)],
        ).solve()
        for mxt in (150, 1000)
    )
    assert low["CFDT"].etr == pytest.approx(high["CFDT"].etr, rel=1e-9)
    assert low["CFDT"].response_time == pytest.approx(high["CFDT"].response_time, rel=1e-9)
    assert low["AOR1"].tasks == pytest.approx(150, rel=1e-4)
    assert low["AOR1"].at_limit_percent > 99.99
    assert low["CFDT"].admission_wait > 0.05 > high["CFDT"].admission_wait


def test_identities_of_a_whole_system() -> None:
    """Users, CPU, coupling facility, log: what is asked for is what is done."""
    result = system().solve()
    for work, given in zip(result.work, result.system.work, strict=True):
        assert sum(work.split.values()) == pytest.approx(work.response_time, rel=1e-9)
        if given.users:
            assert work.etr * (given.think_time + work.response_time) == pytest.approx(given.users, rel=1e-7)
    facility = result["CF1"]
    assert facility.requests == pytest.approx(500 * 21)
    assert facility.busy_percent == pytest.approx(100 * 500 * (20 * 4e-6 + 3e-5) / 2)
    assert result["LOG"].mib_per_second == pytest.approx(500 * 2000 / 2**20)
    prod = result["PROD"]
    captured = sum(region.appl_percent for region in result.regions if region.lpar == "PROD")
    assert prod.appl_percent == pytest.approx(captured + 10)
    assert prod.appl_percent == pytest.approx(4 * prod.cpu_percent)
    assert prod.itr == pytest.approx(prod.etr / (prod.cpu_percent / 100))
    assert prod.ziip_percent / 100 * 2 * prod.capacity_factor == pytest.approx(prod.appl_iip / 100)
    assert prod.capacity_factor == pytest.approx(1 + (prod.thread_density - 1) * 0.25)
    assert isnan(result["IMSA"].ziip_percent)


def test_long_requests_become_asynchronous() -> None:
    """A structure whose synchronous time is above its threshold is asked asynchronously; the others are not."""
    result = system().solve()
    assert result["LIST"].kind == "async"
    assert result["LIST"].service_time_us == pytest.approx(32 + 40, rel=0.01)
    assert next(s for s in result.structures if s.name == "CF1").kind == "sync"
    assert any("LIST" in note for note in result.notes)


def test_a_system_and_its_file_are_one() -> None:
    """What is written is read back, and gives the same answer."""
    whole = system()
    again = qn.loads(qn.dumps(whole))
    assert again == whole
    assert str(again.solve()) == str(whole.solve())


def test_flags_are_written_to_files() -> None:
    """What is true or false goes into TOML as TOML writes it, and comes back."""
    lpar = zos.Lpar("L", processors=2, ziips=zos.Ziips(1, overflow=False))
    steps = [zos.Step("A", open_cpu=0.001), zos.Step("A", open_cpu=0.001, ziip_share=0.5, called=False)]
    given = zos.System(lpars=[lpar], regions=[zos.CicsRegion("A", lpar="L")], work=[zos.Work("w", rate=10, steps=steps)])
    again = qn.loads(qn.dumps(given))
    assert again == given
    assert again.lpars[0].ziips.overflow is False
    assert [step.called for step in again.work[0].steps] == [True, False]


def test_numbers_without_names() -> None:
    """A number of requests or bytes goes to the only coupling facility or log; what was not given is reported."""
    parts: dict[str, Any] = {
        "lpars": [zos.Lpar("PROD", processors=zos.Processors(8), ziips=zos.Ziips(3, threads=2, max_capacity_factor=1.25))],
        "coupling_facilities": [zos.CouplingFacility("CF1", processors=2, link=zos.Link("ICP"))],
        "loggers": [zos.Logger("OLDS", stripes=4, seconds_per_mib=(0.002278, 0.004215))],
        "regions": [zos.CicsRegion("AOR1", lpar="PROD", mxt=150, tranclasses={"JSON": 100}, thread_limit=64)],
    }
    given = {"users": 1000, "think_time": 0.3229, "regions": ["AOR1"], "qr_cpu": 0.00045, "open_cpu": 0.0}
    result = zos.System(**parts, work=[zos.Work("CFDT", **given, cf_requests=65, log_bytes=100)]).solve()
    assert result["CF1"].requests == pytest.approx(65 * result["CFDT"].etr)
    assert result["OLDS"].mib_per_second == pytest.approx(100 * result["CFDT"].etr / 2**20)
    assert any("3.6" in note for note in result.notes)
    assert zos.System(**parts, work=[zos.Work("CFDT", **given, log_bytes=0)]).solve()["OLDS"].busy_percent == 0
    two = {**parts, "loggers": []}
    with pytest.raises(qn.ModelError, match="single one"):
        zos.System(**two, work=[zos.Work("CFDT", **given, log_bytes=5)])


def test_the_command_line_takes_systems(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """`solve` prints planners' tables, `--json` the same figures; what goes with networks only is refused."""
    file = tmp_path / "site.toml"
    file.write_text(qn.dumps(system()), encoding="utf-8")
    assert cli.main(["solve", str(file)]) == 0
    text = capsys.readouterr().out
    assert all(word in text for word in ("ETR", "% disp.", "first to fill up", "TRANCLASS"))
    assert cli.main(["solve", "--json", str(file)]) == 0
    data = json.loads(capsys.readouterr().out)
    assert data["work"][0]["etr"] == pytest.approx(500)
    assert cli.main(["solve", "--method", "markov", str(file)]) == 2
    assert "systems" in capsys.readouterr().err
    assert cli.main(["bounds", str(file)]) == 2
    assert "take systems" in capsys.readouterr().err
    assert cli.main(["grow", str(file), "--by", "1,1.1"]) == 0
    assert "fullest" in capsys.readouterr().out
    assert cli.main(["compare", str(file), str(file)]) == 0
    assert "inquiry: response time" in capsys.readouterr().out


def test_the_parts_of_a_system_are_known_to_model_files() -> None:
    """A model file that describes a system is known by its parts, all of them."""
    assert set(load_save.SYSTEM_PARTS) == set(system_parts.PARTS)


def test_importance_is_preemptive_priority() -> None:
    """Work of two importances on one CP: M/M/1 with preemption; on three CPs and equal times, what M/M/3 leaves."""
    for engines in (1, 3):
        regions = [zos.ImsRegions(name, lpar="L", regions=10_000, importance=i) for i, name in enumerate(("HIGH", "LOW"), 1)]
        work = [
            zos.Work("first", rate=0.3 * engines, regions="HIGH", cpu=1.0),
            zos.Work("second", rate=0.5 * engines, regions="LOW", cpu=1.0),
        ]
        result = zos.System(lpars=[zos.Lpar("L", processors=engines)], regions=regions, work=work).solve()
        high, both = (
            qn.stations.mmc(arrival_rate=rate * engines, service_time=1.0, servers=engines).queue_length for rate in (0.3, 0.8)
        )
        assert result["first"].response_time == pytest.approx(high / (0.3 * engines), rel=1e-7)
        assert result["second"].response_time == pytest.approx((both - high) / (0.5 * engines), rel=1e-7)


def test_changes_do_what_they_say() -> None:
    """A faster machine, threads, a threadsafe program, a split region, moved and more work: each moves its figure."""
    base = system()
    before = base.solve()
    faster = zos.move(base, "PROD", itr_ratio=1.25).solve()
    assert faster["TOR"].qr_cpu_percent == pytest.approx(before["TOR"].qr_cpu_percent / 1.25)
    more = zos.move(base, "PROD", engines=5, itr_ratio=1.2)
    assert more.lpars[0].processors.speed == pytest.approx(1.2 / 1.25)
    single = zos.switch_smt(base, "PROD", threads=1, max_capacity_factor=1).solve()
    assert single["PROD"].appl_iipcp > before["PROD"].appl_iipcp
    safe = zos.make_threadsafe(base, "inquiry", qr_cpu=0.0001).solve()
    assert safe["AOR1"].qr_percent < before["AOR1"].qr_percent / 3
    split = zos.split_region(base, "AOR1", ["AOR1", "AOR2"]).solve()
    assert split["AOR2"].etr == pytest.approx(split["AOR1"].etr)
    more_regions = zos.split_region(base, "AOR1", ["AOR1", "AOR2"])
    moved = zos.move_work(more_regions, "inquiry", regions="AOR2", from_regions="AOR1")
    assert [step.regions for step in moved.work[0].steps] == [("TOR",), ("AOR2",)]
    assert zos.scale(base, 1.1).work[0].rate == pytest.approx(550)
    compared = zos.compare(base, zos.scale(base, 1.1))
    row = next(r for r in compared.rows() if r["name"] == "inquiry" and r["figure"] == "etr")
    assert row["change_percent"] == pytest.approx(10)
    assert "inquiry" in str(compared)


def test_growth_ends_where_a_center_is_full() -> None:
    """Work grows until a center saturates: the row stays, with the center; the inverse question finds the same factor."""
    given = zos.System(
        lpars=[zos.Lpar("L", processors=2)],
        regions=[zos.CicsRegion("AOR1", lpar="L")],
        work=[zos.Work("w", rate=500, regions="AOR1", qr_cpu=0.001)],
    )
    grown = zos.growth(given, [1, 1.5, 2.1])
    assert [row["work"] for row in grown.rows()] == ["w", "w", "all"]
    assert grown.rows()[-1]["fullest"] == "saturated: AOR1 QR TCB"
    assert grown.rows()[1]["used_percent"] == pytest.approx(75)
    assert zos.headroom(given).factor == pytest.approx(2, rel=3e-3)
    assert zos.headroom(given, response_times={"w": 0.01}).factor == pytest.approx(1.8, rel=3e-3)  # M/M/1: 1/(1/S - X)
    with pytest.raises(qn.ModelError, match="cannot be met"):
        zos.headroom(given, response_times={"w": 0.0005})


@pytest.mark.parametrize(
    ("changes", "center"),
    [
        ({"qr_cpu": 0.0011}, "AOR1 QR TCB"),
        ({"open_cpu": 0.0021}, "L CPs"),
        ({"delay": 0.2}, "AOR1 MXT"),
        ({"log_bytes": {"LOG": 1e6}}, "LOG"),
        ({"cf_requests": {"CF": 300}, "cf_on": "open"}, "CF"),
    ],
)
def test_saturation_names_the_center(changes: dict[str, Any], center: str) -> None:
    """Work that comes faster than a center can do is refused, by the center's name."""
    given = zos.System(
        lpars=[zos.Lpar("L", processors=2 if center != "CF" else 90)],
        regions=[zos.CicsRegion("AOR1", lpar="L", mxt=100)],
        loggers=[zos.Logger("LOG", seconds_per_mib=(0.002, 0.003))],
        coupling_facilities=[zos.CouplingFacility("CF", processors=1, service_time=4e-6)],
        work=[zos.Work("w", rate=1000, regions="AOR1", **changes)],
    )
    with pytest.raises(qn.SaturatedError) as caught:
        given.solve()
    assert caught.value.station == center
    assert caught.value.utilization > 1


@pytest.mark.parametrize("factor", [2.08])
def test_users_of_an_inner_limit_take_their_places(factor: float) -> None:
    """Of 1050 inquiries a second 1025 end, of 1100 it is 1028: the JSON users take six of the places of AOR1 (simulated).

    Once, refused up to 2.09 times the load, there were answers beyond: with users who waited as long as it took to fit.
    """
    with pytest.raises(qn.SaturatedError) as caught:
        zos.scale(system(), factor).solve()
    assert caught.value.station in ("AOR1 MXT", "TOR MXT")
    assert factor * caught.value.highest_rate == pytest.approx(1027 / 500, rel=0.01)
    assert zos.scale(system(), 2.05).solve()["inquiry"].etr == pytest.approx(1025)

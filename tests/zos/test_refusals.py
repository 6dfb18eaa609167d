"""Parts of systems and changes that are refused: the error names the item, and says what to write."""

from __future__ import annotations

import json
from collections.abc import Callable
from copy import deepcopy
from dataclasses import replace
from typing import Any

import pytest
import qnsolve as qn
from qnsolve import zos
from qnsolve.zos.equilibrium.settled_point import ROUNDS
from qnsolve.zos.hosts.chains.birth_death import FullPoolError
from qnsolve.zos.point.capacity import Capacity
from qnsolve.zos.point.solved import solved_point
from qnsolve.zos.report.reporting import answer
from qnsolve.zos.solve_system import saturated

from benchmarks import everything
from benchmarks.families.random_systems import random_system

L, AOR1 = zos.Lpar("L", processors=2), zos.CicsRegion("AOR1", lpar="L", tranclasses={"JSON": 5})
IMS = zos.ImsRegions("MPP", lpar="L", regions=4)
WORK = zos.Work("w", rate=100, regions="AOR1", qr_cpu=0.001)
SITE = zos.System(lpars=[L], regions=[AOR1, IMS], work=[WORK])


def _with(**step: Any) -> zos.System:
    return replace(SITE, work=(zos.Work("w", rate=100, **step),))


REFUSED: dict[str, tuple[Callable[[], object], str]] = {
    "no region": (lambda: zos.Step([], qr_cpu=0.001), "regions"),
    "shares of other regions": (lambda: zos.Step(["A", "B"], shares=[1.0], qr_cpu=0.001), "shares"),
    "rate and users": (lambda: zos.Work("w", rate=1, users=2, regions="AOR1", qr_cpu=0.001), "rate, users"),
    "think time of a rate": (lambda: zos.Work("w", rate=1, think_time=2, regions="AOR1", qr_cpu=0.001), "think_time"),
    "steps and figures": (lambda: zos.Work("w", rate=1, steps=[zos.Step("AOR1", qr_cpu=1e-3)], qr_cpu=1e-3), "steps"),
    "unknown figure": (lambda: zos.Work("w", rate=1, regions="AOR1", qr_cpus=0.001), "qr_cpus"),
    "figures without a region": (lambda: zos.Work("w", rate=1, qr_cpu=0.001), "regions"),
    "steps that are none": (lambda: zos.Work("w", rate=1, steps=["AOR1"]), "steps"),
    "burst below one": (lambda: zos.Work("w", rate=1, burst=0.5, regions="AOR1", qr_cpu=0.001), "burst"),
    "burst at ticks": (lambda: zos.Work("w", rate=1, burst=2, tick=0.01, regions="AOR1", qr_cpu=0.001), "burst"),
    "thinking less than a tick": (
        lambda: zos.Work("w", users=5, think_time=0.004, tick=0.005, regions="AOR1", qr_cpu=0.001),
        "think_time",
    ),
    "tick below zero": (lambda: zos.Work("w", rate=1, tick=-0.01, regions="AOR1", qr_cpu=0.001), "tick"),
    "part of another kind": (lambda: zos.System(lpars=[AOR1], regions=[AOR1], work=[WORK]), "lpars"),
    "no work": (lambda: zos.System(lpars=[L], regions=[AOR1], work=[]), "work"),
    "no time anywhere": (lambda: _with(regions="AOR1"), "'w'"),
    "QR in IMS": (lambda: _with(regions="MPP", qr_cpu=0.001), "qr_cpu"),
    "cpu in CICS": (lambda: _with(regions="AOR1", cpu=0.001), "cpu"),
    "unknown TRANCLASS": (lambda: _with(regions="AOR1", qr_cpu=0.001, tranclass="JSNO"), "JSON"),
    "unknown device": (lambda: _with(regions="AOR1", qr_cpu=0.001, devices={"disk": 0.1}), "devices"),
    "another method": (lambda: SITE.solve("mva"), "method"),
    "replacing what is not there": (lambda: SITE.replace("AOR2", mxt=50), "AOR1"),
    "replacing a parameter that is not there": (lambda: SITE.replace("AOR1", mxtt=50), "mxt"),
    "work that is not there": (lambda: zos.scale(SITE, 2.0, ["v"]), "work"),
    "threads of no zIIPs": (lambda: zos.switch_smt(SITE, "L", max_capacity_factor=1.25), "ziips"),
    "an LPAR that is not there": (lambda: zos.switch_smt(SITE, "M", max_capacity_factor=1.25), "lpar"),
    "threadsafe work that is not there": (lambda: zos.make_threadsafe(SITE, "v", qr_cpu=0.0), "work"),
}


@pytest.mark.parametrize("name", REFUSED)
def test_it_is_refused_with_the_item(name: str) -> None:
    """One line, which names what is wrong."""
    make, item = REFUSED[name]
    with pytest.raises(qn.ModelError) as caught:
        make()
    assert item in str(caught.value)
    assert "\n" not in str(caught.value)


def test_growth_of_some_work_leaves_the_rest() -> None:
    """Twice the rate of one kind of work and the users of another: rates and whole users."""
    batch = zos.Work("batch", users=3, think_time=1.0, regions="AOR1", qr_cpu=0.001)
    site = replace(SITE, work=(WORK, batch))
    grown = {work.name: work for work in zos.scale(site, 2.5, ["batch"]).work}
    assert grown["w"].rate == 100
    assert grown["batch"].users == 8
    assert {work.name: work.rate for work in zos.scale(site, 2.5).work} == {"w": 250, "batch": None}


def test_parts_of_an_answer_by_name() -> None:
    """A TRANCLASS by its name, or with its region's where two have it; other names are an error with the nearest one."""
    other = zos.CicsRegion("AOR2", lpar="L", tranclasses={"JSON": 7})
    work = zos.Work("w", rate=100, regions=["AOR1", "AOR2"], qr_cpu=0.001, tranclass="JSON")
    result = zos.System(lpars=[L], regions=[AOR1, other], work=[work]).solve()
    assert result["AOR2 JSON"].region == "AOR2"
    with pytest.raises(KeyError, match="AOR"):
        _ = result["AOR3"]


@pytest.mark.parametrize(("center", "load"), [("AOR1 MXT", 4.0), ("L CPs", 2.5)])
def test_the_load_of_a_full_center_is_what_its_part_of_the_work_says(center: str, load: float) -> None:
    """A quarter of the work fills it: of the CPs the half that fixed CPU leaves. Messages had another center's 8757."""
    system = replace(SITE, lpars=(zos.Lpar("L", processors=2, fixed_cpu=1.0),))
    said = saturated(system, FullPoolError("MPP regions", 8757.7), Capacity(0.25, center))
    assert (said.station, said.highest_rate) == (center, 0.25)
    assert said.utilization == pytest.approx(load)


@pytest.mark.parametrize("rate", [1200, 3000])
def test_the_part_of_the_work_that_fills_cpus_leaves_fixed_cpu(rate: float) -> None:
    """One of two CPs is fixed: 1000 transactions of 1 ms fill the other, solved or without queues."""
    work = zos.Work("w", rate=rate, regions="AOR1", open_cpu=0.001)
    system = replace(SITE, lpars=(zos.Lpar("L", processors=2, fixed_cpu=1.0),), work=(work,))
    for ask in (system.solve, system.bounds):
        with pytest.raises(qn.SaturatedError) as caught:
            ask()
        assert caught.value.station == "L CPs"
        assert caught.value.utilization == pytest.approx(0.5 + rate / 2000, rel=1e-9)
        assert caught.value.highest_rate == pytest.approx(1000 / rate, rel=2e-3)


def test_an_answer_that_did_not_settle_says_so() -> None:
    """After one round what users ask for and how they wait are not yet those of each other."""
    users = replace(SITE, work=(zos.Work("w", users=5000, think_time=10, regions="AOR1", qr_cpu=0.001, open_cpu=0.002),))
    for rounds, settled in ((1, False), (ROUNDS, True)):
        found = answer(solved_point(users, rounds=rounds))
        assert any(note.startswith("not settled") for note in found.notes) is not settled


def test_far_beyond_the_end_nothing_but_an_overload_is_said() -> None:
    """Classes that hold up nobody there took more of the waits than there were; the search for the end met negative times."""
    data = deepcopy(next(each.drawn for each in everything.references() if each.drawn.name == "everything 402").data)
    for work in data["work"]:
        work |= {part: work[part] + work[part] // 10 for part in ("rate", "users") if work.get(part)}
    with pytest.raises(qn.errors.SaturatedError, match=r"must be .* % of it at most"):
        qn.loads(json.dumps(data), "json").solve()


def test_just_below_the_end_there_is_an_answer() -> None:
    """The same: simulated it is stable; it was refused as 1.008 times what a class holds."""
    drawn = next(each.drawn for each in everything.references() if each.drawn.name == "everything 402")
    assert all(work.response_time > 0 for work in drawn.system.solve().work)


def test_a_class_that_is_nearly_empty_is_not_refused() -> None:
    """Work comes to its seven places 0.006 times a second for 4 s each: it was refused as 1.06 times what they hold."""
    work = random_system(304).solve()["W1"]
    assert work.response_time == pytest.approx(4.28, rel=0.05)


def test_line_that_is_hardly_in_use_is_not_full_for_what_grids_lose() -> None:
    """A chain beside bursts of 20 lost 1.6 in 1,000 of what comes to an RO TCB in use for 1 %; it was refused as full."""
    drawn = next(one.drawn for one in everything.references() if one.drawn.name == "everything 609")
    assert drawn.system.solve()["lookup"].response_time == pytest.approx(0.08028, rel=0.05)


def test_regions_as_one_limit_and_each_as_its_own() -> None:
    """Users of three works before three AORs of ten places, in some rounds one limit of all: once an error of lengths."""
    drawn = next(one.drawn for one in everything.references() if one.drawn.name == "everything 401")
    answer = drawn.system.solve()
    assert answer["payments"].response_time == pytest.approx(0.22, rel=0.75)  # simulated to 18 % only: the CPs are nearly full
    assert answer["inquiry"].etr == pytest.approx(1e4, rel=0.01)

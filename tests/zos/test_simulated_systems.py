"""`verify` of systems: solutions beside simulations, and nothing that a simulation shows stays hidden."""

from __future__ import annotations

import json
from math import isnan
from pathlib import Path
from typing import Any

import pytest
import qnsolve as qn
from qnsolve import zos
from qnsolve.cli import main as cli
from qnsolve.zos.parts import system as parts
from qnsolve.zos.simulate import verification

SYSTEMS: dict[str, dict[str, Any]] = {
    "QR and CPs": {"work": [zos.Work("w", rate=700, regions=["AOR1", "AOR2"], qr_cpu=0.001, open_cpu=0.0008)]},
    "users": {"work": [zos.Work("w", users=60, think_time=0.05, regions="AOR1", qr_cpu=0.0008, delay=0.01)]},
    "called": {
        "work": [zos.Work("w", rate=500, steps=[zos.Step("AOR1", qr_cpu=0.0004), zos.Step("AOR2", qr_cpu=0.001, delay=0.02)])]
    },
    "coupling facility": {
        "coupling_facilities": [zos.CouplingFacility("CF", processors=1, service_time=2e-5, link=zos.Link(latency=1e-5))],
        "work": [zos.Work("w", rate=600, regions="AOR1", qr_cpu=0.0005, cf_requests=20, cf_on="open")],
    },
    "zIIPs": {
        "lpars": [zos.Lpar("L", processors=2, ziips=zos.Ziips(1, threads=2, max_capacity_factor=1.3))],
        "work": [zos.Work("w", rate=700, regions="AOR1", qr_cpu=0.0003, open_cpu=0.002, ziip_share=0.6)],
    },
    "logs and devices": {
        "loggers": [zos.Logger("LOG", seconds_per_mib=(0.002, 0.004))],
        "devices": [zos.Device("disk", servers=3)],
        "work": [zos.Work("w", rate=300, regions="AOR1", qr_cpu=0.001, log_bytes=150_000, devices={"disk": 0.008})],
    },
    "importance": {
        "regions": [zos.CicsRegion("AOR1", lpar="L"), zos.CicsRegion("AOR2", lpar="L", importance=2)],
        "work": [
            zos.Work("v", rate=500, regions="AOR1", open_cpu=0.001),
            zos.Work("w", rate=600, regions="AOR2", open_cpu=0.001),
        ],
    },
}


def site(name: str) -> zos.System:
    """Two CPs and two regions, unless it says otherwise."""
    regions = [zos.CicsRegion("AOR1", lpar="L", mxt=200), zos.CicsRegion("AOR2", lpar="L", mxt=200)]
    return zos.System(**{"lpars": [zos.Lpar("L", processors=2)], "regions": regions, **SYSTEMS[name]})


def one(*, rate: float, **more: Any) -> zos.System:
    """Work on open TCBs at one CP, a millisecond."""
    regions = [zos.CicsRegion("AOR1", lpar="L")]
    work = [zos.Work("w", rate=rate, regions="AOR1", open_cpu=0.001, **more)]
    return zos.System([zos.Lpar("L", processors=1)], regions, work, name="one")


@pytest.mark.parametrize("name", SYSTEMS)
def test_a_short_simulation_is_near(name: str) -> None:
    """Some thousand transactions already find every figure within 30 percent, or within the interval."""
    found = zos.verify(site(name), jobs=4_000)
    for row in found.rows():
        assert abs(row["solved"] - row["simulated"]) <= max(1.5 * row["half_width"], 0.3 * row["simulated"]), row
    assert "figures agree" in found.sentences()[0]


@pytest.mark.slow
@pytest.mark.parametrize("name", SYSTEMS)
def test_solved_systems_agree_with_their_simulation(name: str) -> None:
    """Rates, response times, CPU and tasks of small systems within 4 percent, or the interval, or the stated error.

    Of a task that spins for more than half of its time on two CPs within 9: in the simulation its 20 requests are one, as
    long as all of them, for which it keeps a CP, and a QR TCB beside two of them stands still.
    """
    near = 0.09 if name == "coupling facility" else 0.04
    for row in zos.verify(site(name)).rows():
        off, least = abs(row["solved"] - row["simulated"]), max(1.5 * row["half_width"], near * row["simulated"])
        assert row["verdict"] == "as stated" or off <= least, row


def test_it_stops_at_a_precision() -> None:
    """As soon as the response time is known; the interval is no wider, and the sentences say why it ended."""
    found = zos.verify(one(rate=300), precision=0.03)
    row = next(row for row in found.rows() if row["figure"] == "response time")
    assert row["half_width"] <= 0.03 * row["simulated"]
    assert found.stopped == "precise"
    assert found.transactions < 200_000
    assert found.agrees
    assert found.error is None
    assert found.sentences()[1:] == (
        "every response time of the simulation is known within 3 %",
        "the simulation keeps up with all work",
    )
    assert found.notes[0] == "seed 1"
    assert found.title().endswith("transactions simulated")


def wrong(monkeypatch: pytest.MonkeyPatch, rate: float, by: float, stated: float = 0.0) -> zos.SystemVerification:
    """The verification of a system where the solved response time is wrong by a factor, after a few transactions."""
    rows = verification._estimates

    def estimates(*given: Any) -> Any:
        for name, figure, solved, _, found, factor in rows(*given):
            yield name, figure, solved * (by if figure == "response time" else 1.0), stated, found, factor

    with monkeypatch.context() as patched:
        patched.setattr(verification, "_estimates", estimates)
        return zos.verify(one(rate=rate), jobs=20_000)


def test_what_differs_is_never_too_short(monkeypatch: pytest.MonkeyPatch) -> None:
    """A response time that is far off differs, however wide the interval; one that is inside a wide one is too short."""
    verdicts = [{row["figure"]: row["verdict"] for row in wrong(monkeypatch, 900, by).rows()} for by in (0.03, 1.0)]
    assert [verdict["response time"] for verdict in verdicts] == ["differs", "too short"]


def test_an_error_that_is_stated_is_no_surprise(monkeypatch: pytest.MonkeyPatch) -> None:
    """Off by 20 percent: it differs where the answer states 5, and is as stated where it states 30."""
    for stated, verdict in ((0.05, "differs"), (0.3, "as stated")):
        found = wrong(monkeypatch, 200, 1.2, stated)
        assert next(row for row in found.rows() if row["figure"] == "response time")["verdict"] == verdict
        assert found.agrees is (verdict == "as stated")
    assert "1 are off by no more than the answer states" in found.sentences()[0]


def test_a_load_that_is_not_solved_is_simulated() -> None:
    """1.2 times what the CP can do: the rates at which work arrives and ends, and the exit code of the error."""
    found = zos.verify(one(rate=1200), jobs=50_000)
    assert isinstance(found.error, qn.SaturatedError)
    assert (found.agrees, found.result) == (False, None)
    assert {row["verdict"] for row in found.rows()} == {"not solved"}
    ended = found.rows()[0]
    assert isnan(ended["solved"])
    assert ended["simulated"] == pytest.approx(1000, rel=0.03)
    first, second, third = found.sentences()
    assert first.startswith("not solved: station")
    assert "the most transactions" in second
    assert third.startswith("work 'w' is more than the system can do: 1")
    assert json.loads(found.to_json())["rows"][0]["solved"] is None


def test_growth_of_cpu_time_without_a_solution() -> None:
    """The engines that are at work in a short run stretch the CPU times of the long one."""
    processors = zos.Processors(4, growth=0.2)
    work = [zos.Work("w", rate=4000, regions="AOR1", open_cpu=0.001)]
    made = zos.System([zos.Lpar("L", processors=processors)], [zos.CicsRegion("AOR1", lpar="L")], work)
    assert zos.verify(made, jobs=20_000).rows()[0]["simulated"] == pytest.approx(4000 / 1.277, rel=0.03)


def test_growth_of_cpu_time_beside_another_engine() -> None:
    """Solution and simulation agree where CPU time grows with the chance that another engine is at work."""
    processors = zos.Processors(4, sharing=0.4)
    work = [zos.Work("w", rate=1000, regions="AOR1", open_cpu=0.001)]
    made = zos.System([zos.Lpar("L", processors=processors)], [zos.CicsRegion("AOR1", lpar="L")], work)
    assert zos.verify(made, jobs=20_000).agrees


def test_a_system_that_is_stuck_agrees_with_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    """Tasks that wait for each other for ever: whatever the solution says, it differs."""
    monkeypatch.setattr(parts, "check_holding", lambda *_: None)
    steps = [zos.Step("AOR1", delay=0.01), zos.Step("AOR1", delay=0.01)]
    work = [zos.Work("w", users=20, think_time=0.01, steps=steps)]
    made = zos.System([zos.Lpar("L", processors=1)], [zos.CicsRegion("AOR1", lpar="L", mxt=10)], work)
    monkeypatch.setattr(verification, "solve", lambda _: one(rate=100).solve())
    found = zos.verify(made)
    assert {row["verdict"] for row in found.rows()} == {"differs"}
    assert not found.agrees
    assert "stuck" in found.sentences()[1]


def test_requests_are_as_in_the_solution() -> None:
    """Requests that the solution makes asynchronous are asynchronous in the simulation: their CPs do not spin."""
    structure = zos.Structure("S", service_time=3e-4, threshold=3e-5)
    facility = zos.CouplingFacility("CF", processors=1, link=zos.Link(latency=1e-5), structures=[structure])
    work = [zos.Work("w", rate=200, regions="AOR1", open_cpu=0.0005, cf_requests={"S": 4}, cf_on="open")]
    parts = ([zos.Lpar("L", processors=2)], [zos.CicsRegion("AOR1", lpar="L")], work)
    found = zos.verify(zos.System(*parts, coupling_facilities=[facility]), precision=0.02)
    assert found.result is not None
    assert found.result.structures[0].kind == "async"
    busy = next(row for row in found.rows() if row["figure"] == "CPU % busy")
    assert busy["simulated"] < 15
    assert busy["verdict"] == "agrees"


@pytest.mark.parametrize("dispatches", [None, 1])
def test_asynchronous_requests_leave_their_qr_tcb(dispatches: int | None) -> None:
    """A QR TCB 20 % used by CPU, requests of 5 ms beside it: M/M/1 and a delay; held by them it could not keep up."""
    structure = zos.Structure("S", service_time=1e-6, threshold=3e-5)
    facility = zos.CouplingFacility("CF", processors=1, link=zos.Link(latency=0.005), structures=[structure])
    step = zos.Step("AOR1", qr_cpu=0.0005, cf_requests={"S": 1}, cf_on="qr", qr_dispatches=dispatches)
    parts = ([zos.Lpar("L", processors=2)], [zos.CicsRegion("AOR1", lpar="L")], [zos.Work("w", rate=400, steps=[step])])
    found = zos.verify(zos.System(*parts, coupling_facilities=[facility]), precision=0.01)
    response = next(row for row in found.rows() if row["figure"].startswith("response time"))
    assert response["solved"] == pytest.approx(0.0005 / 0.8 + 0.005, rel=1e-3)
    assert response["verdict"] == "agrees"


def test_verify_at_a_prompt(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """`qnsolve verify` takes a system file, shows progress on standard error where it should, and ends with its code."""
    file = tmp_path / "site.toml"
    file.write_text(qn.dumps(one(rate=300)), encoding="utf-8")
    assert cli.main(["verify", str(file), "--precision", "0.05"]) == 0
    out, err = capsys.readouterr()
    assert "figures agree" in out
    assert err == ""
    assert cli.main(["verify", str(file), "--jobs", "20000", "--progress", "--json"]) == 0
    out, err = capsys.readouterr()
    found = json.loads(out)
    assert (found["seed"], found["stopped"], found["agrees"]) == (1, "most transactions", True)
    assert "%, 2" in err
    assert err.endswith("\r")
    file.write_text(qn.dumps(one(rate=1200)), encoding="utf-8")
    assert cli.main(["verify", str(file), "--jobs", "20000"]) == 3
    assert "not solved" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["--simulator", "ciw"], "must not be given for a system"),
        (["--precision", "1.5"], "must be below 1"),
        (["--jobs", "10"], "must lie within 1000"),
    ],
)
def test_a_wrong_call(words: list[str], said: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """One line, exit code 2."""
    file = tmp_path / "site.toml"
    file.write_text(qn.dumps(one(rate=300)), encoding="utf-8")
    assert cli.main(["verify", str(file), *words]) == 2
    assert said in capsys.readouterr().err


def test_a_network_until_it_is_precise(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """With a precision a network is simulated as far as that takes, beyond which no interval is wide."""
    file = tmp_path / "site.toml"
    classes = [
        qn.OpenClass("o", arrival_rate=3, demands={"q": 0.1}),
        qn.ClosedClass("c", population=3, think_time=1, demands={"q": 0.1}),
    ]
    file.write_text(qn.dumps(qn.Network([qn.Queue("q")], classes)))
    assert cli.main(["verify", str(file), "--precision", "0.02", "--progress", "--json"]) == 0
    out, err = capsys.readouterr()
    found = json.loads(out)
    assert 10_000 < found["jobs"] < 500_000
    for row in found["rows"]:
        if row["station"] == "total" and row["quantity"] == "response_time":
            assert row["half_width"] <= 0.03 * row["simulated"]  # that of independent batches, two at a time
    assert err.endswith("\r")
    assert cli.main(["verify", str(file), "--precision", "0.02", "--simulator", "ciw"]) == 2
    assert "precision: is of simulator 'events'" in capsys.readouterr().err

"""Systems simulated: the engine against closed forms, and solved systems against their simulation."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import qnsolve as qn
from numpy.random import default_rng
from qnsolve import zos
from qnsolve.cli import main as cli
from qnsolve.zos.simulate.event_engine import Clock, Places, Process, Shared, wait


def test_shared_servers_are_an_mmc_queue() -> None:
    """Poisson jobs that share three servers: the number present is that of M/M/3."""
    rng, clock = default_rng(1), Clock()
    cpu = Shared(clock, [1.0, 2.0, 3.0])
    ended = 0

    def job() -> Process:
        nonlocal ended
        yield cpu.use(float(rng.exponential(1.0)))
        ended += 1

    def arrivals() -> Process:
        while True:
            yield wait(float(rng.exponential(1 / 2.4)))
            clock.start(job())

    clock.start(arrivals())
    clock.run(lambda: ended >= 60_000)
    cpu.pass_time()
    assert cpu.area / clock.now == pytest.approx(
        qn.stations.mmc(arrival_rate=2.4, service_time=1.0, servers=3).queue_length, rel=0.05
    )
    assert cpu.work / clock.now == pytest.approx(2.4, rel=0.02)


def test_places_are_first_come_first_served() -> None:
    """Two places for four who come in order: times to the second, and which of them wait."""
    clock, ends = Clock(), []
    places = Places(clock, 2)

    def job(i: int, time: float) -> Process:
        yield places.serve(time)
        ends.append((i, clock.now))

    for i, time in enumerate((3.0, 1.0, 1.0, 5.0)):
        clock.start(job(i, time))
    clock.run(lambda: len(ends) == 4)
    assert ends == [(1, 1.0), (2, 2.0), (0, 3.0), (3, 7.0)]
    assert places.measured() == (3 + 1 + 1 + 5, 1 + 2)
    assert (places.asked, places.delayed) == (4, 2)


def test_who_spins_keeps_a_share() -> None:
    """One who holds a server while something else goes on slows the other down for as long."""
    clock, ends = Clock(), []
    cpu = Shared(clock, [1.0])

    def spinning() -> Process:
        yield cpu.hold(wait(2.0))
        ends.append(("spun", clock.now))

    def working() -> Process:
        yield cpu.use(2.0)
        ends.append(("worked", clock.now))

    clock.start(spinning())
    clock.start(working())
    clock.run(lambda: len(ends) == 2)
    assert ends == [("spun", 2.0), ("worked", 3.0)]


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
}


def _simulated(name: str, jobs: int) -> zos.SystemVerification:
    regions = [zos.CicsRegion("AOR1", lpar="L", mxt=200), zos.CicsRegion("AOR2", lpar="L", mxt=200)]
    parts = {"lpars": [zos.Lpar("L", processors=2)], "regions": regions, **SYSTEMS[name]}
    return zos.verify(zos.System(**parts), jobs=jobs)


@pytest.mark.parametrize("name", SYSTEMS)
def test_a_short_simulation_is_near(name: str) -> None:
    """A thousand transactions already find every figure within 30 percent, or within the interval."""
    found = _simulated(name, 1_000)
    for row in found.rows():
        assert abs(row["solved"] - row["simulated"]) <= max(1.5 * row["half_width"], 0.3 * row["simulated"]), row
    assert "figures agree" in found.sentences()[0]


@pytest.mark.slow
@pytest.mark.parametrize("name", SYSTEMS)
def test_solved_systems_agree_with_their_simulation(name: str) -> None:
    """Rates, response times, CPU and tasks of small systems within 4 percent, or within the interval."""
    found = _simulated(name, 30_000)
    for row in found.rows():
        assert abs(row["solved"] - row["simulated"]) <= max(1.5 * row["half_width"], 0.04 * row["simulated"]), row


def test_verify_at_a_prompt(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """`qnsolve verify` takes a system file, and refuses what is for networks."""
    file = tmp_path / "site.toml"
    region = zos.CicsRegion("AOR1", lpar="L")
    work = zos.Work("w", rate=300, regions="AOR1", qr_cpu=0.001)
    file.write_text(qn.dumps(zos.System(lpars=[zos.Lpar("L", processors=2)], regions=[region], work=[work])), encoding="utf-8")
    assert cli.main(["verify", str(file), "--jobs", "2000"]) == 0
    assert "figures agree" in capsys.readouterr().out
    assert cli.main(["verify", str(file), "--simulator", "ciw"]) == 2
    assert "must not be given for a system" in capsys.readouterr().err


def test_what_is_not_simulated_is_refused() -> None:
    """Importance, and users in bursts."""
    lpars = [zos.Lpar("L", processors=1)]
    regions = [zos.CicsRegion("AOR1", lpar="L"), zos.CicsRegion("AOR2", lpar="L", importance=2)]
    work = zos.Work("w", users=3, think_time=1, burst=2, regions="AOR1", qr_cpu=0.001)
    with pytest.raises(qn.ModelError, match="importance"):
        zos.verify(zos.System(lpars=lpars, regions=regions, work=[work]))
    with pytest.raises(qn.ModelError, match="burst"):
        zos.verify(zos.System(lpars=lpars, regions=regions[:1], work=[work]))

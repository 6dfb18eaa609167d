"""Systems that were answered wrongly or not at all: each beside its true figures, from simulation, chains or closed forms."""

from __future__ import annotations

import re
from dataclasses import replace
from itertools import pairwise
from pathlib import Path

import pytest
import qnsolve as qn
from qnsolve import zos
from qnsolve.cli import main as cli
from qnsolve.zos.report.equal_regions import equal_regions, of_group

FOLDER = Path(__file__).parents[1] / "data" / "system_faults"
REFUSED = {
    *("zos_hold_and_wait.toml", "zos_hold_and_wait_mxt.toml", "zos_mxt_ignored_1000.toml", "zos_nested_cycle.toml"),
    *("zos_ConvergenceError_1_1.toml", "zos_ConvergenceError_1_2.toml", "zos_more_less_etr_1_1.toml"),
}
# rate [1/s] and response time [s] of works; and the share of the response time that the answer may be off
TRUTHS = {
    "qr-beside.json": ({"q": (None, 0.0101)}, 0.01),
    "series1.json": ({"W": (164.96, 0.2113)}, 0.02),
    "tc1.json": ({"A": (20.26, 0.5337), "B": (None, 0.0936)}, 0.3),
    "serx-mono-600.json": ({"A": (727.5, 0.0239), "B": (41.94, 0.1407)}, 0.05),
    "conv-5-1.1.json": ({"W0": (1139.7, 0.2208), "W1": (1117.3, 0.2832)}, 0.04),
    "conv-5-1.2.json": ({"W0": (1138.4, 0.5110), "W1": (1119.2, 0.5706)}, 0.02),
}


def loaded(name: str) -> zos.System:
    """A system of the folder."""
    found = qn.load(FOLDER / name)
    assert isinstance(found, zos.System)
    return found


@pytest.mark.parametrize("name", sorted(path.name for path in FOLDER.iterdir()))
def test_each_is_answered_or_refused_with_the_reason(name: str) -> None:
    """Answers keep the laws (tasks within limits, users, CPU: they are checked in `solve`); dead locks are named."""
    if name in REFUSED:
        with pytest.raises(qn.ModelError, match="never lets a child in"):
            loaded(name)
        return
    for work in loaded(name).solve().work:
        assert 0 < work.etr < float("inf")
        assert 0 < work.response_time < float("inf")


@pytest.mark.parametrize("name", TRUTHS)
def test_figures_are_near_the_true_ones(name: str) -> None:
    """QR TCBs beside open ones, limits in series, a TRANCLASS behind a full TOR, full AORs."""
    truths, off = TRUTHS[name]
    result = loaded(name).solve()
    for work, (rate, response) in truths.items():
        assert result[work].response_time == pytest.approx(response, rel=off)
        assert rate is None or result[work].etr == pytest.approx(rate, rel=0.025)


@pytest.mark.parametrize(("name", "work", "servers"), [("threads.json", "w", 4), ("ims.json", "w", None)])
def test_servers_that_are_all_busy_are_an_mmc_queue(name: str, work: str, servers: int | None) -> None:
    """THREADLIMIT 4 on 4 CPs; as many dependent regions as CPs."""
    system = loaded(name)
    (one,) = system.work
    step = one.steps[0]
    service = step.jvm_cpu + step.cpu
    count = servers or system.regions[0].limit
    exact = qn.stations.mmc(arrival_rate=float(one.rate or 0), service_time=service, servers=count)
    assert system.solve()[work].response_time == pytest.approx(exact.response_time + step.delay, rel=0.01)


def test_works_of_unlike_length_at_one_mxt_are_an_m_h2_c_queue() -> None:
    """The wait is that of the chain of M/H2/c, by the network of one limit: both works wait alike."""
    system = loaded("unlike-mxt.json")
    result = system.solve()
    waits = [result[work.name].admission_wait for work in system.work]
    times = {work.name: sum((work.steps[0].devices or {}).values()) + work.steps[0].delay for work in system.work}
    classes = [qn.OpenClass(w.name, arrival_rate=float(w.rate or 0), demands={"inside": times[w.name]}) for w in system.work]
    limit = qn.AdmissionLimit(system.regions[0].limit, classes=tuple(times), stations=("inside",))
    exact = qn.solve(qn.Network([qn.Delay("inside")], classes, [limit]))
    for wait, work in zip(waits, system.work, strict=True):
        assert wait == pytest.approx(exact[work.name].admission_wait, rel=0.06)


def test_a_tranclass_behind_a_full_tor_delays() -> None:
    """47 % of the tasks of the TRANCLASS of one wait in the simulation; the share is off by half, the times by less."""
    found = loaded("tc1.json").solve().tranclasses[0]
    assert 0.3 < found.fraction_delayed < 0.8


def test_tasks_that_share_a_qr_tcb_are_solved_and_simulated_alike() -> None:
    """Short pieces beside long ones: 0.67 ms shared, 22 ms in order of arrival, which `qr_dispatches` says."""
    system = loaded("qr2.json")
    assert system.solve()["short"].response_time == pytest.approx(0.667e-3, rel=0.01)
    works = [work.with_steps([replace(step, qr_dispatches=1.0) for step in work.steps]) for work in system.work]
    in_order = zos.System(system.lpars, system.regions, works).solve()
    assert in_order["short"].response_time == pytest.approx(0.022, rel=0.1)


def test_one_headroom(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """`solve`, `headroom`, `growth` and `bottleneck` agree on the factor and the center, and `compare` names the right file."""
    system = loaded("bank.toml")
    result, most = system.solve(), zos.headroom(system)
    center = of_group(most.center, equal_regions(result))  # in words a center of equal regions is that of all of them
    assert center == re.sub("AORB[12]", "AORB1, AORB2", most.center)
    assert f"{center}: holds {most.factor:.4g} times" in result.reasons[-1]
    assert zos.bottleneck(system).limits[0].center == most.center
    assert zos.bottleneck(system).limits[0].factor == pytest.approx(most.factor, rel=1e-9)
    assert zos.growth(system, [most.factor]).reasons == ("",)
    over = zos.growth(system, [most.factor * 1.02])
    assert over.reasons == (f"saturated: {most.center}",)
    assert zos.scale(system, 1.15).solve()["payments"].response_time == pytest.approx(0.0215, rel=0.1)
    wrong = tmp_path / "other.toml"
    wrong.write_text(qn.dumps(zos.scale(system, 3)), encoding="utf-8")
    assert cli.main(["compare", str(FOLDER / "bank.toml"), str(wrong)]) == 3
    said = capsys.readouterr().err
    assert str(wrong) in said
    assert str(FOLDER / "bank.toml") not in said


@pytest.mark.parametrize(("rate", "truth"), [(1180.0, 0.0694), (1214.2, 0.126)])
def test_a_limit_near_the_end_of_its_qr_tcb(rate: float, truth: float) -> None:
    """97 % busy behind MXT 80, of which 60 places are off the CPs; the truth is a simulation, known to 1.4 and to 6 %."""
    system = zos.System(
        lpars=[zos.Lpar("P", processors=6)],
        regions=[zos.CicsRegion("A", lpar="P", mxt=80)],
        work=[zos.Work("w", rate=rate, regions="A", qr_cpu=0.0008, open_cpu=0.002, delay=0.05)],
    )
    assert system.solve()["w"].response_time == pytest.approx(truth, rel=0.2)


def test_more_users_never_do_less_work() -> None:
    """A TOR over an AOR whose places fill: the rate grows with the users, up to its top."""
    rates = []
    for users in (20, 60, 100, 103, 105, 120, 200, 400):
        system = zos.System(
            lpars=[zos.Lpar("L", processors=4)],
            regions=[zos.CicsRegion("TOR", lpar="L", mxt=150), zos.CicsRegion("AOR", lpar="L", mxt=20)],
            devices=[zos.Device("D")],
            work=[
                zos.Work(
                    "w",
                    users=users,
                    think_time=0.1,
                    steps=[zos.Step("TOR", qr_cpu=0.0002), zos.Step("AOR", qr_cpu=0.0005, devices={"D": 0.02})],
                )
            ],
        )
        rates.append(system.solve()["w"].etr)
    assert all(after > 0.999 * before for before, after in pairwise(rates))


def test_bursts_reach_the_cps() -> None:
    """500/s of 1 ms in bursts of 10 on one CP: M[X]/M/1, 11 ms."""
    system = zos.System(
        lpars=[zos.Lpar("L", processors=1)],
        regions=[zos.ImsRegions("R", lpar="L", regions=10_000)],
        work=[zos.Work("w", rate=500, burst=10, regions="R", cpu=0.001)],
    )
    assert system.solve()["w"].response_time == pytest.approx(0.011, rel=0.03)

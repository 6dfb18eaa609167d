"""Systems of a few users: exactly their Markov chain, in every figure."""

from __future__ import annotations

import pytest
import qnsolve as qn
from qnsolve import zos

from tests.oracles.system_networks import network_of


def test_a_system_of_a_few_users_is_its_chain() -> None:
    """Two regions that share two CPs, two kinds of work, a disk: rates, response by center, CPU and tasks."""
    given = zos.System(
        lpars=[zos.Lpar("L", processors=2)],
        regions=[zos.CicsRegion("AOR1", lpar="L"), zos.CicsRegion("AOR2", lpar="L")],
        devices=[zos.Device("disk", servers=1)],
        work=[
            zos.Work(
                "w1",
                users=4,
                think_time=1.0,
                steps=[zos.Step("AOR1", qr_cpu=0.5, open_cpu=0.4), zos.Step("AOR2", qr_cpu=0.3, devices={"disk": 0.2})],
            ),
            zos.Work("w2", users=2, think_time=0.5, regions="AOR2", qr_cpu=0.7, delay=0.1),
        ],
    )
    result, exact = given.solve(), qn.solve(network_of(given), method="markov")
    for work in result.work:
        assert work.etr == pytest.approx(exact[work.name].throughput, rel=1e-9)
        assert work.response_time == pytest.approx(exact[work.name].response_time, rel=1e-9)
    assert result["w1"].split["AOR1 QR"] == pytest.approx(exact["w1", "AOR1 QR"].residence_time, rel=1e-9)
    assert result["w1"].split["disk"] == pytest.approx(exact["w1", "disk"].residence_time, rel=1e-9)
    assert result["AOR1"].qr_percent == pytest.approx(100 * (1 - exact.distribution("AOR1 QR")[0]), rel=1e-9)
    busy = sum(exact[w].throughput * exact[w, s].demand for w, s in _cpu(exact))
    assert result["L"].cpu_percent == pytest.approx(100 * busy / 2, rel=1e-9)
    inside = sum(exact["w1", s].queue_length for s in ("AOR1 QR", "AOR1 TCBs", "AOR2 QR", "disk"))
    assert result["AOR1"].tasks == pytest.approx(inside, rel=1e-9)  # its tasks wait for those of AOR2
    assert any("exactly" in note for note in result.notes)


def _cpu(exact: qn.Solution) -> list[tuple[str, str]]:
    return [(p.class_name, p.station) for p in exact.pairs if p.demand > 0 and p.station.endswith(("QR", "TCBs"))]


def test_more_users_are_solved_by_layers_and_near() -> None:
    """Where the chain is too large the layers answer, without a jump."""
    systems = [
        zos.System(
            lpars=[zos.Lpar("L", processors=2)],
            regions=[zos.CicsRegion("AOR1", lpar="L")],
            work=[zos.Work("w", users=users, think_time=40.0, regions="AOR1", qr_cpu=0.7, open_cpu=0.3)],
        )
        for users in (59, 63)
    ]
    few, many = (system.solve() for system in systems)
    assert any("exactly" in note for note in few.notes)
    assert not any("exactly" in note for note in many.notes)
    assert few["w"].etr < many["w"].etr < few["w"].etr * 63 / 59

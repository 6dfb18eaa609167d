"""Requests to a coupling facility beside longer ones of other work."""

from __future__ import annotations

import pytest
from qnsolve import zos


def test_short_requests_to_three_structures_beside_long_ones() -> None:
    """Simulated: 61.7 ± 0.1 and 1996 ± 16 µs. Two hundred short requests are waited for as such, not as a long one."""
    names = ("LOCK1", "CACHE1", "LIST1")
    structures = [zos.Structure(name, service_time=service) for name, service in zip(names, (2e-6, 3e-6, 4e-6), strict=True)]
    short = zos.Step("AOR1", open_cpu=5e-5, cf_requests=dict.fromkeys(names, 1.0), cf_on="open")
    long = zos.Step("AOR2", open_cpu=1e-3, cf_requests={"LIST1": 200.0}, cf_on="open")
    system = zos.System(
        lpars=[zos.Lpar("A", processors=zos.Processors(12)), zos.Lpar("B", processors=zos.Processors(12))],
        regions=[zos.CicsRegion("AOR1", lpar="A", mxt=500), zos.CicsRegion("AOR2", lpar="B", mxt=500)],
        work=[zos.Work("short", rate=3000, steps=[short]), zos.Work("long", rate=200, steps=[long])],
        coupling_facilities=[zos.CouplingFacility("CF", processors=1, link=zos.Link(latency=0.0), structures=structures)],
    )
    found = system.solve()
    assert found["short"].response_time == pytest.approx(61.7e-6, rel=0.01)
    assert found["long"].response_time == pytest.approx(1996e-6, rel=0.02)
    requests = {row.name: row for row in found.structures if row.lpar == "A"}
    spun = sum(row.service_time_us for row in requests.values())
    assert spun == pytest.approx(1e6 * found["short"].response_time - 50, rel=1e-6)
    assert sum(row.host_percent for row in requests.values()) == pytest.approx(3000 * spun * 1e-4, rel=1e-6)


@pytest.mark.parametrize(("engines", "simulated"), [(20, 0.610e-3), (100, 0.605e-3)])
def test_a_full_facility_beside_many_engines(engines: int, simulated: float) -> None:
    """Simulated to 2 %: 90 % busy, 0.605 ms by M/M/1 with engines without end; once 0.336 and 0.48 ms."""
    facility = zos.CouplingFacility("CF", processors=1, link=zos.Link(latency=5e-6), service_time=5e-5)
    step = zos.Step("B", open_cpu=1e-4, cf_requests={"CF": 1}, cf_on="open")
    found = zos.System(
        lpars=[zos.Lpar("L", processors=zos.Processors(engines))],
        regions=[zos.CicsRegion("B", lpar="L", mxt=2000)],
        work=[zos.Work("m", rate=18000, steps=[step])],
        coupling_facilities=[facility],
    ).solve()
    assert found["m"].response_time == pytest.approx(simulated, rel=0.14)

"""There is an answer for any system, or the name of the center that is full; and what is known of limits is kept."""

import pytest
from qnsolve import zos
from qnsolve.zos.equilibrium.working import Working
from qnsolve.zos.point.solved import solved_point

from benchmarks.always_answered import broken, main, outcome
from benchmarks.families.ordinary_systems import ordinary_system
from benchmarks.families.random_systems import random_system


def _solved(regions: list[zos.CicsRegion | zos.ImsRegions], work: list[zos.Work], servers: int | None = None) -> Working:
    devices = [zos.Device("D", servers=servers)]
    return solved_point(zos.System(lpars=[zos.Lpar("P", processors=4)], regions=regions, work=work, devices=devices)).work


@pytest.mark.parametrize("seed", range(12))
def test_random_systems(seed: int) -> None:
    """No error, no warning, no law broken."""
    assert outcome(seed, random_system(seed)).fault == ""


@pytest.mark.parametrize("seed", range(20))
def test_ordinary_systems(seed: int) -> None:
    """The same of small ones, none of which has a full center."""
    found = outcome(seed, ordinary_system(seed))
    assert (found.fault, found.refused, found.settled) == ("", "", True)


@pytest.mark.parametrize("seed", [131, 270, 291, 322, 394, 451, 629, 702, 733, 858, 1078, 50084])
def test_systems_that_settle_in_simulation(seed: int) -> None:
    """They were refused, a law was broken, or there was an error: each has an answer."""
    found = outcome(seed, random_system(seed), longest=60.0)
    assert (found.fault, found.refused) == ("", "")


def test_random_systems_beside_simulation(capsys: pytest.CaptureFixture[str]) -> None:
    """The command solves, simulates, and says how many are far off."""
    assert main(["--seeds", "0", "2", "--simulate", "0.1"]) == 0
    assert main(["--seeds", "0", "1", "--simulate", "0.1", "--ordinary"]) == 0
    assert main(["--seeds", "1", "2", "--simulate", "0.1", "--batch"]) == 0
    assert "of them farther off than simulation may be" in capsys.readouterr().out


def test_users_of_a_class_keep_a_device_busy_beside_a_stream() -> None:
    """Nine places, each at the device most of the time, before and after 194/s of 1.2 ms: by simulation 27.9/s."""
    regions = [zos.CicsRegion("A", lpar="P", mxt=201), zos.CicsRegion("B", lpar="P", mxt=40, tranclasses={"T": 9})]
    classed = zos.Work("users", users=400, think_time=0.01, regions="B", open_cpu=0.0002, devices={"D": 0.06275}, tranclass="T")
    found = _solved(regions, [classed, zos.Work("stream", rate=194.0, regions="A", qr_cpu=1e-5, devices={"D": 0.00118})], 2)
    assert found.settled
    assert found.rate[0] == pytest.approx((2 - 194 * 0.00118) / 0.06275, rel=0.2)  # what the stream leaves, or some less


def test_a_class_of_all_the_work_is_a_limit() -> None:
    """A TRANCLASS of 12 in a region whose work is all of it: MXT 12."""
    step = {"qr_cpu": 0.0004, "devices": {"D": 0.05}}
    users = {"users": 300, "think_time": 1.0}
    one = _solved([zos.CicsRegion("A", lpar="P", mxt=12)], [zos.Work("w", regions="A", **users, **step)])
    region = zos.CicsRegion("A", lpar="P", mxt=500, tranclasses={"T": 12})
    two = _solved([region], [zos.Work("w", regions="A", tranclass="T", **users, **step)])
    assert two.response == pytest.approx(one.response)


def test_a_device_behind_a_limit_holds_no_more_than_the_limit() -> None:
    """40,000 users, 30 places, a device that does 500 a second: it is what decides, and the rest waits for the limit."""
    step = {"qr_cpu": 0.0001, "devices": {"D": 0.002}}
    found = _solved(
        [zos.CicsRegion("A", lpar="P", mxt=30)], [zos.Work("w", users=40_000, think_time=50.0, regions="A", **step)], 1
    )
    assert found.settled
    assert found.rate[0] == pytest.approx(500, rel=0.01)
    assert float(found.flow @ found.holds()) <= 30.0001
    assert broken(found) == []


def test_users_do_not_make_a_stream_refused() -> None:
    """Users of long requests at a device, and a stream of short ones that takes half of it: both have an answer."""
    work = [
        zos.Work("u", users=50, think_time=0.1, regions="A", delay=0.001, devices={"D": 0.1}),
        zos.Work("s", rate=50, regions="B", delay=0.001, devices={"D": 0.01}),
    ]
    found = _solved([zos.CicsRegion("A", lpar="P", mxt=900), zos.CicsRegion("B", lpar="P", mxt=2000)], work, 1)
    assert found.rate[1] == 50
    assert found.rate[0] * 0.1 + 0.5 == pytest.approx(1, abs=0.02)


def test_users_beside_fixed_cpu_do_not_wait_for_it_as_for_each_other() -> None:
    """One user on 6 CPs of which fixed CPU takes 1: the time of the work alone."""
    lpars = [zos.Lpar("P", processors=6, fixed_cpu=1.0)]
    work = [zos.Work("w", users=1, think_time=4.0, regions="A", qr_cpu=0.001, open_cpu=0.001)]
    found = solved_point(zos.System(lpars=lpars, regions=[zos.CicsRegion("A", lpar="P")], work=work)).work
    assert found.response[0] == pytest.approx(0.002, rel=0.01)

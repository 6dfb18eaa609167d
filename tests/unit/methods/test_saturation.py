"""Open networks at and beyond what a station can serve."""

from __future__ import annotations

from dataclasses import replace

import pytest
from qnsolve import Delay, LoadDependent, Network, Queue, SaturatedError, solve

from tests.support import zoo

CPU, DISK = Queue("cpu"), Queue("disk", servers=4)
FALLING = LoadDependent("pool", rates=[3.0, 0.5])

# model, station, utilization, class, highest rate of that class
CASES = {
    "one class, above": (Network([CPU], [zoo.opened("a", 2.5, cpu=1.0)]), "cpu", 2.5, "a", 1.0),
    "exactly 1": (Network([CPU], [zoo.opened("a", 4.0, cpu=0.25)]), "cpu", 1.0, "a", 4.0),
    "exactly 1, four servers": (Network([DISK], [zoo.opened("a", 4.0, disk=1.0)]), "disk", 1.0, "a", 4.0),
    "the class that loads it most": (
        Network([CPU, DISK], [zoo.opened("a", 0.2, cpu=1.0, disk=1.0), zoo.opened("b", 0.9, cpu=1.0)]),
        "cpu",
        1.1,
        "b",
        0.8,
    ),
    "the most loaded station": (
        Network([CPU, DISK], [zoo.opened("a", 1.1, cpu=1.0, disk=8.0)]),
        "disk",
        2.2,
        "a",
        0.5,
    ),
    "the last speed holds": (Network([FALLING, CPU], [zoo.opened("a", 0.8, pool=1.0, cpu=0.1)]), "pool", 1.6, "a", 0.5),
    "the others alone saturate": (
        Network([CPU], [zoo.opened("a", 1.5, cpu=1.0), zoo.opened("b", 1.2, cpu=1.0)]),
        "cpu",
        2.7,
        "a",
        0.0,
    ),
}


@pytest.mark.parametrize("name", CASES)
def test_saturation_is_reported(name: str) -> None:
    """Saturation names the station, the utilization, the class that loads it most, and its highest stable rate."""
    model, station, utilization, job_class, highest = CASES[name]
    with pytest.raises(SaturatedError) as info:
        solve(model)
    error = info.value
    assert error.station == station
    assert error.utilization == pytest.approx(utilization, rel=1e-12)
    assert error.class_name == job_class
    assert error.highest_rate == pytest.approx(highest, rel=1e-12, abs=1e-12)
    assert error.exit_code == 3
    text = str(error)
    assert "\n" not in text
    for message in (repr(station), f"{utilization:.6g}", repr(job_class)):
        assert message in text
    assert (f"{highest:.6g}/s" in text) == (highest > 0)


@pytest.mark.parametrize("name", [name for name, case in CASES.items() if case[4] > 0])
def test_just_below_the_highest_rate_is_stable(name: str) -> None:
    """With the named class a millionth below its highest stable rate the network is solved, and saturates at that rate."""
    model, station, _, job_class, _ = CASES[name]
    with pytest.raises(SaturatedError) as info:
        solve(model)
    highest = info.value.highest_rate
    result = solve(model.replace(job_class, arrival_rate=highest * (1 - 1e-6)))
    others = [c.arrival_rate * c.demand(station) for c in model.classes if c.name != job_class]
    assert result[station].queue_length > 1e4 * (1 - sum(others))
    with pytest.raises(SaturatedError):
        solve(model.replace(job_class, arrival_rate=highest * (1 + 1e-9)))


def test_where_no_rate_helps_all_rates_are_scaled() -> None:
    """Where the other classes alone saturate, the error says by what all rates together must shrink."""
    model = CASES["the others alone saturate"][0]
    with pytest.raises(SaturatedError, match=r"no rate of it is stable.*0\.3704") as info:
        solve(model)
    share = 1 / info.value.utilization
    for factor, stable in ((share * (1 - 1e-6), True), (share * (1 + 1e-6), False)):
        scaled = replace(model, classes=[replace(c, arrival_rate=c.arrival_rate * factor) for c in model.classes])
        if stable:
            assert solve(scaled)["cpu"].utilization < 1
        else:
            with pytest.raises(SaturatedError):
                solve(scaled)


@pytest.mark.parametrize("rate", [1e3, 1e6])
def test_a_delay_never_saturates(rate: float) -> None:
    """A delay station holds λ·D jobs at any rate."""
    result = solve(Network([Delay("net"), CPU], [zoo.opened("a", rate, net=3.0)]))
    assert result["net"].queue_length == pytest.approx(3.0 * rate, rel=1e-14)


def test_an_unstable_station_without_arrivals_does_not_matter() -> None:
    """A class without arrivals loads nothing, however long its demands."""
    result = solve(Network([CPU], [zoo.opened("a", 0.0, cpu=1e9), zoo.opened("b", 0.5, cpu=1.0)]))
    assert result["b"].response_time == pytest.approx(2.0, rel=1e-14)
    assert result["a", "cpu"].residence_time == pytest.approx(2e9, rel=1e-14)

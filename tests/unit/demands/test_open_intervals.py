"""Intervals of several classes: demands found again, their intervals of confidence, what cannot be known."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
import qnsolve as qn
from qnsolve import measure

RNG = np.random.default_rng(7)
READ, WRITE = RNG.uniform(5, 30, 60), RNG.uniform(1, 10, 60)
BUSY = (0.2 + 0.02 * READ + 0.09 * WRITE) / 4


def test_exact_intervals_give_their_demands() -> None:
    """Demands, base and the utilization of other intervals, without error."""
    fit = measure.fit_intervals({"read": READ, "write": WRITE}, BUSY, 4)
    assert fit.demands["read"].value == pytest.approx(0.02, rel=1e-9)
    assert fit.demands["write"].value == pytest.approx(0.09, rel=1e-9)
    assert fit.base.value == pytest.approx(0.2, rel=1e-9)
    assert fit.explained == pytest.approx(1)
    assert fit.predict({"write": [5.0], "read": [50.0]}).busy == pytest.approx([(0.2 + 1.0 + 0.45) / 4], rel=1e-9)


def test_intervals_of_confidence_hold_the_demands() -> None:
    """With noise, 19 of 20 intervals hold the true demand: of 200 at least 180 and not all."""
    held = []
    for seed in range(100):
        noise = np.random.default_rng(seed).normal(0, 0.02, len(READ))
        fit = measure.fit_intervals({"read": READ, "write": WRITE}, BUSY + noise, 4)
        for name, true in (("read", 0.02), ("write", 0.09)):
            held.append(fit.demands[name].lowest < true < fit.demands[name].highest)
    assert 180 <= sum(held) < 200


def test_classes_that_move_together_are_noted() -> None:
    """Their sum is known, their parts are not: the inflation is large and a note says so."""
    noise = np.random.default_rng(1).normal(0, 0.002, len(READ))
    twin = READ * 2 + np.random.default_rng(2).normal(0, 0.05, len(READ))
    fit = measure.fit_intervals({"read": READ, "twin": twin}, (0.01 * READ + 0.01 * twin) / 4 + noise, 4)
    assert fit.demands["read"].inflation > 100
    assert "read, twin move together" in fit.notes[0]
    assert fit.predict({"read": [20], "twin": [40]}).busy == pytest.approx([0.15], rel=0.02)


def test_multiples_of_one_class_have_no_demands_of_their_own() -> None:
    """Each may have nothing or all: intervals that hold both, though the fitted numbers are exact."""
    noise = np.random.default_rng(1).normal(0, 0.002, len(READ))
    for busy in ((0.01 * READ + 0.2) / 4, (0.01 * READ + 0.2) / 4 + noise):
        fit = measure.fit_intervals({"read": READ, "twin": READ * 2, "write": WRITE}, busy, 4)
        for name, all_of_it in (("read", 0.01), ("twin", 0.005)):
            assert fit.demands[name].lowest == 0
            assert fit.demands[name].highest >= all_of_it
        assert fit.demands["write"].highest < 0.002


@pytest.mark.parametrize("unit", [1e9, 1e-9])
def test_units_of_rates_do_not_matter(unit: float) -> None:
    """Bytes beside transactions: demand and interval in proportion."""
    busy = BUSY + np.random.default_rng(5).normal(0, 0.02, len(READ))
    plain = measure.fit_intervals({"read": READ, "write": WRITE}, busy, 4)
    found = measure.fit_intervals({"read": READ * unit, "write": WRITE}, busy, 4)
    for name, times in (("read", unit), ("write", 1.0)):
        for key in ("value", "lowest", "highest"):
            assert getattr(found.demands[name], key) * times == pytest.approx(getattr(plain.demands[name], key), rel=1e-6)


def test_a_demand_below_zero_is_held_at_zero() -> None:
    """A class without use: 0, with an upper end, and a note."""
    noise = np.random.default_rng(3).normal(0, 0.02, len(READ))
    found = [measure.fit_intervals({"read": READ, "write": WRITE}, 0.1 + 0.01 * READ + s * noise) for s in (1, -1)]
    held = next(fit for fit in found if fit.demands["write"].value == 0)
    assert held.demands["write"].highest > 0
    assert "do not distinguish the demand of write from 0" in held.notes[0]


@pytest.mark.parametrize("servers", [1, 4])
def test_responses_follow_the_stretch(servers: int) -> None:
    """A response of an M/M/m queue and a delay is found again, and predicted at other rates."""
    busy = BUSY * 0.9
    stretch = qn.stations.mmc_arrays(busy * servers, 1.0, servers).response_time
    fit = measure.fit_intervals({"read": READ, "write": WRITE}, busy, servers, response_times={"read": 0.03 + 0.02 * stretch})
    assert fit.responses["read"] == pytest.approx((0.03, 0.02), rel=1e-6)
    there = fit.predict({"read": [20, 1000], "write": [5, 5]})
    again = qn.stations.mmc_arrays(there.busy[:1] * servers, 1.0, servers).response_time
    assert there.response_times["read"][0] == pytest.approx(0.03 + 0.02 * float(again[0]), rel=1e-9)
    assert there.response_times["read"][1] == np.inf


def test_time_that_is_not_charged_is_noted() -> None:
    """Busy servers over the time that is charged to the work: the capture ratio."""
    fit = measure.fit_intervals({"read": READ, "write": WRITE}, BUSY, 4, captured=BUSY * 4 / 1.33)
    assert fit.captured == pytest.approx(1 / 1.33)
    assert fit.notes[-1].startswith("the servers are busy 1.33 times the time that is charged to the work")
    assert measure.fit_intervals({"read": READ, "write": WRITE}, BUSY, 4, captured=BUSY * 4).notes == ()


@pytest.mark.parametrize(
    ("wrong", "text"),
    [
        (lambda: measure.fit_intervals({}, [0.1]), r"rates = \{\}: must give the rates of each class"),
        (lambda: measure.fit_intervals({"a": [1, 2]}, [0.1, 0.2]), "rates = 2: must have 3 intervals or more for 1 class"),
        (lambda: measure.fit_intervals({"a": [1, 2, 3]}, [0.1, 0.2]), "a, busy: must have one value for each interval"),
        (
            lambda: measure.fit_intervals({"a": [0, 0, 0]}, [0.1, 0.2, 0.3]),
            r"rates\['a'\] = 0.0: must not be 0",
        ),
        (
            lambda: measure.fit_intervals({"a": [2, 2, 2]}, [0.1, 0.2, 0.3]),
            r"rates\['a'\] = 2.0: must differ",
        ),
        (lambda: measure.fit_intervals({"a": [1, 2, 3]}, [10, 20, 30]), "busy, value 1 = 10.0: must lie within 0 and 1"),
        (
            lambda: measure.fit_intervals({"a": [1, 2, 3]}, [0.1, 0.2, 0.3], response_times={"b": [1, 1, 1]}),
            "response_times = 'b': must be of the classes a; name one of them",
        ),
        (
            lambda: measure.fit_intervals({"a": [1, 2, 3]}, [0.1, 0.2, 0.3], response_times=[1, 1, 1]),  # type: ignore[arg-type]
            "response_times = .*: must give the responses of each class",
        ),
        (
            lambda: measure.fit_intervals({"a": [1, 2, 3]}, [0.1, 0.2, 0.3]).predict({"b": [1]}),
            "rates = 'b': must have",
        ),
    ],
)
def test_bad_intervals_are_one_line(wrong: Callable[[], object], text: str) -> None:
    """Item, value, rule and repair."""
    with pytest.raises(qn.ModelError, match=text) as caught:
        wrong()
    assert "\n" not in str(caught.value)
    assert len(str(caught.value)) < 300
    assert ";" in str(caught.value)

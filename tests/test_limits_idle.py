"""Limits on parts of the network beside a class that asks for nothing: it is as if it were not there."""

from __future__ import annotations

import pytest
import qnsolve as qn
import zoo


@pytest.mark.parametrize("stations", [["x"], None])
@pytest.mark.parametrize("method", ["limits", "markov"])
def test_a_class_without_demands_changes_nothing(method: str, stations: list[str] | None) -> None:
    """With limits one within another, and visits of which some are none."""
    places = [qn.Queue("x"), qn.Queue("y")]
    busy = qn.ClosedClass("a", population=3, think_time=1.0, visits={"x": 0.5, "y": 0.3}, service_times={"x": 0.2, "y": 0.4})
    limits = [qn.AdmissionLimit(1, name="one", stations=stations), qn.AdmissionLimit(2, name="two", stations=stations)]
    alone = qn.solve(qn.Network(places, [busy, zoo.closed("b", 2, 1.0, x=0.1)], limits), method)
    idle = zoo.closed("idle", 1, 2.0)
    found = qn.solve(qn.Network(places, [busy, idle, zoo.closed("b", 2, 1.0, x=0.1)], limits), method)
    for name in "ab":
        assert found[name].throughput == pytest.approx(alone[name].throughput, rel=1e-10)
        assert found[name].response_time == pytest.approx(alone[name].response_time, rel=1e-10)
    assert found["idle"].throughput == pytest.approx(0.5, rel=1e-12)

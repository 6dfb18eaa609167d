"""What `auto` takes: exact where exact is cheap, and the same process for visits of 1 as for demands."""

from __future__ import annotations

import pytest
import qnsolve as qn


def site(population: int, discipline: str = "nonpreemptive", *, visits: bool = False) -> qn.Network:
    """Two classes of different priority at one line."""

    def job_class(name: str, jobs: int, priority: int, **times: float) -> qn.ClosedClass:
        given = {"visits": dict.fromkeys(times, 1), "service_times": times} if visits else {"demands": times}
        return qn.ClosedClass(name, population=jobs, priority=priority, **given)

    classes = [job_class("a", population, 1, line=0.02, disk=0.2), job_class("b", 3 * population, 2, line=0.05, disk=0.05)]
    return qn.Network([qn.Queue("line", discipline=discipline), qn.Queue("disk")], classes)


@pytest.mark.parametrize("discipline", ["nonpreemptive", "preemptive", "fcfs"])
def test_a_small_chain_is_exact(discipline: str) -> None:
    """A model whose Markov chain has some hundreds of states is answered by it, and `methods` shows so."""
    model = site(2 if discipline != "fcfs" else 1, discipline)
    solution = qn.solve(model)
    assert (solution.method, solution.exact) == ("markov", True)
    assert [report.name for report in qn.methods(model) if report.auto] == ["markov"]


def test_a_large_one_is_approximate() -> None:
    """With more jobs the approximation comes first again."""
    model = site(40)
    assert qn.solve(model).method == next(report.name for report in qn.methods(model) if report.auto) != "markov"


@pytest.mark.parametrize("discipline", ["nonpreemptive", "preemptive", "fcfs"])
@pytest.mark.parametrize("method", ["auto", "markov", "aggregation"])
def test_visits_of_one_are_demands(discipline: str, method: str) -> None:
    """Visits of exactly 1 everywhere mean the same process as demands: one visit to each station, in order."""
    by_visits, by_demands = (qn.solve(site(2, discipline, visits=v), method) for v in (True, False))
    for one, other in zip(by_visits.classes, by_demands.classes, strict=True):
        assert one.throughput == pytest.approx(other.throughput, rel=1e-12)
        assert one.response_time == pytest.approx(other.response_time, rel=1e-12)
    assert by_visits.notes == by_demands.notes


def test_a_random_way_is_noted() -> None:
    """Other visits mean a random way, and where that matters a note says so; in a product form it does not matter."""
    model = site(2)
    model = model.replace("a", demands=None, visits={"line": 2, "disk": 1}, service_times={"line": 0.01, "disk": 0.2})
    assert any("random routing" in note for note in qn.solve(model).notes)
    shared = qn.Network([qn.Queue("line"), qn.Queue("disk")], model.classes)
    assert not any("random routing" in note for note in qn.solve(shared).notes)

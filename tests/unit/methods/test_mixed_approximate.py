"""The approximate methods on open and closed classes together."""

from __future__ import annotations

import numpy as np
import pytest
import qnsolve as qn

from benchmarks import accuracy
from tests.support import zoo

ITERATED = ("linearizer", "aql", "schweitzer")
MIXED = [name for name, model in zoo.HAND_MADE.items() if "mixed" in zoo.accepting(name) and zoo.jobs(model) == float("inf")]


def _large(jobs: int = 200) -> qn.Network:
    """Five classes of 200 jobs and two open ones: a lattice of 3e11 points."""
    rng = np.random.default_rng(1)
    stations = [qn.Queue(f"s{k}", servers=m) for k, m in enumerate((1, 1, 4, 16, 2))]
    demands = [{s.name: s.servers * float(10 ** rng.uniform(-2, -0.5)) for s in stations} for _ in range(7)]
    closed = [qn.ClosedClass(f"c{r}", population=jobs, think_time=10.0, demands=d) for r, d in enumerate(demands[:5])]
    return qn.Network(
        stations, [*closed, *(qn.OpenClass(f"o{r}", arrival_rate=0.5, demands=d) for r, d in enumerate(demands[5:]))]
    )


@pytest.mark.parametrize("method", ITERATED)
def test_near_the_exact_answer(method: str) -> None:
    """On the mixed models of the zoo within the largest error measured on the family, at open and closed classes alike."""
    checked = 0
    for name in MIXED:
        if method not in zoo.accepting(name):
            continue
        exact, found = zoo.solved(name, "mixed"), zoo.solved(name, method)
        for a, b in zip(found.classes, exact.classes, strict=True):
            assert a.response_time == pytest.approx(b.response_time, rel=0.33 if method == "schweitzer" else 0.047)
        checked += 1
    assert checked >= 5


@pytest.mark.slow
@pytest.mark.parametrize("method", ITERATED)
def test_errors_of_the_family(method: str) -> None:
    """A part of the published family: mean response error below 1 %, 5 % for the roughest."""
    errors = []
    for model in accuracy.models("open and closed", 40):
        exact, found = qn.solve(model, "exact"), qn.solve(model, method)
        errors.append(
            max(abs(a.response_time / b.response_time - 1) for a, b in zip(found.classes, exact.classes, strict=True))
        )
    assert np.mean(errors) < (0.05 if method == "schweitzer" else 0.01)


def test_open_classes_alone_see_an_exact_answer() -> None:
    """Where no closed class visits a station, its open jobs are served exactly as without them."""
    stations = [qn.Queue("cpu"), qn.Queue("tape", servers=3)]
    inside = zoo.closed("query", 5, 1.0, cpu=0.4)
    outside = zoo.opened("copy", 1.2, tape=2.0)
    found = qn.solve(qn.Network(stations, [inside, outside]), "linearizer")
    alone = qn.solve(qn.Network(stations, [outside]))
    assert found["copy"].response_time == pytest.approx(alone["copy"].response_time, rel=1e-12)


def test_one_closed_job_beside_open_ones_is_exact() -> None:
    """A closed job alone meets no other closed one: what it and the open jobs see is exact."""
    stations = [qn.Queue("cpu"), qn.Queue("disk", servers=2)]
    model = qn.Network(stations, [zoo.closed("a", 1, 1.0, cpu=0.4, disk=0.3), zoo.opened("b", 0.9, cpu=0.6, disk=1.0)])
    exact = qn.solve(model, "exact")
    for method in ITERATED:
        found = qn.solve(model, method)
        for name in "ab":
            assert found[name].response_time == pytest.approx(exact[name].response_time, rel=1e-9)


def test_auto_takes_what_is_too_large_for_mixed() -> None:
    """Where `mixed` refuses, "auto" takes the Linearizer, and its methods agree; open rates are kept to the bit."""
    model = _large()
    assert "population lattice" in next(r.reason for r in qn.methods(model) if r.name == "mixed")
    found, other = qn.solve(model), qn.solve(model, "aql")
    assert (found.method, found.exact) == ("linearizer", False)
    for a, b in zip(found.classes, other.classes, strict=True):
        assert a.response_time == pytest.approx(b.response_time, rel=0.02)
    assert [found[f"o{r}"].throughput for r in range(2)] == [0.5, 0.5]
    assert found.distribution("s0").sum() == pytest.approx(1, rel=1e-12)


def test_what_is_refused() -> None:
    """Saturation by open classes, open classes alone, and closed classes without jobs."""
    model = _large(3)
    with pytest.raises(qn.SaturatedError):
        qn.solve(model.replace("o0", arrival_rate=50.0), "linearizer")
    reasons = {
        "alone or beside open ones": qn.Network([qn.Queue("cpu")], [zoo.opened("a", 0.5, cpu=1.0)]),
        "no closed class has a job": zoo.HAND_MADE["mixed, nobody inside"],
        "rates fall again": qn.Network([zoo.SLOWING], [zoo.closed("a", 3, 1.0, slow=0.5), zoo.opened("b", 0.1, slow=1.0)]),
    }
    for reason, refused in reasons.items():
        assert reason in next(r.reason for r in qn.methods(refused) if r.name == "linearizer")

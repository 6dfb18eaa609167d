"""One solve and one compare for networks and systems."""

from __future__ import annotations

import math

import pytest
import qnsolve as qn
from qnsolve.zos import System, SystemResult

TEXT = 'lpars = [{name = "P", processors = 2}]\nregions = [{name = "A", lpar = "P", mxt = 10}]\n'
TEXT += 'work = [{name = "orders", rate = %d, regions = "A", qr_cpu = 0.002}]'
NETWORK = qn.Network([qn.Queue("cpu")], [qn.ClosedClass("a", population=2, think_time=1.0, demands={"cpu": 1.0})])


@pytest.fixture(scope="module")
def system() -> System:
    """A system."""
    found = qn.loads(TEXT % 100)
    assert isinstance(found, System)
    return found


def test_solve_takes_networks_and_systems(system: System) -> None:
    """The function and the method of the model give the same answer."""
    assert isinstance(qn.solve(NETWORK), qn.Solution)
    assert isinstance(qn.solve(system), SystemResult)
    assert qn.solve(NETWORK).as_dict() == NETWORK.solve().as_dict()
    assert qn.solve(NETWORK, method="lattice").method == NETWORK.solve(method="lattice").method == "lattice"
    assert qn.solve(system).as_dict() == system.solve().as_dict()


@pytest.mark.parametrize("wrong", [None, "model.toml", 3, {}, qn.Queue("cpu")])
def test_what_is_no_model_is_refused(wrong: object) -> None:
    """By `solve` and by `compare`."""
    for call in (lambda: qn.solve(wrong), lambda: qn.compare(NETWORK, wrong), lambda: qn.compare(wrong, NETWORK)):
        with pytest.raises(qn.ModelError) as raised:
            call()
        assert "\n" not in str(raised.value)


def test_compare_of_networks() -> None:
    """Models or their solutions; a row a figure that both have, the change in percent."""
    after = NETWORK.replace("cpu", servers=2)
    found = qn.compare(NETWORK, after)
    rows = {(row["name"], row["figure"]): row for row in found.rows()}
    row = rows["a", "throughput"]
    assert (row["before"], row["after"]) == (NETWORK.solve()["a"].throughput, after.solve()["a"].throughput)
    assert row["change_percent"] == pytest.approx(25.0)
    assert qn.compare(NETWORK.solve(), after.solve()).as_dict() == found.as_dict()
    assert str(qn.compare(NETWORK.solve(), after)) == str(found)
    assert "a: response time 1.5 s to 1 s" in str(found)


def test_compare_of_equal_models_has_no_table() -> None:
    """No figure moved."""
    found = qn.compare(NETWORK, NETWORK)
    assert found.tables() == []
    assert all(row["change_percent"] in (0.0, None) or math.isnan(row["change_percent"]) for row in found.rows())


def test_compare_of_systems(system: System) -> None:
    """The same for systems."""
    after = qn.loads(TEXT % 150)
    found = qn.compare(system, after)
    row = next(row for row in found.rows() if (row["name"], row["figure"]) == ("orders", "etr"))
    assert (row["before"], row["after"], row["change_percent"]) == (100.0, 150.0, pytest.approx(50.0))
    assert ["orders", "ETR", "1/s"] in [line[:3] for line in found.tables()[0].body]
    assert found.sentences() == after.solve().changes_since(system.solve())


def test_compare_of_a_network_and_a_system_is_refused(system: System) -> None:
    """In one line, whichever comes first."""
    for pair in ((NETWORK, system), (system, NETWORK), (NETWORK.solve(), system.solve())):
        with pytest.raises(qn.ModelError) as raised:
            qn.compare(*pair)
        assert raised.value.item == "compare"

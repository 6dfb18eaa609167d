"""One name for each question and quantity; old names go on as aliases that say so."""

from __future__ import annotations

from typing import Any

import pytest
from qnsolve_excel import call, catalogue
from qnsolve_excel.catalogue import OLD_NAMES
from qnsolve_excel.formula import parsed

OLD = {
    "ERLANG_B_SERVERS": "ERLANG_B_FEWEST_SERVERS",
    "MMC_RATE_FOR_RESPONSE": "MMC_HIGHEST_RATE",
    "MMC_SERVERS_FOR_RESPONSE": "MMC_FEWEST_SERVERS",
    "POPULATION_FOR_RESPONSE": "HIGHEST_POPULATION",
    "RATE_FOR_RESPONSE": "HIGHEST_RATE",
    "SERVERS_FOR_RESPONSE": "FEWEST_SERVERS",
    "SYSTEM_GROW": "GROWTH",
    "SYSTEM_MOST_WORK": "HEADROOM",
}
LPARS = [["name", "processors"], ["PROD", 8.0]]
REGIONS = [["name", "lpar", "mxt"], ["AOR1", "PROD", 50.0]]
WORK = [["name", "rate", "regions", "qr_cpu", "delay"], ["orders", 900.0, "AOR1", 0.0008, 0.04]]
TABLES = [LPARS, REGIONS, WORK]


@pytest.mark.parametrize("name", sorted(OLD))
def test_old_names_return_the_same_and_say_so(name: str) -> None:
    """Arguments, examples and answers are those of the name of today."""
    old, new = catalogue()[name], catalogue()[OLD[name]]
    assert (old.now, old.group, new.now) == (new.name, OLD_NAMES, "")
    assert old.summary == f"Old name of QN.{new.name}, which returns the same."
    assert old.arguments == new.arguments
    for example, wanted in zip(old.examples, new.examples, strict=True):
        assert parsed(example)[0] == name
        assert call(*parsed(example)) == call(*parsed(wanted))


def test_no_other_name_is_old() -> None:
    """The catalogue holds these and no others."""
    assert {name for name, function in catalogue().items() if function.now} == set(OLD)


def figures(table: Any) -> set[str]:
    """The third column."""
    assert isinstance(table, list), table
    return {row[2] for row in table[1:]}


def test_quantities_have_one_name() -> None:
    """Admission wait and fraction delayed, in each table of a system; the old names of figures are still read."""
    assert {"admission wait", "fraction delayed"} <= figures(call("SYSTEM", TABLES))
    assert not {"limit wait", "delayed percent"} & figures(call("SYSTEM", TABLES))
    assert {"admission wait", "fraction delayed"} <= figures(call("COMPARE", [*TABLES, *TABLES]))
    share = call("SYSTEM_FIGURE", [*TABLES, "AOR1", "fraction delayed"])
    assert isinstance(share, float)
    assert 0 < share < 1
    assert call("SYSTEM_FIGURE", [*TABLES, "AOR1", "delayed percent"]) == pytest.approx(100 * share)
    assert call("SYSTEM_FIGURE", [*TABLES, "AOR1", "limit wait"]) == call("SYSTEM_FIGURE", [*TABLES, "AOR1", "admission wait"])
    growth = call("GROWTH", [*TABLES, [[1.0, 1.1]]])
    assert isinstance(growth, list)
    assert growth[0][4] == "admission wait"


def test_growth_has_as_many_rows_at_each_load() -> None:
    """A factor that cannot be served keeps its row, with the reason."""
    rows = call("GROWTH", [LPARS, REGIONS, [*WORK, ["mail", 10.0, "AOR1", 0.0008, None]], [[1.0, 2.0, 0.5]]])
    assert isinstance(rows, list)
    assert [row[:2] for row in rows[1:]] == [[f, name] for name in ("orders", "mail") for f in (1.0, 2.0, 0.5)]
    assert rows[2][2:5] == ["", "", ""]
    assert rows[2][5].startswith("saturated")


def test_compare_is_the_change_of_each_figure() -> None:
    """Relative; a system against itself has none."""
    faster = [LPARS[0], ["PROD", 16.0]]
    rows = call("COMPARE", [*TABLES, faster, REGIONS, WORK])
    assert isinstance(rows, list)
    found = {(row[1], row[2]): row[3:] for row in rows[1:]}
    before, after, change = found["PROD", "cpu percent"]
    assert change == pytest.approx(after / before - 1) == pytest.approx(-0.5)
    same = call("COMPARE", [*TABLES, *TABLES])
    assert isinstance(same, list)
    assert {row[5] for row in same[1:]} <= {0.0, ""}


def test_system_check_is_one_text() -> None:
    """What fills up first comes first; of a system that cannot be solved the reason."""
    assert str(call("SYSTEM_CHECK", TABLES)).startswith("first to fill up: AOR1 MXT")
    assert "saturated" in str(call("SYSTEM_CHECK", [LPARS, REGIONS, [WORK[0], ["orders", 1300.0, "AOR1", 0.0008, None]]]))

"""The figures that the planner's page shows."""

from __future__ import annotations

from typing import Any

import pytest
import qnsolve as qn
from qnsolve.files.system_file import system_from_data, system_to_data
from qnsolve.files.system_templates import TEMPLATES, template_text
from qnsolve_excel.planner.part_figures import figure_tree

from tests.support.planner_host import ten_regions


def _all(tree: list[dict[str, Any]]) -> list[dict[str, Any]]:
    return [figure for part in tree for item in part["items"] for figure in item["figures"]]


def _at(data: Any, path: list[Any]) -> Any:
    for key in path[:-1]:
        data = data[key]
    return data.get(path[-1]) if isinstance(data, dict) else data[path[-1]]


@pytest.mark.parametrize("name", TEMPLATES)
def test_each_figure_is_where_its_path_leads(name: str) -> None:
    """With its value, its meaning and, where it is a time or a rate, its unit; defaults are marked as not given."""
    system = qn.loads(template_text(name))
    data = system_to_data(system)  # type: ignore[arg-type]
    for figure in _all(figure_tree(system, data)):  # type: ignore[arg-type]
        for path in figure["paths"]:
            there = _at(data, path)
            assert there == figure["value"] if figure["given"] else there is None
        assert figure["help"], figure["paths"]
        assert figure["kind"] in ("number", "flag", "choice")
        assert figure["label"][0].isupper() or figure["label"].startswith("zIIP")
        if figure["unit"] == "s":
            assert figure["shown_unit"] in ("s", "ms", "µs")


def test_the_unit_beside_a_figure_fits_its_factor() -> None:
    """0.002 s of CPU are shown as 2 ms."""
    data = ten_regions()
    figures = {tuple(each["paths"][0]): each for each in _all(figure_tree(system_from_data(data), data))}
    cpu = figures[("work", 0, "steps", 1, "qr_cpu")]
    assert (cpu["shown_unit"], cpu["factor"] * cpu["value"]) == ("ms", pytest.approx(2.0))
    assert cpu["label"] == "QR CPU"
    assert cpu["group"] == "step 2: AOR1 to AOR8 (8)"
    assert figures[("regions", 2, "mxt")]["whole"]


def test_equal_regions_are_one_item() -> None:
    """Their figures lead to each of them; one by one they are ten items."""
    data = ten_regions()
    regions = figure_tree(system_from_data(data), data)[1]["items"]
    assert [each["name"] for each in regions] == ["TOR1, TOR2", "AOR1 to AOR8 (8)"]
    assert [path[1] for path in regions[1]["figures"][0]["paths"]] == list(range(2, 10))
    single = figure_tree(system_from_data(data), data, together=False)[1]["items"]
    assert [each["name"] for each in single] == [each["name"] for each in data["regions"]]

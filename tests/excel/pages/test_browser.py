"""The script that Excel runs and the page to try the functions, in a real browser against the running server."""

from __future__ import annotations

import html
from collections.abc import Iterator
from pathlib import Path

import pytest
from qnsolve_excel import call, catalogue
from qnsolve_excel.formula import parsed
from qnsolve_excel.officejs import wire

from tests.support.browser_host import TOKEN, Harness, dom, ran, serving


@pytest.fixture(scope="module")
def served() -> Iterator[Harness]:
    """It runs."""
    with serving() as harness:
        yield harness


@pytest.mark.slow
def test_every_example_in_one_request(served: Harness, tmp_path: Path) -> None:
    """Each function is known to the browser; its answers are those of direct calls; one request holds them all."""
    asked = [parsed(example) for function in catalogue().values() for example in function.examples]
    found = ran(served, [{"f": name, "a": [wire.given(value) for value in given]} for name, given in asked], tmp_path)
    assert found["known"] == list(catalogue())
    assert found["counts"] == {"requests": 1, "calls": len(asked)}
    for (name, given), answer in zip(asked, found["found"], strict=True):
        assert answer == wire.written(call(name, given)), name


def test_a_thousand_cells_are_one_request(served: Harness, tmp_path: Path) -> None:
    """Each with its own value."""
    calls = [{"f": "MMC_RESPONSE", "a": [0.009 * i, 0.1]} for i in range(1, 1001)]
    found = ran(served, calls, tmp_path)
    assert found["counts"] == {"requests": 1, "calls": 1000}
    assert [answer["value"] for answer in found["found"]] == [call("MMC_RESPONSE", [0.009 * i, 0.1]) for i in range(1, 1001)]


def test_a_server_that_does_not_answer_is_reported_in_the_cell(served: Harness, tmp_path: Path) -> None:
    """#N/A, and what to start."""
    served.refusing = True
    try:
        found = ran(served, [{"f": "MMC_RESPONSE", "a": [8, 0.1]}], tmp_path)["found"][0]
    finally:
        served.refusing = False
    assert found["error"] == "#N/A"
    assert "qnsolve addin serve" in found["reason"]
    assert "closed for the day" in found["reason"]


@pytest.mark.parametrize(
    ("name", "shown"),
    [
        ("MMC_RESPONSE", '<div class="value">0.5</div>'),
        ("SOLVE", "<th>residence time</th>"),
        ("ITR", '<div class="value">1500</div>'),
    ],
)
def test_the_page_calculates_the_first_example(served: Harness, tmp_path: Path, name: str, shown: str) -> None:
    """A form for the function, its answer, and the formula to copy."""
    text = dom(f"http://localhost:{served.port}/{TOKEN}/#{name}", tmp_path)
    assert shown in text
    assert f'data-done="{name}"' in text
    assert text.count('<a href="#') == len(catalogue())
    assert f"=QN.{name}(" in html.unescape(text)
    for argument in catalogue()[name].arguments:
        assert html.escape(argument.help, quote=False) in text

"""The page to try the functions, used with the keyboard in a real browser."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from qnsolve_excel import call

from tests.support.browser import Browser, chromium
from tests.support.browser_host import TOKEN, serving


@pytest.fixture(scope="module")
def browser(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Browser]:
    """It runs."""
    with chromium(tmp_path_factory.mktemp("chromium")) as found:
        yield found


def test_a_table_is_typed_with_tabs_or_with_spaces(browser: Browser) -> None:
    """Two tables, as a planner types them; the answer is that of a direct call; Escape and Tab leave the field."""
    with serving() as served:
        browser.ask("Page.navigate", url=f"http://localhost:{served.port}/{TOKEN}/#THROUGHPUT")
        browser.until("!!document.querySelector('[data-done=THROUGHPUT]')")
        browser.evaluate("document.querySelector('.answer').removeAttribute('data-done')")
        browser.evaluate("['a0', 'a1', 'a2'].forEach(function (id) { document.getElementById(id).value = ''; })")
        browser.evaluate("document.getElementById('a0').focus()")
        browser.type("name", "Tab", "servers", "Enter", "main cpu", "Tab", "2", "Enter", "disk", "Tab", "1")
        assert browser.evaluate("document.activeElement.id") == "a0"
        assert browser.evaluate("document.getElementById('a0').value") == "name\tservers\nmain cpu\t2\ndisk\t1"
        browser.type("Escape", "Tab")
        assert browser.evaluate("document.activeElement.id") == "a1"
        browser.type("name", " ", "population", " ", "think_time", " ", '"main', " ", 'cpu"', " ", "disk", "Enter")
        browser.type("query", " ", "60", " ", " ", "12", " ", "0.22", " ", "0.1", "Escape", "Tab", "query", "Enter")
        browser.until("!!document.querySelector('[data-done=THROUGHPUT]')")
        shown = browser.evaluate("document.querySelector('.answer .value').textContent")
    stations = [["name", "servers"], ["main cpu", 2.0], ["disk", 1.0]]
    classes = [["name", "population", "think_time", "main cpu", "disk"], ["query", 60.0, 12.0, 0.22, 0.1]]
    assert float(shown) == pytest.approx(call("THROUGHPUT", [stations, classes, "query"]), rel=1e-9)

"""The planner's page in a browser."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.support.browser import Browser, chromium
from tests.support.planner_host import PlannerHost, planning
from tests.support.planner_page import FAULTS, SETTLED, open_page


@pytest.fixture(scope="module")
def browser(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Browser]:
    """It runs."""
    with chromium(tmp_path_factory.mktemp("chromium")) as found:
        found.ask("Page.enable")
        found.ask("Page.addScriptToEvaluateOnNewDocument", source=FAULTS)
        yield found


@pytest.fixture(scope="module")
def host() -> Iterator[PlannerHost]:
    """It runs."""
    with planning() as found:
        yield found


@pytest.fixture
def page(browser: Browser, host: PlannerHost, tmp_path: Path) -> Iterator[Browser]:
    """The page with the CICS template, as if nothing had been done before; at its end no script has failed."""
    browser.size(1280, 900)
    browser.ask("Browser.setDownloadBehavior", behavior="allow", downloadPath=str(tmp_path))
    open_page(browser, host.address)
    browser.evaluate("document.querySelector('[data-template=cics]').click()")
    browser.until(SETTLED)
    yield browser
    assert browser.evaluate("JSON.stringify(window.faults)") == "[]"

"""The planner's page in a browser, for the tests: what is on it, and keys in its fields."""

from __future__ import annotations

import json
from typing import Any

from tests.support.browser import Browser

ENGINES = '["lpars",0,"processors","engines"]'
FAULTS = "window.faults = []; addEventListener('error', (e) => faults.push(e.message)); "
FAULTS += "addEventListener('unhandledrejection', (e) => faults.push(String(e.reason)));"
ANSWERED = "[document.body.dataset.drawn, document.body.dataset.refused].includes(document.body.dataset.asked)"
SETTLED = (
    f"!!document.body && !!document.body.dataset.drawn && {ANSWERED} && document.getElementById('state').textContent === ''"
)


def open_page(browser: Browser, address: str) -> None:
    """The page, as if nothing had been done before."""
    browser.ask("Page.navigate", url=address)
    browser.until("document.readyState === 'complete' && !!document.body.dataset.ready")
    browser.evaluate("addEventListener('pagehide', () => localStorage.clear()); localStorage.clear(); sessionStorage.clear()")
    browser.ask("Page.navigate", url="about:blank")
    browser.ask("Page.navigate", url=address)
    browser.until("!!document.body && document.body.dataset.ready === 'yes'")


def text_of(browser: Browser, name: str) -> str:
    """The text of an element."""
    return str(browser.evaluate(f"document.getElementById('{name}').textContent"))


def field_of(path: str) -> str:
    """The field of a figure, as a script."""
    return f"document.querySelector({json.dumps(f'#tree input[data-path={json.dumps(path)}]')})"


def focus(browser: Browser, path: str) -> None:
    """The field of a figure has the cursor and all of its text, its part opened."""
    field = field_of(path)
    browser.evaluate(f"{field}.closest('details').open = true")
    browser.evaluate(f"{field}.focus(); {field}.select()")


def curve(browser: Browser) -> list[float]:
    """The values of the first line that is drawn [in the unit of the axis]."""
    script = "JSON.stringify(echarts.getInstanceByDom(document.getElementById('curve')).getOption().series[0].data)"
    found: list[float] = json.loads(browser.evaluate(script))
    return found


def until_changed(browser: Browser, before: Any) -> None:
    """Wait for another whole study than that, until all of it is drawn."""
    browser.until(f"document.body.dataset.whole !== {json.dumps(before)} && {SETTLED}")


def step(browser: Browser, *keys: str) -> None:
    """Keys, until the whole study of what they change is there."""
    before = browser.evaluate("document.body.dataset.whole")
    browser.type(*keys)
    until_changed(browser, before)

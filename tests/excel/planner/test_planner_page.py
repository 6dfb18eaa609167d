"""The planner's page, used as a person does: by keyboard, with files, on a phone, in a real browser."""

from __future__ import annotations

import json
import time
from pathlib import Path

import pytest

from tests.support.browser import Browser
from tests.support.planner_host import QUESTION, PlannerHost, planning, ten_regions
from tests.support.planner_page import ENGINES, SETTLED, curve, focus, open_page, step, text_of, until_changed

FOCUSED = """(() => {
  const one = document.activeElement, label = one.labels && one.labels[0];
  const name = one.getAttribute('aria-label') || (label && label.textContent) || one.textContent || '';
  const id = one.id || one.textContent.slice(0, 20), wide = one.getBoundingClientRect().width > 0;
  return [id, name.trim(), wide, getComputedStyle(one).outlineStyle];
})()"""
WATCHED = """window.seen = [];
new MutationObserver(() => seen.push(document.getElementById('verdict').dataset.sure))
  .observe(document.getElementById('verdict'), { attributes: true, attributeFilter: ['data-sure'] });"""


def test_a_figure_is_changed_by_keyboard_and_undone(page: Browser) -> None:
    """Arrow up is an engine more: verdict, curve and drawing move; Ctrl+Z takes it back, Ctrl+Y does it again."""
    before, was = text_of(page, "verdict"), curve(page)
    assert before.startswith("Holds until 20")
    focus(page, ENGINES)
    step(page, "ArrowUp")
    assert page.evaluate("document.activeElement.value") == "6"
    better = text_of(page, "verdict")
    assert better != before
    assert all(new < old for new, old in zip(curve(page), was, strict=True))
    assert "6 CPs" in text_of(page, "drawing")
    assert page.evaluate("document.querySelector('#curve').getAttribute('aria-label')").startswith(
        "Response time by date. orders:"
    )
    now = page.evaluate("document.body.dataset.whole")
    page.key("z", control=True)
    until_changed(page, now)
    assert text_of(page, "verdict") == before
    assert curve(page) == was
    assert page.evaluate(f"document.querySelector({json.dumps(f'#tree input[data-path={json.dumps(ENGINES)}]')}).value") == "5"
    now = page.evaluate("document.body.dataset.whole")
    page.key("y", control=True)
    until_changed(page, now)
    assert text_of(page, "verdict") == better


def test_every_part_is_reached_by_tab(page: Browser) -> None:
    """From the first element on, each step goes to one that is seen and has a name; the ring of focus is drawn."""
    page.evaluate("document.activeElement.blur(); window.scrollTo(0, 0)")
    seen = []
    for _ in range(45):
        page.type("Tab")
        seen.append(page.evaluate(FOCUSED))
    assert all(name and wide for _, name, wide, _ in seen), [each for each in seen if not (each[1] and each[2])]
    names = [each[0] for each in seen]
    for wanted in ("template", "keep", "tab-plan", "q-growth", "q-until", "find"):
        assert wanted in names
    assert all(style != "none" for name, _, _, style in seen if name in ("keep", "q-growth", "find"))


def test_a_figure_that_cannot_be_is_refused_beside_it(page: Browser) -> None:
    """One line at the field; the old answer stays, greyed; the right figure takes the line away."""
    path = '["regions",0,"mxt"]'
    focus(page, path)
    page.type("5")
    page.until("!!document.querySelector('#tree .wrong')")
    line = page.evaluate("document.querySelector('#tree .wrong').textContent")
    assert "mxt = 5: CICS takes 10 to 2000; correct MXT" in line
    assert page.evaluate("document.activeElement.getAttribute('aria-invalid')") == "true"
    assert page.evaluate("document.getElementById('verdict').classList.contains('old')")
    before = page.evaluate("document.body.dataset.whole")
    page.type("0")  # 50
    until_changed(page, before)
    assert not page.evaluate("document.querySelector('#tree .wrong')")
    page.evaluate("document.activeElement.select()")
    page.type("many")
    assert "must be a number" in page.evaluate("document.querySelector('#tree .wrong').textContent")


def test_the_question_is_asked_in_its_bar(page: Browser) -> None:
    """Another growth, another date; what is no growth is refused beside it."""
    before = text_of(page, "verdict")
    page.evaluate("document.getElementById('q-growth').focus(); document.getElementById('q-growth').select()")
    step(page, "1%/month", "Enter")
    assert text_of(page, "verdict") != before
    assert text_of(page, "headroom").startswith("Headroom: ")
    page.evaluate("document.getElementById('q-growth').select()")
    page.type("much", "Enter")
    page.until("!!document.querySelector('#question small')")
    assert "must be a percentage" in page.evaluate("document.querySelector('#question small').textContent")
    page.evaluate("document.getElementById('q-growth').select()")
    page.type("muc")  # not taken yet: Ctrl+Z is of the field
    before = page.evaluate("document.getElementById('undo').disabled + document.getElementById('verdict').textContent")
    page.key("z", control=True)
    assert page.evaluate("document.getElementById('undo').disabled + document.getElementById('verdict').textContent") == before


def test_seasons_and_special_days_are_asked_in_the_bar(page: Browser, host: PlannerHost, tmp_path: Path) -> None:
    """Both move the verdict; what cannot be is refused beside its field; the model file has them, and opens with them."""
    type_in = "document.getElementById('q-{0}').focus(); document.getElementById('q-{0}').select()"
    page.evaluate(type_in.format("special-days"))
    step(page, "2027-11-26=1.9 Black Friday", "Enter")
    assert "then on 2027-11-26 (Black Friday)" in text_of(page, "verdict")
    page.evaluate(type_in.format("seasons"))
    step(page, "Q4=1.1; orders.12=1.2", "Enter")
    assert "seasons: orders: month 10 x 1.1" in text_of(page, "sentences")
    page.evaluate(type_in.format("seasons"))
    page.type("12=1,3", "Enter")
    page.until("!!document.querySelector('#question small')")
    assert "seasons = '3': must be a name and a factor; write 12=1.3" in text_of(page, "question")
    page.evaluate(type_in.format("seasons"))
    step(page, "Q4=1.1; orders.12=1.2", "Enter")
    page.evaluate("document.getElementById('export').value = 'toml'")
    page.evaluate("document.getElementById('export').dispatchEvent(new Event('change'))")
    file = tmp_path / "CICS-site.toml"
    _wait_for(page, file)
    open_page(page, host.address)
    page.choose_file("#file", file)
    page.until(SETTLED)
    fields = "['seasons', 'special-days'].map((each) => document.getElementById(`q-${each}`).value).join(' | ')"
    assert page.evaluate(fields) == "Q4=1.1; orders.12=1.2 | 2027-11-26=1.9 Black Friday"


def test_a_window_that_gets_narrow(page: Browser) -> None:
    """Panels of the curve side by side stand one below the other, as on a phone that is turned."""
    grids = "echarts.getInstanceByDom(document.getElementById('curve')).getOption().grid.map((each) => each.left).join()"
    assert len(set(page.evaluate(grids).split(","))) > 1
    page.size(375, 800, mobile=True)
    page.until(f"new Set({grids}.split(',')).size === 1")


def test_two_scenarios_are_kept_compared_and_shared(page: Browser, host: PlannerHost, tmp_path: Path) -> None:
    """A copy gets an engine more; the table has both dates and what differs; the file opens again in another browser."""
    first = text_of(page, "verdict")
    page.evaluate("document.getElementById('keep').click()")
    focus(page, ENGINES)
    step(page, "ArrowUp")
    series = page.evaluate("echarts.getInstanceByDom(document.getElementById('curve')).getOption().series.length")
    assert series == 6  # three kinds of work, and those of the first scenario
    page.evaluate("document.getElementById('tab-compare').click()")
    page.until("!document.getElementById('compare').textContent.includes('calculating')")
    text = text_of(page, "compare")
    assert "PROD processors engines: 5 → 6" in text
    assert "months more than the first" in text
    page.evaluate("document.getElementById('cost-0').focus()")
    page.type("100", "Tab", "450", "Tab")
    page.until("document.getElementById('compare').textContent.includes('cost of a month gained')")
    page.evaluate("document.getElementById('export').value = 'share'")
    page.evaluate("document.getElementById('export').dispatchEvent(new Event('change'))")
    file = tmp_path / "CICS-site.scenarios.json"
    page.until("true")
    _wait_for(page, file)
    shared = json.loads(file.read_text(encoding="utf-8"))
    assert [each["name"] for each in shared["scenarios"]] == ["CICS site", "Scenario B"]
    assert shared["scenarios"][1]["cost"] == "450"
    open_page(page, host.address)
    page.choose_file("#file", file)
    page.until(f"document.getElementById('scenario').options.length === 2 && {SETTLED}")
    assert page.evaluate("document.getElementById('scenario').selectedOptions[0].textContent") == "Scenario B"
    before = page.evaluate("document.body.dataset.whole")
    page.evaluate("document.getElementById('scenario').value = '0'")
    page.evaluate("document.getElementById('scenario').dispatchEvent(new Event('change'))")
    until_changed(page, before)
    assert text_of(page, "verdict") == first


def _wait_for(page: Browser, file: Path) -> None:
    for _ in range(200):
        if file.exists() and file.stat().st_size:
            return
        time.sleep(0.05)
    raise AssertionError(f"{file} was not written")


def test_a_reload_keeps_the_work(page: Browser) -> None:
    """The changed figure is there again."""
    focus(page, ENGINES)
    step(page, "ArrowUp")
    verdict = text_of(page, "verdict")
    page.ask("Page.reload")
    page.until(SETTLED)
    assert text_of(page, "verdict") == verdict


def test_measurements_are_checked_and_taken_over(page: Browser, tmp_path: Path) -> None:
    """Findings in sentences; the peak becomes the load of the model, which can be undone."""
    file = tmp_path / "peak.csv"
    rows = ["start,length [s],orders.rate [1/s],inquiry.rate [1/s]"]
    rows += [f"2026-03-02T{hour:02d}:00,3600,{700 + 25 * hour},{500 + 10 * (hour % 7)}" for hour in range(12) if hour != 5]
    file.write_text("\n".join(rows) + "\n", encoding="utf-8")
    page.evaluate("document.getElementById('tab-measure').click()")
    page.choose_file("#measured", file)
    page.until("!!document.getElementById('take-loads')")
    assert "missing" in text_of(page, "findings")
    before = page.evaluate("document.body.dataset.whole")
    page.evaluate("document.getElementById('take-loads').click()")
    until_changed(page, before)
    assert page.evaluate("""document.querySelector('#tree input[data-path=\\'["work",0,"rate"]\\']').value""") == "975"
    assert page.evaluate("document.getElementById('tab-plan').getAttribute('aria-selected')") == "true"


def test_what_helps_and_own_changes(page: Browser) -> None:
    """The button gives a sorted table; an own change gives its date."""
    page.evaluate("document.getElementById('tab-helps').click()")
    page.evaluate("document.getElementById('seek').click()")
    page.until("!!document.querySelector('#helps-table tbody tr')")
    cells = page.evaluate("[...document.querySelectorAll('#helps-table tbody tr')].map((row) => row.cells[2].textContent)")
    gains = [int(each.removeprefix("about ").removeprefix("≥ ")) for each in cells]
    assert gains == sorted(gains, reverse=True)
    page.evaluate("document.getElementById('what-if').focus()")
    page.type("PROD.engines+1", "Enter")
    page.until("/20\\d\\d-\\d\\d/.test((document.getElementById('own-table') || {}).textContent || '')")
    assert page.evaluate("!!document.querySelector('#helps-table')")  # stays


def test_the_text_of_the_model_can_be_changed(page: Browser) -> None:
    """A wrong text is refused with its line; a right one is used."""
    page.evaluate("document.getElementById('tab-text').click()")
    page.until("(document.getElementById('model-text') || {}).value > ''")
    page.evaluate("document.getElementById('model-text').value += '\\n[[regions]]\\nname = \"AOR9\"\\nlpar = \"PRD\"\\n'")
    page.evaluate("document.getElementById('use-text').click()")
    page.until("!document.getElementById('text-wrong').hidden")
    assert "did you mean 'PROD'?" in text_of(page, "text-wrong")
    page.evaluate(
        "document.getElementById('model-text').value = document.getElementById('model-text').value.replace('PRD', 'PROD')"
    )
    before = page.evaluate("document.body.dataset.whole")
    page.evaluate("document.getElementById('use-text').click()")
    until_changed(page, before)
    page.until("document.getElementById('tree').textContent.includes('AOR9')")


def test_the_functions_are_a_tab(page: Browser) -> None:
    """The page to try them, with its first answer."""
    page.evaluate("document.getElementById('tab-functions').click()")
    inner = "document.querySelector('#functions iframe').contentDocument"
    page.until(f"!!{inner} && !!{inner}.querySelector('[data-done]')")
    assert page.evaluate(f"{inner}.querySelector('.answer .value').textContent") == "0.5"


@pytest.mark.parametrize("tab", ["plan", "helps", "compare", "measure", "text"])
def test_a_phone_needs_no_sideways_scroll(page: Browser, tab: str) -> None:
    """390 pixels: everything in one column."""
    page.size(390, 800, mobile=True)
    page.evaluate("document.querySelectorAll('details').forEach((each) => { each.open = true; })")
    page.evaluate(f"document.getElementById('tab-{tab}').click()")
    page.until(SETTLED)
    assert page.evaluate("document.documentElement.scrollWidth") <= 390


def test_ten_regions_have_a_first_curve_before_the_study(browser: Browser) -> None:
    """It is marked as an estimate, and the whole study takes its place; no other site is asked for anything."""
    begin = {"scenarios": [{"name": "ten", "model": ten_regions(), "question": QUESTION}], "current": 0}
    with planning(begin) as host:
        browser.size(1280, 900)
        browser.ask("Page.navigate", url=host.address)
        browser.until(SETTLED)
        browser.evaluate(WATCHED)
        focus(browser, '["work",0,"rate"]')
        step(browser, "ArrowUp")
        assert browser.evaluate("JSON.stringify(seen)") == '["no","yes"]'
        asked = browser.evaluate("performance.getEntriesByType('resource').map((each) => new URL(each.name).origin)")
        assert set(asked) == {host.address.split("/0")[0]}
        assert browser.evaluate("JSON.stringify(window.faults)") == "[]"

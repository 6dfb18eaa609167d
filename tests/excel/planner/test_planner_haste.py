"""The planner's page in quick hands: changes before the answer to the one before, undone at once, refused and mended."""

from __future__ import annotations

import json

import pytest

from tests.support.browser import Browser
from tests.support.planner_host import PlannerHost
from tests.support.planner_page import ENGINES, SETTLED, field_of, focus, text_of

RATE, MXT, QR = '["work",0,"rate"]', '["regions",2,"mxt"]', '["work",0,"steps",0,"qr_cpu"]'
KEPT = "dispatchEvent(new Event('pagehide')), localStorage.getItem('qnsolve-planner')"
STALE = "document.querySelectorAll('.old, .wrong, #question small').length"
DRAWN = "JSON.stringify(echarts.getInstanceByDom(document.getElementById('curve')).getOption().series.map((each) => each.data))"


def _settled(page: Browser) -> None:
    """All that is shown is of what stands in the fields."""
    page.until(f"{SETTLED} && {STALE} === 0")


def _shown_is_of_the_fields(page: Browser, host: PlannerHost) -> None:
    """Curve and verdict are those of a study of the model and the question that the page has."""
    _settled(page)
    kept = json.loads(page.evaluate(KEPT))
    scenario = kept["scenarios"][kept["current"]]
    whole = host.ask("study", "another page", model=scenario["model"], question=scenario["question"])
    assert text_of(page, "verdict") == whole["sentences"][0]
    for w, line in enumerate(json.loads(page.evaluate(DRAWN))):
        times = [period["work"][w]["response_time"] for period in whole["periods"]]
        assert [each is None for each in line] == [each is None for each in times]
        units = {round(mine / own, 9) for mine, own in zip(line, times, strict=True) if own}
        assert len(units) == 1


def test_three_figures_in_a_second(page: Browser, host: PlannerHost) -> None:
    """Of each the last one counts."""
    for path in (RATE, MXT, ENGINES):
        focus(page, path)
        page.type("ArrowUp")
    _shown_is_of_the_fields(page, host)
    assert page.evaluate(f"[{field_of(RATE)}.value, {field_of(ENGINES)}.value].join()") == "910,6"


def test_a_key_that_is_held_down(page: Browser, host: PlannerHost) -> None:
    """And a number typed digit by digit."""
    focus(page, RATE)
    page.type(*["ArrowUp"] * 12)
    _shown_is_of_the_fields(page, host)
    page.evaluate("document.activeElement.select()")
    page.type(*"1050")
    _shown_is_of_the_fields(page, host)
    assert page.evaluate(f"{field_of(RATE)}.value") == "1050"


def test_undone_at_once(page: Browser, host: PlannerHost) -> None:
    """Before there is a curve; and again."""
    before = page.evaluate(DRAWN)
    focus(page, ENGINES)
    page.type("ArrowUp")
    page.key("z", control=True)
    _settled(page)
    assert page.evaluate(DRAWN) == before
    page.key("y", control=True)
    page.key("z", control=True)
    _shown_is_of_the_fields(page, host)
    assert page.evaluate(DRAWN) == before


def test_changed_while_the_study_runs(page: Browser, host: PlannerHost) -> None:
    """The study of the figure before is stopped."""
    focus(page, ENGINES)
    page.type("ArrowUp")
    page.until("document.getElementById('verdict').dataset.sure === 'no'")
    focus(page, RATE)
    page.type("ArrowDown")
    _shown_is_of_the_fields(page, host)


def _refused(page: Browser, path: str, text: str) -> None:
    """A figure that cannot be, until it is refused."""
    focus(page, path)
    page.type(text)
    page.until(f"!!{field_of(path)}.closest('.figure').querySelector('.wrong')")


def test_a_refusal_stays_with_its_figure(page: Browser, host: PlannerHost) -> None:
    """Whatever is changed after it; it is gone once the figure is mended."""
    _refused(page, MXT, "5")
    focus(page, RATE)
    page.type("ArrowUp")
    page.until("document.body.dataset.refused && document.getElementById('state').textContent === ''")
    assert page.evaluate("document.querySelectorAll('.wrong').length") == 1
    assert page.evaluate("document.getElementById('drawing').classList.contains('old')")
    assert page.evaluate(f"{field_of(MXT)}.closest('.figure').querySelector('.wrong').textContent").startswith("region 'AOR1'")
    focus(page, MXT)
    page.type("120")
    _shown_is_of_the_fields(page, host)
    assert page.evaluate(f"{field_of(RATE)}.value") == "910"


def test_a_wrong_growth_is_not_told_beside_a_figure(page: Browser, host: PlannerHost) -> None:
    """Nor the other way round."""
    page.evaluate("document.getElementById('q-growth').focus(); document.getElementById('q-growth').select()")
    page.type("much", "Enter")
    page.until("!!document.querySelector('#question small')")
    focus(page, RATE)
    page.type("ArrowUp")
    page.until("document.getElementById('state').textContent === ''")
    assert page.evaluate("document.querySelectorAll('.wrong').length") == 0
    assert page.evaluate("document.querySelectorAll('#question small').length") == 1
    page.evaluate("document.getElementById('q-growth').focus(); document.getElementById('q-growth').select()")
    page.type("2%/quarter", "Enter")
    _shown_is_of_the_fields(page, host)


def test_a_reload_goes_on_without_what_was_refused(page: Browser, host: PlannerHost) -> None:
    """The fields are there, with the figure that had an answer."""
    focus(page, ENGINES)
    page.type("ArrowUp")
    _settled(page)
    _refused(page, MXT, "5")
    page.ask("Page.reload")
    page.until(f"{SETTLED} && {STALE} === 0 && !!{field_of(MXT)}")
    assert page.evaluate(f"[{field_of(MXT)}.value, {field_of(ENGINES)}.value].join()") == "150,6"


@pytest.mark.parametrize("template", ["ims", "mq"])
def test_another_template_while_the_study_runs(page: Browser, host: PlannerHost, template: str) -> None:
    """Its fields are never those of the one before."""
    focus(page, RATE)
    page.type("ArrowUp")
    choose = "const one = document.getElementById('template'); one.dispatchEvent(new Event('change'))"
    page.evaluate(choose.replace("; ", f"; one.value = '{template}'; "))
    page.until("document.getElementById('title').textContent !== 'CICS site'")
    page.until("!document.getElementById('tree').inert")
    parts = page.evaluate("[...document.querySelectorAll('#tree > details')].map((each) => each.dataset.name).join()")
    assert "AOR1" not in parts.split(",")
    page.key("z", control=True)
    _shown_is_of_the_fields(page, host)


def test_a_first_verdict_to_the_end_names_the_end_once(page: Browser) -> None:
    """As the study does."""
    verdict = {"kind": "saturated", "center": "PROD CPs", "work": "", "holds_until": "2028-12", "beyond": True}
    result = json.dumps({"verdict": verdict, "asked": {"until": "2028-12"}})
    page.evaluate(f"import('./results.js').then((all) => {{ window.said = all.verdictWords({result}); }})")
    page.until("!!window.said")
    assert page.evaluate("said") == "Holds until 2028-12, the end that was asked for; then PROD CPs are full."

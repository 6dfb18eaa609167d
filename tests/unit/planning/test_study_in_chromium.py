"""The page of a study as Chromium shows it."""

from __future__ import annotations

import io
import re
import zipfile
from pathlib import Path

import qnsolve as qn
from qnsolve.planning.pages.study_html import study_html
from qnsolve.planning.pages.study_xlsx import study_xlsx
from qnsolve.results.digits import time

from tests.support.browser_host import dom
from tests.support.planned_sites import one_region, two_works


def test_the_axis_is_that_of_the_target(tmp_path: Path) -> None:
    """Users that wait a hundred times their target later do not press the target to the ground."""
    region = qn.zos.CicsRegion("AOR1", lpar="PROD", mxt=400)
    work = qn.zos.Work("clerks", users=300, think_time=1.0, regions="AOR1", qr_cpu=0.002)
    system = qn.zos.System(lpars=[qn.zos.Lpar("PROD", processors=qn.zos.Processors(2))], regions=[region], work=[work])
    asked = {"growth": "20%/quarter", "begin": "2026-12", "until": "2029-12", "targets": {"clerks": 0.01}}
    found = qn.study(system, remedies=False, **asked)
    assert max(period.work[0].response_time for period in found.periods) > 0.5
    file = tmp_path / "study.html"
    file.write_text(study_html(found), encoding="utf-8")
    shown = re.sub(r"<script.*?</script>", "", dom(file.as_uri(), tmp_path), flags=re.DOTALL)
    curve = re.findall(r'data-chart="responses"(.*?)</section>', shown, re.DOTALL)[0]
    assert "response time [ms]" in curve
    assert max(float(each) for each in re.findall(r"<text[^>]*>([\d.]+)</text>", curve)) == 30
    with zipfile.ZipFile(io.BytesIO(study_xlsx(found))) as book:
        assert '<c:max val="30.0"/>' in book.read("xl/charts/chart1.xml").decode()


def test_a_site_that_is_full_today(tmp_path: Path) -> None:
    """It has no bars of time, and says why; its workbook says how many periods have no light."""
    found = qn.study(two_works(), growth="20%/quarter", begin="2026-12", until="2030-12", by="month", remedies=False)
    with zipfile.ZipFile(io.BytesIO(study_xlsx(found))) as book:
        assert f"{len(found.periods) - 33} more periods: sheet Response" in book.read("xl/sharedStrings.xml").decode()
    full = qn.study(one_region(rate=1200), growth="8%/quarter", begin="2026-12", until="2028-12")
    file = tmp_path / "study.html"
    file.write_text(study_html(full), encoding="utf-8")
    shown = re.sub(r"<script.*?</script>", "", dom(file.as_uri(), tmp_path), flags=re.DOTALL)
    assert re.search(r'data-chart="split"[^>]*>Today\'s load has no response time: a center is full', shown)


def test_every_chart_is_drawn(tmp_path: Path) -> None:
    """A picture for each work, the heat map with a number in each cell, what-ifs, times, and the model in boxes."""
    asked = {"growth": "8%/quarter", "begin": "2026-12", "until": "2028-12", "targets": {"orders": 0.004}}
    found = qn.study(two_works(), what_ifs=["LOG.stripes+1", "AOR*.split=2"], **asked)
    file = tmp_path / "study.html"
    file.write_text(study_html(found), encoding="utf-8")
    shown = re.sub(r"<script.*?</script>", "", dom(file.as_uri(), tmp_path), flags=re.DOTALL)
    parts = dict(re.findall(r'data-chart="(\w+)"(.*?)</section>', shown, re.DOTALL))
    assert parts.keys() == {"responses", "heat", "gains", "split", "model"}
    assert parts["responses"].count("<svg") == 2
    assert all(parts[name].count("<svg") == 1 for name in ("heat", "gains", "split"))
    cells = sum(len(center.used) for center in found.centers)
    assert len(re.findall(r"<text[^>]*>[\d.]+</text>", parts["heat"])) >= cells
    assert "AOR1, AOR2" in parts["model"]
    assert parts["model"].count('class="use"') >= 6
    assert "target 4 ms" in parts["responses"]
    assert "1 zIIP<" in parts["model"]
    assert "<b>LOG</b> log, 2 stripes<" in shown
    assert f"orders, {found.verdict.holds_until}: {time(found.last.solve()['orders'].response_time, 3)}" in parts["split"]
    assert '<p class="verdict" data-holds="no"><b>Holds until' in shown
    assert "NaN" not in shown
    assert "undefined" not in shown

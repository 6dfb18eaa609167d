"""The page of a study as Chromium shows it."""

from __future__ import annotations

import io
import itertools
import re
import zipfile
from pathlib import Path

import qnsolve as qn
from qnsolve.planning.pages.study_html import static_text, study_html
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


def _luminance(colour: str) -> float:
    """Of "#rrggbb", as the guidelines for readable pages define it."""
    parts = [int(colour[at : at + 2], 16) / 255 for at in (1, 3, 5)]
    linear = [part / 12.92 if part <= 0.03928 else ((part + 0.055) / 1.055) ** 2.4 for part in parts]
    return sum(weight * part for weight, part in zip((0.2126, 0.7152, 0.0722), linear, strict=True))


def test_the_heat_map_can_be_read_in_grey() -> None:
    """The fuller the darker, each step to be seen without colours; the figures stand out: white from 90 % on, black below."""
    shades = re.findall(r'[lg]te?: \w+, color: "(#\w{6})"', static_text("study_charts.js"))
    light = [_luminance(shade) for shade in shades]
    assert len(light) == 6
    assert all(after + 0.05 < 0.9 * (before + 0.05) for before, after in itertools.pairwise(light))
    assert all((each + 0.05) / (_luminance("#1a1a1a") + 0.05) > 4.5 for each in light[:4])
    assert all(1.05 / (each + 0.05) > 4.5 for each in light[4:])


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

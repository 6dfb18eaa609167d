"""The page of a study as Chromium shows it."""

from __future__ import annotations

import re
from pathlib import Path

import qnsolve as qn
from qnsolve.planning.pages.study_html import study_html

from tests.support.browser_host import dom
from tests.support.planned_sites import two_works


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
    assert "NaN" not in shown
    assert "undefined" not in shown

"""Figures measured by others: predicted by one rule, as accepted, and reported beside simpler ways."""

import dataclasses
import re

import numpy as np
import pytest
import qnsolve as qn
from openpyxl import load_workbook
from qnsolve_validation import measured_by_others as others
from qnsolve_validation import runner, suite
from qnsolve_validation.measured import measured_sets
from qnsolve_validation.measured.baselines import law, naive_line, scalability_law
from qnsolve_validation.report import measured_section, xlsx_file

from tests import ROOT

FOLDER = ROOT / "validation" / "measured"


def totals():
    """Rows of the table over all sets, by kind of set and figure."""
    return {row[:2]: row[2:] for row in measured_section.totals()}


def test_each_figure_is_what_was_accepted():
    """expected.csv holds the errors of every held-out figure, and of no other."""
    assert others.changes() == []
    assert set(others.stored()) == {row[:3] for row in others.entries(others.results())}
    assert len(others.stored()) > 1300


def test_the_goals_are_met():
    """Over all sets: rates within 3 % in the median, responses within 5 %, also with intervals one by one."""
    for kind in ("ladder", "other threads", "all", "all, joined"):
        found = totals()
        assert found[kind, "rate"][1] < 0.03
        assert found[kind, "response"][1] < 0.05


def test_a_network_is_better_than_a_curve_and_a_line():
    """Mean errors of ladders: below half of the scalability law's and two thirds of the naive line's; of rates a third."""
    for figure in ("rate", "response", "utilization"):
        _, _, model, _, _, usl, _, _, naive, _, _ = totals()["ladder", figure]
        assert model < usl / 2
        assert model < naive * 2 / 3
    assert totals()["ladder", "rate"][2] < totals()["ladder", "rate"][5] / 3


def test_the_stated_range_holds_what_was_measured():
    """Nine of ten rates are stated to lie within: of ladders and of other threads they do."""
    for kind in ("ladder", "other threads"):
        assert totals()[kind, "rate"][-1] > 0.9
    assert totals()["intervals", "utilization"][-1] > 0.9


def test_what_is_held_out_enters_nothing(monkeypatch):
    """Held-out figures of ladders and intervals, all altered: no prediction moves."""
    before = {each.name: each for each in others.results()}
    for ladder in (others.ladders()[4], others.ladders()[20], others.ladders()[25]):
        count = max(others.FEWEST, -(-len(ladder.loads) // 2))
        parts = {}
        for part in ("rates", "responses", "busy", "deviations"):
            values = getattr(ladder, part)
            parts[part] = None if values is None else np.concatenate([values[:count], values[count:] * 0.7])
        again = others._lower_half(dataclasses.replace(ladder, **parts))
        assert [held.model for held in again.held] == [held.model for held in before[ladder.name].held]
        assert [held.naive for held in again.held] == [held.naive for held in before[ladder.name].held]
        assert all(a.measured != b.measured for a, b in zip(again.held, before[ladder.name].held, strict=True))
    for rows in others.intervals():
        count = -(-len(rows.busy) // 2)
        busy = np.concatenate([rows.busy[:count], rows.busy[count:] * 0.7])
        responses = {name: np.concatenate([v[:count], v[count:] * 0.7]) for name, v in (rows.responses or {}).items()}
        again, *_ = others._first_half(dataclasses.replace(rows, busy=busy, responses=responses or None))
        assert [held.model for held in again.held] == [held.model for held in before[rows.name].held]


def test_the_rule_is_kept():
    """Ladders: the lower half, at least three; other threads: all rows of the fewest; intervals: the first half."""
    found = {each.name: each for each in others.results()}
    for ladder in others.ladders():
        each, count = found[ladder.name], len(ladder.loads)
        assert each.rows == max(3, (count + 1) // 2)
        assert len(each.of("rate")) == count - each.rows
        assert list(ladder.loads) == sorted(ladder.loads)
    assert sum(each.kind == others.THREADS for each in found.values()) == 15
    for rows in others.intervals():
        assert found[rows.name].rows == (len(rows.busy) + 1) // 2


def test_each_missed_set_has_a_reason_and_no_other():
    """Effect, size and what would settle it."""
    missed = {each.name for each, _ in others.missed()}
    assert set(others.reasons()) == missed
    assert all(reason[part] for reason in others.reasons().values() for part in measured_section.REASON)


def test_each_file_has_an_origin_and_its_columns():
    """Origin, licence and the columns of every file, and of no other."""
    origins = measured_sets.origins()
    files = {path.stem for path in FOLDER.glob("*.csv")} - {"expected"}
    assert set(origins) == files == {each.file for each in (*others.ladders(), *others.intervals())}
    for name, origin in origins.items():
        assert origin["origin"]
        assert origin["licence"]
        heads = (FOLDER / f"{name}.csv").read_text(encoding="utf-8").splitlines()[0].split(",")
        known = origin["columns"]
        assert all(re.sub("WC[12]", "WC0", head) in known or head.endswith("_sd") or "*" in known for head in heads), name


def test_the_law_is_found_again():
    """The baseline fits its own figures, and the naive line its own two pieces."""
    n = np.array([1.0, 4, 8, 16, 32, 64])
    assert scalability_law(n, law(n, 12.0, 0.04, 0.0002)) == pytest.approx((12.0, 0.04, 0.0002), rel=1e-4)
    assert naive_line(n[:2], np.array([10.0, 35.0]), np.array([2.0, 9.0]), 1.0) == pytest.approx([20.0, 35.0])


def test_a_figure_that_moves_is_reported(monkeypatch):
    """Old and new of a moved figure; a figure that is gone."""
    stored = dict(others.stored())
    key = next(iter(stored))
    monkeypatch.setattr(
        others, "stored", lambda: {**stored, key: ["+9.0000", *stored[key][1:]], ("x", "rate", "1"): ["+1", "", ""]}
    )
    first, second = others.changes()
    assert first.endswith(f"was +9.0000 %, is {stored[key][0]} %")
    assert second == "measured by others, x, rate (1): was +1 %, is not predicted"


def test_the_readme_has_the_figures():
    """The table over all sets, as computed."""
    text = (FOLDER / "README.md").read_text(encoding="utf-8")
    rows = [line for line in text.splitlines() if re.match(r"\| (ladder|other|intervals|all)", line)]
    assert rows == measured_section.summary_lines()


def test_the_report_has_the_section(tmp_path):
    """HTML, a page of Markdown and a sheet: the tables, every set, every reason."""
    blocks = measured_section.blocks()
    suite.write(str(tmp_path), [case.study() for case in runner.all_cases()[:2]], [], blocks)
    page = (tmp_path / "validation.html").read_text(encoding="utf-8")
    text = (tmp_path / "validation-measured-by-others.md").read_text(encoding="utf-8")
    assert "(validation-measured-by-others.md)" in (tmp_path / "validation.md").read_text(encoding="utf-8")
    sheet = load_workbook(tmp_path / "validation.xlsx")[xlsx_file.OTHERS]
    assert len(sheet.tables) == len(blocks)
    assert 'href="#others"' in page
    for each in others.results():
        assert f"| {each.name} |" in text
        assert each.name in page
    for block in blocks:
        assert f"## {block.title}" in text
        assert block.title in page


@pytest.mark.parametrize(("share", "rate", "response"), [(0.35, 0.03, 0.04), (0.65, 0.01, 0.02), (0.8, 0.012, 0.015)])
def test_another_share_of_the_loads_gives_no_other_picture(share, rate, response):
    """The lowest 35, 65 and 80 % of the loads fitted in place of half: median errors of rates and responses."""
    rates, responses = [], []
    for ladder in others.ladders():
        count = max(others.FEWEST, round(share * len(ladder.loads)))
        there = others._fit(ladder, count).predict(ladder.loads[count:])
        rates += list(np.abs(there.rates / ladder.rates[count:] - 1))
        if ladder.responses is not None:
            responses += list(np.abs(there.response_times / ladder.responses[count:] - 1))
    assert np.median(rates) < rate
    assert np.median(responses) < response


def test_the_fits_find_what_does_not_agree():
    """TechEmpower's 60 seconds of the metadata, by Little's law 15; the host's processors, busier than the database."""
    for ladder in others.ladders():
        if ladder.name.startswith("techempower"):
            fit = qn.measure.fit_ladder(ladder.loads, ladder.rates / 4, ladder.responses)
            assert 0.24 < fit.response_ratio < 0.45
            assert any("times load/rate less think time: not one clock" in note for note in fit.notes)
    host = next(each for each in others.intervals() if each.captured is not None)
    fit = qn.measure.fit_intervals(host.rates, host.busy, host.servers, captured=host.captured)
    assert fit.captured == pytest.approx(1 / 1.33, rel=0.02)
    assert any("charged to the work" in note for note in fit.notes)

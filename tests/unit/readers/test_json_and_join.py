"""JSON of SMF tools; several tables as one; a table written and read back."""

from __future__ import annotations

import io
import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import qnsolve as qn

from tests import ROOT

DATA = ROOT / "tests" / "data" / "measured"
FILES = sorted(path.name for path in DATA.iterdir())


def _json(value: Any) -> qn.measure.Intervals:
    text = value if isinstance(value, str) else json.dumps(value)
    return qn.measure.read(io.StringIO(text))


def _same(one: qn.measure.Intervals, other: qn.measure.Intervals) -> None:
    assert one.series == other.series
    assert one.notes == other.notes
    for name in ("start", "length", "values", "places"):
        np.testing.assert_array_equal(getattr(one, name), getattr(other, name))


def test_json_lines_of_nested_records() -> None:
    """Keys of sections are found without their sections; transactions of a region stand side by side."""
    found = qn.measure.read(DATA / "cics_monitoring.jsonl")
    assert found.names("cpu_time") == ("ORD1", "PAY1")
    assert found.column("cpu_time", "PAY1").tolist() == [0.0054, 0.0054]
    assert found.column("rate", "ORD1").tolist() == pytest.approx([50.0, 46000 / 900])
    assert {(each.system, each.region) for each in found.series} == {("SYSA", "CICSA1")}
    assert found.places.tolist() == [1, 3]


def test_json_array_of_smf_fields() -> None:
    """Raw SMF names: sums in 1024 us are divided by transactions or by the interval; the period is part of the name."""
    found = qn.measure.read(DATA / "smf72.json")
    assert found.names("rate") == ("ORDERS.1",)
    assert found.column("response_time")[0] == pytest.approx(2812500 * 1024e-6 / 90000)
    assert found.column("in_system")[0] == pytest.approx(3.2)


def test_other_forms_of_json() -> None:
    """An object with a list of records; a list within a record; one object; epoch times; null and booleans."""
    wrapped = _json(
        {"meta": {"tool": "x"}, "records": [{"start": 1772442000, "a.rate": 1}, {"start": 1772442900, "a.rate": None}]}
    )
    assert wrapped.column("rate", "a").tolist() == pytest.approx([1.0, np.nan], nan_ok=True)
    spread = _json([{"start": "2026-03-02T09:00", "classes": [{"class": "A", "tps": 1}, {"class": "B", "tps": 2}], "ok": True}])
    assert [spread.column("rate", name)[0] for name in ("A", "B")] == [1.0, 2.0]
    assert _json({"users": 3, "throughput": 30}).column("rate").tolist() == [30.0]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("[", "line 1: is not valid JSON: Expecting value"),
        ('{"a.rate": 1}\n{"a.rate": }\n', "line 2: is not valid JSON"),
        ("[1, 2]", "record 1 = '1': must be an object"),
        ("[]", "has no record"),
        ('[{"a.rate": Infinity}]', "line 1: is not valid JSON"),
        ('[{"a.rate": 1e999}]', "line 1, 'a.rate' = 'inf': must be a number below 1e100"),
        ('[{"start": "now", "a.rate": 1}]', "line 1, 'start' = 'now': must be a date and time"),
        ("[" * 100_000, "is nested too deeply"),
        ('{"a":' * 50 + "1" + "}" * 50, "is nested more than 12 levels deep"),
        ('{"a":[' * 50 + "{}" + "]}" * 50, "is nested more than 12 levels deep"),
        (json.dumps({f"k{i}": 1 for i in range(6000)}), "has more than 5,000 keys"),
        (json.dumps([{f"k{i}": 1} for i in range(6000)]), "have more than 5,000 different keys"),
        (json.dumps([{"a": "x" * 3000}]), "has a text of more than 2000 characters"),
    ],
)
def test_json_that_is_wrong(text: str, message: str) -> None:
    """One line: the line or record, the rule, the repair."""
    with pytest.raises(qn.ModelError) as caught:
        _json(text)
    assert message in str(caught.value)


@pytest.mark.parametrize("name", FILES)
def test_written_and_read_back(name: str) -> None:
    """The CSV of a table gives the same table: values to the last digit, names, fields, sources, factors, lines, notes."""
    found = qn.measure.read(DATA / name)
    again = qn.measure.read(io.StringIO(qn.measure.canonical(found)))
    _same(found, again)
    _same(found, qn.measure.read(io.StringIO(qn.measure.canonical(again))))


def test_written_names_are_no_formulas() -> None:
    """Names that a spreadsheet would run, quotes, commas and lines are kept, and are no formulas in the file."""
    series = [qn.measure.MeasuredSeries("rate", work=name, field=f"@{name}") for name in ("=1+1", "'=x", 'a, "b"', "-")]
    values = np.array([[1.0, np.nan, 1e-300, 1 / 3]])
    start, length = np.array(["NaT"], dtype="datetime64[ms]"), np.array([np.nan])
    found = qn.measure.Intervals(start, length, tuple(series), values, np.array([7]), ("=note",))
    text = qn.measure.canonical(found)
    _same(found, qn.measure.read(io.StringIO(text)))
    assert not [cell for line in text.splitlines() for cell in line.split(",") if cell.startswith(("=", "@", "-"))]


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("start,length,place", "start,long,place", "must have the headings start, length, place"),
        ("PRODA", "PRODA\x00", "is binary"),
        (".rate [", ".tempo [", "must be named NAME.quantity [unit]"),
        ("#factor,,,1.0", "#factor,,,x", "must have a number as its factor"),
        ("#factor,,,1.0", "#factor,,,nan", "must have a factor above 0"),
        (",2,", ",2.5,", "must be a whole number for each interval"),
    ],
)
def test_a_written_table_that_was_changed(old: str, new: str, message: str) -> None:
    """What was spoilt in a written table is said."""
    text = qn.measure.canonical(qn.measure.read(DATA / "long.csv"))
    assert old in text
    with pytest.raises(qn.ModelError) as caught:
        qn.measure.read(io.StringIO(text.replace(old, new, 1)))
    assert message in str(caught.value)


def test_files_of_one_system_stand_side_by_side() -> None:
    """Other series of an interval are in its row; a series of two files continues; an interval again keeps its row."""
    reports = [qn.measure.read(DATA / name) for name in ("cpu.xml", "wlmgl.xml", "overview.csv")]
    found = qn.measure.join(reports)
    assert [str(t)[11:16] for t in found.start] == ["09:00", "09:15", "09:30"]
    assert len(found.series) == sum(len(each.series) for each in reports)
    assert found.column("rate", "ORDERS.1", system="PLEX1").tolist() == pytest.approx([100.0, 120.0, np.nan], nan_ok=True)
    again = qn.measure.join([*reports, reports[2]])
    assert len(again) == 6
    assert again.column("rate", "ORDERS.1", system="").tolist()[:2] == [100.0, 100.0]


def test_series_continue_in_the_next_file() -> None:
    """Two days of one series are one series, in the order of time, and it names both files."""
    days = [qn.measure.table({"a.rate": [day * 1.0]}, start=[f"2026-03-0{day}T09:00"], length=900) for day in (2, 1)]
    found = qn.measure.join(days)
    assert found.column("rate", "a").tolist() == [1.0, 2.0]
    assert len(found.series) == 1
    other = qn.measure.table({"a.busy": [0.5]}, start=["2026-03-01T09:00"], length=1800)
    assert len(qn.measure.join([*days, other])) == 3  # of another length it is another interval
    assert len(qn.measure.join([qn.measure.table({"a.rate": [1.0]}), qn.measure.table({"b.rate": [1.0]})])) == 2  # no clock


def test_what_cannot_be_joined() -> None:
    """Nothing, and what is no table, are refused."""
    with pytest.raises(qn.ModelError, match="must not be empty"):
        qn.measure.join([])
    with pytest.raises(qn.ModelError, match="must be a table of intervals"):
        qn.measure.join(["a.csv"])  # type: ignore[list-item]


def test_progress_is_told() -> None:
    """What was read so far is told: rows of a table, reports of RMF."""
    told: list[int] = []
    qn.measure.read(DATA / "overview.csv", progress=told.append)
    qn.measure.read(DATA / "cpu.xml", progress=told.append)
    assert told == [3, 1, 2]


def test_a_name_of_a_file_and_an_open_file(tmp_path: Path) -> None:
    """A name, a path, an open file of bytes or text give the same."""
    text = (DATA / "overview.csv").read_text(encoding="utf-8")
    path = tmp_path / "a.xml"  # the name does not decide
    path.write_text(text, encoding="utf-8")
    named = qn.measure.read(path)
    with path.open("rb") as file:
        _same(named, qn.measure.read(file))
    with path.open(encoding="utf-8") as file:
        _same(named, qn.measure.read(file))
    _same(named, qn.measure.read(str(path), format="csv"))


def test_tcb_modes_within_a_record() -> None:
    """The list of the dispatcher is read beside other lists; what is of the region stays one interval."""
    lists = {"DFHDSGDS": [{"DSGTCBNM": "QR", "DSGACT": 210.0}, {"DSGTCBNM": "L8", "DSGACT": 90.0}]}
    lists["DFHXMCDS"] = [{"XMCTCL": "A"}, {"XMCTCL": "B"}]
    common = {"smfstprn": "CICSA", "intervalDuration": 600, "DFHXMGDS": {"XMGMXT": 120, "XMGNUM": 6000}}
    rows = [{"startTime": f"2026-03-02T09:{minute}:00", **common, **lists} for minute in ("00", "10")]
    found = qn.measure.read(io.StringIO("\n".join(map(json.dumps, rows))))
    assert len(found) == 2
    assert found.column("busy", region="CICSA", resource="QR") == pytest.approx([0.35, 0.35])
    assert found.column("used", region="CICSA", resource="L8") == pytest.approx([0.15, 0.15])
    assert found.column("rate").tolist() == [10.0, 10.0]

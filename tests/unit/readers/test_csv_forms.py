"""Forms of CSV: separators, encodings, decimal marks, dates, classes in rows, and what is wrong in one line."""

from __future__ import annotations

import io
import itertools
from typing import Any

import numpy as np
import pytest
import qnsolve as qn
from qnsolve.measure.readers.clocks import Clock, duration

from tests import ROOT

DATA = ROOT / "tests" / "data" / "measured"
ROWS = "start{0}length [s]{0}orders.rate [1/s]{0}orders.response_time [ms]\n2026-03-02T09:00{0}900{0}10.5{0}250\n"


def _read(text: str | bytes, **options: Any) -> qn.measure.Intervals:
    raw = text.encode() if isinstance(text, str) else text
    return qn.measure.read(io.BytesIO(raw), **options)


def _error(text: str | bytes, **options: Any) -> str:
    with pytest.raises(qn.ModelError) as caught:
        _read(text, **options)
    return str(caught.value)


@pytest.mark.parametrize("separator", [",", ";", "\t", "|"])
@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "latin-1"])
@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
def test_separators_encodings_and_ends_of_lines(separator: str, encoding: str, end: str) -> None:
    """The same table comes of each separator, encoding and end of line."""
    found = _read(ROWS.format(separator).replace("\n", end).encode(encoding))
    assert found.column("rate", "orders").tolist() == [10.5]
    assert found.column("response_time", "orders").tolist() == [0.25]
    assert (str(found.start[0]), found.length.tolist(), found.places.tolist()) == ("2026-03-02T09:00:00.000", [900.0], [2])


def test_latin_1_is_said() -> None:
    """A file that is no UTF-8 is read as latin-1, and a note says so."""
    found = _read("start,class,rate [1/s]\n2026-03-02T09:00,Aufträge,3\n".encode("latin-1"))
    assert found.names("rate") == ("Aufträge",)
    assert "read as latin-1" in found.notes[0]


def test_quotes_blank_lines_and_lines_above_the_headings() -> None:
    """Quoted cells, blank lines, a title and comments above the headings, and a separator at the end of lines are no matter."""
    text = '# made by a tool\nReport of the week\n\n"start",class,"rate (1/s)",\n"2026-03-02T09:00","a, b",1,\n'
    text += '\n2026-03-02T09:15,"a, b",2,\n'
    found = _read(text)
    assert found.column("rate", "a, b").tolist() == [1.0, 2.0]
    assert found.places.tolist() == [5, 7]


def test_titles_units_and_totals_around_a_table() -> None:
    """Titles as wide as the table, as spreadsheets save them; units in a row of their own; totals below; all of it is said."""
    text = (
        "Overview of the week;;;\nSystem SYSA;Version 2;;\n;;;\nDATE;TIME;orders.rate;orders.response_time\n;hh:mm;1/min;ms\n"
    )
    text += "27.03.2026;09:00;600;12,5\n27.03.2026;09:15;660;-----\n\nAverage;;630;12,5\nTotal;;1260;\n"
    found = _read(text)
    assert found.column("rate").tolist() == [10.0, 11.0]
    assert found.column("response_time").tolist() == pytest.approx([0.0125, np.nan], nan_ok=True)
    assert found.places.tolist() == [6, 7]
    assert "line 5 has the units of the headings" in found.notes
    assert "lines 9 to 10 are left out: 'Average', 'Total' in place of a time, as of totals below a table" in found.notes


def test_rows_of_words_are_no_headings() -> None:
    """A class named as a unit is a class; a row of a class and a date is no better heading than the one above."""
    found = _read("start,class,kind,rate\n2026-03-02T09:00,s,read,1\n2026-03-02T09:15,s,read,2\n")
    assert found.column("rate", "s").tolist() == [1.0, 2.0]
    assert "line 3, 'start' = 'noon': must be a date" in _error("start,rate\n2026-03-02T09:00,1\nnoon,2\n2026-03-02T09:15,3\n")


def test_cells_as_a_clock_shows_them() -> None:
    """CPU times such as 00:08:12.813 are seconds, of a task or of the interval; of what is no time they are left out."""
    text = "start,length,region,DSGACT,USRCPUT\n2026-03-02T09:00,900,A,00:07:30.000,00:00:00.004\n"
    found = _read(text + "2026-03-02T09:15,900,A,0:03:45,n/a\n")
    assert found.column("busy", "QR", region="A").tolist() == [0.5, 0.25]
    assert found.column("cpu_time").tolist() == pytest.approx([0.004, np.nan], nan_ok=True)
    rule = "headings: 'orders.rate' is left out: its cells are times, and it is a rate in 1/s; say --map"
    assert rule in _error("start,orders.rate\n2026-03-02T09:00,00:07:30\n")
    rule = "headings: 'orders.rate' is left out: 'many' is no number; say --map"
    assert rule in _error("start,orders.rate\n2026-03-02T09:00,many\n2026-03-02T09:15,few\n")


def test_times_whose_date_is_in_another_column() -> None:
    """Begin and end without a date; the time at which statistics are collected is the end."""
    found = _read("Date;Start Time;End Time;rate\n27.03.2026;23:45:00;00:00:00;5\n28.03.2026;00:00:00;00:15:00;6\n")
    assert [str(t)[:16] for t in found.start] == ["2026-03-27T23:45", "2026-03-28T00:00"]
    assert found.length.tolist() == [900.0, 900.0]
    found = _read("Applid,Collection Date,Collection Time,Interval,DSGACT\nA,27.03.2026,01:00:00,01:00:00,00:06:00\n")
    assert [str(t)[:16] for t in found.start] == ["2026-03-27T00:00"]
    assert found.column("busy", "QR", region="A").tolist() == [0.1]


@pytest.mark.parametrize(
    ("text", "options", "values"),
    [
        ("users;throughput\n1;0,5\n2;1000,25\n", {}, [0.5, 1000.25]),
        ("users;throughput\n1;1.000,5\n2;12,25\n", {}, [1000.5, 12.25]),
        ('users,throughput\n1,"1,000"\n2,"12,500.5"\n', {}, [1000.0, 12500.5]),
        ('users,throughput\n1,"1,234"\n2,7\n', {}, [1234.0, 7.0]),
        ("users;throughput\n1;0,020\n2;1,500\n", {}, [0.02, 1.5]),
        ("users;throughput\n1;1,234\n", {"decimal": ","}, [1.234]),
        ("users;throughput\n1;1,234\n", {"thousands": ","}, [1234.0]),
        ("users;throughput\n1;1'234.5\n", {"thousands": "'"}, [1234.5]),
        ("users,throughput\n1,n/a\n2,\n3,-\n4,5e2\n", {}, [np.nan, np.nan, np.nan, 500.0]),
    ],
)
def test_decimal_marks_and_thousands(text: str, options: dict[str, Any], values: list[float]) -> None:
    """The cells decide on decimal marks where they can; else an option does."""
    assert _read(text, **options).column("rate").tolist() == pytest.approx(values, nan_ok=True)


def test_a_comma_that_may_be_either_is_asked() -> None:
    """1,234 between semicolons may be a thousand or not: it is not guessed."""
    assert "1,234 may be a decimal comma or a thousand; say --decimal , or --thousands ," in _error("users;tps\n1;1,234\n")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("start,rate\n2026-03-02T09:00,ten\n2026-03-02T09:15,3\n", "line 2, 'rate' = 'ten': must be a number below 1e100"),
        ("start,rate\n2026-03-02T09:00,abc\n", "line 2, 'rate' = 'abc': must be a number below 1e100"),
        ("start,rate\n2026-03-02T09:00,1e300\n", "line 2, 'rate' = '1e300': must be a number below 1e100"),
        ("start,rate\nyesterday,1\n", "line 2, 'start' = 'yesterday': must be a date and time; write 2026-03-02T09:00"),
        ("start,rate\n2026-03-02T09:00,1\n2026-13-02T09:15,3\n", "line 3, 'start' = '2026-13-02T09:15': must be a date"),
        ("start,length,rate\n2026-03-02T09:00,long,1\n", "line 2, 'length' = 'long': must be the length of an interval"),
        ("start,end,rate\n2026-03-02T09:00,2026-03-02T08:00,1\n", "line 2: the interval must end after it begins"),
        ("start,rate\n2026-03-02T09:00,1\n2026-03-02T09:15\n", "line 3 = '2026-03-02T09:15': has 1 cells, the headings 2"),
        ("colour,taste\nred,3\n", "headings: name no known quantity: 'colour', 'taste'; say --map orders.rate=HEADING"),
        ("1,2\n3,4\n", "line 1: must have headings"),
        ("start,rate\n", "line 1: must have headings"),
        ('start,rate\n2026-03-02T09:00,"1\n' + "x" * 200_000, "cannot be read: field larger than field limit"),
        ("start,rate\n2026-03-02T09:00,\0\n", "file: is binary"),
        (b"\x1f\x8b" + b"x" * 50, "file: is gzip; unpack it"),
        (b"PK\x03\x04" + b"x" * 50, "a zip file or a workbook"),
        ("start,rate\n2026-03-02T09:00,1\n".encode("cp037"), "file: is in EBCDIC; transfer it as text"),
        ("", "file: is empty"),
        (",".join(f"a{i}.rate" for i in range(6000)) + "\n" + ",".join("1" * 6000), "has 6,000 columns, and at most 5,000"),
        ("a.rate" + "\n1" * 2 + "\n" + "1" * 3_000_000, "line 4: has more than 2,097,152 characters"),
    ],
)
def test_errors_are_one_line(text: str | bytes, message: str) -> None:
    """What is wrong is one line with the line of the file, the heading, the rule and the repair."""
    found = _error(text)
    assert message in found
    assert found.startswith("input: ")
    assert "\n" not in found


def test_options_that_are_wrong() -> None:
    """An unknown format, unit or mark is refused; so is a file that is larger than the limit."""
    assert "must be one of 'csv'" in _error("a.rate\n1\n", format="pdf")
    assert "must be one of 's', 'ms'" in _error("a.rate\n1\n", time_unit="days")
    assert "must be one of '.', ','" in _error("a.rate\n1\n", decimal=":")
    assert "raise the limit: --largest 2G" in _error("a.rate\n" + "1\n" * 100, largest=100)
    with pytest.raises(qn.ModelError, match="cannot be read: No such file"):
        qn.measure.read("/no/such/file.csv")
    with pytest.raises(qn.ModelError, match="is a folder"):
        qn.measure.read(DATA)
    with pytest.raises(qn.ModelError, match="must be a name or an open file"):
        qn.measure.read(3)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        *(("2026-03-02T09:00", "2026-03-02T09:00:00.000"), ("2026-03-02 09:00:30.25", "2026-03-02T09:00:30.250")),
        *(("03/02/2026-09.00.00", "2026-03-02T09:00:00.000"), ("03/02/2026 9:05 PM", "2026-03-02T21:05:00.000")),
        *(("02.03.2026 09:00", "2026-03-02T09:00:00.000"), ("20260302090000", "2026-03-02T09:00:00.000")),
        *(("2026.061 09:00:00", "2026-03-02T09:00:00.000"), ("1772442000", "2026-03-02T09:00:00.000")),
        *(("1772442000000", "2026-03-02T09:00:00.000"), ("2026-03-02T09:00:00Z", "2026-03-02T09:00:00.000")),
        *(("2026-03-02T10:00:00+01:00", "2026-03-02T09:00:00.000"), ("2026-03-02", "2026-03-02T00:00:00.000")),
        *(("03/02", "2000-03-02T00:00:00.000"), ("2026-03-02T25:00", ""), ("2026-02-30", ""), ("2026.366", ""), ("noon", "")),
    ],
)
def test_forms_of_times(text: str, expected: str) -> None:
    """Times as tools write them; what is none is refused."""
    found = Clock().milliseconds(text)
    assert (str(np.datetime64(found, "ms")) if found is not None else "") == expected


def test_whether_the_day_is_first() -> None:
    """A day above 12 decides for all dates of a file, an option decides before it, and the default is said."""
    text = "date,time,tps\n02/03/2026,09.00.00,1\n28/03/2026,09.00.00,2\n"
    found = _read(text)
    assert str(found.start[0])[:10] == "2026-03-02"
    assert "day/month/year: a first number is above 12" in " ".join(found.notes)
    usual = _read("date,time,tps\n02/03/2026,09.00.00,1\n")
    assert str(usual.start[0])[:10] == "2026-02-03"
    assert "month/day/year" in " ".join(usual.notes)
    assert str(_read("date,time,tps\n02/03/2026,09.00.00,1\n", day_first=True).start[0])[:10] == "2026-03-02"


@pytest.mark.parametrize(("day", "month"), [((8, 10), (5, 7)), ((5, 7), (8, 10))])
def test_a_late_row_tells_whether_the_day_is_first(day: tuple[int, int], month: tuple[int, int]) -> None:
    """Intervals of half a minute: the 13th stands 28,800 rows below the first, and decides for all before it."""
    wanted = np.arange("2026-04-03", "2026-04-15", np.timedelta64(30, "s"), dtype="datetime64[s]")
    written = [f"{s[slice(*day)]}/{s[slice(*month)]}/{s[:4]} {s[11:]}" for s in map(str, wanted)]
    found = _read("from,to,tps\n" + "".join(f"{a},{b},1\n" for a, b in itertools.pairwise(written)))
    assert (found.start == wanted[:-1]).all()
    assert np.unique(found.length).tolist() == [30.0]
    said = ["dates are read as day/month/year: a first number is above 12"] if day == (8, 10) else []
    assert [note for note in found.notes if "dates" in note] == said


def test_lengths_of_intervals() -> None:
    """Lengths in minutes, as clocks, in seconds; from the end; from the distance of the begins, which is said."""
    assert _read("start,int,tps\n2026-03-02T09:00,15.00,1\n").length.tolist() == [900.0]
    assert _read("start,interval,tps\n2026-03-02T09:00,29:59:999,1\n").length.tolist() == [1799.999]
    assert _read("start,length [min],tps\n2026-03-02T09:00,5,1\n").length.tolist() == [300.0]
    assert _read("start,end,tps\n2026-03-02T09:00,2026-03-02T09:05,1\n").length.tolist() == [300.0]
    spaced = _read("start,tps\n2026-03-02T09:00,1\n2026-03-02T09:05,1\n2026-03-02T09:10,1\n2026-03-02T09:20,1\n")
    assert spaced.length.tolist() == [300.0] * 4
    assert "median distance of begins is taken, 300 s" in " ".join(spaced.notes)
    assert duration("1:2:3:4:5:6") is None
    counted = _read("interval,tps\n1,5\n2,6\n3,7\n")
    assert np.isnan(counted.length).all()
    assert "'interval' is left out: it numbers the intervals" in counted.notes


def test_classes_in_rows_stand_side_by_side() -> None:
    """Records of one interval are one row; a record again is a row of its own; several columns may name whose it is."""
    found = qn.measure.read(DATA / "long.csv")
    assert found.values.shape == (3, 6)
    assert found.column("rate", "PAYMENTS", lpar="PRODA").tolist() == [20.0, 25.0, 26.0]
    assert np.isnan(found.column("rate", "ORDERS")).tolist() == [False, False, True]
    assert found.places.tolist() == [2, 4, 6]


def test_classes_without_a_clock_stay_rows() -> None:
    """Where nothing says that records were measured at once, each is an interval of its own."""
    found = _read("workload,clients,throughput\nread,1,10\nread,2,20\nwrite,1,5\n")
    assert found.column("rate", "read").tolist() == pytest.approx([10.0, 20.0, np.nan], nan_ok=True)
    assert found.column("users", "write").tolist() == pytest.approx([np.nan, np.nan, 1.0], nan_ok=True)
    assert "each record is an interval of its own" in " ".join(found.notes)


def test_overview_and_statistics() -> None:
    """An RMF overview with qualified names and a date and a time column; CICS statistics with decimal commas."""
    overview = qn.measure.read(DATA / "overview.csv")
    assert [str(t)[11:16] for t in overview.start] == ["09:00", "09:15", "09:30"]
    assert overview.length.tolist() == [900.0] * 3
    assert overview.column("used", "ORDERS.1").tolist() == pytest.approx([0.8, 0.97, 1.06])
    assert overview.column("servers", "CP").tolist() == [2.0] * 3
    assert overview.column("in_system").tolist() == [3.2, 4.1, 5.4]
    statistics = qn.measure.read(DATA / "cics_statistics.csv")
    assert statistics.column("busy", "QR", region="CICSA1").tolist() == pytest.approx([306.5 / 900, 340.75 / 900])
    assert statistics.column("wait", "CICSA2").tolist() == pytest.approx([0.002, 0.005])
    assert statistics.column("limit", "MXT", region="CICSA2").tolist() == [120.0, 120.0]
    assert statistics.column("at_limit", "MXT", region="CICSA2").tolist() == [4.0, 9.0]
    assert statistics.column("rate", "CICSA1").tolist() == [100.0, 110.0]


def test_many_classes_and_figures_are_refused() -> None:
    """A table that would not fit is refused before it is made."""
    rows = "".join(f"2026-03-02T{i % 24:02d}:{i // 24 % 60:02d},c{i},1\n" for i in range(5001))
    assert "has more than 5,000 classes" in _error("start,class,rate\n" + rows)
    rows = "".join(f"c{i % 5000},1\n" for i in range(6000))
    assert "and at most 25,000,000 are read" in _error("class,rate\n" + rows)


@pytest.mark.parametrize(
    ("text", "seconds"), [("1h", 3600), ("15m", 900), ("30min", 1800), ("15 min", 900), ("900s", 900), ("0.5 h", 1800)]
)
def test_lengths_with_their_unit(text: str, seconds: float) -> None:
    """1h, 15m and 30min are lengths."""
    assert _read(f"start,duration,rate\n2026-03-02T09:00,{text},1\n").length.tolist() == [seconds]


def test_figures_of_a_resource_that_each_class_repeats() -> None:
    """The utilization of the machine in each row of a class is one series; where it differs it is of the class."""
    rows = "time,class,rate,response [s],cpu_busy [%],cpus\n"
    rows += "".join(f"{t},{c},10,0.1,{busy},4\n" for t, busy in (("09:00", 50), ("09:15", 60)) for c in ("A", "B"))
    found = _read(rows + "09:30,A,10,0.1,70,4\n")
    assert found.column("busy", "cpu", work="").tolist() == pytest.approx([0.5, 0.6, 0.7])
    assert found.names("busy") == ("cpu",)
    assert [each.work for each in found.series if each.quantity == "servers"] == [""]
    assert any("each class repeats 'cpu_busy [%]', 'cpus'" in note for note in found.notes)
    apart = _read(rows + "09:30,A,10,0.1,70,4\n09:30,B,10,0.1,71,4\n")
    assert {each.work for each in apart.series if each.quantity == "busy"} == {"A", "B"}
    one = _read("time,class,rate,cpu_busy [%]\n09:00,A,10,50\n09:15,A,20,60\n")
    assert one.column("busy", "cpu", work="").tolist() == [0.5, 0.6]

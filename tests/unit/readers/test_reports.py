"""Reports of RMF: XML of the Postprocessor and of Monitor III, the printed report; whole files are in tests/data/measured."""

from __future__ import annotations

import datetime
import io
import tracemalloc

import numpy as np
import pytest
import qnsolve as qn
from qnsolve.measure.readers.reports.buckets import percentiles

from tests import ROOT
from tests.support import report_texts as rmf

DATA = ROOT / "tests" / "data" / "measured"
BEGIN = datetime.datetime(2026, 3, 2, 9)


def _xml(text: str) -> qn.measure.Intervals:
    return qn.measure.read(io.BytesIO(text.encode()))


def _error(text: str) -> str:
    with pytest.raises(qn.ModelError) as caught:
        _xml(text)
    return str(caught.value)


@pytest.mark.parametrize("name", ["cpu.xml", "cpu_activity.txt"])
def test_cpu_activity(name: str) -> None:
    """CPU Activity and Partition Data, in XML and printed: busy of each type, processors online, partitions."""
    found = qn.measure.read(DATA / name)
    assert [str(t)[:16] for t in found.start] == ["2026-03-02T09:00", "2026-03-02T09:15"]
    assert found.length.tolist() == [900.0, 900.0]
    xml = name.endswith("xml")
    assert found.column("busy", "CP").tolist() == pytest.approx([0.7, 0.8] if xml else [0.7, 0.7])
    assert found.column("busy", "CP MVS").tolist() == pytest.approx([0.71, 0.81] if xml else [0.71, 0.71])
    assert found.column("servers", "CP")[0] == (1.5 if xml else 2.0)  # one was online for half of the time
    assert found.column("busy", "IIP", lpar="").tolist() == pytest.approx([0.2, 0.2])
    assert found.column("weight", "PRODA").tolist() == [600.0, 600.0]
    assert found.column("msu", "TESTA").tolist() == [12.0, 12.0]
    assert found.column("capped", "TESTA").tolist() == pytest.approx([0.4, 0.4])
    assert found.column("used", "PRODA")[0] == pytest.approx(1.5 if xml else 1.4)  # dispatch time / interval
    assert found.column("used", "IIP", lpar="PRODA")[0] == pytest.approx(0.2)
    assert {each.system for each in found.series} == {"SYSA"}
    assert not any("PHYSICAL" in each.lpar or "TOTAL" in each.lpar.upper() for each in found.series)
    busy = next(each for each in found.series if each.title == "CP.busy")
    assert (busy.field, busy.factor, busy.source) == ("Time% LPAR Busy", 0.01, str(DATA / name))


def test_workload_activity() -> None:
    """WLMGL: rate, transactions inside, response with queueing, APPL %, percentiles, by service class period."""
    found = qn.measure.read(DATA / "wlmgl.xml")
    assert found.names("rate") == ("ORDERS.1", "BATCH1.2")
    assert found.column("rate", "ORDERS.1").tolist() == [100.0, 120.0]
    assert found.column("response_time", "ORDERS.1").tolist() == [0.032, 0.032]
    assert found.column("wait", "ORDERS.1").tolist() == [0.002, 0.002]
    assert found.column("in_system", "ORDERS.1").tolist() == [3.2, 3.2]
    assert found.column("used", "ORDERS.1").tolist() == [0.8, 0.8]
    assert found.column("used_ziip", "BATCH1.2").tolist() == [0.15, 0.15]
    assert found.column("used_overflow", "BATCH1.2").tolist() == [0.02, 0.02]
    assert found.column("response_p95", "ORDERS.1")[0] == pytest.approx(0.1 + 0.1 * 4500 / 8900)
    assert not found.has("response_p99", "BATCH1.2")  # it lies in the last bucket, which has no end
    assert "EXECUTION" in found.notes[-1]


def test_coupling_facility_and_monitor_iii() -> None:
    """CF: requests in a second and service times of structures, busy; Monitor III: coded names of the CPC report."""
    cf = qn.measure.read(DATA / "cf.xml")
    assert cf.column("requests", "DSNDB0A_LOCK1 SYNC").tolist() == [1000.0]
    assert cf.column("service_time", "IMSMSGQ01 ASYNC").tolist() == pytest.approx([140.5e-6])
    assert cf.column("busy").tolist() == [0.125]
    cpc = qn.measure.read(DATA / "cpc.xml")
    assert (cpc.length.tolist(), cpc.names("busy")) == ([60.0], ("PRODA", "TESTA"))
    assert cpc.column("busy", "PRODA").tolist() == [0.75]
    assert cpc.column("msu", "PRODA").tolist() == [210.0]


def test_the_class_stands_above_its_tables() -> None:
    """A class is known by the list of names before its tables, or by the name of its segment; report classes too."""
    rate = rmf.part(rmf.variables(AVG=3, END_S=1) + "", "Transactions").replace("END S", "END/S")
    other = rate.replace("<value>1<", "<value>2<")
    third = rate.replace("<value>1<", "<value>3<")
    text = rmf.file(
        rmf.report(
            *("WLMGL", "PLEX", BEGIN, 15),
            rmf.segment("Classes", rmf.part(rmf.variables(Service_Class="A", Period=1)), rate)
            + rmf.segment("Classes", rmf.part(rmf.variables(Workload="W", Report_Class="RB")), other)
            + rmf.segment("Service Class C Period 2", third),
        )
    )
    found = _xml(text)
    assert found.names("rate") == ("A.1", "RB", "C.2")
    assert [found.column("rate", name)[0] for name in found.names("rate")] == [1.0, 2.0, 3.0]
    assert "show the same work twice" in " ".join(found.notes)


def test_an_interval_twice_is_two_rows() -> None:
    """A report of one system and interval again is a row of its own; other reports of the interval are in the same row."""
    cpu = rmf.cpu_report(BEGIN, 40.0)
    wlm = rmf.report(
        *("WLMGL", "SYSA", BEGIN, 30),
        rmf.segment("Service Class A", rmf.part(rmf.variables(ENDED=900), "Transactions")),
    )
    found = _xml(rmf.file(cpu, wlm, cpu))
    assert len(found) == 2
    assert found.column("count").tolist() == pytest.approx([900.0, np.nan], nan_ok=True)
    assert found.column("busy", "CP").tolist() == pytest.approx([0.4, 0.4])


def test_a_month_of_half_hours() -> None:
    """263 intervals of the CPU report, 8 MB, are read in the order of time, page by page: a few MB are held."""
    pages = [rmf.cpu_report(BEGIN + datetime.timedelta(minutes=30 * i), 10 + i / 10) for i in range(263)]
    raw = rmf.file(*reversed(pages)).encode()
    assert 5e6 < len(raw) < 10e6
    file = io.BytesIO(raw)
    qn.measure.read(io.BytesIO(rmf.file(pages[0]).encode()))
    tracemalloc.start()
    found = qn.measure.read(file)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 3 * len(raw)
    assert found.values.shape == (263, 3 + 24 * 6)
    assert (np.diff(found.start) == np.timedelta64(30, "m")).all()
    assert found.column("busy", "CP").tolist() == pytest.approx([0.1 + i / 1000 for i in range(263)])


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("<html></html>", "has no report: its root is <html>"),
        (rmf.file(), "has no report: its root is <ddsml>"),
        ('<?xml version="1.0"?><!DOCTYPE ddsml [<!ENTITY a "b">]><ddsml>&a;</ddsml>', "has a document type or entities"),
        ("<ddsml><postprocessor>", "is not valid XML: no element found"),
        ("<ddsml><postprocessor></ddsml>", "line 1, column 25: is not valid XML: mismatched tag"),
        ("<ddsml>" + "<a>" * 100, "is nested more than 60 levels deep"),
        (rmf.cpu_report(BEGIN, 40.0), "has a form"),
    ],
)
def test_xml_that_is_wrong(text: str, message: str) -> None:
    """What is no XML of RMF is one line; entities are refused before they are read."""
    if message == "has a form":
        text, message = rmf.file(text.replace("00.00.32.055", "soon", 1)), "'Total Dispatch Time' = 'soon': must be a number"
    assert message in _error(text)


def test_a_report_without_a_time_or_a_figure() -> None:
    """A page without its begin, and a file without a known figure, say so."""
    text = rmf.file(rmf.cpu_report(BEGIN, 40.0))
    assert "report 1 = '': must have the begin of its interval" in _error(text.replace("display-start", "display"))
    nothing = rmf.file(rmf.report("CHAN", "SYSA", BEGIN, 15, rmf.segment("x", rmf.part(rmf.table(["A"], [[1]]), "Paths"))))
    assert "has no known figure: Paths" in _error(nothing)
    kept = qn.measure.read(io.BytesIO(nothing.encode()), keep_all=True)
    assert kept.column("figure", "A").tolist() == [1.0]


def test_printed_report_without_a_page() -> None:
    """A text that only looks like the report is refused."""
    with pytest.raises(qn.ModelError, match="has no line with System ID, Date and Interval"):
        qn.measure.read(io.BytesIO(b"C P U  A C T I V I T Y\nhello\n"))


def test_percentiles_from_running_totals() -> None:
    """Running totals serve as well as counts of each bucket; what is no distribution gives nothing."""
    rows = [["< 00.00.00.100", "50"], ["<= 00.00.00.200", "90"], ["<= 00.00.00.300", "100"]]
    assert percentiles(["Time", "Number: Cum Total"], rows, (0.25, 0.9, 1.0)) == pytest.approx([0.05, 0.2, 0.3])
    assert percentiles(["Name", "Number"], rows, (0.5,)) == []
    assert np.isnan(percentiles(["Time", "Number: Cum Total"], [["< 1:00", "0"]], (0.5,))).all()

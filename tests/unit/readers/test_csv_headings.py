"""Headings of tables: what is understood by name, unit or option, what is left out and said."""

from __future__ import annotations

import io
from typing import Any

import numpy as np
import pytest
import qnsolve as qn
from qnsolve.measure.intervals.quantities import QUANTITIES
from qnsolve.measure.readers.field_names import exact, known_fields, words
from qnsolve.measure.readers.headings import planned
from qnsolve.model.measured_units import factor


def _read(text: str, **options: Any) -> qn.measure.Intervals:
    return qn.measure.read(io.StringIO(text), **options)


@pytest.mark.parametrize(
    ("heading", "title", "scale"),
    [
        ("orders.rate", "orders.rate", 1.0),
        ("orders.response_time [ms]", "orders.response_time", 1e-3),
        ("cpu.busy [%]", "cpu.busy", 0.01),
        ("HIGH.1.rate [1/min]", "HIGH.1.rate", 1 / 60),
        ("throughput_per_s", "rate", 1.0),
        ("Trans/s", "rate", 1.0),
        ("http_reqs_per_s", "rate", 1.0),
        ("orders requests per second", "orders.rate", 1.0),
        ("R95 (ms)", "response_p95", 1e-3),
        ("rt99_ms", "response_p99", 1e-3),
        ("tps", "rate", 1.0),
        ("rate_WC0", "WC0.rate", 1.0),
        ("mean_response_s_WC0", "WC0.response_time", 1.0),
        ("avgResponseTime_ms", "response_time", 1e-3),
        ("response_avg_ms", "response_time", 1e-3),
        ("p95 latency (ms)", "response_p95", 1e-3),
        ("mw_queue_wait_us", "mw.wait", 1e-6),
        ("mw_queue_length", "mw.queue_length", 1.0),
        ("clients", "users", 1.0),
        ("cpu_util (%)", "cpu.busy", 0.01),
        ("CPUBSY", "CP.busy", 0.01),
        ("APPLPER(S.ONLINE.1)", "ONLINE.1.used", 0.01),
        ("APPL% IIPCP", "used_overflow", 0.01),
        ("TRANS", "rate", 1.0),
        ("orders tps", "orders.rate", 1.0),
        ("throughput_per_s_at_15s", "rate", 1.0),
        ("USRCPUT", "cpu_time", 1.0),
        ("CICSA1 QRBUSY", "QR.busy", 0.01),
        *(
            ("Requests/s", "rate", 1.0),
            ("Transactions/sec", "rate", 1.0),
            ("total_tps", "rate", 1.0),
            ("ops_per_min", "rate", 1 / 60),
        ),
        *(("95%", "response_p95", 1.0), ("99% Line", "response_p99", 1.0), ("latency_95th_ms", "response_p95", 1e-3)),
        *(("AverageLatency(us)", "response_time", 1e-6), ("Median Response Time", "response_p50", 1.0)),
        *(
            ("User Count", "users", 1.0),
            ("threads", "users", 1.0),
            ("worker_threads", "servers", 1.0),
            ("cores", "servers", 1.0),
        ),
        *(("CPU sec/tran", "cpu_time", 1.0), ("CPU/tran (ms)", "cpu_time", 1e-3), ("APPL% zIIP", "used_ziip", 0.01)),
        *(("disk_util_percent", "disk.busy", 0.01), ("db cpu %", "db.busy", 0.01), ("R4HA", "msu", 1.0)),
        *(("read_latency_p99_ms", "read.response_p99", 1e-3), ("throughput_ops_s", "rate", 1.0)),
        *(("mean_ms", "response_time", 1e-3), ("completed_tx_per_min", "rate", 1 / 60)),
        ("Avg Response (ms)", "response_time", 1e-3),
        ("avg response", "response_time", 1.0),
        ("average response time", "response_time", 1.0),
        ("mean response", "response_time", 1.0),
        ("orders avg ms", "orders.response_time", 1e-3),
        ("orders avg (ms)", "orders.response_time", 1e-3),
        ("Antwortzeit (ms)", "response_time", 1e-3),
        ("orders Antwortzeit [ms]", "orders.response_time", 1e-3),
        ("think time avg ms", "think_time", 1e-3),
        ("throughput_sd", "", 0.0),
        ("Release", "", 0.0),
        ("peak users", "", 0.0),
        ("Promote Rate Used(%)", "", 0.0),
    ],
)
def test_what_a_heading_means(heading: str, title: str, scale: float) -> None:
    """A heading is whose figures these are, a quantity and a unit; what is no mean or not known is left out."""
    (plan,) = planned([heading])
    if not title:
        assert plan.role == ""
        return
    assert plan.series is not None
    assert (plan.series.title, plan.series.field) == (title, heading)
    assert plan.series.factor == pytest.approx(scale)


@pytest.mark.parametrize(
    ("unit", "wanted", "value"),
    [
        *(
            ("ms", "s", 1e-3),
            ("µs", "s", 1e-6),
            ("minutes", "s", 60.0),
            ("1/min", "1/s", 1 / 60),
            ("per hour", "1/s", 1 / 3600),
        ),
        *(
            ("req/s", "1/s", 1.0),
            ("tps", "1/s", 1.0),
            ("percent", "servers", 0.01),
            ("MB/s", "bytes/s", 1e6),
            ("MSU", "MSU", 1.0),
        ),
    ],
)
def test_units(unit: str, wanted: str, value: float) -> None:
    """Each unit has one factor to the unit of the table, and none to one of another kind."""
    assert factor(unit, wanted) == (pytest.approx(value), "")
    assert factor(unit, "s" if wanted != "s" else "1/s") is None


def test_the_table_of_fields_is_sound() -> None:
    """Every name of the table leads to its own row, and each unit is one of its quantity."""
    seen: dict[tuple[str, ...], str] = {}
    for each in known_fields():
        assert each.quantity in QUANTITIES
        for name in (each.field, *each.names):
            key = tuple(words(name))
            assert seen.setdefault(key, each.field) == each.field, name
            assert exact(words(name)) is not None
        if each.unit:
            wanted = qn.measure.MeasuredSeries(each.quantity).unit
            assert factor(each.unit, wanted) is not None, each.field


def test_map_and_units() -> None:
    """--map names headings that are not known, with a unit behind the heading or in it; units may be given apart."""
    text = (
        "When,Svc,Avg Resp,Tx,CPU sec\n2026-03-02 09:00,A,12,6000,300\n2026-03-02 09:10,A,14,7200,360\n2026-03-02 09:20,A,,,\n"
    )
    columns = {"start": "When", "class": "Svc", "response_time": "Avg Resp [ms]", "count": "Tx", "used": "CPU sec"}
    found = _read(text, columns=columns, units={"CPU sec": "%"})
    assert found.column("response_time", "A")[:2].tolist() == [0.012, 0.014]
    assert found.column("rate", "A")[:2].tolist() == [10.0, 12.0]
    assert found.column("used", "A")[:2].tolist() == [3.0, 3.6]
    assert np.isnan(found.values[2]).all()
    assert [each.factor for each in found.series if each.quantity == "response_time"] == [0.001]
    with pytest.raises(qn.ModelError, match="must name a heading"):
        _read(text, columns={"a.rate": "Tz"})
    with pytest.raises(qn.ModelError, match=r"must begin with NAME\.quantity"):
        _read(text, columns={"a.rat": "Tx"})
    with pytest.raises(qn.ModelError, match="is a rate in 1/s, and 'ms' is no such unit"):
        _read(text, columns={"a.rate": "Tx"}, units={"Tx": "ms"})


def test_times_without_a_unit_are_said() -> None:
    """A response time without a unit is taken as seconds or in the unit that is given, which a note says."""
    text = "users,throughput,response\n1,10,100\n2,20,110\n"
    assert "'response' has no unit: its times are taken as seconds" in " ".join(_read(text).notes)
    found = _read(text, time_unit="ms")
    assert found.column("response_time").tolist() == [0.1, 0.11]
    assert not [note for note in found.notes if "no unit" in note]


def test_percent_or_share_is_decided_by_the_values() -> None:
    """A utilization without a unit is percent where a value is above 1.5, and a note says which."""
    percent = _read("users,throughput,cpu_util\n1,10,0.4\n2,20,43.0\n")
    assert percent.column("busy").tolist() == pytest.approx([0.004, 0.43])
    assert "it is taken as percent" in " ".join(percent.notes)
    share = _read("users,throughput,cpu_util\n1,10,0.4\n2,20,0.9\n")
    assert share.column("busy").tolist() == [0.4, 0.9]
    assert "it is taken as shares" in " ".join(share.notes)
    assert _read("users,throughput,cpu_util (%)\n1,10,0.4\n2,20,0.9\n").column("busy").tolist() == pytest.approx([0.004, 0.009])
    cells = _read("users,throughput,cpu_util\n1,10,0.4%\n2,20,0.9 %\n")
    assert cells.column("busy").tolist() == pytest.approx([0.004, 0.009])
    other = _read("users,throughput,CPU\n1,10,8562\n")
    assert not other.has("busy")
    assert "it is no utilization" in " ".join(other.notes)


def test_what_is_left_out_is_said() -> None:
    """Columns that are not understood stand in a note; keep_all keeps their figures, not their words."""
    text = "users,throughput,colour,heap_mb\n1,10,red,512\n2,20,blue,640\n"
    assert "not understood and left out: 'colour', 'heap_mb'" in " ".join(_read(text).notes)
    kept = _read(text, keep_all=True)
    assert kept.column("figure", "heap_mb").tolist() == [512.0, 640.0]
    assert "left out: 'colour'" in " ".join(kept.notes)


def test_one_of_two_of_a_kind() -> None:
    """Of two columns that say the same the first is read and the other named."""
    found = _read("users,throughput,tps\n1,10,11\n")
    assert found.column("rate").tolist() == [10.0]
    assert "'tps' is left out: 'throughput' is the same rate" in " ".join(found.notes)
    actual = _read("start,TRANS,RTIME,RTIMETOT\n2026-03-02T09:00,10,0.1,0.2\n")
    assert actual.column("response_time").tolist() == [0.2]


def test_sums_are_divided() -> None:
    """A sum over the interval is divided by its length, a sum over jobs by their count; else it is left out, and said."""
    text = "start,length,APPLID,XMGNUM,XMGTQTME,DSGACT\n2026-03-02T09:00,900,A1,9000,18,450\n"
    found = _read(text)
    assert found.column("wait").tolist() == [0.002]
    assert found.column("busy", "QR").tolist() == [0.5]
    assert found.column("rate").tolist() == [10.0]
    assert found.notes[0] == "'DSGACT' is taken as that of the QR TCB: no column has the TCB mode (DSGTCBNM)"
    alone = _read("APPLID,XMGMXT,DSGACT\nA1,120,450\n")
    assert not alone.has("busy")
    assert "must be divided by the length of the interval" in " ".join(alone.notes)


@pytest.mark.parametrize("heading", ["DSGTCBNM", "TCB Mode"])
def test_the_time_of_a_tcb_is_of_its_mode(heading: str) -> None:
    """QR, RO and L8 stand apart, one interval for all of them; of L8, which has many TCBs, it is processors in use."""
    text = f"start,length,APPLID,{heading},DSGACT,XMGMXT\n"
    for minute in (0, 10):
        for mode, time in (("QR", 210), ("L8", 720), ("RO", 6)):
            text += f"2026-03-02T09:{minute:02}:00,600,A1,{mode},{time + minute},120\n"
    found = _read(text)
    assert len(found) == 2
    assert found.column("busy", region="A1", resource="QR") == pytest.approx([0.35, 220 / 600])
    assert found.column("busy", region="A1", resource="RO") == pytest.approx([0.01, 16 / 600])
    assert found.column("used", region="A1", resource="L8") == pytest.approx([1.2, 730 / 600])
    assert found.column("limit", region="A1", resource="MXT").tolist() == [120, 120]
    assert found.notes == ()


@pytest.mark.parametrize(
    ("text", "titles"),
    [
        (
            "threads,tps,qps,latency_avg_ms,latency_p95_ms\n1,100,2000,10,12\n",
            ["users", "rate", "response_time", "response_p95"],
        ),
        (
            "Timestamp,User Count,Name,Requests/s,50%,66%,95%,99%\n1772442000,10,all,50,10,12,18,25\n",
            ["all.users", "all.rate", "all.response_p50", "all.response_p95", "all.response_p99"],
        ),
        (
            "Label,# Samples,Average,Median,90% Line,Error %,Throughput\nhome,100,120,100,200,0.00%,12.3\n",
            ["home.count", "home.response_p50", "home.response_p90", "home.rate"],
        ),
        (
            "nodes,clients,throughput_ops_s,mean_ms,p99_ms\n3,8,700,2,9\n",
            ["users", "rate", "response_time", "response_p99"],
        ),
        (
            "Date;Time;LPAR;CPU busy %;MSU\n02.03.2026;09:00;PRD1;45,5;210\n",
            ["cpu.busy", "PRD1.msu"],
        ),
    ],
)
def test_tables_of_tools(text: str, titles: list[str]) -> None:
    """What drivers of benchmarks and reporting tools write is read without an option."""
    assert [each.title for each in _read(text).series] == titles


def test_german_headings() -> None:
    """Datum, Uhrzeit, Klasse and Antwortzeit."""
    found = _read("Datum;Uhrzeit;Klasse;TPS;Antwortzeit [ms]\n02.03.2026;09:00;A;10;20,5\n02.03.2026;09:15;A;12;21,5\n")
    assert found.column("response_time", "A").tolist() == pytest.approx([0.0205, 0.0215])
    assert str(found.start[1]) == "2026-03-02T09:15:00.000"


@pytest.mark.parametrize(
    "heading", ["threadcount", "Number of threads", "nthreads", "thread_count", "client threads", "num_connections"]
)
def test_loads_of_drivers(heading: str) -> None:
    """What drivers of benchmarks call the load; a total beside it is no name."""
    headings = f"{heading},[OVERALL] Throughput(ops/sec),AverageLatency(us),95thPercentileLatency(us)"
    found = _read(f"{headings}\n1,900,1100,2100\n8,6000,1300,2900\n")
    assert found.column("users").tolist() == [1, 8]
    assert found.column("rate").tolist() == [900, 6000]
    assert found.column("response_time").tolist() == pytest.approx([0.0011, 0.0013])
    assert found.column("response_p95").tolist() == pytest.approx([0.0021, 0.0029])

"""Hours of statistics beside quarters of an hour of a report: loads of the long intervals, and none of them counted twice."""

from __future__ import annotations

import io
from pathlib import Path

import numpy as np
import pytest
import qnsolve as qn
from qnsolve.cli.main import main
from qnsolve.fitting.days.day_loads import loads_of
from qnsolve.measure.intervals.longer_rows import contains_others, means_within, with_loads
from qnsolve.measure.readers.joining import join

QUARTERS = [np.datetime64("2026-03-02T09:00") + 15 * i for i in range(8)]
RATES = [10.0, 20.0, 30.0, 40.0, 50.0, 60.0, 70.0, np.nan]


def _joined(rates: list[float] = RATES, hours: tuple[str, ...] = ("09:00", "10:00")) -> qn.measure.Intervals:
    report = qn.measure.table({"orders.rate": rates, "cpu.busy": [0.5] * 8}, start=QUARTERS, length=900)
    statistics = qn.measure.table({"qr.busy": [0.2] * len(hours)}, start=[f"2026-03-02T{hour}" for hour in hours], length=3600)
    return join([report, statistics])


def test_a_long_interval_has_the_mean_of_those_within() -> None:
    """Where they cover it: the second hour has a quarter without a rate."""
    found = _joined()
    rates = found.column("rate", "orders")
    mean = means_within(found, rates)
    long = np.isnan(found.column("busy", "cpu"))
    assert mean[long].tolist() == pytest.approx([25.0, np.nan], nan_ok=True)
    assert np.isnan(mean[~long]).all()
    filled, said = with_loads(found)
    assert filled.column("rate", "orders")[long].tolist() == pytest.approx([25.0, np.nan], nan_ok=True)
    assert filled.column("busy", "cpu")[long].tolist() == pytest.approx([np.nan, np.nan], nan_ok=True)
    assert said == ["1 interval longer than others: rates and users there are the means of those within"]
    assert contains_others(found, rates[:, None]).tolist() == long.tolist()


def test_intervals_that_are_not_longer_stay_as_they_are() -> None:
    """One without a rate among equal ones, one that begins within another, a table without a clock."""
    equal = qn.measure.table({"orders.rate": RATES, "cpu.busy": [0.5] * 8}, start=QUARTERS, length=900)
    assert with_loads(equal) == (equal, [])
    assert not contains_others(equal, equal.column("rate", "orders")[:, None]).any()
    later = _joined(hours=("10:30",))  # ends after the last quarter
    assert with_loads(later)[1] == []
    bare = qn.measure.table({"orders.rate": RATES, "cpu.busy": [0.5] * 8})
    assert with_loads(bare)[1] == []


def test_a_day_counts_no_hour_beside_its_quarters() -> None:
    """The hours have no load of their own; an interval without one that contains no other is one without work."""
    found = loads_of(_joined(), {"orders": False})
    assert found.values[:, 0].tolist() == [10.0, 20.0, 30.0, 40.0, 50.0, 60.0, 70.0, 0.0]
    assert "2 intervals left out: longer than others within them, which have the load" in found.notes
    assert [str(t)[11:16] for t in found.start] == [str(t)[11:16] for t in QUARTERS]
    table = _joined()
    assert table.column("busy", "cpu")[found.order].tolist() == [0.5] * 8


def test_statistics_by_the_hour_give_the_time_on_the_qr_tcb() -> None:
    """The law of the QR TCB takes the hours, that of the CPs the quarters; each figure is that of the system."""
    rng = np.random.default_rng(8)
    start = [np.datetime64("2026-03-02T00:00") + 15 * i for i in range(192)]
    rates = {name: rng.uniform(20, 80, 192) for name in ("a", "b")}
    qr = 0.002 * rates["a"] + 0.004 * rates["b"]
    columns = {f"{name}.rate": each for name, each in rates.items()}
    used = {"a.used": 0.005 * rates["a"], "b.used": 0.004 * rates["b"]}
    report = qn.measure.table({**columns, **used}, start=start, length=900)
    hours = qr.reshape(48, 4).mean(axis=1) * (1 + 0.01 * rng.normal(size=48))
    statistics = qn.measure.table({"AOR.busy": hours}, start=start[::4], length=3600)
    work = [{"name": n, "rate": "measured", "regions": "AOR", "qr_cpu": "fit", "open_cpu": "fit"} for n in ("a", "b")]
    sketch = {"lpars": [{"name": "P", "processors": 4}], "regions": [{"name": "AOR", "lpar": "P"}], "work": work}
    found = qn.fit(join([report, statistics]), sketch, held_out=0)
    assert found["a.qr_cpu"].value == pytest.approx(0.002, rel=0.05)
    assert found["b.qr_cpu"].value == pytest.approx(0.004, rel=0.05)
    assert found["a.open_cpu"].value == pytest.approx(0.003, rel=0.05)
    assert (found["a.qr_cpu"].rows, found["a.open_cpu"].rows) == (48, 192)
    assert found.findings[0] == "48 intervals longer than others: rates and users there are the means of those within"


def test_names_that_the_data_have_otherwise() -> None:
    """A class in another case, a region of another name: the error says which the data have, and renaming it is enough."""
    rates = np.array([20.0, 40.0, 60.0, 30.0, 50.0, 70.0])
    series = {"BANK.rate": rates, "BANK.used": 0.005 * rates, "P.busy": 0.01 + 0.005 * rates / 2}
    start = [f"2026-03-02T{hour:02}:00" for hour in range(6)]
    report = qn.measure.table(series, start=start, length=3600)
    text = "start,length,region,DSGACT\n" + "".join(f"{t},3600,CICSP,{7.2 * r}\n" for t, r in zip(start, rates, strict=True))
    table = join([report, qn.measure.read(io.StringIO(text))])
    work = {"name": "BANK", "rate": "measured", "regions": "AOR", "qr_cpu": "fit", "open_cpu": "fit"}
    lpar = {"name": "P", "processors": 2, "fixed_cpu": 0.02}
    sketch = {"lpars": [lpar], "regions": [{"name": "AOR", "lpar": "P"}], "work": [work]}
    with pytest.raises(qn.ModelError, match="the data have the QR TCB of CICSP: --rename CICSP=NAME gives it the name"):
        qn.fit(table, sketch, held_out=0)
    found = qn.fit(table, sketch, held_out=0, rename={"CICSP": "AOR"})
    assert found["BANK.qr_cpu"].value == pytest.approx(0.002, rel=1e-6)
    assert found["BANK.open_cpu"].value == pytest.approx(0.003, rel=1e-6)
    other = {**sketch, "work": [{**work, "name": "Bank"}]}
    with pytest.raises(qn.ModelError, match=r"no series Bank.rate, .*; did you mean 'BANK'[?] known: BANK; --rename NAME=Bank"):
        qn.fit(table, other, held_out=0, rename={"CICSP": "AOR"})


def test_servers_of_one_of_several_files(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Check takes a resource that one of the files has, and refuses one that none has."""
    for name, title in (("a", "cpu"), ("b", "disk")):
        (tmp_path / f"{name}.csv").write_text(f"start,{title}.busy\n2026-03-02T09:00,0.5\n2026-03-02T09:15,0.6\n")
    words = ["check", str(tmp_path / "a.csv"), str(tmp_path / "b.csv"), "--servers"]
    assert main([*words, "disk=3"]) == 0
    assert "disk.busy" not in capsys.readouterr().err
    assert main([*words, "dsk=3"]) == 2
    assert capsys.readouterr().err.strip().endswith("must name a resource of a file; did you mean 'disk'? known: cpu, disk")

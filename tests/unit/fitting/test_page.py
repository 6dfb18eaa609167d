"""Measured beside modelled: errors, verdict, page and workbook."""

from __future__ import annotations

import csv
import io
import json
import re
import zipfile
from pathlib import Path

import numpy as np
import openpyxl
import pytest
import qnsolve as qn
from qnsolve.cli.main import main
from qnsolve.measure import table

from tests import ROOT

N = 96
START = np.datetime64("2026-03-02T00:00", "ms") + np.arange(N) * np.timedelta64(900_000, "ms")
SHOP = qn.Network(
    [qn.Queue("cpu", servers=2), qn.Queue("disk")],
    [qn.OpenClass("orders", arrival_rate=1, demands={"cpu": 0.03, "disk": 0.008})],
    name="shop",
)


def _columns(model: qn.Network = SHOP, low: float = 10, high: float = 40, noise: float = 0.02) -> dict[str, np.ndarray]:
    rng = np.random.default_rng(11)
    rate = (low + high) / 2 + (high - low) / 2 * np.sin(2 * np.pi * np.arange(N) / N)
    found = qn.day(model, table({"orders.rate": rate}, length=900))

    def seen(values: np.ndarray) -> np.ndarray:
        return values * (1 + noise * rng.standard_normal(N))

    busy = {f"{name}.busy": seen(found.utilization[:, k]) for k, name in enumerate(found.centers)}
    return {"orders.rate": rate, "orders.response_time": seen(found.response[:, 0]), **busy}


def _rows(columns: dict[str, np.ndarray]) -> qn.measure.Intervals:
    return table(columns, start=START, length=900)


def test_errors_are_those_of_each_series() -> None:
    """Modelled over measured less 1, by hand; rows left out apart."""
    columns = _columns()
    used = np.arange(N) < 72
    found = qn.measured_beside_modelled(SHOP, _rows(columns), used)
    assert [each.title for each in found.columns] == ["orders.response_time", "cpu.busy", "disk.busy"]
    modelled = columns["orders.rate"] * 0.03 / 2
    error = np.abs(modelled - columns["cpu.busy"]) / columns["cpu.busy"]
    errors = next(each for each in found.errors if each.title == "cpu.busy")
    assert errors.median == pytest.approx(np.median(error))
    assert errors.most == pytest.approx(np.quantile(error, 0.95))
    assert (errors.rows, errors.left_out) == (96, 24)
    assert errors.left_median == pytest.approx(np.median(error[72:]))
    row = next(row for row in found.rows() if row["series"] == "cpu.busy" and row["interval"] == 80)
    assert row["modelled"] == pytest.approx(modelled[79])
    assert row["left_out"]


def test_a_model_that_fits_may_be_used_to_a_load() -> None:
    """The verdict has the factor, the load and what ends it; less is said of a noisier table, and of one that is fuller."""
    found = qn.measured_beside_modelled(SHOP, _rows(_columns()))
    assert found.usability.usable
    assert found.sentences()[0].startswith("May be used up to 1.4 times the highest measured load (orders 40/s): ")
    assert "none were left out" in found.sentences()[0]
    fuller = qn.measured_beside_modelled(SHOP, _rows(_columns(high=60)))
    assert fuller.usability.factor < 1.1 < found.usability.factor
    noisier = qn.measured_beside_modelled(SHOP, _rows(_columns(high=55, noise=0.045)))
    assert noisier.usability.factor <= qn.measured_beside_modelled(SHOP, _rows(_columns(high=55, noise=0.01))).usability.factor


def test_a_model_that_is_off_must_not_be_used() -> None:
    """A third server that is not there."""
    found = qn.measured_beside_modelled(SHOP.replace("cpu", servers=3), _rows(_columns()), np.arange(N) < 72)
    assert not found.usability.usable
    assert re.match(r"Must not be used yet: cpu.busy is 3[23]\.\d % off in the median on rows left out", found.sentences()[0])
    assert found.as_dict()["usability"]["factor"] is None


def test_an_error_that_grows_with_the_load_ends_the_use() -> None:
    """CPU that grows with the load is not in the model: the trend is known before the median is too large."""
    columns = _columns(noise=0.005)
    columns["cpu.busy"] = columns["cpu.busy"] * (1 + 0.08 * (columns["orders.rate"] - 10) / 30)
    found = qn.measured_beside_modelled(SHOP, _rows(columns))
    errors = next(each for each in found.errors if each.title == "cpu.busy")
    assert -0.12 < errors.trend < -0.05
    assert found.usability.factor < qn.measured_beside_modelled(SHOP, _rows(_columns(noise=0.005))).usability.factor


def test_an_hour_that_is_off_is_named() -> None:
    """Backups at three."""
    columns = _columns()
    columns["orders.response_time"][12:16] *= 1.5
    said = qn.measured_beside_modelled(SHOP, _rows(columns)).sentences()
    assert any(
        "orders.response_time: from 03:00 to 04:00 the model says 3" in each and "less than measured" in each for each in said
    )


def test_rates_of_users_are_compared() -> None:
    """X = N/(R + Z)."""
    model = qn.Network([qn.Queue("cpu")], [qn.ClosedClass("web", population=1, think_time=2.0, demands={"cpu": 0.02})])
    users = np.array([10.0, 40, 80, 100, 140, 20])
    rate = np.array([qn.solve(model.replace("web", population=int(n)))["web"].throughput for n in users])
    found = qn.measured_beside_modelled(model, table({"web.users": users, "web.rate": 1.01 * rate}))
    (column,) = found.columns
    assert column.modelled == pytest.approx(rate)
    assert column.error == pytest.approx(1 / 1.01 - 1)


def test_a_fit_brings_its_ranges(tmp_path: Path) -> None:
    """What `fit` returns is taken as it is."""
    sketch = tmp_path / "sketch.toml"
    sketch.write_text(
        'name = "shop"\n[[stations]]\nname = "cpu"\ntype = "queue"\nservers = 2\n[[stations]]\nname = "disk"\ntype = "queue"\n'
        '[[classes]]\nname = "orders"\narrival_rate = "measured"\ndemands = { cpu = "fit", disk = "fit" }\n',
        encoding="utf-8",
    )
    rows = _rows(_columns())
    used = np.arange(N) < 72
    found = qn.measured_beside_modelled(qn.fit(rows, sketch, held_out=~used), rows, used)
    assert found.usability.usable
    assert all(each.lowest is not None for each in found.columns)
    assert "orders.rate" not in [each.title for each in found.columns]


def test_systems_are_compared_by_their_centers() -> None:
    """CPs of the LPAR, the QR TCB of a region."""
    system = qn.load(ROOT / "examples" / "cics-region.toml")
    rates = {"orders.rate": [400.0, 900.0, 1200.0], "reports.rate": [30.0, 50.0, 80.0]}
    base = qn.day(system, table(rates, length=900))
    busy = {
        f"{name}.busy": base.utilization[:, base.centers.index(f"{name} {word}")]
        for name, word in (("PROD", "CPs"), ("AOR1", "QR TCB"))
    }
    found = qn.measured_beside_modelled(
        system, table({**rates, **busy, "orders.response_time": base.response[:, 0]}, length=900)
    )
    assert {each.title for each in found.columns} == {"PROD CPs.busy", "AOR1 QR TCB.busy", "orders.response_time"}
    assert max(each.median for each in found.errors) < 1e-9


def test_the_page_is_one_file(tmp_path: Path) -> None:
    """HTML without anything from elsewhere, text as text, the same figures the same file."""
    columns = _columns()
    found = qn.measured_beside_modelled(SHOP, _rows(columns), np.arange(N) < 72)
    for name in ("one.html", "two.html"):
        found.save(tmp_path / name)
    page = (tmp_path / "one.html").read_text(encoding="utf-8")
    assert page == (tmp_path / "two.html").read_text(encoding="utf-8")
    assert found.usability.sentence in page
    assert page.count("<svg") == 3
    assert not re.findall(r"""(?:src|href)=["'](?!#)[^"']*["']|@import|url\((?!#)""", page.replace("xlink:href", "href"))[
        :1
    ] or not re.findall(r"https?://(?!www\.w3\.org|purl\.org|creativecommons\.org)", page)
    assert "orders.response_time" in page
    assert "<script" not in page


def test_names_are_escaped_in_the_page(tmp_path: Path) -> None:
    """A class with a tag in its name."""
    name = "<b>x</b>"
    model = qn.Network([qn.Queue("cpu")], [qn.OpenClass(name, arrival_rate=1, demands={"cpu": 0.01})])
    rows = table(
        {
            f"{name}.rate": [10.0, 20, 30, 40],
            "cpu.busy": [0.1, 0.2, 0.31, 0.4],
            f"{name}.response_time": [0.011, 0.0125, 0.0143, 0.0167],
        },
        length=60,
    )
    found = qn.measured_beside_modelled(model, rows)
    found.save(tmp_path / "page.html")
    assert "<b>x" not in (tmp_path / "page.html").read_text(encoding="utf-8")
    found.save(tmp_path / "page.xlsx")


def test_the_workbook_has_every_interval_and_native_charts(tmp_path: Path) -> None:
    """Sheets, figures, three charts a series."""
    columns = _columns()
    found = qn.measured_beside_modelled(SHOP, _rows(columns))
    found.save(tmp_path / "page.xlsx")
    book = openpyxl.load_workbook(tmp_path / "page.xlsx", data_only=True)
    assert book.sheetnames == ["Summary", "Charts", "Intervals"]
    sheet = book["Intervals"]
    assert sheet.max_row == N + 1
    heads = [cell.value for cell in sheet[1]]
    at = heads.index("cpu.busy measured [1]")
    assert sheet.cell(row=5, column=at + 1).value == pytest.approx(columns["cpu.busy"][3])
    charts = [name for name in zipfile.ZipFile(tmp_path / "page.xlsx").namelist() if name.startswith("xl/charts/chart")]
    assert len(charts) == 9


def test_what_is_wrong_is_one_line(tmp_path: Path) -> None:
    """Nothing to compare, marks of another length, another ending."""
    with pytest.raises(qn.ModelError, match="must have a response, a utilization"):
        qn.measured_beside_modelled(SHOP, table({"orders.rate": [1.0, 2.0]}, length=60))
    with pytest.raises(qn.ModelError, match=r"rows = .*must be True or False for each of 96"):
        qn.measured_beside_modelled(SHOP, _rows(_columns()), [True, False])
    with pytest.raises(qn.ModelError, match=r"must be named \.html or \.xlsx"):
        qn.measured_beside_modelled(SHOP, _rows(_columns())).save(tmp_path / "page.pdf")
    assert not list(tmp_path.iterdir())


def test_commands_write_reports(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """`day --report` has the sentences of the day first; another ending is refused before anything is solved."""
    columns = {"start": START.astype(str), "length": np.full(N, 900), **_columns()}
    text = io.StringIO()
    writer = csv.writer(text)
    writer.writerow(columns)
    writer.writerows(zip(*columns.values(), strict=True))
    (tmp_path / "rows.csv").write_text(text.getvalue(), encoding="utf-8")
    qn.save(SHOP, tmp_path / "site.toml")
    base = ["day", str(tmp_path / "site.toml"), str(tmp_path / "rows.csv"), "--report"]
    assert main([*base, str(tmp_path / "page.html")]) == 0
    assert "Holds 1.66" in (tmp_path / "page.html").read_text(encoding="utf-8")
    assert main([*base, str(tmp_path / "page.doc")]) == 2
    assert "--report" in capsys.readouterr().err


def test_a_ladder_without_names(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Columns users, rate and response_time of one kind of work are those of the model's one class; the axis is users."""
    data, page, site = tmp_path / "ladder.csv", tmp_path / "ladder.html", tmp_path / "site.toml"
    users = [1, 2, 4, 8, 16, 32, 64]
    rates = [min(n / 0.01, 700.0) for n in users]
    rows = "\n".join(f"{n},{x:g},{n / x:.6f}" for n, x in zip(users, rates, strict=True))
    data.write_text(f"users,rate,response_time\n{rows}\n")
    assert main(["fit", str(data), "-o", str(site), "--report", str(page), "--json"]) == 0
    printed = json.loads(capsys.readouterr().out)
    assert all(each["within"] is not None for each in printed["held_out"])
    text = page.read_text(encoding="utf-8")
    assert "error in % by users" in text
    assert "error in % by interval" not in text
    beside = qn.measured_beside_modelled(qn.load(site), {"users": users, "rate": rates})
    assert [each.title for each in beside.columns] == ["jobs.rate"]
    named = {"orders.users": users, "orders.rate": rates}
    with pytest.raises(qn.ModelError, match="must have rates of the model's classes"):
        qn.measured_beside_modelled(qn.load(site), named)

"""Workbooks of systems: LibreOffice shows what the solver gives of the tables as they are now, and no error."""

from __future__ import annotations

import re
import tomllib
import zipfile
from collections.abc import Callable
from math import isnan
from pathlib import Path
from typing import Any

import openpyxl
import pytest
import qnsolve as qn
from openpyxl.utils import get_column_letter
from qnsolve.files.system_file import system_from_data, system_to_data
from qnsolve.planning.study import Study, study
from qnsolve.zos import System, scale
from qnsolve_excel import call, catalogue
from qnsolve_excel.describing import system as described
from qnsolve_excel.workbooks.sites.site_book import write_site
from qnsolve_excel.workbooks.sites.site_charts import CENTER, GAIN
from qnsolve_excel.workbooks.sites.site_tables import ASSUMED, PARTS, site_of

from tests import ROOT
from tests.support.spreadsheet import Book, Failure, Spreadsheet

MODELS = {
    "bank": """
name = "bank"
[[lpars]]
name = "SYSA"
processors = { engines = 3 }
ziips = { cores = 1, threads = 1 }
fixed_cpu = 0.5
[[coupling_facilities]]
name = "CF1"
processors = 2
link = { name = "CE-LR", latency = 8e-6 }
structures = [ { name = "LOCK1", service_time = 4e-6 } ]
[[loggers]]
name = "DFHLOG"
stripes = 2
seconds_per_mib = [0.004, 0.016]
[[devices]]
name = "Db2"
[[regions]]
name = "AORA1"
lpar = "SYSA"
mxt = 120
[[regions]]
name = "AORA2"
lpar = "SYSA"
mxt = 120
[[work]]
name = "payments"
rate = 500
[[work.steps]]
regions = ["AORA1", "AORA2"]
qr_cpu = 0.0011
open_cpu = 0.0017
change_modes = 2
devices = { Db2 = 0.012 }
cf_requests = { LOCK1 = 9 }
log_bytes = { DFHLOG = 11000 }
[[work]]
name = "api"
rate = 100
[[work.steps]]
regions = ["AORA1", "AORA2"]
qr_cpu = 0.0002
jvm_cpu = 0.0055
ziip_share = 0.9
devices = { Db2 = 0.02 }
""",
    "ims": """
[[lpars]]
name = "FE"
processors = { engines = 2 }
[[lpars]]
name = "BE"
processors = { engines = 6 }
[[regions]]
name = "FE IMS"
type = "ims"
lpar = "FE"
regions = 2000
[[regions]]
name = "MPP"
type = "ims"
lpar = "BE"
regions = 200
[[work]]
name = "none"
rate = 2688
steps = [ { regions = "FE IMS", cpu = 0.0003178 }, { regions = "MPP", cpu = 0.0015646, delay = 0.01 } ]
""",
    "limits": """
[[lpars]]
name = "PROD"
processors = { engines = 4 }
[[regions]]
name = "AOR1"
lpar = "PROD"
mxt = 40
tranclasses = { SLOW = 8 }
thread_limit = 12
[[work]]
name = "orders"
rate = 300
regions = "AOR1"
qr_cpu = 0.001
delay = 0.02
[[work]]
name = "web"
rate = 20
regions = "AOR1"
qr_cpu = 0.0005
delay = 0.15
tranclass = "SLOW"
""",
}
QUESTION = {
    "bank": {
        "growth": "8%/quarter",
        "targets": {"payments": 0.02},
        "what_ifs": ["SYSA.engines+1", "more log: DFHLOG.stripes+1"],
    },
    "ims": {"growth": {"": "20%/year"}, "what_ifs": ["BE.engines+2"], "by": "year"},
    "limits": {
        "seasons": {"Q4": 1.2, "6": 0.9},
        "special_days": [{"date": "11-26", "factor": 1.3, "name": "Black Friday"}],
        "growth": {"orders": "5%/quarter"},
        "targets": {"web": 0.3},
        "what_ifs": ["AOR1.tranclasses.SLOW=12"],
    },
}
PERIOD = {"begin": "2026-11", "until": "2028-06"}


def model_of(name: str) -> System:
    """One of the systems."""
    return system_from_data(tomllib.loads(MODELS[name]))


def question_of(name: str) -> dict[str, Any]:
    """Its question."""
    return {**QUESTION[name], **PERIOD}


def table_at(rows: list[list[Any]], label: str) -> tuple[int, list[str]]:
    """Row of the headings of a table of the sheet Model, from 0, and the headings."""
    top = next(i for i, row in enumerate(rows) if str(row[0]).startswith(label)) + 2
    return top, [str(cell) for cell in rows[top]]


def no_errors(book: Book) -> dict[str, list[list[Any]]]:
    """All sheets; no cell of any of them is an error."""
    found = {name: book.read(sheet=name) for name in book.sheets()}
    faults = [
        (name, i, j)
        for name, rows in found.items()
        for i, row in enumerate(rows)
        for j, c in enumerate(row)
        if isinstance(c, Failure)
    ]
    assert not faults
    return found


def number(value: float) -> Any:
    """A figure as a cell shows it."""
    return "" if isnan(value) else pytest.approx(value, rel=1e-9, abs=1e-12)


def filled(rows: list[list[Any]], column: int = 0, top: int = 4) -> list[list[Any]]:
    """The rows of a sheet of results, headings first, down to the first that is empty."""
    return rows[top : next((i for i in range(top, len(rows)) if rows[i][column] == ""), len(rows))]


def same(sheets: dict[str, list[list[Any]]], system: System, found: Study) -> None:
    """Every sheet shows the study and the solution of that system."""
    works = [item.name for item in system.work]
    verdict = sheets["Verdict"]
    sentences = [*found.sentences(), *[""] * 10]
    assert verdict[1][0] == sentences[0]
    assert verdict[2][0] == sentences[1]
    top = next(i for i, row in enumerate(verdict) if row[0] == "period")
    aloud = next(i for i, row in enumerate(verdict) if row[0] == "To read aloud")
    assert [row[0] for row in verdict[aloud + 1 : aloud + 9]] == sentences[2:10]
    shown = filled(sheets["Study"])
    charted = sheets["Chart data"][3:]
    assert [row[0] for row in shown[1:]] == [each.name for each in found.periods]
    for i, period in enumerate(found.periods):
        assert verdict[top][1 + i] == period.name == charted[i][0]
        assert (verdict[top + 1][1 + i] == "no") == (not period.holds)
        assert (shown[1 + i][2] == "no") == (not period.holds)
        assert shown[1 + i][4] == period.fullest
        assert shown[1 + i][5] == number(period.used_percent / 100)
        for w, work in enumerate(period.work):
            assert shown[1 + i][6 + 5 * w] == number(work.load)
            assert shown[1 + i][7 + 5 * w] == number(work.response_time)
            assert shown[1 + i][10 + 5 * w] == number(work.target)
            assert verdict[top + 2 + w][0] == f"{work.name}, response time [s]"
            assert verdict[top + 2 + w][1 + i] == ("full" if isnan(work.response_time) else number(work.response_time))
            if not isnan(work.response_time) and 1 + 2 * w < 13 and charted[i][1 + 2 * w] != "":
                assert charted[i][1 + 2 * w] == number(work.response_time)
    centers = filled(sheets["Centers"])[1:]
    ordered = sorted(found.centers, key=lambda each: not each.limits)
    assert [row[:3] for row in centers] == [[use.name, use.kind, use.full_in] for use in ordered]
    for row, use in zip(centers, ordered, strict=True):
        assert row[3 : 3 + len(use.used)] == [number(value / 100) for value in use.used]
    heads = sheets["Chart data"][2]
    for k, use in enumerate(ordered[:5]):
        assert heads[CENTER + k] == use.name
        assert [row[CENTER + k] for row in charted[: len(use.used)]] == [number(value / 100) for value in use.used]
    assert [row[GAIN : GAIN + 2] for row in charted[: len(found.what_ifs)]] == [[w.name, w.months] for w in found.what_ifs]
    changes = filled(sheets["What if"])[1:]
    top = next(i for i, row in enumerate(verdict) if row[0] == "what if") + 1
    for i, (row, each) in enumerate(zip(changes, found.what_ifs, strict=True)):
        assert row[:4] == [each.name, each.holds_until or "not today", each.months, each.cause]
        assert row[5 : 5 + len(works)] == [number(each.response_time[name]) for name in works]
        assert [verdict[top + i][j] for j in (0, 1, 3, 5)] == row[:4]
    solved = system.solve()
    for part in ("Work", "Regions", "LPARs"):
        rows = filled(sheets[part])
        figures = {
            (row["name"], row["figure"].replace("_", " ")): row["value"] for row in solved.rows() if row["part"] == part.lower()
        }
        heads = [head for head in rows[0] if head]
        assert len({name for name, _ in figures}) == len(rows) - 1
        for row in rows[1:]:
            for head, cell in list(zip(heads, row, strict=False))[1:]:
                value = figures.get((row[0], head), "")
                assert cell == (number(float(value)) if isinstance(value, (int, float)) else value or ""), (row[0], head)


def grown(system: System, name: str) -> Study:
    """The study of a system as the workbook asks it."""
    return study(system, **question_of(name), remedies=False)


def written_rows(book: Book, label: str, rows: list[dict[str, Any]]) -> None:
    """Type further rows below a table."""
    cells = book.read(sheet="Model")
    top, heads = table_at(cells, label)
    row = next(i for i in range(top + 1, len(cells)) if not cells[i][0])
    for i, each in enumerate(rows):
        book.write(
            {f"{get_column_letter(heads.index(key) + 1)}{row + 1 + i}": value for key, value in each.items()}, sheet="Model"
        )


def times_rates(book: Book, factor: float) -> None:
    """Every rate of the table of work."""
    cells = book.read(sheet="Model")
    top, heads = table_at(cells, "Work")
    column = heads.index("rate")
    changed = {}
    for i in range(top + 1, len(cells)):
        if not cells[i][0]:
            break
        if cells[i][column] != "":
            changed[f"{get_column_letter(column + 1)}{i + 1}"] = cells[i][column] * factor
    assert changed
    book.write(changed, sheet="Model")


def with_region_and_work(system: System) -> System:
    """The bank with a third AOR and work of its own there."""
    data = system_to_data(system)
    data["regions"].append({"name": "AORA3", "lpar": "SYSA", "mxt": 60})
    steps = [{"regions": ["AORA3"], "qr_cpu": 0.002, "devices": {"Db2": 0.03}}]
    data["work"].append({"name": "mail", "rate": 30.0, "steps": steps})
    return system_from_data(data)


def test_rates_a_region_and_work_change_every_sheet(calc: Spreadsheet, tmp_path: Path) -> None:
    """Rates + 10 %, then a further region and work: verdict, lights, charts' cells and tables are those of the new system."""
    system = model_of("bank")
    write_site(system, "bank", tmp_path / "bank.xlsx", "calc", question_of("bank"))
    with calc.book(tmp_path / "bank.xlsx") as book:
        assert book.sheets()[0] == "Verdict"
        same(no_errors(book), system, grown(system, "bank"))
        times_rates(book, 1.1)
        more = scale(system, 1.1)
        same(no_errors(book), more, grown(more, "bank"))
        written_rows(book, "Regions", [{"name": "AORA3", "lpar": "SYSA", "mxt": 60}])
        written_rows(book, "Work", [{"name": "mail", "rate": 30, "regions": "AORA3", "qr_cpu": 0.002, "device Db2": 0.03}])
        larger = with_region_and_work(more)
        same(no_errors(book), larger, grown(larger, "bank"))


@pytest.mark.parametrize("name", ["ims", "limits"])
def test_other_systems_follow_their_rates(calc: Spreadsheet, name: str, tmp_path: Path) -> None:
    """One of IMS by years, and one with limits that fill up; a limit that is changed moves the verdict."""
    system = model_of(name)
    write_site(system, name, tmp_path / "site.xlsx", "calc", question_of(name))
    with calc.book(tmp_path / "site.xlsx") as book:
        times_rates(book, 1.1)
        more = scale(system, 1.1)
        same(no_errors(book), more, grown(more, name))
        if name == "limits":
            cells = book.read(sheet="Model")
            top, heads = table_at(cells, "Regions")
            book.write({f"{get_column_letter(heads.index('tranclass SLOW') + 1)}{top + 2}": 5}, sheet="Model")
            data = system_to_data(more)
            data["regions"][0]["tranclasses"] = {"SLOW": 5}
            smaller = system_from_data(data)
            same(no_errors(book), smaller, grown(smaller, name))


def test_what_cannot_be_solved_says_so_without_an_error_cell(calc: Spreadsheet, tmp_path: Path) -> None:
    """A region on an LPAR that is not there: the first sheet says what is wrong, the tables are empty, and it comes back."""
    system = model_of("limits")
    write_site(system, "site", tmp_path / "site.xlsx", "calc", question_of("limits"))
    with calc.book(tmp_path / "site.xlsx") as book:
        top, heads = table_at(book.read(sheet="Model"), "Regions")
        place = f"{get_column_letter(heads.index('lpar') + 1)}{top + 2}"
        book.write({place: "TEST"}, sheet="Model")
        shown = no_errors(book)
        assert "'TEST': names what the system does not have" in shown["Verdict"][1][0]
        assert "'TEST': names what the system does not have" in shown["Work"][2][0]
        assert not filled(shown["Work"])
        book.write({place: "PROD"}, sheet="Model")
        same(no_errors(book), system, grown(system, "limits"))


def test_a_change_that_cannot_be_read_spoils_nothing(calc: Spreadsheet, tmp_path: Path) -> None:
    """Its row says what is wrong; the other changes and the verdict stand."""
    system = model_of("ims")
    write_site(system, "site", tmp_path / "site.xlsx", "calc", question_of("ims"))
    with calc.book(tmp_path / "site.xlsx") as book:
        written_rows(book, "Changes to try", [{"what_if": "NOWHERE.engines+1"}])
        shown = no_errors(book)
    rows = filled(shown["What if"])
    assert rows[1][:3] == [
        "BE.engines+2",
        grown(system, "ims").what_ifs[0].holds_until,
        grown(system, "ims").what_ifs[0].months,
    ]
    assert rows[2][0] == "NOWHERE.engines+1"
    assert any("names no part of the system" in str(cell) for cell in rows[2])
    top = next(i for i, row in enumerate(shown["Verdict"]) if row[0] == "what if")
    assert shown["Verdict"][top + 2][5] == "not read: sheet What if says why"


def test_the_tables_are_tables_with_every_column_and_its_unit(tmp_path: Path) -> None:
    """Real table objects; each column of the system file is there, and figures have their units above them."""
    system = model_of("bank")
    write_site(system, "bank", tmp_path / "bank.xlsx", "excel", question_of("bank"))
    book = openpyxl.load_workbook(tmp_path / "bank.xlsx")
    sheet = book["Model"]
    heads = {table.name: [column.name for column in table.tableColumns] for table in sheet.tables.values()}
    assert {"threads", "max_capacity_factor", "packing", "change_mode_cpu", "growth"} <= set(heads["table_lpars"])
    assert {"thread_limit", "mxt", "importance", "fixed_cpu"} <= set(heads["table_regions"])
    assert {"shares", "qr_dispatches", "visits", "tranclass", "cf LOCK1", "log DFHLOG"} <= set(heads["table_work"])
    assert {f"table_{part}" for part in PARTS} <= set(heads)
    units = {}
    for table in sheet.tables.values():
        first = sheet[table.ref][0]
        units[table.name] = {cell.value: sheet.cell(cell.row - 1, cell.column).value for cell in first}
    assert units["table_work"]["rate"] == "1/s"
    assert units["table_work"]["qr_cpu"] == units["table_work"]["device Db2"] == units["table_goals"]["target"] == "s"
    assert units["table_work"]["log DFHLOG"] == "bytes"
    assert units["table_loggers"]["fixed"] == "s/MiB"
    assert sum(cell.value == 500 for row in sheet.iter_rows() for cell in row) == 1  # the load is typed once


def test_the_tables_are_the_model(tmp_path: Path) -> None:
    """What the functions make of them is the system of the file."""
    for name in (*MODELS, "cics-region"):
        system = model_of(name) if name in MODELS else qn.load(ROOT / "examples" / f"{name}.toml")
        values = site_of(system, name, PERIOD).values
        again = described(*([[*row] for row in values[part]] for part in PARTS))
        assert system_to_data(again) == {key: value for key, value in system_to_data(system).items() if key != "name"}
    assert tmp_path


@pytest.mark.parametrize("flavour", ["native", "values"])
def test_what_does_not_recalculate_is_marked(flavour: str, tmp_path: Path) -> None:
    """Each solved figure is grey and in italics, one line says what that means; only the sheet Load has formulas."""
    write_site(model_of("limits"), "site", tmp_path / "site.xlsx", flavour, question_of("limits"))
    book = openpyxl.load_workbook(tmp_path / "site.xlsx")
    formulas = {name for name in book.sheetnames for row in book[name].iter_rows() for cell in row if cell.data_type == "f"}
    assert formulas == ({"Load"} if flavour == "native" else set())
    for name in ("Study", "Centers", "What if", "Times", "Work", "Regions", "LPARs"):
        sheet = book[name]
        assert "It follows no yellow cell" in sheet["A2"].value
        figures = [cell for row in sheet.iter_rows(min_row=6) for cell in row if isinstance(cell.value, (int, float))]
        assert figures
        assert all(cell.font.i for cell in figures)
    first = book["Verdict"]
    assert first["A2"].font.i
    assert any("It follows no yellow cell" in str(row[0].value) for row in first.iter_rows(max_row=8))


def test_only_the_sheet_load_of_the_plain_flavour_recalculates(calc: Spreadsheet, tmp_path: Path) -> None:
    """A higher load moves the uses there; nothing in the file is an error."""
    write_site(model_of("limits"), "site", tmp_path / "site.xlsx", "native", question_of("limits"))
    with calc.book(tmp_path / "site.xlsx") as book:
        before = no_errors(book)["Load"]
        row = next(i for i, cells in enumerate(before) if cells[0] == "orders")
        book.write({f"B{row + 1}": 1.1 * before[row][1]}, sheet="Load")
        after = no_errors(book)["Load"]
    assert after[row][3] == pytest.approx(1.1 * before[row][3])
    qr = next(i for i, cells in enumerate(before) if cells[0] == "AOR1 QR TCB")
    orders, web = 300 * 0.001, 20 * 0.0005
    assert after[qr][3] / before[qr][3] == pytest.approx((1.1 * orders + web) / (orders + web), rel=1e-6)


def test_growth_that_is_assumed_is_said(tmp_path: Path) -> None:
    """A file without a question gets a growth, named as an assumption, and changes to try for what fills up first."""
    write_site(model_of("bank"), "bank", tmp_path / "bank.xlsx", "values", {"begin": "2026-11"})
    rows = list(openpyxl.load_workbook(tmp_path / "bank.xlsx")["Verdict"].iter_rows(values_only=True))
    assert any(str(row[0]).startswith(f"Growth of {ASSUMED} is an assumption") for row in rows)
    top = next(i for i, row in enumerate(rows) if row[0] == "what if")
    assert rows[top + 1][0]
    assert isinstance(rows[top + 1][3], (int, float))


FORMS: dict[str, Callable[[list[Any], list[Any]], tuple[list[Any], list[Any]]]] = {
    "SYSTEM_RESPONSE": lambda three, beside: ([*three, *beside, "api"], [*three, "api", *beside]),
    "SYSTEM_FIGURE": lambda three, beside: ([*three, *beside, "AORA1", "qr percent"], [*three, "AORA1", "qr percent", *beside]),
    "GROWTH": lambda three, beside: ([*three, *beside, [[1.0, 1.2]]], [*three, [[1.0, 1.2]], *beside]),
    "HEADROOM": lambda three, beside: ([*three, *beside, "api", 0.05], [*three, "api", 0.05, *beside]),
    "COMPARE": lambda three, beside: ([*three, *beside, *three], [*three, *three, *beside]),
}


@pytest.mark.parametrize("function", FORMS)
def test_calls_in_the_old_order_are_still_read(function: str) -> None:
    """What is asked in front of coupling facilities, logs and devices, as workbooks of before have it."""
    from qnsolve_excel import OMITTED

    values = site_of(model_of("bank"), "bank", PERIOD).values
    three, beside = [values[part] for part in PARTS[:3]], [values[part] for part in PARTS[3:]]
    now, before = FORMS[function](three, beside)
    found = call(function, now)
    assert isinstance(found, (float, list)), found
    assert call(function, before) == found
    if function == "HEADROOM":
        whole = call("HEADROOM", [*three, *beside])
        assert isinstance(whole, float)
        assert call("HEADROOM", [*three, OMITTED, OMITTED, *beside]) == whole


def test_a_cell_reads_no_forecast_of_a_file(tmp_path: Path) -> None:
    """Growth in a cell is a rate: a name of a file is refused, as any text that is none."""
    (tmp_path / "plan.csv").write_text("month,orders\n2026-12,400\n2027-12,500\n")
    values = site_of(model_of("limits"), "limits", PERIOD).values
    goals = [["work", "growth"], ["orders", str(tmp_path / "plan.csv")]]
    found = call("STUDY_VERDICT", [*(values[part] for part in PARTS), goals])
    assert isinstance(found, str)
    assert "growth of orders" in found
    assert "must be a percentage" in found


def test_changes_that_take_too_long_leave_the_verdict(monkeypatch: pytest.MonkeyPatch) -> None:
    """The study without them stands in every cell; each change says that it was not solved."""
    from qnsolve_excel import deadline
    from qnsolve_excel.functions.sites import studies

    solve = studies.studied

    def endless(system: System, **asked: Any) -> Study:
        while asked.get("what_ifs"):
            pass
        return solve(system, **asked)

    monkeypatch.setattr(studies, "studied", endless)
    monkeypatch.setattr(deadline, "LONGEST", 8.0)
    system = model_of("ims")
    question = {**question_of("ims"), "what_ifs": ["BE.engines+3"], "until": "2028-05"}
    values = site_of(system, "ims", question).values
    given = [values[key] for key in (*PARTS, "goals", "what_ifs", "period")]
    rows = call("STUDY_WHAT_IF", given)
    assert isinstance(rows, list)
    assert rows[1][:2] == ["BE.engines+3", ""]
    assert "was not solved within" in str(rows[1][-1])
    sentences = call("STUDY_SENTENCES", given)
    assert isinstance(sentences, list)
    alone = solve(system, **{**question, "what_ifs": ()}, remedies=False)
    assert sentences[0][0] == call("STUDY_VERDICT", given) == alone.sentences()[0]


@pytest.mark.parametrize("flavour", ["excel", "officejs"])
def test_tables_spill_where_the_program_lets_them(flavour: str, tmp_path: Path) -> None:
    """Dynamic arrays of known functions on named ranges; every range that a formula names is there."""
    write_site(model_of("limits"), "site", tmp_path / "site.xlsx", flavour, question_of("limits"))
    with zipfile.ZipFile(tmp_path / "site.xlsx") as parts:
        sheets = [parts.read(name).decode() for name in parts.namelist() if name.startswith("xl/worksheets/sheet")]
        names = set(re.findall(r'<definedName name="(\w+)"', parts.read("xl/workbook.xml").decode()))
    assert {*PARTS, "goals", "what_ifs", "period"} <= names
    assert sum('cm="1"' in sheet for sheet in sheets) >= 8
    formulas = [text for sheet in sheets for text in re.findall(r"<f[^>]*>([^<]+)</f>", sheet)]
    called = {name for text in formulas for name in re.findall(r"QN_(\w+)\(", text)}
    assert called <= set(catalogue())
    assert {"STUDY", "STUDY_VERDICT", "STUDY_WHAT_IF", "SYSTEM_PART"} <= called
    assert "#" not in "".join(re.findall(r"<v>([^<]*)</v>", "".join(sheets)))

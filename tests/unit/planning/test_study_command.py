"""qnsolve study: the command, its files, its table in a file."""

from __future__ import annotations

import io
import json
import re
import zipfile
from pathlib import Path

import pytest
import qnsolve as qn
from qnsolve.cli.main import main
from qnsolve.errors import ModelError
from qnsolve.planning.pages.study_html import study_html
from qnsolve.planning.pages.study_xlsx import study_xlsx
from qnsolve.planning.question import question, question_of
from qnsolve.planning.study import Study

from tests.support.planned_sites import two_works

QUESTION = """
[study]
from = "2026-12"
until = "2028-12"
growth = { all = "8%/quarter", web = "plan.csv" }
targets = { orders = 0.004 }
what_if = ["LOG.stripes+1", "Split: AOR*.split=2"]
seasons = { 12 = 1.1 }
[[study.special_days]]
date = "2027-11-26"
factor = 1.1
"""
PLAN = "month,web\n2026-12,50\n2027-12,60\n"
MOST_BYTES = 1_500_000


def _written(folder: Path) -> Path:
    (folder / "plan.csv").write_text(PLAN, encoding="utf-8")
    file = folder / "site.toml"
    file.write_text(qn.dumps(two_works()) + QUESTION, encoding="utf-8")
    return file


@pytest.fixture
def site(tmp_path: Path) -> Path:
    """A system file with a question and a forecast beside it."""
    return _written(tmp_path)


@pytest.fixture(scope="module")
def found(tmp_path_factory: pytest.TempPathFactory) -> Study:
    """What the file asks, answered."""
    file = _written(tmp_path_factory.mktemp("site"))
    return qn.study(qn.load(file), **question_of(file))


def test_the_table_asks_what_the_options_ask(site: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A file with [study] solves as one without, and options go before its keys."""
    assert qn.load(site) == two_works()
    assert main(["study", str(site), "--json"]) == 0
    whole = json.loads(capsys.readouterr().out)
    assert whole["asked"]["what_ifs"] == ["LOG.stripes+1", "Split"]
    assert whole["asked"]["special_days"] == ["2027-11-26 x 1.1"]
    plain = site.with_name("plain.toml")
    qn.save(two_works(), plain)
    words = ["--from", "2026-12", "--until", "2028-12", "--growth", "8%/quarter", "--growth", f"web={site.parent / 'plan.csv'}"]
    words += ["--target", "orders=4ms", "--season", "12=1.1", "--special-day", "2027-11-26=1.1"]
    words += ["--what-if", "LOG.stripes+1", "--what-if", "Split: AOR*.split=2"]
    assert main(["study", str(plain), *words, "--json"]) == 0
    assert json.loads(capsys.readouterr().out) == whole
    assert main(["study", str(site), "--until", "2027-06", "--by", "month", "--growth", "web=1%/year", "--json"]) == 0
    other = json.loads(capsys.readouterr().out)
    assert [other["asked"][key] for key in ("until", "by")] == ["2027-06", "month"]
    assert other["asked"]["growth"] == {"orders": "8%/quarter", "web": "1%/year"}


def test_files(site: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The page, the workbook, the data and the two models."""
    out = tmp_path / "made" / "study"
    assert main(["study", str(site), "-o", str(out)]) == 0
    printed = capsys.readouterr().out
    assert {file.name for file in out.iterdir()} == {"study.html", "study.xlsx", "study.json", "last-good.toml", "next.toml"}
    assert printed.count("written: ") == 5
    data = json.loads((out / "study.json").read_text(encoding="utf-8"))
    assert data["sentences"][0] in printed
    good, bad = (qn.solve(qn.load(out / name)) for name in ("last-good.toml", "next.toml"))
    assert good["orders"].response_time <= 0.004 < bad["orders"].response_time


def test_the_page_needs_nothing_else(found: Study) -> None:
    """One file below 1.5 MB without an address of another; its data are those of the study."""
    page = study_html(found)
    assert len(page.encode()) < MOST_BYTES
    own = re.sub(r"<script>.*?</script>", "", page, flags=re.DOTALL)
    assert not re.search(r"(src|href)=|https?://|@import|url\(", own)
    held = re.search(r'<script type="application/json" id="study">(.*?)</script>', page, re.DOTALL)
    assert held
    assert json.loads(held[1]) == json.loads(json.dumps(found.as_dict()))
    assert found.sentences()[0] in page
    assert all(each.name in page for each in found.periods)


def test_names_are_texts_in_the_page() -> None:
    """A name with marks of HTML stays a name."""
    work = qn.zos.Work("<b>&'\"", rate=100, regions="AOR1", qr_cpu=0.001)
    region = qn.zos.CicsRegion("AOR1", lpar="</script>", mxt=100)
    system = qn.zos.System(lpars=[qn.zos.Lpar("</script>", processors=qn.zos.Processors(2))], regions=[region], work=[work])
    page = study_html(qn.study(system, growth="8%/quarter", begin="2026-12", until="2027-12"))
    assert page.count("</script>") == 4
    assert "<b>&'" not in page


def test_the_workbook_is_the_same_each_time(found: Study) -> None:
    """The same study is the same file; names that begin with = stay texts."""
    first, second = study_xlsx(found), study_xlsx(found)
    assert first == second
    with zipfile.ZipFile(io.BytesIO(first)) as book:
        assert sum("chart" in name and name.endswith(".xml") and "rels" not in name for name in book.namelist()) >= 4


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["--growth", "fast"], "growth"),
        (["--growth", "ordres=8%"], "orders"),
        (["--growth", "8%/year", "--growth", "9%/year"], "twice"),
        (["--until", "2020"], "until"),
        (["--from", "soon"], "from"),
        (["--target", "orders"], "--target"),
        (["--target", "ordres=1"], "orders"),
        (["--what-if", "LOG.strips+1"], "stripes"),
        (["--season", "12"], "--season"),
        (["--season", "14=2"], "seasons"),
        (["--special-day", "2027-11-26"], "--special-day"),
        (["--special-day", "2027-11-31=2"], "special day"),
    ],
)
def test_wrong_options_are_one_line(site: Path, capsys: pytest.CaptureFixture[str], words: list[str], said: str) -> None:
    """Exit code 2 and one line that says what to write; nothing is written."""
    out = site.parent / "out"
    assert main(["study", str(site), *words, "-o", str(out)]) == 2
    error = capsys.readouterr().err
    assert said in error
    assert error.count("\n") == 1
    assert not out.exists()


def test_folders_that_cannot_be_written(site: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A folder that is a file is one line."""
    assert main(["study", str(site), "-o", str(site)]) == 2
    assert "--out" in capsys.readouterr().err
    assert main(["study", str(site), "-o", ""]) == 2


def test_networks_are_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A network has no LPARs: one line."""
    file = tmp_path / "shop.toml"
    shop = qn.Network(stations=[qn.Queue("cpu")], classes=[qn.OpenClass("query", arrival_rate=1.0, demands={"cpu": 0.1})])
    qn.save(shop, file)
    assert main(["study", str(file)]) == 2
    assert "network" in capsys.readouterr().err


def test_targets_of_the_table_may_have_units() -> None:
    """As on the command line."""
    assert question({"targets": {"orders": "200ms", "query": 0.5}})["targets"] == {"orders": 0.2, "query": 0.5}


@pytest.mark.parametrize(
    ("table", "said"),
    [
        (5, "table"),
        ({"untill": "2027"}, "until"),
        ({"targets": 5}, "targets"),
        ({"targets": {"orders": "soon"}}, "target of orders"),
        ({"seasons": [1]}, "seasons"),
        ({"what_if": 5}, "what_if"),
        ({"special_days": {"date": "2027-01-01"}}, "special_days"),
        ({"remedies": "yes"}, "remedies"),
    ],
)
def test_tables_that_are_wrong(table: object, said: str) -> None:
    """Each key is checked."""
    with pytest.raises(ModelError, match=said):
        question(table)


FITTED = """
[fitted]
figures = ["orders.qr_cpu"]
values = [{value}]
lowest = [{lowest}]
highest = [{highest}]
"""


def test_a_study_of_a_fitted_file_has_ranges(site: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Each response with the range that the fitted figures leave open, and until when it holds within it; 0 draws, none."""
    value = next(work for work in two_works().work if work.name == "orders").steps[0].qr_cpu
    plain = [str(site), "--until", "2027-06", "--json"]
    assert main(["study", *plain]) == 0
    without = json.loads(capsys.readouterr().out)
    known = FITTED.format(value=value, lowest=0.9 * value, highest=1.1 * value)
    site.write_text(site.read_text(encoding="utf-8") + known, encoding="utf-8")
    assert main(["study", *plain, "--draws", "10", "-o", str(tmp_path / "out")]) == 0
    found = json.loads(capsys.readouterr().out)
    rows = found["bands"]["rows"]
    assert [row["period"] for row in rows[::2]] == [period["name"] for period in found["periods"]]
    assert rows[0]["value"] == pytest.approx(found["periods"][0]["work"][0]["response_time"], rel=1e-6)
    assert rows[0]["lowest"] < 0.99 * rows[0]["value"] < 1.01 * rows[0]["value"] < rows[0]["highest"]
    assert found["notes"][0].startswith("within the intervals of the fitted figures (19 of 20) ")
    assert json.loads((tmp_path / "out" / "study.json").read_text(encoding="utf-8"))["bands"] == found["bands"]
    assert "within the intervals of the fitted figures" in (tmp_path / "out" / "study.html").read_text(encoding="utf-8")
    assert main(["study", *plain, "--draws", "0"]) == 0
    assert json.loads(capsys.readouterr().out) == without
    assert main(["study", *plain[:-1], "--draws", "3"]) == 0
    assert "Range of the response time by period, 19 of 20" in capsys.readouterr().out

"""The report of the validation suite: HTML, Markdown and the workbook hold the same figures, each traceable."""

import copy
import html
import re
import zipfile
from dataclasses import replace
from html.parser import HTMLParser
from xml.etree import ElementTree

import pytest
import qnsolve as qn
from openpyxl import load_workbook
from qnsolve_validation import suite
from qnsolve_validation.case import KINDS
from qnsolve_validation.report import blocks, html_page, plots, sections, summary, xlsx_file
from qnsolve_validation.report.model_flow import flows


class _Balance(HTMLParser):
    VOID = frozenset({"meta", "br", "wbr", "img"})

    def __init__(self):
        super().__init__()
        self.open, self.ids = [], []

    def handle_starttag(self, tag, attributes):
        self.ids += [value for name, value in attributes if name == "id"]
        if tag not in self.VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag, attributes):
        self.ids += [value for name, value in attributes if name == "id"]

    def handle_endtag(self, tag):
        if tag not in self.VOID:
            assert self.open.pop() == tag


@pytest.fixture(scope="module")
def report(tmp_path_factory, studies):
    """The report, written once."""
    folder = tmp_path_factory.mktemp("report") / "new" / "out"
    return suite.write(str(folder), list(studies.values()), [])


@pytest.fixture(scope="module")
def page(report):
    """The HTML page."""
    return (report / "validation.html").read_text(encoding="utf-8")


@pytest.fixture(scope="module")
def book(report):
    """The workbook."""
    return load_workbook(report / "validation.xlsx")


def markdown(report):
    """The pages of Markdown, the first one and those of the documents."""
    return "\n".join(path.read_text(encoding="utf-8") for path in sorted(report.glob("*.md")))


def test_html_is_well_formed_and_stands_alone(page, studies):
    """Tags close in order, ids are unique, nothing is fetched from elsewhere."""
    parser = _Balance()
    parser.feed(page)
    assert parser.open == []
    assert len(set(parser.ids)) == len(parser.ids)
    assert set(studies) <= set(parser.ids)
    assert not re.search(r'(src|href)="(?!#|data:)', page)
    drawn = sum(bool(study.picture) for study in studies.values())
    assert page.count("<img ") == page.count("data:image/svg+xml;base64,") == drawn + 1


def test_the_way_of_each_class_is_drawn(page, studies):
    """A line for each class of a case's last model: its load, its stations with the demands there, where jobs go."""
    lines = sum(len(flows(study.models[-1][1])) for study in studies.values())
    assert page.count('<ol class="flow"') == page.count('<li class="end">') == lines
    text = html.unescape(page)
    for study in studies.values():
        for flow in flows(study.models[-1][1]):
            assert f"{flow.name}<small>{flow.load}</small>" in text
            for stop in flow.stops:
                assert f'<span class="demand">{stop.demand}</span>' in text
                assert f"{stop.station}<small>{stop.kind}</small>" in text


def test_long_ways_leave_stations_out():
    """Six stations of nine are shown, the last among them; the line says how many are missing."""
    names = [f"s{i}" for i in range(9)]
    job_class = qn.OpenClass("q", arrival_rate=1.0, demands=dict.fromkeys(names, 0.01))
    (flow,) = flows(qn.Network([qn.Queue(name) for name in names], [job_class]))
    assert [stop.station for stop in flow.stops] == ["s0", "s1", "s2", "s3", "s4", "s8"]
    assert [stop.left_out for stop in flow.stops] == [0, 0, 0, 0, 0, 3]
    assert flow.stops[0].demand == "10 ms"


def test_text_of_a_case_cannot_become_markup(studies):
    """What a title or a moved figure holds is shown as it is, not run."""
    study = copy.copy(studies["mq-otma-bridge"])
    study.case = replace(study.case, title="<script>alert(1)</script>")
    made = html_page.page([study], ["x < y"])
    assert "<script>alert" not in made
    assert "&lt;script&gt;alert(1)" in made
    assert "<li>x &lt; y</li>" in made


def test_every_figure_of_the_report_is_traceable(report, page, studies):
    """Each figure stands in both reports with document, table, row and line."""
    text = markdown(report)
    lines = set(text.splitlines())
    for study in studies.values():
        assert f'id="{study.case.name}"' in page
        for point in study.points:
            assert str(point.row) in page
            start = f"| {point.quantity} | {point.unit} |"
            row = next(line for line in lines if line.startswith(start) and f"| {point.row} | {point.column} |" in line)
            assert f"| {point.printed} |" in row
            assert blocks.percent(point.error) in row
            assert not point.suspect or point.suspect in row


def test_misses_are_given_in_three_parts(report, studies):
    """Effect, size and the measurement that would confirm it, of every missed figure."""
    text = markdown(report)
    for point in summary.predicted(studies.values()):
        if point.missing:
            assert f"| {point.missing.effect} | {point.missing.size} | {point.missing.measurement} |" in text


def test_markdown_plots_are_beside_it(report, studies):
    """Each picture that the Markdown names is there."""
    named = re.findall(r"!\[[^]]*\]\(([^)]+)\)", markdown(report))
    assert len(named) == sum(bool(study.picture) for study in studies.values())
    assert all((report / name).is_file() for name in named)


def test_pictures_hold_every_point(report, studies):
    """A mark for each figure in both halves, beside those of the legend; no coordinate is undefined; none of one figure."""
    for study in studies.values():
        assert bool(study.picture) == (len(study.predicted or study.points) > 1)
        if not study.picture:
            continue
        picture = (report / "validation-plots" / f"{study.case.name}.svg").read_text(encoding="utf-8")
        ElementTree.fromstring(picture)
        drawn = study.predicted or study.points
        for verdict, colour in plots.COLOURS.items():
            marks = len(re.findall(rf"<use [^>]*fill: #ffffff; stroke: {colour}", picture))
            assert marks == 2 * sum(point.verdict == verdict for point in drawn)
        for point in drawn:
            assert f", row {point.row.number}<" in picture
        assert not re.search(r"\b(nan|inf)\b", picture)


def test_the_first_page_says_what_the_models_add(studies):
    """Figures by kind add up to the predictions; errors, baselines and skill are those of the points."""
    done = list(studies.values())
    first = {block.title: block for block in sections.first_page(done)}
    points = summary.predicted(done)
    adds = first[sections.ADDS].rows
    assert sum(row[1] for row in adds[:-1]) == len(points)
    assert adds[-1][1] == adds[-2][1] + adds[-3][1]
    for kind, row in zip(KINDS, adds[:-1], strict=True):
        mine = [p for p in points if p.kind == kind]
        assert row[1] == len(mine) > 0
        assert row[2] == pytest.approx(sum(p.verdict != "missed" for p in mine) / len(mine))
        assert row[4] == pytest.approx(sum(abs(p.error) for p in mine) / len(mine))
        assert row[6] == pytest.approx(sum(abs(p.bounds / p.measured - 1) for p in mine) / len(mine))
        assert row[7] == pytest.approx(1 - row[4] / row[6], abs=1e-9)
    worst = first["The five worst"].rows
    assert len(worst) == 5
    assert [abs(row[4]) for row in worst] == sorted((abs(row[4]) for row in worst), reverse=True)
    second = {block.title: block for block in sections.second_page(done)}
    assert sum(row[1] for row in second["By center"].rows) == len(points)
    assert sum(sum(row[2:]) for row in second["Documents"].rows) == 246


def test_the_opening_never_says_hits_of_all(studies):
    """It says what queues add; a document without any says that it tests arithmetic."""
    done = list(studies.values())
    assert re.search(
        r"In \d+ of them something is full or queues: .* where the same models without queues have", summary.opening(done)
    )
    ladder = [studies["cics-perf-6-2"]]
    assert "these figures test CPU arithmetic, not queueing" in summary.opening(ladder)


def test_the_page_is_filtered_by_document_center_and_verdict(page, studies):
    """Each section has what the filter asks for; each case is in the contents once."""
    for name, study in studies.items():
        head = re.search(rf'<section class="case" data-case="{re.escape(name)}"[^>]*>', page).group()
        assert f'data-document="{study.case.source}"' in head
        assert f'data-verdict="{study.verdict}"' in head
        assert page.count(f'<li data-case="{name}">') == 1


def test_the_workbook_has_a_sheet_a_case_with_filters_and_charts(book, studies):
    """First page first; each case with its figures as a table that filters, and two native charts."""
    assert book.sheetnames[0] == xlsx_file.FIRST
    assert book.sheetnames[-1] == xlsx_file.EVERY
    assert len(book.sheetnames) == 3 + len(studies)
    assert len(book[xlsx_file.FIRST].tables) == len(book[xlsx_file.SECOND].tables) - 1 == 3
    for name, study in studies.items():
        sheet = book[name[:31]]
        table = next(t for t in sheet.tables.values() if t.displayName.endswith("_points"))
        assert table.autoFilter is not None
        rows = list(sheet[table.ref])
        assert len(rows) == 1 + len(study.points)
        for cells, point in zip(rows[1:], study.points, strict=True):
            values = {head.value: cell.value for head, cell in zip(rows[0], cells, strict=True)}
            assert values["where printed"] == str(point.row)
            assert values["printed"] == pytest.approx(point.measured)
            assert values["predicted"] == pytest.approx(point.predicted, rel=1e-9)
            assert values["error"] == pytest.approx(point.error)


def test_charts_are_native_and_show_the_figures(report, studies):
    """One chart on the first page, two a case; their ranges lie in the sheet."""
    with zipfile.ZipFile(report / "validation.xlsx") as parts:
        charts = [name for name in parts.namelist() if re.fullmatch(r"xl/charts/chart\d+\.xml", name)]
        assert len(charts) == 1 + 2 * len(studies)
        for name in charts[:20]:
            text = parts.read(name).decode()
            assert re.search(r"<(c:)?f>'[^']+'!\$[A-K]\$\d+", text)
        assert not any("media" in name for name in parts.namelist())


def test_names_of_tables_and_sheets_are_legal(book):
    """Excel takes sheets of 31 characters, and names of tables that are unique."""
    names = [table.displayName for sheet in book for table in sheet.tables.values()]
    assert len({name.lower() for name in names}) == len(names)
    assert all(re.fullmatch(r"[A-Za-z_]\w*", name) for name in names)
    assert all(len(name) <= 31 for name in book.sheetnames)
    for sheet in book:
        for table in sheet.tables.values():
            heads = [cell.value for cell in sheet[table.ref][0]]
            assert len(set(heads)) == len(heads)
            assert all(isinstance(head, str) and head for head in heads)


def test_the_report_is_the_same_when_made_again(report, studies, tmp_path):
    """Same input, same bytes; the workbook too."""
    suite.write(str(tmp_path), list(studies.values()), [])
    for path in report.rglob("*.*"):
        assert (tmp_path / path.relative_to(report)).read_bytes() == path.read_bytes(), path
    for study in list(studies.values())[::20]:  # the pictures are those of the first time: draw some again
        assert plots.picture(study) == study.picture


def test_a_share_that_is_nearly_nothing_has_no_sign() -> None:
    """-0.2 % in whole percent is 0 %; a signed error keeps its sign."""
    assert blocks.percent(-0.002, signed=False, digits=0) == "0 %"
    assert blocks.percent(-0.012, signed=False, digits=0) == "-1 %"
    assert blocks.percent(-0.000001) == "-0.00 %"

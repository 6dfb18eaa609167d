"""Every answer gives its rows, prints, and exports in the same way."""

from __future__ import annotations

import csv
import io
import json
import math
import sys
from dataclasses import replace
from html.parser import HTMLParser
from types import ModuleType
from typing import Any

import numpy as np
import pytest
import qnsolve as qn
from qnsolve.cli.measured.ranges import RangedSweep
from qnsolve.cli.measured.study_ranges import study_ranges
from qnsolve.fitting.ranges.bands import bands
from qnsolve.fitting.ranges.fitted_figures import FittedFigures
from qnsolve.results.terms import terms

CLOSED = qn.Network(
    [qn.Queue("cpu"), qn.Queue("disk"), qn.Delay("net")],
    [
        qn.ClosedClass("<b>&", population=3, think_time=1.0, demands={"cpu": 0.2, "disk": 0.3, "net": 0.1}),
        qn.ClosedClass("batch", population=1, demands={"cpu": 0.4, "disk": 0.1}),
    ],
    name='a "b" <i>',
    time_unit="ms",
)
OPEN = qn.Network([qn.Queue("cpu")], [qn.OpenClass("web", arrival_rate=2, demands={"cpu": 0.1})])
PART = 'lpars = [{name = "P", processors = 2}]\nregions = [{name = "<A>", lpar = "P", mxt = 10}]\n'
SYSTEM = qn.loads(PART + 'work = [{name = "orders", rate = 100, regions = "<A>", qr_cpu = 0.002}]')
HEADROOM = qn.zos.headroom(SYSTEM, response_times={"orders": 0.003})
FITTED = FittedFigures(("web.demands.cpu",), np.array([0.1]), np.array([0.09]), np.array([0.12]), np.eye(1))
STUDIED = qn.study(SYSTEM, growth="8%/year", begin="2026-12", until="2027-12")
KNOWN = FittedFigures(("orders.qr_cpu",), np.array([0.002]), np.array([0.0019]), np.array([0.0022]), np.eye(1))
RATES = {"web.arrival_rate": [2.0, 3.0]}
LOADS = np.arange(1.0, 21.0)
MEASURED = qn.measure.table({"web.rate": LOADS, "cpu.busy": 0.05 + 0.04 * LOADS + 0.003 * np.sin(LOADS)}, length=60)
QUICK = {"jobs": 2000, "seed": 1}
ANSWERS = {
    "Solution": CLOSED.solve,
    "Sweep": lambda: qn.sweep(OPEN, "web", arrival_rate=[2, 20]),
    "Bounds": lambda: qn.bounds(CLOSED),
    "Bottleneck": lambda: qn.bottleneck(CLOSED),
    "Switches": lambda: qn.bottleneck_switches(CLOSED, "batch", [1, 2, 3]),
    "Sensitivity": lambda: qn.sensitivity(CLOSED),
    "Verification": lambda: qn.verify(CLOSED, **QUICK),
    "Comparison": lambda: qn.compare(CLOSED, CLOSED.replace("cpu", servers=2)),
    "Sizing": lambda: qn.highest_rate(OPEN, "web", response_time=0.2),
    "ResponsePercentile": lambda: qn.response_percentile(OPEN, "web"),
    "SystemResult": SYSTEM.solve,
    "Growth": lambda: qn.zos.growth(SYSTEM, [1, 9]),
    "Headroom": lambda: HEADROOM,
    "SystemSweep": lambda: qn.zos.sweep(SYSTEM, {"orders.rate": [50, 100]}),
    "SystemSensitivity": lambda: qn.zos.sensitivity(SYSTEM),
    "SystemBottleneck": lambda: qn.zos.bottleneck(SYSTEM),
    "Intervals": lambda: MEASURED,
    "Findings": lambda: qn.measure.check(qn.measure.table({"cpu.busy": [0.1, 1.2, 0.9]}, length=60)),
    "Day": lambda: qn.day(OPEN, MEASURED),
    "Fit": lambda: qn.fit(MEASURED),
    "FitPrediction": lambda: qn.fit(MEASURED).predict(MEASURED),
    "MeasuredBesideModelled": lambda: qn.measured_beside_modelled(OPEN, MEASURED),
    "Bands": lambda: bands(OPEN, FITTED),
    "RangedSweep": lambda: RangedSweep(qn.sweep(OPEN, "web", arrival_rate=[2, 3]), bands(OPEN, FITTED, RATES)),
    "Study": lambda: qn.study(SYSTEM, growth="8%/quarter", begin="2026-12", until="2031-12", targets={"orders": 0.004}),
    "StudyRanges": lambda: study_ranges(STUDIED, KNOWN, 4, {"executor": None}),
    "SystemVerification": lambda: qn.zos.verify(SYSTEM, **QUICK),
}


@pytest.fixture(scope="module", params=ANSWERS)
def answer(request: pytest.FixtureRequest) -> qn.Answer:
    """An answer of each class."""
    found = ANSWERS[request.param]()
    assert type(found).__name__ == request.param
    return found


def subclasses(kind: type) -> set[str]:
    """The names of all classes below a class."""
    return {kind.__name__}.union(*map(subclasses, kind.__subclasses__()))


def test_no_answer_is_left_out() -> None:
    """The list above names every class of answers."""
    for package in (qn, qn.zos):
        assert all(hasattr(package, name) for name in package.__all__)  # loads every module that has one
    assert subclasses(qn.Answer) - {"Answer", "Report", "BesideFigures", "DayFigures", "StudyFigures"} == set(ANSWERS)


def test_rows(answer: qn.Answer) -> None:
    """Rows of the same keys, their values plain."""
    rows = answer.rows()
    assert rows
    assert all(list(row) == list(rows[0]) for row in rows)
    for row in rows:
        assert all(type(value) in (str, int, float, bool, type(None)) for value in row.values()), row


def test_json(answer: qn.Answer) -> None:
    """Strict JSON: no nan, no infinity; the text is that of `as_dict`."""

    def refuse(word: str) -> None:
        raise AssertionError(f"{word} is no JSON")

    assert json.loads(answer.to_json(), parse_constant=refuse) == json.loads(json.dumps(answer.as_dict(), allow_nan=False))


def test_an_infinite_number_is_null_in_json() -> None:
    """A headroom without end: users only wait longer."""
    found = replace(HEADROOM, factor=math.inf, center="")
    assert json.loads(found.to_json())["rows"] == [{"factor": None, "center": ""}]


def test_csv(answer: qn.Answer) -> None:
    """One line a row; an undefined number is an empty cell."""
    rows, table = answer.rows(), list(csv.reader(io.StringIO(answer.to_csv())))
    assert table[0] == list(rows[0])
    assert len(table) == 1 + len(rows)
    for row, cells in zip(rows, table[1:], strict=True):
        for value, cell in zip(row.values(), cells, strict=True):
            blank = value is None or (isinstance(value, float) and math.isnan(value))
            assert cell == "" if blank else float(cell) == value if isinstance(value, float) else cell == str(value)


class Balance(HTMLParser):
    """Fails where a tag is not closed in order; keeps the headings and the text."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.stack: list[str] = []
        self.seen: set[str] = set()
        self.feed(text)
        self.close()
        assert self.stack == []

    def handle_starttag(self, tag: str, attrs: Any) -> None:
        self.seen.add(tag)
        if tag != "br":
            self.stack.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.stack.pop() == tag


def test_html(answer: qn.Answer) -> None:
    """Well-formed, a table with a caption where the answer has one, no tag from a name; notebooks show the same."""
    text = answer.to_html()
    assert ({"table", "caption", "thead", "tbody"} if answer.tables() else {"p"}) <= Balance(text).seen
    assert not {"b", "i", "a"} & Balance(text).seen
    assert answer._repr_html_() == text


def test_text(answer: qn.Answer) -> None:
    """The title, the tables, the sentences and the notes, and nothing that is undefined by name."""
    text = str(answer)
    assert text.startswith(answer.title())
    assert all(sentence in text for sentence in answer.sentences())
    assert all(f"note: {note}" in text for note in getattr(answer, "notes", ()))
    assert "nan" not in text.replace("AOR", "").lower().split()
    assert all(line == line.rstrip() for line in text.splitlines())


def test_headings_are_those_of_the_terms(answer: qn.Answer) -> None:
    """A figure that is a term has the heading of the table of terms, never the name of its key."""
    written = {cell for table in answer.tables() for line in table.head for cell in line}
    for name, term in terms().items():
        if name != term.heading:
            assert name not in written
            assert term.heading in written or name.replace("_", " ") not in written


@pytest.mark.parametrize("package", ["pandas", "polars"])
def test_a_data_frame_holds_the_rows(answer: qn.Answer, package: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Of pandas, or of polars where that is installed alone."""
    module = ModuleType(package)
    module.DataFrame = lambda rows: (package, rows)  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "pandas", None)
    monkeypatch.setitem(sys.modules, package, module)
    if package == "pandas":
        assert answer.to_frame()[0] == "pandas"
        return
    with pytest.MonkeyPatch.context() as patch:
        patch.delitem(sys.modules, "pandas")
        patch.setattr("sys.meta_path", [Hidden("pandas"), *sys.meta_path])
        found, rows = answer.to_frame()
    assert found == "polars"
    assert str(rows) == str(answer.rows())


class Hidden:
    """A finder of modules that hides packages."""

    def __init__(self, *names: str) -> None:
        self.names = names

    def find_spec(self, name: str, *_: Any) -> None:
        """As if it were not installed."""
        if name in self.names:
            raise ModuleNotFoundError(f"No module named {name!r}", name=name)


def test_without_a_package_of_data_frames(monkeypatch: pytest.MonkeyPatch) -> None:
    """One line that names both packages; an error inside a package is not hidden by it."""
    for name in ("pandas", "polars"):
        monkeypatch.delitem(sys.modules, name, raising=False)
    monkeypatch.setattr("sys.meta_path", [Hidden("pandas", "polars"), *sys.meta_path])
    with pytest.raises(qn.ModelError) as raised:
        OPEN.solve().to_frame()
    assert raised.value.item == "to_frame"
    assert "pandas" in str(raised.value)
    assert "polars" in str(raised.value)
    assert "\n" not in str(raised.value)


def test_old_keys_of_systems_stay_in_json() -> None:
    """`limit_wait` and `delayed_percent` stand beside `admission_wait` and `fraction_delayed`."""
    found = SYSTEM.solve().as_dict()
    assert found["work"][0]["limit_wait"] == found["work"][0]["admission_wait"]
    region = found["regions"][0]
    assert region["limit_wait"] == region["admission_wait"]
    assert region["delayed_percent"] == 100 * region["fraction_delayed"]
    for row in qn.zos.growth(SYSTEM, [1, 9]).as_dict()["rows"]:
        assert row["limit_wait"] == row["admission_wait"]

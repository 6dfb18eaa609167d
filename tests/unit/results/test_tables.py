"""Tables and CSV: no formula from a name, no rounding shown as a wait, units as in the model."""

from __future__ import annotations

import csv
import io

import pytest
import qnsolve as qn
from qnsolve.results.rendering import csv_text, figure
from qnsolve.results.terms import terms

HOSTILE = ["=1+2", "+1", "-1", "@SUM(1+1)", "\t=1", "'=1", "''@x", "=cmd|' /C calc'!A0"]
HARMLESS = ["cpu", "a=b", "1", "http://x", "'quoted'", "'", "", "µ-batch"]


@pytest.mark.parametrize("text", HOSTILE)
def test_a_text_that_is_a_formula_is_neutral_in_csv(text: str) -> None:
    """In cells and in headings; one apostrophe off gives the text again."""
    table = list(csv.reader(io.StringIO(csv_text([{text: text, "value": -1.5}]))))
    assert table == [[f"'{text}", "value"], [f"'{text}", "-1.5"]]


@pytest.mark.parametrize("text", HARMLESS)
def test_other_texts_stay_as_they_are(text: str) -> None:
    """Apostrophes too, where no formula follows them."""
    assert list(csv.reader(io.StringIO(csv_text([{"name": text, "value": 1}]))))[1] == [text, "1"]


def test_names_of_a_model_are_neutral_in_its_csv() -> None:
    """A row and a heading of a sweep."""
    model = qn.Network([qn.Queue("@cpu")], [qn.ClosedClass("=1+2", population=2, think_time=1.0, demands={"@cpu": 0.1})])
    assert qn.solve(model).to_csv().splitlines()[1].startswith("'=1+2,'@cpu,")
    steps = qn.sweep(model, "=1+2", population=[1, 2]).to_csv().splitlines()
    assert steps[0].startswith("'=1+2.population,")
    assert steps[1].startswith("1,'=1+2,")


@pytest.mark.parametrize("capacity", [16, 19, 25])
def test_rounding_is_no_wait(capacity: int) -> None:
    """A limit that is never met: no wait in the table, and none of 17 seconds for those who do wait."""
    web = qn.OpenClass("web", arrival_rate=2.0, demands={"cpu": 0.5})
    limited = qn.Network([qn.Queue("cpu", servers=50)], [web], [qn.AdmissionLimit(capacity, name="MXT")])
    found = qn.solve(limited, method="limits")
    (result,), (limit,) = found.classes, found.limits
    for value in (result.admission_wait, result.number_outside, limit.number_outside):
        assert value == 0 or value > 1e-12
    assert not result.delayed_wait > 1.0
    assert [row[6] for row in found.tables()[0].body] == ["0", "0"]
    assert "e-" not in str(found).partition("note:")[0].partition("full")[0]


def test_rounding_is_no_wait_of_a_system() -> None:
    """In rows, CSV and JSON; the split of the response time names no center that takes no time."""
    text = 'lpars = [{name = "P", processors = 4}]\nregions = [{name = "A", lpar = "P", mxt = 40}]\n'
    text += 'work = [{name = "o", rate = 100, regions = "A", qr_cpu = 0.0008, delay = 0.05}]'
    found = qn.loads(text).solve()
    waits = [row["value"] for row in found.rows() if "wait" in row["figure"] or "limits" in row["figure"]]
    assert waits
    assert all(value == 0 or value > 1e-12 for value in waits)


def test_time_in_a_unit_is_the_unit_of_the_model() -> None:
    """A rate is per ms where the model is in ms; "% of time" stays what it is."""
    assert terms()["throughput"].unit_in("ms") == "jobs/ms"
    assert terms()["response_time"].unit_in("ms") == "ms"
    assert terms()["at_limit_percent"].unit_in("ms") == "% of time"


def test_a_comparison_has_units_and_wants_one_time_unit() -> None:
    """Seconds beside milliseconds would be a change that is none."""
    model = qn.Network([qn.Queue("cpu")], [qn.ClosedClass("a", population=2, demands={"cpu": 1.0})], time_unit="ms")
    table = qn.compare(model, model.replace("cpu", servers=2)).tables()[0]
    assert ["a", "throughput", "jobs/ms"] in [row[:3] for row in table.body]
    with pytest.raises(qn.ModelError) as raised:
        qn.compare(model, qn.Network(model.stations, model.classes, time_unit="s"))
    assert "time_unit" in raised.value.item


def test_figures() -> None:
    """Six digits, "-" where undefined, words for yes and no."""
    assert [figure(value) for value in (1 / 3, 10**6, None, float("nan"), True, False, "x")] == [
        *("0.333333", "1e+06", "-", "-", "yes", "no", "x")
    ]

"""Loads of a study: months, growth, forecasts, seasons, special days."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from qnsolve.errors import ModelError
from qnsolve.model.yearly_growth import a_year
from qnsolve.planning.loads.load_path import load_path
from qnsolve.planning.loads.load_words import listed, seasons_of, seasons_text, special_day_of, special_days_text
from qnsolve.planning.loads.months import counted_months, label, month_of, period_end

from tests.support.planned_sites import two_works

BEGIN = np.datetime64("2026-11")


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("8%/quarter", 1.08**4 - 1),
        ("1.08^4", 1.08**4 - 1),
        ("15%/year", 0.15),
        ("15% a year", 0.15),
        ("15 %", 0.15),
        ("2%/month", 1.02**12 - 1),
        ("-5%/q", 0.95**4 - 1),
        (0.08, 0.08),
        ("1^4", 0.0),
    ],
)
def test_growth_as_it_is_written(text: str | float, value: float) -> None:
    """Each form of growth is one ratio a year."""
    assert a_year("growth", text) == pytest.approx(value, rel=1e-12)


@pytest.mark.parametrize("text", ["8", "8%/fortnight", "fast", "", "1.08^", "-100%", "20000%", "1.5^400", 8, True, None, "0^4"])
def test_growth_that_is_none(text: object) -> None:
    """Anything else is one line that shows how to write it."""
    with pytest.raises(ModelError, match="growth"):
        a_year("growth", text)


def test_months() -> None:
    """Months, quarters and years are read and written."""
    assert str(month_of("until", "2027-Q2", last=True)) == "2027-06"
    assert str(month_of("until", "Q2 2027")) == "2027-04"
    assert str(month_of("until", "2027", last=True)) == "2027-12"
    assert str(month_of("until", "2027-05-17")) == "2027-05"
    assert label(np.datetime64("2027-05"), "quarter") == "2027-Q2"
    assert str(period_end(np.datetime64("2027-05"), "quarter")) == "2027-06"
    assert [counted_months(n) for n in (1, 14, 36, 40)] == ["1 month", "14 months", "3 years", "3.3 years"]
    for wrong in ("soon", "2027-13", "1900-01", "2027-Q5", 20, None, ""):
        with pytest.raises(ModelError, match="until"):
            month_of("until", wrong)


def test_growth_by_work() -> None:
    """What is named goes before what holds for all; a month is a twelfth of a year."""
    path = load_path(two_works(), BEGIN, {"": "8%/quarter", "web": "15%/year"})
    assert path.factors(BEGIN).tolist() == [1.0, 1.0]
    assert path.factors(BEGIN + 6) == pytest.approx([1.08**2, 1.15**0.5], rel=1e-12)
    assert path.factors(BEGIN + 12) == pytest.approx([1.08**4, 1.15], rel=1e-12)


def test_seasons_and_days_as_they_are_written() -> None:
    """What is read is what was written, of one work and of several; a decimal comma is refused with what to write."""
    seasons = {"12": 1.3, "orders": {"Q4": 1.5, "1": 0.9}}
    assert seasons_of("seasons", listed(seasons_text(seasons))) == seasons
    days = [
        {"date": "2027-11-26", "factor": 1.8, "name": "Black Friday"},
        {"date": "11-26", "factor": 2.0, "name": "", "work": ["orders", "web"]},
    ]
    assert [special_day_of("day", text) for text in listed(special_days_text(days))] == days
    with pytest.raises(ModelError, match=r"seasons = .3.: must be a name and a factor; write 12=1\.3"):
        seasons_of("seasons", listed("12=1,3"))


def test_seasons_are_over_the_month_of_the_file() -> None:
    """A file of December has December's load: other months are over that."""
    path = load_path(two_works(), np.datetime64("2026-12"), None, {"12": 1.5, "Q1": 0.9, "web": {"12": 3.0}})
    assert path.factors(np.datetime64("2027-12")) == pytest.approx([1.0, 1.0])
    assert path.factors(np.datetime64("2027-02")) == pytest.approx([0.9 / 1.5, 0.9 / 3.0])
    assert path.factors(np.datetime64("2027-06")) == pytest.approx([1 / 1.5, 1 / 3.0])


def test_special_days() -> None:
    """A day has its own load beside its month's; one without a year comes each year."""
    days = [{"date": "2027-11-26", "factor": 1.8, "name": "Black Friday"}, {"date": "12-24", "factor": 2.0, "work": "web"}]
    path = load_path(two_works(), BEGIN, "12%/year", special_days=days)
    plain, black = path.loads(np.datetime64("2027-11"))
    assert (plain.day, black.day) == ("", "2027-11-26 (Black Friday)")
    assert black.factors == pytest.approx(1.8 * plain.factors)
    for year in ("2026", "2027"):
        _, holy = path.loads(np.datetime64(f"{year}-12"))
        assert holy.day == f"{year}-12-24"
        assert (holy.factors / path.factors(np.datetime64(f"{year}-12"))).tolist() == [1.0, 2.0]


def test_forecast_file(tmp_path: Path) -> None:
    """Between its months the load moves along the logarithm; after the last the growth goes on."""
    file = tmp_path / "plan.csv"
    file.write_text("month,orders,web.factor\n2027-01,660,1\n2027-07,1320,\n2027-Q4,,2\n", encoding="utf-8")
    path = load_path(two_works(), BEGIN, {"": str(file), "orders": str(file)})
    assert path.factors(np.datetime64("2027-01")) == pytest.approx([1.1, 1.0])
    assert path.factors(np.datetime64("2027-04"))[0] == pytest.approx(1.1 * 2**0.5)
    assert path.factors(np.datetime64("2027-12")) == pytest.approx([2.2, 2.0])
    later = load_path(two_works(), BEGIN, str(file)).factors(np.datetime64("2028-12"))
    assert later == pytest.approx([2.2, 2.0])


def test_a_forecast_goes_on_from_the_file(tmp_path: Path) -> None:
    """The month of the file keeps its load; to the first row the load moves along the logarithm."""
    file = tmp_path / "plan.csv"
    file.write_text("month,orders\n2027-05,1200\n", encoding="utf-8")
    path = load_path(two_works(), BEGIN, str(file))
    assert path.factors(BEGIN)[0] == pytest.approx(1.0)
    assert path.factors(BEGIN + 3)[0] == pytest.approx(2**0.5)
    assert path.factors(BEGIN + 9)[0] == pytest.approx(2.0)


def test_a_forecast_with_decimal_commas(tmp_path: Path) -> None:
    """As spreadsheets of half of Europe write it; a comma that may be one of thousands is asked about."""
    file = tmp_path / "plan.csv"
    file.write_text("month;orders;web.factor\n2027-01;660,5;1,2\n2027-07;1320;0,995\n", encoding="utf-8")
    path = load_path(two_works(), BEGIN, str(file))
    assert path.factors(np.datetime64("2027-01")) == pytest.approx([660.5 / 600, 1.2])
    assert path.factors(np.datetime64("2027-07")) == pytest.approx([2.2, 0.995])
    for text in ("month;orders\n2027-01;1,050\n", 'month,orders\n2027-01,"1,050"\n'):
        file.write_text(text, encoding="utf-8")
        with pytest.raises(ModelError, match=r"line 2 = '1,050': must be a number above 0; write 1\.050 or 1050"):
            load_path(two_works(), BEGIN, str(file))


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("when,orders\n2027-01,5\n", "month"),
        ("month,ordres\n2027-01,5\n", "orders"),
        ("month,orders\n2027-01,five\n", "number"),
        ("month,orders\n2027-01,-5\n", "above 0"),
        ("month,orders\n2027-02,5\n2027-01,6\n", "rising"),
        ("month,orders\nsoon,5\n", "month"),
        ("month,orders,orders.factor\n2027-01,5,1\n", "twice"),
        ("month,orders\n", "row"),
        ("month\n2027-01\n", "column"),
        ("month,orders\n2027-01,\n", "no figure"),
    ],
)
def test_forecast_files_that_are_wrong(tmp_path: Path, text: str, said: str) -> None:
    """One line that names the file and what to write."""
    file = tmp_path / "plan.csv"
    file.write_text(text, encoding="utf-8")
    with pytest.raises(ModelError, match=said) as caught:
        load_path(two_works(), BEGIN, str(file))
    assert "plan.csv" in str(caught.value)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("growth", "seasons", "days", "said"),
    [
        ({"ordres": "8%"}, None, (), "orders"),
        ({"": {"2027-01": 5}}, None, (), "one work"),
        ({"web": {"2027-01": -5}}, None, (), "above 0"),
        (None, {13: 1.2}, (), "months 1 to 12"),
        (None, {"12": 0}, (), "factor"),
        (None, {"ordres": {"12": 2}}, (), "orders"),
        (None, 1.2, (), "map months"),
        (None, None, [{"date": "2027-02-30", "factor": 2}], "day"),
        (None, None, [{"date": "2027-02", "factor": 2}], "day"),
        (None, None, [{"date": "2027-02-03", "factor": -2}], "factor"),
        (None, None, [{"date": "2027-02-03", "factor": 2, "works": "web"}], "unknown"),
        (None, None, [{"date": "2027-02-03", "factor": 2, "work": "wbe"}], "web"),
        ("nowhere.csv", None, (), "nowhere.csv"),
    ],
)
def test_loads_that_are_wrong(growth: object, seasons: object, days: object, said: str) -> None:
    """Each is one line with the repair."""
    with pytest.raises(ModelError, match=said):
        load_path(two_works(), BEGIN, growth, seasons, days)

"""Growth of a day and when it no longer holds: dates in closed form, trends."""

from __future__ import annotations

from math import ceil, log

import numpy as np
import pytest
import qnsolve as qn
from qnsolve.measure import table

from tests.support.days import MONDAY, cpu_and_disk, one_cpu, starts


@pytest.mark.parametrize("growth", [0.08, 0.2])
def test_date_of_one_queue_in_closed_form(growth: float) -> None:
    """λ·(1 + g)^t·D = 1 at saturation; 1/(1/D - λ) is the target."""
    rates, demand = [30.0, 62.0, 45.0], 0.01
    rows = table({"orders.rate": rates}, start=starts(3, 3600), length=3600)
    found = qn.day(one_cpu(demand), rows, growth=growth)
    assert found.end is not None
    years = log(1 / (62 * demand)) / log(1 + growth)
    assert found.end.years == pytest.approx(years, abs=1e-8)
    days = ceil(years * 365.25)
    date = MONDAY + np.timedelta64(days, "D") + np.timedelta64(1, "h")
    assert found.end.when == str(np.datetime_as_string(date, unit="m"))
    assert (found.end.cause, found.end.saturated, found.end.interval) == ("cpu", True, 2)
    slower = qn.day(one_cpu(demand), rows, growth={"orders": f"{100 * growth}%/year"}, targets={"orders": 0.05})
    assert slower.end is not None
    assert slower.end.years == pytest.approx(log((1 / demand - 1 / 0.05) / 62) / log(1 + growth), abs=1e-8)
    assert (slower.end.cause, slower.end.saturated) == ("orders", False)
    assert slower.sentences()[0].endswith("then orders takes longer than 0.05 s")


def test_days_are_counted_to_the_date_that_is_stated() -> None:
    """Of several days the date is whole weeks after the interval; the sentence counts to it."""
    start = np.array(["2026-03-02T10:00", "2026-03-04T10:00"], dtype="datetime64[ms]")
    found = qn.day(one_cpu(), table({"orders.rate": [50.0, 93.0]}, start=start, length=3600), growth=0.1)
    assert found.end is not None
    assert found.end.years * 365.25 == pytest.approx(log(1 / 0.93) / log(1.1) * 365.25) == pytest.approx(278.1, abs=0.1)
    assert found.end.when == "2026-12-09T10:00"
    assert found.sentences()[-1] == "that is 0.767 years, 280 days, after 2026-03-04"


def test_the_day_of_until_counts_whole() -> None:
    """Full on 2027-04-10 at 10:00: a search to that day, or that month, finds it; one to the day before does not."""
    rate = 100 / 1.1 ** (403.5 / 365.25)
    rows = table({"orders.rate": [20.0, rate]}, start=["2026-03-02T09:00", "2026-03-02T10:00"], length=3600)
    for until in ("2027-04-10", "2027-04", "2027-04-10T10:00", None):
        assert (
            qn.day(one_cpu(), rows, growth="10%/year", until=until).sentences()[0].startswith("Holds until 2027-04-10, 10:00")
        )
    for until in ("2027-04-09", "2027-03", "2027-04-10T09:59"):
        found = qn.day(one_cpu(), rows, growth="10%/year", until=until)
        assert found.end is None
    assert found.until == "2027-04-10"
    with pytest.raises(qn.ModelError, match="must lie after the last interval"):
        qn.day(one_cpu(), rows, growth="10%/year", until="2026-03-02")


def test_earlier_intervals_come_once_more_before_until() -> None:
    """Monday is full on a Monday, though the search ends before the Friday that would be as far away."""
    start = np.array(["2026-03-02T10:00", "2026-03-06T10:00"], dtype="datetime64[ms]")
    rate = 100 / 1.1 ** ((57 * 7 + 3) / 365.25)
    for friday in (20.0, 0.999 * rate):
        rows = table({"orders.rate": [rate, friday]}, start=start, length=3600)
        for until in ("2027-04-12", "2027-04-15", "2027-06"):
            said = qn.day(one_cpu(), rows, growth=0.1, until=until).sentences()[0]
            assert said.startswith("Holds until 2027-04-12, 10:00")
        assert qn.day(one_cpu(), rows, growth=0.1, until="2027-04-11").end is None


def test_growth_by_class_finds_the_interval_that_others_hide() -> None:
    """At night the class that grows is most of the load: a night is first, though the day is fuller now."""
    rates = {"orders.rate": [60.0, 5.0], "reports.rate": [0.0, 20.0]}
    model = cpu_and_disk(2)
    rows = table(rates, start=starts(2, 43_200), length=43_200)
    now = qn.day(model, rows)
    assert now.end is not None
    assert now.end.interval == 1
    assert now.end.factor == pytest.approx(1 / 0.6)
    later = qn.day(model, rows, growth={"reports": 0.5})
    assert later.end is not None
    assert later.end.interval == 2
    assert later.end.years == pytest.approx(log((2 - 5 * 0.02) / (20 * 0.05)) / log(1.5), abs=1e-8)


def test_more_growth_is_never_later() -> None:
    """Monotony of the date, and of the verdict."""
    rows = table({"orders.rate": [40.0, 70.0]}, start=starts(2), length=900)
    years = [qn.day(one_cpu(), rows, growth=g).end for g in (0.05, 0.1, 0.3, 1.0)]
    known = [each.years for each in years if each is not None]
    assert known == sorted(known, reverse=True)
    assert len(known) == 4
    assert qn.day(one_cpu(), rows, growth=0.05, until="2027").end is None
    assert qn.day(one_cpu(), rows, growth=0.05, until="2027").sentences()[0].startswith("Holds until 2027-12-31 at least")
    assert qn.day(one_cpu(), rows, growth=-0.1).end is None


def test_trend_of_the_intervals() -> None:
    """Eight weeks that grow by 0.4 % each: 23 % a year, in its range; less than four weeks say nothing."""
    n = 8 * 7 * 24
    weeks = np.arange(n) / 168
    profile = 50 * (1 + 0.5 * np.sin(2 * np.pi * np.arange(n) / 24)) * np.random.default_rng(2).lognormal(0, 0.05, n)
    rows = table({"orders.rate": profile * 1.004**weeks}, start=starts(n, 3600), length=3600)
    found = qn.day(one_cpu(0.008), rows, until="2030")
    (growth,) = found.growth
    true = 1.004 ** (365.25 / 7) - 1
    assert growth.lowest < true < growth.highest
    assert growth.highest - growth.lowest < 0.4
    assert growth.source == "8 weeks"
    assert found.end is not None
    assert any("orders grows by" in each and "from 8 weeks" in each for each in found.sentences())
    few = rows.rows_where(np.arange(n) < 400)
    short = qn.day(one_cpu(0.008), few, until="2030")
    assert short.growth[0].source == "none"
    assert short.sentences()[0] == "Holds until 2030-12-31 at least with no growth: nothing fills up"
    for growth_given in ("measured", {"orders": "measured"}):
        with pytest.raises(qn.ModelError, match=r"'2 whole weeks'.*needs 4 whole weeks.*give a rate"):
            qn.day(one_cpu(0.008), few, growth=growth_given, until="2030")
    assert any("a trend needs 4 whole weeks" in note for note in short.notes)

"""A day of intervals: overload by hand and by simulation, dates in closed form, growth, what is wrong."""

from __future__ import annotations

import csv
import json
from math import ceil, log
from pathlib import Path

import numpy as np
import pytest
import qnsolve as qn
from numpy.typing import NDArray
from qnsolve.cli.main import main
from qnsolve.fitting.days.backlog import backlog, episodes
from qnsolve.measure import table

from tests import ROOT

QUARTER = np.timedelta64(900_000, "ms")
MONDAY = np.datetime64("2026-03-02T00:00", "ms")


def _starts(n: int, length: float = 900.0) -> NDArray[np.datetime64]:
    return MONDAY + np.arange(n) * np.timedelta64(int(1000 * length), "ms")


def _one(demand: float = 0.01) -> qn.Network:
    return qn.Network([qn.Queue("cpu")], [qn.OpenClass("orders", arrival_rate=1, demands={"cpu": demand})])


def _two(servers: int = 3) -> qn.Network:
    return qn.Network(
        [qn.Queue("cpu", servers=servers), qn.Queue("disk"), qn.Delay("net")],
        [
            qn.OpenClass("orders", arrival_rate=1, demands={"cpu": 0.02, "disk": 0.005, "net": 0.1}),
            qn.OpenClass("reports", arrival_rate=1, demands={"cpu": 0.05, "disk": 0.02}),
        ],
    )


def test_each_interval_is_what_solve_gives() -> None:
    """Responses and utilizations of all intervals in one pass, of several servers too; equal intervals are equal."""
    rng = np.random.default_rng(1)
    rates = {"orders.rate": rng.uniform(0, 40, 30), "reports.rate": rng.uniform(0, 20, 30)}
    rates["orders.rate"][[3, 9]], rates["reports.rate"][[3, 9]] = 17.0, 11.0
    found = qn.day(_two(), table(rates, start=_starts(30), length=900))
    for i in range(30):
        model = (
            _two()
            .replace("orders", arrival_rate=rates["orders.rate"][i])
            .replace("reports", arrival_rate=rates["reports.rate"][i])
        )
        alone = qn.solve(model)
        for r, name in enumerate(("orders", "reports")):
            assert found.response[i, r] == pytest.approx(alone[name].response_time, rel=1e-9)
        for k, name in enumerate(found.centers):
            assert found.utilization[i, k] == pytest.approx(alone[name].utilization, rel=1e-9, abs=1e-12)
    assert (found.response[3] == found.response[9]).all()


def test_backlog_derived_by_hand() -> None:
    """120 a second for an hour where 100 can be done: 72,000 wait, and 40 a second are worked off after it."""
    found = qn.day(_one(), table({"orders.rate": [50.0, 120, 60, 60]}, start=_starts(4, 3600), length=3600))
    assert found.backlog == pytest.approx([0, 72_000, 0, 0])
    assert found.delay == pytest.approx([0, 720 / 2, 720 / 2 * 1800 / 3600, 0])
    assert found.worked_off[2] == pytest.approx(1800)
    assert found.missed.tolist() == [False, True, False, False]
    assert found.response[2, 0] == pytest.approx(180 + 1 / (100 - 60))
    said = found.sentences()
    assert said[0] == "Does not hold: at 2026-03-02 01:00 cpu is asked for 120 % of what it can do"
    assert any("7.2e+04 jobs wait at the end of 2026-03-02 01:00" in each and "worked off at 02:30" in each for each in said)


def test_the_verdict_names_the_worst_interval() -> None:
    """The one with the longest response, over its target, and how many do not hold; a late one may follow the overload."""
    rows = table({"orders.rate": [50.0, 120.0, 100.0, 60.0]}, start=_starts(4, 3600), length=3600)
    found = qn.day(_one(), rows, targets={"orders": 0.5})
    worst = int(np.argmax(found.response[:, 0]))
    assert worst == 2
    assert found.response[2, 0] > 720
    said = found.sentences()[0]
    assert said.startswith("Does not hold: at 2026-03-02 01:00 cpu is asked for 120 % of what it can do; 3 of 4 intervals")
    assert said.endswith(f"; the worst is 2026-03-02 02:00: orders takes {found.response[2, 0]:.4g} s")
    rows = table({"orders.rate": [101.0, 99.9]}, start=_starts(2, 900), length=900)
    assert "do not hold" not in qn.day(_one(), rows).sentences()[0]
    assert "the worst is 2026-03-02 00:15: orders takes" in qn.day(_one(), rows).sentences()[0]


def test_backlog_ends_at_a_gap() -> None:
    """Nothing is known of hours that were not measured; what is worked off on another day has its date."""
    start = np.array(["2026-03-02T09:00", "2026-03-02T11:00", "2026-03-03T09:00"], dtype="datetime64[ms]")
    rows = table({"orders.rate": [50.0, 120.0, 60.0]}, start=start, length=[3600.0, 3600.0, 3600.0])
    found = qn.day(_one(), rows)
    assert found.backlog == pytest.approx([0, 72_000, 0])
    assert found.delay == pytest.approx([0, 360, 0])
    assert found.response[2, 0] == pytest.approx(1 / 40)
    said = " ".join(found.sentences())
    assert "not worked off when the intervals break off" in said
    assert any("2 gaps" in note and "7.2e+04 jobs at most" in note and "not carried over" in note for note in found.notes)
    near = np.array(["2026-03-02T22:00", "2026-03-02T23:20"], dtype="datetime64[ms]")
    carried = qn.day(_one(), table({"orders.rate": [120.0, 20.0]}, start=near, length=3600))
    assert carried.delay[1] > 0
    assert any("worked off at 23:35" in each for each in carried.sentences())
    late = np.array(["2026-03-02T23:00", "2026-03-03T00:00"], dtype="datetime64[ms]")
    other = qn.day(_one(), table({"orders.rate": [120.0, 20.0]}, start=late, length=3600))
    assert any("worked off at 2026-03-03 00:15" in each for each in other.sentences())
    assert not other.notes


def test_backlog_is_carried_over_several_intervals() -> None:
    """Conservation: what comes is what is served and what is left, however intervals are cut."""
    offered, length = np.array([0.5, 1.3, 1.1, 0.9, 0.4, 1.2]), np.array([900.0, 900, 450, 900, 1800, 900])
    found = backlog(offered, length)
    assert found.left == pytest.approx([0, 270, 315, 225, 0, 180])
    halves = backlog(np.repeat(offered, 2), np.repeat(length / 2, 2))
    assert halves.left[1::2] == pytest.approx(found.left)
    assert halves.delay.reshape(-1, 2).mean(axis=1) == pytest.approx(found.delay)
    assert episodes(found.left, offered) == [(1, 4), (5, 5)]


def test_more_work_is_never_a_smaller_backlog() -> None:
    """Monotony in every interval."""
    rng = np.random.default_rng(4)
    for _ in range(50):
        offered, length = rng.uniform(0, 2, 20), rng.uniform(60, 900, 20)
        more = offered.copy()
        more[rng.integers(20)] += rng.uniform(0, 1)
        before, after = backlog(offered, length), backlog(more, length)
        assert (after.left >= before.left - 1e-9).all()
        assert (after.delay >= before.delay - 1e-9).all()


def _simulated(rates: list[float], length: float, demand: float, seed: int) -> tuple[list[float], list[float]]:
    """Jobs at the end, and mean response of what came in each interval: one server, Poisson arrivals, in order of arrival."""
    rng = np.random.default_rng(seed)
    arrivals = np.concatenate(
        [length * i + np.sort(rng.uniform(0, length, rng.poisson(rate * length))) for i, rate in enumerate(rates)]
    )
    free, ends = 0.0, np.empty(len(arrivals))
    for i, (at, service) in enumerate(zip(arrivals.tolist(), rng.exponential(demand, len(arrivals)).tolist(), strict=True)):
        free = max(free, at) + service
        ends[i] = free
    left = [float(((arrivals <= length * (i + 1)) & (ends > length * (i + 1))).sum()) for i in range(len(rates))]
    which = np.minimum((arrivals // length).astype(int), len(rates) - 1)
    return left, (np.bincount(which, ends - arrivals) / np.bincount(which)).tolist()


def test_overload_agrees_with_a_simulated_transient() -> None:
    """Backlog and responses of overloaded intervals beside the mean of 30 runs of an event loop."""
    rates, length, demand = [5.0, 8.0, 12.0, 11.0, 8.0, 5.0], 900.0, 0.1
    runs = [_simulated(rates, length, demand, seed) for seed in range(30)]
    left, response = (np.mean([run[k] for run in runs], axis=0) for k in (0, 1))
    found = qn.day(_one(demand), table({"orders.rate": rates}, start=_starts(6), length=length))
    overloaded = [2, 3, 4]
    assert found.backlog[overloaded] == pytest.approx(left[overloaded], rel=0.06)
    assert found.response[overloaded, 0] == pytest.approx(response[overloaded], rel=0.06)
    assert found.response[[0, 1], 0] == pytest.approx(response[[0, 1]], rel=0.1)


@pytest.mark.parametrize("growth", [0.08, 0.2])
def test_date_of_one_queue_in_closed_form(growth: float) -> None:
    """λ·(1 + g)^t·D = 1 at saturation; 1/(1/D - λ) is the target."""
    rates, demand = [30.0, 62.0, 45.0], 0.01
    rows = table({"orders.rate": rates}, start=_starts(3, 3600), length=3600)
    found = qn.day(_one(demand), rows, growth=growth)
    assert found.end is not None
    years = log(1 / (62 * demand)) / log(1 + growth)
    assert found.end.years == pytest.approx(years, abs=1e-8)
    days = ceil(years * 365.25)
    date = MONDAY + np.timedelta64(days, "D") + np.timedelta64(1, "h")
    assert found.end.when == str(np.datetime_as_string(date, unit="m"))
    assert (found.end.cause, found.end.saturated, found.end.interval) == ("cpu", True, 2)
    slower = qn.day(_one(demand), rows, growth={"orders": f"{100 * growth}%/year"}, targets={"orders": 0.05})
    assert slower.end is not None
    assert slower.end.years == pytest.approx(log((1 / demand - 1 / 0.05) / 62) / log(1 + growth), abs=1e-8)
    assert (slower.end.cause, slower.end.saturated) == ("orders", False)
    assert slower.sentences()[0].endswith("then orders takes longer than 0.05 s")


def test_days_are_counted_to_the_date_that_is_stated() -> None:
    """Of several days the date is whole weeks after the interval; the sentence counts to it."""
    start = np.array(["2026-03-02T10:00", "2026-03-04T10:00"], dtype="datetime64[ms]")
    found = qn.day(_one(), table({"orders.rate": [50.0, 93.0]}, start=start, length=3600), growth=0.1)
    assert found.end is not None
    assert found.end.years * 365.25 == pytest.approx(log(1 / 0.93) / log(1.1) * 365.25) == pytest.approx(278.1, abs=0.1)
    assert found.end.when == "2026-12-09T10:00"
    assert found.sentences()[-1] == "that is 0.767 years, 280 days, after 2026-03-04"


def test_the_day_of_until_counts_whole() -> None:
    """Full on 2027-04-10 at 10:00: a search to that day, or that month, finds it; one to the day before does not."""
    rate = 100 / 1.1 ** (403.5 / 365.25)
    rows = table({"orders.rate": [20.0, rate]}, start=["2026-03-02T09:00", "2026-03-02T10:00"], length=3600)
    for until in ("2027-04-10", "2027-04", "2027-04-10T10:00", None):
        assert qn.day(_one(), rows, growth="10%/year", until=until).sentences()[0].startswith("Holds until 2027-04-10, 10:00")
    for until in ("2027-04-09", "2027-03", "2027-04-10T09:59"):
        found = qn.day(_one(), rows, growth="10%/year", until=until)
        assert found.end is None
    assert found.until == "2027-04-10"
    with pytest.raises(qn.ModelError, match="must lie after the last interval"):
        qn.day(_one(), rows, growth="10%/year", until="2026-03-02")


def test_earlier_intervals_come_once_more_before_until() -> None:
    """Monday is full on a Monday, though the search ends before the Friday that would be as far away."""
    start = np.array(["2026-03-02T10:00", "2026-03-06T10:00"], dtype="datetime64[ms]")
    rate = 100 / 1.1 ** ((57 * 7 + 3) / 365.25)
    for friday in (20.0, 0.999 * rate):
        rows = table({"orders.rate": [rate, friday]}, start=start, length=3600)
        for until in ("2027-04-12", "2027-04-15", "2027-06"):
            said = qn.day(_one(), rows, growth=0.1, until=until).sentences()[0]
            assert said.startswith("Holds until 2027-04-12, 10:00")
        assert qn.day(_one(), rows, growth=0.1, until="2027-04-11").end is None


def test_growth_by_class_finds_the_interval_that_others_hide() -> None:
    """At night the class that grows is most of the load: a night is first, though the day is fuller now."""
    rates = {"orders.rate": [60.0, 5.0], "reports.rate": [0.0, 20.0]}
    model = _two(2)
    rows = table(rates, start=_starts(2, 43_200), length=43_200)
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
    rows = table({"orders.rate": [40.0, 70.0]}, start=_starts(2), length=900)
    years = [qn.day(_one(), rows, growth=g).end for g in (0.05, 0.1, 0.3, 1.0)]
    known = [each.years for each in years if each is not None]
    assert known == sorted(known, reverse=True)
    assert len(known) == 4
    assert qn.day(_one(), rows, growth=0.05, until="2027").end is None
    assert qn.day(_one(), rows, growth=0.05, until="2027").sentences()[0].startswith("Holds until 2027-12-31 at least")
    assert qn.day(_one(), rows, growth=-0.1).end is None


def test_trend_of_the_intervals() -> None:
    """Eight weeks that grow by 0.4 % each: 23 % a year, in its range; less than four weeks say nothing."""
    n = 8 * 7 * 24
    weeks = np.arange(n) / 168
    profile = 50 * (1 + 0.5 * np.sin(2 * np.pi * np.arange(n) / 24)) * np.random.default_rng(2).lognormal(0, 0.05, n)
    rows = table({"orders.rate": profile * 1.004**weeks}, start=_starts(n, 3600), length=3600)
    found = qn.day(_one(0.008), rows, until="2030")
    (growth,) = found.growth
    true = 1.004 ** (365.25 / 7) - 1
    assert growth.lowest < true < growth.highest
    assert growth.highest - growth.lowest < 0.4
    assert growth.source == "8 weeks"
    assert found.end is not None
    assert any("orders grows by" in each and "from 8 weeks" in each for each in found.sentences())
    few = rows.rows_where(np.arange(n) < 400)
    short = qn.day(_one(0.008), few, until="2030")
    assert short.growth[0].source == "none"
    assert short.sentences()[0] == "Holds until 2030-12-31 at least with no growth: nothing fills up"
    for growth_given in ("measured", {"orders": "measured"}):
        with pytest.raises(qn.ModelError, match=r"'2 whole weeks'.*needs 4 whole weeks.*give a rate"):
            qn.day(_one(0.008), few, growth=growth_given, until="2030")
    assert any("a trend needs 4 whole weeks" in note for note in short.notes)


def test_peak_hour() -> None:
    """Four quarters of the day with the most work, and its share."""
    rate = np.full(96, 10.0)
    rate[40:44] = [30, 35, 40, 35]
    peak = qn.day(_one(), table({"orders.rate": rate}, start=_starts(96), length=900)).peak
    assert (peak.start, peak.end) == ("2026-03-02 10:00", "2026-03-02 11:00")
    assert peak.share == pytest.approx(140 / (92 * 10 + 140))
    assert peak.over_mean == pytest.approx(35 / (1060 / 96))


def test_users_go_round() -> None:
    """A closed class takes measured users; with rates alone it is work that arrives, and a note says so."""
    shop = qn.Network([qn.Queue("cpu")], [qn.ClosedClass("users", population=1, think_time=1.0, demands={"cpu": 0.02})])
    found = qn.day(shop, table({"users.users": [5.0, 30.0, 60.0]}, length=600))
    for i, population in enumerate((5, 30, 60)):
        assert found.response[i, 0] == pytest.approx(
            qn.solve(shop.replace("users", population=population))["users"].response_time
        )
    assert not found.missed.any()
    rated = qn.day(shop, table({"users.rate": [5.0, 30.0]}, length=600))
    assert rated.response[1, 0] == pytest.approx(0.02 / (1 - 0.6))
    assert any("taken as work that arrives" in note for note in rated.notes)


def test_time_units_of_models() -> None:
    """A model in milliseconds: intervals stay in seconds."""
    shop = qn.Network([qn.Queue("cpu")], [qn.OpenClass("orders", arrival_rate=0.001, demands={"cpu": 10.0})], time_unit="ms")
    found = qn.day(shop, table({"orders.rate": [50.0, 120.0]}, length=3600))
    assert found.response[0, 0] == pytest.approx(0.010 / 0.5)
    assert found.offered == pytest.approx([0.5, 1.2])
    assert found.backlog[1] == pytest.approx(72_000)
    closed = qn.Network(
        [qn.Queue("cpu")], [qn.ClosedClass("web", population=1, think_time=500.0, demands={"cpu": 10.0})], time_unit="ms"
    )
    beside = qn.measured_beside_modelled(closed, table({"web.users": [10.0], "web.rate": [19.0]}, length=60))
    response = qn.solve(closed.replace("web", population=10))["web"].response_time
    assert beside.columns[0].modelled[0] == pytest.approx(10 / (500 + response) * 1000)


def test_missing_rates_are_no_work() -> None:
    """A class without a figure in an interval does nothing there; one that was not measured stays as in the model."""
    rates = {"orders.rate": [10.0, np.nan], "reports.rate": [np.nan, 10.0]}
    found = qn.day(_two(), table(rates, length=60))
    assert np.isnan(found.response).tolist() == [[False, True], [True, False]]
    assert found.utilization[0, 0] == pytest.approx(10 * 0.02 / 3)
    alone = qn.day(_two(), table({"orders.rate": [10.0], "web.rate": [30.0]}, length=60))
    assert alone.utilization[0, 0] == pytest.approx((10 * 0.02 + 1 * 0.05) / 3)
    assert any("reports was not measured" in note for note in alone.notes)
    assert any("not in the model: web, 75 % of all jobs" in note for note in alone.notes)


def test_a_system_is_solved_interval_by_interval() -> None:
    """Responses are those of the system at these rates; overload and the first to fill up are told by its centers."""
    system = qn.load(ROOT / "examples" / "cics-region.toml")
    rates = {"orders.rate": [400.0, 1400.0, 900.0], "reports.rate": [30.0, 90.0, 0.0]}
    found = qn.day(system, table(rates, start=_starts(3), length=900))
    asked = system.replace("orders", rate=1400.0, users=None, think_time=0.0)
    answer = asked.solve()
    assert found.response[1] == pytest.approx([work.response_time for work in answer.work], rel=2e-3)
    assert np.isnan(found.response[2, 1])
    assert found.end is not None
    assert found.end.factor == pytest.approx(qn.zos.headroom(asked).factor, rel=5e-3)
    more = qn.day(system, table({name: 4 * np.array(each) for name, each in rates.items()}, start=_starts(3), length=900))
    assert more.missed.tolist() == [False, True, False]
    assert more.offered[1] == pytest.approx(4 / found.end.factor, rel=0.02)


def test_many_loads_of_a_system_are_interpolated_with_their_error(monkeypatch: pytest.MonkeyPatch) -> None:
    """The error that the note states holds for loads that were not solved."""
    from qnsolve.fitting.days import system_loads

    monkeypatch.setattr(system_loads, "SOLVED", 40)
    monkeypatch.setattr(system_loads, "PROBES", 8)
    system = qn.load(ROOT / "examples" / "cics-region.toml")
    rng = np.random.default_rng(3)
    rates = {"orders.rate": rng.uniform(300, 1500, 75), "reports.rate": rng.uniform(20, 100, 75)}
    few = qn.day(system, table(rates, length=900))
    note = next(each for each in few.notes if "distinct loads were solved" in each)
    assert "48 distinct loads were solved, 27 between them interpolated" in note
    monkeypatch.setattr(system_loads, "SOLVED", 300)
    every = qn.day(system, table(rates, length=900))
    assert few.response.ravel() == pytest.approx(every.response.ravel(), rel=0.02)


@pytest.mark.parametrize(
    ("words", "says"),
    [
        ({"growth": "much"}, "growth of orders = 'much': must be a percentage a year"),
        ({"growth": {"order": 0.1}}, "growth = 'order': must name classes that were measured; did you mean 'orders'"),
        ({"growth": -1.5}, "must be above -100 %"),
        ({"growth": 8}, "write 0.08 or '8%/year'"),
        ({"growth": {"orders": 1.5}}, "write 0.08 or '8%/year'"),
        ({"growth": True}, "write 0.08 or '8%/year'"),
        ({"targets": 0.2}, "targets = 0.2: must be a mapping of classes to seconds"),
        ({"targets": [0.2]}, "must be a mapping of classes to seconds"),
        ({"targets": {"orders": 0}}, "targets"),
        ({"until": "soon"}, "until = 'soon': must be a date"),
        ({"until": "2020"}, "must lie after the last interval"),
    ],
)
def test_what_is_wrong_is_one_line(words: dict[str, object], says: str) -> None:
    """Item, rule, repair."""
    rows = table({"orders.rate": [1.0, 2.0]}, start=_starts(2), length=900)
    with pytest.raises(qn.ModelError) as error:
        qn.day(_one(), rows, **words)  # type: ignore[arg-type]
    assert says in str(error.value)


def test_tables_that_do_not_fit() -> None:
    """Other names, no length, rates below 0."""
    with pytest.raises(qn.ModelError, match="must have rates of the model's classes"):
        qn.day(_one(), {"web.rate": [1.0]})
    for file in ("day.csv", Path("day.csv")):
        with pytest.raises(qn.ModelError, match=r"intervals = 'day.csv'.*qn\.measure\.read"):
            qn.day(_one(), file)  # type: ignore[arg-type]
    with pytest.raises(qn.ModelError, match="must be a Network or a System"):
        qn.day(None, table({"orders.rate": [1.0]}, length=60))  # type: ignore[arg-type]
    with pytest.raises(qn.ModelError, match="length"):
        qn.day(_one(), table({"orders.rate": [1.0]}))
    with pytest.raises(qn.ModelError, match="interval 2"):
        qn.day(_one(), table({"orders.rate": [1.0, -3.0]}, length=60))


def test_command(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Text with the verdict, JSON with peak, growth and end, a row an interval and class as CSV."""
    qn.save(_two(), tmp_path / "site.toml")
    with (tmp_path / "day.csv").open("w", newline="", encoding="utf-8") as text:
        writer = csv.writer(text)
        writer.writerow(["start", "length", "orders.rate", "reports.rate"])
        writer.writerows([[f"2026-03-02T{h:02}:00", 3600, 10 + h, 5] for h in range(24)])
    base = ["day", str(tmp_path / "site.toml"), str(tmp_path / "day.csv")]
    assert main([*base, "--growth", "8%/year", "--growth", "reports=1%/month", "--target", "orders=0.2"]) == 0
    out = capsys.readouterr().out
    assert "Holds until 20" in out
    assert "the 12 fullest of 24 intervals" in out
    for shrinks in (["--growth", "-5%/year"], ["--growth=-5%/year"]):
        assert main([*base, *shrinks, "--json"]) == 0
        assert json.loads(capsys.readouterr().out)["growth"][0]["value"] == pytest.approx(-0.05)
    assert main([*base, "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert {"rows", "sentences", "notes", "peak", "growth", "end", "until"} <= set(found)
    assert len(found["rows"]) == 48
    assert main([*base, "--csv"]) == 0
    assert len(list(csv.DictReader(capsys.readouterr().out.splitlines()))) == 48
    assert main([*base, "--growth", "x=8%"]) == 2
    assert capsys.readouterr().err.count("\n") == 1
    assert main([*base, "--target", "0.2"]) == 2

"""What the check of measured intervals says: sentences, rows and sizes of single faults, and hostile input."""

from __future__ import annotations

import csv
import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import qnsolve as qn
from qnsolve.cli.main import main
from qnsolve.measure import check, table
from qnsolve.measure.doctor.checking import KINDS
from qnsolve.measure.intervals.building import pivoted
from qnsolve.measure.intervals.interval_table import MeasuredSeries

from tests.support.interval_families import FAULTS

RNG = np.random.default_rng(5)
N = 40
START = np.datetime64("2026-03-02T06:00", "ms") + np.arange(N) * np.timedelta64(900_000, "ms")
RATE = 300 + 200 * RNG.random(N)
BUSY = 0.05 + 0.0015 * RATE * (1 + 0.01 * RNG.standard_normal(N))


def _one(found: qn.measure.Findings, kind: str) -> qn.measure.Finding:
    assert [each.kind for each in found.found] == [kind]
    return found.found[0]


def test_a_stuck_rate_is_a_sentence_with_rows_times_and_sizes() -> None:
    """Which rows, when, at what value, and what moves meanwhile."""
    rate = RATE.copy()
    rate[13:17] = 412.7
    found = check(table({"orders.rate": rate, "cpu.busy": BUSY}, start=START, length=900), leave_out=["outlier"])
    one = _one(found, "stuck")
    assert (one.first, one.last, one.count, one.place, one.severity) == (14, 17, 4, 14, "wrong")
    assert (one.start, one.end) == ("2026-03-02T09:15:00", "2026-03-02T10:15:00")
    moved = 100 * np.ptp(BUSY[13:17]) / np.median(BUSY[13:17])
    assert one.sentence == (
        "intervals 14 to 17 (2026-03-02 09:15 to 10:15): orders.rate stands still at 412.7/s while cpu.busy moves by "
        f"{moved:.3g} %"
    )


def test_clean_rows_say_so() -> None:
    """A sentence also where nothing is found."""
    found = check(table({"orders.rate": RATE, "cpu.busy": BUSY}, start=START, length=900))
    assert len(found) == 0
    assert found.sentences() == ("nothing found: the laws hold, no gaps, no stuck or doubtful figures",)
    assert found.title() == "40 intervals of 900 s, 2026-03-02 06:00 to 2026-03-02 15:45, 2 series: 0 wrong, 0 look, 0 note"


def test_metadata_against_littles_law() -> None:
    """Totals, users and responses that agree over another length than the table says: which one."""
    users = np.array([8.0, 16, 32, 64, 128, 256])
    rate = 2000 * users / (users + 20)
    response = users / rate
    one = _one(check(table({"web.count": rate * 15, "web.users": users, "web.response_time": response}, length=60)), "little")
    assert (one.measured, one.expected) == (60.0, pytest.approx(15.0))
    assert "the table says intervals of 60 s, Little's law 15 s" in one.sentence


def test_totals_without_a_length() -> None:
    """Totals, users and responses, and a length that is known from a description alone: one sentence for all classes."""
    users = np.array([8.0, 16, 32, 64, 128, 256])
    rate = 2000 * users / (users + 20)
    columns = {}
    for name in ("a", "b", "c"):
        columns |= {f"{name}.count": rate * 15, f"{name}.users": users, f"{name}.response_time": users / rate}
    one = _one(check(table(columns), length=60), "little")
    assert one.sentence.startswith("a, b, c: the table says intervals of 60 s, Little's law 15 s")
    note = _one(check(table({"a.count": rate * 15, "a.rate": rate})), "length")
    assert note.sentence == "a: the table has no lengths of intervals; count over rate gives 15 s"


def test_users_who_think_are_no_other_length() -> None:
    """A think time makes the users larger than what is inside, and that is in order."""
    users = np.array([8.0, 16, 32, 64, 128, 256])
    rate = users / (0.5 + 0.01 * (1 + users / 40))
    response = users / rate - 0.5
    assert not check(table({"web.rate": rate, "web.users": users, "web.response_time": response}, length=60)).wrong


def test_lengths_from_counts_and_rates() -> None:
    """The length that agrees."""
    one = _one(check(table({"orders.rate": RATE, "orders.count": RATE * 300}, length=900)), "length")
    assert (one.measured, one.expected) == (900.0, pytest.approx(300.0))


def test_capture_ratio_says_how_much_is_not_charged() -> None:
    """Too little and too much; without servers it says what is missing."""
    columns = {"orders.rate": RATE, "orders.used": 0.75 * BUSY * 4, "cpu.busy": BUSY}
    one = _one(check(table(columns), servers={"cpu": 4}), "capture")
    assert "exceeds the CPU charged to the work by 33.3 %: capture ratio 0.75" in one.sentence
    assert one.severity == "look"
    much = _one(check(table({**columns, "orders.used": 1.2 * BUSY * 4}), servers=4), "capture")
    assert much.severity == "wrong"
    assert "by 20 %" in much.sentence
    none = _one(check(table(columns)), "capture")
    assert none.severity == "note"
    assert "servers is not given" in none.sentence


@pytest.mark.parametrize(
    ("columns", "kind", "words"),
    [
        ({"a.response_p90": [0.2, 0.2], "a.response_p95": [0.1, 0.3]}, "impossible", "out of order"),
        ({"a.response_time": [0.1, 0.1], "a.response_p50": [0.25, 0.1]}, "impossible", "no such percentile is above 0.2 s"),
        ({"a.response_time": [0.1, 0.1], "a.response_p95": [0.05, 0.3]}, "impossible", "below the mean response"),
        ({"a.response_time": [100.0, 90], "a.response_p95": [0.3, 0.2]}, "units", "in another unit"),
        ({"a.response_time": [0.1, 0.0], "a.rate": [5.0, 6]}, "impossible", "though work ended"),
        ({"a.cpu_time": [7.0, 6], "a.response_time": [0.01, 0.011]}, "units", "in another unit"),
        ({"cpu.busy": [1.02, 0.5]}, "impossible", "is 1.02, where 1 is all"),
        ({"cpu.busy": [60.0, 70]}, "units", "looks like percent"),
        ({"cpu.queue_length": [0.5, 3], "cpu.busy": [0.9, 0.9], "cpu.servers": [1.0, 1]}, "little", "jobs in service"),
        ({"a.used": [5.0, 1], "cpu.busy": [0.9, 0.3], "cpu.servers": [4.0, 4]}, "impossible", "cpu has 4 servers"),
        ({"disk.requests": [50.0, 70], "disk.service_time": [8.0, 8], "disk.busy": [0.4, 0.56]}, "units", "milliseconds"),
        ({"a.rate": [-1.0, 3]}, "impossible", "is below 0: -1"),
        (
            {"a.users": [8.0, 9], "a.rate": [10.0, 11], "a.response_time": [0.2, 0.2], "a.think_time": [5.0, 5]},
            "little",
            "more",
        ),
    ],
)
def test_what_cannot_be(columns: dict[str, list[float]], kind: str, words: str) -> None:
    """Each law and each limit by a table of two rows."""
    said = [each.sentence for each in check(table(columns)).of(kind)]
    assert any(words in sentence for sentence in said), said


def test_a_percentile_below_the_mean_is_looked_at() -> None:
    """1.3 % of time-outs put the mean above p95: it is possible, and where p99 or the deviation shows it nothing is said."""
    columns = {"a.response_p50": [0.005, 0.005], "a.response_p95": [0.008, 0.008], "a.response_time": [0.031, 0.031]}
    one = _one(check(table(columns)), "impossible")
    assert one.severity == "look"
    assert "time-outs" in one.sentence
    assert not check(table({**columns, "a.response_p99": [2.0, 2.0]})).of("impossible")
    assert not check(table({**columns, "a.response_deviation": [0.22, 0.22]})).of("impossible")
    assert check(table({**columns, "a.response_deviation": [0.03, 0.03]})).of("impossible")


@pytest.mark.parametrize(("level", "stuck"), [(0.98, 0), (1.0, 0), (0.0, 0), (0.9, 1)])
def test_full_processors_are_not_stuck(level: float, stuck: int) -> None:
    """A utilization that stands because the processors are full, or idle, is no stuck series."""
    busy = BUSY.copy()
    busy[10:30] = level
    found = check(table({"orders.rate": RATE, "cpu.busy": busy}, start=START, length=900))
    assert len(found.of("stuck")) == stuck
    found = check(table({"orders.rate": RATE, "cpu.busy": np.full(N, level)}, start=START, length=900))
    assert len(found.of("stuck")) == stuck


@pytest.mark.parametrize("peak", [0.05, 0.2, 0.6])
def test_whole_percents_of_a_day_with_an_idle_night_are_no_outliers(peak: float) -> None:
    """A utilization of 1 % that is printed in whole percents is off by half of itself: that is rounding."""
    rng = np.random.default_rng(3)
    hours = np.arange(288) / 12
    rate = rng.poisson(300 * (200 * np.clip(np.sin((hours - 7) / 12 * np.pi), 0, None) + 2)) / 300
    busy = 0.005 + peak * rate / 200 * (1 + 0.01 * rng.standard_normal(288))
    start = np.datetime64("2026-03-02", "ms") + np.arange(288) * np.timedelta64(300_000, "ms")
    rows = {"orders.rate": rate, "cpu.busy": np.round(busy, 2)}
    assert not check(table(rows, start=start, length=300)).found
    rows["cpu.busy"][150:153] = np.round(1.4 * busy[150:153] + 0.03, 2)
    assert [each.first for each in check(table(rows, start=start, length=300)).of("outlier")] == [151]


def test_clocks_of_two_systems() -> None:
    """Intervals of two systems that begin five minutes apart, and an hour that is missing where summer time begins."""
    n = 24
    starts = np.concatenate([START[:n], START[:n] + np.timedelta64(300_000, "ms")])
    series = [[MeasuredSeries("rate", work="orders", system=name)] for name in ("SYSA", "SYSB")]
    owners = np.repeat([0, 1], n)
    rows = pivoted(
        starts, np.full(2 * n, 900.0), owners, series, RATE[: 2 * n - 8].repeat(2)[: 2 * n, None], np.arange(1, 2 * n + 1)
    )
    one = _one(check(rows), "clock")
    assert "begin 300 s before those of SYSB" in one.sentence or "begin 600 s" in one.sentence
    later = START.copy()
    later[20:] += np.timedelta64(3_600_000, "ms")
    gap = _one(check(table({"orders.rate": RATE, "cpu.busy": BUSY}, start=later, length=900)), "gap")
    assert (gap.first, gap.last, gap.measured) == (20, 21, 3600.0)
    assert "an hour, as where summer time begins or ends" in gap.sentence


def test_saturation_of_a_ladder() -> None:
    """The rate stands while users grow."""
    users = np.array([2.0, 8, 16, 24, 32, 48, 56, 64])
    rate = np.minimum(users / 0.005, 3900.0) * (1 + 0.002 * np.arange(8) % 3)
    one = _one(check(table({"m.rate": rate, "m.users": users, "m.response_time": users / rate})), "saturated")
    assert "stands at" in one.sentence


def test_many_findings_of_one_kind_are_one() -> None:
    """A table of gaps has one finding that counts them."""
    keep = np.sort(RNG.permutation(400)[:200])
    starts = np.datetime64("2026-03-02", "ms") + keep * np.timedelta64(60_000, "ms")
    rate = 50 + 10 * RNG.random(200)
    one = _one(check(table({"a.rate": rate}, start=starts, length=60)), "gap")
    assert one.count > 50
    assert " times" in one.sentence


def test_input_that_is_wrong_is_one_line() -> None:
    """Names that are not there, kinds that are none, counts that cannot be."""
    rows = table({"a.rate": [1.0, 2], "cpu.busy": [0.1, 0.2]})
    with pytest.raises(qn.ModelError, match=r"servers = 'cpus': must name a resource of the table; did you mean 'cpu'\?"):
        check(rows, servers={"cpus": 4})
    with pytest.raises(qn.ModelError, match="leave_out = 'gaps': must be a kind of finding; did you mean 'gap'"):
        check(rows, leave_out=["gaps"])
    with pytest.raises(qn.ModelError, match="servers = -1"):
        check(rows, servers=-1)
    assert len(check({"a.rate": [1.0]})) == 0


def test_nothing_measured_is_no_error() -> None:
    """Columns without any figure, zeros, one row: no traceback, no warning."""
    nothing = np.full(12, np.nan)
    for columns in (
        {"a.rate": nothing, "cpu.busy": nothing, "a.response_time": nothing, "a.used": nothing},
        {"a.rate": np.zeros(12), "cpu.busy": np.zeros(12), "a.response_time": np.zeros(12), "a.count": np.zeros(12)},
        {"a.rate": [3.0], "cpu.busy": [0.2], "a.users": [2.0], "a.response_time": [0.1]},
    ):
        for start in (None, START[: len(columns["a.rate"])]):
            found = check(table(columns, start=start, length=900), servers=2)
            assert all(each.severity != "wrong" for each in found.found)


def test_every_planted_fault_has_a_kind_that_is_documented() -> None:
    """Kinds in the list, and each on the page."""
    page = (Path(__file__).parents[3] / "docs" / "measurements.md").read_text(encoding="utf-8")
    assert all(f"`{kind}`" in page for kind in KINDS)
    assert len(FAULTS) > 20


def _file(path: Path, columns: dict[str, Any]) -> str:
    with path.open("w", newline="", encoding="utf-8") as text:
        writer = csv.writer(text)
        writer.writerow(columns)
        writer.writerows(zip(*columns.values(), strict=True))
    return str(path)


def test_command(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Text, JSON and CSV; exit code 1 with --strict where something is wrong, 0 else; 2 for bad input."""
    busy = BUSY.copy()
    busy[3] = 1.4
    columns = {"start": [str(each) for each in START], "length": [900] * N, "orders.rate": RATE, "cpu.busy": busy}
    file = _file(tmp_path / "day.csv", columns)
    assert main(["check", file]) == 0
    assert (
        "wrong, impossible: interval 4 (2026-03-02 06:45 to 07:00): cpu.busy is 1.4, where 1 is all" in capsys.readouterr().out
    )
    assert main(["check", file, "--strict"]) == 1
    capsys.readouterr()
    assert main(["check", file, "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert found["file"] == file
    assert {"kind", "severity", "series", "first", "last", "measured", "expected", "sentence"} <= set(found["rows"][0])
    assert main(["check", file, file, "--csv", "--leave-out", "outlier"]) == 0
    assert len(list(csv.DictReader(capsys.readouterr().out.splitlines()))) == 2
    assert main(["check", file, "--servers", "cpu=x"]) == 2
    assert "--servers" in capsys.readouterr().err
    assert main(["check", str(tmp_path / "none.csv")]) == 2
    assert capsys.readouterr().err.count("\n") == 1


def test_a_length_that_is_given_is_not_noted_as_guessed(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The note of the reader on the median distance goes where --length says better; counts of one are in the singular."""
    file = _file(tmp_path / "day.csv", {"start": [str(each) for each in START], "orders.rate": RATE})
    assert main(["check", file]) == 0
    assert "median distance" in capsys.readouterr().out
    assert main(["check", file, "--length", "900"]) == 0
    assert "median distance" not in capsys.readouterr().out
    few = check(table({"orders.rate": [1.0, 2, 3, 4], "cpu.busy": [0.1, 0.2, 0.3, 0.4]})).of("few")
    assert "4 rows with all rates for 1 class:" in few[0].sentence
    assert check({"a.rate": [1.0]}).title().startswith("1 interval, 1 series")


@pytest.mark.parametrize("call", [check, table])
def test_a_name_of_a_file_is_told_to_be_read(call: Any) -> None:
    """A name of a file in place of a table: the repair says how it is read."""
    with pytest.raises(qn.ModelError, match=r"read it: qn\.measure\.read\('day\.csv'\)"):
        call("day.csv")

"""Figures as they are printed: digits, units of times, percentages, columns."""

from __future__ import annotations

from math import inf, nan

import numpy as np
import pytest
from qnsolve.results.columns import column, table_of
from qnsolve.results.digits import moved, percent, short, signed, span, time, unit_of

SIZES = {"s": 1.0, "ms": 1e-3, "µs": 1e-6}


def test_short_numbers_keep_four_digits() -> None:
    """Over fifteen orders of magnitude what is printed is the number, to half a unit of its fourth digit."""
    rng = np.random.default_rng(5)
    for value in (10 ** rng.uniform(-8, 9, 2000) * rng.choice([-1, 1], 2000)).tolist():
        text = short(value)
        assert float(text) == pytest.approx(value, rel=5.1e-4)
        assert len(text.strip("-").replace(".", "").strip("0")) <= max(4, len(f"{abs(value):.0f}")) or "e" in text


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (0.0, "0"),
        (-0.0, "0"),
        (1e-13, "0"),
        (999.96, "1000"),
        (9999.6, "10000"),
        (nan, "-"),
        (inf, "inf"),
        (12345678.0, "1.235e+07"),
    ],
)
def test_short_at_its_ends(value: float, text: str) -> None:
    """Nothing is 0, what is rounded up stays a plain number, undefined numbers are a dash."""
    assert short(value) == text


def test_places_make_small_numbers_0() -> None:
    """Half a unit of the last place is the border."""
    assert [short(value, places=3) for value in (0.00049, 0.0006, 0.0123456, 123.456)] == ["0", "0.001", "0.012", "123.5"]


def test_times_keep_their_value() -> None:
    """The number times its unit is the time, from nanoseconds to hours, and the number reads well."""
    rng = np.random.default_rng(6)
    for value in (10 ** rng.uniform(-7, 4, 1000)).tolist():
        number, unit = time(value).split()
        assert float(number) * SIZES[unit] == pytest.approx(value, rel=5.1e-4)
        assert 1 <= float(number) < 1000 or unit == "s" or value < 1e-6


def test_a_column_has_one_unit_where_all_read_well() -> None:
    """Otherwise each cell has its own; the parts of one time have one unit always."""
    assert unit_of([0.0178, 0.27, 0.0]) == ("ms", 1e-3)
    assert unit_of([0.9999999]) == ("s", 1.0)
    assert unit_of([1200.0, 0.002]) is None
    assert unit_of([1200.0, 0.002], together=True) == ("s", 1.0)
    assert unit_of([nan, inf]) == ("s", 1.0)
    wide = column("response_time", [1200.0, 0.002, nan], "s", chosen=True)
    assert (wide.unit, wide.cells) == ("", ("1200 s", "2 ms", "-"))
    close = column("response_time", [0.0178, 0.27, nan], "s", chosen=True)
    assert (close.unit, close.cells) == ("ms", ("17.8", "270", "-"))


def test_networks_keep_the_unit_of_their_model() -> None:
    """Times are in it, shares stay shares."""
    assert column("response_time", [0.0178], "ms").unit == "ms"
    assert column("response_time", [0.0178], "ms").cells == ("0.0178",)
    assert column("utilization", [0.62656], "s").cells == ("0.6266",)
    assert column("utilization", [0.62656], "s", chosen=True).cells == ("62.7",)


def test_what_stands_out() -> None:
    """Use of 90 % and more is full, from 70 % on high; what is no use stands out in no way."""
    assert column("cpu_percent", [95.0, 75.0, 5.0], "s").marks == ("full", "high", "")
    assert column("utilization", [0.95, 0.75, nan], "s").marks == ("full", "high", "")
    assert column("fullest", ["saturated: cpu", "cpu"], "s").marks == ("full", "")
    assert column("appl_percent", [380.0], "s").marks == ("",)


def test_inputs_keep_their_digits() -> None:
    """What was given is printed as it was given."""
    found = column("orders.2.qr_cpu", [0.000123456, 1e-7], "s", chosen=True, given=True)
    assert (found.heading, found.unit, found.cells) == ("orders.2.qr cpu", "", ("0.000123456", "1e-07"))


def test_errors_waits_and_shares() -> None:
    """An error is printed with its sign and unit; a wait below its floor is 0; a dotted figure has a unit too."""
    assert column("response_error", [0.0618, 0.0, nan], "s", chosen=True).cells == ("± 6.2 %", "exact", "-")
    assert column("admission_wait", [2e-6, 0.01], "s", chosen=True, floors=[1e-5, 1e-5]).cells == ("0", "10")
    dotted = column("PROD.cpu_percent", [62.656], "s", chosen=True)
    assert (dotted.heading, dotted.unit, dotted.cells) == ("PROD.cpu_percent", "% busy", ("62.7",))


def test_changes_in_words() -> None:
    """Before, after and percent; without a percentage from 0; as before where both are printed alike."""
    assert moved(0.02, 0.01, time) == "20 ms to 10 ms (-50 %)"
    assert moved(0.0, 0.01, time) == "0 s to 10 ms"
    assert moved(0.0100001, 0.01, time) == "10 ms as before"
    assert [signed(value) for value in (12.34, -5.0, 0.001)] == ["+12.3", "-5", "0"]
    assert percent(-0.001) == "0"
    assert (span(0.01, 0.02), span(0.01, inf), span(nan, 1.0)) == ("10 to 20 ms", "10 ms to inf", "-")


def test_a_table_knows_its_words() -> None:
    """Columns of words stand at the left, also behind numbers."""
    table = table_of([column("factor", [1.0], "s"), column("work", ["orders"], "s"), column("etr", [2.0], "s")])
    assert (table.words, table.left) == (0, {1})
    assert table.head == [["factor", "work", "ETR"], ["", "", "1/s"]]

"""Numbers of 0 or more and their intervals: exact rows, noise, rows that cannot say, rows that are odd."""

from __future__ import annotations

import numpy as np
import pytest
from qnsolve.measure.demands.block_sums import MANY, condensed
from qnsolve.measure.demands.linear_law import linear_law
from qnsolve.measure.demands.serial_noise import SerialNoise
from qnsolve.measure.demands.told_apart import entangled, odd_rows

RNG = np.random.default_rng(3)
RATES = RNG.uniform(5, 30, (80, 2))
COLUMNS = np.column_stack([RATES, np.ones(80)])
TRUE = np.array([0.01, 0.03, 0.2])
MEASURED = np.array([True, True, False])


def test_exact_rows_give_their_numbers() -> None:
    """Without noise: the numbers, and intervals without width."""
    law = linear_law(COLUMNS, COLUMNS @ TRUE, MEASURED)
    assert law.numbers == pytest.approx(TRUE, rel=1e-9)
    assert law.highest - law.lowest == pytest.approx(0.0, abs=1e-9)


@pytest.mark.parametrize("power", [0.0, 1.0])
def test_the_noise_is_recognized(power: float) -> None:
    """Of one size, or relative: the power of the value with which it grows; weights follow."""
    columns = np.column_stack([RNG.uniform(1, 100, 400), np.ones(400)])
    exact = columns @ np.array([0.01, 0.02])
    size = 0.05 * exact if power else np.full(400, 0.05 * exact.mean())
    law = linear_law(columns, exact + size * RNG.normal(size=400), np.array([True, False]))
    assert law.power == power


def test_a_number_below_zero_is_held_at_zero() -> None:
    """And its interval begins there."""
    law = linear_law(COLUMNS, COLUMNS @ np.array([0.01, 0.0, 0.2]) * (1 + 0.02 * RNG.normal(size=80)), MEASURED)
    assert law.lowest[1] == 0
    assert law.numbers[1] >= 0
    assert 0 < law.highest[1] < 0.002


def test_noise_that_is_alike_in_neighbours_is_found() -> None:
    """A correlation of 0.6, from what fitting leaves of it."""
    noise = RNG.normal(size=600)
    for t in range(1, 600):
        noise[t] += 0.6 * noise[t - 1]
    columns = np.column_stack([RNG.uniform(1, 2, 600), np.ones(600)])
    serial = SerialNoise.of(columns, np.linalg.pinv(columns))
    left = serial.left(noise[None])[1]
    assert serial.alike(left)[0] == pytest.approx(0.6, abs=0.1)


def test_serial_noise_widens_what_moves_slowly() -> None:
    """The constant part is less certain where neighbours are alike; a number of rates that jump is not."""
    columns = np.column_stack([RNG.uniform(1, 2, 300), np.ones(300)])
    fresh = 0.02 * RNG.normal(size=300)
    alike = fresh.copy()
    for t in range(1, 300):
        alike[t] = 0.7 * alike[t - 1] + np.sqrt(1 - 0.49) * fresh[t]
    mean = np.ones((300, 1))
    wide = [
        np.ptp([law.lowest[0], law.highest[0]]) for law in (linear_law(mean, 1 + e, np.array([False])) for e in (fresh, alike))
    ]
    assert wide[1] > 1.6 * wide[0]
    assert linear_law(columns, columns.sum(axis=1) + alike, np.array([True, False])).serial > 0.5


def test_many_rows_agree_with_few() -> None:
    """Sums of blocks give the intervals that rows give, within a fifth."""
    n = 2 * MANY
    columns = np.column_stack([RNG.uniform(5, 30, n), np.ones(n)])
    values = columns @ np.array([0.01, 0.2]) * (1 + 0.02 * RNG.normal(size=n))
    many = linear_law(columns, values, np.array([False, False]))
    few = linear_law(columns[:MANY], values[:MANY], np.array([False, False]))
    ratio = (few.highest - few.lowest) / (many.highest - many.lowest)
    assert ratio == pytest.approx(np.sqrt(2), rel=0.2)
    assert many.numbers == pytest.approx([0.01, 0.2], rel=0.01)
    triangle, side = condensed(columns, values)
    assert triangle.shape == (3, 2)
    assert np.linalg.lstsq(triangle, side, rcond=None)[0] == pytest.approx(np.linalg.lstsq(columns, values, rcond=None)[0])


def test_errors_in_rates_widen_the_interval_to_one_side() -> None:
    """Rates of small spread with errors of their own: the number would be higher without them."""
    x = RNG.uniform(9, 11, 400)
    columns = np.column_stack([x * (1 + 0.02 * RNG.normal(size=400)), np.ones(400)])
    values = (0.5 + 0.1 * x) * (1 + 0.02 * RNG.normal(size=400))
    law = linear_law(columns, values, np.array([True, False]))
    plain = linear_law(columns, values, np.array([False, False]))
    assert law.attenuation[0] > 0.005
    assert law.lowest[0] < 0.1 < law.highest[0]
    assert law.highest[0] - plain.highest[0] > plain.lowest[0] - law.lowest[0]


def test_classes_that_move_together_are_named_with_sizes() -> None:
    """Neither demand is known, their sum is."""
    a = RNG.uniform(10, 30, 80)
    b = 2 * a * (1 + 0.01 * RNG.normal(size=80))
    law = linear_law(
        np.column_stack([a, b]), (0.008 * a + 0.004 * b) * (1 + 0.02 * RNG.normal(size=80)), np.array([True, True])
    )
    (said,) = entangled(["A", "B"], [a, b], law)
    assert said.startswith("the data cannot tell A from B: A's demand lies in ")
    assert "0.5·A + B is 8" in said
    assert " ms, known within " in said
    assert entangled(["A", "B"], list(RATES.T), linear_law(RATES, RATES @ TRUE[:2], np.array([True, True]))) == []


def test_multiples_of_one_column_have_no_numbers_of_their_own() -> None:
    """Each may have nothing or all of it; what is not among them is known as before."""
    columns = np.column_stack([RATES[:, 0], 2 * RATES[:, 0], np.ones(80)])
    law = linear_law(columns, 0.01 * RATES[:, 0] + 0.2 + 0.002 * RNG.normal(size=80), MEASURED)
    assert law.lowest[:2] == pytest.approx(0.0)
    assert law.highest[0] > 0.01
    assert law.highest[1] > 0.005
    assert 0.19 < law.lowest[2] < 0.2 < law.highest[2] < 0.21


def test_no_use_at_all_is_no_demand() -> None:
    """Values of 0: numbers of 0."""
    law = linear_law(COLUMNS, np.zeros(80), MEASURED)
    assert (law.numbers == 0).all()


def test_an_odd_row_is_named() -> None:
    """One row at a third of what it should be; none where the rows are exact."""
    values = COLUMNS @ TRUE * (1 + 0.01 * RNG.normal(size=80))
    values[17] /= 3
    odd = odd_rows(linear_law(COLUMNS, values, MEASURED))
    assert odd[0][0] == 17
    assert odd[0][1] > 10
    assert odd_rows(linear_law(COLUMNS, COLUMNS @ TRUE, MEASURED)) == []

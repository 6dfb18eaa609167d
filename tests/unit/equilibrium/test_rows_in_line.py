"""The line of requests at a coupling facility, in order of arrival: closed forms, and simulations of the line alone."""

from __future__ import annotations

import numpy as np
import pytest
from qnsolve.zos.equilibrium.rows_in_line import RowsInLine


def _waits(rate: list[float], size: list[float], number: list[float], apart: list[float]) -> object:
    """Waits over service times, where no sender holds a TCB."""
    given = (np.array(one, dtype=float) for one in (rate, size, number, apart))
    line = RowsInLine(*given, np.full(len(rate), -1))
    load = float(np.array(rate) @ (np.array(size) * np.array(number)))
    return line.waits_over_shared() * load / (1 - load)


def test_requests_alike_wait_as_at_a_shared_server() -> None:
    """M/M/1 in order of arrival, one by one and in rows."""
    assert _waits([0.1, 0.2], [2.0, 2.0], [1, 1], [0, 0]) == pytest.approx([0.6 / 0.4] * 2)
    assert _waits([0.1], [1.0], [5], [0]) == pytest.approx([1.0])


def test_single_requests_wait_by_the_formula_of_pollaczek_and_khinchine() -> None:
    """A mix of exponential lengths: all wait for as long, 11.8 over what is left of the server."""
    wait = (0.1 * 1.0 + 0.05 * 64.0) / (1 - 0.5)
    assert _waits([0.1, 0.05], [1.0, 8.0], [1, 1], [0, 0]) == pytest.approx([wait, wait / 8])


@pytest.mark.parametrize(
    ("rate", "size", "number", "apart", "simulated"),
    [
        ([0.05, 0.03], [1.0, 10.0], [5, 1], [0, 0], [3.33, 0.593]),
        ([0.1, 0.05], [1.0, 2.0], [4, 4], [0, 0], [5.94, 3.135]),
        ([0.05, 0.03], [1.0, 10.0], [5, 1], [5, 0], [3.89, 0.599]),
        ([0.05, 0.03], [1.0, 10.0], [5, 1], [50, 0], [6.76, 0.715]),
        ([0.02, 0.01], [1.0, 10.0], [5, 4], [2, 2], [6.25, 0.823]),
        ([0.1, 0.02], [1.0, 10.0], [3, 2], [0.3, 3], [11.0, 1.373]),
    ],
)
def test_rows(rate: list[float], size: list[float], number: list[float], apart: list[float], simulated: list[float]) -> None:
    """300,000 rows: short requests that follow each other wait once for a long one, unless they are far apart."""
    assert _waits(rate, size, number, apart) == pytest.approx(simulated, rel=0.09)


def test_a_tcb_does_not_wait_for_itself() -> None:
    """One QR TCB alone sends its requests one after the other."""
    rate, ones = np.array([0.3, 0.2]), np.ones(2)
    both = RowsInLine(rate, ones, 2 * ones, 0 * ones, np.array([0, 1])).waits_over_shared()
    assert both == pytest.approx([1, 1], rel=0.05)
    assert RowsInLine(rate[:1], ones[:1], ones[:1], 0 * ones[:1], np.array([0])).waits_over_shared() == pytest.approx([1])


def test_an_overloaded_line_has_a_number() -> None:
    """Rates of a round that are beyond what the facility can do."""
    line = RowsInLine(np.array([3.0, 1.0]), np.ones(2), np.array([2.0, 1.0]), np.zeros(2), np.array([-1, -1]))
    assert np.isfinite(line.waits_over_shared()).all()


def test_alike_requests_wait_as_if_they_shared_the_server_however_many_are_in_a_row() -> None:
    """1.1 in the mean is one, and a second in a tenth of the rows: it was counted as two, and the waits were twice too long."""
    number, size = np.array([1.1, 6.2]), np.array([1e-5, 1e-5])
    rows = RowsInLine(0.47 / (number * size), size, number, np.array([1e-6, 1e-6]), np.array([0, 1]))
    assert rows.waits_over_shared() == pytest.approx([1.0, 1.0], rel=1e-9)


def test_rows_that_begin_together() -> None:
    """Groups of three on average, one request each: others of a group before it, and M[X]/M/1."""
    rate, size, mates = np.array([0.2]), np.array([1.0]), np.array([[2.0]])
    line = RowsInLine(rate, size, np.ones(1), np.zeros(1), np.array([-1]), mates)
    assert line.waits() + size == pytest.approx([2.0 / (1 - 0.2)])


@pytest.mark.parametrize(
    ("apart", "simulated"),
    [
        ([0.0, 0.0, 0.0, 0.0], [0.3305, 0.04966, 0.03032, 0.1018]),
        ([0.00861, 0.01201, 0.002515, 0.0017045], [0.3164, 0.04934, 0.02979, 0.0982]),
    ],
)
def test_rows_of_groups(apart: list[float], simulated: list[float]) -> None:
    """Times at a QR TCB simulated to 1 %: work in bursts of 7 and 3.5 that comes back three times, beside others."""
    rate, rounds = np.array([1.362, 9.332, 105.0, 13.06]), np.array([4.0, 1.0, 1.0, 4.0])
    size = np.array([0.024, 0.006406, 0.005472, 0.005235]) / rounds
    mates = np.diag([5.992, 5.768, 0.0, 2.477])
    line = RowsInLine(rate, size, rounds, np.array(apart), np.full(4, -1), mates)
    assert line.waits() + rounds * size == pytest.approx(simulated, rel=0.04)

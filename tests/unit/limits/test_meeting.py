"""Two sorts of tasks that meet inside a limit: against the exact solution of a closed network, and an exact chain."""

from __future__ import annotations

import numpy as np
import pytest
import qnsolve as qn
from qnsolve.methods.limits.unlike.meeting import Meeting
from qnsolve.methods.limits.unlike.unlike_works import unlike_waits


@pytest.mark.parametrize(("first", "second"), [(1, 1), (3, 2), (5, 1), (0, 4)])
def test_ends_are_throughputs_of_a_closed_network(first: int, second: int) -> None:
    """One server and a delay: as many customers of two classes."""
    demands = np.array([[0.2, 0.05], [0.1, 1.0]])  # at the server, and off it
    both = Meeting(np.array([[0.0, *np.ones(6)], np.arange(7.0)]), demands)
    ends = both.ends(np.array([1.0, 0.0]), np.array([0.0, 1.0]))[:, first, second]
    classes = [
        qn.ClosedClass(name, population=number, think_time=float(demands[1, k]), demands={"cpu": float(demands[0, k])})
        for k, (name, number) in enumerate((("one", first), ("two", second)))
        if number
    ]
    solved = qn.Network([qn.Queue("cpu", discipline="ps")], classes).solve("exact")
    expected = [solved[name].throughput if number else 0.0 for name, number in (("one", first), ("two", second))]
    assert ends == pytest.approx(expected, rel=1e-10)


def test_one_place_is_an_m_g_1() -> None:
    """Nobody meets at one place: times there are those alone, whatever stations they are made of."""
    both = Meeting(np.array([[0.0, 1.0], [0.0, 1.0]]), np.array([[0.3, 0.1], [0.1, 2.0]]))
    none, rate = np.zeros(2), np.array([0.8, 0.1])
    plain = unlike_waits(1, none, rate, none, both.alone)
    met = unlike_waits(1, none, rate, none, both.alone, meeting=both)
    assert met.wait == pytest.approx(plain.wait, rel=1e-9)
    assert met.holding == pytest.approx(both.alone, rel=1e-6)


def test_delays_alone_are_no_meeting() -> None:
    """Where tasks meet nowhere the waits are those of times that depend on nobody."""
    both = Meeting(np.arange(6.0)[None], np.array([[0.3, 4.0]]))
    users, rate, away = np.array([0.0, 8.0]), np.array([6.0, 0.0]), np.array([1.0, 6.0])
    plain = unlike_waits(5, users, rate, away, both.alone)
    met = unlike_waits(5, users, rate, away, both.alone, meeting=both)
    assert met.wait == pytest.approx(plain.wait, rel=1e-6)
    assert met.throughput == pytest.approx(plain.throughput, rel=1e-6)

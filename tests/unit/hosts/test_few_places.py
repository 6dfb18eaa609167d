"""The chain of a limit of few places, beside closed forms and a chain that is built state by state."""

from __future__ import annotations

from collections import defaultdict
from math import factorial

import numpy as np
import pytest
from qnsolve.zos.hosts.limited.few_places import FewPlaces, FewSolved, OthersOnCps, few_places

NONE = OthersOnCps(np.zeros(1), np.zeros(1), 1.0)
State = tuple[int, int, int, int]  # tasks in all, those at the TCB, open pieces, others


def _asked(
    rate: float, size: int, qr: float, open_: float, off: float, engines: float, others: OthersOnCps = NONE
) -> FewPlaces:
    """Tasks that come to the TCB, then are an open piece, then for `off` elsewhere, if at all."""
    places = [place for place, time in enumerate((qr, open_, off)) if time > 0]
    begin, moves = np.zeros(3), np.zeros((3, 4))
    begin[places[0]] = rate
    for place, following in zip(places, [*places[1:], 3], strict=True):
        moves[place, following] = rate
    ends = np.arange(1.0, size + 1) / max(off, 1e-9)
    return FewPlaces(size, begin, moves, np.array([qr, open_]), ends, 0.0, engines, others)


def _solved(asked: FewPlaces) -> FewSolved:
    found = few_places(asked)
    assert found is not None
    assert found.crowd is not None
    return found


def _response(asked: FewPlaces) -> float:
    found = _solved(asked)
    assert found.crowd is not None
    return (float(found.there[:3].sum()) + found.longer * found.crowd.outside) / float(asked.begin.sum())


def _state_by_state(asked: FewPlaces, most: int) -> float:
    """The response time of tasks QR, open, elsewhere, by power iteration of a chain with no more than so many."""
    rate, others = float(asked.begin.sum()), asked.others
    rates: dict[tuple[State, State], float] = defaultdict(float)
    states = [
        (n, q, o, b)
        for n in range(most + 1)
        for q in range(min(n, asked.size) + 1)
        for o in range(min(n, asked.size) - q + 1)
        for b in range(len(others.come))
    ]
    for n, q, o, b in states:
        off = min(n, asked.size) - q - o
        speed = min(1.0, asked.engines / max((q > 0) + o + others.ready[b], 1.0))
        begins = n <= asked.size  # of the line, where there is one
        here = (n, q, o, b)
        if n < most:
            rates[here, (n + 1, q + (n < asked.size), o, b)] += rate
        if q:
            rates[here, (n, q - 1, o + 1, b)] += speed / asked.pieces[0]
        if o:
            rates[here, (n, q, o - 1, b)] += o * speed / asked.pieces[1]
        if off:
            rates[here, (n - 1, q + (not begins), o, b)] += float(asked.off[off - 1])
        if b < len(others.come) - 1:
            rates[here, (n, q, o, b + 1)] += float(others.come[b])
        if b:
            rates[here, (n, q, o, b - 1)] += float(others.ready[b]) * speed / others.piece
    place = {state: i for i, state in enumerate(states)}
    matrix = np.zeros((len(states), len(states)))
    for (start, end), its in rates.items():
        matrix[place[start], place[end]] += its
    matrix -= np.diag(matrix.sum(axis=1))
    chance = np.linalg.solve(np.vstack([matrix.T[:-1], np.ones(len(states))]), np.eye(len(states))[-1])
    return float(chance @ [state[0] for state in states]) / rate


@pytest.mark.parametrize(("size", "load"), [(1, 0.5), (4, 0.9), (10, 0.8)])
def test_times_off_the_cps_alone_are_erlang_c(size: int, load: float) -> None:
    """M/M/c: the wait by A. Erlang's formula."""
    offered, mean = load * size, 2e-3
    line = offered**size / factorial(size) / (1 - load)
    wait = line / (sum(offered**n / factorial(n) for n in range(size)) + line) * mean / (size * (1 - load))
    asked = _asked(offered / mean, size, 0.0, 0.0, mean, 2.0)
    assert _response(asked) == pytest.approx(mean + wait, rel=1e-6)
    assert _solved(asked).load == pytest.approx(load)


@pytest.mark.parametrize("engines", [1.0, 2.0, 3.5])
def test_one_place_is_a_queue_of_times_in_a_row(engines: float) -> None:
    """M/G/1 of three exponential times in a row, however many CPs there are (F. Pollaczek, A. Khinchin)."""
    times = np.array([1e-3, 2e-3, 0.5e-3])
    rate = 0.8 / times.sum()
    wait = rate * (times.sum() ** 2 + (times**2).sum()) / 2 / (1 - 0.8)
    assert _response(_asked(rate, 1, *times.tolist(), engines)) == pytest.approx(times.sum() + wait, rel=1e-6)


@pytest.mark.parametrize("load", [0.5, 0.75])
@pytest.mark.parametrize(("size", "engines"), [(2, 1.0), (3, 2.0)])
def test_beside_others_state_by_state(size: int, engines: float, load: float) -> None:
    """Two others at most, who come at a rate, each ready."""
    others = OthersOnCps(np.array([150.0, 150.0, 0.0]), np.array([0.0, 1.0, 2.0]), 2e-3)
    full = few_places(_asked(1.0, size, 1e-3, 2e-3, 1.5e-3, engines, others))
    assert full is not None
    asked = _asked(load / full.load, size, 1e-3, 2e-3, 1.5e-3, engines, others)
    assert _response(asked) == pytest.approx(_state_by_state(asked, 45), rel=2e-4)


def test_what_is_joined_is_near() -> None:
    """Tasks at the TCB and open pieces as one number beside many others: as told apart beside these."""
    others = OthersOnCps(np.append(np.full(24, 300.0), 0.0), np.arange(25.0), 1.5e-3)
    asked = _asked(280.0, 4, 1e-3, 2e-3, 3e-3, 2.0, others)
    joined = FewPlaces(*(getattr(asked, name) for name in list(asked.__dataclass_fields__)[:-1]), joined=3)
    assert joined.states < asked.states
    assert _response(joined) == pytest.approx(_response(asked), rel=0.03)


def test_more_than_the_places_let_through() -> None:
    """The load is told, and there is no line with an end."""
    found = few_places(_asked(1.2e3, 2, 1e-3, 1e-3, 0.0, 1.0))
    assert found is not None
    assert found.crowd is None
    assert found.load == pytest.approx(2.4, rel=0.01)

"""Pieces of unlike length that share a TCB or the CPs, beside open work and work in bursts, against exact Markov chains."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from qnsolve import zos

from tests.oracles.system_chains import Chain, State


def _solved(engines: float, *work: zos.Work) -> zos.SystemResult:
    lpar = zos.Lpar("L", processors=zos.Processors(engines))
    return zos.System(lpars=[lpar], regions=[zos.CicsRegion("A", lpar="L", mxt=2000)], work=list(work)).solve()


def _work(name: str, rate: float, burst: float = 1.0, **cpu: float) -> zos.Work:
    return zos.Work(name, rate=rate, burst=burst, steps=[zos.Step("A", **cpu)])


def _at_a_tcb(engines: int, piece: tuple[float, float], rate: tuple[float, float], most: State, beside: State) -> Chain:
    """Tasks with short and long pieces share a TCB; free pieces, of time and rate `beside`, share the CPs with it."""
    free, coming = beside

    def moves(state: State) -> Iterator[tuple[float, State]]:
        short, long, others = state
        here = short + long
        pace = min(1.0, engines / max(others + (here > 0), 1))
        for n, top, r, to in zip(state, most, (*rate, coming), ((1, 0, 0), (0, 1, 0), (0, 0, 1)), strict=True):
            if n < top:
                yield r, (short + to[0], long + to[1], others + to[2])
        if short:
            yield short / here * pace / piece[0], (short - 1, long, others)
        if long:
            yield long / here * pace / piece[1], (short, long - 1, others)
        if others:
            yield others * pace / free, (short, long, others - 1)

    return Chain((0, 0, 0), moves)


AT_A_TCB = [  # CPs, pieces [ms], rates [1/s], free pieces [ms], how far off: short, long
    (2, (0.05, 2.0), (2000, 60), (2.0, 500), 0.05, 0.02),
    (2, (0.05, 2.0), (2000, 60), (0.2, 5000), 0.03, 0.02),
    (2, (0.5, 5.0), (100, 40), (5.0, 200), 0.04, 0.03),
    (3, (0.1, 10.0), (1000, 20), (2.0, 700), 0.06, 0.03),
    (1, (0.1, 5.0), (800, 30), (1.0, 350), 0.1, 0.02),
]


@pytest.mark.parametrize(("engines", "piece", "rate", "beside", "short", "long"), AT_A_TCB)
def test_unlike_pieces_at_a_tcb_beside_open_work(
    engines: int, piece: tuple[float, float], rate: tuple[float, float], beside: tuple[float, float], short: float, long: float
) -> None:
    """Once up to +60 %: the line was as if all pieces had the mean length, which few have."""
    pieces = (piece[0] / 1000, piece[1] / 1000)
    exact = _at_a_tcb(engines, pieces, rate, (24, 12, 30), (beside[0] / 1000, beside[1]))
    works = [_work("short", rate[0], qr_cpu=pieces[0]), _work("long", rate[1], qr_cpu=pieces[1])]
    found = _solved(engines, *works, _work("open", beside[1], open_cpu=beside[0] / 1000))
    assert exact.mean(lambda s: s[0] == 24 or s[1] == 12 or s[2] == 30) < 2e-3
    assert found["short"].response_time == pytest.approx(exact.mean(lambda s: s[0]) / rate[0], rel=short)
    assert found["long"].response_time == pytest.approx(exact.mean(lambda s: s[1]) / rate[1], rel=long)
    assert found["open"].response_time == pytest.approx(exact.mean(lambda s: s[2]) / beside[1], rel=0.015)


def _in_bursts(engines: int, piece: tuple[float, float], rate: tuple[float, float], burst: int, most: tuple[int, int]) -> Chain:
    """Long free pieces that come one by one, and short ones that come in bursts, share the CPs."""

    def moves(state: State) -> Iterator[tuple[float, State]]:
        long, short = state
        pace = min(1.0, engines / max(long + short, 1))
        if long < most[0]:
            yield rate[0], (long + 1, short)
        if short + burst <= most[1]:
            yield rate[1] / burst, (long, short + burst)
        if long:
            yield long * pace / piece[0], (long - 1, short)
        if short:
            yield short * pace / piece[1], (long, short - 1)

    return Chain((0, 0), moves)


IN_BURSTS = [  # CPs, pieces [ms], rates [1/s], size, most, how far off: long, short
    (1, (20.0, 0.08), (15, 4000), 20, (25, 400), 1e-3, 1e-3),
    (2, (20.0, 0.08), (20, 11_000), 20, (25, 400), 0.02, 0.02),
    (2, (20.0, 5.0), (20, 200), 5, (25, 200), 0.04, 0.04),
    (4, (2.0, 0.08), (600, 22_000), 20, (25, 300), 0.04, 0.05),
    (4, (1.0, 0.08), (400, 10_000), 20, (20, 300), 0.04, 0.06),
    (2, (20.0, 0.08), (1, 16_000), 40, (12, 900), 0.03, 0.02),
]


@pytest.mark.parametrize(("engines", "piece", "rate", "burst", "most", "long", "short"), IN_BURSTS)
def test_unlike_free_pieces_beside_bursts(
    engines: int, piece: tuple[float, float], rate: tuple[float, float], burst: int, most: tuple[int, int],
    long: float, short: float,
) -> None:  # fmt: skip
    """Exact on one CP, from there on between two limits: once -65 % for the short ones and +140 % for the long ones."""
    pieces = (piece[0] / 1000, piece[1] / 1000)
    exact = _in_bursts(engines, pieces, rate, burst, most)
    works = [_work("long", rate[0], open_cpu=pieces[0]), _work("short", rate[1], burst, open_cpu=pieces[1])]
    found = _solved(engines, *works)
    assert found["long"].response_time == pytest.approx(exact.mean(lambda s: s[0]) / rate[0], rel=long)
    assert found["short"].response_time == pytest.approx(exact.mean(lambda s: s[1]) / rate[1], rel=short)


@pytest.mark.parametrize(
    ("works", "simulated", "off"),
    [
        (
            [("short", 4000, 1, {"qr_cpu": 2e-5, "open_cpu": 1e-4}), ("long", 9, 1, {"qr_cpu": 0.02}),
             ("bursts", 6000, 20, {"open_cpu": 8e-5})],
            (0.3546, 44.17, 0.6634), (0.1, 0.16, 0.14),
        ),
        (
            [("short", 1000, 1, {"qr_cpu": 1e-4}), ("long", 20, 1, {"qr_cpu": 0.01}), ("bursts", 8000, 20, {"open_cpu": 1e-4})],
            (0.6446, 29.48, 0.9325), (0.18, 0.06, 0.02),
        ),
        (
            [("short", 4000, 1, {"qr_cpu": 1e-4, "open_cpu": 1e-4}), ("bursts", 6000, 20, {"open_cpu": 8e-5})],
            (0.8313, 0.64), (0.15, 0.12),
        ),
        (
            [("short", 4000, 1, {"qr_cpu": 2e-5, "open_cpu": 1e-4}), ("long", 9, 1, {"open_cpu": 0.02}),
             ("bursts", 6000, 20, {"open_cpu": 8e-5})],
            (0.3602, 33.98, 0.6836), (0.25, 0.07, 0.03),
        ),
    ],
)  # fmt: skip
def test_unlike_pieces_at_a_tcb_beside_bursts(
    works: list[tuple[str, float, float, dict[str, float]]], simulated: tuple[float, ...], off: tuple[float, ...]
) -> None:
    """Simulated to 2 % [ms], long ones to 4 %; these were once 70 to 160 % too long, as if all had the mean length."""
    found = _solved(2, *(_work(name, rate, burst, **cpu) for name, rate, burst, cpu in works))
    for (name, *_), time, within in zip(works, simulated, off, strict=True):
        assert found[name].response_time * 1000 == pytest.approx(time, rel=within)

"""Bursts beside work of another length at QR TCBs: in order of arrival, shared, and several of them on one CP."""

from __future__ import annotations

import pytest
from qnsolve import zos


def site(
    regions: int, orders: dict[str, float], other: dict[str, float], rates: tuple[float, float], burst: float
) -> zos.System:
    """Bursts of orders to all regions of one CP, other work one by one to the last of them."""
    names = [f"AOR{i}" for i in range(regions)]
    return zos.System(
        lpars=[zos.Lpar("SYSA", processors=zos.Processors(1 if regions > 1 else 2))],
        regions=[zos.CicsRegion(name, lpar="SYSA", mxt=2000) for name in names],
        work=[
            zos.Work("orders", rate=rates[0], burst=burst, steps=[zos.Step(regions=names, **orders)]),
            zos.Work("other", rate=rates[1], steps=[zos.Step(names[-1], **other)]),
        ],
    )


@pytest.mark.parametrize(
    ("burst", "orders", "rate", "other", "others"),
    [(6, 1e-3, 350, 2e-4, 600), (20, 1e-3, 350, 2e-4, 600), (20, 2e-4, 600, 1e-3, 350), (20, 5e-4, 600, 5e-4, 500)],
)
def test_in_order_of_arrival_as_the_formula_says(burst: int, orders: float, rate: float, other: float, others: float) -> None:
    """M[X]/G/1: a long task of a burst counts as long as it is; once -44 to +30 %."""
    lines = {"qr_cpu": orders, "qr_dispatches": 1.0}, {"qr_cpu": other, "qr_dispatches": 1.0}
    answer = site(1, *lines, (rate, others), burst).solve()
    squares = rate * ((burst - 1) * orders**2 + 2 * orders**2) + others * 2 * other**2
    wait = squares / 2 / (1 - rate * orders - others * other)
    assert answer.work[0].response_time == pytest.approx(wait + (burst - 1) / 2 * orders + orders, rel=0.01)
    assert answer.work[1].response_time == pytest.approx(wait + other, rel=0.02)


@pytest.mark.parametrize(
    ("burst", "orders", "rate", "other", "others", "simulated"),
    [
        (20, 1e-3, 350, 2e-4, 600, (19.40, 1.60)),
        (20, 2e-4, 600, 1e-3, 350, (2.711, 2.329)),
        (6, 2e-4, 600, 1e-3, 350, (0.9955, 2.003)),
    ],
)
def test_at_one_shared_tcb(
    burst: int, orders: float, rate: float, other: float, others: float, simulated: tuple[float, float]
) -> None:
    """Unlike tasks that share one TCB, as simulated [ms] to 2 %."""
    answer = site(1, {"qr_cpu": orders}, {"qr_cpu": other}, (rate, others), burst).solve()
    for row, truth in zip(answer.work, simulated, strict=True):
        assert 1e3 * row.response_time == pytest.approx(truth, rel=0.025), row.name


@pytest.mark.parametrize(
    ("regions", "opened", "simulated", "within"),
    [
        (2, (0.0, 0.0), (2.864, 0.2455), (0.04, 0.04)),
        (2, (7e-5, 0.0), (2.715, 0.2098), (0.02, 0.04)),
        (2, (7e-5, 1e-5), (2.983, 0.2737), (0.02, 0.1)),
        (6, (0.0, 0.0), (2.791, 0.411), (0.04, 0.15)),
        (6, (7e-5, 1e-5), (3.018, 0.438), (0.03, 0.1)),
    ],
)
def test_several_tcbs_on_one_cp(
    regions: int, opened: tuple[float, float], simulated: tuple[float, float], within: tuple[float, float]
) -> None:
    """Short tasks beside bursts of 17 to all regions, as simulated [ms] to 2 %; once 20 to 28 % quicker."""
    qr = (1.7e-4, 2.7e-5) if opened == (0.0, 0.0) else (1e-4, 1.7e-5)
    orders, other = ({"qr_cpu": a} | ({"open_cpu": b} if b else {}) for a, b in zip(qr, opened, strict=True))
    answer = site(regions, orders, other, (2000, 5600), 17).solve()
    for row, truth, rel in zip(answer.work, simulated, within, strict=True):
        assert 1e3 * row.response_time == pytest.approx(truth, rel=rel), row.name


@pytest.mark.parametrize("regions", [("A", "B"), ("B", "A")])
def test_a_tcb_with_bursts_is_not_like_one_with_as_much_single_work(regions: tuple[str, str]) -> None:
    """Simulated; in one order of the regions the answer was an IndexError, in the other bursts waited as single tasks."""
    works = [
        zos.Work("bursts", rate=400, burst=10, steps=[zos.Step("A", qr_cpu=0.001)]),
        *(zos.Work(name, rate=200, steps=[zos.Step("B", qr_cpu=0.001)]) for name in ("one", "two")),
    ]
    lpar = zos.Lpar("L", processors=zos.Processors(2))
    answer = zos.System(lpars=[lpar], regions=[zos.CicsRegion(name, lpar="L") for name in regions], work=works).solve()
    for work, simulated in {"bursts": 0.009175, "one": 0.001661, "two": 0.001656}.items():
        assert answer[work].response_time == pytest.approx(simulated, rel=0.03), work


def test_open_bursts_beside_bursts_out_of_a_tcb() -> None:
    """Simulated to 1.2 %: short open work in small bursts was as slow as if those of the TCB came one by one, -36 %.

    What the mates of a burst that a TCB lets out do to it is not all seen: -15 %.
    """
    works = [
        zos.Work("orders", rate=14980.0, burst=12.0, steps=[zos.Step("A", qr_cpu=1.026e-5, open_cpu=2.773e-5)]),
        zos.Work("short", rate=68790.0, burst=1.5, steps=[zos.Step("B", open_cpu=6.58e-6)]),
    ]
    regions = [zos.CicsRegion(name, lpar="SYSA") for name in ("A", "B")]
    answer = zos.System(lpars=[zos.Lpar("SYSA", processors=zos.Processors(2))], regions=regions, work=works).solve()
    assert answer["short"].response_time == pytest.approx(12.57e-6, rel=0.17)
    assert answer["orders"].response_time == pytest.approx(274e-6, rel=0.12)

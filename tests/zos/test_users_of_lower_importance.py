"""Users of the lowest importance who always have work there: no CP is ever idle, so that they get all that is left."""

from __future__ import annotations

import pytest
from qnsolve import zos

HIGH, STREAM, CPU = 0.6, 2000.0, 72e-6  # use by higher importance; a stream beside the users [1/s]; CPU of one of these [s]


@pytest.mark.parametrize(
    ("users", "think", "stream", "error"),
    [(154, 0.008, 0.0, 1e-3), (60, 0.004, 0.0, 1e-3), (400, 0.03, STREAM, 2e-3), (154, 0.008, STREAM, 0.03)],
)
def test_users_get_what_is_left(users: int, think: float, stream: float, error: float) -> None:
    """On levels of tasks wider apart than their number spreads the last one got 13 % less."""
    works = [
        zos.Work("high", rate=HIGH / 75e-6, steps=[zos.Step("A", qr_cpu=75e-6)]),
        zos.Work("low", users=users, think_time=think, steps=[zos.Step("B", qr_cpu=60e-6, open_cpu=12e-6)]),
        zos.Work("stream", rate=max(stream, 1e-6), steps=[zos.Step("B", qr_cpu=36e-6)]),
    ]
    lpar = zos.Lpar("L", processors=zos.Processors(1))
    regions = [zos.CicsRegion("A", lpar="L"), zos.CicsRegion("B", lpar="L", importance=2)]
    answer = zos.System(lpars=[lpar], regions=regions, work=works).solve()
    assert answer["low"].etr == pytest.approx((1 - HIGH - stream * 36e-6) / CPU, rel=error)

"""QR TCBs of short pieces beside work whose pieces are a hundred times as long, compared with simulation.

While a few of the long pieces are on the CPs the TCBs are too slow for what comes, and a line grows for as long as that lasts.
"""

from __future__ import annotations

import pytest
from qnsolve import zos

RATES = zos.Work("long", rate=140.0, steps=[zos.Step("AOR3", qr_cpu=2.8e-3, open_cpu=6.6e-3)])
FEW = zos.Work("long", users=15, think_time=0.08, steps=[zos.Step("AOR3", qr_cpu=5e-4, open_cpu=4.5e-3)])
MORE = zos.Work("long", users=19, think_time=0.025, steps=[zos.Step("AOR3", qr_cpu=2e-4, open_cpu=3e-3)])


@pytest.mark.parametrize(
    ("cps", "use", "long", "mxt", "simulated", "within"),
    [
        (3, 0.45, RATES, 10, (0.319, 16.8), 0.09),
        (2, 0.25, FEW, 500, (0.1419, 8.08), 0.12),
        (4, 0.3, MORE, 500, (0.0769, 3.82), 0.08),
    ],
)
def test_two_tcbs_beside_long_pieces(
    cps: float, use: float, long: zos.Work, mxt: int, simulated: tuple[float, float], within: float
) -> None:
    """Two counts, of a line and of all others, say 0.111, 0.098 and 0.073 ms of the short ones.

    The first has a limit of ten places for the long work, which is seldom full: it changes nothing for the others.
    """
    limits = {"AOR1": 2000, "AOR2": 2000, "AOR3": mxt}
    found = zos.System(
        lpars=[zos.Lpar("SYSA", processors=zos.Processors(cps))],
        regions=[zos.CicsRegion(name, lpar="SYSA", mxt=limit) for name, limit in limits.items()],
        work=[zos.Work("short", rate=2 * use / 4e-5, steps=[zos.Step(("AOR1", "AOR2"), qr_cpu=4e-5)]), long],
    ).solve()
    assert 1e3 * found["short"].response_time == pytest.approx(simulated[0], rel=within)
    assert 1e3 * found["long"].response_time == pytest.approx(simulated[1], rel=0.08)

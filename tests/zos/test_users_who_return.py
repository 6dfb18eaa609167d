"""Users, and places of full regions, that come back to a full limit: beside simulation, on systems where that shows."""

from __future__ import annotations

import pytest
from qnsolve.zos.point.solved import solved_point

from benchmarks.system_accuracy import checked
from benchmarks.system_references import Reference, load


def _drawn(salt: int, name: str) -> Reference:
    return next(one for one in load(salt).values() if one.drawn.name == name)


@pytest.mark.parametrize(
    ("salt", "name", "most"),
    [
        (8, "TOR and direct 2", 0.045),  # one of two regions above is full: was 7.1 %, throughput 6 %
        (44, "TOR and direct 7", 0.02),  # was 4.1 and 3.5 %
        (8, "TOR full 8", 0.03),  # one work asks for most of the fullest region below: was 6.3 and 3.1 %
        (14, "TRANCLASS under TOR 3", 0.015),  # short tasks that are back at once: was 3.2 and 2.3 %
        (18, "unlike at a limit 10", 0.015),  # was 4.3 %
    ],
)
def test_waits_of_each_work(salt: int, name: str, most: float) -> None:
    """Those who are back soon wait for less long than others in the same line."""
    found = checked(_drawn(salt, name))
    assert found.response < most
    assert found.throughput < 0.035


def test_passes_that_come_no_nearer_end() -> None:
    """Limits that swing about where they were after the first pass of a round are left there."""
    work = solved_point(_drawn(44, "TRANCLASS under TOR 1").drawn.system).work
    assert work.settled
    assert work.rounds < 10

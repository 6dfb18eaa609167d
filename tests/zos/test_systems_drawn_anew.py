"""Systems drawn and simulated anew that were answered worst, each with the fault that it showed."""

from __future__ import annotations

import pytest

from benchmarks.always_answered import outcome
from benchmarks.families.random_systems import random_system
from benchmarks.system_accuracy import checked
from benchmarks.system_references import load

HOUR = 3600.0  # seconds that a system may take here: tests do not depend on the clock


@pytest.mark.parametrize(
    ("salt", "name", "response", "rate"),
    [
        (22, "IMS 0", 0.02, 0.001),  # one of two limits without TCBs was none of the CPs: 21.9 %
        (8, "IMS 2", 0.01, 0.001),  # the same: 8.2 %
        (22, "zIIP 0", 0.08, 0.001),  # many pieces that overflowed to a CP 90 % busy: 41.6 %
        (15, "zIIP 6", 0.01, 0.001),  # 7.8 %
        (23, "TRANCLASS under TOR 0", 0.01, 0.007),  # three limits in a row, all full, did not settle: 113 %, X 6
        (23, "crowd 4", 0.05, 0.01),  # ten TCBs on a full CP: the rounds ended too early: 32 %, X 14
        (2, "TRANCLASS under TOR 4", 0.06, 0.03),  # as it was: it settles by itself
        (20, "logs and devices 2", 0.01, 0.001),  # unlike pieces at a device with many servers: 15.3 %
        (25, "logs and devices 1", 0.01, 0.001),  # the same, of users: 13.5 %
        (26, "importance 0", 0.02, 0.001),  # what is above was slower by what is below: 84.9 %
        (28, "crowd 1", 0.02, 0.002),  # tasks that come back to six TCBs on one full CP: 32.6 %, X 6.7
        (29, "coupling 3", 0.05, 0.003),  # a TCB never left idle whose requests spin: 56.3 %, X 2.3
        (7, "many users 3", 0.01, 0.001),  # short pieces on TCBs beside long ones: 6.3 %
        (31, "TOR full 0", 0.02, 0.001),  # no CPU beside the TCBs of three AORs below a TOR: a ValueError
        (30, "bursts 3", 0.02, 0.001),  # bursts of tasks that come back to a TCB: 18.9 %
        (33, "MXT crowd 3", 0.03, 0.02),  # steps of the line before a limit, wider than it spreads: 13.5 %, X 11.4
        (0, "crowd 1", 0.02, 0.01),  # the same at a TCB: 5.1 %, X 3.6
        (35, "bursts 3", 0.03, 0.001),  # bursts of unlike work at a TCB to which some of it comes back: 34.0 %
        (18, "QR beside open 2", 0.06, 0.001),  # three TCBs on two CPs beside long pieces: 25.6 %
        (36, "TRANCLASS under TOR 1", 0.07, 0.04),  # a full class of one in a region often full: 58.1 %, X 29.5
        (37, "TRANCLASS under TOR 3", 0.03, 0.03),  # the same, beside tasks that hold places 46 times as long: 26.1 %, X 17.9
        (19, "TRANCLASS under TOR 1", 0.2, 0.03),  # what comes out of TORs that are often, not always, full: 38.4 %, X 5.5
        (2, "site 1", 0.13, 0.01),  # the same: 24.2 %, X 2.6
        (46, "TRANCLASS 6", 0.25, 0.001),  # next to no wait for a region with classes, a hundred times as long: refused
        (46, "MXT crowd 5", 0.03, 0.02),  # users in line before two regions without TCBs at once: 28.5 %, X 10.1
        (14, "site 6", 0.02, 0.015),  # an MPP of 31 regions, mostly off the CPs, found these free: 3.3 %, X 2.4
        (44, "MXT users 3", 0.03, 0.001),  # waits by places that do not change with them: 23.1 %
        (45, "MXT open 6", 0.05, 0.001),  # unlike pieces on a TCB, left out of the two counts of its limit: 12.6 %
        (48, "TOR and direct 6", 0.45, 0.01),  # a TOR that was full every other round: 55.8 %
        (48, "importance 9", 0.25, 0.09),  # rounds that came nearer, ended early: 49.7 %, X 15.4
        (8, "TRANCLASS under TOR 8", 0.015, 0.008),  # a class of 4 under a TOR of 25 came to its MXT by 25: X 2.9
    ],
)
def test_beside_simulation(salt: int, name: str, response: float, rate: float) -> None:
    """Figures in the comments are those before."""
    found = checked(load(salt)[name])
    assert found.works, found.reason
    assert found.response < response
    assert found.throughput < rate


@pytest.mark.parametrize("seed", [3250, 4096, 4809, 4846, 6380, 8167, 8189, 8367])
def test_random_systems_that_had_a_fault(seed: int) -> None:
    """Bursts behind which none of a full class is inside; all users in a line; TCBs without work; two grids; groups of one.

    Then requests of which a task sends 1.1 in the mean; fewer places in the next round; states that are next to never left.
    """
    assert not outcome(seed, random_system(seed), HOUR).fault

"""The table of docs/systems.md: systems of a site's range beside their references by simulation, and two sets more."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pytest
import qnsolve as qn
from qnsolve.zos.hosts.chains.birth_death import FullPoolError
from qnsolve.zos.point.solved import solved_point
from qnsolve.zos.report.reporting import answer

from benchmarks import system_accuracy, system_references
from benchmarks.families.random_systems import random_system
from benchmarks.system_references import Reference

pytestmark = pytest.mark.slow
REFUSED = 177, 1961  # seeds of random systems that do not hold their work
HOUR = 3600.0  # seconds that a system may take here: tests do not depend on the clock


@dataclass(frozen=True)
class Most:
    """Errors of a set: of response times mean, 95th percentile and largest, of throughputs mean and largest, [ratio].

    `beyond` is the share of the response times that are farther off than stated.
    """

    salt: int
    response: tuple[float, float, float]
    rate: tuple[float, float]
    beyond: float


SETS = (
    Most(6, (0.015, 0.08, 0.34), (0.0013, 0.07), 0.02),
    Most(7, (0.016, 0.09, 0.45), (0.0015, 0.07), 0.025),
    Most(9, (0.020, 0.13, 0.27), (0.0022, 0.19), 0.04),
)
EVERY = 5  # systems of a family to one that is solved, besides the worst
# the sixteen response times and six throughputs that are farthest off: the largest errors and the 95th percentile of a set
WORST = {
    6: "MXT of CPU 5, importance 8, bursts 4, open busy 3, QR beside open 0, TOR of CPU 4, unlike QR 2, many users 1, "
    "bursts 0, site 3, site 0, one QR TCB 2, TRANCLASS under TOR 4, users 0, unlike at a limit 7, bursts 2, TOR full 8, "
    "TOR and direct 5, site 2, TRANCLASS under TOR 1, crowd 0, TRANCLASS under TOR 5",
    7: "coupling 0, TOR and direct 7, bursts at limits 0, importance 0, LPARs 6, importance 5, mixed 0, bursts 1, "
    "importance 4, MXT of CPU 6, crowd 4, open busy 9, limits of CPU 9, MXT of CPU 2, fixed CPU 4, bursts 4, unlike QR 4, "
    "TRANCLASS under TOR 1, site 1",
    9: "TOR and direct 5, TRANCLASS under TOR 5, MXT crowd 5, bursts at limits 4, crowd 8, importance 6, MXT of CPU 2, "
    "QR beside open 2, bursts 1, site 5, QR beside open 1, coupling 1, JVM threads 5, one QR TCB 1, MXT mixed 3, bursts 0, "
    "TRANCLASS under TOR 8, TOR full 3",
}


def _sample(salt: int) -> tuple[list[Reference], np.ndarray]:
    """The worst systems of a set and every fifth of each family of the others, and how many systems each stands for."""
    stored, named = system_references.load(salt), WORST[salt].split(", ")
    families: dict[str, list[Reference]] = {}
    for name, one in stored.items():
        if name not in named:
            families.setdefault(one.drawn.family, []).append(one)
    others = [one for family in families.values() for one in family[::EVERY]]
    stands_for = (len(stored) - len(named)) / len(others)
    return [*(stored[name] for name in named), *others], np.repeat([1.0, stands_for], [len(named), len(others)])


@pytest.mark.parametrize("most", SETS, ids=lambda most: f"salt {most.salt}")
def test_systems_beside_their_references(most: Most) -> None:
    """Errors of the worst work of each, without the half width of its reference, and stated errors; all are answered.

    Figures of the whole set, as its worst systems and a sample of each family tell them: `python -m benchmarks systems` has
    all. Which are the worst it says with `--worst 16`.
    """
    references, weights = _sample(most.salt)
    systems = [system_accuracy.checked(one, HOUR) for one in references]
    assert [one.reason for one in systems if one.reason] == [], "all are stable: none is refused, none fails"
    response, rate = np.array([one.response for one in systems]), np.array([one.throughput for one in systems])
    works = np.repeat(weights, [len(one.works) for one in systems])
    beyond = np.average([bool(work.beyond) for one in systems for work in one.works], weights=works)
    found = {
        "response, mean": (np.average(response, weights=weights), most.response[0]),
        "response, 95th percentile": (
            np.quantile(response, 0.95, weights=weights, method="inverted_cdf"),
            most.response[1],
        ),
        "response, largest": (response.max(), most.response[2]),
        "throughput, mean": (np.average(rate, weights=weights), most.rate[0]),
        "throughput, largest": (rate.max(), most.rate[1]),
        "response times farther off than stated": (beyond, most.beyond),
    }
    assert {what: pair for what, pair in found.items() if not pair[0] <= pair[1]} == {}, "found, and what it may be"


@pytest.mark.parametrize("start", range(0, 120, 30))
def test_random_systems_are_answered_or_refused_with_a_center(start: int) -> None:
    """Any kind of part with any figures: an answer that keeps the laws, or a full center by name; no warning."""
    for seed in range(start, start + 30):
        try:
            result = answer(solved_point(random_system(seed)))
        except FullPoolError as error:
            if not error.name:
                pytest.fail(f"{seed}: no center is named")
            continue
        for work in result.work:
            assert 0 < work.etr < np.inf, seed
            assert 0 < work.response_time < np.inf, seed


@pytest.mark.parametrize("seed", REFUSED)
def test_random_systems_are_refused_with_a_center(seed: int) -> None:
    """To say which part of the work is held takes a dozen solutions: a few stand for all that do not hold theirs."""
    with pytest.raises(qn.SaturatedError) as caught:
        random_system(seed).solve()
    assert caught.value.station

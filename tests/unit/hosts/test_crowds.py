"""Crowds before limits: ends at which numbers of tasks are steps of a chain, and loads that are nothing."""

from __future__ import annotations

import numpy as np
import pytest
from qnsolve.zos.hosts.chains.birth_death import LEAST, UserSource, crowd, crowd_at_most
from qnsolve.zos.hosts.kind_chain import _cut
from scipy.special import gammaln


def _rates(places: int, away: float, users: int, think: float, servers: int, service: float) -> tuple[float, float]:
    """Exact rates of two kinds of tasks that share servers in a product form (F. Baskett et al. 1975)."""
    i, j = np.arange(places + 1.0)[:, None], np.arange(users + 1.0)[None, :]
    steps = np.log(service / np.minimum(np.arange(1.0, places + users + 1), servers))
    logs = np.append(0.0, np.cumsum(steps))[(i + j).astype(int)] + gammaln(i + j + 1) - gammaln(i + 1) - gammaln(j + 1)
    logs += (places - i) * np.log(away) - gammaln(places - i + 1) + (users - j) * np.log(think) - gammaln(users - j + 1)
    chance = np.exp(logs - logs.max())
    chance /= chance.sum()
    return float((chance * (places - i)).sum()) / away, float((chance * (users - j)).sum()) / think


@pytest.mark.parametrize(
    ("places", "away", "users", "think", "servers", "service"),
    [(20, 1e-4, 300, 10.0, 10, 0.2), (20, 1e-3, 700, 35.0, 10, 0.5), (10, 0.05, 60, 4.0, 5, 0.2)],
)
def test_places_that_come_back_soon_beside_users(
    places: int, away: float, users: int, think: float, servers: int, service: float
) -> None:
    """Rates of both as in a product form; with shares of the number the places came 4 to 24 % too seldom."""
    true = _rates(places, away, users, think, servers, service)
    rates, speed = np.array(true), np.minimum(np.arange(servers + 1.0), servers) / service
    for _ in range(60):
        there = np.array([places, users]) - rates * [away, think]
        share = there / there.sum()
        sources = [UserSource(places, share[0], away, 1.0, (0,), True), UserSource(users, share[1], think, 1.0, (1,))]
        found = crowd(0.0, sources, speed, servers)
        waits = np.array([found.wait * found.longer[work] for work in (0, 1)])
        rates = (rates + np.array([places, users]) / (np.array([away, think]) + service + waits)) / 2
    assert rates.sum() == pytest.approx(found.rate, rel=1e-3)
    assert rates == pytest.approx(true, rel=0.015)


@pytest.mark.parametrize("unlike", [0.93, 1.0, 1.4])
def test_more_users_than_a_limit_lets_through(unlike: float) -> None:
    """Half a million users before 2,000 places, however alike their times: all places are taken."""
    sources = [UserSource(200e3, 0.7, 3.3, 1.3, (0,)), UserSource(324e3, 0.3, 13.0, 0.2, (1,))]
    speed = np.minimum(np.arange(2001.0) * 6.0, 11e3)
    found = crowd(0.0, sources, speed, 2000, unlike)
    assert found.rate == pytest.approx(11e3)
    assert 2000 < float(found.chance @ found.number) < 524e3


def test_a_limit_that_lets_nothing_through_has_waits_whose_cubes_are_numbers() -> None:
    """Its speed is told from none, and no square or cube of its waits overflows."""
    found, _ = crowd_at_most(0.0, [UserSource(50.0, 1.0, 1.0, 1.0, (0,))], np.zeros(6), 5)
    assert found.outside == pytest.approx(45.0)
    assert np.isfinite(found.wait**3)
    assert found.wait == pytest.approx(45 / LEAST)


def test_pieces_of_next_to_no_load_are_no_kind() -> None:
    """They are lost beside the others in a sum, and part nothing."""
    sizes, loads = np.array([0.001, 0.002, 0.5]), np.array([1.0, 2.0, 1e-25])
    assert _cut(sizes, loads) == _cut(sizes[:2], loads[:2])

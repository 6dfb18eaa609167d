"""The error of each approximation of one station against exact stations.

`python -m benchmarks.one_station` prints the sentences that the docstrings and notes of
qnsolve.stations carry.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import cache
from itertools import product

import numpy as np
from qnsolve import stations
from qnsolve.stations import StationForm

from tests.oracles.two_phase_stations import ERLANG, EXPONENTIAL, Exact, Phases, hyperexponential

KINDS = {0.5: ERLANG, 1.0: EXPONENTIAL, 2.0: hyperexponential(2.0), 4.0: hyperexponential(4.0)}
SERVERS, BUSY = (2, 4, 16), (0.3, 0.5, 0.7, 0.9, 0.95)
SHARE = 0.95
VISIBLE = 0.01  # waiting below this share of the service time is not compared relatively
JOBS, WARM = 400_000, 20_000

Case = tuple[int, float, float, float]
Make = Callable[[int, float, float, float], StationForm]


def _cases(servers: tuple[int, ...], arrivals: tuple[float, ...]) -> Iterator[Case]:
    return product(servers, BUSY, arrivals, KINDS)


@cache
def exact(servers: int, busy: float, arrivals: float, service: float) -> Exact:
    """The exact station of a case."""
    return Exact(_kind(arrivals), _kind(service), servers, busy)


@cache
def percentile(case: Case) -> float:
    """Its exact percentile of the waiting time."""
    return exact(*case).waiting_percentile(SHARE)


def _kind(variation: float) -> Phases:
    return KINDS[variation]


def _mgc(m: int, busy: float, _: float, service: float) -> StationForm:
    return stations.mg1(busy, 1.0, service) if m == 1 else stations.mgc(m * busy, 1.0, m, service)


def _gigc(m: int, busy: float, arrivals: float, service: float) -> StationForm:
    return stations.gigc(m * busy, 1.0, m, arrivals, service)


def _allen_cunneen(m: int, busy: float, arrivals: float, service: float) -> StationForm:
    return stations.gigc(m * busy, 1.0, m, arrivals, service, approximation="allen-cunneen")


OTHERS = (0.5, 2.0, 4.0)
MEANS: dict[str, tuple[Make, tuple[int, ...], tuple[float, ...]]] = {
    "mgc": (_mgc, SERVERS, (1.0,)),
    "gig1": (_gigc, (1,), OTHERS),
    "gigc": (_gigc, SERVERS, OTHERS),
    "allen-cunneen": (_allen_cunneen, (1, *SERVERS), OTHERS),
}
PERCENTILES: dict[str, tuple[Make, tuple[int, ...], tuple[float, ...]]] = {
    "mg1 percentile": (_mgc, (1,), (1.0,)),
    "mgc percentile": (_mgc, SERVERS, (1.0,)),
    "gig1 percentile": (_gigc, (1,), OTHERS),
    "gigc percentile": (_gigc, SERVERS, OTHERS),
}


def mean_error(name: str) -> str:
    """The sentence about the mean waiting and response times of an approximation."""
    make, servers, arrivals = MEANS[name]
    waiting, response = [], []
    for case in _cases(servers, arrivals):
        if name == "mgc" and case[3] == 1:
            continue
        found, true = make(*case), exact(*case).waiting_time
        response.append(abs(found.response_time / (1 + true) - 1))
        if true > VISIBLE:
            waiting.append(abs(found.waiting_time / true - 1))
    return (
        f"approximate: waiting time {_percent(waiting)} where it exceeds 1 % of the service time, "
        f"response time {_percent(response)}, on {len(response)} exact stations"
    )


def percentile_error(name: str) -> str:
    """The sentence about the 95th percentile of the waiting time."""
    make, servers, arrivals = PERCENTILES[name]
    errors = []
    for case in _cases(servers, arrivals):
        if "m" in name[:1] and case[3] == 1:
            continue
        true = percentile(case)
        if true > 10 * VISIBLE:
            errors.append(abs(make(*case).waiting_percentile(SHARE) / true - 1))
    return (
        f"approximate: 95th percentile of waiting {_percent(errors)} where it exceeds 10 % of the service time, "
        f"on {len(errors)} exact stations"
    )


def fork_join_error() -> str:
    """The sentence about fork and join, against seeded simulations of the branches."""
    errors = []
    for branches, busy in product((3, 4, 8, 16, 32), (0.2, 0.5, 0.8)):
        rng = np.random.default_rng([branches, int(100 * busy)])
        between = rng.exponential(1 / busy, JOBS)
        slowest = np.zeros(JOBS)
        for _ in range(branches):
            np.maximum(slowest, _responses(between, rng.exponential(1.0, JOBS)), out=slowest)
        found = stations.fork_join(busy, 1.0, branches).response_time
        errors.append(abs(found / float(slowest[WARM:].mean()) - 1))
    return (
        f"approximate: response time {_percent(errors)}, against simulations of {len(errors)} stations "
        f"with 3 to 32 branches, {JOBS} jobs each"
    )


def _responses(between: np.ndarray, service: np.ndarray) -> np.ndarray:
    """Response times of one first come first served server, by Lindley's walk."""
    steps = np.concatenate(([0.0], np.cumsum(service[:-1] - between[1:])))
    waits: np.ndarray = steps - np.minimum.accumulate(steps)
    return waits + service


def _percent(errors: list[float]) -> str:
    return f"{100 * float(np.mean(errors)):.1f} % off in the mean and {100 * max(errors):.0f} % at most"


def sentences() -> dict[str, str]:
    """Every measured error, by what it is about."""
    measured = {name: mean_error(name) for name in MEANS}
    measured |= {name: percentile_error(name) for name in PERCENTILES}
    return measured | {"fork-join": fork_join_error()}


if __name__ == "__main__":
    for name, sentence in sentences().items():
        print(f"{name}: {sentence}")

"""M/M/c for many rows at once: each entry is what the form of one station gives."""

from __future__ import annotations

import numpy as np
import pytest
from qnsolve import ModelError, SaturatedError
from qnsolve.stations import mmc, mmc_arrays

SEEN = ("throughput", "utilization", "queue_length", "waiting_time", "response_time", "probability_wait")


def test_each_entry_is_one_station() -> None:
    """Seeded rates from idle to saturated, one to hundreds of servers: equal to `mmc` to 1e-12, nan where it is saturated."""
    draw = np.random.default_rng(20261121)
    rate, service = draw.uniform(0, 40, 300), draw.uniform(0.01, 0.5, 300)
    servers = draw.choice([1, 2, 3, 10, 64, 65, 400], 300)
    rate[:3] = 0
    found, saturated = mmc_arrays(rate, service, servers), 0
    for i in range(300):
        try:
            one = mmc(rate[i], service[i], int(servers[i]))
        except SaturatedError:
            saturated += 1
            assert np.isnan(found.response_time[i])
            assert found.utilization[i] >= 1
            continue
        for name in SEEN:
            assert getattr(found, name)[i] == pytest.approx(getattr(one, name), rel=1e-12, abs=1e-300)
    assert 20 < saturated < 250


def test_arguments_are_broadcast() -> None:
    """A table of rates by servers in one call."""
    found = mmc_arrays(np.array([[5.0], [9.0]]), 0.2, [2, 3, 4])
    assert found.response_time.shape == (2, 3)
    assert found.response_time[1, 2] == pytest.approx(mmc(9.0, 0.2, 4).response_time, rel=1e-14)


@pytest.mark.parametrize(
    ("arguments", "item"),
    [
        (([1.0, -1.0], 0.2, 2), r"arrival_rate\[1\]"),
        (([1.0, 2.0], [0.1, 0.0], 2), r"service_time\[1\]"),
        ((1.0, 0.2, [2, 2.5]), r"servers\[1\]"),
        ((1.0, 0.2, 0), r"servers\[0\]"),
        ((float("nan"), 0.2, 2), r"arrival_rate\[0\]"),
        (("many", 0.2, 2), "mmc_arrays"),
    ],
)
def test_bad_figures_are_named(arguments: tuple[object, ...], item: str) -> None:
    """The first entry that is wrong is named by its place."""
    with pytest.raises(ModelError, match=item):
        mmc_arrays(*arguments)  # type: ignore[arg-type]

"""Random models with demands from 1e-9 to 1e6: no bad number, and the exact methods agree."""

from __future__ import annotations

import numpy as np
import pytest
from qnsolve import ClosedClass, Delay, LoadDependent, Network, Queue, solve


def _station(rng: np.random.Generator, name: str) -> Queue | Delay | LoadDependent:
    kind = rng.choice(["one", "many", "delay", "rising", "falling", "any"], p=[0.4, 0.25, 0.1, 0.1, 0.1, 0.05])
    if kind == "one":
        return Queue(name)
    if kind == "many":
        return Queue(name, servers=int(rng.choice([2, 3, 8, 16, 64, 500])))
    if kind == "delay":
        return Delay(name)
    rates = 3 * rng.random(int(rng.integers(1, 12))) + 0.05
    if kind == "rising":
        rates = np.cumsum(rates)
    elif kind == "falling":
        rates = np.sort(rates)[::-1]
    return LoadDependent(name, rates=rates.tolist())


def _model(seed: int, classes: int, most: int) -> Network:
    rng = np.random.default_rng(seed)
    names = [f"s{k}" for k in range(int(rng.integers(1, 6)))]
    jobs = []
    for r in range(classes):
        demands = {name: 10 ** rng.uniform(-9, 6) for name in names if rng.random() < 0.85} or {"s0": 1.0}
        think_time = 0.0 if rng.random() < 0.4 else 10 ** rng.uniform(-9, 6)
        population = int(10 ** rng.uniform(0, np.log10(most)))
        jobs.append(ClosedClass(f"c{r}", population=population, think_time=think_time, demands=demands))
    return Network([_station(rng, name) for name in names], jobs)


@pytest.mark.parametrize("seed", range(150))
def test_one_class(seed: int) -> None:
    """One class of up to 2000 jobs: both exact methods keep the laws and agree to 1e-10."""
    model = _model(seed, 1, 2000)
    one, several = (solve(model, method=name) for name in ("convolution", "lattice"))
    assert max(one.residual, several.residual) < 1e-12
    assert one["c0"].throughput == pytest.approx(several["c0"].throughput, rel=1e-10)
    for station in one.stations:
        assert station.queue_length == pytest.approx(several[station.name].queue_length, rel=1e-10, abs=1e-300)


@pytest.mark.parametrize("seed", range(100))
@pytest.mark.parametrize(("classes", "most"), [(2, 300), (3, 40)])
def test_several_classes(seed: int, classes: int, most: int) -> None:
    """Two and three classes: an answer that keeps the laws, and one class added of no jobs changes nothing."""
    model = _model(1000 + seed, classes, most)
    result = solve(model)
    assert result.residual < 1e-12
    nobody = ClosedClass("nobody", population=0, think_time=1.0, demands={"s0": 1.0})
    more = solve(Network(model.stations, (*model.classes, nobody)))
    for r in range(classes):
        assert more[f"c{r}"].throughput == pytest.approx(result[f"c{r}"].throughput, rel=1e-10)


@pytest.mark.parametrize("seed", range(20))
def test_a_million_jobs(seed: int) -> None:
    """One class of up to a million jobs: an answer that keeps the laws."""
    assert solve(_model(2000 + seed, 1, 10**6)).residual < 1e-11

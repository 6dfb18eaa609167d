"""M/D/c, M/G/c, Erlang-A and unlike servers against their expressions, worked out to fifty digits."""

from __future__ import annotations

from itertools import product

import pytest
from qnsolve import ModelError, stations, symbolic
from qnsolve.stations import StationForm

BUSY = (0.02, 0.4, 0.9, 1 - 2.0**-20)


def _held(form: StationForm, expression: symbolic.Expression, rel: float = 1e-12, **arguments: float) -> None:
    """Hold every measure of a form against the expression."""
    for measure in expression.measures:
        exact = float(expression.value(measure, **arguments))
        assert getattr(form, measure) == pytest.approx(exact, rel=rel, abs=1e-290), measure


@pytest.mark.parametrize(("busy", "servers"), list(product(BUSY, (1, 2, 3, 8))))
def test_constant_service(busy: float, servers: int) -> None:
    """The Fourier transforms of M/D/c against the roots by Lambert's function."""
    rate = 2 * servers * busy
    _held(
        stations.mdc(rate, 0.5, servers),
        symbolic.expression("mdc", servers=servers),
        1e-10,
        arrival_rate=rate,
        service_time=0.5,
    )


def test_constant_service_at_one_server_is_known() -> None:
    """The expressions themselves: with one server Pollaczek and Khinchine's, to all digits."""
    ours, known = symbolic.expression("mdc", servers=1), symbolic.expression("md1")
    for measure in ("waiting_time", "probability_wait", "queue_length"):
        assert (ours.measures[measure] - known.measures[measure]).simplify() == 0


@pytest.mark.parametrize("variation", [0.25, 1.0, 4.0])
@pytest.mark.parametrize(("busy", "servers"), list(product(BUSY[1:], (1, 2, 5))))
def test_general_service(busy: float, servers: int, variation: float) -> None:
    """Between M/D/c and M/M/c on both sides of exponential service."""
    rate = servers * busy
    form, formula = stations.mgc(rate, 1.0, servers, variation), symbolic.expression("mgc", servers=servers)
    _held(form, formula, 1e-10, arrival_rate=rate, service_time=1.0, squared_variation=variation)


@pytest.mark.parametrize(
    ("load", "servers", "patience"),
    [(0.5, 1, 1.0), (4.0, 3, 0.5), (10.0, 10, 2.0), (2.0, 5, 100.0), (0.01, 2, 3.0), (30.0, 4, 0.125), (1.0, 1, 0.0625)],
)
def test_patience(load: float, servers: int, patience: float) -> None:
    """Erlang-A in light load, overload, with short and long patience."""
    form, formula = stations.erlang_a(load, 1.0, servers, patience), symbolic.expression("erlang_a", servers=servers)
    _held(form, formula, 1e-12, arrival_rate=load, service_time=1.0, patience=patience)


def test_patience_in_the_middle_is_known() -> None:
    """Where patience is as long as service the jobs are those of M/M/∞: Poisson, whatever the servers."""
    formula = symbolic.expression("erlang_a", servers=3)
    jobs = formula.value("queue_length", 40, arrival_rate=4.0, service_time=1.0, patience=1.0)
    assert abs(jobs - 4) < 1e-38


@pytest.mark.parametrize("busy", BUSY)
@pytest.mark.parametrize("speeds", [(1.5,), (1.5, 0.5), (1.0, 1.0), (2.0, 1.0, 0.25), (1.0, 1.0, 0.5)])
def test_unlike_servers(speeds: tuple[float, ...], busy: float) -> None:
    """The chain of the sets of busy servers against the one of their numbers."""
    rate = busy * sum(speeds)
    named = {f"speed_{i}": v for i, v in enumerate(speeds)}
    formula = symbolic.expression("unlike_servers", servers=len(speeds))
    _held(stations.unlike_servers(rate, 1.0, list(speeds)), formula, 1e-11, arrival_rate=rate, service_time=1.0, **named)


def test_too_many_unlike_servers() -> None:
    """Four unlike servers have no expression: refused in one line."""
    with pytest.raises(ModelError, match="expression: servers = 4: must be at most 3 unlike ones"):
        symbolic.expression("unlike_servers", servers=4)

"""Every closed form against its expression in sympy, worked out to fifty digits; derivatives and errors too."""

from __future__ import annotations

import sys
from collections.abc import Callable
from itertools import product

import pytest
from qnsolve import ModelError, stations, symbolic
from qnsolve.stations import StationForm

BUSY = (1e-12, 1e-3, 0.3, 0.5, 0.9, 1 - 1e-6, 1 - 1e-12)
TIMES = (2.0**-30, 1.0, 2.0**20)  # the load is exact then: near saturation its rounding alone would show
Arguments = dict[str, float]


def _held(form: StationForm, expression: symbolic.Expression, arguments: Arguments, rel: float = 1e-12) -> None:
    """Hold every measure of a form against the expression."""
    for measure in expression.measures:
        if not measure.endswith("exceeds"):
            exact = float(expression.value(measure, **arguments))
            assert getattr(form, measure) == pytest.approx(exact, rel=rel, abs=1e-290), measure


@pytest.mark.parametrize(("busy", "service"), list(product(BUSY, TIMES)))
def test_single_servers(busy: float, service: float) -> None:
    """M/M/1, M/D/1, M/G/1, batches at one server, processor sharing and M/G/∞."""
    base = {"arrival_rate": busy / service, "service_time": service}
    rate = base["arrival_rate"]
    if rate * service >= 1:
        return
    _held(stations.mm1(rate, service), symbolic.expression("mm1"), base)
    _held(stations.md1(rate, service), symbolic.expression("md1"), base)
    _held(stations.mminf(rate, service), symbolic.expression("mminf"), base)
    for variation in (0.25, 1.0, 40.0):
        _held(stations.mg1(rate, service, variation), symbolic.expression("mg1"), {**base, "squared_variation": variation})
    for size, spread in ((1, 0.0), (3, 0.0), (2.5, 4.0), (1000, 1.0)):
        arguments = {**base, "batch_size": size, "batch_squared_variation": spread}
        _held(stations.batch(rate, service, size, spread), symbolic.expression("batch"), arguments)


@pytest.mark.parametrize(("busy", "servers"), list(product(BUSY, (1, 2, 7))))
def test_many_servers(busy: float, servers: int) -> None:
    """M/M/c, its distributions, Erlang B and C, the loss station, batches of two and Allen and Cunneen's GI/G/c."""
    rate, service = servers * busy / 0.5, 0.5
    base = {"arrival_rate": rate, "service_time": service}
    if rate * service >= servers:
        return
    form, formula = stations.mmc(rate, service, servers), symbolic.expression("mmc", servers=servers)
    _held(form, formula, base)
    for time in (1e-6, 0.5, 3.0, 40.0):
        for which in ("waiting_exceeds", "response_exceeds"):
            exact = float(formula.value(which, **base, time=time))
            assert getattr(form, which)(time) == pytest.approx(exact, rel=1e-12, abs=1e-290)
    _held(stations.loss(rate, service, servers), symbolic.expression("loss", servers=servers), base)
    for name, ours in (("erlang_b", stations.erlang_b), ("erlang_c", stations.erlang_c)):
        (exact,) = (symbolic.expression(name, servers=servers).value(m, load=rate * service) for m in _only(name, servers))
        assert ours(servers, rate * service) == pytest.approx(float(exact), rel=1e-12, abs=1e-290)
    for arrivals, variation in ((0.25, 0.5), (4.0, 2.0)):
        arguments = {**base, "arrival_squared_variation": arrivals, "squared_variation": variation}
        ours = stations.gigc(rate, service, servers, arrivals, variation, approximation="allen-cunneen")
        _held(ours, symbolic.expression("gigc", servers=servers), arguments)


def _only(name: str, servers: int) -> list[str]:
    return list(symbolic.expression(name, servers=servers).measures)


@pytest.mark.parametrize(("busy", "servers", "size"), list(product(BUSY, (1, 4, 9), (1, 3, 6))))
def test_batches(busy: float, servers: int, size: int) -> None:
    """Batches at several servers, light loads and heavy."""
    arguments = {"arrival_rate": servers * busy, "service_time": 1.0}
    ours = stations.batch_servers(servers * busy, 1.0, servers, size)
    _held(ours, symbolic.expression("batch_servers", servers=servers, batch_size=size), arguments)


@pytest.mark.parametrize("load", [1e-9, 0.1, 1.0, 3.0, 50.0, 1e6])
@pytest.mark.parametrize(("servers", "capacity"), [(1, 1), (1, 12), (3, 3), (3, 9), (20, 40)])
def test_limited_room(load: float, servers: int, capacity: int) -> None:
    """M/M/c/K, nearly empty, full, and overloaded a million times."""
    formula = symbolic.expression("mmck", servers=servers, capacity=capacity)
    _held(stations.mmck(load, 1.0, servers, capacity), formula, {"arrival_rate": load, "service_time": 1.0})


@pytest.mark.parametrize("think_time", [1e-6, 0.3, 5.0, 1e9])
@pytest.mark.parametrize(("population", "servers"), [(1, 1), (9, 1), (9, 4), (30, 30)])
def test_finite_populations(think_time: float, population: int, servers: int) -> None:
    """Machine repair, crowded and thin."""
    formula = symbolic.expression("finite_population", population=population, servers=servers)
    ours = stations.finite_population(population, think_time, 2.0, servers)
    _held(ours, formula, {"think_time": think_time, "service_time": 2.0})


@pytest.mark.parametrize(("busy", "arrivals", "variation"), list(product(BUSY, (0.25, 0.999, 1.0, 4.0), (0.5, 1.0, 8.0))))
def test_general_arrivals(busy: float, arrivals: float, variation: float) -> None:
    """Kraemer and Langenbach-Belz' GI/G/1 on both sides of Poisson arrivals."""
    arguments = {
        "arrival_rate": busy,
        "service_time": 1.0,
        "arrival_squared_variation": arrivals,
        "squared_variation": variation,
    }
    _held(stations.gig1(busy, 1.0, arrivals, variation), symbolic.expression("gig1"), arguments)


@pytest.mark.parametrize(("busy", "branches"), list(product(BUSY, (1, 2, 3, 10, 64))))
def test_branches(busy: float, branches: int) -> None:
    """Fork and join of up to 64 branches."""
    arguments = {"arrival_rate": busy, "service_time": 1.0}
    _held(stations.fork_join(busy, 1.0, branches), symbolic.expression("fork_join", branches=branches), arguments)


@pytest.mark.parametrize("loads", [(1e-12, 1e-3), (0.3, 1e-9), (0.2, 0.5), (0.1, 0.2, 0.6), (0.5, 1 - 0.5 - 2**-30)])
def test_several_classes(loads: tuple[float, ...]) -> None:
    """Priorities with and without preemption, and sharing: the last class of each number of classes."""
    times, variations = (1.0, 0.5, 4.0), (0.5, 3.0, 1.0)
    for count in range(1, len(loads) + 1):
        rates = [load / s for load, s in zip(loads[:count], times, strict=False)]
        values = {f"arrival_rate_{i}": r for i, r in enumerate(rates)}
        values |= {f"service_time_{i}": times[i] for i in range(count)}
        values |= {f"squared_variation_{i}": variations[i] for i in range(count)}
        given = (rates, times[:count], variations[:count])
        _held(stations.priorities(*given)[-1], symbolic.expression("priorities", classes=count), values)
        _held(stations.priorities(*given, preemptive=True)[-1], symbolic.expression("preemptive", classes=count), values)
        _held(stations.sharing(*given[:2])[-1], symbolic.expression("sharing", classes=count), values)


def test_derivatives() -> None:
    """An expression's derivative is the slope of the numbers."""
    formula = symbolic.expression("mmc", servers=4)
    slope = formula.measures["response_time"].diff(formula.symbols["arrival_rate"])
    exact = float(
        slope.subs({"arrival_rate": 3, formula.symbols["arrival_rate"]: 3, formula.symbols["service_time"]: 1}).evalf(30)
    )
    step = 1e-5
    ours = (stations.mmc(3 + step, 1.0, 4).response_time - stations.mmc(3 - step, 1.0, 4).response_time) / (2 * step)
    assert ours == pytest.approx(exact, rel=1e-8)


def test_expressions_are_elementary() -> None:
    """Sums, products, powers, exponentials and cases: what a sheet can compute; two forms need a special function."""
    import sympy

    lambert = (sympy.LambertW, sympy.re, sympy.im, sympy.Abs)
    special = {"erlang_a": (sympy.hyper, sympy.Tuple), "mdc": lambert, "mgc": lambert}
    elementary = (
        sympy.Add,
        sympy.Mul,
        sympy.Pow,
        sympy.exp,
        sympy.Piecewise,
        sympy.functions.elementary.piecewise.ExprCondPair,
    )
    for name, needs in symbolic.forms().items():
        for measure in symbolic.expression(name, **dict.fromkeys(needs, 3)).measures.values():
            for node in sympy.preorder_traversal(measure):
                if not node.args or isinstance(node, sympy.core.relational.Relational):
                    continue
                allowed = (*elementary, *special.get(name, ()))
                assert isinstance(node, allowed), (name, node)


@pytest.mark.parametrize(
    ("ask", "message"),
    [
        (lambda: symbolic.expression("mm2"), "must be one of"),
        (lambda: symbolic.expression("mmc"), "needs servers"),
        (lambda: symbolic.expression("mm1", servers=3), "needs no counts"),
        (lambda: symbolic.expression("mmc", servers=0), "within 1 and 500"),
        (lambda: symbolic.expression("mmck", servers=4, capacity=3), "at least the servers"),
        (lambda: symbolic.expression("mm1").value("response_time", arrival_rate=0.5), "needs service_time"),
        (lambda: symbolic.expression("mm1").value("response"), "must be one of"),
    ],
)
def test_wrong_questions(ask: Callable[[], object], message: str) -> None:
    """A wrong question is refused in one line."""
    with pytest.raises(ModelError) as info:
        ask()
    assert message in str(info.value)
    assert "\n" not in str(info.value)


def test_without_sympy(monkeypatch: pytest.MonkeyPatch) -> None:
    """Without sympy the error names the command that installs it."""
    monkeypatch.setitem(sys.modules, "sympy", None)
    with pytest.raises(ModelError, match="needs the package sympy; run: python -m pip install sympy"):
        symbolic.expression("mm1")

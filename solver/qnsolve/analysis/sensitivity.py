"""Sensitivity of throughput and response time to each figure of a model."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import asdict, dataclass
from math import nan
from typing import Any

from qnsolve.errors import ModelError, QnsolveError
from qnsolve.methods.solve import solve
from qnsolve.model import checks
from qnsolve.model.network import Network, only_network
from qnsolve.model.station_types import MOST_SERVERS, Queue
from qnsolve.results.answer import Report
from qnsolve.results.digits import percent, short
from qnsolve.results.rendering import Table, figure
from qnsolve.results.solution import Solution

from .elasticities import Elasticity, Lever, elasticities, levers

SENTENCES = 3  # for each class


@dataclass(frozen=True)
class Effect:
    """The effect of one figure of the model on one class; undefined numbers are nan.

    Attributes
    ----------
    class_name : str
        The class with the changed throughput and response time.
    parameter : str
        "demand", "think_time", "arrival_rate", "population" or "servers".
    of, station : str
        The class and station that the figure belongs to; "" where it has none.
    value, changed : float
        The present value, and the one of the second solution.
    response_change, throughput_change : float
        Relative change in the second solution, not a linear estimate; nan where the
        changed model is saturated or undefined.
    response_elasticity, throughput_elasticity, queue_length_elasticity : float
        ∂ ln R/∂ ln p, ∂ ln X/∂ ln p, and of the class's jobs in the network Q = X·R; nan
        for whole numbers.
    response_derivative, throughput_derivative : float
        ∂R/∂p, ∂X/∂p; for whole numbers the difference of one more.
    error : float
        Absolute error of the elasticities as estimated; nan for whole numbers.
    """

    class_name: str
    parameter: str
    of: str
    station: str
    value: float
    changed: float
    response_change: float
    throughput_change: float
    response_elasticity: float
    throughput_elasticity: float
    queue_length_elasticity: float
    response_derivative: float
    throughput_derivative: float
    error: float

    @property
    def what(self) -> str:
        """The figure in words: "cpu demand of query"."""
        word = self.parameter.replace("_", " ")
        return (
            f"{word} of {self.of or self.station}" if not (self.of and self.station) else f"{self.station} {word} of {self.of}"
        )

    def sentence(self) -> str:
        """The change and its effect in words, from the second solution."""
        share = f"{abs(self.changed / self.value - 1) * 100:.3g} %" if self.value else ""
        if self.parameter in ("population", "servers"):
            done = f"one more in {self.what}" if self.parameter == "population" else f"one more server at {self.station}"
        else:
            done = f"{'raise' if self.changed > self.value else 'reduce'} {self.what} by {share}"
        if math.isnan(self.response_change):
            return f"{done}: no answer for {self.class_name}"
        parts = [_moved(f"response time of {self.class_name}", self.response_change)]
        if abs(self.throughput_change) > 1e-9:
            parts.append(_moved("throughput", self.throughput_change))
        return f"{done}: {', '.join(parts)}"


def _moved(what: str, change: float) -> str:
    if abs(change) < 1e-9:
        return f"{what} stays"
    return f"{what} {'falls' if change < 0 else 'rises'} by {percent(100 * abs(change))} %"


@dataclass(frozen=True)
class Sensitivity(Report):
    """The effects of every figure on every class, the largest first.

    Attributes
    ----------
    heading : str
    notes : tuple of str
    effects : tuple of Effect
    exact : bool
        Whether the derivatives are exact but for rounding.
    solution : Solution
        Of the model as it is.
    """

    effects: tuple[Effect, ...]
    exact: bool
    solution: Solution

    def rows(self) -> list[dict[str, Any]]:
        """One row a class and figure."""
        rows = []
        for row in map(asdict, self.effects):
            rows.append({"class": row.pop("class_name"), **row})
        return rows

    def sentences(self) -> tuple[str, ...]:
        """The three largest effects on each class."""
        return tuple(
            effect.sentence()
            for c in self.solution.classes
            for effect in [e for e in self.effects if e.class_name == c.name and not math.isnan(e.response_change)][:SENTENCES]
        )

    def tables(self) -> list[Table]:
        """A table with a row for each class and changed figure."""
        head = [
            ["class", "figure", "value", "changed", "response", "throughput", "elasticity", "elasticity", "estimated"],
            ["", "", "", "", "change %", "change %", "of response", "of throughput", "error"],
        ]
        body = []
        for e in self.effects:
            changes = [percent(100 * change) for change in (e.response_change, e.throughput_change)]
            small = [short(value, 3, places=3) for value in (e.response_elasticity, e.throughput_elasticity)]
            body.append([e.class_name, e.what, figure(e.value), figure(e.changed), *changes, *small, figure(e.error, 1)])
        return [Table(head, body, words=2)]


def sensitivity(model: Network, method: str = "auto", change: float = 0.1) -> Sensitivity:
    """Derivatives and elasticities by every demand, think time, population, server and arrival rate.

    Parameters
    ----------
    model : Network
    method : str, default "auto"
        As for `solve`; all solves use it.
    change : float, default 0.1
        Relative change of a figure that is solved again [ratio, between 0 and 1]: demands
        and think times less, arrival rates more. Populations and servers: one more.

    Returns
    -------
    Sensitivity
        Sorted by the size of the change of response time.

    Raises
    ------
    ModelError, SaturatedError, NoMethodError
        As `solve`.

    Notes
    -----
    Exact for product form: closed classes by the identity ∂ ln X_r/∂ ln D_sk = Q_sk(N − e_r)
    − Q_sk(N), open ones by the closed form. Open classes beside closed ones, and approximate
    methods, by central differences extrapolated to step 0, with the estimated `error`.

    References
    ----------
    [DeSouza1988].

    Examples
    --------
    >>> from qnsolve import Network, OpenClass, Queue
    >>> shop = Network([Queue("cpu")], [OpenClass("browse", arrival_rate=0.5, demands={"cpu": 1.0})])
    >>> print(sensitivity(shop).sentences()[1])
    reduce cpu demand of browse by 10 %: response time of browse falls by 18.2 %
    """
    change = checks.number("sensitivity: change", change, positive=True)
    if change >= 1:
        raise ModelError("sensitivity: change", "must be below 1", "write 0.1 for ten per cent", change)
    base = solve(only_network(model), method)

    def run(other: Network) -> Solution:
        return solve(other, base.method)

    find = elasticities(model, base, run)
    effects: list[Effect] = []
    notes: list[str] = []
    servers = [
        Lever("servers", "", s.name, s.servers)
        for s in model.stations
        if isinstance(s, Queue) and s.servers < MOST_SERVERS and any(c.demand(s.name) > 0 for c in model.classes)
    ]
    for lever in [*levers(model), *servers]:
        whole = lever.parameter in ("population", "servers")
        value = lever.value + 1 if whole else lever.value * (1 + change if lever.parameter == "arrival_rate" else 1 - change)
        after = _again(lever.turned(model, value), run, lever, notes)
        effects += [
            _effect(base, after, c.name, lever, value, None if whole else find)
            for c in base.classes
            if c.throughput > 0 and c.response_time > 0
        ]
    effects.sort(key=lambda e: -abs(e.response_change) if not math.isnan(e.response_change) else 0.0)
    by_identity = base.exact and all(e.error < 1e-7 or math.isnan(e.error) for e in effects)
    kind = "exact" if by_identity else "differences"
    heading = f"{model.name or 'model'}: sensitivity, method {base.method}, {kind}, times in {model.time_unit}"
    return Sensitivity(heading, (*base.notes, *notes), tuple(effects), by_identity, base)


def _again(model: Network, run: Callable[[Network], Solution], lever: Lever, notes: list[str]) -> Solution | None:
    try:
        return run(model)
    except QnsolveError as error:
        notes.append(f"{lever.parameter.replace('_', ' ')} of {lever.of or lever.station} changed: {error}")
    return None


def _effect(
    base: Solution,
    after: Solution | None,
    name: str,
    lever: Lever,
    value: float,
    find: Callable[[str, Lever], Elasticity] | None,
) -> Effect:
    x, r = base[name].throughput, base[name].response_time
    step = (nan, nan) if after is None else (after[name].response_time - r, after[name].throughput - x)
    if find is None:
        slope, part = step, Elasticity(nan, nan, nan)
    else:
        part = find(name, lever)
        slope = part.response_time * r / lever.value, part.throughput * x / lever.value
    return Effect(
        class_name=name,
        parameter=lever.parameter,
        of=lever.of,
        station=lever.station,
        value=lever.value,
        changed=value,
        response_change=step[0] / r,
        throughput_change=step[1] / x,
        response_elasticity=part.response_time,
        throughput_elasticity=part.throughput,
        queue_length_elasticity=part.response_time + part.throughput,
        response_derivative=slope[0],
        throughput_derivative=slope[1],
        error=part.error,
    )

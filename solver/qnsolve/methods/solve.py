"""solve(model) and methods(model)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, Protocol, TypeVar, overload

import numpy as np

from qnsolve.errors import LawError, ModelError, NoMethodError, nearest
from qnsolve.model.job_classes import OpenClass
from qnsolve.model.network import Network
from qnsolve.results.solution import Solution

from .arrays import Arrays, from_network, to_solution
from .entry import Method, not_product_form
from .laws import EXACT, SETTLED, check
from .measured_errors import busiest, error_by_use, measured_error
from .registry import METHODS

CHOICES = ("auto", "exact", *(method.name for method in METHODS))


@dataclass(frozen=True)
class MethodReport:
    """One method and whether it accepts a model.

    Attributes
    ----------
    name : str
        Name for `solve(model, method=name)`.
    exact : bool
        Exact for the product-form model.
    accepts : bool or None
        None where no model was given.
    reason : str
        Why it refuses; "" otherwise.
    summary, source : str
        What it solves; the key of its publication.
    error : str
        The measured error of an approximate method; "" for an exact one.
    auto : bool
        Whether "auto" takes it for the model.
    """

    name: str
    exact: bool
    accepts: bool | None
    reason: str
    summary: str
    source: str
    error: str
    auto: bool = False


Answer_co = TypeVar("Answer_co", covariant=True)


class Solvable(Protocol[Answer_co]):
    """A model that brings its own solution, as a system does."""

    def solve(self, method: str = "auto") -> Answer_co:
        """Its answer."""


@overload
def solve(model: Network, method: str = "auto") -> Solution: ...


@overload
def solve(model: Solvable[Answer_co], method: str = "auto") -> Answer_co: ...


def solve(model: Any, method: str = "auto") -> Any:
    """Solve a network or a system.

    Parameters
    ----------
    model : Network or System
    method : str, default "auto"
        A name of `methods()`; "auto" takes the first one that accepts the model,
        "exact" the first exact one. An approximate answer says so, with its measured error.

    Returns
    -------
    Solution or SystemResult
        Checked against the laws of queueing.

    Raises
    ------
    SaturatedError
        Open classes demand more of a station than it can serve.
    NoMethodError
        No method, or not the one named, accepts the model; `reasons` says why.
    ConvergenceError
        An approximate method did not converge; `residual` is that of its last step.
    LawError
        The answer broke a law and is not returned.

    Examples
    --------
    >>> from qnsolve import ClosedClass, Network, Queue
    >>> site = Network([Queue("cpu")], [ClosedClass("batch", population=2, think_time=1.0, demands={"cpu": 1.0})])
    >>> solve(site)["batch"].throughput
    0.8
    """
    if not isinstance(model, Network):
        if isinstance(model, type) or not callable(getattr(model, "solve", None)):
            raise ModelError("model", "must be a Network or a System", "load one with qnsolve.load(file)", model)
        return model.solve(method)
    if method not in CHOICES:
        raise ModelError("method", "must be one of " + ", ".join(CHOICES), nearest(method, CHOICES), method)
    arrays = from_network(model)
    known: dict[str, str] = {}
    try:
        while True:
            chosen = _choose(arrays, method, known)
            try:
                measures = chosen.run(arrays)
                break
            except NoMethodError as error:  # found to be too large during the solution
                if method not in ("auto", "exact"):
                    raise
                known |= {chosen.name: "; ".join(error.reasons.values())}
    except (ArithmeticError, np.linalg.LinAlgError) as error:
        raise LawError(f"method {chosen.name}: {error}; no number is returned") from error
    residual = check(arrays, measures, chosen.name, EXACT if chosen.exact else SETTLED)
    measures = replace(measures, notes=(*measures.notes, *_random_ways(arrays), *_bursts_in_order(arrays)))
    found = to_solution(arrays, measures, chosen.name, chosen.exact, residual)
    if chosen.exact:
        return found
    said = [measured_error(chosen.name), error_by_use(chosen.name, busiest(found))]
    return replace(found, notes=(*found.notes, "approximate: " + "; ".join(part for part in said if part)))


def _random_ways(arrays: Arrays) -> list[str]:
    """A note for each class with random routing, where the routing matters: in networks without product form."""
    ways = zip(arrays.model.classes, arrays.random_visits, strict=True)
    names = [c.name for c, visits in ways if c.routing is None and (visits > 0).any()]
    if not names or not not_product_form(arrays):
        return []
    rule = "random routing: after each visit the next station has the same probabilities"
    return [f"visits give class {name!r} {rule}" for name in names]


def _bursts_in_order(arrays: Arrays) -> list[str]:
    """A note for each class whose bursts meet its stations in the order of the model, so that the order matters."""
    return [
        f"bursts of class {c.name!r} meet its stations in the order of the model"
        for c, ways, demand in zip(arrays.model.classes, arrays.random_visits, arrays.demand, strict=True)
        if isinstance(c, OpenClass) and not c.is_poisson and c.routing is None
        if np.isnan(ways).any() and (demand > 0).sum() > 1
    ]


def _choose(arrays: Arrays, name: str, known: Mapping[str, str]) -> Method:
    """The first method that accepts and yields to no other, or else the first that accepts; without those known to refuse."""
    reasons, yielding = dict(known), None
    for method in METHODS:
        if method.name in reasons:
            continue
        if name not in ("auto", method.name) and not (name == "exact" and method.exact):
            continue
        reason = method.refuses(arrays)
        if not reason and (known or name == method.name or not method.yields(arrays)):
            return method
        if reason:
            reasons[method.name] = reason
        elif yielding is None:
            yielding = method
    if yielding is not None:
        return yielding
    raise NoMethodError(reasons)


def methods(model: Network | None = None) -> list[MethodReport]:
    """Every method and, given a model, whether it accepts it and why not.

    Parameters
    ----------
    model : Network, optional

    Returns
    -------
    list of MethodReport
        In the order in which "auto" tries them; `accepts` is None without a model.
    """
    arrays = None if model is None else from_network(model)
    reasons = {method.name: "" if arrays is None else method.refuses(arrays) for method in METHODS}
    taken = None
    if arrays is not None:
        accepting = [m for m in METHODS if not reasons[m.name]]
        taken = next((m.name for m in accepting if not m.yields(arrays)), accepting[0].name if accepting else None)
    return [
        MethodReport(
            method.name,
            method.exact,
            None if arrays is None else not reasons[method.name],
            reasons[method.name],
            method.summary,
            method.source,
            measured_error(method.name),
            method.name == taken,
        )
        for method in METHODS
    ]

"""What a payload costs: CPU or time of a request by its bytes, of a task by its containers, of a response by its size."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np

from qnsolve.errors import ModelError
from qnsolve.model import checks
from qnsolve.numerics.series import Array

from .checked_series import Values, matched, series
from .regression import fit_line

FORMS = ("line", "proportional", "quadratic")
COEFFICIENTS = ("fixed", "per_unit", "growth")


@dataclass(frozen=True)
class PayloadLaw:
    """Cost of a request that carries n units: fixed + per_unit·n + growth·n².

    Attributes
    ----------
    fixed : float
        Of a request without a payload [time].
    per_unit : float
        Of a unit more: a byte, a container [time/unit].
    growth : float
        By which a unit costs more with each further one, as in a list that is searched [time/unit²].
    """

    fixed: float
    per_unit: float
    growth: float = 0.0

    def cost(self, size: float, requests: float = 1.0) -> float:
        """Cost of a payload that is sent in so many requests of one size [time].

        Parameters
        ----------
        size : float
            Units of all requests.
        requests : float, default 1
            [count]

        Examples
        --------
        >>> law = PayloadLaw(fixed=16e-6, per_unit=0.6e-9)  # a COMMAREA of at most 32,763 bytes a request
        >>> round(law.cost(1_048_576, requests=33), 6)
        0.001157
        """
        number = checks.number("requests", requests, positive=True)
        each = checks.number("size", size) / number
        return number * (self.fixed + self.per_unit * each + self.growth * each**2)


def fit_payload(
    sizes: Values, costs: Values, form: Literal["line", "proportional", "quadratic"] = "line", *, fixed: float | None = 0.0
) -> PayloadLaw:
    """The law of the cost of a request by the size of its payload.

    Parameters
    ----------
    sizes : sequence of float, shape (n,)
        Payload of one request: bytes, containers.
    costs : sequence of float, shape (n,)
        CPU or response time of one request [time].
    form : {"line", "proportional", "quadratic"}
        fixed + per_unit·n by least squares; per_unit·n, so that the sum of all is right; per_unit·n + growth·n², the line of
        the cost of a unit over their number by least squares.
    fixed : float or None, default 0
        What a request costs without a payload, where it is known; "line" finds it, and so does "quadratic" where it is None,
        by least squares of three rows or more [time].

    Returns
    -------
    PayloadLaw

    Raises
    ------
    ModelError

    Examples
    --------
    >>> law = fit_payload([250, 500], [0.48e-3, 1.46e-3], "quadratic")
    >>> round(1e6 * law.per_unit, 3), round(1e9 * law.growth, 3)
    (0.92, 4.0)
    >>> law = fit_payload([10, 100, 250], [0.02e-3, 0.14e-3, 0.48e-3], "quadratic", fixed=None)
    >>> round(1e6 * law.fixed, 1), round(1e3 * law.cost(500), 2)
    (10.6, 1.44)
    """
    checks.choice("form", form, FORMS)
    n, cost = series("sizes", sizes, positive=form != "line"), series("costs", costs)
    matched(sizes=n, costs=cost)
    if fixed is None:
        return _with_fixed(n, cost, form)
    known = checks.number("fixed", fixed)
    if form == "line":
        if known:
            raise ModelError("fixed", "is found where the form is a line", "take it out", fixed)
        line = fit_line(n, cost, "sizes")
        return PayloadLaw(line.intercept, line.slope)
    beyond = cost - known
    if beyond.min() < 0:
        raise ModelError("fixed", "must not be more than any of the costs", "measure a request without a payload", fixed)
    if form == "proportional":
        return PayloadLaw(known, float(beyond.sum() / n.sum()))
    line = fit_line(n, beyond / n, "sizes")
    return PayloadLaw(known, line.intercept, line.slope)


def _with_fixed(n: Array, cost: Array, form: str) -> PayloadLaw:
    """The law whose fixed part is found, too."""
    if form != "quadratic":
        raise ModelError("fixed", 'must be a number unless the form is "quadratic"', "write what a request costs alone", None)
    if len(np.unique(n)) < len(COEFFICIENTS):
        raise ModelError("sizes", "must be three or more that differ, where the fixed part is to be found", "add a row", len(n))
    found = np.linalg.lstsq(np.vander(n, len(COEFFICIENTS), increasing=True), cost, rcond=None)[0]
    return PayloadLaw(*(float(each) for each in found))

"""The closed forms of one station as expressions of sympy: references to any number of digits, derivatives, expressions.

sympy is imported when an expression is first needed.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from qnsolve.errors import ModelError, missing_package
from qnsolve.model import checks

from . import expressions, waiting_expressions

FORMS = {**expressions.FORMS, **waiting_expressions.FORMS}
MOST = 500  # servers, places, jobs or branches: an expression has as many terms


@dataclass(frozen=True)
class Expression:
    """The measures of one form.

    Attributes
    ----------
    form : str
        Its name in `qnsolve.stations`.
    symbols : mapping of str to sympy.Symbol
        The arguments of the form that stay open, by name.
    measures : mapping of str to sympy.Expr
        throughput, utilization, queue_length, waiting_time, response_time, probability_wait, probability_blocked,
        of "erlang_a" probability_abandoned;
        `waiting_exceeds` and `response_exceeds` of `time` where they are elementary.
    """

    form: str
    symbols: Mapping[str, Any]
    measures: Mapping[str, Any]

    def value(self, measure: str, digits: int = 50, **arguments: object) -> Any:
        """A measure at given arguments, worked out to that many digits of the numbers as they are.

        Examples
        --------
        >>> print(expression("mm1").value("response_time", 20, arrival_rate=0.5, service_time=1.0))
        2.0000000000000000000
        """
        sympy = _sympy()
        formula = self.measures[checks.choice("value: measure", measure, self.measures)]
        missing = {str(s) for s in formula.free_symbols} - set(arguments)
        if missing:
            raise ModelError("value", f"needs {', '.join(sorted(missing))}", "give each open argument a number")
        numbers = {self.symbols[name]: sympy.Rational(x) for name, x in arguments.items() if name in self.symbols}
        return sympy.N(formula.subs(numbers), digits)


def expression(form: str, **counts: int) -> Expression:
    """A closed form of one station as expressions.

    They are elementary, but for Lambert's W in "mdc" and "mgc" and hypergeometric functions in "erlang_a".

    Parameters
    ----------
    form : str
        As `qnsolve.stations` names it (or "preemptive"); `forms` lists them with what they need. "gigc" is Allen and
        Cunneen's; "unlike_servers" takes 3 servers at most, the fastest first; forms of several classes
        give the last class's measures, the classes before it counted from 0.
    **counts : int
        The whole numbers that shape the expression [count]: servers, capacity, population, batch_size, branches, classes.

    Returns
    -------
    Expression

    Raises
    ------
    ModelError
        For another form, a count that is missing, not needed or above 500, or where sympy is not installed.

    Examples
    --------
    >>> expression("mm1").measures["response_time"]
    service_time/(-arrival_rate*service_time + 1)
    >>> sorted(expression("mmc", servers=2).symbols)
    ['arrival_rate', 'service_time', 'time']
    """
    needs = FORMS[checks.choice("expression: form", form, FORMS)][0]
    if set(counts) != set(needs):
        raise ModelError(f"expression: {form}", f"needs {', '.join(needs) or 'no counts'}", "give whole numbers by these names")
    given = {name: checks.whole(f"expression: {name}", counts[name], least=1, most=MOST) for name in needs}
    sympy = _sympy()
    made: Mapping[str, Any] = FORMS[form][1](sympy, **given)
    used = sorted({s for m in made.values() for s in sympy.sympify(m).free_symbols}, key=str)
    return Expression(form, {str(s): s for s in used}, {name: sympy.sympify(m) for name, m in made.items()})


def forms() -> dict[str, tuple[str, ...]]:
    """The forms that `expression` knows, and the counts that each needs.

    Examples
    --------
    >>> forms()["mmck"]
    ('servers', 'capacity')
    """
    return {name: needs for name, (needs, _) in FORMS.items()}


def _sympy() -> Any:
    try:
        import sympy
    except ModuleNotFoundError as error:
        raise missing_package("symbolic", error, "sympy") from None
    return sympy

"""What rows cannot tell: classes that move together, in words and sizes; rows that no fit explains."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from qnsolve.measure.checked_series import Array

from .linear_law import LinearLaw

TIED = 0.9  # correlation of two classes' rates from which they are looked at
WIDE = 0.5  # width of an interval over its value from which a class is not known by itself
KNOWN = 0.5  # width of the interval of a sum over that of a part below which the sum is what is known
FAR = 6.0  # residual in units of the usual one from which a row is odd
MOST_NAMED = 10


def entangled(names: Sequence[str], columns: Sequence[Array], law: LinearLaw, unit: str = "s") -> list[str]:
    """A sentence for each pair of classes whose demands are not known by themselves but whose sum is."""
    found = []
    for a in range(len(names)):
        for b in range(a + 1, len(names)):
            x, y = columns[a], columns[b]
            if not (np.ptp(x) and np.ptp(y)) or abs(float(np.corrcoef(x, y)[0, 1])) < TIED:
                continue
            wide = [i for i in (a, b) if law.highest[i] - law.lowest[i] > WIDE * max(float(law.numbers[i]), 1e-300)]
            if not wide:
                continue
            times = float(f"{x.sum() / y.sum():.2g}")
            together = times * law.numbers[a] + law.numbers[b]
            errors = times * law.draws[:, a] + law.draws[:, b]
            half = 1.96 * float(np.sqrt(np.mean(errors**2)))
            parts = 1.96 * float(np.sqrt(np.mean(law.draws[:, b] ** 2)))
            if half > KNOWN * parts:
                continue
            ends = " and ".join(
                f"{names[i]}'s demand lies in {_span(float(law.lowest[i]), float(law.highest[i]), unit)}" for i in (a, b)
            )
            first = names[a] if times == 1 else f"{times:g}·{names[a]}"
            share = 100 * half / max(float(together), 1e-300)
            known = f"{first} + {names[b]} is {_time(float(together), unit)}, known within {share:.2g} %"
            found.append(f"the data cannot tell {names[a]} from {names[b]}: {ends}; {known}")
    return found


def _span(low: float, high: float, unit: str) -> str:
    if unit == "s" and high < 1:
        return f"{1e3 * low:.3g} to {1e3 * high:.3g} ms"
    return f"{low:.3g} to {high:.3g} {unit}"


def _time(value: float, unit: str) -> str:
    return f"{1e3 * value:.3g} ms" if unit == "s" and value < 1 else f"{value:.3g} {unit}"


def odd_rows(law: LinearLaw) -> list[tuple[int, float]]:
    """Rows far from the fit: position, and residual in units of the usual one; the farthest first."""
    sizes = np.abs(law.left * law.weights)
    usual = 1.4826 * float(np.median(sizes))
    if usual <= 1e-9 * float(np.max(np.abs(law.fitted * law.weights), initial=0.0)):
        return []
    order = np.argsort(-sizes, kind="stable")[:MOST_NAMED]
    return [(int(i), float(sizes[i] / usual)) for i in order if sizes[i] > FAR * usual]

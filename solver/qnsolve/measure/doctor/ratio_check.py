"""Two measures of one thing: their ratio over all rows, rows where it is another, and the unit that a ratio looks like."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np

from .examined import Array, Examined, Mask, amount, percent, runs, spread

UNITS = {  # how many times too large a figure is, and what it then looks like
    1e6: "microseconds",
    1e3: "milliseconds",
    3600.0: "a rate an hour",
    100.0: "percent",
    60.0: "a rate a minute",
}
NEAR = 0.3  # log distance from such a factor
SIGMAS = 7.0  # distance of a row from the others
FEW = 30.0  # of rows, from which the distance widens
MERGE = 3  # runs of one finding are named one by one up to so many


@dataclass(frozen=True)
class Law:
    """What is held against what.

    Attributes
    ----------
    kind, series, unit : str
    measured_name, law_name : str
        How a sentence names the two.
    tolerance : float
        Relative, of the median.
    units : mapping of float to str
        Factors by which the measured one is too large where the unit of a series is wrong, and that series.
    severity : str
    both : bool
        The unit stands after both, and no percentage after them.
    """

    kind: str
    series: str
    unit: str
    measured_name: str
    law_name: str
    tolerance: float = 0.1
    units: Mapping[float, str] = field(default_factory=dict)
    severity: str = "wrong"
    both: bool = False


def hold_against(x: Examined, law: Law, measured: Array, expected: Array, slack: Array | float = 0.0) -> bool:
    """Add what does not hold; whether all is well.

    Parameters
    ----------
    x : Examined
    law : Law
    measured, expected : shape (n,)
        nan and 0 are left out.
    slack : shape (n,) or float
        More tolerance, relative: the edges of short intervals.
    """
    with np.errstate(divide="ignore", invalid="ignore"):
        log = np.log(measured / expected)
    there: Mask = np.isfinite(log)
    if not there.any():
        return True
    allowed = np.log1p(np.broadcast_to(law.tolerance + slack, log.shape))
    center = float(np.median(log[there]))
    if abs(center) > float(np.median(allowed[there])):
        _tell(x, law, there, measured, expected, center)
        off = there & (np.abs(log - center) > 10 * np.log1p(law.tolerance))
        if off.any() and off.sum() < there.sum() / 2:
            _rows(x, law, off, measured, expected, log)
        return False
    wide = SIGMAS * (1 + FEW / (FEW + float(there.sum()))) * spread(log[there])
    off = there & (np.abs(log) > 2 * allowed) & (np.abs(log - center) > wide)
    _rows(x, law, off, measured, expected, log)
    return not off.any()


def _rows(x: Examined, law: Law, off: Mask, measured: Array, expected: Array, log: Array) -> None:
    found = runs(off)
    if len(found) > MERGE:
        _tell(x, law, off, measured, expected, float(np.median(log[off])))
        return
    for first, last in found:
        mine = np.zeros(len(off), dtype=bool)
        mine[first : last + 1] = True
        _tell(x, law, mine, measured, expected, float(np.median(log[mine])))


def _tell(x: Examined, law: Law, rows: Mask, measured: Array, expected: Array, log: float) -> None:
    seen, given = float(np.nanmedian(measured[rows])), float(np.nanmedian(expected[rows]))
    unit = unit_of(log, law.units)
    text = f"{law.measured_name} {amount(seen)}{f' {law.unit}' * law.both}, {law.law_name} {amount(given)}"
    text += f" {law.unit}" if law.unit else ""
    kind = law.kind
    if unit:
        kind = "units"
        text += f": {amount(np.exp(log))} times; {unit[0]} looks like {unit[1]}"
    elif not law.both:
        text += f": {percent(abs(np.expm1(log)))} {'more' if log > 0 else 'less'}"
    x.add(kind, law.severity, law.series, rows, text, (seen, given, law.unit))


def unit_of(log: float, suspects: Mapping[float, str]) -> tuple[str, str] | None:
    """The series whose unit a ratio accuses, and what it looks like."""
    for factor, series in suspects.items():
        if abs(log - np.log(factor)) < NEAR:
            return series, UNITS[round(max(factor, 1 / factor), 6)]
    return None

"""Whether a model may be used, and to which load, in words."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from qnsolve.numerics.series import Array

from .modelled_columns import ComparedColumn, ComparedModel

LIMITS = {"rate": 0.05, "busy": 0.05}  # median error without sign up to which a model may be used [relative]
LIMIT = 0.10  # of responses and their percentiles
TREND = 0.10  # error that the trend over the load may come to, beyond the measured loads
SENSITIVE = 0.20  # of a response, that an error of the utilization may be
LEAST_ERROR = 0.01  # of a utilization
SLOWER = 2.0  # times the slowest response that the model had to explain
FACTORS = np.concatenate([np.arange(0.5, 2.01, 0.05), np.arange(2.25, 4.01, 0.25)])
ALIKE = 0.99  # of the highest use
NAMED = 4  # series in the verdict
FEW = 4  # rows from which an error is judged
HOUR = 0.05  # error of an hour of the day that is said, where it is twice the usual one


@dataclass(frozen=True)
class ColumnErrors:
    """Errors of one series.

    Attributes
    ----------
    title, quantity : str
    rows : int
    median, most, bias : float
        Median and 95th percentile without sign, median with sign [relative].
    left_out : int
        Rows that did not enter the model.
    left_median, left_most : float
        The same of these; nan where there are none.
    trend : float
        Change of the error from the lowest to the highest load [relative].
    """

    title: str
    quantity: str
    rows: int
    median: float
    most: float
    bias: float
    left_out: int
    left_median: float
    left_most: float
    trend: float

    @property
    def judged(self) -> float:
        """The median that counts: of rows left out where there are enough."""
        return self.left_median if self.left_out >= FEW else self.median

    @property
    def within(self) -> bool:
        """Whether that is small enough."""
        return self.judged <= LIMITS.get(self.quantity, LIMIT)


@dataclass(frozen=True)
class Usability:
    """Whether a model may be used.

    Attributes
    ----------
    usable : bool
    factor : float
        Up to so many times the highest measured load [ratio]; nan where not usable.
    sentence : str
    """

    usable: bool
    factor: float
    sentence: str


def errors_of(column: ComparedColumn, load: Array, left_out: NDArray[np.bool_]) -> ColumnErrors:
    """The errors of a column, over the load (n,)."""
    error = column.error
    there = ~np.isnan(error)
    nothing = float("nan")
    if not there.any():
        return ColumnErrors(column.title, column.quantity, 0, nothing, nothing, nothing, 0, nothing, nothing, 0.0)
    size = np.abs(error[there])
    left = np.abs(error[there & left_out])
    return ColumnErrors(
        column.title,
        column.quantity,
        int(there.sum()),
        float(np.median(size)),
        float(np.quantile(size, 0.95)),
        float(np.median(error[there])),
        len(left),
        float(np.median(left)) if len(left) else nothing,
        float(np.quantile(left, 0.95)) if len(left) else nothing,
        _slope(error[there], load[there]) * float(np.ptp(load[there])),
    )


def _slope(error: Array, load: Array) -> float:
    """Slope of the error over the load, by the median of slopes between the lower and the upper half."""
    if len(error) < FEW or not np.ptp(load):
        return 0.0
    order = np.argsort(load, kind="stable")
    half = len(order) // 2
    low, high = order[:half], order[-half:]
    apart = float(np.median(load[high]) - np.median(load[low]))
    noise = 2 * float(np.std(error)) / np.sqrt(half) if half > 1 else 0.0
    change = float(np.median(error[high]) - np.median(error[low]))
    return change / apart if apart > 0 and abs(change) > noise else 0.0


def judged(model: ComparedModel, errors: Sequence[ColumnErrors]) -> Usability:
    """The verdict."""
    known = [each for each in errors if each.rows >= 1]
    worst = max(known, key=lambda each: each.judged / LIMITS.get(each.quantity, LIMIT))
    few = "none were left out" if not worst.left_out else f"only {worst.left_out} left out"
    counted = "on rows left out" if worst.left_out >= FEW else f"on all rows ({few})"
    if not worst.within:
        text = f"Must not be used yet: {worst.title} is {100 * worst.judged:.3g} % off in the median {counted}"
        if abs(worst.trend) > TREND:
            text += f", and the error changes by {100 * worst.trend:+.3g} % from the lowest to the highest load"
        return Usability(False, float("nan"), text)
    full = model.solved.offered >= ALIKE * model.solved.offered.max()  # of those about as full the one with most work
    scale = np.maximum(model.loads.values.mean(axis=0), 1e-300)
    top = int(np.argmax(np.where(full, (model.loads.values / scale).sum(axis=1), -1.0)))
    highest = model.loads.values[top]
    factor, reason = _furthest(model, known, top)
    load = ", ".join(
        f"{name} {value:.4g}{'' if users else '/s'}"
        for name, value, users in zip(model.loads.names[:3], highest[:3], model.loads.users[:3], strict=True)
    )
    text = f"May be used up to {factor:.3g} times the highest measured load ({load}): {reason}. "
    shown = sorted(known, key=lambda each: -each.judged / LIMITS.get(each.quantity, LIMIT))[:NAMED]
    text += f"Off in the median {counted}: " + ", ".join(f"{each.title} {100 * each.judged:.2g} %" for each in shown)
    return Usability(True, factor, text)


def _furthest(model: ComparedModel, errors: Sequence[ColumnErrors], top: int) -> tuple[float, str]:
    """The largest factor on the highest load that can be answered for, and what ends it."""
    loads = model.loads.values[[top]] * FACTORS[:, None]
    found = model.solver.solved(loads, quick=True)
    start = float(model.solved.offered[top])
    slowest = np.nanmax(np.where(model.solved.offered[:, None] < 1, model.solved.response, np.nan), axis=0)
    busy = [each for each in errors if each.quantity == "busy"]
    off = max([LEAST_ERROR, *(each.judged for each in busy)])
    slopes = [(each.title, each.bias, each.trend) for each in errors]
    width = max(float(np.ptp(model.solved.offered)), 1e-9)
    for i, factor in enumerate(FACTORS.tolist()):
        rho, fullest = float(found.offered[i]), int(found.fullest[i])
        if rho >= 1:
            fullest = int(model.solver.solved(loads[[i]]).fullest[0])
        center = model.solver.centers[fullest] if model.solver.centers else "the model"
        last = float(FACTORS[max(i - 1, 0)])
        if rho >= 1:
            return last, f"beyond it {center} is full"
        rated = not all(model.loads.users)
        if rated and rho > 0.5 and off * rho / (1 - rho) > SENSITIVE:
            text = f"beyond it {center} is so busy ({100 * rho:.3g} %) that an error of {100 * off:.2g} % there is "
            share = 100 * off * rho / (1 - rho)
            return last, text + f"{share:.{0 if share >= 10 else 1}f} % of a response"
        for title, bias, trend in slopes:
            there = bias / 2 + trend / width * (rho - start)
            if factor > 1 and abs(there) > TREND and abs(trend) > 0:
                return last, f"the error of {title} changes with the load and would come to {100 * there:+.2g} % beyond it"
        with np.errstate(invalid="ignore", divide="ignore"):
            slower = found.response[i] / slowest
        if factor > 1 and np.nanmax(slower, initial=0.0) > SLOWER:
            name = model.loads.names[int(np.nanargmax(slower))]
            return last, f"beyond it {name} would take more than {SLOWER:g} times what any measured interval shows"
    return float(FACTORS[-1]), "further was not tried"


def by_hour(model: ComparedModel, columns: Sequence[ComparedColumn]) -> list[str]:
    """Sentences on hours of the day at which the model is off more than elsewhere."""
    if not model.loads.clock:
        return []
    hours = (model.loads.start.astype("datetime64[h]").astype(np.int64) % 24).astype(int)
    said = []
    for column in columns:
        error = column.error
        usual = float(np.nanmedian(np.abs(error))) if not np.isnan(error).all() else 0.0
        middle = float(np.nanmedian(error)) if usual else 0.0
        worst: tuple[float, int] = (0.0, 0)
        for hour in range(24):
            own = error[(hours == hour) & ~np.isnan(error)]
            if len(own) >= 3:
                worst = max(worst, (abs(float(np.median(own)) - middle), hour))
        if worst[0] > max(HOUR, 2 * usual):
            hour = worst[1]
            own = float(np.median(error[(hours == hour) & ~np.isnan(error)]))
            side = "more" if own > 0 else "less"
            text = f"{column.title}: from {hour:02}:00 to {(hour + 1) % 24:02}:00 the model says {100 * abs(own):.3g} % {side} "
            said.append(text + f"than measured, {100 * usual:.2g} % is usual: other work at that time?")
    return said

"""What a step of a fit found: values, draws of their errors, intervals, where they come from, and the rows' residuals."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

import numpy as np

from qnsolve.fitting.sketch import OpenFigure
from qnsolve.measure.checked_series import Array
from qnsolve.measure.demands.block_bootstrap import DRAWS


@dataclass(frozen=True)
class FigureEstimate:
    """One fitted figure.

    Attributes
    ----------
    figure : OpenFigure
    value, lowest, highest : float
    draws : ndarray (B,)
        Errors of the value, drawn; all 0 where the rows are exact.
    source : str
    rows : int
    """

    figure: OpenFigure
    value: float
    lowest: float
    highest: float
    draws: Array
    source: str
    rows: int


@dataclass
class FitState:
    """All that the steps found so far, by name of the figure."""

    estimates: dict[str, FigureEstimate] = field(default_factory=dict)
    findings: list[str] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    odd: list[int] = field(default_factory=list)  # rows that are far off, positions

    def add(self, estimate: FigureEstimate) -> None:
        """A new estimate, within the bounds of its sketch."""
        low, high = estimate.figure.lowest, estimate.figure.highest
        if not low <= estimate.value <= high:
            value = min(max(estimate.value, low), high)
            said = f"{estimate.figure.name}: the data give {estimate.value:.4g}, the bounds of the sketch {low:g} to {high:g}"
            self.findings.append(said)
            ends = min(estimate.lowest, value), max(estimate.highest, value)
            estimate = FigureEstimate(estimate.figure, value, *ends, estimate.draws, estimate.source, estimate.rows)
        self.estimates[estimate.figure.name] = estimate


def full(draws: Array) -> Array:
    """Draws (DRAWS, p), zeros where the rows were exact."""
    return draws if len(draws) == DRAWS else np.zeros((DRAWS, draws.shape[1]))


def correlations(drawn: Sequence[Array]) -> Array:
    """Of errors, each drawn (B,), shape (F, F); 0 between a figure and one without errors."""
    if not drawn:
        return np.zeros((0, 0))
    draws = np.column_stack(drawn)
    centred = draws - draws.mean(axis=0)
    size = np.linalg.norm(centred, axis=0)
    unit = centred / np.where(size > 0, size, 1.0)
    found = unit.T @ unit
    np.fill_diagonal(found, 1.0)
    return np.clip(found, -1.0, 1.0)


def given_rates(loads: Iterable[tuple[str, str]]) -> set[str]:
    """Columns of rates that loads, by class and key, give: a model does not answer them."""
    return {f"{name}.rate" for name, key in loads if key in ("arrival_rate", "rate")}

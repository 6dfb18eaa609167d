"""How much service times vary, from the percentiles or deviations of responses in the quietest intervals."""

from __future__ import annotations

import numpy as np

from qnsolve.errors import ModelError
from qnsolve.fitting.measured_rows import MeasuredRows
from qnsolve.fitting.sketch import OpenFigure, Sketch
from qnsolve.measure.checked_series import Array
from qnsolve.measure.demands.block_bootstrap import DRAWS, SEED
from qnsolve.measure.demands.response_spread import variation_of

from .estimates import FigureEstimate, FitState

QUIET = 0.25  # share of the intervals, those of the shortest mean responses, in which little waits
FEWEST = 3
LEVEL = (0.025, 0.975)
SHARES = {"response_p95": 0.95, "response_p99": 0.99, "response_p90": 0.9}


def variation_step(sketch: Sketch, rows: MeasuredRows, found: FitState) -> None:
    """Squared coefficients of variation that a sketch leaves open: those of responses at low load.

    Raises
    ------
    ModelError
        Where no percentile and no deviation was measured.
    """
    for figure in sketch.figures:
        if len(figure.place) == 4 and figure.place[2] == "service_variation":
            _estimate(figure, rows, found)


def _estimate(figure: OpenFigure, rows: MeasuredRows, found: FitState) -> None:
    name = figure.owner
    series = next((q for q in ("response_deviation", *SHARES) if rows.has(name, q)), None)
    if series is None or not rows.has(name, "response_time"):
        repair = f"add {name}.response_p95 or {name}.response_deviation"
        raise ModelError(figure.name, "needs means and percentiles of responses", repair)
    mean, wide = rows.column(name, "response_time"), rows.column(name, series)
    there = np.flatnonzero((mean > 0) & (wide > 0))
    count = max(int(QUIET * len(there)), FEWEST)
    if len(there) < count:
        raise ModelError(figure.name, f"needs {FEWEST} intervals with responses", "measure more intervals", len(there))
    quiet = there[np.argsort(mean[there], kind="stable")[:count]]
    ratio = wide[quiet] / mean[quiet]
    each: Array = ratio if series == "response_deviation" else variation_of(ratio, SHARES[series])
    rng = np.random.default_rng(SEED)
    drawn = np.median(each[rng.integers(0, count, (DRAWS, count))], axis=1) ** 2
    value = float(np.median(each)) ** 2
    ends = np.quantile(drawn, LEVEL)
    lowest, highest = min(float(ends[0]), value), max(float(ends[1]), value)
    found.add(FigureEstimate(figure, value, lowest, highest, drawn - value, f"{name}.{series}", count))
    found.notes.append(f"{figure.name} is that of whole responses in the {count} quietest intervals")

"""The table [fitted] of a model file: which figures measurements gave, and how far off they may be."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from statistics import NormalDist
from typing import Any

import numpy as np
from numpy.typing import NDArray

from qnsolve.errors import ModelError, counted
from qnsolve.files.text import decoded, form_of, parsed, read
from qnsolve.model import checks

Array = NDArray[np.float64]

KEY = "fitted"
NORMAL = 1.96  # standard deviations to either side, 19 of 20
ROUGH = 1e-6  # by which a printed value may lie outside its interval [relative]
SMALL = 1e-8  # eigenvalue below 0 that rounding explains


@dataclass(frozen=True, eq=False)
class FittedFigures:
    """Fitted figures of a model, F of them.

    Attributes
    ----------
    figures : tuple of str
        As `sweep` names them: "query.demands.cpu", "orders.2.qr_cpu".
    values : ndarray, shape (F,)
    lowest, highest : ndarray, shape (F,)
        Intervals of confidence, 19 of 20.
    correlations : ndarray, shape (F, F)
        Between the errors of the figures.
    source : tuple of str
        Files of the measurements.
    rows : str
        Which of their rows.
    errors : dict of str to float
        Median error on rows left out, by quantity [relative].
    """

    figures: tuple[str, ...]
    values: Array
    lowest: Array
    highest: Array
    correlations: Array
    source: tuple[str, ...] = ()
    rows: str = ""
    errors: Mapping[str, float] | None = None

    def as_data(self) -> dict[str, Any]:
        """The table of a file."""
        data: dict[str, Any] = {"source": list(self.source), "rows": self.rows, "figures": list(self.figures)}
        data |= {key: getattr(self, key).tolist() for key in ("values", "lowest", "highest", "correlations")}
        return data | {"errors": dict(self.errors or {})}

    def draws(self, count: int, seed: int = 1) -> Array:
        """Figures that the measurements allow, as likely as they are; shape (count, F).

        Parameters
        ----------
        count : int
        seed : int, default 1

        Notes
        -----
        Normal to either side of the value, each side as wide as its half of the interval, with the correlations between
        ranks; none below 0. Stratified (a Latin hypercube), so that a few hundred show the whole interval.
        """
        random = np.random.default_rng(seed)
        ranks = np.argsort(random.random((count, len(self.figures))), axis=0)
        shares = (ranks + random.random(ranks.shape)) / count
        normal = NormalDist()
        scores = np.vectorize(normal.inv_cdf, otypes=[float])(np.clip(shares, 1e-9, 1 - 1e-9))
        sizes, sides = np.linalg.eigh(self.correlations)
        together = scores @ (sides * np.sqrt(np.maximum(sizes, 0.0))).T
        below, above = (self.values - self.lowest) / NORMAL, (self.highest - self.values) / NORMAL
        return np.maximum(self.values + together * np.where(together < 0, below, above), 0.0)


def fitted_from_data(data: object) -> FittedFigures | None:
    """The fitted figures of what a TOML or JSON reader returns; None where it has none.

    Raises
    ------
    ModelError
    """
    if not isinstance(data, Mapping) or not data.get(KEY):
        return None
    table = data[KEY]
    if not isinstance(table, Mapping):
        raise ModelError(KEY, "must be a table of keys and values", "write [fitted]", table)
    if "figures" not in table:  # a fit whose figures do not make the model one by one
        return None
    for key in ("values", "lowest", "highest"):
        if key not in table:
            raise ModelError(f"{KEY}: {key}", "is missing", "fit again, or remove the table")
    figures = tuple(checks.text(f"{KEY}: figures", name) for name in checks.listed(f"{KEY}: figures", table["figures"]))
    count = len(figures)
    given = {key: _numbers(key, table[key], count) for key in ("values", "lowest", "highest")}
    for key, outside in (("lowest", given["lowest"] - given["values"]), ("highest", given["values"] - given["highest"])):
        wrong = outside > ROUGH * np.abs(given["values"])
        if wrong.any():
            i = int(np.argmax(wrong))
            rule = f"must lie {'below' if key == 'lowest' else 'above'} the value {given['values'][i]:g}"
            raise ModelError(f"{KEY}: {figures[i]}: {key}", rule, "fit again, or correct it", float(given[key][i]))
    errors = table.get("errors", {})
    if not isinstance(errors, Mapping):
        raise ModelError(f"{KEY}: errors", "must be a table", "write { rate = 0.01 }", errors)
    return FittedFigures(
        figures,
        **given,
        correlations=_correlations(table.get("correlations"), count),
        source=tuple(str(name) for name in checks.listed(f"{KEY}: source", table.get("source", []))),
        rows=str(table.get("rows", "")),
        errors={str(k): checks.number(f"{KEY}: errors: {k}", v) for k, v in errors.items()},
    )


def fitted_of(path: str | os.PathLike[str]) -> FittedFigures | None:
    """The fitted figures of a model file or system file; None where it has none.

    Parameters
    ----------
    path : path
        TOML or JSON; JMVA has none.

    Raises
    ------
    ModelError
    """
    raw = read(path)
    form = form_of(Path(path).suffix, raw)
    if form == "jmva":
        return None
    try:
        return fitted_from_data(parsed(decoded(raw), form))
    except ModelError as error:
        raise error.in_file(os.fspath(path)) from error.__cause__


def _numbers(key: str, given: object, count: int) -> Array:
    found = [checks.number(f"{KEY}: {key}[{i}]", value) for i, value in enumerate(checks.listed(f"{KEY}: {key}", given), 1)]
    if len(found) != count:
        raise ModelError(
            f"{KEY}: {key}", f"must have one number for each of {counted(count, 'figure')}", "fit again", len(found)
        )
    return np.array(found)


def _correlations(given: object, count: int) -> Array:
    item = f"{KEY}: correlations"
    if given is None:
        return np.eye(count)
    try:
        found = np.array(given, dtype=np.float64)
    except (ValueError, TypeError):
        found = np.empty(0)
    right = found.shape == (count, count) and bool(np.isfinite(found).all()) and bool((np.abs(found - found.T) < ROUGH).all())
    right = right and bool((np.abs(np.diag(found) - 1) < ROUGH).all())
    if not right or (count and float(np.linalg.eigvalsh(found)[0]) < -SMALL * count):
        rule = f"must be correlations of {counted(count, 'figure')}: symmetric, 1 on the diagonal, none impossible"
        raise ModelError(item, rule, "fit again, or leave them out", given)
    return found

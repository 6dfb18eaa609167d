"""Pictures of the page, as SVG: a series over time or users, its error over the load and over the hour of the day."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from qnsolve.results.plotting import BAND, INK, OPEN, SOFT, drawn, svg

if TYPE_CHECKING:
    from .beside_figures import BesideFigures
    from .modelled_columns import ComparedColumn

BLUE, RED = "#1f5fa8", "#b3261e"
WIDTH, HEIGHT = 9.6, 2.5  # inches
STEPS = (1, 5, 15, 30, 60, 120, 180, 360, 720, 1440, 2880, 10080)  # minutes between marks of an axis of time
TICKS = 7
WIDE = 16  # most users over fewest from which their axis is logarithmic
MANY = 800  # points from which they are drawn as an image


def picture(beside: BesideFigures, column: ComparedColumn) -> str:
    """Three plots side by side as one SVG."""
    from matplotlib.figure import Figure

    clock = beside.model.loads.clock
    n = len(beside.load)
    users = _users(beside)
    at = np.arange(n) if users is None else np.argsort(users, kind="stable")
    plain = np.arange(1, n + 1) if users is None else users
    x, word = (beside.model.loads.start if clock else plain)[at], "interval" if users is None else "users"
    dense = n > MANY
    error = 100 * column.error
    left = beside.left_out
    with drawn(OPEN):
        figure = Figure(figsize=(WIDTH, HEIGHT), dpi=120)
        over, by_load, by_hour = (
            figure.add_axes(box) for box in ((0.06, 0.17, 0.46, 0.7), (0.59, 0.17, 0.17, 0.7), (0.82, 0.17, 0.17, 0.7))
        )
        if column.lowest is not None and column.highest is not None:
            over.fill_between(
                x, column.lowest[at], column.highest[at], color=BAND, lw=0, label="19 of 20 expected", rasterized=dense
            )
        size = 2.2 if dense else 4.0
        over.plot(x, column.measured[at], ".", color=INK, ms=size, mew=0, label="measured", rasterized=dense)
        over.plot(x, column.modelled[at], color=BLUE, lw=1.0, label="modelled")
        top = float(np.nanmax(np.concatenate([column.measured, column.modelled[np.isfinite(column.modelled)], [1e-12]])))
        over.set(ylim=(0, 1.28 * top), title=f"{column.title} [{column.unit if column.unit != '1' else 'share'}]")
        if clock:
            over.set_xticks(*_ticks(beside.model.loads.start))
        else:
            over.set_xlabel(word)
        over.legend(loc="upper left", frameon=False, ncols=3, fontsize=7)
        _scatter(by_load, 100 * beside.load, error, left, dense)
        by_load.set(xlabel="use of the fullest center in %", title="error in % by load")
        if clock:
            seconds = beside.model.loads.start.astype(np.int64) / 1000 % 86400
            _scatter(by_hour, seconds / 3600, error, left, dense)
            by_hour.set(xlim=(0, 24), xticks=(0, 6, 12, 18, 24), xlabel="hour of the day", title="error in % by hour")
        else:
            _scatter(by_hour, plain, error, left, dense)
            by_hour.set(xlabel=word, title=f"error in % by {word}")
        if users is not None and users.max() > WIDE * users.min() > 0:
            for axes in (over, by_hour):
                axes.set_xscale("log", base=2)
                axes.xaxis.set_major_formatter("{x:g}")
        limit = float(np.nanquantile(np.abs(error), 0.99)) if not np.isnan(error).all() else 1.0
        for axes in (by_load, by_hour):
            axes.set_ylim(-1.25 * max(limit, 2), 1.25 * max(limit, 2))
        text = svg(figure)
    return text[text.index("<svg") :]


def _users(beside: BesideFigures) -> Any:
    """The users of each interval, where these are the load and there is no clock (n,); None else."""
    loads = beside.model.loads
    return loads.values[:, 0] if loads.users == (True,) and not loads.clock else None


def _scatter(axes: Any, x: Any, error: Any, left: Any, dense: bool) -> None:
    """Errors, those of rows left out in another color, and the line of none."""
    axes.axhline(0, color=SOFT, lw=0.8)
    size = 2.2 if dense else 3.2
    look = {"mew": 0, "alpha": 0.6, "ms": size, "rasterized": dense}
    if not left.all():
        axes.plot(x[~left], error[~left], "o", color=SOFT, **look)
    axes.plot(x[left], error[left], "o", color=RED, **look)


def _ticks(start: Any) -> tuple[Any, list[str]]:
    """Marks of an axis of time, and their words: the date where a day begins, the hour else."""
    first, last = (int(each) for each in (start.min().astype(np.int64), start.max().astype(np.int64)))
    step = next((each for each in STEPS if (last - first) / (each * 60_000) <= TICKS), STEPS[-1]) * 60_000
    step *= max(1, -(-(last - first) // (TICKS * step)))
    marks = np.arange(-(-first // step) * step, last + 1, step).astype("datetime64[ms]")
    words = [str(each)[5:10] if str(each)[11:16] == "00:00" else str(each)[11:16] for each in marks]
    return marks, words

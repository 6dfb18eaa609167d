"""Figures of one or two panels with curves: the axes, the marks of what fills up, the legend."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Any

from qnsolve.errors import ModelError
from qnsolve.results.plotting import BAND, INK, SOFT, look_of, plain_logarithm, titled

WIDTH, HEIGHT = 9.0, 3.7  # inches
MOST_LINES = 14  # of a panel
LOGARITHMIC = 8  # curves that begin further apart than this factor have a logarithmic axis
ROOM = 1.18  # above the highest value, for the legend
PAPER = {"facecolor": "white", "edgecolor": "none", "pad": 1, "alpha": 0.8}  # behind words
LONGEST = 30  # characters of a label


@dataclass(frozen=True)
class Curve:
    """A curve; nan where there is no answer.

    Attributes
    ----------
    label : str
    x, y : sequence of float
    lowest, highest : sequence of float, optional
        The range of y.
    """

    label: str
    x: Sequence[float]
    y: Sequence[float]
    lowest: Sequence[float] = ()
    highest: Sequence[float] = ()


@dataclass(frozen=True)
class Panel:
    """One pair of axes.

    Attributes
    ----------
    title, xlabel, ylabel : str
        Labels have their unit.
    curves : sequence of Curve
    across : sequence of (float, str)
        Horizontal lines with their words: a target, a full center.
    upright : sequence of (float, str)
        Vertical lines: where it is saturated, or what is today.
    gaps : sequence of float
        Values of x without an answer.
    ticks : sequence of str
        Names of the values 0, 1, 2, ... of x where they are no numbers.
    percent : bool
        Whether y is a use of centers.
    """

    title: str
    xlabel: str
    ylabel: str
    curves: Sequence[Curve]
    across: Sequence[tuple[float, str]] = ()
    upright: Sequence[tuple[float, str]] = ()
    gaps: Sequence[float] = ()
    ticks: Sequence[str] = field(default=())
    percent: bool = False


def curves_figure(heading: str, panels: Sequence[Panel]) -> Any:
    """The figure of some panels side by side."""
    most = max(len(panel.curves) for panel in panels)
    if most > MOST_LINES:
        raise ModelError("--plot", f"shows {MOST_LINES} curves at most", "vary fewer values at once", most)
    figure = titled(WIDTH, HEIGHT, heading)
    for axes, panel in zip(figure.subplots(1, len(panels), squeeze=False)[0], panels, strict=True):
        draw(axes, panel)
    return figure


def draw(axes: Any, panel: Panel) -> None:
    """One panel."""
    for number, curve in enumerate(panel.curves):
        look = look_of(number)
        if curve.lowest:
            axes.fill_between(curve.x, curve.lowest, curve.highest, color=look["color"], alpha=0.15, lw=0)
        axes.plot(
            curve.x, curve.y, **look, ms=4, lw=1.4, mfc="white", mew=1.1, markevery=_every(curve), label=_cut(curve.label)
        )
    values = [value for curve in panel.curves for value in (*curve.y, *curve.highest) if math.isfinite(value)]
    _vertical(axes, values, panel)
    plain: dict[str, Any] = {
        "fontsize": 7,
        "color": INK,
        "bbox": {"facecolor": "white", "edgecolor": "none", "pad": 1, "alpha": 0.8},
    }
    for value, words in panel.across:
        axes.axhline(value, color=INK, lw=1.0, ls=(0, (6, 2)))
        side, place = ("right", 1.0) if panel.percent else ("left", 0.01)
        axes.annotate(words, (place, value), (0, 3), ("axes fraction", "data"), "offset points", ha=side, va="bottom", **plain)
    for value, words in panel.upright:
        axes.axvline(value, color=INK, lw=1.0, ls=(0, (1, 1.5)))
        spot = (value, 0.03)
        axes.annotate(words, spot, (4, 0), ("data", "axes fraction"), "offset points", rotation=90, va="bottom", **plain)
    _without(axes, panel)
    if panel.ticks:
        axes.set_xticks(range(len(panel.ticks)), panel.ticks)
    axes.set(xlabel=panel.xlabel, ylabel=panel.ylabel, title=panel.title)
    axes.grid(axis="y", color=BAND, lw=0.8)
    axes.set_axisbelow(True)
    axes.legend(loc="upper left", frameon=False, fontsize=7, handlelength=3.2, ncols=1 + (len(panel.curves) > 5))


def _vertical(axes: Any, values: Sequence[float], panel: Panel) -> None:
    """The axis of y: from 0, or logarithmic where values lie far apart; room above for the legend."""
    marked = [*values, *(value for value, _ in panel.across)]
    positive = [value for value in marked if value > 0]
    if not positive:
        return
    high, low = max(marked), min(positive)
    begins = [next((value for value in curve.y if math.isfinite(value) and value > 0), 0.0) for curve in panel.curves]
    begins = [value for value in begins if value > 0] or [1.0]
    if panel.percent:
        axes.set_ylim(0, max(100.0, high) * (ROOM + 0.06 * len(panel.curves)))
        axes.set_yticks(range(0, 101, 20))
    elif max(begins) / min(begins) > LOGARITHMIC:
        axes.set_yscale("log")
        axes.set_ylim(low / 1.5, high * 1.5 * (high / low) ** (0.09 * min(len(panel.curves), 5)))
        plain_logarithm(axes.yaxis)
    else:
        axes.set_ylim(0, high * (ROOM + 0.05 * len(panel.curves)))


def _without(axes: Any, panel: Panel) -> None:
    """Hatch the values of x without an answer."""
    if not panel.gaps:
        return
    known = sorted({x for curve in panel.curves for x in curve.x} | set(panel.gaps))
    half = min((b - a for a, b in pairwise(known)), default=1.0) / 2
    for place, value in enumerate(panel.gaps):
        words = "saturated" if place == 0 else None
        axes.axvspan(value - half, value + half, facecolor="none", edgecolor=SOFT, hatch="///", lw=0, alpha=0.5, label=words)


def _every(curve: Curve) -> int:
    """Every how many points there is a mark: about fifteen of them."""
    return max(1, len(curve.x) // 15)


def _cut(label: str) -> str:
    return label if len(label) <= LONGEST else label[: LONGEST - 1] + "…"

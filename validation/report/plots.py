"""Predicted against measured, and the error of each figure: one picture a case, drawn by matplotlib as SVG."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import cycle
from typing import Any

from matplotlib.figure import Figure
from matplotlib.ticker import FuncFormatter, LogLocator, NullLocator
from qnsolve.errors import ModelError
from qnsolve.results.plotting import SOFT, drawn, png, svg

from ..case import KINDS, VERDICTS, Point, Study

COLOURS = dict(zip(VERDICTS, ("#1a7f4b", "#b36b00", "#b3261e"), strict=True))
BAND = "#e3e9f0"
MARKERS = ("o", "s", "D", "^", "v")
WIDTH, HEIGHT, LINE = 9.6, 3.6, 0.21  # inches: the picture, and a line of the errors
ABOVE, BELOW = 0.15, 0.5  # inches that stay free above and below the axes
LOGARITHMIC = 4  # axes that span more than this factor are logarithmic
WIDE = 1000  # beyond this factor only powers of ten are marked
DIGITS = {False: (1, 2, 5), True: (1,)}
FEWEST = 2  # figures of a picture
OVERALL = 4.2  # inches: height of that of all cases
LEAST = 0.01  # of an error that is drawn [percent]
KIND_COLOURS = dict(zip(KINDS, ("#9aa7b4", "#c9a227", "#6f8f72", "#1f5fa8", "#b3261e"), strict=True))
LETTERS = 33  # of a label, at most


def overall(studies: Sequence[Study]) -> str:
    """Error against bounds only, by kind, of every figure that moves without queues, and predicted over measured of all."""
    if len(_predicted(studies)) < FEWEST:
        return ""
    with drawn():
        return svg(_overall(studies))


def overall_image(studies: Sequence[Study], path: str) -> bytes:
    """The same picture as a file has it whose name is `path`: PNG, or SVG.

    Raises
    ------
    ModelError
        There are too few figures for a picture.
    """
    if len(_predicted(studies)) < FEWEST:
        raise ModelError("--plot", f"needs {FEWEST} predicted figures", "take more cases", len(_predicted(studies)))
    with drawn():
        figure = _overall(studies)
        return svg(figure).encode("utf-8") if path.casefold().endswith(".svg") else png(figure)


def _predicted(studies: Sequence[Study]) -> list[Point]:
    return [point for study in studies for point in study.predicted]


def _overall(studies: Sequence[Study]) -> Figure:
    points = _predicted(studies)
    kinds = [kind for kind in KINDS if any(point.kind == kind for point in points)]
    figure = Figure(figsize=(WIDTH, OVERALL))
    left, right = figure.add_axes((0.07, 0.11, 0.42, 0.86)), figure.add_axes((0.57, 0.11, 0.42, 0.86))
    ends = (min(p.measured for p in points) / 2, 2 * max(p.measured for p in points))
    left.fill_between(ends, [0.95 * end for end in ends], [1.05 * end for end in ends], color=BAND, lw=0)
    left.plot(ends, ends, color=SOFT, linewidth=0.8)
    worst = max(100 * abs(error) for p in points for error in (p.error, p.error_of("bounds") or 0.0))
    right.plot((LEAST, 2 * worst), (LEAST, 2 * worst), color=SOFT, linewidth=0.8)
    for kind, marker in zip(kinds, cycle(MARKERS), strict=False):
        mine = [p for p in points if p.kind == kind]
        look: Any = {
            "marker": marker,
            "ls": "",
            "color": KIND_COLOURS[kind],
            "ms": 3.2,
            "mew": 0,
            "alpha": 0.75,
            "label": f"{kind} ({len(mine)})",
        }
        left.plot([p.measured for p in mine], [max(p.predicted, ends[0]) for p in mine], **look)
        without = [max(100 * abs(p.error_of("bounds") or 0.0), LEAST) for p in mine]
        right.plot(without, [max(100 * abs(p.error), LEAST) for p in mine], **look)
    left.set(xscale="log", yscale="log", xlim=ends, ylim=ends, xlabel="measured, each in its unit", ylabel="predicted")
    right.set(xscale="log", yscale="log", xlim=(LEAST, 2 * worst), ylim=(LEAST, 2 * worst))
    right.set(xlabel="error with bounds only in %", ylabel="error in %; below the line the queues help")
    left.legend(loc="upper left", frameon=False)
    for axis in (right.xaxis, right.yaxis):
        axis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:g}"))
    return figure


def picture(study: Study) -> str:
    """The picture of a case as SVG: predicted over measured, and the error of each figure; "" with a single figure."""
    points = study.predicted or study.points  # identities where there is nothing else
    if len(points) < FEWEST:
        return ""
    families = list(dict.fromkeys(_family(point) for point in points))
    markers = dict(zip(families, cycle(MARKERS), strict=False))
    lines = LINE * max(len(points), 3)
    height = max(HEIGHT, lines + ABOVE + BELOW)
    with drawn():
        figure = Figure(figsize=(WIDTH, height))
        for draw, left, width, high in ((_compare, 0.07, 0.41, HEIGHT - ABOVE - BELOW), (_errors, 0.72, 0.27, lines)):
            axes = figure.add_axes((left, 1 - (ABOVE + high) / height, width, high / height))
            draw(axes, points, markers, study.case.tolerance)
        return svg(figure)


def _compare(axes: Any, points: Sequence[Point], markers: dict[str, str], tolerance: float) -> None:
    """Predicted over measured; the band is what counts as close."""
    values = [value for point in points for value in (point.measured, point.predicted)]
    low, high = min(values), max(values)
    if high / low > LOGARITHMIC:
        axes.set(xscale="log", yscale="log")
        ends = (low / 1.3, high * 1.3)
        for axis in (axes.xaxis, axes.yaxis):
            axis.set(major_locator=LogLocator(subs=DIGITS[ends[1] / ends[0] > WIDE]), minor_locator=NullLocator())
            axis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:g}"))
    else:
        margin = max(0.12 * (high - low), 0.06 * high)
        ends = (low - margin, high + margin)
    axes.fill_between(ends, [(1 - tolerance) * end for end in ends], [(1 + tolerance) * end for end in ends], color=BAND, lw=0)
    axes.plot(ends, ends, color=SOFT, linewidth=0.8)
    _marks(axes, points, markers, [(point.measured, point.predicted) for point in points])
    for family, marker in markers.items():
        axes.plot([], [], marker, mfc="white", mec="black", ms=5, label=family)
    axes.set(xlim=ends, ylim=ends, xlabel="measured", ylabel="predicted")
    axes.legend(loc="upper left", frameon=False)


def _errors(axes: Any, points: Sequence[Point], markers: dict[str, str], tolerance: float) -> None:
    """The error of each figure, a line each; the band is what counts as close."""
    widest = 100 * max(1.3 * tolerance, *(1.1 * abs(point.error) for point in points))
    axes.axvspan(-100 * tolerance, 100 * tolerance, color=BAND, lw=0)
    axes.axvline(0, color=SOFT, linewidth=0.8)
    errors, lines = [100 * point.error for point in points], range(len(points))
    axes.hlines(lines, 0, errors, colors=[COLOURS[point.verdict] for point in points], alpha=0.4, linewidth=1)
    _marks(axes, points, markers, list(zip(errors, lines, strict=True)))
    axes.set(xlim=(-widest, widest), ylim=(len(points) - 0.5, -0.5), xlabel=f"error in %; band: ±{100 * tolerance:g} %")
    axes.set_yticks(lines, [_label(point) for point in points])
    axes.tick_params(axis="y", length=0)
    axes.spines[["left", "right", "top"]].set_visible(False)


def _marks(axes: Any, points: Sequence[Point], markers: dict[str, str], places: Sequence[tuple[float, float]]) -> None:
    """A mark at the place of each point: its shape says the family, its colour the verdict."""
    alike: dict[tuple[str, str], list[tuple[float, float]]] = {}
    for point, place in zip(points, places, strict=True):
        alike.setdefault((markers[_family(point)], COLOURS[point.verdict]), []).append(place)
    for (marker, colour), found in alike.items():
        axes.plot(*zip(*found, strict=True), marker, mfc="white", mec=colour, ms=5, mew=1.2)


def _family(point: Point) -> str:
    return f"{point.quantity.split(', ')[0]} ({point.unit})"


def _label(point: Point) -> str:
    row = f", row {point.row.number}"
    name = point.quantity
    return (name if len(name) + len(row) <= LETTERS else name[: LETTERS - len(row) - 1] + "…") + row

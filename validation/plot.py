"""Measured against predicted, and the error of each figure: one picture a case (SVG)."""

from __future__ import annotations

import io
from itertools import cycle
from typing import Any

from .case import VERDICTS, Point, Study

WIDE = 4  # axes that span more than this factor are logarithmic
MARKERS = "osD^vP*X"
COLOURS = dict(zip(VERDICTS, ("#1a7f4b", "#c77700", "#b3261e"), strict=True))
SOFT, BAND = "#5b6b7b", "#dfe6ee"


def plot(study: Study) -> str:
    """Left, predicted over measured; right, the error of each figure; bands show what counts as close."""
    import matplotlib as mpl
    from matplotlib.figure import Figure

    points = study.predicted
    shapes = dict(zip(dict.fromkeys((p.quantity, p.unit) for p in points), cycle(MARKERS), strict=False))
    height = max(3.6, 1.2 + 0.21 * len(points))
    settings: dict[Any, Any] = {"svg.fonttype": "none", "svg.hashsalt": study.case.name, "font.size": 9}
    with mpl.rc_context(settings):
        figure = Figure(figsize=(9.6, height), layout="constrained")
        left, right = figure.subplots(1, 2, width_ratios=(1, 1.05))
        _against(left, points, shapes, study.case.tolerance)
        _errors(right, points, shapes, study.case.tolerance)
        out = io.StringIO()
        figure.savefig(out, format="svg", metadata={"Date": None, "Creator": None})
    return out.getvalue()


def _against(axes: Any, points: list[Point], shapes: dict[tuple[str, str], str], tolerance: float) -> None:
    values = [value for p in points for value in (p.measured, p.predicted)]
    low, high = min(values) / 1.25, max(values) * 1.25
    ends = [low, high]
    axes.fill_between(ends, [v * (1 - tolerance) for v in ends], [v * (1 + tolerance) for v in ends], color=BAND, linewidth=0)
    axes.plot(ends, ends, color=SOFT, linewidth=0.8)
    for p in points:
        axes.plot([p.measured], [p.predicted], **_mark(p, shapes))
    for (quantity, unit), marker in shapes.items():
        axes.plot([], [], linestyle="", marker=marker, color="#333", markerfacecolor="none", label=f"{quantity} ({unit})")
    for verdict in VERDICTS:
        if any(p.verdict == verdict for p in points):
            axes.plot([], [], linestyle="", marker="s", color=COLOURS[verdict], label=verdict)
    axes.legend(fontsize=8, frameon=False, loc="upper left")
    axes.set(xlim=ends, ylim=ends, xlabel="measured", ylabel="predicted")
    if high / low > WIDE:
        axes.set(xscale="log", yscale="log")
        for axis in (axes.xaxis, axes.yaxis):
            axis.set_major_formatter(lambda value, _: f"{value:g}")
            axis.set_minor_formatter(lambda value, _: "")


def _errors(axes: Any, points: list[Point], shapes: dict[tuple[str, str], str], tolerance: float) -> None:
    axes.axvspan(-100 * tolerance, 100 * tolerance, color=BAND, linewidth=0)
    axes.axvline(0, color=SOFT, linewidth=0.8)
    for place, p in enumerate(points):
        axes.plot([100 * p.error], [place], **_mark(p, shapes))
    most = 100 * max(1.3 * tolerance, *(1.12 * abs(p.error) for p in points))
    axes.set(xlim=(-most, most), ylim=(len(points) - 0.4, -0.6), xlabel=f"error in %; band: ±{100 * tolerance:g} %")
    axes.set_yticks(range(len(points)), [f"{p.quantity}, row {p.row.number}" for p in points], fontsize=8)


def _mark(point: Point, shapes: dict[tuple[str, str], str]) -> dict[str, Any]:
    return {
        "linestyle": "",
        "marker": shapes[point.quantity, point.unit],
        "markersize": 6,
        "markerfacecolor": "none",
        "markeredgewidth": 1.4,
        "color": COLOURS[point.verdict],
    }

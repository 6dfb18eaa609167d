"""The picture of a comparison: response times and the use of centers, before and after."""

from __future__ import annotations

from collections.abc import Callable
from math import isnan
from typing import TYPE_CHECKING, Any

from qnsolve.results.digits import percent, short, signed, unit_of
from qnsolve.results.plotting import COLOURS, INK, titled

if TYPE_CHECKING:
    from qnsolve.analysis.compare import Comparison

USE = ("cpu_percent", "qr_percent", "ziip_percent", "busy_percent", "utilization")
WORDS = {"cpu_percent": "CPs", "qr_percent": "QR TCB", "ziip_percent": "zIIPs"}
SHOWN = 10  # centers, the fullest ones
WIDTH, LINE, REST = 9.0, 0.42, 1.3  # inches: the figure, a pair of bars, all else
THICK = 0.36  # of a bar
Pair = tuple[str, float, float]


def compare_figure(found: Comparison) -> Any:
    """The figure of a comparison of two networks or two systems."""
    times, uses = _pairs(found)
    unit, size = found.after.time_unit(), 1.0
    if found.after.chooses_units:
        unit, size = unit_of([value for _, *pair in times for value in pair], together=True) or (unit, size)
    times = [(name, before / size, after / size) for name, before, after in times]
    lead = found.sentences()[0] if found.sentences() else found.heading
    figure = titled(WIDTH, REST + LINE * max(len(times), len(uses), 3), lead, 8.5)
    left, right = figure.subplots(1, 2)
    count = max(len(times), len(uses))
    _bars(left, times, short, count)
    left.set(title="Response time", xlabel=f"response time [{unit}]")
    _bars(right, uses, percent, count)
    right.axvline(100, color=INK, lw=1.0, ls=(0, (6, 2)))
    right.set(title="Use of centers; the line is full", xlabel="used [%]", xlim=(0, 125))
    right.set_xticks(range(0, 101, 20))
    handles, words = left.get_legend_handles_labels()
    figure.legend(handles, words, loc="outside lower left", ncols=2, frameon=False, fontsize=7.5)
    return figure


def _pairs(found: Comparison) -> tuple[list[Pair], list[Pair]]:
    """Name, before and after: of response times, and of the fullest centers in percent, equal regions once."""
    times, uses = [], dict[str, Pair]()
    for row in found.rows():
        before, after = row["before"], row["after"]
        if isnan(before) or isnan(after):
            continue
        if row["figure"] == "response_time" and row["part"] in ("work", "classes"):
            times.append((row["name"], before, after))
        elif row["figure"] in USE and row["part"] != "pairs":
            scale = 100 if row["figure"] == "utilization" else 1
            name = f"{found.common_name(row['name'])} {WORDS.get(row['figure'], '')}".strip()
            uses.setdefault(name, (name, scale * before, scale * after))
    fullest = sorted(uses.values(), key=lambda pair: -max(pair[1:]))[:SHOWN]
    return times, fullest


def _bars(axes: Any, pairs: list[Pair], said: Callable[[float], str], count: int) -> None:
    """A pair of bars a name, in a place for `count`: before hatched, after full, with both figures and the change."""
    places = range(len(pairs))
    looks: tuple[dict[str, Any], ...] = (
        {"facecolor": "white", "edgecolor": COLOURS[0], "hatch": "////"},
        {"facecolor": COLOURS[1], "edgecolor": COLOURS[1]},
    )
    for k, (label, look) in enumerate(zip(("before", "after"), looks, strict=True)):
        heights = [place + (k - 0.5) * THICK for place in places]
        axes.barh(heights, [pair[1 + k] for pair in pairs], THICK * 0.9, label=label, lw=0.8, **look)
    for place, (_, before, after) in enumerate(pairs):
        change = f" ({signed(100 * (after / before - 1))} %)" if before and said(before) != said(after) else ""
        for k, (value, text) in enumerate(((before, said(before)), (after, said(after) + change))):
            spot = (value, place + (k - 0.5) * THICK)
            axes.annotate(text, spot, (3, 0), textcoords="offset points", va="center", fontsize=7, color=INK)
    axes.set_yticks(places, [name for name, *_ in pairs])
    axes.set_ylim(count - 0.4, -0.6)
    axes.margins(x=0.28)
    axes.tick_params(axis="y", length=0)

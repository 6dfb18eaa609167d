"""What all pictures share: settings of matplotlib, colours, marks and lines, and how they are written."""

from __future__ import annotations

import io
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

INK, SOFT, BAND = "#1d2730", "#5b6b7b", "#dfe7ef"
# told apart by people who do not see all colours; marks and strokes say the same in grey
COLOURS = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#7f5f00", "#56b4e9", "#000000")
MARKERS = ("o", "s", "^", "D", "v", "P", "X")
STROKES = ("-", "--", "-.", ":")
SETTINGS: dict[str, Any] = {
    "svg.fonttype": "none",  # text stays text: it can be read aloud, searched and scaled
    "svg.hashsalt": "qnsolve",  # the same figures give the same file
    "font.family": "sans-serif",
    "font.sans-serif": ["DejaVu Sans"],
    "font.size": 8,
    "axes.edgecolor": SOFT,
    "axes.linewidth": 0.8,
}
OPEN = {"axes.spines.top": False, "axes.spines.right": False, "axes.titlesize": 8.5, "axes.titlelocation": "left"}
NO_DATE = {"Date": None, "Creator": None}


@contextmanager
def drawn(more: dict[str, Any] | None = None) -> Iterator[None]:
    """The settings of all pictures, and more, while one is drawn and written."""
    import matplotlib as mpl  # imported here, because few commands draw

    settings: Any = SETTINGS | (more or {})
    with mpl.rc_context(settings):
        yield


def titled(width: float, height: float, heading: str, size: float = 9.5) -> Any:
    """A figure of so many inches with a heading and nothing else."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(width, height), layout="constrained")
    figure.suptitle(heading, x=0.01, ha="left", fontsize=size, fontweight="bold", color=INK, wrap=True)
    return figure


def plain_logarithm(axis: Any) -> None:
    """A logarithmic axis with marks at 1, 2 and 5, as plain numbers."""
    from matplotlib.ticker import FuncFormatter, LogLocator, NullLocator

    axis.set(major_locator=LogLocator(subs=(1, 2, 5)), minor_locator=NullLocator())
    axis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:g}"))


def svg(figure: Any) -> str:
    """A figure as SVG, the same text for the same figure."""
    out = io.StringIO()
    figure.savefig(out, format="svg", metadata=NO_DATE)
    return out.getvalue()


def png(figure: Any, dpi: int = 160) -> bytes:
    """A figure as PNG."""
    out = io.BytesIO()
    figure.savefig(out, format="png", dpi=dpi, metadata={"Software": None})
    return out.getvalue()


def look_of(place: int) -> dict[str, Any]:
    """Colour, mark and stroke of a series, by its place: no two of the first 28 look alike."""
    count = len(COLOURS)
    return {
        "color": COLOURS[place % count],
        "marker": MARKERS[place % count],
        "linestyle": STROKES[(place % count + place // count) % len(STROKES)],
    }

"""A model as a picture: its classes, the stations they visit, and the demands (SVG)."""

from __future__ import annotations

from html import escape

import qnsolve as qn

WIDE, HIGH, GAP, ROW, MARGIN = 172, 46, 62, 84, 12
MOST = 6  # boxes of stations in a line; of more, the first and the last are drawn


def drawing(model: qn.Network) -> str:
    """One line of boxes a class, joined by arrows; closed classes loop back."""
    lines = []
    most = 1
    for r, job_class in enumerate(model.classes):
        visited = [s for s in model.stations if job_class.demand(s.name) > 0]
        most = max(most, 1 + min(len(visited), MOST))
        lines.append(_line(job_class, visited, MARGIN + r * ROW, model.time_unit))
    width = 2 * MARGIN + most * WIDE + (most - 1) * GAP + 40
    height = 2 * MARGIN + len(model.classes) * ROW
    arrow = (
        '<defs><marker id="arrow" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="7" markerHeight="7" orient="auto">'
        '<path d="M0 0 L8 4 L0 8 z"/></marker></defs>'
    )
    label = escape(f"Model {model.name}")
    return (
        f'<svg class="model" xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" '
        f'viewBox="0 0 {width} {height}" role="img" aria-label="{label}">{arrow}{"".join(lines)}</svg>'
    )


def _line(
    job_class: qn.OpenClass | qn.ClosedClass, visited: list[qn.Queue | qn.Delay | qn.LoadDependent], y: int, unit: str
) -> str:
    if isinstance(job_class, qn.ClosedClass):
        below = f"{job_class.population} jobs, think {job_class.think_time:.4g} {unit}"
    else:
        below = f"arrive {job_class.arrival_rate:.5g}/{unit}"
    parts = [_box(MARGIN, y, job_class.name, below, "class")]
    middle = y + HIGH / 2
    x = MARGIN
    hidden = len(visited) - MOST
    for station in visited if hidden <= 0 else (*visited[: MOST - 1], visited[-1]):
        start, x = x + WIDE, x + WIDE + GAP
        if hidden > 0 and station is visited[-1]:
            parts.append(f'<text x="{start + GAP / 2}" y="{middle + 16}" class="demand">{hidden} more</text>')
        parts.append(_arrow(f"M{start} {middle} H{x - 3}"))
        demand = job_class.demand(station.name)
        parts.append(f'<text x="{start + GAP / 2 - 2}" y="{middle - 7}" class="demand">{_seconds(demand, unit)}</text>')
        parts.append(_box(x, y, station.name, _kind(station), "station"))
    end = x + WIDE
    if isinstance(job_class, qn.ClosedClass):
        under = y + HIGH + 14
        parts.append(_arrow(f"M{end} {middle} H{end + 16} V{under} H{MARGIN + WIDE / 2} V{y + HIGH + 3}"))
    else:
        parts.append(_arrow(f"M{end} {middle} H{end + 34}"))
    return "".join(parts)


def _kind(station: qn.Queue | qn.Delay | qn.LoadDependent) -> str:
    if isinstance(station, qn.Queue):
        return "1 server" if station.servers == 1 else f"{station.servers} servers"
    return "delay" if isinstance(station, qn.Delay) else "load dependent"


def _seconds(value: float, unit: str) -> str:
    scale = {"s": 1.0, "ms": 1e-3, "us": 1e-6}[unit]
    for factor, name in ((1.0, "s"), (1e-3, "ms"), (1e-6, "µs")):
        if value * scale >= factor or name == "µs":
            return f"{value * scale / factor:.4g} {name}"
    return ""


def _box(x: float, y: float, name: str, below: str, kind: str) -> str:
    corner = 22 if kind == "class" else 3
    return (
        f'<rect x="{x}" y="{y}" width="{WIDE}" height="{HIGH}" rx="{corner}" class="{kind}"/>'
        f'<text x="{x + WIDE / 2}" y="{y + 19}" class="name">{escape(name)}</text>'
        f'<text x="{x + WIDE / 2}" y="{y + 36}" class="below">{escape(below)}</text>'
    )


def _arrow(path: str) -> str:
    return f'<path d="{path}" class="flow" marker-end="url(#arrow)"/>'

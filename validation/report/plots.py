"""Measured against predicted, and the error of each figure: two pictures a case (SVG)."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from html import escape
from itertools import cycle

from ..case import VERDICTS, Point, Study

COLOURS = dict(zip(VERDICTS, ("#1a7f4b", "#b36b00", "#b3261e"), strict=True))
SOFT, BAND, INK = "#5b6b7b", "#e3e9f0", "#1d2730"
WIDE, HIGH, LEFT, BOTTOM, TOP = 440, 340, 62, 40, 12
LINE, LABEL = 17, 205  # height of a line of the errors, width of their labels
LOGARITHMIC = 4  # axes that span more than this factor are logarithmic
LETTERS = 33  # of a label, at most
SHAPES = {
    "circle": "M-4,0a4,4 0 1,0 8,0a4,4 0 1,0 -8,0z",
    "square": "M-3.6,-3.6h7.2v7.2h-7.2z",
    "diamond": "M0,-5L5,0L0,5L-5,0z",
    "up": "M0,-5L4.6,3.6H-4.6z",
    "down": "M0,5L4.6,-3.6H-4.6z",
}


def pictures(study: Study) -> tuple[str, str]:
    """Predicted over measured, and the errors by figure; bands show what counts as close."""
    points = _drawn(study)
    names = dict.fromkeys(_family(p) for p in points)
    shapes = dict(zip(names, cycle(SHAPES.values()), strict=False))
    return _against(points, shapes, study.case.tolerance), _errors(points, shapes, study.case.tolerance)


def plot(study: Study) -> str:
    """Both pictures beside each other, as a file."""
    left, right = pictures(study)
    high = max(HIGH, _high(len(_drawn(study))))
    inner = left.replace("<svg ", '<svg x="0" ', 1) + right.replace("<svg ", f'<svg x="{WIDE + 20}" ', 1)
    return _svg(2 * WIDE + 20, high, inner, study.case.name)


def _family(point: Point) -> str:
    return f"{point.quantity.split(', ')[0]} ({point.unit})"


def _against(points: Sequence[Point], shapes: dict[str, str], tolerance: float) -> str:
    values = [value for p in points for value in (p.measured, p.predicted)]
    low, high = min(values), max(values)
    scale, ticks = _scale(low, high)

    def x(value: float) -> float:
        return LEFT + scale(value) * (WIDE - LEFT - 12)

    def y(value: float) -> float:
        return HIGH - BOTTOM - scale(value) * (HIGH - BOTTOM - TOP)

    ends = _ends(low, high)
    band = [(v, v * (1 + tolerance)) for v in ends] + [(v, v * (1 - tolerance)) for v in reversed(ends)]
    clip = '<clipPath id="axes"><rect x="{}" y="{}" width="{}" height="{}"/></clipPath>'
    area = (LEFT, TOP, WIDE - LEFT - 12, HIGH - BOTTOM - TOP)
    parts = [
        clip.format(*area),
        '<g clip-path="url(#axes)">'
        f'<polygon points="{" ".join(f"{x(a):.1f},{y(b):.1f}" for a, b in band)}" fill="{BAND}"/>'
        f'<path d="M{x(ends[0]):.1f},{y(ends[0]):.1f}L{x(ends[1]):.1f},{y(ends[1]):.1f}" stroke="{SOFT}" fill="none"/></g>',
        f'<rect x="{area[0]}" y="{area[1]}" width="{area[2]}" height="{area[3]}" fill="none" stroke="{SOFT}"/>',
    ]
    for tick in ticks:
        parts.append(_text(x(tick), HIGH - BOTTOM + 15, f"{tick:g}", "middle"))
        parts.append(_text(LEFT - 6, y(tick) + 4, f"{tick:g}", "end"))
        parts.append(f'<path d="M{x(tick):.1f},{HIGH - BOTTOM}v4M{LEFT},{y(tick):.1f}h-4" stroke="{SOFT}"/>')
    parts += [_mark(x(p.measured), y(p.predicted), shapes[_family(p)], COLOURS[p.verdict]) for p in points]
    parts.append(_text((LEFT + WIDE) / 2, HIGH - 6, "measured", "middle"))
    middle = (HIGH - BOTTOM + TOP) / 2
    parts.append(f'<g transform="translate(13,{middle}) rotate(-90)">{_text(0, 0, "predicted", "middle")}</g>')
    for place, (name, shape) in enumerate(shapes.items()):
        parts.append(_mark(LEFT + 14, TOP + 14 + 16 * place, shape, INK))
        parts.append(_text(LEFT + 24, TOP + 18 + 16 * place, name, "start"))
    return _svg(WIDE, HIGH, "".join(parts), "predicted over measured")


def _errors(points: Sequence[Point], shapes: dict[str, str], tolerance: float) -> str:
    most = 100 * max(1.3 * tolerance, *(1.1 * abs(p.error) for p in points))
    high = _high(len(points))

    def x(percent: float) -> float:
        return LABEL + (percent / most + 1) / 2 * (WIDE - LABEL - 10)

    base = high - BOTTOM
    parts = [
        f'<rect x="{x(-100 * tolerance):.1f}" y="{TOP}" width="{x(100 * tolerance) - x(-100 * tolerance):.1f}" '
        f'height="{base - TOP}" fill="{BAND}"/>',
        f'<path d="M{x(0):.1f},{TOP}V{base}M{LABEL},{base}H{WIDE - 10}" stroke="{SOFT}" fill="none"/>',
    ]
    for place, p in enumerate(points):
        y = TOP + LINE * (place + 0.5)
        parts.append(_text(LABEL - 6, y + 4, _short(p), "end"))
        parts.append(f'<path d="M{x(0):.1f},{y:.1f}H{x(100 * p.error):.1f}" stroke="{COLOURS[p.verdict]}" opacity=".4"/>')
        parts.append(_mark(x(100 * p.error), y, shapes[_family(p)], COLOURS[p.verdict]))
    step = _step(2 * most, 5)
    for n in range(-math.floor(most / step), math.floor(most / step) + 1):
        parts.append(_text(x(n * step), base + 15, f"{n * step:+g}" if n else "0", "middle"))
    parts.append(_text((LABEL + WIDE) / 2, high - 6, f"error in %; band: ±{100 * tolerance:g} %", "middle"))
    return _svg(WIDE, high, "".join(parts), "errors")


def _drawn(study: Study) -> list[Point]:
    """The predicted figures; identities where there is nothing else."""
    return study.predicted or study.points


def _short(point: Point) -> str:
    row = f", row {point.row.number}"
    name = point.quantity
    return (name if len(name) + len(row) <= LETTERS else name[: LETTERS - len(row) - 1] + "…") + row


def _high(points: int) -> int:
    return TOP + LINE * points + BOTTOM


def _ends(low: float, high: float) -> tuple[float, float]:
    if high / low > LOGARITHMIC:
        return low / 1.3, high * 1.3
    room = max(0.12 * (high - low), 0.06 * high)
    return low - room, high + room


def _scale(low: float, high: float) -> tuple[Callable[[float], float], list[float]]:
    """From a value to 0..1, and the values to be marked."""
    first, last = _ends(low, high)
    if high / low > LOGARITHMIC:
        span = math.log(last / first)
        powers = range(math.floor(math.log10(first)), math.ceil(math.log10(last)) + 1)
        digits = (1,) if span > 7 else (1, 2, 5)
        ticks = [digit * 10.0**power for power in powers for digit in digits if first <= digit * 10.0**power <= last]
        return lambda value: math.log(max(value, first * 1e-3) / first) / span, ticks
    step = _step(last - first, 5)
    ticks = [n * step for n in range(math.ceil(first / step), math.floor(last / step) + 1)]
    return lambda value: (value - first) / (last - first), ticks


def _step(span: float, most: int) -> float:
    """1, 2 or 5 times a power of ten, so that at most so many fit the span."""
    power = 10.0 ** math.floor(math.log10(span / most))
    return next(digit * power for digit in (1, 2, 5, 10) if span / (digit * power) <= most)


def _mark(x: float, y: float, shape: str, colour: str) -> str:
    return f'<path d="{shape}" transform="translate({x:.1f},{y:.1f})" fill="#fff" stroke="{colour}" stroke-width="1.6"/>'


def _text(x: float, y: float, words: str, anchor: str) -> str:
    return f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}">{escape(words)}</text>'


def _svg(wide: float, high: float, inner: str, label: str) -> str:
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" class="plot" width="{wide}" height="{high}" viewBox="0 0 {wide} {high}" '
        f'role="img" aria-label="{escape(label)}" font-family="system-ui,Arial,sans-serif" font-size="11" fill="{INK}">'
        f"{inner}</svg>"
    )

"""The first step of a fit of a system: CPU times by the utilization law of LPARs, QR TCBs and the work itself."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from qnsolve.errors import ModelError, SaturatedError
from qnsolve.fitting.measured_rows import QR, MeasuredRows, complete
from qnsolve.fitting.sketch import OpenFigure
from qnsolve.measure.checked_series import Array
from qnsolve.measure.demands.linear_law import linear_law
from qnsolve.measure.demands.told_apart import entangled, odd_rows

from .estimates import FigureEstimate, FitState, full
from .system_points import TINY, SystemPoints

CPU = ("qr_cpu", "ro_cpu", "open_cpu", "jvm_cpu", "cpu", "system_cpu", "fixed_cpu", "change_mode_cpu")
UNIT = 1e-4  # of a figure, to see what depends on it [s]
SAME = 1e-9  # of the cosine between two columns that are one
NOTHING = 1e-9  # servers in use that count as none
SHOWN = 3  # regions of an error
RATE = 1e-3  # of the work, at which nothing queues [1/s]


def system_step(points: SystemPoints, rows: MeasuredRows, found: FitState) -> None:
    """CPU figures of a sketch, from what tells most about each: QR TCBs, then CPU by work, then LPARs."""
    figures = [each for each in points.sketch.figures if each.place[-1] in CPU]
    if not figures:
        return
    effects = _Effects(points, figures)
    for kind in ("qr", "used", "used_ziip", "lpar"):
        for center in effects.centers(kind):
            left = [each for each in figures if each.name not in found.estimates]
            if left:
                _center(kind, center, left, effects, points, rows, found)


class _Effects:
    """How much each figure and all that is known add to each center, for one transaction of each work a second."""

    def __init__(self, points: SystemPoints, figures: list[OpenFigure]) -> None:
        self.points, self.figures = points, figures
        self.work = [each.name for each in points.system.work]
        low = dict.fromkeys((each.name for each in figures), UNIT)  # not 0: without CPU on a TCB a task does not change to it
        self.idle = self._loads(low, None)
        self.base = {name: self._loads(low, name) for name in self.work}
        self.more: dict[tuple[str, str | None], dict[tuple[str, str], float]] = {}
        for figure in figures:
            raised = {**low, figure.name: 2 * UNIT}
            self.more[figure.name, None] = self._loads(raised, None)
            for name in self.work:
                self.more[figure.name, name] = self._loads(raised, name)

    def centers(self, kind: str) -> list[str]:
        """Names of the centers of a kind."""
        return [name for what, name in self.idle if what == kind]

    def fixed(self, center: tuple[str, str], figure: str | None = None) -> float:
        """Servers in use without work; with a figure, for each unit of it."""
        if figure is None:
            return self.idle[center] - UNIT * sum(self.fixed(center, each.name) for each in self.figures)
        return (self.more[figure, None][center] - self.idle[center]) / UNIT

    def each(self, center: tuple[str, str], work: str, figure: str | None = None) -> float:
        """Servers in use for each transaction a second; with a figure, for each unit of it."""
        own = self.base[work][center] - self.idle[center]
        if figure is None:
            return own / RATE - UNIT * sum(self.each(center, work, each.name) for each in self.figures)
        raised = self.more[figure, work][center] - self.more[figure, None][center]
        return (raised - own) / RATE / UNIT

    def moves(self, center: tuple[str, str], work: str) -> bool:
        """Whether the work uses the center, or would with some value of a figure."""
        figures = [None, *(each.name for each in self.figures)]
        return any(abs(self.each(center, work, figure)) > NOTHING for figure in figures)

    def use(self, center: tuple[str, str], rates: Mapping[str, Array], count: int, figure: str | None = None) -> Array:
        """Servers in use (n,) without the figures; with one, for each unit of it."""
        found = np.full(count, self.fixed(center, figure))
        for name, rate in rates.items():
            by = self.each(center, name, figure)
            if abs(by) > NOTHING:
                found = found + by * rate
        return found

    def _loads(self, values: Mapping[str, float], running: str | None) -> dict[tuple[str, str], float]:
        """Servers in use at each center when one work runs, or none."""
        system = self.points.at(values, {})
        for work in system.work:
            rate = RATE if work.name == running else TINY
            system = system.replace(work.name, rate=rate, users=None, think_time=0.0)
        try:
            answer = system.bounds()
        except SaturatedError:  # what is known fills a center by itself
            answer = system.solve()
        found: dict[tuple[str, str], float] = {}
        for lpar in answer.lpars:
            found["lpar", lpar.name] = lpar.cpu_percent / 100 * lpar.engines
        for region in answer.regions:
            if np.isfinite(region.qr_cpu_percent):
                found["qr", region.name] = region.qr_cpu_percent / 100
        for each in answer.work:
            found["used", each.name] = each.cpu * (RATE if each.name == running else 0.0)
            found["used_ziip", each.name] = each.ziip_cpu * (RATE if each.name == running else 0.0)
        return found


def _center(
    kind: str,
    center: str,
    left: list[OpenFigure],
    effects: _Effects,
    points: SystemPoints,
    rows: MeasuredRows,
    found: FitState,
) -> None:
    """The figures that one center informs, where its use is measured."""
    used = _used(kind, center, points, rows)
    place = (kind, center)
    if used is None:
        return
    rates = {name: rows.column(name, "rate") for name in effects.work if rows.has(name, "rate")}
    if any(effects.moves(place, name) for name in effects.work if name not in rates):
        return
    known = effects.use(place, rates, len(rows))
    columns, figures, measured = [], [], []
    for figure in effects.figures:
        column = effects.use(place, rates, len(rows), figure.name)
        if not np.nanmax(np.abs(column)) > NOTHING:
            continue
        if figure.name in found.estimates:
            known = known + column * found.estimates[figure.name].value
        elif figure in left:
            columns.append(column)
            figures.append(figure)
            measured.append(bool(np.nanmax(column) > np.nanmin(column)))
    if not figures:
        return
    series = f"{center}.{'busy' if kind in ('qr', 'lpar') else kind}"
    if kind == "lpar" and all(measured):
        columns.append(np.ones(len(rows)))
        measured.append(False)
    keep = complete([*columns, used - known])
    if keep.sum() < len(columns) + 2:
        return
    _apart(figures, np.column_stack(columns[: len(figures)])[keep], series, _other_regions(points, rows))
    law = linear_law(np.column_stack(columns)[keep], (used - known)[keep], np.array(measured))
    draws = full(law.draws)
    for i, figure in enumerate(figures):
        ends = float(law.numbers[i]), float(law.lowest[i]), float(law.highest[i])
        found.add(FigureEstimate(figure, *ends, draws[:, i], series, len(law.left)))
    found.findings += entangled([each.name for each in figures], [c[keep] for c in columns[: len(figures)]], law, rows.unit)
    for i, size in odd_rows(law):
        at = int(np.flatnonzero(keep)[i])
        said = f"{series} is {used[at]:.3g} engines, the fit says {law.fitted[i] + known[at]:.3g}"
        found.findings.append(f"{rows.row_name(at)}: {said}, {size:.0f} times the usual error")
    if len(columns) > len(figures) and law.lowest[-1] > 0:
        extra = float(law.numbers[-1])
        found.findings.append(f'{center} uses {extra:.3g} engines without this work: write fixed_cpu = "fit"')


def _other_regions(points: SystemPoints, rows: MeasuredRows) -> list[str]:
    """Regions whose QR TCB was measured and that the sketch does not have."""
    known = {each.name for each in points.system.regions}
    measured = (each for each in rows.intervals.series if each.quantity == "busy" and each.resource == QR and each.region)
    return list(dict.fromkeys(each.region for each in measured if each.region not in known))


def _apart(figures: list[OpenFigure], columns: Array, series: str, regions: list[str]) -> None:
    """Refuse figures of which the series knows a sum alone, as the CPU of work on the QR TCB and on open TCBs.

    `regions` are those whose QR TCB was measured under another name.
    """
    units = columns / np.linalg.norm(columns, axis=0)
    alike = units.T @ units > 1 - SAME
    for i, each in enumerate(figures):
        other = next((j for j in range(i) if alike[i, j]), None)
        if other is not None:
            rule = f"cannot be told apart by {series}, which knows their sum"
            repair = "add the busy time of the QR TCB (DSGACT of the region), or write a number for one of them"
            if regions:
                have = f"the data have the QR TCB of {', '.join(regions[:SHOWN])}"
                repair = f"{have}: --rename {regions[0]}=NAME gives it the name in the sketch"
            raise ModelError(f"{figures[other].name}, {each.name}", rule, repair)


def _used(kind: str, center: str, points: SystemPoints, rows: MeasuredRows) -> Array | None:
    """Servers in use of a center, as measured (n,)."""
    if kind in ("used", "used_ziip"):
        return rows.column(center, kind) if rows.has(center, kind) else None
    if not rows.has(center, "busy"):
        return None
    busy = rows.column(center, "busy")
    if kind == "qr":
        return busy
    lpar = next(each for each in points.system.lpars if each.name == center)
    return busy * float(lpar.processors.engines)

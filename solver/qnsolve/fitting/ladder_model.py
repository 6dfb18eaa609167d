"""A measured ladder of loads without a sketch: the closed network of `fit_ladder`, its figures and their intervals."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from qnsolve.analysis.runs.points import LongRun
from qnsolve.errors import ModelError, counted
from qnsolve.files.model_file import network_to_data
from qnsolve.measure.checked_series import Array, Values
from qnsolve.measure.intervals.interval_table import Intervals
from qnsolve.measure.intervals.quantities import PERCENTILES
from qnsolve.measure.ladders.closed_curve import Curves
from qnsolve.measure.ladders.ladder_fit import LadderFit, fit_ladder
from qnsolve.measure.ladders.response_widths import ResponseWidths, response_widths
from qnsolve.measure.ladders.think_from_percentiles import think_from_percentiles

from .fitted_file import FittedFigure
from .fitted_model import Fit
from .judging import judged, left_out
from .known_servers import servers_of
from .ladder_spread import curves_alike
from .measured_rows import MeasuredRows, complete
from .sketch import Sketch
from .steps.estimates import correlations

HELD_OUT = 0.25  # of the rows, the highest loads
ENOUGH = 5  # distinct loads below which none is left out unless that is asked for
FEWEST = 2  # distinct loads of a fit
DRIFT = 0.05  # standard deviation of the logarithm of percentile over mean for each doubling of the load beyond the rows
NORMAL = 1.96
DELAY = "delay"  # the station of the network that is none
SHOWN = 5  # numbers of servers in an error


def is_ladder(intervals: Intervals) -> bool:
    """Whether the rows are one kind of work at several numbers of users."""
    names = intervals.names("users")
    if len(names) != 1 or not intervals.has("rate", names[0]) or len(intervals.names("rate")) != 1:
        return False
    users = intervals.column("users", names[0])
    return len(np.unique(users[~np.isnan(users)])) >= FEWEST


def ladder_fit(intervals: Intervals, held_out: float | NDArray[np.bool_] | None) -> Fit:
    """The ladder as a closed network, and errors on the highest loads of a fit to the others."""
    ladder = _Ladder(intervals)
    ladder.check_servers()
    loads = ladder.users
    distinct = np.unique(loads)
    default = HELD_OUT if len(distinct) >= ENOUGH else 0.0
    marks, refit = left_out(held_out, np.argsort(loads, kind="stable"), default)
    if refit and marks.any():  # whole loads
        marks = loads >= loads[marks].min()
        marks = loads > distinct[FEWEST] if len(np.unique(loads[~marks])) <= FEWEST and len(distinct) > FEWEST + 1 else marks
    errors: Any = ()
    judge, judges = None, np.zeros(len(intervals), dtype=bool)
    if marks.any() and len(np.unique(loads[~marks])) >= FEWEST:
        part = _Ladder(intervals.rows_where(ladder.keep)).where(~marks)
        predictor = LadderPredictor(part)
        errors = judged(predictor, MeasuredRows(intervals.rows_where(ladder.keep)).where(marks))
        judge, judges[ladder.keep] = _answer(predictor), marks
        if not refit:
            rows_used = f"{int((~marks).sum())} of {len(marks)} intervals"
            return replace(judge, held_out=errors, rows_used=rows_used, left_out=judges)
    return replace(_answer(LadderPredictor(ladder)), held_out=errors, judge=judge, left_out=judges)


class _Ladder:
    """The columns of a ladder."""

    def __init__(self, intervals: Intervals) -> None:
        self.name = intervals.names("users")[0]
        rows = MeasuredRows(intervals)
        self.keep = complete([rows.column(self.name, "users"), rows.column(self.name, "rate")])
        self.rows = rows.where(self.keep)
        self.notes: list[str] = []
        if not self.keep.all():
            self.notes.append(f"left out without users or rate: {counted(int((~self.keep).sum()), 'row')}")
        self.users, self.rates = self._column("users"), self._column("rate")
        if not len(self.users):
            raise ModelError("intervals", "must have rows with users and a rate", "give both in a row", 0)

    def where(self, keep: NDArray[np.bool_]) -> _Ladder:
        """The marked rows."""
        return _Ladder(self.rows.where(keep).intervals)

    def _column(self, quantity: str) -> Array:
        return self.rows.column(self.name, quantity)

    def check_servers(self) -> None:
        """Refuse rows of several numbers of servers: each number has a ladder of its own."""
        for name in self.rows.names("servers"):
            values = self.rows.column(name, "servers")
            counts = np.unique(values[~np.isnan(values)])
            if len(counts) > 1:
                shown = ", ".join(f"{count:g}" for count in counts[:SHOWN]) + (", ..." if len(counts) > SHOWN else "")
                title = f"{name}.servers" if name else "servers"
                rule = f"must be one number in a ladder, here {len(counts)}: {shown}"
                raise ModelError(title, rule, "give the rows of each number in a file of their own, and fit each")

    def responses(self) -> Array | None:
        """R (n,), where every row has one."""
        if not self.rows.has(self.name, "response_time"):
            return None
        found = self._column("response_time")
        if np.isnan(found).any():
            self.notes.append("responses are left out: not every row has one")
            return None
        return found

    def busy(self) -> tuple[str, Array, int] | None:
        """The resource whose utilization is measured, its values, and its servers."""
        names = self.rows.names("busy")
        if len(names) != 1:
            return None
        values = self.rows.column(names[0], "busy")
        if np.isnan(values).any():
            return None
        servers = servers_of(self.rows, names[0])
        if servers is None and len(self.rows.names("servers")) == 1:
            servers = servers_of(self.rows, self.rows.names("servers")[0])
        return names[0], np.minimum(values, 1.0), servers or 1

    def think_time(self) -> float | None:
        """Z, where it is measured."""
        if not self.rows.has(self.name, "think_time"):
            return None
        return float(np.nanmedian(self._column("think_time")))


class LadderPredictor:
    """A fitted ladder, and what it says of other loads: rates, responses and their percentiles, utilization."""

    def __init__(self, ladder: _Ladder) -> None:
        self.ladder, self.given = ladder, {f"{ladder.name}.users"}
        busy = ladder.busy()
        more: dict[str, Any] = {} if busy is None else {"busy": busy[1], "servers": busy[2]}
        responses, think = ladder.responses(), ladder.think_time()
        self.findings: list[str] = []
        if responses is None and think is None:
            think = self._think_from_percentiles()
        self.fit: LadderFit = fit_ladder(ladder.users, ladder.rates, responses, think_time=think, **more)
        self.resource = "" if busy is None else busy[0]
        self.widths = self._widths()

    def _think_from_percentiles(self) -> float | None:
        """Z, where responses are known by their percentiles only and these show it; what is assumed is a finding."""
        ladder = self.ladder
        known = {q: ladder.rows.column(ladder.name, q) for q in PERCENTILES if ladder.rows.has(ladder.name, q)}
        if not known:
            return None
        think = think_from_percentiles(ladder.users, ladder.rates, known)
        if think is None:
            text = "no mean response and no think time is measured: responses are load/rate, as of users that do not think"
            self.findings.append(f"{text}; with a column think_time, or a mean response, they are without it")
        else:
            text = f"load/rate is {think:.4g} longer than responses with the measured percentiles"
            self.findings.append(f"{text}: taken as think time (Little's law)")
        return think

    def _widths(self) -> ResponseWidths | None:
        """How responses spread around their means, where percentiles were measured."""
        ladder, measured = self.ladder, {}
        means = self.fit.predict(ladder.users).response_times
        for quantity, level in PERCENTILES.items():
            if ladder.rows.has(ladder.name, quantity):
                values = ladder.rows.column(ladder.name, quantity)
                there = (values > 0) & (means > 0)
                if there.any():
                    measured[quantity] = level, np.log(np.where(there, values, np.nan) / np.where(there, means, 1.0))
        return response_widths(self.fit.curve, ladder.users, measured) if measured else None

    def on(self, _: LongRun) -> LadderPredictor:
        """The same: all loads are solved at once."""
        return self

    def __call__(self, intervals: Intervals) -> dict[str, Array]:
        """Columns (n,) at the users of intervals."""
        if not intervals.has("users", self.ladder.name):
            raise ModelError("intervals", f"must have the series {self.ladder.name}.users", "name the load so")
        return self.at_loads(intervals.column("users", self.ladder.name))

    def at_loads(self, loads: Values) -> dict[str, Array]:
        """Columns (n,) at numbers of users."""
        there = self.fit.predict(loads)
        name = f"{self.ladder.name}." if self.ladder.name else ""
        found = {f"{name}users": there.loads, f"{name}rate": there.rates}
        found |= {f"{name}rate.lowest": there.lowest_rates, f"{name}rate.highest": there.highest_rates}
        title = f"{name}response_time"
        low, high = there.lowest_response_times, there.highest_response_times
        found |= {title: there.response_times, f"{title}.lowest": low, f"{title}.highest": high}
        beyond = np.log2(np.maximum(there.loads / self.ladder.users.max(), 1.0))
        for quantity in () if self.widths is None else self.widths.offsets:
            assert self.widths is not None
            title = f"{name}{quantity}"
            middle, *sides = self.widths.over_mean(quantity, PERCENTILES[quantity], there.loads)
            wide = NORMAL * np.hypot(self.widths.noise, DRIFT * beyond)
            found[title] = values = there.response_times * np.exp(middle)
            with np.errstate(divide="ignore"):  # a lowest response of 0, where nearly all of the cycle is thinking
                ends = np.log(low / there.response_times), np.log(high / there.response_times)
            for side, end, sign, suffix in zip(sides, ends, (-1, 1), ("lowest", "highest"), strict=True):
                found[f"{title}.{suffix}"] = values * np.exp(sign * np.hypot(np.hypot(end, wide), side - middle))
        if there.busy is not None and self.resource:
            found[f"{self.resource}.busy"] = there.busy
        return found


def _answer(predictor: LadderPredictor) -> Fit:
    fit, ladder = predictor.fit, predictor.ladder
    load = int(ladder.users.max())
    data = _data(fit, load, ladder.name or "jobs")
    drawn_curves, alike = curves_alike(fit)
    figures, drawn = [], []
    source = ", ".join(
        f"{ladder.name}.{q}".removeprefix(".") for q in ("users", "rate", "response_time") if ladder.rows.has(ladder.name, q)
    )
    spread = zip(_figures(fit, data, drawn_curves), _figures(fit, data, alike), strict=True)
    for (name, place, value, draws), (*_, others) in spread:
        lowest, highest = min(float(others.min()), value), max(float(others.max()), value)
        figures.append(FittedFigure(name, value, lowest, highest, source, len(ladder.users), place))
        drawn.append(draws - value)
    limit = {
        "measured": f"the rows reach the highest rate, {fit.capacity:.4g}/s",
        "servers": f"the highest rate, {fit.capacity:.4g}/s, is that of full servers: the rows do not reach it",
        "unknown": f"the rows do not show the highest rate: {fit.capacity:.4g}/s is a guess, measure higher loads",
    }[fit.limit]
    return Fit(
        model=Sketch(data, (), (), "").model({}),
        figures=tuple(figures),
        correlations=correlations(drawn),
        held_out=(),
        source=ladder.rows.source,
        rows_used=ladder.rows.described(),
        findings=(limit, *fit.notes, *predictor.findings),
        notes=tuple(ladder.notes),
        data=data,
        predictor=predictor,
        loads=fit,
    )


def _data(fit: LadderFit, load: int, name: str) -> dict[str, Any]:
    """The tables of the network's file, the class under its own name."""
    data = network_to_data(fit.network(load))
    data["name"] = "fitted ladder"
    if law := fit.speed_law():  # speeds at other loads than that of the file too
        del data["stations"][0]["rates"]
        data["stations"][0] |= law
    taken = {each["name"] for each in data["stations"]}
    data["classes"][0]["name"] = name if name not in taken else f"{name} jobs"
    for each in data["classes"]:
        each["demands"] = dict(each["demands"])
    return data


def _figures(fit: LadderFit, data: dict[str, Any], curves: Curves) -> list[tuple[str, tuple[str | int, ...], float, Array]]:
    """Name, place, value and draws of the figures of the network."""
    job_class = data["classes"][0]
    name = job_class["name"]
    law = data["stations"][0]["type"] == "load_dependent"
    each = 1 / curves.speeds(1)[:, 0] if law else curves.servers / curves.capacity
    found: list[tuple[str, tuple[str | int, ...], float, Array]] = []
    for station, demand in job_class["demands"].items():
        draws = np.maximum(curves.delay, 0.0) if station == DELAY else each / fit.nodes
        found.append((f"{name}.demands.{station}", ("classes", 0, "demands", station), float(demand), draws))
    for i, station in enumerate(data["stations"]):
        if not law and "servers" in station:
            place: tuple[str | int, ...] = ("stations", i, "servers")
            draws = np.asarray(curves.servers) / fit.nodes
            found.append((f"{station['name']}.servers", place, float(station["servers"]), draws))
    return found

"""Figures that cannot be: below 0, above all there is, percentiles out of order, responses of no time."""

from __future__ import annotations

from itertools import pairwise

import numpy as np

from qnsolve.measure.intervals.quantities import PERCENTILES

from .examined import Array, Examined, Mask, MeasuredOwner, amount, runs
from .ratio_check import MERGE

ROUNDED = 0.005  # by which printed shares exceed 1
SHARES = ("busy", "capped")
ORDER = tuple(PERCENTILES)
BEYOND = {"response_p50": 2.0, "response_p90": 10.0, "response_p95": 20.0, "response_p99": 100.0}  # Markov's inequality
LOOSE = 1.02  # printed digits
PHYSICAL = "physical"  # processors of the CPC, of which each LPAR has a share
PERCENT = 1.5  # a median share above it is in percent


def check_ranges(x: Examined) -> None:
    """Add what cannot be."""
    for j, series in enumerate(x.intervals.series):
        negative = x.values[:, j] < 0
        if series.quantity != "figure" and negative.any():
            _told(x, "impossible", x.titles[j], negative, x.values[:, j], 0.0, series.unit, "is below 0: {}")
    for each in x.resources:
        for quantity in SHARES:
            if quantity in each.columns:
                _share(x, each, quantity)
    for work in x.works:
        _responses(x, work)
        _times(x, work)
    _sums(x)


def _told(
    x: Examined,
    kind: str,
    series: str,
    rows: Mask,
    values: Array,
    expected: float | Array,
    unit: str,
    text: str,
    severity: str = "wrong",
) -> None:
    """A finding for each run of rows, for all together where there are many; `text` takes the value and what is expected."""
    found = runs(rows)
    parts = [np.flatnonzero(rows)] if len(found) > MERGE else [np.arange(a, b + 1) for a, b in found]
    for at in parts:
        mine = np.zeros(len(rows), dtype=bool)
        mine[at] = True
        value = float(np.median(values[at]))
        limit = float(np.median(np.broadcast_to(expected, values.shape)[at]))
        said = f"{series} {text.format(amount(value), amount(limit))}"
        x.add(kind, severity, series, mine, said, (value, limit, unit))


def _share(x: Examined, each: MeasuredOwner, quantity: str) -> None:
    values, title = each.columns[quantity], each.title(quantity)
    high = values > 1 + ROUNDED
    if not high.any():
        return
    there = values[~np.isnan(values)]
    if float(np.median(there)) > PERCENT:
        text = f"{title} is {amount(float(np.median(there)))} in the median, where 1 is all: it looks like percent"
        x.add("units", "wrong", title, ~np.isnan(values), text, (float(np.median(there)), 1.0, "1"))
        return
    _told(x, "impossible", title, high, values, 1.0, "1", "is {}, where 1 is all")


def _responses(x: Examined, work: MeasuredOwner) -> None:
    columns, rate = work.columns, x.rate(work)
    mean = columns.get("response_time")
    levels = [name for name in ORDER if name in columns]
    for low, high in pairwise(levels):
        wrong = columns[low] > columns[high] * LOOSE
        if wrong.any():
            text = f"{{}} s is below {work.title(low)} {{}} s: percentiles are out of order"
            _told(x, "impossible", work.title(high), wrong, columns[high], columns[low], "s", text)
    if mean is None:
        return
    for name in levels:
        most = BEYOND[name] * mean
        wrong = columns[name] > most * LOOSE
        if wrong.any():
            text = "is {} s; at this mean response no such percentile is above {} s"
            _told(x, "impossible", work.title(name), wrong, columns[name], most, "s", text)
        elif name in ("response_p95", "response_p99") and (columns[name] < mean / LOOSE).any():
            below = columns[name] < mean / LOOSE
            other = float(np.median(mean[below] / np.maximum(columns[name][below], 1e-300))) > 100
            below &= other | ~_long_tail(work, name, mean)
            if other:
                text = "{} s is below the mean response {} s; one of them is in another unit"
                _told(x, "units", work.title(name), below, columns[name], mean, "s", text)
            elif below.any():
                text = "{} s is below the mean response {} s: are there a few very long ones, such as time-outs?"
                _told(x, "impossible", work.title(name), below, columns[name], mean, "s", text, "look")
    if "response_p50" in columns and "response_deviation" in columns:
        apart = np.abs(columns["response_p50"] - mean)
        wrong = apart > columns["response_deviation"] * LOOSE * 1.05
        if wrong.any():
            text = "{} s: median and mean are further apart, {} s, than a standard deviation"
            _told(x, "impossible", work.title("response_deviation"), wrong, columns["response_deviation"], apart, "s", text)
    if rate is not None:
        none = (mean == 0) & (rate > 0)
        if none.any():
            _told(x, "impossible", work.title("response_time"), none, mean, np.nan, "s", "is {} s, though work ended")


def _long_tail(work: MeasuredOwner, name: str, mean: Array) -> Mask:
    """Rows where a higher percentile or the deviation shows responses so long that a percentile is below the mean.

    For a percentile q of share p below the mean, Cantelli's inequality asks for a deviation of (mean - q)·√(p/(1 - p)).
    """
    shown = np.zeros(len(mean), dtype=bool)
    for higher in ORDER[ORDER.index(name) + 1 :]:
        if higher in work.columns:
            shown |= work.columns[higher] > mean
    if "response_deviation" in work.columns:
        share = float(name.removeprefix("response_p")) / 100
        least = (mean - work.columns[name]) * np.sqrt(share / (1 - share))
        shown |= work.columns["response_deviation"] * LOOSE >= least
    return shown


def _times(x: Examined, work: MeasuredOwner) -> None:
    if {"cpu_time", "response_time"} <= set(work.columns):
        cpu, response = work.columns["cpu_time"], work.columns["response_time"]
        with np.errstate(divide="ignore", invalid="ignore"):
            ratio = np.where(response > 0, cpu / response, np.nan)
        wrong = ratio > 50
        if wrong.any():
            text = "is {} s at a response of {} s: one of them is in another unit"
            _told(x, "units", work.title("cpu_time"), wrong, cpu, response, "s", text)


def _sums(x: Examined) -> None:
    """CPU of work and of LPARs is within the servers there are."""
    for each in x.processors():
        servers = x.servers_of(each)
        if servers is None:
            continue
        for work in x.works:
            if work.beside(each) and "used" in work.columns:
                wrong = work.columns["used"] > servers * (1 + ROUNDED) + 0.01
                if wrong.any():
                    text = f"is {{}}, {each.name} has {{}} servers"
                    _told(x, "impossible", work.title("used"), wrong, work.columns["used"], servers, "servers", text)
    for system in dict.fromkeys(each.system for each in x.resources):
        mine = [each for each in x.resources if each.system == system and each.lpar and PHYSICAL in each.name.split("/")]
        parts = [each.columns["busy"] for each in mine if "busy" in each.columns]
        if len(parts) > 1:
            total = np.nan_to_num(np.column_stack(parts)).sum(axis=1)
            wrong = total > 1 + ROUNDED * len(parts)
            if wrong.any():
                text = "of all LPARs together is {} of the CPC, where {} is all"
                _told(x, "impossible", f"{PHYSICAL}.busy", wrong, total, 1.0, "1", text)

"""Utilization against rates: rows far off, breaks in the CPU of a job, clocks that are shifted, starts that cost more."""

from __future__ import annotations

import numpy as np

from qnsolve.errors import counted

from .examined import Array, Examined, Mask, MeasuredOwner, amount, percent, runs, spread
from .load_checks import ramp
from .residuals import Explained, explained, rates_beside

FAR, SHORT = 6.0, 40.0  # deviations from which a row is far off, and more where few rows are beyond the numbers fitted
SIZE = 0.06  # of the use: less is not reported
MANY = 0.2  # share of rows that cannot be outliers
NAMED = 6
STEP, SIGMAS = 0.035, 5.0  # of the use, and deviations of the difference of two means, from which a level shifted
SEGMENT = 5  # rows of a level at least
LEVELS = 3  # breaks of one series at most
LAGS = 6  # rows that a clock may be shifted
FITS, BETTER = 0.6, 0.5  # share explained at another lag, and what is left there over what is left as it stands
GREATEST = 20_000  # rows of the search for a lag


def check_residuals(x: Examined) -> None:
    """Add what the regressions of utilizations on rates show."""
    for each in x.resources:
        if "busy" not in each.columns:
            continue
        found = explained(x, each)
        if found is None or _lagged(x, found):
            continue
        broken = _shifts(x, f"{each.title('busy')} by the rates", each.title("busy"), found.left, found.rows, found.freedom)
        if not broken:
            _outliers(x, found)
            if found.freedom >= 10:
                level = np.full(len(found.rows), np.nan)
                level[found.rows] = 1 + found.left
                _warm(x, each, level)
    for work in x.works:
        _per_job(x, work)


def _warm(x: Examined, each: MeasuredOwner, level: Array) -> None:
    before = len(x.found)
    ramp(x, f"{each.title('busy')} over what the rates explain", level, "ratio", low=False)
    for i in range(before, len(x.found)):
        if any(other.kind == "outlier" and other.first == x.found[i].first for other in x.found[:before]):
            del x.found[i:]
            return


def _outliers(x: Examined, found: Explained) -> None:
    limit = max((FAR + SHORT / found.freedom) * found.deviation, SIZE)
    off = np.abs(found.left) - found.rounding > limit
    if not off.any() or off.mean() > MANY:
        return
    title = found.resource.title("busy")
    busy = found.resource.columns["busy"]
    whole = np.zeros(len(busy), dtype=bool)
    whole[np.flatnonzero(found.rows)[off]] = True
    left = np.full(len(busy), np.nan)
    left[found.rows] = found.left
    places = sorted(runs(whole), key=lambda run: -float(np.nanmax(np.abs(left[run[0] : run[1] + 1]))))
    for first, last in sorted(places[:NAMED]):
        rows = np.zeros(len(busy), dtype=bool)
        rows[first : last + 1] = True
        size = float(np.median(left[rows]))
        seen = float(np.median(busy[rows]))
        text = f"{title} is {amount(seen)}, the rates explain {amount(seen / (1 + size)) if size > -1 else 'less'}: "
        away = amount(abs(size) / max(found.deviation, 1e-12))
        text += f"{percent(abs(size))} {'more' if size > 0 else 'less'}, {away} deviations"
        x.add("outlier", "look", title, rows, text, (seen, seen / (1 + size) if size > -1 else np.nan, "1"))
    if len(places) > NAMED:
        rows = np.zeros(len(busy), dtype=bool)
        for first, last in places[NAMED:]:
            rows[first : last + 1] = True
        x.add(
            "outlier", "look", title, rows, f"{title} is off what the rates explain in {counted(int(rows.sum()), 'row')} more"
        )


def _per_job(x: Examined, work: MeasuredOwner) -> None:
    """Breaks in the CPU time of a job itself."""
    rate = x.rate(work)
    if "cpu_time" in work.columns and (rate is not None or work.name):
        values, title = work.columns["cpu_time"], work.title("cpu_time")
    elif "used" in work.columns and rate is not None:
        with np.errstate(divide="ignore", invalid="ignore"):
            values, title = np.where(rate > 0, work.columns["used"] / rate, np.nan), f"{work.title('used')} a job"
        if rate is not None and not np.isnan(rate).all():
            values = np.where(rate >= 0.3 * np.nanmedian(rate), values, np.nan)  # a fixed part weighs little
    else:
        return
    rows = ~np.isnan(values) & (values > 0)
    if rows.sum() < 2 * SEGMENT:
        return
    level = float(np.median(values[rows]))
    _shifts(x, title, title, values[rows] / level - 1, rows, int(rows.sum()))


def _shifts(x: Examined, what: str, series: str, left: Array, rows: Mask, freedom: int) -> bool:
    """Whether the level breaks; each break is a finding from its row on."""
    places: list[int] = []
    noise = spread(np.diff(left)) / np.sqrt(2) * np.sqrt(len(left) / max(freedom, 1))
    clipped = np.clip(left, np.median(left) - max(6 * spread(left), 1e-9), np.median(left) + max(6 * spread(left), 1e-9))
    _split(clipped, 0, max(noise, 1e-9), places)
    at = np.flatnonzero(rows)
    edges = [0, *sorted(places), len(left)]
    for i, place in enumerate(sorted(places), start=1):
        before, after = float(np.median(left[edges[i - 1] : place])), float(np.median(left[place : edges[i + 1]]))
        if abs(after - before) < STEP:
            continue
        mine = np.zeros(len(rows), dtype=bool)
        mine[at[place : edges[i + 1]]] = True
        change = (1 + after) / (1 + before) - 1 if before > -1 else after
        text = f"{what} shifts by {100 * change:+.3g} % against the rows before: a change of release or configuration?"
        x.add("shift", "look", series, mine, text, (1 + after, 1 + before, "ratio"))
    return bool(places)


def _split(values: Array, offset: int, noise: float, places: list[int]) -> None:
    """Places where a level breaks, by the largest difference of two means; then in both parts."""
    n = len(values)
    if n < 2 * SEGMENT or len(places) >= LEVELS:
        return
    sums = np.cumsum(values)
    k = np.arange(SEGMENT, n - SEGMENT + 1)
    first = sums[k - 1] / k
    second = (sums[-1] - sums[k - 1]) / (n - k)
    apart = np.abs(second - first)
    score = apart / np.sqrt(1 / k + 1 / (n - k))
    i = int(np.argmax(score))
    place = int(k[i])
    own = max(noise, float(min(np.std(values[:place]), np.std(values[place:]))))
    if score[i] < SIGMAS * (1 + 8 / n) * own or apart[i] < STEP:
        return
    low, high = np.median(values[:place]), np.median(values[place:])
    if abs(high - low) < 0.7 * own:  # a trend or noise, no level
        return
    places.append(offset + place)
    _split(values[:place], offset, noise, places)
    _split(values[place:], offset + place, noise, places)


def _lagged(x: Examined, found: Explained) -> bool:
    """Whether the utilization follows the rates of other rows: two clocks."""
    if not x.clock or found.freedom < 30:
        return False
    _, rates = rates_beside(x, found.resource)
    busy = found.resource.columns["busy"]
    start = max(0, (len(busy) - GREATEST) // 2)
    rates, busy = rates[start : start + GREATEST], busy[start : start + GREATEST]
    known = np.asarray(~np.isnan(rates).any(axis=1))
    left = {lag: _left(rates, known, busy, lag) for lag in range(-LAGS, LAGS + 1)}
    best = min(left, key=left.__getitem__)
    if best == 0 or left[best] > 1 - FITS or left[best] > BETTER * left[0]:
        return False
    steps = np.diff(x.begins)
    seconds = abs(best) * float(np.median(steps))
    title = found.resource.title("busy")
    when = "later" if best > 0 else "earlier"
    text = f"{title} goes with the rates {abs(best)} interval{'s' * (abs(best) > 1)} ({amount(seconds)} s) {when}"
    text += f": {percent(1 - left[best])} of it explained, {percent(max(1 - left[0], 0.0))} as it stands; two clocks?"
    x.add("clock", "look", title, None, text, (best * float(np.median(steps)), 0.0, "s"))
    return True


def _left(rates: Array, known: Mask, busy: Array, lag: int) -> float:
    """Share of the variation that the rates of `lag` rows later leave; `known` marks rows that have all rates."""
    n = len(busy)
    there, here = (slice(lag, None), slice(n - lag)) if lag >= 0 else (slice(lag), slice(-lag, None))
    r, b = rates[there], busy[here]
    rows = ~np.isnan(b) & known[there]
    count = int(rows.sum())
    if count < rates.shape[1] + 10:
        return 1.0
    if count < len(b):
        r, b = r[rows], b[rows]
    columns = r - r.mean(axis=0)
    y = b - b.mean()
    gram = columns.T @ columns
    gram[np.diag_indices_from(gram)] *= 1 + 1e-9
    with np.errstate(all="ignore"):
        try:
            rest = y - columns @ np.linalg.solve(gram, columns.T @ y)
        except np.linalg.LinAlgError:
            return 1.0
    return float(rest @ rest) / max(float(y @ y), 1e-300)

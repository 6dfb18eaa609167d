"""Classes: whether the rows can distinguish them, and whether there are enough rows."""

from __future__ import annotations

import numpy as np

from qnsolve.errors import counted

from .examined import Array, Examined, MeasuredOwner, amount, percent, runs
from .residuals import explained, fitted, rates_beside

ALIKE = 10.0  # variance inflation from which classes move together
PAIR = 0.9  # correlation that names a pair
SURE = 2.0  # standard errors to either side of a demand
WEAK = 0.6  # share of the variation explained from which demands are known well enough
HALF = 0.5  # of a demand, that its error may be
VAGUE = 0.1  # of the use, that the error of a demand may be
FEW = 3  # rows for each number that is fitted, at least


def check_classes(x: Examined) -> None:
    """Add classes that move together, and too few rows for the number of classes."""
    seen: set[tuple[str, ...]] = set()
    for each in x.resources:
        if "busy" not in each.columns:
            continue
        works, rates = rates_beside(x, each)
        names = tuple(work.name for work in works)
        if not names or names in seen:
            continue
        seen.add(names)
        rows = ~np.isnan(rates).any(axis=1) & ~np.isnan(each.columns["busy"])
        count, needed = int(rows.sum()), FEW * (len(names) + 1)
        if count < needed:
            text = f"{counted(count, 'row')} with all rates for {counted(len(names), 'class')}: "
            text += f"{needed} or more are needed to fit their demands"
            x.add("few", "look", _listed(names), None, text, (count, needed, "intervals"))
        elif len(names) > 1:
            _together(x, names, rates[rows])
        if count >= needed:
            _vague(x, each, works, rates)


def _listed(names: tuple[str, ...]) -> str:
    return ", ".join(names[:6]) + (f" and {len(names) - 6} more" if len(names) > 6 else "")


def inflations(rates: Array) -> Array:
    """Variance inflation of each column by all the others: the diagonal of the inverse of their correlations."""
    centered = rates - rates.mean(axis=0)
    sizes = np.linalg.norm(centered, axis=0)
    unit = centered / np.where(sizes > 0, sizes, 1.0)
    gram = unit.T @ unit
    found = np.diag(np.linalg.pinv(gram + 1e-12 * np.eye(len(gram))))
    return np.asarray(np.maximum(found, 1.0))


def _together(x: Examined, names: tuple[str, ...], rates: Array) -> None:
    inflation = inflations(rates)
    high = inflation > ALIKE
    if not high.any():
        return
    worst = float(inflation.max())
    alike = tuple(name for name, each in zip(names, high, strict=True) if each)
    text = f"classes {_listed(alike)} move together (variance inflation {amount(worst)}): the sum of their demands is known, "
    text += f"the parts are not; at {amount(np.sqrt(worst))} times the error of classes that move on their own"
    x.add("collinear", "look", _listed(alike), None, text, (worst, ALIKE, "ratio"))


def _vague(x: Examined, each: MeasuredOwner, works: tuple[MeasuredOwner, ...], rates: Array) -> None:
    """Add demands that the rows cannot distinguish from 0, though they may be a good part of the use."""
    found = explained(x, each)
    if found is None or found.share > WEAK:
        return
    busy = each.columns["busy"][found.rows]
    own = rates[found.rows]
    demands, errors = fitted(own, busy, found)
    use = float(np.mean(busy))
    wide = SURE * errors
    unknown = (wide > HALF * np.maximum(demands, 0.0)) & (wide * own.mean(axis=0) > VAGUE * use)
    if not unknown.any():
        return
    servers = x.servers_of(each)
    m = 1000.0 * (1.0 if servers is None else float(np.nanmedian(servers)))
    ranges = zip(works, m * np.maximum(demands - wide, 0.0), m * (demands + wide), unknown, strict=True)
    parts = [f"{work.name} {amount(low)} to {amount(high)} ms" for work, low, high, u in ranges if u]
    names = _listed(tuple(work.name for work, u in zip(works, unknown, strict=True) if u))
    text = f"the rates explain {percent(max(found.share, 0.0))} of {each.title('busy')}: the rows cannot distinguish the "
    text += f"demands of {names} from each other and from use without work ({', '.join(parts[:6])})"
    x.add("vague", "look", names, None, text, (float(unknown.sum()), 0.0, "classes"))


def check_alone(x: Examined) -> None:
    """Note classes that never work, and rows in which nothing does."""
    idle = np.ones(len(x.intervals), dtype=bool)
    known = False
    for work in x.works:
        rate = x.rate(work)
        if rate is None or np.isnan(rate).all():
            continue
        known = True
        idle &= (rate == 0) | np.isnan(rate)
        if np.nanmax(rate) == 0:
            x.add("idle", "note", work.title("rate"), None, f"{work.name} did no work in any row")
    if known and idle.any() and not idle.all():
        places = runs(idle)
        x.add("idle", "note", "all", idle, f"no class did any work, {len(places)} time{'s' * (len(places) > 1)}")

"""What each column of a table is, by its heading: a time, a length, a name of whose figures these are, or a series."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache

from qnsolve.errors import ModelError, suggestion
from qnsolve.measure.intervals.interval_table import LABELS, MeasuredSeries
from qnsolve.measure.intervals.quantities import QUANTITIES
from qnsolve.model.measured_units import PER_INTERVAL, PER_JOB, factor, is_unit

from .column_roles import ROLES, role_of
from .field_names import MEAN, KnownField, exact, matched, word_pairs, words
from .source_files import printable

BY_VALUES = 0.0  # a factor that only the values decide: percent or share
_SPREAD = {"sd", "std", "stdev", "stddev", "min", "max", "minimum", "maximum", "peak", "variance", "var", "stderr", "ci", "cv"}
_SPREAD |= {"low", "high", "highest", "lowest", "deviation", "total", "sum", "error", "errors", "defined", "goal", "limit"}
_SPREAD |= {"failed", "failures"}
_FILLING = {
    "time",
    "times",
    "latency",
    "response",
    "line",
    "duration",
    "of",
    "number",
    "num",
    "percent",
    "pct",
    "per",
    "overall",
    "http",
    "https",
}
_REQUESTS = {
    "transactions",
    "transaction",
    "txn",
    "txns",
    "tx",
    "trans",
    "requests",
    "request",
    "req",
    "reqs",
    "queries",
    "query",
}
_JOBS = _REQUESTS | {
    "tran",
    "ops",
    "operations",
    "jobs",
    "tasks",
    "task",
    "calls",
    "hits",
    "total",
    "number",
    "completed",
    "ended",
    *MEAN,
}
_SHARES = {"percent", "share", "1"}
_PERIOD_NAME = re.compile(r"(?:S|R|W|P)\.(.+)")


@dataclass(frozen=True)
class ColumnPlan:
    """What a column is.

    Attributes
    ----------
    heading : str
    role : str
        "series", a key of `ROLES`, or "" for one that is not understood.
    series : MeasuredSeries or None
        Of a series, without the names that other columns give.
    divisor : str
        "", "interval" or "count": what its values are divided by.
    unit : str
        Unit of a length, "" where the heading has none.
    note : str
    clock : bool
        Whether the cells of a series are times as a clock shows them.
    """

    heading: str
    role: str
    series: MeasuredSeries | None = None
    divisor: str = ""
    unit: str = ""
    note: str = ""
    clock: bool = False


def as_clock(plan: ColumnPlan) -> ColumnPlan:
    """A series whose cells are times as a clock shows them, 00:08:12.813; one that is no time is left out."""
    assert plan.series is not None, "of a series"
    if QUANTITIES[plan.series.quantity].unit != "s" and plan.divisor != PER_INTERVAL:
        rule = f"its cells are times, and it is a {plan.series.quantity} in {QUANTITIES[plan.series.quantity].unit}"
        return ColumnPlan(plan.heading, "", note=f"{plan.heading!r} is left out: {rule}")
    return replace(plan, series=replace(plan.series, factor=1.0), note="", clock=True)


def planned(
    headings: Sequence[str],
    columns: Mapping[str, str] | None = None,
    units: Mapping[str, str] | None = None,
    time_unit: str | None = None,
) -> list[ColumnPlan]:
    """What each column is.

    Parameters
    ----------
    headings : sequence of str
    columns : mapping of str to str, optional
        "orders.response_time": the heading, with the unit in brackets where the heading has none; "start", "length",
        "class" and the other roles may be given, too.
    units : mapping of str to str, optional
        Units of headings.
    time_unit : str, optional
        Of times whose heading has no unit.

    Raises
    ------
    ModelError
    """
    known = {heading.strip(): i for i, heading in enumerate(headings)}
    given: dict[int, ColumnPlan] = {}
    for name, heading in (columns or {}).items():
        text, unit = printable(heading), ""
        if text not in known:
            text, unit = bracket(text)
        if text not in known:
            raise ModelError(f"--map {name}={heading}", "must name a heading of the file", suggestion(text, headings), text)
        unit = (units or {}).get(text, unit) or bracket(text)[1] or _trailing_unit(words(text))
        given[known[text]] = _named(name, text, unit, time_unit)
    for text in units or {}:
        if text not in known:
            raise ModelError("units", "must name headings of the file", suggestion(text, headings), text)
    plans = [
        given.get(i) or _understood(heading.strip(), (units or {}).get(heading.strip(), ""), time_unit)
        for i, heading in enumerate(headings)
    ]
    return _once(_loads(plans))


def _loads(plans: list[ColumnPlan]) -> list[ColumnPlan]:
    """Threads are users that go round where nothing else says the load, as drivers of benchmarks name it."""
    if any(plan.series and plan.series.quantity == "users" for plan in plans):
        return plans
    named = [i for i, plan in enumerate(plans) if plan.series and plan.series.quantity == "servers" and _only_threads(plan)]
    if len(named) != 1:
        return plans
    plan = plans[named[0]]
    note = f"{plan.heading!r} is taken as the load, a user for each; --map NAME.servers={plan.heading} takes it as servers"
    load = MeasuredSeries("users", field=plan.heading)
    return [replace(each, series=load, note=note) if each is plan else each for each in plans]


def _only_threads(plan: ColumnPlan) -> bool:
    given = [word for word in words(plan.heading) if word not in ("number", "of", "n", "count")]
    return "." not in plan.heading and given in (["threads"], ["thread"], ["threadcount"], ["nthreads"])


@lru_cache(maxsize=4096)
def of_report(heading: str) -> ColumnPlan:
    """The plan of a heading of a report: every word of it must be known, and its unit."""
    bare, unit = bracket(heading)
    given = words(bare)
    field = exact(given)
    role = role_of(given)
    if field is None or not field.unit:
        return ColumnPlan(heading, role or "")
    try:
        plan = _series(heading, field.quantity, field.resource, unit or field.unit, None, said=True)
    except ModelError:
        return ColumnPlan(heading, "")
    of_resource = replace(plan.series, work="", resource=field.resource) if plan.series else None
    return replace(plan, series=of_resource)


def bracket(heading: str) -> tuple[str, str]:
    """A heading without its unit in brackets, and the unit: `Resp [ms]`, `busy (%)`.

    >>> bracket("Avg Resp [ms]"), bracket("APPLPER(S.HIGH)")
    (('Avg Resp', 'ms'), ('APPLPER(S.HIGH)', ''))
    """
    found = re.fullmatch(r"(.*\S)\s*[\[(]([^\[\]()]*)[\])]\s*", heading)
    return (found.group(1), found.group(2)) if found and is_unit(found.group(2)) else (heading, "")


def _trailing_unit(given: Sequence[str]) -> str:
    """The unit that the last words of a heading are; "" where they are none."""
    for size in (3, 2, 1):
        unit = " ".join(given[-size:])
        if len(given) > size and unit != "1" and is_unit(unit):
            return unit
    return ""


def _named(name: str, heading: str, unit: str, time_unit: str | None) -> ColumnPlan:
    """The plan that --map gives."""
    role = role_of([name.lower()]) or (name if name in ROLES else "")
    if role:
        return ColumnPlan(heading, role, unit=unit)
    owner, _, quantity = name.rpartition(".")
    if quantity not in QUANTITIES:
        rule = "must begin with NAME.quantity, or start, end, length, class, lpar, region, system"
        raise ModelError(f"--map {name}", rule, suggestion(quantity, QUANTITIES))
    return _series(heading, quantity, owner, unit, time_unit, said=bool(unit))


def _understood(heading: str, unit: str, time_unit: str | None) -> ColumnPlan:
    bare, found = bracket(heading)
    unit = unit or found
    owner, _, quantity = bare.rpartition(".")
    if quantity in QUANTITIES:
        return _series(heading, quantity, owner, unit, time_unit, said=bool(unit))
    inside = re.fullmatch(r"(.*\S)\s*\(([^()]+)\)", bare)  # APPLPER(S.ONLINE.1)
    qualifier = ""
    if inside:
        bare, qualifier = inside.group(1), inside.group(2)
        qualifier = (_PERIOD_NAME.fullmatch(qualifier) or [qualifier, qualifier])[1]
    pairs = word_pairs(bare)
    if found and pairs and pairs[-1][1] in MEAN:  # orders avg (ms)
        pairs += word_pairs(found)
    given = [word for _, word in pairs]
    role = role_of(given) or role_of(word.lower() for word, _ in pairs)
    if role is None and given and is_unit(given[-1]):  # start_s, interval seconds
        role = role_of(given[:-1])
        unit = unit or given[-1] if role else unit
    if role and not qualifier:
        return ColumnPlan(heading, role, unit=unit)
    field, rest, after = _field(pairs)
    if field is None:
        return ColumnPlan(heading, "")
    unit = unit or after
    if "at" in rest:  # throughput at 15s
        rest = rest[: rest.index("at")]
    total = {"total"} if field.quantity in ("rate", "count") else set()
    rest = [word for word in rest if word.lower() not in _FILLING | total]
    if {word.lower() for word in rest} & _SPREAD:
        return ColumnPlan(heading, "")
    name = qualifier or " ".join(rest)
    _, slash, below = field.unit.partition("/")
    if unit and slash and below in (PER_INTERVAL, PER_JOB) and "/" not in unit and "per" not in unit.split():
        unit = f"{unit}/{below}"  # seconds of all jobs, or of the interval
    try:
        plan = _series(heading, field.quantity, name, unit or field.unit, time_unit, said=bool(unit or field.unit))
    except ModelError:
        note = f"{heading!r} is left out: {unit!r} is no unit of a {field.quantity}"
        return ColumnPlan(heading, "", note=note)
    return _of_resource(plan, name, field.resource)


def _field(pairs: Sequence[tuple[str, str]]) -> tuple[KnownField | None, list[str], str]:
    """The field that a heading names, its words that name whose it is, and its unit."""
    given = [word for _, word in pairs]
    percent = "%" if "percent" in given else ""
    whole = exact(given)
    if whole:
        return whole, [], percent
    for i, word in enumerate(given):  # cpu sec per tran; transactions per second
        rest = [*given[:i], *given[i + 1 :]]
        if is_unit(word) and word not in _SHARES and (found := exact(rest)):
            return found, [], word
    unit = " ".join(given[-2:])
    if factor(unit, "1/s") and len(given) > 2 and set(given[:-2]) <= _JOBS:
        return exact(["throughput"]), [], unit
    if factor(unit, "1/s") and len(given) > 2 and given[-3] in _REQUESTS:  # http_reqs_per_s, orders requests per second
        return exact(["throughput"]), [written for written, word in pairs[:-3] if word not in MEAN], unit
    if len(given) > 1 and set(given[:-1]) <= set(MEAN) and factor(given[-1], "s"):  # mean_ms
        return exact(["response"]), [], given[-1]
    if len(given) > 2 and given[-2] in MEAN and factor(given[-1], "s") and matched(given[:-2]) is None:  # orders avg ms
        return exact(["response"]), [written for written, _ in pairs[:-2]], given[-1]
    if len(given) > 1:  # a mean is what is meant anyway
        pairs = [pair for pair in pairs if pair[1] not in MEAN]
    given = [word for _, word in pairs]
    hit = matched(given)
    if hit is None:
        return None, [], ""
    field, first, last = hit
    size, unit = _unit_at(given, last)
    rest_pairs = [*pairs[:first], *pairs[last + size :]]
    if not unit and rest_pairs:
        unit = _trailing_unit(["", *(word for _, word in rest_pairs)])
        rest_pairs = rest_pairs[: len(rest_pairs) - len(unit.split())]
    return field, [word for word, _ in rest_pairs], unit or percent


def _of_resource(plan: ColumnPlan, name: str, usual: str) -> ColumnPlan:
    """The plan with the resource that a field is about where the heading names nobody, or names a region."""
    if plan.series is None or not usual:
        return plan
    if not name:
        return replace(plan, series=replace(plan.series, resource=usual))
    if usual not in ("CP", "IIP", "cpu", "disk", "CF") and not plan.series.work:
        return replace(plan, series=replace(plan.series, resource=usual, region=name))
    return plan


def _unit_at(given: Sequence[str], at: int) -> tuple[int, str]:
    """How many words after a field are its unit, and the unit."""
    for size in (2, 1):
        unit = " ".join(given[at : at + size])
        if len(given) >= at + size and unit != "1" and is_unit(unit):
            return size, unit
    return 0, ""


def _series(heading: str, quantity: str, owner: str, unit: str, time_unit: str | None, *, said: bool) -> ColumnPlan:
    about = QUANTITIES[quantity]
    note = ""
    if not said and about.unit == "s":
        unit = time_unit or "s"
        note = "" if time_unit else f"{heading!r} has no unit: its times are taken as seconds (--time-unit ms changes it)"
    by_values = not said and about.unit == "1" and quantity in ("busy", "capped")
    if by_values:
        found: tuple[float, str] | None = (BY_VALUES, "")
    elif not unit or quantity == "at_limit":
        found = (1.0, "")
    else:
        found = factor(unit, about.unit)
    if found is None and quantity == "figure":
        found = (1.0, "")
    if found is None:
        rule = f"is a {quantity} in {about.unit}, and {unit!r} is no such unit"
        raise ModelError(f"column {heading!r}", rule, "write [s], [ms], [1/s] or [%] behind the heading")
    series = MeasuredSeries(quantity, field=heading, factor=found[0])
    series = replace(series, work=owner) if about.of == "work" else replace(series, resource=owner)
    return ColumnPlan(heading, "series", series, found[1], note=note)


def _once(plans: list[ColumnPlan]) -> list[ColumnPlan]:
    """Of two columns with one meaning the second is left out, and named."""
    seen: dict[tuple[str, ...], str] = {}
    found = []
    for plan in plans:
        key: tuple[str, ...] = (plan.role,)
        if plan.series:
            key = (plan.series.quantity, *(getattr(plan.series, label) for label in LABELS), str(with_queueing(plan.heading)))
        if plan.role in ("", "place") or key not in seen:
            seen.setdefault(key, plan.heading)
            found.append(plan)
            continue
        note = f"{plan.heading!r} is left out: {seen[key]!r} is the same {plan.series.quantity if plan.series else plan.role}"
        found.append(ColumnPlan(plan.heading, "", note=note))
    return found


def with_queueing(heading: str) -> bool:
    """Whether a response time has the wait before execution in it: it is preferred to the mere execution time."""
    field = exact(words(bracket(heading)[0]))
    return field is not None and field.field in ("RTIMETOT", "R723CTET")

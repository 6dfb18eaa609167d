"""Published cases, held to half a unit of the last printed digit by every method that accepts them."""

from __future__ import annotations

import tomllib
from dataclasses import asdict
from fractions import Fraction
from functools import cache
from typing import Any

import pytest
from qnsolve import ClosedClass, Delay, LoadDependent, Network, OpenClass, Queue, Solution, methods, solve, stations

from tests import DATA

BOOK: dict[str, Any] = tomllib.loads((DATA / "textbook.toml").read_text(encoding="utf-8"))
CASES = {case["name"]: case for case in BOOK["case"]}
FORMS = {form["name"]: form for form in BOOK["form"]}


def _value(printed: str) -> float:
    return float(Fraction(printed))


def _half_unit(printed: str) -> float:
    """Half a unit of the last printed digit; for an exact fraction, rounding only."""
    if "/" in printed:
        return 1e-12 * _value(printed)
    digits = len(printed.partition(".")[2])
    return 0.5 * 10.0**-digits * (1 + 1e-9)


@cache
def _model(name: str) -> Network:
    case = CASES[name]
    count = len(case.get("m") or case["rates"])
    names = [f"station {k}" for k in range(1, count + 1)]
    if "rates" in case:
        places = [LoadDependent(n, rates=rates) for n, rates in zip(names, case["rates"], strict=True)]
    else:
        places = [Delay(n) if m == -1 else Queue(n, servers=m) for n, m in zip(names, case["m"], strict=True)]
    classes = []
    for r, given in enumerate(case["classes"], 1):
        needs = {
            part: dict(zip(names, map(float, given[letter]), strict=True))
            for letter, part in (("D", "demands"), ("S", "service_times"), ("V", "visits"))
            if letter in given
        }
        if "rate" in given:
            classes.append(OpenClass(f"class {r}", arrival_rate=_value(str(given["rate"])), **needs))
        else:
            classes.append(ClosedClass(f"class {r}", population=given["N"], think_time=given.get("Z", 0), **needs))
    return Network(places, classes)


def _found(result: Solution, measure: str, r: int, k: int) -> float:
    """A measure of the book's, computed."""
    job_class = result.classes[r]
    if measure == "throughput":
        return job_class.throughput
    pair = result[job_class.name, result.stations[k].name]
    if measure == "R":
        visits = result.model.classes[r].visits
        assert visits is not None
        return pair.residence_time / visits[pair.station]
    return {"U": pair.utilization, "Q": pair.queue_length, "X": pair.throughput, "W": pair.residence_time}[measure]


def _printed(case: dict[str, Any]) -> list[tuple[str, int, int, str]]:
    """Measure, class (-1 for all), station and the printed figure; blanks were not printed."""
    rows = case["expected"].items()
    figures = [(m, r, k, p) for m, table in rows for r, row in enumerate(table) for k, p in enumerate(row) if p]
    return figures + [(m, -1, k, p) for m, row in case.get("station", {}).items() for k, p in enumerate(row)]


def _summed(result: Solution, measure: str, r: int, k: int) -> float:
    """A measure of class r, or of all classes together for r = -1."""
    classes = range(len(result.classes)) if r < 0 else [r]
    return sum(_found(result, measure, c, k) for c in classes)


def _odd(case: dict[str, Any]) -> dict[tuple[str, int, int], dict[str, Any]]:
    return {(o["measure"], o.get("class", 0) - 1, o.get("station", 0) - 1): o for o in case.get("odd", ())}


def _fails(found: float, printed: str, excuse: dict[str, Any]) -> bool:
    """Whether a figure is further from the printed one, or from its erratum, than it may be."""
    right = excuse.get("erratum", printed)
    return abs(found - _value(right)) > excuse.get("slack", _half_unit(right))


@pytest.mark.parametrize("name", CASES)
def test_networks(name: str) -> None:
    """A published network has the printed figures, to half a unit of their last digit."""
    case, model = CASES[name], _model(name)
    odd = _odd(case)
    accepting = [report.name for report in methods(model) if report.accepts and report.exact]
    assert accepting
    wrong = []
    for method in accepting:
        result = solve(model, method=method)
        for measure, r, k, printed in _printed(case):
            found = _summed(result, measure, r, k)
            if _fails(found, printed, odd.get((measure, r, k), {})):
                wrong.append(f"{method}: {measure} of class {r + 1} at station {k + 1} is {found}, printed {printed}")
    assert wrong == []


@pytest.mark.parametrize("name", FORMS)
def test_stations(name: str) -> None:
    """A published station has the printed figures, to half a unit of their last digit."""
    given = FORMS[name]
    found, odd = _form(given), _odd(given)
    wrong = [
        f"{measure} is {found[measure]}, printed {printed}"
        for measure, printed in given["expected"].items()
        if _fails(found[measure], printed, odd.get((measure, -1, -1), {}))
    ]
    assert wrong == []


def _form(given: dict[str, Any]) -> dict[str, float]:
    arguments = {key: _value(v) if isinstance(v, str) else v for key, v in given["arguments"].items()}
    form = getattr(stations, given["call"])(**arguments)
    return {**asdict(form), "waiting_jobs": form.throughput * form.waiting_time}


def test_every_case_is_complete() -> None:
    """Each case says where it was published, how its figures came about, and keeps them as printed."""
    for case in CASES.values():
        assert case["kind"] in ("printed", "program", "derived")
        assert case["source"].strip()
        assert _printed(case)
        for _, _, _, printed in _printed(case):
            assert isinstance(printed, str)
    assert len(CASES) == len(BOOK["case"])
    assert len(FORMS) == len(BOOK["form"])


# case: how many figures have a slack, how many an erratum
EXCUSED = {
    "Bolch 1998, example 8.4": (0, 2),
    "Bolch 1998, example 8.7": (1, 0),
    "Schwetman 1982, table 3": (3, 0),
    "Schwetman 1980, figure 7": (6, 0),
    "M/M/2/5": (2, 0),
}


def test_no_figure_is_excused_silently() -> None:
    """Figures with slack or erratum are as many as listed here, each with a reason and one of the two."""
    found = {}
    for name, case in {**CASES, **FORMS}.items():
        for excuse in case.get("odd", ()):
            assert excuse["reason"].strip()
            assert ("slack" in excuse) != ("erratum" in excuse)
        kinds = ["slack" in excuse for excuse in case.get("odd", ())]
        if kinds:
            assert len(_odd(case)) == len(kinds)
            found[name] = (kinds.count(True), kinds.count(False))
    assert found == EXCUSED


@pytest.mark.parametrize("name", EXCUSED)
def test_excuses_are_needed_and_small(name: str) -> None:
    """A figure is excused only where it would fail, and by no more than one unit of its last digit."""
    if name in FORMS:
        figures, found = FORMS[name]["expected"], _form(FORMS[name])
        pairs = [(found[m], figures[m], excuse) for (m, _, _), excuse in _odd(FORMS[name]).items()]
    else:
        result = solve(_model(name))
        figures = {(m, r, k): p for m, r, k, p in _printed(CASES[name])}
        pairs = [(_summed(result, *place), figures[place], excuse) for place, excuse in _odd(CASES[name]).items()]
    for value, printed, excuse in pairs:
        assert abs(value - _value(printed)) > _half_unit(printed)
        assert abs(_value(excuse.get("erratum", printed)) - _value(printed)) <= 2 * _half_unit(printed)
        assert excuse.get("slack", 0) <= 2 * _half_unit(printed)

"""What a solve hands back: frozen, named, printable."""

from __future__ import annotations

import copy
import csv
import io
import math
import pickle
import re
from dataclasses import FrozenInstanceError, fields, replace
from html.parser import HTMLParser

import numpy as np
import pytest
from qnsolve import AdmissionLimit, ClosedClass, Delay, LoadDependent, Network, OpenClass, Queue, Solution, solve

from tests.support import zoo

SITE = Network(
    [Queue("cpu"), Queue("disk", servers=2), Delay("network"), LoadDependent("pool", rates=[2.0, 3.0])],
    [
        ClosedClass("query", population=6, think_time=2.0, demands={"cpu": 0.22, "disk": 0.3, "network": 0.1}),
        ClosedClass("batch", population=2, visits={"cpu": 4, "pool": 3}, service_times={"cpu": 0.2, "pool": 0.5}),
    ],
    name="site",
    time_unit="ms",
)
RESULT = solve(SITE)


@pytest.mark.parametrize(
    "thing", [*SITE.stations, *SITE.classes, SITE, AdmissionLimit(2), OpenClass("a", arrival_rate=1, demands={"cpu": 1})]
)
def test_inputs_are_frozen(thing: object) -> None:
    """No part of a model can be assigned to."""
    for field in fields(thing):  # type: ignore[arg-type]
        with pytest.raises(FrozenInstanceError):
            setattr(thing, field.name, None)


def test_mappings_of_a_model_are_frozen() -> None:
    """Demands cannot be changed after the model is built, not even through the dictionary that was handed in."""
    given = {"cpu": 0.5}
    job_class = ClosedClass("query", population=1, demands=given)
    given["cpu"] = 99.0
    assert job_class.demand("cpu") == 0.5
    demands = job_class.demands
    assert demands is not None
    changes = (
        lambda: demands.__setitem__("cpu", 1.0),
        lambda: demands.__delitem__("cpu"),
        lambda: demands.update(cpu=1.0),
        lambda: demands.pop("cpu"),
        demands.clear,
        lambda: demands.setdefault("disk", 1.0),
        lambda: demands.__ior__({"cpu": 1.0}),
    )
    for change in changes:
        with pytest.raises(TypeError, match="frozen"):
            change()
    assert demands == {"cpu": 0.5}


def test_lists_of_a_model_are_frozen() -> None:
    """Rates and stations are kept as tuples, apart from the lists that were handed in."""
    rates, stations = [1.0, 2.0], [Queue("cpu")]
    pool = LoadDependent("pool", rates=rates)
    model = Network(stations, [zoo.closed("a", 1, cpu=1.0)])
    rates.append(-1.0)
    stations.clear()
    assert pool.rates == (1.0, 2.0)
    assert model.stations == (Queue("cpu"),)


def test_models_can_be_keys() -> None:
    """Equal models are equal keys; another model is another key."""
    again = pickle.loads(pickle.dumps(SITE))
    assert {SITE: 1}[again] == 1
    assert SITE.replace("cpu", servers=2) not in {SITE: 1}


@pytest.mark.parametrize("thing", [RESULT, *RESULT.classes, *RESULT.stations, *RESULT.pairs])
def test_results_are_frozen(thing: object) -> None:
    """No part of a result can be assigned to."""
    for field in fields(thing):  # type: ignore[arg-type]
        with pytest.raises(FrozenInstanceError):
            setattr(thing, field.name, None)


def test_nothing_is_written_back() -> None:
    """Solving leaves the model as it was, and gives the same again."""
    model = copy.deepcopy(SITE)
    first, second = solve(model), solve(model)
    assert model == SITE
    assert first.model is model
    assert str(first) == str(second)
    assert first.to_csv() == second.to_csv()


@pytest.mark.parametrize("name", zoo.HAND_MADE)
def test_pickling(name: str) -> None:
    """A model and its solution go through a pickle unchanged, probabilities included, so that others can compute them."""
    for method in zoo.accepting(name):
        result = solve(zoo.HAND_MADE[name], method=method)
        again = pickle.loads(pickle.dumps(result))
        assert again.model == result.model
        assert again.to_csv() == result.to_csv()
        assert str(again) == str(result)
        for station in result.stations:
            np.testing.assert_array_equal(again.distribution(station.name), result.distribution(station.name))


def test_look_up() -> None:
    """A name finds its class or station, and two names their pair, in either order."""
    assert RESULT["query"] is RESULT.classes[0]
    assert RESULT["disk"] is RESULT.stations[1]
    pair = RESULT["batch", "pool"]
    assert (pair.class_name, pair.station) == ("batch", "pool")
    assert RESULT["pool", "batch"] is pair


@pytest.mark.parametrize(
    ("key", "message"),
    [
        ("qery", "did you mean 'query'?"),
        ("CPU", "known: query, batch, cpu, disk"),
        (("query", "dsk"), "known: query, batch, cpu, disk"),
        (("query", "batch"), "must be a class and a station"),
        (("cpu", "disk"), "must be a class and a station"),
        (("query", "cpu", "disk"), "must be a class and a station"),
        (("query",), "must be a class and a station"),
        (("query", "query"), "must be a class and a station"),
    ],
)
def test_look_up_of_what_is_not_there(key: object, message: str) -> None:
    """A name that is not there is a KeyError that lists, or guesses, what is."""
    with pytest.raises(KeyError) as info:
        RESULT[key]  # type: ignore[index]
    assert message in str(info.value)


def test_distribution_of_what_is_not_there() -> None:
    """Only stations have a distribution."""
    for name in ("query", "dsik"):
        with pytest.raises(KeyError, match=r"must name a station.*known: cpu, disk"):
            RESULT.distribution(name)


def _table(result: Solution) -> list[list[str]]:
    lines = str(result).splitlines()
    start = next(i for i, line in enumerate(lines) if line.startswith("-"))
    body = lines[start + 1 : lines.index("", start)]
    return [re.split(r" {2,}", line) for line in body]


def test_text() -> None:
    """The text has a row a class and visited station and a total row a class, with the model's unit in the heading."""
    lines = str(RESULT).splitlines()
    assert "site" in lines[0]
    assert RESULT.method in lines[0]
    assert "exact" in lines[0]
    assert "times in ms" in lines[0]
    for heading in (
        "class",
        "station",
        "throughput",
        "utilization",
        "queue length",
        "demand",
        "waiting time",
        "residence time",
    ):
        assert heading in lines[2]
    assert re.split(r" {2,}", lines[3].strip()) == ["jobs/ms", "0..1", "jobs", "ms", "ms", "ms"]
    visited = [["query", s] for s in ("cpu", "disk", "network", "total")] + [["batch", s] for s in ("cpu", "pool", "total")]
    assert [row[:2] for row in _table(RESULT)] == visited
    assert f"{RESULT['query'].throughput:.4g}" in _table(RESULT)[3]
    assert f"{RESULT['query'].response_time:.4g}" == _table(RESULT)[3][-1]
    assert sum("bottleneck" in line for line in lines) == 2
    assert "bottleneck cpu" in lines[-1]


@pytest.mark.parametrize("name", zoo.every_model())
def test_totals(name: str) -> None:
    """The waiting time of a total row is the sum of those above it, to four digits; undefined where one of them is."""
    result = zoo.solved(name, zoo.accepting(name)[0])
    above: list[str] = []
    for row in _table(result):
        waiting = row[-2]
        if row[1] != "total":
            above.append(waiting)
            continue
        if "-" in above:
            assert waiting == "-"
        elif above:
            assert float(waiting) == pytest.approx(sum(map(float, above)), rel=1e-3, abs=1e-5 * float(row[-1]))
            assert float(waiting) >= 0
        above = []


class _Tags(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.tags: list[str] = []
        self.text = ""

    def handle_starttag(self, tag: str, attrs: object) -> None:
        self.tags.append(tag)

    def handle_data(self, data: str) -> None:
        self.text += data


def test_html() -> None:
    """HTML holds the same table, with names that look like tags as plain text."""
    model = Network(
        [Queue("<b>cpu</b>"), Queue("a&b")],
        [ClosedClass('<script>"x"', population=2, demands={"<b>cpu</b>": 1.0, "a&b": 2.0})],
        name="<i>&amp;",
    )
    result = solve(model)
    parser = _Tags()
    parser.feed(result.to_html())
    assert not {"b", "script", "i"} & set(parser.tags)
    for name in ("<b>cpu</b>", "a&b", '<script>"x"', "<i>&amp;"):
        assert name in parser.text
    assert parser.tags.count("tr") == 1 + len(_table(result))
    assert result._repr_html_() == result.to_html()


@pytest.mark.parametrize("name", zoo.HAND_MADE)
def test_csv(name: str) -> None:
    """CSV is read back as the rows, to the last digit."""
    result = zoo.solved(name, zoo.accepting(name)[0])
    text = result.to_csv()
    assert "nan" not in text
    assert len(result.rows()) == len(result.classes) * len(result.stations)
    for ours, theirs in zip(csv.DictReader(io.StringIO(text)), result.rows(), strict=True):
        assert list(ours) == list(theirs)
        for key, value in theirs.items():
            read = ours[key] if isinstance(value, str) else float(ours[key] or "nan")
            assert read == value or (math.isnan(value) and ours[key] == "")


def test_rows_are_copies() -> None:
    """Changing a row that was handed out changes no result."""
    result = solve(SITE)
    before = result.to_csv()
    result.rows()[0]["throughput"] = -1
    result.as_dict()["rows"][0]["demand"] = -1
    result.as_dict()["classes"].clear()
    assert result.to_csv() == before


def test_replace() -> None:
    """A replaced station, class or limit makes another model and leaves the first as it was."""
    model = replace(SITE, limits=[AdmissionLimit(4, name="MXT")])
    faster = model.replace("cpu", servers=4)
    assert faster.stations[0] == Queue("cpu", servers=4)
    assert faster.stations[1:] == model.stations[1:]
    assert (faster.classes, faster.limits, faster.name, faster.time_unit) == (model.classes, model.limits, "site", "ms")
    assert model.stations[0] == Queue("cpu")
    assert model.replace("query", population=7, think_time=0).classes[0].population == 7
    assert model.replace("MXT", capacity=9).limits == (AdmissionLimit(9, name="MXT"),)
    assert model.replace("cpu") == model
    upgraded = solve(SITE.replace("cpu", servers=2))
    assert upgraded["query"].throughput > RESULT["query"].throughput


def test_visits_without_service_time_are_counted() -> None:
    """Visits that take no time are visits all the same: a station's throughput is the sum over its classes."""
    times = {"cpu": 0.5, "log": 0.0}
    model = Network(
        [Queue("cpu"), Queue("log")], [OpenClass("a", arrival_rate=1, visits={"cpu": 1, "log": 3}, service_times=times)]
    )
    result = solve(model)
    assert result["a", "log"].throughput == pytest.approx(3.0)
    assert result["log"].throughput == pytest.approx(3.0)

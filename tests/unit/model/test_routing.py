"""Visits from routing: against rational elimination, a chain of jobs that switch class, and what is wrong with a routing."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from qnsolve import ClosedClass, ModelError, Network, OpenClass, Queue, chain_class, dumps, loads, solve, visits

from tests.oracles.markov_chain import chain


def rational(rows: list[list[Fraction]], entry: list[Fraction]) -> list[Fraction]:
    """V = entry + v·P, by Gaussian elimination in rational numbers."""
    size = len(rows)
    a = [[Fraction(i == j) - rows[j][i] for j in range(size)] + [entry[i]] for i in range(size)]
    for k in range(size):
        pivot = next(i for i in range(k, size) if a[i][k])
        a[k], a[pivot] = a[pivot], a[k]
        for i in range(size):
            if i != k and a[i][k]:
                factor = a[i][k] / a[k][k]
                a[i] = [x - factor * y for x, y in zip(a[i], a[k], strict=True)]
    return [row[-1] / row[i] for i, row in enumerate(a)]


@pytest.mark.parametrize("size", [1, 2, 5, 12])
@pytest.mark.parametrize("small", [1, 10**6, 10**12])
def test_against_rational_numbers(size: int, small: int) -> None:
    """Open: as exact elimination has it, to the last digits, with exits of one in a billion too."""
    rng = np.random.default_rng(size)
    rows, exits = [], []
    for _ in range(size):
        weights = [Fraction(int(w)) for w in rng.integers(0, 9, size)]
        out = Fraction(int(rng.integers(1, 9)), small)
        total = sum(weights) + out
        rows.append([w / total for w in weights])
        exits.append(out / total)
    entry = [Fraction(1, size)] * size
    expected = rational(rows, entry)
    names = [f"s{k}" for k in range(size)]
    found = visits(
        [[float(p) for p in row] for row in rows],
        stations=names,
        entry=[float(p) for p in entry],
        exits=[float(p) for p in exits],
    )
    assert list(found) == names
    for name, value in zip(names, expected, strict=True):
        assert found[name] == pytest.approx(float(value), rel=1e-12)


def test_closed() -> None:
    """Closed: one visit to the reference station, whichever it is, in the same proportions."""
    routing = {"cpu": {"disk": 0.7, "tape": 0.2, "cpu": 0.1}, "disk": {"cpu": 1.0}, "tape": {"disk": 0.5, "cpu": 0.5}}
    found = visits(routing, reference="cpu")
    assert found == pytest.approx({"cpu": 1.0, "disk": 0.8, "tape": 0.2}, rel=1e-15)
    other = visits(routing, reference="tape")
    assert {s: v / other["cpu"] for s, v in other.items()} == pytest.approx(found, rel=1e-15)
    assert visits({"cpu": {"cpu": 1.0}}, reference="cpu") == {"cpu": 1.0}


def test_a_thinking_class_comes_and_leaves() -> None:
    """Entry and exits count visits for one thought: Buzen's central server."""
    found = visits(
        {"cpu": {"disk": 0.6, "drum": 0.3}, "disk": {"cpu": 1.0}, "drum": {"cpu": 1.0}}, entry={"cpu": 1.0}, exits={"cpu": 0.1}
    )
    assert found == pytest.approx({"cpu": 10.0, "disk": 6.0, "drum": 3.0}, rel=1e-14)


def test_any_name_will_do() -> None:
    """A station may be called what the world around it is called elsewhere."""
    for name in ("outside", "entry", "None", ""):
        found = visits({"cpu": {name: 0.5}, name: {"cpu": 1.0}}, entry={"cpu": 1.0}, exits={"cpu": 0.5})
        assert found == {"cpu": 2.0, name: 1.0}


SWITCHING = {
    ("read", "cpu"): {("read", "disk"): 0.6, ("write", "cpu"): 0.4},
    ("read", "disk"): {("read", "cpu"): 1.0},
    ("write", "cpu"): {("write", "disk"): 0.5, ("read", "cpu"): 0.5},
    ("write", "disk"): {("read", "cpu"): 0.25, ("write", "cpu"): 0.75},
    ("batch", "cpu"): {("batch", "disk"): 1.0},
    ("batch", "disk"): {("batch", "cpu"): 1.0},
}
TIMES = {("read", "cpu"): 0.3, ("read", "disk"): 0.2, ("write", "cpu"): 0.1, ("write", "disk"): 0.7}


def test_class_switching_against_a_chain() -> None:
    """A chain of classes becomes one class: as the chain of jobs that switch has it, at shared stations."""
    found = visits(SWITCHING, reference=("read", "cpu"))  # type: ignore[misc]  # pairs are places
    assert set(found) == set(TIMES)
    assert visits(SWITCHING, reference=("batch", "disk")) == {("batch", "cpu"): 1.0, ("batch", "disk"): 1.0}
    stations = [Queue("cpu"), Queue("disk", servers=2)]
    result = solve(Network(stations, [ClosedClass("orders", population=4, **chain_class(found, TIMES))]))
    places = list(TIMES)
    servers = {"cpu": 1, "disk": 2}

    def moves(state: tuple[int, ...]) -> list[tuple[float, tuple[int, ...]]]:
        out = []
        for i, place in enumerate(places):
            if not state[i]:
                continue
            there = sum(n for n, (_, station) in zip(state, places, strict=True) if station == place[1])
            rate = state[i] * min(there, servers[place[1]]) / there / TIMES[place]
            for to, p in SWITCHING[place].items():
                after = list(state)
                after[i] -= 1
                after[places.index(to)] += 1
                out.append((rate * p, tuple(after)))
        return out

    p = chain((4, 0, 0, 0), moves)
    for station in ("cpu", "disk"):
        expected = sum(q * sum(n for n, (_, s) in zip(state, places, strict=True) if s == station) for state, q in p.items())
        assert result["orders", station].queue_length == pytest.approx(expected, rel=1e-11)
    rate = sum(q * sum(r for r, to in moves(s) if to[0] > s[0]) for s, q in p.items())  # arrivals of read at the cpu
    assert result["orders"].throughput == pytest.approx(rate, rel=1e-11)


def test_in_a_model_file() -> None:
    """A class of a file gives routing in place of visits, and has the visits."""
    model = loads("""
        [[stations]]
        name = "cpu"
        [[stations]]
        name = "disk"
        [[classes]]
        name = "web"
        arrival_rate = 2.0
        routing = { cpu = { disk = 0.75 }, disk = { cpu = 1.0 } }
        entry = { cpu = 1.0 }
        exits = { cpu = 0.25 }
        service_times = { cpu = 0.05, disk = 0.02 }
        [[classes]]
        name = "batch"
        population = 2
        routing = { cpu = { disk = 0.5, cpu = 0.5 }, disk = { cpu = 1.0 } }
        reference = "disk"
        service_times = { cpu = 0.05, disk = 0.02 }
    """)
    web, batch = model.classes
    assert isinstance(web, OpenClass)
    assert isinstance(batch, ClosedClass)
    assert (web.arrival_rate, batch.population) == (2.0, 2)
    assert (web.visits, batch.visits) == ({"cpu": 4.0, "disk": 3.0}, {"cpu": 2.0, "disk": 1.0})
    assert web.service_times == batch.service_times == {"cpu": 0.05, "disk": 0.02}
    for form in ("toml", "json", "jmva"):
        assert loads(dumps(model, form), form) == model


GOOD: dict[str, Any] = {"routing": {"cpu": {"disk": 1.0}, "disk": {"cpu": 1.0}}, "reference": "cpu"}
BAD: dict[str, tuple[dict[str, Any], str]] = {
    "a sum": ({"routing": {"cpu": {"disk": 0.9}, "disk": {"cpu": 1.0}}}, r"routing\['cpu'\] = 0.9: must sum to 1"),
    "a sum beyond": ({"routing": {"cpu": {"disk": 0.9, "cpu": 0.2}, "disk": {"cpu": 1}}}, r"routing\['cpu'\] = 1.1: must sum"),
    "a probability": ({"routing": {"cpu": {"disk": 2.0}}}, r"routing\['cpu'\]\['disk'\] = 2.0: must lie within 0 and 1"),
    "negative": ({"routing": {"cpu": {"disk": -1}}}, r"routing\['cpu'\]\['disk'\] = -1: must be a number, 0 or more"),
    "nan": ({"routing": {"cpu": {"disk": float("nan")}}}, r"must be finite"),
    "no row": ({"routing": {"cpu": {"disk": 1.0}}}, r"routing\['disk'\] = 0.0: must sum to 1"),
    "never there": (
        {"routing": {**GOOD["routing"], "tape": {"cpu": 1.0}}},
        r"routing\['tape'\]: must be reached by jobs; remove it",
    ),
    "apart": ({"routing": {**GOOD["routing"], "tape": {"tape": 1.0}}}, r"routing\['tape'\]: must be reached by jobs"),
    "a trap": (
        {"routing": {"cpu": {"disk": 0.5, "tape": 0.5}, "disk": {"cpu": 1}, "tape": {"tape": 1.0}}},
        r"routing\['tape'\]: must lead back or out: jobs never leave it",
    ),
    "no reference": ({"reference": "cpx"}, r"reference = 'cpx': must be a station of the routing; did you mean 'cpu'"),
    "both": ({"entry": {"cpu": 1.0}, "exits": {"cpu": 1.0}}, r"needs either entry with exits, or reference"),
    "neither": ({"reference": None}, r"needs either entry with exits, or reference"),
    "no exits": ({"reference": None, "entry": {"cpu": 1.0}}, r"needs either entry with exits"),
    "an entry": (
        {"reference": None, "entry": {"cpu": 0.5}, "exits": {"cpu": 0.0}, "routing": GOOD["routing"]},
        r"entry = 0.5: must sum to 1",
    ),
    "no way out": (
        {"reference": None, "entry": {"cpu": 1.0}, "exits": {"cpu": 0.0}},
        r"routing\['cpu'\]: must lead back or out: jobs never leave it",
    ),
    "an unknown exit": (
        {"reference": None, "entry": {"cpu": 1.0}, "exits": {"dsk": 0.0}},
        r"exits = 'dsk': must name a station of the routing; did you mean 'disk'",
    ),
    "a matrix": ({"routing": [[0, 1], [1, 0]], "stations": ["cpu"]}, r"routing = \[2, 2\]: must have a row and a column"),
    "no matrix": ({"routing": 3}, r"routing = 3: must be a list"),
    "names twice": ({"stations": ["cpu", "disk"]}, r"stations: is allowed only with a matrix"),
    "a row": ({"routing": {"cpu": 1.0}}, r"routing\['cpu'\] = 1.0: must give a probability for each next station"),
    "nothing": ({"routing": {}}, r"routing = \{\}: must not be empty"),
    "a short vector": (
        {"reference": None, "entry": [1.0], "exits": [0.0, 0.5], "routing": GOOD["routing"]},
        r"entry = \(1.0,\): must have 2 probabilities",
    ),
}


@pytest.mark.parametrize("name", BAD)
def test_what_is_wrong(name: str) -> None:
    """A wrong routing is reported in one line, with the place."""
    changes, message = BAD[name]
    with pytest.raises(ModelError, match=message):
        visits(**{**GOOD, **changes})


@pytest.mark.parametrize(
    ("lines", "message"),
    [
        ("routing = { cpu = { cpu = 0.5 } }\nreference = 'cpu'", r"class 'a': routing\['cpu'\] = 0.5: must sum to 1"),
        (
            "routing = { cpu = { cpu = 1.0 } }\nreference = 'cpu'\nvisits = { cpu = 1 }",
            r"class 'a': visits = .*: is not allowed with",
        ),
        ("reference = 'cpu'", r"class 'a': routing: is missing"),
    ],
)
def test_what_is_wrong_in_a_file(lines: str, message: str) -> None:
    """In a model file the class is named too."""
    with pytest.raises(ModelError, match=message):
        loads(f"[[stations]]\nname = 'cpu'\n[[classes]]\nname = 'a'\npopulation = 1\nservice_times = {{ cpu = 1 }}\n{lines}")


def test_what_is_wrong_with_a_chain_of_classes() -> None:
    """A visit without a service time is an error; a station without visits has no service time."""
    with pytest.raises(ModelError, match=r"service_times\[\('read', 'cpu'\)\]: is missing"):
        chain_class({("read", "cpu"): 1.0}, {})
    none: Mapping[tuple[str, str], float] = {("read", "cpu"): 0.0}
    assert chain_class(none, {("read", "cpu"): 1.0}) == {"visits": {"cpu": 0.0}, "service_times": {"cpu": 0.0}}

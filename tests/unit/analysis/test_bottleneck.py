"""Bottlenecks: verdicts against brute force and scipy, sectors against large populations, switches against a sweep."""

from __future__ import annotations

import json
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
import qnsolve as qn
from qnsolve.analysis.linear_envelope import best_margin, upper_lines
from qnsolve.cli.main import main
from scipy.optimize import linprog

from tests.support import zoo


def test_margins_against_scipy() -> None:
    """The value of each game is that of scipy's linear program, with up to six classes and twelve stations."""
    rng = np.random.default_rng(5)
    for _ in range(60):
        stations, classes = int(rng.integers(1, 13)), int(rng.integers(1, 7))
        loads = rng.uniform(0, 1, (stations, classes)) * (rng.random((stations, classes)) < 0.8)
        for k in range(stations):
            margin, mix = best_margin(loads, k)
            assert mix.min() >= 0
            assert mix.sum() == pytest.approx(1.0, abs=1e-14)
            if stations == 1:
                continue
            others = np.delete(loads, k, axis=0)
            assert ((loads[k] - others) @ mix).min() == pytest.approx(margin, abs=1e-13)
            a = np.column_stack((others - loads[k], np.ones(stations - 1)))
            found = linprog(
                [0.0] * classes + [-1.0],
                a,
                np.zeros(stations - 1),
                [[1.0] * classes + [0.0]],
                [1.0],
                [(0, 1)] * classes + [(None, None)],
            )
            assert margin == pytest.approx(-found.fun, abs=1e-9)


def test_lines_against_a_grid() -> None:
    """The upper lines are the highest ones on a fine grid, without a gap."""
    rng = np.random.default_rng(6)
    for _ in range(50):
        start, slope = rng.uniform(0, 1, (2, int(rng.integers(1, 9))))
        parts = upper_lines(start, slope - 0.5, 0.2, 3.0)
        assert [p[0] for p in parts] == [0.2, *(p[1] for p in parts[:-1])]
        assert parts[-1][1] == 3.0
        for a, b, k in parts:
            for x in np.linspace(a, b, 20):
                assert start[k] + (slope[k] - 0.5) * x == pytest.approx((start + (slope - 0.5) * x).max(), abs=1e-12)


def test_one_class() -> None:
    """N* = (Z + ΣD)/max(D/m), with servers, delays and load-dependent stations."""
    model = qn.Network(
        [qn.Queue("cpu", servers=4), zoo.DISK, zoo.NET, zoo.RISING],
        [zoo.closed("q", 50, 6.0, cpu=1.0, disk=0.2, net=2.0, pool=0.3)],
    )
    (limit,) = qn.bottleneck(model).limits
    assert (limit.station, limit.highest_throughput) == ("cpu", 4.0)
    assert limit.saturation_population == pytest.approx((6.0 + 3.5) / 0.25, rel=1e-14)
    (nowhere,) = qn.bottleneck(zoo.HAND_MADE["delays only"]).limits
    assert (nowhere.station, str(nowhere.highest_throughput)) == ("", "nan")


def test_verdicts() -> None:
    """A dominated station never limits, one within the hull only together, equal ones too."""
    names = ["a", "b", "c", "d", "e", "idle"]
    model = qn.Network(
        [qn.Queue(n) for n in names],
        [
            zoo.closed("x", 5, a=4.0, b=1.0, c=2.0, d=2.5, e=2.0),
            zoo.closed("y", 5, a=1.0, b=4.0, c=2.0, d=2.5, e=3.5),
        ],
    )
    found = {c.station: c.verdict for c in qn.bottleneck(model).candidates}
    assert found == {"a": "alone", "b": "alone", "c": "never", "d": "never", "e": "alone"}
    on_the_line = model.replace("y", demands={"a": 1.0, "b": 4.0, "c": 2.0, "d": 2.5, "e": 3.0})
    assert [c.verdict for c in qn.bottleneck(on_the_line).candidates] == ["alone", "alone", "never", "together", "together"]
    thrice = qn.Network(
        [qn.Queue("a"), qn.Queue("b")], [zoo.opened("x", 1, a=0.1 * 3, b=0.3), zoo.opened("y", 1, a=0.1, b=0.1)]
    )
    assert [c.verdict for c in qn.bottleneck(thrice).candidates] == ["together", "together"]


def test_sectors_of_the_population() -> None:
    """With 400 jobs, a station is full exactly at the mixes whose sector names it."""
    model = qn.Network(
        [qn.Queue("a"), qn.Queue("b"), qn.Queue("c", servers=2)],
        [zoo.closed("x", 1, 1.0, a=1.0, b=0.4, c=1.7), zoo.closed("y", 1, a=0.3, b=1.0, c=1.6)],
    )
    sectors = [s for s in qn.bottleneck(model).sectors if "population" in s.of]
    assert [s.stations for s in sectors] == [("b",), ("b", "c"), ("c",), ("c", "a"), ("a",)]
    assert sectors[0].low == 0
    assert sectors[-1].high == 1
    for s, following in pairwise(sectors):
        assert s.high == following.low
    jobs = 400
    for s in sectors:
        x = round(jobs * (s.low + s.high) / 2)
        found = qn.solve(model.replace("x", population=x).replace("y", population=jobs - x))
        busy = {name for name in "abc" if found[name].utilization > 0.995}
        assert busy == set(s.stations), s


def test_sectors_of_the_throughput() -> None:
    """The busiest station at each mix of arrivals is that of its sector."""
    model = zoo.HAND_MADE["open, several classes"]
    for s in qn.bottleneck(model).sectors:
        for share in np.linspace(s.low, s.high, 7)[1:-1]:
            found = qn.solve(model.replace("browse", arrival_rate=0.1 * share).replace("buy", arrival_rate=0.1 * (1 - share)))
            assert max(("cpu", "disk"), key=lambda k: found[k].utilization) == s.stations[0]


def test_switches_of_a_population() -> None:
    """Along a population the busiest station is that of its range, at every population."""
    model = qn.Network([zoo.CPU, zoo.DISK], [zoo.closed("x", 1, 2.0, cpu=0.5, disk=0.1), zoo.closed("y", 5, disk=0.6, cpu=0.2)])
    found = qn.bottleneck_switches(model, "x", [1, 30, 60])
    assert [s.stations for s in found.sectors] == [("disk",), ("cpu",)]
    for s in found.sectors:
        for n in (s.low, s.high):
            solved = qn.solve(model.replace("x", population=int(n)))
            assert max(solved.stations, key=lambda k: k.utilization).name == s.stations[0]
    assert found.sectors[1].low == found.sectors[0].high + 1
    assert "busiest" in str(found)


def test_switches_of_a_rate() -> None:
    """Open: the crossing of the two loads; beside a closed class: where both utilizations are the same."""
    shop = qn.Network([zoo.CPU, zoo.DISK], [zoo.opened("x", 1.0, cpu=0.5, disk=0.1), zoo.opened("y", 1.0, disk=0.3)])
    assert qn.bottleneck_switches(shop, "x", [0.0, 1.9]).sectors[0].high == 0.75
    with pytest.raises(qn.SaturatedError):
        qn.bottleneck_switches(shop, "x", [0.0, 2.5])
    mixed = qn.Network(
        [zoo.CPU, zoo.DISK], [zoo.opened("x", 1.0, cpu=0.5, disk=0.1), zoo.closed("y", 3, 1.0, disk=0.6, cpu=0.2)]
    )
    (first, second) = qn.bottleneck_switches(mixed, "x", [0.0, 1.9]).sectors
    solved = qn.solve(mixed.replace("x", arrival_rate=first.high))
    assert solved["cpu"].utilization == pytest.approx(solved["disk"].utilization, rel=1e-10)
    assert first.high == second.low


@pytest.mark.parametrize(("name", "values"), [("cpu", [1, 2]), ("query", [3]), ("query", [5, 3]), ("query", [1, 2.5])])
def test_wrong_calls(name: str, values: list[float]) -> None:
    """A class that is none, and values that do not rise, are refused."""
    with pytest.raises(qn.ModelError, match="bottleneck_switches"):
        qn.bottleneck_switches(zoo.HAND_MADE["one class"], name, values)


def test_sentences() -> None:
    """The verdicts are given in words, the classes in rows."""
    text = str(qn.bottleneck(zoo.HAND_MADE["several classes"]))
    assert "cpu can be the bottleneck, for example at a throughput of" in text
    assert "share of query in the population" in text


@pytest.mark.parametrize("form", ["--json", "--csv", None])
def test_command(form: str | None, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """`qnsolve bottleneck FILE` prints what the function gives, in each form."""
    model, path = zoo.HAND_MADE["several classes"], tmp_path / "m.toml"
    qn.save(model, path)
    assert main(["bottleneck", str(path), *([form] if form else [])]) == 0
    out, found = capsys.readouterr().out, qn.bottleneck(model)
    if form == "--json":
        assert json.loads(out) == found.as_dict()
    else:
        assert out.rstrip("\n") == (found.to_csv() if form else str(found)).rstrip("\n")

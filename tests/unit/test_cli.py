"""The command line: what it prints, in which form, and with which exit code."""

from __future__ import annotations

import csv
import io
import json
import math
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import qnsolve
from qnsolve import AdmissionLimit, ClosedClass, Network, OpenClass, Queue, Solution, save, solve
from qnsolve.cli.main import main

from tests.support import zoo

TOP = ["model", "method", "exact", "iterations", "residual", "notes", "classes", "stations", "limits", "rows"]
CLASS = ["name", "population", "throughput", "response_time", "admission_wait", "cycle_time"]
CLASS += ["number_outside", "fraction_delayed", "delayed_wait"]
STATION = ["name", "servers", "utilization", "queue_length", "throughput", "capacity", "fraction_blocked"]
ROW = ["class", "station", "throughput", "utilization", "queue_length", "demand", "waiting_time", "residence_time"]
NAMES = list(zoo.HAND_MADE)


def _run(capsys: pytest.CaptureFixture[str], *arguments: str) -> str:
    assert main(arguments) == 0
    out, err = capsys.readouterr()
    assert err == ""
    return out


def _strict(text: str) -> Any:
    def refuse(word: str) -> None:
        raise AssertionError(f"{word} is not valid JSON")

    return json.loads(text, parse_constant=refuse)


def _agrees(printed: dict[str, Any], result: object, names: dict[str, str]) -> None:
    for key, value in printed.items():
        actual = getattr(result, names.get(key, key))
        if value is None:
            assert actual is None or math.isnan(actual)
        else:
            assert value == actual


@pytest.mark.parametrize("name", NAMES)
def test_json(name: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """--json prints strict JSON with exactly the documented fields, null for the undefined, and the solver's numbers."""
    path = tmp_path / "model.toml"
    save(zoo.HAND_MADE[name], path)
    out = _run(capsys, "solve", "--json", str(path))
    assert out.count("\n") == 1
    data, result = _strict(out), solve(zoo.HAND_MADE[name])
    assert list(data) == TOP
    assert (data["model"], data["method"], data["exact"]) == (result.model.name, result.method, result.exact)
    assert (data["iterations"], data["residual"], data["notes"]) == (result.iterations, result.residual, list(result.notes))
    assert [list(c) for c in data["classes"]] == [CLASS] * len(result.classes)
    assert [list(s) for s in data["stations"]] == [STATION] * len(result.stations)
    assert [list(r) for r in data["rows"]] == [ROW] * len(result.pairs)
    for c, found in zip(data["classes"], result.classes, strict=True):
        _agrees(c, found, {})
    for s, found in zip(data["stations"], result.stations, strict=True):
        _agrees(s, found, {})
    for r, found in zip(data["rows"], result.pairs, strict=True):
        _agrees(r, found, {"class": "class_name"})


@pytest.mark.parametrize("name", NAMES)
def test_csv(name: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """--csv prints a row a class and station with all digits, and nothing where a number is undefined."""
    path = tmp_path / "model.json"
    save(zoo.HAND_MADE[name], path)
    rows = list(csv.DictReader(io.StringIO(_run(capsys, "solve", "--csv", str(path)))))
    expected = solve(zoo.HAND_MADE[name]).rows()
    assert [list(r) for r in rows] == [ROW] * len(expected)
    for ours, theirs in zip(rows, expected, strict=True):
        for key, value in theirs.items():
            if isinstance(value, float):
                assert ours[key] == "" if math.isnan(value) else float(ours[key]) == value
            else:
                assert ours[key] == value


@pytest.mark.parametrize(("name", "method"), [(n, m) for n in NAMES for m in ("auto", "exact", *zoo.accepting(n))])
def test_method(name: str, method: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """--method takes each accepting method by name, the first, or the first exact one; the table is the solution's."""
    path = tmp_path / "model.toml"
    save(zoo.HAND_MADE[name], path)
    accepting = zoo.accepting(name)
    used = {"auto": accepting[0], "exact": next(m for m in accepting if zoo.solved(name, m).exact)}.get(method, method)
    result: Solution = zoo.solved(name, used)
    assert _run(capsys, "solve", "--method", method, str(path)) == f"{result}\n"
    assert f"method {used}," in str(result)


def test_methods(capsys: pytest.CaptureFixture[str]) -> None:
    """`methods` lists every method in the order in which they are tried, with what it does and its source."""
    lines = [line for line in _run(capsys, "methods").splitlines() if not line.startswith(" ")]
    assert [line.split()[0] for line in lines] == [report.name for report in qnsolve.methods()]
    for line, report in zip(lines, qnsolve.methods(), strict=True):
        assert report.summary in line
        assert f"[{report.source}]" in line
        assert ("exact" if report.exact else "approximate") in line
    data = _strict(_run(capsys, "methods", "--json"))
    keys = ["name", "exact", "accepts", "reason", "summary", "source", "error", "auto"]
    assert [list(entry) for entry in data] == [keys] * len(lines)
    assert [entry["accepts"] for entry in data] == [None] * len(lines)


@pytest.mark.parametrize("name", ["open", "one class", "several classes"])
def test_methods_of_a_model(name: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """`methods` with a model lists which accept it, and for the others the reason."""
    path = tmp_path / "model.toml"
    save(zoo.HAND_MADE[name], path)
    reports = qnsolve.methods(zoo.HAND_MADE[name])
    lines = [line for line in _run(capsys, "methods", str(path)).splitlines() if not line.startswith(" ")]
    for line, report in zip(lines, reports, strict=True):
        chosen = "  <- auto" if report.auto else ""
        assert line.endswith(f"  accepts{chosen}" if report.accepts else f"does not accept: {report.reason}")
    assert [report.name for report in reports if report.auto] == [solve(zoo.HAND_MADE[name]).method]
    for entry, report in zip(_strict(_run(capsys, "methods", "--json", str(path))), reports, strict=True):
        assert (entry["name"], entry["accepts"], entry["reason"]) == (report.name, report.accepts, report.reason)
        assert report.accepts == (report.reason == "")


def test_version(capsys: pytest.CaptureFixture[str]) -> None:
    """--version prints the package's version."""
    with pytest.raises(SystemExit) as info:
        main(["--version"])
    assert info.value.code == 0
    assert capsys.readouterr().out == f"qnsolve {qnsolve.__version__}\n"


@pytest.mark.parametrize(
    "arguments",
    [
        [],
        ["solv"],
        ["solve"],
        ["solve", "a.toml", "b.toml"],
        ["solve", "--xml", "a.toml"],
        ["solve", "--json", "--csv", "a.toml"],
        ["solve", "a.toml", "--method"],
        ["methods", "a.toml", "b.toml"],
    ],
)
def test_bad_arguments(arguments: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    """A call that is not understood ends with exit code 2 and one line that names the help."""
    with pytest.raises(SystemExit) as info:
        main(arguments)
    assert info.value.code == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert err.count("\n") == 1
    assert err.startswith("qnsolve")
    assert "--help" in err


def test_an_unknown_method(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """An unknown method is an error in the call: exit code 2, and the nearest name."""
    path = tmp_path / "model.toml"
    save(zoo.HAND_MADE["one class"], path)
    assert main(["solve", "--method", "latice", str(path)]) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert err.count("\n") == 1
    for part in ("method", "'latice'", "did you mean 'lattice'?", "convolution"):
        assert part in err


def _two(discipline: str, **second: object) -> Network:
    """Too large for its Markov chain."""
    queue = Queue("cpu", discipline=discipline)
    first = ClosedClass("a", population=300, visits={"cpu": 1}, service_times={"cpu": 0.5}, think_time=1)
    return Network([queue], [first, ClosedClass("b", population=200, think_time=1, **(second or {"demands": {"cpu": 0.25}}))])


CPU = [Queue("cpu")]
CLOSED, OPEN = zoo.closed("a", 3, cpu=0.5), OpenClass("b", arrival_rate=1, demands={"cpu": 0.25})
REFUSED = {
    "limit": (
        Network(CPU, [zoo.closed(name, 300, 1.0, cpu=0.5) for name in "ab"], [AdmissionLimit(2, name="MXT")]),
        ("limit 'MXT'", "admission limits"),
    ),
    "preemptive": (_two("preemptive"), ("station 'cpu'", "'preemptive'")),
    "nonpreemptive": (_two("nonpreemptive"), ("station 'cpu'", "'nonpreemptive'")),
    "fcfs by demands": (_two("fcfs"), ("station 'cpu'", "'fcfs'", "use 'ps' otherwise")),
    "fcfs of different service times": (
        _two("fcfs", visits={"cpu": 2}, service_times={"cpu": 0.6}),
        ("station 'cpu'", "'fcfs'", "same service_times"),
    ),
    "too large": (Network(CPU, [zoo.closed(f"c{r}", 10**4, 1.0, cpu=0.5) for r in range(3)]), ("10001×10001×10001", "GiB")),
}


@pytest.mark.parametrize("name", REFUSED)
@pytest.mark.parametrize("method", ["exact", "lattice"])
def test_models_that_no_method_accepts(name: str, method: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A right model that no method takes ends with exit code 3 and one line with every reason."""
    path = tmp_path / "model.toml"
    model, parts = REFUSED[name]
    save(model, path)
    assert main(["solve", "--method", method, str(path)]) == 3
    out, err = capsys.readouterr()
    assert out == ""
    assert err.count("\n") == 1
    alone = f"method {method} does not accept this model: " in err
    assert alone if method == "lattice" else err.startswith(f"{path}: no method accepts this model: ")
    for part in parts:
        assert part in err


def test_saturation(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A saturated model ends with exit code 3 and one line with station, utilization, class and highest rate."""
    path = tmp_path / "model.toml"
    save(Network([Queue("cpu", servers=2)], [zoo.opened("web", 5, cpu=0.5)], time_unit="ms"), path)
    assert main(["solve", str(path)]) == 3
    out, err = capsys.readouterr()
    assert out == ""
    assert err.count("\n") == 1
    for part in (str(path), "station 'cpu' is saturated", "1.25", "class 'web'", "highest stable rate is 4/ms"):
        assert part in err


def test_as_a_process(tmp_path: Path) -> None:
    """The module run as a program prints what the call in Python returns, with a name of any script, and writes no file."""
    path = tmp_path / "modèle ✓.toml"
    model = Network([Queue("процессор")], [ClosedClass("端末", population=2, think_time=1.0, demands={"процессор": 1.0})])
    save(model, path)
    command = [sys.executable, "-m", "qnsolve", "solve", "--json", str(path)]
    environment = {**os.environ, "PYTHONIOENCODING": "ascii", "PYTHONDONTWRITEBYTECODE": "1"}
    done = subprocess.run(command, capture_output=True, cwd=tmp_path, check=True, timeout=60, env=environment)
    assert done.stderr == b""
    data = _strict(done.stdout.decode("utf-8"))
    assert data["classes"][0]["name"] == "端末"
    assert data["classes"][0]["throughput"] == 0.8
    assert [p.name for p in tmp_path.iterdir()] == [path.name]


def test_a_broken_pipe_is_silent(tmp_path: Path) -> None:
    """A reader that has seen enough ends the program without a word."""
    path = tmp_path / "model.toml"
    classes = [zoo.opened(f"class {r}", 0.0001, **{f"s{k}": 0.01 for k in range(40)}) for r in range(400)]
    save(Network([Queue(f"s{k}") for k in range(40)], classes), path)
    command = [sys.executable, "-m", "qnsolve", "solve", str(path)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        assert process.stdout.read(10)
        process.stdout.close()
        assert process.stderr.read() == b""
        assert process.wait(60) in (0, 120, 141)

"""Model files: read, written, and read back the same."""

from __future__ import annotations

import json
import os
import tomllib
from pathlib import Path

import pytest
from qnsolve import (
    AdmissionLimit,
    ClosedClass,
    Delay,
    LoadDependent,
    ModelError,
    Network,
    OpenClass,
    Queue,
    dumps,
    load,
    loads,
    save,
)

from tests.support import zoo
from tests.support.bad_models import GOOD

EVERYTHING = Network(
    [
        Queue("cpu", servers=8, discipline="fcfs"),
        Queue("QR TCB", discipline="preemptive"),
        Delay('net "α"\\β'),
        LoadDependent("pool", rates=[1.0, 1.8, 0.1, 1e-5]),
    ],
    [
        ClosedClass(
            "terminals", population=1000, think_time=0.1 + 0.2, demands={"cpu": 1 / 3, "QR TCB": 1e-7, 'net "α"\\β': 2}
        ),
        OpenClass("web", arrival_rate=1e6, priority=2, visits={"pool": 3}, service_times={"pool": 1e-9}),
        OpenClass(
            "feed",
            arrival_rate=0.2,
            arrival_variation=0.0,
            batch_size=2.6,
            batch_variation=1 / 3,
            demands={"cpu": 0.5, "pool": 0.1},
            service_variation={"cpu": 0.0, "pool": 1e-3},
        ),
    ],
    [AdmissionLimit(4, classes=["terminals"], stations=["cpu", "QR TCB"], name="MXT"), AdmissionLimit(9)],
    name="every = [part] # of 'it'",
    time_unit="ms",
)
MODELS = {**zoo.every_model(), "everything": EVERYTHING}


@pytest.mark.parametrize("name", MODELS)
@pytest.mark.parametrize("form", ["toml", "json"])
def test_round_trip(name: str, form: str) -> None:
    """What is written is read back as the same model, to the last digit, and written the same again."""
    model = MODELS[name]
    text = dumps(model, format=form)
    assert loads(text, format=form) == model
    assert dumps(loads(text, format=form), format=form) == text
    assert text.endswith("\n")


@pytest.mark.parametrize("name", MODELS)
def test_both_formats_hold_the_same(name: str) -> None:
    """TOML and JSON hold the same tables and keys."""
    assert tomllib.loads(dumps(MODELS[name])) == json.loads(dumps(MODELS[name], format="json"))


def test_the_documented_file() -> None:
    """The file of the format's description is read as it says, defaults included."""
    model = loads("""
        name = "site"
        time_unit = "s"
        [[stations]]
        name = "cpu"
        type = "queue"
        servers = 2
        discipline = "ps"
        [[stations]]
        name = "disk"
        [[stations]]
        name = "lan"
        type = "delay"
        [[stations]]
        name = "pool"
        type = "load_dependent"
        rates = [1.0, 1.8, 2.4]
        [[classes]]
        name = "query"
        population = 60
        think_time = 12.0
        demands = { cpu = 0.22, disk = 0.3 }
        priority = 1
        [[classes]]
        name = "browse"
        arrival_rate = 8.0
        visits = { cpu = 2 }
        service_times = { cpu = 0.01 }
        [[limits]]
        name = "MXT"
        capacity = 4
        classes = ["query"]
        stations = ["cpu", "disk"]
    """)
    assert model == Network(
        [Queue("cpu", servers=2), Queue("disk"), Delay("lan"), LoadDependent("pool", rates=[1.0, 1.8, 2.4])],
        [
            ClosedClass("query", population=60, think_time=12.0, demands={"cpu": 0.22, "disk": 0.3}),
            OpenClass("browse", arrival_rate=8.0, visits={"cpu": 2}, service_times={"cpu": 0.01}),
        ],
        [AdmissionLimit(4, classes=["query"], stations=["cpu", "disk"], name="MXT")],
        name="site",
    )


@pytest.mark.parametrize("file", ["model.toml", "model.json", "MODEL.JSON", "model", "model.txt"])
def test_save_and_load(file: str, tmp_path: Path) -> None:
    """A saved model is loaded the same, under any name, and nothing else is left in the folder."""
    path = tmp_path / file
    save(EVERYTHING, path)
    assert load(path) == EVERYTHING
    assert load(str(path)) == EVERYTHING
    assert [p.name for p in tmp_path.iterdir()] == [file]
    assert path.read_text(encoding="utf-8").startswith("{") == (path.suffix.lower() == ".json")
    assert b"\r" not in path.read_bytes()


@pytest.mark.parametrize("form", ["toml", "json"])
@pytest.mark.parametrize("file", ["model.toml", "model.json", "model"])
def test_a_byte_order_mark_is_accepted(form: str, file: str, tmp_path: Path) -> None:
    """A byte order mark at the start of a file, as editors write it, does not matter."""
    if file != "model" and not file.endswith(form):
        file = f"model.{form}"
    path = tmp_path / file
    path.write_bytes(b"\xef\xbb\xbf" + dumps(EVERYTHING, format=form).encode("utf-8"))
    assert load(path) == EVERYTHING


def test_line_ends_of_windows_are_accepted(tmp_path: Path) -> None:
    """A file with the line ends of Windows is read as any other."""
    path = tmp_path / "model.toml"
    path.write_bytes(GOOD.replace("\n", "\r\n").encode("utf-8"))
    assert load(path) == loads(GOOD)


@pytest.mark.parametrize("file", ["model.toml", "model.json"])
def test_a_failing_write_leaves_the_old_file(file: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A write that fails half-way leaves the file as it was."""
    path = tmp_path / file
    save(loads(GOOD), path)
    before = path.read_bytes()

    def full(*_: object, **__: object) -> int:
        raise OSError("no space left")

    monkeypatch.setattr(Path, "write_text", full)
    monkeypatch.setattr(Path, "write_bytes", full)
    monkeypatch.setattr(os, "replace", full)
    with pytest.raises(OSError, match="no space left"):
        save(EVERYTHING, path)
    assert path.read_bytes() == before


def test_a_failing_replace_leaves_the_old_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A write whose last step fails leaves the file as it was."""
    path = tmp_path / "model.toml"
    save(loads(GOOD), path)
    before = path.read_bytes()

    def locked(*_: object, **__: object) -> None:
        raise PermissionError(13, "in use")

    monkeypatch.setattr(Path, "replace", locked)
    monkeypatch.setattr(os, "replace", locked)
    with pytest.raises(PermissionError, match="in use"):
        save(EVERYTHING, path)
    assert path.read_bytes() == before


def test_unknown_formats() -> None:
    """Only TOML and JSON are read and written."""
    for work in (lambda: loads(GOOD, format="yaml"), lambda: dumps(loads(GOOD), format="yaml")):
        with pytest.raises(ModelError, match=r"format = 'yaml': must be one of 'toml', 'json'"):
            work()


def test_whole_numbers_may_be_floats() -> None:
    """A population or server count that is written 60.0 is 60."""
    assert loads(GOOD.replace("population = 3", "population = 3.0")) == loads(GOOD)

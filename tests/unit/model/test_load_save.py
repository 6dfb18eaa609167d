"""One load and one save for networks and systems, in each format."""

from __future__ import annotations

import io
import json
from pathlib import Path

import pytest
import qnsolve as qn
from qnsolve.zos import System

from tests import ROOT

NETWORK = 'name = "site"\nstations = [{name = "cpu"}]\nclasses = [{name = "q", population = 3, demands = {cpu = 0.2}}]\n'
SYSTEMS = [*sorted((ROOT / "examples").glob("*.toml"))]


def kind_of(file: Path) -> type:
    """What the file describes, by its keys."""
    return System if "[[lpars]]" in file.read_text(encoding="utf-8") else qn.Network


@pytest.mark.parametrize("file", SYSTEMS, ids=[file.stem for file in SYSTEMS])
@pytest.mark.parametrize("form", ["toml", "json"])
def test_text_and_file_give_the_model_back(file: Path, form: str, tmp_path: Path) -> None:
    """Networks and systems alike, through `dumps` and `loads`, and through `save` and `load`."""
    model = qn.load(file)
    assert isinstance(model, kind_of(file))
    text = qn.dumps(model, format=form)
    again = qn.loads(text, format=form)
    assert type(again) is type(model)
    assert qn.dumps(again, format=form) == text
    qn.save(model, tmp_path / f"a.{form}")
    assert (tmp_path / f"a.{form}").read_text(encoding="utf-8") == text
    assert qn.dumps(qn.load(tmp_path / f"a.{form}")) == qn.dumps(model)
    if form == "json":
        assert isinstance(json.loads(text), dict)


def test_the_examples_hold_both_kinds() -> None:
    """The test above is one of networks and of systems."""
    assert {kind_of(file) for file in SYSTEMS} == {qn.Network, System}


@pytest.mark.parametrize("form", ["toml", "json", "jmva"])
def test_an_open_file_is_read_by_what_it_holds(form: str, tmp_path: Path) -> None:
    """Of a stream the first character says the format: { is JSON, < is JMVA."""
    model = qn.loads(NETWORK)
    qn.save(model, tmp_path / f"a.{form}")
    with (tmp_path / f"a.{form}").open("rb") as file:
        assert qn.load(file) == model
    assert qn.load(io.BytesIO((tmp_path / f"a.{form}").read_bytes())) == model


def test_an_error_in_an_open_file_names_it(tmp_path: Path) -> None:
    """By its name where it has one."""
    (tmp_path / "bad.toml").write_text(NETWORK.replace("3", "-3"))
    with (tmp_path / "bad.toml").open("rb") as file, pytest.raises(qn.ModelError) as raised:
        qn.load(file)
    assert str(tmp_path / "bad.toml") in str(raised.value)


def test_a_file_open_as_text_is_read_too(tmp_path: Path) -> None:
    """`open(name)` without "rb" is what most people write."""
    (tmp_path / "a.toml").write_text(NETWORK)
    with (tmp_path / "a.toml").open(encoding="utf-8") as file:
        assert qn.load(file) == qn.loads(NETWORK)


def test_jmva_holds_no_system(tmp_path: Path) -> None:
    """One line that says what to write in its place; no file is left."""
    system = qn.load(next(file for file in SYSTEMS if kind_of(file) is System))
    for call in (lambda: qn.dumps(system, format="jmva"), lambda: qn.save(system, tmp_path / "a.jmva")):
        with pytest.raises(qn.ModelError) as raised:
            call()
        assert raised.value.value == "jmva"
        assert "TOML" in str(raised.value)
        assert "\n" not in str(raised.value)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("call", [qn.loads, qn.dumps])
def test_an_unknown_format_is_refused(call: object) -> None:
    """With the known ones."""
    with pytest.raises(qn.ModelError, match="toml"):
        call(NETWORK, format="xml")  # type: ignore[operator]


FITTED = '\n[fitted]\nsource = ["rmf.csv"]\nfigures = ["query.demands.cpu"]\nvalues = [0.2]\nerrors = { rate = 0.01 }\n'


def test_what_a_fit_says_of_its_figures_is_passed_over() -> None:
    """The table [fitted] of a model file or a system file is no part of the model; anything but a table is refused."""
    system = next(file for file in SYSTEMS if kind_of(file) is System).read_text(encoding="utf-8")
    for text in (NETWORK, system):
        assert qn.loads(text + FITTED) == qn.loads(text)
    data = {**json.loads(qn.dumps(qn.loads(NETWORK), format="json")), "fitted": 1}
    with pytest.raises(qn.ModelError, match="fitted = 1: must be a table"):
        qn.loads(json.dumps(data), format="json")


def test_keys_have_quotes_only_where_they_need_them() -> None:
    """As a person writes them: engines, but "my log"."""
    log = qn.zos.Logger("my log", seconds_per_mib=(0.002, 0.004))
    work = qn.zos.Work("orders", rate=5, regions="AOR1", qr_cpu=0.001, log_bytes={"my log": 100})
    region = qn.zos.CicsRegion("AOR1", lpar="PROD")
    text = qn.dumps(qn.zos.System(lpars=[qn.zos.Lpar("PROD", processors=3)], regions=[region], work=[work], loggers=[log]))
    assert "processors = { engines = 3" in text
    assert 'log_bytes = { "my log" = 100' in text

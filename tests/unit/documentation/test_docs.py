"""Docstrings: their examples run, their parameters are documented, their references and terms exist."""

from __future__ import annotations

import dataclasses
import doctest
import importlib
import inspect
import pkgutil
import re
import tomllib
from pathlib import Path
from types import ModuleType

import pytest
import qnsolve
from qnsolve import zos
from qnsolve.results.terms import terms

from tests import ROOT

SOURCES = tomllib.loads((ROOT / "validation" / "published" / "sources.toml").read_text(encoding="utf-8"))
MODULES = ["qnsolve"] + [m.name for m in pkgutil.walk_packages(qnsolve.__path__, "qnsolve.") if not m.name.endswith("__main__")]
PUBLIC = {f"qnsolve.{name}": getattr(qnsolve, name) for name in qnsolve.__all__}
PUBLIC |= {f"stations.{name}": getattr(qnsolve.stations, name) for name in qnsolve.stations.__all__}
PUBLIC |= {f"zos.{name}": getattr(zos, name) for name in zos.__all__}
CALLABLES = [name for name, thing in PUBLIC.items() if not isinstance(thing, ModuleType)]
RESULTS = (qnsolve.ClassResult, qnsolve.StationResult, qnsolve.PairResult, qnsolve.stations.StationForm)
# fields that name something, and quantities of one output only
NO_TERMS = {"name", "station", "class_name", "highest_throughput", "probability_wait", "probability_blocked"}
NO_TERMS |= {"probability_abandoned", "note", "response"}


def _examples(name: str) -> list[doctest.DocTest]:
    return [t for t in doctest.DocTestFinder(recurse=True).find(importlib.import_module(name), name) if t.examples]


@pytest.mark.parametrize("name", MODULES)
def test_examples_run(name: str) -> None:
    """Every example in a docstring prints what it says."""
    printed: list[str] = []
    runner = doctest.DocTestRunner(verbose=False)
    for example in _examples(name):
        runner.run(example, out=printed.append)
    assert printed == []


def test_there_are_examples() -> None:
    """There are more than ten examples, in more than five modules."""
    counts = {name: sum(len(t.examples) for t in _examples(name)) for name in MODULES}
    assert sum(counts.values()) > 10
    assert sum(count > 0 for count in counts.values()) > 5


@pytest.mark.parametrize("name", PUBLIC)
def test_public_names_have_docstrings(name: str) -> None:
    """Everything public has a docstring of its own."""
    thing = PUBLIC[name]
    assert thing.__doc__
    assert thing.__doc__.strip()
    assert not thing.__doc__.startswith(f"{getattr(thing, '__name__', '')}(")  # dataclasses make one up


def _documented(doc: str, parameter: str) -> bool:
    return re.search(rf"(?<!\w)\**{re.escape(parameter)}(?!\w)", doc) is not None


@pytest.mark.parametrize("name", [n for n in CALLABLES if inspect.isfunction(PUBLIC[n]) or dataclasses.is_dataclass(PUBLIC[n])])
def test_parameters_are_documented(name: str) -> None:
    """The docstring of a public function or class names each of its parameters."""
    thing = PUBLIC[name]
    parameters = [p for p in inspect.signature(thing).parameters if not p.startswith("_")]
    assert [p for p in parameters if not _documented(thing.__doc__, p)] == []


@pytest.mark.parametrize("owner", [thing for thing in PUBLIC.values() if inspect.isclass(thing)])
def test_public_methods_are_documented(owner: type) -> None:
    """Public methods have docstrings, which name their parameters where they list any."""
    for name, method in vars(owner).items():
        if name.startswith("_") or not inspect.isfunction(method):
            continue
        assert method.__doc__, f"{owner.__name__}.{name}"
        if "Parameters\n" in inspect.cleandoc(method.__doc__):
            parameters = [p for p in inspect.signature(method).parameters if p != "self"]
            assert [p for p in parameters if not _documented(method.__doc__, p)] == []


@pytest.mark.parametrize("name", MODULES)
def test_references_exist(name: str) -> None:
    """Every publication that a docstring refers to is in the table of sources."""
    text = Path(str(importlib.import_module(name).__file__)).read_text(encoding="utf-8")
    assert {key for key in re.findall(r"\[([A-Z]\w*?\d{4}[a-z]?)\]", text) if key not in SOURCES} == set()


def test_references_of_methods_exist() -> None:
    """Every method of the registry names a publication of the table of sources, and every one in a docstring is used."""
    reports = qnsolve.methods()
    for report in reports:
        for key in re.split(r"[ ,]+", report.source):
            assert key in SOURCES
        assert report.summary
    assert len({report.name for report in reports}) == len(reports)
    found = set()
    for name in MODULES:
        text = Path(str(importlib.import_module(name).__file__)).read_text(encoding="utf-8")
        found |= set(re.findall(r"\[([A-Z]\w*?\d{4}[a-z]?)\]", text))
    assert len(found) >= 10


def test_quantities_are_terms() -> None:
    """Every quantity of a result is spelt as the table of terms has it."""
    known = set(terms())
    for kind in RESULTS:
        assert {f.name for f in dataclasses.fields(kind)} - known <= NO_TERMS
    assert not known & NO_TERMS


def test_terms_are_complete() -> None:
    """Each term has a symbol, a unit, a heading and a meaning, and no heading or name stands for two."""
    for term in terms().values():
        assert all((term.name, term.symbol, term.unit, term.shape, term.heading, term.meaning))
    assert len({term.heading for term in terms().values()}) == len(terms())
    assert terms()["throughput"].unit_in("ms") == "jobs/ms"
    assert terms()["utilization"].unit_in("ms") == "0..1"


def test_the_version_is_stated() -> None:
    """The package states its version, in three numbers."""
    assert re.fullmatch(r"\d+\.\d+\.\d+\w*", qnsolve.__version__)

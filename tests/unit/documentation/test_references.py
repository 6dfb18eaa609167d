"""The reference pages have a row for every key, term, method and command, and no row too many."""

from __future__ import annotations

import dataclasses
import inspect
import re
from typing import Any

import pytest
import qnsolve as qn
from qnsolve import zos
from qnsolve.__main__ import INTERRUPTED
from qnsolve.cli import main as cli
from qnsolve.files import load_save, model_file, system_file
from qnsolve.model.network import Network
from qnsolve.results.terms import terms
from qnsolve_excel.catalogue import OLD_NAMES, catalogue

from tests import ROOT
from tests.support.pages import page, section, table
from tests.unit.test_imports import ARROWS

SYSTEM, MODEL, METHODS, WORDS, MAP = (
    f"docs/{name}.md" for name in ("system-file", "model-file", "methods", "vocabulary", "architecture")
)
REQUIRED, NONE = "*required*", "none"
PARTS: dict[str, type] = {
    "## `[[lpars]]`": zos.Lpar,
    "### `processors` of an LPAR": zos.Processors,
    "### `ziips` of an LPAR": zos.Ziips,
    "## `[[regions]]` of CICS": zos.CicsRegion,
    "## `[[regions]]` of IMS": zos.ImsRegions,
    "## `[[work]]`": zos.Work,
    "### `[[work.steps]]`": zos.Step,
    "## `[[coupling_facilities]]`": zos.CouplingFacility,
    "### `link` of a coupling facility": zos.Link,
    "### `structures` of a coupling facility": zos.Structure,
    "## `[[loggers]]`": zos.Logger,
    "## `[[devices]]`": zos.Device,
}
# keys whose default depends on others of the part: the page says how
DEPENDS = {(zos.Step, "shares"): "equal", (zos.Step, "cf_on"): "by the step", (zos.Work, "steps"): REQUIRED}
DEPENDS |= {(zos.CouplingFacility, "service_time"): "3.6e-6"}


def _rows(name: str, heading: str) -> dict[str, dict[str, str]]:
    found = table(section(name, heading))
    keys = [row["key"].strip("`[]") for row in found]
    assert len(set(keys)) == len(keys)
    return dict(zip(keys, found, strict=True))


def _defaults(kind: type) -> dict[str, Any]:
    """The parameters of a part as its constructor has them."""
    named = {field.name for field in dataclasses.fields(kind)} - {"_"}
    parameters = inspect.signature(kind).parameters
    return {name: parameters[name].default for name in parameters if name in named}


def _shown(kind: type, key: str, default: Any) -> str:
    """A default as a page shows it."""
    if (kind, key) in DEPENDS:
        return DEPENDS[kind, key]
    if default is inspect.Parameter.empty:
        return REQUIRED
    if default is None or default == () or repr(default) == "<factory>":
        return NONE
    if isinstance(default, bool):
        return str(default).lower()
    return f'"{default}"' if isinstance(default, str) else f"{default:g}"


@pytest.mark.parametrize("heading", PARTS)
def test_system_file(heading: str) -> None:
    """Each part's table has its keys, in their order, with their defaults."""
    kind = PARTS[heading]
    shown = {key: row["default"] for key, row in _rows(SYSTEM, heading).items()}
    assert shown == {key: _shown(kind, key, default) for key, default in _defaults(kind).items()}
    assert all(row["unit"] and row["meaning"] for row in _rows(SYSTEM, heading).values())


def test_every_part_of_a_system_has_a_table() -> None:
    """Each kind of part, and each part of a part."""
    kinds = {*system_file.KINDS.values(), *system_file.TYPES.values(), *system_file.WITHIN.values()}
    assert set(PARTS.values()) == kinds
    assert list(_rows(SYSTEM, "## The file")) == ["name", *load_save.SYSTEM_PARTS]


def test_model_file() -> None:
    """Each key that a model file may have, in the table of its part; with the defaults of Python."""
    stations, classes, limits = (_rows(MODEL, f"## `[[{part}]]`") for part in ("stations", "classes", "limits"))
    for kind, keys in model_file.READ_KEYS.items():
        assert {key for key, row in stations.items() if kind in row["goes with type"].split(", ")} == set(keys)
    assert [key for key, row in stations.items() if row["goes with type"] == "all"] == ["name", "type"]
    assert set(classes) == {"name", *model_file.CLASS_KEYS, *model_file.ROUTE_KEYS}
    assert set(limits) == {"name", *model_file.LIMIT_KEYS}
    assert list(_rows(MODEL, "## The file")) == ["name", "time_unit", "stations", "classes", "limits"]
    known = {**_defaults(qn.Queue), **_defaults(qn.ClosedClass), **_defaults(qn.OpenClass)}
    for key, row in {**stations, **classes}.items():
        default = known.get(key)
        if default not in (None, inspect.Parameter.empty):
            assert row["default"] == _shown(Network, key, default), key


def test_methods() -> None:
    """The table of methods has every method of the registry in its order, and whether it is exact."""
    listed = {row["method"].strip("`"): row["exact"].startswith("yes") for row in table(section(METHODS, "## The methods"))}
    assert listed == {method.name: method.exact for method in qn.methods()}
    assert list(listed) == [method.name for method in qn.methods()]


def test_json_keys() -> None:
    """The page lists every key of the JSON of a solution and of a system."""
    text = page(METHODS)
    for name in ("cics-mxt", "cics-region"):
        found = qn.solve(qn.load(ROOT / f"examples/{name}.toml")).as_dict()
        keys = {*found, *(key for part in found.values() if isinstance(part, list) for row in part[:1] for key in _keys(row))}
        assert {key for key in keys if f"`{key}`" not in text} == set()


def _keys(row: Any) -> list[str]:
    return list(row) if isinstance(row, dict) else []


def test_exit_codes() -> None:
    """Each error's exit code has a row."""
    listed = {row["code"] for row in table(section("docs/command-line.md", "## Exit codes"))}
    kinds = (qn.ModelError, qn.SaturatedError, qn.NoMethodError, qn.ConvergenceError, qn.LawError)
    assert {"0", "1", str(INTERRUPTED), *(str(kind.exit_code) for kind in kinds)} == listed


def test_commands() -> None:
    """The page has every command, and no other."""
    listed = [row["command"].strip("`") for row in table(section("docs/command-line.md", "## The commands"))]
    others = [point.name for point in cli._other_packages()]
    assert listed == [*cli.COMMANDS, *others]


def test_questions() -> None:
    """Each question's names exist in Python, on the command line and in the catalogue of worksheet functions."""
    for row in table(section(WORDS, "## Questions")):
        for name in re.findall(r"`([\w.]+)`", row["Python"]):
            thing: Any = {"qn": qn, "zos": zos}[name.partition(".")[0]]
            for part in name.split(".")[1:]:
                thing = getattr(thing, part)
        assert set(re.findall(r"`([\w-]+)`", row["command"])) <= {*cli.COMMANDS, *(p.name for p in cli._other_packages())}
        assert {name.upper() for name in re.findall(r"`QN\.(\w+)`", row["sheet"])} <= set(catalogue())


def test_old_names() -> None:
    """Each old name of a worksheet function and of a command, with the one to use in its place."""
    listed = {row["old name"].strip("`"): row["name"].strip("`") for row in table(section(WORDS, "## Old names"))}
    functions = {f.dotted: f"QN.{f.now}" for f in catalogue().values() if f.group == OLD_NAMES}
    commands = {f"qnsolve {old}": f"qnsolve {new}" for old, new in cli.ALIASES.items()}
    assert functions.items() | commands.items() <= listed.items()


def test_terms() -> None:
    """Each quantity of the table of terms, with its symbol and unit."""
    listed = {row["name"].strip("`"): (row["symbol"], row["unit"]) for row in table(section(WORDS, "## Quantities"))}
    assert listed == {term.name: (term.symbol, term.unit) for term in terms().values()}


def test_arrows() -> None:
    """The map shows the arrows that the tests hold every file to."""
    rows = table(section(MAP, "## Arrows"))
    shown = {row["room"].strip("`"): row["imports"].replace("`", "").replace(",", "") for row in rows}
    assert shown == ARROWS


def test_the_map_is_of_the_files_that_are_there() -> None:
    """Each file and folder that the map and the steps for contributors name exists."""
    places = {"qnsolve/": "solver/qnsolve/", "sheet/": "excel-addin/qnsolve_excel/"}
    for name in (MAP, "CONTRIBUTING.md"):
        for word in re.findall(r"`([\w.-]+/[\w./-]*)`", page(name)):
            start = f"{word.split('/')[0]}/"
            path = ROOT / word.replace(start, places.get(start, start), 1)
            if re.search("NAME|FAMILY|DOCUMENT", word) or start == "out/":  # of the reader's own; what a command writes
                continue
            assert path.exists() or (ROOT / "solver/qnsolve" / word).exists(), f"{name}: {word}"


def test_every_room_is_on_the_map() -> None:
    """Each folder of the solver and each front end of the worksheet functions is named."""
    text = page(MAP)
    for folder in (ROOT / "solver/qnsolve").rglob("__init__.py"):
        room = str(folder.parent.relative_to(ROOT / "solver/qnsolve")).removeprefix("zos/").removeprefix("files/")
        assert room == "." or f"`{room}`" in text or f"`{room.split('/')[-1]}`" in text, room
    for folder in (ROOT / "excel-addin/qnsolve_excel").glob("*/__init__.py"):
        assert f"`{folder.parent.name}`" in text, folder

"""Which room may import which: arrows point down only, also inside rooms, and kernels know no model."""

from __future__ import annotations

import ast
import importlib
import os
import subprocess
import sys
from pathlib import Path

import pytest
import qnsolve

ROOT = Path(qnsolve.__file__).parent
FILES = {".".join(p.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__"): p for p in sorted(ROOT.rglob("*.py"))}

# each room and the rooms that it may import, its own files apart; the table is exact: an arrow that is not used is an error
ARROWS: dict[str, str] = {
    "errors": "",
    "numerics": "",
    "model": "errors numerics",
    "results": "errors model",
    "stations": "errors model numerics",
    "methods": "errors model numerics results",
    "simulation": "errors methods numerics",
    "analysis": "errors methods model numerics results simulation stations",
    "measure": "errors model numerics results stations",
    "zos": "analysis errors methods model numerics results simulation",
    "files": "errors model results zos",
    "fitting": "analysis errors files measure methods model numerics results stations zos",
    "planning": "__init__ analysis errors files model numerics results zos",
    "cli": "__init__ analysis errors files fitting measure methods model planning results zos",
    "__main__": "cli",
    "__init__": "analysis errors files fitting measure methods model planning results stations zos",
}
# the files of a method family that see a model as arrays with names; all the others are kernels
SEES_ARRAYS = {
    *("limits.grouped_chain", "limits.merged_classes", "limits.nested_limits", "limits.outside_subnetwork"),
    "limits.shared_limit",
    "layers.joined_hosts",
    *("markov.aggregation", "markov.deadlock", "markov.job_chain", "priorities.rest_of_network"),
}
THIRD_PARTY = {"numpy"}
OPTIONAL = {  # imported where they are used, and only there
    "stations.symbolic": {"sympy"},
    "fitting.pages.page_html": {"jinja2"},
    "fitting.pages.page_pictures": {"matplotlib"},
    "results.plotting": {"matplotlib"},
    "fitting.pages.page_xlsx": {"xlsxwriter"},
    "planning.pages.study_html": {"jinja2"},
    "planning.pages.study_xlsx": {"xlsxwriter"},
    "planning.pages.recalculated_sheet": {"xlsxwriter"},
    "simulation.ciw_check": {"ciw"},
    "simulation.compiling": {"numba"},
    "numerics.one_thread": {"threadpoolctl"},
    "numerics.band_matrix": {"scipy"},
    "measure.demands.response_spread": {"scipy"},
    "measure.readers.reports.ddsml": {"defusedxml"},
}
HEAVY = {"ciw", "defusedxml", "networkx", "numba", "scipy", "sympy", "matplotlib", "openpyxl", "xlsxwriter", "jinja2", "pytest"}
HEAVY |= {"pandas", "polars", "qnsolve_excel", "qnsolve_validation"}


def _room(module: str) -> str:
    return module.split(".", maxsplit=1)[0]


def _base(module: str, node: ast.ImportFrom) -> str | None:
    """The module of the package that a `from` statement names, "" for the package itself; None for another package."""
    if node.level == 0:
        name = str(node.module)
        return name.removeprefix("qnsolve").removeprefix(".") if _room(name) == "qnsolve" else None
    package = module.split(".") if FILES[module].name == "__init__.py" and module != "__init__" else module.split(".")[:-1]
    return ".".join([*package[: len(package) - node.level + 1], *([node.module] if node.module else [])])


def _strings(tree: ast.Module) -> set[str]:
    """Modules of the package that a file names in a string, to import them when they are needed."""
    words = (node.value for node in ast.walk(tree) if isinstance(node, ast.Constant) and isinstance(node.value, str))
    names = {word.removeprefix("qnsolve.") for word in words if word.startswith("qnsolve.")}
    return names & FILES.keys()


def _imports(module: str) -> tuple[set[str], set[str]]:
    """Modules of the package, and top-level names of others, that a file imports anywhere in it."""
    tree = ast.parse(FILES[module].read_text(encoding="utf-8"))
    inside, outside = _strings(tree), set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            for alias in node.names:
                if _room(alias.name) == "qnsolve":
                    inside.add(alias.name.removeprefix("qnsolve."))
                else:
                    outside.add(_room(alias.name))
        elif isinstance(node, ast.ImportFrom):
            base = _base(module, node)
            if base is None:
                outside.add(_room(str(node.module)))
                continue
            for alias in node.names:
                whole = f"{base}.{alias.name}" if base else alias.name
                inside.add(whole if whole in FILES else base or "__init__")
    assert inside <= FILES.keys(), f"{module} imports {sorted(inside - FILES.keys())}, which are no files"
    return inside - {module}, outside


IMPORTS = {module: _imports(module) for module in FILES}


def test_arrows_between_rooms() -> None:
    """A room imports the rooms that the table gives it: no other ones, and all of them."""
    used: dict[str, set[str]] = {_room(module): set() for module in FILES}
    for module, (inside, _) in IMPORTS.items():
        used[_room(module)] |= {_room(name) for name in inside} - {_room(module)}
    assert used == {room: set(rooms.split()) for room, rooms in ARROWS.items()}


def _circles() -> list[set[str]]:
    """Files that import each other around a circle: the strongly connected components, by who reaches whom."""
    reach = {module: set(inside) for module, (inside, _) in IMPORTS.items()}
    for middle, onward in reach.items():
        for found in reach.values():
            if middle in found:
                found |= onward
    circles = {frozenset(other for other in reach[module] if module in reach[other]) for module in reach}
    return [set(circle) for circle in circles if circle]


def test_files_make_no_circle() -> None:
    """Following imports from a file never leads back to it."""
    assert _circles() == []


@pytest.mark.parametrize("module", FILES)
def test_imports_of_others(module: str) -> None:
    """A file imports the standard library and numpy, and nothing else."""
    outside = IMPORTS[module][1] - set(sys.stdlib_module_names)
    assert outside <= THIRD_PARTY | OPTIONAL.get(module, set())


def _is_kernel(module: str) -> bool:
    parts = module.split(".")
    family = len(parts) == 3 and parts[0] == "methods"
    return parts[0] == "numerics" or (family and parts[2] != "method" and ".".join(parts[1:]) not in SEES_ARRAYS)


def test_kernels_know_no_model() -> None:
    """A kernel imports kernels, what a kernel returns, numpy and the standard library only."""
    wrong = {
        module: sorted(other for other in inside if not (_is_kernel(other) or other in ("numerics", "methods.measures")))
        for module, (inside, _) in IMPORTS.items()
        if _is_kernel(module)
    }
    assert {module: others for module, others in wrong.items() if others} == {}


def test_no_two_files_share_a_name() -> None:
    """A file's name says what it holds, so no two have the same one; each family of methods has a `method.py`."""
    names = [path.name for path in FILES.values() if path.name not in ("__init__.py", "method.py", "__main__.py")]
    assert sorted(set(names)) == sorted(names)


def test_no_two_classes_share_a_name() -> None:
    """Each class has a name of its own in the whole package."""
    names: dict[str, list[str]] = {}
    for module, path in FILES.items():
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.ClassDef):
                names.setdefault(node.name, []).append(module)
    assert {name: modules for name, modules in names.items() if len(modules) > 1} == {}


def test_folders_are_one_topic() -> None:
    """No folder has more than 14 files, and the package itself at most 16 entries beside its marker of types."""
    folders: dict[Path, int] = {}
    for path in FILES.values():
        folders[path.parent] = folders.get(path.parent, 0) + 1
    assert {str(folder): count for folder, count in folders.items() if count > 14} == {}
    entries = [path for path in ROOT.iterdir() if path.name not in ("__pycache__", "py.typed")]
    assert len(entries) <= 16


def _after(code: str) -> tuple[set[str], set[str]]:
    """Modules of the package, and top-level names of others, that are loaded once the code has run by itself."""
    code += "; import sys; print(*sys.modules)"
    plain = {key: value for key, value in os.environ.items() if not key.startswith("COVERAGE_")}  # it loads modules of its own
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, timeout=60, env=plain)
    assert done.stderr == ""
    inside = {name.removeprefix("qnsolve.") for name in done.stdout.split() if name.startswith("qnsolve.")}
    return inside, {name.split(".")[0] for name in done.stdout.split()}


MODEL = (
    "import qnsolve as qn; site = qn.Network([qn.Queue('cpu')], [qn.OpenClass('q', arrival_rate=1.0, demands={'cpu': 0.1})])"
)
# what a solve does without, however it is asked: the analyses, other files, simulation, closed forms
ASKED_FOR = {"analysis", "cli", "files", "measure", "simulation", "stations", "zos"}


def test_importing_is_light() -> None:
    """`import qnsolve` loads nothing; a model its own module; a solve what every solve needs, and no heavy package."""
    assert _after("import qnsolve")[0] == set()
    inside, outside = _after(MODEL)
    files = ("admission_limit", "checks", "job_classes", "network", "station_types")
    assert inside - {"model"} == {"errors", *(f"model.{name}" for name in files)}
    assert not outside & set(HEAVY)
    inside, outside = _after(f"{MODEL}; print(qn.solve(site), file=open(__import__('os').devnull, 'w'))")
    assert {"methods.solve", "methods.product_form.method", "methods.laws", "results.rendering"} <= inside
    assert not {_room(name) for name in inside} & ASKED_FOR
    assert not outside & {*HEAVY, "decimal", "secrets", "tomllib", "xml"}


def test_what_compiles_is_loaded_for_simulations_only() -> None:
    """Systems are made, and networks verified, without the compiler."""
    assert not _after("import qnsolve.zos, qnsolve.analysis.verify, qnsolve.cli.main")[1] & HEAVY
    inside, outside = _after("import qnsolve.zos.simulate.simulated_system")
    assert "simulation.event_loop" in inside
    assert "numba" in outside


def test_a_name_is_its_function_whatever_was_loaded_before() -> None:
    """Each public name is what its module has, also where that module, of the same name, was loaded by another one."""
    code = "import qnsolve.analysis.sweep, qnsolve.methods.solve, qnsolve.cli.main, qnsolve as qn"
    code += "; modules = [n for n in qn.__all__ if type(getattr(qn, n)).__name__ == 'module']"
    code += "; assert modules == ['measure', 'stations', 'symbolic', 'zos']"
    assert "cli" in _after(code)[0]


def test_names_are_declared_before_they_are_used() -> None:
    """The table of homes holds what type checkers and `dir` see, and no other name."""
    declared = {
        alias.name: str(node.module)
        for node in ast.walk(ast.parse(FILES["__init__"].read_text(encoding="utf-8")))
        if isinstance(node, ast.ImportFrom) and node.level == 1
        for alias in node.names
    }
    assert sorted(declared) == sorted(qnsolve.__all__)
    for name, module in declared.items():
        found = getattr(qnsolve, name)
        home = importlib.import_module("qnsolve" if module == "None" else f"qnsolve.{module}")
        assert found is (sys.modules[f"qnsolve.{name}"] if module == "None" else vars(home)[name])
    assert set(qnsolve.__all__) < set(dir(qnsolve))
    with pytest.raises(AttributeError, match="module 'qnsolve' has no attribute 'sovle'"):
        _ = qnsolve.sovle  # type: ignore[attr-defined]

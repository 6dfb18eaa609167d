"""Which module may import which: arrows point down only, and kernels know no model."""

from __future__ import annotations

import ast
import importlib
import subprocess
import sys
from pathlib import Path

import pytest
import qnsolve

ROOT = Path(qnsolve.__file__).parent
FILES = {".".join(p.relative_to(ROOT).with_suffix("").parts): p for p in sorted(ROOT.rglob("*.py"))}

# what each part may import of the package, as it is; "kernels" and "stations" are folders
ARROWS: dict[str, set[str]] = {
    "errors": set(),
    "tables": set(),
    "terms": {"tables"},
    "accuracy": {"tables"},
    "results": set(),
    "checks": {"errors"},
    "centers": {"checks", "errors"},
    "model": {"centers", "checks", "errors", "routing"},
    "network": {"model", "checks", "errors"},
    "kernels": set(),
    "stations": {"model", "checks", "errors", "kernels"},
    "formulas": {"errors"},
    "formulas_waiting": {"errors", "formulas"},
    "symbolic": {"checks", "errors", "formulas", "formulas_waiting"},
    "jmva": {"solution", "network", "model", "checks", "errors"},
    "modeltext": {"errors"},
    "routing": {"checks", "errors", "kernels"},
    "expansion": {"model", "errors"},
    "modelfile": {"expansion", "jmva", "modeltext", "solution", "network", "model", "checks", "errors"},
    "render": {"results", "terms"},
    "solution": {"render", "results", "network", "errors"},
    "arrays": {"solution", "results", "network", "model", "kernels"},
    "laws": {"arrays", "model", "errors", "kernels"},
    "plan": {"arrays", "model", "kernels"},
    "methods": {"accuracy", "plan", "arrays", "network", "model", "errors", "kernels"},
    "solve": {"accuracy", "methods", "laws", "arrays", "solution", "network", "errors"},
    "vary": {"checks", "errors", "network"},
    "stack": {"arrays", "kernels", "laws", "methods", "model", "vary"},
    "sweep": {
        *("accuracy", "arrays", "errors", "kernels", "model", "network"),
        *("render", "solution", "solve", "stack", "vary"),
    },
    "report": {"render"},
    "bounds": {"report", "methods", "arrays", "network", "model", "errors", "kernels"},
    "derivatives": {"arrays", "errors", "kernels", "methods", "model", "network", "solution"},
    "sensitivity": {"checks", "derivatives", "errors", "model", "network", "render", "report", "solution", "solve"},
    "bottleneck": {"arrays", "kernels", "network", "render", "report"},
    "switches": {"arrays", "bottleneck", "checks", "errors", "kernels", "model", "network", "report", "solve"},
    "percentiles": {
        *("arrays", "checks", "errors", "kernels", "methods", "model"),
        *("network", "solution", "solve", "stations", "tables"),
    },
    "sizing": {"checks", "errors", "kernels", "model", "network", "percentiles", "solution", "solve"},
    "peer": {"errors", "kernels"},
    "verify": {"checks", "peer", "plan", "arrays", "errors", "kernels", "model", "network", "report", "solution", "solve"},
    "zos": {
        "checks",
        "errors",
        "kernels",
        "model",
        "modelfile",
        "modeltext",
        "network",
        "render",
        "report",
        "solution",
        "solve",
        "verify",
    },
    "prompt": set(),
    "systems": {"errors", "modelfile", "prompt", "vary", "zos"},
    "cli": {
        "prompt",
        "systems",
        "zos",
        "sweep",
        "vary",
        "render",
        "verify",
        "bottleneck",
        "bounds",
        "sensitivity",
        "report",
        "solve",
        "modelfile",
        "modeltext",
        "network",
        "errors",
        "package",
    },
    "__main__": {"cli"},
    "__init__": {
        "verify",
        "routing",
        "switches",
        "sizing",
        "percentiles",
        "bottleneck",
        "bounds",
        "sensitivity",
        "errors",
        "model",
        "modelfile",
        "network",
        "results",
        "solution",
        "solve",
        "stations",
        "sweep",
        "symbolic",
    },
}
# numpy, and what the command `validate` looks for when it is called
THIRD_PARTY = {"numpy"}
OPTIONAL = {"symbolic": {"sympy"}}  # imported when asked for
HEAVY = ("ciw", "networkx", "scipy", "sympy", "matplotlib", "openpyxl", "pandas", "dask", "pytest", "qnsolve_validation")


def _part(module: str) -> str:
    return module.split(".", maxsplit=1)[0]


def _imports(module: str) -> tuple[set[str], set[str]]:
    """Modules of the package, and top-level names of others, that a file imports anywhere in it."""
    inside, outside = set(), set()
    package = module.split(".") if FILES[module].name == "__init__.py" else module.split(".")[:-1]
    if FILES[module].name == "__init__.py":
        package = package[:-1]
    for node in ast.walk(ast.parse(FILES[module].read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            outside |= {alias.name.split(".")[0] for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.level == 0:
            outside.add(str(node.module).split(".")[0])
        elif isinstance(node, ast.ImportFrom):
            base = package[: len(package) - (node.level - 1)]
            if node.module:
                inside.add(".".join([*base, node.module]))
            else:
                inside |= {".".join([*base, alias.name]) for alias in node.names}
    return {name if name in FILES or f"{name}.__init__" in FILES else "package" for name in inside}, outside


@pytest.mark.parametrize("module", FILES)
def test_imports_within_the_package(module: str) -> None:
    """A module imports only modules below it, as the table of arrows has them."""
    inside, _ = _imports(module)
    assert _part(module) in ARROWS, f"give {module} a row in the table"
    used = {_part(name) for name in inside} - {_part(module)}
    assert used <= ARROWS[_part(module)]


@pytest.mark.parametrize("module", FILES)
def test_imports_of_others(module: str) -> None:
    """A module imports the standard library and numpy, and nothing else."""
    _, outside = _imports(module)
    assert outside - set(sys.stdlib_module_names) <= THIRD_PARTY | OPTIONAL.get(module, set())


@pytest.mark.parametrize("module", [name for name in FILES if _part(name) == "kernels"])
def test_kernels_know_no_model(module: str) -> None:
    """A kernel imports kernels, numpy and the standard library only."""
    inside, outside = _imports(module)
    assert {_part(name) for name in inside} <= {"kernels"}
    assert outside - set(sys.stdlib_module_names) <= {"numpy"}


def test_the_table_is_as_it_is() -> None:
    """The table of arrows has no row and no arrow that is not used."""
    used: dict[str, set[str]] = {_part(module): set() for module in FILES}
    for module in FILES:
        used[_part(module)] |= {_part(name) for name in _imports(module)[0]} - {_part(module)}
    assert used == ARROWS


def test_the_arrows_make_no_circle() -> None:
    """Following arrows never leads back."""
    left = {part: arrows - {"package"} for part, arrows in ARROWS.items()}
    while left:
        bottom = {part for part, arrows in left.items() if not arrows & set(left)}
        assert bottom, f"a circle among {sorted(left)}"
        left = {part: arrows for part, arrows in left.items() if part not in bottom}


def _after(code: str) -> tuple[set[str], set[str]]:
    """Modules of the package, and top-level names of others, that are loaded once the code has run by itself."""
    code += "; import sys; print(*sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, timeout=60)
    assert done.stderr == ""
    inside = {name.removeprefix("qnsolve.") for name in done.stdout.split() if name.startswith("qnsolve.")}
    return inside, {name.split(".")[0] for name in done.stdout.split()}


MODEL = (
    "import qnsolve as qn; site = qn.Network([qn.Queue('cpu')], [qn.OpenClass('q', arrival_rate=1.0, demands={'cpu': 0.1})])"
)
# what a solve does without, however it is asked: the analyses, other files, simulation, closed forms
ASKED_FOR = {
    *("bottleneck", "bounds", "cli", "derivatives", "formulas", "jmva", "peer", "percentiles", "report", "sensitivity"),
    *("sizing", "stack", "stations", "sweep", "switches", "symbolic", "vary", "verify"),
}


def test_importing_is_light() -> None:
    """`import qnsolve` loads nothing; a model its own module; a solve what every solve needs, and no heavy package."""
    assert _after("import qnsolve")[0] == set()
    inside, outside = _after(MODEL)
    assert inside == {"centers", "checks", "errors", "model", "network"}
    assert not outside & set(HEAVY)
    inside, outside = _after(f"{MODEL}; print(qn.solve(site), file=open(__import__('os').devnull, 'w'))")
    assert {"solve", "methods.exact", "laws", "render"} <= inside
    assert not {_part(name) for name in inside} & ASKED_FOR
    assert not outside & {*HEAVY, "decimal", "secrets", "tomllib", "xml"}


def test_a_name_is_its_function_whatever_was_loaded_before() -> None:
    """Each public name is what its module has, also where that module, of the same name, was loaded by another one."""
    code = "import qnsolve.sweep, qnsolve.verify, qnsolve.switches, qnsolve.cli, qnsolve as qn"
    code += "; modules = [n for n in qn.__all__ if type(getattr(qn, n)).__name__ == 'module']"
    code += "; assert modules == ['stations', 'symbolic']"
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

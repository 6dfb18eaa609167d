"""The wheel, away from the repository: it holds every file, and its commands work or name what to install."""

import os
import shutil
import subprocess
import sys
import sysconfig
import zipfile
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PACKAGES = {"qnsolve": "solver/qnsolve", "qnsolve_excel": "excel-addin/qnsolve_excel", "qnsolve_validation": "validation"}
SOURCES = ("setup.cfg", "pyproject.toml", "README.md", "LICENSE", "NOTICE", "solver", "excel-addin", "validation")
MODEL = """
stations = [{name = "cpu"}]
classes = [{name = "query", population = 3, think_time = 1.0, demands = {cpu = 0.2}}]
"""


def run(folder, *command):
    """A command in a folder, without the settings of this process."""
    environment = {key: value for key, value in os.environ.items() if not key.startswith("PYTHON")}
    return subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, timeout=300, check=False)


def kept(folder, names):
    """What a build leaves behind, and what Python compiles."""
    return [name for name in names if name in {"__pycache__", "build"} or name.endswith(".egg-info")]


@pytest.fixture(scope="module")
def wheel(tmp_path_factory):
    """The wheel, built from a copy of the sources with what is installed here."""
    copy, out = tmp_path_factory.mktemp("sources"), tmp_path_factory.mktemp("wheel")
    for name in SOURCES:
        if (ROOT / name).is_dir():
            shutil.copytree(ROOT / name, copy / name, ignore=kept)
        else:
            shutil.copy(ROOT / name, copy / name)
    options = ("--no-deps", "--no-index", "--no-build-isolation", "--quiet", "--wheel-dir", str(out))
    built = run(copy, sys.executable, "-m", "pip", "wheel", *options, str(copy))
    assert built.returncode == 0, built.stderr
    (file,) = out.glob("*.whl")
    return file


@pytest.fixture(scope="module")
def installed(wheel, tmp_path_factory):
    """A fresh environment with the wheel; the libraries are those of this one."""
    folder = tmp_path_factory.mktemp("installed")
    assert run(folder, sys.executable, "-m", "venv", "--without-pip", "env").returncode == 0
    scheme = {"base": str(folder / "env"), "platbase": str(folder / "env")}
    site = Path(sysconfig.get_path("purelib", "venv", vars=scheme))
    (site / "libraries.pth").write_text(sysconfig.get_path("purelib") + "\n")
    python = folder / "env" / "bin" / "python"
    options = ("--no-deps", "--no-index", "--quiet")
    done = run(folder, sys.executable, "-m", "pip", "--python", str(python), "install", *options, str(wheel))
    assert done.returncode == 0, done.stderr
    return python.parent


@pytest.mark.slow
def test_the_wheel_holds_every_file(wheel):
    """Modules, tables, templates and licences: a file that the repository has is in the wheel."""
    with zipfile.ZipFile(wheel) as parts:
        names = set(parts.namelist())
    for package, folder in PACKAGES.items():
        for path in (ROOT / folder).rglob("*"):
            if path.is_file() and "__pycache__" not in path.parts:
                assert f"{package}/{path.relative_to(ROOT / folder).as_posix()}" in names
    assert {name.rpartition("/")[2] for name in names if "/licenses/" in name} == {"LICENSE", "NOTICE"}


@pytest.mark.slow
def test_it_is_the_wheel_that_runs(installed, tmp_path):
    """Nothing is imported from the repository."""
    code = "import qnsolve, qnsolve_excel, qnsolve_validation as v; print(qnsolve.__file__, qnsolve_excel.__file__, v.__file__)"
    done = run(tmp_path, installed / "python", "-c", code)
    assert done.stderr == ""
    assert done.stdout.count(str(installed.parent)) == 3


@pytest.mark.slow
@pytest.mark.skipif(os.name == "nt", reason="commands of Unix")
@pytest.mark.parametrize(
    ("arguments", "part"),
    [
        (["solve", "site.toml"], "query"),
        (["sweep", "site.toml", "query.population=1,2"], "query.population"),
        (["validate", "--case", "ims12-8", "--out", "report"], "1 case, 15 figures predicted"),
        (["validate", "--document", "ims12"], "report: out/validation.html"),
        (["verify", "site.toml", "--jobs", "2000", "--seed", "2"], "simulated"),
        (["methods", "site.toml"], "accepts"),
        (["convert", "site.toml", "site.json"], "written: site.json"),
        (["bounds", "site.toml"], "bounds"),
        (["bottleneck", "site.toml"], "cpu"),
        (["addin", "workbooks", "--plan", "smt"], "written: smt.xlsx"),
        (["addin", "calc", "--out", "qnsolve.oxt"], "written: qnsolve.oxt"),
        (["addin", "functions"], "QN."),
        (["addin", "serve", "--help"], "--port"),
    ],
)
def test_commands_work(installed, tmp_path, arguments, part):
    """Each command does from the wheel what it does from a checkout."""
    (tmp_path / "site.toml").write_text(MODEL)
    done = run(tmp_path, installed / "qnsolve", *arguments)
    assert (done.returncode, done.stderr) == (0, "")
    assert part in done.stdout


@pytest.mark.parametrize(
    ("package", "arguments", "install"),
    [
        ("jinja2", ["validate"], "jinja2 matplotlib XlsxWriter"),
        ("matplotlib", ["validate"], "jinja2 matplotlib XlsxWriter"),
        ("xlsxwriter", ["validate"], "jinja2 matplotlib XlsxWriter"),
        ("xlsxwriter", ["addin", "workbooks"], "XlsxWriter"),
        ("olefile", ["addin", "install"], "xlwings olefile XlsxWriter"),
        ("starlette", ["addin", "serve"], "starlette uvicorn cryptography"),
        ("ciw", ["verify", "site.toml", "--simulator", "ciw"], "ciw"),
    ],
)
def test_a_missing_package_is_one_line(tmp_path, package, arguments, install):
    """Exit code 2 before anything is computed or written, and the command that installs what is missing."""
    (tmp_path / "site.toml").write_text(MODEL)
    code = f"import sys; sys.modules[{package!r}] = None; from qnsolve.cli.main import main; sys.exit(main(sys.argv[1:]))"
    done = run(tmp_path, sys.executable, "-c", code, *arguments)
    assert done.returncode == 2
    assert done.stderr.endswith(f": needs the package {package}; run: python -m pip install {install}\n")
    assert done.stderr.count("\n") == 1
    assert os.listdir(tmp_path) == ["site.toml"]

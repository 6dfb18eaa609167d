"""What the README says is run as it stands."""

import os
import re
import shlex
import subprocess
import sys
import tomllib

import pytest
import qnsolve as qn

from tests import ROOT

README = (ROOT / "README.md").read_text(encoding="utf-8")


def blocks(language):
    """The fenced blocks of one language."""
    return re.findall(rf"^```{language}\n(.*?)^```", README, flags=re.DOTALL | re.MULTILINE)


@pytest.mark.parametrize("code", blocks("python"))
def test_python_blocks_run(code):
    """Each Python block runs and its assertions hold."""
    exec(compile(code, "README.md", "exec"), {})


def test_printed_table_is_what_the_command_prints():
    """The table in the README is the output of the first command of `make run`."""
    printed = qn.solve(qn.load(ROOT / "examples/cics-cfdt.toml"))
    assert blocks("text")[0] == f"{printed}\n"


@pytest.mark.parametrize("text", blocks("toml"))
def test_model_files_load(text):
    """Each model file in the README is a valid model, and it solves."""
    assert tomllib.loads(text)["name"]
    assert qn.solve(qn.loads(text)).residual < 1e-10


@pytest.mark.parametrize("line", [line.partition("#")[0].strip() for b in blocks("sh") for line in b.splitlines()])
def test_make_targets_exist(line):
    """Each shell line is a make target that make knows."""
    done = subprocess.run([*shlex.split(line), "--dry-run"], cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


def test_powershell_block_runs_the_same_commands():
    """The Windows lines do what `make run` and `make test` do."""
    lines = [line.partition("#")[0].strip().replace("\\", "/") for line in blocks("powershell")[0].splitlines()]
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    for line in lines[1:]:
        words = [word for word in line.replace(".venv/Scripts/", "$(BIN)/").split() if word]
        assert words[0] in makefile
        assert all(word in makefile for word in words[1:]), line


def test_methods_of_the_table_are_those_of_the_registry():
    """The README's table of methods lists every method and no other."""
    listed = re.findall(r"^\|[^|]+\| `(\w+)` \|", README, flags=re.MULTILINE)
    assert listed == [method.name for method in qn.methods()]


@pytest.mark.slow
def test_first_command_writes_the_report(tmp_path):
    """The two commands behind `make run` print the table and write the report."""
    command = [sys.executable, "-m", "qnsolve"]
    environment = {**os.environ, "PYTHONUTF8": "1"}
    for arguments in (["solve", "examples/cics-cfdt.toml"], ["validate", "--out", str(tmp_path)]):
        done = subprocess.run([*command, *arguments], cwd=ROOT, capture_output=True, text=True, check=False, env=environment)
        assert done.returncode == 0, done.stderr
        assert done.stderr == ""
    assert {p.name for p in tmp_path.iterdir()} == {"validation.html", "validation.md", "validation.xlsx", "validation-plots"}

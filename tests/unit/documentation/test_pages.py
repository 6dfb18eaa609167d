"""What the pages say is run as it stands: README, CONTRIBUTING and docs."""

from __future__ import annotations

import os
import re
import shlex
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest
import qnsolve as qn
from qnsolve.cli import main as cli

from tests import ROOT
from tests.support.pages import PAGES, all_blocks, blocks, lines, links

BIN = Path(sys.executable).parent
RIDDLES = r"\b(t(?:old|ells?)|h(?:ardly)|runs away|asks? a cent(?:er|re)|room for so many|what it comes to|works are)\b"


def _named(blocks: list[tuple[str, str]]) -> list[object]:
    return [pytest.param(page, block, id=f"{page}-{number}") for number, (page, block) in enumerate(blocks)]


@pytest.mark.parametrize(("page", "code"), _named(all_blocks("python")))
def test_python_blocks_run(page: str, code: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each Python block runs by itself beside the examples, and its assertions hold."""
    shutil.copytree(ROOT / "examples", tmp_path / "examples", ignore=shutil.ignore_patterns("workbooks"))
    monkeypatch.chdir(tmp_path)
    exec(compile(code, page, "exec"), {})


@pytest.mark.parametrize(("page", "text"), _named(all_blocks("toml")))
def test_files_load_and_solve(page: str, text: str) -> None:
    """Each model file and system file in a page is valid, and it solves."""
    assert tomllib.loads(text)["name"]
    answer = qn.solve(qn.loads(text))
    assert not isinstance(answer, qn.Solution) or answer.residual < 1e-6


@pytest.mark.parametrize(("page", "line"), _named(lines("sh")))
def test_commands_are_there(page: str, line: str) -> None:
    """Each shell line is a target of make, a command that its parser takes, or a program of the environment."""
    program, *words = shlex.split(line)
    if program == "make":
        done = subprocess.run([program, *words, "--dry-run"], cwd=ROOT, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stderr
    elif program.removeprefix(".venv/bin/") == "qnsolve":
        assert callable(cli._parser(words).parse_args(words).run)
    else:
        assert program.startswith(".venv/bin/")
        assert (BIN / program.removeprefix(".venv/bin/")).exists()
        for word in words:  # folders and files of the repository; NAME stands for one of the reader's own
            if "/" in word and "NAME" not in word:
                assert (ROOT / word.partition("::")[0]).exists(), word


@pytest.mark.parametrize("name", PAGES)
def test_links_lead_somewhere(name: str) -> None:
    """Each file that a page shows or names is there."""
    assert [file for file in links(name) if not file.exists()] == []


@pytest.mark.parametrize("name", [*PAGES, "excel-addin/README.md", "excel-addin/WINDOWS-CHECK.md", "benchmarks/README.md"])
def test_pages_are_in_plain_english(name: str) -> None:
    """The standard terms of the field, and none of the paraphrases that were used in their place."""
    assert re.findall(RIDDLES, (ROOT / name).read_text(encoding="utf-8"), re.IGNORECASE) == []


def test_every_page_is_in_the_readme() -> None:
    """The README links every page of the folder of documentation."""
    assert {path for path in PAGES.values() if path.parent.name == "docs"} <= {file.resolve() for file in links("README.md")}


def test_printed_table_is_what_the_command_prints() -> None:
    """The table on the page of the command line is the output of the first command of `make run`."""
    printed = qn.solve(qn.load(ROOT / "examples/cics-cfdt.toml"))
    assert blocks("docs/command-line.md", "text")[0] == f"{printed}\n"


def test_powershell_block_runs_the_same_commands() -> None:
    """The Windows lines do what `make run` and `make test` do."""
    lines = [line.partition("#")[0].strip().replace("\\", "/") for line in blocks("README.md", "powershell")[0].splitlines()]
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    for line in lines[1:]:
        words = [word for word in line.replace(".venv/Scripts/", "$(BIN)/").split() if word]
        assert words[0] in makefile
        assert all(word in makefile for word in words[1:]), line


@pytest.mark.slow
def test_first_command_writes_the_report(tmp_path: Path) -> None:
    """The two commands behind `make run` print the table and write the report."""
    command = [sys.executable, "-m", "qnsolve"]
    environment = {**os.environ, "PYTHONUTF8": "1"}
    for arguments in (["solve", "examples/cics-cfdt.toml"], ["validate", "--out", str(tmp_path)]):
        done = subprocess.run([*command, *arguments], cwd=ROOT, capture_output=True, text=True, check=False, env=environment)
        assert done.returncode == 0, done.stderr
        assert done.stderr == ""
    written = {p.name for p in tmp_path.iterdir()}
    assert written >= {"validation.html", "validation.md", "validation.xlsx", "validation-plots"}
    assert {name.partition("-")[0].partition(".")[0] for name in written} == {"validation"}
    assert "validation-measured-by-others.md" in written

"""The README of the worksheet functions is the catalogue, and its commands and pictures are there."""

from __future__ import annotations

import re
import shlex

import pytest
from qnsolve.cli import main as cli
from qnsolve_excel import catalogue, describing, modelling
from qnsolve_excel.listing import described, markdown

from tests import ROOT

FOLDER = ROOT / "excel-addin"
README = (FOLDER / "README.md").read_text(encoding="utf-8")


def test_its_table_is_the_catalogue() -> None:
    """Made by the command that stands above it."""
    assert README.split("<!-- made by: qnsolve addin functions --markdown -->\n")[1] == markdown()


def test_the_headings_of_its_tables_are_those_that_are_read() -> None:
    """Each heading, and no other."""
    columns = [
        modelling.STATION_COLUMNS,
        modelling.CLASS_COLUMNS,
        modelling.LIMIT_COLUMNS,
        describing.LPARS,
        describing.REGIONS,
    ]
    columns += [describing.WORK, describing.FACILITIES, describing.LOGGERS, describing.DEVICES]
    for each in columns:
        line = re.search(rf"^\| {each.part} \| (.*) \|$", README, re.MULTILINE)
        assert line, each.part
        plain = re.sub(r"\([^)]*\)|`[^`]*`", " ", line.group(1))
        words = set(re.findall(r"[a-z]+(?:_[a-z]+)*", plain))
        assert set(each.plain) <= words, each.part
        named = set(re.findall(r"`([a-z_]+) NAME`", line.group(1)))
        assert named == set(each.families) - {"demand"}, each.part


@pytest.mark.parametrize("line", re.findall(r"(?:^|`)(qnsolve addin [^`#\n]+)", README, re.MULTILINE))
def test_its_commands_are_read(line: str) -> None:
    """By the parser of the command line."""
    words = shlex.split(line.strip())
    parsed = cli._parser(words[1:]).parse_args(words[1:])
    assert callable(parsed.run)


def test_its_pictures_and_links_are_there() -> None:
    """Each file that it shows or names."""
    for file in re.findall(r"\]\(([^)#]+)\)", README):
        if not file.startswith("https:"):
            assert (FOLDER / file).exists(), file


def test_all_help_of_a_function_is_printed(capsys: pytest.CaptureFixture[str]) -> None:
    """By its name in any spelling, or by a part of it."""
    assert cli.main(["addin", "functions", "qn_mxt_wait"]) == 0
    assert capsys.readouterr().out.strip() == described(catalogue()["MXT_WAIT"]).strip()
    assert cli.main(["addin", "functions", "mxt"]) == 0
    assert capsys.readouterr().out.count("=QN.MXT_") == 9

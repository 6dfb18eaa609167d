"""System files to begin with, and the command that writes them."""

from __future__ import annotations

import tomllib
from pathlib import Path

import pytest
import qnsolve as qn
from qnsolve.cli.main import main
from qnsolve.files.system_templates import TEMPLATES, template_text


@pytest.mark.parametrize("name", TEMPLATES)
def test_a_template_holds_its_work_today_and_not_for_ever(name: str) -> None:
    """Its study ends; every figure of its work and parts has a comment with a report, or the one above it has."""
    text = template_text(name)
    system = qn.loads(text)
    table = tomllib.loads(text)["study"]
    found = qn.study(system, growth=table["growth"], targets=table["targets"], begin="2026-12")  # type: ignore[arg-type]
    assert found.verdict.holds_until > "2027-06"
    assert found.verdict.first_missed < "2032"
    said: dict[str, bool] = {}
    for line in text.splitlines():
        key, equals, rest = line.partition(" = ")
        if not equals or line.startswith((" ", "#")) or key in ("name", "lpar", "type", "regions", "tranclass"):
            continue
        said[key] = said.get(key, False) or "#" in rest
    assert [key for key, commented in said.items() if not commented] == []


def test_the_command_lists_prints_and_writes(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A file that exists stays as it is."""
    assert main(["template"]) == 0
    assert [line.split()[0] for line in capsys.readouterr().out.splitlines()] == list(TEMPLATES)
    assert main(["template", "ims"]) == 0
    assert capsys.readouterr().out == template_text("ims")
    file = tmp_path / "site.toml"
    assert main(["template", "mq", "-o", str(file)]) == 0
    assert file.read_text(encoding="utf-8") == template_text("mq")
    capsys.readouterr()
    assert main(["template", "cics", "--output", str(file)]) == 2
    assert file.read_text(encoding="utf-8") == template_text("mq")
    assert main(["template", "csic"]) == 2
    assert main(["template", "-o", str(tmp_path / "other.toml")]) == 2
    complaints = capsys.readouterr().err.splitlines()
    assert len(complaints) == 3
    assert "did you mean 'cics'?" in complaints[1]

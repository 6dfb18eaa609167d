"""The pages of the documentation: their code blocks, tables and links."""

from __future__ import annotations

import re
from pathlib import Path
from textwrap import dedent

from tests import ROOT

PAGES = {str(path.relative_to(ROOT)): path for path in [*ROOT.glob("*.md"), *sorted((ROOT / "docs").glob("*.md"))]}


def page(name: str) -> str:
    """The text of a page, by its path in the repository."""
    return PAGES[name].read_text(encoding="utf-8")


def blocks(name: str, language: str) -> list[str]:
    """The fenced blocks of one language in a page, those within lists too."""
    found = re.findall(rf"^( *)```{language}\n(.*?)^\1```", page(name), flags=re.DOTALL | re.MULTILINE)
    return [dedent(text) for _, text in found]


def all_blocks(language: str) -> list[tuple[str, str]]:
    """The fenced blocks of one language in every page: page and block."""
    return [(name, block) for name in PAGES for block in blocks(name, language)]


def lines(language: str) -> list[tuple[str, str]]:
    """The commands in the blocks of one language in every page, comments left out: page and line."""
    found = [(name, line.partition("#")[0].strip()) for name, block in all_blocks(language) for line in block.splitlines()]
    return [(name, line) for name, line in found if line]


def section(name: str, heading: str) -> str:
    """What a page has under a heading, up to the next one."""
    _, found, rest = page(name).partition(f"\n{heading}\n")
    assert found, f"{name} has no heading {heading!r}"
    return re.split(r"\n#+ ", rest)[0]


def table(text: str) -> list[dict[str, str]]:
    """The first table of a text: a dict a row, by the headings."""
    found = re.search(r"(?:^\|.*\|\n)+", text + "\n", re.MULTILINE)
    assert found, text[:80]
    rows = [[cell.strip() for cell in line.strip("|").split("|")] for line in found.group().splitlines()]
    return [dict(zip(rows[0], row, strict=True)) for row in rows[2:]]


def links(name: str) -> list[Path]:
    """The files that a page shows or names."""
    files = re.findall(r"\]\((?!https?://|#)([^)#]+)[^)]*\)", page(name))
    return [PAGES[name].parent / file for file in files]

"""Predict published tables: run the cases, write the report, compare each figure with the accepted one."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path

from qnsolve.cli.terminal import at_work
from qnsolve.files.writing import write_bytes, write_text

from . import accepted, measured_by_others
from .accepted import MovedError
from .case import Study
from .cases import all_cases
from .report import html_page, markdown_page, measured_section, summary
from .report.blocks import Block, percent
from .report.plots import overall_image, picture
from .report.xlsx_file import workbook
from .runner import studies

__all__ = ["MovedError", "accept", "all_cases", "run", "studies"]

PLOTS = "validation-plots"


def run(out: str, names: Sequence[str] | None = None, document: str | None = None, plot: str | None = None) -> str:
    """Run cases, write the report, and compare each predicted figure with what was accepted.

    Parameters
    ----------
    out : str
        Folder for validation.html, validation.md, validation.xlsx and the plots; made where it is missing.
    names : sequence of str, optional
        Only these cases.
    document : str, optional
        Only the cases of this document.
    plot : str, optional
        A file, .png or .svg, for the picture of all figures.

    Returns
    -------
    str
        The first sentences of the report, a line for each case, and the files.

    Raises
    ------
    MovedError
        A figure differs from the accepted one; the report is written all the same.
    qnsolve.ModelError
        There is no such case or document.
    """
    done = studies(names, document, progress=sys.stderr, draw=picture)
    moved = accepted.changes(done)
    every = not names and document is None
    if every:
        with at_work("qnsolve validate, measured by others"):
            moved += measured_by_others.changes()
    folder = write(out, done, moved, measured_section.blocks() if every else ())
    if plot is not None:
        write_bytes(plot, overall_image(done, plot))
    lines = [summary.opening(done), *([measured_section.opening()] if every else []), ""]
    wide = max(len(study.case.name) for study in done)
    for study in done:
        result = f"{summary.effort(study)}, largest error {percent(study.largest, signed=False)}"
        lines.append(f"  {study.case.name:<{wide}}  {study.verdict:<10}  {result}")
    lines += ["", "report: " + ", ".join(str(folder / f"validation.{end}") for end in ("html", "md", "xlsx"))]
    if moved:
        head = f"validate: {len(moved)} predicted figures differ from the accepted ones; --accept stores the new ones"
        raise MovedError("\n".join([head, *moved, lines[-1]]))
    return "\n".join(lines)


def accept() -> str:
    """Run every case and store its figures as the accepted ones."""
    done = studies(progress=sys.stderr)
    moved = accepted.changes(done) + measured_by_others.changes()
    accepted.accept(done)
    count = f"{sum(len(study.predicted) for study in done)} figures stored in {accepted.EXPECTED}"
    count += f", {measured_by_others.accept()} in {measured_by_others.EXPECTED}"
    return "\n".join([*moved, f"{count}; list the changes in CHANGELOG.md" if moved else count])


def write(out: str, done: Sequence[Study], moved: Sequence[str], others: Sequence[Block] = ()) -> Path:
    """Write the report in its three forms; `others` are the tables of what others measured."""
    for study in done:
        study.picture = study.picture or picture(study)
    pages = {"validation.html": html_page.page(done, moved, others), **markdown_page.pages(done, moved, PLOTS, others)}
    pages |= {f"{PLOTS}/{study.case.name}.svg": study.picture for study in done if study.picture}
    book = workbook(done, moved, others)
    folder = Path(out)
    (folder / PLOTS).mkdir(parents=True, exist_ok=True)
    for name, text in pages.items():
        write_text(folder / name, text)
    write_bytes(folder / "validation.xlsx", book)
    return folder

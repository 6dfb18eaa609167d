"""Published tables against predictions: run the cases, write the report."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from . import report_html, report_markdown, summary
from .plot import plot
from .runner import all_cases, studies

__all__ = ["all_cases", "run", "studies"]

PLOTS = "validation-plots"


def run(out: str, names: Sequence[str] | None = None) -> str:
    """Run the cases and write the report.

    Parameters
    ----------
    out : str
        Folder for validation.html, validation.md and the plots; made where it is missing.
    names : sequence of str, optional
        Only these cases.

    Returns
    -------
    str
        What the report opens with, and where it is.
    """
    done = studies(names)
    pages = {"validation.html": report_html.page(done), "validation.md": report_markdown.page(done, PLOTS)}
    pages |= {f"{PLOTS}/{study.case.name}.svg": plot(study) for study in done}
    folder = Path(out)
    (folder / PLOTS).mkdir(parents=True, exist_ok=True)
    for name, text in pages.items():
        (folder / name).write_text(text, encoding="utf-8", newline="\n")
    lines = [summary.opening(done), ""]
    wide = max(len(study.case.name) for study in done)
    for study in done:
        told = f"{summary.effort(study)}, largest error {summary.percent(study.largest, signed=False)}"
        lines.append(f"  {study.case.name:<{wide}}  {study.verdict:<10}  {told}")
    lines += ["", f"report: {folder / 'validation.html'}", f"        {folder / 'validation.md'}"]
    return "\n".join(lines)

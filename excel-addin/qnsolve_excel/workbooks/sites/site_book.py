"""Writes the workbook of a system."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from qnsolve import __version__, zos
from qnsolve.planning.pages.recalculated_sheet import recalculated_sheet
from qnsolve.planning.pages.study_xlsx import formats
from qnsolve.planning.study import Study, study

from ...catalogue import catalogue
from ...deadline import unhurried
from ...replacing import replacing
from ..book import HOW, MADE, PLAIN_TEXT
from ..formulas import FLAVOURS
from .likely_changes import likely_changes
from .model_sheet import model_sheet
from .result_sheets import PARTS, RESULTS, other_parts, result_sheet
from .site_charts import DATA, chart_data
from .site_tables import ASSUMED, Site, site_of
from .site_writer import SiteWriter
from .verdict_sheet import verdict_sheet

ASSUMPTIONS = (
    "Each month is solved as a steady state at its load. CPU of a transaction, routing, engines and limits stay as they are.",
    "The system is solved as a whole: processors, TCBs, limits and devices together; QN.WHY says what each figure rests on.",
    "The range of a response time is its measured error against simulation: 95 of 100 errors were within it.",
)
FUNCTIONS = ("STUDY_VERDICT", "STUDY", "STUDY_CENTERS", "STUDY_WHAT_IF", "STUDY_TIMES", "STUDY_SENTENCES", "SYSTEM_PART")


def write_site(
    system: zos.System, name: str, file: Path, flavour: str = "excel", question: Mapping[str, Any] | None = None
) -> None:
    """Write the workbook of a system; a write that fails leaves the old file as it was.

    Parameters
    ----------
    system : System
    name : str
        Of its file, without the ending.
    file : Path
    flavour : {"excel", "calc", "officejs", "native", "values"}
    question : mapping, optional
        Arguments of `qn.study`, as the table [study] of the file gives them. Where they try no change, the workbook
        gets one for each of the centers that fill up first.

    Raises
    ------
    ModelError
    """
    import xlsxwriter

    if flavour not in FLAVOURS:
        raise ValueError(f"no flavour of a workbook: {flavour!r}; take one of {', '.join(FLAVOURS)}")
    found = _asked(dict(question or {}), system)
    site = site_of(system, name, found)
    with replacing(file) as beside, unhurried(), xlsxwriter.Workbook(str(beside), PLAIN_TEXT) as book:
        book.set_properties({"title": system.name or name, "comments": f"qnsolve {__version__}", "created": MADE})
        book.set_calc_mode("auto")
        _write(SiteWriter(book, site, flavour), found)


def _asked(question: dict[str, Any], system: zos.System) -> dict[str, Any]:
    """The question with its months, and with changes to try."""
    given = {key: value for key, value in question.items() if key not in ("remedies", "what_ifs")}
    found = study(system, **{"growth": ASSUMED, **given}, remedies=False)
    texts = [str(each) for each in question.get("what_ifs", ())] or likely_changes(found)
    return {**given, "what_ifs": texts, "begin": found.asked.begin, "until": found.asked.until}


def _write(writer: SiteWriter, question: Mapping[str, Any]) -> None:
    book = writer.book
    names = [
        "Verdict",
        *(["Load"] if writer.flavour == "native" else []),
        "Model",
        *(item.name for item in RESULTS),
        PARTS,
        DATA,
    ]
    sheets = {name: book.add_worksheet(name) for name in (*names, "Method")}
    model_sheet(writer, sheets["Model"])
    for item in RESULTS:
        result_sheet(writer, sheets[item.name], item)
    other_parts(writer, sheets[PARTS])
    chart_data(writer, sheets[DATA])
    verdict_sheet(writer, sheets["Verdict"])
    if writer.flavour == "native":
        recalculated_sheet(_study(writer.site, question), book, sheets["Load"], formats(book))
    _method(writer, sheets["Method"])
    for name, sheet in sheets.items():
        if name != "Verdict":
            sheet.set_landscape()
            sheet.set_paper(9)
            sheet.fit_to_pages(1, 0)
        sheet.set_footer(f"&L{writer.site.name.replace('&', '&&')}&Rqnsolve {__version__}, page &P of &N")
    sheets["Verdict"].activate()


def _study(site: Site, question: Mapping[str, Any]) -> Study:
    """The study that the sheet Load shows, without changes."""
    given = {key: value for key, value in question.items() if key not in ("what_ifs", "remedies")}
    if site.assumed:
        given["growth"] = ASSUMED
    return study(site.system, **given, remedies=False)


def _method(writer: SiteWriter, sheet: Any) -> None:
    """What the figures rest on, and which function says what."""
    styles = writer.styles
    wrapped = styles.made(text_wrap=True, valign="top")
    sheet.hide_gridlines(2)
    sheet.set_column(0, 0, 34)
    sheet.set_column(1, 1, 110)
    sheet.write_string(0, 0, "Assumptions and method", styles.title)
    row = 2
    how = (
        HOW[writer.flavour] if writer.live else "Sheet Load has plain formulas and recalculates; all else is as it was solved."
    )
    how = "It has no formulas: the values that were solved." if writer.flavour == "values" else how
    for line in (*ASSUMPTIONS, how, f"Written by qnsolve {__version__}; each cell also keeps the value solved."):
        sheet.merge_range(row, 0, row, 1, line, wrapped)
        row += 1
    for column, word in enumerate(("function", "what it returns, and how")):
        sheet.write_string(row + 1, column, word, styles.head)
    for i, name in enumerate(FUNCTIONS):
        function = catalogue()[name]
        sheet.write_string(row + 2 + i, 0, function.dotted, styles.made(valign="top"))
        text = " ".join(part for part in (function.summary, function.method) if part)
        sheet.write_string(row + 2 + i, 1, text, wrapped)

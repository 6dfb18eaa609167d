"""A table of a report as it is printed: where and when it was measured, headings, rows of text."""

from __future__ import annotations

from dataclasses import dataclass, field

MOST_CELLS_OF_REPORT = 2_000_000
DEEPEST_TAG = 60


@dataclass
class ReportPage:
    """One report of one interval.

    Attributes
    ----------
    number : int
        Which one in the file, from 1.
    report : str
        "CPU", "WLMGL", "CF", "CPC".
    system : str
        The system or sysplex that it is about.
    begin, end, length : str
        As they are printed.
    length_unit : str
        Unit of a length that is a plain number.
    tables : list of ReportTable
    messages : list of str
    """

    number: int
    report: str = ""
    system: str = ""
    begin: str = ""
    end: str = ""
    length: str = ""
    length_unit: str = "s"
    tables: list[ReportTable] = field(default_factory=list)
    messages: list[str] = field(default_factory=list)


@dataclass
class ReportTable:
    """One table, or one list of variables: then its names are the headings of one row.

    Attributes
    ----------
    segment, part : str
        The names of the parts of the report that it stands in.
    number : int
        Which segment of the report, from 1.
    headings : list of str
    rows : list of list of str
    sums : list of bool
        Whether a row is a total of others.
    lines : list of int
        Of each row in the file.
    variables : bool
    """

    segment: str = ""
    part: str = ""
    number: int = 0
    headings: list[str] = field(default_factory=list)
    rows: list[list[str]] = field(default_factory=list)
    sums: list[bool] = field(default_factory=list)
    lines: list[int] = field(default_factory=list)
    variables: bool = False

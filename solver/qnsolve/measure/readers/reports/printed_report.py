"""The printed CPU Activity and Partition Data report of RMF, as the tables that its XML has."""

from __future__ import annotations

import re
from collections.abc import Iterator

from ..source_files import Source
from .report_table import ReportPage, ReportTable

CPU_HEADINGS = ["CPU Number", "CPU Type", "Time% Online", "Time% LPAR Busy", "Time% MVS Busy"]
PARTITION_HEADINGS = [
    *("Partition Name", "Partition Weight", "MSU Actual", "Capping WLM%", "Num of LOG PROCs", "PROC Type"),
    *("Total Dispatch Time", "Avg Util%: LOG PROC Total"),
]
_TYPES = "CP|IIP|AAP|ICF|IFL"
_DATE = re.compile(r"\bSystem ID\s+(\S+).*?\bDate\s+([\d/.-]+).*?\bInterval\s+([\d:.]+)", re.IGNORECASE)
_TIME = re.compile(r"\bTime\s+(\d{2}[.:]\d{2}[.:]\d{2})", re.IGNORECASE)
_CPU = re.compile(rf"\s*([0-9A-F]{{1,3}})\s+({_TYPES})\s+([\d.]+)\s+([\d.-]+)\s+([\d.-]+)(?:\s|$)")
_TOTAL = re.compile(r"\s*Total\s*/\s*Average:?\s+([\d.-]+)\s+([\d.-]+)", re.IGNORECASE)
_CLOCK = re.compile(r"\d{2,}\.\d{2}\.\d{2}\.\d{3}")
_PARTITION = re.compile(rf"(.*?)\s+(\d+(?:\.\d+)?)\s+({_TYPES})\s+(\S+)\s+(\S+)\s+([\d.]+)\s+([\d.]+)(?:\s|$)")
_LONGEST = 400  # characters of a printed line that are looked at


def printed_tables(source: Source) -> Iterator[ReportPage]:
    """The reports of a file, one for each interval.

    Raises
    ------
    ModelError
    """
    page: ReportPage | None = None
    known = ("", "", "")
    number, kind = 0, ""
    with source.text() as file:
        for at, line in enumerate(_short(file), 1):
            found = _DATE.search(line)
            time = _TIME.search(line)
            if found:
                known = (found.group(1), found.group(2), found.group(3))
                continue
            if time and known[0]:
                begin = f"{known[1]}-{time.group(1)}"
                if page is None or (page.system, page.begin, page.length) != (known[0], begin, known[2]):
                    if page is not None:
                        yield page
                    number += 1
                    page = ReportPage(number, "CPU", known[0], begin, "", known[2])
                continue
            if page is not None:
                kind = _row(page, line, at, kind)
    if page is not None:
        yield page
    if not number:
        repair = "give the CPU Activity report of the RMF Postprocessor as it is printed"
        raise source.error("file", "has no line with System ID, Date and Interval above one with Time", repair)


def _short(file: Iterator[str]) -> Iterator[str]:
    for line in file:
        yield line[:_LONGEST]


def _row(page: ReportPage, line: str, at: int, kind: str) -> str:
    """Take a row of one of the two tables; returns the type of processor that a total is about."""
    found = _CPU.match(line)
    if found:
        _put(page, "CPU Activity", CPU_HEADINGS, list(found.groups()), at)
        return found.group(2)
    total = _TOTAL.match(line)
    if total and kind:
        _put(page, "CPU Activity", CPU_HEADINGS, ["TOTAL/AVERAGE", kind, "", total.group(1), total.group(2)], at, is_sum=True)
        return kind
    partition = _PARTITION.match(line)
    if partition and _CLOCK.fullmatch(partition.group(4)) and _CLOCK.fullmatch(partition.group(5)):
        row = _partition(partition)
        if row:
            _put(page, "Partition Data", PARTITION_HEADINGS, row, at)
    return kind


def _partition(found: re.Match[str]) -> list[str]:
    """Name, weight, MSU, cap, processors, type, dispatch time, utilization; empty where it is no row of a partition."""
    words = found.group(1).split()
    flags = [i for i, word in enumerate(words) if i > 1 and word in ("Y", "N", "YES", "NO")]
    weights = [i for i, word in enumerate(words) if i and re.fullmatch(r"\d+|DED", word)]
    if not words or not weights:
        return []
    first = weights[0]
    after = [i for i in flags if i > first]
    before = words[first + 1 : after[0]] if after else words[first + 1 :]
    capped = words[after[-1] + 1 :] if after else []
    msu = before[1] if len(before) > 1 else ""
    weight = "" if words[first] == "DED" else words[first]
    return [
        *(words[0], weight, msu, capped[0] if capped else "", found.group(2), found.group(3)),
        *(found.group(5), found.group(7)),
    ]


def _put(page: ReportPage, part: str, headings: list[str], row: list[str], at: int, *, is_sum: bool = False) -> None:
    table = next((each for each in page.tables if each.part == part), None)
    if table is None:
        table = ReportTable(part, part, headings=headings)
        page.tables.append(table)
    table.rows.append(["" if set(cell) == {"-"} else cell for cell in row])
    table.sums.append(is_sum)
    table.lines.append(at)

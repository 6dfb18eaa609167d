"""XML of the form that the RMF Postprocessor writes, for tests: figures are made up."""

from __future__ import annotations

import datetime
from collections.abc import Sequence
from xml.sax.saxutils import escape

Cells = Sequence[object]
HEAD = '<?xml version="1.0" encoding="UTF-8"?>\n<ddsml>\n<server><name>RMF-DDS-Server</name></server>\n'
QUEUES = [f"{name} Address Spaces" for name in ("BATCH", "STC", "TSO", "ASCH", "OMVS")]


def table(headings: Sequence[str], rows: Sequence[Cells], sums: Sequence[int] = ()) -> str:
    """A table that describes itself, indented as RMF writes it; `sums` are the rows that are totals."""
    lines = [" " * 16 + "<table>", " " * 20 + "<column-headers>"]
    lines += [" " * 24 + f'<col type="N">{escape(heading)}</col>' for heading in headings]
    lines.append(" " * 20 + "</column-headers>")
    for i, row in enumerate(rows):
        kind = ' type="SUM"' if i in sums else ""
        lines.append(" " * 20 + f'<row refno="{i + 1}"{kind}>')
        lines += [" " * 24 + (f"<col>{escape(str(cell))}</col>" if cell != "" else "<col/>") for cell in row]
        lines.append(" " * 20 + "</row>")
    return "\n".join([*lines, " " * 16 + "</table>\n"])


def variables(**named: object) -> str:
    """A list of variables; blanks in names are written as _."""
    inner = (
        f"<var><name>{escape(k.replace('_', ' '))}</name><value>{escape(str(v))}</value></var>\n" for k, v in named.items()
    )
    return f"<var-list>\n{''.join(inner)}</var-list>\n"


def part(inner: str, name: str = "") -> str:
    """A part of a segment."""
    return f"<part>{f'<name>{escape(name)}</name>' if name else ''}\n{inner}</part>\n"


def segment(name: str, *parts: str) -> str:
    """A segment of a report."""
    return f"<segment><name>{escape(name)}</name>\n{''.join(parts)}</segment>\n"


def report(metric: str, system: str, begin: datetime.datetime, minutes: int, *segments: str) -> str:
    """A report of one interval."""
    end = begin + datetime.timedelta(minutes=minutes)
    return f"""<postprocessor>
<metric id="{metric}"><description>{metric}</description><type>Interval</type></metric>
<resource><resname>{system}</resname><restype>SYSTEM</restype></resource>
<time-data><display-start locale="en-us">{begin:%m/%d/%Y-%H.%M.%S}</display-start>
<display-end locale="en-us">{end:%m/%d/%Y-%H.%M.%S}</display-end>
<report-interval unit="minutes">{minutes - 1}:59:999</report-interval><cycle unit="milliseconds">1000</cycle></time-data>
{"".join(segments)}</postprocessor>
"""


def file(*reports: str) -> str:
    """The whole file."""
    return HEAD + "".join(reports) + "</ddsml>\n"


def cpu_report(begin: datetime.datetime, busy: float, partitions: int = 24) -> str:
    """A CPU report as large as those of a machine with 24 partitions: about 30 kB."""
    cpus: list[Cells] = [[0, "CP", "100.00", busy, busy, "0.00", "92.9", "MED", "25.37", "0.59"]]
    cpus += [[1, "CP", "100.00", busy, busy, "0.00", "0.0", "LOW", "4.17", "0.51"]]
    cpus += [["TOTAL/AVERAGE", "CP", "", busy, busy, "", "92.9", "", "29.54", "0.58"]]
    heads = ["CPU Number", "CPU Type", "Time% Online", "Time% LPAR Busy", "Time% MVS Busy", "Time% Parked", "LOG PROC Share%"]
    heads += ["HiperDispatch Priority", "I/O Interrupts Rate", "I/O Interrupts% via TPI"]
    queues: list[Cells] = [[name, 0, 2, "0.0"] for name in QUEUES * 2]
    work: list[Cells] = [[f"<=N+{i}", "0.0"] for i in range(16)]
    rows: list[Cells] = [_partition(f"LP{i:02d}", i) for i in range(partitions)]
    names = [
        "Partition Name",
        "Partition Status",
        "Boost Type",
        "Partition Weight",
        "MSU Defined",
        "MSU Actual",
        "Capping Defined",
    ]
    names += ["Capping WLM%", "Num of LOG PROCs", "PROC Type", "Effective Dispatch Time", "Total Dispatch Time"]
    names += [f"Avg Util%: {what}" for what in ("LOG PROC Effective", "LOG PROC Total", "PHYS PROC LPAR MGMT")]
    names += [f"Avg Util%: {what}" for what in ("PHYS PROC Effective", "PHYS PROC Total")]
    return report(
        *("CPU", "SYSA", begin, 30),
        segment(
            "CPU Activity",
            part(variables(CPU=8562, Model="Z02", CPC_Capacity=413) + table(heads, cpus, (2,))),
            part(table(["Type", "Number of Address Spaces: MIN", "MAX", "AVG"], queues), "System Address Space Analysis"),
            part(table(["Number of Work Units", "% of Samples"], work), "Distribution of In-ready Work Unit Queue"),
        ),
        segment("Partition Data Report", part(table(names, rows), "Partition Data")),
    )


def _partition(name: str, i: int) -> Cells:
    shares = ("0.86", "0.89", "0.03", "0.86", "0.89")
    return [name, "Active", "None", 52 + i, 0, 4, "N Y N", "0.0", 2, "CP", "00.00.30.899", "00.00.32.055", *shares]

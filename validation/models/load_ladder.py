"""Load ladders: one workload at rising rates; a law from the lowest rows or from another run gives its CPU."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import qnsolve as qn
from qnsolve import zos

from ..case import Like, Missing, Study, straight_line
from ..published.published_tables import Row, Table, table

RATE, LPAR, WORK = "etr_tran_per_s", "LPAR", "transactions"
CPS = 32  # the number online is not printed; it has no effect on the CPU used
CALIBRATING = {"constant": 1, "ratio": 1, "line": 2}  # lowest rows that the law of a ladder is from, where it has no other
USED, COST = "cics_cpu_pct", "cpu_ms_per_tran"
EACH = " of a transaction"


@dataclass(frozen=True)
class Ladder:
    """A ladder and the source of its CPU law.

    Attributes
    ----------
    file : str
        Its table.
    law : {"constant", "line", "ratio", "all rows"}
        Without `of`: constant CPU of a transaction, from row 1; the line through rows 1 and 2, or through all, its
        intercept the CPU without load. With `of`: "ratio" is that law times the ratio of row 1 to it; else that law.
    of : Ladder, optional
        Ladder whose law serves here too, as its own case has it (another layout).
    first, last : str
        Table of the first run of the same work: the line through all its rows, of least relative errors, is the law; with
        "ratio" times the ratio of row 1 to it. That of the last run before this one, which the naive planner knows.
    regions : int
        Among which the CPU without load is shared.
    columns : tuple
        (what, column, station) of each CPU predicted; the column in percent of a CP or in ms of a transaction.
    rate : str
        Column of the rate.
    missing : dict
        What the model lacks, by column and row.
    beside : str, optional
        Table whose line through all rows gives the columns after the first, times the ratio of row 1 to it.
    """

    file: str
    law: str = "constant"
    of: Ladder | None = None
    regions: int = 4
    columns: tuple[tuple[str, str, str], ...] = (("CICS CPU", "cics_cpu_pct", "CPs"),)
    rate: str = RATE
    missing: dict[tuple[str, int], Missing] | None = None
    beside: str | None = None
    first: str = ""
    last: str = ""

    def after(self, *runs: str) -> Ladder:
        """The same after earlier runs, the first and the last of them; as it is where there are none."""
        return replace(self, first=f"table-{runs[0]}", last=f"table-{runs[-1]}") if runs else self

    @property
    def same(self) -> bool:
        """Whether another run gives its law as it is."""
        return self.law != "ratio" and bool(self.of or self.first)

    @property
    def kind(self) -> str:
        """Of its figures."""
        return "constant CPU" if self.law == "constant" and not self.first else "ladder"

    def like(self, row: Row, column: str) -> Like:
        """The naive planner: CPU of a transaction as in the same row of the last run before, or in the lowest one of this."""
        last = self.last or (self.of.file if self.of else self.file)
        rows = table(row.table.document, last if self.same else self.file).rows
        base = rows[row.number - 1] if self.same and row.number <= len(rows) else rows[0]
        return base, self.rate if column.endswith("_pct") else None


Law = tuple[float, float]


def engines(row: Row, column: str, rate: str = RATE) -> float:
    """CPU of a row [engines], from a column in percent of a CP or in ms of a transaction."""
    return row[column] / 100 if column.endswith("_pct") else row[column] / 1000 * row[rate]


def cpu_law(study: Study, ladder: Ladder, what: str, column: str, document: str = "cics-perf") -> Law:
    """CPU without load [engines] and CPU of a transaction [s]."""
    own, rate = table(document, ladder.file), ladder.rate
    if ladder.of is None and not ladder.first:
        return _own(study, ladder.law, own, what, column, rate)
    if ladder.first:
        fixed, slope = run_law(study, table(document, ladder.first), what, column, rate)
    elif ladder.of:
        rows = table(document, ladder.of.file).rows
        swap = column == COST and USED in rows[0].cells  # more digits than the CPU of a transaction
        fixed, slope = cpu_law(study, ladder.of, *(("CICS CPU", USED) if swap else (what, column)), document)
    if ladder.law != "ratio":
        return fixed, slope
    first = own[1]
    ratio = engines(first, column, rate) / (fixed + slope * first[rate])
    how = "row 1 over the law of the other run"
    ratio = study.calibrate(f"{what} over that of the other run", ratio, "ratio", [first], how)
    return fixed * ratio, slope * ratio


def run_law(study: Study, run: Table, what: str, column: str, rate: str, value: Callable[[Row], float] | None = None) -> Law:
    """The line through all rows of a run, of least relative errors; of a CPU column, or of what is given."""
    rows = [row for row in run.rows if row.cells[column]]
    swap = column == COST and USED in rows[0].cells  # more digits than the CPU of a transaction
    value = value or (lambda row: engines(row, USED if swap else column, rate))
    line = qn.measure.fit_line([row[rate] for row in rows], [value(row) for row in rows], "rate", relative=True)
    what = "CICS CPU" if swap else what.removesuffix(EACH)
    how = f"line of {what} over the rate, all rows of the first run, least relative errors"
    return (
        study.calibrate(f"{what} without load", line.intercept, "engines", rows, how),
        study.calibrate(f"{what}{EACH}", line.slope, "s", rows, how),
    )


def _own(study: Study, law: str, own: Table, what: str, column: str, rate: str) -> Law:
    first, second = own[1], own[2]
    if law == "constant" and column == USED and first.cells.get(COST):
        value = first[COST] / 1000
        return 0.0, study.calibrate(f"{what} of a transaction", value, "s", [first], "row 1 as printed", kind="printed")
    if law == "constant":
        value = engines(first, column, rate) / first[rate]
        return 0.0, study.calibrate(f"{what} of a transaction", value, "s", [first], f"{what} over the rate, row 1")
    rows = list(own.rows) if law == "all rows" else [first, second]
    fixed, slope = straight_line(rows, rate, lambda row: engines(row, column, rate))
    how = f"line of {what.removesuffix(EACH)} over the rate, " + ("all rows" if law == "all rows" else "rows 1 and 2")
    return (
        study.calibrate(f"{what.removesuffix(EACH)} without load", fixed, "engines", rows, how),
        study.calibrate(f"{what.removesuffix(EACH)}{EACH}", slope, "s", rows, how),
    )


def predicted_rows(ladder: Ladder, document: str = "cics-perf") -> Sequence[Row]:
    """The rows above those that the law is from."""
    used = 0 if ladder.same else CALIBRATING[ladder.law]
    return table(document, ladder.file).rows[used:]


def system(row: Row, laws: Sequence[Law], regions: int, rate: str = RATE) -> zos.System:
    """Regions under a rate; a law for the CPU of CICS, further ones for what is beside it on the LPAR."""
    (fixed, each), *beside = [at_rate(law, row[rate]) for law in laws]
    names = [f"region {i}" for i in range(1, regions + 1)]
    return zos.System(
        lpars=[zos.Lpar(LPAR, processors=zos.Processors(_cps(row)), fixed_cpu=sum(law[0] for law in beside))],
        regions=[zos.CicsRegion(name, lpar=LPAR, fixed_cpu=fixed / regions) for name in names],
        work=[
            zos.Work(WORK, rate=row[rate], regions=names, open_cpu=each, system_cpu=sum(law[1] for law in beside)),
        ],
        name=f"{row.printed(rate)} a second",
    )


def at_rate(law: Law, rate: float) -> Law:
    """A law at a rate: where CPU grows faster than the rate, nothing is used without load, and a transaction takes more."""
    fixed, each = law
    return law if fixed >= 0 else (0.0, each + fixed / rate)


def _cps(row: Row) -> float:
    return float(row.cells.get("lpar_cps") or CPS)


def climb(ladder: Ladder, study: Study) -> None:
    """Predict the CPU of each row above those that the law is from."""
    beside = replace(ladder, law="ratio", of=Ladder(ladder.beside, "all rows", rate=ladder.rate)) if ladder.beside else ladder
    laws = [cpu_law(study, beside if place else ladder, what, column) for place, (what, column, _) in enumerate(ladder.columns)]
    for row in predicted_rows(ladder):
        result = study.solve_system(f"row {row.number}", system(row, laws, ladder.regions, ladder.rate))
        cics = sum(region.appl_percent for region in result.regions)
        lpar = result[LPAR]
        rest = lpar.cpu_percent * _cps(row) - cics
        for place, (what, column, station) in enumerate(ladder.columns):
            if not row.cells[column] or (place and ladder.beside and row.number == 1):  # lost in print, or a calibration row
                continue
            missing = (ladder.missing or {}).get((column, row.number))
            value, unit = rest if place else cics, "% of a CP"
            if not column.endswith("_pct"):
                value, unit = 10 * value / row[ladder.rate], "ms"
            study.predict(
                what, unit, row, column, value, station=station, kind=ladder.kind, like=ladder.like(row, column),
                across=bool(ladder.of or ladder.first), missing=missing,
            )  # fmt: skip


def used_cpu(system: zos.System, result: zos.SystemResult) -> float:
    """CPU on CPs and zIIPs [% of one]: eligible work runs on CPs where the zIIPs are full."""
    lpar, built = result[LPAR], system.lpars[0]
    ziips = built.ziips.cores if built.ziips else 0
    return float(lpar.cpu_percent * built.processors.engines + lpar.ziip_percent * ziips)

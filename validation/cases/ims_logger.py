"""ims12 table 8: what the log takes, by stripes and bytes per transaction."""

from __future__ import annotations

import qnsolve as qn

from ..case import Case, Study
from ..published import Row, table

RATE, SPEED, SIZE = "etr_tran_per_s", "log_mb_per_s", "log_data_kb_per_tran"
SECOND = "a second limit beside the log: at 25 KB and 4 stripes or more the log alone no longer sets the rate"


def _log(study: Study, label: str, seconds_per_tran: float) -> float:
    """Rate of a region that does nothing but log: the log is never idle [tran/s]."""
    jobs = qn.ClosedClass("transactions", population=64, demands={"log": seconds_per_tran})
    return study.solve(label, qn.Network([qn.Queue("log")], [jobs], name="IMS logger"))["transactions"].throughput


def _row(size: str, stripes: str) -> Row:
    return table("ims12", "table-08").where(log_data_kb_per_tran=size, stripes=stripes)


def _run(study: Study) -> None:
    for stripes in ("0", "2", "4", "6"):
        small = _row("25", stripes)
        name = "no stripes" if stripes == "0" else f"{stripes} stripes"
        per_kb = study.calibrate(f"log time, {name}", 1 / small[RATE] / small[SIZE], "s/KB", [small], "1 / (ETR times KB)")
        for size in ("50", "74"):
            row = _row(size, stripes)
            rate = _log(study, f"{name}, {size} KB", per_kb * row[SIZE])
            missed = (size, stripes) in (("50", "4"), ("50", "6"), ("74", "6"))
            study.predict(f"ETR, {name}", "tran/s", row, RATE, rate, center="log", missing=SECOND if missed else "")
    _more_stripes(study)


def _more_stripes(study: Study) -> None:
    """Time per MB = a + b/stripes from no stripes (one) and two; more stripes predicted."""
    one, two = _row("74", "0"), _row("74", "2")
    per_stripe = 2 * (1 / one[SPEED] - 1 / two[SPEED])
    how = "time per MB = a + b/stripes, through no stripes (1) and 2 stripes"
    shared = study.calibrate("log time that no stripe shortens", 1 / one[SPEED] - per_stripe, "s/MB", [one, two], how)
    per_stripe = study.calibrate("log time shared by the stripes", per_stripe, "s/MB", [one, two], how)
    for stripes in ("4", "6", "8"):
        row = _row("74", stripes)
        speed = _log(study, f"{stripes} stripes, a transaction of 1 MB", shared + per_stripe / float(stripes))
        missing = "what four stripes share: the law through one and two is 8 % too good at four" if stripes == "4" else ""
        study.predict(f"log speed, {stripes} stripes", "MB/s", row, SPEED, speed, center="log", missing=missing)


CASES = (
    Case(
        name="ims12-8",
        source="ims12",
        file="table-08",
        title="IMS logger: rate by bytes per transaction and stripes",
        question="How many transactions does the log take if they write more, or if it gets more stripes?",
        tolerance=0.05,
        reason="a capacity plan is held to 5 %; the same log at three record sizes differs by 1 to 7 % in MB/s",
        verdict_text=(
            "One saturated center of fixed speed, from the 25 KB rows: mean error 3.2 %, worst 6.9 % where the stripes are "
            "many and a second limit shows. Eight stripes from one and two: 0.7 %."
        ),
        run=_run,
    ),
)

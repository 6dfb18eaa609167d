"""cics-perf tables 5-9, 5-10: what a TOR in front of four AORs costs."""

from __future__ import annotations

from functools import partial
from statistics import fmean

from qnsolve import zos

from ...case import Case, Missing, Study
from ...models.load_ladder import cpu_law
from ...published.published_tables import table
from .layouts import DIRECT

RATE, CPU = "aor_etr_tran_per_s", "aor_cpu_pct"
TOR_RATE, TOR_CPU = "tor_etr_tran_per_s", "tor_cpu_pct"
WORK = "transactions"
FALLS = Missing(
    "a part of the TOR's CPU that does not grow with the load",
    "1 to 2 % of a CP: per transaction the TOR takes 5 % less than in rows 1 and 2",
    "CPU of the TOR without load",
)
AORS = [f"AOR{i}" for i in range(1, 5)]


def _system(rate: float, tor: float, aor: float, fixed: float, visits: float) -> zos.System:
    steps = [zos.Step("TOR", open_cpu=tor), zos.Step(AORS, visits=visits, open_cpu=aor)]
    return zos.System(
        lpars=[zos.Lpar("LPAR", processors=zos.Processors(8))],
        regions=[
            zos.CicsRegion("TOR", lpar="LPAR", mxt=2000),
            *(zos.CicsRegion(name, lpar="LPAR", fixed_cpu=fixed / len(AORS)) for name in AORS),
        ],
        work=[zos.Work(WORK, rate=rate, steps=steps)],
        name="a TOR and four AORs",
    )


def _run(file: str, unlike: dict[int, Missing], study: Study) -> None:
    published, direct = table("cics-perf", file), table("cics-perf", "table-5-8")
    low, next_low = published[1], published[2]
    fixed, aor = cpu_law(study, DIRECT, "AOR CPU", CPU)
    each = [row[TOR_CPU] / 100 / row[TOR_RATE] for row in (low, next_low)]
    how = "TOR CPU / ETR, mean of rows 1 and 2"
    tor = study.calibrate("TOR CPU per transaction", fmean(each), "s", [low, next_low], how)
    first = table("cics-perf", "table-5-9")[1]
    how = "AOR ETR / TOR ETR, round robin: started in the AOR as well"
    visits = study.calibrate("AOR transactions of one of the TOR", first[RATE] / first[TOR_RATE], "ratio", [first], how)
    for row in published.rows:
        rate = study.given(f"AOR ETR without a TOR, drive level {row.number}", direct[row.number], RATE) / visits
        result = study.solve_system(f"drive level {row.number}", _system(rate, tor, aor, fixed, visits))
        used = sum(result[name].appl_percent for name in AORS)
        cpu, missing = result["TOR"].appl_percent, unlike.get(row.number)
        if row.number > 2:  # rows 1 and 2 gave the cost of the TOR, row 1 the visits to the AORs
            etr = result[WORK].etr
            study.identity("ETR of the TOR", "tran/s", row, TOR_RATE, etr, station="terminals")  # the terminals' own rate
            study.predict(
                "TOR CPU", "% of a CP", row, TOR_CPU, cpu, station="TOR", like=(low, TOR_RATE), across=True, missing=missing
            )
        study.predict(
            "AOR CPU", "% of a CP", row, CPU, used, station="AORs", kind="ladder", like=(direct[row.number], RATE), across=True
        )


CASES = tuple(
    Case(
        name=f"cics-perf-{number}",
        source="cics-perf",
        file=f"table-{number}",
        title=f"One TOR before four AORs, {routing}",
        question="A TOR is put before the AORs: what CPU and what rate at three times the load?",
        tolerance=0.05,
        reason="a capacity plan is held to 5 %",
        verdict_text=(
            "AOR CPU and what the terminals send come from the runs without a TOR, the cost of the TOR from its two lowest "
            "rows. The QR share of the CPU is not printed, so all of it is modelled on open TCBs: no figure here depends on it."
        ),
        run=partial(_run, f"table-{number}", unlike),
    )
    for number, routing, unlike in (("5-9", "round robin", {3: FALLS}), ("5-10", "CICSplex SM", {4: FALLS}))
)

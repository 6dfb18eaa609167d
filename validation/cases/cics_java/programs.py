"""cics-perf: Java servlets, OSGi programs and JSON services, with CPU that zIIPs may run and CPU that they may not."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import numpy as np
from qnsolve import zos

from ...case import Case, Missing, Study
from ...models.load_ladder import CPS, LPAR, RATE, WORK, Ladder, engines, predicted_rows
from ...published.published_tables import Row, table

OWN, ELIGIBLE = "not_ziip_eligible_pct", "ziip_eligible_pct"
COLUMNS = (("CPU not eligible", OWN, "Java"), ("CPU eligible for zIIPs", ELIGIBLE, "Java"))
THREADS = 256  # of the JVM server: none of these runs comes near


def _system(row: Row, own: float, eligible: float, overflow_cpu: float = 0.0) -> zos.System:
    cps, ziips = (int(row.cells.get(name) or other) for name, other in (("lpar_cps", CPS), ("lpar_ziips", 8)))
    cpu = own + eligible
    return zos.System(
        lpars=[zos.Lpar(LPAR, processors=zos.Processors(cps), ziips=zos.Ziips(ziips, overflow_cpu=overflow_cpu))],
        regions=[zos.CicsRegion("region", lpar=LPAR, mxt=2000, thread_limit=THREADS)],
        work=[zos.Work(WORK, rate=row[RATE], regions="region", jvm_cpu=cpu, ziip_share=eligible / cpu)],
        name=f"{row.printed(RATE)} requests a second",
    )


def _run(ladder: Ladder, study: Study) -> None:
    run = table("cics-perf", ladder.first or ladder.file)
    costly = bool(run[1].cells.get("lpar_ziips"))
    cost = _overflow_cpu(study) if costly else 0.0
    laws = [_law(study, ladder, column, what, cost if column == OWN else 0.0) for what, column, _ in COLUMNS]
    kinds = ["path" if costly and not ladder.first else ladder.kind, ladder.kind]
    rows = [{row.number for row in predicted_rows(ladder)} for _ in COLUMNS]
    rows[0] -= {row.number for row in OVERFLOW if row.table.file == ladder.file}
    for row in table("cics-perf", ladder.file).rows:
        if not any(row.number in some for some in rows):
            continue
        own, eligible = (law(row[RATE]) for law in laws)
        found = study.solve_system(f"row {row.number}", _system(row, own, eligible, cost))[LPAR]
        used = (found.appl_percent - found.appl_iipcp, found.appl_iip + found.appl_iipcp)
        for (what, column, station), value, some, kind in zip(COLUMNS, used, rows, kinds, strict=True):
            missing = (ladder.missing or {}).get((column, row.number))
            if row.number in some:
                study.predict(
                    what, "% of a CP", row, column, value, station=station, kind=kind, like=ladder.like(row, column),
                    across=bool(ladder.first), missing=missing,
                )  # fmt: skip


def _law(study: Study, ladder: Ladder, column: str, what: str, cost: float) -> Callable[[float], float]:
    """CPU of a request by the rate [s], without overflow: as in row 1, or as in all rows of the first run and between them."""
    rows = table("cics-perf", ladder.first or ladder.file).rows[: None if ladder.first else 1]
    each = []
    for row in rows:
        used, how = engines(row, column) / row[RATE], f"{what} over the rate, row {row.number}"
        used = study.calibrate(f"{what} of a request, row {row.number}", used, "s", [row], how)
        each.append(used - cost * _overflowed(study, row) if cost else used)
    return partial(np.interp, xp=[row[RATE] for row in rows], fp=each)


def _overflow_cpu(study: Study) -> float:
    """What a request costs more when all of its eligible work runs on CPs [s]: one number, for all tables."""
    low, high = OVERFLOW
    cpu = [engines(row, OWN) / row[RATE] for row in OVERFLOW]
    cost = (cpu[1] - cpu[0]) / (_overflowed(study, high) - _overflowed(study, low))
    how = "CPU not eligible of a request, row 3 less row 1, over what overflows more, IIPCP / (IIP + IIPCP) as solved"
    return study.calibrate("CPU of overflow", cost, "s", OVERFLOW, how)


def _overflowed(study: Study, row: Row) -> float:
    """Share of the eligible CPU of a row that runs on CPs, as solved from its printed CPU."""
    own, eligible = (engines(row, column) / row[RATE] for column in (OWN, ELIGIBLE))
    found = study.solve_system(f"{row.table.file} row {row.number}, CPU as printed", _system(row, own, eligible))[LPAR]
    return float(found.appl_iipcp / (found.appl_iip + found.appl_iipcp))


OVERFLOW = tuple(table("cics-perf", "table-6-9")[number] for number in (1, 3))  # give the cost of overflow
SERVLET, OSGI = "Java servlet with JDBC and VSAM (Liberty)", "Java program in OSGi"
WARM = Missing(
    "eligible CPU of a request that falls as the rate grows: compiled code, garbage collection and polling, shared by more",
    "0.62, 0.51 and 0.41 ms a request at the three rates; of the line through the first two a fifth of a zIIP without load",
    "CPU of JIT and garbage collection threads at each rate",
)
LOWER = Missing(
    "CPU of a request, beside overflow, that is lower at the middle rate than at the lowest: start-up, compilation",
    "5 % of the CPU that is not eligible; the middle rates of tables 9-5 and 9-6 are 4 to 5 % lower, too",
    "CPU of JIT and garbage collection threads, and eligible CPU that ran on CPs (IIPCP), at each rate; neither is printed",
)
SPILLED = Missing(
    "eligible CPU of a request that falls as the rate grows: by constant eligible CPU more of it overflows than did",
    "a fifth of the eligible CPU at the middle rate; with that as printed CPU that is not eligible is 4.2 % high, not 6.1 %",
    "eligible CPU that ran on CPs (IIPCP), and CPU of JIT and garbage collection threads, at each rate",
)
COLD = Missing(
    "CPU of the release itself: it fell at the lowest rate, and not at the others",
    "0.028 ms a request, 9 %",
    "the lowest rate measured twice",
)
SHARED = Missing(
    "eligible CPU that more requests share: compiled code, garbage collection; and a suspect last row",
    "0.196, 0.183, 0.176, 0.174 ms a request in rows 1 to 4, then 0.212 ms in row 5 at 1.7 times the rate of row 4",
    "eligible CPU of row 5, measured again, and CPU of garbage collection threads at each rate",
)
ONE = "CPU of a request of both kinds, from the lowest rate alone, gives the CPU at {more} times the rate. "
OVER = "Eligible work that finds the zIIP taken runs on CPs and costs {cost} there: CPU that is not eligible grows by that. "
FIRST = "what rows 1 and 3 give, 0.125 ms a request where all of it does"
SAME = "0.125 ms a request where all of it does, the number of table 6-9"
STEADY = OVER.format(cost=FIRST) + "Eligible CPU is constant."
FULL = OVER.format(cost=SAME) + "Eligible CPU is constant."
FALLING = OVER.format(cost=SAME) + "Eligible CPU of a request falls by a third: it is far from constant."
SLOPE = (
    "CPU that is not eligible holds within 1 %. The small eligible part is from the lowest rate, where it is high. No zIIP is "
    "printed: nothing overflows in the model."
)
AGAIN = (
    "CPU of a request as the first run has it at that rate, three rows with straight lines between them, and the cost of "
    "overflow of table 6-9 for what overflows more or less. Nothing is fitted. Three rows have none to spare that could show "
    "which law they follow; constants and lines, with what overflows, were 2.4 to 4 % off, and the same row of the release "
    "before as it stands is 1.9 %."
)
# table, the first run and the last before, title, release, range of rates, text, misses by column and row
LADDERS: tuple[tuple[str, tuple[str, ...], str, str, str, str, dict[tuple[str, int], Missing]], ...] = (
    ("6-9", (), SERVLET, "V5.1 on zEC12", "4", STEADY, {}),
    ("6-10", ("6-9",), SERVLET, "V5.2 on zEC12", "", "", {}),
    ("6-12", (), "JSON web service", "V5.2 on zEC12", "10", SLOPE, {(ELIGIBLE, n): SHARED for n in (2, 3, 4, 5)}),
    ("6-15", ("6-9", "6-10"), SERVLET, "V5.2 with Java 7.1 on zEC12", "", "", {}),
    ("8-9", (), SERVLET, "V5.3 on z13", "2.7", FALLING, {(OWN, 2): SPILLED, (ELIGIBLE, 2): WARM, (ELIGIBLE, 3): WARM}),
    (
        "8-10",
        ("8-9",),
        SERVLET,
        "V5.4 on z13",
        "",
        "",
        {(OWN, 1): COLD, (ELIGIBLE, 1): COLD},
    ),
    ("8-11", (), OSGI, "V5.3 on z13", "3.3", FULL, {(OWN, 2): LOWER}),
    ("8-12", ("8-11",), OSGI, "V5.4 on z13", "", "", {}),
    ("9-3", (), SERVLET, "V5.4 on z14", "3.6", FULL, {}),
    ("9-4", ("9-3",), SERVLET, "V5.5 on z14", "", "", {}),
    ("9-5", (), OSGI, "V5.4 on z14", "3.6", FULL, {}),
    ("9-6", ("9-5",), OSGI, "V5.5 on z14", "", "", {}),
)


CASES = tuple(
    Case(
        name=f"cics-perf-{number}",
        source="cics-perf",
        file=f"table-{number}",
        title=f"{title}, CICS TS {release}",
        question="What CPU of CPs and zIIPs does the new release take?"
        if before
        else "What CPU of CPs and zIIPs at higher rates?",
        tolerance=0.05,
        reason="a capacity plan is held to 5 %",
        verdict_text=AGAIN if before else ONE.format(more=more) + text,
        run=partial(_run, Ladder(f"table-{number}", missing=missing).after(*before)),
    )
    for number, before, title, release, more, text, missing in LADDERS
)

"""cics-perf: Java servlets, OSGi programs and JSON services, with CPU that zIIPs may run and CPU that they may not."""

from __future__ import annotations

from dataclasses import replace
from functools import partial

from qnsolve import zos

from ...case import Case, Missing, Study
from ...models.load_ladder import CPS, LPAR, RATE, WORK, Ladder, cpu_law, predicted_rows, used_cpu
from ...published.published_tables import Row, table

OWN, ELIGIBLE = "not_ziip_eligible_pct", "ziip_eligible_pct"
COLUMNS = (("CPU not eligible", OWN, "Java"), ("CPU eligible for zIIPs", ELIGIBLE, "Java"))
THREADS = 256  # of the JVM server: none of these runs comes near


def _system(row: Row, own: float, eligible: float) -> zos.System:
    cps, ziips = (int(row.cells.get(name) or other) for name, other in (("lpar_cps", CPS), ("lpar_ziips", 8)))
    cpu = own + eligible
    return zos.System(
        lpars=[zos.Lpar(LPAR, processors=zos.Processors(cps), ziips=zos.Ziips(ziips))],
        regions=[zos.CicsRegion("region", lpar=LPAR, mxt=2000, thread_limit=THREADS)],
        work=[zos.Work(WORK, rate=row[RATE], regions="region", jvm_cpu=cpu, ziip_share=eligible / cpu)],
        name=f"{row.printed(RATE)} requests a second",
    )


def _run(ladder: Ladder, study: Study) -> None:
    lines = {ELIGIBLE: "line"} if ladder.file in LINES or (ladder.of and ladder.of.file in LINES) else {}
    parts = [_column(ladder, lines.get(column)) for _, column, _ in COLUMNS]
    laws = [cpu_law(study, part, what, column) for part, (what, column, _) in zip(parts, COLUMNS, strict=True)]
    predicted = [{row.number for row in predicted_rows(part)} for part in parts]
    for row in table("cics-perf", ladder.file).rows:
        if not any(row.number in rows for rows in predicted):
            continue
        own, eligible = (fixed / row[RATE] + each for fixed, each in laws)
        system = _system(row, own, eligible)
        used = used_cpu(system, study.solve_system(f"row {row.number}", system))
        share = eligible / (own + eligible)
        for (what, column, station), part, rows in zip(COLUMNS, (1 - share, share), predicted, strict=True):
            missing = (ladder.missing or {}).get((column, row.number))
            if row.number in rows:
                study.predict(
                    what, "% of a CP", row, column, used * part, station=station, across=bool(ladder.of), missing=missing
                )


def _column(ladder: Ladder, law: str | None) -> Ladder:
    """The ladder with the law of one column."""
    if not law:
        return ladder
    return replace(ladder, of=replace(ladder.of, law=law)) if ladder.of else replace(ladder, law=law)


LINES = ("table-8-9",)  # eligible CPU that does not grow with the rate: JIT, garbage collection, polling
SERVLET, OSGI = "Java servlet with JDBC and VSAM (Liberty)", "Java program in OSGi"
WARM = Missing(
    "CPU of a request that falls as the rate grows: compiled code, garbage collection and polling shared by more requests",
    "0.07 ms of the 0.48 ms that the line gives a request at 2289 a second",
    "CPU of JIT and garbage collection threads at each rate",
)
MOVED = Missing(
    "eligible work that is counted as not eligible once the zIIP is nearly full",
    "4 to 14 % of the CPU that is not eligible, with a zIIP demand of 93 to 250 %",
    "zIIP eligible CPU that ran on CPs (IIPCP) at each rate, which is not printed",
)
COLD = Missing(
    "CPU of the release itself: it fell at the lowest rate, and not at the others",
    "0.028 ms a request, 9 %",
    "the lowest rate measured twice",
)
SHARED = Missing(
    "work on zIIPs that more requests share, and a suspect last row",
    "0.196 ms a request at the lowest rate, 0.174 ms at six times that, 0.212 ms printed in row 5",
    "eligible CPU of row 5, measured again, and CPU of garbage collection threads at each rate",
)
ONE = "CPU of a request of both kinds, from the lowest rate alone, gives the CPU at {more} times the rate. "
STEADY = "Both hold within a few percent; eligible work that the zIIP cannot run runs on CPs."
FULL = "Eligible CPU holds; where the zIIP is full, CPU that is not eligible grows by more than in proportion."
FALLING = (
    "CPU that is not eligible is constant, but where the zIIP is full. Of the eligible part a fifth of a zIIP does not "
    "grow with the rate, by rows 1 and 2: row 3 costs still less."
)
SLOPE = "CPU that is not eligible holds within 1 %. The small eligible part is from the lowest rate, where it is high."
AGAIN = "The law of the release before, from its lowest rates: the new one costs about the same. Nothing is fitted."
# table, that of the release before, title, release, range of rates, text, misses by column and row
LADDERS: tuple[tuple[str, str | None, str, str, str, str, dict[tuple[str, int], Missing]], ...] = (
    ("6-9", None, SERVLET, "V5.1 on zEC12", "4", STEADY, {}),
    ("6-10", "6-9", SERVLET, "V5.2 on zEC12", "", "", {}),
    ("6-12", None, "JSON web service", "V5.2 on zEC12", "10", SLOPE, {(ELIGIBLE, n): SHARED for n in (2, 3, 4, 5)}),
    ("6-15", "6-9", SERVLET, "V5.2 with Java 7.1 on zEC12", "", "", {(OWN, 3): MOVED}),
    ("8-9", None, SERVLET, "V5.3 on z13", "2.7", FALLING, {(ELIGIBLE, 3): WARM, (OWN, 3): MOVED}),
    (
        "8-10",
        "8-9",
        SERVLET,
        "V5.4 on z13",
        "",
        "",
        {(OWN, 1): COLD, (ELIGIBLE, 1): COLD, (OWN, 3): MOVED, (ELIGIBLE, 3): WARM},
    ),
    ("8-11", None, OSGI, "V5.3 on z13", "3.3", FULL, {(OWN, 3): MOVED}),
    ("8-12", "8-11", OSGI, "V5.4 on z13", "", "", {(OWN, 3): MOVED}),
    ("9-3", None, SERVLET, "V5.4 on z14", "3.6", FULL, {(OWN, 3): MOVED}),
    ("9-4", "9-3", SERVLET, "V5.5 on z14", "", "", {(OWN, 3): MOVED}),
    ("9-5", None, OSGI, "V5.4 on z14", "3.6", STEADY, {}),
    ("9-6", "9-5", OSGI, "V5.5 on z14", "", "", {(OWN, 3): MOVED}),
)
CASES = tuple(
    Case(
        name=f"cics-perf-{number}",
        source="cics-perf",
        file=f"table-{number}",
        title=f"{title}, CICS TS {release}",
        question="What CPU of CPs and zIIPs does the new release take?" if of else "What CPU of CPs and zIIPs at higher rates?",
        tolerance=0.05,
        reason="a capacity plan is held to 5 %",
        verdict_text=AGAIN if of else ONE.format(more=more) + text,
        run=partial(_run, Ladder(f"table-{number}", of=Ladder(f"table-{of}") if of else None, missing=missing)),
    )
    for number, of, title, release, more, text, missing in LADDERS
)

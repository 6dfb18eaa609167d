"""cics-perf: threads that fill processors, Java on a newer machine, LINKs to Java, tasks that queue inside or outside."""

from __future__ import annotations

from qnsolve import zos

from ...case import Case, Missing, Study
from ...published.published_tables import table

WORK, LPAR, REGION = "requests", "LPAR", "region"
DOCUMENT = "cics-perf"
REASON = "a capacity plan is held to 5 %"
PAUSE = 0.01  # between two requests of a thread, in the CPU time of one


def _lpar(cps: float, ziips: int) -> zos.Lpar:
    return zos.Lpar(LPAR, processors=zos.Processors(cps), ziips=zos.Ziips(ziips) if ziips else None)


def _threads(study: Study) -> None:
    """Threads without a pause on 8 CPs and a zIIP."""
    row = table(DOCUMENT, "text-jvmserver-saturation")[1]
    cps, ziips = (study.given(name, row, column) for name, column in (("CPs", "gcps"), ("zIIPs", "ziips")))
    threads = study.given("threads", row, "threads_at_saturation")
    system = zos.System(
        lpars=[_lpar(cps, int(ziips))],
        regions=[zos.CicsRegion(REGION, lpar=LPAR, mxt=500, thread_limit=256)],
        work=[zos.Work(WORK, users=int(threads), think_time=PAUSE, regions=REGION, jvm_cpu=1.0, ziip_share=1.0)],
        name="threads that are always ready",
    )
    lpar = study.solve_system("nine threads", system)[LPAR]
    busy = (lpar.cpu_percent * cps + lpar.ziip_percent * ziips) / (cps + ziips)
    study.predict("processors busy", "%", row, "cpu_utilisation_pct", busy, station="Java", kind="full center", naive=100.0)


def _machines(study: Study) -> None:
    """Java from z196 to zEC12 by the LSPR, 4 CPs each."""
    rows = table(DOCUMENT, "text-java-itr-z196-zec12").rows
    old, ratio = rows[0], "lspr_itr_ratio_average_rni"
    system = zos.System(
        lpars=[_lpar(old["lpar_cps"], 0)],
        regions=[zos.CicsRegion(REGION, lpar=LPAR, mxt=500)],
        work=[zos.Work(WORK, rate=2.0, regions=REGION, jvm_cpu=1.0)],
        name="Java on z196",
    )
    before = study.solve_system("z196", system)[LPAR].itr
    heavy = Missing(
        "work that gains more than the average of the LSPR: loops of Java in larger caches, out of order",
        "5 points of gain, 14 points with the aggressive compiler",
        "relative nest intensity of this work (CPU MF): the LSPR has a ratio for each",
    )
    for row in rows[2:]:
        gain = study.given(f"LSPR, row {row.number}", row, ratio) / study.given("LSPR, z196", old, ratio)
        after = study.solve_system(f"zEC12, row {row.number}", zos.move(system, LPAR, itr_ratio=gain))[LPAR].itr
        missing = heavy if row.number in (3, 4) else None
        found = 100 * (after / before - 1)
        study.predict(
            f"gain of ITR, {row.cells['workload']}", "%", row, "itr_gain_over_z196_pct", found,
            station="processor capacity", across=True, kind="path", naive=100 * (gain - 1), missing=missing,
        )  # fmt: skip


def _links(study: Study) -> None:
    """A LINK to COBOL gives the wait for dispatch; Java adds its CPU."""
    rows = table(DOCUMENT, "table-7-5").rows
    delay = 0.0
    for row in rows:
        cpu, eligible = row["cpu_ms_per_tran"] / 1000, row["ziip_eligible_ms_per_tran"] / 1000
        study.calibrate(f"CPU, row {row.number}", cpu, "s", [row], "as printed", kind="printed")
        system = zos.System(
            lpars=[_lpar(row["lpar_cps"], int(row["lpar_ziips"]))],
            regions=[zos.CicsRegion(REGION, lpar=LPAR, mxt=2000, thread_limit=256)],
            work=[
                zos.Work(WORK, rate=row["etr_tran_per_s"], regions=REGION, jvm_cpu=cpu, ziip_share=eligible / cpu, delay=delay)
            ],
            name=row.cells["configuration"],
        )
        response = study.solve_system(row.cells["configuration"], system)[WORK].response_time
        if row.number == 1:
            how = "response less the time at the processors"
            delay = study.calibrate("wait for dispatch", row["response_ms"] / 1000 - response, "s", [row], how)
            continue
        waits = Missing(
            "TCBs of the OSGi server that wait in the operating system before they run",
            "0.56 ms a request, beside the wait for dispatch that all three have",
            "dispatch delay of T8 TCBs from monitoring records",
        )
        missing = waits if row.number == 3 else None
        name = "Liberty" if row.number == 2 else "OSGi"
        study.predict(
            f"response, {name}", "ms", row, "response_ms", 1000 * response, station="Java", kind="path", like=(rows[0], None),
            missing=missing,
        )  # fmt: skip


def _outside(study: Study) -> None:
    """The same load queues inside the region or outside; the CPU of a transaction gives the rate."""
    published = table(DOCUMENT, "table-7-3")
    inside, outside = published[1], published[2]
    cpu = [
        study.calibrate(
            f"CPU, SOTUNING={row.cells['sotuning']}", row["cpu_ms_per_tran"] / 1000, "s", [row], "as printed", kind="printed"
        )
        for row in (inside, outside)
    ]
    limit = int(study.given("tasks at MXT", inside, "peak_active_transactions"))
    rates = []
    for row, each in zip((inside, outside), cpu, strict=True):
        system = zos.System(
            lpars=[_lpar(1, 0)],  # one engine: the rates stand for shares of what the region gets
            regions=[
                zos.CicsRegion(REGION, lpar=LPAR, mxt=limit)
            ],  # always full: tasks that wait outside do not change the rate
            work=[zos.Work(WORK, users=limit, regions=REGION, open_cpu=each)],
            name=f"SOTUNING={row.cells['sotuning']}",
        )
        rates.append(study.solve_system(f"SOTUNING={row.cells['sotuning']}", system)[WORK].etr)
    found = inside["completed_transactions"] * rates[1] / rates[0]
    study.predict(
        "completions", "count", outside, "completed_transactions", found, station="CPs", kind="full center", like=(inside, None)
    )


CASES = (
    Case(
        "cics-perf-jvm-threads",
        DOCUMENT,
        "text-jvmserver-saturation",
        "A JVM server whose threads never pause",
        "How busy do nine threads make 8 CPs and a zIIP?",
        0.05,
        REASON,
        "As many threads as processors keep all of them busy. The curve below that is a figure that is not in the text.",
        _threads,
    ),
    Case(
        "cics-perf-java-machines",
        DOCUMENT,
        "text-java-itr-z196-zec12",
        "Java from z196 to zEC12, 4 CPs each",
        "How much faster is Java on the new machine?",
        0.05,
        "a capacity plan is held to 5 %; gains are printed in whole percent",
        "The LSPR's ratio for average work, 1.25, is what light Java gains. Loops within Java gain more.",
        _machines,
    ),
    Case(
        "cics-perf-7-5",
        DOCUMENT,
        "table-7-5",
        "A LINK from COBOL to COBOL, to Java in Liberty, to Java in OSGi",
        "What response has a LINK to Java, if that to COBOL is known?",
        0.05,
        REASON,
        "Processors are nearly idle and 3 % of the response. The rest is a wait for dispatch: that of COBOL holds for Liberty "
        "too. OSGi has one more wait.",
        _links,
    ),
    Case(
        "cics-perf-7-3",
        DOCUMENT,
        "table-7-3",
        "2193 tasks queue inside a region, or outside it",
        "How many transactions more complete if those over MXT wait outside?",
        0.05,
        REASON,
        "Completions go as one over the CPU of a transaction, which is given as printed: the region gets as much CPU in both "
        "runs. MXT binds in both; what a queue inside costs of CPU is not predicted.",
        _outside,
    ),
)

"""cics-perf table 9-20: Java servlets in one region or several, with one JVM server or several."""

from __future__ import annotations

from qnsolve import zos

from ...case import Case, Study
from ...published.published_tables import Row, table

CPUS, ZIIPS, RATE = "lpar_cps", "lpar_ziips", "etr_tran_per_s"
ELIGIBLE, OTHER = "ziip_eligible_ms_per_tran", "not_ziip_eligible_ms_per_tran"
LIKE = {4: 2, 5: 3}  # layouts of more servers in one region, or of more regions, and the one that has their CPU of a request


def _system(row: Row, like: Row, think: float) -> zos.System:
    """A layout, with the CPU of a request of one that is like it."""
    names = [f"region {i}" for i in range(1, int(row["cics_regions"]) + 1)]
    cpu = (like[ELIGIBLE] + like[OTHER]) / 1000
    threads = int(row["threadlimit_per_jvm"] * row["jvm_servers_per_region"])
    ziips = zos.Ziips(int(row[ZIIPS]), overflow=False)
    return zos.System(
        lpars=[zos.Lpar("LPAR", processors=zos.Processors(int(row[CPUS])), ziips=ziips)],
        regions=[zos.CicsRegion(n, lpar="LPAR", mxt=int(row["mxt_per_region"]), thread_limit=threads) for n in names],
        work=[
            zos.Work(
                "servlets",
                users=int(row["users"]),
                think_time=think,
                regions=names,
                jvm_cpu=cpu,
                ziip_share=like[ELIGIBLE] / 1000 / cpu,
            )
        ],
        name=row.cells["configuration"],
    )


def _run(study: Study) -> None:
    published = table("cics-perf", "table-9-20")
    one = published[1]
    value = one["users"] / one[RATE] - (one[ELIGIBLE] + one[OTHER]) / 1000
    think = study.calibrate("think time", value, "s", [one], "users / ETR - CPU of the layout that fills no processor")
    for row in published.rows[1:]:
        for name, column in (("CPs", CPUS), ("zIIPs", ZIIPS), ("users", "users"), ("MXT", "mxt_per_region")):
            study.given(f"{name}, layout {row.number}", row, column)
        like = published[LIKE.get(row.number, row.number)]
        for name, column in (("not eligible", OTHER), ("eligible", ELIGIBLE)):
            study.calibrate(
                f"CPU {name}, layout {like.number}", like[column] / 1000, "s", [like], "CPU as printed", kind="printed"
            )
        result = study.solve_system(row.cells["configuration"], _system(row, like, think))
        etr, lpar = result["servlets"].etr, result["LPAR"]
        study.predict("ETR", "tran/s", row, RATE, etr, station="CPs and zIIPs", kind="full center", like=(one, None))
        used = (lpar.cpu_percent * row[CPUS], lpar.ziip_percent * row[ZIIPS])
        busy = sum(used) / (row[CPUS] + row[ZIIPS])
        station = "CPs and zIIPs"
        study.predict("processors busy", "%", row, "lpar_busy_pct", busy, station=station, kind="full center", like=(one, None))
        if like is row:
            continue
        for name, column, percent in (("not eligible", OTHER, used[0]), ("eligible", ELIGIBLE, used[1])):
            study.predict(f"CPU {name}", "ms", row, column, 10 * percent / etr, station="Java", like=(like, None))


CASES = (
    Case(
        name="cics-perf-9-20",
        source="cics-perf",
        file="table-9-20",
        title="Liberty JVM servers: one region or several",
        question="At what rate do three CPs and three zIIPs fill up in each layout, and how busy are they together?",
        tolerance=0.05,
        reason="a capacity plan is held to 5 %; CPU is printed to two digits",
        verdict_text=(
            "Users with the think time of the first layout fill the CPs or the zIIPs of the others, whichever is first; behind "
            "full CPs the threads of JVM servers and MXT fill, too, without an effect on the rate. Eligible work runs on "
            "zIIPs only: in layouts 2 and 4 the CPU that is not eligible alone fills the CPs. Five JVM servers in a region, or "
            "five regions, cost a request the CPU that three do. With overflow as the model has it, which never takes work "
            "back from full CPs, rates are 17 % too low. In the first layout the printed CPU of a request gives 81 % busy, not "
            "the 97 % printed for all layouts: its users limit it, so it gives the think time."
        ),
        run=_run,
    ),
)

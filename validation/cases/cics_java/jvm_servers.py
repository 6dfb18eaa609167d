"""cics-perf table 9-20: Java servlets in one region or several, with one JVM server or several."""

from __future__ import annotations

from qnsolve import zos

from ...case import Case, Missing, Study
from ...published.published_tables import Row, table

CPUS, ELIGIBLE, OTHER, RATE = "lpar_cps", "ziip_eligible_ms_per_tran", "not_ziip_eligible_ms_per_tran", "etr_tran_per_s"

BESIDE = Missing(
    "CPU of the LPAR beside CICS",
    "0.10 ms a request of 2.10 ms, 5 % of the LPAR; what is printed for layout 3 leaves 0.04 ms",
    "busy of the CPs and of the zIIPs apart, and CPU outside CICS, of each layout",
)
MISSED = 4


def _system(row: Row, think: float) -> zos.System:
    names = [f"region {i}" for i in range(1, int(row["cics_regions"]) + 1)]
    cpu = (row[ELIGIBLE] + row[OTHER]) / 1000
    threads = int(row["threadlimit_per_jvm"] * row["jvm_servers_per_region"])
    ziips = zos.Ziips(int(row["lpar_ziips"]), overflow=False)
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
                ziip_share=row[ELIGIBLE] / 1000 / cpu,
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
        for name, column in (("CPs", CPUS), ("zIIPs", "lpar_ziips"), ("users", "users"), ("MXT", "mxt_per_region")):
            study.given(f"{name}, layout {row.number}", row, column)
        for name, column in (("not eligible", OTHER), ("eligible", ELIGIBLE)):
            study.calibrate(
                f"CPU {name}, layout {row.number}", row[column] / 1000, "s", [row], "CPU as printed", kind="printed"
            )
        result = study.solve_system(row.cells["configuration"], _system(row, think))
        etr = result["servlets"].etr
        study.predict("ETR", "tran/s", row, RATE, etr, station="CPs and zIIPs", kind="full center", like=(one, None))
        lpar, cps, ziips = result["LPAR"], row[CPUS], row["lpar_ziips"]
        busy = (lpar.cpu_percent * cps + lpar.ziip_percent * ziips) / (cps + ziips)
        missing = BESIDE if row.number == MISSED else None
        study.predict(
            "processors busy",
            "%",
            row,
            "lpar_busy_pct",
            busy,
            station="CPs and zIIPs",
            kind="full center",
            like=(one, None),
            missing=missing,
        )


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
            "zIIPs only: in layouts 2 and 4 the CPU that is not eligible alone fills the CPs. With overflow as the model has "
            "it, which never takes work back from full CPs, rates are 17 % too low. In the first layout the printed CPU of a "
            "request gives 81 % busy, not the 97 % printed for all layouts: its users limit it, so it gives the think time."
        ),
        run=_run,
    ),
)
